/* SPDX-License-Identifier: ISC */
/*
 * A state file of two durable states with any values, each sealed, and any
 * damage done to it. If the reader takes it for sound, it must make sense, and
 * be encoded to the same bytes again. So must the files beside it.
 */
#include "tests/model/fuzz/feed.h"

#include <string.h>

#include <sodium.h>

#include "common/util/bytes.h"
#include "daemon/state/reigns.h"
#include "daemon/state/standby_file.h"
#include "daemon/state/store_format.h"

static const struct store_identity identity = { .id = 3, .cluster = "web" };
static const struct settings settings = { .shared.cluster = "web", .id = 3 };

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

/* Damages the file as the input says. */
static void
damage(struct reader *r, uint8_t *file, size_t size)
{
	while (!reader_at_end(r) && !r->failed) {
		uint16_t at = read_u16(r);

		file[at % size] ^= read_u8(r);
	}
}

/* What is read of a file of leaders makes sense, and a whole one is encoded to
 * the same bytes again. */
static void
check_reigns(const uint8_t *bytes, size_t size)
{
	static struct reigns reigns, same;
	static uint8_t again[REIGNS_BYTES];
	bool is_whole = reigns_decode(&settings, bytes, size, &reigns);
	size_t left = reigns_encode(&settings, &reigns, again);

	for (unsigned i = 0; i < reigns.count; i++) {
		assert(reigns.list[i].leader != NODE_NONE);
		assert(reigns.list[i].term <= TERM_MAX);
		assert(reigns.list[i].reason.kind < REASON_KINDS);
		assert(strlen(reigns.list[i].name) < NAME_MAX_BYTES);
		assert(strlen(reigns.list[i].reason_name) < NAME_MAX_BYTES);
	}
	assert(!is_whole || (left == size && memcmp(again, bytes, size) == 0));
	assert(reigns_decode(&settings, again, left, &same));
	assert(same.count == reigns.count);
}

/* A file of leaders with any values, one after the other, of as many as the
 * first byte says; and then damaged. */
static void
draw_reigns(struct reader *r)
{
	static struct reigns reigns;
	static uint8_t file[REIGNS_BYTES];
	unsigned count = read_u8(r) % 4;
	size_t size;

	reigns.count = 0;
	while (count-- > 0) {
		struct reign reign = { .wall = read_u64(r) };

		reign.leaderless = read_u64(r);
		reign.term = read_u64(r);
		reign.leader = read_u32(r);
		reign.reason.kind = read_u8(r);
		reign.reason.node = read_u32(r);
		read_bytes(r, reign.name, read_u8(r) % NAME_MAX_BYTES);
		read_bytes(r, reign.reason_name, read_u8(r) % NAME_MAX_BYTES);
		reigns_add(&reigns, &reign);
	}
	size = reigns_encode(&settings, &reigns, file);
	damage(r, file, size);
	check_reigns(file, size);
}

/* The first byte says what follows: a file as it is, durable states, of this
 * node or another, or the file of a standby, or of leaders. */
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
	if (how == 0xfd) {
		check_reigns(r.at, r.left);
		return;
	}
	if (how == 0xfc) {
		draw_reigns(&r);
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
	damage(&r, file, STORE_BYTES);
	check_file(file, sizeof(file));
}
