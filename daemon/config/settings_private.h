/* SPDX-License-Identifier: ISC */
/*
 * The parts of settings*.c, in the order in which a file passes through them:
 * text -> draft -> settings. Private to them and to their tests.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_PRIVATE_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/config/settings.h"

/* settings_errors.c: collects errors in any order, prints them by line. */

#define QUOTED_MAX 72 /* bytes of a value in a message; longer ones are cut */

struct settings_error {
	int line;      /* 0: the file as a whole */
	size_t number; /* of the error, by which it sorts within its line */
	char *text;    /* allocated */
};

/* All zero: no errors. */
struct settings_errors {
	struct settings_error *list; /* allocated */
	size_t count;                /* of `list` */
	size_t capacity;             /* of `list` */
	bool out_of_memory;          /* an error, and others may be missing */
};

/*
 * Adds an error. `setting` names the setting that is wrong; NULL: the error is
 * about no single one. The text says what is wrong and what would be right.
 */
__attribute__((format(printf, 4, 5))) void settings_errors_add(
    struct settings_errors *errors, int line, const char *setting,
    const char *format, ...);

/* True if there is any error, out of memory included. */
bool settings_errors_any(const struct settings_errors *errors);

/* Prints all errors, then their number; nothing if there are none. */
void settings_errors_print(
    struct settings_errors *errors, const char *path, FILE *to);

/* Frees the list, but not *errors, which is then all zero. */
void settings_errors_done(struct settings_errors *errors);

/* Writes `text` in quotes, printable and cut to fit. Returns `buffer`. */
const char *quoted(const char *text, char buffer[QUOTED_MAX]);

/*
 * settings_file.c: reads the regular file `path`. Returns its text with a
 * newline at the end, which the caller frees, or NULL after adding an error.
 * Never blocks on a FIFO or device.
 */
char *settings_file_read(const char *path, struct settings_errors *errors);

/*
 * settings_text.c: finds what libconfig accepts silently, and quotes the line
 * of a syntax error.
 */

/*
 * Scans `text`. Returns false if it must not be parsed. Otherwise integers out
 * of range have been added as errors, and the text has ".000" in their place:
 * no integer, and of the same length.
 */
bool settings_text_scan(char *text, struct settings_errors *errors);

/* Adds the error `what` of libconfig for a text that has passed
 * settings_text_scan(), and quotes the line where that is. */
void settings_text_explain(const char *text, int line, const char *what,
    struct settings_errors *errors);

/*
 * A draft: the settings of a file, each checked by itself. settings.c and its
 * siblings check what they mean together.
 */

/* One setting as given, or its default. */
struct given {
	int line;         /* 0: not in the file */
	bool valid;       /* there is a value and it is valid */
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
	char canonical[ADDRESS_MAX_BYTES]; /* the address, if it is valid */
};

struct draft_list {
	int line;                 /* 0: not in the file */
	struct draft_node *nodes; /* allocated */
	size_t count;             /* of `nodes` */
};

/* An entry of topology.order. Invalid ones stay, to keep the others' index. */
struct draft_id {
	int line;
	node_id id; /* NODE_NONE: invalid */
};

/* topology.order */
struct draft_order {
	int line;             /* 0: not in the file */
	bool valid;           /* every entry is */
	struct draft_id *ids; /* allocated */
	size_t count;         /* of `ids` */
};

struct draft_link {
	int line;
	size_t index; /* in the file's list */
	node_id a;    /* NODE_NONE, as `b` is: one of them is invalid */
	node_id b;
};

/* topology.links */
struct draft_links {
	int line;                 /* 0: not in the file */
	bool valid;               /* every entry is */
	struct draft_link *links; /* allocated */
	size_t count;             /* of `links` */
};

/* The options of an algorithm, each of which has some of them. */
struct draft_choices {
	struct given variant;
	struct given join;
	struct given wakeup;
	struct given announce;
};

/* A list of texts: addresses or words. */
struct draft_texts {
	int line;           /* 0: not in the file */
	struct given *list; /* allocated */
	size_t count;       /* of `list` */
};

/* One entry of `checks`. */
struct draft_check {
	int line;
	struct given name;
	struct draft_texts command;
	struct given unit;
	struct given interval;
	struct given timeout;
	struct given rise;
	struct given fall;
};

struct draft_checks {
	int line;                   /* 0: not in the file */
	struct draft_check *checks; /* allocated */
	size_t count;               /* of `checks` */
};

/* The group `multicast`. */
struct draft_multicast {
	struct given group;
	struct given interface;
	struct given ttl;
};

struct config_t;

/* The group `topology`. */
struct draft_topology {
	struct given kind;
	struct draft_order order;
	struct draft_links links;
	struct given diameter;
	struct given degree;
};

struct draft {
	struct config_t *tree; /* libconfig's, from which texts are borrowed */
	struct given cluster;
	struct given guarantee;
	struct given algorithm;
	struct given prefer;
	struct given preempt;
	struct given id;
	struct given listen;
	struct draft_list nodes;
	struct draft_list neighbours;
	struct draft_topology topology;
	struct draft_choices choices; /* of the algorithm that is chosen */
	struct given heartbeat;
	struct given misses;
	struct given lease;
	struct given generation;
	struct given startup;
	struct given forget;
	struct given key_file;
	struct given old_key_file;
	struct given socket;
	struct given group;
	struct draft_texts deadlines;
	struct given state_dir;
	struct given realtime;
	struct given record;
	struct given watch_carrier;
	struct given expect;
	struct given discovery;
	struct draft_multicast multicast;
	struct draft_texts join;
	struct draft_checks checks;
	struct draft_node self; /* name, priority and role */
};

