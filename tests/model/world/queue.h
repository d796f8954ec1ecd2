/* SPDX-License-Identifier: ISC */
/*
 * The coming events of a world, the next one first: datagrams under way,
 * scripted faults, and others. Deadlines of nodes are not in it: each node has
 * one, and the world looks for the earliest.
 */
#ifndef ELECTD_TESTS_MODEL_WORLD_WORLD_QUEUE_H
#define ELECTD_TESTS_MODEL_WORLD_WORLD_QUEUE_H

#include "common/util/types.h"

/* One direction of a link between two hosts. Chances are in permille. */
struct wire {
	unsigned loss;
	unsigned doubles; /* a second copy comes, with a delay of its own */
	unsigned corrupt; /* one bit flips */
	unsigned late;    /* up to `jitter`: others overtake it */
	nsec_t jitter;
	nsec_t delay_min;
	nsec_t delay_max;
	bool cut;
	bool is_for_groups; /* a firewall keeps all else */
};

struct fault {
	unsigned kind;   /* enum fault_kind */
	unsigned target; /* a process, or the sending end of a wire */
	unsigned other;  /* the receiving end of a wire */
	uint64_t amount;
	struct wire weather;
};

/* The address of a host; 0: none. */
typedef unsigned address_number;

/* How the sender counts a datagram. */
struct origin {
	unsigned sender; /* a process; 0: it did not come from a node */
	uint64_t life;   /* of that process */
	uint64_t number; /* of the datagrams that its node has sent */
};

/* The order of events at the same time. */
enum pending_kind {
	PENDING_FAULT,
	PENDING_SYNC, /* a write ends */
	PENDING_KEEP, /* the file of a configuration is on the disk */
	PENDING_WILL, /* a helper looks whether its process hangs, or sends */
	PENDING_DATAGRAM,
	PENDING_REFUSAL,  /* ICMP reports to a sender that nothing listens */
	PENDING_QUESTION, /* a client asks who leads */
};

struct pending {
	nsec_t at;
	enum pending_kind kind;
	unsigned target;    /* the process that it is for */
	uint64_t sequence;  /* world_queue_push() sets it */
	struct fault fault; /* FAULT */
	uint64_t life;      /* SYNC, KEEP, WILL: the life of the process */
	node_id from; /* DATAGRAM, REFUSAL: of which host; 0: of no node */
	struct origin origin;        /* DATAGRAM */
	address_number from_address; /* DATAGRAM */
	address_number to_address;   /* DATAGRAM */
	node_id to;                  /* WILL */
	bool by_group;               /* DATAGRAM: by the multicast group */
	bool waited;    /* DATAGRAM: it was in a socket, so times are its
			 * host's */
	nsec_t arrived; /* DATAGRAM: by the clock of its host */
	nsec_t sent;    /* DATAGRAM; WILL: not before, by its host's clock */
	size_t size;    /* DATAGRAM, WILL; 0: the helper only looks */
	uint8_t bytes[];
};

struct world_queue {
	struct pending **heap;
	size_t count;
	size_t capacity;
	uint64_t sequence;
};

/* Makes one with this many bytes of datagram; free() or push it. */
struct pending *pending_new(
    enum pending_kind kind, nsec_t at, const uint8_t *bytes, size_t size);

/* Adds one, which belongs to the queue until it is popped. */
void world_queue_push(struct world_queue *q, struct pending *p);

/* Give the next one, or NULL; pop also takes it out. */
const struct pending *world_queue_first(const struct world_queue *q);
struct pending *world_queue_pop(struct world_queue *q);

void world_queue_done(struct world_queue *q);

#endif
