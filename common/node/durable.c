/* SPDX-License-Identifier: ISC */
/*
 * The durable state on its way to the disk (PROTOCOL.md, Durability): when the
 * node has it written, and what is durable afterwards.
 */
#include "common/node/node_inside.h"

void
durable_distrust(struct node *node, nsec_t now, enum state_health health)
{
	assert(health != STATE_HEALTH_SOUND);
	if (node->setup.state_health == health)
		return;
	node->setup.state_health = health;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_STATE_FILE, .state_health = health });
	candidate_look(node, now);
}

bool
durable_take(struct node *node, nsec_t now, struct durable_state *durable)
{
	struct durable_state *r = &node->setup.durable;
	const struct voter *v = &node->quorum.voter;

	bool is_due =
	    node->disk.is_due || (node_is_quorum(node) && !v->is_kept);

	assert(r->incarnation > 0);
	if (!is_due || node->disk.is_writing || !node->disk.can_persist)
		return false;
	node->disk.is_due = false;
	if (node_is_quorum(node)) {
		assert(r->promise.term <= v->promise.term);
		r->promise = v->promise;
		if (now >= v->quarantine_until)
			r->lease = node->setup.lease;
	}
	node->disk.is_writing = true;
	node->disk.writing = *r;
	*durable = *r;
	return true;
}

bool
durable_keep_promise(struct node *node)
{
	struct quorum *q = &node->quorum;
	const struct promise *kept = &node->disk.writing.promise;

	assert(!node->disk.is_writing);
	if (!node_is_quorum(node) || kept->term != q->voter.promise.term ||
	    q->voter.is_kept)
		return false;
	assert(kept->owner.id == q->voter.promise.owner.id);
	voter_kept(&q->voter);
	return true;
}

void
durable_written(struct node *node, nsec_t now, bool ok)
{
	assert(node->disk.is_writing || !ok);
	node->disk.is_writing = false;
	if (!ok ||
	    node->disk.writing.incarnation == node->setup.durable.incarnation)
		node->disk.is_mute = false;
	if (ok)
		return;
	node->disk.can_persist = false;
	durable_distrust(node, now, STATE_HEALTH_FAILED);
}

void
durable_check(const struct node *node)
{
	const struct node_disk *disk = &node->disk;

	assert(node->setup.durable.incarnation > 0);
	assert(!disk->is_writing || disk->can_persist);
	assert(!disk->is_mute || disk->can_persist);
	if (!node_is_quorum(node))
		return;
	assert(node->setup.durable.promise.term <=
	       node->quorum.voter.promise.term);
}
