/* SPDX-License-Identifier: ISC */
/*
 * Questions about how a node is configured, and how it tells its host.
 */
#include "common/node/node_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What one input can add at most: a whole window of messages, each of which
 * begins an election, ends it and changes the leader; every link lost and
 * come; and the rest. */
#define NOTICES_BASE     (3 * CHANNEL_WINDOW + 48)
#define NOTICES_PER_PEER 4

bool
node_is_quorum(const struct node *node)
{
	return node->setup.guarantee == GUARANTEE_QUORUM;
}

bool
node_is_ring(const struct node *node)
{
	return node->setup.topology == TOPOLOGY_RING;
}

/* Are there sessions by which messages of the algorithm do not go, or all? */
bool
node_is_star(const struct node *node)
{
	return node->setup.topology == TOPOLOGY_FULL || node_is_quorum(node);
}

/* Is there a limit to how many are watched at once? With a quorum each voter
 * that is heard counts, and elsewhere there are no more than neighbours. */
bool
node_is_limited(const struct node *node)
{
	return node->setup.topology == TOPOLOGY_FULL && !node_is_quorum(node);
}

bool
node_leads(const struct node *node)
{
	return lead_id(&node->lead) == node->setup.self;
}

/* How long a silence proves something: the detection time without its margin
 * (PROTOCOL.md, Detection time). */
nsec_t
node_detection(const struct node *node)
{
	return node->setup.misses * node->setup.heartbeat;
}

bool
node_is_duplicate(const struct node *node, nsec_t now)
{
	return node->process.duplicate_until > now;
}

/* `size` is at most KEY_BYTES. */
void
node_fresh(struct node *node, uint8_t *bytes, size_t size)
{
	uint8_t drawn[KEY_BYTES];

	assert(size <= sizeof(drawn));
	seal_fresh(drawn, sizeof(drawn), node->setup.entropy,
	    node->keys.fresh_count++);
	memcpy(bytes, drawn, size);
	seal_wipe(drawn, sizeof(drawn));
}

void
node_note(struct node *node, nsec_t now, struct notice n)
{
	n.at = now;
	notices_add(&node->notices, &n);
}

size_t
notices_wanted(unsigned peers, bool trace)
{
	size_t count = NOTICES_BASE + (size_t)NOTICES_PER_PEER * peers;

	return trace ? 4 * count : count;
}

void
node_trace(struct node *node, nsec_t now, const char *format, ...)
{
	struct notice n = { .kind = NOTICE_TRACE };
	va_list arguments;

	if (!node->setup.trace)
		return;
	/* Traces are cut short before a notice finds no room. */
	if (node->notices.capacity - node->notices.count <=
	    notices_wanted(node->peers_count, false))
		return;
	va_start(arguments, format);
	vsnprintf(n.text, sizeof(n.text), format, arguments);
	va_end(arguments);
	node_note(node, now, n);
}

bool
role_votes(enum role role)
{
	return role != ROLE_OBSERVER;
}

/* Do claims and votes go between us? */
bool
node_keeps_for_votes(const struct node *node, const struct peer *p)
{
	return node_is_quorum(node) &&
	       (role_votes(node->setup.role) || role_votes(p->setup.role));
}
