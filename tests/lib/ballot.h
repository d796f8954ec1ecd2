/* SPDX-License-Identifier: ISC */
/*
 * One node under the guarantee "quorum" and one member that the test plays:
 * node 2 and member 1, of three voters; the third, node 3, is never there. So
 * nobody leads without a grant of both. The test answers for the disk, too.
 */
#ifndef ELECTD_TESTS_LIB_BALLOT_H
#define ELECTD_TESTS_LIB_BALLOT_H

#include "common/node/node.h"
#include "common/wire/vote.h"
#include "tests/lib/member.h"

#define BALLOT_BEGIN (1000 * SEC)
#define BALLOT_BEAT  (100 * MSEC) /* heartbeats, of both */
#define BALLOT_LEASE (2 * SEC)
#define BALLOT_WILLS 64 /* that are remembered */

/* The frames of the node's last datagram that are no messages. */
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
	nsec_t age;                 /* of what the member says */
	struct peer_setup peers[2]; /* member 1, node 3 */
	struct node_setup setup;    /* to be changed until ballot_start() */
	struct node *node;
	struct member member;
	bool is_voting;     /* the member says that it is able to vote */
	bool is_abstaining; /* it does not stand */
	bool is_denouncing; /* it says that the node's id is in use twice */
	bool is_granting;   /* and grants every request that it hears */

	struct words said;
	unsigned requests; /* of the node, heard */
	unsigned votes;
	unsigned releases;
	unsigned goodbyes;
	unsigned sent;             /* datagrams of any kind, to anybody */
	struct kept_will wills[2]; /* to the member; [1]: that releases */
	unsigned said_wills;       /* of the member's */
	uint64_t will_numbers[BALLOT_WILLS]; /* of all of them */
	unsigned wills_count;
	bool is_persisting; /* the node waits for its disk */
	bool is_slow;       /* the disk answers only by ballot_persist() */
	struct durable_state durable; /* as the node wants it */
	unsigned notices[NOTICE_TRACE + 1];
	struct notice lead; /* the last LEADER or NO_LEADER */
};

void ballot_set(struct ballot *b);
void ballot_start(struct ballot *b);
void ballot_strike(struct ballot *b);

/* The member comes up. */
void ballot_join(struct ballot *b);

/* Starts it; the member comes up, and time passes. */
void ballot_begin(struct ballot *b, nsec_t duration);

/*
 * A case of cmocka's, with a set-up or NULL; the ballot is struck after it. The
 * set-ups here: the member is up, but grants nothing, and old leases are over;
 * or it grants, and the node leads; or the node does not stand, and what it
 * votes is for the member.
 */
#define BALLOT_CASE(name, enter, ballot)                                       \
	cmocka_unit_test_prestate_setup_teardown(                              \
	    name, enter, ballot_leave, ballot)
int ballot_enter(void **state);
int ballot_enter_leader(void **state);
int ballot_enter_voter(void **state);
int ballot_leave(void **state);

/* Time passes, in which the member beats. */
void ballot_run(struct ballot *b, nsec_t duration);

/* The member says these frames, with flags of a body beside the usual ones. */
void ballot_say(struct ballot *b, const struct writer *frames, unsigned count);
void ballot_request(struct ballot *b, const struct vote_request *c);
void ballot_vote(struct ballot *b, const struct vote_response *v);
void ballot_release(struct ballot *b, uint64_t term);

/* Asserts that the node's last datagram had its response to this request. */
void ballot_assert_voted(
    const struct ballot *b, const struct vote_request *c, enum denial denial);

/* Lets time pass until the node requests votes, which it must do soon. */
void ballot_await_request(struct ballot *b);

/* A grant of the node's last request. */
void ballot_grant(struct ballot *b);

/* One frame of any type and content, unnumbered. */
void ballot_frame(
    struct ballot *b, uint8_t type, const uint8_t *bytes, size_t size);

/* The disk is done with the record, or failed. */
void ballot_persist(struct ballot *b, bool ok);

uint64_t ballot_elect(struct ballot *b);
void ballot_stop(struct ballot *b);
enum resignation ballot_resign(struct ballot *b, node_id to);
void ballot_stand(struct ballot *b);
void ballot_declare_dead(struct ballot *b);

/* A will of the member's session comes in, from an address that is nobody's:
 * it gives up the terms up to this one. */
void ballot_will(struct ballot *b, uint64_t term);
void ballot_feed_will(struct ballot *b, const uint8_t *bytes);

struct node_status ballot_status(const struct ballot *b);
uint64_t ballot_dropped(const struct ballot *b, enum drop drop);

#endif
