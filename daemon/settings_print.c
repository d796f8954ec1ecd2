/* SPDX-License-Identifier: ISC */
#include "daemon/settings.h"

#include "daemon/settings_value.h"

/* Writes a string as libconfig reads it. */
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

/* Writes `name = "text";` behind an indent; NULL as "". */
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

static void
print_nodes(FILE *to, const struct settings *settings)
{
	fputs("nodes = (\n", to);
	for (size_t i = 0; i < settings->nodes_count; i++) {
		const struct node_settings *node = &settings->nodes[i];

		fprintf(to,
		    "  { id = %u; name = \"%s\"; address = \"%s\"; "
		    "priority = %d; role = \"%s\"; }%s\n",
		    node->id, node->name, node->address, node->priority,
		    role_words[node->role],
		    i + 1 < settings->nodes_count ? "," : "");
	}
	fputs(");\n", to);
}

static void
print_groups(FILE *to, const struct settings *settings)
{
	fprintf(to, "topology = {\n  kind = \"%s\";\n};\n",
	    topology_words[settings->topology]);
	fputs("timing = {\n", to);
	print_duration(to, "heartbeat", settings->heartbeat);
	fprintf(to, "  misses = %u;\n", settings->misses);
	print_duration(to, "lease", settings->lease);
	print_duration(to, "startup", settings->startup);
	fputs("};\nsecurity = {\n", to);
	print_text(to, "  ", "key_file", settings->key_file);
	print_text(to, "  ", "old_key_file", settings->old_key_file);
	fputs("};\ncontrol = {\n", to);
	print_text(to, "  ", "socket", settings->socket);
	print_text(to, "  ", "group", settings->group);
	fputs("};\n", to);
}

void
settings_print(const struct settings *settings, FILE *to)
{
	print_text(to, "", "cluster", settings->cluster);
	print_text(to, "", "guarantee", guarantee_name(settings->guarantee));
	print_text(to, "", "algorithm", settings->algorithm->name);
	print_text(to, "", "prefer", prefer_words[settings->prefer]);
	print_preempt(to, settings);
	if (settings->id != NODE_NONE)
		fprintf(to, "id = %u;\n", settings->id);
	if (settings->listen[0] != '\0')
		print_text(to, "", "listen", settings->listen);
	print_nodes(to, settings);
	print_groups(to, settings);
	print_text(to, "", "state_dir", settings->state_dir);
}
