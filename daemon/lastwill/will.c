/* SPDX-License-Identifier: ISC */
#include "daemon/lastwill/will.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#define HANG_MAX       (3600 * SEC)  /* longer than any detection time */
#define HANDED_OUT_MAX (86400 * SEC) /* longer than any lease */

/* Values of `beat` that are no time. */
#define BEAT_NONE   0 /* the loop does not run yet */
#define BEAT_SPOKEN 1 /* electd is declared dead */

union will_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

struct will_written {
	union will_address to;
	uint32_t size; /* bytes of the datagram; 0: none */
	uint8_t bytes[PACKET_WILL_BYTES];
};

/* Two buffers: the writer fills the other one, then makes it current. */
struct will_slot {
	_Atomic uint32_t current; /* 0 or 1 */
	struct will_written written[2];
};

struct will_peer {
	struct will_slot slots[WILL_KINDS];
};

struct will_half {
	nsec_t hang;            /* struct will_plan */
	uint32_t peers_count;   /* struct will_plan */
	uint32_t has_successor; /* struct will_plan */
};

/*
 * `beat` holds the time when the loop last ran, or the helper's mark. The
 * helper puts the mark in place of exactly the beat that it found too old; so
 * either electd beats first and the helper sends nothing, or electd finds the
 * mark.
 */
struct will_memory {
	_Atomic uint64_t beat;       /* CLOCK_MONOTONIC: stops in a suspend */
	_Atomic uint64_t handed_out; /* the deadline, on CLOCK_BOOTTIME */
	_Atomic uint32_t counting;   /* the half that counts: 0 or 1 */
	struct will_half halves[2];
	struct will_peer peers[]; /* those of half 0, then those of half 1 */
};

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "two processes share them");
_Static_assert(sizeof(_Atomic uint64_t) == sizeof(uint64_t), "no lock inside");

static size_t
half_bytes(unsigned room)
{
	return (size_t)room * sizeof(struct will_peer);
}

size_t
will_size(unsigned room)
{
	return sizeof(struct will_memory) + 2 * half_bytes(room);
}

socklen_t
will_address_size(int family)
{
	return family == AF_INET6 ? sizeof(struct sockaddr_in6)
				  : sizeof(struct sockaddr_in);
}

static unsigned
half_counting(const struct will_view *will)
{
	return atomic_load(&will->memory->counting) & 1;
}

static struct will_peer *
half_peers(const struct will_view *will, unsigned half)
{
	return &will->memory->peers[(size_t)half * will->room];
}

void
will_init(struct will_view *will, void *memory, unsigned room, int family,
    const struct will_plan *plan)
{
	assert(room <= WILL_ROOM_MAX);
	assert(family == AF_INET || family == AF_INET6);
	*will = (struct will_view){
		.memory = memory,
		.room = room,
		.family = family,
	};
	will_begin_change(will, plan);
	will_end_change(will);
}

/* Only the wills of before are cleared, so that pages which no configuration
 * has used take no memory. */
void
will_begin_change(struct will_view *will, const struct will_plan *plan)
{
	struct will_half *half;

	assert(plan->hang > 0);
	assert(plan->peers_count <= will->room);
	will->filled = 1 - will->counting;
	half = &will->memory->halves[will->filled];
	memset(half_peers(will, will->filled), 0,
	    half_bytes(will->peers_counts[will->filled]));
	will->peers_counts[will->filled] = plan->peers_count;
	*half = (struct will_half){
		.hang = nsec_earlier(plan->hang, HANG_MAX),
		.peers_count = plan->peers_count,
		.has_successor = plan->has_successor,
	};
}

void
will_end_change(struct will_view *will)
{
	atomic_store(&will->memory->counting, will->filled);
	will->counting = will->filled;
}

