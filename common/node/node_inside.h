/* SPDX-License-Identifier: ISC */
/*
 * The inside of a node, for the files of common/node alone. An input runs
 * through in one order: node_wake() (did we sleep?), the input itself,
 * node_conclude() (what follows from it for the leadership). Actions are not
 * stored but noted as wishes (due flags, the persist flag, notices), and built
 * when the caller pulls them: so whatever happens in one step rides in one
 * datagram a peer.
 */
#ifndef ELECTD_COMMON_NODE_NODE_INSIDE_H
#define ELECTD_COMMON_NODE_NODE_INSIDE_H

#include "common/election/election.h"
#include "common/link/flaps.h"
#include "common/node/lead.h"
#include "common/node/node_peer.h"
#include "common/quorum/lease.h"
#include "common/quorum/voter.h"
#include "common/util/arena.h"
#include "common/util/peer_set.h"
#include "common/wire/costs.h"

#define HELLO_EAGER 10        /* handshakes a peer, one an interval, first */
#define HELLO_LAZY  (1 * SEC) /* then between two of them */
/* What all nodes do an interval; node_budget() is one node's part of it. */
#define HELLO_BUDGET    2048 /* handshakes begun by all nodes, leaderless, */
#define HELLO_FOLLOWING 1024 /* and by followers: they are in no hurry */
#define WATCH_BEST      2048 /* of the best watched by all, leaderless, */
#define WATCH_ROUND     1024 /* and of the others, in turn */
#define WATCH_MISSED    2048 /* and, at once, of those that a leader misses */
#define ANSWER_COST     (SEC / 20) /* handshakes answered a peer: 20 a second */
#define ANSWER_BURST    (1 * SEC)  /* and so many seconds' worth at once */
#define DUPLICATE_LASTS (3 * SEC)  /* without new evidence: three lazy hellos */
#define GONE_LASTS      (3 * SEC)  /* longer, no sign of the dead goes round */
#define STARTUP_MIN     (10 * MSEC) /* listened after a stall, and detection */
#define RAISE_GAP       (1 * SEC)   /* between two raised incarnations */
#define CLAIM_MAX       10 /* of our heartbeats, which a peer's may take */
#define LATE_MAX        (1 * SEC) /* on the way, beyond detection: held back */
#define DRIFT_PARTS     500       /* of a silence: so far clocks come apart */
#define BYE_COPIES      3 /* datagrams may be lost, and it is the last */
#define ELECTION_TIME   (500 * MSEC) /* retransmissions under heavy loss */
#define ELECTION_HOP                                                           \
	(20 * MSEC)              /* likewise, where messages go from node
				     * to node: for each of them */
#define COUNTED_AFTER 3          /* heartbeats without another report */
#define HEALTH_LASTS  10         /* heartbeats, at most a second */
#define RELEASES      5          /* heartbeats that tell what was given up */
#define REFUSAL_PARTS 10         /* of a heartbeat: between two refusals, */
#define REFUSAL_MIN   (5 * MSEC) /* time to answer */
#define TURN_PARTS    4 /* of a heartbeat: one better node's time to begin */
#define ASK_GAP       (5 * MSEC) /* between two claims, not of a heartbeat */
#define DENIALS_MAX   4          /* doublings of the pause that follows one */
#define VOTER_NONE    UINT_MAX   /* no number: it does not vote */
#define WIDEN_MIN     (5 * MSEC) /* time to answer */
#define WIDEN_PARTS   4 /* of a heartbeat: a ring's next are sought so soon */

/* One side of a ring, as this node sees it. */
struct ring_side {
	unsigned *order; /* peers, the nearest first */
	unsigned count;
	unsigned taken; /* index in `order`; count: nobody */
	unsigned reach; /* so many of them are sought */
};

struct ring {
	struct ring_side sides[RING_LINKS]; /* by enum ring_link */
	bool is_aside;   /* only one side takes us: the others step over us */
	nsec_t aside_at; /* when patience ends; NSEC_NEVER: no reason to */
	nsec_t widen_at; /* when to look further; NSEC_NEVER: no need */
};

