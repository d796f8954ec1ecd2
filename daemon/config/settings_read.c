/* SPDX-License-Identifier: ISC */
/* From text to settings, by libconfig and the rows. */
#include "daemon/config/settings_private.h"

#include <stdlib.h>
#include <string.h>

#include <libconfig.h>

#include "algorithms/registry.h"
#include "daemon/config/settings_suggest.h"

#define TYPE(name) (1u << CONFIG_TYPE_##name)
#define INTEGER    (TYPE(INT) | TYPE(INT64))
#define LIST       (TYPE(ARRAY) | TYPE(LIST))

/* What libconfig must give for each kind of row, and what to call that. */
static const struct {
	unsigned types;
	const char *text;
} wanted[] = {
	[CONFIG_TEXT] = { TYPE(STRING), "a string" },
	[CONFIG_ADDRESS] = { TYPE(STRING),
	    "a string such as \"192.0.2.11:7420\"" },
	[CONFIG_WORD] = { TYPE(STRING), "a string" },
	[CONFIG_PREEMPT] = { TYPE(STRING), "a string" },
	[CONFIG_ALGORITHM] = { TYPE(STRING), "a string" },
	[CONFIG_BYTE] = { TYPE(STRING), "a string" },
	[CONFIG_TRUTH] = { TYPE(BOOL), "true or false" },
	[CONFIG_INT32] = { INTEGER, "an integer" },
	[CONFIG_NUMBER] = { INTEGER, "an integer" },
	[CONFIG_DURATION] = { TYPE(STRING),
	    "a string with a unit, such as \"100ms\"" },
	[CONFIG_GROUP] = { TYPE(GROUP), "a group, { ... }" },
	[CONFIG_SECTIONS] = { TYPE(LIST),
	    "a list of groups, ( { ... }, { ... } )" },
	[CONFIG_PAIRS] = { TYPE(LIST),
	    "a list of pairs of ids, as in ([1, 2], [2, 3])" },
	[CONFIG_VALUES] = { LIST, NULL }, /* see text_wanted() */
	[CONFIG_COMMAND] = { LIST,
	    "a list of words, as in [\"/usr/bin/test\", \"-e\", \"/run/web.pid\"]" },
};

static const char *const type_names[] = {
	[CONFIG_TYPE_GROUP] = "a group",
	[CONFIG_TYPE_INT] = "an integer",
	[CONFIG_TYPE_INT64] = "an integer",
	[CONFIG_TYPE_FLOAT] = "a fraction",
	[CONFIG_TYPE_STRING] = "a string",
	[CONFIG_TYPE_BOOL] = "a truth value",
	[CONFIG_TYPE_ARRAY] = "an array",
	[CONFIG_TYPE_LIST] = "a list",
};

static int
line_of(const config_setting_t *setting)
{
	int line = (int)config_setting_source_line(setting);

	return line > 0 ? line : 1; /* the root has none */
}

/* Marks a setting as wrong. */
static void
mark(struct parse *p, config_setting_t *setting)
{
	config_setting_set_hook(setting, p);
}

/* Finds a setting by its full name, such as "nodes[2].id", or NULL. */
static config_setting_t *
find(const struct parse *p, const char *name)
{
	config_setting_t *at = config_root_setting(p->tree);

	while (at != NULL && *name != '\0') {
		char member[SETTING_MAX_BYTES];
		size_t size = strcspn(name, ".[");

		if (*name == '[') {
			at = config_setting_get_elem(
			    at, (unsigned)strtoul(name + 1, NULL, 10));
			size = strcspn(name, "]") + 1;
		} else {
			snprintf(
			    member, sizeof(member), "%.*s", (int)size, name);
			at = config_setting_get_member(at, member);
		}
		name += size;
		name += *name == '.';
	}
	return at;
}

int
parse_line(const struct parse *p, const char *name)
{
	const config_setting_t *setting = find(p, name);

	return setting != NULL ? line_of(setting) : 0;
}

const char *
member_name(const char *list, size_t i, const char *member,
    char buffer[SETTING_MAX_BYTES])
{
	snprintf(buffer, SETTING_MAX_BYTES, "%s[%zu].%s", list, i, member);
	return buffer;
}

bool
parse_has(const struct parse *p, const char *name)
{
	const config_setting_t *setting = find(p, name);

	return setting != NULL && config_setting_get_hook(setting) == NULL;
}

