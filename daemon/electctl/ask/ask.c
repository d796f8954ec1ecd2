/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/ask/ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"
#include "daemon/system/clock.h"

static const struct {
	nsec_t timeout; /* the default of --timeout; NSEC_NEVER: none; of
	                 * `watch` only for the first line */
	enum control_code late; /* the timeout is over before */
	enum control_code lost; /* the daemon goes before */
} patiences[] = {
	[ASKS] = { SEC, CODE_UNREACHABLE, CODE_UNREACHABLE },
	[STEERS] = { 5 * SEC, CODE_UNKNOWN, CODE_UNKNOWN },
	[READS] = { 30 * SEC, CODE_UNKNOWN, CODE_UNKNOWN },
	[YIELDS] = { 60 * SEC, CODE_UNKNOWN, CODE_UNKNOWN },
	/* Longer than a snapshot may take. */
	[GATHERS] = { 20 * SEC, CODE_UNREACHABLE, CODE_UNREACHABLE },
	[WAITS] = { NSEC_NEVER, CODE_NO, CODE_UNKNOWN },
};

/* The text form of a verb may show part of another verb's answer. */
static const char *
verb_asked(const struct command *command, const struct options *options)
{
	if (options->output == OUTPUT_TEXT && command->shown_of != NULL)
		return command->shown_of;
	return command->verb != NULL ? command->verb : command->name;
}

/* {"verb":...} with its options and arguments: a new reference. NULL: one is
 * not UTF-8. */
static json_t *
make_request(const struct command *command, const struct options *options)
{
	json_t *request =
	    json_pack("{s:s}", "verb", verb_asked(command, options));
	const struct option_row *wrong;

	if (options_put(options, request, &wrong) &&
	    (options->arguments == NULL ||
		json_object_update(request, options->arguments) == 0))
		return request;
	json_decref(request);
	return NULL;
}

nsec_t
ask_timeout(const struct command *command, const struct options *options)
{
	return options->timeout != 0 ? options->timeout
				     : patiences[command->patience].timeout;
}

enum control_code
ask_socket(
    const struct options *options, bool is_admin, char path[CONTROL_PATH_MAX])
{
	char query[CONTROL_PATH_MAX];
	enum control_code code = find_socket(&options->place, path);

	if (code != CODE_YES || path[0] == '\0' || !is_admin ||
	    control_is_admin(path))
		return code;
	strcpy(query, path);
	if (control_admin_path(query, path))
		return CODE_YES;
	complain("%s: too long for the name of a socket", query);
	return CODE_USAGE;
}

char *
request_line(const struct command *command, const struct options *options)
{
	json_t *request = make_request(command, options);
	char *line = json_dumps(request, JSON_COMPACT);

	json_decref(request);
	if (line == NULL)
		complain("the argument is not UTF-8");
	return line;
}

int
ask_try(const char *path, nsec_t timeout, struct electd **daemon)
{
	int error;

	*daemon = electd_new(path, ELECTD_ASK);
	if (*daemon == NULL)
		return errno;
	error = electd_connect(*daemon, timeout);
	electd_set_output(*daemon, STDOUT_FILENO);
	if (error != 0) {
		electd_free(*daemon);
		*daemon = NULL;
	}
	return error;
}

enum control_code
ask_connect(const struct command *command, const struct options *options,
    struct electd **daemon)
{
	char path[CONTROL_PATH_MAX];
	enum control_code code = ask_socket(options, command->is_admin, path);
	int error;

	*daemon = NULL;
	if (code != CODE_YES)
		return code;
	if (path[0] == '\0')
		return explain_no_socket();
	error = ask_try(path, ask_timeout(command, options), daemon);
	return error == 0 ? CODE_YES : explain_connection(path, error);
}

/* Failures to send are ignored: if the daemon disconnects, it may have sent the
 * reason. */
enum control_code
ask_begin(const struct command *command, const struct options *options,
    const char *first, struct electd **daemon)
{
	char *line = request_line(command, options);
	enum control_code code;

	if (line == NULL)
		return CODE_USAGE;
	code = ask_connect(command, options, daemon);
	if (code == CODE_YES && (first == NULL || electd_send(*daemon, first)))
		(void)electd_send(*daemon, line);
	free(line);
	return code;
}

/* Complains about each line that explains an error; NULL: there is none. */
static void
complain_details(const json_t *details)
{
	char text[PLAIN_TEXT_MAX];
	size_t i;
	json_t *line;

	json_array_foreach(details, i, line)
	    complain("  %s", plain_text(line, text));
}

enum control_code
check_error(const json_t *answer)
{
	const json_t *error = json_object_get(answer, "error");
	json_int_t code = json_integer_value(json_object_get(answer, "code"));
	char text[PLAIN_TEXT_MAX];

	if (error == NULL)
		return CODE_YES;
	complain("%s", plain_text(error, text));
	complain_details(json_object_get(answer, "details"));
	return code > CODE_YES && code <= CODE_STARTING
		   ? (enum control_code)code
		   : CODE_UNKNOWN;
}

/* Prints pairs for a shell: each element of a list or a stream is one line. */
static void
print_pairs(json_t *answer, const struct command *command)
{
	size_t i;
	json_t *element;

	if (command->describes_leader)
		print_kv_leader(answer);
	else if (!json_is_array(answer))
		print_kv(answer, command->is_stream ? " " : "\n");
	json_array_foreach(answer, i, element) print_kv(element, " ");
}

