/* SPDX-License-Identifier: ISC */
/*
 * What a node knows, for the files of common/node alone. Each concern of the
 * node has a struct of its own here; the file that is named with it is the one
 * that keeps it. What a node knows of one of its peers: peer.h.
 */
#ifndef ELECTD_COMMON_NODE_NODE_PARTS_H
#define ELECTD_COMMON_NODE_NODE_PARTS_H

#include "common/election/election.h"
#include "common/link/flaps.h"
#include "common/link/vtree.h"
#include "common/node/lead.h"
#include "common/node/peer.h"
#include "common/quorum/lease.h"
#include "common/quorum/voter.h"
#include "common/util/arena.h"
#include "common/util/peer_set.h"
#include "common/wire/announce.h"

#define HELLO_LAZY (1 * SEC) /* between two HELLOs after the eager ones */
#define VOTER_NONE UINT_MAX  /* the number of a node that is no voter */

/* One side of a ring, as this node sees it. */
struct ring_side {
	unsigned *order; /* peers, the nearest first */
	unsigned count;
	unsigned taken; /* whom we take, by index in `order`; count: nobody */
	unsigned reach; /* number of entries of `order` that are sought */
};

/* Our place in a ring (ring.c): topology.ring. */
struct ring {
	struct ring_side sides[RING_LINKS]; /* by enum ring_link */
	bool is_bypassed;   /* we asked our neighbours to step over us */
	nsec_t bypassed_at; /* our patience ends; NSEC_NEVER: all is well */
	nsec_t widen_at;    /* when we seek further; NSEC_NEVER: no need */
};

/* The links that the election sees (topology.c, ring.c, tree.c). */
struct topology_links {
	struct link *links; /* by index of the peer; in a ring by side */
	unsigned links_count;
	struct ring ring;
	struct vtree tree; /* in other topologies only its epoch counts */
};

/* The voters of the cluster (voters.c). */
struct node_voters {
	unsigned number;   /* our own among them; VOTER_NONE */
	unsigned count;    /* all of them; 0 under component */
	unsigned majority; /* voters that make one; 0 under component */
};

/* Our own voter (voting.c). */
struct node_voting {
	struct voter voter; /* our half of the votes of others */
	nsec_t promise_at;  /* we make a peer no new promise before */
	nsec_t bound_until; /* a grant for a longer lease than that of our
	                      * settings may bind our voter till then */
};

/* Our own vote requests (nominee.c). */
struct node_nominee {
	struct lease lease; /* our half as a nominee or leader */
	nsec_t ask_at;      /* when to repeat a request that was denied */
	nsec_t begin_at;    /* we begin no election before; 0: no pause */
	unsigned denials;   /* failed nominations in a row, for the back-off */
	nsec_t calm_at;     /* a failure after this begins a new row */
	nsec_t release_at;  /* when the release may go; NSEC_NEVER: now */
	unsigned releases_due; /* rounds that still carry it */
	uint64_t own_promised; /* as peer->ballot.promised, of our own voter */
};

/* The majority, and what we know of our leader's lease (quorum.c). */
struct quorum {
	bool is_there; /* we hear a majority */
	bool was_lost; /* we lost it, and have taken no leader since */
	nsec_t lease_left_until; /* of our leader; 0: unknown */
};

/* How far our handover as the leader is. */
enum handover_stage {
	HANDOVER_NONE,    /* we do not hand over */
	HANDOVER_TO_TELL, /* we tell the others shortly before a deadline */
	HANDOVER_TOLD,    /* our beacon says it */
	HANDOVER_YIELDED, /* we have given up the lead; quorum: once no deadline
	                   * of a client lies ahead */
};

/* The vote under the guarantee "quorum", in four parts. */
struct node_vote {
	struct node_voters voters;
	struct node_voting voting;
	struct node_nominee nominee;
	struct quorum quorum;
};

/* A handover: ours as the leader, or to us as the successor (handover.c). */
struct handover {
	enum handover_stage stage;
	FILLER(4);
	nsec_t at;            /* of the next step; NSEC_NEVER: there is none */
	struct reason reason; /* of the election that follows */
	bool is_planned;      /* by our own plan; else we lost an election */
	FILLER(3);
	node_id to;             /* named by an operator; NODE_NONE */
	bool has_awaited_timer; /* the wait was longer, for the timer */
	bool has_awaited_disks; /* the wait was longer, for disks of voters */
	FILLER(2);
	node_id successor; /* named by our beacon; it is sent that first */
	nsec_t succeed_at; /* as a successor, we begin no election before */
	bool is_named;     /* an operator named us as the successor */
	FILLER(7);
};

/* An entry of the order of ids. */
struct named {
	node_id id;
	unsigned index; /* in node->peers */
};

