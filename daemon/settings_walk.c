/* SPDX-License-Identifier: ISC */
#include "daemon/settings_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libconfig.h>

#include "algorithms/registry.h"
#include "daemon/settings_nearest.h"
#include "daemon/settings_syntax.h"
#include "daemon/settings_value.h"

#define SETTING_MAX_BYTES 96 /* "neighbours[1023]." and a name cut to 64 */

static const char *const wanted[] = {
	[KIND_NAME] = "a string",
	[KIND_PATH] = "a string",
	[KIND_ADDRESS] = "a string such as \"192.0.2.11:7420\"",
	[KIND_TEXT] = "a string",
	[KIND_WORD] = "a string",
	[KIND_INTEGER] = "an integer",
	[KIND_DURATION] = "a string with a unit, such as \"100ms\"",
	[KIND_SEQUENCE] = "an array or a list",
	[KIND_GROUP] = "a group, { ... }",
	[KIND_NODES] = "a list of groups, ( { ... }, { ... } )",
};

/* A walk over the tree; `prefix` is where it stands: "", "timing." */
struct walk {
	struct settings_errors *errors;
	bool blotted; /* a ".000" may be an integer that was out of range */
	char prefix[24];
	char name[SETTING_MAX_BYTES]; /* of the setting at hand, in full */
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
	case KIND_SEQUENCE:
		return type == CONFIG_TYPE_ARRAY || type == CONFIG_TYPE_LIST;
	case KIND_GROUP:
		return type == CONFIG_TYPE_GROUP;
	case KIND_NODES:
		return type == CONFIG_TYPE_LIST;
	case KIND_LATER:
		return true;
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

/* Is the setting of a type that suits? Else says so. */
static bool
walk_type(struct walk *w, const config_setting_t *setting, enum kind kind)
{
	if (type_suits(setting, kind))
		return true;
	if (w->blotted && config_setting_type(setting) == CONFIG_TYPE_FLOAT &&
	    config_setting_get_float(setting) <= 0)
		return false; /* told already */
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
	else
		given->text = config_setting_get_string(setting);
	given->valid = option_check(option, given, w->name, w->errors);
}

static void walk_group(struct walk *w, const config_setting_t *group,
    const struct option *owner, void *base);

/* Walks one entry of a list of nodes into `node`. */
static void
walk_node(struct walk *w, const config_setting_t *setting,
    const struct option *list, size_t index, struct draft_node *node)
{
	snprintf(w->prefix, sizeof(w->prefix), "%s[%zu]", list->name, index);
	walk_name(w, "");
	node->line = line_of(setting);
	options_default(list->options, node);
	if (!walk_type(w, setting, KIND_GROUP))
		return;
	snprintf(w->prefix, sizeof(w->prefix), "%s[%zu].", list->name, index);
	walk_group(w, setting, list, node);
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
		    "has %zu entries; there may be %d", count, NODES_MAX);
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

static void
walk_option(struct walk *w, const config_setting_t *setting,
    const struct option *option, void *base)
{
	switch (option->kind) {
	case KIND_LATER:
		settings_errors_add(w->errors, line_of(setting), w->name,
		    "is not available in this version; leave it out");
		break;
	case KIND_NODES:
		walk_nodes(w, setting, option,
		    (struct draft_list *)((char *)base + option->at));
		break;
	case KIND_GROUP:
		if (!walk_type(w, setting, KIND_GROUP))
			break;
		snprintf(w->prefix, sizeof(w->prefix), "%s.", option->name);
		walk_group(w, setting, option, base);
		w->prefix[0] = '\0';
		break;
	case KIND_NAME:
	case KIND_PATH:
	case KIND_ADDRESS:
	case KIND_TEXT:
	case KIND_WORD:
	case KIND_INTEGER:
	case KIND_DURATION:
	case KIND_SEQUENCE:
		walk_scalar(w, setting, option, given_at(base, option));
		break;
	}
}

/* The options of an algorithm: none of this version has any. */
static void
walk_algorithm(struct walk *w, const config_setting_t *setting,
    const struct algorithm *algorithm)
{
	if (!walk_type(w, setting, KIND_GROUP))
		return;
	for (int i = 0; i < config_setting_length(setting); i++) {
		const config_setting_t *member =
		    config_setting_get_elem(setting, (unsigned)i);

		snprintf(w->name, sizeof(w->name), "%s.%.64s", algorithm->name,
		    config_setting_name(member));
		settings_errors_add(w->errors, line_of(member), w->name,
		    "unknown setting; \"%s\" has no options", algorithm->name);
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

/* Says which required options of a group are missing. */
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

/* Walks a group that is the option `owner`; the root if that is NULL. */
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
		const struct algorithm *algorithm = NULL;

		walk_name(w, name);
		if (owner == NULL)
			algorithm = algorithm_find(name);
		if (option != NULL)
			walk_option(w, setting, option, base);
		else if (algorithm != NULL)
			walk_algorithm(w, setting, algorithm);
		else
			walk_unknown(w, setting, owner);
	}
	walk_missing(w, group, options, base);
}

/* Tells libconfig's one error. */
static void
walk_syntax(
    const config_t *tree, const char *source, struct settings_errors *errors)
{
	const char *text = config_error_text(tree);
	int line = config_error_line(tree);

	if (strcmp(text, "syntax error") == 0)
		settings_syntax_tell(source, line, errors);
	else if (strcmp(text, "duplicate setting name") == 0)
		settings_syntax_tell_duplicate(source, line, errors);
	else
		settings_errors_add(
		    errors, line, NULL, "syntax error: %s", text);
}

bool
draft_read(
    struct draft *draft, const char *text, struct settings_errors *errors)
{
	struct walk w = {
		.errors = errors,
		.blotted = settings_errors_any(errors),
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
	return true;
}

void
draft_done(struct draft *draft)
{
	free(draft->nodes.nodes);
	free(draft->neighbours.nodes);
	if (draft->tree != NULL)
		config_destroy(draft->tree);
	free(draft->tree);
}
