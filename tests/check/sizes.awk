# SPDX-License-Identifier: ISC
# Names every function over 60 lines, every case of a test over 40, every file
# over 800, and every line over 80 columns that clang-format leaves so, but for
# long texts and names of tests. A function's name begins its line (KNF), and its
# last brace stands alone.
function columns(text,    i, n) {
	n = length(text)
	for (i = 1; i <= length(text); i++)
		if (substr(text, i, 1) == "\t")
			n += 7 - (n - length(text) + i - 1) % 8
	return n
}
function file_end() {
	if (lines > 800) {
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
length($0) > 40 && columns($0) > 80 && !/"/ && FILENAME !~ /^tests\// {
	printf "%s:%d: %d columns\n", FILENAME, FNR, columns($0)
	bad = 1
}
/^[A-Za-z_][A-Za-z_0-9]*\(/ && !/;$/ {
	start = FNR
	name = $0
	most = 60
	sub(/\(.*/, "", name)
	if (name ~ /^[A-Z]/) { # TEST(case)
		most = 40
		name = $0
		gsub(/^[A-Z_]*\(|[,)].*/, "", name)
	}
}
/^}$/ && start {
	if (FNR - start + 1 > most) {
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