/* Orders and sets of the peers (peers.c). */
struct peer_table {
	struct named *by_id;     /* in the order of ids */
	unsigned *by_rank;       /* by the configured ranks, the best first */
	struct peer_set touched; /* to be looked at in this input */
	unsigned turn; /* among these: 0: a round begins; else 1 + the index to
	                * go on from */
	nsec_t *wake_at; /* when each other peer wants attention, by index */
	unsigned place;  /* our own in the order of all ids, 0 is the first */
	uint32_t sessions_count; /* begun so far; the count names the last */
	unsigned sessions_now;   /* open at present */
};

/* A key of the cluster, and what is derived from it. */
struct cluster_key {
	uint8_t key[KEY_BYTES];
	uint8_t handshake[KEY_BYTES];
	uint8_t id;
};

/* The cluster's keys, and what is derived from the process's entropy
 * (keys.c). */
struct node_keys {
	struct cluster_key first;  /* seals and opens */
	struct cluster_key second; /* opens, if has_second */
	bool has_second;
	unsigned rounds_due;  /* of heartbeats to every peer, which tell of
	                      * changed keys */
	uint32_t cluster_tag; /* of the cluster's name */
	uint8_t instance[SALT_BYTES]; /* of this process */
	uint64_t fresh_count;         /* values drawn with seal_fresh() */
};

/* Which peers we watch, and the leader's list of members (liveness.c). */
struct node_liveness {
	bool watches_all;       /* at the last update the leader was missing or
	                         * in doubt, or an election was open */
	node_id watched_leader; /* our leader at the last update */
	bool watch_is_old;      /* watched_best is to be chosen anew */
	struct peer_set watched_best; /* watched without a leader */
	unsigned watch_turn;  /* the next to be asked without a leader, by id */
	unsigned missed_turn; /* the first that the leader may miss */
	nsec_t ask_leader_at; /* we ping the leader for others not before */
	bool asks_leader;     /* we pinged it, and wait for its answer */
	uint16_t members_agree; /* nodes that follow our leader; 0: unknown */
	nsec_t members_at;      /* we read the next list not before */
	size_t members_size;    /* of our own list; 0: not made in this input */
	uint8_t members[MEMBERS_BYTES_MAX]; /* our own list, as the leader */
};

/* The present input, or the last one (init.c, node.c, inputs.c, receive.c).
 * All read it. */
struct node_input {
	nsec_t now;           /* when it came */
	nsec_t arrived;       /* when its datagram arrived, by its age */
	struct peer *speaker; /* its messages are being delivered; NULL */
	bool is_by_group;     /* its datagram came by a multicast group */
};

/* The stall meter (stall.c). */
struct node_stall {
	nsec_t wanted;         /* the deadline that we gave our caller */
	unsigned local_health; /* 0: we run on time; HEALTH_MAX at most */
	FILLER(4);
	nsec_t healthy_at; /* when local_health falls by 1 */
	nsec_t spoke_at;   /* when we sent the last round of heartbeats */
};

/* What we have told, to tell of changes only (node.c, init.c). */
struct node_told {
	uint64_t elected; /* the term of the last NOTICE_ELECTION */
	unsigned self;    /* what we last told all peers of us, as bits */
};

/* How far this process takes part. */
enum life_stage {
	LIFE_LISTENS,    /* as at a start: it begins no election */
	LIFE_TAKES_PART, /* in elections, as its role allows */
	LIFE_LEAVES,     /* the process stops once another node leads */
	LIFE_STOPPED,    /* the process says goodbye, or has said it */
};

/* The life of this process (life.c). */
struct node_life {
	enum life_stage stage;
	nsec_t listens_until;  /* when LIFE_LISTENS ends at the latest */
	nsec_t eligible_since; /* PREEMPT_AFTER counts from here */
	bool lacks_carrier;    /* no cable leads to a peer */
};

/* Whether this node is on standby (standby.c). */
struct node_standby {
	/* By cause, each as of its time in `at`. The first one on counts. */
	struct standby told[STANDBY_CAUSES];
	nsec_t at[STANDBY_CAUSES];
	bool is_alone; /* a resignation ended as an election found nobody else,
	                * and it has heard of no leader since */
	bool has_older_file; /* the host's file is older; peers are told */
	unsigned changes;    /* how often what peers are told has changed */
	unsigned rounds_due; /* of heartbeats to every peer, which tell of the
	                      * last change */
};

/* Whether this node is undamped (damping.c). */
struct node_damping {
	struct flaps flaps; /* times that we were cut off or restarted */
	nsec_t at;          /* when we are undamped again */
	nsec_t alone_at;    /* when we last lost a peer and heard no other */
	unsigned told_restarts; /* the most restarts of ours that a peer told */
};

