# SPDX-License-Identifier: ISC
# Makes a table of the output of `gcov -b -c -t`: for each file of the project, and
# each directory, the lines executed and the branches taken at least once.
# With missing=1, before it, each line never reached, and each branch never
# taken, of the core.
#
# A failed assertion is no branch of the program, so the table leaves out the
# parentheses of an assert(). A header is counted once, however
# many objects include it.

/:Source:/ {
	file = $0
	sub(/^.*:Source:/, "", file)
	ours = file ~ /^(common|algorithms|daemon)\//
	inside = 0
	if (ours && !(file in known)) {
		known[file] = 1
		files[++files_count] = file
	}
	next
}
!ours { next }
/^branch / {
	nth++
	if (!inside) {
		branches[file, line, nth] += $3 == "taken" ? $4 : 0
		if (nth > most[file, line])
			most[file, line] = nth
	}
	next
}
/^ *[^ :]+: *[0-9]+:/ {
	source($0)
	next
}

# One line of source: "COUNT: NUMBER:TEXT"; its branches follow.
function source(text, count) {
	count = text
	sub(/:.*/, "", count)
	sub(/^[^:]*: */, "", text)
	line = text + 0
	sub(/^[^:]*:/, "", text)
	if (ends)
		inside = ends = 0
	if (text ~ /^[\t ]*assert\(/)
		inside = 1
	if (inside && text ~ /\);([\t ]*\/\*.*)?$/)
		ends = 1
	nth = 0
	if (count !~ /-$/) {
		runs[file, line] += count + 0 # "#####" is none
		texts[file, line] = text
		if (line > last[file])
			last[file] = line
	}
}

# "82.4% 14 of 17", or nothing of nothing.
function share(done, all) {
	if (all == 0)
		return sprintf("%19s", "-")
	return sprintf("%5.1f%% %6d of %-5d", 100 * done / all, done, all)
}

function row(name) {
	printf "%-32s %s  %s\n", name, share(lines_run[name], lines_all[name]),
	    share(branches_taken[name], branches_all[name])
}

function add(to, from) {
	lines_run[to] += lines_run[from]
	lines_all[to] += lines_all[from]
	branches_taken[to] += branches_taken[from]
	branches_all[to] += branches_all[from]
}

function tell(what) {
	if (missing && file !~ /^daemon/) {
		sub(/^[\t ]+/, "", text)
		printf "%s:%d: %s: %s\n", file, line, what, text
	}
}

# Adds up one line: whether it ran, and which of its branches were taken.
function weigh(n, b, taken) {
	text = texts[file, line]
	lines_all[file]++
	n = most[file, line] + 0
	branches_all[file] += n
	if (runs[file, line] == 0) {
		tell("never reached")
		return
	}
	lines_run[file]++
	for (b = 1; b <= n; b++)
		taken += branches[file, line, b] > 0
	branches_taken[file] += taken
	if (taken < n)
		tell(sprintf("%d of %d branches never taken", n - taken, n))
}

function table(directory, i) {
	for (i = 1; i <= files_count; i++)
		if (index(files[i], directory) == 1) {
			row(files[i])
			add(directory, files[i])
		}
	row(directory)
	print ""
}

END {
	if (files_count == 0) {
		print "coverage: gcov says nothing" >"/dev/stderr"
		exit 1
	}
	for (i = 1; i <= files_count; i++) {
		file = files[i]
		for (line = 1; line <= last[file]; line++)
			if ((file, line) in runs)
				weigh()
	}
	printf "%-32s %-20s  %s\n", "", "lines", "branches"
	table("common/")
	table("algorithms/")
	table("daemon/")
	add("common/ and algorithms/", "common/")
	add("common/ and algorithms/", "algorithms/")
	row("common/ and algorithms/")
}
