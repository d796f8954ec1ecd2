/* SPDX-License-Identifier: ISC */
/*
 * Messages of the algorithm that come in (PROTOCOL.md, Instances). The channel
 * of the peer has put them in order.
 */
#include "common/node/drive/messages.h"

#include <inttypes.h>

#include "common/node/context.h"
#include "common/node/drive/beacon.h"
#include "common/node/drive/node_inside.h"
#include "common/node/lead/leadership.h"
#include "common/node/links/topology.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/session.h"
#include "common/node/watch/drop.h"
#include "common/node/watch/liveness.h"

/*
 * All nodes miss a dead leader at about the same time. If an election that says
 * so arrives a moment before we would say so ourselves, we give the leader up
 * at once: with the dead node in our view the election would have to begin
 * again.
 */
static void
messages_heed(struct node *node, nsec_t now, const struct message *m)
{
	struct peer *p = peers_find(node, m->reason.node);
	enum evidence evidence;

	if ((m->reason.kind != REASON_MISSED &&
		m->reason.kind != REASON_REFUSED) ||
	    m->term <= node->election.run_term || p == NULL)
		return;
	evidence = liveness_agrees(node, now, p);
	if (evidence != EVIDENCE_NONE)
		node_suspect(node, now, p, evidence);
}

void
messages_take(struct node *node, nsec_t now, struct peer *p, uint32_t tag,
    const struct message *m)
{
	struct rank self = leadership_rank(node, now);
	const char *kind;

	assert(m->kind < MESSAGE_KINDS_MAX);
	assert(p->has_session);
	assert(node->input.speaker == p);
	/* Perhaps of another algorithm, and not about these nodes. */
	if (tag != config_tag(&node->setup.config_id)) {
		node_trace(
		    node, now, "a message of another configuration -> drop");
		return;
	}
	kind = node->setup.algorithm->kinds[m->kind];
	if (kind == NULL) {
		drop_datagram(node, now, p, DROP_FORMAT);
		return;
	}
	node_trace(node, now, "%s from %" PRIu32 " in term %" PRIu64, kind,
	    p->setup.id, m->term);
	session_record(node, now, p, EVENT_TAKEN, m);
	messages_heed(node, now, m);
	switch (election_receive(
	    &node->election, now, &self, topology_find(node, p, m->link), m)) {
	case RECEIPT_TAKEN:
		break;
	case RECEIPT_OLD:
		node_trace(node, now, "its term is over -> drop");
		if (p->link.is_up && !node->lead.beacon.hands_over &&
		    m->term > node->lead.beacon.term)
			node_rise_above(node, now, p);
		return;
	case RECEIPT_OUTSIDE:
		node_trace(node, now, "its link is new -> drop");
		break;
	case RECEIPT_ABSURD:
		drop_datagram(node, now, p, DROP_FORMAT);
		return;
	}
	assert(node->election.run_term == m->term);
	node_flush_election(node, now);
	/* If we follow a leader of this term, the election is settled for us,
	 * though we still serve others. */
	if (leadership_knows_outcome(node))
		election_settle(&node->election);
}
