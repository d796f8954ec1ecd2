/* SPDX-License-Identifier: ISC */
/* `wait`: for the cluster, and for the daemon that knows of it. */
#include "daemon/electctl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TRY_GAP_MS 50 /* from one try to the next */

struct wait {
	const struct command *command;
	const struct options *options;
	const char *request;
	nsec_t deadline; /* NSEC_NEVER: none */
	bool has_daemon; /* it was there when the time was up */
};

static nsec_t
clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (nsec_t)now.tv_sec * SEC + (nsec_t)now.tv_nsec;
}

/* What is left of the time; 0 when it is up. */
static nsec_t
time_left(const struct wait *wait)
{
	nsec_t now = clock_now();

	if (wait->deadline == NSEC_NEVER)
		return NSEC_NEVER;
	return now < wait->deadline ? wait->deadline - now : 0;
}

/* Lets a moment pass. False if nobody reads our output any more. */
static bool
pause_a_moment(const struct wait *wait)
{
	struct pollfd output = { .fd = STDOUT_FILENO };
	nsec_t left = time_left(wait);
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
	if (!wait->has_daemon)
		what = "no daemon";
	else if (argument != NULL && strcmp(argument, "no-leader") == 0)
		what = "still a leader";
	else if (argument != NULL && strcmp(argument, "quorum") == 0)
		what = "still no quorum";
	complain("%s after %.15g %s", what,
	    (double)timeout / (double)(is_whole ? SEC : MSEC),
	    is_whole ? "s" : "ms");
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
	wait->has_daemon = received == RECEIVED_TOO_LATE;
	if (received == RECEIVED_LINE)
		*code = show(wait->command, wait->options, line);
	else if (received == RECEIVED_NO_READER)
		*code = explain_silence(wait->command, received);
	else
		return false;
	return true;
}

/* Tries once: as wait_on(). A daemon that is not there yet may come. */
static bool
wait_once(struct wait *wait, nsec_t left, enum control_code *code)
{
	struct connection connection;
	char path[CONTROL_PATH_MAX];
	bool is_over;
	int error;

	wait->has_daemon = false;
	*code = find_socket(wait->options->socket, path);
	if (*code != CODE_YES)
		return true;
	if (path[0] == '\0')
		return false;
	error = connection_try(&connection, path, left);
	if (error == ENOENT || error == ECONNREFUSED || error == EAGAIN)
		return false;
	if (error != 0) {
		*code = connection_explain(path, error);
		return true;
	}
	is_over = wait_on(wait, &connection, code);
	connection_close(&connection);
	return is_over;
}

static enum control_code
wait_long(struct wait *wait)
{
	enum control_code code;
	nsec_t left;

	while ((left = time_left(wait)) > 0) {
		if (wait_once(wait, left, &code))
			return code;
		if (!pause_a_moment(wait))
			return CODE_UNKNOWN;
	}
	complain_of_time(wait);
	return wait->has_daemon ? wait->command->late : CODE_UNREACHABLE;
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
	};
	enum control_code code;

	if (request == NULL)
		return CODE_USAGE;
	code = wait_long(&wait);
	free(request);
	return code;
}
