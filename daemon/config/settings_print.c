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

/* The entries of a list of texts or checks. */
static size_t
count_of(const struct printer *p, const struct config_row *row)
{
	const char *at = (const char *)p->settings + row->count_at;
	size_t count;

	memcpy(&count, at, sizeof(count));
	return count;
}

/* True if the file lists the nodes. */
static bool
has_nodes(const struct printer *p)
{
	const struct config *c = &p->config;

	return !c->neighbours_only && c->nodes_count > 0 &&
	       (!p->is_file || !c->discovers ||
		   c->guarantee == GUARANTEE_QUORUM);
}

/* The struct that has the row's value. */
static const void *
base_of(const struct printer *p, const struct config_row *row)
{
	bool is_shared =
	    row >= config_rows && row < config_rows + config_rows_count;

	return is_shared ? (const void *)&p->config : p->settings;
}

static bool
is_due(const struct printer *p, const struct config_row *row)
{
	const struct config *c = &p->config;

	switch ((int)row->kind) {
	case CONFIG_NODES:
		return has_nodes(p);
	case CONFIG_NEIGHBOURS:
		return c->neighbours_only;
	case CONFIG_ORDER:
		return c->order_count > 0 && !c->discovers;
	case CONFIG_LINKS:
		return c->links_count > 0 && !c->neighbours_only &&
		       !c->discovers;
	case CONFIG_TEXTS:
	case CONFIG_CHECKS:
		return count_of(p, row) > 0;
	default:
		return has_value(row, base_of(p, row));
	}
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

static void
print_nodes(const struct printer *p, const struct config_row *row)
{
	const struct config *c = &p->config;
	const char *before = "\n";

	fputs("nodes = (", p->to);
	for (size_t i = 0; i < c->nodes_count; i++) {
		if (!p->is_file || !c->nodes[i].is_discovered)
			before = print_entry(p->to, before, row, &c->nodes[i]);
	}
	fputs("\n);\n", p->to);
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

	fputs("neighbours = (", p->to);
	before = print_side(
	    p, row, SIDE_RIGHT, ring->right, ring->right_count, before);
	before =
	    print_side(p, row, SIDE_LEFT, ring->left, ring->left_count, before);
	for (size_t i = 0; i < c->nodes_count; i++) {
		node_id id = c->nodes[i].id;

		if (c->topology != TOPOLOGY_RING && id != p->settings->id)
			before = print_side(p, row, SIDE_NONE, &id, 1, before);
	}
	fputs("\n);\n", p->to);
}

static void
print_order(const struct printer *p)
{
	const struct config *c = &p->config;

	for (size_t i = 0; i < c->order_count; i++)
		fprintf(
		    p->to, "%s%u", i == 0 ? "  order = [" : ", ", c->order[i]);
	fputs("];\n", p->to);
}

static void
print_links(const struct printer *p)
{
	const struct config *c = &p->config;

	for (size_t i = 0; i < c->links_count; i++)
		fprintf(p->to, "%s    [%u, %u]",
		    i == 0 ? "  links = (\n" : ",\n", c->links[i].a,
		    c->links[i].b);
	fputs("\n  );\n", p->to);
}

static void
print_texts(const struct printer *p, const struct config_row *row)
{
	const char *at = (const char *)p->settings + row->at;
	char text[VALUE_MAX_BYTES];

	for (size_t i = 0; i < count_of(p, row); i++)
		fprintf(p->to, "%s%s", i == 0 ? "(" : ", ",
		    string_text(at + i * row->size, text));
	fputs(");\n", p->to);
}

static void
print_checks(const struct printer *p, const struct config_row *row)
{
	const char *before = "checks = (\n";

	for (size_t i = 0; i < p->settings->checks_count; i++)
		before =
		    print_entry(p->to, before, row, &p->settings->checks[i]);
	fputs("\n);\n", p->to);
}

/* Prints a setting, which is due, by its name in its group. */
static void
print_row(const struct printer *p, const struct config_row *row,
    const char *name, const char *indent)
{
	char text[VALUE_MAX_BYTES];

	switch ((int)row->kind) {
	case CONFIG_NODES:
		print_nodes(p, row);
		break;
	case CONFIG_NEIGHBOURS:
		print_neighbours(p, row);
		break;
	case CONFIG_ORDER:
		print_order(p);
		break;
	case CONFIG_LINKS:
		print_links(p);
		break;
	case CONFIG_CHECKS:
		print_checks(p, row);
		break;
	case CONFIG_TEXTS:
		fprintf(p->to, "%s%s = ", indent, name);
		print_texts(p, row);
		break;
	default:
		fprintf(p->to, "%s%s = %s;\n", indent, name,
		    value_text(row, base_of(p, row), text));
	}
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
		if (row->kind == CONFIG_NODES &&
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

	if (p.config.discovers)
		p.config.generation = p.config.base_generation;
	print_rows(&p, 0, config_rows_count);
}

void
settings_print(const struct settings *settings, FILE *to)
{
	struct printer p = { settings, settings->shared, to, false };

	print_rows(&p, 0, SIZE_MAX);
}
