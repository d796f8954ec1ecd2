/* SPDX-License-Identifier: ISC */
/*
 * A simulated world of whole nodes: virtual time, a network that loses and
 * mangles, hosts that crash, stop, drift and forget. common/node/node.h runs in
 * it as it does in electd. One seed decides everything: the same seed gives the
 * same trace, byte for byte.
 *
 * One event happens at a time. Of events at the same time, scripted faults come
 * first, then the ends of writes, then datagrams, then deadlines of nodes; of
 * two of a kind, that of the lower process; then the one that was made first.
 * So a node has taken every datagram that has arrived before it judges which
 * peers are silent.
 *
 * After each event the world checks the node that moved (world_check.c). A
 * broken promise goes to setup->failed and halts the world.
 */
#ifndef ELECTD_TESTS_WORLD_WORLD_H
#define ELECTD_TESTS_WORLD_WORLD_H

#include "tests/world/parts.h"
#include "tests/world/scribe.h"

#include <stdio.h>

#define WORLD_COPY       21   /* names a second process of one of the ids */
#define WORLD_TAPE_MAX   4096 /* datagrams recorded, at most */
#define WORLD_EVENTS_MAX 128  /* that a node keeps */
#define WORLD_CALM       (5 * SEC) /* a settled world stays so */
#define WORLD_NO_STARTUP NSEC_NEVER

/* A process's name is its node's id, 1 to 20, or WORLD_COPY. */
typedef unsigned process_name;

/* A fault may also name a role. It means the process that has the role when the
 * fault happens, and perhaps there is none. */
enum anyone {
	WORLD_LEADER = WORLD_COPY + 1, /* it leads; the first if two do */
	WORLD_FALLEN,                  /* it has not run the longest */
	WORLD_PAUSED,                  /* it has been paused the longest */
	WORLD_PULLED,                  /* its cable is pulled; the first */
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
	struct choices choices;            /* a diameter of 0: a safe one */
	enum topology topology;            /* must suit the algorithm */
	const node_id *order; /* RING: all ids; NULL: in ascending order */
	/* TREE, GRAPH. world_new() reads `order` and `links` only once. */
	const struct world_link *links;
	unsigned links_count; /* GRAPH, 0: all */
	enum prefer prefer;
	enum preempt preempt;
	nsec_t preempt_after;
	nsec_t heartbeat; /* 0: 100 ms */
	unsigned misses;  /* 0: 3 */
	nsec_t startup;   /* 0: 1 s; WORLD_NO_STARTUP: none */
	enum guarantee guarantee;
	nsec_t lease;        /* 0: 2 s */
	unsigned budget_max; /* as in struct node_setup */
	bool has_group;      /* likewise */
	nsec_t calm;         /* 0: WORLD_CALM */
	bool trace;          /* the trace has the nodes' own steps too */
	bool silent;         /* keeps no trace, which saves time */
	bool tapes; /* each process is recorded, and played when it ends; then
	             * the order of messages is not checked */

	/* The world calls this on a broken promise; it may not return. NULL:
	 * print and abort. */
	void (*failed)(struct world *w, const char *why);
};

struct process {
	node_id id;

	/* Configuration, to set while the process does not run. */
	int32_t priority;
	enum role role;
	struct versions versions; /* of the program that its host has: the
				   * next start is of that */

	/* Its host. */
	struct host_clock clock;
	struct disk disk;
	struct editions editions;
	struct aside aside;
	struct outlet outlet;

	/* Its life (world_process.c). */
	struct node *node;      /* NULL: the process does not run */
	struct versions speaks; /* of the program that runs */
	struct scribe scribe;
	struct helper helper;
	uint64_t spoken_of; /* incarnations of this id, up to this one, that
			     * left, or are dead by a helper's word */
	uint64_t lives;     /* how often it was started */
	nsec_t fallen_at;   /* when its last life ended */
	enum state_health state_health; /* at its start */
	nsec_t wake;                    /* world time of its deadline */
	bool stops;                     /* it ends after this step */
	bool paused;                    /* no input is handled */
	nsec_t paused_at;
	nsec_t resumed_at;
	bool lacks_carrier; /* it was told that its cable is pulled */
	/* By id: where it has found the node; 0: where the settings say. */
	address_number found[WORLD_NODES_MAX + 1];
	struct step step;
	struct fate fate;
	struct socket_queue socket;
	struct questions questions;
	struct snapshot_taken snapshot;

