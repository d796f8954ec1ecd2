/* SPDX-License-Identifier: ISC */
/*
 * A swarm: many worlds of whole nodes (tests/model/world/world.h). A seed draws
 * each world and its faults, in kind and in size; half of the seeds leave out
 * about half of the kinds (PROTOCOL.md, Faults). After every event the world's
 * checks run. After the last fault all must settle within the written bound,
 * and stay so.
 *
 * A plan holds all that a seed goes through. It is drawn before anything runs:
 * so faults can be left out of it one by one, and the rest stays as it was.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_SWARM_SWARM_H
#define ELECTD_TESTS_MODEL_SIM_SWARM_SWARM_H

#include "tests/model/world/draw.h"
#include "tests/model/world/drive/drive.h"

#include <stdio.h>

#define SWARM_FAULTS_MAX 512 /* of a plan */
#define SWARM_LAST_MAX   8
#define SWARM_WHY_MAX    256

/* Kinds of faults; each is on or off in a seed. */
enum swarm_class {
	CLASS_LOSS,
	CLASS_DOUBLES,
	CLASS_LATE, /* reordering */
	CLASS_CORRUPT,
	CLASS_SLOW,
	CLASS_CUT,
	CLASS_ONE_WAY,
	CLASS_SPLIT,
	CLASS_FLAP,    /* a link goes and comes again and again */
	CLASS_SWIZZLE, /* links go one by one, and come back in any order */
	CLASS_CRASH,
	CLASS_QUICK, /* a process is back before its death is noticed */
	CLASS_STOP,
	CLASS_FORGET,
	CLASS_ROLL_BACK,
	CLASS_DISK_SLOW,
	CLASS_DISK_FAIL,
	CLASS_PAUSE,
	CLASS_FREEZE,
	CLASS_CLOCK,
	CLASS_CORNER, /* clocks are as wrong as allowed */
	CLASS_COPY,
	CLASS_NOISE,
	CLASS_ELECT,
	CLASS_CLIENTS,
	CLASS_HELPER,
	CLASS_REFUSAL,
	CLASS_LEADER, /* a fault hits the present leader */
	CLASS_STALL,  /* from here on: only in wide seeds */
	CLASS_ASK,
	CLASS_SEND,
	CLASS_CONFIG,    /* later files come to some hosts, one by one */
	CLASS_VERSION,   /* some hosts run another release, or come to it */
	CLASS_ADDRESS,   /* hosts get other addresses */
	CLASS_GROUP,     /* there is multicast, which may fail */
	CLASS_SNAPSHOT,  /* snapshots of the whole cluster */
	CLASS_RUN,       /* `electctl run`; its supervisors are killed and
		      * stopped, and hosts suspended */
	CLASS_CABLE,     /* cables are pulled */
	CLASS_DISCOVERY, /* in place of all others: hosts find each other */
	SWARM_CLASSES,
};

#define SWARM_NARROW CLASS_STALL /* all seeds have the classes before it */

extern const char *const swarm_classes[SWARM_CLASSES]; /* "loss", ... */

/* What the options ask for; the seed draws the rest. */
struct swarm_setup {
	const struct algorithm *algorithm; /* NULL: any */
	bool may_be[2];                    /* by enum guarantee */
	unsigned nodes;                    /* 0: any, mostly five */
	unsigned budget;                   /* of each node; 0: that of electd */
	bool tapes;       /* each node is recorded, and played at its end */
	const char *dump; /* the directory for the tapes of those that run at
	                   * the end of a seed; NULL: none */
};

struct swarm_fault {
	nsec_t at;
	struct fault fault;
	enum swarm_class class;
	bool is_undo; /* it ends an earlier fault */
};

struct swarm_host {
	int32_t priority;
	enum role role;
	int rate;
	bool is_next; /* it runs the next release at first */
	nsec_t
	    sync; /* what each sync takes, as the disk stays slow; 0: it does not */
};

