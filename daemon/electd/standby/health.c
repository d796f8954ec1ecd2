/* SPDX-License-Identifier: ISC */
#include "daemon/electd/standby/health.h"

#include <stdio.h>
#include <string.h>

/* Takes the checks of the settings. */
static void
take_checks(struct health *h, const struct settings *settings)
{
	h->is_wanted = settings->checks_count > 0;
	h->list++;
	h->longest = 0;
	for (size_t i = 0; i < settings->checks_count; i++) {
		if (settings->checks[i].timeout > h->longest)
			h->longest = settings->checks[i].timeout;
	}
}

void
health_init(struct health *h, const struct settings *settings)
{
	*h = (struct health){ .told.cause = STANDBY_CHECK };
	take_checks(h, settings);
}

/* When what was said before counts no more; 0: it does not. */
static nsec_t
result_ends(const struct health *h)
{
	return h->has_result ? nsec_earlier(h->heard_until, h->known_by) : 0;
}

/* Gives the checker time to run all checks for the first time: once, however
 * often it is started, or has another list, before it has. */
static void
await_result(struct health *h, nsec_t now)
{
	if (h->known_by == NSEC_NEVER)
		h->known_by = nsec_after(now, h->longest + HEALTH_VALID);
}

void
health_renew(struct health *h, nsec_t now, const struct settings *settings)
{
	take_checks(h, settings);
	if (now < result_ends(h))
		await_result(h, now);
}

bool
health_take(struct health *h, nsec_t now, const struct health_report *report)
{
	assert(report->session != 0);
	if (h->session != 0 && h->session != report->session)
		return false;
	if (now >= result_ends(h))
		h->has_result = false;
	if (h->session == 0)
		await_result(h, now);
	h->session = report->session;
	h->heard_until = nsec_after(now, HEALTH_VALID);
	if (report->list != h->list || !report->is_known)
		return true;
	h->has_result = true;
	h->known_by = NSEC_NEVER;
	h->is_well = report->is_well;
	memcpy(h->reason, report->reason, sizeof(h->reason));
	return true;
}

bool
health_end(struct health *h, uint64_t session)
{
	bool is_ours = session != 0 && session == h->session;

	if (is_ours)
		h->session = 0;
	return is_ours;
}

const char *
health_fault(const struct health *h, nsec_t now)
{
	if (!h->is_wanted)
		return NULL;
	if (now < result_ends(h))
		return h->is_well ? NULL : h->reason;
	if (h->session == 0)
		return "checks: `electctl checks` does not run";
	return now < h->heard_until
		   ? "checks: none has been run yet"
		   : "checks: `electctl checks` does not answer";
}

/* When health_fault() may say something else without a report; NSEC_NEVER: it
 * does not. */
static nsec_t
health_deadline(const struct health *h, nsec_t now)
{
	if (!h->is_wanted)
		return NSEC_NEVER;
	if (now < result_ends(h))
		return result_ends(h);
	return h->session != 0 && now < h->heard_until ? h->heard_until
						       : NSEC_NEVER;
}

bool
health_look(struct health *h, nsec_t now, struct standby *standby)
{
	const struct standby told = standby_later(&h->told, h->told_at, now);
	const char *fault = health_fault(h, now);

	h->look_at = health_deadline(h, now);
	*standby = (struct standby){
		.is_on = fault != NULL,
		.cause = STANDBY_CHECK,
		.age = told.is_on ? told.age : 0,
		.left = NSEC_NEVER,
	};
	if (fault != NULL)
		snprintf(standby->reason, sizeof(standby->reason), "%s", fault);
	if (told.is_on == standby->is_on &&
	    strcmp(told.reason, standby->reason) == 0)
		return false;
	h->told = *standby;
	h->told_at = now;
	return true;
}
