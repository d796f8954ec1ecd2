/* SPDX-License-Identifier: ISC */
/* `status`, `peers` and `members` as text. */
#include <stdio.h>

#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"
#include "daemon/electctl/print/table.h"

#define STANDBYS_SHOWN 5 /* lines of `status`; a table has the others */
#define NAMES_SHOWN    5 /* of a line, likewise */

#define COLUMN_PRIORITY 4

static bool
is_leader(const json_t *node, const json_t *leader)
{
	return json_is_object(leader) &&
	       json_equal(field(node, "id"), field(leader, "id"));
}

/* True if it is no neighbour and its link is not up, which is no problem. */
static bool
is_apart(const json_t *peer)
{
	return !flag(peer, "up") && !flag(peer, "neighbour");
}

/* True if it is known to lead. Of a node that is no neighbour, others say
 * so. */
static bool
is_known_leader(const json_t *peer, const json_t *leader)
{
	return is_leader(peer, leader) && (flag(peer, "up") || is_apart(peer));
}

static bool
is_on_standby(const json_t *node)
{
	return json_is_object(field(node, "standby"));
}

/*
 * True if the peer is a candidate, its vote and its id are in order, and still
 * it is not eligible: only it knows why.
 */
static bool
is_not_eligible(const json_t *answer, const json_t *peer)
{
	return json_is_false(field(peer, "eligible")) &&
	       is_word(peer, "configured_role", "candidate") &&
	       !is_on_standby(peer) && !flag(peer, "duplicate") &&
	       !json_is_false(field(peer, "votes")) &&
	       json_is_string(field(answer, "verdict")) &&
	       !is_word(answer, "verdict", "no-leader");
}

/* Sets the notes of this node or a peer, which have different keys. */
static void
set_note(json_t *node, const json_t *answer, bool is_self)
{
	const struct {
		bool applies;
		const char *text;
	} notes[] = {
		{ !is_self && is_apart(node), "not a neighbour" },
		{ !is_self && is_not_eligible(answer, node), "not-eligible" },
		{ is_on_standby(node), "standby" },
		{ flag(node, "bypassed"), "bypassed" },
		{ flag(node, "damped"), "damped" },
		{ json_is_string(field(node, "evidence")) && !is_apart(node) &&
			!flag(node, "differs") && !flag(node, "other_version"),
		    "{evidence}" },
		{ flag(node, "duplicate"), "duplicate-id" },
		{ flag(node, "differs"), "settings-differ" },
		{ flag(node, "other_version"), "other-version" },
		{ flag(node, "behind"), "other-settings" },
		{ flag(node, "older_file"), "older-file" },
		{ flag(node, "other_key"), "other-key" },
		{ flag(node, "unresolved"), "unresolved" },
		{ json_is_string(field(node, "found_at")), "moved" },
		{ flag(node, "up") && flag(node, "is_voter") &&
			!flag(node, "votes"),
		    "no-vote" },
	};
	struct line line = { .size = 0 };

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (!notes[i].applies)
			continue;
		line_add(&line, "%s", line.size > 0 ? " " : "");
		line_fill(&line, node, notes[i].text);
	}
	set_text(node, "note", line.text);
}

/* Makes a row of a peer. "candidate" is the usual role, and not shown. */
static void
set_peer(json_t *peer, const json_t *answer)
{
	const json_t *leader = field(answer, "leader");

	if (is_known_leader(peer, leader)) {
		set_text(peer, "mark", "*");
		set_text(peer, "role", "leader");
	} else if (is_apart(peer)) {
		set_text(peer, "mark", ".");
		set_text(peer, "role", "-");
	} else if (!flag(peer, "up")) {
		set_text(peer, "mark", "-");
		set_text(peer, "role", "down");
	} else {
		set_text(peer, "mark", "+");
		if (is_word(peer, "configured_role", "candidate") ||
		    !json_is_string(field(peer, "configured_role")))
			set_text(peer, "role", "follower");
		else
			json_object_set(peer, "role",
			    json_object_get(peer, "configured_role"));
	}
	set_note(peer, answer, false);
}

/* Makes a row of this node. */
static void
set_self(json_t *node, const json_t *answer)
{
	json_t *leader = json_object_get(answer, "leader");
	bool leads = is_leader(node, leader);

	set_text(node, "mark", leads ? "*" : "+");
	set_text(node, "role", leads ? "leader" : "self");
	json_object_set(node, "leader", json_object_get(leader, "id"));
	json_object_set(node, "version", json_object_get(answer, "version"));
	set_note(node, answer, true);
}

/* True if it is no neighbour, and there is nothing else to say about it. */
static bool
is_folded(const json_t *peer, const json_t *leader)
{
	return is_apart(peer) && !is_leader(peer, leader) &&
	       !flag(peer, "duplicate") && !flag(peer, "differs") &&
	       !flag(peer, "other_version") && !flag(peer, "other_key");
}

