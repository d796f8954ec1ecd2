/* SPDX-License-Identifier: ISC */
/* `explain` as text: each sentence begins a line. */
#include <stdio.h>

#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"

/* Why elections begin, by the first word of the reason. */
static const struct phrase reasons[] = {
	{ "start", "{who} is eligible and heard of no leader" },
	{ "died", "the process of {who}, the leader, had died" },
	{ "bye", "{who}, the leader, said goodbye" },
	{ "missed", "the heartbeats of {who}, the leader, were missed" },
	{ "refused", "the host of {who}, the leader, refused datagrams" },
	{ "preempt", "a better node took over from {who}" },
	{ "merge", "two parts of the cluster met, one of them with {who}" },
	{ "forced", "an operator asked {who} for an election" },
	{ "stalled", "{who}, the leader, was stalled for too long" },
	{ "refuted", "{who}, the leader, had lost its latest incarnation" },
	{ "duplicate", "the id of {who}, the leader, was in use twice" },
	{ "lease", "the lease of {who}, the leader, was no longer renewed" },
	{ "quorum", "{who} heard a majority of the voters again" },
	{ "state-file",
	    "the state file of {who}, the leader, could no longer be trusted" },
	{ "denied",
	    "a vote request was denied: {who} had promised that term or a later one" },
	{ "resigned",
	    "an operator or a check wanted another leader than {who}" },
	{ "removed", "by the settings {who}, the leader, may no longer lead" },
	{ "no-carrier", "the cable of {who}, the leader, was pulled" },
	{ "alone",
	    "{who}, which had resigned, stood again, since no other node did" },
	{ NULL, NULL },
};

static const char *const sentences[] = {
	"Term {term}: {outcome}[ in {took ms}].",
	"Why: [{why} ]({reason why})[; its link to this node is down ({evidence})].",
	"This node {starter?began it:joined it}, with {links} link{links s}[; {restarts} election{restarts s} before it came to no decision].",
	"[It {at_once} at once.|Its phases: {steps}.]",
	"It sent {sent kinds} and received {received kinds}.",
};

/* How it ended, and how long that took, unless it was decided the moment it
 * began: by this node, if it began the election or won it. */
static void
set_outcome(json_t *answer)
{
	bool has_winner = json_is_object(field(answer, "winner"));
	const json_t *leader = field(answer, "leader");
	struct line line = { .names = field(answer, "names") };

	line_fill(&line, answer,
	    !has_winner ? "{algorithm} has not come to a decision at this node"
	    : json_is_integer(leader)
		? "{winner.id node} won, elected by {algorithm}"
		: "no node is eligible, as {algorithm} found");
	set_text(answer, "outcome", line.text);
	if (!has_winner)
		return;
	if (json_array_size(field(answer, "phases")) != 1 ||
	    json_number_value(field(answer, "ms")) > 0.0)
		json_object_set(answer, "took", json_object_get(answer, "ms"));
	else
		set_text(answer, "at_once",
		    flag(answer, "starter") ||
			    json_equal(leader, field(answer, "self"))
			? "decided"
			: "heard the result");
}

/* A reason is a word and perhaps the id of a node: "missed:5". */
static void
set_why(json_t *answer)
{
	char reason[PLAIN_TEXT_MAX], name[PLAIN_TEXT_MAX];
	const char *who = "a node";
	json_t *said;
	char *colon;

	plain_text(field(answer, "reason"), reason);
	colon = strchr(reason, ':');
	if (colon != NULL) {
		*colon = '\0';
		who = name_text(field(answer, "names"), colon + 1, name);
	}
	said = json_pack("{s:s,s:s}", "word", reason, "who", who);
	set_phrase(answer, "why", said, "word", reasons);
	json_decref(said);
}

static void
set_steps(json_t *answer)
{
	const json_t *phases = field(answer, "phases"), *phase;
	struct line line = { .size = 0 };
	size_t i;

	json_array_foreach(phases, i, phase) line_fill(&line, phase,
	    i == 0 ? "{phase} from {ms ms}" : ", {phase} at {ms ms}");
	if (line.size > 0)
		set_text(answer, "steps", line.text);
}

void
print_explain(json_t *answer)
{
	set_outcome(answer);
	set_why(answer);
	set_steps(answer);
	if (number(answer, "restarts") == 0)
		json_object_del(answer, "restarts");
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		print_broken(answer, sentences[i]);
}
