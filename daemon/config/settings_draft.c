/* SPDX-License-Identifier: ISC */
/* From text to the draft, by libconfig and the schema. */
#include "daemon/config/settings_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libconfig.h>

#include "algorithms/registry.h"
#include "daemon/config/settings_value.h"

#define SETTING_MAX_BYTES 96 /* "neighbours[1023]." and a name cut to 64 */

/* What each kind of setting must be, for messages. */
static const char *const wanted[] = {
	[KIND_NAME] = "a string",
	[KIND_PATH] = "a string",
	[KIND_ADDRESS] = "a string such as \"192.0.2.11:7420\"",
	[KIND_TEXT] = "a string",
	[KIND_WORD] = "a string",
	[KIND_INTEGER] = "an integer",
	[KIND_DURATION] = "a string with a unit, such as \"100ms\"",
	[KIND_TRUTH] = "true or false",
	[KIND_ORDER] = "an array of ids, as in [1, 2, 3]",
	[KIND_LINKS] = "a list of pairs of ids, as in ([1, 2], [2, 3])",
	[KIND_GROUP] = "a group, { ... }",
	[KIND_NODES] = "a list of groups, ( { ... }, { ... } )",
	[KIND_ADDRESSES] = "a list of addresses, as in (\"192.0.2.11:7420\")",
	[KIND_NAMES] = "a list of users and groups, as in (\"electvip\")",
	[KIND_WORDS] =
	    "a list of words, as in [\"/usr/bin/test\", \"-e\", \"/run/web.pid\"]",
	[KIND_CHECKS] = "a list of groups, ( { ... }, { ... } )",
};

/* A walk over libconfig's tree. */
struct walk {
	struct settings_errors *errors;
	bool has_blots;  /* ".000" may replace an integer out of range */
	char prefix[32]; /* of names in the present group: "", "timing." */
	char name[SETTING_MAX_BYTES]; /* of the present setting, in full */
};

static int
line_of(const config_setting_t *setting)
{
	int line = (int)config_setting_source_line(setting);

	return line > 0 ? line : 1; /* the root has none */
}

static void
walk_name(struct walk *w, const char *name)
{
	snprintf(w->name, sizeof(w->name), "%s%.64s", w->prefix, name);
}

static const char *
type_name(const config_setting_t *setting)
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_GROUP:
		return "a group";
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		return "an integer";
	case CONFIG_TYPE_FLOAT:
		return "a fraction";
	case CONFIG_TYPE_STRING:
		return "a string";
	case CONFIG_TYPE_BOOL:
		return "a truth value";
	case CONFIG_TYPE_ARRAY:
		return "an array";
	default:
		return "a list";
	}
}

static bool
type_suits(const config_setting_t *setting, enum kind kind)
{
	int type = config_setting_type(setting);

	switch (kind) {
	case KIND_INTEGER:
		return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
	case KIND_TRUTH:
		return type == CONFIG_TYPE_BOOL;
	case KIND_ORDER:
		return type == CONFIG_TYPE_ARRAY || type == CONFIG_TYPE_LIST;
	case KIND_GROUP:
		return type == CONFIG_TYPE_GROUP;
	case KIND_LINKS:
	case KIND_NODES:
	case KIND_CHECKS:
		return type == CONFIG_TYPE_LIST;
	case KIND_ADDRESSES:
	case KIND_NAMES:
	case KIND_WORDS:
		return type == CONFIG_TYPE_ARRAY || type == CONFIG_TYPE_LIST;
	case KIND_NAME:
	case KIND_PATH:
	case KIND_ADDRESS:
	case KIND_TEXT:
	case KIND_WORD:
	case KIND_DURATION:
		return type == CONFIG_TYPE_STRING;
	}
	return false;
}

/* Adds an error unless the setting's type is right for its kind. */
static bool
walk_type(struct walk *w, const config_setting_t *setting, enum kind kind)
{
	if (type_suits(setting, kind))
		return true;
	if (w->has_blots && config_setting_type(setting) == CONFIG_TYPE_FLOAT &&
	    config_setting_get_float(setting) <= 0)
		return false; /* the error is there already */
	settings_errors_add(w->errors, line_of(setting), w->name,
	    "is %s; must be %s", type_name(setting), wanted[kind]);
	return false;
}

