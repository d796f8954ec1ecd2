/* SPDX-License-Identifier: ISC */
/*
 * A simulated world of whole nodes: virtual time, a network that loses and
 * mangles, hosts that crash, stop, drift and forget. common/node/node.h runs in
 * it as it does in electd. Everything is drawn from one seed: the same seed
 * gives the same trace, byte for byte.
 *
 * One event happens at a time. Of events at the same time, scripted faults come
 * first, then writes that have ended, then datagrams, then deadlines of nodes;
 * of the same kind, that of the lower process; then the one that was made
 * first. So a node has been handed every datagram that has arrived before it
 * judges who is silent.
 *
 * After each event the node that moved is checked (world_check.c). A broken
 * promise goes to setup->failed and halts the world.
 */
#ifndef ELECTD_TESTS_WORLD_WORLD_H
#define ELECTD_TESTS_WORLD_WORLD_H

#include "common/node/node.h"
#include "common/util/random.h"
#include "tests/world/world_queue.h"

#include <stdio.h>

#define WORLD_NODES_MAX     20   /* ids 1 to 20 */
#define WORLD_COPY          21   /* names a second process of one of the ids */
#define WORLD_SOCKET_MAX    256  /* datagrams a paused process's socket holds */
#define WORLD_QUESTIONS_MAX 64   /* clients that wait for an answer */
#define WORLD_TAPE_MAX      4096 /* datagrams recorded, at most */
#define WORLD_CALM          (5 * SEC) /* nothing may change for, when settled */
#define WORLD_NO_STARTUP    NSEC_NEVER
#define WORLD_LIVES         4 /* whose records are kept, to be rolled back to */

/* Processes are named by their node's id, 1 to 20, or WORLD_COPY. */
typedef unsigned process_name;

/* Faults may also mean whoever it is when they happen; nobody, perhaps. */
enum anyone {
	WORLD_LEADER = WORLD_COPY + 1, /* who leads; the first if two do */
	WORLD_FALLEN,                  /* who does not run, the longest */
	WORLD_PAUSED,                  /* who is paused, the longest */
	WORLD_VOTELESS, /* whose record is lost or revoked; the first */
};

struct world;

/* A link of a tree or graph. */
struct world_link {
	node_id a;
	node_id b;
};

struct world_setup {
	unsigned nodes; /* 1 to WORLD_NODES_MAX */
	uint64_t seed;
	const struct algorithm *algorithm; /* NULL: the bully */
	struct choices choices; /* a diameter of 0: one that is safe */
	enum topology topology; /* one that suits the algorithm */
	const node_id *order;   /* RING: all ids; NULL: as they rise */
	const struct world_link
	    *links;           /* TREE, GRAPH; borrowed, like `order`, */
	unsigned links_count; /* for world_new(); GRAPH, 0: all */
	enum prefer prefer;
	enum preempt preempt;
	nsec_t preempt_after;
	nsec_t heartbeat; /* 0: 100 ms */
	unsigned misses;  /* 0: 3 */
	nsec_t startup;   /* 0: 1 s; WORLD_NO_STARTUP: none */
	enum guarantee guarantee;
	nsec_t lease;        /* 0: 2 s */
	unsigned budget_max; /* as in struct node_setup */
	nsec_t calm;         /* 0: WORLD_CALM */
	bool trace;          /* the nodes' own steps too */
	bool silent;         /* no text at all: it costs time */

	/* A promise was broken; may not return. NULL: print and abort. */
	void (*failed)(struct world *w, const char *why);
};

/* One reign: a process that leads, in a term. */
struct accession {
	uint64_t term;
	struct owner owner;
};

/* What a node said of itself after its last step. */
struct seen {
	enum node_state state;
	node_id leader;
	uint64_t term;
	bool is_bypassed;
	enum state_health state_health;
	bool is_steady;
};

/* What speaks for a process that is dead, or hangs. */
struct helper {
	bool has_spoken;   /* while the process hung: it must not go on */
	uint64_t declared; /* this incarnation, and earlier ones, dead */
	struct {
		size_t size;     /* 0: none */
		uint64_t number; /* the last that either was sealed under */
		uint8_t bytes[PACKET_WILL_BYTES];
	} wills[WORLD_NODES_MAX + 1][2]; /* by id; [1]: that releases */
};

/* What a process does about one input. */
struct step {
	nsec_t local;     /* its clock, as it was read when the input came */
	unsigned actions; /* performed */
	bool is_open;     /* it was stopped in the middle, */
	bool is_late;     /* and goes on now */
	bool may_reply;   /* as the world had it then */
	node_id replying_to;
	size_t reply_room;
};

struct process {
	/* Configuration: may be set while the process does not run. */
	node_id id;
	int32_t priority;
	enum role role;
	uint8_t digest[SALT_BYTES];
	struct electorate electorate;

