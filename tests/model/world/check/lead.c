/* SPDX-License-Identifier: ISC */
/*
 * The leaders of a world, and the promises about them (PROTOCOL.md,
 * Invariants). Under the guarantee "quorum", for ever:
 *   I1  a term has one leader, one process of it;
 *   I2  at no instant do two processes say that they lead, each by its own
 *       clock, also while they are paused;
 *   I3  a later leader leads in a higher term;
 *   I4  when a process begins to lead, no deadline that another handed out lies
 *       ahead; and a leader that handed one out leads until then, if it lives;
 *   I5  what clients are told, see process/questions.c;
 *   I6  an unbroken lead has one token, the term in which it began.
 * A process whose machine was frozen, with its clocks, breaks the assumptions
 * (A3): for one lease of its own clock it may believe that it leads, or begin
 * to lead by earlier requests. Of these promises, I1 holds for it too, unless
 * a voter has lost its disk.
 *
 * A lead may end by time alone, but begins with a step: so it is enough to look
 * at the others when one begins.
 */
#include "tests/model/world/check/check.h"

#include <inttypes.h>
#include <stdlib.h>

static bool
is_quorum(const struct world *w)
{
	return w->setup.guarantee == GUARANTEE_QUORUM;
}

static bool
is_same(const struct accession *a, const struct accession *b)
{
	return a->term == b->term && a->owner.id == b->owner.id &&
	       a->owner.incarnation == b->owner.incarnation;
}

/* A voter that has forgotten what it granted votes again once that supports
 * nothing any more: by clocks that go on. */
static bool
is_beyond_promises(const struct world *w, const struct process *p)
{
	return w->has_forgotten && lead_is_excused(w, p);
}

static void
remember(struct world *w, const struct accession *reign)
{
	if (w->leaders.count == w->leaders.capacity) {
		w->leaders.capacity = 2 * w->leaders.capacity + 16;
		w->leaders.reigns = realloc(w->leaders.reigns,
		    w->leaders.capacity * sizeof(*w->leaders.reigns));
		assert(w->leaders.reigns != NULL);
	}
	w->leaders.reigns[w->leaders.count++] = *reign;
}

/* Checks I1 and I3. The search goes backwards, as the latest term is nearly
 * always at the end. */
static void
check_term(
    struct world *w, const struct process *p, const struct accession *reign)
{
	for (size_t i = w->leaders.count; i-- > 0;) {
		const struct accession *other = &w->leaders.reigns[i];

		if (other->term < reign->term && !lead_is_excused(w, p))
			return;
		if (other->term == reign->term &&
		    !(is_same(other, reign) && lead_is_excused(w, p)) &&
		    !is_beyond_promises(w, p))
			world_fail(w,
			    "I1: term %" PRIu64 " had leader %" PRIu32
			    " (incarnation %" PRIu64 "), now %" PRIu32
			    " (%" PRIu64 ")",
			    reign->term, other->owner.id,
			    other->owner.incarnation, reign->owner.id,
			    reign->owner.incarnation);
		if (other->term > reign->term && !lead_is_excused(w, p))
			world_fail(w,
			    "I3: %" PRIu32 " leads in term %" PRIu64
			    ", after %" PRIu32 " in term %" PRIu64,
			    reign->owner.id, reign->term, other->owner.id,
			    other->term);
	}
}

/* Checks I6 for a lead that begins, or goes on in a later term. In one step a
 * lead may do both. */
static void
check_token(
    struct world *w, const struct process *p, const struct accession *reign)
{
	bool goes_on = p->lead.leads && !p->lead.left;
	uint64_t past = 0;

	if (w->leaders.count > 0 && !lead_is_excused(w, p))
		past = w->leaders.reigns[w->leaders.count - 1].term;
	if (goes_on ? reign->token != p->lead.reign.token
		    : reign->token <= past || reign->token > reign->term)
		world_fail(w,
		    "I6: %" PRIu32 " leads in term %" PRIu64
		    " with token %" PRIu64,
		    p->id, reign->term, reign->token);
}

