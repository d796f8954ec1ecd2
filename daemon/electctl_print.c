/* SPDX-License-Identifier: ISC */
/* Answers and events for people, but for the tables. */
#include "daemon/electctl.h"

#include <ctype.h>

static const char *
text_of(const json_t *object, const char *key, char text[PLAIN_TEXT_MAX])
{
	return plain_text(json_object_get(object, key), text);
}

const char *
plain_text(const json_t *value, char text[PLAIN_TEXT_MAX])
{
	const char *from = json_string_value(value);
	size_t i;

	if (json_is_integer(value)) {
		snprintf(text, PLAIN_TEXT_MAX, "%" JSON_INTEGER_FORMAT,
		    json_integer_value(value));
		return text;
	}
	if (from == NULL)
		from = "-";
	for (i = 0; from[i] != '\0' && i < PLAIN_TEXT_MAX - 1; i++)
		text[i] = iscntrl((unsigned char)from[i]) ? '?' : from[i];
	text[i] = '\0';
	return text;
}

const char *
elapsed_text(double ms, char text[ELAPSED_TEXT_MAX])
{
	unsigned long long s = (unsigned long long)(ms / 1000.0);

	if (ms < 1000.0)
		snprintf(text, ELAPSED_TEXT_MAX, "%.1f ms", ms);
	else if (s < 60)
		snprintf(text, ELAPSED_TEXT_MAX, "%.1f s", ms / 1000.0);
	else if (s < 3600)
		snprintf(text, ELAPSED_TEXT_MAX, "%llum%llus", s / 60, s % 60);
	else if (s < 86400)
		snprintf(text, ELAPSED_TEXT_MAX, "%lluh%llum", s / 3600,
		    s / 60 % 60);
	else
		snprintf(text, ELAPSED_TEXT_MAX, "%llud%lluh", s / 86400,
		    s / 3600 % 24);
	return text;
}

void
print_leader(json_t *answer)
{
	const json_t *leader = json_object_get(answer, "leader");
	char text[PLAIN_TEXT_MAX];

	if (json_is_object(leader))
		puts(text_of(leader, "name", text));
	else
		complain("no leader: this node is %s",
		    text_of(answer, "state", text));
}

void
print_is_leader(json_t *answer)
{
	puts(json_is_true(json_object_get(answer, "is_leader")) ? "yes" : "no");
}

/* The leader that was waited for; that there is none says the exit code. */
void
print_wait(json_t *answer)
{
	if (json_is_object(json_object_get(answer, "leader")))
		print_leader(answer);
}

void
print_elect(json_t *answer)
{
	char text[PLAIN_TEXT_MAX];

	printf("election started, term %s\n", text_of(answer, "term", text));
}

void
print_version(json_t *answer)
{
	char text[PLAIN_TEXT_MAX];

	printf("electd %s\n", text_of(answer, "version", text));
}

/* One counter a line; of those below a key, only the ones that count. */
static void
print_counters(const char *parent, json_t *counters)
{
	const char *key;
	json_t *value;
	char name[64];

	json_object_foreach(counters, key, value)
	{
		snprintf(name, sizeof(name), "%s%s%s", parent,
		    parent[0] == '\0' ? "" : " ", key);
		if (json_is_object(value))
			print_counters(name, value);
		else if (parent[0] == '\0' || json_integer_value(value) != 0)
			printf("%-24s %" JSON_INTEGER_FORMAT "\n", name,
			    json_integer_value(value));
	}
}

void
print_stats(json_t *answer)
{
	print_counters("", answer);
}

static void
print_node(const json_t *event)
{
	char text[PLAIN_TEXT_MAX];

	if (json_is_integer(json_object_get(event, "leader")))
		printf("node %s", text_of(event, "leader", text));
	else
		fputs("nobody", stdout);
}

static void
print_change(const json_t *event)
{
	char text[PLAIN_TEXT_MAX];

	print_node(event);
	if (json_is_integer(json_object_get(event, "previous")))
		printf(" after node %s", text_of(event, "previous", text));
	printf(", term %s", text_of(event, "term", text));
	printf(", reason %s", text_of(event, "reason", text));
}

static void
print_election(const json_t *event)
{
	char text[PLAIN_TEXT_MAX];

	printf("term %s", text_of(event, "term", text));
	printf(", reason %s", text_of(event, "reason", text));
}

static void
print_elected(const json_t *event)
{
	json_t *messages = json_object_get(event, "messages");
	char text[PLAIN_TEXT_MAX];
	json_int_t total = 0;
	const char *key;
	json_t *count;

	json_object_foreach(messages, key, count) total +=
	    json_integer_value(count);
	print_node(event);
	printf(", term %s", text_of(event, "term", text));
	printf(", %" JSON_INTEGER_FORMAT " messages sent in %s", total,
	    elapsed_text(
		json_number_value(json_object_get(event, "ms")), text));
}

static void
print_peer(const json_t *event)
{
	const json_t *on = json_object_get(event, "on");
	char text[PLAIN_TEXT_MAX];

	printf("node %s", text_of(event, "peer", text));
	if (json_is_string(json_object_get(event, "evidence")))
		printf(", %s", text_of(event, "evidence", text));
	if (on != NULL)
		printf(", %s", json_is_true(on) ? "begins" : "ends");
}

static const struct {
	const char *name;
	void (*print)(const json_t *event);
} events[] = {
	{ "state", print_change },
	{ "leader", print_change },
	{ "no-leader", print_change },
	{ "election", print_election },
	{ "elected", print_elected },
	{ "peer-up", print_peer },
	{ "peer-down", print_peer },
	{ "duplicate", print_peer },
	{ "differs", print_peer },
};

void
print_event(json_t *event)
{
	char text[PLAIN_TEXT_MAX];

	printf("%s", text_of(event, "time", text));
	printf(" %s", text_of(event, "event", text));
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (strcmp(events[i].name, text) == 0) {
			fputs(": ", stdout);
			events[i].print(event);
		}
	}
	putchar('\n');
}
