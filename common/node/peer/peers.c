/* SPDX-License-Identifier: ISC */
/*
 * The peers as a table: in the order of their ids, in that of their ranks, and
 * the set of those that were touched. Whatever changes what a peer is due, or
 * when, touches that peer, so that an input costs as much as the peers that it
 * concerns (timers.c).
 *
 * Here are also the budgets that all nodes share (PROTOCOL.md, Probing,
 * Watching), and the choice of the session that ends when the pool of blocks is
 * empty (Message memory).
 */
#include "common/node/peer/peers.h"

#define BYE_COPIES 3 /* goodbyes: one may be lost */

/* By insertion: what is configured is mostly in order. */
static void
peers_sort_by_id(struct named *table, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		struct named peer = table[i];
		unsigned at = i;

		for (; at > 0 && peer.id < table[at - 1].id; at--)
			table[at] = table[at - 1];
		table[at] = peer;
	}
}

/* The best first. The table is in order of ids already, which mostly
 * decides. */
static void
peers_sort_by_rank(struct node *node)
{
	unsigned *table = node->table.by_rank;

	for (unsigned i = 1; i < node->peers_count; i++) {
		unsigned peer = table[i], at = i;

		for (; at > 0; at--) {
			if (!rank_better(&node->peers[peer].rank,
				&node->peers[table[at - 1]].rank,
				node->setup.prefer))
				break;
			table[at] = table[at - 1];
		}
		table[at] = peer;
	}
}

size_t
peers_size(unsigned peers_count)
{
	return arena_aligned(peers_count * sizeof(struct named)) +
	       arena_aligned(peers_count * sizeof(unsigned)) +
	       arena_aligned(peers_count * sizeof(nsec_t));
}

void
peers_init(struct node *node, void *memory)
{
	bool is_lowest = node->setup.prefer == PREFER_LOWEST;
	unsigned n = node->peers_count;
	uint8_t *m = memory;

	assert(n < NODES_MAX);
	node->table.by_id = arena_carve(&m, n * sizeof(*node->table.by_id));
	node->table.by_rank = arena_carve(&m, n * sizeof(*node->table.by_rank));
	node->table.wake_at = arena_carve(&m, n * sizeof(*node->table.wake_at));
	for (unsigned i = 0; i < n; i++)
		node->table.by_id[i] =
		    (struct named){ node->peers[i].setup.id, i };
	peers_sort_by_id(node->table.by_id, n);
	assert(node->table.place == 0);
	for (unsigned i = 0; i < n; i++) {
		struct named *peer = &node->table.by_id[i];
		bool is_above = peer->id > node->setup.self;

		assert(peer->id != node->setup.self);
		assert(i == 0 || peer[-1].id < peer->id);
		node->peers[peer->index].place = i + is_above;
		node->table.place += !is_above;
		node->table.by_rank[is_lowest ? i : n - 1 - i] = peer->index;
	}
	peers_sort_by_rank(node);
	assert(node->table.place <= n);
	peers_touch_all(node);
}

void
peers_change(struct node *node, void *memory)
{
	node->table.touched = (struct peer_set){ .used = 0 };
	node->table.turn = 0;
	node->table.place = 0;
	peers_init(node, memory);
}

