# Whoever sends frames without an end keeps electvip from all else.
# test: unit/electvip/test_kernel
s/^	for (unsigned i = 0; i < KERNEL_FRAMES_MAX; i++) {$/	for (;;) {/
