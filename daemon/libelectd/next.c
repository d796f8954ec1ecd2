/* SPDX-License-Identifier: ISC */
/*
 * Follows electd: connects, asks for the status and then for the events, takes
 * what comes, and connects again when electd has gone. Nothing here waits.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "daemon/libelectd/handle.h"
#include "daemon/system/clock.h"

#define TRY_GAP     (50 * MSEC) /* from one attempt to connect to the next */
#define REFUSED_GAP (1 * SEC)   /* from an error to the next attempt */
#define ANSWER_TIME (1 * SEC)   /* the longest wait for a prompt answer */
#define LINES_MAX   64          /* lines that one call takes */

/* The news. */

static const struct electd_news *
tell(struct electd *e, enum electd_kind kind, const char *line)
{
	struct electd_news *n = &e->news;

	n->kind = kind;
	n->line = line;
	n->is_connected = e->stage == STAGE_FOLLOWS;
	n->is_leader = handle_may_act(e);
	e->acts = e->acts || n->is_leader;
	handle_set_held(e);
	return n;
}

const struct electd_news *
electd_state(const struct electd *e)
{
	return &e->news;
}

/* The end of a connection. */

/* Under quorum the deadline that electd gave stands: nobody else leads yet. */
static const struct electd_news *
lose(struct electd *e, nsec_t gap)
{
	bool was_told = e->stage == STAGE_FOLLOWS;

	e->unanswered = 0;
	electd_disconnect(e);
	e->due_at = nsec_after(clock_now(), gap);
	e->news.error = EAGAIN;
	e->news.hands_over = false;
	if (!e->news.is_quorum)
		e->news.until = 0;
	return was_told ? tell(e, ELECTD_GONE, NULL) : NULL;
}

/* Tells of it once: electd_why() says why. */
static const struct electd_news *
refuse(struct electd *e, int error)
{
	const struct electd_news *gone = lose(e, REFUSED_GAP);

	e->news.error = error;
	if (e->has_refused)
		return gone;
	e->has_refused = true;
	return tell(e, ELECTD_REFUSED, NULL);
}

/* What the daemon refuses, as one of another release may. */
static const struct electd_news *
take_error(struct electd *e, const json_t *answer)
{
	const char *text = json_string_value(json_object_get(answer, "error"));

	handle_explain(
	    e, "the daemon refuses: %s", text != NULL ? text : "no reason");
	return refuse(e, EPROTO);
}

/* The events that have come. */

static bool
is_event(const json_t *event, const char *name)
{
	const char *text = json_string_value(json_object_get(event, "event"));

	return text != NULL && strcmp(text, name) == 0;
}

/* The name of a node, by its id. */
static void
name_of(const struct electd *e, const json_t *id, char name[ELECTD_NAME_MAX])
{
	const json_t *peer;
	size_t i;

	json_array_foreach(e->peers, i, peer)
	{
		if (json_equal(json_object_get(peer, "id"), id)) {
			handle_name(json_object_get(peer, "name"), name);
			return;
		}
	}
	snprintf(name, ELECTD_NAME_MAX, "%" JSON_INTEGER_FORMAT,
	    json_integer_value(id));
}

/* The event is of the leader that this node follows, perhaps itself. */
static void
take_leader(struct electd *e, const json_t *event)
{
	const json_t *leader = json_object_get(event, "leader");
	struct electd_news *n = &e->news;
	bool is_self = json_integer_value(leader) != 0 &&
		       json_equal(leader, json_object_get(event, "self"));

	n->term = handle_number(event, "term");
	n->token = handle_number(event, "token");
	e->leader[0] = '\0';
	if (is_self)
		strcpy(e->leader, e->node);
	else if (json_is_integer(leader))
		name_of(e, leader, e->leader);
	if (json_is_true(json_object_get(event, "hands_over")))
		n->hands_over = true;
	if (!is_self) {
		n->hands_over = false;
		n->until = 0;
	} else if (!n->is_quorum) {
		n->until = ELECTD_NEVER;
	}
}

/* A deadline that we have not asked for does not count. */
static void
take_deadline(struct electd *e, const json_t *event)
{
	const json_t *valid = json_object_get(event, "valid_ms");
	double valid_ms = json_number_value(valid);

	if (!e->news.is_quorum || !handle_leads(e))
		return;
	e->news.until = handle_number(event, "until_boot_ns");
	e->news.span = valid_ms > 0 && valid_ms < 1e9
			   ? (nsec_t)(valid_ms * (double)MSEC)
			   : 0;
	e->news.term = handle_number(event, "term");
	e->news.token = handle_number(event, "token");
	e->was_late = false;
}

/* True if it is an event that concerns the lead. */
static bool
take_event(struct electd *e, const json_t *event)
{
	if (is_event(event, "deadline"))
		take_deadline(e, event);
	else if (is_event(event, "handover"))
		e->news.hands_over = json_is_true(json_object_get(event, "on"));
	else if (is_event(event, "state") || is_event(event, "leader") ||
		 is_event(event, "no-leader"))
		take_leader(e, event);
	else
		return false;
	e->has_refused = false;
	if (!e->acts)
		handle_release(e);
	return true;
}

/* Meeting a daemon. */

