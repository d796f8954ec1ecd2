/* SPDX-License-Identifier: ISC */
/* `wait`: waits for the cluster, and for the daemon. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/electctl/ask/ask.h"
#include "daemon/system/clock.h"

#define TRY_GAP_MS 50  /* from one attempt to the next */
#define PATIENCE   SEC /* before we say what we wait for; then doubled */
#define LOOK_GAP   SEC /* from one sign of life to the next */

enum found {
	FOUND_NOBODY, /* no socket, or no daemon listens on it */
	FOUND_BUSY,   /* a daemon that has no place for us */
	FOUND_SILENT, /* a daemon that does not answer */
	FOUND_DAEMON, /* a daemon that serves us */
	FOUND_KINDS,
};

struct wait {
	const struct command *command;
	const struct options *options;
	const char *request;
	char path[CONTROL_PATH_MAX];   /* "": there is no socket yet */
	nsec_t deadline;               /* NSEC_NEVER: none */
	nsec_t patience;               /* before the next message */
	nsec_t impatient_at;           /* the next message; NSEC_NEVER: none */
	enum found found;              /* by the last attempt */
	bool is_reported[FOUND_KINDS]; /* a message said so */
};

/* The time from now until then; 0 if it has passed. */
static nsec_t
time_until(nsec_t then)
{
	return then == NSEC_NEVER ? NSEC_NEVER : nsec_since(then, clock_now());
}

/* Waits a moment. False if nobody reads our output any more. */
static bool
pause_briefly(const struct wait *wait)
{
	struct pollfd output = { .fd = STDOUT_FILENO };
	nsec_t left = time_until(wait->deadline);
	int gap_ms = TRY_GAP_MS;

	if (left < TRY_GAP_MS * MSEC)
		gap_ms = (int)(left / MSEC) + 1;
	return poll(&output, 1, gap_ms) <= 0;
}

/* True if we wait for the loss of the leader. While the daemon answers, that
 * wait goes on because there is a leader, so there is nothing to report. */
static bool
waits_for_loss(const struct options *options)
{
	return is_word(options->arguments, "for", "no-leader");
}

/* What we wait for, while we do, and when the timeout is over. */
static const struct {
	const char *now;
	const char *still;
} words[FOUND_KINDS] = {
	[FOUND_NOBODY] = { "no daemon yet", "no daemon" },
	[FOUND_BUSY] = { "too many clients", "still too many clients" },
	[FOUND_SILENT] = { "the daemon does not answer",
	    "still no answer from the daemon" },
	[FOUND_DAEMON] = { NULL, "still no leader" },
};

/* Complains that the timeout is over, and writes it as "60 s" or "1500 ms". */
static void
complain_of_time(const struct wait *wait)
{
	nsec_t timeout = wait->options->timeout;
	bool is_whole = timeout % SEC == 0;
	const char *what = words[wait->found].still;

	if (is_given(wait->options, OPTION_QUIET))
		return;
	if (wait->found == FOUND_DAEMON && waits_for_loss(wait->options))
		what = "still a leader";
	else if (wait->found == FOUND_DAEMON &&
		 is_word(wait->options->arguments, "for", "quorum"))
		what = "still no quorum";
	complain("%s after %.15g %s", what,
	    (double)timeout / (double)(is_whole ? SEC : MSEC),
	    is_whole ? "s" : "ms");
}

/* True if the daemon turned us away: it may have a place for us later. */
static bool
is_turned_away(const json_t *answer)
{
	const json_t *code = json_object_get(answer, "code");

	return json_object_get(answer, "error") != NULL &&
	       json_integer_value(code) == CODE_UNREACHABLE;
}

/* How long to wait for a sign of life; never 0, which would disarm a timer. */
static nsec_t
look_time(const struct wait *wait)
{
	nsec_t left = time_until(wait->deadline);

	return left == 0 ? 1 : nsec_earlier(left, LOOK_GAP);
}

/* Sends a request and receives its answer: a new reference, or NULL. */
static enum found
exchange(struct electd *daemon, const char *request, json_t **answer)
{
	enum electd_received received;
	const char *line;

	*answer = NULL;
	(void)electd_send(daemon, request);
	received = electd_receive(daemon, &line);
	if (received == ELECTD_LINE)
		*answer = json_loads(line, 0, NULL);
	else
		return received == ELECTD_TOO_LATE ? FOUND_SILENT
						   : FOUND_NOBODY;
	return is_turned_away(*answer) ? FOUND_BUSY : FOUND_DAEMON;
}

/* The same, on a connection of its own. */
static enum found
look(const struct wait *wait, const char *request, nsec_t timeout,
    json_t **answer)
{
	struct electd *daemon;
	enum found found;
	int error;

	*answer = NULL;
	error = ask_try(wait->path, timeout, &daemon);
	if (error != 0)
		return error == EAGAIN ? FOUND_SILENT : FOUND_NOBODY;
	found = exchange(daemon, request, answer);
	electd_free(daemon);
	return found;
}