/* Checks I2: no other process leads at this moment. */
static void
check_alone(struct world *w, process_name name)
{
	for (process_name other = 1; other <= WORLD_COPY; other++) {
		struct process *q = &w->processes[other];
		struct node_status s;

		if (other == name || !(w->leaders.leading >> other & 1))
			continue;
		s = world_status(w, other);
		q->lead.leads = s.state == STATE_LEADER;
		if (!q->lead.leads)
			w->leaders.leading &= ~(1u << other);
		else if (!lead_is_excused(w, q) &&
			 !lead_is_excused(w, &w->processes[name]))
			world_fail(w,
			    "I2: %u leads in term %" PRIu64
			    ", and %u in term %" PRIu64,
			    other, s.term, name,
			    w->processes[name].lead.reign.term);
	}
}

/* Checks I4: no client may still rely on a deadline of another process, even of
 * a dead one. */
static void
check_deadlines(struct world *w, process_name name)
{
	for (process_name other = 1; other <= WORLD_COPY; other++) {
		const struct process *q = &w->processes[other];
		nsec_t ahead = nsec_since(
		    q->deadlines.handed, clock_local(&q->clock, w->now));
		bool is_self = other == name && q->deadlines.life == q->lives;

		if (ahead > 0 && !is_self && !lead_is_excused(w, q) &&
		    !lead_is_excused(w, &w->processes[name]))
			world_fail(w,
			    "I4: %u leads, and a client of %u relies on that "
			    "one for %" PRIu64 " us yet",
			    name, other, ahead / USEC);
	}
}

/* True if this voter's disk holds the promise for this leadership, or a later
 * one. A lost state counts as well, as it may have held the promise. */
static bool
is_written(const struct process *p, const struct accession *reign)
{
	const struct promise *promise = &p->disk.durable.promise;
	const struct accession promised = { .term = promise->term,
		.owner = promise->owner };

	return p->disk.is_lost || promise->term > reign->term ||
	       is_same(&promised, reign);
}

/* Fails unless a majority of the voters, by the configuration of the process
 * that leads, would still know the promise if all crashed now. The second
 * process of an id may be the one that promised. */
static void
check_disks(struct world *w, const struct process *leader,
    const struct accession *reign)
{
	const struct process *copy = &w->processes[WORLD_COPY];
	unsigned voters = 0, written = 0;

	for (node_id id = 1; id <= w->setup.nodes; id++) {
		const struct process *p = &w->processes[id];

		if (world_role(w, leader, id) == ROLE_OBSERVER)
			continue;
		voters++;
		written += is_written(p, reign) ||
			   (copy->id == id && is_written(copy, reign));
	}
	if (written < voters / 2 + 1)
		world_fail(w,
		    "I1: %" PRIu32 " leads in term %" PRIu64
		    ", which %u of %u voters have on their disks",
		    reign->owner.id, reign->term, written, voters);
}

static void
accede(struct world *w, process_name name, const struct accession *reign)
{
	struct process *p = &w->processes[name];

	if (is_quorum(w))
		check_token(w, p, reign);
	if (!p->lead.leads && p->order.standby.is_on &&
	    p->order.standby.left == NSEC_NEVER)
		world_fail(w, "%u begins to lead, and is on standby", name);
	p->lead.reign = *reign;
	p->lead.leads = true;
	p->lead.left = false;
	p->lead.is_counted = false;
	p->lead.longest = 0;
	w->leaders.leading |= 1u << name;
	w->leaders.uncounted |= 1u << name;
	if (!is_quorum(w))
		return;
	check_term(w, p, reign);
	check_disks(w, p, reign);
	if (!is_beyond_promises(w, p))
		remember(w, reign);
	check_alone(w, name);
	check_deadlines(w, name);
}

/* True if an outside reason ended its lead. Even then nobody else leads before
 * its deadline. */
static bool
is_hindered(const struct node_status *s)
{
	enum reason_kind kind = s->reason.kind;

	return s->leader == NODE_NONE &&
	       (kind == REASON_STALLED || kind == REASON_DUPLICATE ||
		   kind == REASON_REFUTED || kind == REASON_STATE_FILE ||
		   kind == REASON_CARRIER);
}

