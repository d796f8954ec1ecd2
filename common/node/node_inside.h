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

#include "common/node/drop.h"
#include "common/node/editions.h"
#include "common/node/group.h"
#include "common/node/handover.h"
#include "common/node/handshake.h"
#include "common/node/hello.h"
#include "common/node/keys.h"
#include "common/node/lastwill.h"
#include "common/node/life.h"
#include "common/node/liveness.h"
#include "common/node/meeting.h"
#include "common/node/node_parts.h"
#include "common/node/outside.h"
#include "common/node/process.h"
#include "common/node/pulls.h"
#include "common/node/refusal.h"
#include "common/node/session.h"
#include "common/node/snapshot.h"
#include "common/node/stamps.h"
#include "common/node/standby.h"
#include "common/node/votes.h"

/* beacon.c */

/* Takes a beacon that came from this peer: follows its leader, renews ours,
 * begins an election, or ignores it (PROTOCOL.md, Beacon). */
void beacon_take(struct node *node, nsec_t now, struct peer *from,
    const struct beacon *beacon);

/*
 * A peer will not follow our leader, and we may not follow the peer's, if it
 * has one, since we have seen a later term. Our leader may not hear that peer.
 * So we begin an election above all of these terms, if we have a leader.
 */
void node_rise_above(struct node *node, nsec_t now, const struct peer *from);

/* body.c */

/* The body of a datagram to the peer; and what of it is the same for all, with
 * zeros in the other fields. */
struct body body_of(const struct node *node, nsec_t now, const struct peer *p);
struct body body_for_all(const struct node *node, nsec_t now);

/* Writes the beacon with what goes with it: to this peer; to several, whose
 * stamps we have held for `held` at most. `with_token`: the sessions with all
 * of them have that frame. Return the number of frames. */
unsigned body_write_beacon(
    struct node *node, nsec_t now, const struct peer *p, struct writer *f);
unsigned body_write_beacon_to_all(struct node *node, nsec_t now, nsec_t held,
    bool with_token, struct writer *f);

/* Writes a frame of `size` bytes. */
void body_write_frame(struct writer *w, enum frame_type type, uint32_t sequence,
    const uint8_t *bytes, size_t size);

/* context.c */

/* The guarantee is "quorum"; the topology is a ring, or a tree. */
bool node_is_quorum(const struct node *node);
bool node_is_ring(const struct node *node);
bool node_is_tree(const struct node *node);

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

/* True if what a peer says with each heartbeat was said within a detection and
 * a heartbeat. */
bool node_is_recent(const struct node *node, nsec_t now, nsec_t said);

/* Limits a rate by a bucket that drains with time and is empty at *empty_at:
 * one in each `cost`, and `burst` / `cost` more at once. True if it takes one
 * more. */
bool bucket_take(nsec_t *empty_at, nsec_t now, nsec_t cost, nsec_t burst);

/* Queues a notice for the host, with the time `now`, and records what it says
 * of an election. The queue has room for all
 * that one input adds; the caller drains it after each input. */
void node_note(struct node *node, nsec_t now, struct notice n);

/* Adds an event, with the time `now`. */
void node_record(struct node *node, nsec_t now, struct event e);

/* The capacity of the queue that one input with so many peers cannot exceed. */
size_t notices_wanted(unsigned peers, bool trace);

/* Queues a line of the trace, if tracing is on and the queue has room beside
 * the notices. */
