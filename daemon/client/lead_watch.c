/* SPDX-License-Identifier: ISC */
#include "daemon/client/lead_watch.h"

#include <errno.h>
#include <inttypes.h>

#include "daemon/system/clock.h"

#define TRY_GAP     (50 * MSEC)  /* from one attempt to connect to the next */
#define ANSWER_TIME (1 * SEC)    /* the longest wait for a prompt answer */
#define LEAVE_TIME  (200 * MSEC) /* likewise, before we disconnect */
#define REFUSED_GAP (1 * SEC)    /* from an error to the next attempt */

#define RELEASED "{\"released\":" /* begins the answer to a release */

void
lead_watch_init(struct lead_watch *s, const struct lead_watch_setup *setup,
    const char *path, nsec_t now)
{
	*s = (struct lead_watch){ .setup = setup, .try_at = now };
	strcpy(s->path, path);
}

/* electd may not read what we have sent before if we disconnect while it sends
 * an event: so it must have answered. */
static void
await_release(struct lead_watch *s)
{
	const char *line;

	if (!connection_limit(&s->connection, LEAVE_TIME))
		return;
	while (s->unanswered > 0 &&
	       connection_receive(&s->connection, &line) == RECEIVED_LINE)
		s->unanswered -= strncmp(line, RELEASED, strlen(RELEASED)) == 0;
}

void
lead_watch_end(struct lead_watch *s)
{
	if (s->is_connected)
		await_release(s);
	if (s->is_connected)
		connection_close(&s->connection);
	s->is_connected = false;
	s->unanswered = 0;
}

int
lead_watch_fd(const struct lead_watch *s)
{
	return s->is_connected ? s->connection.fd : -1;
}

nsec_t
lead_watch_due_at(const struct lead_watch *s)
{
	return s->is_connected ? NSEC_NEVER : s->try_at;
}

const char *
lead_watch_place(const struct lead_watch *s)
{
	return s->path[0] != '\0' ? s->path : SOCKETS_DIRECTORY;
}

enum control_code
lead_watch_explain(const struct lead_watch *s)
{
	return s->path[0] != '\0' ? connection_explain(s->path, s->error)
				  : explain_no_socket();
}

/* The events that have come. */

static void
tell(struct lead_watch *s, nsec_t now, const json_t *event)
{
	s->setup->changed(s->setup->context, now, event);
}

static void
take_term(struct lead_watch *s, const json_t *event)
{
	s->term = (uint64_t)json_integer_value(field(event, "term"));
	s->token = (uint64_t)json_integer_value(field(event, "token"));
}

/* The event is of the leader that this node follows, perhaps itself. */
static void
take_leader(struct lead_watch *s, const json_t *event)
{
	json_int_t leader = json_integer_value(field(event, "leader"));
	json_int_t self = json_integer_value(field(event, "self"));
	bool leads = leader == self && leader != 0;

	if (json_is_true(field(event, "hands_over")))
		s->hands_over = true;
	if (!leads)
		s->until = 0;
	else if (!s->is_quorum)
		s->until = NSEC_NEVER;
	if (leads)
		take_term(s, event);
	else
		s->hands_over = false;
}

/* True if it is an event that concerns the lead watch. */
static bool
take_event(struct lead_watch *s, const json_t *event)
{
	if (is_word(event, "event", "deadline")) {
		s->until =
		    (nsec_t)json_integer_value(field(event, "until_boot_ns"));
		s->span = (nsec_t)(json_number_value(field(event, "valid_ms")) *
				   (double)MSEC);
		take_term(s, event);
	} else if (is_word(event, "event", "handover")) {
		s->hands_over = json_is_true(field(event, "on"));
	} else if (is_word(event, "event", "state") ||
		   is_word(event, "event", "leader") ||
		   is_word(event, "event", "no-leader")) {
		take_leader(s, event);
	} else {
		return false;
	}
	return true;
}

static void
disconnect(struct lead_watch *s, nsec_t now)
{
	s->unanswered = 0;
	lead_watch_end(s);
	s->try_at = nsec_after(now, TRY_GAP);
	s->until = 0;
	s->hands_over = false;
	tell(s, now, NULL);
}

/* Complains once about what the daemon refuses, as one of another release may.
 * True if the line is an error. */
static bool
take_error(struct lead_watch *s, nsec_t now, const json_t *answer)
{
	char text[PLAIN_TEXT_MAX];

	if (field(answer, "error") == NULL)
		return false;
	if (!s->has_complained)
		complain("the daemon refuses: %s",
		    plain_text(field(answer, "error"), text));
	s->has_complained = true;
	s->try_at = nsec_after(now, REFUSED_GAP);
	return true;
}

