/* SPDX-License-Identifier: ISC */
/* Prints the settings as a configuration file with every default. */
#include "daemon/config/settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_members.h"
#include "daemon/config/settings_value.h"

/* Prints a string with quotes, as libconfig reads it. */
static void
print_string(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

/* Prints `name = "text";` after an indent, and NULL as "". */
static void
print_text(FILE *to, const char *indent, const char *name, const char *text)
{
	fprintf(to, "%s%s = ", indent, name);
	print_string(to, text == NULL ? "" : text);
	fputs(";\n", to);
}

static void
print_duration(FILE *to, const char *name, nsec_t duration)
{
	char text[DURATION_MAX_BYTES];

	print_text(to, "  ", name, duration_text(duration, text));
}

static void
print_preempt(FILE *to, const struct settings *settings)
{
	const char *word = preempt_words[settings->preempt];
	char delay[DURATION_MAX_BYTES];

	if (settings->preempt == PREEMPT_AFTER)
		fprintf(to, "preempt = \"%s %s\";\n", word,
		    duration_text(settings->preempt_after, delay));
	else
		print_text(to, "", "preempt", word);
}

/* Prints a comment: how many voters a leader needs, and how many may fail. The
 * last of an even number of voters helps nothing. */
static void
print_majority(FILE *to, const struct settings *settings)
{
	size_t voters = 0, quorum;

	for (size_t i = 0; i < settings->nodes_count; i++)
		voters += settings->nodes[i].role != ROLE_OBSERVER;
	quorum = voters / 2 + 1;
	fprintf(to, "# a leader needs %zu of %zu voter%s: %zu may fail", quorum,
	    voters, voters == 1 ? "" : "s", voters - quorum);
	if (voters % 2 == 0)
		fprintf(to, ", as with %zu", voters - 1);
	fputs("\n", to);
}

/* Prints ` name = "text";`, unless the text is NULL. */
static void
print_member_text(FILE *to, const char *name, const char *text)
{
	if (text == NULL)
		return;
	fprintf(to, " %s = ", name);
	print_string(to, text);
	fputc(';', to);
}

static void
print_member(FILE *to, const struct member_change *node)
{
	fprintf(to, "  { id = %" PRId64 ";", node->id);
	print_member_text(to, "name", node->name);
	print_member_text(to, "address", node->address);
	fprintf(to, " priority = %" PRId64 ";", node->priority);
	print_member_text(to, "role", node->role);
	if (node->is_discovered)
		fputs(" discovered = true;", to);
	fputs(" }", to);
}

/* Prints the nodes with the change; NULL: with none. */
static void
print_nodes(FILE *to, const struct settings *settings,
    const struct member_change *change)
{
	bool is_quorum = settings->guarantee == GUARANTEE_QUORUM;
	const char *between = "\n";

	fputs("nodes = (", to);
	for (size_t i = 0; i < settings->nodes_count; i++) {
		const struct node_settings *node = &settings->nodes[i];
		bool is_changed = change != NULL && change->id == node->id &&
				  change->kind != MEMBER_ADD;
		const struct member_change member = {
			.id = node->id,
			.name = node->name,
			.address = is_changed ? change->address : node->address,
			.priority = node->priority,
			.role = role_words[node->role],
			.is_discovered = is_quorum && node->is_discovered,
		};

		if (is_changed && change->kind == MEMBER_REMOVE)
			continue;
		fputs(between, to);
		print_member(to, &member);
		between = ",\n";
	}
	if (change != NULL && change->kind == MEMBER_ADD) {
		fputs(between, to);
		print_member(to, change);
	}
	fputs("\n);\n", to);
}

/* One entry of `neighbours`; `side` may be NULL. */
static void
print_neighbour(FILE *to, const struct settings *settings, node_id id,
    const char *side, bool last)
{
	fprintf(to, "  { id = %u; address = \"%s\"; ", id,
	    settings_node(settings, id)->address);
	if (side != NULL)
		fprintf(to, "side = \"%s\"; ", side);
	fprintf(to, "}%s\n", last ? "" : ",");
}

static void
print_neighbours(FILE *to, const struct settings *settings)
{
	const struct settings *s = settings;
	bool ring = s->topology == TOPOLOGY_RING;
	size_t left = 0;

	fputs("neighbours = (\n", to);
	for (size_t i = 0; i < s->ring.right_count; i++)
		print_neighbour(to, s, s->ring.right[i], "right", false);
	for (size_t i = 0; i < s->ring.left_count; i++)
		print_neighbour(to, s, s->ring.left[i], "left",
		    i + 1 == s->ring.left_count);
	for (size_t i = 0; !ring && i < s->nodes_count; i++) {
		if (s->nodes[i].id == s->id)
			continue;
		left++;
		print_neighbour(
		    to, s, s->nodes[i].id, NULL, left == s->nodes_count - 1);
	}
	fputs(");\n", to);
}

static void
print_order(FILE *to, const struct settings *settings)
{
	fputs("  order = [", to);
	for (size_t i = 0; i < settings->ring.order_count; i++)
		fprintf(
		    to, "%s%u", i == 0 ? "" : ", ", settings->ring.order[i]);
	fputs("];\n", to);
}

static void
print_links(FILE *to, const struct settings *settings)
{
	fputs("  links = (\n", to);
	for (size_t i = 0; i < settings->links_count; i++)
		fprintf(to, "    [%u, %u]%s\n", settings->links[i].a,
		    settings->links[i].b,
		    i + 1 < settings->links_count ? "," : "");
	fputs("  );\n", to);
}

static void
print_topology(FILE *to, const struct settings *settings)
{
	unsigned choices = settings->algorithm->choices;

	fprintf(to, "topology = {\n  kind = \"%s\";\n",
	    topology_words[settings->topology]);
	if (settings->ring.order_count > 0 && !settings->discovery.is_on)
		print_order(to, settings);
	if (settings->links_count > 0 && !settings->neighbours_only &&
	    !settings->discovery.is_on)
		print_links(to, settings);
	if (settings->degree > 0)
		fprintf(to, "  degree = %u;\n", settings->degree);
	if ((choices & CHOICE_DIAMETER) != 0)
		fprintf(to, "  diameter = %u;\n", settings->choices.diameter);
	fputs("};\n", to);
}

static const char *
truth(bool value)
{
	return value ? "true" : "false";
}

/* Prints the algorithm's own group, if it has one. */
static void
print_choices(FILE *to, const struct settings *settings)
{
	const struct algorithm *algorithm = settings->algorithm;
	const struct choices *choices = &settings->choices;
	unsigned has = algorithm->choices & ~(unsigned)CHOICE_DIAMETER;

	if (has == 0)
		return;
	fprintf(to, "%s = {\n", algorithm->name);
	if ((has & CHOICE_VARIANT) != 0)
		print_text(
		    to, "  ", "variant", algorithm->variants[choices->variant]);
	if ((has & CHOICE_JOIN) != 0)
		fprintf(to, "  join = %s;\n", truth(!choices->starters_only));
	if ((has & CHOICE_WAKEUP) != 0)
		fprintf(to, "  wakeup = %s;\n", truth(!choices->no_wakeup));
	if ((has & CHOICE_ANNOUNCE) != 0)
		print_text(
		    to, "  ", "announce", announce_words[choices->any_leader]);
	fputs("};\n", to);
}

static void
print_timing(FILE *to, const struct settings *settings)
{
	fputs("timing = {\n", to);
	print_duration(to, "heartbeat", settings->timing.heartbeat);
	fprintf(to, "  misses = %u;\n", settings->timing.misses);
	print_duration(to, "lease", settings->timing.lease);
	print_duration(to, "startup", settings->timing.startup);
	if (settings->discovery.is_on)
		print_duration(to, "forget", settings->discovery.forget);
	fputs("};\n", to);
}

void
settings_print_changed(const struct settings *settings,
    const struct member_change *change, FILE *to)
{
	print_text(to, "", "cluster", settings->cluster);
	print_text(to, "", "guarantee", guarantee_name(settings->guarantee));
	print_text(to, "", "algorithm", settings->algorithm->name);
	print_text(to, "", "prefer", prefer_words[settings->prefer]);
	print_preempt(to, settings);
	if (settings->guarantee == GUARANTEE_QUORUM && change == NULL)
		print_majority(to, settings);
	if (settings->neighbours_only)
		print_neighbours(to, settings);
	else if (settings->nodes_count > 0 || change != NULL)
		print_nodes(to, settings, change);
	fprintf(to, "generation = %u;\n", settings->generation);
	if (settings->discovery.is_on)
		fputs("discovery = true;\n", to);
	print_topology(to, settings);
	print_timing(to, settings);
	print_choices(to, settings);
}

void
settings_print_shared(const struct settings *settings, FILE *to)
{
	settings_print_changed(settings, NULL, to);
}

bool
settings_print_file(const struct settings *settings, FILE *to)
{
	struct settings s = *settings;

	s.nodes = calloc(s.nodes_count, sizeof(s.nodes[0]));
	if (s.nodes == NULL)
		return false;
	s.nodes_count = 0;
	for (size_t i = 0; i < settings->nodes_count; i++) {
		if (!settings->nodes[i].is_discovered)
			s.nodes[s.nodes_count++] = settings->nodes[i];
	}
	if (s.discovery.is_on)
		s.generation = s.base_generation;
	settings_print_shared(&s, to);
	free(s.nodes);
	return true;
}

/* Prints a list of texts, unless it is empty. */
static void
print_texts(FILE *to, const char *indent, const char *name, const char *texts,
    size_t size, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i == 0)
			fprintf(to, "%s%s = (", indent, name);
		else
			fputs(", ", to);
		print_string(to, texts + i * size);
	}
	if (count > 0)
		fputs(");\n", to);
}

