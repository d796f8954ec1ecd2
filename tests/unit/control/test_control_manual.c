/* SPDX-License-Identifier: ISC */
/* electd-protocol(7) has every word that answers are made of. Run from the root of
 * the tree. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/node/event.h"
#include "common/node/node.h"
#include "tests/lib/slurp.h"

/* Fails unless the section of the manual has an item of the word, perhaps beside
 * others. */
static void
assert_item(const char *section, const char *word)
{
	char *manual = slurp("daemon/man/electd-protocol.7");
	char head[64];
	const char *end, *at;
	size_t size = strlen(word);

	snprintf(head, sizeof(head), "\n.Sh %s\n", section);
	at = strstr(manual, head);
	assert_non_null(at);
	end = strstr(at + 1, "\n.Sh ");
	do {
		at = strstr(at + 1, "\n.It ");
		for (const char *w = at; w != NULL && w < end; w++) {
			if (w > at && *w == '\n')
				break;
			if (w[-1] == ' ' && strncmp(w, word, size) == 0 &&
			    strchr(" \n", w[size]) != NULL) {
				free(manual);
				return;
			}
		}
	} while (at != NULL && at < end);
	fail_msg("electd-protocol.7, %s: lacks %s", section, word);
}

TEST(every_reason_is_documented)
{
	char text[REASON_TEXT_MAX];

	for (unsigned i = 0; i < REASON_KINDS; i++)
		assert_item("REASONS",
		    reason_text(
			(struct reason){ (enum reason_kind)i, NODE_NONE },
			text));
}

TEST(every_evidence_is_documented)
{
	for (unsigned i = EVIDENCE_NONE + 1; i <= EVIDENCE_REMOVED; i++)
		assert_item("EVIDENCE", evidence_name((enum evidence)i));
}

TEST(every_event_of_a_history_is_documented)
{
	for (unsigned i = 0; i < EVENT_KINDS; i++)
		assert_item("HISTORIES", event_kind_name((enum event_kind)i));
}

TEST(every_reason_to_drop_a_datagram_is_documented)
{
	for (unsigned i = DROP_NONE + 1; i < DROP_KINDS; i++)
		assert_item("DROPPED DATAGRAMS", drop_name((enum drop)i));
}
