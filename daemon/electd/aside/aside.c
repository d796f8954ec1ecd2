/* SPDX-License-Identifier: ISC */
#include "daemon/electd/aside/aside.h"

#include <stdio.h>
#include <string.h>

/* An order gives way to the checks so long before its end, if they set the node
 * aside, too: so the node is not free for a moment in between. */
#define WAY_EARLY (100 * MSEC)

/* What the checks say. */
static struct standby
aside_sick(struct aside *a, nsec_t now)
{
	const char *fault = health_fault(&a->health, now);
	struct standby standby = { .is_on = fault != NULL, .left = NSEC_NEVER };

	if (fault != NULL && !a->is_sick)
		a->sick_since = now;
	a->is_sick = fault != NULL;
	if (fault == NULL)
		return standby;
	standby.age = nsec_since(now, a->sick_since);
	snprintf(standby.reason, sizeof(standby.reason), "%s", fault);
	return standby;
}

/* What counts now. */
static struct standby
aside_standby(struct aside *a, nsec_t now)
{
	struct standby sick = aside_sick(a, now);
	struct standby order = standby_later(&a->order, a->order_at, now);
	bool may_give_way =
	    sick.is_on && order.is_on && order.left != NSEC_NEVER;

	a->look_at = health_deadline(&a->health, now);
	if (may_give_way && order.left <= WAY_EARLY)
		order.is_on = false;
	else if (may_give_way)
		a->look_at = nsec_earlier(
		    a->look_at, nsec_after(now, order.left - WAY_EARLY));
	a->order = order;
	a->order_at = now;
	return order.is_on ? order : sick;
}

static void
aside_tell(struct aside *a, nsec_t now, const struct standby *standby)
{
	a->told = *standby;
	a->told_at = now;
}

/* For so long a check may run. */
static nsec_t
longest_check(const struct settings *settings)
{
	nsec_t longest = 0;

	for (size_t i = 0; i < settings->checks_count; i++) {
		if (settings->checks[i].timeout > longest)
			longest = settings->checks[i].timeout;
	}
	return longest;
}

struct standby
aside_begin(struct aside *a, nsec_t now, const struct standby *order,
    const struct settings *settings)
{
	struct standby standby;

	*a = (struct aside){ .order = *order, .order_at = now };
	health_init(
	    &a->health, settings->checks_count > 0, longest_check(settings));
	standby = aside_standby(a, now);
	aside_tell(a, now, &standby);
	return standby;
}

void
aside_renew(struct aside *a, nsec_t now, const struct settings *settings)
{
	health_renew(&a->health, now, settings->checks_count > 0,
	    longest_check(settings));
}

void
aside_order(struct aside *a, nsec_t now, const struct standby *order)
{
	a->order = *order;
	a->order_at = now;
}

bool
aside_is_ordered(const struct aside *a, nsec_t now)
{
	return standby_later(&a->order, a->order_at, now).is_on;
}

/* True if the node knows it already. Its age shows which one it is. */
static bool
is_told(const struct aside *a, nsec_t now, const struct standby *standby)
{
	struct standby told = standby_later(&a->told, a->told_at, now);

	if (!standby->is_on || !told.is_on)
		return standby->is_on == told.is_on;
	return standby->age == told.age && standby->left == told.left &&
	       strcmp(standby->reason, told.reason) == 0;
}

bool
aside_look(struct aside *a, nsec_t now, struct standby *standby)
{
	*standby = aside_standby(a, now);
	if (is_told(a, now, standby))
		return false;
	aside_tell(a, now, standby);
	return true;
}
