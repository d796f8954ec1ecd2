/* SPDX-License-Identifier: ISC */
/*
 * The durable state on its way to the disk (PROTOCOL.md, Durability): when the
 * node has it written, and what is durable afterwards.
 */
#include "common/node/vote/durable.h"

#include <inttypes.h>

#include "common/node/context.h"
#include "common/node/peer/process.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/voters.h"

void
durable_init(struct node *node)
{
	struct durable_state *r = &node->setup.durable;
	enum state_health health = node->setup.state_health;

	assert(node->setup.durable.incarnation > 0);
	if (node_is_quorum(node) && r->lease < node->setup.timing.lease)
		r->lease = node->setup.timing.lease;
	node->out.disk.can_persist =
	    health == STATE_HEALTH_SOUND || health == STATE_HEALTH_REVOKED;
}

void
durable_set_incarnation(struct node *node, uint64_t incarnation)
{
	assert(incarnation > 0);
	node->setup.durable.incarnation = incarnation;
	node->out.disk.is_due = true;
	node->out.disk.is_mute =
	    node->out.disk.can_persist || !node_is_quorum(node);
}

/* Under quorum the next start goes above it by its stride (PROTOCOL.md,
 * Incarnations), and a node without a sound file has no vote. */
bool
node_is_unborn(const struct node *node)
{
	return node->out.disk.is_mute && !node->out.disk.can_persist;
}

/* Sets how far the durable state can be trusted: this node votes, and is
 * eligible, only if it is sound. Tells the host of each change. */
static void
durable_judge(struct node *node, nsec_t now, enum state_health health)
{
	if (node->setup.state_health == health)
		return;
	node->setup.state_health = health;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_STATE_FILE, .state_health = health });
	quorum_look(node, now);
}

/* The configuration's document is durable already, so nobody waits for this
 * record of it. The record never goes back to an earlier configuration. A
 * node that had lost the document by which it voted has forgotten nothing
 * any more once it has a configuration that follows that one. */
void
durable_change(struct node *node, nsec_t now)
{
	struct durable_state *r = &node->setup.durable;

	if (!node_is_quorum(node))
		return;
	if (node->setup.state_health == STATE_HEALTH_CHANGED &&
	    !node->out.disk.admits &&
	    config_id_follows(&node->setup.config_id, &r->config_id)) {
		node->out.disk.can_persist = true;
		durable_judge(node, now, STATE_HEALTH_SOUND);
	}
	if (r->lease < node->setup.timing.lease)
		r->lease = node->setup.timing.lease;
	if (config_id_follows(&node->setup.config_id, &r->config_id))
		r->config_id = node->setup.config_id;
	node->out.disk.is_due = true;
}

bool
durable_is_mute(const struct node *node)
{
	return node->out.disk.is_mute;
}

void
durable_keep_term(struct node *node, uint64_t term)
{
	struct durable_state *r = &node->setup.durable;

	if (term <= r->term)
		return;
	r->term = term;
	/* A promise of our voter that is at least as high keeps the term by
	 * itself. */
	if (term > voting_promise(node)->term)
		node->out.disk.is_due = true;
}

/* Only the guarantee "quorum" rests on promises. */
void
durable_revoke(struct node *node, nsec_t now)
{
	if (!node_is_quorum(node) ||
	    node->setup.state_health != STATE_HEALTH_SOUND)
		return;
	node->setup.durable.is_revoked = true;
	durable_judge(node, now, STATE_HEALTH_REVOKED);
}

/* True if the durable state may be made anew, by what a leader says: it is not
 * sound, and the disk has not failed. */
static bool
may_be_admitted(const struct node *node, nsec_t now)
{
	return voters_own_number(node) != VOTER_NONE &&
	       node->setup.state_health != STATE_HEALTH_SOUND &&
	       node->setup.state_health != STATE_HEALTH_FAILED &&
	       !node->out.disk.is_writing && !node_is_duplicate(node, now);
}

void
durable_admit(struct node *node, nsec_t now, struct owner leader,
    const struct vote_request *request)
{
	struct node_disk *disk = &node->out.disk;

	assert(request->admits);
	if (!may_be_admitted(node, now) ||
	    !config_id_equal(&request->config_id, &node->setup.config_id) ||
	    !election_credits(&node->election, request->term))
		return;
	node_trace(node, now, "admitted in term %" PRIu64, request->term);
	voting_admit(node, leader, request->term);
	node->setup.durable.is_revoked = false;
	node->setup.durable.config_id = node->setup.config_id;
	disk->can_persist = true;
	disk->is_due = true;
	disk->admits = true;
}

/* True if the durable state has changed. A voter promises a term to one owner
 * only, so of a promise just the term and the mark can change. Nobody waits
 * until a new mark is durable: it matters only after a restart. */
static bool
durable_is_due(const struct node *node)
{
	const struct promise *kept = &node->setup.durable.promise;
	const struct promise *promise = voting_promise(node);

	return node->out.disk.is_due || promise->term != kept->term ||
	       promise->is_early != kept->is_early;
}

bool
durable_take(
    struct node *node, nsec_t now, struct durable_state *durable, bool *is_anew)
{
	struct durable_state *r = &node->setup.durable;
	const struct promise *promise = voting_promise(node);

	assert(r->incarnation > 0);
	assert(r->promise.term <= promise->term);
	if (!durable_is_due(node) || node->out.disk.is_writing ||
	    !node->out.disk.can_persist)
		return false;
	node->out.disk.is_due = false;
	r->promise = *promise;
	if (!voting_is_bound_longer(node, now))
		r->lease = node->setup.timing.lease;
	node->out.disk.is_writing = true;
	node->out.disk.writing = *r;
	*durable = *r;
	*is_anew = node->out.disk.admits;
	return true;
}

bool
durable_written(struct node *node, nsec_t now, bool ok)
{
	struct node_disk *disk = &node->out.disk;
	bool is_admitted = ok && disk->admits;

	assert(disk->is_writing || !ok);
	disk->is_writing = disk->admits = false;
	if (ok ? disk->writing.incarnation == node->setup.durable.incarnation
	       : node_is_quorum(node))
		disk->is_mute = false;
	if (is_admitted)
		durable_judge(node, now, STATE_HEALTH_SOUND);
	if (ok)
		return voting_keep(node, &disk->writing);
	disk->can_persist = false;
	durable_judge(node, now, STATE_HEALTH_FAILED);
	return false;
}

void
durable_check(const struct node *node)
{
	const struct node_disk *disk = &node->out.disk;

	assert(node->setup.durable.incarnation > 0);
	assert(!disk->is_writing || disk->can_persist);
	assert(!node_is_unborn(node) || !node_is_quorum(node));
	assert(!disk->admits || disk->is_writing || disk->is_due);
	assert(!disk->admits || node->setup.state_health != STATE_HEALTH_SOUND);
	assert(node->setup.durable.promise.term <= voting_promise(node)->term);
}
