/* SPDX-License-Identifier: ISC */
/*
 * What a node says to several peers in one datagram, by a multicast group
 * (PROTOCOL.md, Group datagrams), and the frames of sessions by which it and
 * each of them agree on that.
 *
 *    0  4  timestamp of the sender
 *    4  4  heartbeat of the sender, microseconds
 *    8  1  flags, as of a body: those that are the same for all
 *    9  1  watch flags, likewise
 *   10  4  tag of the sender's configuration
 *   14  1  second key id
 *   15  2  frames
 *   17  2  bytes of the set of receivers
 *   19     that set: a bit a node, in the order of ids
 *          an echo of 4 bytes for each receiver, in that order
 *          the frames
 */
#ifndef ELECTD_COMMON_WIRE_GROUP_H
#define ELECTD_COMMON_WIRE_GROUP_H

#include "common/util/bytes.h"

#define GROUP_BODY_BYTES  19 /* before the set */
#define GROUP_ECHO_BYTES  4  /* echo of each receiver */
#define GROUP_KEY_BYTES   (KEY_BYTES + 8)
#define GROUP_HEARD_BYTES 11

/* The start of every datagram of a group. */
struct group_body {
	uint32_t timestamp;    /* the sender's clock, microseconds; never
				    * 0 */
	uint32_t heartbeat_us; /* between two heartbeats of the sender; > 0 */
	uint8_t flags;         /* enum body_flags: those that are the same for
				* all */
	uint8_t watch;         /* enum watch_flags: likewise */
	uint32_t config_tag;   /* config_tag() of the sender's */
	uint8_t second_key_id; /* the second key, as in a body */
	uint16_t frames_count;
	size_t places_size;    /* bytes of the set; NODES_MAX / 8 at most */
	const uint8_t *places; /* the set; borrowed */
	const uint8_t *echoes; /* echoes of the receivers, in this order;
				* borrowed */
};

/* The key of a process's group datagrams, in a session of its own. */
struct group_key {
	uint8_t key[KEY_BYTES];
	uint64_t first; /* no lower number counts in that session; > 0 */
};

/* What the sender has of the receiver's group datagrams. */
struct group_heard {
	uint64_t number; /* number of the latest datagram that was taken */
	uint8_t run;     /* datagrams taken in a row up to `number`; UINT8_MAX:
			  * or more */
	uint16_t word;   /* what the receiver sent to the sender alone;
			  * group_word() */
};

/* Writes the body, the set and the echoes. */
void group_body_encode(struct writer *w, const struct group_body *b);

/* Reads them; false if they are out of range: *b is then unspecified. */
bool group_body_decode(struct reader *r, struct group_body *b);

/* The nodes of the set. */
unsigned group_count(const struct group_body *b);

/* True if the node at this place is in the set: *echo is the timestamp that
 * it is given back, and *turn the number of receivers before it. */
bool group_find(
    const struct group_body *b, unsigned place, uint32_t *echo, unsigned *turn);

void group_key_encode(struct writer *w, const struct group_key *key);
void group_heard_encode(struct writer *w, const struct group_heard *heard);

/* Each is false if the bytes are out of range: the result is unspecified. */
bool group_key_decode(struct reader *r, struct group_key *key);
bool group_heard_decode(struct reader *r, struct group_heard *heard);

#endif