/* The guarantee "quorum", as far as this node has to do with it. */
struct quorum {
	struct voter voter;
	struct lease lease;
	unsigned number;  /* our own among the voters; VOTER_NONE */
	bool is_there;    /* a majority is heard */
	bool was_lost;    /* it was, and no leader has been taken since */
	nsec_t ask_at;    /* when a denied claim may be granted */
	nsec_t begin_at;  /* this node begins no election before; 0: it may */
	unsigned denials; /* nominations that came to nothing, one soon after */
	nsec_t calm_at;   /* the other; later than this the next is the first */
	nsec_t promise_at;     /* a peer is promised no other term before */
	nsec_t release_at;     /* when it may be told what was given up */
	unsigned releases_due; /* heartbeats that still tell it */
	struct rank rival;   /* who asks in vain, as another holds the lease, */
	uint64_t rival_term; /* for this term; */
	nsec_t rival_until;  /* unless it has not asked until then */
	nsec_t
	    lease_left_until; /* of whom we follow, on our clock; 0: unknown */
};

/* A leader that hands over for another leads on until there is one. */
struct handover {
	bool is_made;         /* it does, */
	struct reason reason; /* and why */
	bool is_told;         /* the others know, and elect; */
	bool has_waited;      /* and it was given more time for that, */
	bool awaits_disks;    /* and for the promises to be durable */
	bool is_planned; /* they are to begin for it; or else it lost already */
	node_id to;      /* who is to lead, as an operator says; NODE_NONE */
	nsec_t at;       /* when it will be told, or else given up */
	uint64_t moved_to; /* that our own voter has promised the next */
	node_id successor; /* that was told to begin: all goes to it first */
};

/* A peer, to be found by its id. */
struct named {
	node_id id;
	unsigned index;
};

struct node {
	struct node_setup setup; /* its pointers are not used after init; its
	                          * record and memory are as of now */
	uint8_t handshake_key[KEY_BYTES];
	uint8_t old_handshake_key[KEY_BYTES];
	uint8_t key_id;
	uint8_t old_key_id;
	uint32_t cluster_tag;
	uint8_t instance[SALT_BYTES];
	uint64_t fresh_count; /* values drawn with seal_fresh() */
	struct random random;

	struct peer *peers;
	struct named *by_id;     /* peers, in the order of their ids */
	unsigned *by_rank;       /* likewise, the best first, as configured */
	struct peer_set touched; /* peers that something may be due to; */
	nsec_t *wake_at;    /* when each of the others wants attention next */
	struct link *links; /* as the election sees them */
	unsigned links_count;
	struct ring ring;
	uint32_t sessions_count; /* that there have been: names them */
	unsigned sessions_now;   /* that there are */
	unsigned peers_count;
	struct blocks *blocks;
	struct peer *speaker; /* whose messages are being delivered, or NULL */
	struct notices notices;
	struct election election;
	struct lead lead;
	struct quorum quorum;
	unsigned place;         /* our own, in the order of all ids */
	uint16_t members_agree; /* so many follow our leader, as it says */
	nsec_t members_at;      /* the next members is not read before */
	nsec_t ask_leader_at;   /* for others' sake, not before */
	bool asks_leader;       /* and its answer is out */
	unsigned said;          /* that we stand, sit, vote: to all */
	bool watches_all; /* as it was when it was last seen to who watches: */
	node_id watched_leader; /* the leader, perhaps ourselves, and */
	bool watch_is_old;      /* somebody has come or gone since, */
	struct peer_set
	    watched_best;    /* the best, or all, where there is none */
	size_t members_size; /* what this leader tells, as of now; 0: not */
	uint8_t members[MEMBERS_BYTES_MAX]; /* gathered since the last input */
	struct peer *leader_by; /* whence its latest sign came; NULL: not yet */
	struct cost_report reported; /* what we said last of our own messages */
	unsigned reported_beats;     /* since it changed */
	struct costs costs;          /* of our term, if we lead */
	nsec_t costs_changed;
	bool is_counted;   /* the costs have been told as they are */
	bool found_nobody; /* the last election: nobody stands */
	bool is_starting;
	nsec_t startup_at;      /* when it stops listening */
	nsec_t eligible_since;  /* PREEMPT_AFTER counts from here */
	struct flaps flaps;     /* of this node, as it judges or is told; */
	nsec_t steady_at;       /* it is unsteady until then; */
	nsec_t alone_at;        /* it last lost a peer and heard no other; */
	unsigned told_restarts; /* the most that a peer told of this process */
	uint64_t noted_term;    /* of the last NOTICE_ELECTION */

