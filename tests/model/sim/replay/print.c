/* SPDX-License-Identifier: ISC */
/*
 * Episodes of several nodes in one order: those of a node in theirs, each after
 * the sending of the datagram that it takes, and else by the clocks of the
 * hosts, which may differ.
 */
#include "tests/model/sim/replay/replay.h"

#include <stdlib.h>
#include <string.h>

struct letters {
	struct letter *all; /* sorted, each once; allocated */
	size_t count;
};

static int
compare(const void *one, const void *other)
{
	const struct letter *a = one, *b = other;

	return (a->digest > b->digest) - (a->digest < b->digest);
}

static bool
letters_gather(struct letters *l, const struct replay *replays, unsigned count)
{
	size_t total = 0;

	for (unsigned i = 0; i < count; i++) {
		for (size_t j = 0; j < replays[i].episodes_count; j++)
			total += replays[i].episodes[j].sent_count;
	}
	*l = (struct letters){ .all = calloc(total + 1, sizeof(*l->all)) };
	if (l->all == NULL)
		return false;
	for (unsigned i = 0; i < count; i++) {
		for (size_t j = 0; j < replays[i].episodes_count; j++) {
			const struct episode *e = &replays[i].episodes[j];

			for (size_t k = 0; k < e->sent_count; k++)
				l->all[l->count++] = e->sent[k];
		}
	}
	qsort(l->all, l->count, sizeof(*l->all), compare);
	return true;
}

/* The first of those that are equal; NULL: nobody here has sent it. */
static struct letter *
letters_find(const struct letters *l, const struct letter *key)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&l->all[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->count && compare(&l->all[low], key) == 0 ? &l->all[low]
								 : NULL;
}

/* True if what the episode takes has been sent, or was sent by nobody here. */
static bool
is_ready(const struct letters *l, const struct episode *e)
{
	const struct letter *sent;

	if (!e->has_received)
		return true;
	sent = letters_find(l, &e->received);
	return sent == NULL || sent->is_sent;
}

/* The replay whose next episode comes first; `count`: none is left. Should all
 * wait for each other, which no honest tapes do, time alone decides. */
static unsigned
choose(const struct letters *l, const struct replay *replays,
    const size_t *next, unsigned count)
{
	unsigned best = count;
	bool best_is_ready = false;

	for (unsigned i = 0; i < count; i++) {
		const struct replay *r = &replays[i];
		const struct episode *e = &r->episodes[next[i]];
		bool ready;

		if (next[i] == r->episodes_count)
			continue;
		ready = is_ready(l, e);
		if (best < count && (best_is_ready && !ready))
			continue;
		if (best < count && best_is_ready == ready &&
		    e->at >= replays[best].episodes[next[best]].at)
			continue;
		best = i;
		best_is_ready = ready;
	}
	return best;
}

bool
replay_print(FILE *out, struct replay *replays, unsigned count)
{
	size_t next[REPLAY_FILES_MAX] = { 0 };
	struct letters letters;
	unsigned i;

	assert(count <= REPLAY_FILES_MAX);
	if (!letters_gather(&letters, replays, count))
		return false;
	while ((i = choose(&letters, replays, next, count)) < count) {
		const struct episode *e = &replays[i].episodes[next[i]++];

		if (e->text != NULL)
			fputs(e->text, out);
		for (size_t j = 0; j < e->sent_count; j++)
			letters_find(&letters, &e->sent[j])->is_sent = true;
	}
	free(letters.all);
	return true;
}
