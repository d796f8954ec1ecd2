/* SPDX-License-Identifier: ISC */
/* What is in the frames of a datagram (frames.c; PROTOCOL.md, Frames). */
#ifndef ELECTD_COMMON_NODE_DRIVE_FRAMES_H
#define ELECTD_COMMON_NODE_DRIVE_FRAMES_H

#include "common/node/node_parts.h"
#include "common/wire/group.h"

/* What an authentic datagram held besides messages. */
struct delivery {
	struct body body;
	struct beacon beacon;
	struct vote_request request;
	struct vote_response vote;
	struct release release;
	struct lease_left lease_left;
	struct members members; /* borrows from the datagram */
	bool has_beacon;
	bool has_request;
	bool has_vote;
	bool has_release;
	bool has_lease_left;
	bool has_members;
	struct config_advert advert;
	struct config_ask ask;
	struct config_piece piece; /* borrows from the datagram */
	bool has_advert;
	bool has_ask;
	bool has_piece;
	struct standby standby;
	bool has_standby;
	bool has_older_file;
	struct tree_word tree;
	bool has_tree;
	struct group_key group_key;
	struct group_heard group_heard;
	bool has_group_key;
	bool has_group_heard;
};

/* Reads the frames of a session's datagram, after its body, which is in *d.
 * *overflowed: a message found the pool of blocks empty. */
enum drop frames_read(struct node *node, nsec_t now, struct peer *p,
    struct reader *r, struct delivery *d, bool *overflowed);

/* The same of a datagram of the group, of whose receivers we have the number
 * `turn`. */
enum drop frames_read_group(struct node *node, struct peer *p, struct reader *r,
    const struct group_body *g, unsigned turn, struct delivery *d,
    bool *overflowed);

#endif
