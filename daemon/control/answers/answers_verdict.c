/* SPDX-License-Identifier: ISC */
/* What is wrong with the cluster, as this node sees it: the verdict of
 * `status`, its troubles, and the voters that do not vote. */
#include "daemon/control/answers/answers.h"

#include <errno.h>
#include <string.h>

#include "daemon/control/protocol/trouble.h"
#include "daemon/history/put.h"

/* From good to bad. The verdict is the worst that applies. */
enum health {
	HEALTH_OK,
	HEALTH_DEGRADED,
	HEALTH_STARTING,
	HEALTH_NO_LEADER,
	HEALTH_OUTSIDE, /* the cluster may have a leader, which is not ours */
	HEALTH_SPLIT,   /* two leaders are possible */
};

static const char *
health_name(enum health health)
{
	static const char *const names[] = {
		[HEALTH_OK] = "ok",
		[HEALTH_DEGRADED] = "degraded",
		[HEALTH_STARTING] = "starting",
		[HEALTH_NO_LEADER] = "no-leader",
		[HEALTH_OUTSIDE] = "outside",
		[HEALTH_SPLIT] = "split",
	};

	assert(health <= HEALTH_SPLIT);
	return names[health];
}

/* The word for a file of this host that is not the one in effect; or NULL. */
static const char *
file_trouble(const struct settings *settings)
{
	if (settings_file_is_older(settings))
		return "older-file";
	return settings->file_config_version > settings->shared.config_version
		   ? "newer-file"
		   : NULL;
}

/* The word for a disk that does not take the settings; or NULL. */
static const char *
disk_trouble(const struct control_view *view)
{
	int error = view->unkept != NULL ? view->unkept(view->context) : 0;

	if (error == 0)
		return NULL;
	return error == -ENOSPC || error == -EDQUOT ? "disk-full" : "not-kept";
}

/* The word for what is wrong with this node, like peer_trouble(); or NULL. */
static const char *
own_trouble(const struct control_view *view, const struct node_status *status)
{
	const struct config_node *self =
	    config_find(&view->settings->shared, view->self);
	bool lacks_vote =
	    view->settings->shared.guarantee == GUARANTEE_QUORUM &&
	    self->role != ROLE_OBSERVER && !status->has_vote;

	if (view_no_carrier(view) != NULL)
		return "no-carrier";
	if (lacks_vote && status->state_health != STATE_HEALTH_SOUND)
		return state_health_name(status->state_health);
	if (status->duplicate)
		return "duplicate";
	if (disk_trouble(view) != NULL)
		return disk_trouble(view);
	if (lacks_vote)
		return "no-vote";
	if (status->eligibility == INELIGIBLE_OUTSIDE)
		return "outside";
	if (status->is_bypassed)
		return "bypassed";
	if (status->damped_until != 0)
		return "damped";
	return file_trouble(view->settings);
}

/* True if some voters are down and no more vote than a lead needs: the next
 * voter that fails ends the lead. */
static bool
has_no_spare(const struct control_view *view, const struct node_status *status)
{
	(void)view;
	return status->votes == status->quorum &&
	       status->votes < status->voters;
}

/* True if one node may lead, though the settings have more candidates. */
static bool
has_one_candidate(
    const struct control_view *view, const struct node_status *status)
{
	unsigned candidates = 0;

	for (size_t i = 0; i < view->settings->shared.nodes_count; i++)
		candidates +=
		    view->settings->shared.nodes[i].role == ROLE_CANDIDATE;
	return status->eligible == 1 && candidates > 1;
}

/* True if fewer nodes are heard than the operator expects. With discovery the
 * settings of a host that is cut off may name no others, so this does not
 * follow from them. Where a host hears only its neighbours, the nodes of the
 * settings count instead. */
static bool
has_few_nodes(const struct control_view *view, const struct node_status *status)
{
	const struct settings *settings = view->settings;
	size_t nodes = settings->shared.topology == TOPOLOGY_FULL
			   ? status->reachable
			   : settings->shared.nodes_count;

	return nodes < settings->expected;
}

/* What may be wrong with a cluster that has a leader, though no node is. */
static const struct {
	const char *why;
	bool (*applies)(
	    const struct control_view *view, const struct node_status *status);
} risks[] = {
	{ "few-nodes", has_few_nodes },
	{ "one-candidate", has_one_candidate },
	{ "no-spare", has_no_spare },
};