/* Reports it if there is no quorum. */
static void
report_quorum(struct wait *wait)
{
	json_int_t votes, voters, needed;
	json_t *status;

	(void)look(wait, "{\"verb\":\"status\"}", look_time(wait), &status);
	if (json_unpack(status, "{s:{s:I,s:I,s:I}}", "quorum", "votes", &votes,
		"voters", &voters, "quorum", &needed) == 0 &&
	    votes < needed) {
		complain("no quorum: %" JSON_INTEGER_FORMAT
			 " of %" JSON_INTEGER_FORMAT
			 " voters heard, %" JSON_INTEGER_FORMAT
			 " needed: waiting",
		    votes, voters, needed);
		wait->is_reported[FOUND_DAEMON] = true;
	}
	json_decref(status);
}

/* Reports what we wait for once that has taken long: each reason once. */
static void
report_reason(struct wait *wait)
{
	if (time_until(wait->impatient_at) > 0 ||
	    time_until(wait->deadline) == 0)
		return;
	if (wait->found == FOUND_DAEMON && waits_for_loss(wait->options))
		return;
	wait->patience *= 2;
	wait->impatient_at = nsec_after(clock_now(), wait->patience);
	if (wait->is_reported[wait->found])
		return;
	if (wait->found == FOUND_DAEMON) {
		report_quorum(wait);
		return;
	}
	complain("%s%s%s: waiting", wait->path,
	    wait->path[0] == '\0' ? "" : ": ", words[wait->found].now);
	wait->is_reported[wait->found] = true;
}

/*
 * Looks whether the daemon still answers. If our own deadline leaves less time
 * for that than LOOK_GAP, silence proves nothing.
 */
static void
look_again(struct wait *wait)
{
	nsec_t timeout = look_time(wait);
	json_t *answer;
	enum found found = look(wait, SIGN_OF_LIFE, timeout, &answer);

	json_decref(answer);
	if (found == FOUND_DAEMON || found == FOUND_BUSY)
		wait->found = FOUND_DAEMON;
	else if (found == FOUND_SILENT && timeout == LOOK_GAP)
		wait->found = FOUND_SILENT;
}

/*
 * Waits for the answer. True if it came, or none will come: then *code is the
 * exit status.
 */
static bool
wait_on(struct wait *wait, struct electd *daemon, enum control_code *code)
{
	enum electd_received received;
	const char *line;

	(void)electd_send(daemon, wait->request);
	for (;;) {
		if (!electd_limit(daemon, look_time(wait))) {
			*code = explain_connection(wait->path, errno);
			return true;
		}
		received = electd_receive(daemon, &line);
		if (received != ELECTD_TOO_LATE)
			break;
		if (time_until(wait->deadline) == 0)
			return false;
		look_again(wait);
		report_reason(wait);
	}
	if (received == ELECTD_END)
		wait->found = FOUND_NOBODY;
	else if (received == ELECTD_LINE)
		*code = show(wait->command, wait->options, line, NULL);
	else
		*code = explain_silence(wait->command, received);
	return received != ELECTD_END;
}

/* Makes one attempt. True as in wait_on(); false: try again. */
static bool
wait_once(struct wait *wait, enum control_code *code)
{
	struct electd *daemon;
	bool is_over = false;
	json_t *answer;
	int error;

	wait->found = FOUND_NOBODY;
	*code = find_socket(&wait->options->place, wait->path);
	if (*code != CODE_YES)
		return true;
	if (wait->path[0] == '\0')
		return false;
	error = ask_try(wait->path, look_time(wait), &daemon);
	if (error == EAGAIN)
		wait->found = FOUND_SILENT;
	if (error == ENOENT || error == ECONNREFUSED || error == EAGAIN)
		return false;
	if (error != 0) {
		*code = explain_connection(wait->path, error);
		return true;
	}
	wait->found = exchange(daemon, SIGN_OF_LIFE, &answer);
	json_decref(answer);
	if (wait->found == FOUND_DAEMON)
		is_over = wait_on(wait, daemon, code);
	electd_free(daemon);
	return is_over;
}

static enum control_code
wait_long(struct wait *wait)
{
	enum control_code code;

	while (time_until(wait->deadline) > 0) {
		if (wait_once(wait, &code))
			return code;
		report_reason(wait);
		if (!pause_briefly(wait))
			return CODE_UNKNOWN;
	}
	complain_of_time(wait);
	return wait->found == FOUND_DAEMON ? CODE_NO : CODE_UNREACHABLE;
}

enum control_code
run_wait(const struct command *command, const struct options *options)
{
	nsec_t timeout = ask_timeout(command, options);
	char *request = request_line(command, options);
	bool wants_reasons =
	    options->output == OUTPUT_TEXT && !is_given(options, OPTION_QUIET);
	struct wait wait = {
		.command = command,
		.options = options,
		.request = request,
		.deadline = nsec_after(clock_now(), timeout),
		.patience = PATIENCE,
		.impatient_at = wants_reasons
				    ? nsec_after(clock_now(), PATIENCE)
				    : NSEC_NEVER,
	};
	enum control_code code;

	if (request == NULL)
		return CODE_USAGE;
	code = wait_long(&wait);
	free(request);
	return code;
}
