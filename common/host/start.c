/* SPDX-License-Identifier: ISC */
#include "common/host/start.h"

struct host_start
host_start_first(enum guarantee guarantee)
{
	return (struct host_start){
		.wants_current = guarantee == GUARANTEE_QUORUM,
	};
}

/* Under component the later one counts; of a cluster with lists of nodes that
 * is what is kept, unless the file has a later config version. Under quorum a
 * leader puts each step into effect, so those that are kept count, and the file
 * is a proposal. */
struct host_start
host_start(enum guarantee guarantee, const struct config_id *file,
    const struct config_id *kept, bool is_copy)
{
	bool is_quorum = guarantee == GUARANTEE_QUORUM;
	bool is_older = file->config_version < kept->config_version;
	bool is_later = file->config_version > kept->config_version;
	bool differs = (is_quorum || kept->revision > 0) && !is_copy &&
		       !is_older && !is_later;

	return (struct host_start){
		.uses_kept = is_quorum ? !is_copy : is_older || differs,
		.takes_config_term = is_quorum && is_copy,
		.is_older = is_older,
		.differs = differs,
		.wants_file = is_quorum && is_later,
		.wants_current =
		    is_quorum && !is_later && kept->config_term == 0,
	};
}
