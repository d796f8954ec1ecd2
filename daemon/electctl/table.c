/* SPDX-License-Identifier: ISC */
/* The tables of `status` and `peers`: one row a node, the columns aligned. */
#include "daemon/electctl/electctl.h"

#include <stdlib.h>

#define STANDBYS_SHOWN 5 /* lines of `status`; a table has the others */
#define NAMES_SHOWN    5 /* of a line, likewise */

enum column {
	COLUMN_MARK,
	COLUMN_NODE,
	COLUMN_ADDRESS,
	COLUMN_ROLE,
	COLUMN_PRIORITY,
	COLUMN_HEARD,
	COLUMN_RTT,
	COLUMN_FOLLOWS,
	COLUMN_NOTE,
	COLUMNS,
};

struct row {
	char cells[COLUMNS][PLAIN_TEXT_MAX];
};

struct table {
	struct row *rows;
	size_t count;
};

static const struct row head = {
	.cells = { "", "NODE", "ADDRESS", "ROLE", "PRIO", "HEARD", "RTT",
	    "FOLLOWS", "NOTE" },
};

static bool
flag(const json_t *object, const char *key)
{
	return json_is_true(field(object, key));
}

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

/* Sets the role of a peer. "candidate" is the usual role, and not shown. */
static void
set_role(struct row *row, const json_t *peer, const json_t *leader)
{
	const json_t *configured = field(peer, "configured_role");
	const char *role = "follower";
	char text[PLAIN_TEXT_MAX];

	if (is_known_leader(peer, leader))
		role = "leader";
	else if (is_apart(peer))
		role = "-";
	else if (!flag(peer, "up"))
		role = "down";
	else if (json_is_string(configured) &&
		 strcmp(json_string_value(configured), "candidate") != 0)
		role = plain_text(configured, text);
	snprintf(row->cells[COLUMN_ROLE], PLAIN_TEXT_MAX, "%s", role);
}

static void
set_duration(char cell[PLAIN_TEXT_MAX], const json_t *ms)
{
	if (json_is_number(ms))
		elapsed_text(json_number_value(ms), cell);
	else
		plain_text(ms, cell);
}

/* Adds to the notes of a node. */
static void
add_note(struct row *row, const char *words)
{
	char *note = row->cells[COLUMN_NOTE];
	size_t size = strlen(note);

	snprintf(note + size, PLAIN_TEXT_MAX - size, "%s%.32s",
	    size > 0 ? " " : "", words);
}

/* Sets the notes of this node or a peer, which have different keys. */
static void
set_note(struct row *row, const json_t *node)
{
	char evidence[PLAIN_TEXT_MAX];

	if (flag(node, "bypassed"))
		add_note(row, "bypassed");
	if (flag(node, "unsteady"))
		add_note(row, "unsteady");
	if (json_is_string(field(node, "evidence")) && !is_apart(node) &&
	    !flag(node, "differs") && !flag(node, "other_version"))
		add_note(row, plain_text(field(node, "evidence"), evidence));
	if (flag(node, "duplicate"))
		add_note(row, "duplicate-id");
	if (flag(node, "differs"))
		add_note(row, "settings-differ");
	if (flag(node, "other_version"))
		add_note(row, "other-version");
	if (flag(node, "behind"))
		add_note(row, "other-settings");
	if (flag(node, "older_file"))
		add_note(row, "older-file");
	if (flag(node, "other_key"))
		add_note(row, "other-key");
	if (flag(node, "unresolved"))
		add_note(row, "unresolved");
	if (json_is_string(field(node, "found_at"))) {
		plain_text(field(node, "found_at"), row->cells[COLUMN_ADDRESS]);
		add_note(row, "moved");
	}
	if (flag(node, "up") && flag(node, "is_voter") && !flag(node, "votes"))
		add_note(row, "no-vote");
}

static void
set_configured(struct row *row, const json_t *node)
{
	plain_text(field(node, "name"), row->cells[COLUMN_NODE]);
	plain_text(field(node, "address"), row->cells[COLUMN_ADDRESS]);
	plain_text(field(node, "priority"), row->cells[COLUMN_PRIORITY]);
}

