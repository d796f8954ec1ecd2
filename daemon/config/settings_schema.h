/* SPDX-License-Identifier: ISC */
/*
 * The schema of the configuration: every setting with its type, range and
 * default, and the check of each by itself. What settings mean together is
 * settings.c's. Knows nothing of libconfig. Private to settings*.c.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_SCHEMA_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_SCHEMA_H

#include "daemon/config/settings.h"
#include "daemon/config/settings_errors.h"

/* One setting as given, or its default. */
struct given {
	int line;         /* 0: not in the file */
	bool valid;       /* there is a value, and it is a good one */
	const char *text; /* strings; borrowed from the tree or the schema */
	int64_t number;   /* integers, words by index, nanoseconds, truth */
};

/* One entry of `nodes` or `neighbours`. */
struct draft_node {
	int line;
	struct given id;
	struct given name;
	struct given address;
	struct given priority;
	struct given role;
	struct given side;
	char canonical[ADDRESS_MAX_BYTES]; /* where address.valid */
};

struct draft_list {
	int line;                 /* 0: not in the file */
	struct draft_node *nodes; /* allocated */
	size_t count;
};

/* An id that is not good is NODE_NONE, so that entries keep their index. */
struct draft_id {
	int line;
	node_id id;
};

/* topology.order */
struct draft_order {
	int line;             /* 0: not in the file */
	bool valid;           /* so is every entry */
	struct draft_id *ids; /* allocated */
	size_t count;
};

struct draft_link {
	int line;
	size_t index; /* among those in the file */
	node_id a;    /* both NODE_NONE if either is not good */
	node_id b;
};

/* topology.links */
struct draft_links {
	int line;
	bool valid;
	struct draft_link *links; /* allocated */
	size_t count;
};

/* The options of an algorithm, of which it has some. */
struct draft_choices {
	struct given variant;
	struct given join;
	struct given wakeup;
	struct given announce;
};

struct config_t;

/* A file's settings, each checked by itself. */
struct draft {
	struct config_t
	    *tree; /* what texts are borrowed from; settings_walk.c's */
	struct given cluster;
	struct given guarantee;
	struct given algorithm;
	struct given prefer;
	struct given preempt;
	struct given id;
	struct given listen;
	struct draft_list nodes;
	struct draft_list neighbours;
	struct given kind; /* of topology, as the next three */
	struct draft_order order;
	struct draft_links links;
	struct given diameter;
	struct draft_choices choices; /* of the algorithm that is chosen */
	struct given heartbeat;
	struct given misses;
	struct given lease;
	struct given generation;
	struct given startup;
	struct given key_file;
	struct given old_key_file;
	struct given socket;
	struct given group;
	struct given state_dir;
	struct given realtime;
};

enum kind {
	KIND_NAME,
	KIND_PATH,
	KIND_ADDRESS,
	KIND_TEXT, /* any string: settings.c checks it */
	KIND_WORD,
	KIND_INTEGER,
	KIND_DURATION,
	KIND_TRUTH,
	KIND_ORDER, /* ids */
	KIND_LINKS, /* pairs of ids */
	KIND_GROUP, /* its options lie in the same struct */
	KIND_NODES, /* a list of groups, all alike */
	KIND_LATER, /* known, but not to this version */
};

/* One row of the schema. */
struct option {
	const char *name;
	enum kind kind;
	bool may_be_empty; /* NAME, PATH: "" says there is none */
	size_t at;         /* of its struct given, or draft_... */
	int64_t low;       /* INTEGER, DURATION */
	int64_t high;
	const char *const *words;     /* WORD */
	const struct option *options; /* GROUP, NODES */
	const char *initial;          /* the default, as it would be written */
	const char *required;         /* no default: what to give */
};

/* The whole file; a row without a name ends each table. */
extern const struct option settings_options[];

#define CHOICES_MAX 5 /* options of one algorithm, and the row that ends them */

/*
 * The schema of one algorithm's own group, of what it says that it has; its
 * values are in a struct draft_choices. Gives `room`.
 */
const struct option *algorithm_options(
    const struct algorithm *algorithm, struct option room[CHOICES_MAX]);

/* The place of an option's value in a draft or draft_node. */
struct given *given_at(void *base, const struct option *option);

/* Sets every option that has a default, those of groups too. */
void options_default(const struct option *options, void *base);

/*
 * Is a value of the right type a good one? Else adds one error. `name` is
 * the setting's in full. Gives `given` the number where it is written as text.
 */
bool option_check(const struct option *option, struct given *given,
    const char *name, struct settings_errors *errors);

#endif
