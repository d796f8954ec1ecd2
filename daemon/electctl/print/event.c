/* SPDX-License-Identifier: ISC */
/* Events, and answers of one line, as text. */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/control/protocol/trouble.h"
#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"

/* Why there is no leader, by the state of the node. */
static const struct phrase absences[] = {
	{ "no-quorum",
	    "no leader: no quorum; `electctl status` names the missing voters" },
	{ "starting",
	    "not known yet: this node has just started; --wait waits for a leader" },
	{ "electing", "no leader: an election runs" },
	{ NULL, NULL },
};

void
print_leader(json_t *answer)
{
	struct line line = { .size = 0 };

	if (json_is_object(field(answer, "leader"))) {
		print_text(answer, "{leader.name}");
		return;
	}
	if (!line_fill_phrase(&line, answer, "state", absences))
		line_fill(&line, answer,
		    number(answer, "on_standby") > 0
			? "no leader: no node is eligible, {on_standby} on standby; `electctl status` names them"
			: "no leader: no node is eligible; `electctl status` has more");
	complain("%s", line.text);
}

/* Prints the leader. The exit status says that there is none, or a quorum. */
void
print_wait(json_t *answer)
{
	if (json_is_object(field(answer, "leader")))
		print_leader(answer);
}

void
print_reload(json_t *answer)
{
	const json_t *changed = field(answer, "changed");
	bool is_proposed = flag(answer, "proposed");
	bool is_older = flag(answer, "older");
	size_t i;
	json_t *line;

	if (is_older)
		puts(
		    "the file is older than the settings of the cluster, which stay in effect");
	if (is_proposed && json_is_null(field(answer, "leader")))
		puts(
		    "there is no leader now: this waits for one, which is to put it into effect, for all nodes");
	else if (is_proposed)
		puts("the leader is to put this into effect, for all nodes");
	else if (json_array_size(changed) == 0 && !is_older)
		puts("the file and its keys are already in effect");
	json_array_foreach(changed, i, line)
	    print_text(line, is_proposed ? "proposed: {}" : "changed: {}");
}

void
print_changed(json_t *answer)
{
	const json_t *spare = field(answer, "spare");
	struct line line = { .size = 0 };

	line_fill(&line, answer,
	    "{change} {name} ({id}), config version {config_version}");
	if (number(answer, "file_config_version") <
	    number(answer, "config_version"))
		line_fill(&line, answer,
		    "; install a file with config version {config_version} on all hosts: `electctl config` prints it");
	if (json_is_integer(spare) && json_integer_value(spare) == 0)
		line_add(&line, "; %s", trouble_meaning("no-spare"));
	puts(line.text);
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

#define PEER     "{peer node}[, {evidence}][, {on?begins:ends}]"
#define ELECTION "term {term}, {reason why}"
#define CHANGE                                                                 \
	"[{leader node}[{again? again:}][ (was {previous node})], |was {previous node}, ]term {term}, {reason why}"

static const struct phrase events[] = {
	{ "state", "[{leader node} leads, term {term}|no leader]" },
	{ "leader", CHANGE },
	{ "deadline",
	    "{leader node} leads for {valid_ms ms} more, term {term}" },
	{ "no-leader", CHANGE },
	{ "election", ELECTION },
	{ "elected",
	    "[{leader node}|no node], term {term}[; this node sent {total} message{total s} in {ms ms}]" },
	{ "peer-up", PEER },
	{ "peer-down", PEER },
	{ "duplicate", PEER },
	{ "differs", PEER },
	{ "other-version", PEER },
	{ "other-key", PEER },
	{ "outside",
	    "the settings of the other nodes {on?do not name:name} this node" },
	{ "quorum",
	    "{on?reached:lost}, {votes} of {voters} voters heard, {quorum} needed" },
	{ "memory",
	    "{state_file}: this node neither votes nor stands for election" },
	{ "standby",
	    "{node node} is {on?:no longer }on standby[: {standby_reason}]" },
	{ "handover", "{on?begins:ends}" },
	{ NULL, NULL },
};

/* Gives an event what its text needs beside its own members. */
static void
complete(json_t *event)
{
	json_int_t total = 0;
	const char *key;
	json_t *count;

	json_object_foreach(json_object_get(event, "messages"), key, count)
	    total += json_integer_value(count);
	if (total > 0)
		json_object_set_new(event, "total", json_integer(total));
	if (json_is_integer(field(event, "leader")) &&
	    json_equal(field(event, "leader"), field(event, "previous"))) {
		json_object_set_new(event, "again", json_true());
		json_object_del(event, "previous");
	}
}

void
print_event(json_t *event)
{
	struct line line = { .names = field(event, "names") };

	complete(event);
	line_fill(&line, event, "{time} {event}: ");
	if (!line_fill_phrase(&line, event, "event", events))
		line.text[line.size - strlen(": ")] = '\0';
	puts(line.text);
}
