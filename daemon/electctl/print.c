/* SPDX-License-Identifier: ISC */
/* Answers and events as text, except tables. */
#include "daemon/electctl/electctl.h"

#include <stdlib.h>

#include "daemon/control/protocol/trouble.h"

static const char *
text_of(const json_t *object, const char *key, char text[PLAIN_TEXT_MAX])
{
	return plain_text(json_object_get(object, key), text);
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
	json_int_t aside =
	    json_integer_value(json_object_get(answer, "on_standby"));
	char text[PLAIN_TEXT_MAX];

	if (json_is_object(leader))
		puts(text_of(leader, "name", text));
	else if (strcmp(text_of(answer, "state", text), "no-quorum") == 0)
		complain(
		    "no leader: no quorum; `electctl status` names the missing voters");
	else if (strcmp(text, "starting") == 0)
		complain(
		    "not known yet: this node has just started; --wait waits for a leader");
	else if (strcmp(text, "electing") == 0)
		complain("no leader: an election runs");
	else if (aside > 0)
		complain("no leader: no node is eligible, %" JSON_INTEGER_FORMAT
			 " on standby; `electctl status` names them",
		    aside);
	else
		complain(
		    "no leader: no node is eligible; `electctl status` has more");
}

void
print_is_leader(json_t *answer)
{
	puts(json_is_true(json_object_get(answer, "is_leader")) ? "yes" : "no");
}

/* Prints the leader. The exit status says that there is none, or a quorum. */
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
print_standby(json_t *answer)
{
	const json_t *leader = json_object_get(answer, "leader");
	char text[PLAIN_TEXT_MAX];

	if (json_is_object(leader))
		printf("this node is on standby; %s leads\n",
		    text_of(leader, "name", text));
	else
		puts("this node is on standby; no node leads");
}

void
print_rejoin(json_t *answer)
{
	const json_t *standby = json_object_get(answer, "standby");
	char text[PLAIN_TEXT_MAX];

	if (json_is_object(standby))
		printf("this node stays on standby: %s\n",
		    text_of(standby, "reason", text));
	else if (json_is_true(json_object_get(answer, "abstained")))
		puts("this node stands for election again");
	else
		puts("this node did not abstain");
}

void
print_reload(json_t *answer)
{
	const json_t *changed = json_object_get(answer, "changed");
	bool is_proposed = json_is_true(json_object_get(answer, "proposed"));
	bool is_older = json_is_true(json_object_get(answer, "older"));
	char text[PLAIN_TEXT_MAX];
	size_t i;
	json_t *line;

	if (is_older)
		puts(
		    "the file is older than the settings of the cluster, which stay in effect");
	if (is_proposed && json_is_null(json_object_get(answer, "leader")))
		puts(
		    "there is no leader now: this waits for one, which is to put it into effect, for all nodes");
	else if (is_proposed)
		puts("the leader is to put this into effect, for all nodes");
	else if (json_array_size(changed) == 0 && !is_older)
		puts("the file and its keys are already in effect");
	json_array_foreach(changed, i, line) printf("%s: %s\n",
	    is_proposed ? "proposed" : "changed", plain_text(line, text));
}

void
print_changed(json_t *answer)
{
	const json_t *file = field(answer, "file_generation");
	const json_t *generation = field(answer, "generation");
	const json_t *spare = field(answer, "spare");
	char word[PLAIN_TEXT_MAX], name[PLAIN_TEXT_MAX], id[PLAIN_TEXT_MAX];

	printf("%s %s (%s)", text_of(answer, "change", word),
	    text_of(answer, "name", name), text_of(answer, "id", id));
	printf(", generation %s", plain_text(generation, word));
	if (json_integer_value(file) < json_integer_value(generation))
		printf(
		    "; install a file with generation %s on all hosts: `electctl config` prints it",
		    word);
	if (json_is_integer(spare) && json_integer_value(spare) == 0)
		printf("; %s", trouble_meaning("no-spare"));
	putchar('\n');
}

/* A line may be long: each node of a ring is on one. */
void
print_config(json_t *answer)
{
	size_t i;
	json_t *line;

	json_array_foreach(field(answer, "lines"), i, line)
	{
		char *text =
		    strdup(json_is_string(line) ? json_string_value(line) : "");

		if (text == NULL) {
			complain("no memory for the settings");
			return;
		}
		make_plain(text);
		puts(text);
		free(text);
	}
}

void
print_version(json_t *answer)
{
	char text[PLAIN_TEXT_MAX];

	printf("electd %s\n", text_of(answer, "version", text));
}

/* One counter a line; nested counters only if they are not 0. */
static void
print_counters(const char *parent, json_t *counters)
{
	const char *key;
	json_t *value;

	json_object_foreach(counters, key, value)
	{
		char name[64], text[PLAIN_TEXT_MAX];

		snprintf(name, sizeof(name), "%s%s%s", parent,
		    parent[0] == '\0' ? "" : " ", key);
		make_plain(name);
		if (json_is_object(value))
			print_counters(name, value);
		else if (parent[0] == '\0' || json_integer_value(value) != 0)
			printf("%-24s %s\n", name, plain_text(value, text));
	}
}

static void
print_term_messages(json_t *last)
{
	struct line line = { .size = 0 };
	char name[64], term[PLAIN_TEXT_MAX];

	if (!json_is_integer(json_object_get(last, "term")))
		return;
	text_of(last, "term", term);
	snprintf(name, sizeof(name), "term %.20s, this node", term);
	line_add(&line, "%-24s ", name);
	line_add_kinds(&line, json_object_get(last, "self"));
	puts(line.text);
}

