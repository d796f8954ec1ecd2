/* SPDX-License-Identifier: ISC */
#include "common/election/election.h"

#include <limits.h>
#include <string.h>

#include "common/util/arena.h"

#define OUTSIDE UINT_MAX /* no link of the view */

/* The bound doubles this many times at most: to 32 times the first, 35 s under
 * component with defaults. A cluster should not wait for longer after its last
 * failure. */
#define DOUBLINGS_MAX 5

/* Bytes of state for the largest view: every link is up. */
static size_t
state_size(const struct algorithm *algorithm, unsigned links_count)
{
	struct view largest = { .links_count = links_count };

	return algorithm->size(&largest);
}

size_t
election_size(const struct algorithm *algorithm, unsigned links_count)
{
	size_t n = links_count;

	return arena_aligned(n * sizeof(struct view_link)) +
	       arena_aligned(n * sizeof(unsigned)) +
	       arena_aligned(n * sizeof(uint32_t)) +
	       arena_aligned(n * sizeof(unsigned)) +
	       arena_aligned(state_size(algorithm, links_count)) +
	       arena_aligned(outbox_capacity(n) * sizeof(struct outgoing));
}

void
election_init(
    struct election *e, void *memory, const struct election_setup *setup)
{
	uint8_t *m = memory;
	size_t n = setup->links_count;

	assert(setup->term_min <= TERM_MAX);
	assert(setup->floor < TERM_MAX);
	assert(setup->settle > 0);
	assert(setup->bound > 0);
	assert(setup->exchange > 0);
	assert(!setup->is_ring || n == RING_LINKS);
	*e = (struct election){
		.setup = *setup,
		.term = setup->term_min,
		.restart_at = NSEC_NEVER,
		.bound_at = NSEC_NEVER,
		.timer_at = NSEC_NEVER,
	};
	random_init(&e->random, setup->seed);
	e->view_links = arena_carve(&m, n * sizeof(*e->view_links));
	e->link_at = arena_carve(&m, n * sizeof(*e->link_at));
	e->sessions = arena_carve(&m, n * sizeof(*e->sessions));
	e->view_of = arena_carve(&m, n * sizeof(*e->view_of));
	e->state =
	    arena_carve(&m, state_size(setup->algorithm, setup->links_count));
	e->outbox.capacity = outbox_capacity(n);
	e->outbox.messages =
	    arena_carve(&m, e->outbox.capacity * sizeof(*e->outbox.messages));
	e->view = (struct view){
		.prefer = setup->prefer,
		.links = e->view_links,
		.choices = &e->setup.choices,
	};
}

/* True if a view may have this link: in a ring both must be up. */
static bool
election_sees(const struct election *e, unsigned link)
{
	const struct link *links = e->setup.links;

	if (e->setup.is_ring)
		return links[RING_RIGHT].session != 0 &&
		       links[RING_LEFT].session != 0;
	return links[link].session != 0;
}

/* Makes the view: the links that are up, in their order. */
static void
election_look(struct election *e, const struct rank *self)
{
	unsigned count = 0;

	for (unsigned i = 0; i < e->setup.links_count; i++) {
		const struct link *link = &e->setup.links[i];

		e->view_of[i] = OUTSIDE;
		if (!election_sees(e, i))
			continue;
		e->view_of[i] = count;
		e->link_at[count] = i;
		e->sessions[count] = link->session;
		e->view_links[count].rank = link->rank;
		count++;
	}
	e->view.self = *self;
	e->view.links_count = count;
	e->view.seed = random_next(&e->random);
}

/*
 * The bound doubles with each restart in a row, and is drawn from within a
 * quarter of that, so that nodes which disturb each other come apart.
 */
static nsec_t
election_bound(struct election *e)
{
	unsigned doublings = e->restarts;
	nsec_t bound;

	if (doublings > DOUBLINGS_MAX)
		doublings = DOUBLINGS_MAX;
	bound = e->setup.bound << doublings;
	return random_between(&e->random, bound - bound / 4, bound + bound / 4);
}

/* Replaces the instance by a fresh one of the highest term seen. */
static void
election_renew(struct election *e, nsec_t now, const struct rank *self,
    struct reason reason)
{
	assert(e->term > e->run_term);
	election_look(e, self);
	memset(e->state, 0, e->setup.algorithm->size(&e->view));
	e->setup.algorithm->init(e->state, &e->view);
	e->timer_at = NSEC_NEVER;
	outbox_clear(&e->outbox);
	e->taken = 0;
	e->run_term = e->term;
	e->reason = reason;
	e->is_open = true;
	e->is_broken = false;
	e->restart_at = NSEC_NEVER;
	e->bound_at = nsec_after(now, election_bound(e));
	e->past = election_history_begin(
	    &e->history, &(struct past_election){
			     .term = e->term,
			     .reason = reason,
			     .restarts = e->restarts,
			     .links = (unsigned)e->view.links_count,
			     .began = now,
			 });
}

