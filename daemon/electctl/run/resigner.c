/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/resigner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define ASK_TIME (100 * MSEC) /* a daemon that stands still is not waited for */

void
resigner_init(struct resigner *r, const struct verb_loop *loop)
{
	*r = (struct resigner){ .loop = loop };
}

enum control_code
resigner_may(const struct resigner *r)
{
	char path[CONTROL_PATH_MAX];
	enum control_code code = ask_socket(r->loop->options, true, path);

	if (code != CODE_YES || path[0] == '\0' ||
	    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 || errno != EACCES)
		return code;
	complain(
	    "run: --progress: %s: %s; whoever may steer the daemon can run this",
	    path, strerror(EACCES));
	return CODE_DENIED;
}

void
resigner_end(struct resigner *r)
{
	electd_free(r->daemon);
	r->daemon = NULL;
}

/* Sends the request. False if nobody takes it. */
static bool
send_request(struct resigner *r, const char *reason)
{
	char text[STANDBY_REASON_MAX + 1];
	json_t *request;
	char *line;
	bool is_sent;

	cut_reason(reason, text);
	make_plain(text);
	request = json_pack("{s:s,s:s}", "verb", "resign", "reason", text);
	line = json_dumps(request, JSON_COMPACT);
	is_sent = line != NULL && electd_send(r->daemon, line) &&
		  electd_limit(r->daemon, 0);
	free(line);
	json_decref(request);
	return is_sent;
}

void
resigner_ask(struct resigner *r, const char *reason)
{
	char path[CONTROL_PATH_MAX];

	resigner_end(r);
	if (ask_socket(r->loop->options, true, path) == CODE_YES &&
	    path[0] != '\0' && ask_try(path, ASK_TIME, &r->daemon) == 0) {
		electd_set_output(r->daemon, -1);
		if (send_request(r, reason))
			return;
	}
	resigner_end(r);
	say(r->loop, "this node cannot resign: the daemon does not answer");
}

int
resigner_fd(const struct resigner *r)
{
	return r->daemon != NULL ? electd_fd(r->daemon) : -1;
}

void
resigner_take(struct resigner *r)
{
	const char *line;
	char text[PLAIN_TEXT_MAX];
	enum electd_received received = electd_receive(r->daemon, &line);
	json_t *answer;

	if (received == ELECTD_TOO_LATE)
		return;
	answer = received == ELECTD_LINE ? json_loads(line, 0, NULL) : NULL;
	if (field(answer, "error") != NULL)
		say(r->loop, "this node does not resign: %s",
		    plain_text(field(answer, "error"), text));
	json_decref(answer);
	resigner_end(r);
}