	/* The disk (world_disk.c). */
	struct durable_state
	    durable;  /* durable; the next start bears one more */
	bool is_lost; /* QUORUM: there is none, until FAULT_INIT */
	struct durable_state older[WORLD_LIVES]; /* as its last lives began, the
	                                   * latest first */
	struct durable_state written;            /* on its way to the disk */
	bool is_syncing;
	bool is_synced;      /* while it was paused: it is not told yet */
	bool disk_fails;     /* until the process ends */
	bool has_failed;     /* it did, in this life */
	nsec_t sync_longest; /* of a sync, at random; 0: 50 us, always, or */
	nsec_t sync_always;  /* exactly this, unless it is 0 */
	nsec_t second_at;    /* the second copy of the last record is begun, */
	nsec_t second_ends; /* and on the disk: no other goes there meanwhile */

	struct node *node; /* NULL: does not run */
	struct helper helper;
	uint64_t spoken_of; /* incarnations of this id, up to this one, that
	                     * a helper said to be dead, or that left */
	uint64_t lives;     /* times it was started */
	nsec_t fallen_at;   /* when it ended last */
	enum state_health state_health; /* as it was started with */
	nsec_t wake;                    /* world time of its deadline */
	bool stops;                     /* it is about to end */
	bool paused;                    /* no input is handled */
	bool frozen; /* paused, and its clock stands still too */
	nsec_t paused_at;
	nsec_t resumed_at;
	bool dies; /* after `actions_left` more actions */
	unsigned actions_left;
	nsec_t stalls_for; /* it stops for so long in a step, 0: it does not, */
	unsigned stalls_after; /* after so many more actions, or ... */
	bool stalls_answers;   /* ... answers to clients */
	struct step step;
	bool is_serving; /* its clients, when it was stopped */
	uint64_t questions[WORLD_QUESTIONS_MAX]; /* that wait; see world.said */
	size_t questions_count;

	nsec_t clock_zero; /* world time at which its clock showed ... */
	nsec_t clock_base; /* ... this, */
	int rate;          /* and runs this many permille fast */

	/* What was seen of it, for checks and tests. */
	unsigned ticks_in_place; /* deadlines without time going on */
	uint64_t ticks;          /* deadlines, and ... */
	uint64_t actions;        /* ... actions performed, all its lives */
	nsec_t burst_at;         /* when it began to send ... */
	unsigned burst;          /* ... so many datagrams */
	uint64_t term;           /* last seen, in this incarnation */
	nsec_t heard;            /* sending time of the last delivered */
	struct notice leader;    /* the last LEADER or NO_LEADER */
	struct notice elected;   /* the last ELECTED */
	unsigned notices[NOTICE_TRACE + 1]; /* by kind, all its lives */
	struct seen seen;

	/* Leadership (world_lead.c). */
	struct accession reign; /* as it was last seen to lead */
	bool leads;             /* it did so when last looked at */
	bool is_counted;        /* all its component took it as leader */
	nsec_t excused_until;   /* on its clock: it was frozen, and may not
	                         * know yet that it leads no more */
	nsec_t longest;         /* until when this reign was ever to last */
	nsec_t handed;          /* the latest deadline that it handed out, */
	uint64_t handed_life;   /* in this life, */
	bool is_bound;          /* and is to lead until then */

	nsec_t sends_each;   /* a datagram takes so long to leave; 0: no time */
	nsec_t sends_until;  /* it is busy with those before */
	unsigned sends_room; /* so many may wait, beside those of 5 ms */
	struct pending *socket[WORLD_SOCKET_MAX]; /* arrived while paused */
	size_t socket_count;
};

struct world_counters {
	uint64_t sent;
	uint64_t delivered;
	uint64_t lost; /* by chance, by a cut */
	uint64_t doubled;
	uint64_t corrupted;
	uint64_t unheard;    /* nobody ran at that address */
	uint64_t overflow;   /* of a paused process's socket */
	uint64_t strangers;  /* replies to addresses of no node */
	uint64_t accessions; /* times a node said that it leads */
	uint64_t
	    elections;  /* reigns that a whole component took (electsim.1) */
	uint64_t syncs; /* records that were to be made durable */
	uint64_t deadlines;   /* that leaders handed out */
	uint64_t tapped;      /* messages whose order was checked */
	uint64_t rolled_back; /* records that became old ones */
	uint64_t made_anew;   /* ... that an operator made */
	uint64_t full;        /* datagrams that found no room to leave by */
	uint64_t answers;     /* to clients that asked who leads */
	uint64_t stalls;      /* steps that were stopped in the middle */
};

struct recording {
	node_id from;
	node_id to;
	size_t size;
	uint8_t bytes[PACKET_MAX];
};

