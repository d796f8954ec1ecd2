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
#include "common/node/peer.h"
#include "common/quorum/lease.h"
#include "common/quorum/voter.h"
#include "common/util/arena.h"
#include "common/util/peer_set.h"
#include "common/wire/costs.h"

#define HELLO_EAGER     10        /* hellos at first, one a heartbeat */
#define HELLO_LAZY      (1 * SEC) /* between two hellos, after those */
#define DUPLICATE_LASTS (3 * SEC) /* without new evidence: three lazy hellos */
#define VOTER_NONE      UINT_MAX  /* no number among the voters */

/* One side of a ring, as this node sees it. */
struct ring_side {
	unsigned *order; /* peers, the nearest first */
	unsigned count;
	unsigned taken; /* index in `order`; count: nobody */
	unsigned reach; /* so many of them are sought */
};

struct ring {
	struct ring_side sides[RING_LINKS]; /* by enum ring_link */
	bool is_bypassed;   /* one side alone takes us: we step aside */
	nsec_t bypassed_at; /* when patience ends; NSEC_NEVER: no reason to */
	nsec_t widen_at;    /* when to look further; NSEC_NEVER: no need */
};

/* The links that the election sees (topology.c). */
struct topology_links {
	struct link *links;
	unsigned links_count;
	struct ring ring;
};

/* Our own part in the guarantee "quorum" (quorum.c, voting.c, candidate.c). */
struct quorum {
	struct voter voter;
	struct lease lease;
	unsigned number;       /* our own among the voters; VOTER_NONE */
	bool is_there;         /* we hear a majority */
	bool was_lost;         /* we lost it, and have taken no leader since */
	nsec_t ask_at;         /* when a denied request may be granted */
	nsec_t begin_at;       /* we begin no election before; 0: we may */
	unsigned denials;      /* failed nominations in a row, for back-off */
	nsec_t calm_at;        /* a failure after this begins a new row */
	nsec_t promise_at;     /* we promise a peer no other term before */
	nsec_t release_at;     /* when we may tell what we gave up */
	unsigned releases_due; /* heartbeats that still tell it */
	struct rank rival;     /* asks in vain while another holds the lease */
	uint64_t rival_term;   /* that the rival asks for */
	nsec_t rival_until;    /* it has to ask again before */
	nsec_t lease_left_until; /* the lease of the leader that we follow, on
	                          * our clock; 0: unknown */
};

/* A leader that hands over leads on until there is another (handover.c). */
struct handover {
	bool is_made;         /* we hand over */
	struct reason reason; /* why */
	bool is_told;         /* the others know, and elect */
	bool has_waited;      /* we gave them more time for that once */
	bool awaits_disks;    /* and once for promises to be durable */
	bool is_planned;      /* they begin for us; else we lost an election */
	node_id to;           /* named by an operator; NODE_NONE */
	nsec_t at;            /* when we tell, or else give up */
	uint64_t moved_to;    /* the term that our own voter has promised */
	node_id successor;    /* was told to begin: it hears all first */
	nsec_t succeed_at;    /* as a successor: we begin not before */
};

/* A peer, to be found by its id. */
struct named {
	node_id id;
	unsigned index;
};

/* Orders and sets of the peers (peers.c). */
struct peer_table {
	struct named *by_id;     /* in the order of ids */
	unsigned *by_rank;       /* as configured, the best first */
	struct peer_set touched; /* something may be due to these */
	nsec_t *wake_at;         /* when each of the others wants attention */
	unsigned place;          /* our own in the order of all ids */
	uint32_t sessions_count; /* that there have been: names them */
	unsigned sessions_now;
};

/* Keys, and what is drawn from the seed (context.c, handshake.c). */
struct node_keys {
	uint8_t handshake[KEY_BYTES];
	uint8_t old_handshake[KEY_BYTES];
	uint8_t id;
	uint8_t old_id;
	uint32_t cluster_tag;
	uint8_t instance[SALT_BYTES];
	uint64_t fresh_count; /* values drawn with seal_fresh() */
};

