/* SPDX-License-Identifier: ISC */
/*
 * The state of a whole cluster: all parts of a snapshot, as the node that began
 * it gets them, one after the other along the channels that the parts name
 * (PROTOCOL.md, Snapshots). The caller hands on pulls and their answers.
 */
#ifndef ELECTD_DAEMON_HISTORY_ASSEMBLY_H
#define ELECTD_DAEMON_HISTORY_ASSEMBLY_H

#include "common/node/node.h"

#define ASSEMBLY_SLOTS (2 * NODES_MAX) /* a search ends at a free one */

/* The channels of all nodes together: 256 nodes that all speak to each
 * other. */
#define ASSEMBLY_CHANNELS_MAX 65536

/* A node of the cluster, as of its record. */
struct assembled_node {
	node_id id;
	unsigned via; /* the node by which it is reached; itself: the first */
	unsigned hops;
	bool is_asked; /* a pull of it is under way */
	bool is_whole;
	uint64_t next; /* the item that comes next */
	struct snapshot_head head;
	struct snapshot_channel *channels; /* head.channels of them; of a
	                                    * complete snapshot, by peer */
	struct snapshot_message *messages; /* head.messages of them */
};

struct assembly {
	struct snapshot_name name;
	enum snapshot_outcome outcome; /* OPEN: parts have still to come */
	node_id culprit;               /* the node by which it failed */
	struct assembled_node *nodes;  /* the initiator first */
	unsigned count;
	unsigned whole;
	uint64_t markers;               /* one a directed channel */
	unsigned channels;              /* of the heads so far */
	uint16_t table[ASSEMBLY_SLOTS]; /* 1 + place in `nodes`; 0: free */
};

/* Begins with the snapshot that the node of this name's initiator began. NULL
 * without memory. */
struct assembly *assembly_new(const struct snapshot_name *name);
void assembly_free(struct assembly *c);

/* Gives a pull to begin; false: none for now. assembly_asked() is told that
 * it has begun. */
bool assembly_next(const struct assembly *c, struct pull *pull);
void assembly_asked(struct assembly *c, const struct pull *pull);

/* Sets the path of a pull to this node. False: it is not in the snapshot. */
bool assembly_path(const struct assembly *c, node_id id, struct pull *pull);

/* Takes the answer to one. */
void assembly_take(
    struct assembly *c, const struct pulled *pulled, const uint8_t *items);

/* The assembly takes too long: ends it. `awaited` is the node whose marker
 * the initiator has not got; NODE_NONE: it has them all, and some other node is
 * missing. */
void assembly_give_up(struct assembly *c, node_id awaited);

/* The node; NULL: it is not in the snapshot. */
const struct assembled_node *assembly_find(
    const struct assembly *c, node_id id);

#define ASSEMBLY_FAULT_MAX 160 /* bytes of a sentence, and its end */

/*
 * Of a complete one: true if it is a consistent cut: on each channel just those
 * messages were in transit that were sent before the sender recorded and not
 * delivered before the receiver did. Else `fault` says what is wrong.
 */
bool assembly_is_consistent(
    const struct assembly *c, char fault[ASSEMBLY_FAULT_MAX]);

/* True if a complete one keeps the invariants: one leader a term, and no
 * message of a term that its sender has not seen. Else `fault` says which it
 * breaks. */
bool assembly_keeps_promises(
    const struct assembly *c, char fault[ASSEMBLY_FAULT_MAX]);

/* The leader that all nodes of a complete one follow, perhaps not yet in one
 * term; NODE_NONE: they follow none, or not all the same. */
node_id assembly_leader(const struct assembly *c);

#endif
