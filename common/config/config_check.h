/* SPDX-License-Identifier: ISC */
/*
 * What the settings of a configuration mean together: the checks that hold for
 * a file and for a document of another node alike. Each value is in the range
 * of its row already, or absent, as it is where a file gives a wrong one:
 * NODE_NONE, "", 0 for a duration, NULL for the algorithm.
 */
#ifndef ELECTD_COMMON_CONFIG_CONFIG_CHECK_H
#define ELECTD_COMMON_CONFIG_CONFIG_CHECK_H

#include "common/config/config.h"
#include "common/util/peer_set.h"

#define NO_ENTRY SIZE_MAX

/* One fault. */
struct config_fault {
	/* Where it is, as "topology.kind"; "[]" stands for the entry, and "*"
	 * for the algorithm. */
	const char *at;
	size_t entry;       /* of the list; NO_ENTRY: none */
	size_t other;       /* the entry that it contradicts; NO_ENTRY: none */
	const char *text;   /* what is wrong; valid during the call */
	const char *advice; /* what would be right; static, or NULL: the text
	                     * says it */
};

#define FAULT_TEXT_MAX 640 /* fits the names of all algorithms */

typedef void config_fault_taker(void *context, const struct config_fault *f);

#define FAULT_NAME_MAX 48 /* of a fault's place, and its end */

/* Writes the name of a fault's setting, as "nodes[2].id". `list` is what the
 * list of nodes is called. Returns `buffer`. */
const char *config_fault_name(const struct config *config,
    const struct config_fault *fault, const char *list,
    char buffer[FAULT_NAME_MAX]);

/* True if it is in the list of nodes. */
bool config_fault_is_of_node(const struct config_fault *fault);

/* What a check needs to work with: 132 KiB. */
struct config_work {
	size_t count;                    /* of different ids */
	node_id ids[NODES_MAX];          /* rising, each once */
	struct peer_set next[NODES_MAX]; /* by the index of an id: neighbours */
};

/*
 * Tells `take` of each fault of a configuration that is not completed yet, and
 * whose nodes are in any order. `self`: the node whose address may be a
 * wildcard; NODE_NONE: none. `known`: all algorithms, NULL at the end. True if
 * there is none.
 */
bool config_check(const struct config *config, node_id self,
    const struct algorithm *const *known, struct config_work *work,
    config_fault_taker *take, void *context);

/* The same of what must hold once it is completed. */
bool config_check_whole(const struct config *config, struct config_work *work,
    config_fault_taker *take, void *context);

/* The first node with an IP address, whose family is that of all; nodes_count:
 * all have host names. */
size_t config_first_family(const struct config *config);

#define ALGORITHMS_BYTES 400 /* fits the names of all algorithms */

/*
 * Lists the names of the algorithms of `known` for which `passes` is true of
 * `what` (NULL: of all) as `"a", "b"`. Returns `buffer`.
 */
const char *algorithms_list(const struct algorithm *const *known,
    bool (*passes)(const struct algorithm *algorithm, unsigned what),
    unsigned what, char buffer[ALGORITHMS_BYTES]);

/* For algorithms_list(): whether it has one of these enum choice. */
bool algorithm_has(const struct algorithm *algorithm, unsigned choices);

/*
 * The least lease: a leader leads for 79/110 of its lease after the last vote
 * request that a majority has granted (lease.c). It renews the lease with every
 * heartbeat, at most 1.1 heartbeats apart. So `misses` + 1 renewals in a row
 * may be lost.
 */
nsec_t config_lease_least(const struct timing *timing);

#endif
