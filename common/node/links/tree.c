/* SPDX-License-Identifier: ISC */
/*
 * A node of a tree: which of its links are edges of the virtual tree
 * (PROTOCOL.md, Virtual tree), which common/link/vtree.h finds. The election
 * sees these links, and none while the tree is forming.
 */
#include "common/node/links/tree.h"

#include "common/node/context.h"
#include "common/node/peer/peers.h"

size_t
tree_size(const struct node_setup *setup)
{
	return setup->topology == TOPOLOGY_TREE
		   ? arena_aligned(
			 setup->peers_count * sizeof(struct vtree_end))
		   : 0;
}

void
tree_init(struct node *node, uint64_t epoch, void *memory)
{
	vtree_init(&node->topology.tree, node->setup.self, epoch, memory,
	    node_is_tree(node) ? node->peers_count : 0);
}

uint64_t
tree_next_epoch(const struct node *node)
{
	return vtree_next_epoch(&node->topology.tree);
}

/* True if we tell this peer of our place in the tree, and hear of its own. */
static bool
tree_reaches(const struct node *node, const struct peer *p)
{
	assert(node_is_tree(node));
	return p->has_session && !p->setup.is_remote;
}

/* Tells each neighbour what has changed for it. */
static void
tree_say(struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (tree_reaches(node, p) &&
		    vtree_has_news(&node->topology.tree, i))
			peers_schedule(node, p);
	}
}

/* Shows the election the edges of the tree; none of them while it is forming,
 * so that no election ends in a part of it. */
static void
tree_show(struct node *node, nsec_t now)
{
	const struct vtree *v = &node->topology.tree;
	bool is_settled = vtree_is_settled(v);

	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];
		struct link *link = &node->topology.links[i];
		bool is_edge = is_settled && vtree_has_edge(v, i);
		uint32_t session = is_edge ? p->link.session_name : 0;

		if (link->session == session)
			continue;
		link->session = session;
		/* Under quorum the parts of a tree may each have nominated a
		 * node, and would outbid each other if all began again at
		 * once. */
		if (p->link.is_up || node_is_quorum(node))
			election_links_changed(&node->election, now);
		else
			election_node_lost(&node->election, now, p->setup.id);
	}
}

void
tree_update(struct node *node, nsec_t now, const struct peer *p, bool is_link)
{
	assert(node_is_tree(node));
	assert(!is_link || p->has_session);
	vtree_set_link(&node->topology.tree, p->index, is_link);
	tree_say(node);
	tree_show(node, now);
}

void
tree_hear(struct node *node, nsec_t now, const struct peer *p, uint64_t number,
    const struct tree_word *word)
{
	if (!node_is_tree(node) || !tree_reaches(node, p))
		return;
	if (!vtree_hear(&node->topology.tree, p->index, number, word))
		return;
	tree_say(node);
	tree_show(node, now);
}

void
tree_reset(struct node *node, const struct peer *p)
{
	if (node_is_tree(node))
		vtree_forget(&node->topology.tree, p->index);
}

bool
tree_word_of(
    const struct node *node, const struct peer *p, struct tree_word *word)
{
	if (!node_is_tree(node) || !tree_reaches(node, p))
		return false;
	*word = vtree_word(&node->topology.tree, p->index);
	return true;
}

bool
tree_is_forming(const struct node *node)
{
	return node_is_tree(node) && !vtree_is_settled(&node->topology.tree);
}

struct tree_place
tree_place(const struct node *node)
{
	const struct vtree *v = &node->topology.tree;

	if (!node_is_tree(node))
		return (struct tree_place){ .has_tree = false };
	return (struct tree_place){
		.has_tree = true,
		.is_forming = !vtree_is_settled(v),
		.root = v->label.root,
		.level = v->label.level,
		.parent = v->parent == VTREE_NONE
			      ? NODE_NONE
			      : node->peers[v->parent].setup.id,
	};
}

enum tree_side
tree_side_of(const struct node *node, const struct peer *p)
{
	const struct vtree *v = &node->topology.tree;

	if (!node_is_tree(node) || !vtree_has_edge(v, p->index))
		return TREE_SIDE_NONE;
	return p->index == v->parent ? TREE_SIDE_PARENT : TREE_SIDE_CHILD;
}

const char *
tree_side_name(enum tree_side side)
{
	static const char *const names[] = {
		[TREE_SIDE_NONE] = NULL,
		[TREE_SIDE_PARENT] = "parent",
		[TREE_SIDE_CHILD] = "child",
	};

	assert(side <= TREE_SIDE_CHILD);
	return names[side];
}

void
tree_check(const struct node *node)
{
	if (node_is_tree(node))
		vtree_check(&node->topology.tree);
}
