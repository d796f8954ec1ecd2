/* SPDX-License-Identifier: ISC */
/* `snapshot`: the state of the whole cluster at one time. */
#include <stdlib.h>

#include "daemon/electctl/whole/whole.h"

enum control_code
judge_snapshot(const json_t *answer)
{
	return json_is_true(field(answer, "sound")) ? CODE_YES : CODE_NO;
}

/* The last term of which a node has an event. */
static uint64_t
last_term(const struct histories *h)
{
	uint64_t term = 0;

	for (unsigned i = 0; i < h->count; i++) {
		const struct history *node = &h->nodes[i];

		for (unsigned j = 0; j < node->count; j++) {
			if (node->events[j].term > term)
				term = node->events[j].term;
		}
	}
	return term;
}

/* Puts the cut of a snapshot, with what its markers say of it, into the picture
 * of all histories. */
static void
take_cut(struct picture *p, const json_t *snapshot)
{
	const json_t *node;
	size_t i;

	p->has_cut = true;
	p->cut.verdict = json_is_true(field(snapshot, "consistent"))
			     ? CUT_IS_CONSISTENT
			     : CUT_IS_BROKEN;
	json_array_foreach(field(snapshot, "nodes"), i, node)
	{
		json_int_t id = json_integer_value(field(node, "id"));
		unsigned at = histories_find(&p->histories, (node_id)id);

		if (at < HISTORY_NODES_MAX)
			p->cut.at[at] =
			    (uint64_t)json_integer_value(field(node, "events"));
	}
}

/* Gets the histories of all nodes and draws one term of them, the last unless
 * the options name one. */
static enum control_code
draw(const struct command *command, const struct options *options,
    struct electd *daemon, const json_t *snapshot)
{
	struct picture p = { .has_cut = false };
	enum control_code code =
	    history_receive_all(command, daemon, snapshot, 0, &p.histories);
	uint64_t term =
	    options->term != 0 ? options->term : last_term(&p.histories);

	take_cut(&p, snapshot);
	if (code == CODE_YES)
		code = picture_keep_term(&p, term)
			   ? picture_draw(&p, options->svg)
			   : CODE_UNKNOWN;
	picture_free(&p);
	return code;
}

enum control_code
run_snapshot(const struct command *command, const struct options *options)
{
	struct electd *daemon;
	enum control_code code = ask_connect(command, options, &daemon);
	enum control_code drawn = CODE_YES;
	json_t *snapshot = NULL;
	char *line = NULL;

	if (code != CODE_YES)
		return code;
	code = ask_for(command, daemon, SNAPSHOT, &snapshot);
	if (code == CODE_YES) {
		line = json_dumps(
		    snapshot, JSON_COMPACT | JSON_REAL_PRECISION(15));
		code = line == NULL ? CODE_UNKNOWN
				    : show(command, options, line, NULL);
		if (options->svg != NULL)
			drawn = draw(command, options, daemon, snapshot);
	}
	free(line);
	json_decref(snapshot);
	electd_free(daemon);
	return drawn == CODE_YES ? code : drawn;
}
