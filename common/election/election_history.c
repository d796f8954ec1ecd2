/* SPDX-License-Identifier: ISC */
#include "common/election/election_history.h"

#include <string.h>

struct past_election *
election_history_begin(
    struct election_history *history, const struct past_election *first)
{
	struct past_election *past =
	    &history->ring[history->count++ % HISTORY_ELECTIONS_MAX];

	assert(first->term != 0);
	*past = *first;
	return past;
}

const struct past_election *
election_history_find(const struct election_history *history, uint64_t term)
{
	for (unsigned back = 1; back <= HISTORY_ELECTIONS_MAX; back++) {
		const struct past_election *past;

		if (back > history->count)
			return NULL;
		past = &history->ring[(history->count - back) %
				      HISTORY_ELECTIONS_MAX];
		if (term == 0 || past->term == term)
			return past;
	}
	return NULL;
}

void
past_election_phase(struct past_election *past, const char *name, nsec_t now)
{
	unsigned count = past->phases_count;

	assert(strlen(name) < PHASE_NAME_MAX);
	assert(count <= HISTORY_PHASES_MAX);
	if (count == HISTORY_PHASES_MAX ||
	    (count > 0 && strcmp(past->phases[count - 1].name, name) == 0))
		return;
	past->phases[count].at = now;
	strcpy(past->phases[count].name, name);
	past->phases_count++;
}

static void
past_election_check(const struct past_election *past)
{
	assert(past->term != 0);
	assert(past->reason.kind < REASON_KINDS);
	assert(past->decided == 0 || past->decided >= past->began);
	assert(past->decided == 0 || past->winner.id != NODE_NONE);
	assert(past->phases_count <= HISTORY_PHASES_MAX);
	for (unsigned i = 1; i < past->phases_count; i++)
		assert(past->phases[i].at >= past->phases[i - 1].at);
}

void
election_history_check(const struct election_history *history)
{
	uint64_t term = 0;
	unsigned kept = history->count < HISTORY_ELECTIONS_MAX
			    ? history->count
			    : HISTORY_ELECTIONS_MAX;

	for (unsigned back = kept; back > 0; back--) {
		const struct past_election *past =
		    &history->ring[(history->count - back) %
				   HISTORY_ELECTIONS_MAX];

		past_election_check(past);
		assert(past->term > term);
		term = past->term;
	}
}