/* Whom we watch, and what the leader says of whom it hears (liveness.c). */
struct node_liveness {
	bool watches_all;       /* at the last look: there was no leader, or
	                          * it was in doubt, or an election ran */
	node_id watched_leader; /* at the last look; ourselves, perhaps */
	bool watch_is_old;      /* a peer has come or gone since */
	struct peer_set watched_best; /* the best, where there is no leader */
	unsigned watch_turn;    /* the next to be asked, leaderless, by id */
	unsigned missed_turn;   /* the first of those that the leader misses */
	nsec_t ask_leader_at;   /* we ask it for others not before */
	bool asks_leader;       /* we did, and wait for its answer */
	uint16_t members_agree; /* nodes that follow our leader, as it says */
	nsec_t members_at;      /* we read its next list not before */
	size_t members_size;    /* of our own list; 0: to be gathered */
	uint8_t members[MEMBERS_BYTES_MAX]; /* as a leader */
};

/* The stall meter (liveness.c). */
struct node_stall {
	nsec_t wanted;         /* the deadline that we asked for */
	nsec_t woken;          /* the last input */
	nsec_t arrived;        /* the last datagram, by its age */
	unsigned local_health; /* 0: we run when we should; to HEALTH_MAX */
	nsec_t healthy_at;     /* when it is one better */
	nsec_t spoke_at;       /* the last heartbeats */
};

/* The leader, beside its beacon (node.c, beacon.c). */
struct node_view {
	struct peer *leader_by; /* its latest sign came from; NULL: not yet */
	bool found_nobody;      /* the last election: nobody is eligible */
	uint64_t noted_term;    /* of the last NOTICE_ELECTION */
	unsigned said;          /* what we said of ourselves to all, as bits */
};

/* What the election cost in messages (message_reports.c). */
struct node_reports {
	struct cost_report reported; /* what we said last of ourselves */
	unsigned reported_beats;     /* since that changed */
	struct costs costs;          /* of our term, if we lead */
	nsec_t changed;              /* when those did */
	bool is_told;                /* the host knows them as they are */
};

/* How far this process takes part. */
struct node_life {
	bool is_starting;      /* we listen */
	nsec_t startup_at;     /* until then */
	nsec_t eligible_since; /* PREEMPT_AFTER counts from here */
	bool is_abstaining;    /* an operator wants another to lead */
	bool is_alone;         /* no more, as nobody else is eligible */
	bool is_named;         /* an operator wants us to lead */
	bool is_leaving;       /* we end once another leads */
	bool is_stopping;      /* we have said goodbye */
};

/* Whether this node is steady (steady.c). */
struct node_steady {
	struct flaps flaps;
	nsec_t at;              /* we are unsteady until then */
	nsec_t alone_at;        /* we last lost a peer and heard no other */
	unsigned told_restarts; /* the most that a peer told of us */
};

/* Ids in use twice, and our incarnation (handshake.c, node.c). */
struct node_process {
	nsec_t duplicate_until;     /* ours is, up to then */
	bool duplicate_noted;       /* the host knows */
	struct peer_set duplicates; /* peers whose id is, or was */
	nsec_t refute_at; /* we go above a known incarnation not before */
};

/* Datagrams that we drop (drop.c). */
struct node_drops {
	struct drop_note strangers[DROP_KINDS];
	nsec_t told_until[DROP_KINDS]; /* when their notices are paid */
	node_id claimed; /* sender of the datagram under way, as it says */
	struct peer_set other_keys; /* peers that seem to have another key */
};

/* The durable state on its way to the disk (durable.c). */
struct node_disk {
	bool can_persist;
	bool is_due;
	bool is_writing;
	struct durable_state writing;
	bool is_mute; /* nothing leaves before our incarnation is durable */
};

/* An answer to the datagram that came in (send.c). */
struct node_reply {
	bool is_due;
	size_t size;
	uint8_t bytes[HANDSHAKE_BYTES];
	nsec_t stranger_answer_at; /* answers to strangers are free of debt */
};

/* The last wills (lastwill.c). */
struct node_will {
	struct peer_set due; /* peers whose wills are to be sealed anew */
	uint64_t term;       /* that the wills give up */
};

