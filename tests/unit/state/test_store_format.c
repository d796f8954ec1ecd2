/* SPDX-License-Identifier: ISC */
/*
 * The bytes of a state file: one good slot of two is enough, whatever happened
 * to the other; two that do not belong together count for nothing.
 */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/state/store_format.h"

static const struct store_identity web3 = { .id = 3, .cluster = "web" };

static const struct store_slot older = {
	.sequence = 7,
	.is_complete = true,
	.durable = { .incarnation = 5,
	    .term = 9,
	    .promise = { .term = 9, .owner = { .id = 2, .incarnation = 3 } },
	    .lease = 2 * SEC },
};

static const struct store_slot newer = {
	.sequence = 8,
	.is_complete = true,
	.durable = { .incarnation = 6,
	    .term = UINT64_C(0x0123456789abcdef),
	    .promise = { .term = 12,
		.owner = { .id = NODE_ID_MAX,
		    .incarnation = INCARNATION_MAX - 1 },
		.is_early = true },
	    .lease = 3 * SEC,
	    .is_revoked = true,
	    .config_id = { TERM_MAX, CONFIG_VERSION_MAX, REVISION_MAX,
		{ 'w', 'h', 'o' } } },
};

static void
assert_slot(const struct store_slot *want, const struct store_slot *got)
{
	const struct durable_state *a = &want->durable, *b = &got->durable;

	assert_true(want->sequence == got->sequence);
	assert_int_equal(want->is_complete, got->is_complete);
	assert_true(a->incarnation == b->incarnation);
	assert_true(a->term == b->term);
	assert_true(a->promise.term == b->promise.term);
	assert_int_equal(a->promise.owner.id, b->promise.owner.id);
	assert_true(
	    a->promise.owner.incarnation == b->promise.owner.incarnation);
	assert_int_equal(a->promise.is_early, b->promise.is_early);
	assert_true(a->lease == b->lease);
	assert_int_equal(a->is_revoked, b->is_revoked);
	assert_true(config_id_equal(&a->config_id, &b->config_id));
}

static void
fill(uint8_t *file, const struct store_slot *a, const struct store_slot *b)
{
	store_slot_encode(&web3, a, file);
	store_slot_encode(&web3, b, file + SLOT_BYTES);
}

/* Gives the verdict on a file of these two slots. */
static struct store_finding
find(const struct store_slot *a, const struct store_slot *b)
{
	uint8_t file[STORE_BYTES];

	fill(file, a, b);
	return store_decode(&web3, file, sizeof(file));
}

static void
assert_lost(const struct store_finding *f, const char *problem)
{
	static const struct store_slot none;

	assert_string_equal(f->problem, problem);
	assert_slot(&none, &f->slot);
}

TEST(the_newer_slot_counts)
{
	struct store_finding f = find(&older, &newer);

	assert_null(f.problem);
	assert_null(f.flaw);
	assert_int_equal(f.newest, 1);
	assert_slot(&newer, &f.slot);
	f = find(&newer, &older);
	assert_int_equal(f.newest, 0);
	assert_slot(&newer, &f.slot);
	f = find(&older, &older);
	assert_null(f.problem);
	assert_slot(&older, &f.slot);
}

