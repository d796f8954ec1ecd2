/* SPDX-License-Identifier: ISC */
/* The pool of blocks: it gives back what it stores, and loses nothing. */
#include "tests/unit/group.h"

#include <string.h>

#include "common/link/blocks.h"
#include "common/util/random.h"

#define COUNT 20

static struct blocks *
pool_new(unsigned count)
{
	return blocks_init(test_malloc(blocks_size(count)), count);
}

TEST(chains_of_every_size_come_back_whole)
{
	struct blocks *pool = pool_new(COUNT);
	uint8_t in[COUNT * BLOCK_BYTES], out[sizeof(in)];

	for (size_t size = 1; size <= sizeof(in); size++) {
		size_t blocks = (size + BLOCK_BYTES - 1) / BLOCK_BYTES;
		block_index chain;

		memset(in, (int)(size & 0xff), size);
		in[size - 1] = 0xee;
		chain = blocks_store(pool, in, size);
		assert_int_not_equal(chain, BLOCK_NONE);
		assert_int_equal(blocks_free_count(pool), COUNT - blocks);
		blocks_check(pool);
		assert_int_equal(blocks_chain_size(pool, chain), size);
		assert_int_equal(blocks_chain_count(pool, chain), blocks);
		blocks_copy(pool, chain, out);
		assert_memory_equal(in, out, size);
		blocks_release(pool, chain);
	}
	assert_int_equal(blocks_free_count(pool), COUNT);
	blocks_check(pool);
	test_free(pool);
}

TEST(a_chain_that_does_not_fit_takes_nothing)
{
	struct blocks *pool = pool_new(COUNT);
	uint8_t bytes[COUNT * BLOCK_BYTES + 1] = { 0 };
	block_index one;

	assert_int_equal(blocks_store(pool, bytes, sizeof(bytes)), BLOCK_NONE);
	assert_int_equal(blocks_free_count(pool), COUNT);
	blocks_check(pool);
	one = blocks_store(pool, bytes, 1);
	assert_int_equal(
	    blocks_store(pool, bytes, sizeof(bytes) - 1), BLOCK_NONE);
	assert_int_equal(blocks_free_count(pool), COUNT - 1);
	blocks_check(pool);
	blocks_release(pool, one);
	one = blocks_store(pool, bytes, sizeof(bytes) - 1);
	assert_int_equal(blocks_free_count(pool), 0);
	blocks_check(pool);
	blocks_release(pool, one);
	test_free(pool);
}

TEST(the_largest_pool_holds_all_its_blocks)
{
	struct blocks *pool = pool_new(BLOCKS_MAX);

	for (unsigned i = 0; i < BLOCKS_MAX; i++)
		assert_int_not_equal(blocks_store(pool, "x", 1), BLOCK_NONE);
	assert_int_equal(blocks_store(pool, "x", 1), BLOCK_NONE);
	test_free(pool);
}

TEST(chains_can_be_linked_to_a_list)
{
	struct blocks *pool = pool_new(COUNT);
	block_index a = blocks_store(pool, "a", 1);
	block_index b = blocks_store(pool, "b", 1);

	assert_int_equal(blocks_next(pool, a), BLOCK_NONE);
	blocks_link(pool, a, b);
	assert_int_equal(blocks_next(pool, a), b);
	blocks_release(pool, a);
	a = blocks_store(pool, "c", 1);
	assert_int_equal(blocks_next(pool, a), BLOCK_NONE);
	test_free(pool);
}

/* Chains that come and go in any order never share a block. */
TEST(chains_keep_their_bytes_while_others_come_and_go)
{
	struct blocks *pool = pool_new(COUNT);
	block_index chains[8] = { BLOCK_NONE };
	uint8_t bytes[4 * BLOCK_BYTES], expected[sizeof(bytes)];
	struct random random;

	random_init(&random, 3);
	for (int i = 0; i < 20000; i++) {
		size_t slot = random_below(&random, 8);
		size_t size = random_between(&random, 1, sizeof(bytes));

		memset(expected, (int)slot, sizeof(expected));
		if (chains[slot] == BLOCK_NONE) {
			chains[slot] = blocks_store(pool, expected, size);
			continue;
		}
		size = blocks_chain_size(pool, chains[slot]);
		blocks_copy(pool, chains[slot], bytes);
		assert_memory_equal(bytes, expected, size);
		blocks_release(pool, chains[slot]);
		chains[slot] = BLOCK_NONE;
	}
	for (size_t slot = 0; slot < 8; slot++)
		if (chains[slot] != BLOCK_NONE)
			blocks_release(pool, chains[slot]);
	assert_int_equal(blocks_free_count(pool), COUNT);
	blocks_check(pool);
	test_free(pool);
}