/* A leader that handed out a deadline must lead until then. */
static void
check_word(struct world *w, process_name name, const struct node_status *s)
{
	struct process *p = &w->processes[name];
	nsec_t ahead;

	if (is_hindered(s) || p->deadlines.life != p->lives)
		p->deadlines.bound = 0;
	ahead =
	    nsec_since(nsec_earlier(p->deadlines.bound, p->deadlines.handed),
		clock_local(&p->clock, w->now));
	if (ahead == 0 || lead_is_excused(w, p))
		return;
	world_fail(w,
	    "I4: %u leads no more, and promised to for %" PRIu64 " us yet",
	    name, ahead / USEC);
}

/* True if a node was frozen: other nodes pass on what it said of its lease. */
static bool
anyone_was_frozen(const struct world *w)
{
	for (process_name name = 1; name <= WORLD_COPY; name++) {
		if (w->processes[name].lead.excused_until > 0)
			return true;
	}
	return false;
}

/* Fails if a node takes another token for that of its leader. */
static void
check_told_token(
    struct world *w, process_name name, const struct node_status *s)
{
	const struct process *q = &w->processes[s->leader];

	if (s->token != 0 && q->lead.leads && q->lead.reign.term == s->term &&
	    q->lead.reign.token != s->token)
		world_fail(w,
		    "I6: %u takes token %" PRIu64 " for that of %" PRIu32
		    ", which is %" PRIu64,
		    name, s->token, s->leader, q->lead.reign.token);
}

/* Fails if a follower believes in its leader for longer than the leader itself
 * ever did. */
static void
check_belief(struct world *w, process_name name, const struct node_status *s)
{
	const struct process *q = &w->processes[s->leader];
	nsec_t believed, end;

	if (s->until == 0 || !q->lead.leads || q->lead.reign.term != s->term ||
	    anyone_was_frozen(w))
		return;
	believed = clock_world(&w->processes[name].clock, s->until);
	end = clock_world(&q->clock, q->lead.longest) + USEC;
	if (believed > end)
		world_fail(w,
		    "I2: %u takes %" PRIu32 " as leader for %" PRIu64
		    " us beyond its lease",
		    name, s->leader, (believed - end) / USEC);
}

void
lead_look(struct world *w, process_name name, const struct node_status *s)
{
	struct process *p = &w->processes[name];
	bool leads = s->state == STATE_LEADER;
	const struct accession reign = {
		.term = s->term,
		.token = s->token,
		.owner = { .id = p->id, .incarnation = s->incarnation },
	};

	if (leads && !(p->lead.leads && is_same(&p->lead.reign, &reign)))
		accede(w, name, &reign);
	p->lead.leads = leads;
	if (leads && s->until > p->lead.longest)
		p->lead.longest = s->until;
	if (!leads) {
		w->leaders.leading &= ~(1u << name);
		w->leaders.uncounted &= ~(1u << name);
	}
	if (!is_quorum(w))
		return;
	if (!leads)
		check_word(w, name, s);
	if (s->state == STATE_FOLLOWER) {
		check_told_token(w, name, s);
		check_belief(w, name, s);
	}
}

void
lead_end(struct world *w, process_name name)
{
	w->processes[name].lead.leads = false;
	w->leaders.leading &= ~(1u << name);
	w->leaders.uncounted &= ~(1u << name);
	w->changes.count++;
}

/* True if all of its component, and not only the process itself, have it as
 * leader. */
static bool
is_taken(const struct world *w, const struct process *p)
{
	unsigned component = world_component(w, p->host);

	if (component == 1u << p->host && w->setup.nodes > 1)
		return false;
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		const struct seen *s;

		if (!(component >> id & 1))
			continue;
		s = &w->processes[world_voice(w, id)].observed.seen;
		if (s->leader != p->id || s->term != p->lead.reign.term)
			return false;
	}
	return component != 0;
}

void
lead_count(struct world *w)
{
	w->changes.counted = w->changes.count;
	for (process_name name = 1; name <= WORLD_COPY; name++) {
		struct process *p = &w->processes[name];

		if (!(w->leaders.uncounted >> name & 1) || p->paused ||
		    world_voice(w, p->host) != name || !is_taken(w, p))
			continue;
		p->lead.is_counted = true;
		w->leaders.uncounted &= ~(1u << name);
		w->counters.elections++;
	}
}
