# A document may spell an address in another way than its one.
# test: unit/config/test_config
s/return strcmp(text, to) == 0;/return true;/
