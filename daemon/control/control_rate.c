/* SPDX-License-Identifier: ISC */
#include "daemon/control/control_rate.h"

#include <stddef.h>

#define COST (RATE_TIME / RATE_MAX) /* one request leaks out in this time */

bool
rate_is_over(const struct rates *rates, uid_t user, nsec_t now)
{
	for (size_t i = 0; i < RATE_USERS; i++) {
		if (rates->users[i].user == user && user != 0)
			return nsec_since(rates->users[i].until, now) + COST >
			       RATE_TIME;
	}
	return false;
}

/* The entry of the user; else the one that is, or was, empty first. */
static size_t
entry_for(const struct rates *rates, uid_t user)
{
	size_t first = 0;

	for (size_t i = 0; i < RATE_USERS; i++) {
		if (rates->users[i].user == user)
			return i;
		if (rates->users[i].until < rates->users[first].until)
			first = i;
	}
	return first;
}

void
rate_charge(struct rates *rates, uid_t user, nsec_t now)
{
	size_t i = entry_for(rates, user);
	nsec_t from = now;

	if (user == 0 || rate_is_over(rates, user, now))
		return;
	if (rates->users[i].user == user && rates->users[i].until > now)
		from = rates->users[i].until;
	rates->users[i].user = user;
	rates->users[i].until = nsec_after(from, COST);
}
