# A receiver takes the number of the one before it.
# test: unit/wire/test_group
/^group_find(/,/^}/s/i < place \/ 8; i++/i + 1 < place \/ 8; i++/
