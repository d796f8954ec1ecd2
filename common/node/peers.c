/* SPDX-License-Identifier: ISC */
/*
 * The peers as a table: in the order of their ids, in that of their ranks, and
 * which of them want something now. What an input costs is to depend on whom
 * it touches, not on how many there are: whatever changes what a peer is due,
 * or when, touches it, and only those touched are looked at. When each of the
 * others wants attention next is kept side by side.
 */
#include "common/node/node_inside.h"

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

	node->table.by_id = arena_carve(&m, n * sizeof(*node->table.by_id));
	node->table.by_rank = arena_carve(&m, n * sizeof(*node->table.by_rank));
	node->table.wake_at = arena_carve(&m, n * sizeof(*node->table.wake_at));
	for (unsigned i = 0; i < n; i++)
		node->table.by_id[i] =
		    (struct named){ node->peers[i].setup.id, i };
	peers_sort_by_id(node->table.by_id, n);
	for (unsigned i = 0; i < n; i++) {
		struct named *peer = &node->table.by_id[i];
		bool is_above = peer->id > node->setup.self;

		node->peers[peer->index].place = i + is_above;
		node->table.place += !is_above;
		node->table.by_rank[is_lowest ? i : n - 1 - i] = peer->index;
	}
	peers_sort_by_rank(node);
	node->turns.hello = node->live.watch_turn =
	    n == 0 ? 0 : node->table.place % n;
	peers_touch_all(node);
}

struct peer *
peers_find(struct node *node, node_id id)
{
	unsigned from = 0, to = node->peers_count;

	while (from < to) {
		unsigned middle = (from + to) / 2;
		const struct named *peer = &node->table.by_id[middle];

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

/*
 * Our part of what the whole cluster is to do an interval. A network, and hosts
 * that may be one, have the load of all; each does as much as that leaves.
 */
unsigned
peers_budget(const struct node *node, unsigned whole)
{
	unsigned part = whole / (node->peers_count + 1);
	unsigned max = peers_budget_max(node);

	if (part > max)
		return max;
	return part > 0 ? part : 1;
}

void
peers_touch(struct node *node, const struct peer *p)
{
	peer_set_add(&node->table.touched, p->index);
	node->table.wake_at[p->index] = NSEC_NEVER;
}

void
peers_touch_all(struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++)
		peers_touch(node, &node->peers[i]);
}

void
peers_schedule(struct node *node, struct peer *p)
{
	p->due.datagram |= p->has_session;
	peers_touch(node, p);
}

/*
 * Memory for messages has run out, as one to or from `p` found. Whose session
 * is to end? Theirs whose message leads to it, and not of any honest peer that
 * is to be told of it; unless another keeps more than twice as much, and than
 * all do who are told of everything at once: then who speaks now just came
 * late.
 */
struct peer *
peers_hoarder(struct node *node, struct peer *p)
{
	struct peer *speaker = node->speaker;
	struct peer *hoarder =
	    speaker != NULL && speaker->has_session ? speaker : p;
	size_t fair = blocks_count(node->blocks) / node->peers_count;
	size_t most = 2 * hoarder->channel.blocks_count;

	if (most < fair + fair / 2)
		most = fair + fair / 2;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *other = &node->peers[i];

		if (other->channel.blocks_count > most) {
			most = other->channel.blocks_count;
			hoarder = other;
		}
	}
	return hoarder;
}

/* Apart from messages whose time comes. */
bool
peers_is_due(const struct peer *p)
{
	return p->due.datagram || p->due.ping || p->due.byes > 0 ||
	       channel_owes_ack(&p->channel);
}