struct peer *
peers_find(const struct node *node, node_id id)
{
	unsigned from = 0, to = node->peers_count;

	while (from < to) {
		unsigned middle = (from + to) / 2;
		const struct named *peer = &node->table.by_id[middle];

		assert(peer->index < node->peers_count);
		if (peer->id == id)
			return &node->peers[peer->index];
		if (peer->id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

unsigned
peers_budget_max(const struct node *node)
{
	unsigned max = node->setup.budget_max;

	return max > 0 ? max : NODE_BUDGET_MAX;
}

/* All nodes share one network, and perhaps one host, so the load of all
 * together is limited. */
unsigned
peers_budget(const struct node *node, unsigned whole)
{
	unsigned part = whole / (node->peers_count + 1);
	unsigned max = peers_budget_max(node);

	assert(whole > 0);
	assert(max > 0);
	if (part > max)
		return max;
	return part > 0 ? part : 1;
}

void
peers_touch(struct node *node, const struct peer *p)
{
	assert(p->index < node->peers_count);
	assert(p == &node->peers[p->index]);
	peer_set_add(&node->table.touched, p->index);
	node->table.wake_at[p->index] = NSEC_NEVER;
}

void
peers_touch_all(struct node *node)
{
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		peers_touch(node, p);
}

void
peers_schedule(struct node *node, struct peer *p)
{
	p->due.datagram |= p->has_session;
	peers_touch(node, p);
}

void
peers_schedule_all(struct node *node)
{
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		peers_schedule(node, p);
}

struct peer *
peers_by_rank(const struct node *node, unsigned place)
{
	assert(place < node->peers_count);
	return &node->peers[node->table.by_rank[place]];
}

unsigned
peers_rank_place(const struct node *node, const struct peer *p)
{
	unsigned place = 0;

	while (node->table.by_rank[place] != p->index) {
		place++;
		assert(place < node->peers_count);
	}
	return place;
}

unsigned
peers_own_place(const struct node *node)
{
	return node->table.place;
}

unsigned
peers_first_turn(const struct node *node)
{
	return node->peers_count == 0 ? 0
				      : node->table.place % node->peers_count;
}

struct peer *
peers_by_id(const struct node *node, unsigned place)
{
	assert(place < node->peers_count);
	return &node->peers[node->table.by_id[place].index];
}

void
peers_rotate(struct node *node, nsec_t now, unsigned *turn, unsigned budget,
    peers_visit *visit)
{
	assert(*turn < node->peers_count || node->peers_count == 0);
	for (unsigned i = 0; i < node->peers_count && budget > 0; i++) {
		unsigned peer = node->table.by_id[*turn].index;

		*turn = (*turn + 1) % node->peers_count;
		if (visit(node, now, &node->peers[peer]))
			budget--;
	}
}

unsigned
peers_next_touched(const struct node *node, unsigned from)
{
	return peer_set_next(&node->table.touched, from);
}

bool
peers_are_touched(const struct node *node)
{
	return peers_next_touched(node, 0) < NODES_MAX;
}

struct peer *
peers_take_turn(struct node *node, struct peer *first)
{
	unsigned i;

	if (node->table.turn == 0) {
		node->table.turn = 1;
		if (first != NULL &&
		    peer_set_has(&node->table.touched, first->index))
			return first;
	}
	i = peers_next_touched(node, node->table.turn - 1);
	if (first != NULL && i == first->index)
		i = peers_next_touched(node, i + 1);
	node->table.turn = i < NODES_MAX ? i + 2 : 0;
	return i < NODES_MAX ? &node->peers[i] : NULL;
}

void
peers_settle(struct node *node, const struct peer *p, nsec_t deadline)
{
	peer_set_remove(&node->table.touched, p->index);
	node->table.wake_at[p->index] = deadline;
	if (!peers_are_touched(node))
		node->table.turn = 0;
}

nsec_t
peers_settled_until(const struct node *node, const struct peer *p)
{
	return node->table.wake_at[p->index];
}

bool
peers_wants(const struct node *node, nsec_t now, const struct peer *p)
{
	return now >= node->table.wake_at[p->index] ||
	       peer_set_has(&node->table.touched, p->index);
}

uint32_t
peers_session_began(struct node *node)
{
	assert(node->table.sessions_now < node->peers_count);
	node->table.sessions_now++;
	return ++node->table.sessions_count;
}

void
peers_session_ended(struct node *node)
{
	assert(node->table.sessions_now > 0);
	node->table.sessions_now--;
}

unsigned
peers_sessions(const struct node *node)
{
	return node->table.sessions_now;
}

void
peers_ping(struct node *node, struct peer *p)
{
	assert(p->has_session);
	p->due.ping = true;
	peers_touch(node, p);
}

void
peers_answer(struct node *node, struct peer *p)
{
	assert(p->has_session);
	p->due.answer = true;
	peers_schedule(node, p);
}

void
peers_leave(struct node *node, struct peer *p)
{
	p->due.byes = p->has_session ? BYE_COPIES : 0;
	peers_touch(node, p);
}

void
peers_reset_due(struct peer *p)
{
	assert(!p->has_session);
	p->due = (struct peer_due){ .byes = 0 };
}

bool
peers_pings(const struct peer *p)
{
	return p->due.ping;
}

bool
peers_answers(const struct peer *p)
{
	return p->due.answer;
}

bool
peers_says_bye(const struct peer *p)
{
	return p->due.byes > 0;
}

void
peers_sent(struct peer *p)
{
	assert(p->has_session);
	p->due.datagram = false;
	p->due.ping = p->due.answer = false;
	if (p->due.byes > 0)
		p->due.byes--;
}

/*
 * The session of the peer whose message is being processed ends, for that
 * message causes the others: honest peers must not pay for it. But a peer that
 * holds more than twice as much as that one, and more than 1.5 equal shares, is
 * the one that does not empty its queue.
 */
struct peer *
peers_largest_user(struct node *node, struct peer *p)
{
	struct peer *speaker = node->input.speaker;
	struct peer *largest =
	    speaker != NULL && speaker->has_session ? speaker : p;
	size_t fair = blocks_count(node->blocks) / node->peers_count;
	size_t most = 2 * largest->channel.blocks_count;

	assert(node->peers_count > 0);
	assert(fair > 0);
	if (most < fair + fair / 2)
		most = fair + fair / 2;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *other = &node->peers[i];

		if (other->channel.blocks_count > most) {
			most = other->channel.blocks_count;
			largest = other;
		}
	}
	return largest;
}

void
peers_check(const struct node *node)
{
	unsigned sessions = 0;

	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		assert(p->index == i);
		assert(p->has_session || !p->due.datagram);
		assert(p->has_session || !p->due.ping);
		assert(p->due.datagram || !p->due.answer);
		assert(p->has_session || p->due.byes == 0);
		sessions += p->has_session;
	}
	assert(sessions == node->table.sessions_now);
}

bool
peers_is_due(const struct peer *p)
{
	return p->due.datagram || p->due.ping || p->due.byes > 0 ||
	       channel_owes_ack(&p->channel);
}
