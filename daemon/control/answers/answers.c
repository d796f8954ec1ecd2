/* SPDX-License-Identifier: ISC */
#include "daemon/control/answers/answers.h"

#include <stdlib.h>

#include "daemon/control/protocol/control_protocol.h"
#include "daemon/history/put.h"
#include "daemon/system/release.h"

/* The node's part in the cluster at present, unlike its configured role. */
static const char *
current_role(const struct node_status *status)
{
	if (status->state == STATE_LEADER)
		return "leader";
	return status->leader == NODE_NONE ? "none" : "follower";
}

static bool
has_quorum(const struct control_view *view)
{
	return view->settings->shared.guarantee == GUARANTEE_QUORUM;
}

/* How many nodes are on standby, as far as this one knows. */
static unsigned
nodes_on_standby(const struct control_view *view)
{
	const struct settings *settings = view->settings;
	unsigned count = 0;

	for (size_t i = 0; i < settings->shared.nodes_count; i++)
		count += node_standby(view->node, settings->shared.nodes[i].id)
			     .is_on;
	return count;
}

static json_t *
leader_at(const struct control_view *view, nsec_t now, nsec_t until)
{
	struct node_status status = node_status(view->node, now);
	const struct settings *settings = view->settings;
	bool is_led = status.leader != NODE_NONE;
	json_t *o = json_object();

	put_count(&o, "term", status.term);
	put_token(&o, status.token);
	put_node(&o, "leader", settings, status.leader);
	put_id(&o, "self", view->self);
	put_text(&o, "role", current_role(&status));
	put_text(&o, "state", node_state_name(status.state));
	put_text(&o, "guarantee", guarantee_words[settings->shared.guarantee]);
	put_deadline(&o, now, until);
	put_count_or_null(
	    &o, "age_ms", is_led, nsec_since(now, status.heard) / MSEC);
	put_count_or_null(
	    &o, "agree", is_led && status.agree > 0, status.agree);
	put_count(&o, "nodes", settings->shared.nodes_count);
	put_count_or_null(
	    &o, "on_standby", !is_led, is_led ? 0 : nodes_on_standby(view));
	return o;
}

json_t *
answer_leader(const struct control_view *view, bool gets_deadline)
{
	nsec_t now = view_wake(view);

	return leader_at(
	    view, now, gets_deadline ? view_hand_out(view, now, false) : 0);
}

bool
answer_leader_if(
    const struct control_view *view, status_fits *fits, json_t **answer)
{
	nsec_t now = view_wake(view);
	struct node_status status = node_status(view->node, now);

	if (!fits(&status))
		return false;
	*answer = leader_at(view, now, 0);
	return true;
}

json_t *
answer_is_leader(const struct control_view *view, bool gets_deadline)
{
	nsec_t now = view_wake(view);
	struct node_status status = node_status(view->node, now);
	nsec_t until = gets_deadline ? view_hand_out(view, now, false) : 0;
	bool lacks_deadline = gets_deadline && until == 0 && has_quorum(view);
	bool leads = status.state == STATE_LEADER && !lacks_deadline;
	json_t *o = json_object();

	put_flag(&o, "is_leader", leads);
	put_count(&o, "term", status.term);
	put_token(&o, status.token);
	put_id(&o, "leader", status.leader);
	put_id(&o, "self", view->self);
	put_text(&o, "state", node_state_name(status.state));
	put_text(
	    &o, "guarantee", guarantee_words[view->settings->shared.guarantee]);
	put_deadline(&o, now, until);
	return o;
}

/* The first keys of a row: what the configuration says of the node. */
static void
put_configured(json_t **object, const struct settings *settings, node_id id)
{
	const struct config_node *node = config_find(&settings->shared, id);

	assert(node != NULL);
	put_id(object, "id", id);
	put_text(object, "name", node->name);
	put_text(object, "address", node->address);
	put_text(object, "configured_role", role_name(node->role));
	put_value(object, "priority", json_integer(node->priority));
}

