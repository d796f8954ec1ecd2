/* SPDX-License-Identifier: ISC */
/* `explain` as text: each sentence begins a line. */
#include "daemon/electctl/electctl.h"

/* Why elections begin. The name of the node stands between the two parts. */
static const struct {
	const char *word;
	const char *before;
	const char *after;
} reasons[] = {
	{ "start", "", " is eligible and heard of no leader" },
	{ "died", "the process of ", ", the leader, had died" },
	{ "bye", "", ", the leader, said goodbye" },
	{ "missed", "the heartbeats of ", ", the leader, were missed" },
	{ "refused", "the host of ", ", the leader, refused datagrams" },
	{ "preempt", "a better node took over from ", "" },
	{ "merge", "two parts of the cluster met, one of them with ", "" },
	{ "forced", "an operator asked ", " for an election" },
	{ "stalled", "", ", the leader, was stalled for too long" },
	{ "refuted", "", ", the leader, had lost its latest incarnation" },
	{ "duplicate", "the id of ", ", the leader, was in use twice" },
	{ "lease", "the lease of ", ", the leader, was no longer renewed" },
	{ "quorum", "", " heard a majority of the voters again" },
	{ "state-file", "the state file of ",
	    ", the leader, could no longer be trusted" },
	{ "denied", "a vote request was denied: ",
	    " had promised that term or a later one" },
	{ "resigned", "an operator or a check wanted another leader than ",
	    "" },
	{ "removed", "by the settings ",
	    ", the leader, may not lead any more" },
	{ "no-carrier", "the cable of ", ", the leader, was pulled" },
	{ "alone", "",
	    ", which had resigned, stood again, since no other node did" },
};

static json_int_t
number(const json_t *object, const char *key)
{
	return json_integer_value(field(object, key));
}

const char *
plural(json_int_t count)
{
	return count == 1 ? "" : "s";
}

const char *
name_text(const json_t *answer, const char *id, char text[PLAIN_TEXT_MAX])
{
	const json_t *name = field(field(answer, "names"), id);

	plain_text(name, text);
	if (name == NULL || strcmp(text, id) == 0)
		snprintf(text, PLAIN_TEXT_MAX, "node %s", id);
	return text;
}

static void
add_name_of(struct line *line, const json_t *answer, const char *id)
{
	char text[PLAIN_TEXT_MAX];

	line_add(line, "%s", name_text(answer, id, text));
}

/* Ends a sentence, and with it the line. */
static void
print_sentence(struct line *line)
{
	line_add(line, ".");
	line_print(line);
}

const char *
reason_of_answer(const json_t *answer, char text[PLAIN_TEXT_MAX])
{
	const json_t *named = field(answer, "reason_name");
	char name[PLAIN_TEXT_MAX];
	char *colon;

	plain_text(field(answer, "reason"), text);
	colon = strchr(text, ':');
	if (colon == NULL)
		return text;
	name_text(answer, colon + 1, name);
	if (json_is_string(named) &&
	    strcmp(json_string_value(named), colon + 1) != 0)
		plain_text(named, name);
	snprintf(
	    colon + 1, PLAIN_TEXT_MAX - (size_t)(colon + 1 - text), "%s", name);
	return text;
}

static void
add_name(json_t *names, const json_t *node)
{
	char id[PLAIN_TEXT_MAX];

	json_object_set(names, plain_text(field(node, "id"), id),
	    json_object_get(node, "name"));
}

void
add_names(json_t *answer)
{
	const json_t *peers = field(answer, "peers");
	json_t *names = json_object();

	add_name(names, field(answer, "node"));
	for (size_t i = 0; i < json_array_size(peers); i++)
		add_name(names, json_array_get(peers, i));
	json_object_set_new(answer, "names", names);
}

static void
add_ms(struct line *line, const char *before, const json_t *ms)
{
	char text[ELAPSED_TEXT_MAX];

	line_add(
	    line, "%s%s", before, elapsed_text(json_number_value(ms), text));
}

void
line_add_kinds(struct line *line, json_t *kinds)
{
	const char *between = "";
	const char *key;
	json_t *count;

	json_object_foreach(kinds, key, count)
	{
		char name[PLAIN_TEXT_MAX];

		if (json_integer_value(count) == 0)
			continue;
		snprintf(name, sizeof(name), "%s", key);
		make_plain(name);
		line_add(line, "%s%" JSON_INTEGER_FORMAT " %s", between,
		    json_integer_value(count), name);
		between = ", ";
	}
	if (between[0] == '\0')
		line_add(line, "%s", "nothing");
}