	nsec_t heartbeat_at;
	nsec_t wanted;         /* the deadline we asked for */
	nsec_t woken;          /* the last input */
	nsec_t arrived;        /* the last datagram; see there */
	unsigned local_health; /* 0: runs when it should; HEALTH_MAX */
	nsec_t healthy_at;     /* when it is one better */
	nsec_t duplicate_until;
	bool duplicate_noted;
	struct peer_set duplicates; /* peers of whom that is, or was, true */
	nsec_t refute_at;     /* when the incarnation may be raised again */
	nsec_t spoke_at;      /* the last heartbeats */
	unsigned send_turn;   /* 0: all are left in this round; or from the
	                          * peer before this number on */
	unsigned hello_turn;  /* the last whose turn it was, by id */
	unsigned watch_turn;  /* likewise, to be asked, leaderless */
	unsigned missed_turn; /* first of those that the leader misses */
	nsec_t stranger_answer_at;
	struct drop_note stranger_drops[DROP_KINDS];
	nsec_t drops_told_until[DROP_KINDS]; /* when their notices are paid */
	/* The sender that the datagram under way claims; NODE_NONE. */
	node_id claimed;
	/* Peers that seem to have another key. */
	struct peer_set other_keys;
	bool is_abstaining; /* an operator wants another to lead; */
	bool
	    is_alone; /* no more, as nobody else stands, and nobody leads yet */
	bool is_named; /* an operator wants this one to lead */
	struct handover handover;
	nsec_t succeed_at; /* it begins no election for a leader that makes
	                    * room before */
	bool is_leaving; /* it is to end, and leads on until there is another */
	bool is_stopping; /* it has said goodbye */

	bool can_persist;
	bool persist_due;
	bool is_persisting; /* `persisting` is being written */
	struct durable_state persisting;
	bool is_mute; /* nothing leaves before the incarnation is durable */
	bool reply_due;
	size_t reply_size;
	uint8_t reply[HANDSHAKE_BYTES];
	struct peer_set wills_due; /* peers whose wills are to be renewed */
	uint64_t willed_term;      /* that the wills release */
	struct node_counters counters;
};

/* peers.c */
size_t peers_size(unsigned peers_count);
void peers_init(struct node *node, void *memory);
struct peer *node_find(struct node *node, node_id id);
unsigned node_budget(const struct node *node, unsigned whole);
unsigned node_budget_max(const struct node *node);
void peer_touch(struct node *node, const struct peer *p);
void node_touch_all(struct node *node);
void peer_settle(struct node *node, const struct peer *p);
void peer_tell(struct node *node, struct peer *p);
nsec_t peers_deadline(const struct node *node);
void peers_check(const struct node *node);

