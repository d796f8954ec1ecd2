/* SPDX-License-Identifier: ISC */
/* `wait`: for the cluster, and for the daemon that knows of it. */
#include "daemon/electctl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TRY_GAP_MS 50  /* from one try to the next */
#define PATIENCE   SEC /* before it is told why; doubled while there is none */

enum found {
	FOUND_NOBODY, /* no socket, or nobody listens at it */
	FOUND_BUSY,   /* a daemon that has no place for us */
	FOUND_DAEMON, /* one that serves us */
	FOUND_KINDS,
};

struct wait {
	const struct command *command;
	const struct options *options;
	const char *request;
	char path[CONTROL_PATH_MAX]; /* "": there is no socket yet */
	nsec_t deadline;             /* NSEC_NEVER: none */
	nsec_t patience;
	nsec_t impatient_at; /* NSEC_NEVER: nobody wants to know why it takes */
	enum found found;    /* by the last try */
	bool is_told[FOUND_KINDS]; /* what was said of why it takes long */
};

static nsec_t
clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (nsec_t)now.tv_sec * SEC + (nsec_t)now.tv_nsec;
}

/* How long it is until then; 0 if it is past. */
static nsec_t
time_until(nsec_t then)
{
	return then == NSEC_NEVER ? NSEC_NEVER : nsec_since(then, clock_now());
}

/* Lets a moment pass. False if nobody reads our output any more. */
static bool
pause_a_moment(const struct wait *wait)
{
	struct pollfd output = { .fd = STDOUT_FILENO };
	nsec_t left = time_until(wait->deadline);
	int gap_ms = TRY_GAP_MS;

	if (left < TRY_GAP_MS * MSEC)
		gap_ms = (int)(left / MSEC) + 1;
	return poll(&output, 1, gap_ms) <= 0;
}

/* The whole of a timeout as it may have been written: "60 s", "1500 ms". */
static void
complain_of_time(const struct wait *wait)
{
	nsec_t timeout = wait->options->timeout;
	bool is_whole = timeout % SEC == 0;
	const char *argument = wait->options->argument;
	const char *what = "still no leader";

	if (wait->options->is_quiet)
		return;
	if (wait->found == FOUND_NOBODY)
		what = "no daemon";
	else if (wait->found == FOUND_BUSY)
		what = "still too many clients";
	else if (argument != NULL && strcmp(argument, "no-leader") == 0)
		what = "still a leader";
	else if (argument != NULL && strcmp(argument, "quorum") == 0)
		what = "still no quorum";
	complain("%s after %.15g %s", what,
	    (double)timeout / (double)(is_whole ? SEC : MSEC),
	    is_whole ? "s" : "ms");
}

/* Did the daemon turn us away? It may have a place for us later. */
static bool
is_turned_away(const char *line)
{
	json_t *answer = json_loads(line, 0, NULL);
	const json_t *code = json_object_get(answer, "code");
	bool is_busy = json_object_get(answer, "error") != NULL &&
		       json_integer_value(code) == CODE_UNREACHABLE;

	json_decref(answer);
	return is_busy;
}

/* True if an answer came, or none will; `code` says what it means. */
static bool
wait_on(
    struct wait *wait, struct connection *connection, enum control_code *code)
{
	enum received received;
	const char *line;

	(void)connection_send(connection, wait->request);
	received = connection_receive(connection, &line);
	if (received == RECEIVED_TOO_LATE)
		wait->found = FOUND_DAEMON;
	if (received == RECEIVED_LINE && is_turned_away(line))
		wait->found = FOUND_BUSY;
	else if (received == RECEIVED_LINE)
		*code = show(wait->command, wait->options, line);
	else if (received == RECEIVED_NO_READER)
		*code = explain_silence(wait->command, received);
	else
		return false;
	return wait->found != FOUND_BUSY;
}