void
will_set(struct will_view *will, unsigned peer, enum will_kind kind,
    const struct sockaddr *to, const uint8_t *bytes, size_t size)
{
	struct will_slot *slot;
	struct will_written *next;
	uint32_t other;

	assert(peer < will->peers_counts[will->filled]);
	assert(kind < WILL_KINDS);
	assert(size <= PACKET_WILL_BYTES);
	slot = &half_peers(will, will->filled)[peer].slots[kind];
	other = 1 - (atomic_load(&slot->current) & 1);
	next = &slot->written[other];
	if (size > 0) {
		assert(to->sa_family == will->family);
		memcpy(&next->to, to, will_address_size(will->family));
		memcpy(next->bytes, bytes, size);
	}
	next->size = (uint32_t)size;
	atomic_store(&slot->current, other);
}

void
will_set_handed_out(struct will_view *will, nsec_t until)
{
	atomic_store(&will->memory->handed_out, until);
}

bool
will_beat(struct will_view *will, nsec_t now)
{
	return atomic_exchange(&will->memory->beat, now) == BEAT_SPOKEN;
}

void
will_end(struct will_view *will)
{
	atomic_store(&will->memory->beat, BEAT_NONE);
}

nsec_t
will_hang(const struct will_view *will)
{
	nsec_t hang = will->memory->halves[half_counting(will)].hang;

	return hang > 0 && hang <= HANG_MAX ? hang : HANG_MAX;
}

nsec_t
will_last_beat(const struct will_view *will)
{
	uint64_t beat = atomic_load(&will->memory->beat);

	return beat > BEAT_SPOKEN ? beat : 0;
}

bool
will_declare_dead(struct will_view *will, nsec_t now)
{
	uint64_t beat = atomic_load(&will->memory->beat);

	return beat > BEAT_SPOKEN && nsec_since(now, beat) >= will_hang(will) &&
	       atomic_compare_exchange_strong(
		   &will->memory->beat, &beat, BEAT_SPOKEN);
}

bool
will_is_declared(const struct will_view *will)
{
	return atomic_load(&will->memory->beat) == BEAT_SPOKEN;
}

/* Releases the term at once, or when the last client's deadline has passed; or
 * never, if that deadline is corrupted. */
struct will_last_words
will_last_words(const struct will_view *will, nsec_t now)
{
	nsec_t handed_out = atomic_load(&will->memory->handed_out);

	if (handed_out <= now)
		return (struct will_last_words){ WILL_CHOOSE_BEST, NSEC_NEVER };
	if (handed_out - now > HANDED_OUT_MAX)
		handed_out = NSEC_NEVER;
	return (struct will_last_words){
		WILL_CHOOSE_PLAIN,
		nsec_after(handed_out, 1),
	};
}

bool
will_has_successor(const struct will_view *will)
{
	return will->memory->halves[half_counting(will)].has_successor != 0;
}

struct will_letter
will_letters(const struct will_view *will, enum will_choice choice)
{
	return (struct will_letter){
		.choice = choice,
		.half = half_counting(will),
	};
}

/* Reads a will. Returns false if there is none, or it is corrupted. */
static bool
slot_read(const struct will_view *will, const struct will_slot *slot,
    struct will_letter *letter)
{
	const struct will_written *written =
	    &slot->written[atomic_load(&slot->current) & 1];

	letter->to = &written->to.any;
	letter->bytes = written->bytes;
	letter->size = written->size;
	return letter->size > 0 && letter->size <= PACKET_WILL_BYTES &&
	       written->to.any.sa_family == will->family;
}

bool
will_next(const struct will_view *will, struct will_letter *letter)
{
	unsigned count = will->memory->halves[letter->half].peers_count;

	while (letter->next < count && letter->next < will->room) {
		const struct will_slot *slots =
		    half_peers(will, letter->half)[letter->next++].slots;

		if (letter->choice != WILL_CHOOSE_PLAIN &&
		    slot_read(will, &slots[WILL_RELEASING], letter))
			return true;
		if (letter->choice != WILL_CHOOSE_RELEASING &&
		    slot_read(will, &slots[WILL_PLAIN], letter))
			return true;
	}
	return false;
}