static void
set_followed(struct row *row, const json_t *answer, const json_t *id)
{
	char text[PLAIN_TEXT_MAX];

	plain_text(id, text);
	if (json_is_integer(id))
		name_text(answer, text, row->cells[COLUMN_FOLLOWS]);
	else
		strcpy(row->cells[COLUMN_FOLLOWS], text);
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
	const char *role = json_string_value(field(peer, "configured_role"));
	const char *verdict = json_string_value(field(answer, "verdict"));

	return json_is_false(field(peer, "eligible")) && role != NULL &&
	       !is_on_standby(peer) && strcmp(role, "candidate") == 0 &&
	       !flag(peer, "duplicate") &&
	       !json_is_false(field(peer, "votes")) && verdict != NULL &&
	       strcmp(verdict, "no-leader") != 0;
}

static void
set_peer(struct row *row, const json_t *answer, const json_t *peer)
{
	const json_t *leader = field(answer, "leader");
	const char *mark = flag(peer, "up") ? "+" : "-";

	if (is_known_leader(peer, leader))
		mark = "*";
	else if (is_apart(peer))
		mark = ".";
	strcpy(row->cells[COLUMN_MARK], mark);
	set_configured(row, peer);
	set_role(row, peer, leader);
	set_duration(row->cells[COLUMN_HEARD], field(peer, "heard_ms"));
	set_duration(row->cells[COLUMN_RTT], field(peer, "rtt_ms"));
	set_followed(row, answer, field(peer, "leader"));
	if (is_apart(peer))
		add_note(row, "not a neighbour");
	if (is_not_eligible(answer, peer))
		add_note(row, "not-eligible");
	if (is_on_standby(peer))
		add_note(row, "standby");
	set_note(row, peer);
}

static void
set_self(struct row *row, const json_t *answer)
{
	const json_t *node = field(answer, "node");
	const json_t *leader = field(answer, "leader");
	bool leads = is_leader(node, leader);

	strcpy(row->cells[COLUMN_MARK], leads ? "*" : "+");
	set_configured(row, node);
	strcpy(row->cells[COLUMN_ROLE], leads ? "leader" : "self");
	strcpy(row->cells[COLUMN_HEARD], "-");
	strcpy(row->cells[COLUMN_RTT], "-");
	set_followed(row, answer, field(leader, "id"));
	if (flag(node, "abstains"))
		add_note(row, "resigned");
	if (is_on_standby(node))
		add_note(row, "standby");
	set_note(row, node);
}

/* Prints a row up to its last cell with text, without columns of width 0. */
static void
print_row(const struct row *row, const int widths[COLUMNS])
{
	int last = COLUMNS - 1;

	while (last > 0 && (row->cells[last][0] == '\0' || widths[last] == 0))
		last--;
	for (int i = 0; i < last; i++) {
		if (widths[i] > 0)
			printf("%-*s  ", widths[i], row->cells[i]);
	}
	printf("%s\n", row->cells[last]);
}

static void
widen(int widths[COLUMNS], const struct row *row)
{
	for (int i = 0; i < COLUMNS; i++) {
		int width = (int)strlen(row->cells[i]);

		if (width > widths[i])
			widths[i] = width;
	}
}

/* True if a cell of the column holds something else than `word` or "-". */
static bool
tells_more(const struct table *table, enum column column, const char *word)
{
	for (size_t i = 0; i < table->count; i++) {
		const char *cell = table->rows[i].cells[column];

		if (strcmp(cell, word) != 0 && strcmp(cell, "-") != 0)
			return true;
	}
	return false;
}

/*
 * Prints the table. It leaves out the priorities if all are the same, and the
 * leader that each node follows if all follow `leader`.
 */
static void
print_table(const struct table *table, const char *leader)
{
	int widths[COLUMNS] = { 0 };

	widen(widths, &head);
	for (size_t i = 0; i < table->count; i++)
		widen(widths, &table->rows[i]);
	if (table->count > 0 && !tells_more(table, COLUMN_PRIORITY,
				    table->rows[0].cells[COLUMN_PRIORITY]))
		widths[COLUMN_PRIORITY] = 0;
	if (!tells_more(table, COLUMN_FOLLOWS, leader))
		widths[COLUMN_FOLLOWS] = 0;
	print_row(&head, widths);
	for (size_t i = 0; i < table->count; i++)
		print_row(&table->rows[i], widths);
}

