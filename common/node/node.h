/* SPDX-License-Identifier: ISC */
/*
 * One host's whole protocol as one machine: sessions, channels, detector,
 * election, leadership. The daemon and the simulator are its two callers.
 *
 * The caller hands in an input (receive, tick, elect, stop) with the time. Then
 * it pulls actions with node_act() until there are none, and performs each
 * before it pulls the next; so an incarnation is durable before any datagram
 * bears it. Then it waits for the next datagram or for node_deadline(). Before
 * a tick it hands in every datagram that has already arrived: drain before
 * judging (PROTOCOL.md, The core as a machine).
 *
 * `now` never goes back from one call to the next. The caller owns all memory:
 * node_size() bytes, given once. The core never allocates, never reads a clock
 * and never fails.
 */
#ifndef ELECTD_COMMON_NODE_NODE_H
#define ELECTD_COMMON_NODE_NODE_H

#include "common/election/algorithm.h"
#include "common/election/election_history.h"
#include "common/node/event.h"
#include "common/node/notice.h"
#include "common/quorum/durable_state.h"
#include "common/wire/packet.h"
#include "common/wire/snapshot.h"

#include <limits.h>

#define PEER_NONE  UINT_MAX       /* no configured peer */
#define PEER_GROUP (UINT_MAX - 1) /* whoever sent it, to a multicast group */
#define MISSES_MAX 100 /* heartbeats missed: even at 10 ms a second */

enum role {
	ROLE_CANDIDATE, /* may lead */
	ROLE_VOTER,     /* never leads, but votes */
	ROLE_OBSERVER,  /* neither leads nor votes */
};

/* What the cluster promises of leaders (PROTOCOL.md, Guarantees). */
enum guarantee {
	GUARANTEE_COMPONENT, /* one in each connected component, once quiet */
	GUARANTEE_QUORUM,    /* at any instant at most one, with a majority */
};

/* When a better node takes over (PROTOCOL.md, Preemption). */
enum preempt {
	PREEMPT_ALWAYS, /* as soon as it is up and undamped */
	PREEMPT_NEVER,  /* never: a leader stays */
	PREEMPT_AFTER,  /* once it has been up for preempt_after */
};

enum node_state {
	STATE_STARTING,  /* the node listens and begins no election */
	STATE_ELECTING,  /* an election runs, or the leader was just lost */
	STATE_LEADER,    /* the node leads */
	STATE_FOLLOWER,  /* the node follows another node */
	STATE_NO_LEADER, /* nobody is eligible, or it is outside */
	STATE_NO_QUORUM, /* the node hears no majority of the voters */
};

/* One other node of the cluster, as configured. */
struct peer_setup {
	node_id id;
	int32_t priority;
	enum role role;
	bool is_remote;     /* in a tree or graph: no neighbour of ours */
	bool is_configured; /* discovery: a file lists it, so it is not
	                     * forgotten; QUORUM: any other is an observer */
	FILLER(2);
};

/*
 * How many handshakes, and other steps that go round all peers, a node begins
 * in each heartbeat, at most. A turn thus has a bounded share of them, and
 * before the next share the node takes the answers and serves others. Any
 * number of dozens does. With 1, a few nodes behave like thousands.
 */
#define NODE_BUDGET_MAX 64

/* The times of a cluster, the same at all nodes. */
struct timing {
	nsec_t heartbeat; /* between two heartbeats; MSEC at least */
	unsigned misses;  /* heartbeats missed before a peer is down; > 0 */
	FILLER(4);
	nsec_t startup; /* how long to listen at the start */
	nsec_t lease;   /* QUORUM: how long a voter's grant binds it; > 0 */
};

/* The peers in a ring, by their numbers. */
struct ring_setup {
	const unsigned *right; /* peers on the right, the nearest first */
	const unsigned *left;  /* peers on the left, the nearest first */
	unsigned right_count;
	unsigned left_count;
};

#define JOINER_NAME_MAX 64 /* bytes of a name, and its end */

/* How a node meets nodes that it does not know (PROTOCOL.md, Discovery). */
struct discovery_setup {
	bool is_on; /* the cluster takes whoever has its key */
	FILLER(7);
	nsec_t forget;      /* a node that was gone for this time; > 0 */
	bool has_addresses; /* ACTION_JOIN reaches addresses */
	char name[JOINER_NAME_MAX]; /* our own; not empty if it is on */
	FILLER(7);
};

