/* SPDX-License-Identifier: ISC */
/*
 * Frames on their way, the earliest first; of frames due at the same time, the
 * first to come. The queue bounds their number and their bytes.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_QUEUE_H
#define ELECTD_TESTS_SYSTEM_LAN_QUEUE_H

#include "tests/system/lan/wire.h"

#define QUEUE_FRAMES_MAX 32768
#define QUEUE_BYTES_MAX  (32 << 20)

/* The next step of a frame on its way through the switch. */
enum stage {
	STAGE_IN,     /* into the port that it came by */
	STAGE_SPREAD, /* one port or all others, by its address */
	STAGE_LINK,   /* between the two hosts */
	STAGE_OUT,    /* out of the port that it leaves by */
	STAGE_SEND,
};

/* Allocated; the function that gets one sends, queues or frees it. */
struct frame {
	nsec_t due_ns;
	uint64_t sequence; /* queue_push sets it */
	enum stage stage;
	unsigned from; /* hosts, from 1 */
	unsigned to;   /* 0 before STAGE_SPREAD */
	size_t length;
	unsigned char bytes[];
};

struct queue {
	struct frame *heap[QUEUE_FRAMES_MAX];
	size_t count;
	size_t size_bytes;
	uint64_t sequence;
};

/* Makes a frame; NULL: out of memory. */
struct frame *frame_new(
    unsigned from, const unsigned char *bytes, size_t length);
struct frame *frame_copy(const struct frame *frame);

/* Takes the frame, or returns false when full and leaves it. */
bool queue_push(struct queue *q, struct frame *frame);

/* Gives the next frame that is due by now, or NULL. */
struct frame *queue_pop(struct queue *q, nsec_t now_ns);

/* Gives when the next is due, or NSEC_NEVER. */
nsec_t queue_next_due(const struct queue *q);

#endif
