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
 * After each event the world checks the node that moved (check/check.c). A
 * broken promise goes to setup->failed and halts the world.
 *
 * This header has the world itself and what all of its parts use. The part that
 * a folder has is declared in its own header; drive/drive.h has all.
 */
#ifndef ELECTD_TESTS_MODEL_WORLD_WORLD_H
#define ELECTD_TESTS_MODEL_WORLD_WORLD_H

#include "tests/model/world/parts.h"
#include "tests/model/world/queue.h"
#include "tests/model/world/scribe.h"

#include <stdio.h>

#define WORLD_LEASES     3 /* the factor by which an edit makes a lease longer */
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
	WORLD_LEADER = WORLD_COPY + 1, /* who leads; the first if two do */
	WORLD_FALLEN, /* who has not run for the longest time */
	WORLD_PAUSED, /* who is paused for the longest time */
	WORLD_PULLED, /* the first whose cable is pulled */
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
	unsigned host; /* the number of its host; the id, but for discovery */

	/* Configuration, to set while the process does not run. */
	int32_t priority;
	enum role role;
	struct versions versions; /* of the program that its host has: the
				   * next start is of that */

	/* The host of the process. */
	struct host_clock clock;
	struct disk disk;
	struct configs configs;
	struct order order;
	struct outlet outlet;

	/* The life of the process (process/lives.c). */
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
	bool stops;                     /* the process ends after this step */
	bool paused;                    /* no input is handled */
	nsec_t paused_at;
	nsec_t resumed_at;
	bool lacks_carrier; /* the process was told that its cable is pulled */
	/* By id: where it has found the node; 0: where the settings say. */
	address_number found[WORLD_NODES_MAX + 1];
	struct told *told; /* NULL: without discovery */
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
	struct discovery discovery;
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

/* Scripted faults. */
enum fault_kind {
	FAULT_START,
	FAULT_FORGET,    /* its durable state is lost, and the settings that it
			  * kept; or, unless `amount` is 0, these alone */
	FAULT_RENAME,    /* DISCOVERY: if it does not run, its host forgets all
			  * others, and its next process has the id `amount` */
	FAULT_ROLL_BACK, /* it starts with the durable state of an earlier
			  * life, but not in an uneasy world */
	FAULT_DISK,      /* a write takes up to `amount` */
	FAULT_DISK_FAIL, /* all writes fail, until it ends */
	FAULT_DISK_FULL, /* the disk takes no file; amount 0: it does */
	FAULT_STOP,      /* the process ends, with a goodbye */
	FAULT_CRASH,
	FAULT_CRASH_AFTER,   /* after `amount` more actions */
	FAULT_PAUSE,         /* SIGSTOP */
	FAULT_STALL,         /* SIGSTOP in the middle of a step, after
			      * `other` more actions, for `amount` */
	FAULT_STALL_ANSWERS, /* the same, after `other` answers to clients */
	FAULT_FREEZE,        /* the virtual machine stops, with its clocks */
	FAULT_RESUME,
	FAULT_INSTALL, /* its next start is of a program whose highest version
			* is `amount` */
	FAULT_CLOCK,   /* the process's clock runs `amount` permille fast */
	FAULT_ELECT,
	FAULT_RESIGN,   /* to `other`; 0: to the winner of an election */
	FAULT_STAND,    /* the process's standby ends, whatever its cause */
	FAULT_STANDBY,  /* a standby, for `amount`; 0: until FAULT_STAND */
	FAULT_SICK,     /* a check fails at it for `amount` */
	FAULT_ASK,      /* sets clients.asks_each to `amount` */
	FAULT_CLIENTS,  /* sets clients.hold to `amount` */
	FAULT_HELPERS,  /* sets world.helpers */
	FAULT_REFUSALS, /* sets network.refuses to `amount` */
	FAULT_GROUP,    /* sets network.group_loss to `amount` */
	FAULT_CUT_BOTH, /* between `target` and `other` */
	FAULT_CUT,      /* only from `target` to `other` */
	FAULT_MEND,     /* only from `target` to `other` */
	FAULT_SPLIT,    /* `amount`: bit set of the ids on one side; 0: that
			 * of `target` */
	FAULT_HEAL,     /* mends all links */
	FAULT_PULL,     /* the cable of its host, which learns of it */
	FAULT_PLUG_IN,  /* that cable again */
	FAULT_MOVE,     /* the process's host gets another address */
	FAULT_NAME,     /* the settings name the present addresses */
	FAULT_WEATHER,  /* of every wire */
	FAULT_EDIT,     /* the operator writes a later file: `amount` decides
			 * what is in it. It follows what `target` has in
			 * effect; 0: what is newest */
	FAULT_RELOAD,   /* the host gets the newest file, and reads it */
	FAULT_FATAL,    /* if it changes its settings within a lease, it ends
			 * after `other` more actions, or stops for `amount` */
	FAULT_SEND,     /* each datagram takes `amount` to leave `target`,
			 * where `other` may wait; 0: no time */
	FAULT_COPY,     /* a second process; `amount`: its incarnation */
	FAULT_SNAPSHOT, /* `target` begins a snapshot */
	FAULT_NOISE,    /* a hostile datagram to `target` */
	FAULT_RUN,      /* each host gets `electctl run`, with `amount` as
			 * --stop-time; 0: not given */
	FAULT_SUPERVISOR_KILL, /* of `target` */
	FAULT_SUPERVISOR_STOP, /* SIGSTOP, for `amount`; `other` 1: when it
				* starts its command */
	FAULT_SUPERVISOR_CONTINUE,
	FAULT_SUSPEND, /* the whole host, for `amount`; its clock goes on */
	FAULT_WAKE,
	FAULT_KINDS,
};