/* A node that has been met. */
struct joiner {
	node_id id;
	int32_t priority;
	enum role role;
	char name[JOINER_NAME_MAX]; /* not empty; any bytes */
	/* The cluster is to have the settings that name it; else this node
	 * alone, until it has those of the joiner. */
	bool is_next;
};

/* The keys of the cluster that a node has (PROTOCOL.md, Keys). */
struct setup_keys {
	uint8_t first[KEY_BYTES];  /* seals, and opens */
	uint8_t second[KEY_BYTES]; /* opens, if has_second; a key of another
				    * seal_key_id(), else peer_status names
				    * the first for both */
	bool has_second;
	FILLER(7);
};

/* How a node is configured. node_init() borrows its pointers and copies what
 * the node keeps; only `algorithm` and `document` are used longer. */
struct node_setup {
	node_id self;
	int32_t priority;
	enum role role;
	enum guarantee guarantee;
	const struct peer_setup *peers; /* all but self; index = peer number */
	unsigned peers_count;

	enum topology topology;
	struct ring_setup ring; /* RING */

	const struct algorithm *algorithm; /* one that suits the topology */
	struct choices choices;
	enum prefer prefer;
	enum preempt preempt;
	nsec_t preempt_after; /* PREEMPT_AFTER: how long */
	struct timing timing;

	const char *cluster;        /* the name of the cluster */
	struct config_id config_id; /* of the settings that nodes share */
	/* The configuration's document; NULL: it can be neither given nor
	 * taken, so all nodes must have this configuration. Borrowed for the
	 * life of the node, or until the next node_change(). */
	const uint8_t *document;
	size_t document_size; /* 1 to DOCUMENT_MAX; 0 without a document */
	struct setup_keys keys;

	/* The state that the process begins with. The incarnation is above
	 * every earlier one. All of it is durable if state_health is sound. */
	struct durable_state durable;
	enum state_health state_health;
	unsigned budget_max;        /* 1 to NODE_BUDGET_MAX; 0: that */
	uint8_t entropy[KEY_BYTES]; /* secret, and another in each process */
	bool trace;                 /* NOTICE_TRACE is wanted */
	struct versions versions;   /* that it speaks in a session */
	bool has_group;             /* ACTION_GROUP reaches a group */
	unsigned events_max; /* that the node keeps; EVENTS_MAX at most */
	uint32_t release;    /* of the program, which peers are told; 0: none */
	FILLER(4);
	struct discovery_setup discovery;
	struct standby standby; /* of STANDBY_ORDER, as of the start */
	int64_t epoch; /* when the clock of `now` was 0, in ns since 1970; for
	                * those who ask */
};

enum action_kind {
	ACTION_PERSIST,  /* make `durable` durable without blocking the node,
	                 * then call node_persisted() */
	ACTION_NOTICE,   /* tell the host */
	ACTION_ADDRESS,  /* send to this peer where the last datagram came from,
	                  * not where it was before (PROTOCOL.md, Addresses) */
	ACTION_HELLO,    /* send a datagram to each address that a peer may
	                  * have */
	ACTION_SEND,     /* send a datagram to where the peer is */
	ACTION_REPLY,    /* send a datagram to where the last one came from */
	ACTION_WILL,     /* give the helper a datagram to send to a peer once
	                 * this process is dead or hangs; see
	                 * node_handed_out() */
	ACTION_DOCUMENT, /* a piece of the document of a later configuration:
			  * put the pieces together, and once it is whole
			  * call node_change() or node_refuse() */
	ACTION_GROUP,    /* send a datagram to the group, or to nobody */
	ACTION_JOIN,     /* send a datagram to each address where there may be a
	                  * node that is not known */
	ACTION_PULLED,   /* an answer to node_pull() */
	ACTION_JOINER,   /* `joiner` is where the last datagram came from:
	                  * make settings that name it, and node_change();
	                  * QUORUM: node_propose(), or as node_step() allows */
};

