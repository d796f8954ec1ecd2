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
 * it is not eligible: it has resigned, or only it knows why.
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

/* Gives a row a cell that is no member of the answer. */
static void
set_cell(json_t *row, const char *key, const char *text)
{
	json_object_set_new(row, key, json_string(text));
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
		{ is_self && flag(node, "abstains"), "resigned" },
		{ is_on_standby(node), "standby" },
		{ flag(node, "bypassed"), "bypassed" },
		{ flag(node, "unsteady"), "unsteady" },
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
	set_cell(node, "note", line.text);
}

/* Makes a row of a peer. "candidate" is the usual role, and not shown. */
static void
set_peer(json_t *peer, const json_t *answer)
{
	const json_t *leader = field(answer, "leader");

	if (is_known_leader(peer, leader)) {
		set_cell(peer, "mark", "*");
		set_cell(peer, "role", "leader");
	} else if (is_apart(peer)) {
		set_cell(peer, "mark", ".");
		set_cell(peer, "role", "-");
	} else if (!flag(peer, "up")) {
		set_cell(peer, "mark", "-");
		set_cell(peer, "role", "down");
	} else {
		set_cell(peer, "mark", "+");
		if (is_word(peer, "configured_role", "candidate") ||
		    !json_is_string(field(peer, "configured_role")))
			set_cell(peer, "role", "follower");
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

	set_cell(node, "mark", leads ? "*" : "+");
	set_cell(node, "role", leads ? "leader" : "self");
	json_object_set(node, "leader", json_object_get(leader, "id"));
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
	char name[PLAIN_TEXT_MAX], priority[PLAIN_TEXT_MAX];
	struct column columns[] = {
		{ "", "{mark}", NULL, false },
		{ "NODE", "{name}", NULL, false },
		{ "ADDRESS", "[{found_at}|{address}]", NULL, false },
		{ "ROLE", "{role}", NULL, false },
		{ "PRIO", "{priority}", priority, false },
		{ "HEARD", "{heard_ms ms}", NULL, false },
		{ "RTT", "{rtt_ms ms}", NULL, false },
		{ "FOLLOWS", "{leader node}", name, false },
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

/* The line of `status` that begins with "cluster". This host's file may not be
 * the one in effect. */
static void
print_cluster_line(const json_t *answer)
{
	json_int_t generation = number(answer, "generation");
	json_int_t file = number(answer, "file_generation");
	struct line line = { .size = 0 };

	line_fill(&line, answer,
	    "cluster  {cluster}   algorithm {algorithm} ({topology})   guarantee {guarantee}   term {term}");
	if (generation > 0)
		line_fill(&line, answer, "   generation {generation}");
	if (file < generation)
		line_fill(&line, answer, " (older file: {file_generation})");
	else if (file > generation)
		line_fill(&line, answer, " (newer file: {file_generation})");
	line_print(&line);
}

/* What proposed settings wait for, by the word for it. */
static const struct phrase waits[] = {
	{ "leader", "; there is no leader to put it into effect" },
	{ "step", "; the leader is to put it into effect" },
	{ "majority",
	    "; waits until this node has led for a lease and a majority has the settings in effect" },
	{ "voters",
	    "; waits until the leader hears a majority of the voters to be, without a new one" },
	{ "successor",
	    "; waits for another leader, as this node may not lead by it" },
	{ NULL, NULL },
};

static void
print_proposed_line(const json_t *answer)
{
	const json_t *proposed = field(answer, "proposed");
	struct line line = { .size = 0 };

	if (!json_is_object(proposed))
		return;
	line_fill(&line, proposed, "proposed generation {generation}");
	(void)line_fill_phrase(&line, proposed, "waits_for", waits);
	line_print(&line);
}

static bool
has_older_file(const json_t *peer)
{
	return flag(peer, "older_file");
}

/* Where a roll-out is not complete; this node's own file is in the verdict. */
static void
print_files_line(const json_t *answer)
{
	struct line line = { .size = 0 };

	line_add(&line, "files    older on ");
	if (line_fill_list(&line, field(answer, "peers"), has_older_file,
		NAMES_SHOWN, ", ", "{name}") == 0)
		return;
	line_fill(&line, answer,
	    ": install the one of generation {generation} there");
	line_print(&line);
}

static void
print_self_line(const json_t *answer, const json_t *self)
{
	struct line line = { .size = 0 };

	line_fill(&line, answer,
	    "self     {node.name} ({node.id}) {state}, {node.configured_role}");
	if (!is_word(self, "ineligible", "role"))
		line_fill(&line, self, "[, not eligible ({ineligible})]");
	line_fill(
	    &line, answer, ", priority {node.priority}, up {uptime_ms ms}");
	line_print(&line);
}

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

static void
print_state_line(const json_t *answer, const json_t *self)
{
	struct line line = { .size = 0 };

	line_fill(&line, self,
	    "state    {state_file}: this node neither votes nor stands for election: ");
	if (json_is_object(field(answer, "quorum")) &&
	    line_fill_phrase(&line, self, "state_file", remedies))
		line_print(&line);
}

/* Where a node that hears no other asks for others. */
static void
print_discovery_line(const json_t *answer)
{
	const json_t *discovery = field(answer, "discovery");
	const json_t *asks = field(discovery, "asks");
	struct line line = { .size = 0 };

	if (!json_is_object(discovery) || number(answer, "peers_up") > 0)
		return;
	line_add(&line, "discovery hears no other node; asks %s",
	    json_array_size(asks) == 0 ? "nobody" : "");
	(void)line_fill_list(&line, asks, NULL, SIZE_MAX, ", ", "{}");
	puts(line.text);
}

/* Prints what is unusual about this node. */
static void
print_remarks(const json_t *self)
{
	if (flag(self, "stopping"))
		puts(
		    "stopping leads until its last deadline has passed and another node leads");
	if (flag(self, "abstains"))
		puts(
		    "resigned abstains until `electctl rejoin`, or until no other node can lead");
	if (flag(self, "unsteady"))
		print_text(self,
		    "unsteady cut off or restarted too often lately: does not take over for {unsteady_ms ms}");
}

/* Prints how the services of this host are, unless its standby says that. */
static void
print_health_line(const json_t *self)
{
	const char *fault =
	    json_string_value(field(field(self, "checks"), "fault"));

	if (!json_is_object(field(self, "checks")) ||
	    (fault != NULL && is_word(field(self, "standby"), "reason", fault)))
		return;
	print_broken(field(self, "checks"),
	    "health   [{fault}|{count} check{count s}, all pass]");
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
	const json_t *self = field(answer, "node");
	const json_t *multicast = field(answer, "multicast");

	add_names(answer);
	print_verdict_line(answer);
	print_cluster_line(answer);
	print_proposed_line(answer);
	print_files_line(answer);
	print_broken(answer,
	    "leader   [{leader.name} ({leader.id})|none, {state}] for {since_ms ms}, reason {reason why}[, lease {lease_ms ms}][, agreed by {agree}]");
	/* The verdict names the missing voters. */
	if (json_is_object(field(answer, "quorum")))
		print_text(answer,
		    "quorum   {quorum.votes} of {quorum.voters} voter{quorum.voters s} heard, {quorum.quorum} needed");
	print_self_line(answer, self);
	print_state_line(answer, self);
	print_tree_line(answer);
	if (number(multicast, "peers") > 0)
		print_text(multicast,
		    number(multicast, "reached") < number(multicast, "peers")
			? "multicast {group} reaches {reached} of {peers} node{peers s}; unicast to the rest"
			: "multicast {group} reaches {reached} of {peers} node{peers s}");
	print_discovery_line(answer);
	print_remarks(self);
	print_health_line(self);
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
	bool is_older =
	    number(answer, "file_generation") < number(answer, "generation");

	print_broken(answer,
	    is_older ? "generation {generation} (older file: {file_generation})"
		     : "generation {generation}");
	print_table(answer, field(answer, "members"), columns,
	    sizeof(columns) / sizeof(columns[0]));
}