/* Prints what is this host's own of it. */
static void
print_discovery(FILE *to, const struct settings_discovery *d)
{
	if (d->group[0] != '\0') {
		fputs("multicast = {\n", to);
		print_text(to, "  ", "group", d->group);
		if (d->interface[0] != '\0')
			print_text(to, "  ", "interface", d->interface);
		fprintf(to, "  ttl = %u;\n};\n", d->ttl);
	}
	print_texts(
	    to, "", "join", d->join[0], ADDRESS_MAX_BYTES, d->join_count);
	if (d->name[0] == '\0' && d->priority == 0 && d->role == ROLE_CANDIDATE)
		return;
	fputs("self = {\n", to);
	if (d->name[0] != '\0')
		print_text(to, "  ", "name", d->name);
	fprintf(to, "  priority = %" PRId32 ";\n", d->priority);
	print_text(to, "  ", "role", role_words[d->role]);
	fputs("};\n", to);
}

static void
print_command(FILE *to, const struct settings_check *check)
{
	const char *word = check->command;

	for (size_t i = 0; i < check->words_count; i++) {
		fputs(i == 0 ? "    command = [" : ", ", to);
		print_string(to, word);
		word += strlen(word) + 1;
	}
	fputs("];\n", to);
}

static void
print_check(FILE *to, const struct settings_check *check)
{
	print_text(to, "  { ", "name", check->name);
	if (check->words_count > 0)
		print_command(to, check);
	else
		print_text(to, "    ", "unit", check->unit);
	fputs("  ", to);
	print_duration(to, "interval", check->interval);
	fputs("  ", to);
	print_duration(to, "timeout", check->timeout);
	fprintf(
	    to, "    rise = %u;\n    fall = %u; }", check->rise, check->fall);
}

