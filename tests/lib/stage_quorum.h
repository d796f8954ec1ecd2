/* SPDX-License-Identifier: ISC */
/*
 * A stage under the guarantee "quorum": node 2 and member 1, of three voters.
 * The third, node 3, never runs, so nobody leads without a grant of both. The
 * inputs here are those of node 2.
 */
#ifndef ELECTD_TESTS_LIB_STAGE_QUORUM_H
#define ELECTD_TESTS_LIB_STAGE_QUORUM_H

#include "common/wire/vote.h"
#include "tests/lib/stage.h"

#define QUORUM_LEASE    (2 * SEC)
#define QUORUM_DOCUMENT 300 /* bytes of each document */

void quorum_set(struct stage *s);

/* Starts the node, lets the member come up, and lets time pass. */
void quorum_begin(struct stage *s, nsec_t duration);

/* Before the start: node and member have this configuration, and exchange
 * documents. */
void quorum_exchange(struct stage *s, const struct config_id *config_id);

/* Begins anew with a node that exchanges this configuration, and leads after
 * 5 s. */
void quorum_lead_by(struct stage *s, const struct config_id *config_id);

/* Gives QUORUM_DOCUMENT bytes, which differ from those of another number. */
const uint8_t *quorum_document(unsigned number);

/*
 * Set-ups for STAGE_CASE(). With the first the member is up, but grants
 * nothing, and old leases are over. With the second it grants, and the node
 * leads. With the third the node is not eligible, and votes for the member.
 */
int quorum_enter(void **state);
int quorum_enter_leader(void **state);
int quorum_enter_voter(void **state);

/* The member has another configuration from now on, which its next heartbeat
 * says. */
void quorum_move_member(struct stage *s, const struct config_id *config_id);

/* A node that is no peer says HELLO, with our key. */
void quorum_hello(struct stage *s, node_id id);

/* The member denies the node's last request. */
void quorum_deny(struct stage *s, enum denial denial, uint64_t promised);

/* The member requests votes, with the lease and the configuration of the node
 * if the request's lease is 0. */
void quorum_request(struct stage *s, const struct vote_request *c);

/* The member gives up its terms up to this one. By a will it says so when it is
 * dead, from an address that is nobody's, and sends no more heartbeats. */
void quorum_release(struct stage *s, uint64_t term);
void quorum_will(struct stage *s, uint64_t term);

/* Asserts that the node's last datagram had its response to this request. */
void quorum_assert_voted(
    const struct stage *s, const struct vote_request *c, enum denial denial);

/* Lets time pass until the node requests votes, which it must do soon. */
void quorum_await_request(struct stage *s);

#endif