static void
walk_scalar(struct walk *w, const config_setting_t *setting,
    const struct option *option, struct given *given)
{
	given->line = line_of(setting);
	given->valid = false;
	if (!walk_type(w, setting, option->kind))
		return;
	if (option->kind == KIND_INTEGER)
		given->number = config_setting_get_int64(setting);
	else if (option->kind == KIND_TRUTH)
		given->number = config_setting_get_bool(setting);
	else
		given->text = config_setting_get_string(setting);
	given->valid = option_check(option, given, w->name, w->errors);
}

static void walk_group(struct walk *w, const config_setting_t *group,
    const struct option *owner, void *base);

/* Walks one entry of a list of groups into the struct at `base`. */
static void
walk_entry(struct walk *w, const config_setting_t *setting,
    const struct option *list, size_t index, void *base)
{
	snprintf(w->prefix, sizeof(w->prefix), "%s[%zu]", list->name, index);
	walk_name(w, "");
	options_default(list->options, base);
	if (!walk_type(w, setting, KIND_GROUP))
		return;
	snprintf(w->prefix, sizeof(w->prefix), "%s[%zu].", list->name, index);
	walk_group(w, setting, list, base);
}

/* Walks one entry of a list of nodes into `node`. */
static void
walk_node(struct walk *w, const config_setting_t *setting,
    const struct option *list, size_t index, struct draft_node *node)
{
	node->line = line_of(setting);
	walk_entry(w, setting, list, index, node);
	if (node->address.valid)
		address_fault(node->address.text, node->canonical);
}

static void
walk_nodes(struct walk *w, const config_setting_t *setting,
    const struct option *option, struct draft_list *list)
{
	size_t count = (size_t)config_setting_length(setting);

	list->line = line_of(setting);
	if (!walk_type(w, setting, KIND_NODES))
		return;
	if (count > NODES_MAX) {
		settings_errors_add(w->errors, list->line, w->name,
		    "has %zu entries; at most %d are allowed", count,
		    NODES_MAX);
		return;
	}
	list->nodes = calloc(count + 1, sizeof(list->nodes[0]));
	if (list->nodes == NULL) {
		w->errors->out_of_memory = true;
		return;
	}
	list->count = count;
	for (size_t i = 0; i < count; i++)
		walk_node(w, config_setting_get_elem(setting, (unsigned)i),
		    option, i, &list->nodes[i]);
	w->prefix[0] = '\0';
}

/* Reads an entry that must be an id. Returns NODE_NONE after adding an
 * error. */
static node_id
walk_id(struct walk *w, const config_setting_t *setting)
{
	static const struct option option = {
		.kind = KIND_INTEGER,
		.low = 1,
		.high = NODE_ID_MAX,
	};
	struct given given = { 0 };

	walk_scalar(w, setting, &option, &given);
	return given.valid ? (node_id)given.number : NODE_NONE;
}

static void
walk_order(
    struct walk *w, const config_setting_t *setting, struct draft_order *order)
{
	size_t count = (size_t)config_setting_length(setting);

	order->line = line_of(setting);
	if (!walk_type(w, setting, KIND_ORDER))
		return;
	if (count > NODES_MAX) {
		settings_errors_add(w->errors, order->line, w->name,
		    "has %zu entries; at most %d are allowed", count,
		    NODES_MAX);
		return;
	}
	order->ids = calloc(count + 1, sizeof(order->ids[0]));
	if (order->ids == NULL) {
		w->errors->out_of_memory = true;
		return;
	}
	order->valid = true;
	order->count = count;
	for (size_t i = 0; i < count; i++) {
		const config_setting_t *entry =
		    config_setting_get_elem(setting, (unsigned)i);

		snprintf(w->name, sizeof(w->name), "topology.order[%zu]", i);
		order->ids[i].line = line_of(entry);
		order->ids[i].id = walk_id(w, entry);
		order->valid &= order->ids[i].id != NODE_NONE;
	}
}

/* Reads a pair of ids. Sets both to NODE_NONE after adding an error. */
static void
walk_link(
    struct walk *w, const config_setting_t *setting, struct draft_link *link)
{
	snprintf(w->name, sizeof(w->name), "topology.links[%zu]", link->index);
	link->line = line_of(setting);
	if (!type_suits(setting, KIND_ORDER) ||
	    config_setting_length(setting) != 2) {
		settings_errors_add(w->errors, link->line, w->name,
		    "is not a pair of ids; write it as in [1, 2]");
		return;
	}
	link->a = walk_id(w, config_setting_get_elem(setting, 0));
	link->b = walk_id(w, config_setting_get_elem(setting, 1));
	if (link->a == NODE_NONE || link->b == NODE_NONE)
		link->a = link->b = NODE_NONE;
}