/* Ids in use twice, and our incarnation (process.c). */
struct node_process {
	nsec_t duplicate_until; /* our id counts as in use twice till then */
	bool duplicate_noted;   /* the host knows that it is */
	struct peer_set duplicates; /* peers whose ids are, or lately were */
	nsec_t refute_at;           /* we refute no incarnation before */
};

/* The document of a later configuration, which we fetch (configs.c).
 * checkpoint.c sets the proposal of a node that it restores. */
struct node_configs {
	struct config_advert wanted; /* size 0: we fetch none, and have fetched
	                             * none that the host still judges */
	struct peer *from;           /* who gives it; NULL: nobody has to */
	uint32_t offset;             /* where the next piece begins */
	nsec_t ask_at;               /* when we ask again */
	bool is_stuck;               /* the last question got no answer */
	nsec_t moved_at;             /* when the last piece came, or none yet */
	nsec_t refused_until;        /* till then `refused` is not fetched */
	struct config_id refused;    /* the last that the host refused */
	bool has_clashed;            /* the host knows that another
				     * configuration has the numbers of
				     * ours */
	struct config_id next;       /* for peers that it does not name */
	struct config_id proposed;   /* what this host proposes */
	const uint8_t *proposal;     /* its document; NULL: nothing */
	size_t proposal_size;
	nsec_t mixed_until;      /* a peer has another configuration, and may
	                             * take ours till then; 0: none may */
	bool is_mixed_for_long;  /* one has another configuration, but we do not
	                             * wait for it any longer */
	nsec_t fetches_empty_at; /* when the bucket of fetches is empty */
	size_t piece_size;       /* of a piece for the host; 0: none */
	node_id piece_giver;     /* of a piece */
	uint8_t piece[PIECE_MAX];
};

#define CALLERS_MAX 8 /* hosts are added one by one: a few dozens do, too */

/* A node that our configuration does not name, and that said HELLO. */
struct outside_caller {
	node_id id;   /* NODE_NONE: none */
	nsec_t since; /* it has said so again and again */
	nsec_t until; /* it counts without another HELLO */
};

/* Whether the configurations of other nodes name us (outside.c). */
struct node_outside {
	bool is_outside;     /* they do not */
	uint32_t removed_by; /* the last later config version that does not;
			      * or 0 */
	bool is_told;        /* the host knows that */
	nsec_t at;           /* when that may change; NSEC_NEVER: never */
	struct outside_caller callers[CALLERS_MAX];
};

_Static_assert(JOINER_NAME_MAX == ANNOUNCE_NAME_MAX, "the same names");
_Static_assert(ANNOUNCE_BYTES > HANDSHAKE_BYTES, "either answer fits");

/* Nodes that we do not know (discovery.c). */
struct node_discovery {
	uint8_t challenge[SALT_BYTES];        /* ours, of now */
	uint8_t challenge_before[SALT_BYTES]; /* still counts */
	nsec_t challenge_until;               /* when the next is drawn */
	unsigned tries;        /* announcements since we were not alone */
	nsec_t next_at;        /* the next announcement */
	nsec_t empty_at;       /* when the bucket of announcements is empty */
	nsec_t deferred_until; /* we expect a later configuration till then */
	struct joiner known;   /* for our host */
	bool has_known;        /* `known` is to be handed out */
	bool is_due_to_group;  /* an announcement is to be sent there */
	bool is_due_to_addresses; /* likewise */
};

/* Our part of a snapshot (snapshot.c). */
struct snapshot_part {
	struct snapshot_name name; /* incarnation 0: the part is free */
	nsec_t at;                 /* when we recorded */
	struct snapshot_head head; /* `channels` is not set */
	enum snapshot_outcome outcome;
	node_id culprit; /* the node by which it failed */
	unsigned open;   /* channels whose markers have still to come */
	FILLER(4);
};

/* A message that was in transit. */
struct transit {
	unsigned part;
	struct snapshot_message message;
};

/* Snapshots in which we take part (snapshot.c). */
struct node_snapshots {
	struct snapshot_part parts[SNAPSHOTS_MAX]; /* one an initiator */
	struct transit *messages; /* SNAPSHOT_TRANSIT_MAX at most */
	unsigned messages_count;
	uint32_t number;       /* of our own last one */
	nsec_t empty_at;       /* when the bucket of snapshots is empty */
	nsec_t declines_until; /* we begin no part before */
};

#define RELAYS_MAX 8 /* pulls that wait for a datagram; more are lost */
#define PULLS_MAX  NODE_PULLS_MAX

