/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_changes.h"

#include <string.h>

/* A comparison under way: a is what runs, b what is wanted. */
struct comparison {
	const struct settings *a;
	const struct settings *b;
	change_taker *take;
	void *context;
};

static void
note(const struct comparison *c, enum change change, const char *setting,
    bool is_same)
{
	if (!is_same)
		c->take(c->context, change, setting);
}

/* Notes a setting of a node: `what` is as "address of ". */
static void
note_node(const struct comparison *c, enum change change, const char *what,
    const struct node_settings *node, bool is_same)
{
	char text[CHANGE_TEXT_MAX];

	snprintf(text, sizeof(text), "%s%s", what, node->name);
	note(c, change, text, is_same);
}

/* NULL is a text, too: the setting has no value. */
static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The texts of a list take `size` bytes each. */
static bool
same_texts(
    const char *a, size_t a_count, const char *b, size_t b_count, size_t size)
{
	bool is_same = a_count == b_count;

	for (size_t i = 0; is_same && i < a_count; i++)
		is_same = strcmp(a + i * size, b + i * size) == 0;
	return is_same;
}

static bool
same_ids(const node_id *a, size_t a_count, const node_id *b, size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++) {
		if (a[i] != b[i])
			return false;
	}
	return true;
}

static size_t
place_of(node_id id, const node_id *ids, size_t count)
{
	size_t i = 0;

	while (i < count && ids[i] != id)
		i++;
	return i;
}

/* A ring has no first node. */
static bool
same_ring(const struct settings_ring *a, const struct settings_ring *b)
{
	size_t count = a->order_count, shift;

	if (count != b->order_count)
		return false;
	if (count == 0)
		return true;
	shift = place_of(a->order[0], b->order, count);
	for (size_t i = 0; i < count; i++) {
		if (a->order[i] != b->order[(shift + i) % count])
			return false;
	}
	return true;
}

static bool
same_links(const struct settings *a, const struct settings *b)
{
	if (a->links_count != b->links_count)
		return false;
	for (size_t i = 0; i < a->links_count; i++) {
		if (a->links[i].a != b->links[i].a ||
		    a->links[i].b != b->links[i].b)
			return false;
	}
	return true;
}

static bool
same_choices(const struct choices *a, const struct choices *b)
{
	return a->variant == b->variant &&
	       a->starters_only == b->starters_only &&
	       a->no_wakeup == b->no_wakeup && a->any_leader == b->any_leader;
}

/* What a change of the nodes needs: hosts that know only their neighbours need
 * not agree on them. */
static enum change
change_of_nodes(const struct comparison *c)
{
	return c->a->neighbours_only && c->b->neighbours_only &&
		       c->a->topology != TOPOLOGY_FULL
		   ? CHANGE_RESTART
		   : CHANGE_CLUSTER;
}

/* True if the socket is bound to the address of this node. */
static bool
is_bound_to(const struct comparison *c, const struct node_settings *node)
{
	return node->id == c->a->id &&
	       (c->a->listen[0] == '\0' || c->b->listen[0] == '\0');
}

static void
compare_node(const struct comparison *c, const struct node_settings *a,
    const struct node_settings *b)
{
	assert(a->id == b->id);
	note_node(c, CHANGE_NOW, "name of ", a, strcmp(a->name, b->name) == 0);
	note_node(c, is_bound_to(c, a) ? CHANGE_RESTART : CHANGE_NOW,
	    "address of ", a, strcmp(a->address, b->address) == 0);
	note_node(c, change_of_nodes(c), "priority of ", a,
	    a->priority == b->priority);
	note_node(c, change_of_nodes(c), "role of ", a, a->role == b->role);
	note_node(c, change_of_nodes(c), "who lists ", a,
	    a->is_discovered == b->is_discovered);
}

/* Both lists are sorted by id. */
static void
compare_nodes(const struct comparison *c)
{
	const struct settings *a = c->a, *b = c->b;
	size_t i = 0, j = 0;

	while (i < a->nodes_count || j < b->nodes_count) {
		const struct node_settings *one =
		    i < a->nodes_count ? &a->nodes[i] : NULL;
		const struct node_settings *other =
		    j < b->nodes_count ? &b->nodes[j] : NULL;

		if (other == NULL || (one != NULL && one->id < other->id)) {
			note_node(c, change_of_nodes(c), "nodes: without ", one,
			    false);
			i++;
		} else if (one == NULL || other->id < one->id) {
			note_node(c, change_of_nodes(c), "nodes: also ", other,
			    false);
			j++;
		} else {
			compare_node(c, one, other);
			i++;
			j++;
		}
	}
}

static void
compare_election(const struct comparison *c)
{
	const struct settings *a = c->a, *b = c->b;

	note(c, CHANGE_CLUSTER, "algorithm", a->algorithm == b->algorithm);
	note(c, CHANGE_CLUSTER, "prefer", a->prefer == b->prefer);
	note(c, CHANGE_CLUSTER, "preempt",
	    a->preempt == b->preempt && a->preempt_after == b->preempt_after);
}

