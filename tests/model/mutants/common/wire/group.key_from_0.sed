# A key counts from 0.
# test: unit/wire/test_group
/^group_key_decode(/,/^}/s/!r->failed \&\& key->first > 0/!r->failed/
