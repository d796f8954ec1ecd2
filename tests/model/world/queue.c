/* SPDX-License-Identifier: ISC */
/* A binary heap. See queue.h. */
#include "tests/model/world/queue.h"

#include <stdlib.h>
#include <string.h>

struct pending *
pending_new(
    enum pending_kind kind, nsec_t at, const uint8_t *bytes, size_t size)
{
	struct pending *p = calloc(1, sizeof(*p) + size);

	assert(p != NULL);
	p->kind = kind;
	p->at = at;
	p->size = size;
	if (size > 0)
		memcpy(p->bytes, bytes, size);
	return p;
}

/* True if `a` happens before `b`, by the rule at the head of world.h. */
static bool
before(const struct pending *a, const struct pending *b)
{
	if (a->at != b->at)
		return a->at < b->at;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	if (a->target != b->target)
		return a->target < b->target;
	return a->sequence < b->sequence;
}

static void
swap(struct world_queue *q, size_t i, size_t j)
{
	struct pending *p = q->heap[i];

	q->heap[i] = q->heap[j];
	q->heap[j] = p;
}

void
world_queue_push(struct world_queue *q, struct pending *p)
{
	size_t i = q->count;

	if (q->count == q->capacity) {
		q->capacity = q->capacity == 0 ? 64 : 2 * q->capacity;
		q->heap = realloc(q->heap, q->capacity * sizeof(*q->heap));
		assert(q->heap != NULL);
	}
	p->sequence = q->sequence++;
	q->heap[q->count++] = p;
	while (i > 0 && before(q->heap[i], q->heap[(i - 1) / 2])) {
		swap(q, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

const struct pending *
world_queue_first(const struct world_queue *q)
{
	return q->count > 0 ? q->heap[0] : NULL;
}

struct pending *
world_queue_pop(struct world_queue *q)
{
	struct pending *p;
	size_t i = 0;

	if (q->count == 0)
		return NULL;
	p = q->heap[0];
	q->heap[0] = q->heap[--q->count];
	for (;;) {
		size_t least = i;

		for (size_t c = 2 * i + 1; c <= 2 * i + 2; c++) {
			if (c < q->count && before(q->heap[c], q->heap[least]))
				least = c;
		}
		if (least == i)
			return p;
		swap(q, i, least);
		i = least;
	}
}

void
world_queue_done(struct world_queue *q)
{
	for (size_t i = 0; i < q->count; i++)
		free(q->heap[i]);
	free(q->heap);
}
