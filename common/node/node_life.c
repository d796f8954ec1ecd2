/* SPDX-License-Identifier: ISC */
/*
 * A process that the others take for dead, or for an older one than they know:
 * it goes on as a new process would, with a higher incarnation.
 */
#include "common/node/node_private.h"

/* Goes on as a new process would, without any session, and mute until its
 * incarnation is durable. */
static void
node_reincarnate(struct node *node, nsec_t now, uint64_t incarnation,
    enum reason_kind reason)
{
	for (unsigned i = 0; i < node->peers_count; i++)
		node_session_end(node, now, &node->peers[i], EVIDENCE_RESET);
	for (unsigned i = 0; i < node->peers_count; i++) {
		node->peers[i].hello_is_out = false;
		node->peers[i].hello_at = now;
		node->peers[i].hello_tries = 0;
		seal_wipe(&node->peers[i].offer, sizeof(struct offer));
		seal_wipe(&node->peers[i].rejection, sizeof(struct offer));
	}
	/* What we were is dead to them: we listen, and stand anew. */
	node->is_starting = true;
	node->startup_at = nsec_after(now, node->setup.startup);
	node->eligible_since = now;
	node->told_restarts = 0;
	election_settle(&node->election);
	if (node_leads(node))
		node_lose_leader(
		    node, now, (struct reason){ reason, node->setup.self });
	if (node_is_quorum(node) && node->quorum.lease.term != 0)
		quorum_drop(node, now);
	node->setup.durable.incarnation = incarnation;
	node->duplicate_until = now;
	node->persist_due = true;
	node->is_mute = node->can_persist;
	node->heartbeat_at = now;
}

void
node_refute(struct node *node, nsec_t now, uint64_t known)
{
	if (known < node->setup.durable.incarnation ||
	    known - node->setup.durable.incarnation > INCARNATION_JUMP_MAX)
		return;
	/* It costs every session: a peer gone bad does not ask for it often. */
	if (now < node->refute_at) {
		node->duplicate_until = now + DUPLICATE_LASTS;
		return;
	}
	node->refute_at = now + RAISE_GAP;
	node_trace(node, now, "told of our incarnation -> go above it");
	node_reincarnate(node, now, known + 1, REASON_REFUTED);
	/* Later lives of ours may have given promises that this record knows
	 * nothing of. */
	if (node_is_quorum(node) &&
	    node->setup.state_health == STATE_HEALTH_SOUND) {
		node->setup.durable.is_revoked = true;
		node_distrust(node, now, STATE_HEALTH_REVOKED);
	}
}

void
node_declare_dead(struct node *node, nsec_t now)
{
	node_wake(node, now);
	if (node->is_stopping)
		return;
	node_trace(node, now, "declared dead -> go on as a new process");
	node_reincarnate(
	    node, now, node->setup.durable.incarnation + 1, REASON_STALLED);
	node_conclude(node, now);
}