static json_t *
peer_row(
    const struct control_view *view, const struct peer_status *peer, nsec_t now)
{
	bool is_down = !peer->up && peer->evidence != EVIDENCE_NONE;
	bool is_resolved = true;
	char text[ADDRESS_TEXT_MAX], release[RELEASE_TEXT_MAX];
	const char *found_at =
	    view->find == NULL
		? NULL
		: view->find(view->context, peer->id, text, &is_resolved);
	json_t *o = json_object();

	put_configured(&o, view->settings, peer->id);
	put_flag(&o, "up", peer->up);
	put_value(&o, "evidence",
	    is_down ? json_string(evidence_name(peer->evidence)) : json_null());
	put_ms_or_null(
	    &o, "since_ms", peer->changed != 0, nsec_since(now, peer->changed));
	put_ms_or_null(
	    &o, "heard_ms", peer->heard != 0, nsec_since(now, peer->heard));
	put_ms_or_null(&o, "rtt_ms", peer->rtt != 0, peer->rtt);
	put_flag(&o, "neighbour", peer->sought);
	put_text_or_null(&o, "tree", tree_side_name(peer->tree_side));
	put_flag(&o, "session", peer->session);
	put_flag(&o, "duplicate", peer->duplicate);
	put_flag(&o, "differs", peer->differs);
	put_flag(&o, "other_version", peer->other_version);
	put_flag(&o, "multicast", peer->by_group);
	put_flag(&o, "behind", peer->is_behind);
	put_flag(&o, "older_file", peer->has_older_file);
	put_flag(&o, "other_key", peer->other_key);
	put_flag(&o, "unresolved", !is_resolved);
	put_text_or_null(&o, "found_at", found_at);
	put_count_or_null(
	    &o, "incarnation", peer->incarnation != 0, peer->incarnation);
	put_flag_or_null(&o, "is_voter", has_quorum(view), peer->is_voter);
	put_flag_or_null(&o, "votes", has_quorum(view), peer->votes);
	put_flag_or_null(&o, "eligible", peer->up, peer->is_eligible);
	put_standby(&o, &peer->standby, false);
	put_flag(&o, "damped", peer->damped);
	put_text_or_null(&o, "version",
	    peer->release != 0 ? release_text(peer->release, release) : NULL);
	put_count(&o, "term", peer->term);
	put_id(&o, "leader", peer->leader);
	put_count(&o, "sent", peer->sent);
	put_count(&o, "received", peer->received);
	put_count(&o, "resent", peer->resent);
	return o;
}

static json_t *
peer_rows(const struct control_view *view, nsec_t now)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < view_peers(view); i++) {
		struct peer_status peer = node_peer_status(view->node, i);

		put_next(&rows, peer_row(view, &peer, now));
	}
	return rows;
}

json_t *
answer_peers(const struct control_view *view)
{
	return peer_rows(view, view_wake(view));
}

static unsigned
peers_up(const struct control_view *view)
{
	unsigned count = 0;

	for (unsigned i = 0; i < view_peers(view); i++)
		count += node_peer_status(view->node, i).up;
	return count;
}

/* The settings that are the same on every host. */
static void
put_cluster(json_t **object, const struct settings *settings)
{
	put_text(object, "cluster", settings->shared.cluster);
	put_text(
	    object, "guarantee", guarantee_words[settings->shared.guarantee]);
	put_text(object, "algorithm", settings->shared.algorithm->name);
	put_text(object, "topology", topology_name(settings->shared.topology));
	put_count(object, "config_version", settings->shared.config_version);
	put_count(object, "config_term", settings->shared.config_term);
	put_count(object, "file_config_version", settings->file_config_version);
}

/* What a proposal waits for. */
static const char *
wait_name(enum change_step step, const struct node_status *status)
{
	static const char *const names[] = {
		[STEP_READY] = "step",
		[STEP_STAMP] = "step",
		[STEP_UNSETTLED] = "majority",
		[STEP_UNHEARD] = "voters",
		[STEP_NOT_OURS] = "step",
		[STEP_RESIGN] = "successor",
		[STEP_TOO_FAR] = "step",
		[STEP_PROMOTES] = "step",
	};

	return status->leader == NODE_NONE ? "leader" : names[step];
}

static json_t *
answer_proposal(
    const struct control_view *view, const struct node_status *status)
{
	struct proposed proposal;
	json_t *o;

	if (view->proposed == NULL || !view->proposed(view->context, &proposal))
		return json_null();
	o = json_object();
	put_count(&o, "config_version", proposal.config_version);
	put_count(&o, "revision", proposal.revision);
	put_text(&o, "waits_for", wait_name(proposal.step, status));
	return o;
}