/*
 * Prints the peers in the order of the answer, without the priorities if all
 * are the same, and without the leader that each node follows if all follow
 * `leader`. An overview begins with this node, and only counts the nodes that
 * are not neighbours.
 */
static void
print_nodes(const json_t *answer, bool is_overview)
{
	const json_t *leader = field(answer, "leader");
	char name[PLAIN_TEXT_MAX], priority[PLAIN_TEXT_MAX],
	    version[PLAIN_TEXT_MAX];
	struct column columns[] = {
		{ "", "{mark}", NULL, false },
		{ "NODE", "{name}", NULL, false },
		{ "ADDRESS", "[{found_at}|{address}]", NULL, false },
		{ "ROLE", "{role}", NULL, false },
		{ "PRIO", "{priority}", priority, false },
		{ "HEARD", "{heard_ms ms}", NULL, false },
		{ "RTT", "{rtt_ms ms}", NULL, false },
		{ "FOLLOWS", "{leader node}", name, false },
		{ "VERSION", "{version}", version, false },
		{ "NOTE", "{note}", NULL, false },
	};
	json_t *rows = json_array(), *peer;
	size_t i, folded = 0;

	if (is_overview) {
		set_self(json_object_get(answer, "node"), answer);
		json_array_append(rows, json_object_get(answer, "node"));
	}
	json_array_foreach(field(answer, "peers"), i, peer)
	{
		if (is_overview && is_folded(peer, leader)) {
			folded++;
			continue;
		}
		set_peer(peer, answer);
		json_array_append(rows, peer);
	}
	plain_text(field(leader, "name"), name);
	plain_text(field(answer, "version"), version);
	plain_text(field(json_array_get(rows, 0), "priority"), priority);
	if (json_array_size(rows) == 0)
		columns[COLUMN_PRIORITY].usual = NULL;
	print_table(
	    answer, rows, columns, sizeof(columns) / sizeof(columns[0]));
	json_decref(rows);
	if (folded == 1)
		puts("1 other node is not a neighbour");
	else if (folded > 1)
		printf("%zu other nodes are not neighbours\n", folded);
}

void
print_peers(json_t *answer)
{
	add_names(answer);
	print_nodes(answer, false);
}

/* What proposed settings wait for, by the word for it. */
static const struct phrase waits[] = {
	{ "leader", "there is no leader to put it into effect" },
	{ "step", "the leader is to put it into effect" },
	{ "majority",
	    "waits until this node has led for a lease and a majority has the settings in effect" },
	{ "voters",
	    "waits until the leader hears a majority of the voters to be, without a new one" },
	{ "successor",
	    "waits for another leader, as this node may not lead by it" },
	{ NULL, NULL },
};

/* What to do if the state file is not sound. */
static const struct phrase remedies[] = {
	{ "lost",
	    "it waits for a leader that leads without it; in a cluster that never had a leader, stop electd, and electd --init-cluster makes the file: see STATE in electd(8)" },
	{ "revoked",
	    "its state file is an old copy; it waits for a leader that leads without it" },
	{ "failed",
	    "its state file could not be written; repair what its log names, then restart electd" },
	{ "changed",
	    "it has lost the settings by which it voted, and votes once it has got them from the others, or a leader leads without it" },
	{ NULL, NULL },
};

/* The lines between the verdict and the table. One that has nothing to say is
 * left out. The verdict names the missing voters. */
static const char *const lines[] = {
	"cluster  {cluster}   algorithm {algorithm} ({topology})   guarantee {guarantee}   term {term}[   config version {config_version}][ (older file: {older_file})| (newer file: {newer_file})]",
	"[proposed config version {proposed.config_version}[, revision {proposed.revision}][; {waits}]]",
	"[files    older on {older_on}: install the one of config version {config_version} there]",
	"leader   [{leader.name} ({leader.id})|none, {state}] for {since_ms ms}, reason {reason why}[, lease {lease_ms ms}][, agreed by {agree}]",
	"[quorum   {quorum.votes} of {quorum.voters} voter{quorum.voters s} heard, {quorum.quorum} needed]",
	"self     {node.name} ({node.id}) {state}, {node.configured_role}[, not eligible ({why_not})], priority {node.priority}, up {uptime_ms ms}",
	"[state    {node.state_file}: this node neither votes nor stands for election: {remedy}]",
	"[tree     level {tree.level}, [parent {tree.parent node}|the root][, {children}][{tree.forming?, still forming:}]]",
	"[multicast {multicast.group} reaches {multicast.reached} of {multicast.peers} node{multicast.peers s}{all_reached?:; unicast to the rest}]",
	"[discovery hears no other node; asks {asks}]",
	"{node.stopping?stopping leads until its last deadline has passed and another node leads:}",
	"[damped   cut off or restarted too often lately: does not take over for {node.damped_ms ms}]",
	"[health   {health.fault}|health   {health.count} check{health.count s}, all pass]",
};

