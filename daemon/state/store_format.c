/* SPDX-License-Identifier: ISC */
#include "daemon/state/store_format.h"

#include <string.h>

#include <sodium.h>

#include "common/util/bytes.h"

#define MAGIC          "electd\r\n" /* a copy in text mode changes it */
#define MAGIC_BYTES    8
#define VERSION        5  /* of the layout; a file of another is refused */
#define CHECKSUM_BYTES 32 /* BLAKE2b of what precedes it */
#define BODY_BYTES     (MAGIC_BYTES + 4 + 4 + 8 + CLUSTER_BYTES + 77)
#define CONTENT_BYTES  (BODY_BYTES + CHECKSUM_BYTES)
#define SEQUENCE_MAX   ((uint64_t)INT64_MAX) /* no node lives that long */
#define LEASE_MAX      (24 * 3600 * SEC)     /* more than can be configured */
#define FLAG_REVOKED   1
#define FLAG_COMPLETE  2
#define FLAG_EARLY     4 /* the promise is early */
#define FLAG_DOUBTFUL  8

/* All flags. */
#define FLAGS (FLAG_REVOKED | FLAG_COMPLETE | FLAG_EARLY | FLAG_DOUBTFUL)

_Static_assert(CONTENT_BYTES <= 512, "a disk writes it in one piece");
_Static_assert(MAGIC_BYTES == sizeof(MAGIC) - 1, "the end is not written");

static void
state_write(struct writer *w, const struct store_slot *slot)
{
	const struct durable_state *state = &slot->durable;

	write_u64(w, state->incarnation);
	write_u64(w, state->term);
	write_u64(w, state->promise.term);
	write_u32(w, state->promise.owner.id);
	write_u64(w, state->promise.owner.incarnation);
	write_u64(w, state->lease);
	write_u8(w, (uint8_t)((state->is_revoked ? FLAG_REVOKED : 0) |
			      (slot->is_complete ? FLAG_COMPLETE : 0) |
			      (slot->is_doubtful ? FLAG_DOUBTFUL : 0) |
			      (state->promise.is_early ? FLAG_EARLY : 0)));
	config_id_encode(w, &state->config_id);
}

void
store_slot_encode(const struct store_identity *identity,
    const struct store_slot *slot, uint8_t bytes[SLOT_BYTES])
{
	struct writer w = writer_of(bytes, SLOT_BYTES);
	uint8_t checksum[CHECKSUM_BYTES];

	memset(bytes, 0, SLOT_BYTES);
	write_bytes(&w, MAGIC, MAGIC_BYTES);
	write_u32(&w, VERSION);
	write_u32(&w, identity->id);
	write_u64(&w, slot->sequence);
	write_bytes(&w, identity->cluster, CLUSTER_BYTES);
	state_write(&w, slot);
	assert(w.size == BODY_BYTES);
	crypto_generichash(
	    checksum, sizeof(checksum), bytes, BODY_BYTES, NULL, 0);
	write_bytes(&w, checksum, sizeof(checksum));
	assert(!w.failed);
}

/* False if electd cannot have written these values, whatever the checksum. */
static bool
state_is_sane(const struct durable_state *state)
{
	const struct owner *owner = &state->promise.owner;

	if (state->incarnation >= INCARNATION_MAX || state->term > TERM_MAX ||
	    state->promise.term > TERM_MAX || state->lease > LEASE_MAX ||
	    state->config_id.config_version > CONFIG_VERSION_MAX ||
	    state->config_id.revision > REVISION_MAX ||
	    state->config_id.config_term > TERM_MAX)
		return false;
	if (state->promise.term == 0)
		return owner->id == NODE_NONE && owner->incarnation == 0 &&
		       !state->promise.is_early;
	return owner->id != NODE_NONE && owner->id <= NODE_ID_MAX &&
	       owner->incarnation > 0 && owner->incarnation < INCARNATION_MAX;
}

/* Returns false if there are unknown flags. */
static bool
state_read(struct reader *r, struct store_slot *slot)
{
	struct durable_state *state = &slot->durable;
	uint8_t flags;

	state->incarnation = read_u64(r);
	state->term = read_u64(r);
	state->promise.term = read_u64(r);
	state->promise.owner.id = read_u32(r);
	state->promise.owner.incarnation = read_u64(r);
	state->lease = read_u64(r);
	flags = read_u8(r);
	state->is_revoked = (flags & FLAG_REVOKED) != 0;
	slot->is_complete = (flags & FLAG_COMPLETE) != 0;
	slot->is_doubtful = (flags & FLAG_DOUBTFUL) != 0;
	state->promise.is_early = (flags & FLAG_EARLY) != 0;
	return config_id_decode(r, &state->config_id) && (flags & ~FLAGS) == 0;
}