static void
compare_topology(const struct comparison *c)
{
	const struct settings *a = c->a, *b = c->b;
	bool is_same_kind = a->topology == b->topology;

	note(c, change_of_nodes(c), "neighbours",
	    a->neighbours_only == b->neighbours_only &&
		same_ids(a->ring.right, a->ring.right_count, b->ring.right,
		    b->ring.right_count) &&
		same_ids(a->ring.left, a->ring.left_count, b->ring.left,
		    b->ring.left_count));
	note(c, CHANGE_CLUSTER, "topology.kind", is_same_kind);
	note(c, CHANGE_CLUSTER, "topology.order",
	    !is_same_kind || same_ring(&a->ring, &b->ring));
	note(c, CHANGE_CLUSTER, "topology.links",
	    !is_same_kind || a->degree > 0 || same_links(a, b));
	note(c, CHANGE_CLUSTER, "topology.degree",
	    !is_same_kind || a->degree == b->degree);
	note(c, CHANGE_CLUSTER, "topology.diameter",
	    a->choices.diameter == b->choices.diameter);
	note(c, CHANGE_CLUSTER, "options of the algorithm",
	    same_choices(&a->choices, &b->choices));
}

static void
compare_timing(const struct comparison *c)
{
	const struct timing *a = &c->a->timing, *b = &c->b->timing;

	note(c, CHANGE_CLUSTER, "timing.heartbeat",
	    a->heartbeat == b->heartbeat);
	note(c, CHANGE_CLUSTER, "timing.misses", a->misses == b->misses);
	note(c, CHANGE_CLUSTER, "timing.lease", a->lease == b->lease);
	note(c, CHANGE_CLUSTER, "timing.startup", a->startup == b->startup);
}

static void
compare_local(const struct comparison *c)
{
	const struct settings *a = c->a, *b = c->b;

	note(c, CHANGE_NOW, "security.key_file",
	    same_text(a->key_file, b->key_file));
	note(c, CHANGE_NOW, "security.old_key_file",
	    same_text(a->old_key_file, b->old_key_file));
	note(c, CHANGE_RESTART, "control.socket",
	    same_text(a->socket, b->socket));
	note(c, CHANGE_RESTART, "control.group", same_text(a->group, b->group));
	note(c, CHANGE_RESTART, "control.deadlines",
	    same_texts(a->deadlines[0], a->deadlines_count, b->deadlines[0],
		b->deadlines_count, NAME_MAX_BYTES));
	note(c, CHANGE_RESTART, "state_dir",
	    same_text(a->state_dir, b->state_dir));
	note(c, CHANGE_RESTART, "realtime", a->realtime == b->realtime);
	note(c, CHANGE_RESTART, "record", a->is_recorded == b->is_recorded);
	note(c, CHANGE_RESTART, "watch_carrier",
	    a->watches_carrier == b->watches_carrier);
	note(c, CHANGE_NOW, "expect", a->expected == b->expected);
	note(c, CHANGE_NOW, "checks", settings_have_same_checks(a, b));
}

static void
compare_discovery(const struct comparison *c)
{
	const struct settings_discovery *a = &c->a->discovery,
					*b = &c->b->discovery;

	note(c, CHANGE_CLUSTER, "discovery", a->is_on == b->is_on);
	note(c, CHANGE_CLUSTER, "timing.forget",
	    !a->is_on || a->forget == b->forget);
	note(c, CHANGE_RESTART, "multicast",
	    strcmp(a->group, b->group) == 0 && a->ttl == b->ttl &&
		strcmp(a->interface, b->interface) == 0);
	note(c, CHANGE_RESTART, "join",
	    same_texts(a->join[0], a->join_count, b->join[0], b->join_count,
		ADDRESS_MAX_BYTES));
	note(c, CHANGE_NOW, "self",
	    strcmp(a->name, b->name) == 0 && a->priority == b->priority &&
		a->role == b->role);
}

void
settings_compare(const struct settings *running, const struct settings *wanted,
    change_taker *take, void *context)
{
	const struct comparison c = { running, wanted, take, context };

	assert(running->id != NODE_NONE);
	note(&c, CHANGE_IDENTITY, "cluster",
	    strcmp(running->cluster, wanted->cluster) == 0);
	note(&c, CHANGE_IDENTITY, "guarantee",
	    running->guarantee == wanted->guarantee);
	compare_election(&c);
	note(&c, CHANGE_RESTART, "id", running->id == wanted->id);
	note(&c, CHANGE_RESTART, "listen",
	    strcmp(running->listen, wanted->listen) == 0);
	compare_nodes(&c);
	compare_topology(&c);
	compare_timing(&c);
	note(&c, CHANGE_CLUSTER, "generation",
	    running->generation == wanted->generation);
	compare_local(&c);
	compare_discovery(&c);
}
