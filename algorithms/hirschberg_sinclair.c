/* SPDX-License-Identifier: ISC */
/*
 * The algorithm of D. S. Hirschberg and J. B. Sinclair, "Decentralized
 * extrema-finding in circular configurations of processors", Communications
 * of the ACM 23(11), 1980; in the form that lectures give it, with the three
 * primitives sendLR, pass and respond. The exact rules, and the lines that the
 * comments below number, are in algorithms/README.md, "hirschberg-sinclair".
 *
 * Model: ring, both ways; reliable FIFO links.
 *
 * Messages
 *   PROBE(rank, phase k, distance d)  both ways, as far as 2^k links
 *   REPLY(rank, phase k, distance d)  back from the node where PROBE ended
 *   LEADER(rank)                      from the winner, round to the right
 *
 *   ASLEEP --start, or join and PROBE: PROBE both ways, k = 0--> PROBING
 *   ASLEEP --PROBE, but only starters may win--> RELAYING
 *   PROBING --REPLY from both sides: PROBE both ways, k + 1--> PROBING
 *   PROBING --its own PROBE has come round: LEADER--> DECIDED
 *   any --LEADER--> DECIDED
 *
 * The nodes that survive phase k are more than 2^k links apart, so an election
 * takes at most 8n(1 + ceil(log2 n)) messages, and n LEADER. Sorted ring, all
 * start, n >= 2: exactly 5n + 4 * 2^ceil(log2 n) - 8, and n LEADER.
 *
 * Departures
 *   REPLY counts its links as PROBE does. So a REPLY that no node waits for
 *   dies out and does not go round for ever.
 *   A node that has decided begins no further phase, but goes on relaying. The
 *   winner ignores the second of its PROBEs that comes round.
 *   A node that swallows a PROBE begins with phase 0, not with the one after
 *   that of the PROBE, as in the lecture of the three primitives.
 */
#include "algorithms/registry.h"

/* 2^31 links are farther than a ring of NODE_ID_MAX nodes is long. */
#define HS_PHASE_MAX 31

enum hs_kind {
	HS_PROBE,
	HS_REPLY,
	HS_LEADER,
};

enum hs_phase {
	HS_ASLEEP,
	HS_PROBING,
	HS_RELAYING,
	HS_DECIDED,
};

struct hs {
	const struct view *view;
	enum hs_phase phase;
	uint32_t k;                 /* PROBING: PROBEs go 2^k links */
	bool has_probed;            /* was PROBING before */
	bool has_reply[RING_LINKS]; /* PROBING: REPLY of phase k, by link */
	struct rank winner;         /* DECIDED: the leader */
};

static size_t
hs_size(const struct view *view)
{
	(void)view;
	return sizeof(struct hs);
}

static void
hs_init(void *state, const struct view *view)
{
	struct hs *h = state;

	assert(view->self.id != NODE_NONE);
	assert(view->links_count == 0 || view->links_count == RING_LINKS);
	h->view = view;
	h->phase = HS_ASLEEP;
	h->k = 0;
	h->has_probed = false;
}

static void
hs_become(struct hs *h, enum hs_phase phase)
{
	assert(h->phase != HS_DECIDED);
	assert(phase == HS_DECIDED || h->phase == HS_ASLEEP);
	h->phase = phase;
}

/* True if this node can win: always with join, else if it has started. */
static bool
hs_competes(const struct hs *h)
{
	return h->has_probed || !h->view->choices->starters_only;
}

/* True if this node can win and is better than the message's rank: then it
 * swallows the message. */
static bool
hs_outdoes(const struct hs *h, const struct message *m)
{
	return hs_competes(h) &&
	       rank_better(&h->view->self, &m->rank, h->view->prefer);
}

/* The number of links that a PROBE of phase k goes, and its REPLY goes back. */
static uint32_t
hs_reach(uint32_t k)
{
	return (uint32_t)1 << k;
}

