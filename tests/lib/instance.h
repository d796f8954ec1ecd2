/* SPDX-License-Identifier: ISC */
/*
 * One instance of an algorithm. A test gives it inputs by hand, and looks at
 * what it sends. After each input the instance's check() runs, and a write
 * beyond the size of its state is found.
 */
#ifndef ELECTD_TESTS_LIB_INSTANCE_H
#define ELECTD_TESTS_LIB_INSTANCE_H

#include <stdalign.h>

#include "common/election/algorithm.h"
#include "common/util/random.h"

#define INSTANCE_LINKS_MAX 4
#define INSTANCE_STATE_MAX 128

struct instance {
	const struct algorithm *algorithm;
	struct choices choices;
	struct view_link links[INSTANCE_LINKS_MAX];
	struct view view;
	struct outgoing room[2 * INSTANCE_LINKS_MAX + 1];
	struct outbox out; /* the results of the last input */
	size_t size;
	alignas(max_align_t) uint8_t state[INSTANCE_STATE_MAX];
};

/* The rank of an eligible node; all else in it is zero. */
struct rank instance_rank(node_id id);

void instance_begin(struct instance *it, const struct algorithm *algorithm,
    const struct choices *choices, struct rank self, size_t links_count);

/* Begins it anew, after a test has changed the view or the choices. */
void instance_again(struct instance *it);

void instance_start(struct instance *it);
void instance_expire(struct instance *it); /* the timer runs out */
void instance_receive(
    struct instance *it, unsigned link, const struct message *m);

/* Draws any message by any link, or now and then a start. Ids are 0 to 7. */
void instance_receive_random(struct instance *it, struct random *random);

void instance_assert_phase(const struct instance *it, const char *phase);

/* Asserts all fields but the list of the i-th message of the last step. */
void instance_assert_sent(const struct instance *it, size_t i, unsigned link,
    const struct message *m);

/* Asserts how many messages the last step sent, and to which decision it came,
 * if to any. */
void instance_assert_count(const struct instance *it, size_t count);
void instance_assert_decided(const struct instance *it, node_id id);
void instance_assert_undecided(const struct instance *it);

#endif
