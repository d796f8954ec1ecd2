/* SPDX-License-Identifier: ISC */
/*
 * The answer of "key": which keys this node and its peers use, and which step
 * of a change of keys that allows. No key is in it.
 */
#include "daemon/control/answers/answers.h"
#include "daemon/history/put.h"

/* What the peers allow. */
struct key_steps {
	bool agree;    /* no peer that we know of seals with another key */
	bool is_whole; /* we know the keys of every peer that counts */
	bool may_drop; /* no peer that we know of needs our second key */
	bool may_swap; /* each that we know of accepts our second key */
};

static const char *
match_name(enum key_match match)
{
	static const char *const names[] = {
		[KEY_UNKNOWN] = NULL,
		[KEY_NONE] = "none",
		[KEY_FIRST] = "first",
		[KEY_SECOND] = "second",
		[KEY_OTHER] = "other",
	};

	assert(match <= KEY_OTHER);
	return names[match];
}

/* True if a new session can begin: one accepts what the other seals with. */
static bool
can_link(const struct peer_status *peer)
{
	return peer->first_key != KEY_OTHER || peer->second_key == KEY_FIRST;
}

/* A peer that is no neighbour has no session, which is no problem. */
static void
steps_count(struct key_steps *steps, const struct peer_status *peer)
{
	if (peer->first_key == KEY_UNKNOWN) {
		steps->is_whole &= !peer->sought;
		return;
	}
	steps->agree &= peer->first_key == KEY_FIRST;
	steps->may_drop &= peer->first_key == KEY_FIRST;
	steps->may_swap &=
	    peer->first_key == KEY_SECOND || peer->second_key == KEY_SECOND;
}

static json_t *
key_row(const char *file, const char *fingerprint, bool seals)
{
	json_t *o = json_object();

	put_text(&o, "file", file);
	put_text(&o, "sha256", fingerprint);
	put_flag(&o, "sends", seals);
	return o;
}

static json_t *
key_rows(const struct control_view *view)
{
	const struct fingerprints *prints = view->fingerprints;
	json_t *rows = json_array();

	put_next(&rows, key_row(view->settings->key_file, prints->first, true));
	if (prints->second[0] != '\0')
		put_next(&rows, key_row(view->settings->old_key_file,
				    prints->second, false));
	return rows;
}

static json_t *
peer_row(const struct control_view *view, const struct peer_status *peer)
{
	const struct config_node *node =
	    config_find(&view->settings->shared, peer->id);
	bool is_known = peer->first_key != KEY_UNKNOWN;
	json_t *o = json_object();

	assert(node != NULL);
	put_id(&o, "id", peer->id);
	put_text(&o, "name", node->name);
	put_flag(&o, "up", peer->up);
	put_flag(&o, "neighbour", peer->sought);
	put_text_or_null(&o, "sends", match_name(peer->first_key));
	put_text_or_null(&o, "accepts", match_name(peer->second_key));
	put_flag_or_null(&o, "can_link", is_known, can_link(peer));
	return o;
}

json_t *
answer_key(const struct control_view *view)
{
	struct key_steps steps = { true, true, true, true };
	bool has_second = view->fingerprints->second[0] != '\0';
	json_t *peers = json_array(), *o = json_object();

	view_wake(view);
	for (unsigned i = 0; i < view_peers(view); i++) {
		struct peer_status peer = node_peer_status(view->node, i);

		steps_count(&steps, &peer);
		put_next(&peers, peer_row(view, &peer));
	}
	put_flag(&o, "agree", steps.agree);
	put_flag_or_null(
	    &o, "may_drop", has_second, steps.is_whole && steps.may_drop);
	put_flag_or_null(
	    &o, "may_swap", has_second, steps.is_whole && steps.may_swap);
	put_value(&o, "keys", key_rows(view));
	put_value(&o, "peers", peers);
	return o;
}
