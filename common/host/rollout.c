/* SPDX-License-Identifier: ISC */
#include "common/host/rollout.h"

static void
rollout_check(const struct rollout *r)
{
	assert(!r->is_writing || r->has_next || r->origin == ORIGIN_DISK);
	assert(r->origin != ORIGIN_LEADER || r->is_quorum || !r->has_next);
	assert(r->is_quorum || !r->has_file);
}

void
rollout_keep(struct rollout *r, enum rollout_origin origin,
    const struct config_id *config_id)
{
	assert(!r->is_writing);
	r->origin = origin;
	r->next = *config_id;
	r->has_next = origin != ORIGIN_DISK;
	r->is_writing = true;
	rollout_check(r);
}

/* What an operator waits for has ended. Under quorum it ends with the
 * proposal, not with a write. */
static void
end(struct rollout *r, enum rollout_origin origin, enum proposal_end end)
{
	if (origin < ORIGINS_ASKED && r->ends[origin] == PROPOSAL_PROPOSED)
		r->ends[origin] = end;
}

/* True if what is on the disk now may come into effect. A leader that hands
 * over takes no step: the one that it hands over to would be behind. Nodes that
 * two hosts met at once are of one revision. */
static bool
is_due(const struct rollout *r, struct node *node, nsec_t now)
{
	const struct node_status s = node_status(node, now);

	if (r->origin == ORIGIN_LEADER &&
	    (s.state != STATE_LEADER || s.term != r->next.config_term ||
		s.hands_over))
		return false;
	return r->origin == ORIGIN_NODES
		   ? !config_id_is_newer(node_config_id(node), &r->next)
		   : config_id_compare(&r->next, node_config_id(node)) > 0;
}

enum rollout_end
rollout_kept(struct rollout *r, struct node *node, nsec_t now, bool is_kept)
{
	assert(r->is_writing);
	r->is_writing = false;
	r->has_failed = !is_kept;
	if (!is_kept)
		r->again_at = nsec_after(now, ROLLOUT_PAUSE);
	if (r->origin == ORIGIN_DISK) {
		r->is_astray = !is_kept;
		return ROLLOUT_KEPT;
	}
	if (node_status(node, now).is_leaving) {
		r->has_next = false;
		end(r, r->origin, PROPOSAL_RESTART);
		return ROLLOUT_DROP;
	}
	if (!is_due(r, node, now)) {
		r->has_next = false;
		r->is_astray |= is_kept;
		end(r, r->origin, PROPOSAL_NOTHING);
		return ROLLOUT_DROP;
	}
	if (!is_kept && r->is_quorum)
		return ROLLOUT_RETAIN;
	r->has_next = false;
	r->is_astray = !is_kept;
	end(r, r->origin, PROPOSAL_DONE);
	rollout_check(r);
	return ROLLOUT_APPLY;
}

bool
rollout_has_failed(const struct rollout *r)
{
	return r->has_failed && (r->has_next || r->is_astray);
}

bool
rollout_is_proposing(const struct rollout *r, const struct node *node)
{
	return r->is_quorum && r->has_proposal &&
	       config_id_may_replace(&r->proposal, node_config_id(node));
}

bool
rollout_is_idle(const struct rollout *r, const struct node *node)
{
	return !r->is_writing && !r->has_next &&
	       (r->is_quorum ? !rollout_is_proposing(r, node)
			     : !r->has_proposal);
}

bool
rollout_is_under_way(const struct rollout *r, const struct node *node)
{
	return (r->has_next &&
		   (r->origin != ORIGIN_LEADER ||
		       config_id_is_newer(&r->next, node_config_id(node)))) ||
	       (r->is_quorum ? rollout_is_proposing(r, node) : r->has_proposal);
}