/* Whose turn it is (timers.c, send.c). */
struct node_turns {
	nsec_t heartbeat_at;
	unsigned send;  /* 0: a round begins; else after this number */
	unsigned hello; /* the next to be asked, by id */
};

struct node {
	struct node_setup setup; /* no pointer of it is used after node_init();
	                          * its durable state and state health are those
	                          * of now */
	struct node_keys keys;
	struct random random;
	struct peer *peers;
	unsigned peers_count;
	struct peer_table table;
	struct topology_links topology;
	struct blocks *blocks;
	struct peer *speaker; /* its messages are being delivered; NULL */
	struct notices notices;
	struct node_counters counters;

	struct node_life life;
	struct node_process process;
	struct node_stall stall;
	struct node_turns turns;
	struct node_liveness live;
	struct node_steady steady;
	struct election election;
	struct lead lead;
	struct node_view view;
	struct quorum quorum;
	struct handover handover;
	struct node_reports reports;
	struct node_drops drops;
	struct node_disk disk;
	struct node_reply reply;
	struct node_will will;
};

/* peers.c */
size_t peers_size(unsigned peers_count);
void peers_init(struct node *node, void *memory);
struct peer *peers_find(struct node *node, node_id id);
unsigned peers_budget(const struct node *node, unsigned whole);
unsigned peers_budget_max(const struct node *node);
void peers_touch(struct node *node, const struct peer *p);
void peers_touch_all(struct node *node);
void timers_settle(struct node *node, const struct peer *p);
void peers_schedule(struct node *node, struct peer *p);
nsec_t timers_peers_deadline(const struct node *node);
void timers_check(const struct node *node);