/* True if the message has gone as far as its phase lets it. */
static bool
hs_has_arrived(const struct message *m)
{
	return m->distance >= hs_reach(m->phase);
}

/* sendLR: this node's PROBE to both neighbours. */
static void
hs_send_both(const struct hs *h, struct outbox *out)
{
	struct message m = {
		.kind = HS_PROBE,
		.rank = h->view->self,
		.phase = h->k,
		.distance = 1,
	};

	outbox_send(out, RING_LEFT, &m);
	outbox_send(out, RING_RIGHT, &m);
}

/* pass: one link farther in the same direction. */
static void
hs_pass(unsigned link, const struct message *m, struct outbox *out)
{
	struct message passed = {
		.kind = m->kind,
		.rank = m->rank,
		.phase = m->phase,
		.distance = m->distance + 1,
	};

	outbox_send(out, link == RING_LEFT ? RING_RIGHT : RING_LEFT, &passed);
}

/* respond: a REPLY to the side that the PROBE came from. */
static void
hs_respond(unsigned link, const struct message *m, struct outbox *out)
{
	struct message reply = {
		.kind = HS_REPLY,
		.rank = m->rank,
		.phase = m->phase,
		.distance = 1,
	};

	outbox_send(out, link, &reply);
}

static void
hs_decide(struct hs *h, const struct rank *winner, struct outbox *out)
{
	struct message m = { .kind = HS_LEADER, .rank = *winner };

	h->winner = *winner;
	hs_become(h, HS_DECIDED);
	outbox_decide(out, winner);
	if (h->view->links_count > 0)
		outbox_send(out, RING_RIGHT, &m);
}

/* Lines 1 to 4. A node that is alone wins at once. */
static void
hs_start(struct hs *h, struct outbox *out)
{
	if (h->phase != HS_ASLEEP)
		return;
	if (h->view->links_count == 0) {
		hs_decide(h, &h->view->self, out);
		return;
	}
	hs_become(h, HS_PROBING);
	h->has_probed = true;
	hs_send_both(h, out);
}

static void
hs_wake(struct hs *h, struct outbox *out)
{
	if (h->phase != HS_ASLEEP)
		return;
	if (h->view->choices->starters_only)
		hs_become(h, HS_RELAYING);
	else
		hs_start(h, out);
}

/* Line 6: our own PROBE has come round. We announce at the first of the two. */
static void
hs_on_own_probe(struct hs *h, const struct message *m, struct outbox *out)
{
	if (h->phase == HS_PROBING && m->phase == h->k)
		hs_decide(h, &h->view->self, out);
}

/* Lines 5 to 10: swallow the PROBE, pass it on, or answer it where it ends. */
static void
hs_on_probe(
    struct hs *h, unsigned link, const struct message *m, struct outbox *out)
{
	if (m->rank.id == h->view->self.id) {
		hs_on_own_probe(h, m, out);
		return;
	}
	hs_wake(h, out);
	if (hs_outdoes(h, m))
		return;
	if (hs_has_arrived(m))
		hs_respond(link, m, out);
	else
		hs_pass(link, m, out);
}

/* Lines 14 and 15: with both REPLYs this node is the best of its 2^k
 * neighbours on either side, and asks twice as far. */
static void
hs_on_own_reply(
    struct hs *h, unsigned link, const struct message *m, struct outbox *out)
{
	if (h->phase != HS_PROBING || m->phase != h->k || !hs_has_arrived(m))
		return;
	h->has_reply[link] = true;
	if (!h->has_reply[RING_RIGHT] || !h->has_reply[RING_LEFT])
		return;
	h->has_reply[RING_RIGHT] = false;
	h->has_reply[RING_LEFT] = false;
	if (h->k == HS_PHASE_MAX)
		return; /* no ring is that long: the REPLYs are forged */
	h->k++;
	hs_send_both(h, out);
}