/* A pull, or its answer, on its way to a peer. */
struct relay {
	unsigned to; /* the number of the peer */
	bool is_answer;
	size_t size;
	uint8_t bytes[PULLED_BYTES_MAX];
};

/* A pull of our own. */
struct own_pull {
	struct pull pull; /* count 0: none */
	nsec_t again_at;  /* when we ask again */
	nsec_t until;     /* when we give it up */
};

/* Pulls of our own, and what we hand on of others (pulls.c). */
struct node_pulls {
	struct relay relays[RELAYS_MAX]; /* in the order of their coming */
	unsigned relays_count;
	struct own_pull own[PULLS_MAX];
	struct pull owed[SNAPSHOTS_MAX]; /* by part: to be answered once that
	                                  * is complete; count 0: none */
	bool has_pulled;                 /* an answer is for the host */
	struct pulled pulled;            /* but its items */
	uint8_t items[PULLED_BYTES_MAX];
};

/* What we show of the whole cluster: no decision of ours depends on it. */
struct node_look {
	struct node_snapshots snapshots;
	struct node_pulls pulls;
	struct event_log events;
};

/* What we do, on a tape (checkpoint.c; `size` also init.c). All read it. */
struct node_recording {
	struct tape *tape; /* that records us, or is played; NULL: none */
	size_t size;       /* of the memory that we are made in */
};

/* What we send to several peers at once (group.c). */
struct node_group {
	uint8_t key[KEY_BYTES];    /* seals it */
	uint64_t first;            /* the first number under this key */
	uint64_t number;           /* of the next datagram */
	nsec_t ask_at;             /* we ask who hears us not before */
	unsigned asks;             /* questions in vain; ASKS_EAGER: or more */
	bool is_due;               /* a heartbeat, or a question */
	bool is_message_due;       /* the message, which goes first */
	unsigned turn;             /* the next receiver, in the order of ids */
	struct peer_set receivers; /* of the message */
	size_t message_size;       /* 0: there is none */
	uint8_t message[TAGGED_BYTES_MAX];
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
	bool admits;      /* a leader has admitted us: our state is sound once
	                   * the write that is due, or under way, succeeds */
	struct durable_state writing; /* what it writes */
	bool is_mute; /* nothing leaves before our incarnation is durable */
};

/* The answer to the datagram that came in (handshake.c). */
struct node_reply {
	bool is_due;
	size_t size;
	uint8_t bytes[ANNOUNCE_BYTES];
	nsec_t away_answer_at;     /* when the bucket of rejections to other
	                        * addresses than the peers' is empty */
	nsec_t outsider_answer_at; /* likewise, of nodes that are unknown */
};

/* The last wills (lastwill.c). */
struct node_will {
	struct peer_set due; /* peers whose wills are to be sealed anew */
	uint64_t term;       /* that the releasing wills give up; 0: none */
};

/* Rounds of heartbeats and HELLOs (timers.c). */
struct node_rounds {
	nsec_t heartbeat_at; /* when the next round of heartbeats is sent */
	unsigned hello;      /* the next peer to get a HELLO, by id */
};

/* What node_act() has yet to hand out, by kinds of actions. */
struct node_out {
	struct peer *moved; /* its address is that of the datagram that came
	                     * in (receive.c); NULL: nobody's is */
	struct node_reply reply;
	struct node_disk disk;
	struct node_will will;
	struct notices notices;
	uint64_t hello_number; /* of the last new HELLO (handshake.c) */
};

/*
 * A node. All read the fields that are no parts; these files write them: init.c
 * and node.c, checkpoint.c for a node that it restores, inputs.c for the input
 * that came, receive.c for its datagram, durable.c for the durable state.
 */
struct node {
	struct node_setup setup; /* after node_init() of its pointers only
	                          * `algorithm` is valid, and its keys are
	                          * wiped; its durable state and state health
	                          * are kept up to date */
	struct node_keys keys;
	struct random random;
	struct peer *peers;
	unsigned peers_count;
	struct peer_table table;
	struct topology_links topology;
	struct blocks *blocks;
	struct node_input input;
	struct node_counters counters;
	struct node_recording recording;

	struct node_life life;
	struct node_standby standby;
	struct node_process process;
	struct node_stall stall;
	struct node_rounds rounds;
	struct node_liveness live;
	struct node_damping damping;
	struct election election;
	struct lead lead;
	struct node_told told;
	struct node_vote vote;
	struct handover handover;
	struct node_configs configs;
	struct node_outside outside;
	struct node_discovery discovery;
	struct node_look look;
	struct node_group group;
	struct node_drops drops;
	struct node_out out;
};

/* The end of node->peers. */
static inline struct peer *
peers_end(const struct node *node)
{
	return node->peers + node->peers_count;
}

#endif