/*
 * Notes a decision. A nominee gets the first bound again to collect its grants:
 * earlier restarts do not count any more.
 */
static void
election_decide(struct election *e, nsec_t now)
{
	assert(now >= e->past->began);
	e->past->decided = now;
	e->past->winner = e->outbox.winner;
	if (!e->is_open || !e->setup.is_nominating)
		return;
	e->restarts = 0;
	e->bound_at =
	    nsec_earlier(e->bound_at, nsec_after(now, election_bound(e)));
}

static void
election_step(struct election *e, nsec_t now, const struct input *in)
{
	assert(e->taken == e->outbox.count);
	outbox_clear(&e->outbox);
	e->taken = 0;
	e->setup.algorithm->step(e->state, in, &e->outbox);
	e->setup.algorithm->check(e->state);
	outbox_check(&e->outbox);
	if (e->outbox.has_decided)
		election_decide(e, now);
	past_election_phase(e->past, e->setup.algorithm->phase(e->state), now);
	if (e->outbox.has_armed)
		e->timer_at = nsec_after(now, e->setup.exchange);
}

void
election_start(struct election *e, nsec_t now, const struct rank *self,
    struct reason reason)
{
	struct input in = { .kind = INPUT_START };

	assert(!election_is_spent(e));
	if (e->term < e->setup.floor)
		e->term = e->setup.floor;
	e->term++;
	election_renew(e, now, self, reason);
	e->past->is_starter = true;
	election_step(e, now, &in);
}

/* How far above ours a credible term may be. */
static uint64_t
election_jump(const struct election *e)
{
	return e->setup.is_nominating ? TERM_JUMP_QUORUM : TERM_JUMP_MAX;
}

/*
 * Under component a node whose own term is low cannot judge a jump: it may have
 * started a moment ago, in an old cluster. So it believes terms up to half of
 * the range, which no cluster reaches.
 */
bool
election_credits(const struct election *e, uint64_t term)
{
	uint64_t most =
	    e->term > e->setup.credible ? e->term : e->setup.credible;

	most += election_jump(e);
	if (!e->setup.is_nominating && e->term < TERM_JUMP_MAX)
		most = TERM_MAX / 2;
	return term <= most && term <= TERM_MAX;
}

bool
election_saw(struct election *e, uint64_t term)
{
	if (!election_credits(e, term)) {
		/* One step only, so that we meet in the end nodes that were
		 * led astray. */
		if (term <= TERM_MAX &&
		    (e->setup.is_nominating || e->term >= TERM_JUMP_MAX))
			e->term += election_jump(e);
		return false;
	}
	if (term > e->term)
		e->term = term;
	return true;
}

bool
election_is_spent(const struct election *e)
{
	return e->term >= TERM_MAX;
}

enum election_receipt
election_receive(struct election *e, nsec_t now, const struct rank *self,
    unsigned link, const struct message *m)
{
	struct input in = { .kind = INPUT_MESSAGE, .message = m };

	assert(link < e->setup.links_count || link == OUTSIDE);
	if (m->term < e->term || m->term == 0)
		return RECEIPT_OLD;
	/* The origin is not in this ring: the message would go round for
	 * ever. */
	if (e->setup.is_ring && m->distance > NODES_MAX)
		return RECEIPT_ABSURD;
	if (!election_saw(e, m->term))
		return RECEIPT_ABSURD;
	if (m->term > e->run_term)
		election_renew(e, now, self, m->reason);
	assert(e->run_term == m->term);
	in.link = link == OUTSIDE ? OUTSIDE : e->view_of[link];
	if (in.link == OUTSIDE ||
	    e->sessions[in.link] != e->setup.links[link].session) {
		e->is_broken |= e->setup.is_ring || in.link != OUTSIDE;
		election_links_changed(e, now);
		return RECEIPT_OUTSIDE;
	}
	assert(m->kind < MESSAGE_KINDS_MAX);
	e->past->received[m->kind]++;
	election_step(e, now, &in);
	return RECEIPT_TAKEN;
}

/*
 * True if a link of a ring's view has changed since. It may lead to another
 * node now, which must get no message of this instance, or to none.
 */
static bool
election_has_lost(const struct election *e, unsigned link)
{
	assert(link < e->view.links_count);
	return e->setup.is_ring &&
	       e->sessions[link] != e->setup.links[e->link_at[link]].session;
}

bool
election_take(struct election *e, unsigned *link, struct message *m)
{
	const struct outgoing *o;

	for (;;) {
		if (e->taken == e->outbox.count)
			return false;
		o = &e->outbox.messages[e->taken++];
		assert(o->link < e->view.links_count);
		if (!election_has_lost(e, o->link))
			break;
		e->is_broken = true;
	}
	*link = e->link_at[o->link];
	assert(*link < e->setup.links_count);
	*m = o->message;
	m->link = e->setup.is_ring ? (uint8_t)*link : 0;
	m->term = e->run_term;
	m->reason = e->reason;
	e->past->sent[m->kind]++;
	return true;
}

