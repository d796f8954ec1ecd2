/* SPDX-License-Identifier: ISC */
#include "common/election/election_history.h"

#include <string.h>

struct past_election *
election_history_begin(
    struct election_history *history, const struct past_election *first)
{
	struct past_election *a =
	    &history->ring[history->count++ % HISTORY_ELECTIONS_MAX];

	assert(first->term != 0);
	*a = *first;
	return a;
}

const struct past_election *
election_history_find(const struct election_history *history, uint64_t term)
{
	for (unsigned back = 1; back <= HISTORY_ELECTIONS_MAX; back++) {
		const struct past_election *a;

		if (back > history->count)
			return NULL;
		a = &history->ring[(history->count - back) %
				   HISTORY_ELECTIONS_MAX];
		if (term == 0 || a->term == term)
			return a;
	}
	return NULL;
}

void
past_election_phase(struct past_election *past, const char *name, nsec_t now)
{
	unsigned count = past->phases_count;

	if (count == HISTORY_PHASES_MAX ||
	    (count > 0 && strcmp(past->phases[count - 1].name, name) == 0))
		return;
	past->phases[count] = (struct past_phase){ name, now };
	past->phases_count++;
}
