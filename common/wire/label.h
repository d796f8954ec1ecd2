/* SPDX-License-Identifier: ISC */
/*
 * Labels of the virtual tree (PROTOCOL.md, Virtual tree): where a node stands
 * in which tree, and the frame by which it tells a neighbour.
 */
#ifndef ELECTD_COMMON_WIRE_LABEL_H
#define ELECTD_COMMON_WIRE_LABEL_H

#include "common/util/bytes.h"

#define EPOCH_MAX INT64_MAX       /* a frame has 63 bits for it */
#define LEVEL_MAX (NODES_MAX - 1) /* no path visits a node twice */

struct label {
	uint64_t epoch; /* epoch of the tree; at most EPOCH_MAX */
	node_id root;   /* root of the tree, which began in this epoch */
	uint16_t level; /* links to the root; at most LEVEL_MAX */
	FILLER(2);
};

/* The word that a node sends a neighbour about its place in a tree. */
struct tree_word {
	struct label label; /* label of the sender */
	bool is_parent;     /* the receiver is the sender's parent */
	bool is_child; /* by the latest word of the receiver the sender is its
			* parent */
};

#define TREE_WORD_BYTES 15 /* bytes on the wire */

/* True if the tree of `a` is the better one: of the later epoch, then of the
 * root with the lower id. */
bool label_tree_better(const struct label *a, const struct label *b);

/* True if `a` is better than `b`: of a better tree, or higher up in the same
 * tree; never true of equal labels. */
bool label_better(const struct label *a, const struct label *b);

/* Writes a word, TREE_WORD_BYTES bytes. */
void tree_word_encode(struct writer *w, const struct tree_word *word);

/* Reads a word; false if it is out of range: *word is then unspecified. */
bool tree_word_decode(struct reader *r, struct tree_word *word);

#endif
