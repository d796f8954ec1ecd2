/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/queue.h"

#include <stdlib.h>
#include <string.h>

struct frame *
frame_new(unsigned from, const unsigned char *bytes, size_t length)
{
	struct frame *frame = malloc(sizeof(*frame) + length);

	if (frame == NULL)
		return NULL;
	*frame = (struct frame){ .from = from, .length = length };
	memcpy(frame->bytes, bytes, length);
	return frame;
}

struct frame *
frame_copy(const struct frame *frame)
{
	struct frame *copy;

	copy = frame_new(frame->from, frame->bytes, frame->length);
	if (copy == NULL)
		return NULL;
	copy->due_ns = frame->due_ns;
	copy->stage = frame->stage;
	copy->to = frame->to;
	return copy;
}

static bool
frame_is_before(const struct frame *a, const struct frame *b)
{
	if (a->due_ns != b->due_ns)
		return a->due_ns < b->due_ns;
	return a->sequence < b->sequence;
}

static size_t
frame_size(const struct frame *frame)
{
	return sizeof(*frame) + frame->length;
}

bool
queue_push(struct queue *q, struct frame *frame)
{
	size_t i;

	if (q->count == QUEUE_FRAMES_MAX)
		return false;
	if (frame_size(frame) > QUEUE_BYTES_MAX - q->size_bytes)
		return false;
	q->size_bytes += frame_size(frame);
	frame->sequence = q->sequence++;
	for (i = q->count++; i > 0; i = (i - 1) / 2) {
		if (!frame_is_before(frame, q->heap[(i - 1) / 2]))
			break;
		q->heap[i] = q->heap[(i - 1) / 2];
	}
	q->heap[i] = frame;
	return true;
}

/* Puts `frame` in its place, from the hole at the top downwards. */
static void
queue_sink(struct queue *q, struct frame *frame)
{
	size_t i = 0, child;

	while ((child = 2 * i + 1) < q->count) {
		if (child + 1 < q->count &&
		    frame_is_before(q->heap[child + 1], q->heap[child]))
			child++;
		if (!frame_is_before(q->heap[child], frame))
			break;
		q->heap[i] = q->heap[child];
		i = child;
	}
	q->heap[i] = frame;
}

struct frame *
queue_pop(struct queue *q, nsec_t now_ns)
{
	struct frame *frame;

	if (queue_next_due(q) > now_ns)
		return NULL;
	if (q->count == 0)
		return NULL;
	frame = q->heap[0];
	q->size_bytes -= frame_size(frame);
	q->count--;
	if (q->count > 0)
		queue_sink(q, q->heap[q->count]);
	return frame;
}

nsec_t
queue_next_due(const struct queue *q)
{
	return q->count > 0 ? q->heap[0]->due_ns : NSEC_NEVER;
}