/* Flips each bit of the whole file, padding and checksums included. */
TEST(each_flipped_bit_is_found_and_does_no_harm)
{
	uint8_t file[STORE_BYTES];

	fill(file, &newer, &newer);
	for (size_t bit = 0; bit < sizeof(file) * 8; bit++) {
		struct store_finding f;

		file[bit / 8] ^= (uint8_t)(1U << bit % 8);
		f = store_decode(&web3, file, sizeof(file));
		assert_null(f.problem);
		assert_non_null(f.flaw);
		assert_int_equal(f.newest, bit / 8 < SLOT_BYTES ? 1 : 0);
		assert_slot(&newer, &f.slot);
		file[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
}

TEST(the_same_byte_damaged_in_both_slots_is_the_end)
{
	uint8_t file[STORE_BYTES];

	fill(file, &newer, &newer);
	for (size_t at = 0; at < SLOT_BYTES; at++) {
		struct store_finding f;

		file[at] ^= 0x10;
		file[at + SLOT_BYTES] ^= 0x10;
		f = store_decode(&web3, file, sizeof(file));
		assert_non_null(f.problem);
		file[at] ^= 0x10;
		file[at + SLOT_BYTES] ^= 0x10;
	}
}

/* A crash of the host in the midst of a write leaves any part of it. */
TEST(a_torn_write_leaves_the_other_slot)
{
	uint8_t file[STORE_BYTES], whole[STORE_BYTES];
	uint64_t last = older.sequence;

	fill(file, &older, &older);
	fill(whole, &newer, &newer);
	for (size_t torn = 0; torn <= SLOT_BYTES; torn++) {
		struct store_finding f;

		memcpy(file, whole, torn);
		f = store_decode(&web3, file, sizeof(file));
		assert_null(f.problem);
		assert_true(f.slot.sequence >= last);
		last = f.slot.sequence;
		assert_slot(last == newer.sequence ? &newer : &older, &f.slot);
	}
	assert_true(last == newer.sequence);
}

TEST(file_of_another_length_is_refused)
{
	uint8_t file[STORE_BYTES + 1] = { 0 };

	fill(file, &newer, &newer);
	for (size_t size = 0; size <= sizeof(file); size++) {
		struct store_finding f = store_decode(&web3, file, size);

		assert_int_equal(f.problem == NULL, size == STORE_BYTES);
	}
}

TEST(another_node_or_cluster_is_recognized)
{
	struct store_identity other[] = { web3, web3, web3 };
	uint8_t file[STORE_BYTES];

	other[0].id = 4;
	strcpy(other[1].cluster, "wed");
	strcpy(other[2].cluster, "web2");
	fill(file, &older, &newer);
	for (size_t i = 0; i < 3; i++) {
		struct store_finding f =
		    store_decode(&other[i], file, sizeof(file));

		assert_lost(&f, "of another node or cluster");
	}
}

/* No write of ours leaves these: something else has written there. */
TEST(slots_that_do_not_belong_together_are_the_end)
{
	struct store_slot far = newer, twin = older;
	struct store_identity web4 = web3;
	uint8_t file[STORE_BYTES];
	struct store_finding f;

	far.sequence = 9;
	f = find(&older, &far);
	assert_lost(&f, "two copies of different times");
	twin.durable.term++;
	f = find(&older, &twin);
	assert_lost(&f, "two copies that differ");
	web4.id = 4;
	fill(file, &older, &newer);
	store_slot_encode(&web4, &older, file);
	f = store_decode(&web3, file, sizeof(file));
	assert_lost(&f, "of another node or cluster");
}

/* The last version's file was shorter, too. */
TEST(another_version_is_recognized)
{
	uint8_t file[STORE_BYTES];
	struct store_finding f;

	fill(file, &newer, &newer);
	file[11] = file[11 + SLOT_BYTES] = 6;
	f = store_decode(&web3, file, sizeof(file));
	assert_lost(&f, "of another version of electd");
	file[11] = 1;
	f = store_decode(&web3, file, 120);
	assert_lost(&f, "of another version of electd");
	file[0] = 'E';
	f = store_decode(&web3, file, 120);
	assert_lost(&f, "not a state file of electd");
}

/* The slot is sealed well, but electd never writes such a slot. */
TEST(absurd_values_are_refused)
{
	struct store_slot bad[14];
	size_t i = 0;

	for (size_t j = 0; j < 14; j++)
		bad[j] = older;
	bad[i++].durable.incarnation = INCARNATION_MAX;
	bad[i++].durable.term = TERM_MAX + 1;
	bad[i++].durable.promise.term = TERM_MAX + 1;
	bad[i++].durable.promise.term = 0;
	bad[i++].durable.promise.owner.id = NODE_NONE;
	bad[i++].durable.promise.owner.id = NODE_ID_MAX + 1;
	bad[i++].durable.promise.owner.incarnation = 0;
	bad[i++].durable.promise.owner.incarnation = INCARNATION_MAX;
	bad[i++].durable.lease = NSEC_NEVER;
	bad[i++].sequence = 0;
	bad[i++].durable.promise = (struct promise){ .is_early = true };
	bad[i++].durable.config_id.config_version =
	    (uint32_t)CONFIG_VERSION_MAX + 1;
	bad[i++].durable.config_id.revision = (uint32_t)REVISION_MAX + 1;
	bad[i++].durable.config_id.config_term = TERM_MAX + 1;
	for (size_t j = 0; j < i; j++) {
		struct store_finding f = find(&bad[j], &bad[j]);

		assert_lost(&f, "impossible values");
	}
}