/* Tries once: as wait_on(). A daemon that is not there yet may come. */
static bool
wait_once(struct wait *wait, nsec_t left, enum control_code *code)
{
	struct connection connection;
	bool is_over;
	int error;

	wait->found = FOUND_NOBODY;
	*code = find_socket(wait->options, wait->path);
	if (*code != CODE_YES)
		return true;
	if (wait->path[0] == '\0')
		return false;
	error = connection_try(&connection, wait->path, left);
	if (error == ENOENT || error == ECONNREFUSED || error == EAGAIN)
		return false;
	if (error != 0) {
		*code = connection_explain(wait->path, error);
		return true;
	}
	is_over = wait_on(wait, &connection, code);
	connection_close(&connection);
	return is_over;
}

/* The daemon's `quorum`, a new reference; NULL: it says nothing of it. */
static json_t *
ask_for_quorum(const char *path, nsec_t timeout)
{
	struct connection connection;
	const char *line;
	json_t *status = NULL, *quorum;

	if (connection_try(&connection, path, timeout) != 0)
		return NULL;
	if (connection_send(&connection, "{\"verb\":\"status\"}") &&
	    connection_receive(&connection, &line) == RECEIVED_LINE)
		status = json_loads(line, 0, NULL);
	connection_close(&connection);
	quorum = json_incref(json_object_get(status, "quorum"));
	json_decref(status);
	return quorum;
}

/* Says that there is no quorum, if that is so. */
static void
tell_of_quorum(struct wait *wait, nsec_t timeout)
{
	json_t *quorum = ask_for_quorum(wait->path, timeout);
	json_int_t votes, voters, needed;

	if (json_unpack(quorum, "{s:I,s:I,s:I}", "votes", &votes, "voters",
		&voters, "quorum", &needed) == 0 &&
	    votes < needed) {
		complain("no quorum: %" JSON_INTEGER_FORMAT
			 " of %" JSON_INTEGER_FORMAT
			 " voters heard, %" JSON_INTEGER_FORMAT
			 " needed: waiting",
		    votes, voters, needed);
		wait->is_told[FOUND_DAEMON] = true;
	}
	json_decref(quorum);
}

/* Says why nothing comes, if there is a reason: each of them once. */
static void
tell_why(struct wait *wait, nsec_t left)
{
	wait->patience *= 2;
	wait->impatient_at = nsec_after(clock_now(), wait->patience);
	if (wait->is_told[wait->found])
		return;
	if (wait->found == FOUND_DAEMON) {
		tell_of_quorum(wait, nsec_earlier(left, PATIENCE));
		return;
	}
	complain("%s%s%s: waiting", wait->path,
	    wait->path[0] == '\0' ? "" : ": ",
	    wait->found == FOUND_BUSY ? "too many clients" : "no daemon yet");
	wait->is_told[wait->found] = true;
}

static enum control_code
wait_long(struct wait *wait)
{
	enum control_code code;
	nsec_t left;

	while ((left = time_until(wait->deadline)) > 0) {
		nsec_t impatient = time_until(wait->impatient_at);

		if (impatient == 0)
			tell_why(wait, left);
		else if (wait_once(wait, nsec_earlier(left, impatient), &code))
			return code;
		else if (!pause_a_moment(wait))
			return CODE_UNKNOWN;
	}
	complain_of_time(wait);
	return wait->found == FOUND_DAEMON ? wait->command->late
					   : CODE_UNREACHABLE;
}

/* Who waits for a loss knows why nothing comes: all is well. */
static bool
wants_to_know_why(const struct options *options)
{
	return options->output == OUTPUT_TEXT && !options->is_quiet &&
	       (options->argument == NULL ||
		   strcmp(options->argument, "no-leader") != 0);
}

enum control_code
run_wait(const struct command *command, const struct options *options)
{
	nsec_t timeout =
	    options->timeout != 0 ? options->timeout : command->timeout;
	char *request = request_line(command, options);
	struct wait wait = {
		.command = command,
		.options = options,
		.request = request,
		.deadline = nsec_after(clock_now(), timeout),
		.patience = PATIENCE,
		.impatient_at = wants_to_know_why(options)
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
