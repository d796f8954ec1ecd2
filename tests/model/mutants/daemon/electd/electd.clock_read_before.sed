# The clock is read before the helper is asked: a stop in between shows in neither.
# test: unit/electd/test_electd
/^electd_wake(/,/^}/{
/helper_beat/{
N
s/^\(.*\)\n\(.*\)$/\2\1/
}
}
