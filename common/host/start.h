/* SPDX-License-Identifier: ISC */
/*
 * By which settings a host starts: those of its file, or those that it has kept
 * on its disk (PROTOCOL.md, Configurations, and PROTOCOL.md, Changes of
 * voters).
 */
#ifndef ELECTD_COMMON_HOST_START_H
#define ELECTD_COMMON_HOST_START_H

#include "common/node/node.h"

struct host_start {
	bool uses_kept; /* those that are kept are in effect, else the file */
	bool takes_config_term; /* the file is in effect, with the config
				 * term of those that are kept: they are a
				 * copy of it, but for names and addresses,
				 * which the file has of today */
	bool is_older;          /* the file is older than those that are kept */
	bool differs;           /* the file has their config version, and other
		       * settings; they stay in effect */

	/* QUORUM: what has_file of struct rollout stands for. */
	bool wants_file;    /* the file: it is later than those that are kept */
	bool wants_current; /* what is in effect: no leader has stamped it,
			     * and an earlier configuration of the cluster
			     * may take its place */
};

/* Nothing is kept: the host starts by its file. */
struct host_start host_start_first(enum guarantee guarantee);

/* `file` and `kept` are the configurations; `is_copy`: they differ in
 * nothing but the config term. */
struct host_start host_start(enum guarantee guarantee,
    const struct config_id *file, const struct config_id *kept, bool is_copy);

#endif