/* Takes what we need of a status. False if it is another cluster's, or none. */
static bool
take_status(struct electd *e, const json_t *status)
{
	const json_t *node = json_object_get(status, "node");
	const char *guarantee =
	    json_string_value(json_object_get(status, "guarantee"));
	char cluster[ELECTD_NAME_MAX];

	handle_name(json_object_get(status, "cluster"), cluster);
	if (cluster[0] == '\0' || !json_is_object(node) ||
	    (e->cluster[0] != '\0' && strcmp(e->cluster, cluster) != 0))
		return false;
	strcpy(e->cluster, cluster);
	handle_name(json_object_get(node, "name"), e->node);
	json_decref(e->peers);
	e->peers = json_incref(json_object_get(status, "peers"));
	e->news.is_quorum =
	    guarantee != NULL && strcmp(guarantee, "quorum") == 0;
	e->news.until = 0;
	return true;
}

/* Takes the answer to `status`, and asks for the events. */
static const struct electd_news *
meet(struct electd *e, const json_t *status, const char *line)
{
	if (!take_status(e, status))
		return lose(e, TRY_GAP);
	if (e->mode == ELECTD_LEAD && !e->news.is_quorum) {
		handle_explain(e,
		    "this cluster has guarantee = \"component\", so two nodes may lead at once");
		return refuse(e, ENOTSUP);
	}
	if (!connection_send(
		&e->connection, handle_leads(e) && e->news.is_quorum
				    ? "{\"verb\":\"watch\",\"holds\":true}"
				    : "{\"verb\":\"watch\"}"))
		return lose(e, TRY_GAP);
	e->stage = STAGE_FOLLOWS;
	e->news.error = 0;
	strcpy(e->socket, e->path);
	return tell(e, ELECTD_MET, line);
}

static const struct electd_news *
take_line(struct electd *e, const char *line)
{
	json_t *answer = json_loads(line, 0, NULL);
	const struct electd_news *news = NULL;

	if (answer == NULL)
		news = lose(e, TRY_GAP);
	else if (json_object_get(answer, "error") != NULL)
		news = take_error(e, answer);
	else if (e->stage == STAGE_MEETING)
		news = meet(e, answer, line);
	else if (json_object_get(answer, "released") != NULL)
		e->unanswered -= e->unanswered > 0;
	else if (take_event(e, answer) || !handle_leads(e))
		news = tell(e, ELECTD_EVENT, line);
	json_decref(answer);
	return news;
}

static const struct electd_news *
try_to_connect(struct electd *e)
{
	struct epoll_event event = { .events = EPOLLIN };
	int error = handle_find(e, e->path);

	e->due_at = nsec_after(clock_now(), TRY_GAP);
	if (error == 0) {
		error = connection_try(&e->connection, e->path, 0);
		if (error != 0)
			handle_explain(e, "%s: %s", e->path, strerror(error));
	}
	e->news.error = error != 0 ? error : EAGAIN;
	if (error == ENOENT || error == ECONNREFUSED || error == EAGAIN)
		return NULL;
	if (error == 0 &&
	    epoll_ctl(e->epoll, EPOLL_CTL_ADD, e->connection.fd, &event) != 0) {
		error = errno;
		handle_explain(e, "epoll: %s", strerror(error));
	}
	if (error != 0)
		return refuse(e, error);
	if (!connection_send(&e->connection, "{\"verb\":\"status\"}"))
		return lose(e, TRY_GAP);
	e->stage = STAGE_MEETING;
	e->due_at = nsec_after(clock_now(), ANSWER_TIME);
	return NULL;
}

/* Sets the timer for what is due next; 0: at once. */
static void
set_timer(struct electd *e, nsec_t at)
{
	struct itimerspec when = { .it_value.tv_sec = 0 };

	if (at != NSEC_NEVER)
		when.it_value = clock_timespec(at);
	(void)timerfd_settime(e->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* There is no line: does what is due by the clock. */
static const struct electd_news *
look_at_clock(struct electd *e)
{
	nsec_t now = clock_now();
	nsec_t late =
	    e->news.until == 0 || e->was_late ? NSEC_NEVER : handle_late_at(e);
	nsec_t due = e->stage == STAGE_FOLLOWS ? NSEC_NEVER : e->due_at;

	if (now >= late) {
		e->was_late = true;
		return tell(e, ELECTD_LATE, NULL);
	}
	set_timer(e, nsec_earlier(late, due));
	return NULL;
}

const struct electd_news *
electd_next(struct electd *e)
{
	const struct electd_news *news = NULL;
	const char *line;

	if (e->stage == STAGE_APART && clock_now() >= e->due_at)
		news = try_to_connect(e);
	if (e->stage == STAGE_MEETING && clock_now() >= e->due_at)
		news = lose(e, TRY_GAP);
	for (int i = 0; i < LINES_MAX && news == NULL; i++) {
		enum electd_received received = ELECTD_TOO_LATE;

		if (e->stage != STAGE_APART)
			received = connection_receive(&e->connection, &line);
		if (received == ELECTD_TOO_LATE)
			return look_at_clock(e);
		news = received == ELECTD_LINE ? take_line(e, line)
					       : lose(e, TRY_GAP);
	}
	if (news == NULL)
		set_timer(e, 0);
	return news;
}
