/* SPDX-License-Identifier: ISC */
#include "daemon/electd/tell/report_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "daemon/control/protocol/trouble.h"

#define MORE_MAX 24 /* ", and 1023 more" and its end */

/* The words before and after the name of the reason's node. */
static const struct {
	const char *before;
	const char *after;
} reasons[REASON_KINDS] = {
	[REASON_NONE] = { "no election yet at ", "" },
	[REASON_START] = { "", " is eligible and heard of no leader" },
	[REASON_DIED] = { "the process of ", " died" },
	[REASON_BYE] = { "", " was stopped" },
	[REASON_MISSED] = { "no heartbeat from ", "" },
	[REASON_PREEMPT] = { "a better node than ", " takes over" },
	[REASON_MERGE] = { "", " met another leader" },
	[REASON_FORCED] = { "an operator asked ", " for an election" },
	[REASON_STALLED] = { "", " was stalled for too long" },
	[REASON_DUPLICATE] = { "the id of ", " is in use twice" },
	[REASON_REFUTED] = { "", " had lost its last incarnation" },
	[REASON_LEASE] = { "the lease of ", " ended without a majority" },
	[REASON_QUORUM] = { "", " hears a majority of the voters again" },
	[REASON_DENIED] = { "", " had promised its vote to another node" },
	[REASON_STATE_FILE] = { "the state of ", " cannot be trusted" },
	[REASON_RESIGN] = { "an operator or a check wants another leader than ",
	    "" },
	[REASON_REFUSED] = { "nothing listens on ", " any more" },
	[REASON_REMOVED] = { "", " may no longer lead by the settings" },
	[REASON_CARRIER] = { "the cable of ", " is pulled: no carrier" },
	[REASON_ALONE] = { "", " had resigned, but no other node can lead" },
};

static const char *const evidences[] = {
	[EVIDENCE_NONE] = "never heard",
	[EVIDENCE_DIED] = "its process died",
	[EVIDENCE_BYE] = "stopped",
	[EVIDENCE_MISSED] = "no heartbeat",
	[EVIDENCE_REFUSED] = "nothing listens there",
	[EVIDENCE_RESET] = "the session was reset",
	[EVIDENCE_DISTANT] = "no longer a neighbour",
	[EVIDENCE_REMOVED] = "no longer a node of the cluster",
};

const char *
words_name(const struct settings *settings, node_id id)
{
	const char *name = settings_name(settings, id);

	return name != NULL ? name : "an unknown node";
}

const char *
words_config(const struct config_id *config_id, char text[WORDS_MAX])
{
	int size = snprintf(text, WORDS_MAX, "config version %" PRIu32,
	    config_id->config_version);

	if (config_id->revision > 0)
		snprintf(text + size, WORDS_MAX - (size_t)size,
		    ", revision %" PRIu32, config_id->revision);
	return text;
}

const char *
words_reason(
    const struct settings *settings, struct reason reason, char text[WORDS_MAX])
{
	const char *name = settings_name(settings, reason.node);
	char id[sizeof("node ") + ID_TEXT_MAX];

	assert(reason.kind < REASON_KINDS);
	if (reason.node == NODE_NONE)
		snprintf(id, sizeof(id), "a node");
	else /* it may have left the cluster long ago */
		snprintf(id, sizeof(id), "node %" PRIu32, reason.node);
	snprintf(text, WORDS_MAX, "%s%s%s", reasons[reason.kind].before,
	    name != NULL ? name : id, reasons[reason.kind].after);
	return text;
}

const char *
words_evidence(enum evidence evidence)
{
	assert(evidence <= EVIDENCE_REMOVED);
	return evidences[evidence];
}

/* Returns NULL if the peer votes for us or is no voter. */
static const char *
why_missing(const struct peer_status *peer)
{
	const char *meaning;

	if (!peer->is_voter || peer->votes)
		return NULL;
	meaning = trouble_meaning(peer_trouble(peer));
	return meaning != NULL ? meaning : words_evidence(peer->evidence);
}

const char *
words_missing(const struct settings *settings, const struct node *node,
    char text[WORDS_MAX])
{
	unsigned peers = (unsigned)settings->shared.nodes_count - 1, more = 0;
	size_t size = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < peers; i++) {
		struct peer_status peer = node_peer_status(node, i);
		const char *why = why_missing(&peer);
		size_t space = WORDS_MAX - MORE_MAX - size;
		int added;

		if (why == NULL)
			continue;
		added = snprintf(text + size, space, "%s%s (%s)",
		    size > 0 ? ", " : "", words_name(settings, peer.id), why);
		if (added > 0 && (size_t)added < space)
			size += (size_t)added;
		else
			more++;
		text[size] = '\0';
	}
	if (more > 0)
		snprintf(text + size, MORE_MAX, ", and %u more", more);
	return text;
}