static bool
has_older_file(const json_t *peer)
{
	return flag(peer, "older_file");
}

/* Gives the answer the config version of this host's file, which may not be
 * the one in effect. */
static void
set_config_version(json_t *answer)
{
	json_int_t config_version = number(answer, "config_version");
	json_int_t file = number(answer, "file_config_version");

	if (file != config_version)
		json_object_set_new(answer,
		    file < config_version ? "older_file" : "newer_file",
		    json_integer(file));
}

static void
set_children(json_t *answer, const json_t *children)
{
	size_t count = json_array_size(children);
	struct line line = { .names = field(answer, "names") };

	line_add(&line, "%s ", count == 1 ? "child" : "children");
	if (line_fill_list(&line, children, NULL, count, ", ", "{ node}") > 0)
		set_text(answer, "children", line.text);
}

/* How the services of this host are, unless its standby says that. */
static void
set_health(json_t *answer, const json_t *self)
{
	json_t *checks = json_object_get(self, "checks");
	const char *fault = json_string_value(field(checks, "fault"));

	if (fault == NULL || !is_word(field(self, "standby"), "reason", fault))
		json_object_set(answer, "health", checks);
}

/* Gives the answer what its lines need beside its own members. */
static void
complete(json_t *answer)
{
	json_t *self = json_object_get(answer, "node");
	const json_t *multicast = field(answer, "multicast");
	const json_t *asks = field(field(answer, "discovery"), "asks");

	set_config_version(answer);
	if (number(answer, "config_version") == 0)
		json_object_del(answer, "config_version");
	if (number(field(answer, "proposed"), "revision") == 0)
		json_object_del(
		    json_object_get(answer, "proposed"), "revision");
	set_phrase(
	    answer, "waits", field(answer, "proposed"), "waits_for", waits);
	set_list(answer, "older_on", field(answer, "peers"), has_older_file,
	    NAMES_SHOWN, "{name}");
	if (!is_word(self, "ineligible", "role"))
		json_object_set(
		    answer, "why_not", json_object_get(self, "ineligible"));
	if (json_is_object(field(answer, "quorum")))
		set_phrase(answer, "remedy", self, "state_file", remedies);
	set_children(answer, field(field(answer, "tree"), "children"));
	json_object_set_new(answer, "all_reached",
	    json_boolean(
		number(multicast, "reached") >= number(multicast, "peers")));
	if (number(multicast, "peers") == 0)
		json_object_del(answer, "multicast");
	if (asks != NULL && number(answer, "peers_up") == 0) {
		set_text(answer, "asks", "nobody");
		set_list(answer, "asks", asks, NULL, SIZE_MAX, "{}");
	}
	if (!flag(self, "damped"))
		json_object_del(self, "damped_ms");
	set_health(answer, self);
}

/* Prints since when a node is on standby, until when, and why. */
static void
print_standby_line(const json_t *node)
{
	print_broken(node,
	    "standby  {name} for {standby.since_ms ms}[, ends in {standby.left_ms ms}][: {standby.reason}]");
}

/* Prints such a line for this node and for each peer, as far as they are not
 * many. */
static void
print_standbys(const json_t *answer)
{
	size_t i, count = 0;
	json_t *peer;

	if (is_on_standby(field(answer, "node")))
		print_standby_line(field(answer, "node"));
	json_array_foreach(field(answer, "peers"), i, peer)
	{
		if (is_on_standby(peer) && count++ < STANDBYS_SHOWN)
			print_standby_line(peer);
	}
	if (count > STANDBYS_SHOWN)
		printf("standby  and %zu more\n", count - STANDBYS_SHOWN);
}

void
print_status(json_t *answer)
{
	add_names(answer);
	print_verdict_line(answer);
	complete(answer);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		print_broken(answer, lines[i]);
	print_standbys(answer);
	print_nodes(answer, true);
}

void
print_members(json_t *answer)
{
	static const struct column columns[] = {
		{ "ID", "{id}", NULL, false },
		{ "NODE", "{name}", NULL, false },
		{ "ADDRESS", "{address}", NULL, false },
		{ "ROLE", "{configured_role}", NULL, false },
		{ "PRIO", "{priority}", NULL, false },
	};

	set_config_version(answer);
	print_broken(answer,
	    "config version {config_version}[ (older file: {older_file})]");
	print_table(answer, field(answer, "members"), columns,
	    sizeof(columns) / sizeof(columns[0]));
}