static void
take_lines(struct lead_watch *s)
{
	while (s->is_connected) {
		const char *line;
		enum received received =
		    connection_receive(&s->connection, &line);
		nsec_t now = clock_now();
		json_t *event;

		if (received == RECEIVED_TOO_LATE)
			return;
		event = received == RECEIVED_LINE ? json_loads(line, 0, NULL)
						  : NULL;
		if (field(event, "released") != NULL && s->unanswered > 0)
			s->unanswered--;
		if (event == NULL || field(event, "error") != NULL)
			disconnect(s, now);
		else if (take_event(s, event))
			tell(s, now, event);
		(void)take_error(s, now, event);
		json_decref(event);
	}
}

static void
give_back(struct lead_watch *s, const char *line)
{
	s->until = 0;
	s->unanswered += connection_send(&s->connection, line);
}

void
lead_watch_release(struct lead_watch *s)
{
	char line[64];

	if (!s->is_connected || !s->is_quorum || !s->hands_over ||
	    s->until == 0)
		return;
	snprintf(line, sizeof(line),
	    "{\"verb\":\"release\",\"until_boot_ns\":%" PRIu64 "}", s->until);
	give_back(s, line);
}

/* We give all back, also deadlines that we have not read. */
void
lead_watch_leave(struct lead_watch *s)
{
	if (s->is_connected && s->is_quorum)
		give_back(s, "{\"verb\":\"release\",\"leaves\":true}");
	lead_watch_end(s);
}

/* The connection. */

/* Takes what we need of an answer of `status`. */
static bool
take_status(struct lead_watch *s, const json_t *status)
{
	const json_t *node = field(status, "node");
	const json_t *cluster = field(status, "cluster");
	char name[PLAIN_TEXT_MAX];

	if (!json_is_string(cluster) || !json_is_object(node))
		return false;
	plain_text(cluster, name);
	if (s->cluster[0] != '\0' && strcmp(s->cluster, name) != 0)
		return false;
	memcpy(s->cluster, name, sizeof(name));
	s->is_quorum = is_word(status, "guarantee", "quorum");
	plain_text(field(node, "name"), s->node);
	return s->setup->met == NULL ||
	       s->setup->met(s->setup->context, status);
}

/* Asks for the state of the cluster, and then for the events. */
static bool
meet(struct lead_watch *s)
{
	json_t *status = NULL;
	const char *line;
	bool is_done =
	    connection_send(&s->connection, "{\"verb\":\"status\"}") &&
	    connection_receive(&s->connection, &line) == RECEIVED_LINE &&
	    (status = json_loads(line, 0, NULL)) != NULL &&
	    !take_error(s, clock_now(), status) && take_status(s, status) &&
	    connection_send(&s->connection,
		s->is_quorum ? "{\"verb\":\"watch\",\"holds\":true}"
			     : "{\"verb\":\"watch\"}");

	json_decref(status);
	return is_done;
}

static enum control_code
connect_to(struct lead_watch *s, const char *path)
{
	int error = connection_try(&s->connection, path, ANSWER_TIME);

	s->error = error;
	if (error == ENOENT || error == ECONNREFUSED || error == EAGAIN)
		return CODE_YES;
	if (error != 0)
		return connection_explain(path, error);
	s->connection.ignores_output = true;
	/* From now on what has not come is too late: we never wait. */
	s->is_connected = meet(s) && connection_limit(&s->connection, 1);
	if (s->is_connected) {
		strcpy(s->path, path);
	} else {
		s->error = EAGAIN;
		connection_close(&s->connection);
	}
	return CODE_YES;
}

static enum control_code
try_to_connect(struct lead_watch *s, nsec_t now)
{
	char path[CONTROL_PATH_MAX];
	enum control_code code = CODE_YES;

	s->try_at = nsec_after(now, TRY_GAP);
	if (s->path[0] == '\0')
		code = find_socket(s->setup->place, path);
	else
		strcpy(path, s->path);
	if (code != CODE_YES || path[0] == '\0')
		return code;
	return connect_to(s, path);
}

enum control_code
lead_watch_look(struct lead_watch *s)
{
	nsec_t now = clock_now();

	if (s->is_connected)
		take_lines(s);
	else if (now >= s->try_at)
		return try_to_connect(s, now);
	return CODE_YES;
}
