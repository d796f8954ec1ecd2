# SPDX-License-Identifier: ISC
# Names every function over 60 lines and every file over 500. A function's
# name begins its line (KNF), and its last brace stands alone.
function file_end() {
	if (lines > 500) {
		printf "%s: %d lines\n", file, lines
		bad = 1
	}
}
FNR == 1 {
	file_end()
	file = FILENAME
	start = 0
}
{ lines = FNR }
/^[a-z_][a-z_0-9]*\(/ {
	start = FNR
	name = $1
	sub(/\(.*/, "", name)
}
/^}$/ && start {
	if (FNR - start + 1 > 60) {
		printf "%s:%d: %s() is %d lines\n", FILENAME, start, name,
		    FNR - start + 1
		bad = 1
	}
	start = 0
}
END {
	file_end()
	exit bad
}
