# A file in the state directory has its name before its content is on the disk.
# test: unit/state/test_kept_config
s/return fsync(file) == 0 ? 0 : -errno;/return 0;/
