/* SPDX-License-Identifier: ISC */
/*
 * What each algorithm costs, as a table: in which situation, which count or
 * time, which formula. Tests hold the algorithms to every row, and
 * `electsim table` prints them beside what was measured.
 */
#ifndef ELECTD_TESTS_SIM_PROPERTY_H
#define ELECTD_TESTS_SIM_PROPERTY_H

#include "tests/sim/formula.h"
#include "tests/sim/run.h"

#define CLAIMS_MAX 5

/* Rings that a mean is taken over, and how many standard errors of it a
 * formula may be off: one true statement in 15000 would be called false. */
#define PROPERTY_RINGS  2000
#define PROPERTY_ERRORS 4

/* The graphs that a row is checked on, each a bit of property.shapes. */
enum shape {
	SHAPE_FULL,
	SHAPE_RING,
	SHAPE_PATH,
	SHAPE_STAR,
	SHAPE_TREE, /* random */
	SHAPE_GRID, /* as square as the number of nodes allows */
	SHAPE_MESH, /* random, about twice as many edges as nodes */
	SHAPES,
};

extern const char *const shape_names[SHAPES];

/* The ranks by position: in a ring, position + 1 is to the right. */
enum order {
	ORDER_RANDOM,
	ORDER_BETTER, /* each better than the one to its left, but the first */
	ORDER_WORSE,
};

enum starters {
	STARTERS_ALL,
	STARTERS_BEST,   /* alone */
	STARTERS_WORST,  /* alone */
	STARTERS_ONE,    /* any node, alone */
	STARTERS_SOME,   /* any of them, one at least */
	STARTERS_BLOCK,  /* so many neighbours, from position 0 on */
	STARTERS_LEAVES, /* those with one link, and a node that is alone */
};

enum sense {
	SENSE_EQUAL,
	SENSE_AT_MOST,
	SENSE_AT_LEAST,
	SENSE_MEAN,         /* over random rings, within PROPERTY_ERRORS */
	SENSE_MEAN_AT_MOST, /* likewise */
};

/*
 * A statement is written "MEASURE SIGN FORMULA". The measure is a message's
 * name, "total", "time" (until all is quiet) or "won" (when the winner knew).
 * "unit time" and "unit won" speak of messages that take one unit each; all
 * else holds in every order that keeps links FIFO. The signs are = <= >=, and
 * for means ~ and <~. With one node every formula's value is 0.
 */
struct claim {
	char measure[24]; /* without the "unit" */
	enum sense sense;
	const char *formula; /* within the text */
	bool is_timed;       /* "unit" */
};

/* Reads a statement; false when it is none. */
bool claim_read(struct claim *c, const char *text);

struct property {
	const char *algorithm;
	const char *when; /* the situation, in words */
	const char
	    *brief; /* likewise, for algorithms/README.md; NULL: not there */
	const char *variant; /* NULL: the default one */
	struct choices choices;
	unsigned shapes;
	enum order order;
	enum starters starters;
	const char *claims[CLAIMS_MAX]; /* the unused are NULL */
};

/* Row by row; the last has no algorithm. */
extern const struct property properties[];

/* One situation to measure. */
struct trial {
	const struct property *property;
	enum shape shape;
	uint32_t nodes;
	enum prefer prefer;
	enum schedule schedule;
	uint64_t seed;
};

struct finding {
	bool has_elected; /* all agreed, on the one that had to win */
	struct facts facts;
	double measured[CLAIMS_MAX];
	double limit[CLAIMS_MAX]; /* what the formula says */
	double slack[CLAIMS_MAX]; /* how far off a mean may be */
	bool holds[CLAIMS_MAX];   /* as far as the schedule promises it */
};

enum trial_result {
	TRIAL_DONE,
	TRIAL_UNKNOWN, /* no such algorithm, variant or message; no claim */
	TRIAL_NO_MEMORY,
};

/* Runs the election, or the many elections of a mean, and compares. */
enum trial_result property_try(const struct trial *trial, struct finding *f);

/* Does all of it hold? */
bool finding_holds(const struct finding *f);

/* Are some of the claims about means? */
bool property_is_mean(const struct property *p);

#endif
