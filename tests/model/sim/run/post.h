/* SPDX-License-Identifier: ISC */
/*
 * The messages under way in a run. Channels keep order, and each delivery picks
 * a channel at random among all that hold a message. So one mechanism gives all
 * schedules: with one channel for all, messages arrive in the order of sending,
 * each one unit of time later; with one for each link, in any order that links
 * allow; with one for each message, in any order at all.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_RUN_POST_H
#define ELECTD_TESTS_MODEL_SIM_RUN_POST_H

#include "common/util/random.h"
#include "common/wire/message.h"

/* The receiver of a message under way, and its number. */
struct address {
	uint64_t number; /* of the message, in order of sending */
	uint32_t node;   /* the receiver */
	uint32_t link;   /* the receiver's */
	uint32_t depth;  /* length of the chain of messages that it ends */
};

/*
 * Called some deliveries before a node receives a message, so that its memory
 * can be fetched in time: a large run would spend most of its time waiting for
 * it. The guesses are good, not certain.
 */
typedef void post_announce(void *context, uint32_t node);

#define POST_AHEAD 16 /* deliveries that are prepared ahead */

struct post {
	bool has_lists;
	bool is_single; /* one channel for all */
	size_t stride;  /* bytes of a slot */
	char *slots;    /* allocated, for as many messages as ever */
	uint32_t size;  /* slots in memory */
	uint32_t used;  /* slots that were ever in use */
	uint32_t free;  /* the first slot that is free again */
	uint32_t free_last;
	uint32_t *tails; /* the last slot of each channel; NULL: no channels */
	uint32_t *ready; /* the first slot of each channel that has one */
	uint32_t ready_count;
	uint32_t ready_size;
	struct random random;
	uint32_t drawn[POST_AHEAD];
	unsigned next;  /* of the draws */
	uint32_t scout; /* a slot of the only channel */
	uint32_t lead;  /* how many deliveries it is ahead */
	post_announce *announce;
	void *context;
};

/*
 * Sets up `channels` of them; 0: each message has a channel by itself. False:
 * there is no memory; post_free() is needed even then.
 */
bool post_init(struct post *post, uint64_t channels, bool has_lists,
    const struct random *random, post_announce *announce, void *context);
void post_free(struct post *post);

/* Puts a message into a channel. False if there is no memory. */
bool post_put(struct post *post, uint32_t channel, const struct message *m,
    const struct address *to);

/*
 * Takes the message that is delivered next. Fields of *m that no algorithm
 * fills in keep their values. False if there is none.
 */
bool post_take(struct post *post, struct message *m, struct address *to);

static inline bool
post_is_empty(const struct post *post)
{
	return post->ready_count == 0;
}

/* Gives the depth of the next message of the only channel, which is not empty.
 */
uint32_t post_depth(const struct post *post);

#endif
