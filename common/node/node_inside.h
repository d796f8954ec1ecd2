/* SPDX-License-Identifier: ISC */
/*
 * The inside of a node, for the files of common/node alone. Each input takes
 * three steps: node_wake() notices whether the process stalled, the input's own
 * function handles it, and node_conclude() draws the conclusions for the
 * leadership. A step stores no actions: it sets due flags and queues notices,
 * and node_act() builds each action when the caller pulls it. So all that one
 * input causes reaches a peer in one datagram.
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

/* A handover: ours as the leader, or to us as the successor (handover.c). */
struct handover {
	bool is_made;         /* we hand over */
	struct reason reason; /* of the election that follows */
	bool is_told;         /* our beacon says that we hand over */
	bool has_waited;   /* we have waited longer for the election's timer */
	bool awaits_disks; /* we have waited longer for the voters' disks */
	bool is_planned;   /* by our own plan; else we lost an election */
	node_id to;        /* named by an operator; NODE_NONE */
	nsec_t at;         /* of the next step: to tell, or to give up */
	uint64_t moved_to; /* the term that our own voter has promised */
	node_id successor; /* named by our beacon; it is sent that first */
	nsec_t succeed_at; /* as a successor, we begin no election before */
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

/* What is derived from the cluster's keys and from the process's entropy
 * (context.c, handshake.c, init.c). */
struct node_keys {
	uint8_t handshake[KEY_BYTES];     /* of the cluster's first key */
	uint8_t old_handshake[KEY_BYTES]; /* of its second key, if any */
	uint8_t id;                       /* of the first key */
	uint8_t old_id;                   /* of the second key */
	uint32_t cluster_tag;             /* of the cluster's name */
	uint8_t instance[SALT_BYTES];     /* of this process */
	uint64_t fresh_count;             /* values drawn with seal_fresh() */
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
	struct peer *leader_by; /* handed us its newest beacon; NULL: nobody */
	bool found_nobody;      /* the last election had no eligible node */
	uint64_t noted_term;    /* of the last NOTICE_ELECTION */
	unsigned said; /* what we last told all of ourselves, as bits */
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
	bool is_starting;      /* we listen and begin no election */
	nsec_t startup_at;     /* when is_starting ends */
	nsec_t eligible_since; /* PREEMPT_AFTER counts from here */
	bool is_abstaining;    /* an operator wants another node to lead */
	bool is_alone;         /* nobody was eligible, so we abstain no more */
	bool is_named;         /* an operator named us as successor */
	bool is_leaving;       /* we stop once another node leads */
	bool is_stopping;      /* we say goodbye, or have said it */
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
	nsec_t duplicate_until; /* our id counts as in use twice till then */
	bool duplicate_noted;   /* the host knows that it is */
	struct peer_set duplicates; /* peers whose ids are, or lately were */
	nsec_t refute_at;           /* we refute no incarnation before */
};

/* Datagrams that we drop (drop.c). */
struct node_drops {
	struct drop_note strangers[DROP_KINDS]; /* of no configured peer */
	nsec_t told_until[DROP_KINDS]; /* when the kind's bucket is empty */
	node_id claimed; /* source that the present datagram claims */
	struct peer_set other_keys; /* peers that seem to have another key */
};

/* The durable state on its way to the disk (durable.c). */
struct node_disk {
	bool can_persist; /* there is a state file, and no write has failed */
	bool is_due;      /* the durable state has changed */
	bool is_writing;  /* ACTION_PERSIST was given, and has not ended */
	struct durable_state writing; /* what it writes */
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
	uint64_t term;       /* that the releasing wills give up; 0: none */
};

/* Whose turn it is (timers.c, send.c). */
struct node_turns {
	nsec_t heartbeat_at;
	unsigned send;  /* 0: a round begins; else after this number */
	unsigned hello; /* the next to be asked, by id */
};

struct node {
	struct node_setup setup; /* of its pointers only `algorithm` is valid
	                          * after node_init(); its durable state and
	                          * state health are kept up to date */
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

/* beacon.c */

/* Takes a beacon that came from this peer: follows its leader, renews ours,
 * begins an election, or ignores it (PROTOCOL.md, Beacon). */
void beacon_take(struct node *node, nsec_t now, struct peer *from,
    const struct beacon *beacon);

/* candidate.c */

/* Begins no election for `pause` from now on. */
void candidate_pause(struct node *node, nsec_t now, nsec_t pause);

/* Begins no election for a random pause, which grows with each failure soon
 * after another (PROTOCOL.md, Rivals). Quorum only. */
void candidate_back_off(struct node *node, nsec_t now);

/* Counts the response of the voter `voter`, which has this number among the
 * voters. Responses to other requests than our present one have no effect. */
void candidate_count_vote(struct node *node, nsec_t now, node_id voter,
    unsigned number, const struct vote_response *vote);

/* Asks our own voter for our present request, if it may vote. Its promise has
 * to be durable first, as any other voter's. */
void candidate_ask_self(struct node *node, nsec_t now);

/* Sends our vote request to each voter and asks our own; does nothing if we
 * request no term. */
void candidate_ask(struct node *node, nsec_t now);

/* Takes the algorithm's nomination for `term` and requests votes; ignores it
 * if we are not eligible or have held or given up that term. */
void candidate_nominate(struct node *node, nsec_t now, uint64_t term);

/* Gives up a request that does not hold yet, if a later term was seen; begins
 * an election above that term unless one of it has reached us. */
void candidate_renounce(struct node *node, nsec_t now);

/* Notes whether we hear a majority of the voters, and tells the host when that
 * changes. Losing the majority ends our election and our request. */
void candidate_look(struct node *node, nsec_t now);

/* As the leader, answers to the rival that a response to our present request
 * names: hands over to a better one, elects above a worse one. */
void candidate_heed_rival(
    struct node *node, nsec_t now, const struct vote_response *vote);

/* Gives up the terms that we request or hold, for ever. The voters hear of it
 * as soon as no deadline of a client lies ahead (PROTOCOL.md, Release). */
void candidate_drop(struct node *node, nsec_t now);

/* Asks the voters, once a round of heartbeats. Quorum only. */
void candidate_beat(struct node *node, nsec_t now);

/* Does what is due by now: the release, a request that a voter told us to
 * repeat, the end of a pause. */
void candidate_tick(struct node *node, nsec_t now);

/* Takes a vote response of a peer; ignores it unless the peer is a voter. */
void candidate_take_vote(struct node *node, nsec_t now, struct peer *p,
    const struct vote_response *vote);

/* The process `owner` has given up its terms up to `term`, or is dead. Judges
 * anew what its lease held up at our voter. */
void candidate_take_release(
    struct node *node, nsec_t now, struct owner owner, uint64_t term);

/* The lease that our own voter granted has ended: answers the requests that it
 * denied, and repeats ours. */
void candidate_reconsider(struct node *node, nsec_t now);

/* Asserts every invariant of the nominee. */
void candidate_check(const struct node *node);

/* context.c */

/* True under the guarantee "quorum". */
bool node_is_quorum(const struct node *node);

/* True if the topology is a ring. */
bool node_is_ring(const struct node *node);

/* True if sessions join more than neighbours: in `full` and under quorum
 * (PROTOCOL.md, Watching). */
bool node_is_star(const struct node *node);

/* True if a node watches only some of its peers at once. */
bool node_is_limited(const struct node *node);

/* True while this node is the leader that it follows. */
bool node_leads(const struct node *node);

/* The detection time without its margin: misses * heartbeat (PROTOCOL.md,
 * Detection time). */
nsec_t node_detection(const struct node *node);

/* True while another process uses this node's id. */
bool node_is_duplicate(const struct node *node, nsec_t now);

/* Draws `size` secret bytes, KEY_BYTES at most, that no other call of this
 * process draws. */
void node_fresh(struct node *node, uint8_t *bytes, size_t size);

/* Queues a notice for the host, with the time `now`. The queue has room for all
 * that one input adds; the caller drains it after each input. */
void node_note(struct node *node, nsec_t now, struct notice n);

/* The capacity of the queue that one input with so many peers cannot exceed. */
size_t notices_wanted(unsigned peers, bool trace);

/* Queues a line of the trace, if tracing is on and the queue has room beside
 * the notices. */
void node_trace(struct node *node, nsec_t now, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True if a node of this role is one of the voters. */
bool role_votes(enum role role);

/* True if quorum wants a session with this peer: vote requests or responses
 * pass between us. */
bool node_keeps_for_votes(const struct node *node, const struct peer *p);

/* drop.c */

/* Counts a datagram that is dropped, and tells the host of some. `p` is the
 * peer that it is from, or NULL. */
void drop_datagram(
    struct node *node, nsec_t now, struct peer *p, enum drop reason);

/* Drops a datagram that came from the peer's address and that no key of ours
 * opened: a hint that the peer has another key. */
void drop_unopened(
    struct node *node, nsec_t now, struct peer *p, enum drop reason);

/* The peer has proved that it has our key: ends the hint. */
void drop_forgive_key(struct node *node, nsec_t now, struct peer *p);

/* Ends the hints that are too old, or are about peers we do not seek. */
void drop_forget_keys(struct node *node, nsec_t now);

/* Asserts every invariant of the hint that this peer has another key. */
void drop_check(const struct node *node, const struct peer *p);

/* durable.c */

/* The durable state can no longer be trusted, for the reason `health`: this
 * node neither votes nor is eligible. Tells the host, once for each reason. */
void durable_distrust(struct node *node, nsec_t now, enum state_health memory);

/* Gives the durable state to write next; false if none is due, or a write is
 * under way, or the disk has failed. node_persisted() ends the write. */
bool durable_take(struct node *node, nsec_t now, struct durable_state *durable);

/* Asserts every invariant of the durable state. */
void durable_check(const struct node *node);

/* handover.c */

/* True if, as far as this node knows, a peer is there that may take over. It
 * may be a peer that is already lost. */
bool handover_has_successor(const struct node *node);

/* Begins to hand over, as the leader, to `to` or, NODE_NONE, to any node.
 * `is_planned`: we begin it ourselves; else we lost an election. `reason` is
 * that of the next election. */
void handover_make(struct node *node, nsec_t now, struct reason reason,
    bool is_planned, node_id to);

/* Ends a handover without a word to the others: nobody leads, another node
 * does, or this node leads on. */
void handover_close(struct node *node);

/* We follow `leader` from now on. Ends a handover, unless we lead again and
 * planned it: then we tell it anew in our new term. */
void handover_renew(struct node *node, node_id leader);

/* Takes the next step that is due: tells the others, waits once more, gives up
 * the lead, or cancels a handover in vain. Leads only. */
void handover_tick(struct node *node, nsec_t now);

/* A voter has promised the term `promised`, above the one that we hold: once
 * a majority has promised a next term, we give up the lead. Quorum only. */
void handover_moved(
    struct node *node, nsec_t now, node_id voter, uint64_t promised);

/* When handover_tick() has a step to take; NSEC_NEVER: no handover. */
nsec_t handover_deadline(const struct node *node);

/* True if a beacon only predicts, by way of others, who wins the election that
 * we told: we lead on until the winner's own beacon. Component only. */
bool handover_is_early(const struct node *node, const struct beacon *beacon);

/* Our leader says for the first time that it hands over: takes it for no
 * longer eligible if it named a successor, and hands its beacon on. */
void handover_heed(struct node *node, nsec_t now);

/* Begins an election if our leader names us as successor and we may begin one;
 * at most one in a heartbeat. */
void handover_succeed(struct node *node, nsec_t now);

/* Ends the abstention that an operator asked for, once there is no leader and
 * nobody else to become one. */
void handover_end_abstention(struct node *node, nsec_t now);

/* handshake.c */

/* Builds our HELLO to a peer in `datagram`, which has room for HANDSHAKE_BYTES;
 * returns its size. A repeated HELLO keeps its salt and number. */
size_t handshake_build_hello(
    struct node *node, struct peer *p, uint8_t *datagram);

/* Takes a HELLO, any bytes; the answer, if any, is in node->reply. `stranger`:
 * it came from another address than the peer's. */
void handshake_take_hello(struct node *node, nsec_t now, struct peer *p,
    bool stranger, const struct packet_head *head, const uint8_t *bytes,
    size_t size);

/* Takes a HELLO_ACK, any bytes: the peer answers our HELLO, or refuses our
 * answer to its own. True if we have to prove, by a datagram under *s, the
 * session that this answer makes, that we are alive. */
bool handshake_take_ack(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    struct session *s);

/* Tells by what we know that this process of a node is over; EVIDENCE_NONE if
 * we do not, or if what we know is too old to count. */
enum evidence handshake_process_end(
    struct node *node, nsec_t now, node_id id, uint64_t incarnation);

/* Tells the host when an id begins or ceases to be in use twice. */
void handshake_note_duplicates(struct node *node, nsec_t now);

/* Notes whether a peer's cluster-wide settings differ from ours; tells the
 * host when that changes. */
void handshake_set_differs(
    struct node *node, nsec_t now, struct peer *p, bool differs);

/* A datagram opened under the keys of `made`, an offer of ours to this peer:
 * does what the offer's verdict says and wipes the offer. */
void handshake_confirm(
    struct node *node, nsec_t now, struct peer *p, struct offer *made);

/* Says HELLO to this peer at once, and eagerly at first. */
void handshake_reset(struct peer *p, nsec_t now);

/* Wipes our offers to this peer: none of them begins a session any more. */
void handshake_forget_offers(struct peer *p);

/* lastwill.c */

/* Makes both wills to this peer due: it has another session, or none. */
void lastwill_change(struct node *node, struct peer *p);

/* A session with this peer ends: keeps the key that opens a will which may yet
 * come, and makes the wills to this peer due. */
void lastwill_end_session(struct node *node, struct peer *p);

/* Builds the next will for the helper, as an ACTION_WILL; false if all that it
 * has are up to date. */
bool lastwill_act(struct node *node, struct action *action);

/* Takes a DIED, any bytes, from any address: buries the process that sealed
 * it, and takes back its terms. */
void lastwill_take(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size);

/* leadership.c */

/* True if this node may begin an election now (PROTOCOL.md, Turns; not its
 * turn, for which see leadership_turn()). */
bool leadership_may_begin(const struct node *node, nsec_t now);

/* The same for an election while another node leads: under quorum only voters
 * with links that are up count for the majority. */
bool leadership_may_contest(const struct node *node, nsec_t now);

/* When this node's turn comes to begin an election for a lost leader; some
 * time after `limit`, if it comes later than that. */
nsec_t leadership_turn(const struct node *node, nsec_t now, nsec_t limit);

/* Why the leader that we follow, or we as the leader, cannot lead on;
 * REASON_NONE if there is no reason or no leader. */
struct reason leadership_flaw(struct node *node, nsec_t now);

/* The reason that an election has which begins as there is no leader. */
struct reason leadership_lack(const struct node *node);

/* True if there is no leader and no election, and this node is to begin one
 * when its turn comes. */
bool leadership_is_wanted(const struct node *node, nsec_t now);

/* True if we follow a leader of the term that our instance elects in, or of a
 * later one: the host is not told of that election. */
bool leadership_knows_outcome(const struct node *node);

/* When a beacon that comes in now from `from`, over so many hops, becomes
 * stale. `from` is NULL if no peer handed it on. */
nsec_t leadership_stale_at(const struct node *node, nsec_t now,
    const struct peer *from, unsigned hops);

/* Makes a datagram to every peer due, so that all hear the new beacon at once;
 * does nothing in `full` under component. */
void leadership_hand_on(struct node *node);

/* Our own rank as of now (PROTOCOL.md, Rank). */
struct rank leadership_rank(const struct node *node, nsec_t now);

/* True if `holder`, which our voter granted, is the leader that we follow and
 * says that it hands over. */
bool leadership_hands_over(const struct node *node, struct owner holder);

/* liveness.c */
bool liveness_is_neighbour(const struct node *node, const struct peer *p);
void liveness_init(struct node *node);
void liveness_reset(struct peer *p);
void liveness_update(struct node *node);
void liveness_round(struct node *node);
void liveness_question(struct peer *p);
bool liveness_doubts(const struct node *node, nsec_t now, const struct peer *p);
nsec_t liveness_answer_at(const struct node *node, const struct peer *p);
void liveness_hear(struct node *node, struct peer *p, unsigned flags);
unsigned liveness_flags(const struct peer *p);
size_t liveness_members(struct node *node);
void liveness_take_members(
    struct node *node, const struct peer *from, const struct members *members);
nsec_t liveness_lag(const struct node *node, nsec_t now);
bool liveness_was_given_up(const struct node *node, nsec_t now);
nsec_t liveness_health_lasts(const struct node *node);
void liveness_believe_refusal(struct node *node, nsec_t now, struct peer *p);
void liveness_heed_refusals(
    struct node *node, nsec_t now, const struct peer *from);
void liveness_take_refusal(struct node *node, nsec_t now, struct peer *p);
void liveness_tick_refusal(struct node *node, struct peer *p, nsec_t now);
void liveness_forget_refusals(struct peer *p);
void liveness_ask_leader(struct node *node, const struct peer *for_whom);
void liveness_tell_answer(struct node *node, const struct peer *leader);

/* message_reports.c */
size_t message_reports_capacity(unsigned peers_count);
void message_reports_take(struct node *node, nsec_t now, struct peer *from,
    const struct cost_report *r);
void message_reports_beat(struct node *node, nsec_t now);

/* messages.c */
void messages_take(
    struct node *node, nsec_t now, struct peer *p, const struct message *m);

/* node.c */
void node_link_judge(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);
void node_session_end(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);
void node_session_begin(struct node *node, nsec_t now, struct peer *p,
    const struct session *s, const uint8_t *instance);
void node_suspect(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);
void node_reincarnate(struct node *node, nsec_t now, uint64_t incarnation,
    enum reason_kind reason);
void node_refute(struct node *node, nsec_t now, uint64_t known);
void node_follow(struct node *node, nsec_t now, const struct beacon *beacon,
    struct reason reason, nsec_t stale_at);
void node_unfollow(struct node *node, nsec_t now, struct reason reason);
void node_flush_election(struct node *node, nsec_t now);
void node_begin_election(struct node *node, nsec_t now, struct reason reason);
void node_lose_leader(struct node *node, nsec_t now, struct reason reason);
void node_expire(struct node *node, nsec_t now);
void node_conclude(struct node *node, nsec_t now);
void node_wake(struct node *node, nsec_t now);
void node_leave(struct node *node);

/* peers.c */
size_t peers_size(unsigned peers_count);
void peers_init(struct node *node, void *memory);
struct peer *peers_find(struct node *node, node_id id);
unsigned peers_budget_max(const struct node *node);
unsigned peers_budget(const struct node *node, unsigned whole);
void peers_touch(struct node *node, const struct peer *p);
void peers_touch_all(struct node *node);
void peers_schedule(struct node *node, struct peer *p);
struct peer *peers_hoarder(struct node *node, struct peer *p);
bool peers_is_due(const struct peer *p);

/* quorum.c */
struct owner quorum_self(const struct node *node);
bool quorum_is_able(const struct node *node, nsec_t now);
bool quorum_has_vote(const struct node *node, nsec_t now);
void quorum_init(struct node *node, struct grant *grants, nsec_t now);
unsigned quorum_votes(const struct node *node, nsec_t now);
bool quorum_holds(const struct node *node, nsec_t now, bool is_contest);
bool quorum_sees_request(const struct node *node, nsec_t now);
bool quorum_awaits(const struct node *node, nsec_t now);
bool quorum_releases(const struct node *node);
nsec_t quorum_until(const struct node *node);
bool quorum_is_over(const struct node *node, nsec_t now);
nsec_t quorum_deadline(const struct node *node);
bool quorum_credits(const struct node *node, nsec_t now,
    const struct beacon *beacon, const struct lease_left *t);
void quorum_take_lease_left(struct node *node, nsec_t now,
    const struct beacon *beacon, const struct lease_left *t);
bool quorum_request_of(const struct node *node, nsec_t now,
    const struct peer *p, struct vote_request *request);
bool quorum_lease_left_of(const struct node *node, nsec_t now,
    const struct peer *p, struct lease_left *t);

/* receive.c */
void receive_datagram(struct node *node, nsec_t now, unsigned peer,
    const uint8_t *bytes, size_t size);

/* ring.c */
bool ring_is_whole(const struct node *node);
bool ring_is_alone(const struct node *node);
bool ring_is_closed(const struct node *node);
void ring_update(struct node *node, nsec_t now);
void ring_hear(struct node *node, nsec_t now, struct peer *p, unsigned flags);
unsigned ring_flags(const struct node *node, const struct peer *p);
bool ring_keeps(const struct node *node, const struct peer *p);
nsec_t ring_deadline(const struct node *node);
void ring_init(struct node *node, const struct node_setup *setup, nsec_t now);
void ring_reset(struct peer *p);

/* send.c */
size_t send_build_session(struct node *node, nsec_t now, struct peer *p,
    struct session *session, enum packet_type type, uint8_t *datagram);

/* steady.c */
bool steady_is_steady(const struct node *node, nsec_t now);
nsec_t steady_deadline(const struct node *node);
void steady_lose(struct node *node, nsec_t now, const struct peer *lost);
void steady_meet(
    struct node *node, nsec_t now, struct peer *p, bool is_new_process);
void steady_told(struct node *node, nsec_t now, unsigned restarts);

/* timers.c */
void timers_beat_along(struct node *node, nsec_t now);
void timers_tick(struct node *node, nsec_t now);
nsec_t timers_peer_deadline(const struct node *node, const struct peer *p);
void timers_settle(struct node *node, const struct peer *p);
nsec_t timers_peers_deadline(const struct node *node);
void timers_check(const struct node *node);

/* topology.c */
#define LINK_NONE UINT_MAX
void topology_update(struct node *node, nsec_t now, const struct peer *p);
void topology_set_rank(struct node *node, nsec_t now, const struct peer *p);
struct peer *topology_peer(struct node *node, unsigned link);
unsigned topology_find(
    struct node *node, const struct peer *p, unsigned sent_on);
bool topology_keeps(const struct node *node, const struct peer *p);
bool topology_takes_part(const struct node *node);
bool topology_hears_all(const struct node *node);
unsigned topology_hops(const struct node *node, const struct peer *p);
void topology_part(struct node *node, nsec_t now);

/* voting.c */
void voting_add_rival(
    struct node *node, nsec_t now, node_id nominee, struct vote_response *vote);
enum request_outcome voting_judge(struct node *node, nsec_t now,
    struct owner nominee, const struct vote_request *request,
    struct vote_response *vote);
void voting_take_request(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request);
void voting_reconsider(struct node *node, nsec_t now);
void voting_reset(struct peer *p);

#endif
