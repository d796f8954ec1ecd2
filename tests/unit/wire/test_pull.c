/* SPDX-License-Identifier: ISC */
/* Pulls of records and events, as bytes. */
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/snapshot.h"

static const struct pull sample = {
	.kind = PULL_EVENTS,
	.name = { .initiator = 1, .incarnation = 7, .number = 3 },
	.from = 9,
	.count = 2,
	.at = 1,
	.path = { 1, 2 },
};

/* A node keeps it, and what a node keeps gets onto tapes. */
TEST(decoded_pull_has_nothing_of_what_was_there)
{
	uint8_t bytes[PULLED_BYTES_MAX];
	struct pull pulls[2];

	for (unsigned i = 0; i < 2; i++) {
		struct writer w = writer_of(bytes, sizeof(bytes));
		struct reader r;

		pull_encode(&w, &sample);
		r = reader_of(bytes, w.size);
		memset(&pulls[i], i == 0 ? 0xa5 : 0x5a, sizeof(pulls[i]));
		assert_true(pull_decode(&r, &pulls[i]));
		assert_true(pull_equal(&pulls[i], &sample));
	}
	assert_memory_equal(&pulls[0], &pulls[1], sizeof(pulls[0]));
}
