/* SPDX-License-Identifier: ISC */
/*
 * A swarm: many worlds of whole nodes (tests/world/world.h), each drawn from
 * its seed, under faults that are drawn likewise, in kind and in size; in half
 * of the seeds about half of the kinds are left out (PROTOCOL.md, Faults).
 * After every event the world's checks run; after the last fault all must
 * settle within the written bound, and stay so.
 *
 * A plan is all that a seed is to go through. It is drawn before anything runs:
 * so faults can be left out of it one by one, and the rest stays as it was.
 */
#ifndef ELECTD_TESTS_SIM_SWARM_H
#define ELECTD_TESTS_SIM_SWARM_H

#include "tests/world/world_draw.h"

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
	CLASS_FLAP,    /* a link comes and goes */
	CLASS_SWIZZLE, /* links go one by one, and come back in any order */
	CLASS_CRASH,
	CLASS_QUICK, /* back before its death is noticed */
	CLASS_STOP,
	CLASS_FORGET,
	CLASS_ROLL_BACK,
	CLASS_DISK_SLOW,
	CLASS_DISK_FAIL,
	CLASS_PAUSE,
	CLASS_FREEZE,
	CLASS_CLOCK,
	CLASS_CORNER, /* clocks as wrong as may be */
	CLASS_COPY,
	CLASS_NOISE,
	CLASS_ELECT,
	CLASS_CLIENTS,
	CLASS_HELPER,
	CLASS_REFUSAL,
	CLASS_LEADER, /* it happens to whoever leads */
	CLASS_STALL,  /* from here on, in wide seeds alone (swarm_wide.c) */
	CLASS_ASK,
	CLASS_SEND,
	SWARM_CLASSES,
};

#define SWARM_NARROW CLASS_STALL /* those before are in all seeds */

extern const char *const swarm_classes[SWARM_CLASSES]; /* "loss", ... */

/* What is asked for; the rest is drawn. */
struct swarm_setup {
	const struct algorithm *algorithm; /* NULL: any */
	bool may_be[2];                    /* by enum guarantee */
	unsigned nodes;                    /* 0: any, mostly five */
	unsigned budget;                   /* of each node; 0: as electd's */
};

struct swarm_fault {
	nsec_t at;
	struct fault fault;
	enum swarm_class class;
	bool is_undo; /* of an earlier one */
};

struct swarm_host {
	int32_t priority;
	enum role role;
	int rate;
	nsec_t sync; /* its disk stays slow: each sync takes so long; 0: not */
};

struct swarm_plan {
	uint64_t seed;
	struct random random; /* its own: faults depend on no datagram */
	struct world_setup setup;
	struct world_drawn drawn;
	struct swarm_host hosts[WORLD_NODES_MAX + 1];
	bool copy_shares;
	bool records;       /* what is sent, for noise */
	struct random wide; /* what only wide seeds draw */
	bool is_wide;
	bool has[SWARM_CLASSES];
	struct wire weather; /* at first, and ... */
	struct wire fair;    /* ... when faults are over */
	nsec_t end;          /* of the faults */
	nsec_t calm_from;    /* nothing else happens from then, NSEC_NEVER, */
	nsec_t calm_until;   /* until then */
	struct swarm_fault faults[SWARM_FAULTS_MAX];
	size_t faults_count;
	struct swarm_fault last[SWARM_LAST_MAX]; /* what stays: who is dead, */
	size_t last_count;                       /* or cut off */
};

/* How it ended, for whoever was left alive together (world_settle.c). */
enum swarm_verdict {
	VERDICT_LEADER,    /* a component with one leader */
	VERDICT_NOBODY,    /* where nobody stands */
	VERDICT_NO_QUORUM, /* where there is no majority */
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
	uint64_t faults[SWARM_CLASSES]; /* that were to happen, undone or not */
	bool has[SWARM_CLASSES];
	unsigned verdicts[SWARM_VERDICTS]; /* components */
	unsigned slowest; /* permille of the bound, until it settled */
	uint64_t events;
	uint64_t deadlines; /* handed out */
	uint64_t messages;  /* whose order was checked */
};

/* Draws a plan (swarm_plan.c), and the faults of it (swarm_faults.c). */
void swarm_plan(
    struct swarm_plan *p, const struct swarm_setup *setup, uint64_t seed);
void swarm_plan_faults(struct swarm_plan *p);
void swarm_widen(struct swarm_plan *p); /* swarm_wide.c */
struct wire swarm_weather(struct swarm_plan *p);
bool swarm_one_in(struct swarm_plan *p, unsigned n);
unsigned swarm_any_id(struct swarm_plan *p);
unsigned swarm_any_ids(struct swarm_plan *p);
nsec_t swarm_duration(struct swarm_plan *p);

/*
 * Runs a plan (swarm_run.c). `trace`, unless NULL, gets all that happened, as
 * text, also if the core gives up with an assertion.
 */
void swarm_run(
    const struct swarm_plan *p, struct swarm_result *result, FILE *trace);

/* Says which world it is, in result->what. */
void swarm_describe(const struct swarm_plan *p, struct swarm_result *result);

/* Takes results in the order of their seeds; false: no more of them. */
typedef bool swarm_take(void *context, const struct swarm_result *result);

/*
 * Runs seeds in this many processes (swarm_jobs.c), so that nothing that
 * happens to one of them is felt by another. False: there was no memory, or no
 * process.
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

/* Runs a plan in a process of its own: it may end in any way. */
bool swarm_run_apart(
    const struct swarm_plan *p, struct swarm_result *result, FILE *trace);

/*
 * Leaves out of a plan that breaks a promise what it needs not for that, and
 * ends it as soon as may be (swarm_shrink.c). Gives how many runs it took.
 */
unsigned swarm_shrink(struct swarm_plan *p, struct swarm_result *result);

/* The faults of a plan, a line each (swarm_print.c). */
void swarm_print_plan(FILE *to, const struct swarm_plan *p);

#endif