/* True if it is no neighbour, and there is nothing else to say about it. */
static bool
is_folded(const json_t *peer, const json_t *leader)
{
	return is_apart(peer) && !is_leader(peer, leader) &&
	       !flag(peer, "duplicate") && !flag(peer, "differs") &&
	       !flag(peer, "other_version") && !flag(peer, "other_key");
}

static void
print_folded(size_t count)
{
	if (count == 1)
		puts("1 other node is not a neighbour");
	else if (count > 1)
		printf("%zu other nodes are not neighbours\n", count);
}

/*
 * Prints the peers in the order of the answer. An overview begins with this
 * node, and only counts the nodes that are not neighbours.
 */
static void
print_nodes(const json_t *answer, bool is_overview)
{
	const json_t *peers = field(answer, "peers");
	const json_t *leader = field(answer, "leader");
	size_t count = json_array_size(peers), folded = 0;
	char name[PLAIN_TEXT_MAX];
	struct table table = {
		.rows = calloc(count + 1, sizeof(struct row)),
	};

	if (table.rows == NULL) {
		complain("no memory for a table of %zu nodes", count);
		return;
	}
	if (is_overview)
		set_self(&table.rows[table.count++], answer);
	for (size_t i = 0; i < count; i++) {
		const json_t *peer = json_array_get(peers, i);

		if (is_overview && is_folded(peer, leader))
			folded++;
		else
			set_peer(&table.rows[table.count++], answer, peer);
	}
	print_table(&table, plain_text(field(leader, "name"), name));
	print_folded(folded);
	free(table.rows);
}

void
print_peers(json_t *answer)
{
	add_names(answer);
	print_nodes(answer, false);
}

/* Adds one value with the words around it. */
static void
piece(struct line *line, const char *before, const json_t *object,
    const char *key, const char *after)
{
	char text[PLAIN_TEXT_MAX];

	line_add(line, "%s%s%s", before, plain_text(field(object, key), text),
	    after);
}

static void
piece_duration(struct line *line, const char *before, const json_t *ms)
{
	char text[ELAPSED_TEXT_MAX];

	line_add(
	    line, "%s%s", before, elapsed_text(json_number_value(ms), text));
}

static void
print_verdict_line(const json_t *answer)
{
	struct line line = { .size = 0 };

	line_add_verdict(&line, answer);
	line_print(&line);
}

/* True if this host's file is not the one in effect. */
static bool
has_older_file(const json_t *answer)
{
	return json_integer_value(field(answer, "file_generation")) <
	       json_integer_value(field(answer, "generation"));
}

/* True if this host's file is not yet in effect. */
static bool
has_newer_file(const json_t *answer)
{
	return json_integer_value(field(answer, "file_generation")) >
	       json_integer_value(field(answer, "generation"));
}

static void
print_cluster_line(const json_t *answer)
{
	struct line line = { .size = 0 };

	piece(&line, "cluster  ", answer, "cluster", "");
	piece(&line, "   algorithm ", answer, "algorithm", "");
	piece(&line, " (", answer, "topology", ")");
	piece(&line, "   guarantee ", answer, "guarantee", "");
	piece(&line, "   term ", answer, "term", "");
	if (json_integer_value(field(answer, "generation")) > 0)
		piece(&line, "   generation ", answer, "generation", "");
	if (has_older_file(answer))
		piece(&line, " (older file: ", answer, "file_generation", ")");
	else if (has_newer_file(answer))
		piece(&line, " (newer file: ", answer, "file_generation", ")");
	line_print(&line);
}

/* What proposed settings wait for, by the word for it. */
static const struct {
	const char *word;
	const char *text;
} waits[] = {
	{ "leader", "there is no leader to put it into effect" },
	{ "step", "the leader is to put it into effect" },
	{ "majority",
	    "waits until this node has led for a lease and a majority has the settings in effect" },
	{ "voters",
	    "waits until the leader hears a majority of the voters to be, without a new one" },
	{ "successor",
	    "waits for another leader, as this node may not lead by it" },
};

