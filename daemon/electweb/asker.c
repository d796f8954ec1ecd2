/* SPDX-License-Identifier: ISC */
#include "daemon/electweb/asker.h"

#include <assert.h>
#include <string.h>

#define CONNECT_TIME (20 * MSEC) /* it takes none, unless electd hangs */
#define ROUND_TIME   (1 * SEC)   /* then electd does not answer */

/* electd takes 100 requests a second from a user (control_rate.h). */
#define REQUEST_GAP (12500 * USEC)

static const char *const requests[VERBS_COUNT] = {
	[VERB_LEADER] = "{\"verb\":\"leader\"}",
	[VERB_STATUS] = "{\"verb\":\"status\"}",
	[VERB_STATS] = "{\"verb\":\"stats\"}",
};

bool
asker_init(struct asker *a, const char *socket)
{
	*a = (struct asker){ .electd = electd_new(socket, ELECTD_ASK) };
	return a->electd != NULL;
}

static void
forget(struct answers *answers)
{
	for (unsigned v = 0; v < VERBS_COUNT; v++)
		json_decref(answers->of[v]);
	*answers = (struct answers){ .of = { NULL } };
}

static void
disconnect(struct asker *a)
{
	if (a->is_connected)
		electd_disconnect(a->electd);
	a->is_connected = false;
}

void
asker_end(struct asker *a)
{
	disconnect(a);
	forget(&a->answers);
	electd_free(a->electd);
}

void
asker_want(struct asker *a, unsigned verbs)
{
	a->wanted |= verbs;
}

static bool
send_requests(struct asker *a, unsigned verbs)
{
	if (!a->is_connected)
		a->is_connected =
		    electd_connect(a->electd, CONNECT_TIME) == 0 &&
		    electd_limit(a->electd, 0);
	for (unsigned v = 0; v < VERBS_COUNT && a->is_connected; v++) {
		if ((verbs & VERB_BIT(v)) != 0 &&
		    !electd_send(a->electd, requests[v]))
			return false;
	}
	return a->is_connected;
}

/* The daemon may have ended since the last round, and a new one have begun. */
static void
ask(struct asker *a)
{
	bool was_connected = a->is_connected;

	if (send_requests(a, a->waiting))
		return;
	disconnect(a);
	if (!was_connected || !send_requests(a, a->waiting))
		disconnect(a);
}

bool
asker_begin(struct asker *a, nsec_t now)
{
	if (a->wanted == 0 || a->waiting != 0 || now < a->next_at)
		return false;
	forget(&a->answers);
	a->waiting = a->wanted;
	a->wanted = 0;
	a->rounds++;
	a->late_at = nsec_after(now, ROUND_TIME);
	a->next_at = nsec_after(
	    now, REQUEST_GAP * (nsec_t)__builtin_popcount(a->waiting));
	ask(a);
	return true;
}

/* Takes an answer. False if it is none: the connection is of no use. */
static bool
take_line(struct asker *a, const char *line)
{
	unsigned v = (unsigned)__builtin_ctz(a->waiting);

	a->answers.of[v] = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	a->waiting &= ~VERB_BIT(v);
	return json_is_object(a->answers.of[v]);
}

static void
fail(struct asker *a)
{
	disconnect(a);
	forget(&a->answers);
	a->waiting = 0;
}

bool
asker_take(struct asker *a, nsec_t now)
{
	const char *line;

	while (a->waiting != 0) {
		enum electd_received received =
		    a->is_connected ? electd_receive(a->electd, &line)
				    : ELECTD_END;

		if (received == ELECTD_TOO_LATE && now < a->late_at)
			return false;
		if (received != ELECTD_LINE || !take_line(a, line)) {
			fail(a);
			return true;
		}
	}
	return true;
}

int
asker_fd(const struct asker *a)
{
	return a->is_connected && a->waiting != 0 ? electd_fd(a->electd) : -1;
}

nsec_t
asker_due_at(const struct asker *a)
{
	if (a->waiting != 0)
		return a->is_connected ? a->late_at : 0;
	return a->wanted != 0 ? a->next_at : NSEC_NEVER;
}
