/* SPDX-License-Identifier: ISC */
/*
 * The vote of the guarantee "quorum" (PROTOCOL.md, Quorum): our own voter, our
 * own vote requests, and what all of that means for the lead. Under "component"
 * every function is defined, too: there are no voters, a majority is always
 * there, nothing is requested, held or due, and no time limits a leader.
 */
#ifndef ELECTD_COMMON_NODE_VOTE_VOTE_H
#define ELECTD_COMMON_NODE_VOTE_VOTE_H

#include "common/node/node_parts.h"

/* voting.c */

/* Loads the promise of our voter from the durable state, and begins the
 * quarantine. Call it after voters_init(). */
void voting_init(struct node *node, nsec_t now);

/* Another configuration is in effect, with other voters. What peers asked,
 * they ask again. Call it after voters_change(). */
void voting_change(struct node *node, nsec_t now);

/* The latest promise of our voter, durable or not. Under component it is that
 * of the durable state. */
const struct promise *voting_promise(const struct node *node);

/* True while a grant may bind our voter that it gave for a longer lease than
 * that of our settings, before our start or before a change. */
bool voting_is_bound_longer(const struct node *node, nsec_t now);

/* True if our voter has made an early promise of a term above `held`. */
bool voting_moves_on(const struct node *node, uint64_t held);

/* Lets our own voter answer a request of ours. False if it may not vote, or has
 * to wait until its promise is durable; then *vote is no answer. */
bool voting_ask_self(struct node *node, nsec_t now,
    const struct vote_request *request, struct vote_response *vote);

/* Takes a vote request of a peer; the response goes with a datagram to it. */
void voting_take_request(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request);

/* The lease that our voter granted is released, or is handed over: judges anew
 * what it denied for that. */
void voting_reconsider(struct node *node, nsec_t now);

/* This state has become durable. True if it has the present promise and the
 * lease of our settings, and our voter waited for that. */
bool voting_keep(struct node *node, const struct durable_state *kept);

/* Our voter votes again once its promise is durable: the leader leads in this
 * term without it. */
void voting_admit(struct node *node, struct owner leader, uint64_t term);

/* A promise of our voter has become durable: judges anew the requests that
 * waited for that. Our own nominee may have got a later promise since. */
void voting_on_kept(struct node *node, nsec_t now);

/* `owner` has given up its terms up to `term`. True if its lease bound our
 * voter until now. */
bool voting_release(struct node *node, struct owner owner, uint64_t term);

/* The peer requests the terms up to this one no more. */
void voting_withdraw(struct peer *p, uint64_t term);

/* True if a peer sends a binding vote request that our voter has not denied. */
bool voting_is_asked(const struct node *node, nsec_t now);

/* The response that is due to this peer; NULL if none is. */
const struct vote_response *voting_response(const struct peer *p);

/* The response that was due has been sent for the last time. */
void voting_on_sent(struct peer *p);

/* The session has ended: forgets the vote request of the peer and our answer
 * to it. */
void voting_reset(struct peer *p);

/* Asserts every invariant of our voter. */
void voting_check(const struct node *node);

/* nominee.c */

/* What our vote requests have led to, for the lead. */
enum nominee_news_kind {
	NOMINEE_SAME,     /* nothing */
	NOMINEE_WON,      /* a majority has granted our term: we lead */
	NOMINEE_PROMISED, /* a voter has promised another node our term, or a
	                     * later one */
};

/* The same in detail. node_act_on_votes() acts on it. */
struct nominee_news {
	enum nominee_news_kind kind;
	node_id voter;       /* NOMINEE_PROMISED: that voter */
	uint64_t promised;   /* NOMINEE_PROMISED: the term */
	struct rank rival;   /* asks in vain while we hold the lease; else
	                      * NODE_NONE */
	uint64_t rival_term; /* that it requests, if it is above ours; 0 */
};

/* Requests nothing yet. `grants` has room for each voter. Call it after
 * voters_init(). */
void nominee_init(struct node *node, struct grant *grants);

