/* SPDX-License-Identifier: ISC */
/* `snapshot`: the state of the whole cluster at one time. */
#include <stdlib.h>

#include "daemon/electctl/whole/whole.h"
#include "daemon/history/history.h"

enum control_code
judge_snapshot(const json_t *answer)
{
	return json_is_true(field(answer, "sound")) ? CODE_YES : CODE_NO;
}

/* Gets the histories of all nodes and draws them. */
static enum control_code
draw(const struct command *command, const struct options *options,
    struct connection *connection, const json_t *snapshot)
{
	struct histories h = { .nodes = NULL };
	enum control_code code =
	    history_receive_all(command, connection, snapshot, 0, &h);

	if (code == CODE_YES)
		code = history_draw(options, &h, snapshot);
	histories_free(&h);
	return code;
}

enum control_code
run_snapshot(const struct command *command, const struct options *options)
{
	struct connection connection;
	enum control_code code = ask_connect(command, options, &connection);
	enum control_code drawn = CODE_YES;
	json_t *snapshot = NULL;
	char *line = NULL;

	if (code != CODE_YES)
		return code;
	code = ask_for(command, &connection, SNAPSHOT, &snapshot);
	if (code == CODE_YES) {
		line = json_dumps(
		    snapshot, JSON_COMPACT | JSON_REAL_PRECISION(15));
		code = line == NULL ? CODE_UNKNOWN
				    : show(command, options, line, NULL);
		if (options->svg != NULL)
			drawn = draw(command, options, &connection, snapshot);
	}
	free(line);
	json_decref(snapshot);
	connection_close(&connection);
	return drawn == CODE_YES ? code : drawn;
}