/* node.c */
nsec_t node_detection(const struct node *node);
struct rank leadership_rank(const struct node *node, nsec_t now);
void node_leave(struct node *node);
bool node_is_duplicate(const struct node *node, nsec_t now);
void node_note(struct node *node, nsec_t now, struct notice n);
void node_trace(struct node *node, nsec_t now, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void node_fresh(struct node *node, uint8_t *bytes, size_t size);

/* drop.c */
void drop_datagram(
    struct node *node, nsec_t now, struct peer *p, enum drop reason);
void drop_unopened(
    struct node *node, nsec_t now, struct peer *p, enum drop reason);
void drop_forgive_key(struct node *node, nsec_t now, struct peer *p);
void drop_forget_keys(struct node *node, nsec_t now);

/* timers.c */
nsec_t liveness_health_lasts(const struct node *node);
nsec_t liveness_lag(const struct node *node, nsec_t now);
bool liveness_was_given_up(const struct node *node, nsec_t now);
void node_wake(struct node *node, nsec_t now);
void node_suspect(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);
void timers_beat_along(struct node *node, nsec_t now);
void timers_tick(struct node *node, nsec_t now);
nsec_t timers_peer_deadline(const struct node *node, const struct peer *p);

/* handshake.c */
void handshake_take_hello(struct node *node, nsec_t now, struct peer *p,
    bool stranger, const struct packet_head *head, const uint8_t *bytes,
    size_t size);
/* The peer answers our hello, or refuses our answer to its own. True if we have
 * to prove under *s, the session that this answer makes, that we are alive. */
bool handshake_take_ack(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    struct session *s);
size_t handshake_build_hello(
    struct node *node, struct peer *p, uint8_t *datagram);

/* node.c: the others know of a life of ours up to `known`. Unless that is
 * behind us, our state was lost: we go above it, and begin anew. */
void node_refute(struct node *node, nsec_t now, uint64_t known);

/* node.c */
void node_session_begin(struct node *node, nsec_t now, struct peer *p,
    const struct session *s, const uint8_t *instance);
void node_session_end(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);
struct peer *peers_hoarder(struct node *node, struct peer *p);
void handshake_confirm(
    struct node *node, nsec_t now, struct peer *p, struct offer *made);
void node_link_judge(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);
enum evidence handshake_process_end(
    struct node *node, nsec_t now, node_id id, uint64_t incarnation);
void handshake_note_duplicates(struct node *node, nsec_t now);
void handshake_set_differs(
    struct node *node, nsec_t now, struct peer *p, bool differs);

/* topology.c */
#define LINK_NONE UINT_MAX
bool node_is_ring(const struct node *node);
void topology_update(struct node *node, nsec_t now, const struct peer *p);
void topology_set_rank(struct node *node, nsec_t now, const struct peer *p);
struct peer *topology_peer(struct node *node, unsigned link);
unsigned topology_find(
    struct node *node, const struct peer *p, unsigned sent_on);
bool topology_keeps(const struct node *node, const struct peer *p);
bool topology_takes_part(const struct node *node);
bool topology_hears_all(const struct node *node);
unsigned topology_hops(const struct node *node, const struct peer *p);

/* ring.c */
void ring_init(struct node *node, const struct node_setup *setup, nsec_t now);
void ring_update(struct node *node, nsec_t now);
void ring_hear(struct node *node, nsec_t now, struct peer *p, unsigned flags);
unsigned ring_flags(const struct node *node, const struct peer *p);
void topology_part(struct node *node, nsec_t now);
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
bool node_keeps_for_votes(const struct node *node, const struct peer *p);
unsigned quorum_votes(const struct node *node, nsec_t now);
bool quorum_holds(const struct node *node, nsec_t now, bool is_contest);
bool quorum_sees_request(const struct node *node, nsec_t now);
bool quorum_awaits(const struct node *node, nsec_t now);
void candidate_look(struct node *node, nsec_t now);
void candidate_heed_rival(
    struct node *node, nsec_t now, const struct vote_response *vote);
void candidate_drop(struct node *node, nsec_t now);
bool quorum_releases(const struct node *node);
void candidate_beat(struct node *node, nsec_t now);
void candidate_tick(struct node *node, nsec_t now);
nsec_t quorum_until(const struct node *node);
bool quorum_is_over(const struct node *node, nsec_t now);
nsec_t quorum_deadline(const struct node *node);

/* candidate.c */
void candidate_pause(struct node *node, nsec_t now, nsec_t pause);
void candidate_back_off(struct node *node, nsec_t now);
void candidate_count_vote(struct node *node, nsec_t now, node_id voter,
    unsigned number, const struct vote_response *vote);
void candidate_ask(struct node *node, nsec_t now);
void candidate_ask_self(struct node *node, nsec_t now);
void candidate_nominate(struct node *node, nsec_t now, uint64_t term);
void candidate_renounce(struct node *node, nsec_t now);

/* voting.c */
void candidate_reconsider(struct node *node, nsec_t now);
void voting_add_rival(
    struct node *node, nsec_t now, node_id nominee, struct vote_response *vote);
enum request_outcome voting_judge(struct node *node, nsec_t now,
    struct owner nominee, const struct vote_request *request,
    struct vote_response *vote);
void voting_take_request(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request);
void candidate_take_vote(struct node *node, nsec_t now, struct peer *p,
    const struct vote_response *vote);
void candidate_take_release(
    struct node *node, nsec_t now, struct owner owner, uint64_t term);
void quorum_take_lease_left(struct node *node, nsec_t now,
    const struct beacon *beacon, const struct lease_left *t);
bool quorum_credits(const struct node *node, nsec_t now,
    const struct beacon *beacon, const struct lease_left *t);
bool quorum_request_of(const struct node *node, nsec_t now,
    const struct peer *p, struct vote_request *request);
bool quorum_lease_left_of(const struct node *node, nsec_t now,
    const struct peer *p, struct lease_left *t);
void durable_distrust(struct node *node, nsec_t now, enum state_health memory);
bool durable_take(struct node *node, nsec_t now, struct durable_state *record);

/* message_reports.c */
size_t message_reports_capacity(unsigned peers_count);
void message_reports_take(struct node *node, nsec_t now, struct peer *from,
    const struct cost_report *r);
void message_reports_beat(struct node *node, nsec_t now);

/* receive.c */
void receive_datagram(struct node *node, nsec_t now, unsigned peer,
    const uint8_t *bytes, size_t size);

/* send.c */
bool peers_is_due(const struct peer *p);
size_t send_build_session(struct node *node, nsec_t now, struct peer *p,
    struct session *session, enum packet_type type, uint8_t *datagram);

/* liveness.c */
void liveness_tick_refusal(struct node *node, struct peer *p, nsec_t now);
void liveness_forget_refusals(struct peer *p);
void liveness_believe_refusal(struct node *node, nsec_t now, struct peer *p);
void liveness_heed_refusals(
    struct node *node, nsec_t now, const struct peer *from);
void liveness_ask_leader(struct node *node, const struct peer *for_whom);
void liveness_tell_answer(struct node *node, const struct peer *leader);

/* steady.c */
void steady_lose(struct node *node, nsec_t now, const struct peer *lost);
void steady_meet(
    struct node *node, nsec_t now, struct peer *p, bool is_new_process);
void steady_told(struct node *node, nsec_t now, unsigned restarts);
bool steady_is_steady(const struct node *node, nsec_t now);
nsec_t steady_deadline(const struct node *node);

/* liveness.c */
void liveness_init(struct node *node);
bool node_is_star(const struct node *node);
bool liveness_is_neighbour(const struct node *node, const struct peer *p);
void liveness_update(struct node *node);
void liveness_round(struct node *node);
void liveness_question(struct peer *p);
bool node_is_limited(const struct node *node);
bool liveness_doubts(const struct node *node, nsec_t now, const struct peer *p);
nsec_t liveness_answer_at(const struct node *node, const struct peer *p);
void liveness_hear(struct node *node, struct peer *p, unsigned flags);
unsigned liveness_flags(const struct peer *p);
size_t liveness_members(struct node *node);
void liveness_take_members(
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
bool leadership_hands_over(const struct node *node, struct owner holder);
void handover_end_abstention(struct node *node, nsec_t now);
bool handover_is_early(const struct node *node, const struct beacon *beacon);
void handover_heed(struct node *node, nsec_t now);
void handover_succeed(struct node *node, nsec_t now);

/* lastwill.c */
void lastwill_change(struct node *node, struct peer *p);
void lastwill_end_session(struct node *node, struct peer *p);
void liveness_reset(struct peer *p);
void voting_reset(struct peer *p);
void ring_reset(struct peer *p);
void handshake_reset(struct peer *p, nsec_t now);
void handshake_forget_offers(struct peer *p);
bool lastwill_act(struct node *node, struct action *action);
void lastwill_take(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size);

/* beacon.c */
nsec_t leadership_stale_at(const struct node *node, nsec_t now,
    const struct peer *from, unsigned hops);
void leadership_hand_on(struct node *node);
bool leadership_knows_outcome(const struct node *node);
struct reason leadership_lack(const struct node *node);
struct reason leadership_flaw(struct node *node, nsec_t now);
size_t notices_wanted(unsigned peers, bool trace);
void node_flush_election(struct node *node, nsec_t now);
void liveness_take_refusal(struct node *node, nsec_t now, struct peer *p);
void voting_reconsider(struct node *node, nsec_t now);
void node_reincarnate(struct node *node, nsec_t now, uint64_t incarnation,
    enum reason_kind reason);

/* node.c */
void messages_take(
    struct node *node, nsec_t now, struct peer *p, const struct message *m);
void node_begin_election(struct node *node, nsec_t now, struct reason reason);
void node_flush_election(struct node *node, nsec_t now);

/* leadership.c */
void beacon_take(struct node *node, nsec_t now, struct peer *from,
    const struct beacon *beacon);
void node_follow(struct node *node, nsec_t now, const struct beacon *beacon,
    struct reason reason, nsec_t stale_at);
bool node_leads(const struct node *node);
void node_unfollow(struct node *node, nsec_t now, struct reason reason);
bool leadership_may_begin(const struct node *node, nsec_t now);
bool leadership_may_contest(const struct node *node, nsec_t now);
bool leadership_is_wanted(const struct node *node, nsec_t now);
nsec_t leadership_turn(const struct node *node, nsec_t now, nsec_t limit);
void node_lose_leader(struct node *node, nsec_t now, struct reason reason);
void node_expire(struct node *node, nsec_t now);
void node_conclude(struct node *node, nsec_t now);

#endif
