/* SPDX-License-Identifier: ISC */
/*
 * The processes of a peer, one after another, and ids in use twice (process.c;
 * PROTOCOL.md, Incarnations, Duplicates).
 */
#ifndef ELECTD_COMMON_NODE_PEER_PROCESS_H
#define ELECTD_COMMON_NODE_PEER_PROCESS_H

#include "common/node/node_parts.h"

/* The session that the peer begins is with this process, which is confirmed by
 * that. Call it before the session begins. */
void process_begin(
    struct peer *p, nsec_t now, uint64_t incarnation, const uint8_t *instance);

/* All processes of the peer up to this incarnation are over. */
void process_bury(struct peer *p, uint64_t incarnation, enum evidence evidence);

/* The highest incarnation that was confirmed; 0: none. */
uint64_t process_incarnation(const struct peer *p);

/* The highest incarnation that was confirmed, or is over; 0: none. */
uint64_t process_known(const struct peer *p);

/* True if the processes of this incarnation are over. */
bool process_is_over(const struct peer *p, uint64_t incarnation);

/* True if all processes of the peer that we know are over. */
bool process_is_gone(const struct peer *p);

/* True if this is the process that was confirmed last. */
bool process_is_same(
    const struct peer *p, uint64_t incarnation, const uint8_t *instance);

/* True if this is the process that was confirmed last, or a later one, and not
 * over. */
bool process_is_present(
    const struct peer *p, uint64_t incarnation, const uint8_t *instance);

/* Tells by what we know that this process of a node is over; EVIDENCE_NONE if
 * we do not, or if what we know is too old to count. */
enum evidence process_ended_by(
    struct node *node, nsec_t now, node_id id, uint64_t incarnation);

/* How many new processes of the peer began lately. */
unsigned process_restarts(const struct peer *p, nsec_t now);

/* Notes what keeps the peer from a session with us, and tells the host when
 * that changes; the second says what does. */
void process_set_mismatch(
    struct node *node, nsec_t now, struct peer *p, enum mismatch mismatch);
enum mismatch process_mismatch(const struct peer *p);

/* A sign that another process uses the peer's id: it counts as in use twice for
 * a while. */
void process_on_duplicate(struct node *node, nsec_t now, struct peer *p);

/* True while the peer's id counts as in use twice, and if the host knows. */
bool process_is_duplicate(const struct peer *p, nsec_t now);
bool process_is_told_duplicate(const struct peer *p);

/* The same for our own id. */
void process_on_own_duplicate(struct node *node, nsec_t now);

/* True while another process uses this node's id. */
bool node_is_duplicate(const struct node *node, nsec_t now);

/* We go on as a new process: our id does not count as in use twice. */
void process_renew_own(struct node *node, nsec_t now);

/* True if we may go above our incarnation, which a peer knows. If we did that a
 * moment ago, our id counts as in use twice instead. */
bool process_may_refute(struct node *node, nsec_t now);

/* The peers have other numbers. */
void process_change(struct node *node);

/* Tells the host when an id begins or ceases to be in use twice. */
void process_tell(struct node *node, nsec_t now);

/* When process_tell() has something to tell; NSEC_NEVER: nothing. */
nsec_t process_deadline(const struct node *node);

/* Asserts every invariant of this part. */
void process_check(const struct node *node, const struct peer *p);

#endif
