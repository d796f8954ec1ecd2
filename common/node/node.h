/* SPDX-License-Identifier: ISC */
/*
 * One host's whole protocol as one machine: sessions, channels, detector,
 * election, leadership. The daemon and the simulator are its two callers.
 *
 * An input (receive, tick, elect, stop) comes with the time; afterwards the
 * caller pulls actions with node_act() until there are none, and performs
 * each before pulling the next: that order is a promise (an incarnation is
 * durable before any datagram bears it). Then it waits for the next datagram
 * or for node_deadline(). Before a tick it must have handed in every
 * datagram that has already arrived: drain before judging (PROTOCOL.md, The
 * core as a machine).
 *
 * The caller owns all memory: node_size() bytes, given once. The core never
 * allocates, never reads a clock and never fails.
 */
#ifndef ELECTD_COMMON_NODE_NODE_H
#define ELECTD_COMMON_NODE_NODE_H

#include "common/election/algorithm.h"
#include "common/election/election_history.h"
#include "common/node/notice.h"
#include "common/quorum/durable_state.h"
#include "common/wire/costs.h"
#include "common/wire/packet.h"

#include <limits.h>

#define PEER_NONE  UINT_MAX /* no configured peer */
#define MISSES_MAX 100      /* configured heartbeats that may be missed */

enum role {
	ROLE_CANDIDATE, /* may lead */
	ROLE_VOTER,     /* never leads, counts for a quorum */
	ROLE_OBSERVER,  /* neither */
};

/* What is promised of leaders (PROTOCOL.md, Guarantees). */
enum guarantee {
	GUARANTEE_COMPONENT, /* one in each connected component, once quiet */
	GUARANTEE_QUORUM, /* at any instant at most one, who has a majority */
};

enum preempt {
	PREEMPT_ALWAYS, /* a better node that joins takes over: the bully */
	PREEMPT_NEVER,  /* a sitting leader stays */
	PREEMPT_AFTER,  /* a better node takes over once it is up this long */
};

enum node_state {
	STATE_STARTING, /* listens, claims nothing */
	STATE_ELECTING, /* an election runs, or the leader was just lost */
	STATE_LEADER,
	STATE_FOLLOWER,
	STATE_NO_LEADER, /* an election found nobody who stands */
	STATE_NO_QUORUM, /* it hears no majority of the voters */
};

/* One other node of the cluster, as configured. */
struct peer_setup {
	node_id id;
	int32_t priority;
	enum role role;
	bool is_remote; /* in a tree or graph: no neighbour of ours */
};

/*
 * How many handshakes, and other steps that go round all peers, a node begins
 * in each heartbeat, at most. With 1, a few nodes behave like thousands.
 */
#define NODE_BUDGET_MAX 64

/* Borrowed for node_init(); what is kept is copied. */
struct node_setup {
	node_id self;
	int32_t priority;
	enum role role;
	const struct peer_setup *peers; /* without self; index = peer number */
	unsigned peers_count;

	enum topology topology;
	const unsigned *right; /* RING: peers, the nearest successor first */
	unsigned right_count;
	const unsigned *left; /* RING: likewise, predecessors */
	unsigned left_count;

	const struct algorithm *algorithm; /* one that suits the topology */
	struct choices choices;
	enum prefer prefer;
	enum preempt preempt;
	nsec_t preempt_after; /* PREEMPT_AFTER */
	nsec_t heartbeat;     /* between two heartbeats; > 0 */
	unsigned misses;      /* heartbeats missed before a peer is down; > 0 */
	nsec_t startup;       /* how long to listen before standing */
	enum guarantee guarantee;
	nsec_t lease; /* QUORUM: how long a voter's grant binds it; > 0 */
	struct electorate electorate; /* QUORUM: who votes */

	const char *cluster;        /* its name */
	uint8_t digest[SALT_BYTES]; /* of the cluster-wide settings */
	uint8_t key[KEY_BYTES];     /* sends and accepts */
	uint8_t old_key[KEY_BYTES]; /* accepts, if has_old_key */
	bool has_old_key;

	struct durable_state
	    durable; /* its incarnation above every earlier one; all
	                       * of it durable, if the memory is sound */
	enum state_health state_health;
	unsigned budget_max;        /* see NODE_BUDGET_MAX; 0: that */
	uint8_t entropy[KEY_BYTES]; /* secret and never the same twice */
	bool trace;                 /* NOTICE_TRACE is wanted */
};