/* The topology (shape.c): takes it from the setup, once its defaults are filled
 * in. */
void world_shape(struct world *w);

/* True if two ids may be neighbours. In a ring all may, as it closes over the
 * dead. */
bool world_linked(const struct world *w, node_id a, node_id b);

/* In a ring: lists the ids to one side of this one, the nearest first, and
 * counts them. */
unsigned world_side(
    const struct world *w, node_id id, enum ring_link side, node_id *ids);

/* Views of the world. */
bool world_runs(const struct world *w, process_name name);
struct node_status world_status(struct world *w, process_name name);
const struct node_counters *world_counters(struct world *w, process_name name);
bool world_is_pulled(const struct world *w, node_id id);

/* Gives the process that answers at an id's address; 0: none, or two. */
process_name world_voice(const struct world *w, node_id id);

/* True if the node of this id is on standby by an order. */
bool world_is_on_standby(const struct world *w, node_id id);

/* True if the process was frozen, so that it may not know yet who leads. */
bool lead_is_excused(const struct world *w, const struct process *p);

/* Gives a process that leads as far as it knows; the first if two do; 0: none.
 */
process_name lead_first(const struct world *w);

/* What files say (files.c): the configuration of one; the one that a host
 * keeps, and the role of its node there. */
struct config_id world_file_identify(const struct world_file *file);
struct config_id configs_kept_id(
    const struct world *w, const struct process *p);
enum role configs_role_kept(const struct world *w, const struct process *p);

/* The role of a node by a file, and by the one that a process has in effect. */
enum role world_role_in(
    const struct world *w, const struct world_file *file, node_id id);
enum role world_role(
    const struct world *w, const struct process *p, node_id id);

/* The algorithm of this number: 0 is that of the setup, and the others are
 * those of the registry, in its order. NULL: there is none. */
const struct algorithm *world_algorithm(const struct world *w, unsigned number);

/* How long a lease may be, at most. */
nsec_t world_longest_lease(const struct world *w);

/* True if a node has a file with a ring. */
bool world_has_ring(const struct world *w);

/* True if both may speak to each other by their files. */
bool world_know(const struct world *w, node_id a, node_id b);

/* True if a file names this node; the priority that it gives to that, or 0. */
bool world_names(const struct world_file *file, node_id id);
int32_t world_priority_in(const struct world_file *file, node_id id);

/* Peers are all other ids of the file, ascending: how many there are; the
 * number of one, or PEER_NONE; the id of a number. */
unsigned world_peers_count(const struct process *p);
unsigned world_peer_of(const struct process *p, node_id id);
node_id world_id_of(const struct process *p, unsigned peer);

/* Lets a fault happen at this time. */
void world_at(struct world *w, nsec_t at, const struct fault *fault);

/* Notes that a fault of any kind has happened. */
void world_disturb(struct world *w);

/* A promise is broken. */
void world_fail(struct world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The trace (trace.c). */
void world_note(struct world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void world_trace_notice(
    struct world *w, process_name name, const struct notice *n);

/* Empties the trace; its times count from now. */
void world_trace_clear(struct world *w);

/* Gives the lines that hold any of these words, a list that NULL ends; the
 * caller frees the text. */
char *world_trace_select(const struct world *w, const char *const *words);

#endif