	/* What the world checks. */
	struct observed observed;
	struct lead_state lead;
	struct deadlines deadlines;
};

struct world {
	struct world_setup setup;
	nsec_t now;
	bool halted;  /* a promise was broken, and no more events happen */
	bool helpers; /* most helpers speak */
	bool has_forgotten; /* a disk was lost */
	struct random random;
	struct random hosts; /* for disks and clients */
	struct world_queue queue;
	struct network network;
	struct neighbours shape;
	struct process processes[WORLD_COPY + 1]; /* by name; 0 is unused */
	struct files files;
	struct clients clients;
	struct runs runs;
	struct source source; /* of this input */
	struct taps taps;
	struct changes changes;
	struct leaders leaders;
	struct world_counters counters;
	struct world_trace trace;
	char why[160]; /* why the world is not settled */
};

/* Plays the tapes of all processes that run. */
void world_play_tapes(struct world *w);

/* Writes them to `directory`/ID.tape; false if that fails. */
bool world_dump_tapes(struct world *w, const char *directory);

/* Makes a world whose nodes do not run yet, and frees it. */
struct world *world_new(const struct world_setup *setup);
void world_free(struct world *w);

/* Time. Each function runs until the world halts at the latest. */
bool world_step(struct world *w);
void world_run(struct world *w, nsec_t duration);

/* Runs until `done`, which it calls after each event; false: not within
 * `limit`. */
bool world_run_until(
    struct world *w, bool (*done)(struct world *w), nsec_t limit);

/*
 * Runs until the world is settled, for at most world_bound() after the last
 * fault, and then for WORLD_CALM, in which nothing may change.
 */
void world_settle(struct world *w);

/* Runs until the world is settled, or until `until`; false: it is not settled. */
bool world_settles(struct world *w, nsec_t until);

/* Of a settled world: a follower that is cut off and returns costs the leader
 * neither the lead nor its term (world_return.c). */
void world_check_return(struct world *w);

/* True if nothing may change in this component any more once it is settled. Under
 * quorum a torn ring, and nodes that can have no leader, may try for ever. */
bool world_may_rest(const struct world *w, unsigned component);

/* Gives how long after the last fault every component has decided, at most. */
nsec_t world_bound(const struct world *w);

/*
 * True if every component has exactly one leader, which lives, is known to all
 * its nodes, and is the best of them (world_settle.c). Under the guarantee
 * "quorum": if the one component that can have a leader has one, and no other
 * has. If not, w->why says why.
 */
bool world_settled(struct world *w);

