/* SPDX-License-Identifier: ISC */
/* Prints the settings as a configuration file with every default. */
#include "daemon/config/settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
print_preempt(FILE *to, const struct config *c)
{
	const char *word = preempt_words[c->preempt];
	char delay[DURATION_MAX_BYTES];

	if (c->preempt == PREEMPT_AFTER)
		fprintf(to, "preempt = \"%s %s\";\n", word,
		    duration_text(c->preempt_after, delay));
	else
		print_text(to, "", "preempt", word);
}

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

/* Prints the nodes that the file is to list. */
static void
print_nodes(FILE *to, const struct config *c, bool is_file)
{
	const char *between = "\n";

	fputs("nodes = (", to);
	for (size_t i = 0; i < c->nodes_count; i++) {
		const struct config_node *node = &c->nodes[i];

		if (is_file && node->is_discovered)
			continue;
		fprintf(to,
		    "%s  { id = %" PRIu32
		    "; name = \"%s\"; address = \"%s\"; priority = %" PRId32
		    "; role = \"%s\"; }",
		    between, node->id, node->name, node->address,
		    node->priority, role_words[node->role]);
		between = ",\n";
	}
	fputs("\n);\n", to);
}

/* One entry of `neighbours`; `side` may be NULL. */
static void
print_neighbour(FILE *to, const struct settings *settings, node_id id,
    const char *side, bool last)
{
	fprintf(to, "  { id = %u; address = \"%s\"; ", id,
	    config_find(&settings->shared, id)->address);
	if (side != NULL)
		fprintf(to, "side = \"%s\"; ", side);
	fprintf(to, "}%s\n", last ? "" : ",");
}

static void
print_neighbours(FILE *to, const struct settings *settings)
{
	const struct settings *s = settings;
	bool ring = s->shared.topology == TOPOLOGY_RING;
	size_t left = 0;

	fputs("neighbours = (\n", to);
	for (size_t i = 0; i < s->ring.right_count; i++)
		print_neighbour(to, s, s->ring.right[i], "right", false);
	for (size_t i = 0; i < s->ring.left_count; i++)
		print_neighbour(to, s, s->ring.left[i], "left",
		    i + 1 == s->ring.left_count);
	for (size_t i = 0; !ring && i < s->shared.nodes_count; i++) {
		if (s->shared.nodes[i].id == s->id)
			continue;
		left++;
		print_neighbour(to, s, s->shared.nodes[i].id, NULL,
		    left == s->shared.nodes_count - 1);
	}
	fputs(");\n", to);
}

static void
print_order(FILE *to, const struct config *c)
{
	fputs("  order = [", to);
	for (size_t i = 0; i < c->order_count; i++)
		fprintf(to, "%s%u", i == 0 ? "" : ", ", c->order[i]);
	fputs("];\n", to);
}

static void
print_links(FILE *to, const struct config *c)
{
	fputs("  links = (\n", to);
	for (size_t i = 0; i < c->links_count; i++)
		fprintf(to, "    [%u, %u]%s\n", c->links[i].a, c->links[i].b,
		    i + 1 < c->links_count ? "," : "");
	fputs("  );\n", to);
}

static void
print_topology(FILE *to, const struct config *c)
{
	unsigned choices = c->algorithm->choices;

	fprintf(to, "topology = {\n  kind = \"%s\";\n",
	    topology_words[c->topology]);
	if (c->order_count > 0 && !c->discovers)
		print_order(to, c);
	if (c->links_count > 0 && !c->neighbours_only && !c->discovers)
		print_links(to, c);
	if (c->degree > 0)
		fprintf(to, "  degree = %u;\n", c->degree);
	if ((choices & CHOICE_DIAMETER) != 0)
		fprintf(to, "  diameter = %u;\n", c->choices.diameter);
	fputs("};\n", to);
}

static const char *
truth(bool value)
{
	return value ? "true" : "false";
}

/* Prints the algorithm's own group, if it has one. */
static void
print_choices(FILE *to, const struct config *c)
{
	const struct algorithm *algorithm = c->algorithm;
	const struct choices *choices = &c->choices;
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
print_timing(FILE *to, const struct config *c)
{
	fputs("timing = {\n", to);
	print_duration(to, "heartbeat", c->timing.heartbeat);
	fprintf(to, "  misses = %u;\n", c->timing.misses);
	print_duration(to, "lease", c->timing.lease);
	print_duration(to, "startup", c->timing.startup);
	if (c->discovers)
		print_duration(to, "forget", c->forget);
	fputs("};\n", to);
}

static void
print_shared(const struct settings *settings, FILE *to, bool is_file)
{
	const struct config *c = &settings->shared;
	bool has_nodes =
	    !is_file || !c->discovers || c->guarantee == GUARANTEE_QUORUM;

	print_text(to, "", "cluster", c->cluster);
	print_text(to, "", "guarantee", guarantee_words[c->guarantee]);
	print_text(to, "", "algorithm", c->algorithm->name);
	print_text(to, "", "prefer", prefer_words[c->prefer]);
	print_preempt(to, c);
	if (c->guarantee == GUARANTEE_QUORUM)
		print_majority(to, c);
	if (c->neighbours_only)
		print_neighbours(to, settings);
	else if (has_nodes && c->nodes_count > 0)
		print_nodes(to, c, is_file);
	fprintf(to, "generation = %" PRIu32 ";\n",
	    is_file && c->discovers ? c->base_generation : c->generation);
	if (c->discovers)
		fputs("discovery = true;\n", to);
	print_topology(to, c);
	print_timing(to, c);
	print_choices(to, c);
}

void
settings_print_file(const struct settings *settings, FILE *to)
{
	print_shared(settings, to, true);
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

static void
print_own(const struct settings *settings, FILE *to)
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
	print_shared(settings, to, false);
	print_own(settings, to);
}
