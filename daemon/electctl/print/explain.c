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
	{ "removed",
	    "by the settings {who}, the leader, may not lead any more" },
	{ "no-carrier", "the cable of {who}, the leader, was pulled" },
	{ "alone",
	    "{who}, which had resigned, stood again, since no other node did" },
	{ NULL, NULL },
};

/* True if it was decided the moment it began: its time is not shown. */
static bool
is_decided_at_once(const json_t *answer)
{
	return json_is_object(field(answer, "winner")) &&
	       json_array_size(field(answer, "phases")) == 1 &&
	       json_number_value(field(answer, "ms")) <= 0.0;
}

/* Ends the sentence that the text begins, and with it the line. */
static void
print_sentence(struct line *line, const json_t *answer, const char *text)
{
	line_fill(line, answer, text);
	line_add(line, ".");
	line_print(line);
}

static void
print_outcome(const json_t *answer)
{
	struct line line = { .names = field(answer, "names") };
	bool has_winner = json_is_object(field(answer, "winner"));

	line_fill(&line, answer, "Term {term}: ");
	if (!has_winner)
		line_fill(&line, answer,
		    "{algorithm} has not come to a decision at this node");
	else if (!json_is_integer(field(answer, "leader")))
		line_fill(
		    &line, answer, "no node is eligible, as {algorithm} found");
	else
		line_fill(&line, answer,
		    "{winner.id node} won, elected by {algorithm}");
	print_sentence(&line, answer,
	    has_winner && !is_decided_at_once(answer) ? " in {ms ms}" : "");
}

/* A reason is a word and perhaps the id of a node: "missed:5". */
static void
print_reason(const json_t *answer)
{
	struct line line = { .names = field(answer, "names") };
	char reason[PLAIN_TEXT_MAX], name[PLAIN_TEXT_MAX];
	const char *who = "a node";
	json_t *said;
	char *colon;

	plain_text(field(answer, "reason"), reason);
	colon = strchr(reason, ':');
	if (colon != NULL) {
		*colon = '\0';
		who = name_text(line.names, colon + 1, name);
	}
	said = json_pack("{s:s,s:s}", "word", reason, "who", who);
	line_add(&line, "Why: ");
	if (line_fill_phrase(&line, said, "word", reasons))
		line_add(&line, " ");
	json_decref(said);
	print_sentence(&line, answer,
	    "({reason why})[; its link to this node is down ({evidence})]");
}

static void
print_part(const json_t *answer)
{
	struct line line = { .size = 0 };

	line_fill(&line, answer,
	    "This node {starter?began it:joined it}, with {links} link{links s}");
	print_sentence(&line, answer,
	    number(answer, "restarts") > 0
		? "; {restarts} election{restarts s} before it came to no decision"
		: "");
}

static void
print_phases(const json_t *answer)
{
	struct line line = { .size = 0 };
	json_t *phases = json_object_get(answer, "phases");

	if (is_decided_at_once(answer)) {
		/* This node decided by itself if it began the election or won
		 * it. */
		puts(flag(answer, "starter") ||
			     json_equal(
				 field(answer, "leader"), field(answer, "self"))
			 ? "It decided at once."
			 : "It heard the result at once.");
		return;
	}
	if (json_array_size(phases) == 0)
		return;
	line_fill(&line, phases, "Its phases: {0.phase} from {0.ms ms}");
	for (size_t i = 1; i < json_array_size(phases); i++)
		line_fill(
		    &line, json_array_get(phases, i), ", {phase} at {ms ms}");
	print_sentence(&line, answer, "");
}

void
print_explain(json_t *answer)
{
	struct line messages = { .size = 0 };

	print_outcome(answer);
	print_reason(answer);
	print_part(answer);
	print_phases(answer);
	print_sentence(&messages, answer,
	    "It sent {sent kinds} and received {received kinds}");
}