void
parse_complain(const struct parse *p, const char *name, const char *format, ...)
{
	char at[SETTING_MAX_BYTES];
	va_list arguments;
	int line;

	snprintf(at, sizeof(at), "%s", name);
	while ((line = parse_line(p, at)) == 0) {
		char *end = at + strlen(at);

		while (end > at && *end != '.' && *end != '[')
			end--;
		*end = '\0';
	}
	va_start(arguments, format);
	settings_errors_vadd(p->errors, line, name, format, arguments);
	va_end(arguments);
}

static const char *
text_wanted(const struct config_row *row)
{
	if (row->kind != CONFIG_VALUES)
		return wanted[row->kind].text;
	if (row->rows->kind == CONFIG_NUMBER)
		return "an array of ids, as in [1, 2, 3]";
	return row->rows->kind == CONFIG_ADDRESS
		   ? "a list of addresses, as in (\"192.0.2.11:7420\")"
		   : "a list of users and groups, as in (\"electvip\")";
}

/* True if the setting's type is right for its row; or adds an error. */
static bool
has_type(struct parse *p, config_setting_t *setting,
    const struct config_row *row, const char *name)
{
	unsigned types = wanted[row->kind].types;
	int type = config_setting_type(setting);
	bool is_blot = p->has_blots && type == CONFIG_TYPE_FLOAT &&
		       config_setting_get_float(setting) <= 0;

	if ((types & 1u << type) != 0)
		return true;
	mark(p, setting);
	if (!is_blot) /* else the error is there already */
		settings_errors_add(p->errors, line_of(setting), name,
		    "is %s; must be %s", type_names[type], text_wanted(row));
	return false;
}

/* Reads a value that is no list. */
static void
read_value(struct parse *p, config_setting_t *setting,
    const struct config_row *row, const char *name, void *of)
{
	int64_t number = config_setting_get_int64(setting);
	char fault[VALUE_FAULT_MAX];

	if (!has_type(p, setting, row, name))
		return;
	if (row->kind == CONFIG_TRUTH)
		number = config_setting_get_bool(setting);
	if (value_take(row, of, config_setting_get_string(setting), number,
		fault) == NULL)
		return;
	mark(p, setting);
	settings_errors_add(p->errors, line_of(setting), name, "%s", fault);
}