struct world {
	struct world_setup setup;
	nsec_t now;
	bool halted; /* a promise was broken: nothing happens any more */
	struct random random;
	struct random hosts; /* for disks and clients: a stream of its own */
	struct world_queue queue;
	struct wire wires[WORLD_NODES_MAX + 1][WORLD_NODES_MAX + 1];
	unsigned linked[WORLD_NODES_MAX + 1]; /* by id: bit set of the ids */
					      /* that may be neighbours */
	node_id order[WORLD_NODES_MAX];       /* RING: to the right */
	struct process processes[WORLD_COPY + 1]; /* by name; 0 is unused */
	struct electorate electorate; /* by the file that every host has, */
	unsigned voters;  /* bit set of the ids; 0: they never change */
	bool copy_shares; /* a datagram to a doubled id goes to both */
	bool helpers;     /* they speak, most of the time */
	bool stamps;      /* hosts tell when it came what waited in a socket */
	unsigned refuses; /* permille: so often a host without a process says
	                    * so; */
	bool rejects;     /* and a firewall, if it is cut one way only */
	unsigned clients; /* permille: after so many of its steps a leader is
	                    * asked for a deadline */
	nsec_t late;      /* the datagram that is being sent waits so long */
	nsec_t asks_each; /* 0, or a client asks so often, on average */
	uint64_t said;    /* the latest term of which a client heard yes */
	struct random askers;
	nsec_t fault_at;   /* the last fault */
	nsec_t settled_at; /* when world_settle() last found it so */
	struct world_counters counters;

	uint64_t changes;         /* of who follows whom, and faults; */
	uint64_t changes_counted; /* when reigns were counted last; */
	uint64_t changes_settled; /* when it was last not settled */
	unsigned leading;   /* bit set of the processes that lead, perhaps */
	unsigned uncounted; /* of these, not all their component knows yet */
	struct accession *accessions; /* QUORUM: all there ever were */
	size_t accessions_count;
	size_t accessions_capacity;
	struct algorithm tapped; /* the algorithm, wrapped (world_tap.c) */
	struct tap *taps[WORLD_NODES_MAX + 1][WORLD_NODES_MAX + 1];

	node_id replying_to; /* whence the datagram of this input came */
	bool may_reply;
	size_t reply_room; /* bytes that may still be answered */

	char *trace; /* text, growing; the oldest is given up beyond a limit */
	size_t trace_size;
	size_t trace_capacity;
	nsec_t trace_zero;      /* times in it count from here */
	struct recording *tape; /* NULL: nothing is recorded */
	size_t tape_count;
	char why[160]; /* why it is not settled */
};

/* A world of nodes that do not run yet, and its end. */
struct world *world_new(const struct world_setup *setup);
void world_free(struct world *w);

/* Time. Each runs until the world halts at the latest. */
bool world_step(struct world *w);
void world_run(struct world *w, nsec_t duration);

/* Runs until `done`, checked after each event; false: not within `limit`. */
bool world_run_until(
    struct world *w, bool (*done)(struct world *w), nsec_t limit);

/*
 * Runs until the world is settled, at most world_bound() after the last
 * fault, and then for WORLD_CALM, in which nothing may change.
 */
void world_settle(struct world *w);

/* Runs until it is settled, at `until` at the latest; false: it is not. */
bool world_settles(struct world *w, nsec_t until);

/* How long after the last fault every component has decided, at most. */
nsec_t world_bound(const struct world *w);

/*
 * Has every component exactly one leader, alive, known to all its nodes, and
 * the best of them (world_settle.c)? Under the guarantee "quorum": the one
 * component that can have a leader, and no other? If not, w->why says why.
 */
bool world_settled(struct world *w);

/* Scripted faults: at once, or at a time to come. */
enum fault_kind {
	FAULT_START,
	FAULT_FORGET,    /* its durable state is lost */
	FAULT_ROLL_BACK, /* its durable state is that of an earlier life, and
	                  * it starts; not in an uneasy world */
	FAULT_INIT,      /* the operator makes a new one; likewise */
	FAULT_DISK,      /* writing takes up to `amount` */
	FAULT_DISK_FAIL, /* nothing is written any more, until it ends */
	FAULT_STOP,      /* it says goodbye */
	FAULT_CRASH,
	FAULT_CRASH_AFTER,   /* `amount` more actions */
	FAULT_PAUSE,         /* SIGSTOP */
	FAULT_STALL,         /* SIGSTOP in the middle of a step, after `other`
	                    * more actions, for `amount` */
	FAULT_STALL_ANSWERS, /* likewise, after `other` answers to clients */
	FAULT_FREEZE, /* its virtual machine is stopped: no clock moves */
	FAULT_RESUME,
	FAULT_CLOCK, /* runs `amount` permille fast */
	FAULT_ELECT,
	FAULT_RESIGN,   /* to `other`, or, 0, to whoever is elected */
	FAULT_STAND,    /* the end of that */
	FAULT_ASK,      /* a client asks each `amount`: world.asks_each */
	FAULT_CLIENTS,  /* `amount`: world.clients */
	FAULT_HELPERS,  /* from now on they speak: world.helpers */
	FAULT_REFUSALS, /* so many permille of what nobody takes is refused */
	FAULT_CUT_BOTH, /* between `target` and `other` */
	FAULT_CUT,      /* from `target` to `other`, this way only */
	FAULT_MEND,     /* likewise */
	FAULT_SPLIT,    /* `amount`: bit set of the ids on one side; 0: that
			 * of `target` */
	FAULT_HEAL,     /* mends all */
	FAULT_WEATHER,  /* on every wire */
	FAULT_SEND,     /* each datagram takes `amount` to leave `target`, where
			 * `other` may wait; 0: as before */
	FAULT_COPY,     /* `amount`: its incarnation */
	FAULT_NOISE,    /* a hostile datagram to `target` */
	FAULT_KINDS,
};