/* node.c */
nsec_t node_detection(const struct node *node);
struct rank node_rank(const struct node *node, nsec_t now);
void node_leave(struct node *node);
bool node_is_duplicate(const struct node *node, nsec_t now);
void node_note(struct node *node, nsec_t now, struct notice n);
void node_trace(struct node *node, nsec_t now, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void node_fresh(struct node *node, uint8_t *bytes, size_t size);

/* drop.c */
void node_drop(struct node *node, nsec_t now, struct peer *p, enum drop reason);
void node_drop_unopened(
    struct node *node, nsec_t now, struct peer *p, enum drop reason);
void node_forgive_key(struct node *node, nsec_t now, struct peer *p);
void node_forget_keys(struct node *node, nsec_t now);

/* timers.c */
nsec_t node_health_lasts(const struct node *node);
nsec_t node_lag(const struct node *node, nsec_t now);
bool node_was_given_up(const struct node *node, nsec_t now);
void node_wake(struct node *node, nsec_t now);
void node_suspect(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);
void node_beat_along(struct node *node, nsec_t now);
void node_tick_peers(struct node *node, nsec_t now);
nsec_t peer_deadline(const struct node *node, const struct peer *p);

/* handshake.c */
void node_hello(struct node *node, nsec_t now, struct peer *p, bool stranger,
    const struct packet_head *head, const uint8_t *bytes, size_t size);
/* The peer answers our hello, or refuses our answer to its own. True if we have
 * to prove under *s, the session that this answer makes, that we are alive. */
bool node_hello_ack(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    struct session *s);
size_t node_build_hello(struct node *node, struct peer *p, uint8_t *datagram);

/* node.c: the others know of a life of ours up to `known`. Unless that is
 * behind us, our state was lost: we go above it, and begin anew. */
void node_refute(struct node *node, nsec_t now, uint64_t known);

/* node.c */
void node_session_begin(struct node *node, nsec_t now, struct peer *p,
    const struct session *s, const uint8_t *instance);
void node_session_end(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);
struct peer *node_hoarder(struct node *node, struct peer *p);
void node_confirm(
    struct node *node, nsec_t now, struct peer *p, struct offer *made);
void node_link_judge(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);
enum evidence node_process_end(
    struct node *node, nsec_t now, node_id id, uint64_t incarnation);
void node_note_duplicates(struct node *node, nsec_t now);
void node_set_differs(
    struct node *node, nsec_t now, struct peer *p, bool differs);

/* topology.c */
#define LINK_NONE UINT_MAX
bool node_is_ring(const struct node *node);
void node_links_update(struct node *node, nsec_t now, const struct peer *p);
void node_links_rank(struct node *node, nsec_t now, const struct peer *p);
struct peer *node_link_peer(struct node *node, unsigned link);
unsigned node_link_find(
    struct node *node, const struct peer *p, unsigned sent_on);
bool node_keeps(const struct node *node, const struct peer *p);
bool node_takes_part(const struct node *node);
bool node_hears_all(const struct node *node);
unsigned node_hops(const struct node *node, const struct peer *p);

/* ring.c */
void ring_init(struct node *node, const struct node_setup *setup, nsec_t now);
void ring_update(struct node *node, nsec_t now);
void ring_hear(struct node *node, nsec_t now, struct peer *p, unsigned flags);
unsigned ring_flags(const struct node *node, const struct peer *p);
void ring_part(struct node *node, nsec_t now);
bool ring_keeps(const struct node *node, const struct peer *p);
bool ring_is_whole(const struct node *node);
bool ring_is_alone(const struct node *node);
bool ring_is_closed(const struct node *node);
nsec_t ring_deadline(const struct node *node);

/* quorum.c */
bool node_is_quorum(const struct node *node);
bool role_votes(enum role role);
struct owner quorum_self(const struct node *node);
void quorum_init(struct node *node, struct grant *grants, nsec_t now);
bool quorum_is_able(const struct node *node, nsec_t now);
bool quorum_has_vote(const struct node *node, nsec_t now);
bool quorum_keeps(const struct node *node, const struct peer *p);
unsigned quorum_votes(const struct node *node, nsec_t now);
bool quorum_holds(const struct node *node, nsec_t now, bool is_contest);
bool quorum_sees_request(const struct node *node, nsec_t now);
bool quorum_awaits(const struct node *node, nsec_t now);
void quorum_look(struct node *node, nsec_t now);
void quorum_heed(
    struct node *node, nsec_t now, const struct vote_response *vote);
void quorum_drop(struct node *node, nsec_t now);
bool quorum_releases(const struct node *node);
void quorum_beat(struct node *node, nsec_t now);
void quorum_tick(struct node *node, nsec_t now);
nsec_t quorum_until(const struct node *node);
bool quorum_is_over(const struct node *node, nsec_t now);
nsec_t quorum_deadline(const struct node *node);

/* candidate.c */
void quorum_pause(struct node *node, nsec_t now, nsec_t pause);
void quorum_back_off(struct node *node, nsec_t now);
void quorum_vote(struct node *node, nsec_t now, node_id voter, unsigned number,
    const struct vote_response *vote);
void quorum_ask(struct node *node, nsec_t now);
void quorum_ask_self(struct node *node, nsec_t now);
void quorum_nominate(struct node *node, nsec_t now, uint64_t term);
void quorum_renounce(struct node *node, nsec_t now);

/* voting.c */
void quorum_reconsider(struct node *node, nsec_t now);
void quorum_add_rival(
    struct node *node, nsec_t now, node_id nominee, struct vote_response *vote);
enum request_outcome quorum_judge(struct node *node, nsec_t now,
    struct owner nominee, const struct vote_request *request,
    struct vote_response *vote);
void quorum_take_request(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request);
void quorum_take_vote(struct node *node, nsec_t now, struct peer *p,
    const struct vote_response *vote);
void quorum_take_release(
    struct node *node, nsec_t now, struct owner owner, uint64_t term);
void quorum_take_lease_left(struct node *node, nsec_t now,
    const struct beacon *beacon, const struct lease_left *t);
bool quorum_credits(const struct node *node, nsec_t now,
    const struct beacon *beacon, const struct lease_left *t);
bool quorum_request_of(const struct node *node, nsec_t now,
    const struct peer *p, struct vote_request *request);
bool quorum_lease_left_of(const struct node *node, nsec_t now,
    const struct peer *p, struct lease_left *t);
void node_distrust(struct node *node, nsec_t now, enum state_health memory);
bool node_record(struct node *node, nsec_t now, struct durable_state *record);

/* message_reports.c */
size_t node_costs_capacity(unsigned peers_count);
void node_take_report(struct node *node, nsec_t now, struct peer *from,
    const struct cost_report *r);
void node_costs(struct node *node, nsec_t now);

/* receive.c */
void node_take_datagram(struct node *node, nsec_t now, unsigned peer,
    const uint8_t *bytes, size_t size);

/* send.c */
bool peer_is_due(const struct peer *p);
size_t node_build_session(struct node *node, nsec_t now, struct peer *p,
    struct session *session, enum packet_type type, uint8_t *datagram);

/* liveness.c */
void refusal_tick(struct node *node, struct peer *p, nsec_t now);
void refusal_forget(struct peer *p);
void refusal_believe(struct node *node, nsec_t now, struct peer *p);
void refusal_heed(struct node *node, nsec_t now, const struct peer *from);
void refusal_ask_leader(struct node *node, const struct peer *for_whom);
void refusal_tell(struct node *node, const struct peer *leader);

/* steady.c */
void steady_lose(struct node *node, nsec_t now, const struct peer *lost);
void steady_meet(
    struct node *node, nsec_t now, struct peer *p, bool is_new_process);
void steady_told(struct node *node, nsec_t now, unsigned restarts);
bool node_is_steady(const struct node *node, nsec_t now);
nsec_t steady_deadline(const struct node *node);

/* liveness.c */
void watch_init(struct node *node);
bool watch_is_star(const struct node *node);
bool watch_is_neighbour(const struct node *node, const struct peer *p);
void watch_update(struct node *node);
void watch_round(struct node *node);
void watch_doubt(struct peer *p);
bool watch_is_limited(const struct node *node);
bool watch_doubts(const struct node *node, nsec_t now, const struct peer *p);
nsec_t watch_answer_at(const struct node *node, const struct peer *p);
void watch_hear(struct node *node, struct peer *p, unsigned flags);
unsigned watch_flags(const struct peer *p);
size_t watch_members(struct node *node);
void watch_take_members(
    struct node *node, const struct peer *from, const struct members *members);

/* handover.c */
bool handover_has_successor(const struct node *node);
void handover_make(struct node *node, nsec_t now, struct reason reason,
    bool is_planned, node_id to);
void handover_tick(struct node *node, nsec_t now);
void handover_moved(
    struct node *node, nsec_t now, node_id voter, uint64_t promised);
void handover_close(struct node *node);
void handover_renew(struct node *node, node_id leader);
nsec_t handover_deadline(const struct node *node);
bool handover_is_made_by(const struct node *node, struct owner holder);
void handover_end_abstention(struct node *node, nsec_t now);
bool handover_is_early(const struct node *node, const struct beacon *beacon);
void handover_heed(struct node *node, nsec_t now);
void handover_succeed(struct node *node, nsec_t now);

/* lastwill.c */
void will_change(struct node *node, struct peer *p);
bool will_act(struct node *node, struct action *action);
void node_take_will(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size);

/* beacon.c */
nsec_t node_stale_at(const struct node *node, nsec_t now,
    const struct peer *from, unsigned hops);
void node_hand_on(struct node *node);
bool node_knows_outcome(const struct node *node);
struct reason node_lack(const struct node *node);
struct reason lead_flaw(struct node *node, nsec_t now);
size_t notices_wanted(unsigned peers, bool trace);
void node_flush_election(struct node *node, nsec_t now);
void refusal_take(struct node *node, nsec_t now, struct peer *p);
void voting_reconsider(struct node *node, nsec_t now);
void node_reincarnate(struct node *node, nsec_t now, uint64_t incarnation,
    enum reason_kind reason);

/* node.c */
void node_message(
    struct node *node, nsec_t now, struct peer *p, const struct message *m);
void node_begin_election(struct node *node, nsec_t now, struct reason reason);
void node_flush_election(struct node *node, nsec_t now);

/* leadership.c */
void node_beacon(struct node *node, nsec_t now, struct peer *from,
    const struct beacon *beacon);
void node_follow(struct node *node, nsec_t now, const struct beacon *beacon,
    struct reason reason, nsec_t stale_at);
bool node_leads(const struct node *node);
void node_unfollow(struct node *node, nsec_t now, struct reason reason);
bool node_may_begin(const struct node *node, nsec_t now);
bool node_may_contest(const struct node *node, nsec_t now);
bool node_wants_leader(const struct node *node, nsec_t now);
nsec_t node_turn(const struct node *node, nsec_t now, nsec_t limit);
void node_lose_leader(struct node *node, nsec_t now, struct reason reason);
void node_expire(struct node *node, nsec_t now);
void node_conclude(struct node *node, nsec_t now);

#endif