struct action {
	enum action_kind kind;
	struct durable_state durable; /* PERSIST */
	bool is_anew; /* PERSIST: a leader has admitted this voter: make the
	               * state file anew, in place of any that there is */
	struct notice notice; /* NOTICE */
	unsigned peer;        /* ADDRESS to SEND, WILL */
	size_t size; /* HELLO to JOIN: bytes of datagram; a will of 0 bytes
	                * makes the one before it void */
	struct joiner joiner; /* JOINER */
	bool releases;        /* WILL: it also gives up our terms */
	unsigned place; /* WILL: the place of `peer` by its rank, 0 is the best.
	                 * Wills go out in this order */
	/* DOCUMENT: `size` bytes of `datagram` are those from `offset` on; the
	 * pieces come in order. One at 0 begins a document anew. */
	struct config_id config_id;
	node_id giver; /* the peer that gave the piece */
	/* PULLED: `size` bytes of `datagram` are its items. */
	struct pulled pulled;
	uint32_t offset;
	uint32_t total; /* bytes of the whole document */
	uint8_t datagram[PACKET_MAX];
};

struct node;

/* How many bytes of memory a node with this setup needs. */
size_t node_size(const struct node_setup *setup);

/*
 * Makes a node in `memory`, node_size() bytes aligned for any type and
 * zeroed; returns `memory`. The node listens until setup->startup has passed.
 */
struct node *node_init(
    void *memory, const struct node_setup *setup, nsec_t now);

/* How many bytes of memory node_change() needs. */
size_t node_change_size(
    const struct node *node, const struct node_setup *setup);

/*
 * node_change() is next with this setup: tells the peers that it does not name.
 * The caller takes all actions in between.
 */
void node_tell_removed(
    struct node *node, nsec_t now, const struct node_setup *setup);

/* Whether the settings of a setup may follow those in effect (PROTOCOL.md,
 * Changes of voters). Where they do not name this node, its role in the setup
 * is that of an observer. */
enum change_step {
	STEP_READY,     /* node_change() may be next, with the config term */
	STEP_STAMP,     /* first the configuration in effect wants the config
			 * term of our term: node_change() with the settings
			 * as they are */
	STEP_UNSETTLED, /* wait: not enough voters are known to have the
			 * configuration in effect, or we have not led for a
			 * lease yet */
	STEP_UNHEARD,   /* wait: no majority of the next voters would grant us
	                 * the lease */
	STEP_NOT_OURS, /* we do not lead, or are about to end: node_propose() */
	STEP_RESIGN,   /* we lead, and would be no candidate: node_resign(), and
	                 * the next leader takes the step */
	STEP_TOO_FAR,  /* more than one voter comes, goes or changes */
	STEP_PROMOTES, /* an observer would vote: remove it, then add it */
};

/*
 * COMPONENT: always STEP_READY, with config term 0. QUORUM: judges the step to
 * the settings of *setup; *config_term is the config term that they, or those
 * in effect for STEP_STAMP, are to have.
 */
enum change_step node_step(struct node *node, nsec_t now,
    const struct node_setup *setup, uint64_t *config_term);

/*
 * QUORUM: a voter that the settings of *setup add, and that has not said HELLO
 * to this node of late; NODE_NONE: there is none. If it does not run, the
 * cluster survives one failure less. A host that wants the settings asks this
 * first, and its operator decides.
 */
node_id node_awaits(
    struct node *node, nsec_t now, const struct node_setup *setup);

/* QUORUM: true if we have led for a lease, and no leader has stamped the
 * configuration in effect yet, or we have not, and a voter waits for that
 * until we may admit it. */
bool node_wants_stamp(const struct node *node, nsec_t now);

/*
 * QUORUM: this host has a document that it wants to have in effect: the leader
 * is told, fetches it, and gives it to its own host, as ACTION_DOCUMENT of a
 * configuration with config term 0. `config_id` has config term 0, and is newer
 * than the configuration in effect; `document`, of `size`
 * bytes, is borrowed until the next call. NULL ends that; so does a later
 * configuration that is put into effect.
 */
void node_propose(struct node *node, const struct config_id *config_id,
    const uint8_t *document, size_t size);

/*
 * Puts the configuration of `setup` into effect without a restart. Under quorum
 * it is a later one that was learned, or one that node_step() allows, and its
 * document is durable: the node never goes back to an earlier one. Makes the
 * node anew in `memory`, node_change_size() bytes aligned for any type and
 * zeroed, and wipes `node`. Returns the new node. Sessions with peers that
 * stay, the leader and the term go on; elections begin anew; the numbers of
 * peers change with the setup. All actions have been taken, and the node does
 * not end.
 *
 * Of *setup counts what nodes share: peers, priority, role, topology,
 * algorithm, choices, prefer, preempt, timing, configuration and document; and
 * state_health, if the node's own is sound. The rest stays as it is.
 */