void world_fault(struct world *w, const struct fault *fault);
void world_disturb(struct world *w); /* there was one, of whatever kind */
void world_at(struct world *w, nsec_t at, const struct fault *fault);

void world_start(struct world *w, process_name name);
void world_start_all(struct world *w);
void world_forget(struct world *w, process_name name);
void world_members_back(struct world *w, process_name name, unsigned lives);
void world_init(struct world *w, process_name name);
void world_stop(struct world *w, process_name name);
void world_crash(struct world *w, process_name name);
void world_crash_after(struct world *w, process_name name, unsigned actions);
void world_pause(struct world *w, process_name name);
void world_stall(struct world *w, process_name name, unsigned after,
    nsec_t duration, bool answers);
void world_let_ask(
    struct world *w, nsec_t each); /* do you lead? 0: nobody asks */
void world_freeze(struct world *w, process_name name);
void world_resume(struct world *w, process_name name);
void world_set_clock(struct world *w, process_name name, int rate);
void world_elect(struct world *w, process_name name);
enum resignation world_resign(struct world *w, process_name name, node_id to);
void world_stand(struct world *w, process_name name);

/*
 * The operator brings every host a file in which these ids vote (bit set), and
 * all others observe. Each process takes it with its next start.
 */
void world_change_voters(struct world *w, unsigned ids, uint32_t generation);

/* A second process of this id, at the same address. */
void world_copy(struct world *w, node_id id, uint64_t incarnation);

/* The same, started with all that is durable of the original: a host was
 * cloned, with its disk. */
void world_clone(struct world *w, node_id id);

/* The network, by ids (world_wires.c). */
void world_cut(struct world *w, node_id a, node_id b); /* both ways */
void world_cut_way(struct world *w, node_id from, node_id to);
void world_mend(struct world *w, node_id a, node_id b);
void world_split(struct world *w, unsigned ids);
void world_heal(struct world *w);
void world_weather(struct world *w, const struct wire *weather);
void world_weather_to(struct world *w, node_id to, const struct wire *weather);

/* One datagram leaves the address of an id; 0 is an address of no node. */
void world_send(struct world *w, process_name sender, node_id to,
    const uint8_t *bytes, size_t size);

/* A datagram from outside, arriving now; `from` is its source, or 0. */
void world_inject(struct world *w, node_id from, process_name target,
    const uint8_t *bytes, size_t size);

/* A random, replayed or truncated one. */
void world_inject_noise(struct world *w, process_name target);

/* Records what is sent from now on, up to WORLD_TAPE_MAX datagrams. */
void world_record(struct world *w);

/* Looking at it. */
bool world_runs(const struct world *w, process_name name);
struct node_status world_status(struct world *w, process_name name);
const struct node_counters *world_counters(struct world *w, process_name name);

/* Clocks (world_clock.c): world time to a process's clock, and back. */
nsec_t clock_local(const struct process *p, nsec_t world_time);
nsec_t clock_world(const struct process *p, nsec_t local);
void clock_set_rate(struct process *p, nsec_t world_time, int rate);

/* The trace (world_trace.c). */
void world_note(struct world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void world_trace_notice(
    struct world *w, process_name name, const struct notice *n);

/* Forgets it; time in it counts from now. */
void world_trace_clear(struct world *w);

/* Its lines that hold any of these words, NULL-ended; the caller frees it. */
char *world_trace_select(const struct world *w, const char *const *words);

/* As if nothing had been sent from one to the other yet (world_tap.c). */
void world_tap_forget(struct world *w, node_id from, node_id to);

/* A fault in words, "crash 3". */
#define WORLD_FAULT_TEXT 96
const char *world_fault_text(const struct fault *f, char *text);

/* The checks (world_check.c). */
void world_fail(struct world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void world_check(struct world *w, process_name name);

#endif
