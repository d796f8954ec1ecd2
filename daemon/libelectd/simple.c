/* SPDX-License-Identifier: ISC */
/* For programs without a loop: to lead, and to ask once. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/libelectd/handle.h"
#include "daemon/system/clock.h"

bool
electd_leads(struct electd *e)
{
	const struct electd_news *news;
	bool has_lost = false; /* the lead, though it may be back */

	while ((news = electd_next(e)) != NULL)
		has_lost = has_lost || !news->is_leader;
	e->news.is_leader = handle_may_act(e);
	return e->news.is_leader && !has_lost;
}

/* Takes all that has come. Gives 0 if the program is to act; EAGAIN: not yet;
 * or the error of a refusal. */
static int
try_to_lead(struct electd *e, nsec_t left)
{
	const struct electd_news *news;

	while ((news = electd_next(e)) != NULL) {
		if (news->kind == ELECTD_REFUSED)
			return news->error;
	}
	e->acts = handle_may_act(e) &&
		  (e->news.until == ELECTD_NEVER ||
		      nsec_since(e->news.until, clock_now()) >= left);
	handle_set_held(e);
	if (!e->acts)
		handle_release(e);
	return e->acts ? 0 : EAGAIN;
}

int
electd_lead(struct electd *e, uint64_t left, uint64_t timeout)
{
	struct pollfd pollers[] = { { .fd = e->epoll, .events = POLLIN } };
	nsec_t end = nsec_after(clock_now(), timeout);
	int error;

	e->has_refused = false;
	while ((error = try_to_lead(e, left)) == EAGAIN) {
		nsec_t now = clock_now();
		struct timespec rest = clock_timespec(nsec_since(end, now));

		if (now >= end)
			return ETIMEDOUT;
		(void)ppoll(pollers, 1, end == NSEC_NEVER ? NULL : &rest, NULL);
	}
	return error;
}

int
electd_ask(
    const char *socket, const char *request, uint64_t timeout, char **answer)
{
	struct electd *e = electd_new(socket, ELECTD_ASK);
	enum electd_received received;
	const char *line;
	int error = e == NULL ? errno : electd_connect(e, timeout);

	*answer = NULL;
	if (error == 0) {
		(void)electd_send(e, request);
		received = electd_receive(e, &line);
		if (received == ELECTD_LINE)
			*answer = strdup(line);
		error = received == ELECTD_TOO_LATE ? ETIMEDOUT
			: received == ELECTD_END    ? ECONNRESET
			: *answer == NULL           ? ENOMEM
						    : 0;
	}
	electd_free(e);
	return error == EAGAIN ? ETIMEDOUT : error;
}

int
electd_leader(
    const char *socket, uint64_t timeout, struct electd_leader *leader)
{
	const json_t *who, *self;
	json_t *answer;
	char *line;
	int error = electd_ask(socket, "{\"verb\":\"leader\"}", timeout, &line);

	*leader = (struct electd_leader){ .term = 0 };
	if (error != 0)
		return error;
	answer = json_loads(line, 0, NULL);
	who = json_object_get(answer, "leader");
	self = json_object_get(answer, "self");
	if (json_is_object(who))
		handle_name(json_object_get(who, "name"), leader->name);
	leader->term = handle_number(answer, "term");
	leader->token = handle_number(answer, "token");
	leader->is_self = json_is_integer(self) &&
			  json_equal(json_object_get(who, "id"), self);
	if (who == NULL || (json_is_object(who) && leader->name[0] == '\0'))
		error = EPROTO;
	json_decref(answer);
	free(line);
	return error;
}