void node_trace(struct node *node, nsec_t now, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True if a node of this role is one of the voters. */
bool role_votes(enum role role);

/* True if the setup names a peer with this id. */
bool setup_names(const struct node_setup *setup, node_id id);

/* durable.c */

/* Makes the durable state ready, before voting_init() loads it; notes whether
 * it can be written at all. */
void durable_init(struct node *node);

/* We go on as a process of this incarnation: nothing leaves before that is
 * durable. */
void durable_set_incarnation(struct node *node, uint64_t incarnation);

/* Another edition is in effect. */
void durable_change(struct node *node, nsec_t now);

/* True while nothing may leave, as our incarnation is not durable. */
bool durable_is_mute(const struct node *node);

/* We have taken a leader of this term: keeps it over a restart. */
void durable_keep_term(struct node *node, uint64_t term);

/* A later life of ours, which another node knows, may have given promises that
 * our durable state does not have: distrusts it. */
void durable_revoke(struct node *node, nsec_t now);

/* A leader admits our voter by this request (PROTOCOL.md, Admission): it votes
 * once the durable state that follows is written. Does nothing if it votes, or
 * has another edition, or its disk has failed. */
void durable_admit(struct node *node, nsec_t now, struct owner leader,
    const struct vote_request *request);

/* Gives the durable state to write next; false if none is due, or a write is
 * under way, or the disk has failed. durable_written() ends the write.
 * *is_anew: it takes the place of what there is, which is not to be trusted. */
bool durable_take(struct node *node, nsec_t now, struct durable_state *durable,
    bool *is_anew);

/* The write has ended; `ok`: the state is durable. If not, no other write
 * begins. True if the present promise of our voter was not durable before, and
 * is now: candidate_on_kept() and voting_on_kept() are next. */
bool durable_written(struct node *node, nsec_t now, bool ok);

/* group_send.c */

/* Writes what a session says of groups. Returns the number of frames. */
unsigned group_write(const struct node *node, nsec_t now, const struct peer *p,
    struct writer *f);

/* The next datagram to the group, if one is due. */
bool group_act(struct node *node, nsec_t now, struct action *action);

/* inputs.c */

/* Each input begins with this: takes the time, and notices a stall. */
void node_wake(struct node *node, nsec_t now);

/* leadership.c */

/* True if this node may begin an election now (PROTOCOL.md, Turns; not its
 * turn, for which see leadership_turn()). */
bool leadership_may_begin(const struct node *node, nsec_t now);

/* True if this node, which has a reason to begin an election, can lead nobody
 * but itself. An operator who wants an election gets one. */
bool leadership_is_lone(const struct node *node, struct reason reason);

/* The same for an election that our leader, which hands over to us, wants: we
 * need not listen for other leaders first. */
bool leadership_may_succeed(const struct node *node, nsec_t now);

/* When this node's turn comes to begin an election for a lost leader; some
 * time after `limit`, if it comes later than that. */
nsec_t leadership_turn(const struct node *node, nsec_t now, nsec_t limit);

/* Why the leader that we follow, or we as the leader, cannot lead on;
 * REASON_NONE if there is no reason or no leader. */
struct reason leadership_flaw(struct node *node, nsec_t now);

/* The reason for which the present leader leads no more: `kind`, unless an
 * operator has set it aside, which then is the cause. */
struct reason leadership_end(struct node *node, enum reason_kind kind);

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

/* Ends the abstention that an operator asked for, once there is no leader and
 * nobody else to become one. */
void leadership_end_abstention(struct node *node, nsec_t now);

/* Our own rank as of now (PROTOCOL.md, Rank). */
struct rank leadership_rank(const struct node *node, nsec_t now);

/* True if an election has named this node, which is on standby since. */
bool leadership_is_barred(const struct node *node, const struct rank *winner);

/* Why this node may lead no more, if it leads, but is to hand over; REASON_NONE
 * if it may. */
struct reason leadership_bar(const struct node *node);

/* What every peer is told of us, also those that get no heartbeats: another
 * number whenever that changes. */
unsigned leadership_word(const struct node *node, nsec_t now);

/* message_reports.c */

/* The node was copied from another place. */
void message_reports_shift(struct node *node, struct shift *s);

/* The bytes that message_reports_init() needs for so many peers. */
size_t message_reports_size(unsigned peers_count);

/* Makes an empty table in `memory`, of message_reports_size() bytes. */
void message_reports_init(struct node *node, void *memory);

/* Makes the table anew, as message_reports_init(): the peers are others. */
void message_reports_change(struct node *node, void *memory);

/* Takes a report that a peer made or handed on; ignores one of another term
 * than our leader's, and one that says nothing new. Tells the peer from which
 * our leader's beacons come at once. */
void message_reports_take(
    struct node *node, nsec_t now, const struct cost_report *r);

/* A session with the peer begins from which our leader's beacons come: begins
 * again to tell it what we know, as a report may be lost. */
void message_reports_repeat(struct node *node);

/* With each round of heartbeats: takes our own report; as the leader, tells the
 * host the sum. */
void message_reports_beat(struct node *node, nsec_t now);

/* Writes the reports that this peer is to hand on or to count, as many as fit;
 * the next datagram goes on with the others. Returns the number of frames. */
unsigned message_reports_write(
    struct node *node, const struct peer *p, struct writer *w);

/* messages.c */

/* Hands the election a message of a peer; drops one of another edition than
 * ours, whose tag it bears. May end any session. */
void messages_take(struct node *node, nsec_t now, struct peer *p, uint32_t tag,
    const struct message *m);

/* node.c */

/* The session *made with a peer begins; an earlier one ends before. */
void node_session_begin(struct node *node, nsec_t now, struct peer *p,
    const struct handshake_result *made);

/* Ends the session, if there is one, and forgets all that belongs to it. */
void node_session_end(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);

/* Ends the session of a peer that was silent for too long, or refused us. In
 * the latter case we lose the leader if it is the peer and no other node hears
 * it. */
void node_suspect(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);

/* Derives whether the link is up from what both ends say; `evidence` says why
 * if it is not. */
void node_link_judge(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);

/* Our leader, or our lead, is lost: begins an election if we may. */
void node_lose_leader(struct node *node, nsec_t now, struct reason reason);

/* The lease is over by which we lead, or that is left to our leader. */
void node_expire(struct node *node, nsec_t now);

/* Goes on as a new process of this incarnation, without sessions; gives up the
 * lead for `reason`. */
void node_reincarnate(struct node *node, nsec_t now, uint64_t incarnation,
    enum reason_kind reason);

/* Follows a new leader, or leads, until its beacon is stale at `stale_at`; see
 * lead_take(). */
void node_follow(struct node *node, nsec_t now, const struct beacon *beacon,
    struct peer *by, struct reason reason, nsec_t stale_at);

/* As the leader, hands over: see handover_make(). */
void node_hand_over(struct node *node, nsec_t now, struct reason reason,
    bool is_planned, node_id to);

/* Acts on a step of our handover. */
void node_heed_handover(struct node *node, nsec_t now, enum handover_next next);

/* Begins an election, unless no term is left. The caller has checked that we
 * may. */
void node_begin_election(struct node *node, nsec_t now, struct reason reason);

/* Acts on what our vote requests have led to: we lead, hand over to a rival, or
 * begin an election. */
void node_act_on_votes(
    struct node *node, nsec_t now, struct candidacy candidacy);

/* Sends what the election wants sent, and acts on its decision. Call it after
 * each input to the election. */
void node_flush_election(struct node *node, nsec_t now);

/* The node was made anew for another edition: acts on what has changed. */
void node_changed(struct node *node, nsec_t now);

/* No node is eligible in this term: an election, which is over, has found that,
 * or this node hears nobody. */
void node_find_nobody(
    struct node *node, nsec_t now, uint64_t term, struct reason reason);

/* Each input ends with this: acts on what follows for the lead. */
void node_conclude(struct node *node, nsec_t now);

/* peers.c */

/* The peers, and the memory of their orders, were copied from another place. */
void peers_shift(struct node *node, struct shift *s);

/* The bytes that peers_init() needs for the orders of so many peers. */
size_t peers_size(unsigned peers_count);

/* Makes the orders in `memory`, of peers_size() bytes. The setup and the rank
 * of each peer must be set. */
void peers_init(struct node *node, void *memory);

/* Makes the orders anew, as peers_init(): the peers are others. */
void peers_change(struct node *node, void *memory);

/* NULL if no peer has this id; NODE_NONE and our own id have none. */
struct peer *peers_find(struct node *node, node_id id);

/* Our share of the work that all nodes together may do in an interval: at least
 * 1, at most peers_budget_max(). */
unsigned peers_budget(const struct node *node, unsigned whole);

/* The limit of that share, whatever the size of the cluster. */
unsigned peers_budget_max(const struct node *node);

/* Marks a peer to be looked at again. Call it after a change of anything that
 * the peer is due, or of a time in timers_peer_deadline(). */
void peers_touch(struct node *node, const struct peer *p);
void peers_touch_all(struct node *node);

/* Makes a datagram due to a peer that has a session, and touches the peer. */
void peers_schedule(struct node *node, struct peer *p);

/* The peer at this place in the order of ranks, 0 is the best. */
struct peer *peers_by_rank(const struct node *node, unsigned place);

/* The peer at this place in the order of ids, 0 is the lowest. */
struct peer *peers_by_id(const struct node *node, unsigned place);

/* The place of this peer in the order of ranks, 0 is the best. */
unsigned peers_rank_place(const struct node *node, const struct peer *p);

/* Our own place in the order of all ids, 0 is the lowest. */
unsigned peers_own_place(const struct node *node);

/* Where our rotations begin: each node begins at its own place, so of two nodes
 * one usually asks the other first. */
unsigned peers_first_turn(const struct node *node);

/* One step of a rotation. False if it asked nothing of the peer. */
typedef bool peers_visit(struct node *node, nsec_t now, struct peer *p);

/* Goes on with a rotation over the peers, in the order of ids, until `budget`
 * of them were asked something, once round at most. *turn is the place of the
 * next peer; at first peers_first_turn(). */
void peers_rotate(struct node *node, nsec_t now, unsigned *turn,
    unsigned budget, peers_visit *visit);

/* The index of the next touched peer from the index `from` on; NODES_MAX if
 * there is none. And whether any peer is touched. */
unsigned peers_next_touched(const struct node *node, unsigned from);
bool peers_are_touched(const struct node *node);

/* The next touched peer in this round; NULL at its end, after which another
 * round begins. `first`, unless NULL, comes before all others. */
struct peer *peers_take_turn(struct node *node, struct peer *first);

/* The peer is due nothing now: looks at it no more before `deadline`. */
void peers_settle(struct node *node, const struct peer *p, nsec_t deadline);

/* When this peer, which was settled, wants attention. NSEC_NEVER for a touched
 * one: its deadline is to be computed anew. */
nsec_t peers_settled_until(const struct node *node, const struct peer *p);

/* True if this peer was touched, or its deadline has come. */
bool peers_wants(const struct node *node, nsec_t now, const struct peer *p);

/* Count the sessions that begin and end, and how many there are. The first
 * returns the name of the new session, unique in this process. */
uint32_t peers_session_began(struct node *node);
void peers_session_ended(struct node *node);
unsigned peers_sessions(const struct node *node);

/* Chooses the peer whose session ends when the pool of blocks is empty; a
 * message from or to `p` found that (PROTOCOL.md, Message memory). */
struct peer *peers_hoarder(struct node *node, struct peer *p);

/* Makes a datagram due that asks the peer, which has a session, for an answer;
 * touches the peer. */
void peers_ping(struct node *node, struct peer *p);

/* The peer has pinged: makes the answer due, and touches the peer. */
void peers_answer(struct node *node, struct peer *p);

/* Makes the goodbyes due to a peer that has a session, and touches the peer. */
void peers_leave(struct node *node, struct peer *p);

/* The session has ended: nothing of it is due any more. */
void peers_reset_due(struct peer *p);

/* True if the next datagram asks the peer for an answer, is one, or says
 * goodbye. */
bool peers_pings(const struct peer *p);
bool peers_answers(const struct peer *p);
bool peers_says_bye(const struct peer *p);

/* The next datagram has been built: what it did is due no more. */
void peers_sent(struct peer *p);

/* True if a datagram of the session is due. The channel says by itself when it
 * has messages to send: channel_due(). */
bool peers_is_due(const struct peer *p);

/* receive.c */

/* Takes a datagram; `peer` is the one whose address it came from, PEER_NONE if
 * it is nobody's. */
void receive_datagram(struct node *node, nsec_t now, unsigned peer,
    const uint8_t *bytes, size_t size);

/* ring.c: only for a node of a ring, but for ring_reset(). */

/* Copies the orders of both sides from *setup to `memory`, which has room for
 * them, each aligned. */
void ring_init(struct node *node, const struct node_setup *setup, void *memory,
    nsec_t now);

/* The session has ended: forgets what the peer said of the ring. */
void ring_reset(struct peer *p);

/* Chooses both neighbours anew, and shows the result to the peers and to the
 * election. Call it whenever a peer has come up or gone down. */
void ring_update(struct node *node, nsec_t now);

/* Takes what the flags of a body say of the ring. */
void ring_hear(struct node *node, nsec_t now, struct peer *p, unsigned flags);

/* The flags of a body that tell this peer the same of us. */
unsigned ring_flags(const struct node *node, const struct peer *p);

/* The peer that we take on this side; NULL if there is none. */
struct peer *ring_peer(const struct node *node, enum ring_link side);

/* True if we seek this peer: it is within reach on one side. */
bool ring_keeps(const struct node *node, const struct peer *p);

/* True if this peer takes us for its neighbour on a side. */
bool ring_is_taken_by(const struct peer *p);

/* True if this node is bypassed: it asked its neighbours to step over it. */
bool ring_is_bypassed(const struct node *node);

/* True if both links are up and we are not bypassed. */
bool ring_is_whole(const struct node *node);

/* True if no peer is up and all of them had time to answer. */
bool ring_is_alone(const struct node *node);

/* True if we are whole and both neighbours are the nearest ones. */
bool ring_is_closed(const struct node *node);

/* NSEC_NEVER if the ring waits for nothing. */
nsec_t ring_deadline(const struct node *node);

/* send.c */

/* Builds one datagram under this session, which may be one on offer, into
 * PACKET_MAX bytes. Returns its size. */
size_t send_build_session(struct node *node, nsec_t now, struct peer *p,
    struct session *session, enum packet_type type, uint8_t *datagram);

/* stall.c */

/* Begins on time. */
void stall_init(struct node *node, nsec_t now);

/* How much later this input comes than we asked for one; 0: on time. Call it
 * before node->input.now is that of this input. */
nsec_t stall_lag(const struct node *node, nsec_t now);

/* True if a lag is long enough to count as a stall. */
bool stall_counts(const struct node *node, nsec_t lag);

/* True if we were silent for so long that the peers have given us up. Call it
 * when stall_lag() is to be called. */
bool stall_was_given_up(const struct node *node, nsec_t now);

/* We stalled: lowers our trust in our own clock, so that all patience grows. */
void stall_worsen(struct node *node, nsec_t now);

/* Raises our trust by one step, if it is time. True if it did: all deadlines
 * that depend on stall_health() come earlier. */
bool stall_recover(struct node *node, nsec_t now);

/* By how much we mistrust our own clock: 0 to HEALTH_MAX. Detection times grow
 * with it (PROTOCOL.md, Local health). */
unsigned stall_health(const struct node *node);

/* We send a round of heartbeats now. */
void stall_speak(struct node *node, nsec_t now);

/* The time since our last round of heartbeats. */
nsec_t stall_silence(const struct node *node, nsec_t now);

/* All that an input caused is done: we ask our caller for the next one at
 * `deadline`. */
void stall_ask(struct node *node, nsec_t deadline);

/* steady.c */

/* We give up `lost`, whose last datagram the detector still knows. */
void steady_lose(struct node *node, nsec_t now, const struct peer *lost);

/* A session begins. Call it while p->link.changed is still that of the
 * session before. */
void steady_meet(
    struct node *node, nsec_t now, struct peer *p, bool is_new_process);

/* A peer says how often it saw a new process of ours lately. */
void steady_told(struct node *node, nsec_t now, unsigned restarts);

/* We go on as a new process, whose restarts the peers count anew. */
void steady_reset(struct node *node);

/* True if this node may be a contender, as it has not flapped lately. */
bool steady_is_steady(const struct node *node, nsec_t now);

/* When it may be one again; 0 if it may. */
nsec_t steady_at(const struct node *node, nsec_t now);

/* When we are steady again; NSEC_NEVER if we are. */
nsec_t steady_deadline(const struct node *node);

/* timers.c */

/* Begins with a round of heartbeats at once. */
void timers_begin(struct node *node, nsec_t now);

/* Makes a round of heartbeats due at once. */
void timers_beat_now(struct node *node, nsec_t now);

/* Does what is due now: heartbeats, HELLOs, pings, the end of sessions. */
void timers_tick(struct node *node, nsec_t now);

/* A new beacon came from the leader itself: sends our round along with it. */
void timers_beat_along(struct node *node, nsec_t now);

/* The peer is due nothing now: looks at it no more before its deadline. */
void timers_settle(struct node *node, const struct peer *p);

/* topology.c */

#define LINK_NONE UINT_MAX /* no link of the election */

/* The node was copied from another place. */
void topology_shift(struct node *node, struct shift *s);

/* The bytes that topology_init() needs. */
size_t topology_size(const struct node_setup *setup);

/* Makes the links, without any that is up, in `memory`, of topology_size()
 * bytes; in a ring, our place as well. Takes the orders of its sides from
 * *setup. */
void topology_init(struct node *node, const struct node_setup *setup,
    void *memory, nsec_t now);

/* Makes the links anew, as topology_init(): the peers are others. */
void topology_change(struct node *node, const struct node_setup *setup,
    void *memory, nsec_t now);

/* Lets an election of this setup see our links. */
void topology_show(const struct node *node, struct election_setup *setup);

/* How many links the election sees in this topology. */
unsigned topology_links(const struct node_setup *setup);

/* Shows the election that this peer has come up or gone down. */
void topology_update(struct node *node, nsec_t now, const struct peer *p);

/* Shows the election the rank that this peer told last. */
void topology_set_rank(struct node *node, nsec_t now, const struct peer *p);

/* The peer at this link; NULL if the ring has nobody on that side. */
struct peer *topology_peer(struct node *node, unsigned link);

/* Our link for a message of the peer, which the peer sent on its own link
 * `sent_on`; LINK_NONE if we have no such link. */
unsigned topology_find(
    struct node *node, const struct peer *p, unsigned sent_on);

/* True if we seek a session with this peer. */
bool topology_keeps(const struct node *node, const struct peer *p);

/* The session with this peer has ended: forgets what it said of our links. */
void topology_reset(struct node *node, struct peer *p);

/* True if we are part of our ring; elsewhere always. */
bool topology_takes_part(const struct node *node);

/* The same, and in a tree that it is not forming: elections may begin. */
bool topology_is_ready(const struct node *node);

/* True if all neighbours, or in a ring the nearest ones, are up. */
bool topology_hears_all(const struct node *node);

/* The most hops that the first beacon of this leader takes to us. NULL stands
 * for a leader that is no peer of ours. */
unsigned topology_hops(const struct node *node, const struct peer *p);

/* Ring only: true if the peer is no neighbour of ours, and its session is to
 * end. */
bool topology_is_distant(
    const struct node *node, nsec_t now, const struct peer *p);

/* tree.c */

/* The bytes that tree_init() needs; 0 but in a tree. */
size_t tree_size(const struct node_setup *setup);

/* Begins a tree of our own in this epoch, in `memory`, of tree_size() bytes,
 * zeroed. */
void tree_init(struct node *node, uint64_t epoch, void *memory);

/* The epoch for tree_init() of the same process with other peers. */
uint64_t tree_next_epoch(const struct node *node);

/* The link with this peer counts now, or no longer does, or may have another
 * session: shows what follows to the peers and to the election. */
void tree_update(
    struct node *node, nsec_t now, const struct peer *p, bool is_link);

/* Takes the word of a peer, from the datagram of its session with this
 * number. */
void tree_hear(struct node *node, nsec_t now, const struct peer *p,
    uint64_t number, const struct tree_word *word);

/* The session has ended: forgets what the peer said of the tree. */
void tree_reset(struct node *node, const struct peer *p);

/* Our word for this peer; false if it gets none. */
bool tree_word_of(
    const struct node *node, const struct peer *p, struct tree_word *word);

/* True in a tree while a neighbour is not known to be in ours, or our parent
 * not to know us. */
bool tree_is_forming(const struct node *node);

/* Our place in the tree, and on which side of us this peer is. */
struct tree_place tree_place(const struct node *node);
enum tree_side tree_side_of(const struct node *node, const struct peer *p);

/* Each asserts every invariant of its part; node_check() calls them. */
void drop_check(const struct node *node, const struct peer *p);
void durable_check(const struct node *node);
void handshake_check(const struct peer *p);
void hello_check(const struct node *node, const struct peer *p);
void lastwill_check(const struct node *node, const struct peer *p);
void life_check(const struct node *node);
void liveness_check(const struct node *node);
void message_reports_check(const struct node *node);
void peers_check(const struct node *node);
void process_check(const struct node *node, const struct peer *p);
void refusal_check(const struct peer *p);
void session_check(const struct node *node, const struct peer *p);
void stall_check(const struct node *node);
void stamps_check(const struct node *node, const struct peer *p);
void steady_check(const struct node *node);
void timers_check(const struct node *node);
void tree_check(const struct node *node);

#endif
