/* SPDX-License-Identifier: ISC */
/*
 * Editions of the shared settings (PROTOCOL.md, Editions): which edition each
 * peer has, and the fetching of a later one. The other files of common/node see
 * it through these functions.
 */
#ifndef ELECTD_COMMON_NODE_CONFIG_EDITIONS_H
#define ELECTD_COMMON_NODE_CONFIG_EDITIONS_H

#include "common/node/node.h"

struct peer;

/* See node_propose(). */
void editions_propose(struct node *node, const struct edition *edition,
    const uint8_t *document, size_t size);

/* Nothing is fetched. */
void editions_init(struct node *node);

/* True if documents are exchanged with peers. */
bool editions_exchange(const struct node *node);

/* The peer's datagram of this number bears this tag. True if the peer's edition
 * was another one until now. */
bool editions_hear(struct peer *p, uint64_t number, uint32_t tag);

/* True if the peer has our edition, as far as we know. */
bool editions_agree(const struct node *node, const struct peer *p);

/* True if we want the peer's tag again: followers say nothing to each other, so
 * a lost one would not be said again. */
bool editions_want_answer(const struct node *node, const struct peer *p);

/* Links or editions have changed: looks whether a peer that is up has another
 * edition than ours. */
void editions_look(struct node *node, nsec_t now);

/* True if a peer that is up has another edition, and may yet take ours or give
 * its own: elections wait for that. */
bool editions_are_mixed(const struct node *node, nsec_t now);

/* When that ends at the latest; 0: it has ended. */
nsec_t editions_mixed_until(const struct node *node);

/* Takes a frame of the peer. A later edition is fetched from it; `told` begins
 * that, and each piece makes the next question due. */
void editions_take_told(struct node *node, nsec_t now, struct peer *p,
    const struct edition_told *told);
void editions_take_ask(
    struct node *node, struct peer *p, const struct edition_ask *ask);
void editions_take_piece(struct node *node, nsec_t now, struct peer *p,
    const struct edition_piece *piece);

/* Writes the frames that this peer is due. Returns their number. */
unsigned editions_write(struct node *node, struct peer *p, struct writer *f);

/* Takes the piece that came in, for the host; false if there is none. */
bool editions_act(struct node *node, struct action *action);

/* True if the peer, which is up, has our edition, or may yet have it. */
bool editions_count(const struct node *node, const struct peer *p);

/* QUORUM: the edition by which our voter votes: that in effect. A file that
 * took the place of an edition by which it had voted has that one's stamp. */
struct edition editions_voted(const struct node *node);

/* QUORUM: true if the peer's voter may grant us, as far as editions go, or its
 * edition or ours is about to change. */
bool editions_may_grant(const struct node *node, const struct peer *p);

/* Asks again for a piece that does not come. True if elections do not wait any
 * longer for a peer with another edition. */
bool editions_tick(struct node *node, nsec_t now);
nsec_t editions_deadline(const struct node *node);

/* The session has ended: what it said counts no more, and we fetch nothing
 * from this peer. */
void editions_reset(struct node *node, struct peer *p);

/* The next edition does not name the peer: tells it so. */
void editions_part(
    struct node *node, struct peer *p, const struct edition *edition);

/* The host cannot use the document of this edition: it is not fetched for a
 * minute. */
void editions_refuse(
    struct node *node, nsec_t now, const struct edition *edition);

/* Asserts every invariant. */
void editions_check(const struct node *node, const struct peer *p);

#endif
