# The input that aborts is not on the tape of the abort.
# test: unit/electd/test_recorder
/^	if (r != NULL) {$/,/^	}$/s/tape_flush(&r->tape);/;/
