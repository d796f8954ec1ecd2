/* SPDX-License-Identifier: ISC */
/* Prints the settings as a configuration file with every default. */
#include <inttypes.h>
#include <string.h>

#include "daemon/config/settings.h"
#include "daemon/config/settings_rows.h"
#include "daemon/config/settings_value.h"

/* What is printed, and where to. */
struct printer {
	const struct settings *settings;
	struct config config; /* what all hosts share of it; arrays borrowed */
	FILE *to;
	bool is_file; /* as a file says it: without nodes that were met */
};

/* Prints a comment: how many voters a leader needs, and how many may fail. The
 * last of an even number of voters helps nothing. */
static void
print_majority(FILE *to, const struct config *c)
{
	size_t voters = 0, quorum;

	for (size_t i = 0; i < c->nodes_count; i++)
		voters += c->nodes[i].role != ROLE_OBSERVER;
	quorum = voters / 2 + 1;
	fprintf(to, "# a leader needs %zu of %zu voter%s: %zu may fail", quorum,
	    voters, voters == 1 ? "" : "s", voters - quorum);
	if (voters % 2 == 0)
		fprintf(to, ", as with %zu", voters - 1);
	fputs("\n", to);
}

/* True if a value that is no list has a place in a file. */
static bool
has_value(const struct config_row *row, const void *of)
{
	if (row->kind == CONFIG_ALGORITHM)
		return true;
	if (config_bytes(row) == 0)
		return row->is_optional || ((const char *)of)[row->at] != '\0';
	return config_in_range(row, config_value(row, of)) &&
	       !(row->is_optional && config_value(row, of) == 0);
}

/* The struct that has the row's value. */
static const void *
base_of(const struct printer *p, const struct config_row *row)
{
	bool is_shared =
	    row >= config_rows && row < config_rows + config_rows_count;

	return is_shared ? (const void *)&p->config : p->settings;
}

/* True if a list has a place in a file. Discovery finds nodes and links. */
static bool
has_list(const struct printer *p, const struct config_row *row)
{
	const struct config *c = &p->config;
	const void *of = base_of(p, row);
	bool is_found = c->discovers &&
			(row->kind != CONFIG_SECTIONS ||
			    (p->is_file && c->guarantee != GUARANTEE_QUORUM));

	if (row->count_at == 0)
		return c->neighbours_only;
	if (of == &p->config && (c->neighbours_only || is_found))
		return false;
	return config_count(row, of) > 0;
}

static bool
is_due(const struct printer *p, const struct config_row *row)
{
	return row->rows != NULL ? has_list(p, row)
				 : has_value(row, base_of(p, row));
}

static void
print_command(FILE *to, const struct settings_check *check)
{
	const char *word = check->command;
	char text[VALUE_MAX_BYTES];

	for (size_t i = 0; i < check->words_count; i++) {
		fprintf(to, "%s%s", i == 0 ? "command = [" : ", ",
		    string_text(word, text));
		word += strlen(word) + 1;
	}
	if (check->words_count > 0)
		fputs("]; ", to);
}

/* Prints an entry of a list in one line, after what comes before it. Returns
 * what comes before the next. */
static const char *
print_entry(FILE *to, const char *before, const struct config_row *row,
    const void *entry)
{
	char text[VALUE_MAX_BYTES];

	fprintf(to, "%s  { ", before);
	for (const struct config_row *r = row->rows; r->name != NULL; r++) {
		if (r->kind == CONFIG_COMMAND)
			print_command(to, entry);
		else if (!r->is_hidden && has_value(r, entry))
			fprintf(to, "%s = %s; ", r->name,
			    value_text(r, entry, text));
	}
	fputs("}", to);
	return ",\n";
}

/* Prints the neighbours on one side. */
static const char *
print_side(const struct printer *p, const struct config_row *row,
    enum side side, const node_id *ids, size_t count, const char *before)
{
	for (size_t i = 0; i < count; i++) {
		struct neighbour n = { .id = ids[i], .side = side };

		memcpy(n.address, config_find(&p->config, ids[i])->address,
		    sizeof(n.address));
		before = print_entry(p->to, before, row, &n);
	}
	return before;
}