static void
print_checks(FILE *to, const struct settings *settings)
{
	for (size_t i = 0; i < settings->checks_count; i++) {
		fputs(i == 0 ? "checks = (\n" : ",\n", to);
		print_check(to, &settings->checks[i]);
	}
	if (settings->checks_count > 0)
		fputs("\n);\n", to);
}

void
settings_print_own(const struct settings *settings, FILE *to)
{
	if (settings->id != NODE_NONE)
		fprintf(to, "id = %u;\n", settings->id);
	if (settings->listen[0] != '\0')
		print_text(to, "", "listen", settings->listen);
	print_discovery(to, &settings->discovery);
	fputs("security = {\n", to);
	print_text(to, "  ", "key_file", settings->key_file);
	print_text(to, "  ", "old_key_file", settings->old_key_file);
	fputs("};\ncontrol = {\n", to);
	print_text(to, "  ", "socket", settings->socket);
	print_text(to, "  ", "group", settings->group);
	print_texts(to, "  ", "deadlines", settings->deadlines[0],
	    NAME_MAX_BYTES, settings->deadlines_count);
	fputs("};\n", to);
	print_text(to, "", "state_dir", settings->state_dir);
	fprintf(to, "realtime = %s;\n", truth(settings->realtime));
	fprintf(to, "record = %s;\n", truth(settings->is_recorded));
	fprintf(to, "watch_carrier = %s;\n", truth(settings->watches_carrier));
	if (settings->expected != 0)
		fprintf(to, "expect = %u;\n", settings->expected);
	print_checks(to, settings);
}

void
settings_print(const struct settings *settings, FILE *to)
{
	settings_print_shared(settings, to);
	settings_print_own(settings, to);
}