/* Adds {"id","name","why"} to *rows; NODE_NONE: it is the cluster that has this
 * trouble. Without memory *rows becomes NULL. */
static void
add_trouble(
    json_t **rows, const struct settings *settings, node_id id, const char *why)
{
	const struct config_node *node = config_find(&settings->shared, id);
	json_t *row = json_object();

	assert(id == NODE_NONE || node != NULL);
	put_id(&row, "id", id);
	put_text_or_null(&row, "name", node != NULL ? node->name : NULL);
	put_text(&row, "why", why);
	put_next(rows, row);
}

static enum health
worse(enum health one, enum health other)
{
	return one > other ? one : other;
}

/*
 * A node with other settings, or of another version, forms a cluster of its
 * own, with a leader of its own unless that takes a majority. A node with
 * another key may do so, too. But anyone can forge datagrams that look like
 * another key, so these do not make the verdict worse than DEGRADED.
 */
static enum health
health_of_peer(const struct control_view *view, const struct peer_status *peer)
{
	bool is_apart = peer->differs || peer->other_version;

	return is_apart && view->settings->shared.guarantee != GUARANTEE_QUORUM
		   ? HEALTH_SPLIT
		   : HEALTH_DEGRADED;
}

static enum health
health_of_leader(const struct node_status *status)
{
	if (status->is_outside &&
	    (status->leader == NODE_NONE || status->removed_by != 0))
		return HEALTH_OUTSIDE;
	if (status->leader != NODE_NONE)
		return HEALTH_OK;
	return status->state == STATE_STARTING ? HEALTH_STARTING
					       : HEALTH_NO_LEADER;
}

/* True if a peer has other settings than this node because of our disk. */
static bool
is_ours(const struct control_view *view, const struct peer_status *peer)
{
	return disk_trouble(view) != NULL && peer->up && peer->is_behind &&
	       !peer->differs && !peer->other_version && !peer->duplicate;
}

/* Adds what is wrong with the cluster itself. */
static enum health
add_risks(json_t **rows, const struct control_view *view,
    const struct node_status *status)
{
	enum health health = HEALTH_OK;

	if (status->leader == NODE_NONE)
		return health;
	for (size_t i = 0; i < sizeof(risks) / sizeof(risks[0]); i++) {
		if (!risks[i].applies(view, status))
			continue;
		add_trouble(rows, view->settings, NODE_NONE, risks[i].why);
		health = HEALTH_DEGRADED;
	}
	return health;
}

void
put_verdict(json_t **object, const struct control_view *view,
    const struct node_status *status)
{
	enum health health = health_of_leader(status);
	const char *why = own_trouble(view, status);
	json_t *rows = json_array();

	health = worse(health, add_risks(&rows, view, status));
	if (why != NULL) {
		add_trouble(&rows, view->settings, view->self, why);
		health = worse(health, HEALTH_DEGRADED);
	}
	for (unsigned i = 0; i < view_peers(view); i++) {
		struct peer_status peer = node_peer_status(view->node, i);

		why = peer_trouble(&peer);
		if (why == NULL || is_ours(view, &peer))
			continue;
		add_trouble(&rows, view->settings, peer.id, why);
		health = worse(health, health_of_peer(view, &peer));
	}
	put_text(object, "verdict", health_name(health));
	put_value(object, "troubles", rows);
}

/* The voters that do not vote: this node first, then the peers in order. */
static json_t *
missing(const struct control_view *view, const struct node_status *status)
{
	const struct config_node *self =
	    config_find(&view->settings->shared, view->self);
	json_t *rows = json_array();

	assert(self != NULL);
	if (self->role != ROLE_OBSERVER && !status->has_vote)
		add_trouble(&rows, view->settings, view->self,
		    own_trouble(view, status));
	for (unsigned i = 0; i < view_peers(view); i++) {
		struct peer_status peer = node_peer_status(view->node, i);

		if (peer.is_voter && !peer.votes)
			add_trouble(&rows, view->settings, peer.id,
			    peer_trouble(&peer));
	}
	return rows;
}

json_t *
answer_quorum(const struct control_view *view, const struct node_status *status)
{
	json_t *o;

	if (view->settings->shared.guarantee != GUARANTEE_QUORUM)
		return json_null();
	o = json_object();
	put_count(&o, "voters", status->voters);
	put_count(&o, "quorum", status->quorum);
	put_count(&o, "votes", status->votes);
	put_value(&o, "missing", missing(view, status));
	return o;
}
