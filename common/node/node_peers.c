/* SPDX-License-Identifier: ISC */
/*
 * The peers as a table: in the order of their ids, in that of their ranks, and
 * which of them want something now. What an input costs is to depend on whom
 * it touches, not on how many there are: whatever changes what a peer is due,
 * or when, touches it, and only those touched are looked at. When each of the
 * others wants attention next is kept side by side.
 */
#include "common/node/node_private.h"

/* By insertion: what is configured is in order as a rule, or nearly so. */
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

/* Likewise, the best first: by id already, which mostly decides. */
static void
peers_sort_by_rank(struct node *node)
{
	unsigned *table = node->by_rank;

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

	node->by_id = arena_carve(&m, n * sizeof(*node->by_id));
	node->by_rank = arena_carve(&m, n * sizeof(*node->by_rank));
	node->wake_at = arena_carve(&m, n * sizeof(*node->wake_at));
	for (unsigned i = 0; i < n; i++)
		node->by_id[i] = (struct named){ node->peers[i].setup.id, i };
	peers_sort_by_id(node->by_id, n);
	for (unsigned i = 0; i < n; i++) {
		struct named *peer = &node->by_id[i];
		bool is_above = peer->id > node->setup.self;

		node->peers[peer->index].place = i + is_above;
		node->place += !is_above;
		node->by_rank[is_lowest ? i : n - 1 - i] = peer->index;
	}
	peers_sort_by_rank(node);
	node->hello_turn = node->watch_turn = n == 0 ? 0 : node->place % n;
	node_touch_all(node);
}

struct peer *
node_find(struct node *node, node_id id)
{
	unsigned from = 0, to = node->peers_count;

	while (from < to) {
		unsigned middle = (from + to) / 2;
		const struct named *peer = &node->by_id[middle];

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
node_budget_max(const struct node *node)
{
	unsigned max = node->setup.budget_max;

	return max > 0 ? max : NODE_BUDGET_MAX;
}

/*
 * Our part of what the whole cluster is to do an interval. A network, and hosts
 * that may be one, have the load of all; each does as much as that leaves.
 */
unsigned
node_budget(const struct node *node, unsigned whole)
{
	unsigned part = whole / (node->peers_count + 1);
	unsigned max = node_budget_max(node);

	if (part > max)
		return max;
	return part > 0 ? part : 1;
}

void
peer_touch(struct node *node, const struct peer *p)
{
	peer_set_add(&node->touched, p->index);
	node->wake_at[p->index] = NSEC_NEVER;
}

void
node_touch_all(struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++)
		peer_touch(node, &node->peers[i]);
}

/* Nothing is due to it now. */
void
peer_settle(struct node *node, const struct peer *p)
{
	peer_set_remove(&node->touched, p->index);
	node->wake_at[p->index] = peer_deadline(node, p);
}

void
peer_tell(struct node *node, struct peer *p)
{
	p->datagram_due |= p->has_session;
	peer_touch(node, p);
}

nsec_t
peers_deadline(const struct node *node)
{
	nsec_t at = NSEC_NEVER;

	for (unsigned i = 0; i < node->peers_count; i++)
		at = nsec_earlier(at, node->wake_at[i]);
	for (unsigned i = peer_set_next(&node->touched, 0); i < NODES_MAX;
	     i = peer_set_next(&node->touched, i + 1))
		at = nsec_earlier(at, peer_deadline(node, &node->peers[i]));
	return at;
}

void
peers_check(const struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if (peer_set_has(&node->touched, i))
			continue;
		assert(node->wake_at[i] == peer_deadline(node, p));
		assert(!p->has_session || !peer_is_due(p));
		assert(p->has_session || !p->hello_due);
	}
}