/* Lines 11 to 13: a REPLY is for this node, or goes on. */
static void
hs_on_reply(
    struct hs *h, unsigned link, const struct message *m, struct outbox *out)
{
	if (m->rank.id == h->view->self.id)
		hs_on_own_reply(h, link, m, out);
	else if (!hs_has_arrived(m))
		hs_pass(link, m, out);
}

/* LEADER goes round to the right, so it comes from the left. The winner has
 * decided and swallows it. */
static void
hs_on_leader(
    struct hs *h, unsigned link, const struct message *m, struct outbox *out)
{
	if (h->phase == HS_DECIDED || link != RING_LEFT)
		return;
	if (m->rank.id == h->view->self.id || hs_outdoes(h, m))
		return;
	hs_decide(h, &m->rank, out);
}

/* False if no honest node can have sent the message. */
static bool
hs_makes_sense(const struct hs *h, const struct message *m)
{
	const struct rank *self = &h->view->self;

	if (m->rank.id == NODE_NONE)
		return false;
	if (m->rank.id == self->id && !rank_equal(&m->rank, self))
		return false;
	if (m->kind == HS_LEADER)
		return true;
	return m->phase <= HS_PHASE_MAX && m->distance >= 1 &&
	       m->distance <= hs_reach(m->phase);
}

static void
hs_on_message(
    struct hs *h, unsigned link, const struct message *m, struct outbox *out)
{
	if (!hs_makes_sense(h, m))
		return;
	switch (m->kind) {
	case HS_PROBE:
		hs_on_probe(h, link, m, out);
		break;
	case HS_REPLY:
		hs_on_reply(h, link, m, out);
		break;
	case HS_LEADER:
		hs_on_leader(h, link, m, out);
		break;
	}
}

static void
hs_step(void *state, const struct input *in, struct outbox *out)
{
	struct hs *h = state;

	switch (in->kind) {
	case INPUT_START:
		hs_start(h, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < h->view->links_count);
		hs_on_message(h, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		break; /* never armed */
	}
}

static const char *
hs_phase(const void *state)
{
	static const char *const names[] = {
		[HS_ASLEEP] = "asleep",
		[HS_PROBING] = "probing",
		[HS_RELAYING] = "relaying",
		[HS_DECIDED] = "decided",
	};
	const struct hs *h = state;

	return names[h->phase];
}

static void
hs_check(const void *state)
{
	const struct hs *h = state;
	const struct rank *self = &h->view->self;

	assert(h->phase <= HS_DECIDED);
	assert(h->k <= HS_PHASE_MAX);
	/* With both REPLYs the next phase has begun. */
	assert(!h->has_reply[RING_RIGHT] || !h->has_reply[RING_LEFT]);
	if (!h->has_probed) {
		assert(h->k == 0);
		assert(!h->has_reply[RING_RIGHT]);
		assert(!h->has_reply[RING_LEFT]);
	}
	if (h->phase == HS_RELAYING)
		assert(h->view->choices->starters_only);
	if (h->phase != HS_DECIDED) {
		assert(h->has_probed == (h->phase == HS_PROBING));
		return;
	}
	assert(h->winner.id != NODE_NONE);
	/* A node that can win never accepts a worse leader. */
	if (hs_competes(h))
		assert(!rank_better(self, &h->winner, h->view->prefer));
}

const struct algorithm algorithm_hirschberg_sinclair = {
	.name = "hirschberg-sinclair",
	.summary = "ring, both ways, doubling reach: O(n log n) (Hirschberg and Sinclair 1980)",
	.topology = TOPOLOGY_RING,
	.kinds = {
		[HS_PROBE] = "PROBE",
		[HS_REPLY] = "REPLY",
		[HS_LEADER] = "LEADER",
	},
	.choices = CHOICE_JOIN,
	.size = hs_size,
	.init = hs_init,
	.step = hs_step,
	.phase = hs_phase,
	.check = hs_check,
};
