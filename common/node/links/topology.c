/* SPDX-License-Identifier: ISC */
/*
 * The links of the election's graph (PROTOCOL.md, Instances), made of the peers
 * that are up: in a ring the two sides (ring.c), else each neighbour. Also
 * which peers this node seeks a session with (Handshake).
 */
#include "common/node/links/topology.h"

#include "common/node/config/configs.h"
#include "common/node/config/outside.h"
#include "common/node/context.h"
#include "common/node/links/ring.h"
#include "common/node/links/tree.h"

unsigned
topology_links(const struct node_setup *setup)
{
	return setup->topology == TOPOLOGY_RING ? RING_LINKS
						: setup->peers_count;
}

size_t
topology_size(const struct node_setup *setup)
{
	return arena_aligned(topology_links(setup) * sizeof(struct link)) +
	       tree_size(setup) +
	       arena_aligned(setup->ring.right_count * sizeof(unsigned)) +
	       arena_aligned(setup->ring.left_count * sizeof(unsigned));
}

/* Makes the links; a tree begins in this epoch. */
static void
topology_make(struct node *node, const struct node_setup *setup, uint64_t epoch,
    void *memory, nsec_t now)
{
	uint8_t *m = memory;

	node->topology = (struct topology_links){ .links_count = 0 };
	node->topology.links_count = topology_links(setup);
	node->topology.links = arena_carve(
	    &m, node->topology.links_count * sizeof(*node->topology.links));
	tree_init(node, epoch, arena_carve(&m, tree_size(setup)));
	if (node_is_ring(node))
		ring_init(node, setup, m, now);
}

void
topology_init(
    struct node *node, const struct node_setup *setup, void *memory, nsec_t now)
{
	topology_make(node, setup, 0, memory, now);
}

void
topology_change(
    struct node *node, const struct node_setup *setup, void *memory, nsec_t now)
{
	topology_make(node, setup, tree_next_epoch(node), memory, now);
}

void
topology_show(const struct node *node, struct election_setup *setup)
{
	setup->links = node->topology.links;
	setup->links_count = node->topology.links_count;
}

/* Shows the election the rank at this link. */
static void
link_rank(struct node *node, nsec_t now, unsigned link, const struct rank *rank)
{
	assert(link < node->topology.links_count);
	node->topology.links[link].rank = *rank;
	election_rank_changed(&node->election, now, link);
}

void
topology_update(struct node *node, nsec_t now, const struct peer *p)
{
	bool is_link =
	    p->link.is_up && !p->setup.is_remote && configs_agree(node, p);
	uint32_t session = is_link ? p->link.session_name : 0;
	struct link *link;

	assert(p == &node->peers[p->index]);
	configs_look(node, now);
	outside_look(node, now);
	if (node_is_ring(node)) {
		ring_update(node, now);
		return;
	}
	link = &node->topology.links[p->index];
	link_rank(node, now, p->index, &p->rank);
	if (node_is_tree(node)) {
		tree_update(node, now, p, is_link);
		return;
	}
	if (link->session == session)
		return;
	link->session = session;
	/* Under quorum the parts of a graph may each have nominated a node, and
	 * would outbid each other if all began again at once. */
	if (is_link ||
	    (node_is_quorum(node) && node->setup.topology != TOPOLOGY_FULL))
		election_links_changed(&node->election, now);
	else
		election_node_lost(&node->election, now, p->setup.id);
}

void
topology_set_rank(struct node *node, nsec_t now, const struct peer *p)
{
	assert(p == &node->peers[p->index]);
	if (!node_is_ring(node)) {
		link_rank(node, now, p->index, &p->rank);
		return;
	}
	for (unsigned side = 0; side < RING_LINKS; side++) {
		if (node->topology.links[side].session == p->link.session_name)
			link_rank(node, now, side, &p->rank);
	}
}

struct peer *
topology_peer(struct node *node, unsigned link)
{
	assert(link < node->topology.links_count);
	return node_is_ring(node) ? ring_peer(node, link) : &node->peers[link];
}

unsigned
topology_find(struct node *node, const struct peer *p, unsigned sent_on)
{
	unsigned link = p->index;

	assert(p->index < node->peers_count);
	if (node_is_ring(node))
		link = sent_on == RING_RIGHT ? RING_LEFT : RING_RIGHT;
	return topology_peer(node, link) == p ? link : LINK_NONE;
}

bool
topology_keeps(const struct node *node, const struct peer *p)
{
	assert(p == &node->peers[p->index]);
	/* Vote requests or responses pass between us. */
	if (node_is_quorum(node) &&
	    (role_votes(node->setup.role) || role_votes(p->setup.role)))
		return true;
	if (node_is_ring(node))
		return ring_keeps(node, p);
	return !p->setup.is_remote;
}

bool
topology_takes_part(const struct node *node)
{
	assert(node->topology.links_count > 0 || node->peers_count == 0);
	if (!node_is_ring(node))
		return true;
	return ring_is_whole(node) || ring_is_alone(node);
}

bool
topology_is_ready(const struct node *node)
{
	return topology_takes_part(node) && !tree_is_forming(node);
}

void
topology_reset(struct node *node, struct peer *p)
{
	ring_reset(p);
	tree_reset(node, p);
}

bool
topology_hears_all(const struct node *node)
{
	if (node_is_ring(node))
		return ring_is_closed(node);
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (!p->link.is_up && !p->setup.is_remote)
			return false;
	}
	return true;
}

/* Each node hands a beacon on with its own next heartbeat. */
unsigned
topology_hops(const struct node *node, const struct peer *p)
{
	bool is_near = p != NULL && p->link.is_up;

	if (node->setup.topology == TOPOLOGY_FULL || is_near)
		return 1;
	return node->peers_count;
}

/* A peer that has come up a moment ago may not have told us yet whom it
 * takes. */
bool
topology_is_distant(const struct node *node, nsec_t now, const struct peer *p)
{
	assert(node_is_ring(node));
	return p->link.is_up &&
	       nsec_since(now, p->link.changed) >= node_detection(node) &&
	       !ring_is_taken_by(p) && !topology_keeps(node, p);
}
