# A token above the term of its beacon is taken.
# test: unit/wire/test_packet
/^token_decode(/,/^}/s/beacon->token <= beacon->term/true/
