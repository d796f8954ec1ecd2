/* SPDX-License-Identifier: ISC */
/*
 * The keys of a session, and what is sealed under them (session.c; PROTOCOL.md,
 * Keys, Replay window, Will bytes).
 */
#ifndef ELECTD_COMMON_NODE_PEER_SESSION_H
#define ELECTD_COMMON_NODE_PEER_SESSION_H

#include "common/node/node_parts.h"

/* Makes the session with the process that sent `head` and `h`. Its keys follow
 * from both salts and the cluster key, its version from both ranges; without a
 * version that both speak it opens nothing, and is not to be used. */
void session_init(const struct node *node, struct session *s,
    const uint8_t *cluster_key, const uint8_t *our_salt,
    const struct packet_head *head, const struct handshake *h);

/* Seals the `size` bytes behind the head of `datagram`, and the head, which
 * gets the next number of the session. */
void session_seal(const struct node *node, struct session *s,
    struct packet_head *head, uint8_t *datagram, size_t size);

/* Begins to use the keys of *from, an offer that was accepted. */
void session_adopt(struct session *s, const struct session *from);

/* The session has ended: forgets its keys. */
void session_wipe(struct session *s);

/* Opens a datagram of PACKET_HEAD_BYTES to PACKET_MAX into `plain`, unless it
 * is of another process or version, or a copy. */
enum drop session_open(const struct node *node, struct session *s,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    uint8_t *plain);

/* True if no later datagram than this one, which was opened, has been. */
bool session_is_latest(const struct session *s, const struct packet_head *head);

/* Seals a will that gives up `term`, 0 for none, under a number of its own.
 * Returns its size, PACKET_WILL_BYTES. */
size_t session_seal_will(const struct node *node, struct session *s,
    struct packet_head *head, uint64_t term, uint8_t *datagram);

/* What opens a will of this process; NULL if the session is with another one.
 */
const struct opener *session_opener(
    const struct session *s, uint64_t incarnation);

/* Opens a will of PACKET_WILL_BYTES with this head. DROP_NONE: *will is
 * valid. */
enum drop session_open_will(const struct node *node,
    const struct opener *opener, const struct packet_head *head,
    const uint8_t *bytes, struct will *will);

/* The name of the session, the same at both ends. */
uint64_t session_name(const struct session *s);

/* The release of the peer's program; 0: it did not tell. */
uint32_t session_release(const struct session *s);

/* Records that the last message that the peer's channel took or gave, by
 * `kind`, is this one. */
void session_record(struct node *node, nsec_t now, const struct peer *p,
    enum event_kind kind, const struct message *m);

/* True if the session is with a process of this incarnation. */
bool session_is_with(const struct session *s, uint64_t incarnation);

/* True if it is with one of this incarnation or an earlier one. */
bool session_is_up_to(const struct session *s, uint64_t incarnation);

/* The process of the peer, which has a session, as voters know it. */
struct owner session_owner(const struct peer *p);

/* Asserts every invariant of this part. */
void session_check(const struct node *node, const struct peer *p);

#endif
