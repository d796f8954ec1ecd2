/* SPDX-License-Identifier: ISC */
/* The tables of `status` and `peers`: one row a node, the columns aligned. */
#include "daemon/electctl.h"

#include <stdlib.h>

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

static const json_t *
field(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

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

/* One that this node has nothing to do with: no alarm that it is not up. */
static bool
is_apart(const json_t *peer)
{
	return !flag(peer, "up") && !flag(peer, "neighbour");
}

/* Of one that is apart the neighbours tell whether it leads. */
static bool
is_known_leader(const json_t *peer, const json_t *leader)
{
	return is_leader(peer, leader) && (flag(peer, "up") || is_apart(peer));
}

/* Of a peer; "candidate" is what all are if nothing else is said. */
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

/* Another word, or a few, of what is odd about a node. */
static void
add_note(struct row *row, const char *words)
{
	char *note = row->cells[COLUMN_NOTE];
	size_t size = strlen(note);

	snprintf(note + size, PLAIN_TEXT_MAX - size, "%s%.32s",
	    size > 0 ? " " : "", words);
}

/* Of this node or a peer: they have different ones of these keys. */
static void
set_note(struct row *row, const json_t *node)
{
	char evidence[PLAIN_TEXT_MAX];

	if (flag(node, "aside"))
		add_note(row, "aside");
	if (flag(node, "unsteady"))
		add_note(row, "unsteady");
	if (json_is_string(field(node, "evidence")) && !is_apart(node))
		add_note(row, plain_text(field(node, "evidence"), evidence));
	if (flag(node, "duplicate"))
		add_note(row, "duplicate-id");
	if (flag(node, "differs"))
		add_note(row, "settings-differ");
	if (flag(node, "other_key"))
		add_note(row, "other-key");
	if (flag(node, "unresolved"))
		add_note(row, "unresolved");
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

/*
 * It could lead, and neither its vote nor its id is in doubt, and still it does
 * not stand for election: by an operator's wish.
 */
static bool
is_on_standby(const json_t *answer, const json_t *peer)
{
	const char *role = json_string_value(field(peer, "configured_role"));
	const char *verdict = json_string_value(field(answer, "verdict"));

	return json_is_false(field(peer, "stands")) && role != NULL &&
	       strcmp(role, "candidate") == 0 && !flag(peer, "duplicate") &&
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
	if (is_on_standby(answer, peer))
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
		add_note(row, "standby");
	set_note(row, node);
}

/* Every row ends with its last cell that says something. */
static void
print_row(const struct row *row, const int widths[COLUMNS])
{
	int last = COLUMNS - 1;

	while (last > 0 && row->cells[last][0] == '\0')
		last--;
	for (int i = 0; i < last; i++)
		printf("%-*s  ", widths[i], row->cells[i]);
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

static void
print_table(const struct table *table)
{
	int widths[COLUMNS] = { 0 };

	widen(widths, &head);
	for (size_t i = 0; i < table->count; i++)
		widen(widths, &table->rows[i]);
	print_row(&head, widths);
	for (size_t i = 0; i < table->count; i++)
		print_row(&table->rows[i], widths);
}

/* Apart, and nothing else is to be said of it? */
static bool
is_folded(const json_t *peer, const json_t *leader)
{
	return is_apart(peer) && !is_leader(peer, leader) &&
	       !flag(peer, "duplicate") && !flag(peer, "differs") &&
	       !flag(peer, "other_key");
}

static void
print_folded(size_t count)
{
	if (count == 1)
		puts("1 other node is no neighbour of this one");
	else if (count > 1)
		printf(
		    "%zu other nodes are no neighbours of this one\n", count);
}

/*
 * Peers in the order of the answer. An overview has this node before them, and
 * only counts those that it has nothing to do with.
 */
static void
print_nodes(const json_t *answer, bool is_overview)
{
	const json_t *peers = field(answer, "peers");
	const json_t *leader = field(answer, "leader");
	size_t count = json_array_size(peers), folded = 0;
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
	print_table(&table);
	print_folded(folded);
	free(table.rows);
}

void
print_peers(json_t *answer)
{
	add_names(answer);
	print_nodes(answer, false);
}

/* One value within a line of words. */
static void
piece(const char *before, const json_t *object, const char *key,
    const char *after)
{
	char text[PLAIN_TEXT_MAX];

	printf("%s%s%s", before, plain_text(field(object, key), text), after);
}

static void
piece_duration(const char *before, double ms, const char *after)
{
	char text[ELAPSED_TEXT_MAX];

	printf("%s%s%s", before, elapsed_text(ms, text), after);
}

static void
print_leader_line(const json_t *answer)
{
	const json_t *leader = field(answer, "leader");
	char reason[PLAIN_TEXT_MAX];

	if (json_is_object(leader)) {
		piece("leader   ", leader, "name", "");
		piece(" (", leader, "id", ")");
	} else {
		piece("leader   none, ", answer, "state", "");
	}
	piece_duration(
	    " for ", json_number_value(field(answer, "since_ms")), "");
	printf(", reason %s", reason_text(answer, reason));
	if (json_is_number(field(answer, "lease_ms")))
		piece_duration(", lease ",
		    json_number_value(field(answer, "lease_ms")), "");
	if (json_is_integer(field(answer, "agree")))
		piece(", agreed by ", answer, "agree", "");
	putchar('\n');
}

static void
print_self_line(const json_t *answer, const json_t *self)
{
	double uptime_ms = json_number_value(field(answer, "uptime_ms"));

	piece("self     ", self, "name", "");
	piece(" (", self, "id", ")");
	piece(" ", answer, "state", "");
	piece(", ", self, "configured_role", "");
	piece(", priority ", self, "priority", "");
	piece(", incarnation ", self, "incarnation", "");
	piece_duration(", up ", uptime_ms, "\n");
}

void
print_status(json_t *answer)
{
	const json_t *self = field(answer, "node");

	add_names(answer);
	print_verdict(answer);
	piece("cluster  ", answer, "cluster", "");
	piece("   algorithm ", answer, "algorithm", "");
	piece(" (", answer, "topology", ")");
	piece("   guarantee ", answer, "guarantee", "");
	piece("   term ", answer, "term", "\n");
	print_leader_line(answer);
	print_quorum_line(answer);
	print_self_line(answer, self);
	print_memory_line(answer);
	if (flag(self, "stopping"))
		puts("stopping leads on until the last deadline that it told "
		     "is over, and another leads");
	if (flag(self, "abstains"))
		puts("standby  an operator wants another leader: "
		     "`electctl rejoin` ends it");
	if (flag(self, "unsteady")) {
		char text[PLAIN_TEXT_MAX];

		set_duration(text, field(self, "unsteady_ms"));
		printf("unsteady cut off or restarted too often lately: takes "
		       "over in %s at the earliest\n",
		    text);
	}
	print_nodes(answer, true);
}