enum rollout_offer
rollout_offer(const struct rollout *r, struct node *node, nsec_t now,
    const struct config_id *config_id, enum offered offered)
{
	assert(!r->is_writing);
	if (node_status(node, now).is_leaving)
		return OFFER_IGNORE;
	if (r->is_quorum && config_id->config_term == 0) {
		if (offered == OFFERED_WRONG)
			return OFFER_REFUSE;
		return rollout_wants(r, node, ORIGIN_PEER, config_id)
			   ? OFFER_PROPOSAL
			   : OFFER_IGNORE;
	}
	if (config_id_compare(config_id, node_config_id(node)) <= 0 ||
	    (r->has_next && config_id_compare(config_id, &r->next) <= 0))
		return OFFER_IGNORE;
	return offered == OFFERED_RIGHT ? OFFER_KEEP : OFFER_REFUSE;
}

bool
rollout_wants(const struct rollout *r, const struct node *node,
    enum rollout_origin origin, const struct config_id *config_id)
{
	if (!r->is_quorum && origin == ORIGIN_NODES)
		return true;
	return config_id_may_replace(config_id, node_config_id(node)) &&
	       (!r->has_proposal ||
		   config_id_is_newer(config_id, &r->proposal));
}

void
rollout_propose(struct rollout *r, struct node *node,
    enum rollout_origin origin, const struct config_id *config_id,
    const uint8_t *document, size_t size)
{
	assert(rollout_wants(r, node, origin, config_id));
	if (r->is_quorum)
		node_propose(node, config_id, document, size);
	r->proposal = *config_id;
	r->has_proposal = true;
	r->proposer = origin;
	rollout_check(r);
}

static void
proposal_end(struct rollout *r, struct node *node)
{
	node_propose(node, NULL, NULL, 0);
	r->has_proposal = false;
}

void
rollout_withdraw(struct rollout *r, struct node *node, uint32_t config_version)
{
	if (r->has_proposal && r->proposer == ORIGIN_FILE &&
	    config_version <= r->proposal.config_version)
		proposal_end(r, node);
}

bool
rollout_look_at_file(struct rollout *r, const struct node *node,
    uint32_t config_version, uint32_t running)
{
	bool is_news = config_version > running;

	if (!r->has_file)
		return false;
	if (!is_news && node_config_id(node)->config_term != 0) {
		r->has_file = false;
		end(r, ORIGIN_FILE, PROPOSAL_DONE);
	}
	return r->has_file && is_news && !rollout_is_proposing(r, node);
}

/* Nothing comes of what somebody wants. */
static void
fail(struct rollout *r, enum rollout_origin origin, enum proposal_end why)
{
	r->has_file &= origin != ORIGIN_FILE;
	end(r, origin, why);
}

void
rollout_give_up(struct rollout *r, enum rollout_origin origin)
{
	fail(r, origin, PROPOSAL_FAILED);
}

/* The proposal of a leader's step that failed would be its next step, too. */
struct config_id
rollout_refused(struct rollout *r, struct node *node)
{
	assert(!r->is_writing);
	assert(!r->has_next);
	r->is_astray = true;
	if (r->origin < ORIGINS_ASKED)
		r->ends[r->origin] = PROPOSAL_FAILED;
	if (r->origin != ORIGIN_LEADER || !r->has_proposal ||
	    config_id_is_newer(&r->proposal, &r->next))
		return r->next;
	proposal_end(r, node);
	fail(r, r->proposer, PROPOSAL_FAILED);
	return r->proposal;
}

/* No leader would grant the proposal. */
static void
proposal_refuse(
    struct rollout *r, struct node *node, nsec_t now, enum change_step step)
{
	proposal_end(r, node);
	fail(r, r->proposer,
	    step == STEP_TOO_FAR ? PROPOSAL_TOO_FAR : PROPOSAL_PROMOTES);
	node_refuse(node, now, &r->proposal);
}

/* True if no other node is known to have gone on to later settings. */
static bool
is_up_to_date(struct node *node, nsec_t now)
{
	const struct node_status status = node_status(node, now);

	return status.state == STATE_LEADER ||
	       (status.state == STATE_FOLLOWER && !status.is_mixed);
}

/* The next leader takes the step. While this node cannot resign it leads on,
 * and tries again. */
static bool
proposal_resign(struct rollout *r, struct node *node, nsec_t now)
{
	if (r->has_resigned ||
	    node_resign(node, now, NODE_NONE, "") != RESIGN_BEGUN)
		return false;
	r->has_resigned = true;
	return true;
}

