/* SPDX-License-Identifier: ISC */
/* The deadline that a handle holds, and how electd gets it back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/libelectd/handle.h"
#include "daemon/system/clock.h"

#define LEAVE_TIME (200 * MSEC)     /* for the answer, before we disconnect */
#define RELEASED   "{\"released\":" /* begins the answer to a release */

bool
handle_leads(const struct electd *e)
{
	return e->mode == ELECTD_LEAD || e->mode == ELECTD_LEAD_EVEN_IF_TWO;
}

nsec_t
handle_late_at(const struct electd *e)
{
	return e->news.until == ELECTD_NEVER
		   ? NSEC_NEVER
		   : nsec_since(e->news.until, e->early);
}

bool
handle_may_act(const struct electd *e)
{
	return handle_leads(e) && e->news.until != 0 && !e->news.hands_over &&
	       clock_now() < handle_late_at(e);
}

void
handle_set_held(struct electd *e)
{
	atomic_store(&e->held, e->acts ? e->news.until : 0);
}

void
electd_stop_early(struct electd *e, uint64_t early)
{
	e->early = early;
}

bool
electd_holds(const struct electd *e)
{
	return electd_left(e) > 0;
}

uint64_t
electd_left(const struct electd *e)
{
	uint64_t held = atomic_load(&e->held);

	return held == ELECTD_NEVER ? ELECTD_NEVER
				    : nsec_since(held, clock_now());
}

/* Giving back. */

static void
release(struct electd *e, const char *line)
{
	e->news.until = 0;
	e->news.is_leader = false;
	e->unanswered += connection_send(&e->connection, line);
}

void
handle_release(struct electd *e)
{
	char line[64];

	if (e->stage != STAGE_FOLLOWS || !e->news.is_quorum ||
	    !e->news.hands_over || e->news.until == 0)
		return;
	snprintf(line, sizeof(line),
	    "{\"verb\":\"release\",\"until_boot_ns\":%" PRIu64 "}",
	    e->news.until);
	release(e, line);
}

void
electd_give_back(struct electd *e)
{
	e->acts = false;
	handle_set_held(e);
	handle_release(e);
}

/* electd may not read what we have sent before if we disconnect while it sends
 * an event: so it must have answered. */
static void
await_release(struct electd *e)
{
	const char *line;

	if (!connection_limit(&e->connection, LEAVE_TIME))
		return;
	while (e->unanswered > 0 &&
	       connection_receive(&e->connection, &line) == ELECTD_LINE)
		e->unanswered -= strncmp(line, RELEASED, strlen(RELEASED)) == 0;
}

void
electd_disconnect(struct electd *e)
{
	if (e->unanswered > 0)
		await_release(e);
	e->unanswered = 0;
	connection_close(&e->connection);
	e->stage = STAGE_APART;
	e->news.is_connected = false;
}

/* We give all back, also deadlines that we have not read. */
void
electd_leave(struct electd *e)
{
	if (e->stage == STAGE_FOLLOWS && e->news.is_quorum && handle_leads(e))
		release(e, "{\"verb\":\"release\",\"leaves\":true}");
	electd_disconnect(e);
	e->acts = e->news.is_leader = false;
	e->news.until = 0;
	handle_set_held(e);
}
