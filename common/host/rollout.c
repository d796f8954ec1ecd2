/* SPDX-License-Identifier: ISC */
#include "common/host/rollout.h"

static void
rollout_check(const struct rollout *r)
{
	assert(!r->is_writing || r->has_next || r->kind == ROLLOUT_CURRENT);
	assert(r->kind != ROLLOUT_STEP || r->is_quorum || !r->has_next);
	assert(r->is_quorum || !(r->has_wish || r->has_file));
}

void
rollout_keep(
    struct rollout *r, enum rollout_kind kind, const struct edition *edition)
{
	assert(!r->is_writing);
	r->kind = kind;
	r->next = *edition;
	r->has_next = kind != ROLLOUT_CURRENT;
	r->is_writing = true;
	rollout_check(r);
}

/* True if what is on the disk now may come into effect. A leader that hands
 * over takes no step: the one that it hands over to would be behind. */
static bool
is_due(const struct rollout *r, struct node *node, nsec_t now)
{
	const struct node_status s = node_status(node, now);

	if (r->kind == ROLLOUT_STEP &&
	    (s.state != STATE_LEADER || s.term != r->next.stamp ||
		s.hands_over))
		return false;
	return r->kind == ROLLOUT_ANY ||
	       edition_compare(&r->next, node_edition(node)) > 0;
}

enum rollout_end
rollout_kept(struct rollout *r, struct node *node, nsec_t now, bool is_kept)
{
	assert(r->is_writing);
	r->is_writing = false;
	r->has_failed = !is_kept;
	if (!is_kept)
		r->again_at = nsec_after(now, ROLLOUT_PAUSE);
	if (r->kind == ROLLOUT_CURRENT) {
		r->is_astray = !is_kept;
		return ROLLOUT_KEPT;
	}
	if (!is_due(r, node, now)) {
		r->has_next = false;
		r->is_astray |= is_kept;
		return ROLLOUT_DROP;
	}
	if (!is_kept && r->is_quorum)
		return ROLLOUT_RETAIN;
	r->has_next = false;
	r->is_astray = !is_kept;
	rollout_check(r);
	return ROLLOUT_APPLY;
}

void
rollout_refused(struct rollout *r)
{
	r->is_astray = true;
}

bool
rollout_is_busy(const struct rollout *r)
{
	return r->is_writing || r->has_next;
}

bool
rollout_has_failed(const struct rollout *r)
{
	return r->has_failed && (r->has_next || r->is_astray);
}

enum rollout_offer
rollout_offer(const struct rollout *r, const struct node *node,
    const struct edition *edition)
{
	if (r->is_quorum && edition->stamp == 0)
		return OFFER_WISH;
	if (edition_compare(edition, node_edition(node)) <= 0 ||
	    (r->has_next && edition_compare(edition, &r->next) <= 0))
		return OFFER_IGNORE;
	return OFFER_KEEP;
}

bool
rollout_is_wishing(const struct rollout *r, const struct node *node)
{
	return r->has_wish &&
	       r->wish.generation > node_edition(node)->generation;
}

bool
rollout_wants(const struct rollout *r, const struct node *node,
    const struct edition *edition)
{
	return edition->generation > node_edition(node)->generation &&
	       (!r->has_wish || edition->generation > r->wish.generation);
}

void
rollout_wish(struct rollout *r, struct node *node,
    const struct edition *edition, const uint8_t *document, size_t size,
    bool is_own)
{
	assert(rollout_wants(r, node, edition));
	node_propose(node, edition, document, size);
	r->wish = *edition;
	r->has_wish = true;
	r->is_own = is_own;
	rollout_check(r);
}

static void
wish_end(struct rollout *r, struct node *node)
{
	node_propose(node, NULL, NULL, 0);
	r->has_wish = false;
}

void
rollout_withdraw(struct rollout *r, struct node *node, uint32_t generation)
{
	if (r->has_wish && r->is_own && generation <= r->wish.generation)
		wish_end(r, node);
}

bool
rollout_wishes_file(struct rollout *r, const struct node *node,
    uint32_t generation, uint32_t running)
{
	bool is_news = generation > running;

	if (!is_news && node_edition(node)->stamp != 0)
		r->has_file = false;
	return r->has_file && is_news && !rollout_is_wishing(r, node);
}

/* No leader would grant the wish. */
static enum rollout_todo
wish_refuse(struct rollout *r, struct node *node, nsec_t now)
{
	wish_end(r, node);
	r->has_file &= !r->is_own;
	node_refuse(node, now, &r->wish);
	return ROLLOUT_REFUSED;
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
static enum rollout_todo
wish_resign(struct rollout *r, struct node *node, nsec_t now)
{
	if (r->has_resigned ||
	    node_resign(node, now, NODE_NONE) != RESIGN_BEGUN)
		return ROLLOUT_WAIT;
	r->has_resigned = true;
	return ROLLOUT_RESIGNED;
}

static enum rollout_todo
wish_pursue(struct rollout *r, struct node *node, nsec_t now,
    const struct node_setup *wished, uint64_t *stamp, enum change_step *step)
{
	*step = node_step(node, now, wished, stamp);
	switch (*step) {
	case STEP_READY:
		return ROLLOUT_WISH;
	case STEP_STAMP:
		return ROLLOUT_STAMP;
	case STEP_RESIGN:
		return wish_resign(r, node, now);
	case STEP_TOO_FAR:
	case STEP_PROMOTES:
		return is_up_to_date(node, now) ? wish_refuse(r, node, now)
						: ROLLOUT_WAIT;
	case STEP_UNSETTLED:
	case STEP_UNHEARD:
	case STEP_NOT_OURS:
		break;
	}
	return ROLLOUT_WAIT;
}

enum rollout_todo
rollout_next(struct rollout *r, struct node *node, nsec_t now,
    const struct node_setup *wished, uint64_t *stamp, enum change_step *step)
{
	static const struct standby off = { .cause = STANDBY_RESIGNED };

	*stamp = 0;
	if (r->has_wish && !rollout_is_wishing(r, node))
		wish_end(r, node);
	if (r->has_resigned && !r->has_wish) {
		r->has_resigned = false;
		node_set_standby(node, now, &off);
		return ROLLOUT_STOOD;
	}
	if (r->is_writing)
		return ROLLOUT_WAIT;
	if (r->has_next && !is_due(r, node, now))
		r->has_next = false;
	if (rollout_has_failed(r) && now < r->again_at)
		return ROLLOUT_WAIT;
	if (r->has_next)
		return ROLLOUT_AGAIN;
	if (r->is_astray)
		return ROLLOUT_RESTORE;
	if (node_wants_stamp(node, now)) {
		*stamp = node_status(node, now).term;
		return ROLLOUT_STAMP;
	}
	if (!r->has_wish)
		return ROLLOUT_WAIT;
	assert(wished != NULL);
	return wish_pursue(r, node, now, wished, stamp, step);
}

nsec_t
rollout_deadline(const struct rollout *r)
{
	return rollout_has_failed(r) && !r->is_writing ? r->again_at
						       : NSEC_NEVER;
}
