/* SPDX-License-Identifier: ISC */
/* The libFuzzer entry of feed_web(). */
#include "tests/model/fuzz/feed.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	feed_web(bytes, size);
	return 0;
}