static bool
is_blank(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != 0)
			return false;
	}
	return true;
}

/* Returns what is wrong with the head of a slot, or NULL. */
static const char *
head_flaw(struct reader *r)
{
	uint8_t magic[MAGIC_BYTES];
	uint32_t version;

	read_bytes(r, magic, sizeof(magic));
	version = read_u32(r);
	if (r->failed || memcmp(magic, MAGIC, sizeof(magic)) != 0)
		return "not a state file of electd";
	return version == VERSION ? NULL : "of another version of electd";
}

static bool
sum_is_right(const uint8_t bytes[SLOT_BYTES])
{
	uint8_t sum[CHECKSUM_BYTES];

	crypto_generichash(sum, sizeof(sum), bytes, BODY_BYTES, NULL, 0);
	return memcmp(bytes + BODY_BYTES, sum, sizeof(sum)) == 0 &&
	       is_blank(bytes + CONTENT_BYTES, SLOT_BYTES - CONTENT_BYTES);
}

/*
 * Returns NULL and *slot, or what is wrong with the slot. Sets *is_foreign if
 * it is sound but another node's.
 */
static const char *
slot_decode(const struct store_identity *identity,
    const uint8_t bytes[SLOT_BYTES], struct store_slot *slot, bool *is_foreign)
{
	struct reader r = reader_of(bytes, SLOT_BYTES);
	struct store_identity whose;
	const char *flaw = head_flaw(&r);

	if (flaw != NULL)
		return flaw;
	if (!sum_is_right(bytes))
		return "wrong checksum";
	whose.id = read_u32(&r);
	slot->sequence = read_u64(&r);
	read_bytes(&r, whose.cluster, sizeof(whose.cluster));
	if (whose.id != identity->id ||
	    memcmp(whose.cluster, identity->cluster, CLUSTER_BYTES) != 0) {
		*is_foreign = true;
		return "of another node or cluster";
	}
	if (!state_read(&r, slot) || slot->sequence == 0 ||
	    slot->sequence >= SEQUENCE_MAX || !state_is_sane(&slot->durable))
		return "impossible values";
	return NULL;
}

/* Both slots are sound: sets *newest, and returns NULL or why they do not
 * belong together. */
static const char *
slots_compare(const struct store_slot slots[SLOTS], const uint8_t *bytes,
    unsigned *newest)
{
	uint64_t a = slots[0].sequence, b = slots[1].sequence;

	*newest = b > a ? 1 : 0;
	if (a == b && memcmp(bytes, bytes + SLOT_BYTES, SLOT_BYTES) != 0)
		return "two copies that differ";
	if (a > b + 1 || b > a + 1)
		return "two copies of different times";
	return NULL;
}

static const char *
slots_judge(const struct store_identity *identity, const uint8_t *bytes,
    struct store_slot slots[SLOTS], struct store_finding *f)
{
	const char *flaws[SLOTS];
	bool is_foreign = false;

	for (unsigned i = 0; i < SLOTS; i++)
		flaws[i] = slot_decode(
		    identity, bytes + i * SLOT_BYTES, &slots[i], &is_foreign);
	if (is_foreign)
		return "of another node or cluster";
	if (flaws[0] == NULL && flaws[1] == NULL)
		return slots_compare(slots, bytes, &f->newest);
	if (flaws[0] != NULL && flaws[1] != NULL)
		return flaws[0];
	f->newest = flaws[0] == NULL ? 0 : 1;
	f->flaw = flaws[1 - f->newest];
	return NULL;
}

struct store_finding
store_decode(
    const struct store_identity *identity, const uint8_t *bytes, size_t size)
{
	struct store_slot slots[SLOTS] = { 0 };
	struct store_finding f = { 0 };
	struct reader r = reader_of(bytes, size);

	if (size == STORE_BYTES) {
		f.problem = slots_judge(identity, bytes, slots, &f);
		if (f.problem == NULL)
			f.slot = slots[f.newest];
		return f;
	}
	f.problem = head_flaw(&r);
	if (f.problem == NULL)
		f.problem = "wrong size";
	return f;
}
