/* SPDX-License-Identifier: ISC */
/* When the simulated world counts as settled, under each topology. */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#include <string.h>

static char failure[160];

static void
note_failure(struct world *w, const char *why)
{
	(void)w;
	snprintf(failure, sizeof(failure), "%s", why);
}

WORLD(tree_comes_apart_where_a_link_is_cut)
{
	static const struct world_link path[] = { { 1, 2 }, { 2, 3 } };
	struct world *w = world_with((struct world_setup){ .nodes = 3,
	    .algorithm = algorithm_find("tree"),
	    .topology = TOPOLOGY_TREE,
	    .links = path,
	    .links_count = 2 });

	world_begin(w);
	world_cut(w, 1, 3); /* no link of the tree */
	assert_true(world_settled(w));
	world_cut(w, 1, 2);
	assert_false(world_settled(w));
	world_settle(w);
	assert_int_equal(world_status(w, 1).leader, 1);
	assert_int_equal(world_status(w, 2).leader, 3);
}

/* A settled node is bypassed only if a wire of its component is cut. */
WORLD(node_may_be_bypassed_where_its_ring_is_torn)
{
	struct world *w = world_with((struct world_setup){ .nodes = 4,
	    .algorithm = algorithm_find("lelann"),
	    .topology = TOPOLOGY_RING });
	unsigned bypassed = 0;

	world_begin(w);
	world_cut(w, 2, 3);
	world_settle(w);
	for (process_name name = 1; name <= 4; name++)
		bypassed += world_status(w, name).is_bypassed;
	assert_int_equal(bypassed, 1);
	world_mend(w, 2, 3);
	assert_false(world_settled(w));
	assert_non_null(strstr(w->why, "one is bypassed"));
	world_settle(w);
}

/* Node 1 has lost its disk, and its host has a later file. */
WORLD(file_that_no_leader_has_stamped_waits_for_one)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 3, .guarantee = GUARANTEE_QUORUM });

	world_exchange(w);
	world_edit(w, &w->files.newest);
	world_reload(w, 1);
	world_forget(w, 1);
	world_start(w, 1);
	world_start(w, 2);
	assert_settles_on(w, NODE_NONE);
	assert_int_equal(w->processes[1].configs.config_id.config_version, 1);
	assert_int_equal(w->processes[2].configs.config_id.config_version, 0);
	world_start(w, 3);
	assert_settles_on(w, 3);
	for (process_name name = 1; name <= 3; name++)
		assert_int_equal(
		    w->processes[name].configs.config_id.config_version, 1);
}

/* The `failed` of the world may return; then time stands still. */
WORLD(promise_broken_in_the_calm_ends_the_run)
{
	struct world *w = world_settled_plain(3);

	w->setup.failed = note_failure;
	w->processes[3].outlet.burst_at =
	    NSEC_NEVER / 2; /* a burst that never ends */
	w->processes[3].outlet.burst = 0;
	w->setup.calm = 3600 * SEC;
	world_crash(w, 1);
	world_settle(w);
	assert_true(w->halted);
	assert_non_null(strstr(failure, "3 sent "));
}