/*
 * settings_draft.c: makes the draft. libconfig parses, and the schema has every
 * setting. No other file uses libconfig.
 */

/*
 * Parses `text`, which has passed settings_text_scan(), into a zeroed draft.
 * Returns false after adding an error if it does not parse. draft_done() frees
 * the draft either way, and the texts that it lends.
 */
bool draft_read(
    struct draft *draft, const char *text, struct settings_errors *errors);

/* Frees the draft and the texts that it lends. */
void draft_done(struct draft *draft);

/* settings_schema.c: each setting's type, range and default, and its check. */

enum kind {
	KIND_NAME,
	KIND_PATH,
	KIND_ADDRESS,
	KIND_TEXT, /* any string; settings.c checks it */
	KIND_WORD, /* one of the option's words */
	KIND_INTEGER,
	KIND_DURATION,
	KIND_TRUTH,
	KIND_ORDER,     /* ids */
	KIND_LINKS,     /* pairs of ids */
	KIND_GROUP,     /* its options are in the same struct */
	KIND_NODES,     /* a list of groups with the same options */
	KIND_ADDRESSES, /* a list of addresses */
	KIND_NAMES,     /* a list of users and groups */
	KIND_WORDS,     /* a list of strings; settings_checks.c checks them */
	KIND_CHECKS,    /* a list of groups with the same options */
};

/* One row of the schema. */
struct option {
	const char *name;
	enum kind kind;
	bool may_be_empty;        /* NAME, PATH: "" means none */
	size_t at;                /* offset of its struct given or draft_... */
	int64_t low;              /* INTEGER, DURATION: the least */
	int64_t high;             /* INTEGER, DURATION: the greatest */
	const char *const *words; /* WORD */
	const struct option *options; /* GROUP, NODES, CHECKS */
	const char *initial;          /* the default, as written in a file */
	const char *required;         /* no default: the advice to give one */
};

/* The whole file. A row without a name ends this and each other table. */
extern const struct option settings_options[];

#define CHOICES_MAX 5 /* options of one algorithm, and the row that ends them */

/*
 * The options of an algorithm's own group, whose values are in a struct
 * draft_choices. Returns `buffer`.
 */
const struct option *algorithm_options(
    const struct algorithm *algorithm, struct option buffer[CHOICES_MAX]);

/* The option's value in a draft, draft_node, draft_check or draft_choices. */
struct given *given_at(void *base, const struct option *option);

/* Sets every option that has a default, also those of groups. */
void options_default(const struct option *options, void *base);

/*
 * Checks a value of the right type, and sets given->number from its text.
 * Returns false after adding an error. `name` is the setting's full name.
 */
bool option_check(const struct option *option, struct given *given,
    const char *name, struct settings_errors *errors);

/* The option with exactly this name, or NULL. */
const struct option *option_find(
    const struct option *options, const char *name);

#define SUGGESTION_MAX 320 /* fits the names of all settings of the root */

/*
 * Suggests what `name` was meant to be, which is unknown in the group `here`
 * (NULL: the root): the nearest setting of any group, or all settings of this
 * one. Returns `buffer`.
 */
const char *option_suggest(
    const struct option *here, const char *name, char buffer[SUGGESTION_MAX]);

/* settings_shared.c: what all hosts share, and which node this host is. */

#define ENTRY_MAX_BYTES 48 /* "neighbours[1023].address" and its end */

/*
 * Makes the configuration, and sets the id and `listen`; checks and completes
 * it. `id` is as for settings_read(). settings->id becomes NODE_NONE if nothing
 * gives an id.
 */
void settings_build_shared(struct settings *settings, const struct draft *draft,
    node_id id, struct settings_errors *errors);

/* A configuration in the making. */
struct shared_build {
	const struct draft *draft;
	struct settings *settings;
	struct config *config; /* of the settings */
	struct settings_errors *errors;
	const struct draft_list *list; /* `nodes` or `neighbours` */
	const char *list_name;         /* "nodes" or "neighbours" */
	bool is_id_from_option;        /* the host's id is from electd -i */
	size_t entries[NODES_MAX];     /* of the list, by the node */
};

/* settings_neighbours.c: a host that knows its neighbours only. */

/* The entry before entry `i` of the list that is the same neighbour on the
 * other side of a ring; `i`: there is none. Adds an error if they have
 * different addresses. */
size_t neighbours_find_twin(const struct shared_build *b, size_t i);

/* Adds the errors of the list, and of the id and address of this host. */
void neighbours_check(const struct shared_build *b);

/* Sets the neighbours on each side; adds an error where none may have any. */
void neighbours_build_sides(struct shared_build *b);

/* Adds this host's own node to its neighbours, and its links with them. */
void neighbours_add_self(struct shared_build *b);

/* settings_discovery.c: checks and sets how this host meets others. What all
 * hosts share is set before. */
void settings_build_discovery(struct settings *settings,
    const struct draft *draft, struct settings_errors *errors);

/* settings_checks.c: checks and sets the checks of this host's services. */
void settings_build_checks(struct settings *settings, const struct draft *draft,
    struct settings_errors *errors);

#endif