struct node *node_change(void *memory, struct node *node,
    const struct node_setup *setup, nsec_t now);

/* The document of this configuration cannot be put into effect, or there is
 * no memory for it: the node does not fetch it again for a minute. */
void node_refuse(
    struct node *node, nsec_t now, const struct config_id *config_id);

/*
 * Discovery: a node that is to be forgotten, as this node has not heard it for
 * the time that the setup says: the first with an id above this one; NODE_NONE:
 * none. In `full` the leader forgets, in a tree or graph each neighbour. The
 * host makes settings without them, and calls node_change(); QUORUM:
 * node_propose(), or what node_step() allows.
 */
node_id node_forgets(const struct node *node, nsec_t now, node_id above);

#define SNAPSHOT_TIME (5 * SEC) /* nobody waits longer for one */

/*
 * Begins a snapshot of the cluster (PROTOCOL.md, Snapshots). Returns its
 * name, by which each node's part can be pulled for SNAPSHOT_TIME. The last
 * snapshot of this node is over with that.
 */
struct snapshot_name node_snapshot(struct node *node, nsec_t now);

/* The node whose marker the last of these waits for; NODE_NONE: none. */
node_id node_snapshot_awaits(const struct node *node);

/*
 * Asks the last node of a path for items: the path begins with this node, and
 * each node of it has a session with the next. ACTION_PULLED answers in any
 * case, after two detection times and a second at most; a part of a snapshot
 * comes when it is complete. False: NODE_PULLS_MAX are under way, and this one
 * is not asked for.
 */
#define NODE_PULLS_MAX 4
bool node_pull(struct node *node, nsec_t now, const struct pull *pull);

/* The configuration in effect. */
const struct config_id *node_config_id(const struct node *node);

/* What the helper has to know that sends the last wills of a node. */
struct will_rules {
	nsec_t hang; /* the node hangs if no input came for this time; > 0 */
	bool has_successor; /* the peer of the first will is the next leader */
};

/* The rules for a node with this setup (PROTOCOL.md, Last will). */
struct will_rules node_will_rules(const struct node_setup *setup);

/* Wipes the node with its keys; does nothing for NULL. */
void node_done(struct node *node);

/*
 * One datagram has arrived, any bytes. It waited `age` for this call, 0 if that
 * is not known; so the node does not take our own delay for the peer's. `peer`
 * is the one whose address it came from, or PEER_NONE; PEER_GROUP if it came by
 * the group, by which come announcements and datagrams for several peers.
 */
void node_receive(struct node *node, nsec_t now, nsec_t age, unsigned peer,
    const uint8_t *bytes, size_t size);

/*
 * The host of a peer says by ICMP that nothing listens where one of our
 * datagrams went; the caller has verified that it was ours (PROTOCOL.md, ICMP).
 * A hint: the node asks the peer, and gives it up if that is refused too
 * (PROTOCOL.md, Refusals).
 */
void node_refused(struct node *node, nsec_t now, unsigned peer);

/* Does what is due by now. Harmless at any time, wanted at node_deadline(). */
void node_tick(struct node *node, nsec_t now);

/* When node_tick() is wanted next. */
nsec_t node_deadline(const struct node *node);

/*
 * An operator wants an election. Returns its term; 0 if the node may not begin
 * one: it is to end, is not part of its ring, has no term left, or under quorum
 * hears no majority.
 */
uint64_t node_elect(struct node *node, nsec_t now);

enum resignation {
	RESIGN_BEGUN,     /* the node leads on until there is another leader */
	RESIGN_NO_LEADER, /* the node does not lead, or is about to end */
	RESIGN_NOBODY,    /* no other node is there to lead */
	RESIGN_UNFIT,     /* the node that the operator names is not eligible,
	                   * or is not heard */
	RESIGN_UNDONE,    /* a better node would take over from that one */
};

/*
 * An operator, or a program of the host, wants another leader: `to`, or,
 * NODE_NONE, the node that an election names. This node is on standby from then
 * on, for STANDBY_RESIGNED if for nothing else. `reason`, which must be valid
 * (standby.h), is that of the standby; "": "resigned". node_status() tells who
 * leads.
 */
enum resignation node_resign(
    struct node *node, nsec_t now, node_id to, const char *reason);

