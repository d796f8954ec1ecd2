/* SPDX-License-Identifier: ISC */
/*
 * A state file of two durable states with any values, each sealed, and any
 * damage done to it. If the reader takes it for sound, it must make sense, and
 * be encoded to the same bytes again.
 */
#include "tests/model/fuzz/feed.h"

#include <string.h>

#include <sodium.h>

#include "common/util/bytes.h"
#include "daemon/state/standby_file.h"
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
		assert(f.slot.sequence == 0 && !f.slot.is_complete &&
		       f.slot.durable.incarnation == 0 &&
		       f.slot.durable.promise.term == 0);
}

static struct store_slot
draw_slot(struct reader *r)
{
	uint8_t flags = read_u8(r);
	struct store_slot slot = {
		.sequence = read_u64(r),
		.is_complete = flags & 1,
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

/* The file of a standby, which is kept beside it: as it is, or sealed. */
static void
check_standby(const uint8_t *bytes, size_t size, bool is_sealed)
{
	static const struct settings settings = { .shared.cluster = "web",
		.id = 3 };
	uint8_t file[STANDBY_FILE_MAX], again[STANDBY_FILE_MAX];
	struct standby standby;
	nsec_t wall;

	if (size > sizeof(file) - crypto_generichash_BYTES)
		return;
	memcpy(file, bytes, size);
	if (is_sealed) {
		crypto_generichash(
		    file + size, crypto_generichash_BYTES, file, size, NULL, 0);
		size += crypto_generichash_BYTES;
	}
	if (!standby_file_decode(&settings, file, size, &standby, &wall))
		return;
	assert(standby.is_on && standby.left > 0);
	assert(standby_file_encode(&settings, &standby, wall, again) == size);
	assert(memcmp(again, file, size) == 0);
}

/* The first byte says what follows: a file as it is, durable states, of this
 * node or another, or the file of a standby. */
void
feed_store(const uint8_t *bytes, size_t size)
{
	struct reader r = reader_of(bytes, size);
	uint8_t how = read_u8(&r), file[STORE_BYTES];
	struct store_identity whose = identity;

	if (how >= 0xfe) {
		check_standby(r.at, r.left, how & 1);
		return;
	}
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
