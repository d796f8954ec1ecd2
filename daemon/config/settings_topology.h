/* SPDX-License-Identifier: ISC */
/*
 * From draft to settings, the part of it that is about links: the topology,
 * whether it suits the algorithm, a ring's order and sides, the links of
 * trees and graphs, the algorithm's options. Private to settings*.c.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_TOPOLOGY_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_TOPOLOGY_H

#include "daemon/config/settings_schema.h"

#define ALGORITHMS_BYTES 400 /* of all algorithms' names in one line */

/*
 * A topology on its way to settings. Nodes are taken from the draft: there
 * are none in settings yet if anything is wrong.
 */
struct topology_build {
	const struct draft *draft;
	struct settings *settings;
	struct settings_errors *errors;
	int line;                 /* where the kind was chosen */
	bool complete;            /* every node is known by a good id */
	bool linked;              /* order or links of `nodes` are good */
	size_t known_count;       /* 0 under `neighbours` */
	node_id known[NODES_MAX]; /* good ids of `nodes`, rising, once each */
};

/*
 * Adds it all to `settings`, where algorithm and id are set: NULL and
 * NODE_NONE if nothing says so.
 */
void settings_build_topology(struct settings *settings,
    const struct draft *draft, struct settings_errors *errors);

/*
 * Writes the names of the algorithms for which `passes` is true of `what`
 * (NULL: of all) as `"a", "b"`; gives `room`.
 */
const char *algorithms_list(
    bool (*passes)(const struct algorithm *algorithm, unsigned what),
    unsigned what, char room[ALGORITHMS_BYTES]);

/* Where `id` is among the known; known_count if it is not. */
size_t topology_index(const struct topology_build *b, node_id id);

/* The order of a ring of `nodes`. */
void topology_build_order(struct topology_build *b);

/* The sides of a ring of `neighbours`. */
void topology_build_sides(struct topology_build *b);

/* The links of a tree or graph of `nodes`. */
void topology_build_links(struct topology_build *b);

/* Us and each of `neighbours`, which are good, as the links. */
void topology_build_star(struct topology_build *b);

/*
 * The diameter of the links that were built: most steps between two nodes by
 * the shortest way. 0, an error, if there is no memory.
 */
unsigned topology_links_diameter(const struct topology_build *b);

#endif