/*
 * Puts this node on standby for standby->cause, or, `standby` off, ends the
 * standby of that cause (PROTOCOL.md, Standby). An order or a check holds
 * whoever else is left to lead: a leader hands over, and gives up the lead if
 * nobody takes it. Either ends a resignation, and lasts for standby->left.
 * NOTICE_STANDBY tells of what begins, changes and ends. An order that must
 * survive the process is for the caller to keep, and to give to the next
 * node_init().
 */
void node_set_standby(
    struct node *node, nsec_t now, const struct standby *standby);

/* Tells the node whether the host's file is older than the settings in effect,
 * and the node tells its peers. A node that was never told takes it that the
 * file is not. */
void node_set_file(struct node *node, nsec_t now, bool is_older);

/*
 * Tells the node whether the host has a carrier on an interface that leads to
 * peers; a node that was never told takes it that there is one. Without a
 * carrier the node is not eligible, begins no election and gives up the lead at
 * once (PROTOCOL.md, Carrier). A deadline that it handed out stands, and nobody
 * else leads before.
 */
void node_set_carrier(struct node *node, nsec_t now, bool has_carrier);

/*
 * The operator has changed the keys. From now on the node seals its HELLOs with
 * the first of these, which are copied. Sessions go on under their own keys
 * (PROTOCOL.md, Keys).
 */
void node_change_keys(
    struct node *node, nsec_t now, const struct setup_keys *keys);

/* True if the node uses these keys. */
bool node_has_keys(const struct node *node, const struct setup_keys *keys);

/* True if the peer has said, in the present session, that it has no such key;
 * keys count by their ids of one byte. */
bool node_peer_lacks_key(
    const struct node *node, unsigned peer, const uint8_t *key);

/*
 * The state of the last ACTION_PERSIST is durable (`ok`) or could not be made
 * durable. After a failure the node writes no more and has no vote. There is
 * one such action at a time; the caller may report a failed disk without one.
 */
void node_persisted(struct node *node, nsec_t now, bool ok);

/* Under component: true if the disk has failed, and the node has raised its
 * incarnation to one that is not durable. It sends nothing any more, and the
 * caller ends the process: its next start would not know that incarnation and
 * could not go above it. */
bool node_is_unborn(const struct node *node);

/*
 * The process is to end. The caller goes on with inputs and actions until
 * node_stopped(). A leader first leads on until the last deadline that it
 * handed out has passed and there is another leader, if that does not take too
 * long (PROTOCOL.md, Handover).
 */
void node_stop(struct node *node, nsec_t now);

/* True once the node has ended: when its last actions, which say goodbye, are
 * performed, the caller calls node_done(). */
bool node_stopped(const struct node *node);

/*
 * QUORUM: until when, on this node's clock, a client may take the leader for
 * it; 0: there is no leader, or that is not known. If this node leads, no other
 * node leads before then (PROTOCOL.md, Deadlines).
 */
nsec_t node_hand_out(struct node *node, nsec_t now);

/*
 * The last deadline that this node has handed out, or 0. When the process is
 * dead or hangs, the helper sends the wills that do not release at once. It
 * sends those that release only after this deadline, and only if the process is
 * dead for certain. It keeps the latest will of each kind to each peer.
 */
nsec_t node_handed_out(const struct node *node);

/*
 * The clients of this node rely on no deadline later than `until`, 0 or more,
 * any longer: they have said so themselves. A handover may then go on sooner
 * (NOTICE_HANDOVER). A deadline is forgotten in no other way, so the caller
 * keeps account of what each client was given.
 */
void node_take_back(struct node *node, nsec_t now, nsec_t until);

/*
 * The helper took this process for dead, as it hung, and has sent the wills.
 * The caller says so before any other input. The node goes on as a new process,
 * with the next incarnation.
 */
void node_declare_dead(struct node *node, nsec_t now);

/* Takes the next action; false when there is none left. */
bool node_act(struct node *node, nsec_t now, struct action *action);

/* Whether a node may lead, whatever the others are; if not, the first reason
 * that holds (PROTOCOL.md, Rank). */
