/* SPDX-License-Identifier: ISC */
/*
 * `observe`: the events of all nodes as they happen, put together to one
 * history. The observer shows no event before its causes: a message that was
 * taken waits until its sending has come. So what it has shown is a consistent
 * cut at any time, without markers (O. Babaoglu and K. Marzullo, Consistent
 * global states of distributed systems, 1993).
 */
#include "daemon/electctl/electctl.h"

#include <stdlib.h>
#include <time.h>

#include "daemon/history/cut.h"
#include "daemon/history/history_print.h"

#define PAUSE (100 * MSEC) /* between two rounds */

struct observer {
	const struct command *command;
	const struct options *options;
	struct connection connection;
	struct histories histories;
	struct cut shown; /* of each node, the last event that was shown */
	uint64_t count;   /* events shown */
	nsec_t left;      /* until the end; NSEC_NEVER: there is none */
};

/* Takes a snapshot, which shows the way to all nodes. What comes after it is
 * shown. */
static enum control_code
begin(struct observer *o)
{
	const json_t *nodes;
	json_t *snapshot = NULL;
	enum control_code code;

	(void)connection_send(&o->connection, "{\"verb\":\"snapshot\"}");
	code = ask_receive(o->command, &o->connection, &snapshot);
	nodes = field(snapshot, "nodes");
	for (size_t i = 0; code == CODE_YES && i < json_array_size(nodes);
	     i++) {
		const json_t *node = json_array_get(nodes, i);
		json_int_t events = json_integer_value(field(node, "events"));

		code = history_receive(o->command, &o->connection,
		    json_integer_value(field(node, "id")), (uint64_t)events + 1,
		    &o->histories);
		if (code == CODE_YES)
			o->shown.at[i] = (uint64_t)events;
	}
	json_decref(snapshot);
	return code;
}

/* Gets what is new of each node. */
static enum control_code
receive_news(struct observer *o)
{
	enum control_code code = CODE_YES;

	for (unsigned i = 0; code == CODE_YES && i < o->histories.count; i++) {
		const struct history *h = &o->histories.nodes[i];

		code = history_receive(o->command, &o->connection, h->id,
		    h->first + h->count, &o->histories);
	}
	return code;
}

/* True if this event waits: it takes a message whose sending was not shown. */
static bool
waits(const struct observer *o, const struct causes *c, struct place at)
{
	unsigned number = c->passage_of[at.node][at.index];
	const struct passage *p;

	if (causes_event(c, at)->kind != EVENT_TAKEN || number == CAUSES_NONE)
		return false;
	p = &c->passages[number];
	if (p->sending != SENDING_KNOWN)
		return p->sending == SENDING_LATER;
	return causes_event(c, p->sent)->number > o->shown.at[p->sent.node];
}

static bool
is_over(const struct observer *o)
{
	return o->options->limit > 0 && o->count >= (uint64_t)o->options->limit;
}

/* Shows the events that wait for nothing, each after its causes. True if there
 * were any. */
static bool
show_news(struct observer *o, const struct causes *c)
{
	bool has_shown = false;

	for (unsigned i = 0; i < c->order_count && !is_over(o); i++) {
		struct place at = c->order[i];
		uint64_t number = causes_event(c, at)->number;

		/* What comes after an event that waits, waits. */
		if (number != o->shown.at[at.node] + 1 || waits(o, c, at))
			continue;
		o->shown.at[at.node] = number;
		o->count++;
		has_shown = true;
		if (!o->options->is_quiet)
			history_print_event(stdout, c, at);
	}
	return has_shown;
}

/* "cut 1:17,2:9,3:22": what has been shown. */
static void
show_cut(const struct observer *o)
{
	if (o->options->is_quiet)
		return;
	for (unsigned i = 0; i < o->histories.count; i++)
		printf("%s%u:%llu", i == 0 ? "cut " : ",",
		    o->histories.nodes[i].id,
		    (unsigned long long)o->shown.at[i]);
	putchar('\n');
	fflush(stdout);
}

/* Shows what is new, and draws all if this is the end. */
static enum control_code
look(struct observer *o, bool is_first, bool is_end)
{
	struct causes causes = { .histories = NULL };
	char error[HISTORY_ERROR_MAX];
	enum control_code code = CODE_YES;

	if (!causes_find(&causes, &o->histories, error)) {
		complain("%s", error);
		code = CODE_UNKNOWN;
	} else {
		if (show_news(o, &causes) || is_first)
			show_cut(o);
		if (is_end && o->options->svg != NULL)
			code = history_draw_cut(
			    o->options->svg, &causes, &o->shown);
	}
	causes_free(&causes);
	return code;
}

static void
pause_for(struct observer *o, nsec_t duration)
{
	const struct timespec t = { .tv_nsec = (long)duration };

	nanosleep(&t, NULL);
	if (o->left != NSEC_NEVER)
		o->left = nsec_since(o->left, duration);
}

static enum control_code
observe(struct observer *o)
{
	enum control_code code = begin(o);

	for (bool is_first = true;
	     code == CODE_YES && !is_over(o) && o->left > 0; is_first = false) {
		code = look(o, is_first, false);
		pause_for(o, nsec_earlier(PAUSE, o->left));
		/* Each round may take as long as one request. */
		if (code == CODE_YES &&
		    connection_limit(&o->connection, o->command->timeout))
			code = receive_news(o);
	}
	return code == CODE_YES ? look(o, false, true) : code;
}

enum control_code
run_observe(const struct command *command, const struct options *options)
{
	struct observer *o = calloc(1, sizeof(*o));
	struct options asked = *options;
	enum control_code code;

	if (o == NULL) {
		complain("out of memory");
		return CODE_UNKNOWN;
	}
	o->command = command;
	o->options = options;
	o->left = options->timeout != 0 ? options->timeout : NSEC_NEVER;
	asked.timeout = 0; /* it is the end of all, not of a request */
	code = ask_connect(command, &asked, &o->connection);
	if (code == CODE_YES) {
		code = observe(o);
		connection_close(&o->connection);
	}
	histories_free(&o->histories);
	free(o);
	return code;
}
