/* SPDX-License-Identifier: ISC */
/*
 * A stage for tests of inputs: nodes 2 and 3, a wire that delivers at once, and
 * member 1, which the test plays and which has an end towards each node. The
 * test may also play the nodes' disks. The stage checks every node after every
 * step. stage_quorum.h has what tests of votes and documents need beyond this.
 */
#ifndef ELECTD_TESTS_LIB_STAGE_H
#define ELECTD_TESTS_LIB_STAGE_H

#include "common/node/node.h"
#include "tests/lib/member.h"

#define STAGE_NODES    2
#define STAGE_BEGIN    (1000 * SEC)
#define STAGE_BEAT     (100 * MSEC) /* heartbeats of nodes and member */
#define STAGE_FLYING   64 /* datagrams between the nodes; more are lost */
#define STAGE_WILLS    64
#define STAGE_DOCUMENT 8192 /* bytes of a document, at most */

/* Member 1 and the other node. They are these peers of each node, until
 * stage_change(). */
enum stage_from {
	FROM_MEMBER,
	FROM_NODE,
	FROM_NOWHERE, /* an address that is nobody's */
};

/* The multicast group. */
#define FROM_GROUP ((enum stage_from)PEER_GROUP)

struct stage_flying {
	unsigned to;
	enum stage_from from;
	size_t size;
	uint8_t bytes[PACKET_MAX];
};

/* The document of a later configuration, as a node gives it to its host. */
struct stage_document {
	struct config_id config_id;
	node_id giver;
	uint32_t total;
	size_t size; /* that came */
	unsigned pieces;
	uint8_t bytes[STAGE_DOCUMENT];
};

struct stage {
	nsec_t now;
	unsigned nodes_count; /* 1: node 3 is configured, but does not run */
	struct peer_setup configured[STAGE_NODES][2]; /* peers of each */
	struct node_setup setups[STAGE_NODES];
	struct node *nodes[STAGE_NODES];
	struct member members[STAGE_NODES];
	unsigned peers[STAGE_NODES]
		      [2]; /* the peer at each source, or PEER_NONE */
	bool is_cut;       /* the wire between the nodes */
	bool is_beating;   /* the member sends heartbeats while time passes */
	bool is_granting;  /* it grants every request for votes */
	nsec_t beat_at;
	nsec_t age; /* of each datagram as it comes in */

	struct stage_flying flying[STAGE_FLYING];
	size_t flying_count;
	/* By all nodes, to any address, since the test set it to 0. */
	size_t bytes_sent;
	unsigned notices[NOTICE_TRACE + 1];
	struct notice lead; /* the last LEADER or NO_LEADER */
	struct notice last_notices[NOTICE_TRACE + 1]; /* by kind */
	unsigned dropped_notices[STAGE_NODES][DROP_KINDS];
	struct notice last_dropped; /* the last DROPPED */
	/* By node and peer; [1]: the will that releases. */
	struct kept_will wills[STAGE_NODES][2][2];
	/* The first of the wills to the member that it could read. */
	uint64_t will_numbers[STAGE_WILLS];
	unsigned wills_count;
	struct stage_document documents[STAGE_NODES];
	/* The member is at another address than the node knows, until the node
	 * finds it there. */
	bool is_away[STAGE_NODES];
	/* By node and peer: the source at which the node found the peer last;
	 * that of another, if an attacker brought what the peer had sent. */
	enum stage_from found[STAGE_NODES][2];
	unsigned finds;                    /* ADDRESS actions so far */
	unsigned joiners_met;              /* JOINER actions so far */
	struct joiner met[STAGE_NODES];    /* the last of each node */
	struct pulled pulled[STAGE_NODES]; /* the last answer of each node */
	unsigned answers[STAGE_NODES];     /* PULLED actions so far */
	struct durable_state durable;      /* as a node wanted it last */
	bool is_anew;                    /* it wants the state file made anew */
	bool is_persisting[STAGE_NODES]; /* the node waits for its disk */
	bool is_slow;             /* the disk answers only by stage_persist() */
	struct stage_flying last; /* the last datagram between the nodes */
};

