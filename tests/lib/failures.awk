# SPDX-License-Identifier: ISC
# The reasons of failures in the log of a test: each "not ok", with what the
# case said before it and the twelve lines after it; and what cmocka says of each
# failed case.
BEGIN {
	half_max = 12 # lines of what a case said: so many first and last ones
	after_max = 12
}

# What a case says ends with its verdict; logs of daemons follow a failed one.
function forget() {
	said_count = 0
}

/^\[ RUN      \] / {
	is_case = 1
}
/^\[(       OK |  FAILED  |  SKIPPED )\] / {
	is_case = 0
}
# fail_msg() says why before that.
/^\[  ERROR   \] / || /^ERROR: / && is_case {
	is_error = 1
}
is_error {
	print
	is_error = !/^\[(   LINE   |  FAILED  |       OK )\] /
	next
}
/^\[  FAILED  \] [^ ]+$/ && !is_summary {
	print
	next
}
/^\[==========\] .* run\.$/ {
	is_summary = 1
}
/^\[==========\] Running / {
	is_summary = 0
}
/^\[/ {
	next
}
/^not ok:? / {
	for (i = 1; i <= said_count; i++)
		if (i <= half_max || i > said_count - half_max)
			print said[i]
		else if (i == half_max + 1)
			print "    ..."
	print
	forget()
	left = after_max
	next
}
/^(ok:?|skip) / {
	forget()
	left = 0
	next
}
left > 0 {
	print
	left--
	next
}
!/^ +[^ ]+\.log: / {
	said[++said_count] = $0
}
