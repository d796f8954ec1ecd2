/* SPDX-License-Identifier: ISC */
/*
 * `watch --all`: the events of all nodes as they happen, put together to one
 * history. The observer shows no event before its causes: a message that was
 * taken waits until its sending has come. So what it has shown is a consistent
 * cut at any time, without markers (O. Babaoglu and K. Marzullo, Consistent
 * global states of distributed systems, 1993).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/node/node.h"
#include "daemon/electctl/whole/whole.h"
#include "daemon/history/history_print.h"
#include "daemon/system/clock.h"

#define PAUSE (100 * MSEC)   /* from one round to the next */
#define LANES NODE_PULLS_MAX /* nodes that are asked at a time */

/* A node, and from where on its events are wanted. */
struct want {
	json_int_t node;
	uint64_t from;
};

struct observer {
	struct command command;
	const struct options *options;
	struct electd *lanes[LANES]; /* each waits for one answer */
	unsigned lanes_count;
	struct want wants[HISTORY_NODES_MAX];
	struct picture seen;                 /* its cut has what was shown */
	uint64_t covered[HISTORY_NODES_MAX]; /* by node: all nodes were asked
	                                      * since this event came */
	uint64_t count;                      /* of events that were shown */
	nsec_t timeout;                      /* of an answer */
	nsec_t until; /* the end; NSEC_NEVER: there is none */
};

/* Connects `count` lanes. --timeout ends the whole command, not a
 * request. */
static enum control_code
connect_lanes(struct observer *o, size_t count)
{
	struct options asked = *o->options;
	enum control_code code = CODE_YES;

	asked.timeout = 0;
	o->timeout = ask_timeout(&o->command, &asked);
	while (code == CODE_YES && o->lanes_count < count &&
	       o->lanes_count < LANES) {
		code =
		    ask_connect(&o->command, &asked, &o->lanes[o->lanes_count]);
		o->lanes_count += code == CODE_YES;
	}
	return code;
}

static bool
is_late(const struct observer *o)
{
	return clock_now() >= o->until;
}

/* Gets what is wanted, as long as there is time. Each answer has a time limit
 * of its own. */
static enum control_code
receive(struct observer *o, unsigned count)
{
	enum control_code code = CODE_YES;

	for (unsigned i = 0; i < count && !is_late(o); i += o->lanes_count) {
		unsigned some =
		    count - i < o->lanes_count ? count - i : o->lanes_count;

		for (unsigned j = 0; j < some; j++) {
			(void)electd_limit(o->lanes[j], o->timeout);
			history_ask(o->lanes[j], o->wants[i + j].node,
			    o->wants[i + j].from);
		}
		for (unsigned j = 0; j < some && code == CODE_YES; j++)
			code = history_take(&o->command, o->lanes[j],
			    o->wants[i + j].node, &o->seen.histories);
		if (code != CODE_YES)
			break;
	}
	return code;
}

/* Takes a snapshot, which shows the way to all nodes. What comes after it is
 * shown. */
static enum control_code
begin(struct observer *o)
{
	json_t *snapshot;
	enum control_code code = history_begin(
	    &o->command, o->lanes[0], &o->seen.histories, &snapshot);
	const json_t *nodes = field(snapshot, "nodes");
	unsigned count = 0;

	if (code == CODE_YES)
		code = connect_lanes(o, json_array_size(nodes));
	for (; count < json_array_size(nodes) && count < HISTORY_NODES_MAX;
	     count++) {
		const json_t *node = json_array_get(nodes, count);
		json_int_t events = json_integer_value(field(node, "events"));

		o->wants[count] = (struct want){
			.node = json_integer_value(field(node, "id")),
			.from = (uint64_t)events + 1,
		};
	}
	if (code == CODE_YES)
		code = receive(o, count);
	for (unsigned i = 0; i < o->seen.histories.count; i++)
		o->seen.cut.at[i] = o->wants[i].from - 1;
	json_decref(snapshot);
	return code;
}

/* Gets what is new of each node. */
static enum control_code
receive_news(struct observer *o)
{
	unsigned count = o->seen.histories.count;
	enum control_code code;

	for (unsigned i = 0; i < count; i++) {
		const struct history *h = &o->seen.histories.nodes[i];

		o->wants[i] = (struct want){ h->id, h->first + h->count };
	}
	code = receive(o, count);
	for (unsigned i = 0; i < count && !is_late(o); i++)
		o->covered[i] = o->wants[i].from - 1;
	return code;
}