static void
print_as(const struct command *command, const struct options *options,
    json_t *answer, const char *line)
{
	switch (options->output) {
	case OUTPUT_TEXT:
		if (is_given(options, OPTION_TREE))
			print_tree(answer);
		else if (command->text != NULL)
			print_text(answer, command->text);
		else
			command->print(answer);
		break;
	case OUTPUT_JSON:
		puts(line);
		break;
	case OUTPUT_KV:
		print_pairs(answer, command);
		break;
	}
}

/* A yes without the deadline that this user wants, or for a shorter time than
 * --for, becomes a no. */
static enum control_code
judge_deadline(const struct options *options, json_t *answer)
{
	const json_t *until = field(answer, "until_boot_ns");
	bool is_quorum = is_word(answer, "guarantee", "quorum");
	nsec_t left =
	    nsec_since((nsec_t)json_integer_value(until), clock_now());

	if (json_is_integer(until) ? left >= options->lasts
				   : !is_quorum && options->lasts == 0)
		return CODE_YES;
	json_object_set_new(answer, "is_leader", json_false());
	if (!json_is_integer(until) && is_quorum) {
		complain(
		    "is-leader: you get no deadlines: control.deadlines in electd.conf says who does");
		return CODE_DENIED;
	}
	if (!json_is_integer(until)) {
		complain(
		    "is-leader --for: this cluster gives no deadlines: they come with guarantee = \"quorum\"");
		return CODE_USAGE;
	}
	if (!is_given(options, OPTION_QUIET))
		complain(
		    "this node leads for %.0f ms, if nothing renews its lease",
		    (double)left / (double)MSEC);
	return CODE_NO;
}

enum control_code
show(const struct command *command, const struct options *options,
    const char *line, json_t *names)
{
	json_t *answer = json_loads(line, 0, NULL);
	enum control_code code;

	if (answer == NULL) {
		complain("the daemon's answer is not JSON");
		return CODE_UNKNOWN;
	}
	code = check_error(answer);
	if (code != CODE_YES && options->output == OUTPUT_JSON &&
	    !is_given(options, OPTION_QUIET))
		puts(line);
	if (code == CODE_YES) {
		if (command->judge != NULL)
			code = command->judge(answer);
		if (code == CODE_YES && is_given(options, OPTION_DEADLINE) &&
		    (command->takes & OPTION_BIT(OPTION_FOR_DEADLINE)) != 0)
			code = judge_deadline(options, answer);
		if (names != NULL)
			json_object_set(answer, "names", names);
		if (!is_given(options, OPTION_QUIET))
			print_as(command, options, answer, line);
	}
	json_decref(answer);
	return code;
}

enum control_code
explain_silence(const struct command *command, enum electd_received received)
{
	switch (received) {
	case ELECTD_TOO_LATE:
		complain(
		    "%s: the daemon did not answer in time", command->name);
		return patiences[command->patience].late;
	case ELECTD_END:
		complain("%s: the daemon has gone", command->name);
		return patiences[command->patience].lost;
	case ELECTD_NO_READER:
		return command->is_stream ? CODE_YES : CODE_UNKNOWN;
	case ELECTD_LINE:
		break;
	}
	return CODE_UNKNOWN;
}

enum control_code
ask_receive(
    const struct command *command, struct electd *daemon, json_t **answer)
{
	const char *line;
	enum electd_received received = electd_receive(daemon, &line);

	*answer = NULL;
	if (received != ELECTD_LINE)
		return explain_silence(command, received);
	*answer = json_loads(line, 0, NULL);
	return check_error(*answer);
}

enum control_code
ask_for(const struct command *command, struct electd *daemon,
    const char *request, json_t **answer)
{
	(void)electd_send(daemon, request);
	return ask_receive(command, daemon, answer);
}

static enum control_code
receive_answer(const struct command *command, const struct options *options,
    struct electd *daemon)
{
	const char *line;
	enum electd_received received = electd_receive(daemon, &line);

	if (received == ELECTD_LINE)
		return show(command, options, line, NULL);
	if (received != ELECTD_TOO_LATE || command->overdue == NULL)
		return explain_silence(command, received);
	complain("%s: %s", command->name, command->overdue);
	return patiences[command->patience].late;
}

/*
 * If the answer may take long, this asks for a sign of life first. Without one
 * the daemon has not even taken the request.
 */
enum control_code
run_query(const struct command *command, const struct options *options)
{
	const char *first = command->overdue != NULL ? SIGN_OF_LIFE : NULL;
	struct electd *daemon;
	enum control_code code = ask_begin(command, options, first, &daemon);
	json_t *sign = NULL;

	if (code != CODE_YES)
		return code;
	if (first != NULL)
		code = ask_receive(command, daemon, &sign);
	if (code == CODE_YES)
		code = receive_answer(command, options, daemon);
	json_decref(sign);
	electd_free(daemon);
	return code;
}

/*
 * Says why there is no verdict. Without an answer, programs on this host cannot
 * use the cluster: that is critical. Other errors say nothing about it.
 */
static enum control_code
explain_check(
    const struct options *options, enum control_code code, const char *why)
{
	bool is_unreachable = code == CODE_UNREACHABLE;

	if (is_given(options, OPTION_QUIET) || options->output != OUTPUT_TEXT)
		complain("%s", why);
	else
		printf("%s  %s\n", is_unreachable ? "UNREACHABLE" : "UNKNOWN",
		    why);
	return is_unreachable ? 2 : 3;
}

enum control_code
run_status(const struct command *command, const struct options *options)
{
	struct command check = *command;
	enum control_code code;
	const char *why;

	if (!is_given(options, OPTION_CHECK))
		return run_query(command, options);
	check.print = print_verdict;
	check.judge = judge_verdict;
	complain_hold();
	code = run_query(&check, options);
	why = complain_held();
	return why == NULL ? code : explain_check(options, code, why);
}
