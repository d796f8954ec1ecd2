/* SPDX-License-Identifier: ISC */
/*
 * One datagram for several peers, by a multicast group (group.c; PROTOCOL.md,
 * Group datagrams).
 */
#ifndef ELECTD_COMMON_NODE_WATCH_GROUP_H
#define ELECTD_COMMON_NODE_WATCH_GROUP_H

#include "common/node/node_parts.h"
#include "common/wire/group.h"

/* True if we may send to the group. */
bool group_is_on(const struct node *node);

/* Draws another key: at the start, and when nodes or keys have changed. */
void group_change(struct node *node);

/* The session has ended, and all that was agreed on in it. */
void group_reset(struct node *node, struct peer *p);

/* True if the peer hears what we send to the group, as far as we know. */
bool group_reaches(const struct node *node, const struct peer *p);

/* True if the peer gets no heartbeat of its own in this round, as we lead and
 * the group serves it, or as it leads and its group serves us. */
bool group_spares(const struct node *node, nsec_t now, const struct peer *p);

/* True if the peer leads, we hear it by the group, and unicast from it has not
 * come for so long that we take it for blocked. */
bool group_lacks_unicast(
    const struct node *node, nsec_t now, const struct peer *p);

/* The pause that we tell the peer between two of our heartbeats. */
nsec_t group_pause(const struct node *node, nsec_t now, const struct peer *p);

/* A datagram of the session has told it. */
void group_on_sent(const struct node *node, nsec_t now, struct peer *p);

/* A round of heartbeats: as the leader, to all that the group reaches; now and
 * then to ask who hears it. */
void group_beat(struct node *node, nsec_t now);

/* True if a heartbeat by the group is about to reach the peer. */
bool group_carries(const struct node *node, const struct peer *p);

/* The newest message to the peer has these bytes: several peers may get it in
 * one datagram. group_gather() comes when all have theirs. */
void group_offer(
    struct node *node, struct peer *p, const uint8_t *bytes, size_t size);
void group_gather(struct node *node, nsec_t now);

/* What a session is to tell the peer, if anything: our key, and what we have
 * heard of it. The caller wipes the key. */
bool group_tells_key(const struct node *node, nsec_t now, const struct peer *p,
    struct group_key *key);
bool group_tells_heard(const struct peer *p, struct group_heard *heard);

/* The peer's session says so. */
void group_take_key(const struct node *node, struct peer *p, nsec_t now,
    const struct group_key *key);
void group_take_heard(
    struct node *node, struct peer *p, const struct group_heard *heard);

/* The bits of a body that are for its receiver alone. */
unsigned group_word(const struct body *b);

/* A datagram of the peer's session came by unicast, with this number and body:
 * keeps the bits that are for us alone. group_add_word() puts them into a body
 * of the group, which lacks them. */
void group_keep_word(
    struct peer *p, nsec_t now, uint64_t number, const struct body *b);
void group_add_word(const struct peer *p, struct body *b);

/* Opens a datagram of the group to `plain`. */
enum drop group_unseal(const struct node *node, struct peer *p, nsec_t now,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    uint8_t *plain);

/* A datagram of the peer's group was for us, and is of the present. */
void group_on_served(struct peer *p, nsec_t now);

/* A datagram of the peer's group was not for us: tells the peer that we hear
 * it. */
void group_on_passed(struct node *node, nsec_t now, struct peer *p);

/* Something is to go to the group: a message, or, 0 bytes, a heartbeat or a
 * question. The message is borrowed till group_sent(). */
bool group_is_due(const struct node *node);
size_t group_message(const struct node *node, const uint8_t **bytes);

/* The next receiver of that, in the order of ids; NULL: there is no more. And
 * whether any was asked for. */
struct peer *group_next_receiver(struct node *node);
bool group_has_begun(const struct node *node);

/* The number of that message in the session of a receiver. */
uint32_t group_sequence(const struct peer *p);

/* Seals `size` bytes after the head of a datagram, under the next number. */
void group_seal(struct node *node, struct packet_head *head, uint8_t *datagram,
    size_t size);

/* The datagram to the receivers so far is built. */
void group_sent(struct node *node);

/* Asserts every invariant. */
void group_check(const struct node *node, const struct peer *p);

#endif
