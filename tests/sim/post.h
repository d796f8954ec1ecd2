/* SPDX-License-Identifier: ISC */
/*
 * The messages under way in a run: channels that keep order, and a choice of
 * which channel delivers next, uniform over all that hold a message. So the
 * schedules are one thing: with one channel for all, messages arrive in the
 * order they were sent, each one unit of time later; with one for each link,
 * in any order that links allow; with one for each message, in any at all.
 */
#ifndef ELECTD_TESTS_SIM_POST_H
#define ELECTD_TESTS_SIM_POST_H

#include "common/util/random.h"
#include "common/wire/message.h"

/* To whom a message is under way, and which it is. */
struct address {
	uint64_t number; /* of the message, in order of sending */
	uint32_t node;   /* the receiver */
	uint32_t link;   /* the receiver's */
	uint32_t depth;  /* length of the chain of messages it ends */
};

/*
 * Called with who is about to receive a message, some deliveries before, so
 * that its memory can be fetched in time: in a large run most of the time
 * would be spent waiting for it. Guesses are good, not certain.
 */
typedef void post_announce(void *context, uint32_t node);

#define POST_AHEAD 16 /* deliveries that are thought of in advance */

struct post {
	bool has_lists;
	bool is_single; /* one channel for all */
	size_t stride;  /* bytes of a slot */
	char *slots;    /* allocated: a slot for each message at the most */
	uint32_t size;  /* slots there is memory for */
	uint32_t used;  /* slots that were ever in use */
	uint32_t free;  /* the first of those that are so no more */
	uint32_t free_last;
	uint32_t *tails; /* the last slot of each channel; NULL: no channels */
	uint32_t *ready; /* the first slot of each channel that has any */
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
 * `channels` of them; 0: each message is one by itself. False if there is no
 * memory; free it all the same.
 */
bool post_init(struct post *post, uint64_t channels, bool has_lists,
    const struct random *random, post_announce *announce, void *context);
void post_free(struct post *post);

/* Puts a message into a channel. False if there is no memory. */
bool post_put(struct post *post, uint32_t channel, const struct message *m,
    const struct address *to);

/*
 * Takes the message that is delivered next, of which what no algorithm fills
 * in is left as it is in *m. False if there is none.
 */
bool post_take(struct post *post, struct message *m, struct address *to);

static inline bool
post_is_empty(const struct post *post)
{
	return post->ready_count == 0;
}

/* The depth of the next message of the only channel; not empty. */
uint32_t post_depth(const struct post *post);

#endif