/* As the leader, writes these settings with the config term of its term. */
static struct rollout_todo
step_to(enum rollout_which which, uint64_t config_term)
{
	return (struct rollout_todo){
		.act = ROLLOUT_WRITE,
		.which = which,
		.origin = ORIGIN_LEADER,
		.config_term = config_term,
	};
}

static struct rollout_todo
proposal_pursue(struct rollout *r, struct node *node, nsec_t now,
    const struct node_setup *proposed)
{
	struct rollout_todo todo = { .act = ROLLOUT_WAIT };
	uint64_t config_term;

	todo.step = node_step(node, now, proposed, &config_term);
	switch (todo.step) {
	case STEP_READY:
		return step_to(ROLLOUT_PROPOSED, config_term);
	case STEP_STAMP:
		return step_to(ROLLOUT_CURRENT, config_term);
	case STEP_RESIGN:
		if (proposal_resign(r, node, now))
			todo.act = ROLLOUT_RESIGNED;
		break;
	case STEP_TOO_FAR:
	case STEP_PROMOTES:
		if (is_up_to_date(node, now)) {
			proposal_refuse(r, node, now, todo.step);
			todo.act = ROLLOUT_REFUSED;
		}
		break;
	case STEP_UNSETTLED:
	case STEP_UNHEARD:
	case STEP_NOT_OURS:
		break;
	}
	return todo;
}

/* Under component each host takes its own step. */
static struct rollout_todo
proposal_take(struct rollout *r)
{
	r->has_proposal = false;
	return (struct rollout_todo){
		.act = ROLLOUT_WRITE,
		.which = ROLLOUT_PROPOSED,
		.origin = r->proposer,
	};
}

/* What is next for the disk, which has time. */
static struct rollout_todo
write_next(struct rollout *r, struct node *node, nsec_t now,
    const struct node_setup *proposed)
{
	struct rollout_todo todo = { .act = ROLLOUT_WRITE };

	if (r->has_next) {
		todo.which = ROLLOUT_NEXT;
		todo.origin = r->origin;
		return todo;
	}
	if (r->is_astray) {
		todo.which = ROLLOUT_CURRENT;
		todo.origin = ORIGIN_DISK;
		return todo;
	}
	if (node_wants_stamp(node, now))
		return step_to(ROLLOUT_CURRENT, node_status(node, now).term);
	if (r->has_proposal) {
		assert(proposed != NULL);
		return proposal_pursue(r, node, now, proposed);
	}
	todo.act = ROLLOUT_WAIT;
	return todo;
}

/* True if there is nothing to write. */
static bool
is_content(const struct rollout *r, struct node *node, nsec_t now)
{
	return !r->has_next && !r->is_astray && !r->has_proposal &&
	       !node_wants_stamp(node, now);
}

struct rollout_todo
rollout_next(struct rollout *r, struct node *node, nsec_t now,
    const struct node_setup *proposed)
{
	static const struct standby off = { .cause = STANDBY_RESIGNED };
	struct rollout_todo todo = { .act = ROLLOUT_WAIT };

	if (r->is_quorum && r->has_proposal && !rollout_is_proposing(r, node))
		proposal_end(r, node);
	if (r->has_resigned && !r->has_proposal) {
		r->has_resigned = false;
		node_set_standby(node, now, &off);
		todo.act = ROLLOUT_STOOD;
		return todo;
	}
	if (r->is_writing || is_content(r, node, now) ||
	    node_status(node, now).is_leaving)
		return todo;
	if (!r->is_quorum && r->has_proposal)
		return proposal_take(r);
	if (r->has_next && !is_due(r, node, now))
		r->has_next = false;
	if (rollout_has_failed(r) && now < r->again_at)
		return todo;
	return write_next(r, node, now, proposed);
}

nsec_t
rollout_deadline(const struct rollout *r)
{
	return rollout_has_failed(r) && !r->is_writing ? r->again_at
						       : NSEC_NEVER;
}
