/* SPDX-License-Identifier: ISC */
/*
 * What is still to happen in a world: datagrams under way and scripted
 * faults, the next one first. Deadlines are not here: each node has one, and
 * the world looks for the earliest.
 */
#ifndef ELECTD_TESTS_WORLD_WORLD_QUEUE_H
#define ELECTD_TESTS_WORLD_WORLD_QUEUE_H

#include "common/util/types.h"

/* One direction between two hosts. Chances are in permille. */
struct wire {
	unsigned loss;
	unsigned doubles; /* a second copy, with a delay of its own */
	unsigned corrupt; /* one bit is flipped */
	unsigned late;    /* delayed by up to `jitter` more: reordering */
	nsec_t jitter;
	nsec_t delay_min;
	nsec_t delay_max;
	bool cut;
};

struct fault {
	unsigned kind;   /* enum fault_kind */
	unsigned target; /* a process, or the sending end of a wire */
	unsigned other;  /* the receiving end of a wire */
	uint64_t amount;
	struct wire weather;
};

/* In the order in which they happen at the same time. */
enum pending_kind {
	PENDING_FAULT,
	PENDING_SYNC, /* a record is durable, or could not be made so */
	PENDING_WILL, /* a helper looks whether its process hangs, or sends */
	PENDING_DATAGRAM,
	PENDING_REFUSAL,  /* ICMP tells a sender that nothing listens there */
	PENDING_QUESTION, /* a client asks who leads */
};

struct pending {
	nsec_t at;
	enum pending_kind kind;
	unsigned target;    /* the process it concerns */
	uint64_t sequence;  /* set by world_queue_push() */
	struct fault fault; /* FAULT */
	uint64_t life;      /* SYNC, WILL: of the process's */
	node_id from;   /* DATAGRAM: of which address; 0: of no node; REFUSAL */
	node_id to;     /* WILL */
	bool waited;    /* DATAGRAM: in a socket, from then on by its host's */
	nsec_t arrived; /* clock */
	nsec_t sent;    /* DATAGRAM; WILL: not before, on its host's clock */
	size_t size;    /* DATAGRAM, WILL; 0: it only looks */
	uint8_t bytes[];
};

struct world_queue {
	struct pending **heap;
	size_t count;
	size_t capacity;
	uint64_t sequence;
};

/* A new one with this many bytes of datagram; free() or push it. */
struct pending *pending_new(
    enum pending_kind kind, nsec_t at, const uint8_t *bytes, size_t size);

/* Adds one; it is the queue's until it is popped. */
void world_queue_push(struct world_queue *q, struct pending *p);

/* The next one, NULL if there is none; and the same, taken out. */
const struct pending *world_queue_first(const struct world_queue *q);
struct pending *world_queue_pop(struct world_queue *q);

void world_queue_done(struct world_queue *q);

#endif
