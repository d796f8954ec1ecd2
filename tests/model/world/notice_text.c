/* SPDX-License-Identifier: ISC */
#include "tests/model/world/notice_text.h"

#include <inttypes.h>
#include <stdio.h>

/* Lists the messages that a node sent in an election: "ELECTION 4, OK 1". */
static void
format_sent(char *text, size_t size, const struct notice *n,
    const struct algorithm *algorithm)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < MESSAGE_KINDS_MAX && used < size; i++) {
		if (n->sent[i] == 0)
			continue;
		used +=
		    (size_t)snprintf(text + used, size - used, "%s %s %" PRIu64,
			used == 0 ? "," : "", algorithm->kinds[i], n->sent[i]);
	}
}

static void
format_link(char *text, size_t size, const struct notice *n)
{
	const char *end = n->on ? "" : " no more";

	if (n->kind == NOTICE_PEER_UP)
		snprintf(text, size, "peer %" PRIu32 " up", n->peer);
	else if (n->kind == NOTICE_PEER_DOWN)
		snprintf(text, size, "peer %" PRIu32 " down (%s)", n->peer,
		    evidence_name(n->evidence));
	else if (n->kind == NOTICE_DUPLICATE)
		snprintf(
		    text, size, "duplicate id %" PRIu32 "%s", n->peer, end);
	else if (n->kind == NOTICE_DIFFERS)
		snprintf(text, size, "settings of %" PRIu32 " differ%s",
		    n->peer, end);
	else if (n->kind == NOTICE_OTHER_VERSION)
		snprintf(
		    text, size, "other version at %" PRIu32 "%s", n->peer, end);
	else if (n->kind == NOTICE_CLASH)
		snprintf(text, size,
		    "settings of %" PRIu32 " have our config version", n->peer);
	else if (n->kind == NOTICE_OUTSIDE)
		snprintf(text, size, "outside the cluster%s", end);
	else if (n->kind == NOTICE_OTHER_KEY)
		snprintf(
		    text, size, "another key at %" PRIu32 "%s", n->peer, end);
	else if (n->kind == NOTICE_DROPPED)
		snprintf(text, size, "dropped from %" PRIu32 " (%s)", n->peer,
		    drop_name(n->drop));
	else if (n->kind == NOTICE_QUORUM)
		snprintf(
		    text, size, "%s", n->on ? "quorum" : "no quorum any more");
	else if (n->kind == NOTICE_STANDBY)
		snprintf(text, size, "standby of %" PRIu32 "%s", n->peer, end);
	else if (n->kind == NOTICE_HANDOVER)
		snprintf(text, size, "hands over: %s", n->on ? "yes" : "no");
	else if (n->kind == NOTICE_STATE_FILE)
		snprintf(text, size, "memory %s",
		    state_health_name(n->state_health));
	else
		snprintf(text, size, "stalled for %" PRIu64 " ms",
		    n->duration / MSEC);
}

/* LEADER to ELECTED. */
static void
format_election(char *text, size_t size, const struct notice *n,
    const struct algorithm *algorithm)
{
	char reason[REASON_TEXT_MAX], sent[96], leader[24] = "nobody";

	reason_text(n->reason, reason);
	if (n->leader != NODE_NONE)
		snprintf(leader, sizeof(leader), "%" PRIu32, n->leader);
	if (n->kind == NOTICE_LEADER) {
		snprintf(text, size, "leader %s in term %" PRIu64 " (%s)",
		    leader, n->term, reason);
	} else if (n->kind == NOTICE_NO_LEADER) {
		snprintf(text, size, "no leader in term %" PRIu64 " (%s)",
		    n->term, reason);
	} else if (n->kind == NOTICE_ELECTION) {
		snprintf(text, size, "election in term %" PRIu64 " (%s)",
		    n->term, reason);
	} else {
		format_sent(sent, sizeof(sent), n, algorithm);
		snprintf(text, size, "elected %s in term %" PRIu64 "%s", leader,
		    n->term, sent);
	}
}

void
notice_text(char text[NOTICE_LINE_MAX], const struct notice *n,
    const struct algorithm *algorithm)
{
	if (n->kind == NOTICE_TRACE)
		snprintf(text, NOTICE_LINE_MAX, "> %s", n->text);
	else if (n->kind <= NOTICE_ELECTED)
		format_election(text, NOTICE_LINE_MAX, n, algorithm);
	else
		format_link(text, NOTICE_LINE_MAX, n);
}
