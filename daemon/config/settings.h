/* SPDX-License-Identifier: ISC */
/*
 * The settings: the configuration of one cluster, as electd.conf(5) describes
 * it, checked and completed with defaults.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_H

#include <netinet/in.h>
#include <stdio.h>
#include <sys/un.h>

#include "common/config/config.h"

#define SETTINGS_FILE_MAX ((size_t)1 << 20) /* bytes; 100 KiB is large */

#define FORMER_MAX 16 /* it is rare that more leave at once */

/* A node that the settings named before. */
struct former_node {
	node_id id; /* NODE_NONE: none */
	char name[NAME_MAX_BYTES];
};

/* The nodes that a node of a ring may link to on each side, nearest first. */
struct settings_sides {
	size_t right_count;
	size_t left_count;
	node_id right[NODES_MAX];
	node_id left[NODES_MAX];
};

#define JOIN_MAX            16   /* addresses to join by: a few dozens do */
#define INTERFACE_MAX_BYTES 16   /* the name of one, and its end; IFNAMSIZ */
#define PATH_MAX_BYTES      1024 /* any path in the file, and its end */

/* How this host meets nodes that no file names. */
struct settings_discovery {
	char group[ADDRESS_MAX_BYTES]; /* "address:port"; "": no multicast */
	char interface[INTERFACE_MAX_BYTES];    /* "": that of the route */
	unsigned ttl;                           /* 1 to 255 */
	char join[JOIN_MAX][ADDRESS_MAX_BYTES]; /* "host:port" */
	size_t join_count;                      /* of `join` */
	/* This host's node, where the file does not list it. */
	char name[NAME_MAX_BYTES]; /* "": the name of the host */
	int32_t priority;
	enum role role;
};

#define CHECKS_MAX 16 /* of a host: a handful of services */
/* Bytes of a name and its end: the reason of a standby has room for the name
 * and for what the check says. */
#define CHECK_NAME_BYTES 21

#define CHECK_WORDS_MAX    32   /* of a command */
#define CHECK_COMMAND_MAX  1024 /* bytes of its words, each with its end */
#define UNIT_MAX_BYTES     256  /* systemd's limit, and its end */
#define RESOURCE_MAX_BYTES 8    /* "memory", and its end */

/* The pressure that is too much, in per cent, unless the file says another:
 * that at which systemd-oomd kills. */
#define PRESSURE_LIMIT 60

/* One check of the health of this host's services. */
struct settings_check {
	char name[CHECK_NAME_BYTES];
	/* One of four; the others are "". */
	char command[CHECK_COMMAND_MAX]; /* the words, each with its end */
	size_t words_count;              /* of `command` */
	char unit[UNIT_MAX_BYTES];
	char disk[PATH_MAX_BYTES];         /* a directory */
	char pressure[RESOURCE_MAX_BYTES]; /* "cpu", "io" or "memory" */
	unsigned limit;  /* of `pressure`, in per cent; 0: it is another */
	nsec_t interval; /* from one start to the next, if it has ended */
	nsec_t timeout;
	unsigned rise; /* passes in a row that end a fault */
	unsigned fall; /* failures in a row that are one */
};

#define DEADLINES_MAX 16 /* users and groups: services are in dozens at most */

/* Each text and list is all zero after its end, so that two can be compared as
 * bytes. settings_rows.h has a row for each setting. */
struct settings {
	struct config shared;           /* complete; the first member */
	uint32_t file_config_version;   /* of this host's own file */
	node_id id;                     /* NODE_NONE: to be identified */
	char listen[ADDRESS_MAX_BYTES]; /* "": the address of our own node */
	struct settings_discovery discovery;
	struct settings_sides ring; /* neighbours only: of this host's node */
	char key_file[PATH_MAX_BYTES];
	char old_key_file[PATH_MAX_BYTES]; /* "": none */
	char socket[PATH_MAX_BYTES];       /* ".../NAME.sock"; while the id is
	                                    * to be identified it may have "%i"
	                                    * in it */
	char group[NAME_MAX_BYTES];        /* "": none */
	char deadlines[DEADLINES_MAX][NAME_MAX_BYTES]; /* users and groups */
	size_t deadlines_count;                        /* of `deadlines` */
	char state_dir[PATH_MAX_BYTES];
	bool realtime;
	bool is_recorded;     /* the node is, on a tape */
	bool watches_carrier; /* without one the node does not lead */
	unsigned expected;    /* nodes, with this one; fewer that are heard are
	                       * a trouble; 0: any number */
	struct settings_check checks[CHECKS_MAX];
	size_t checks_count; /* of `checks` */

	/* The last nodes that left while the daemon runs: what is told of them
	 * may last longer than they. */
	struct former_node former[FORMER_MAX];
	unsigned former_count; /* of all that left */
};

/*
 * Reads and checks the file `path`. Writes all errors at once to `errors`, each
 * as "path:line: setting: what is wrong, what would be right"; of syntax errors
 * the first only. `id` overrides the file's id unless it is NODE_NONE. Returns
 * NULL if there was an error. Opens no other file and uses no network: an id
 * that is left out is found later, by electd.
 */
struct settings *settings_read(const char *path, node_id id, FILE *errors);

/* The same of a text in memory, which it alters. `path` is for errors only. */
struct settings *settings_parse(
    const char *path, char *text, node_id id, FILE *errors);

/* NULL is harmless. */
void settings_free(struct settings *settings);

/* Prints the configuration in effect, as a file that settings_read() takes. */
void settings_print(const struct settings *settings, FILE *to);

/* Prints what all hosts share as a file says it: without the nodes that were
 * discovered. */
void settings_print_file(const struct settings *settings, FILE *to);

/* Sets the id of this host's node, also for each "%i" in the socket's path.
 * NAME.admin.sock fits a sun_path too. */
void settings_set_id(struct settings *settings, node_id self);

/* True if this host's file is older than the settings in effect. */
bool settings_file_is_older(const struct settings *settings);

/* True if no file lists this host's own node. */
bool settings_are_discovered(const struct settings *settings);

/* True if both have the same checks. */
bool settings_have_same_checks(
    const struct settings *settings, const struct settings *other);

/* The name of the node with this id, also of one that left; or NULL. */
const char *settings_name(const struct settings *settings, node_id id);

/* Remembers the nodes of the settings in effect before that have left. */
void settings_remember(
    struct settings *settings, const struct settings *before);

/*
 * Fills in the sides of node `self`: all other nodes in the ring's order, or
 * only those that `neighbours` gives. Both sides of a single node are empty.
 * Returns false, and empty sides, if the topology is no ring or `self` is not
 * in it.
 */
bool settings_ring(const struct settings *settings, node_id self,
    struct settings_sides *sides);

/*
 * True if the two nodes are neighbours in the topology. In `full` all are; in a
 * ring, those that are next to each other while all nodes are up.
 */
bool settings_linked(const struct settings *settings, node_id a, node_id b);

#endif
