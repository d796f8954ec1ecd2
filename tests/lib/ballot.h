/* SPDX-License-Identifier: ISC */
/*
 * One node under the guarantee "quorum", and one member that the test plays:
 * node 2 and member 1, of three voters. The third, node 3, never runs, so
 * nobody leads without a grant of both. The test also plays the node's disk.
 */
#ifndef ELECTD_TESTS_LIB_BALLOT_H
#define ELECTD_TESTS_LIB_BALLOT_H

#include "common/node/node.h"
#include "common/wire/vote.h"
#include "tests/lib/member.h"

#define BALLOT_BEGIN    (1000 * SEC)
#define BALLOT_BEAT     (100 * MSEC) /* heartbeats of node and member */
#define BALLOT_LEASE    (2 * SEC)
#define BALLOT_WILLS    64  /* wills that the ballot remembers */
#define BALLOT_DOCUMENT 300 /* bytes of each document */

/* The frames of the node's last datagram, without messages. */
struct words {
	bool has_request, has_vote, has_release, has_lease_left, has_beacon;
	struct vote_request request;
	struct vote_response vote;
	struct release release;
	struct lease_left lease_left;
	struct beacon beacon;
};

struct ballot {
	nsec_t now;
	nsec_t age;                 /* of each datagram of the member's */
	struct peer_setup peers[2]; /* member 1, node 3 */
	struct node_setup setup;    /* to change before ballot_start() */
	struct node *node;
	struct member member;
	bool is_voting;     /* the member says that it is able to vote */
	bool is_abstaining; /* the member says that it abstains */
	bool is_denouncing; /* it says that the node's id is in use twice */
	bool is_granting;   /* it grants every request that comes in */

	struct words said;
	unsigned requests; /* that the node has sent */
	unsigned votes;
	unsigned releases;
	unsigned goodbyes;
	unsigned sent;             /* datagrams of any kind, to any address */
	struct kept_will wills[2]; /* to the member; [1]: releases */
	unsigned said_wills;       /* of the member's session */
	uint64_t will_numbers[BALLOT_WILLS]; /* of all the wills so far */
	unsigned wills_count;
	bool is_persisting; /* the node waits for its disk */
	bool is_slow;       /* the disk answers only by ballot_persist() */
	struct durable_state durable; /* as the node wants it */
	bool is_anew;                 /* it wants the state file made anew */
	unsigned notices[NOTICE_TRACE + 1];
	struct notice lead; /* the last LEADER or NO_LEADER */

	/* The document that the node gives its host, or some of it. */
	struct config_id got;
	unsigned pieces; /* that came so far, of any document */
	size_t got_size; /* up to the end of the last piece */
	uint8_t bytes[BALLOT_DOCUMENT];
};

void ballot_set(struct ballot *b);
void ballot_start(struct ballot *b);
void ballot_strike(struct ballot *b);

/* Before ballot_start(): node and member have this configuration, and exchange
 * documents. */
void ballot_exchange(struct ballot *b, const struct config_id *config_id);

/* Begins anew with a node that exchanges this configuration, and leads after
 * 5 s. */
void ballot_lead_by(struct ballot *b, const struct config_id *config_id);

/* Gives BALLOT_DOCUMENT bytes, which differ from those of another number. */
const uint8_t *ballot_document(unsigned number);

/* Puts `setup`, which a test has changed, into effect. */
void ballot_change(struct ballot *b);

/* The member has another configuration from now on, which its next heartbeat
 * says. */
void ballot_move_member(struct ballot *b, const struct config_id *config_id);

/* A node that is no peer says HELLO, with our key. */
void ballot_hello(struct ballot *b, node_id id);

/* Lets the member come up. */
void ballot_join(struct ballot *b);

/* Starts the node, lets the member come up, and lets time pass. */
void ballot_begin(struct ballot *b, nsec_t duration);

/*
 * Makes a case of cmocka's, with a set-up or NULL; its tear-down ends the
 * ballot. With the first set-up the member is up, but grants nothing, and old
 * leases are over. With the second it grants, and the node leads. With the
 * third the node is not eligible, and votes for the member.
 */
#define BALLOT_CASE(name, enter, ballot) TEST(name, enter, ballot_leave, ballot)
int ballot_enter(void **state);
int ballot_enter_leader(void **state);
int ballot_enter_voter(void **state);
int ballot_leave(void **state);

/* Lets time pass; the member sends its heartbeats. */
void ballot_run(struct ballot *b, nsec_t duration);

/* Sends these frames from the member, with these flags of a body beside the
 * usual ones. A request whose lease is 0 gets the lease and the
 * configuration of the node. */
void ballot_say(struct ballot *b, const struct writer *frames, unsigned count);
void ballot_request(struct ballot *b, const struct vote_request *c);
void ballot_vote(struct ballot *b, const struct vote_response *v);
void ballot_release(struct ballot *b, uint64_t term);

/* Asserts that the node's last datagram had its response to this request. */
void ballot_assert_voted(
    const struct ballot *b, const struct vote_request *c, enum denial denial);

/* Lets time pass until the node requests votes, which it must do soon. */
void ballot_await_request(struct ballot *b);

/* Makes a grant of the node's last request. */
void ballot_grant(struct ballot *b);

/* Makes one frame of any type and content, unnumbered. */
void ballot_frame(
    struct ballot *b, uint8_t type, const uint8_t *bytes, size_t size);

/* Lets the disk finish with the durable state, or fail. */
void ballot_persist(struct ballot *b, bool ok);

uint64_t ballot_elect(struct ballot *b);
void ballot_stop(struct ballot *b);
enum resignation ballot_resign(struct ballot *b, node_id to);
void ballot_stand(struct ballot *b);
void ballot_declare_dead(struct ballot *b);

/* Gives the node a will of the member's session, from an address that is
 * nobody's. The will gives up the terms up to this one. */
void ballot_will(struct ballot *b, uint64_t term);
void ballot_feed_will(struct ballot *b, const uint8_t *bytes);

struct node_status ballot_status(const struct ballot *b);
uint64_t ballot_dropped(const struct ballot *b, enum drop drop);

#endif