bool
election_decision(struct election *e, struct rank *winner)
{
	if (!e->outbox.has_decided)
		return false;
	e->outbox.has_decided = false;
	*winner = e->outbox.winner;
	if (!e->setup.is_nominating)
		election_settle(e);
	return true;
}

void
election_settle(struct election *e)
{
	assert(e->run_term != 0 || !e->is_open);
	e->is_open = false;
	e->restarts = 0;
	e->bound_at = NSEC_NEVER;
	e->restart_at = NSEC_NEVER;
}

void
election_wait(struct election *e, nsec_t now)
{
	if (e->bound_at <= now)
		e->bound_at = nsec_after(now, e->setup.settle);
	if (e->restart_at <= now)
		e->restart_at = nsec_after(now, e->setup.settle);
}

static bool
election_is_decided(const struct election *e)
{
	return e->past->decided != 0;
}

/*
 * True if the instance has not decided, and its view has the peer at this link
 * eligible, or a contender, where it no longer is, or the reverse. Two nodes
 * that each take the other for the better one would wait for each other.
 */
static bool
election_misjudges(const struct election *e, unsigned link)
{
	const struct rank *had, *has = &e->setup.links[link].rank;

	if (election_is_decided(e) || e->view_of[link] == OUTSIDE)
		return false;
	assert(e->view_of[link] < e->view.links_count);
	had = &e->view_links[e->view_of[link]].rank;
	return had->is_eligible != has->is_eligible ||
	       had->is_contender != has->is_contender;
}

/*
 * True if the instance cannot end as it is: its view has no link, because a
 * message from outside the view began it; or a link changed for a moment and
 * lost a message; or the links or ranks of now are not those of the view.
 */
static bool
election_is_outdated(const struct election *e)
{
	if (e->view.links_count == 0 || e->is_broken)
		return true;
	for (unsigned i = 0; i < e->setup.links_count; i++) {
		unsigned link = e->view_of[i];
		uint32_t had = link == OUTSIDE ? 0 : e->sessions[link];
		uint32_t has =
		    election_sees(e, i) ? e->setup.links[i].session : 0;

		if (had != has || election_misjudges(e, i))
			return true;
	}
	return false;
}

void
election_links_changed(struct election *e, nsec_t now)
{
	if (!e->is_open || e->restart_at != NSEC_NEVER)
		return;
	e->restart_at = nsec_after(now, e->setup.settle);
}

void
election_rank_changed(struct election *e, nsec_t now, unsigned link)
{
	assert(link < e->setup.links_count);
	if (e->is_open && election_misjudges(e, link))
		election_links_changed(e, now);
}

void
election_node_lost(struct election *e, nsec_t now, node_id id)
{
	enum reason_kind kind = e->reason.kind;
	bool is_death = kind == REASON_DIED || kind == REASON_MISSED ||
			kind == REASON_REFUSED;

	assert(id != NODE_NONE);
	election_links_changed(e, now);
	if (e->is_open && !election_is_decided(e) && is_death &&
	    e->reason.node == id)
		e->restart_at = now;
}

/* Gives the instance its timer, if it is due. */
static bool
election_tick_timer(struct election *e, nsec_t now)
{
	struct input in = { .kind = INPUT_TIMER };

	if (now < e->timer_at)
		return false;
	e->timer_at = NSEC_NEVER;
	election_step(e, now, &in);
	return true;
}

bool
election_is_overdue(const struct election *e, nsec_t now)
{
	return now >= e->bound_at ||
	       (now >= e->restart_at && election_is_outdated(e));
}

bool
election_tick(struct election *e, nsec_t now, const struct rank *self)
{
	if (!election_is_overdue(e, now)) {
		if (now >= e->restart_at)
			e->restart_at = NSEC_NEVER;
		return election_tick_timer(e, now);
	}
	assert(e->is_open);
	e->restarts++;
	election_start(e, now, self, e->reason);
	return true;
}

nsec_t
election_deadline(const struct election *e)
{
	return nsec_earlier(
	    e->timer_at, nsec_earlier(e->bound_at, e->restart_at));
}

void
election_check(const struct election *e)
{
	assert(e->run_term <= e->term);
	assert(e->taken <= e->outbox.count);
	assert(e->is_open == (e->bound_at != NSEC_NEVER));
	assert(e->is_open || e->restart_at == NSEC_NEVER);
	outbox_check(&e->outbox);
	assert((e->past == NULL) == (e->run_term == 0));
	if (e->run_term == 0)
		return;
	assert(e->past->term == e->run_term);
	for (unsigned i = 0; i < e->view.links_count; i++) {
		assert(e->link_at[i] < e->setup.links_count);
		assert(e->view_of[e->link_at[i]] == i);
		assert(e->sessions[i] != 0);
	}
	e->setup.algorithm->check(e->state);
}
