/* SPDX-License-Identifier: ISC */
/* `watch`: the events of this node, as its daemon sends them. */
#include <errno.h>
#include <stdio.h>

#include "daemon/electctl/whole/whole.h"

/* Asks once more what the nodes are called, on a connection of its own. */
static void
renew_names(const struct command *command, const struct options *options,
    json_t **names)
{
	struct options asked = *options;
	struct electd *daemon;
	json_t *later = NULL;

	asked.timeout = 0; /* that ends the whole command */
	if (ask_connect(command, &asked, &daemon) != CODE_YES)
		return;
	if (ask_for(command, daemon, NAMES, &later) == CODE_YES) {
		json_decref(*names);
		*names = later;
		later = NULL;
	}
	json_decref(later);
	electd_free(daemon);
}

/* True if the event is of a node that came after the names. */
static bool
lacks_name(const char *line, const json_t *names)
{
	static const char *const keys[] = { "leader", "previous", "peer",
		"node" };
	json_t *event = json_loads(line, 0, NULL);
	bool lacks = false;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *id = field(event, keys[i]);
		char text[PLAIN_TEXT_MAX];

		lacks |= json_is_integer(id) &&
			 field(names, plain_text(id, text)) == NULL;
	}
	json_decref(event);
	return lacks;
}

/*
 * Shows lines until the limit is reached, the timeout is over, or either end
 * has gone. Without a timeout only the first line has one, the command's own.
 */
static enum control_code
follow(const struct command *command, const struct options *options,
    struct electd *daemon, json_t **names)
{
	for (uint64_t lines = 1;; lines++) {
		const char *line;
		enum electd_received received = electd_receive(daemon, &line);
		enum control_code code;

		if (received == ELECTD_TOO_LATE && lines > 1)
			return CODE_YES;
		if (received != ELECTD_LINE)
			return explain_silence(command, received);
		if (*names != NULL && lacks_name(line, *names))
			renew_names(command, options, names);
		code = show(command, options, line, *names);
		if (code != CODE_YES || lines == options->limit)
			return code;
		if (options->timeout == 0 &&
		    !electd_limit(daemon, NSEC_NEVER)) {
			complain("%s: %s", command->name, strerror(errno));
			return CODE_UNKNOWN;
		}
		if (fflush(stdout) != 0)
			return CODE_UNKNOWN;
		if (electd_is_late(daemon))
			return CODE_YES;
	}
}

/* Events have only the ids of nodes; the text form also needs their names. */
static enum control_code
watch_own(const struct command *command, const struct options *options)
{
	bool wants_names = options->output == OUTPUT_TEXT;
	struct electd *daemon;
	enum control_code code =
	    ask_begin(command, options, wants_names ? NAMES : NULL, &daemon);
	json_t *names = NULL;

	if (code != CODE_YES)
		return code;
	if (wants_names)
		code = ask_receive(command, daemon, &names);
	if (code == CODE_YES)
		code = follow(command, options, daemon, &names);
	json_decref(names);
	electd_free(daemon);
	return code;
}

enum control_code
run_watch(const struct command *command, const struct options *options)
{
	bool is_all = is_given(options, OPTION_ALL);

	if (is_all && is_given(options, OPTION_DEADLINES))
		complain("watch --all: takes no --deadlines");
	else if (is_all && options->output == OUTPUT_KV)
		complain("watch --all: has no -o kv");
	else if (!is_all && options->svg != NULL)
		complain("watch --svg: needs --all");
	else
		return is_all ? watch_all(command, options)
			      : watch_own(command, options);
	return CODE_USAGE;
}
