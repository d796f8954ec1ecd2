/* SPDX-License-Identifier: ISC */
/*
 * The durable state: when it is to be written, and what follows when it is.
 */
#include "common/node/node_inside.h"

/* Nothing is written any more: neither votes nor stands this node. */
void
durable_distrust(struct node *node, nsec_t now, enum state_health memory)
{
	if (node->setup.state_health == memory)
		return;
	node->setup.state_health = memory;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_STATE_FILE, .state_health = memory });
	candidate_look(node, now);
}

/* The record as it is to be; false: as it is already, or as it cannot be. */
bool
durable_take(struct node *node, nsec_t now, struct durable_state *record)
{
	struct durable_state *r = &node->setup.durable;
	const struct voter *v = &node->quorum.voter;

	bool is_due =
	    node->disk.is_due || (node_is_quorum(node) && !v->is_kept);

	if (!is_due || node->disk.is_writing || !node->disk.can_persist)
		return false;
	node->disk.is_due = false;
	if (node_is_quorum(node)) {
		r->promise = v->promise;
		if (now >= v->quarantine_until)
			r->lease = node->setup.lease;
	}
	node->disk.is_writing = true;
	node->disk.writing = *r;
	*record = *r;
	return true;
}

/* Whoever hands over is to know that the next leader is promised its term, even
 * if its last claim has been answered. */
static bool
durable_owes(const struct node *node, const struct peer *p)
{
	const struct beacon *beacon = &node->lead.beacon;
	bool hands_over = node->lead.is_fresh && beacon->hands_over &&
			  beacon->leader.id == p->setup.id;

	return p->has_session &&
	       (p->voting.is_waiting ||
		   (hands_over && p->voting.request.term != 0));
}

/* The promise is durable: who waits for it is answered. */
static void
durable_kept(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	const struct promise *kept = &node->disk.writing.promise;

	if (!node_is_quorum(node) || kept->term != q->voter.promise.term ||
	    q->voter.is_kept)
		return;
	voter_kept(&q->voter);
	if (kept->owner.id == node->setup.self)
		candidate_ask(node, now);
	else if (q->lease.term != 0)
		candidate_ask_self(node, now);
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (!durable_owes(node, p))
			continue;
		voting_take_request(node, now, p, &p->voting.request);
		peers_schedule(node, p);
	}
}

void
node_persisted(struct node *node, nsec_t now, bool ok)
{
	assert(node->disk.is_writing || !ok);
	node_wake(node, now);
	node->disk.is_writing = false;
	if (!ok ||
	    node->disk.writing.incarnation == node->setup.durable.incarnation)
		node->disk.is_mute = false;
	if (!ok) {
		node->disk.can_persist = false;
		durable_distrust(node, now, STATE_HEALTH_FAILED);
	}
	if (node->life.is_stopping)
		return;
	if (ok)
		durable_kept(node, now);
	node_conclude(node, now);
}
