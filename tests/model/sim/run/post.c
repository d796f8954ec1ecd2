/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/run/post.h"

#include <stdlib.h>
#include <string.h>

#define SLOT_NONE UINT32_MAX

/*
 * A message under way, in as few bytes as possible, since there may be
 * millions. It leaves out what the election layer would add. The message's list
 * follows it where the algorithm has lists.
 */
struct slot {
	struct address to;
	uint32_t next; /* in the channel, or in the list of free slots */
	uint32_t channel;
	struct rank rank;
	node_id origin;
	uint32_t phase;
	uint32_t distance;
	uint16_t list_count;
	uint8_t kind;
	node_id list[];
};

bool
post_init(struct post *post, uint64_t channels, bool has_lists,
    const struct random *random, post_announce *announce, void *context)
{
	*post = (struct post){
		.has_lists = has_lists,
		.is_single = channels == 1,
		.stride = sizeof(struct slot),
		.free = SLOT_NONE,
		.random = *random,
		.scout = SLOT_NONE,
		.announce = announce,
		.context = context,
	};
	if (has_lists)
		post->stride += LIST_MAX * sizeof(node_id);
	for (unsigned i = 0; i < POST_AHEAD; i++)
		post->drawn[i] = (uint32_t)random_next(&post->random);
	if (channels == 0)
		return true;
	post->tails = malloc(channels * sizeof(*post->tails));
	if (post->tails == NULL)
		return false;
	for (uint64_t i = 0; i < channels; i++)
		post->tails[i] = SLOT_NONE;
	return true;
}

void
post_free(struct post *post)
{
	free(post->slots);
	free(post->tails);
	free(post->ready);
	*post = (struct post){ 0 };
}

static struct slot *
post_slot(const struct post *post, uint32_t i)
{
	void *slot = post->slots + i * post->stride;

	return slot;
}

/* Doubles the space; sizes are powers of two. */
static bool
post_grow(void **memory, uint32_t *size, size_t stride)
{
	uint32_t more = *size == 0 ? 1024 : *size * 2;
	void *grown;

	if (more == 0)
		return false;
	grown = realloc(*memory, more * stride);
	if (grown == NULL)
		return false;
	*memory = grown;
	*size = more;
	return true;
}

/* Gives a free slot; SLOT_NONE: there is no memory. */
static uint32_t
post_take_slot(struct post *post)
{
	uint32_t i = post->free;
	void *slots = post->slots;

	if (i != SLOT_NONE) {
		post->free = post_slot(post, i)->next;
		return i;
	}
	if (post->used == post->size) {
		if (!post_grow(&slots, &post->size, post->stride))
			return SLOT_NONE;
		post->slots = slots;
	}
	return post->used++;
}

static void
slot_write(struct slot *slot, const struct message *m, bool has_lists)
{
	slot->rank = m->rank;
	slot->origin = m->origin;
	slot->phase = m->phase;
	slot->distance = m->distance;
	slot->list_count = m->list_count;
	slot->kind = m->kind;
	if (has_lists)
		memcpy(slot->list, m->list, sizeof(m->list));
}

static void
slot_read(const struct slot *slot, struct message *m, bool has_lists)
{
	m->rank = slot->rank;
	m->origin = slot->origin;
	m->phase = slot->phase;
	m->distance = slot->distance;
	m->list_count = slot->list_count;
	m->kind = slot->kind;
	if (has_lists)
		memcpy(m->list, slot->list, sizeof(m->list));
}

/* The channel, if there is one, holds no other message. */
static bool
post_make_ready(struct post *post, uint32_t i)
{
	void *ready = post->ready;

	if (post->ready_count == post->ready_size) {
		if (!post_grow(&ready, &post->ready_size, sizeof(i)))
			return false;
		post->ready = ready;
	}
	post->ready[post->ready_count++] = i;
	return true;
}

