/* SPDX-License-Identifier: ISC */
#include "common/link/replay.h"

#include <string.h>

static uint64_t *
word_of(struct replay *r, uint64_t number)
{
	return &r->seen[number % REPLAY_WINDOW / 64];
}

static uint64_t
bit_of(uint64_t number)
{
	return (uint64_t)1 << number % 64;
}

bool
replay_fresh(const struct replay *r, uint64_t number)
{
	if (number == UINT64_MAX)
		return false;
	if (number >= r->next)
		return true;
	if (r->next - number > REPLAY_WINDOW)
		return false;
	return (r->seen[number % REPLAY_WINDOW / 64] & bit_of(number)) == 0;
}

/* Moves the window up to `next`; the numbers that enter it are not seen. */
static void
move_up(struct replay *r, uint64_t next)
{
	assert(next > r->next);
	if (next - r->next >= REPLAY_WINDOW)
		memset(r->seen, 0, sizeof(r->seen));
	else
		for (uint64_t n = r->next; n < next; n++)
			*word_of(r, n) &= ~bit_of(n);
	r->next = next;
}

void
replay_accept(struct replay *r, uint64_t number)
{
	assert(replay_fresh(r, number));
	if (number >= r->next)
		move_up(r, number + 1);
	*word_of(r, number) |= bit_of(number);
	assert(!replay_fresh(r, number));
	replay_check(r);
}

bool
replay_is_latest(const struct replay *r, uint64_t number)
{
	assert(!replay_fresh(r, number));
	return number + 1 == r->next;
}

void
replay_check(const struct replay *r)
{
	/* The highest number accepted is always in the window. */
	assert(r->next == 0 || !replay_fresh(r, r->next - 1));
	assert(r->next == UINT64_MAX || replay_fresh(r, r->next));
}