/* Another configuration is in effect, with other voters: a leader asks them,
 * another node requests nothing any more. `grants` as for nominee_init().
 * Call it after voters_change(). */
void nominee_change(struct node *node, struct grant *grants, nsec_t now);

/* True if we lead, and a majority of the voters supports our lease by grants
 * of requests sent since our configuration is in effect, and had it, too, as
 * they gave them (lease_is_settled()). */
bool nominee_is_settled(const struct node *node, nsec_t now);

/* QUORUM: true if a voter that has our configuration does not vote: we might
 * admit it (PROTOCOL.md, Admission). */
bool nominee_misses_a_voter(const struct node *node);

/* True if the voter of this number supports our lease by such a grant. */
bool nominee_is_granted_by(
    const struct node *node, nsec_t now, unsigned number);

/* Begins no election for `pause` from now on. */
void nominee_pause(struct node *node, nsec_t now, nsec_t pause);

/* QUORUM: begins no election for a random pause, which grows with each failure
 * soon after another (PROTOCOL.md, Rivals). */
void nominee_back_off(struct node *node, nsec_t now);

/* True during such a pause. */
bool nominee_is_paused(const struct node *node, nsec_t now);

/* Our voter's promise has become durable: asks it again for our request. */
struct nominee_news nominee_on_kept(struct node *node, nsec_t now);

/* Takes the algorithm's nomination for `term` and requests votes; ignores it
 * if we have held or given up that term. Quorum only. */
struct nominee_news nominee_begin(struct node *node, nsec_t now, uint64_t term);

/* A voter has promised another node the term `promised`. If that is our term or
 * a later one, our request is void. A node that does not lead gives it up and
 * pauses. True if we lead: the caller begins an election above that term. */
bool nominee_on_outbid(struct node *node, nsec_t now, uint64_t promised);

/* Gives up a request that does not hold yet, if a later term was seen. True if
 * it does and no election of the later term has reached us: the caller begins
 * one. */
bool nominee_renounce(struct node *node, nsec_t now);

/* Gives up the terms that we request or hold, for ever. The voters hear of it
 * as soon as no deadline of a client lies ahead (PROTOCOL.md, Release). */
void nominee_drop(struct node *node, nsec_t now);

/* Asks the voters, once a round of heartbeats. */
struct nominee_news nominee_beat(struct node *node, nsec_t now);

/* Does what is due by now: the release, a request that a voter told us to
 * repeat, the end of a pause. */
struct nominee_news nominee_tick(struct node *node, nsec_t now);

/* When nominee_tick() has something to do; NSEC_NEVER: nothing is due. */
nsec_t nominee_deadline(const struct node *node);

/* Takes a vote response of a peer; ignores it unless the peer is a voter. */
struct nominee_news nominee_take_vote(struct node *node, nsec_t now,
    struct peer *p, const struct vote_response *vote);

/* The process `owner` has given up its terms up to `term`, or is dead. Judges
 * anew what its lease held up at our voter. */
struct nominee_news nominee_take_release(
    struct node *node, nsec_t now, struct owner owner, uint64_t term);

/* The lease that our own voter granted has ended, or is handed over: answers
 * the requests that it denied, and repeats ours. */
struct nominee_news nominee_reconsider(struct node *node, nsec_t now);

/* We hand over: forgets which terms the voters have promised another node so
 * far. */
void nominee_forget_promises(struct node *node);

/* True if a majority of the voters has promised another node a next term since
 * then. We hold a term. */
bool nominee_is_succeeded(const struct node *node);

/* True if a binding vote request of ours is pending: it holds no term yet. */
bool nominee_is_pending(const struct node *node);

/* True if that request can still win: the voters that we hear and that have not
 * denied it are a majority. */
bool nominee_has_hope(const struct node *node, nsec_t now);

/* The term in which we lead by the grants of a majority; 0: none. */
uint64_t nominee_held(const struct node *node);

/* Until when we may lead in that term; 0: we hold none. */
nsec_t nominee_until(const struct node *node);

/* The same, as a deadline for a client to rely on; remembers it. 0: there is
 * none to give. */