/* What this node knows of the leader and of the links. */
static void
put_leadership(json_t **object, const struct control_view *view,
    const struct node_status *status, nsec_t now)
{
	bool is_led = status->leader != NODE_NONE;

	put_count(object, "term", status->term);
	put_token(object, status->token);
	put_node(object, "leader", view->settings, status->leader);
	put_text(object, "role", current_role(status));
	put_text(object, "state", node_state_name(status->state));
	put_reason_named(object, view->settings, status->reason);
	put_ms_or_null(
	    object, "since_ms", true, nsec_since(now, status->since));
	put_ms_or_null(object, "lease_ms", status->until > 0,
	    nsec_since(status->until, now));
	put_count_or_null(
	    object, "age_ms", is_led, nsec_since(now, status->heard) / MSEC);
	put_count_or_null(
	    object, "agree", is_led && status->agree > 0, status->agree);
	put_count(object, "reachable", status->reachable);
	put_count_or_null(object, "eligible",
	    view->settings->shared.topology == TOPOLOGY_FULL, status->eligible);
	put_count(object, "nodes", view->settings->shared.nodes_count);
	put_count(object, "peers_up", peers_up(view));
}

/* What is known of the services of this host. */
static json_t *
answer_checks(const struct control_view *view)
{
	struct health_view health;
	json_t *o;

	if (view->health == NULL || view->settings->checks_count == 0)
		return json_null();
	o = json_object();
	(void)view->health(view->context, NULL, &health);
	put_count(&o, "count", view->settings->checks_count);
	put_text_or_null(&o, "fault", health.fault);
	return o;
}

static json_t *
own_row(const struct control_view *view, const struct node_status *status,
    nsec_t now)
{
	json_t *o = json_object();
	nsec_t damped = nsec_since(status->damped_until, now);

	put_configured(&o, view->settings, view->self);
	put_count(&o, "incarnation", status->incarnation);
	put_flag(&o, "duplicate", status->duplicate);
	put_flag(&o, "bypassed", status->is_bypassed);
	put_flag(&o, "stopping", status->is_leaving);
	put_standby(&o, &status->standby, true);
	put_value(&o, "checks", answer_checks(view));
	put_text_or_null(
	    &o, "ineligible", eligibility_name(status->eligibility));
	put_text_or_null(&o, "no_carrier_on", view_no_carrier(view));
	put_count_or_null(
	    &o, "removed_by", status->removed_by != 0, status->removed_by);
	put_flag(&o, "damped", damped != 0);
	put_ms_or_null(&o, "damped_ms", damped != 0, damped);
	put_text(&o, "state_file", state_health_name(status->state_health));
	put_flag_or_null(&o, "has_vote", has_quorum(view), status->has_vote);
	return o;
}

static json_t *
tree_children(const struct control_view *view)
{
	json_t *ids = json_array();

	for (unsigned i = 0; i < view_peers(view); i++) {
		struct peer_status peer = node_peer_status(view->node, i);

		if (peer.tree_side == TREE_SIDE_CHILD)
			put_next(&ids, json_integer(peer.id));
	}
	return ids;
}

/* This node's place in the virtual tree. */
static json_t *
answer_tree(const struct control_view *view, const struct node_status *status)
{
	const struct tree_place *place = &status->tree;
	json_t *o;

	if (!place->has_tree)
		return json_null();
	o = json_object();
	put_flag(&o, "forming", place->is_forming);
	put_id(&o, "root", place->root);
	put_count(&o, "level", place->level);
	put_id(&o, "parent", place->parent);
	put_value(&o, "children", tree_children(view));
	return o;
}

/* Which way what is for several peers goes. */
static json_t *
answer_multicast(
    const struct control_view *view, const struct node_status *status)
{
	json_t *o;

	if (!status->group.is_on)
		return json_null();
	o = json_object();
	put_text(&o, "group", view->settings->discovery.group);
	put_count(&o, "reached", status->group.reached);
	put_count(&o, "peers", status->group.peers);
	return o;
}

