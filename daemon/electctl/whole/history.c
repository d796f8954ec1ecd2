/* SPDX-License-Identifier: ISC */
/* `history`: reads histories from the daemon or from files, shows them, and
 * judges a cut of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"
#include "daemon/electctl/whole/whole.h"
#include "daemon/history/history_print.h"

/* As many pieces as a node has events: one that gives more is no node. */
#define PIECES_MAX (EVENTS_MAX + 1)

/* The forms, in the order of the row of --format. */
enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_SVG,
	FORMAT_SHIVIZ,
	FORMAT_MERMAID,
	FORMAT_CHAIN,
	FORMAT_NONE,
};

/* Adds a piece that was asked for. *next is where the next one begins; 0: there
 * is none. */
static enum control_code
receive_piece(const struct command *command, struct electd *daemon,
    struct histories *h, uint64_t *next)
{
	char error[HISTORY_ERROR_MAX];
	json_t *answer;
	enum control_code code = ask_receive(command, daemon, &answer);

	if (code == CODE_YES && !histories_take(h, answer, error)) {
		complain("the daemon's answer is no history: %s", error);
		code = CODE_UNKNOWN;
	}
	*next = (uint64_t)json_integer_value(field(answer, "next"));
	json_decref(answer);
	return code;
}

void
history_ask(struct electd *daemon, json_int_t node, uint64_t from)
{
	char request[96];

	snprintf(request, sizeof(request),
	    node == 0 ? "{\"verb\":\"history\",\"from\":%llu}"
		      : "{\"verb\":\"history\",\"from\":%llu,\"node\":%lld}",
	    (unsigned long long)(from != 0 ? from : 1), (long long)node);
	(void)electd_send(daemon, request);
}

/* While a node answers, it may forget events, and then its history begins
 * later. */
enum control_code
history_take(const struct command *command, struct electd *daemon,
    json_int_t node, struct histories *h)
{
	for (unsigned i = 0; i < PIECES_MAX; i++) {
		uint64_t next;
		enum control_code code =
		    receive_piece(command, daemon, h, &next);

		if (code != CODE_YES || next == 0)
			return code;
		history_ask(daemon, node, next);
	}
	complain("the daemon's history does not end");
	return CODE_UNKNOWN;
}

enum control_code
history_begin(const struct command *command, struct electd *daemon,
    struct histories *h, json_t **snapshot)
{
	enum control_code code = ask_for(command, daemon, NAMES, &h->names);

	*snapshot = NULL;
	return code == CODE_YES ? ask_for(command, daemon, SNAPSHOT, snapshot)
				: code;
}

/* Asks this node for its own events. */
static enum control_code
ask_for_history(const struct command *command, const struct options *options,
    struct histories *h)
{
	struct electd *daemon;
	enum control_code code = ask_connect(command, options, &daemon);

	if (code != CODE_YES)
		return code;
	code = ask_for(command, daemon, NAMES, &h->names);
	history_ask(daemon, 0, options->from);
	if (code == CODE_YES)
		code = history_take(command, daemon, 0, h);
	electd_free(daemon);
	return code;
}

enum control_code
history_receive_all(const struct command *command, struct electd *daemon,
    const json_t *snapshot, uint64_t from, struct histories *h)
{
	const json_t *nodes = field(snapshot, "nodes");
	enum control_code code = CODE_YES;

	for (size_t i = 0; i < json_array_size(nodes) && code == CODE_YES;
	     i++) {
		json_int_t id =
		    json_integer_value(field(json_array_get(nodes, i), "id"));

		history_ask(daemon, id, from);
		code = history_take(command, daemon, id, h);
	}
	return code;
}

struct command
history_of_all(const struct command *command)
{
	struct command all = *command;

	all.is_admin = true;
	all.patience = GATHERS;
	return all;
}

/* Asks this node for the events of all. A snapshot shows the way to them. */
static enum control_code
ask_for_all(const struct command *command, const struct options *options,
    struct histories *h)
{
	struct command all = history_of_all(command);
	struct electd *daemon;
	enum control_code code;
	json_t *snapshot;