bool
post_put(struct post *post, uint32_t channel, const struct message *m,
    const struct address *to)
{
	uint32_t i = post_take_slot(post);
	uint32_t tail = SLOT_NONE;
	struct slot *slot;

	if (i == SLOT_NONE)
		return false;
	slot = post_slot(post, i);
	slot_write(slot, m, post->has_lists);
	slot->to = *to;
	slot->next = SLOT_NONE;
	slot->channel = channel;
	if (post->tails != NULL) {
		tail = post->tails[channel];
		post->tails[channel] = i;
	}
	if (tail == SLOT_NONE)
		return post_make_ready(post, i);
	post_slot(post, tail)->next = i;
	return true;
}

/* With one channel the order is known: the scout goes through it ahead of the
 * deliveries. */
static void
post_scout(struct post *post)
{
	uint32_t at = post->scout;

	if (at == SLOT_NONE || post->lead == 0) {
		at = post->ready[0];
		post->lead = 0;
	}
	for (unsigned steps = 0; steps < 2 && post->lead < POST_AHEAD;
	     steps++) {
		uint32_t next = post_slot(post, at)->next;

		if (next == SLOT_NONE)
			break;
		at = next;
		post->lead++;
		post->announce(post->context, post_slot(post, at)->to.node);
	}
	post->scout = at;
	if (post->lead > 0)
		post->lead--;
}

/* Gives the ready slot that will be next after some others, by the draws that
 * are made already. SLOT_NONE: its draw will be repeated. */
static uint32_t
post_expect(const struct post *post, unsigned after, uint32_t mask)
{
	uint32_t pick = post->drawn[(post->next + after) % POST_AHEAD] & mask;

	return pick < post->ready_count ? pick : SLOT_NONE;
}

/* Each call fetches one step further for a draw: the slot's number, the slot,
 * the receiver. */
static void
post_look_ahead(const struct post *post, uint32_t mask)
{
	uint32_t pick = post_expect(post, POST_AHEAD - 1, mask);

	if (pick != SLOT_NONE)
		__builtin_prefetch(&post->ready[pick]);
	pick = post_expect(post, POST_AHEAD * 3 / 4, mask);
	if (pick != SLOT_NONE)
		__builtin_prefetch(post_slot(post, post->ready[pick]));
	pick = post_expect(post, POST_AHEAD / 2, mask);
	if (pick != SLOT_NONE)
		post->announce(
		    post->context, post_slot(post, post->ready[pick])->to.node);
}

/* Draws evenly below ready_count: a draw beyond it is repeated. */
static uint32_t
post_pick(struct post *post)
{
	uint32_t mask = UINT32_MAX >> __builtin_clz(post->ready_count | 1);
	uint32_t pick;

	do {
		pick = post->drawn[post->next] & mask;
		post->drawn[post->next] = (uint32_t)random_next(&post->random);
		post->next = (post->next + 1) % POST_AHEAD;
		post_look_ahead(post, mask);
	} while (pick >= post->ready_count);
	return pick;
}

/*
 * The last slot to become free is taken first, since it is in the cache. With
 * one channel the slots go round, so that memory is walked in order.
 */
static void
post_free_slot(struct post *post, uint32_t i)
{
	struct slot *slot = post_slot(post, i);

	if (post->is_single && post->free != SLOT_NONE) {
		slot->next = SLOT_NONE;
		post_slot(post, post->free_last)->next = i;
		post->free_last = i;
		return;
	}
	slot->next = post->free;
	post->free = i;
	post->free_last = i;
}

bool
post_take(struct post *post, struct message *m, struct address *to)
{
	uint32_t pick = 0, i;
	struct slot *slot;

	if (post->ready_count == 0)
		return false;
	if (post->is_single)
		post_scout(post);
	else
		pick = post_pick(post);
	i = post->ready[pick];
	slot = post_slot(post, i);
	slot_read(slot, m, post->has_lists);
	*to = slot->to;
	if (slot->next != SLOT_NONE) {
		post->ready[pick] = slot->next;
	} else {
		post->ready[pick] = post->ready[--post->ready_count];
		if (post->tails != NULL)
			post->tails[slot->channel] = SLOT_NONE;
	}
	post_free_slot(post, i);
	return true;
}

uint32_t
post_depth(const struct post *post)
{
	assert(post->ready_count == 1);
	return post_slot(post, post->ready[0])->to.depth;
}