enum action_kind {
	ACTION_PERSIST, /* make `record` durable, beside all else, then call
	                 * node_persisted() */
	ACTION_NOTICE,  /* tell the host */
	ACTION_SEND,    /* one datagram to a peer's configured address */
	ACTION_REPLY,   /* one datagram to where the input's datagram is from */
	ACTION_WILL,    /* what the host's helper is to send to a peer's address
	                 * once this process is dead or hangs; see
	                 * node_handed_out() */
};

struct action {
	enum action_kind kind;
	struct durable_state durable; /* PERSIST */
	struct notice notice;         /* NOTICE */
	unsigned peer;                /* SEND, WILL */
	size_t size;   /* SEND, REPLY, WILL: bytes of datagram; a will
	                       * of 0 bytes: the one of before is void */
	bool releases; /* WILL: it gives up our term too */
	uint8_t datagram[PACKET_MAX];
};

struct node;

/* How much memory a node with this many peers needs, in bytes. */
size_t node_size(const struct node_setup *setup);

/*
 * Makes a node in `memory`, node_size() bytes aligned for any type and
 * zeroed. Gives `memory`. The node listens until setup->startup has passed.
 */
struct node *node_init(
    void *memory, const struct node_setup *setup, nsec_t now);

/* Wipes the keys. The memory is the caller's again. NULL is harmless. */
void node_done(struct node *node);

/*
 * One datagram has arrived. It has waited for us for `age`, 0 if that is not
 * known: so our own delay is not taken for the peer's. `peer` is the configured
 * peer whose address it came from, or PEER_NONE. Any bytes at all are allowed.
 */
void node_receive(struct node *node, nsec_t now, nsec_t age, unsigned peer,
    const uint8_t *bytes, size_t size);

/*
 * The host of a peer says, by ICMP, that nothing listens where our datagram was
 * to go; the caller has made sure that it was one of ours. A hint: the peer is
 * asked, and only when that is refused too it is lost, and a leader only if
 * nobody else reaches it.
 */
void node_refused(struct node *node, nsec_t now, unsigned peer);

/* The time has come (or any other time). */
void node_tick(struct node *node, nsec_t now);

/* When node_tick() is wanted next. */
nsec_t node_deadline(const struct node *node);

/*
 * An operator wants an election. Gives its term; 0 if the node is stopping,
 * or is no part of its ring at present.
 */
uint64_t node_elect(struct node *node, nsec_t now);

enum resignation {
	RESIGN_BEGUN,     /* it leads on until there is another leader */
	RESIGN_NO_LEADER, /* it does not lead, or is about to end */
	RESIGN_NOBODY,    /* nobody else is there to lead */
	RESIGN_UNFIT,     /* whom the operator names does not stand, or is not
	                   * heard */
	RESIGN_UNDONE,    /* a better node would take over from that one */
};

/*
 * An operator wants another leader: `to`, or, NODE_NONE, whoever is elected.
 * From then on this node abstains, until node_stand(), or until nobody else is
 * left to lead. Who leads then, and when, node_status() tells.
 */
enum resignation node_resign(struct node *node, nsec_t now, node_id to);
void node_stand(struct node *node, nsec_t now);

/*
 * The record of the last ACTION_PERSIST is durable, or, not `ok`, could not be
 * made so: then nothing is written any more, and the node goes on without a
 * vote. There is one such action at a time; that the disk has failed may be
 * told when there is none, too.
 */
void node_persisted(struct node *node, nsec_t now, bool ok);

/*
 * The process is to end. Pull the actions and go on with inputs until
 * node_stopped(): a leader leads on until the last deadline that it handed out
 * has passed, and until there is another, if that does not take too long. Then
 * all have been told goodbye: node_done().
 */
void node_stop(struct node *node, nsec_t now);
bool node_stopped(const struct node *node);

/*
 * QUORUM: until when the leader may be taken for it, on this node's clock, to
 * be told to a client; 0: there is none, or it is not known. If this node
 * leads, nobody else will before then.
 */
nsec_t node_hand_out(struct node *node, nsec_t now);

/*
 * The last deadline that this node has handed out, or 0. Whoever speaks for it
 * when it is dead sends wills at once that do not release, and from then on
 * those that do; and only if the process is dead for certain. To each peer
 * there is one of each kind at most, the latest.
 */
nsec_t node_handed_out(const struct node *node);