/* Sets up without starting; a test may change `setups` in between. */
void stage_set(struct stage *s, unsigned nodes_count);

/* Links the nodes otherwise than by default: in a ring, 1 before 2 before 3; in
 * a path likewise, so that 3 does not know 1; in a triangle. */
void stage_ring(struct stage *s);
void stage_path(struct stage *s);
void stage_graph(struct stage *s);

void stage_start(struct stage *s);
void stage_strike(struct stage *s);

/* Starts the nodes and the heartbeats of the member, and runs for
 * `duration`. */
void stage_begin(struct stage *s, nsec_t duration);

/*
 * Makes a case of cmocka's, with a set-up or NULL; its tear-down ends the
 * stage. With this set-up, node 2 has just started, alone, and the member is in
 * its fifth life.
 */
#define STAGE_CASE(name, enter, stage) TEST(name, enter, stage_leave, stage)
int stage_enter_alone(void **state);
int stage_leave(void **state);

/* Puts another configuration into effect at a node: its setup, which a test has
 * changed. */
void stage_change(struct stage *s, unsigned node);

/* Lets the disk of a node finish with the durable state, or fail. */
void stage_persist(struct stage *s, unsigned node, bool ok);

/* Gives a node one datagram, and performs all that follows. */
void stage_feed(struct stage *s, unsigned node, enum stage_from from,
    const uint8_t *bytes, size_t size);

/* Lets ICMP report to a node that nothing listens there. */
void stage_refuse(struct stage *s, unsigned node, enum stage_from from);

/* Performs the actions that follow when a test calls a node by itself. */
void stage_perform(struct stage *s, unsigned node);

/* Each gives a node one input: an operator's elect, its end, an operator's
 * resign or stand, and the word that its helper sent its wills as it hung. */
uint64_t stage_elect(struct stage *s, unsigned node);
void stage_stop(struct stage *s, unsigned node);
enum resignation stage_resign(struct stage *s, unsigned node, node_id to);
void stage_stand(struct stage *s, unsigned node);
void stage_declare_dead(struct stage *s, unsigned node);

/* Lets time pass, for nodes and member. */
void stage_run(struct stage *s, nsec_t duration);

/* Lets the member shake hands with a node, and beat until the link is up. */
void stage_join(struct stage *s, unsigned node);

/* Sends one heartbeat of the member to a node, with these frames. */
void stage_beat(struct stage *s, unsigned node, const uint8_t *frames,
    size_t size, unsigned count);

/* Likewise with one frame of any type and content, unnumbered. */
void stage_frame(struct stage *s, unsigned node, uint8_t type,
    const uint8_t *bytes, size_t size);

/* The member says which node leads; `left` says for how long, or is NULL. */
void stage_lead(struct stage *s, unsigned node, const struct beacon *beacon,
    const struct lease_left *left);

/* The member tells of a configuration and the size of its document, asks for
 * one from there on, and gives a piece of one. */
void stage_tell_config(struct stage *s, unsigned node,
    const struct config_id *config_id, uint32_t size);
void stage_ask_config(struct stage *s, unsigned node,
    const struct config_id *config_id, uint32_t offset);
void stage_give(
    struct stage *s, unsigned node, const struct config_piece *piece);

/* The member answers a request for votes; grants the last one of the node. */
void stage_vote(struct stage *s, unsigned node, const struct vote_response *v);
void stage_grant(struct stage *s, unsigned node);

/* The member says that node 2 is its parent in the virtual tree: their link is
 * an edge. */
void stage_adopt(struct stage *s);

struct node_status stage_status(const struct stage *s, unsigned node);
uint64_t stage_dropped(const struct stage *s, unsigned node, enum drop drop);

#endif