/* Scripted faults, to happen at once or at a later time. */
enum fault_kind {
	FAULT_START,
	FAULT_FORGET,    /* its durable state is lost, and the settings that it
			  * kept; or, unless `amount` is 0, these alone */
	FAULT_ROLL_BACK, /* it starts with the durable state of an earlier
			  * life, but not in an uneasy world */
	FAULT_DISK,      /* a write takes up to `amount` */
	FAULT_DISK_FAIL, /* all writes fail, until it ends */
	FAULT_DISK_FULL, /* it takes no file; amount 0: it does again */
	FAULT_STOP,      /* it ends, with a goodbye */
	FAULT_CRASH,
	FAULT_CRASH_AFTER,   /* after `amount` more actions */
	FAULT_PAUSE,         /* SIGSTOP */
	FAULT_STALL,         /* SIGSTOP in the middle of a step, after
			      * `other` more actions, for `amount` */
	FAULT_STALL_ANSWERS, /* the same, after `other` answers to clients */
	FAULT_FREEZE,        /* its virtual machine stops, with its clocks */
	FAULT_RESUME,
	FAULT_INSTALL, /* its next start is of a program whose highest version
			* is `amount` */
	FAULT_CLOCK,   /* its clock runs `amount` permille fast */
	FAULT_ELECT,
	FAULT_RESIGN,  /* to `other`; 0: to the winner of an election */
	FAULT_STAND,   /* it ends its abstention, and its standby */
	FAULT_STANDBY, /* it is set aside, for `amount`; 0: until FAULT_STAND */
	FAULT_ASK,     /* sets clients.asks_each to `amount` */
	FAULT_CLIENTS, /* sets clients.hold to `amount` */
	FAULT_HELPERS, /* sets world.helpers */
	FAULT_REFUSALS,   /* sets network.refuses to `amount` */
	FAULT_GROUP,      /* sets network.group_loss to `amount` */
	FAULT_CUT_BOTH,   /* between `target` and `other` */
	FAULT_CUT,        /* only from `target` to `other` */
	FAULT_MEND,       /* only from `target` to `other` */
	FAULT_SPLIT,      /* `amount`: bit set of the ids on one side; 0: that
			 * of `target` */
	FAULT_HEAL,       /* mends all links */
	FAULT_PULL,       /* the cable of its host, which learns of it */
	FAULT_PLUG_IN,    /* that cable again */
	FAULT_MOVE,       /* its host gets another address */
	FAULT_NAME,       /* the settings name the present addresses */
	FAULT_WEATHER,    /* of every wire */
	FAULT_EDIT,       /* the operator writes a later file: `amount` decides
			 * what is in it. It follows what `target` has in
			 * effect; 0: what is newest */
	FAULT_RELOAD,     /* the host gets the newest file, and reads it */
	FAULT_FATAL,      /* if it changes its settings within a lease, it ends
			 * after `other` more actions, or stops for `amount` */
	FAULT_SEND,       /* each datagram takes `amount` to leave `target`,
			 * where `other` may wait; 0: no time */
	FAULT_COPY,       /* a second process; `amount`: its incarnation */
	FAULT_SNAPSHOT,   /* `target` begins a snapshot */
	FAULT_NOISE,      /* a hostile datagram to `target` */
	FAULT_RUN,        /* each host gets `electctl run`, with `amount` as
			 * --stop-time; 0: not given */
	FAULT_GUARD_KILL, /* of `target` */
	FAULT_GUARD_STOP, /* SIGSTOP, for `amount`; `other` 1: when it starts its
			   * command */
	FAULT_GUARD_CONTINUE,
	FAULT_SUSPEND, /* the whole host, for `amount`; its clock goes on */
	FAULT_WAKE,
	FAULT_KINDS,
};

void world_fault(struct world *w, const struct fault *fault);
void world_at(struct world *w, nsec_t at, const struct fault *fault);

/* Notes that a fault of any kind has happened. */
void world_disturb(struct world *w);

void world_start(struct world *w, process_name name);
void world_start_all(struct world *w);
void world_forget(struct world *w, process_name name);
void world_lose_settings(struct world *w, process_name name);
void world_members_back(struct world *w, process_name name, unsigned lives);
void world_stop(struct world *w, process_name name);
void world_crash(struct world *w, process_name name);
void world_crash_after(struct world *w, process_name name, unsigned actions);
void world_pause(struct world *w, process_name name);
void world_stall(struct world *w, process_name name, unsigned after,
    nsec_t duration, bool answers);
void world_freeze(struct world *w, process_name name);
void world_resume(struct world *w, process_name name);
void world_set_clock(struct world *w, process_name name, int rate);
void world_elect(struct world *w, process_name name);
enum resignation world_resign(struct world *w, process_name name, node_id to);
void world_stand(struct world *w, process_name name);
void world_snapshot(struct world *w, process_name name);

/* Sets the node aside for so long; NSEC_NEVER: until world_stand(). Its host
 * keeps that, also through restarts. */
void world_standby(struct world *w, process_name name, nsec_t lasts);

/* True if the node of this id is aside until world_stand(), by its host. */
bool world_is_aside(const struct world *w, node_id id);

/*
 * `electctl run` on every host (world_run.h), and its faults. A host that is
 * suspended wakes up by world_wake(), or when its process resumes.
 */
void world_run_everywhere(struct world *w, nsec_t stop_time);
void world_guard_kill(struct world *w, process_name name);
void world_guard_stop(struct world *w, process_name name, nsec_t duration);
void world_guard_stop_at_start(
    struct world *w, process_name name, nsec_t duration);
void world_guard_continue(struct world *w, process_name name);
void world_suspend(struct world *w, process_name name, nsec_t duration);
void world_wake(struct world *w, process_name name);
bool world_command_runs(const struct world *w, process_name name);

/* Of a settled world: the command soon runs where the leader is, if it has time
 * to end. */
void world_settle_runs(struct world *w);

/* From now on clients ask who leads, so often on average; 0: no more. */
void world_let_ask(struct world *w, nsec_t each);

/*
 * Editions. From the first call on every host has a file with all ids. An edit
 * makes a later file; a reload gives the newest to a host, whose process reads
 * it, now or when it starts. Under quorum the leader puts it into effect.
 */
