/* SPDX-License-Identifier: ISC */
/*
 * The costs of each algorithm as a table: in which situation, which count or
 * time, which formula. Tests hold the algorithms to every row, and `electsim
 * table` prints the rows beside what it measures.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_TABLE_PROPERTY_H
#define ELECTD_TESTS_MODEL_SIM_TABLE_PROPERTY_H

#include "tests/model/sim/run/run.h"
#include "tests/model/sim/table/formula.h"

#define CLAIMS_MAX 5

/* Rings for a mean, and by how many standard errors a formula may be off: one
 * true claim in 15000 would be called false. */
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
	ORDER_BETTER, /* each better than its left neighbour but one */
	ORDER_WORSE,
};

enum starters {
	STARTERS_ALL,
	STARTERS_BEST,   /* only the best */
	STARTERS_WORST,  /* only the worst */
	STARTERS_ONE,    /* any one node */
	STARTERS_SOME,   /* at least one, any */
	STARTERS_BLOCK,  /* a block of neighbours, from position 0 on */
	STARTERS_LEAVES, /* all leaves; a single node is one */
};

enum sense {
	SENSE_EQUAL,
	SENSE_AT_MOST,
	SENSE_AT_LEAST,
	SENSE_MEAN,         /* over random rings, within PROPERTY_ERRORS */
	SENSE_MEAN_AT_MOST, /* the same */
};

/*
 * A claim is written "MEASURE SIGN FORMULA". The measure is a message's name,
 * "total", "time" (until all is quiet) or "won" (when the winner learned it).
 * "unit time" and "unit won" count for messages that take one unit each; all
 * else holds in every order that keeps links FIFO. The signs are = <= >=, and
 * for means ~ and <~. With one node every formula's value is 0.
 */
struct claim {
	char measure[24]; /* without "unit" */
	enum sense sense;
	const char *formula; /* points into the text */
	bool is_timed;       /* it has "unit" */
};

/* Reads a claim; false: the text is none. */
bool claim_read(struct claim *c, const char *text);

struct property {
	const char *algorithm;
	const char *when;    /* the situation, in words */
	const char *brief;   /* for algorithms/README.md; NULL: not there */
	const char *variant; /* NULL: the default one */
	struct choices choices;
	unsigned shapes;
	enum order order;
	enum starters starters;
	const char *claims[CLAIMS_MAX]; /* NULL: unused */
};

/* All rows; the last has no algorithm. */
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
	bool has_elected; /* all agreed on the right winner */
	struct facts facts;
	double measured[CLAIMS_MAX];
	double limit[CLAIMS_MAX]; /* the value of the formula */
	double slack[CLAIMS_MAX]; /* by how much a mean may be off */
	bool holds[CLAIMS_MAX];   /* as far as the schedule promises it */
};

enum trial_result {
	TRIAL_DONE,
	TRIAL_UNKNOWN, /* no such algorithm, variant, message or claim */
	TRIAL_NO_MEMORY,
};

/* Runs the election, or the many elections of a mean, and compares. */
enum trial_result property_try(const struct trial *trial, struct finding *f);

/* True if all claims hold. */
bool finding_holds(const struct finding *f);

/* True if some of the claims are about means. */
bool property_is_mean(const struct property *p);

#endif
