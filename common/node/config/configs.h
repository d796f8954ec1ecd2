/* SPDX-License-Identifier: ISC */
/*
 * Configurations of the shared settings (PROTOCOL.md, Configurations): which
 * configuration each peer has, and the fetching of a later one. The other files
 * of common/node see it through these functions.
 */
#ifndef ELECTD_COMMON_NODE_CONFIG_CONFIGS_H
#define ELECTD_COMMON_NODE_CONFIG_CONFIGS_H

#include "common/node/node.h"

struct peer;

/* See node_propose(). configs_write() tells the leader. */
void configs_propose(struct node *node, const struct config_id *config_id,
    const uint8_t *document, size_t size);

/* Nothing is fetched. */
void configs_init(struct node *node);

/* True if documents are exchanged with peers. */
bool configs_exchange(const struct node *node);

/* The peer's datagram of this number bears this tag. True if the peer's
 * configuration was another one until now. */
bool configs_hear(struct peer *p, uint64_t number, uint32_t tag);

/* True if the peer has our configuration, as far as we know. */
bool configs_agree(const struct node *node, const struct peer *p);

/* True if we want the peer's tag again: followers say nothing to each other, so
 * a lost one would not be said again. */
bool configs_want_answer(const struct node *node, const struct peer *p);

/* Links or configurations have changed: looks whether a peer that is up has
 * another configuration than ours. */
void configs_look(struct node *node, nsec_t now);

/* True if a peer that is up has another configuration, and may yet take ours
 * or give its own: elections wait for that. */
bool configs_are_mixed(const struct node *node, nsec_t now);

/* When that ends at the latest; 0: it has ended. */
nsec_t configs_mixed_until(const struct node *node);

/* Takes a frame of the peer. A later configuration is fetched from it;
 * `advert` begins that, and each piece makes the next question due. */
void configs_take_advert(struct node *node, nsec_t now, struct peer *p,
    const struct config_advert *advert);
void configs_take_ask(
    struct node *node, struct peer *p, const struct config_ask *ask);
void configs_take_piece(struct node *node, nsec_t now, struct peer *p,
    const struct config_piece *piece);

/* Writes the frames that this peer is due. Returns their number. */
unsigned configs_write(struct node *node, struct peer *p, struct writer *f);

/* Takes the piece that came in, for the host; false if there is none. */
bool configs_act(struct node *node, struct action *action);

/* True if the peer, which is up, has our configuration, or may yet have it. */
bool configs_count(const struct node *node, const struct peer *p);

/* QUORUM: the configuration by which our voter votes: that in effect. A file
 * that took the place of a configuration by which it had voted has that
 * one's config term. */
struct config_id configs_voted(const struct node *node);

/* QUORUM: true if the peer's voter may grant us, as far as configurations
 * go, or its configuration or ours is about to change. */
bool configs_may_grant(const struct node *node, const struct peer *p);

/* Asks again for a piece that does not come. True if elections do not wait any
 * longer for a peer with another configuration. */
bool configs_tick(struct node *node, nsec_t now);
nsec_t configs_deadline(const struct node *node);

/* The session has ended: what it said counts no more, and we fetch nothing
 * from this peer. */
void configs_reset(struct node *node, struct peer *p);

/* The next configuration does not name the peer: tells it so. */
void configs_tell_removed(
    struct node *node, struct peer *p, const struct config_id *config_id);

/* The host cannot use the document of this configuration: it is not fetched
 * for a minute. */
void configs_refuse(
    struct node *node, nsec_t now, const struct config_id *config_id);

/* Asserts every invariant. */
void configs_check(const struct node *node, const struct peer *p);

#endif
