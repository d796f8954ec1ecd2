/* SPDX-License-Identifier: ISC */
/* `metrics`: two answers of one daemon, as Prometheus reads them. */
#include "daemon/metrics/metrics.h"

#include "daemon/electctl/ask/ask.h"
#include "daemon/system/clock.h"

/* Asks for both. An answer that is an error is complained about, and gone. */
static enum control_code
ask_both(const struct command *command, const struct options *options,
    json_t **status, json_t **stats)
{
	struct electd *daemon;
	enum control_code code = ask_connect(command, options, &daemon);

	if (code != CODE_YES)
		return code;
	code = ask_for(command, daemon, "{\"verb\":\"status\"}", status);
	if (code == CODE_YES)
		code = ask_for(command, daemon, "{\"verb\":\"stats\"}", stats);
	electd_free(daemon);
	return code;
}

enum control_code
run_metrics(const struct command *command, const struct options *options)
{
	json_t *status = NULL, *stats = NULL;
	enum control_code code = ask_both(command, options, &status, &stats);
	bool is_whole = code == CODE_YES;

	if (!is_given(options, OPTION_QUIET))
		metrics_print(stdout, is_whole ? status : NULL,
		    is_whole ? stats : NULL, clock_wall());
	json_decref(status);
	json_decref(stats);
	return code;
}
