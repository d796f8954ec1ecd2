/* SPDX-License-Identifier: ISC */
/*
 * The configuration: the settings that all nodes of a cluster share, as a
 * value. A host reads it from its file, or takes it from another node
 * (PROTOCOL.md, Configurations); either way it is checked (config_check.h),
 * completed (config_complete()), and does not change any more: a change makes a
 * copy. config_rows.h has the name, range and order of each setting.
 */
#ifndef ELECTD_COMMON_CONFIG_CONFIG_H
#define ELECTD_COMMON_CONFIG_CONFIG_H

#include "common/node/node.h"

#define NAME_MAX_BYTES    64  /* a cluster's or node's name, and its end */
#define ADDRESS_MAX_BYTES 272 /* "[host name of 255]:65535" and its end */
#define ID_TEXT_MAX       12  /* an id in digits, and its end */

/* The ranges of settings, as electd.conf(5) has them. */
#define HEARTBEAT_MIN MSEC
#define HEARTBEAT_MAX (60 * SEC)
#define LEASE_MIN     (10 * MSEC)
#define LEASE_MAX     (4 * 3600 * SEC)
#define STARTUP_MAX   (300 * SEC)
#define PREEMPT_MIN   MSEC
#define PREEMPT_MAX   (30 * 86400 * SEC)
#define FORGET_MIN    SEC
#define FORGET_MAX    (365 * 86400 * SEC)
#define DEGREE_MIN    2  /* a circle has two links a node */
#define DEGREE_MAX    64 /* of 1000 nodes all are two links apart */
#define DIAMETER_MAX  (NODES_MAX - 1)

/* One node of the cluster. */
struct config_node {
	node_id id;
	char name[NAME_MAX_BYTES];       /* the id in digits if none is given */
	char address[ADDRESS_MAX_BYTES]; /* "host:port", canonical */
	int32_t priority;
	enum role role;
	bool is_discovered; /* no file lists it: it is forgotten once it is gone
	                     * for long */
};

/* One link of a tree or graph; a < b. */
struct config_link {
	node_id a;
	node_id b;
};

/* The arrays are of one allocation, which `nodes` begins. */
struct config {
	char cluster[NAME_MAX_BYTES];
	enum guarantee guarantee;
	const struct algorithm *algorithm;
	enum prefer prefer;
	enum preempt preempt;
	nsec_t preempt_after; /* PREEMPT_AFTER; else 0 */
	enum topology topology;
	struct choices choices;
	struct timing timing;
	uint32_t config_version;
	uint64_t config_term; /* QUORUM: see struct config_id; no file has
				* one */
	bool discovers;       /* nodes become known that no file names */
	nsec_t forget;     /* discovers: after this time a node that is gone is
	                    * forgotten; else 0 */
	unsigned degree;   /* discovers, tree and graph: the links of a node at
	                    * most, even; else 0 */
	uint32_t revision; /* of the list of nodes; 0: none was discovered */
	bool neighbours_only; /* the nodes are this host's and its neighbours:
	                       * no other host has this configuration */
	struct config_node *nodes; /* by rising id */
	size_t nodes_count;
	node_id *order;            /* RING: rightwards, from the least id on */
	size_t order_count;        /* nodes_count, or 0 */
	struct config_link *links; /* TREE, GRAPH: sorted, each once */
	size_t links_count;        /* 0: every pair */
};

/* Bytes that config_place() needs for `nodes` nodes and `links` links. */
size_t config_size(size_t nodes, size_t links);

/* Lays the arrays of *config, which are then empty, into that much zeroed
 * memory, which is aligned for any type. The memory is free once
 * config->nodes is. */
void config_place(
    struct config *config, void *memory, size_t nodes, size_t links);

/* Copies `from`, for which *to has room. */
void config_copy(struct config *to, const struct config *from);

/* The links for which config_complete() needs room, with this many nodes. */
size_t config_links_most(const struct config *config, size_t nodes);

/*
 * Sorts nodes and links, and fills in what follows from the rest: a name that
 * is not given, the order of a ring, the links of nodes that no file lists, the
 * diameter. For a configuration without faults.
 */
void config_complete(struct config *config);

/* The node with this id, or NULL. */
const struct config_node *config_find(const struct config *config, node_id id);

/* The node with this name, or with this id in digits, or NULL. */
const struct config_node *config_named(
    const struct config *config, const char *word);

/* True if all nodes have a document of it: each knows all nodes. */
bool config_has_document(const struct config *config);

/* The role of a node that was discovered and says that it has this one. */
enum role config_discovered_role(const struct config *config, enum role said);

/* The index of a node in the order of a ring; order_count: it has none. */
size_t config_order_index(const struct config *config, node_id id);

/* TREE, GRAPH, FULL: true if two nodes are linked. */
bool config_has_link(const struct config *config, node_id a, node_id b);

/* The words of each choice, by the value of its enum; NULL ends them. */
extern const char *const guarantee_words[];
extern const char *const prefer_words[];
extern const char *const preempt_words[];
extern const char *const role_words[];
extern const char *const topology_words[];
extern const char *const announce_words[]; /* false, true: any_leader */

#endif