/* True if it was decided the moment it began: its time is not shown. */
static bool
is_decided_at_once(const json_t *answer)
{
	return json_is_object(field(answer, "winner")) &&
	       json_array_size(field(answer, "phases")) == 1 &&
	       json_number_value(field(answer, "ms")) <= 0.0;
}

static void
print_outcome(const json_t *answer)
{
	struct line line = { .size = 0 };
	const json_t *winner = field(answer, "winner");
	char algorithm[PLAIN_TEXT_MAX], id[PLAIN_TEXT_MAX];

	plain_text(field(answer, "algorithm"), algorithm);
	line_add(
	    &line, "Term %" JSON_INTEGER_FORMAT ": ", number(answer, "term"));
	if (!json_is_object(winner)) {
		line_add(&line, "%s has not come to a decision at this node",
		    algorithm);
	} else if (!json_is_integer(field(answer, "leader"))) {
		line_add(&line, "no node is eligible, as %s found", algorithm);
	} else {
		add_name_of(&line, answer, plain_text(field(winner, "id"), id));
		line_add(&line, " won, elected by %s", algorithm);
	}
	if (json_is_object(winner) && !is_decided_at_once(answer))
		add_ms(&line, " in ", field(answer, "ms"));
	print_sentence(&line);
}

/* A reason is a word and perhaps the id of a node: "missed:5". */
static void
print_reason(const json_t *answer)
{
	struct line line = { .size = 0 };
	char reason[PLAIN_TEXT_MAX], evidence[PLAIN_TEXT_MAX];
	char named[PLAIN_TEXT_MAX];
	const char *colon;
	size_t size;

	plain_text(field(answer, "reason"), reason);
	colon = strchr(reason, ':');
	size = colon == NULL ? strlen(reason) : (size_t)(colon - reason);
	line_add(&line, "%s", "Why: ");
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (strlen(reasons[i].word) != size ||
		    strncmp(reasons[i].word, reason, size) != 0)
			continue;
		line_add(&line, "%s", reasons[i].before);
		if (colon == NULL)
			line_add(&line, "%s", "a node");
		else
			add_name_of(&line, answer, colon + 1);
		line_add(&line, "%s ", reasons[i].after);
	}
	line_add(&line, "(%s)", reason_of_answer(answer, named));
	if (json_is_string(field(answer, "evidence")))
		line_add(&line, "; its link to this node is down (%s)",
		    plain_text(field(answer, "evidence"), evidence));
	print_sentence(&line);
}

static void
print_part(const json_t *answer)
{
	struct line line = { .size = 0 };
	json_int_t links = number(answer, "links");
	json_int_t restarts = number(answer, "restarts");

	line_add(&line, "This node %s, with %" JSON_INTEGER_FORMAT " link%s",
	    json_is_true(field(answer, "starter")) ? "began it" : "joined it",
	    links, plural(links));
	if (restarts > 0)
		line_add(&line,
		    "; %" JSON_INTEGER_FORMAT
		    " election%s before it came to no decision",
		    restarts, plural(restarts));
	print_sentence(&line);
}

/* This node decided by itself if it began the election or won it. */
static void
print_at_once(const json_t *answer)
{
	bool is_own =
	    json_is_true(field(answer, "starter")) ||
	    json_equal(field(answer, "leader"), field(answer, "self"));

	puts(is_own ? "It decided at once." : "It heard the result at once.");
}

static void
print_phases(const json_t *answer)
{
	struct line line = { .size = 0 };
	const json_t *phases = field(answer, "phases");

	if (is_decided_at_once(answer)) {
		print_at_once(answer);
		return;
	}
	for (size_t i = 0; i < json_array_size(phases); i++) {
		const json_t *row = json_array_get(phases, i);
		char text[PLAIN_TEXT_MAX];

		line_add(&line, "%s%s", i == 0 ? "Its phases: " : ", ",
		    plain_text(field(row, "phase"), text));
		add_ms(&line, i == 0 ? " from " : " at ", field(row, "ms"));
	}
	if (json_array_size(phases) > 0)
		print_sentence(&line);
}

static void
print_messages(const json_t *answer)
{
	struct line line = { .size = 0 };
	line_add(&line, "%s", "It sent ");
	line_add_kinds(&line, json_object_get(answer, "sent"));
	line_add(&line, "%s", " and received ");
	line_add_kinds(&line, json_object_get(answer, "received"));
	print_sentence(&line);
}

void
print_explain(json_t *answer)
{
	print_outcome(answer);
	print_reason(answer);
	print_part(answer);
	print_phases(answer);
	print_messages(answer);
}
