/* SPDX-License-Identifier: ISC */
/*
 * The small read-only context that all parts of a node share: what the
 * configuration implies (PROTOCOL.md, Model), who leads, and how the node tells
 * its host.
 */
#include "common/node/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* How many notices one input adds at most. A full window of messages may
 * arrive, and each may begin an election, end it, change the leader and end a
 * handover; each link may be lost and come back; the rest is for all else. */
#define NOTICES_BASE     (4 * CHANNEL_WINDOW + 48)
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

bool
node_is_tree(const struct node *node)
{
	return node->setup.topology == TOPOLOGY_TREE;
}

bool
node_is_star(const struct node *node)
{
	return node->setup.topology == TOPOLOGY_FULL || node_is_quorum(node);
}

/* Under quorum each voter that is heard counts, so all are watched. In a ring,
 * tree or graph the neighbours are few. */
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

nsec_t
node_detection(const struct node *node)
{
	assert(node->setup.timing.misses > 0);
	return node->setup.timing.misses * node->setup.timing.heartbeat;
}

bool
node_is_recent(const struct node *node, nsec_t now, nsec_t said)
{
	assert(node->setup.timing.heartbeat > 0);
	return nsec_since(now, said) <=
	       node_detection(node) + node->setup.timing.heartbeat;
}

bool
bucket_take(nsec_t *empty_at, nsec_t now, nsec_t cost, nsec_t burst)
{
	assert(cost > 0);
	if (*empty_at > nsec_after(now, burst))
		return false;
	if (*empty_at < now)
		*empty_at = now;
	*empty_at = nsec_after(*empty_at, cost);
	return true;
}

void
node_record(struct node *node, nsec_t now, struct event e)
{
	e.at = now;
	event_log_add(&node->look.events, &e);
}

/* Elections and leaders are events as well. A node that joins an election has
 * taken a message of it, which is an event already. */
static void
record_notice(struct node *node, nsec_t now, const struct notice *n)
{
	struct event e = {
		.term = n->term,
		.leader = n->leader,
		.reason = n->reason,
	};

	if (n->kind == NOTICE_ELECTION && node->election.past->is_starter) {
		e.kind = EVENT_STARTS;
	} else if (n->kind == NOTICE_ELECTED) {
		e.kind = EVENT_DECIDED;
	} else if (n->kind == NOTICE_LEADER) {
		e.kind = EVENT_LEADER;
	} else if (n->kind == NOTICE_NO_LEADER) {
		e.kind = EVENT_NO_LEADER;
		e.leader = n->previous;
	} else {
		return;
	}
	node_record(node, now, e);
}

void
node_note(struct node *node, nsec_t now, struct notice n)
{
	assert(n.kind <= NOTICE_TRACE);
	n.at = now;
	record_notice(node, now, &n);
	notices_add(&node->out.notices, &n);
}

size_t
notices_wanted(unsigned peers, bool trace)
{
	size_t count = NOTICES_BASE + (size_t)NOTICES_PER_PEER * peers;

	assert(peers < NODES_MAX);
	return trace ? 4 * count : count;
}

void
node_trace(struct node *node, nsec_t now, const char *format, ...)
{
	struct notice n = { .kind = NOTICE_TRACE };
	va_list arguments;

	if (!node->setup.trace)
		return;
	/* Notices always find room: traces leave enough of it. */
	assert(node->out.notices.count <= node->out.notices.capacity);
	if (node->out.notices.capacity - node->out.notices.count <=
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

bool
setup_names(const struct node_setup *setup, node_id id)
{
	for (unsigned i = 0; i < setup->peers_count; i++) {
		if (setup->peers[i].id == id)
			return true;
	}
	return false;
}
