/* SPDX-License-Identifier: ISC */
/*
 * A state file of two durable states with any values, each sealed, and any
 * damage done to it. If the reader takes it for sound, it must make sense, and
 * be encoded to the same bytes again.
 */
#include "tests/fuzz/feed.h"

#include <string.h>

#include "common/util/bytes.h"
#include "daemon/state/store_format.h"

static const struct store_identity identity = { .id = 3, .cluster = "web" };

static void
check_slot(const struct store_slot *slot, const uint8_t *bytes)
{
	const struct promise *promise = &slot->durable.promise;
	uint8_t again[SLOT_BYTES];

	assert(slot->durable.incarnation < INCARNATION_MAX);
	assert(slot->durable.term <= TERM_MAX);
	assert(promise->term <= TERM_MAX);
	assert(promise->owner.id <= NODE_ID_MAX);
	assert((promise->term == 0) == (promise->owner.id == NODE_NONE));
	assert(nsec_after(slot->durable.lease, NSEC_NEVER / 2) != NSEC_NEVER);
	store_slot_encode(&identity, slot, again);
	assert(memcmp(again, bytes, SLOT_BYTES) == 0);
}

static void
check_file(const uint8_t *bytes, size_t size)
{
	struct store_finding f = store_decode(&identity, bytes, size);

	assert(f.newest < SLOTS);
	if (f.problem == NULL)
		check_slot(&f.slot, bytes + f.newest * SLOT_BYTES);
	else
		assert(f.slot.sequence == 0 && !f.slot.is_vouched &&
		       f.slot.durable.incarnation == 0 &&
		       f.slot.durable.promise.term == 0);
}

static struct store_slot
draw_slot(struct reader *r)
{
	uint8_t flags = read_u8(r);
	struct store_slot slot = {
		.sequence = read_u64(r),
		.is_vouched = flags & 1,
		.durable = { .is_revoked = flags & 2 },
	};

	slot.durable.incarnation = read_u64(r);
	slot.durable.term = read_u64(r);
	slot.durable.promise.term = read_u64(r);
	slot.durable.promise.owner.id = read_u32(r);
	slot.durable.promise.owner.incarnation = read_u64(r);
	slot.durable.lease = read_u64(r);
	return slot;
}

/* The first byte says what follows: a file as it is, or durable states, of this
 * node or another. */
void
feed_store(const uint8_t *bytes, size_t size)
{
	struct reader r = reader_of(bytes, size);
	uint8_t how = read_u8(&r), file[STORE_BYTES];
	struct store_identity whose = identity;

	if (how == 0) {
		check_file(r.at, r.left);
		return;
	}
	for (unsigned i = 0; i < SLOTS; i++) {
		struct store_slot slot = draw_slot(&r);

		whose.id = how >> i & 2 ? 4 : 3;
		store_slot_encode(&whose, &slot, file + i * SLOT_BYTES);
	}
	while (!reader_at_end(&r) && !r.failed) {
		uint16_t at = read_u16(&r);

		file[at % STORE_BYTES] ^= read_u8(&r);
	}
	check_file(file, sizeof(file));
}