struct swarm_plan {
	uint64_t seed;
	struct random random; /* its own, so faults depend on no datagram */
	struct world_setup setup;
	struct world_drawn drawn;
	struct swarm_host hosts[WORLD_NODES_MAX + 1];
	/* Bit sets of hosts: see world_discover() and struct discovery. */
	unsigned voters, joiners;
	unsigned degree;
	bool copy_shares;
	bool records;       /* it keeps datagrams, for noise */
	const char *dump;   /* as in struct swarm_setup */
	struct random wide; /* draws what only wide seeds have */
	bool is_wide;
	bool has[SWARM_CLASSES];
	struct wire weather; /* while there are faults */
	struct wire fair;    /* after them */
	nsec_t end;          /* of the faults */
	nsec_t calm_from;    /* no faults from then on; NSEC_NEVER: no calm */
	nsec_t calm_until;   /* until then */
	struct swarm_fault faults[SWARM_FAULTS_MAX];
	size_t faults_count;
	struct swarm_fault last[SWARM_LAST_MAX]; /* what stays so */
	size_t last_count;
};

/* How it ended, for each component of the living (check/settled.c). */
enum swarm_verdict {
	VERDICT_LEADER,    /* a component with one leader */
	VERDICT_NOBODY,    /* no node is eligible */
	VERDICT_NO_QUORUM, /* there is no majority */
	SWARM_VERDICTS,
};

extern const char *const swarm_verdicts[SWARM_VERDICTS];

struct swarm_result {
	uint64_t seed;
	bool is_broken;
	char why[SWARM_WHY_MAX];
	char what[96]; /* "bully on full, 5 nodes, component" */
	nsec_t simulated;
	uint64_t elections;
	uint64_t faults[SWARM_CLASSES]; /* of the plan */
	bool has[SWARM_CLASSES];
	unsigned verdicts[SWARM_VERDICTS]; /* how many components ended so */
	unsigned slowest; /* the time to settle, in permille of the bound */
	uint64_t events;
	uint64_t deadlines; /* that leaders handed out */
	uint64_t messages;  /* whose order the world checked */
	uint64_t snapshots; /* complete ones */
	uint64_t replayed;  /* inputs of tapes that were played */
};

/* Draws a plan (plan.c), and the faults of it (faults.c). */
void swarm_plan(
    struct swarm_plan *p, const struct swarm_setup *setup, uint64_t seed);
void swarm_plan_faults(struct swarm_plan *p);
void swarm_widen(struct swarm_plan *p); /* wide.c */

/* Discovery (discovery.c): gives some seeds it, and nothing else. In the end
 * each host gets an id of its own, and all that run become one cluster. */
void swarm_plan_discovery(
    struct swarm_plan *p, const struct swarm_setup *wanted);
void swarm_part_doubles(struct world *w);
void swarm_settle_discovery(struct world *w, struct swarm_result *result);

struct wire swarm_weather(struct swarm_plan *p);
bool swarm_one_in(struct swarm_plan *p, unsigned n);
unsigned swarm_any_id(struct swarm_plan *p);
unsigned swarm_any_ids(struct swarm_plan *p);
nsec_t swarm_duration(struct swarm_plan *p);

/*
 * Runs a plan (run.c). `trace`, unless NULL, gets the whole trace as
 * text, also if an assertion of the core fails.
 */
void swarm_run(
    const struct swarm_plan *p, struct swarm_result *result, FILE *trace);

/* Describes the world in result->what. */
void swarm_describe(const struct swarm_plan *p, struct swarm_result *result);

/* Takes results in the order of their seeds; false: no more. */
typedef bool swarm_take(void *context, const struct swarm_result *result);

/*
 * Runs seeds in this many processes (jobs.c), so that seeds do not affect
 * each other. False: there was no memory, or no process.
 */
struct swarm_jobs {
	const struct swarm_setup *setup;
	uint64_t first;
	uint64_t count;
	unsigned jobs;
	swarm_take *take;
	void *context;
};

bool swarm_jobs(const struct swarm_jobs *jobs);

/* Runs a plan in a process of its own, which may end in any way. */
bool swarm_run_apart(
    const struct swarm_plan *p, struct swarm_result *result, FILE *trace);

/*
 * Leaves out of a plan that breaks a promise all that is not needed for that,
 * and ends it as soon as possible (shrink.c). Gives how many runs it
 * took.
 */
unsigned swarm_shrink(struct swarm_plan *p, struct swarm_result *result);

/* Prints the faults of a plan, a line for each (print.c). */
void swarm_print_plan(FILE *to, const struct swarm_plan *p);

#endif
