/* SPDX-License-Identifier: ISC */
/* In a tree, which links are edges of the virtual tree (tree.c). */
#ifndef ELECTD_COMMON_NODE_LINKS_TREE_H
#define ELECTD_COMMON_NODE_LINKS_TREE_H

#include "common/node/node_parts.h"

/* The bytes that tree_init() needs; 0 but in a tree. */
size_t tree_size(const struct node_setup *setup);

/* Begins a tree of our own in this epoch, in `memory`, of tree_size() bytes,
 * zeroed. */
void tree_init(struct node *node, uint64_t epoch, void *memory);

/* The epoch for tree_init() of the same process with other peers. */
uint64_t tree_next_epoch(const struct node *node);

/* The link with this peer counts now, or no longer does, or may have another
 * session: shows what follows to the peers and to the election. */
void tree_update(
    struct node *node, nsec_t now, const struct peer *p, bool is_link);

/* Takes the word of a peer, from the datagram of its session with this
 * number. */
void tree_hear(struct node *node, nsec_t now, const struct peer *p,
    uint64_t number, const struct tree_word *word);

/* The session has ended: forgets what the peer said of the tree. */
void tree_reset(struct node *node, const struct peer *p);

/* Our word for this peer; false if it gets none. */
bool tree_word_of(
    const struct node *node, const struct peer *p, struct tree_word *word);

/* True in a tree while a neighbour is not known to be in ours, or our parent
 * not to know us. */
bool tree_is_forming(const struct node *node);

/* Our place in the tree, and on which side of us this peer is. */
struct tree_place tree_place(const struct node *node);
enum tree_side tree_side_of(const struct node *node, const struct peer *p);

/* Asserts every invariant of this part. */
void tree_check(const struct node *node);

#endif