enum eligibility {
	ELIGIBLE,
	INELIGIBLE_ROLE,       /* the node is no candidate */
	INELIGIBLE_ENDING,     /* the node is told to stop */
	INELIGIBLE_CARRIER,    /* the node's cable is pulled */
	INELIGIBLE_DUPLICATE,  /* the node's id is in use twice */
	INELIGIBLE_OUTSIDE,    /* the configuration of other nodes does not name
	                        * it */
	INELIGIBLE_STATE_FILE, /* QUORUM: its durable state is not sound */
	INELIGIBLE_STANDBY,    /* the node is on standby */
	INELIGIBLE_HANDS_OVER, /* it was on standby and was told to rejoin, but
	                        * its handover is under way */
	INELIGIBLE_NO_QUORUM,  /* QUORUM: it does not lead, and hears no
	                        * majority */
};
enum eligibility node_eligibility(const struct node *node, nsec_t now);

/* A node's place in the virtual tree (PROTOCOL.md, Virtual tree). */
struct tree_place {
	bool has_tree;   /* the topology is a tree; else all is 0 */
	bool is_forming; /* neighbours are not in one tree yet */
	node_id root;    /* of the tree */
	unsigned level;  /* links to the root; 0: this node is the root */
	node_id parent;  /* NODE_NONE: this node is the root */
};

/* Where a peer stands in the tree, if both ends agree. */
enum tree_side {
	TREE_SIDE_NONE, /* not next to this node */
	TREE_SIDE_PARENT,
	TREE_SIDE_CHILD,
};

/* The peers that the node reaches by its multicast group. */
struct group_status {
	bool is_on;       /* the node may send to a group */
	unsigned peers;   /* that are up, and would hear it there */
	unsigned reached; /* of these, those that do */
};

/* What a node believes, computed from the clock at each call (PROTOCOL.md,
 * Answers). */
struct node_status {
	enum node_state state;
	uint64_t term;
	uint64_t token;       /* of the leader (PROTOCOL.md, Words); 0: there
	                       * is none, or it is not known */
	node_id leader;       /* NODE_NONE if none */
	struct reason reason; /* why there is this leader, or none */
	nsec_t since;         /* since when there is this leader, or none */
	nsec_t heard;         /* when the leader was last known to lead */
	unsigned agree;       /* nodes, with this one, that follow this leader;
	                       * 0: not known, as we hear neighbours only */
	unsigned reachable;   /* peers with links that are up, and this node */
	unsigned eligible;    /* of these, those that may lead; 0: not known, as
	                       * we hear neighbours only */
	bool is_bypassed;     /* the node is not part of its ring at present */
	struct tree_place tree;
	struct group_status group;
	enum eligibility eligibility;
	bool is_outside;     /* the configuration of other nodes does not
			      * name it; an observer may be, too */
	uint32_t removed_by; /* a later config version than ours that does
			      * not name it; 0: none */
	bool hands_over;     /* the node leads, and wants to give up the lead */
	struct standby standby;
	bool is_leaving; /* the process is to end, but leads on until it may */
	bool is_mixed;   /* a peer has another configuration, and elections
			  * wait until one of the two has changed */
	/* Until when this node is damped and takes over from nobody; 0: it is
	 * undamped (PROTOCOL.md, Flap damping). */
	nsec_t damped_until;
	uint64_t incarnation;
	bool duplicate; /* our id is in use twice: we are not eligible */
	enum state_health state_health;
	nsec_t until;    /* QUORUM: when the leader's lease ends, as this node
	                  * knows; 0: none. Clients need node_hand_out() */
	unsigned voters; /* QUORUM: how many are configured */
	unsigned votes;  /* QUORUM: how many of them are heard and can vote */
	unsigned quorum; /* QUORUM: how many make a leader */
	bool has_vote;   /* QUORUM: this node is a voter, and able to vote */
};

/* What the node believes at `now`. */
struct node_status node_status(const struct node *node, nsec_t now);

/* A key of a peer, compared with those of this node by its id of one byte. */
enum key_match {
	KEY_UNKNOWN, /* the peer has not told it in a present session */
	KEY_NONE,    /* the peer has no second key */
	KEY_FIRST,   /* our first, which we seal with */
	KEY_SECOND,  /* our second, which we only accept */
	KEY_OTHER,   /* one that we do not have */
};

