/* SPDX-License-Identifier: ISC */
/*
 * The configuration: read from one libconfig file, checked against a schema,
 * complete with defaults. Knows nothing of sockets; libconfig is known to
 * settings.c and its siblings alone.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_H

#include <netinet/in.h>
#include <stdio.h>
#include <sys/un.h>

#include "common/node/node.h"

#define SETTINGS_FILE_MAX ((size_t)1 << 20) /* bytes; 100 KiB is a large one */
#define ID_TEXT_MAX       12  /* of an id in digits, and its end */
#define NAME_MAX_BYTES    64  /* of a cluster's or node's name, and its end */
#define ADDRESS_MAX_BYTES 272 /* "[host name of 255]:65535" and its end */

/* One configured node, this host's own among them. */
struct node_settings {
	node_id id;
	char name[NAME_MAX_BYTES]; /* the id in digits if none is given */
	char address
	    [ADDRESS_MAX_BYTES]; /* host:port as written; port required */
	int32_t priority;
	enum role role;
	int line; /* where it stands in the file */
};

/* One link of a tree or graph; a < b. */
struct settings_link {
	node_id a;
	node_id b;
};

struct settings {
	char cluster[NAME_MAX_BYTES];
	enum guarantee guarantee;
	const struct algorithm *algorithm;
	enum prefer prefer;
	enum preempt preempt;
	nsec_t preempt_after;
	struct node_settings *nodes; /* allocated; by rising id */
	size_t nodes_count;
	uint32_t generation; /* of those who vote; see electorate.h */
	node_id id;          /* NODE_NONE: the node whose address is ours */
	char listen[ADDRESS_MAX_BYTES]; /* "": the address of our own node */

	enum topology topology; /* one that suits the algorithm */
	struct choices choices; /* of the algorithm; the diameter resolved */
	bool neighbours_only;   /* `neighbours`: nodes are we and they */
	node_id *order;         /* ring of `nodes`: allocated; to the right */
	size_t order_count;     /* nodes_count, or 0 */
	node_id *right;         /* ring of `neighbours`: allocated; the */
	size_t right_count;     /* successors to try, nearest first */
	node_id *left;          /* and the predecessors */
	size_t left_count;
	struct settings_link *links; /* tree, graph: allocated; sorted, once */
	size_t links_count;          /* graph of `nodes`: 0 is every pair */

	nsec_t heartbeat;
	unsigned misses;
	nsec_t lease;
	nsec_t startup;
	char *key_file;     /* allocated */
	char *old_key_file; /* allocated; NULL: none */
	char *socket;       /* allocated; see settings_socket() */
	char *group;        /* allocated; NULL: none */
	char *state_dir;    /* allocated */
	bool realtime;
};

/*
 * Reads and checks `path`, writing every error as "path:line: setting: what
 * is wrong, what would be right" to `errors`, all in one run (of syntax: the
 * first). `id` not NODE_NONE overrides the file's. Gives NULL if there was any
 * error. Touches no network and opens no file but this one: an id left out is
 * resolved later, by the shell.
 */
struct settings *settings_read(const char *path, node_id id, FILE *errors);

/*
 * The same of a text in memory, which is altered. `path` is what errors call
 * it.
 */
struct settings *settings_parse(
    const char *path, char *text, node_id id, FILE *errors);

/* Frees all of it. NULL is harmless. */
void settings_free(struct settings *settings);

/* Prints the effective configuration as a file that settings_read() takes. */
void settings_print(const struct settings *settings, FILE *to);

/*
 * A digest of what must be the same on every host: cluster, guarantee,
 * algorithm and its options, prefer, preempt, timing, topology, generation, and
 * of each node its id, priority and role (not names, not addresses). The order
 * in which nodes and links are listed does not matter, nor where a ring's order
 * begins. Under `neighbours`, nodes, order and links are not in it: no host
 * knows them all.
 */
void settings_digest(
    const struct settings *settings, uint8_t digest[SALT_BYTES]);

/* The voters: all nodes but observers. */
struct electorate settings_electorate(const struct settings *settings);

/* The node with this id; NULL if none. */
const struct node_settings *settings_node(
    const struct settings *settings, node_id id);

/* The node of this name, or with this id in digits; NULL if none. */
const struct node_settings *settings_named(
    const struct settings *settings, const char *word);

/* Whom a node of a ring may take on either side: the nearest first. */
struct settings_sides {
	size_t right_count;
	size_t left_count;
	node_id right[NODES_MAX];
	node_id left[NODES_MAX];
};

/*
 * The sides of node `self`: all others by the ring's order, or just those
 * that `neighbours` gives. False, and none, if the topology is no ring or
 * `self` not in it. A node that is alone has none.
 */
bool settings_ring(const struct settings *settings, node_id self,
    struct settings_sides *sides);

/*
 * Are two nodes neighbours by the topology? In `full`, all are; in a ring,
 * those that are next to each other while all live.
 */
bool settings_linked(const struct settings *settings, node_id a, node_id b);

/*
 * The path of node `self`'s socket, NAME.sock: settings->socket with "%i" as
 * its id. NAME.admin.sock fits a sun_path too. Allocated; NULL: no memory.
 */
char *settings_socket(const struct settings *settings, node_id self);

const char *guarantee_name(enum guarantee guarantee);

#endif