/*
 * The helper took this process for dead, as it hung, and has sent the wills:
 * to be called before anything else is done. The node goes on as a new
 * process, under an incarnation of its own.
 */
void node_declare_dead(struct node *node, nsec_t now);

/* Takes the next action; false when there is none left. */
bool node_act(struct node *node, nsec_t now, struct action *action);

/* What a node believes at `now`. Computed, never remembered. */
struct node_status {
	enum node_state state;
	uint64_t term;
	node_id leader;       /* NODE_NONE if none */
	struct reason reason; /* why there is this leader, or none */
	nsec_t since;         /* when it became so */
	nsec_t heard;         /* when the leader was last known to lead */
	unsigned agree;     /* nodes, this one too, that follow the same; 0: it
	                     * cannot know, as it hears its neighbours only */
	unsigned reachable; /* nodes, this one too, with links that are up */
	bool is_bypassed;   /* it is no part of its ring at present */
	bool abstains;      /* an operator wants others to lead */
	bool is_leaving; /* the process is to end, and leads on until it may */
	/* It was cut off or restarted too often lately, and does not take over
	 * before; 0: it is steady. */
	nsec_t unsteady_until;
	uint64_t incarnation;
	bool duplicate; /* our id is in use twice: we do not stand */
	enum state_health state_health;
	nsec_t until;    /* QUORUM: the leader's lease, as far as known here;
	                  * 0: none. No promise to a client: node_hand_out() */
	unsigned voters; /* QUORUM: configured, this node perhaps among them */
	unsigned votes;  /* QUORUM: of these, heard and able to vote */
	unsigned quorum; /* QUORUM: so many make a leader */
	bool has_vote;   /* QUORUM: this node is a voter, and able to vote */
};

struct node_status node_status(const struct node *node, nsec_t now);

struct peer_status {
	node_id id;
	bool up;          /* both ends hear each other */
	bool sought;      /* there is, or ought to be, a session */
	bool session;     /* keys are agreed on */
	bool duplicate;   /* its id is in use twice */
	bool differs;     /* its cluster-wide settings are not ours */
	bool other_key;   /* it seems to have another key: a hint */
	bool is_eligible; /* up, and it may be elected, as it says */
	bool is_voter;    /* QUORUM: configured to vote */
	bool votes;       /* QUORUM: up, and able to vote */
	bool unsteady; /* it would take over, but was cut off or restarted too
	                * often lately; known with PREEMPT_ALWAYS only */
	enum evidence evidence; /* why it went down last */
	uint64_t incarnation;   /* highest known; 0: never heard */
	nsec_t changed;         /* when `up` last changed; 0: never */
	nsec_t heard;           /* its last datagram; 0: none */
	nsec_t rtt;             /* smoothed round trip; 0: not yet known */
	uint64_t term;  /* whom it says it follows, and in which term; */
	node_id leader; /* NODE_NONE: nobody, or it says nothing to us
	                         * as long as all is well */
	uint64_t sent;  /* datagrams to it, and from it */
	uint64_t received;
	uint64_t resent; /* messages sent again */
};

struct peer_status node_peer_status(const struct node *node, unsigned peer);

struct node_counters {
	uint64_t sent;       /* datagrams handed to the caller */
	uint64_t received;   /* authentic datagrams */
	uint64_t heartbeats; /* datagrams sent that carry no message */
	uint64_t elections;  /* begun or joined */
	uint64_t changes;    /* of leader, as this node saw them */
	uint64_t suspicions; /* links lost by silence */
	uint64_t stalls;     /* times this process did not run when it should */
	uint64_t
	    messages[MESSAGE_KINDS_MAX]; /* sent, by the algorithm's kinds */
	uint64_t resent;                 /* messages sent again */
	uint64_t dropped[DROP_KINDS];
};

/*
 * What this node did in the election of a term, or in its last one for term
 * 0; NULL if it knows no more. Valid until the next input.
 */
const struct past_election *node_past_election(
    const struct node *node, uint64_t term);

/* Who reported what of the term this node leads, or led last; NULL: none. */
const struct costs *node_counted(const struct node *node, uint64_t term);

const struct node_counters *node_counters(struct node *node);

/* Asserts every invariant; called after each step by tests. */
void node_check(const struct node *node);

/* "starting", "leader" and so on: stable words of the control protocol. */
const char *node_state_name(enum node_state state);
const char *role_name(enum role role);

#endif