	code = ask_connect(&all, options, &daemon);
	if (code != CODE_YES)
		return code;
	code = history_begin(&all, daemon, h, &snapshot);
	if (code == CODE_YES)
		code = history_receive_all(
		    &all, daemon, snapshot, options->from, h);
	json_decref(snapshot);
	electd_free(daemon);
	return code;
}

/* Leaves out the events before this number, of each node. */
static void
keep_from(struct histories *h, uint64_t from)
{
	for (unsigned i = 0; i < h->count; i++) {
		struct history *node = &h->nodes[i];
		unsigned skipped = 0;

		while (skipped < node->count &&
		       node->events[skipped].number < from)
			skipped++;
		memmove(node->events, node->events + skipped,
		    (node->count - skipped) * sizeof(*node->events));
		node->count -= skipped;
		node->first += skipped;
		h->events_count -= skipped;
	}
}

static enum control_code
read_files(const struct options *options, struct histories *h)
{
	char error[HISTORY_ERROR_MAX];

	for (unsigned i = 0; i < FILES_MAX && options->files[i] != NULL; i++) {
		if (histories_read_file(h, options->files[i], error))
			continue;
		complain("%s: %s", options->files[i], error);
		return CODE_USAGE;
	}
	if (options->from != 0)
		keep_from(h, options->from);
	return CODE_YES;
}

/* Gets the histories that the options want, and the cut. */
static enum control_code
take_picture(const struct command *command, const struct options *options,
    struct picture *p)
{
	enum control_code code =
	    options->files[0] != NULL ? read_files(options, &p->histories)
	    : is_given(options, OPTION_ALL)
		? ask_for_all(command, options, &p->histories)
		: ask_for_history(command, options, &p->histories);
	char error[HISTORY_ERROR_MAX];

	if (code == CODE_YES && !picture_find_causes(p))
		code = CODE_USAGE;
	if (code != CODE_YES || options->at == NULL)
		return code;
	p->has_cut = cut_read(&p->cut, &p->histories, options->at, error);
	if (p->has_cut)
		return CODE_YES;
	complain("history: --at %s: %s", options->at, error);
	return CODE_USAGE;
}

bool
history_print_json(const struct history *h)
{
	json_t *o = history_json(h);
	char *line = o == NULL ? NULL : json_dumps(o, JSON_COMPACT);

	json_decref(o);
	if (line == NULL)
		complain("out of memory");
	else
		puts(line);
	free(line);
	return line != NULL;
}

static enum control_code
print_in(
    enum format format, const struct options *options, const struct picture *p)
{
	switch (format) {
	case FORMAT_TEXT:
		history_print_text(stdout, &p->causes);
		if (options->term != 0)
			history_print_cost(
			    stdout, &p->histories, options->term);
		break;
	case FORMAT_JSON:
		for (unsigned i = 0; i < p->histories.count; i++) {
			if (!history_print_json(&p->histories.nodes[i]))
				return CODE_UNKNOWN;
		}
		break;
	case FORMAT_SVG:
		return picture_draw(p, NULL);
	case FORMAT_SHIVIZ:
		if (history_print_shiviz(stdout, &p->causes))
			break;
		complain("shiviz: more than %d nodes, or out of memory",
		    SHIVIZ_NODES_MAX);
		return CODE_REFUSED;
	case FORMAT_MERMAID:
		history_print_mermaid(stdout, &p->causes);
		break;
	case FORMAT_CHAIN:
		if (history_print_chain(stdout, &p->causes))
			break;
		complain("chain: no node has taken a leader");
		return CODE_REFUSED;
	case FORMAT_NONE:
		break;
	}
	return CODE_YES;
}

/* The form that the options want: none if the verdict on a cut is printed, or a
 * diagram written, instead. False if there is no such output. */
static bool
choose_format(const struct options *options, enum format *format)
{
	*format = options->at != NULL              ? FORMAT_NONE
		  : options->output == OUTPUT_JSON ? FORMAT_JSON
		  : options->svg != NULL           ? FORMAT_NONE
						   : FORMAT_TEXT;
	if (options->output == OUTPUT_KV && options->at == NULL) {
		complain("history: has -o kv for --at alone");
		return false;
	}
	if (is_given(options, OPTION_FORMAT))
		*format = (enum format)options->format;
	if (*format != FORMAT_JSON || options->term == 0)
		return true;
	complain("history: --term leaves gaps, and json has none");
	return false;
}