/* The uptime is not a counter: it comes first. The last term comes last. */
void
print_stats(json_t *answer)
{
	const json_t *uptime_ms = json_object_get(answer, "uptime_ms");
	json_t *last = json_incref(json_object_get(answer, "term_messages"));
	char text[ELAPSED_TEXT_MAX];

	printf("%-24s %s\n", "up",
	    elapsed_text(json_number_value(uptime_ms), text));
	json_object_del(answer, "uptime_ms");
	json_object_del(answer, "term_messages");
	print_counters("", answer);
	print_term_messages(last);
	json_decref(last);
}

static bool
has_id(const json_t *event, const char *key)
{
	return json_is_integer(json_object_get(event, key));
}

static void
print_field(const char *before, const json_t *event, const char *key)
{
	char text[PLAIN_TEXT_MAX];

	printf("%s%s", before, text_of(event, key, text));
}

/* The name of the node whose id is in the event. */
static void
print_node(const char *before, const json_t *event, const char *key)
{
	char id[PLAIN_TEXT_MAX], name[PLAIN_TEXT_MAX];

	printf("%s%s", before, name_text(event, text_of(event, key, id), name));
}

static void
print_state(const json_t *event)
{
	if (!has_id(event, "leader")) {
		fputs("no leader", stdout);
		return;
	}
	print_node("", event, "leader");
	print_field(" leads, term ", event, "term");
}

/* "four (was five), ", or the part of it that applies. */
static void
print_succession(const json_t *event)
{
	bool is_led = has_id(event, "leader");

	if (!is_led && !has_id(event, "previous"))
		return;
	if (is_led)
		print_node("", event, "leader");
	if (is_led && json_equal(json_object_get(event, "leader"),
			  json_object_get(event, "previous"))) {
		fputs(" again", stdout);
	} else if (is_led && has_id(event, "previous")) {
		print_node(" (was ", event, "previous");
		putchar(')');
	} else if (!is_led) {
		print_node("was ", event, "previous");
	}
	fputs(", ", stdout);
}

/* A reason needs no label: "term 2, missed:five". */
static void
print_election(const json_t *event)
{
	char reason[PLAIN_TEXT_MAX];

	print_field("term ", event, "term");
	printf(", %s", reason_of_answer(event, reason));
}

static void
print_change(const json_t *event)
{
	print_succession(event);
	print_election(event);
}

static json_int_t
messages_total(const json_t *event)
{
	json_t *messages = json_object_get(event, "messages");
	json_int_t total = 0;
	const char *key;
	json_t *count;

	json_object_foreach(messages, key, count) total +=
	    json_integer_value(count);
	return total;
}

static void
print_elected(const json_t *event)
{
	double ms = json_number_value(json_object_get(event, "ms"));
	json_int_t total = messages_total(event);
	char text[ELAPSED_TEXT_MAX];

	if (has_id(event, "leader"))
		print_node("", event, "leader");
	else
		fputs("no node", stdout);
	print_field(", term ", event, "term");
	if (total > 0)
		printf("; this node sent %" JSON_INTEGER_FORMAT
		       " message%s in %s",
		    total, plural(total), elapsed_text(ms, text));
}

static void
print_peer(const json_t *event)
{
	const json_t *on = json_object_get(event, "on");

	print_node("", event, "peer");
	if (json_is_string(json_object_get(event, "evidence")))
		print_field(", ", event, "evidence");
	if (on != NULL)
		printf(", %s", json_is_true(on) ? "begins" : "ends");
}

static void
print_quorum(const json_t *event)
{
	const json_t *on = json_object_get(event, "on");

	fputs(json_is_true(on) ? "reached, " : "lost, ", stdout);
	print_field("", event, "votes");
	print_field(" of ", event, "voters");
	print_field(" voters heard, ", event, "quorum");
	fputs(" needed", stdout);
}

static void
print_deadline(const json_t *event)
{
	double ms = json_number_value(json_object_get(event, "valid_ms"));
	char text[ELAPSED_TEXT_MAX];

	print_node("", event, "leader");
	printf(" leads for %s more", elapsed_text(ms, text));
	print_field(", term ", event, "term");
}

static void
print_state_file(const json_t *event)
{
	print_field("", event, "state_file");
	fputs(": this node neither votes nor stands for election", stdout);
}

static void
print_outside(const json_t *event)
{
	fputs(json_is_true(json_object_get(event, "on"))
		  ? "the settings of the other nodes do not name this node"
		  : "the settings of the other nodes name this node",
	    stdout);
}

static void
print_standby_event(const json_t *event)
{
	const json_t *reason = json_object_get(event, "standby_reason");
	bool is_on = json_is_true(json_object_get(event, "on"));

	print_node("", event, "node");
	fputs(is_on ? " is on standby" : " is on standby no more", stdout);
	if (json_is_string(reason))
		print_field(": ", event, "standby_reason");
}

static void
print_handover(const json_t *event)
{
	bool is_on = json_is_true(json_object_get(event, "on"));

	fputs(is_on ? "begins" : "ends", stdout);
}

static const struct {
	const char *name;
	void (*print)(const json_t *event);
} events[] = {
	{ "state", print_state },
	{ "leader", print_change },
	{ "deadline", print_deadline },
	{ "no-leader", print_change },
	{ "election", print_election },
	{ "elected", print_elected },
	{ "peer-up", print_peer },
	{ "peer-down", print_peer },
	{ "duplicate", print_peer },
	{ "differs", print_peer },
	{ "other-version", print_peer },
	{ "other-key", print_peer },
	{ "outside", print_outside },
	{ "quorum", print_quorum },
	{ "memory", print_state_file },
	{ "standby", print_standby_event },
	{ "handover", print_handover },
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
