/* SPDX-License-Identifier: ISC */
/*
 * One instance of an algorithm for rings: node 5 between two neighbours. A test
 * gives it its inputs by hand.
 */
#ifndef ELECTD_TESTS_LIB_RING_NODE_H
#define ELECTD_TESTS_LIB_RING_NODE_H

#include "algorithms/registry.h"
#include "tests/lib/instance.h"

#define SELF 5

enum kind {
	ELECTION, /* lelann says CANDIDATE */
	LEADER,   /* ring-list says COORDINATOR */
};

/* The instance that the functions below use unless they name another. */
extern struct instance ring_node;

/* Prepare and start it; a test may change view and choices between the two. */
void ring_prepare(struct instance *it, const struct algorithm *algorithm);
void ring_ready(struct instance *it);

/* Does both, with nothing changed, or with join = false. */
void ring_begin(const struct algorithm *algorithm);
void ring_begin_without_join(const struct algorithm *algorithm);

void ring_start(void);
void ring_give(unsigned link, const struct message *m);

/* A message of this origin whose best rank on its way was this. */
struct message ring_message(enum kind kind, node_id origin, node_id best);

/* Gives the node such a message from the left. */
void ring_receive(enum kind kind, node_id origin, node_id best);

void ring_assert_phase(const char *phase);

/* Gives the i-th message of the last step. */
const struct message *ring_assert_sent_on(
    size_t i, unsigned link, enum kind kind, node_id origin, node_id best);

/* Gives the only message of the last step; it must go to the right. */
const struct message *ring_assert_sent(
    enum kind kind, node_id origin, node_id best);

void ring_assert_list(
    const struct message *m, size_t count, const node_id *ids);

#define ring_assert_listed(m, ...)                                             \
	ring_assert_list((m),                                                  \
	    sizeof((node_id[]){ __VA_ARGS__ }) / sizeof(node_id),              \
	    (node_id[]){ __VA_ARGS__ })

void ring_assert_decided(node_id winner);

/* Asserts that the last step had no result. */
void ring_assert_nothing(void);

/* Gives the node such a message; asserts that it has no result and leaves the
 * state as it is. */
void ring_assert_refused(enum kind kind, node_id origin, node_id best);

#endif
