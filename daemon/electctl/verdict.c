/* SPDX-License-Identifier: ISC */
/* The first line of `status`: the verdict and its reasons. */
#include "daemon/electctl/electctl.h"

#define TROUBLES_SHOWN 5 /* at most, so that the verdict stands out */

static const struct {
	const char *name;        /* in the answer */
	const char *word;        /* as text */
	enum control_code check; /* the exit status of monitoring plugins */
} verdicts[] = {
	{ "ok", "OK", 0 }, { "degraded", "DEGRADED", 1 },
	{ "starting", "STARTING", 1 }, { "no-leader", "NO LEADER", 2 },
	{ "outside", "OUTSIDE", 2 }, { "split", "SPLIT", 2 },
	{ NULL, "UNKNOWN", 3 }, /* the daemon is of another version */
};

static size_t
verdict_find(const json_t *answer)
{
	size_t i = 0;

	while (verdicts[i].name != NULL &&
	       !is_word(answer, "verdict", verdicts[i].name))
		i++;
	return i;
}

/* Adds how many nodes are up; or, if not all are neighbours, how many links. */
static void
add_reach(struct line *line, const json_t *answer)
{
	const json_t *peers = field(answer, "peers");
	json_int_t up = json_integer_value(field(answer, "reachable"));
	json_int_t all = json_integer_value(field(answer, "nodes"));
	bool is_full = is_word(answer, "topology", "full");

	if (!is_full)
		up = all = 0;
	for (size_t i = 0; !is_full && i < json_array_size(peers); i++) {
		const json_t *peer = json_array_get(peers, i);

		if (!json_is_true(field(peer, "neighbour")))
			continue;
		all++;
		up += json_is_true(field(peer, "up"));
	}
	line_add(line,
	    "%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " %s%s up", up,
	    all, is_full ? "node" : "link", plural(all));
}

/* Adds the troubles; if `is_split`, only of nodes that may have a leader of
 * their own. */
static void
add_troubles(
    struct line *line, const json_t *answer, bool is_split, const char *before)
{
	const json_t *troubles = field(answer, "troubles");
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < json_array_size(troubles); i++) {
		const json_t *trouble = json_array_get(troubles, i);

		if (is_split && !is_word(trouble, "why", "differs") &&
		    !is_word(trouble, "why", "other-version") &&
		    !is_word(trouble, "why", "other-key"))
			continue;
		if (shown == TROUBLES_SHOWN) {
			left++;
			continue;
		}
		line_add(line, "%s", shown++ == 0 ? before : ", ");
		line_add_trouble(line, answer, trouble);
	}
	if (left > 0)
		line_add(line, " and %zu more", left);
}

/* How many nodes are on standby, by their last word. */
static json_int_t
nodes_aside(const json_t *answer)
{
	const json_t *peers = field(answer, "peers");
	json_int_t count =
	    json_is_object(field(field(answer, "node"), "standby"));

	for (size_t i = 0; i < json_array_size(peers); i++)
		count +=
		    json_is_object(field(json_array_get(peers, i), "standby"));
	return count;
}

static void
add_no_leader(struct line *line, const json_t *answer)
{
	const json_t *quorum = field(answer, "quorum");
	json_int_t votes = json_integer_value(field(quorum, "votes"));
	json_int_t needed = json_integer_value(field(quorum, "quorum"));
	json_int_t voters = json_integer_value(field(quorum, "voters"));
	json_int_t aside = nodes_aside(answer);

	if (votes < needed)
		line_add(line,
		    "no quorum: %" JSON_INTEGER_FORMAT
		    " of %" JSON_INTEGER_FORMAT " voters, %" JSON_INTEGER_FORMAT
		    " needed",
		    votes, voters, needed);
	else if (is_word(answer, "state", "no-leader") && aside > 0)
		line_add(line,
		    "no node is eligible, %" JSON_INTEGER_FORMAT " on standby",
		    aside);
	else if (is_word(answer, "state", "no-leader"))
		line_add(line, "no node is eligible");
	else
		line_add(line, "an election runs");
	add_troubles(line, answer, false, "; ");
}

static void
add_outside(struct line *line, const json_t *answer)
{
	const json_t *by = field(field(answer, "node"), "removed_by");

	if (json_is_integer(by))
		line_add(line,
		    "this host was removed from the cluster by generation %" JSON_INTEGER_FORMAT
		    ": stop electd here",
		    json_integer_value(by));
	else
		line_add(line,
		    "the settings of the other nodes do not name this host: install its file there, too");
}

static void
add_leader_and_reach(struct line *line, const json_t *answer)
{
	const json_t *leader = field(answer, "leader");
	char name[PLAIN_TEXT_MAX];

	line_add(line, "%s leads, ", plain_text(field(leader, "name"), name));
	add_reach(line, answer);
	add_troubles(line, answer, false, "; ");
}

void
line_add_verdict(struct line *line, const json_t *answer)
{
	const char *word = verdicts[verdict_find(answer)].word;

	line_add(line, "%s  ", word);
	if (is_word(answer, "verdict", "split")) {
		add_troubles(line, answer, true, "");
		line_add(line, ": two leaders are possible");
	} else if (is_word(answer, "verdict", "starting")) {
		line_add(line,
		    "this node has just started and listens for a leader");
	} else if (is_word(answer, "verdict", "outside")) {
		add_outside(line, answer);
	} else if (json_is_object(field(answer, "leader"))) {
		add_leader_and_reach(line, answer);
	} else {
		add_no_leader(line, answer);
	}
}

/* Monitoring takes one line, of any length. */
static void
print_verdict(json_t *answer)
{
	struct line line = { .size = 0 };

	line_add_verdict(&line, answer);
	puts(line.text);
}

static enum control_code
judge_verdict(const json_t *answer)
{
	return verdicts[verdict_find(answer)].check;
}

/*
 * Says why there is no verdict. Without an answer, programs on this host cannot
 * use the cluster: that is critical. Other errors say nothing about it.
 */
static enum control_code
explain_check(
    const struct options *options, enum control_code code, const char *why)
{
	bool is_unreachable = code == CODE_UNREACHABLE;

	if (options->is_quiet || options->output != OUTPUT_TEXT)
		complain("%s", why);
	else
		printf("%s  %s\n", is_unreachable ? "UNREACHABLE" : "UNKNOWN",
		    why);
	return is_unreachable ? 2 : 3;
}

enum control_code
run_status(const struct command *command, const struct options *options)
{
	struct command check = *command;
	enum control_code code;
	const char *why;

	if (!options->wants_check)
		return run_query(command, options);
	check.print = print_verdict;
	check.judge = judge_verdict;
	complain_hold();
	code = run_query(&check, options);
	why = complain_held();
	return why == NULL ? code : explain_check(options, code, why);
}
