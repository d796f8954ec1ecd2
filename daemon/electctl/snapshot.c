/* SPDX-License-Identifier: ISC */
/* `snapshot`: the state of the whole cluster at one time. */
#include "daemon/electctl/electctl.h"

#include <stdlib.h>

#include "daemon/history/history.h"

#define CELL_MAX 40 /* bytes of a name in the table; longer ones are cut */

enum column {
	COLUMN_ID,
	COLUMN_NODE,
	COLUMN_STATE,
	COLUMN_TERM,
	COLUMN_LEADER,
	COLUMN_EVENTS,
	COLUMNS,
};

struct row {
	char cells[COLUMNS][CELL_MAX];
};

/* The answer's node with this id; NULL: there is none. */
static const json_t *
node_find(const json_t *answer, const json_t *id)
{
	const json_t *node;
	size_t i;

	json_array_foreach(field(answer, "nodes"), i, node)
	{
		if (json_equal(field(node, "id"), id))
			return node;
	}
	return NULL;
}

/* The name of the node with this id, or the id; "-" for null. */
static const char *
name_of(const json_t *answer, const json_t *id, char text[PLAIN_TEXT_MAX])
{
	const json_t *node = node_find(answer, id);
	const json_t *name = field(node, "name");

	return plain_text(json_is_string(name) ? name : id, text);
}

static void
set_cell(struct row *row, enum column column, const char *text)
{
	snprintf(row->cells[column], CELL_MAX, "%.*s", CELL_MAX - 1, text);
}

static void
set_row(struct row *row, const json_t *answer, const json_t *node)
{
	char text[PLAIN_TEXT_MAX];

	set_cell(row, COLUMN_ID, plain_text(field(node, "id"), text));
	set_cell(row, COLUMN_NODE, name_of(answer, field(node, "id"), text));
	set_cell(row, COLUMN_STATE, plain_text(field(node, "state"), text));
	set_cell(row, COLUMN_TERM, plain_text(field(node, "term"), text));
	set_cell(
	    row, COLUMN_LEADER, name_of(answer, field(node, "leader"), text));
	set_cell(row, COLUMN_EVENTS, plain_text(field(node, "events"), text));
}

static void
print_rows(const struct row *rows, size_t count)
{
	int widths[COLUMNS] = { 0 };

	for (size_t i = 0; i < count; i++) {
		for (int j = 0; j < COLUMNS; j++) {
			int width = (int)strlen(rows[i].cells[j]);

			if (width > widths[j])
				widths[j] = width;
		}
	}
	for (size_t i = 0; i < count; i++) {
		for (int j = 0; j + 1 < COLUMNS; j++)
			printf("%-*s  ", widths[j], rows[i].cells[j]);
		puts(rows[i].cells[COLUMNS - 1]);
	}
}

static void
print_table(const json_t *answer)
{
	static const struct row head = { .cells = { "ID", "NODE", "STATE",
					     "TERM", "LEADER", "EVENTS" } };
	const json_t *nodes = field(answer, "nodes");
	size_t count = json_array_size(nodes);
	struct row *rows = calloc(count + 1, sizeof(*rows));

	if (rows == NULL) {
		complain("no memory for a table of %zu nodes", count);
		return;
	}
	rows[0] = head;
	for (size_t i = 0; i < count; i++)
		set_row(&rows[i + 1], answer, json_array_get(nodes, i));
	print_rows(rows, count + 1);
	free(rows);
}

/* Prints each message that was in transit. */
static void
print_transit(const json_t *answer)
{
	const json_t *channel, *message;
	size_t i, j, count = 0;

	json_array_foreach(field(answer, "channels"), i, channel)
	{
		json_array_foreach(field(channel, "messages"), j, message)
		{
			char kind[PLAIN_TEXT_MAX], from[PLAIN_TEXT_MAX];
			char to[PLAIN_TEXT_MAX], term[PLAIN_TEXT_MAX];

			printf("in transit: %s from %s to %s in term %s\n",
			    plain_text(field(message, "message"), kind),
			    name_of(answer, field(channel, "from"), from),
			    name_of(answer, field(channel, "to"), to),
			    plain_text(field(message, "term"), term));
			count++;
		}
	}
	if (count == 0)
		puts("in transit: nothing");
}

void
print_snapshot(json_t *answer)
{
	char text[PLAIN_TEXT_MAX];
	const json_t *leader = field(answer, "leader");
	struct line line = { .size = 0 };

	line_add(&line, "%s",
	    json_is_true(field(answer, "consistent")) ? "consistent"
						      : "INCONSISTENT");
	line_add(&line, ", %zu nodes", json_array_size(field(answer, "nodes")));
	line_add(
	    &line, ", %s markers", plain_text(field(answer, "markers"), text));
	line_add(&line, ", %.1f ms", json_number_value(field(answer, "ms")));
	if (json_is_null(leader))
		line_add(&line, "; they follow no leader, or several");
	else
		line_add(
		    &line, "; all follow %s", name_of(answer, leader, text));
	line_print(&line);
	if (json_is_string(field(answer, "fault")))
		printf("WRONG: %s\n", plain_text(field(answer, "fault"), text));
	print_table(answer);
	print_transit(answer);
}

enum control_code
judge_snapshot(const json_t *answer)
{
	return json_is_true(field(answer, "sound")) ? CODE_YES : CODE_NO;
}

/* Gets the histories of all nodes and draws them. */
static enum control_code
draw(const struct command *command, const struct options *options,
    struct connection *connection, const json_t *snapshot)
{
	struct histories h = { .nodes = NULL };
	enum control_code code =
	    history_receive_all(command, connection, snapshot, 0, &h);

	if (code == CODE_YES)
		code = history_draw(options, &h, snapshot);
	histories_free(&h);
	return code;
}

enum control_code
run_snapshot(const struct command *command, const struct options *options)
{
	struct connection connection;
	enum control_code code = ask_connect(command, options, &connection);
	enum control_code drawn = CODE_YES;
	json_t *snapshot = NULL;
	char *line = NULL;

	if (code != CODE_YES)
		return code;
	(void)connection_send(&connection, "{\"verb\":\"snapshot\"}");
	code = ask_receive(command, &connection, &snapshot);
	if (code == CODE_YES) {
		line = json_dumps(
		    snapshot, JSON_COMPACT | JSON_REAL_PRECISION(15));
		code =
		    line == NULL ? CODE_UNKNOWN : show(command, options, line);
		if (options->svg != NULL)
			drawn = draw(command, options, &connection, snapshot);
	}
	free(line);
	json_decref(snapshot);
	connection_close(&connection);
	return drawn == CODE_YES ? code : drawn;
}
