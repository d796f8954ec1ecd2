/* SPDX-License-Identifier: ISC */
/*
 * Nodes of a cluster with discovery, which know nobody at first (PROTOCOL.md,
 * Discovery), in virtual time, and what electd does for them: each has a
 * document of its own, which lists the nodes that it knows and where they are.
 * Under quorum a file lists the first of them, which vote; the others join as
 * observers, by what one node proposes and the leader puts into effect.
 * Datagrams take up to a millisecond; the test may lose some, cut the network,
 * and bring others.
 */
#ifndef ELECTD_TESTS_WORLD_GATHERING_H
#define ELECTD_TESTS_WORLD_GATHERING_H

#include "common/host/nodes.h"
#include "common/host/rollout.h"
#include "common/node/node.h"
#include "tests/world/scribe.h"

#define GUESTS_MAX        64
#define GUESTS_OBSERVE    100000 /* nodes with this id and above never lead */
#define GATHERING_FORGET  (20 * SEC)
#define GATHERING_BEAT    (100 * MSEC)
#define GATHERING_FLYING  65536 /* datagrams under way; more are lost */
#define GATHERING_NOWHERE GUESTS_MAX

/* A host. */
struct guest {
	bool is_running;
	node_id id;
	uint64_t incarnation;         /* durable */
	struct durable_state durable; /* quorum: the rest of it */
	unsigned lives;               /* processes so far */
	struct node *node;
	struct scribe scribe;
	struct config list; /* in effect, and on the disk; its memory is the
	                     * host's own */
	uint8_t *document;  /* of `list` */
	struct peer_setup *peers;
	unsigned right[NODES_MAX]; /* of a ring: the peers, the next first */
	unsigned left[NODES_MAX];
	struct rollout rollout;
	struct config wish; /* what it proposes, or did */
	uint8_t *wish_document;
	struct nodes nodes; /* to change in the list */
	uint8_t *incoming;  /* a document that comes */
	size_t incoming_size;
	struct edition comes;      /* of `incoming` */
	bool is_whole;             /* `incoming` is, and is to be used */
	unsigned found[NODES_MAX]; /* by peer: the guest where it is */
	unsigned sender;           /* of the datagram that is handed over */
	bool is_persisting;
	bool knows_addresses; /* it says who it is to guest 0, not to all */
	unsigned side;        /* of a cut: others do not hear it */
	unsigned met;         /* MEMBER actions */
	unsigned duplicates;  /* notices that its own id is in use twice */
};

struct gathering {
	nsec_t now;
	uint64_t seed;
	unsigned count;  /* of `guests` */
	unsigned voters; /* quorum: the first of `guests`; 0: component */
	unsigned loss;   /* of 1000 datagrams */
	const struct algorithm *algorithm; /* it says the topology */
	bool tapes; /* each host is recorded, and played when it ends */
	struct playback_result replay; /* of the last that was played, or the
	                                * first that was not the same */
	uint64_t replayed;             /* inputs of tapes */
	unsigned degree; /* of a graph or tree; 0: every pair is linked */
	struct guest guests[GUESTS_MAX];
	struct flying *flying; /* a heap by time */
	size_t flying_count;
	uint64_t random; /* state */
	/* A host has taken an input and done all that follows; NULL: nobody
	 * is told. It may end the run. */
	void (*concluded)(struct gathering *g, unsigned guest);
	void *context;
	bool is_halted;    /* nothing happens any more */
	uint64_t captured; /* introductions in `capture` so far */
	struct captured {
		size_t size;
		uint8_t bytes[PACKET_MAX];
	} capture[256]; /* the last introductions, as anybody heard them */
};

/* Makes a gathering of `count` hosts, with the ids 1 and up, none of which
 * runs. */
struct gathering *gathering_new(unsigned count, uint64_t seed);
void gathering_free(struct gathering *g);

/* Starts a host that knows nobody; or with what it knew, if `remembers`. */
void gathering_start(struct gathering *g, unsigned guest, bool remembers);

/* Ends its process, without a word. */
void gathering_kill(struct gathering *g, unsigned guest);

void gathering_run(struct gathering *g, nsec_t duration);

/* Runs until all that run on this side know each other, have one edition and
 * follow the best of them. Returns how long that took; NSEC_NEVER: not within
 * `limit`. */
nsec_t gathering_settle(struct gathering *g, unsigned side, nsec_t limit);

/* The role of a node. */
enum role gathering_role(const struct gathering *g, node_id id);

/* True if the documents of all that run name exactly those that run, and, under
 * quorum, the voters. */
bool gathering_knows_the_living(const struct gathering *g);

/* Brings a datagram to a host, from another or from GATHERING_NOWHERE. */
void gathering_feed(struct gathering *g, unsigned guest, unsigned from,
    const uint8_t *bytes, size_t size);

#endif
