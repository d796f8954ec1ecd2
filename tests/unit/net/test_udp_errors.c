/* SPDX-License-Identifier: ISC */
/* Which of the datagrams that were sent a refusal may concern. */
#include "tests/unit/group.h"

#include "daemon/net/udp_errors.h"

TEST(tag_counts_once_and_not_for_long)
{
	struct sent_tags sent = { .next = 0 };
	uint8_t bytes[SENT_TAGS + 1][PACKET_HEAD_BYTES] = { 0 };

	for (uint8_t i = 0; i <= SENT_TAGS; i++) {
		bytes[i][PACKET_CLEAR_BYTES] = i;
		assert_false(
		    sent_tags_take(&sent, bytes[i] + PACKET_CLEAR_BYTES));
		sent_tags_note(&sent, bytes[i], PACKET_HEAD_BYTES);
	}
	assert_false(sent_tags_take(&sent, bytes[0] + PACKET_CLEAR_BYTES));
	for (unsigned i = 1; i <= SENT_TAGS; i++) {
		const uint8_t *tag = bytes[i] + PACKET_CLEAR_BYTES;

		assert_true(sent_tags_take(&sent, tag));
		assert_false(sent_tags_take(&sent, tag));
	}
}
