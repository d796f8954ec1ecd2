/* SPDX-License-Identifier: ISC */
/*
 * The virtual tree (PROTOCOL.md, Virtual tree): neighbours in any graph find a
 * spanning tree of their component, without a loop at any instant. This is the
 * part of one node: its label, its parent, and the words of its neighbours.
 * Neighbours are known by their index; time and datagrams are not known here.
 */
#ifndef ELECTD_COMMON_LINK_VTREE_H
#define ELECTD_COMMON_LINK_VTREE_H

#include <limits.h>

#include "common/wire/label.h"

#define VTREE_NONE UINT_MAX /* no neighbour: the parent of a root */

/* An epoch that is further above ours is not credible, and ours rises by no
 * more at a time. So no neighbour uses up the epochs with one word. */
#define EPOCH_JUMP (UINT64_C(1) << 32)

/* What a node knows of a neighbour. Zeroed: nothing. */
struct vtree_end {
	bool is_link;  /* the link is up, and counts for elections */
	bool is_heard; /* `word` is the latest of the neighbour in this
			* session */
	bool is_told;  /* `told` is what we sent the neighbour last in this
			* session */
	struct tree_word word;
	struct tree_word told;
	uint64_t number; /* number of the datagram that had `word` */
};

struct vtree {
	node_id self;
	unsigned parent;    /* VTREE_NONE: we are a root */
	struct label label; /* gets only better as long as the process lives */
	bool is_settled;    /* vtree_is_settled(), as of now */
	FILLER(3);
	unsigned ends_count;
	struct vtree_end *ends; /* one for each neighbour, by its index */
};

/*
 * Begins without links, as the root of a tree of our own in this epoch. `ends`,
 * zeroed, stays the caller's. The epoch is 0 for a new process, else above that
 * of the label that it had.
 */
void vtree_init(struct vtree *v, node_id self, uint64_t epoch,
    struct vtree_end *ends, unsigned ends_count);

/* An epoch above that of our label, for a next tree of the same process. */
uint64_t vtree_next_epoch(const struct vtree *v);

/* A link comes up or counts, or no longer does. */
void vtree_set_link(struct vtree *v, unsigned end, bool is_link);

/* The session with a neighbour has ended: forgets its word. The link is
 * down. */
void vtree_forget(struct vtree *v, unsigned end);

/* Takes the word of a neighbour, which came in the datagram of this number.
 * False if nothing in it is new, or a later word came before. */
bool vtree_hear(struct vtree *v, unsigned end, uint64_t number,
    const struct tree_word *word);

/* The word that this neighbour gets, now and with each heartbeat. */
struct tree_word vtree_word(const struct vtree *v, unsigned end);

/* True if the word for this neighbour has changed since the last call of this
 * function for it. */
bool vtree_has_news(struct vtree *v, unsigned end);

/* True if both ends agree that this link is an edge of the tree. */
bool vtree_has_edge(const struct vtree *v, unsigned end);

/* True if this neighbour is our child, and we its parent. */
bool vtree_has_child(const struct vtree *v, unsigned end);

/* True if all neighbours are in our tree, our parent knows us, and we have an
 * edge if we have a neighbour: as far as we can see, the tree does not
 * change. */
bool vtree_is_settled(const struct vtree *v);

/* Asserts every invariant. */
void vtree_check(const struct vtree *v);

#endif
