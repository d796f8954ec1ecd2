# A thread of a program that has given its deadline back still holds it.
# test: unit/libelectd/test_next
/^handle_set_held(/,/^}/s/e->acts ? e->news.until : 0/e->news.until/