static void
print_neighbours(const struct printer *p, const struct config_row *row)
{
	const struct settings_sides *ring = &p->settings->ring;
	const struct config *c = &p->config;
	const char *before = "\n";

	before = print_side(
	    p, row, SIDE_RIGHT, ring->right, ring->right_count, before);
	before =
	    print_side(p, row, SIDE_LEFT, ring->left, ring->left_count, before);
	for (size_t i = 0; i < c->nodes_count; i++) {
		node_id id = c->nodes[i].id;

		if (c->topology != TOPOLOGY_RING && id != p->settings->id)
			before = print_side(p, row, SIDE_NONE, &id, 1, before);
	}
}

/* True if an entry is a node that no file lists, for a file. */
static bool
is_met(const struct printer *p, const struct config_row *row, size_t i)
{
	return p->is_file && row->rows == config_node_rows &&
	       p->config.nodes[i].is_discovered;
}

static void
print_list(const struct printer *p, const struct config_row *row)
{
	const void *of = base_of(p, row);
	const char *before = "\n";
	size_t count = config_count(row, of);

	for (size_t i = 0; i < count; i++) {
		const void *entry = config_entry(row, of, i);
		const struct config_link *link = entry;
		char text[VALUE_MAX_BYTES];

		if (row->kind == CONFIG_VALUES) {
			fprintf(p->to, "%s%s", i == 0 ? "" : ", ",
			    value_text(row->rows, entry, text));
		} else if (row->kind == CONFIG_PAIRS) {
			fprintf(
			    p->to, "%s    [%u, %u]", before, link->a, link->b);
			before = ",\n";
		} else if (!is_met(p, row, i)) {
			before = print_entry(p->to, before, row, entry);
		}
	}
}

/* Prints a setting, which is due, by its name in its group. */
static void
print_row(const struct printer *p, const struct config_row *row,
    const char *name, const char *indent)
{
	bool is_array = row->rows != NULL && row->rows->kind == CONFIG_NUMBER &&
			row->kind == CONFIG_VALUES;
	char text[VALUE_MAX_BYTES];

	fprintf(p->to, "%s%s = ", indent, name);
	if (row->rows == NULL) {
		fprintf(p->to, "%s;\n", value_text(row, base_of(p, row), text));
		return;
	}
	fputc(is_array ? '[' : '(', p->to);
	if (row->count_at == 0)
		print_neighbours(p, row);
	else
		print_list(p, row);
	if (row->kind != CONFIG_VALUES)
		fprintf(p->to, "\n%s", indent);
	fputs(is_array ? "];\n" : ");\n", p->to);
}

/* Prints the settings of a group, unless it lacks one that must be there. */
static void
print_group(const struct printer *p, const struct config_row *owner)
{
	const struct algorithm *algorithm = p->config.algorithm;
	const struct section section = { owner, algorithm };
	bool is_own = strcmp(owner->name, "*") == 0, is_open = false;
	const struct config_row *row;

	for (size_t i = 0; (row = section_row(&section, i)) != NULL; i++) {
		const char *member = section_name(&section, row);

		if (member == NULL)
			continue;
		if (!is_due(p, row) && row->required != NULL)
			return;
		if (!is_due(p, row))
			continue;
		if (!is_open)
			fprintf(p->to, "%s = {\n",
			    is_own ? algorithm->name : owner->name);
		is_open = true;
		print_row(p, row, member, "  ");
	}
	if (is_open)
		fputs("};\n", p->to);
}

/* Prints `count` rows from row `first` on. */
static void
print_rows(const struct printer *p, size_t first, size_t count)
{
	const struct section root = { NULL, p->config.algorithm };

	for (size_t i = first; i < first + count; i++) {
		const struct config_row *row = settings_row(i);

		if (row == NULL)
			break;
		if (row->rows == config_node_rows &&
		    p->config.guarantee == GUARANTEE_QUORUM)
			print_majority(p->to, &p->config);
		if (row->kind == CONFIG_GROUP)
			print_group(p, row);
		else if (section_name(&root, row) != NULL && is_due(p, row))
			print_row(p, row, row->name, "");
	}
}

void
settings_print_file(const struct settings *settings, FILE *to)
{
	struct printer p = { settings, settings->shared, to, true };

	print_rows(&p, 0, config_rows_count);
}

void
settings_print(const struct settings *settings, FILE *to)
{
	struct printer p = { settings, settings->shared, to, false };

	print_rows(&p, 0, SIZE_MAX);
}