struct peer_status {
	node_id id;
	bool up;             /* both ends hear each other */
	bool sought;         /* there is, or ought to be, a session */
	bool session;        /* keys are agreed on */
	bool duplicate;      /* the peer's id is in use twice */
	bool differs;        /* other settings than ours: there is no session */
	bool other_version;  /* no version is common: likewise */
	bool by_group;       /* the peer hears what we send to the group */
	bool no_unicast;     /* a leader that we hear by the group alone; as
	                     * of our last input */
	bool is_behind;      /* up, with another configuration */
	bool has_older_file; /* up, and the file of its host is older than the
	                      * settings in effect */
	bool other_key;      /* the peer seems to have another key: a hint */
	enum key_match first_key;  /* the peer seals with this */
	enum key_match second_key; /* the peer accepts this besides */
	bool is_eligible;          /* the peer is up and may lead, as it says */
	enum tree_side tree_side;
	bool is_voter; /* QUORUM: configured to vote */
	bool votes;    /* QUORUM: up and able to vote */
	/* Eligible, but takes over from nobody, as the peer says; known with
	 * PREEMPT_ALWAYS only. */
	bool damped;
	enum evidence evidence; /* why the peer went down last */
	uint64_t incarnation;   /* highest known; 0: never heard */
	uint32_t release;       /* of its program; 0: no session, or not told */
	nsec_t changed;         /* when `up` last changed; 0: never */
	nsec_t heard;           /* the peer's last datagram; 0: none */
	nsec_t rtt;             /* smoothed round trip; 0: not yet known */
	uint64_t term;          /* that of the leader that the peer follows */
	/* The leader that the peer says it follows; NODE_NONE: it follows
	 * nobody, or sends us nothing while all is well. */
	node_id leader;
	uint64_t sent;     /* datagrams to the peer */
	uint64_t received; /* datagrams from the peer */
	uint64_t resent;   /* messages sent again */
	/* What the peer said last, also while down; as of our last input. */
	struct standby standby;
};

/* Whether this node, or a peer as it said last, is on standby; off if there is
 * no node with this id. As of the last input. */
struct standby node_standby(const struct node *node, node_id id);

/* What the node knows of the peer with this number, below peers_count. */
struct peer_status node_peer_status(const struct node *node, unsigned peer);

/* How many datagrams the node took that this peer sealed in a session, by
 * unicast or the group; 0 if it is no peer. */
uint64_t node_received_from(const struct node *node, unsigned peer);

struct node_counters {
	uint64_t sent;       /* datagrams handed to the caller */
	uint64_t received;   /* authentic datagrams */
	uint64_t heartbeats; /* datagrams sent that carry no message */
	uint64_t elections;  /* begun or joined */
	uint64_t changes;    /* of leader, as this node saw them */
	uint64_t suspicions; /* links lost by silence */
	uint64_t stalls;     /* times this process did not run when it should */
	uint64_t messages[MESSAGE_KINDS_MAX]; /* sent, by the algorithm's
					       * kinds */
	uint64_t resent;                      /* messages sent again */
	uint64_t dropped[DROP_KINDS];
};

/*
 * What this node did in the election of a term, or for term 0 in its last
 * one; NULL if it has forgotten that. Valid until the next input.
 */
const struct past_election *node_past_election(
    const struct node *node, uint64_t term);

/* The last events of this node; valid until the next input. */
const struct event_log *node_events(const struct node *node);

/* The counters, as of now; valid until the next input. */
const struct node_counters *node_counters(struct node *node);

struct tape;
struct checkpoint;

/* Records the node on this tape (tape.h), which stays the caller's, from now
 * on, also after node_change(). NULL ends that. */
void node_begin_tape(struct node *node, nsec_t now, struct tape *tape);

/*
 * Makes the node of a checkpoint, whose `size` bytes are in `memory`, aligned
 * for any type. `algorithm` has the name that *checkpoint says. The tape is
 * played from the entry after the checkpoint on; what *checkpoint borrows must
 * outlive the node. NULL if the checkpoint is wrong. A false one may yet make
 * the node do anything: it is bytes of the memory of a program.
 */
struct node *node_restore(void *memory, size_t size,
    const struct checkpoint *checkpoint, const struct algorithm *algorithm,
    struct tape *tape);

/* Asserts every invariant; called after each step by tests. */
void node_check(const struct node *node);

/* "starting", "leader" and so on: stable words of the control protocol. */
const char *node_state_name(enum node_state state);

/* "resigned", "no-quorum" and so on: likewise; NULL for ELIGIBLE. */
const char *eligibility_name(enum eligibility eligibility);

/* "parent", "child", "edge": likewise; NULL for TREE_SIDE_NONE. */
const char *tree_side_name(enum tree_side side);

/* "candidate", "voter", "observer": words of the configuration. */
const char *role_name(enum role role);

#endif