/* Where this node asks for others. */
static json_t *
answer_discovery(const struct control_view *view)
{
	const struct settings_discovery *d = &view->settings->discovery;
	json_t *asks, *o;

	if (!view->settings->shared.discovers)
		return json_null();
	asks = json_array();
	if (d->group[0] != '\0')
		put_next(&asks, put_string(d->group));
	for (size_t i = 0; i < d->join_count; i++)
		put_next(&asks, put_string(d->join[i]));
	o = json_object();
	put_value(&o, "asks", asks);
	put_count(&o, "revision", view->settings->shared.revision);
	return o;
}

json_t *
answer_status(const struct control_view *view)
{
	nsec_t now = view_wake(view);
	struct node_status status = node_status(view->node, now);
	json_t *o = json_object();

	put_verdict(&o, view, &status);
	put_cluster(&o, view->settings);
	put_value(&o, "proposed", answer_proposal(view, &status));
	put_leadership(&o, view, &status, now);
	put_value(&o, "quorum", answer_quorum(view, &status));
	put_value(&o, "tree", answer_tree(view, &status));
	put_value(&o, "multicast", answer_multicast(view, &status));
	put_value(&o, "discovery", answer_discovery(view));
	put_id(&o, "self", view->self);
	put_value(&o, "node", own_row(view, &status, now));
	put_text(&o, "version", view->version);
	put_ms_or_null(&o, "uptime_ms", true, nsec_since(now, view->started));
	put_value(&o, "peers", peer_rows(view, now));
	return o;
}

json_t *
answer_members(const struct control_view *view)
{
	const struct settings *settings = view->settings;
	json_t *rows = json_array(), *o = json_object();

	for (size_t i = 0; i < settings->shared.nodes_count; i++) {
		json_t *row = json_object();

		put_configured(&row, settings, settings->shared.nodes[i].id);
		put_next(&rows, row);
	}
	put_count(&o, "config_version", settings->shared.config_version);
	put_count(&o, "file_config_version", settings->file_config_version);
	put_id(&o, "self", view->self);
	put_value(&o, "members", rows);
	return o;
}

json_t *
answer_config(const struct control_view *view)
{
	json_t *o = json_object();
	size_t size;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);

	if (to != NULL) {
		settings_print_file(view->settings, to);
		fclose(to);
	}
	put_count(&o, "config_version", view->settings->shared.config_version);
	put_value(&o, "lines", text != NULL ? lines_of(text) : NULL);
	free(text);
	return o;
}

static json_t *
dropped_by_reason(const uint64_t counts[DROP_KINDS])
{
	json_t *o = json_object();

	for (enum drop i = DROP_NONE + 1; i < DROP_KINDS; i++)
		put_count(&o, drop_name(i), counts[i]);
	return o;
}

static json_t *
control_counts(const struct control_counters *counters)
{
	json_t *o = json_object();

	put_count(&o, "clients", counters->clients);
	put_count(&o, "refused", counters->refused);
	put_count(&o, "cut_off", counters->cut_off);
	put_count(&o, "requests", counters->requests);
	put_count(&o, "errors", counters->errors);
	return o;
}

json_t *
answer_stats(const struct control_view *view)
{
	nsec_t now = view_wake(view);
	const struct node_counters *node = node_counters(view->node);
	json_t *o = json_object();

	put_ms_or_null(&o, "uptime_ms", true, nsec_since(now, view->started));
	put_count(&o, "sent", node->sent);
	put_count(&o, "received", node->received);
	put_count(&o, "heartbeats", node->heartbeats);
	put_count(&o, "resent", node->resent);
	put_count(&o, "elections", node->elections);
	put_count(&o, "changes", node->changes);
	put_count(&o, "suspicions", node->suspicions);
	put_count(&o, "stalls", node->stalls);
	put_value(&o, "messages",
	    answer_messages(view->settings->shared.algorithm, node->messages));
	put_value(&o, "term_messages", answer_term_messages(view));
	put_value(&o, "dropped", dropped_by_reason(node->dropped));
	put_value(&o, "control", control_counts(view->counters));
	return o;
}

json_t *
answer_version(const struct control_view *view)
{
	return json_pack("{s:i,s:s}", "protocol", CONTROL_PROTOCOL, "version",
	    view->version);
}