void world_exchange(struct world *w);

/* The role of a node by a file, and by the one that a process has in effect. */
enum role world_role_in(
    const struct world *w, const struct world_file *file, node_id id);
enum role world_role(
    const struct world *w, const struct process *p, node_id id);

/* The algorithm of this number: 0 is that of the setup, and the others are those
 * of the registry, in its order. NULL: there is none. */
const struct algorithm *world_algorithm(const struct world *w, unsigned number);

void world_edit(struct world *w, const struct world_file *file);
void world_edit_any(struct world *w, process_name name, uint64_t draw);
void world_reload(struct world *w, process_name name);

/* Puts the newest file in the place of the edition of a host whose process does
 * not run: `electd --init-cluster` there alone. */
void world_adopt(struct world *w, process_name name);

/* Puts the algorithm of this number into a file, with a topology that suits it.
 * False if the world has none. */
bool world_edit_algorithm(
    const struct world *w, struct world_file *file, unsigned number);

/* True if the node may lead as far as editions go: no node that it speaks to
 * has one that does not name it. */
bool world_is_named(const struct world *w, node_id id);

/* How long a lease may be, at most. */
nsec_t world_longest_lease(const struct world *w);

/* True if a node has a file with a ring. */
bool world_has_ring(const struct world *w);

/* True if both may speak to each other by their files. */
bool world_know(const struct world *w, node_id a, node_id b);

/* Starts a second process of this id, at the same address. */
void world_copy(struct world *w, node_id id, uint64_t incarnation);

/* The same with all durable state of the original: the host was cloned, with
 * its disk. */
void world_clone(struct world *w, node_id id);

/* The network, by ids (world_wires.c). */
void world_cut(struct world *w, node_id a, node_id b); /* both ways */
void world_cut_way(struct world *w, node_id from, node_id to);
void world_mend(struct world *w, node_id a, node_id b);

/* Cuts the links between a node and the others of a bit set of ids. */
enum world_cut {
	CUT_BOTH_WAYS,
	CUT_DEAF, /* the node hears nobody */
	CUT_DUMB, /* nobody hears the node */
	CUT_KINDS,
};
void world_cut_off(
    struct world *w, node_id id, unsigned others, enum world_cut kind);
void world_split(struct world *w, unsigned ids);
void world_heal(struct world *w); /* but for cables that are pulled */
void world_pull(struct world *w, process_name name);
void world_plug_in(struct world *w, process_name name);
bool world_is_pulled(const struct world *w, node_id id);
void world_weather(struct world *w, const struct wire *weather);
void world_weather_to(struct world *w, node_id to, const struct wire *weather);

/* Addresses (world_address.c): the host of a process gets another one; the
 * settings of all hosts name those that they have. */
void world_move(struct world *w, process_name name);
void world_name(struct world *w);

/* Sends one datagram from the address of an id; 0 is an address of no node. */
void world_send(struct world *w, process_name sender, node_id to,
    const uint8_t *bytes, size_t size);

/* Delivers a datagram from outside at once; `from` is its source, or 0. */
void world_inject(struct world *w, node_id from, process_name target,
    const uint8_t *bytes, size_t size);

/* Delivers a random, replayed or truncated datagram. */
void world_inject_noise(struct world *w, process_name target);

/* Records what nodes send from now on, up to WORLD_TAPE_MAX datagrams. */
void world_record(struct world *w);

/* Views of the world. */
bool world_runs(const struct world *w, process_name name);
struct node_status world_status(struct world *w, process_name name);
const struct node_counters *world_counters(struct world *w, process_name name);

/* The trace (world_trace.c). */
void world_note(struct world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void world_trace_notice(
    struct world *w, process_name name, const struct notice *n);

/* Empties the trace; its times count from now. */
void world_trace_clear(struct world *w);

/* Gives the lines that hold any of these words, a list that NULL ends; the
 * caller frees the text. */
char *world_trace_select(const struct world *w, const char *const *words);

/* Forgets what one has sent to the other (world_tap.c). */
void world_tap_forget(struct world *w, node_id from, node_id to);

/* Gives a fault in words, such as "crash 3". */
#define WORLD_FAULT_TEXT 96
const char *world_fault_text(const struct fault *f, char *text);

/* The checks (world_check.c). */
void world_fail(struct world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void world_check(struct world *w, process_name name);

#endif