static void
walk_links(
    struct walk *w, const config_setting_t *setting, struct draft_links *links)
{
	size_t count = (size_t)config_setting_length(setting);

	links->line = line_of(setting);
	if (!walk_type(w, setting, KIND_LINKS))
		return;
	links->links = calloc(count + 1, sizeof(links->links[0]));
	if (links->links == NULL) {
		w->errors->out_of_memory = true;
		return;
	}
	links->valid = true;
	links->count = count;
	for (size_t i = 0; i < count; i++) {
		links->links[i].index = i;
		walk_link(w, config_setting_get_elem(setting, (unsigned)i),
		    &links->links[i]);
		links->valid &= links->links[i].a != NODE_NONE;
	}
}

/* Walks a list of at most `most` texts, each of this kind. */
static void
walk_texts(struct walk *w, const config_setting_t *setting,
    const struct option *option, size_t most, enum kind kind,
    struct draft_texts *texts)
{
	const struct option entry = { .kind = kind };
	size_t count = (size_t)config_setting_length(setting);
	char name[SETTING_MAX_BYTES];

	texts->line = line_of(setting);
	if (!walk_type(w, setting, option->kind))
		return;
	if (count > most) {
		settings_errors_add(w->errors, texts->line, w->name,
		    "has %zu entries; at most %zu are allowed", count, most);
		return;
	}
	texts->list = calloc(count + 1, sizeof(texts->list[0]));
	if (texts->list == NULL) {
		w->errors->out_of_memory = true;
		return;
	}
	texts->count = count;
	snprintf(name, sizeof(name), "%s", w->name);
	for (size_t i = 0; i < count; i++) {
		snprintf(w->name, sizeof(w->name), "%.64s[%zu]", name, i);
		walk_scalar(w, config_setting_get_elem(setting, (unsigned)i),
		    &entry, &texts->list[i]);
	}
}

static void
walk_checks(struct walk *w, const config_setting_t *setting,
    const struct option *option, struct draft_checks *checks)
{
	size_t count = (size_t)config_setting_length(setting);

	checks->line = line_of(setting);
	if (!walk_type(w, setting, KIND_CHECKS))
		return;
	if (count > CHECKS_MAX) {
		settings_errors_add(w->errors, checks->line, w->name,
		    "has %zu entries; at most %d are allowed", count,
		    CHECKS_MAX);
		return;
	}
	checks->checks = calloc(count + 1, sizeof(checks->checks[0]));
	if (checks->checks == NULL) {
		w->errors->out_of_memory = true;
		return;
	}
	checks->count = count;
	for (size_t i = 0; i < count; i++) {
		const config_setting_t *entry =
		    config_setting_get_elem(setting, (unsigned)i);

		checks->checks[i].line = line_of(entry);
		walk_entry(w, entry, option, i, &checks->checks[i]);
	}
	w->prefix[0] = '\0';
}

static void
walk_option(struct walk *w, const config_setting_t *setting,
    const struct option *option, void *base)
{
	void *at = (char *)base + option->at;

	switch (option->kind) {
	case KIND_ADDRESSES:
		walk_texts(w, setting, option, JOIN_MAX, KIND_ADDRESS, at);
		break;
	case KIND_NAMES:
		walk_texts(w, setting, option, DEADLINES_MAX, KIND_NAME, at);
		break;
	case KIND_WORDS:
		walk_texts(w, setting, option, CHECK_WORDS_MAX, KIND_TEXT, at);
		break;
	case KIND_CHECKS:
		walk_checks(w, setting, option, at);
		break;
	case KIND_NODES:
		walk_nodes(w, setting, option, at);
		break;
	case KIND_GROUP:
		if (!walk_type(w, setting, KIND_GROUP))
			break;
		snprintf(w->prefix, sizeof(w->prefix), "%s.", option->name);
		walk_group(w, setting, option, base);
		w->prefix[0] = '\0';
		break;
	case KIND_ORDER:
		walk_order(w, setting, at);
		break;
	case KIND_LINKS:
		walk_links(w, setting, at);
		break;
	case KIND_NAME:
	case KIND_PATH:
	case KIND_ADDRESS:
	case KIND_TEXT:
	case KIND_WORD:
	case KIND_INTEGER:
	case KIND_DURATION:
	case KIND_TRUTH:
		walk_scalar(w, setting, option, given_at(base, option));
		break;
	}
}

static void
walk_unknown(
    struct walk *w, const config_setting_t *setting, const struct option *owner)
{
	const char *name = config_setting_name(setting);
	char suggestion[SUGGESTION_MAX];