nsec_t nominee_hand_out(struct node *node, nsec_t now);

/* The latest deadline that a client was given; 0: none. */
nsec_t nominee_handed_out(const struct node *node);

/* The clients of this node rely on no deadline later than `until` any more. */
void nominee_take_back(struct node *node, nsec_t now, nsec_t until);

/* Hands out no later deadlines from now on. */
void nominee_finish(struct node *node);

/* Ceases to lead as soon as no deadline lies ahead: the lease then ends. False
 * if we hold no term. */
bool nominee_yield(struct node *node, nsec_t now);

/* True after that. */
bool nominee_yields(const struct node *node);

/* Takes nominee_finish() and nominee_yield() back: we lead on. */
void nominee_resume(struct node *node);

/* The term that our datagrams release now; 0: none. */
uint64_t nominee_released(const struct node *node);

/* The term that our last will gives up: the one that we hold or request, or
 * that we have given up and are still telling the voters of; 0: none. */
uint64_t nominee_bequeathed(const struct node *node);

/* The vote request that is due to this peer; false if none is. */
bool nominee_request_of(const struct node *node, nsec_t now,
    const struct peer *p, struct vote_request *request);

/* The request that was due has been sent. */
void nominee_on_sent(struct peer *p);

/* The session has ended: no request is due to the peer, and it has promised
 * nothing. */
void nominee_reset(struct peer *p);

/* Asserts every invariant of the nominee. */
void nominee_check(const struct node *node);

/* Likewise, once it is clear whether we lead: under quorum a node does if and
 * only if it holds the term that it leads in. */
void nominee_check_lead(const struct node *node);

/* quorum.c */

/* Call it after voters_init(). */
void quorum_init(struct node *node);

/* True if we hear a majority of the voters. */
bool quorum_is_there(const struct node *node);

/* True if we lost the majority, and have taken no leader since. */
bool quorum_was_lost(const struct node *node);

/* Notes whether we hear a majority of the voters, and tells the host when that
 * changes. Losing the majority ends our election and our request. */
void quorum_look(struct node *node, nsec_t now);

/* We have taken a leader: the lease left is unknown. */
void quorum_on_leader(struct node *node);

/* False if the guarantee needs a durable state to be trusted, and ours is not:
 * this node cannot lead. */
bool quorum_trusts_state(const struct node *node);

/* True if we send a binding vote request, or hear one that our voter has not
 * denied: the flag REQUEST of the body. */
bool quorum_sees_request(const struct node *node, nsec_t now);

/* True while a vote request is pending: begin no election. */
bool quorum_awaits(const struct node *node, nsec_t now);

/* Until when our leader, or we ourselves, may be taken for the leader; 0 if
 * that is not known, or nothing limits it. */
nsec_t quorum_until(const struct node *node);

/* True if that time is over. */
bool quorum_is_over(const struct node *node, nsec_t now);

/* When that time is over; NSEC_NEVER if that is not known. */
nsec_t quorum_deadline(const struct node *node);

/* True if a beacon with this lease left, NULL without one, may be believed. */
bool quorum_credits(const struct node *node, nsec_t now,
    const struct beacon *beacon, const struct lease_left *t);

/* Takes the lease left of our leader; it never shortens what we know. */
void quorum_take_lease_left(struct node *node, nsec_t now,
    const struct beacon *beacon, const struct lease_left *t);

/* True if we have a leader whose beacon goes with the lease left, never
 * alone. */
bool quorum_limits_lead(const struct node *node);

/* The lease left to tell this peer; false if it would find that none is. */
bool quorum_lease_left_of(const struct node *node, nsec_t now,
    const struct peer *p, struct lease_left *t);

/* The same to tell several peers, whose timestamps we have held for `held`
 * at most; each counts from what it is given back, not from t->timestamp. */
bool quorum_lease_left_of_all(
    const struct node *node, nsec_t now, nsec_t held, struct lease_left *t);

/* Asserts every invariant of the majority and of the lease left. */
void quorum_check(const struct node *node);

#endif