static enum control_code
judge_cut(const json_t *answer)
{
	const json_t *consistent = field(answer, "consistent");

	return json_is_true(consistent)    ? CODE_YES
	       : json_is_false(consistent) ? CODE_NO
					   : CODE_UNKNOWN;
}

static void
print_frontier(const struct picture *p)
{
	for (unsigned i = 0; i < p->histories.count; i++) {
		const struct history *h = &p->histories.nodes[i];
		const struct event *e = history_event(h, p->cut.at[i]);

		printf("frontier: ");
		if (e != NULL)
			history_print_event(stdout, &p->causes,
			    (struct place){ i, (unsigned)(e - h->events) });
		else
			printf("%u:%llu  -\n", h->id,
			    (unsigned long long)p->cut.at[i]);
	}
}

/* Prints a sentence of each message of these lists. */
static void
print_messages(const json_t *answer)
{
	static const struct {
		const char *list;
		const char *text;
	} rows[] = {
#define PASSAGE                                                                \
	": {message} from {from} to {to}, sent by event {sent}, taken by event {taken}"
		{ "broken", "taken but not sent" PASSAGE },
		{ "unknown", "taken, sent nobody knows where" PASSAGE },
		{ "transit", "in transit" PASSAGE },
	};
	size_t j;
	json_t *message;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_array_foreach(field(answer, rows[i].list), j, message)
		    print_text(message, rows[i].text);
	}
}

static void
print_cut(const json_t *answer, const struct picture *p)
{
	print_text(answer, "[{consistent?consistent:inconsistent}|not known]");
	print_frontier(p);
	print_messages(answer);
}

/* Judges the cut, and prints the verdict unless the events are wanted. */
static enum control_code
show_cut(const struct options *options, const struct picture *p)
{
	json_t *answer = cut_json(&p->causes, &p->cut);
	char *line = answer == NULL ? NULL : json_dumps(answer, JSON_COMPACT);
	enum control_code code = CODE_UNKNOWN;

	if (line == NULL) {
		complain("out of memory");
	} else {
		code = judge_cut(answer);
		if (is_given(options, OPTION_QUIET) ||
		    is_given(options, OPTION_FORMAT))
			(void)0;
		else if (options->output == OUTPUT_JSON)
			puts(line);
		else if (options->output == OUTPUT_KV)
			print_kv(answer, "\n");
		else
			print_cut(answer, p);
	}
	free(line);
	json_decref(answer);
	return code;
}

/* Shows the last leaders, which are no history of events. */
static enum control_code
show_leaders(const struct command *command, const struct options *options)
{
	const uint64_t alone = OPTIONS_GLOBAL | OPTION_BIT(OPTION_LEADERS);
	struct command leaders = *command;

	leaders.verb = "leaders";
	if ((options->given & ~alone) == 0)
		return run_query(&leaders, options);
	complain("history: --leaders takes no other option of history");
	return CODE_USAGE;
}

/* The verdict is that of whole histories: the picture may have one term. */
enum control_code
run_history(const struct command *command, const struct options *options)
{
	struct picture p = { .has_cut = false };
	enum control_code code, verdict = CODE_YES;
	enum format format;

	if (is_given(options, OPTION_LEADERS))
		return show_leaders(command, options);
	if (!choose_format(options, &format))
		return CODE_USAGE;
	code = take_picture(command, options, &p);
	if (code == CODE_YES && p.has_cut)
		verdict = show_cut(options, &p);
	if (code == CODE_YES && !picture_keep_term(&p, options->term))
		code = CODE_USAGE;
	if (code == CODE_YES && options->svg != NULL)
		code = picture_draw(&p, options->svg);
	if (code == CODE_YES && !is_given(options, OPTION_QUIET))
		code = print_in(format, options, &p);
	picture_free(&p);
	return code == CODE_YES ? verdict : code;
}
