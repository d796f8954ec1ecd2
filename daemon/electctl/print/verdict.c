/* SPDX-License-Identifier: ISC */
/* The first line of `status`: the verdict and its reasons. */
#include <stdio.h>

#include "daemon/control/protocol/trouble.h"
#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"

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
	json_int_t up = 0, all = 0;
	json_t *peer;
	size_t i;

	if (is_word(answer, "topology", "full")) {
		line_fill(
		    line, answer, "{reachable} of {nodes} node{nodes s} up");
		return;
	}
	json_array_foreach(field(answer, "peers"), i, peer)
	{
		all += flag(peer, "neighbour");
		up += flag(peer, "neighbour") && flag(peer, "up");
	}
	line_add(line,
	    "%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " link%s up",
	    up, all, plural(all));
}

/* The peer that has the trouble; NULL: it is this node itself. */
static const json_t *
peer_in(const json_t *answer, const json_t *trouble)
{
	const json_t *peer;
	size_t i;

	json_array_foreach(field(answer, "peers"), i, peer)
	{
		if (json_equal(field(peer, "id"), field(trouble, "id")))
			return peer;
	}
	return NULL;
}

/* Adds what is wrong, and that the peer seems to use another key. */
static void
add_why(struct line *line, const json_t *answer, const json_t *trouble)
{
	const json_t *peer = peer_in(answer, trouble);
	char why[PLAIN_TEXT_MAX];
	const char *meaning =
	    trouble_meaning(plain_text(field(trouble, "why"), why));

	if (meaning != NULL) {
		line_add(line, "%s", meaning);
		if (is_word(trouble, "why", "no-carrier"))
			line_fill(line, answer, " on {node.no_carrier_on}");
		return;
	}
	line_add(line, "down");
	line_fill(line, peer, "[ for {since_ms ms}]");
	line_add(line, ": %s", why);
	if (flag(peer, "other_key"))
		line_add(line, "; %s", trouble_meaning("other-key"));
}

/* Adds the troubles, "three (down for 3.0 s: died)"; if `is_split`, only of
 * nodes that may have a leader of their own. */
static void
add_troubles(
    struct line *line, const json_t *answer, bool is_split, const char *before)
{
	size_t i, shown = 0, left = 0;
	const json_t *trouble;

	json_array_foreach(field(answer, "troubles"), i, trouble)
	{
		if (is_split && !is_word(trouble, "why", "differs") &&
		    !is_word(trouble, "why", "other-version") &&
		    !is_word(trouble, "why", "other-key"))
			continue;
		if (shown == TROUBLES_SHOWN) {
			left++;
			continue;
		}
		line_add(line, "%s", shown++ == 0 ? before : ", ");
		line_fill(line, trouble, "[{name} (]");
		add_why(line, answer, trouble);
		if (!json_is_null(field(trouble, "name")))
			line_add(line, ")");
	}
	if (left > 0)
		line_add(line, " and %zu more", left);
}

/* How many nodes are on standby, by their last word. */
static json_int_t
nodes_aside(const json_t *answer)
{
	json_int_t count =
	    json_is_object(field(field(answer, "node"), "standby"));
	const json_t *peer;
	size_t i;

	json_array_foreach(field(answer, "peers"), i, peer) count +=
	    json_is_object(field(peer, "standby"));
	return count;
}

static void
add_no_leader(struct line *line, const json_t *answer)
{
	const json_t *quorum = field(answer, "quorum");
	json_int_t aside = nodes_aside(answer);

	if (number(quorum, "votes") < number(quorum, "quorum"))
		line_fill(line, quorum,
		    "no quorum: {votes} of {voters} voters, {quorum} needed");
	else if (!is_word(answer, "state", "no-leader"))
		line_add(line, "an election runs");
	else if (aside > 0)
		line_add(line,
		    "no node is eligible, %" JSON_INTEGER_FORMAT " on standby",
		    aside);
	else
		line_add(line, "no node is eligible");
	add_troubles(line, answer, false, "; ");
}

static void
add_verdict(struct line *line, const json_t *answer)
{
	line_add(line, "%s  ", verdicts[verdict_find(answer)].word);
	if (is_word(answer, "verdict", "split")) {
		add_troubles(line, answer, true, "");
		line_add(line, ": two leaders are possible");
	} else if (is_word(answer, "verdict", "starting")) {
		line_add(line,
		    "this node has just started and listens for a leader");
	} else if (is_word(answer, "verdict", "outside")) {
		line_fill(line, answer,
		    "[this host was removed from the cluster by generation {node.removed_by}: stop electd here|the settings of the other nodes do not name this host: install its file there, too]");
	} else if (json_is_object(field(answer, "leader"))) {
		line_fill(line, answer, "{leader.name} leads, ");
		add_reach(line, answer);
		add_troubles(line, answer, false, "; ");
	} else {
		add_no_leader(line, answer);
	}
}

void
print_verdict(json_t *answer)
{
	struct line line = { .size = 0 };

	add_verdict(&line, answer);
	puts(line.text);
}

void
print_verdict_line(const json_t *answer)
{
	struct line line = { .size = 0 };

	add_verdict(&line, answer);
	line_print(&line);
}

enum control_code
judge_verdict(const json_t *answer)
{
	return verdicts[verdict_find(answer)].check;
}