static void
print_proposed_line(const json_t *answer)
{
	const json_t *proposed = field(answer, "proposed");
	struct line line = { .size = 0 };

	if (!json_is_object(proposed))
		return;
	piece(&line, "proposed generation ", proposed, "generation", "");
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		if (is_word(proposed, "waits_for", waits[i].word))
			line_add(&line, "; %s", waits[i].text);
	}
	line_print(&line);
}

static void
print_leader_line(const json_t *answer)
{
	const json_t *leader = field(answer, "leader");
	struct line line = { .size = 0 };
	char reason[PLAIN_TEXT_MAX];

	if (json_is_object(leader)) {
		piece(&line, "leader   ", leader, "name", "");
		piece(&line, " (", leader, "id", ")");
	} else {
		piece(&line, "leader   none, ", answer, "state", "");
	}
	piece_duration(&line, " for ", field(answer, "since_ms"));
	line_add(&line, ", reason %s", reason_of_answer(answer, reason));
	if (json_is_number(field(answer, "lease_ms")))
		piece_duration(&line, ", lease ", field(answer, "lease_ms"));
	if (json_is_integer(field(answer, "agree")))
		piece(&line, ", agreed by ", answer, "agree", "");
	line_print(&line);
}

/* True if this node is a candidate, but may not lead at present. */
static bool
may_not_lead(const json_t *self)
{
	const char *why = json_string_value(field(self, "ineligible"));

	return why != NULL && strcmp(why, "role") != 0;
}

static void
print_self_line(const json_t *answer, const json_t *self)
{
	struct line line = { .size = 0 };

	piece(&line, "self     ", self, "name", "");
	piece(&line, " (", self, "id", ")");
	piece(&line, " ", answer, "state", "");
	piece(&line, ", ", self, "configured_role", "");
	if (may_not_lead(self))
		piece(&line, ", not eligible (", self, "ineligible", ")");
	piece(&line, ", priority ", self, "priority", "");
	piece_duration(&line, ", up ", field(answer, "uptime_ms"));
	line_print(&line);
}

/* Prints since when a node is on standby, until when, and why. */
static void
print_standby_line(const json_t *node)
{
	const json_t *standby = field(node, "standby");
	struct line line = { .size = 0 };

	piece(&line, "standby  ", node, "name", "");
	piece_duration(&line, " for ", field(standby, "since_ms"));
	if (json_is_number(field(standby, "left_ms")))
		piece_duration(&line, ", ends in ", field(standby, "left_ms"));
	if (json_is_string(field(standby, "reason")))
		piece(&line, ": ", standby, "reason", "");
	line_print(&line);
}

/* Prints how the services of this host are, unless its standby says that. */
static void
print_health_line(const json_t *self)
{
	const json_t *checks = field(self, "checks");
	const char *fault = json_string_value(field(checks, "fault"));
	json_int_t count = json_integer_value(field(checks, "count"));
	struct line line = { .size = 0 };

	if (!json_is_object(checks) ||
	    (fault != NULL && is_word(field(self, "standby"), "reason", fault)))
		return;
	piece(
	    &line, "health   ", checks, fault != NULL ? "fault" : "count", "");
	if (fault == NULL)
		line_add(&line, " check%s, all pass", plural(count));
	line_print(&line);
}

/* Prints such a line for this node and for each peer, as far as they are not
 * many. */
static void
print_standbys(const json_t *answer)
{
	const json_t *peers = field(answer, "peers"), *self;
	size_t count = 0;

	self = field(answer, "node");
	if (is_on_standby(self))
		print_standby_line(self);
	for (size_t i = 0; i < json_array_size(peers); i++) {
		const json_t *peer = json_array_get(peers, i);

		if (is_on_standby(peer) && count++ < STANDBYS_SHOWN)
			print_standby_line(peer);
	}
	if (count > STANDBYS_SHOWN)
		printf("standby  and %zu more\n", count - STANDBYS_SHOWN);
}

/* Prints what is unusual about this node. */
static void
print_remarks(const json_t *self)
{
	char text[PLAIN_TEXT_MAX];

	if (flag(self, "stopping"))
		puts(
		    "stopping leads until its last deadline has passed and another node leads");
	if (flag(self, "abstains"))
		puts(
		    "resigned abstains until `electctl rejoin`, or until no other node can lead");
	if (!flag(self, "unsteady"))
		return;
	set_duration(text, field(self, "unsteady_ms"));
	printf(
	    "unsteady cut off or restarted too often lately: does not take over for %s\n",
	    text);
}

