# Every generation has the same terms.
# test: test_world_voters
/^generation_floor(/,/^}/s/return .*;/return 0;/
