# SPDX-License-Identifier: ISC
# A table out of what `gcov -b -n` says: of each file of the project, the
# lines executed and the branches taken at least once.
/^File / {
	split($0, part, "'")
	file = part[2]
	sub(/^.*\/\.\.\//, "", file)
	ours = file !~ /^\// && file ~ /\.c$/
}
/^Lines executed:/ && ours { lines = substr($2, 10) " of " $4 }
/^Taken at least once:/ && ours { row(substr($4, 6) " of " $6) }
/^No branches/ && ours { row("-") }
function row(branches) {
	printf "%-28s lines %-16s branches %s\n", file, lines, branches
	ours = 0
}