/* Which way what is for several nodes goes. */
static void
print_multicast_line(const json_t *answer)
{
	const json_t *m = field(answer, "multicast");
	json_int_t peers = json_integer_value(field(m, "peers"));
	json_int_t reached = json_integer_value(field(m, "reached"));
	char group[PLAIN_TEXT_MAX];

	if (peers == 0)
		return;
	printf("multicast %s reaches %" JSON_INTEGER_FORMAT
	       " of %" JSON_INTEGER_FORMAT " node%s%s\n",
	    plain_text(field(m, "group"), group), reached, peers, plural(peers),
	    reached < peers ? "; unicast to the rest" : "");
}

/* Where a node that hears no other asks for others. */
static void
print_discovery_line(const json_t *answer)
{
	const json_t *discovery = field(answer, "discovery");
	const json_t *asks = field(discovery, "asks");
	size_t count = json_array_size(asks);
	char text[PLAIN_TEXT_MAX];

	if (!json_is_object(discovery) ||
	    json_integer_value(field(answer, "peers_up")) > 0)
		return;
	printf("discovery hears no other node; asks %s",
	    count == 0 ? "nobody" : "");
	for (size_t i = 0; i < count; i++)
		printf("%s%s", i == 0 ? "" : ", ",
		    plain_text(json_array_get(asks, i), text));
	putchar('\n');
}

/* Where a roll-out is not complete; this node's own file is in the verdict. */
static void
print_files_line(const json_t *answer)
{
	const json_t *peers = field(answer, "peers");
	struct line line = { .size = 0 };
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(peers); i++) {
		const json_t *peer = json_array_get(peers, i);

		if (flag(peer, "older_file") && count++ < NAMES_SHOWN)
			piece(&line, count == 1 ? "files    older on " : ", ",
			    peer, "name", "");
	}
	if (count == 0)
		return;
	if (count > NAMES_SHOWN)
		line_add(&line, " and %zu more", count - NAMES_SHOWN);
	piece(&line, ": install the one of generation ", answer, "generation",
	    " there");
	line_print(&line);
}

void
print_status(json_t *answer)
{
	const json_t *self = field(answer, "node");

	add_names(answer);
	print_verdict_line(answer);
	print_cluster_line(answer);
	print_proposed_line(answer);
	print_files_line(answer);
	print_leader_line(answer);
	print_quorum_line(answer);
	print_self_line(answer, self);
	print_state_line(answer);
	print_tree_line(answer);
	print_multicast_line(answer);
	print_discovery_line(answer);
	print_remarks(self);
	print_health_line(self);
	print_standbys(answer);
	print_nodes(answer, true);
}

/* One node as `members` shows it: the mark is its id. */
static void
set_member(struct row *row, const json_t *member)
{
	plain_text(field(member, "id"), row->cells[COLUMN_MARK]);
	set_configured(row, member);
	plain_text(field(member, "configured_role"), row->cells[COLUMN_ROLE]);
}

void
print_members(json_t *answer)
{
	const json_t *members = field(answer, "members");
	size_t count = json_array_size(members);
	int widths[COLUMNS] = { 0 };
	struct line line = { .size = 0 };
	struct row *rows = calloc(count + 1, sizeof(struct row));

	if (rows == NULL) {
		complain("no memory for a table of %zu nodes", count);
		return;
	}
	piece(&line, "generation ", answer, "generation", "");
	if (has_older_file(answer))
		piece(&line, " (older file: ", answer, "file_generation", ")");
	line_print(&line);
	strcpy(rows[0].cells[COLUMN_MARK], "ID");
	for (int i = COLUMN_NODE; i <= COLUMN_PRIORITY; i++)
		strcpy(rows[0].cells[i], head.cells[i]);
	for (size_t i = 0; i < count; i++)
		set_member(&rows[i + 1], json_array_get(members, i));
	for (size_t i = 0; i <= count; i++)
		widen(widths, &rows[i]);
	for (size_t i = 0; i <= count; i++)
		print_row(&rows[i], widths);
	free(rows);
}