/* True if this event waits: it takes a message whose sending was not shown. The
 * first message of a session that comes may have been sent before what is here
 * of its sender's history; if not, the sender tells of it when asked next. */
static bool
waits(const struct observer *o, const struct causes *c, struct place at)
{
	unsigned number = c->passage_of[at.node][at.index];
	const struct passage *p;

	if (causes_event(c, at)->kind != EVENT_TAKEN || number == CAUSES_NONE)
		return false;
	p = &c->passages[number];
	if (p->sending == SENDING_UNKNOWN)
		return causes_event(c, at)->number > o->covered[at.node];
	if (p->sending != SENDING_KNOWN)
		return p->sending == SENDING_LATER;
	return causes_event(c, p->sent)->number > o->seen.cut.at[p->sent.node];
}

static bool
is_over(const struct observer *o)
{
	return o->options->limit > 0 && o->count >= o->options->limit;
}

/* Shows an event: as a line of text, or as a piece of its node's history. */
static void
show_event(const struct observer *o, const struct causes *c, struct place at)
{
	const struct history *h = &c->histories->nodes[at.node];
	struct history one = history_of_event(h, causes_event(c, at));

	if (is_given(o->options, OPTION_QUIET))
		return;
	if (o->options->output == OUTPUT_TEXT)
		history_print_event(stdout, c, at);
	else
		(void)history_print_json(&one);
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
		if (number != o->seen.cut.at[at.node] + 1 || waits(o, c, at))
			continue;
		o->seen.cut.at[at.node] = number;
		o->count++;
		has_shown = true;
		show_event(o, c, at);
	}
	return has_shown;
}

/* "cut 1:17,2:9,3:22": what has been shown. The pieces of histories tell. */
static void
show_cut(const struct observer *o)
{
	if (is_given(o->options, OPTION_QUIET) ||
	    o->options->output != OUTPUT_TEXT)
		return;
	for (unsigned i = 0; i < o->seen.histories.count; i++)
		printf("%s%u:%llu", i == 0 ? "cut " : ",",
		    o->seen.histories.nodes[i].id,
		    (unsigned long long)o->seen.cut.at[i]);
	putchar('\n');
}

/* Shows what is new, and draws all if this is the end. */
static enum control_code
look(struct observer *o, bool is_first, bool is_end)
{
	if (!picture_find_causes(&o->seen))
		return CODE_UNKNOWN;
	if (show_news(o, &o->seen.causes) || is_first)
		show_cut(o);
	if (fflush(stdout) != 0)
		return CODE_UNKNOWN;
	return is_end && o->options->svg != NULL
		   ? picture_draw(&o->seen, o->options->svg)
		   : CODE_YES;
}

/* Waits until then, or until the end if that is earlier. */
static void
pause_until(const struct observer *o, nsec_t then)
{
	nsec_t left = nsec_since(nsec_earlier(then, o->until), clock_now());
	const struct timespec t = { .tv_nsec = (long)left };

	assert(left < SEC);
	nanosleep(&t, NULL);
}

static enum control_code
observe(struct observer *o)
{
	nsec_t round_at = clock_now();
	enum control_code code = begin(o);

	for (bool is_first = true; code == CODE_YES && !is_late(o);
	     is_first = false) {
		code = look(o, is_first, false);
		if (code != CODE_YES || is_over(o))
			break;
		pause_until(o, nsec_after(round_at, PAUSE));
		round_at = clock_now();
		code = receive_news(o);
	}
	return code == CODE_YES ? look(o, false, true) : code;
}

enum control_code
watch_all(const struct command *command, const struct options *options)
{
	struct observer *o = calloc(1, sizeof(*o));
	enum control_code code;

	if (o == NULL) {
		complain("out of memory");
		return CODE_UNKNOWN;
	}
	o->command = history_of_all(command);
	o->options = options;
	o->seen.has_cut = true;
	o->until = options->timeout != 0
		       ? nsec_after(clock_now(), options->timeout)
		       : NSEC_NEVER;
	code = connect_lanes(o, 1);
	if (code == CODE_YES)
		code = observe(o);
	for (unsigned i = 0; i < o->lanes_count; i++)
		electd_free(o->lanes[i]);
	picture_free(&o->seen);
	free(o);
	return code;
}
