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

/* True if the hosts need not agree on the nodes, of which each knows its
 * neighbours. */
static bool
is_partial(const struct config *c)
{
	return c->neighbours_only && c->topology != TOPOLOGY_FULL;
}

static void
compare_place(const struct comparison *c)
{
	const struct settings *a = c->a, *b = c->b;

	note(c, CHANGE_RESTART, "id", a->id == b->id);
	note(c, CHANGE_RESTART, "listen", strcmp(a->listen, b->listen) == 0);
	note(c,
	    is_partial(&a->shared) && is_partial(&b->shared) ? CHANGE_RESTART
							     : CHANGE_CLUSTER,
	    "neighbours",
	    a->shared.neighbours_only == b->shared.neighbours_only &&
		same_ids(a->ring.right, a->ring.right_count, b->ring.right,
		    b->ring.right_count) &&
		same_ids(a->ring.left, a->ring.left_count, b->ring.left,
		    b->ring.left_count));
}

void
settings_compare(const struct settings *running, const struct settings *wanted,
    change_taker *take, void *context)
{
	const struct comparison c = { running, wanted, take, context };
	bool is_bound = running->listen[0] == '\0' || wanted->listen[0] == '\0';

	assert(running->id != NODE_NONE);
	config_compare(&running->shared, &wanted->shared,
	    is_bound ? running->id : NODE_NONE, take, context);
	compare_place(&c);
	compare_local(&c);
	compare_discovery(&c);
}