	settings_errors_add(w->errors, line_of(setting), w->name,
	    "unknown setting; %s", option_suggest(owner, name, suggestion));
}

/* Adds an error for each required option that is missing. */
static void
walk_missing(struct walk *w, const config_setting_t *group,
    const struct option *options, void *base)
{
	for (const struct option *o = options; o->name != NULL; o++) {
		if (o->required == NULL || given_at(base, o)->line > 0)
			continue;
		walk_name(w, o->name);
		settings_errors_add(w->errors, line_of(group), w->name,
		    "is missing; %s", o->required);
	}
}

/* Walks the group of the option `owner`; NULL: the root. */
static void
walk_group(struct walk *w, const config_setting_t *group,
    const struct option *owner, void *base)
{
	const struct option *options = settings_options;

	if (owner != NULL)
		options = owner->options;
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *setting =
		    config_setting_get_elem(group, (unsigned)i);
		const char *name = config_setting_name(setting);
		const struct option *option = option_find(options, name);

		walk_name(w, name);
		if (option != NULL)
			walk_option(w, setting, option, base);
		else if (owner != NULL || algorithm_find(name) == NULL)
			walk_unknown(w, setting, owner);
	}
	walk_missing(w, group, options, base);
}

/* Refuses the members of the group of an algorithm without options. */
static void
walk_no_options(struct walk *w, const config_setting_t *group,
    const struct algorithm *algorithm)
{
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *member =
		    config_setting_get_elem(group, (unsigned)i);

		walk_name(w, config_setting_name(member));
		settings_errors_add(w->errors, line_of(member), w->name,
		    "unknown setting; \"%s\" has no options%s", algorithm->name,
		    (algorithm->choices & CHOICE_DIAMETER) != 0
			? " but topology.diameter"
			: "");
	}
}

/* Walks an algorithm's own group. */
static void
walk_algorithm(struct walk *w, const config_setting_t *group,
    const struct algorithm *algorithm, struct draft_choices *choices)
{
	struct option rows[CHOICES_MAX];
	const struct option section = {
		.name = algorithm->name,
		.kind = KIND_GROUP,
		.options = algorithm_options(algorithm, rows),
	};

	walk_name(w, algorithm->name);
	if (!walk_type(w, group, KIND_GROUP))
		return;
	snprintf(w->prefix, sizeof(w->prefix), "%s.", algorithm->name);
	if (rows[0].name == NULL)
		walk_no_options(w, group, algorithm);
	else
		walk_group(w, group, &section, choices);
	w->prefix[0] = '\0';
}

/* Checks the groups of all algorithms, and keeps that of the chosen one. */
static void
walk_algorithms(
    struct walk *w, const config_setting_t *root, struct draft *draft)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		const char *name = algorithms[i]->name;
		struct draft_choices choices = { 0 };
		const config_setting_t *group =
		    config_setting_get_member(root, name);

		if (group != NULL)
			walk_algorithm(w, group, algorithms[i], &choices);
		if (draft->algorithm.valid &&
		    strcmp(draft->algorithm.text, name) == 0)
			draft->choices = choices;
	}
}

/*
 * Adds libconfig's one error. If settings_text_scan() has overwritten an
 * integer, an array may seem to be of two types; that error is there already.
 */
static void
walk_syntax(
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
draft_read(
    struct draft *draft, const char *text, struct settings_errors *errors)
{
	struct walk w = {
		.errors = errors,
		.has_blots = settings_errors_any(errors),
	};

	draft->tree = malloc(sizeof(*draft->tree));
	if (draft->tree == NULL) {
		errors->out_of_memory = true;
		return false;
	}
	config_init(draft->tree);
	if (!config_read_string(draft->tree, text)) {
		walk_syntax(draft->tree, text, errors);
		return false;
	}
	options_default(settings_options, draft);
	walk_group(&w, config_root_setting(draft->tree), NULL, draft);
	walk_algorithms(&w, config_root_setting(draft->tree), draft);
	return true;
}

void
draft_done(struct draft *draft)
{
	free(draft->nodes.nodes);
	free(draft->neighbours.nodes);
	free(draft->topology.order.ids);
	free(draft->topology.links.links);
	free(draft->join.list);
	free(draft->deadlines.list);
	for (size_t i = 0; i < draft->checks.count; i++)
		free(draft->checks.checks[i].command.list);
	free(draft->checks.checks);
	if (draft->tree != NULL)
		config_destroy(draft->tree);
	free(draft->tree);
}
