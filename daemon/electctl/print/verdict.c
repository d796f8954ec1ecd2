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
	const char *text; /* of its reasons; NULL: whether there is a leader */
} verdicts[] = {
	{ "ok", "OK", 0, NULL }, { "degraded", "DEGRADED", 1, NULL },
	{ "starting", "STARTING", 1,
	    "this node has just started and listens for a leader" },
	{ "no-leader", "NO LEADER", 2, NULL },
	{ "outside", "OUTSIDE", 2,
	    "[this host was removed from the cluster by config version {node.removed_by}: stop electd here|the settings of the other nodes do not name this host: install its file there, too]" },
	{ "split", "SPLIT", 2, "{dividing}: two leaders are possible" },
	{ NULL, "UNKNOWN", 3, NULL }, /* the daemon is of another version */
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

/* How many nodes are up; or, if not all are neighbours, how many links. */
static void
set_reach(json_t *answer)
{
	json_int_t up = 0, all = 0;
	json_t *peer;
	size_t i;

	if (is_word(answer, "topology", "full"))
		return;
	json_array_foreach(field(answer, "peers"), i, peer)
	{
		all += flag(peer, "neighbour");
		up += flag(peer, "neighbour") && flag(peer, "up");
	}
	json_object_set_new(
	    answer, "links", json_pack("{s:I,s:I}", "up", up, "all", all));
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

/* What is wrong, and that the peer seems to use another key. */
static void
set_what(const json_t *answer, json_t *trouble)
{
	const json_t *peer = peer_in(answer, trouble);
	struct line line = { .size = 0 };
	char why[PLAIN_TEXT_MAX];
	const char *meaning =
	    trouble_meaning(plain_text(field(trouble, "why"), why));

	if (meaning == NULL) {
		line_fill(&line, peer, "down[ for {since_ms ms}]: ");
		line_add(&line, "%s", why);
		if (flag(peer, "other_key"))
			line_add(&line, "; %s", trouble_meaning("other-key"));
	} else {
		line_add(&line, "%s", meaning);
		if (is_word(trouble, "why", "no-carrier"))
			line_fill(&line, answer, " on {node.no_carrier_on}");
	}
	set_text(trouble, "what", line.text);
}

/* True if the node may have a leader of its own. */
static bool
divides(const json_t *trouble)
{
	return is_word(trouble, "why", "differs") ||
	       is_word(trouble, "why", "other-version") ||
	       is_word(trouble, "why", "other-key");
}

/* The troubles: "three (down for 3.0 s: died), four (does not vote)". */
static void
set_troubles(json_t *answer)
{
	static const char text[] = "[{name} ({what})|{what}]";
	const json_t *troubles = field(answer, "troubles");
	json_t *trouble;
	size_t i;

	json_array_foreach(troubles, i, trouble) set_what(answer, trouble);
	set_list(answer, "wrong", troubles, NULL, TROUBLES_SHOWN, text);
	set_list(answer, "dividing", troubles, divides, TROUBLES_SHOWN, text);
}

/* How many nodes are on standby, as each said last, if there are any. */
static void
set_on_standby(json_t *answer)
{
	json_int_t count =
	    json_is_object(field(field(answer, "node"), "standby"));
	const json_t *peer;
	size_t i;

	json_array_foreach(field(answer, "peers"), i, peer) count +=
	    json_is_object(field(peer, "standby"));
	if (count > 0)
		json_object_set_new(answer, "on_standby", json_integer(count));
}

static bool
runs_another(const json_t *peer)
{
	return flag(peer, "runs_another");
}

/* The peers that run another release than this node, as in the midst of an
 * upgrade. That is no trouble. */
static void
set_releases(json_t *answer)
{
	const json_t *ours = field(answer, "version");
	json_t *peer;
	size_t i;

	json_array_foreach(field(answer, "peers"), i, peer)
	{
		const json_t *theirs = field(peer, "version");

		if (json_is_string(theirs) && !json_equal(theirs, ours))
			json_object_set_new(peer, "runs_another", json_true());
	}
	set_list(answer, "releases", field(answer, "peers"), runs_another,
	    TROUBLES_SHOWN, "{name} runs electd {version}");
}

static const char *
leader_text(const json_t *answer)
{
	const json_t *quorum = field(answer, "quorum");

	if (json_is_object(field(answer, "leader")))
		return "{leader.name} leads, [{links.up} of {links.all} link{links.all s} up|{reachable} of {nodes} node{nodes s} up]";
	if (number(quorum, "votes") < number(quorum, "quorum"))
		return "no quorum: {quorum.votes} of {quorum.voters} voters, {quorum.quorum} needed";
	return is_word(answer, "state", "no-leader")
		   ? "no node is eligible[, {on_standby} on standby]"
		   : "an election runs";
}

static void
add_verdict(struct line *line, json_t *answer)
{
	size_t at = verdict_find(answer);

	set_reach(answer);
	set_troubles(answer);
	set_on_standby(answer);
	set_releases(answer);
	line_add(line, "%s  ", verdicts[at].word);
	if (verdicts[at].text != NULL) {
		line_fill(line, answer, verdicts[at].text);
	} else {
		line_fill(line, answer, leader_text(answer));
		line_fill(line, answer, "[; {wrong}][; {releases}]");
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
print_verdict_line(json_t *answer)
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