/* Reads a pair of ids; both stay NODE_NONE if one is wrong. */
static void
read_pair(struct parse *p, config_setting_t *setting,
    const struct config_row *rows, const char *name, struct config_link *link)
{
	unsigned type = 1u << config_setting_type(setting);

	if ((type & LIST) == 0 || config_setting_length(setting) != 2) {
		settings_errors_add(p->errors, line_of(setting), name,
		    "is not a pair of ids; write it as in [1, 2]");
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		read_value(p, config_setting_get_elem(setting, i), &rows[i],
		    name, link);
	if (link->a == NODE_NONE || link->b == NODE_NONE)
		*link = (struct config_link){ NODE_NONE, NODE_NONE };
}

static void read_section(struct parse *p, config_setting_t *setting,
    const struct section *section, const char *name, void *of);

/* Reads one entry of a list into its place. */
static void
read_entry(struct parse *p, config_setting_t *setting,
    const struct config_row *row, const char *name, void *at)
{
	static const struct config_row group = { .kind = CONFIG_GROUP };

	if (row->kind == CONFIG_VALUES)
		read_value(p, setting, row->rows, name, at);
	else if (row->kind == CONFIG_PAIRS)
		read_pair(p, setting, row->rows, name, at);
	else if (has_type(p, setting, &group, name))
		read_section(
		    p, setting, &(struct section){ row, NULL }, name, at);
}

static void
read_list(struct parse *p, config_setting_t *setting,
    const struct config_row *row, const char *name)
{
	size_t count = (size_t)config_setting_length(setting);
	bool is_neighbours = row->count_at == 0;

	for (size_t i = 0; i < count; i++) {
		char entry[SETTING_MAX_BYTES];

		snprintf(entry, sizeof(entry), "%.64s[%zu]", name, i);
		read_entry(p, config_setting_get_elem(setting, (unsigned)i),
		    row, entry,
		    is_neighbours ? &p->neighbours[i]
				  : config_entry(row, p->settings, i));
	}
	if (is_neighbours)
		p->neighbours_count = count;
	else
		config_set_count(row, p->settings, count);
}

/* Reads the words of a command, one after the other. */
static void
read_command(struct parse *p, config_setting_t *setting, const char *name,
    struct settings_check *check)
{
	static const struct config_row row = {
		.kind = CONFIG_TEXT,
		.size = CHECK_COMMAND_MAX,
	};
	size_t count = (size_t)config_setting_length(setting), used = 0;

	for (size_t i = 0; i < count; i++) {
		config_setting_t *entry =
		    config_setting_get_elem(setting, (unsigned)i);
		const char *word = config_setting_get_string(entry);
		char full[SETTING_MAX_BYTES], value[QUOTED_MAX];
		const char *fault;
		size_t size;

		snprintf(full, sizeof(full), "%.64s[%zu]", name, i);
		if (!has_type(p, entry, &row, full))
			continue;
		fault = command_word_fault(word, i == 0);
		if (fault != NULL)
			settings_errors_add(p->errors, line_of(entry), full,
			    "%s %s", quoted(word, value), fault);
		size = strlen(word) + 1;
		if (used + size <= sizeof(check->command))
			memcpy(check->command + used, word, size);
		used += size;
	}
	check->words_count = count;
	if (count == 0)
		parse_complain(p, name,
		    "is empty; give the program and its arguments, as in [\"/usr/bin/test\", \"-e\", \"/run/web.pid\"]");
	if (used > sizeof(check->command))
		parse_complain(p, name,
		    "is too long; its words have at most %d bytes, with a byte between two; put it into a script",
		    CHECK_COMMAND_MAX - 1);
}

static void
read_row(struct parse *p, config_setting_t *setting,
    const struct config_row *row, const char *name, void *of)
{
	size_t count = (size_t)config_setting_length(setting);

	if (!has_type(p, setting, row, name))
		return;
	if (row->most > 0 && count > row->most) {
		mark(p, setting);
		parse_complain(p, name,
		    "has %zu entries; at most %zu are allowed", count,
		    row->most);
	} else if (row->kind == CONFIG_GROUP) {
		read_section(
		    p, setting, &(struct section){ row, NULL }, name, of);
	} else if (row->kind == CONFIG_COMMAND) {
		read_command(p, setting, name, of);
	} else if (config_setting_is_aggregate(setting)) {
		read_list(p, setting, row, name);
	} else {
		read_value(p, setting, row, name, of);
	}
}

static void
refuse_unknown(struct parse *p, const config_setting_t *setting,
    const struct section *section, const char *name)
{
	const struct algorithm *a = section->algorithm;
	char suggestion[SUGGESTION_MAX];

	if (a != NULL && (a->choices & ~(unsigned)CHOICE_DIAMETER) == 0)
		settings_errors_add(p->errors, line_of(setting), name,
		    "unknown setting; \"%s\" has no options%s", a->name,
		    a->choices != 0 ? " but topology.diameter" : "");
	else
		settings_errors_add(p->errors, line_of(setting), name,
		    "unknown setting; %s",
		    section_suggest(
			section, config_setting_name(setting), suggestion));
}

/* Sets the defaults of what a section lacks (NULL: the whole of it is not
 * given), and adds an error for each row that must be there. */
static void
complete_section(struct parse *p, const config_setting_t *setting,
    const struct section *section, const char *prefix, void *of)
{
	const struct config_row *row;

	for (size_t i = 0; (row = section_row(section, i)) != NULL; i++) {
		const char *member = section_name(section, row);
		char name[SETTING_MAX_BYTES];

		if (member == NULL ||
		    (setting != NULL &&
			config_setting_get_member(setting, member) != NULL))
			continue;
		snprintf(name, sizeof(name), "%s%s", prefix, member);
		if (row->kind == CONFIG_GROUP)
			complete_section(
			    p, NULL, &(struct section){ row, NULL }, "", of);
		else if (row->required != NULL && setting != NULL)
			settings_errors_add(p->errors, line_of(setting), name,
			    "is missing; %s", row->required);
		else if (row->initial != NULL)
			value_take_default(row, of);
	}
}

/* Reads a section by its name into the struct `of`. */
static void
read_section(struct parse *p, config_setting_t *setting,
    const struct section *section, const char *name, void *of)
{
	int count = config_setting_length(setting);
	char prefix[32];

	snprintf(prefix, sizeof(prefix), "%.30s%s", name,
	    name[0] != '\0' ? "." : "");
	for (int i = 0; i < count; i++) {
		config_setting_t *member =
		    config_setting_get_elem(setting, (unsigned)i);
		const char *own = config_setting_name(member);
		const struct config_row *row = section_find(section, own);
		char full[SETTING_MAX_BYTES];

		snprintf(full, sizeof(full), "%s%.64s", prefix, own);
		if (row != NULL)
			read_row(p, member, row, full, of);
		else if (section->owner != NULL || algorithm_find(own) == NULL)
			refuse_unknown(p, member, section, full);
	}
	complete_section(p, setting, section, prefix, of);
}

/* Reads the groups of all algorithms; what others than the chosen one have is
 * checked all the same. */
static void
read_algorithms(struct parse *p, config_setting_t *root)
{
	struct config *chosen = &p->settings->shared;

	for (size_t i = 0; algorithms[i] != NULL; i++) {
		struct section section = section_of_algorithm(algorithms[i]);
		config_setting_t *setting =
		    config_setting_get_member(root, algorithms[i]->name);
		struct config other = { .algorithm = algorithms[i] };
		bool is_chosen = chosen->algorithm == algorithms[i];

		if (setting != NULL &&
		    has_type(p, setting, section.owner, algorithms[i]->name))
			read_section(p, setting, &section, algorithms[i]->name,
			    is_chosen ? chosen : &other);
	}
}

/* Gives the configuration room for all that the file lists. */
static bool
allocate(struct parse *p)
{
	static const char *const lists[] = { "nodes", "neighbours",
		"topology.order", "topology.links" };
	size_t count[4] = { 0 }, nodes, links;
	void *memory;

	for (size_t i = 0; i < 4; i++) {
		config_setting_t *setting = find(p, lists[i]);

		if (setting != NULL)
			count[i] = (size_t)config_setting_length(setting);
		if (count[i] > NODES_MAX && i < 3)
			count[i] = 0; /* more than a row allows */
	}
	nodes = count[0] + count[1] + 1;
	nodes = nodes < count[2] ? count[2] : nodes;
	nodes = nodes > NODES_MAX ? NODES_MAX : nodes;
	links = count[3] + nodes;
	if (find(p, "discovery") != NULL)
		links += nodes * DEGREE_MAX / 2;
	memory = calloc(1, config_size(nodes, links));
	p->neighbours = calloc(count[1] + 1, sizeof(p->neighbours[0]));
	if (memory == NULL || p->neighbours == NULL) {
		free(memory);
		p->errors->out_of_memory = true;
		return false;
	}
	config_place(&p->settings->shared, memory, nodes, links);
	for (size_t i = 0; i < count[1]; i++)
		p->neighbours[i].side = SIDE_NONE;
	return true;
}

/*
 * Adds libconfig's one error. If settings_text_scan() has overwritten an
 * integer, an array may seem to be of two types; that error is there already.
 */
static void
explain_syntax(
    const config_t *tree, const char *source, struct settings_errors *errors)
{
	const char *text = config_error_text(tree);
	int line = config_error_line(tree);

	if (strcmp(text, "syntax error") == 0)
		settings_text_explain(
		    source, line, "syntax error, here or just before", errors);
	else if (strcmp(text, "duplicate setting name") == 0)
		settings_text_explain(source, line,
		    "syntax error: a setting of this name is already given",
		    errors);
	else if (strcmp(text, "mismatched element type in array") != 0)
		settings_errors_add(
		    errors, line, NULL, "syntax error: %s", text);
	else if (!settings_errors_any(errors))
		settings_errors_add(errors, line, NULL,
		    "syntax error: all values of an array must be of one type; write ids without quotes");
}

bool
parse_begin(struct parse *p, const char *text)
{
	const struct section root = { 0 };

	p->has_blots = settings_errors_any(p->errors);
	p->tree = malloc(sizeof(*p->tree));
	if (p->tree == NULL) {
		p->errors->out_of_memory = true;
		return false;
	}
	config_init(p->tree);
	if (!config_read_string(p->tree, text)) {
		explain_syntax(p->tree, text, p->errors);
		return false;
	}
	if (!allocate(p))
		return false;
	read_section(p, config_root_setting(p->tree), &root, "", p->settings);
	read_algorithms(p, config_root_setting(p->tree));
	return true;
}

void
parse_done(struct parse *p)
{
	free(p->neighbours);
	if (p->tree != NULL)
		config_destroy(p->tree);
	free(p->tree);
}
