/* SPDX-License-Identifier: ISC */
/* The libFuzzer entry of feed_packet(). */
#include "tests/model/fuzz/feed.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	feed_packet(bytes, size);
	return 0;
}
