/* SPDX-License-Identifier: ISC */
#include "common/link/blocks.h"

#include <string.h>

struct block {
	block_index rest; /* the next block of the chain, or of the free list */
	block_index link; /* first block: the next chain of the owner's list */
	uint16_t size;    /* bytes of the chain from here on; 0: free */
	uint8_t bytes[BLOCK_BYTES];
};

/* Index i is block[i - 1]: zero names none. */
struct blocks {
	uint16_t count;         /* number of all blocks */
	uint16_t free_count;    /* blocks in the free list */
	block_index first_free; /* first of the free list; BLOCK_NONE: the list
				 * is empty */
	struct block block[];
};

_Static_assert(sizeof(struct block) == 64, "one cache line, nothing wasted");

static struct block *
block_at(struct blocks *pool, block_index index)
{
	assert(index != BLOCK_NONE);
	assert(index <= pool->count);
	return &pool->block[index - 1];
}

/* The block of this index, which is in use. */
static const struct block *
block_used(const struct blocks *pool, block_index index)
{
	assert(index != BLOCK_NONE);
	assert(index <= pool->count);
	assert(pool->block[index - 1].size > 0);
	return &pool->block[index - 1];
}

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t
blocks_size(unsigned count)
{
	assert(count > 0);
	assert(count <= BLOCKS_MAX);
	return sizeof(struct blocks) + count * sizeof(struct block);
}

static void
put_free(struct blocks *pool, block_index index)
{
	struct block *b = block_at(pool, index);

	b->size = 0;
	b->rest = pool->first_free;
	pool->first_free = index;
	pool->free_count++;
	assert(pool->free_count <= pool->count);
}

static block_index
take_free(struct blocks *pool)
{
	block_index index = pool->first_free;

	assert(pool->free_count > 0);
	assert(block_at(pool, index)->size == 0);
	pool->first_free = block_at(pool, index)->rest;
	pool->free_count--;
	return index;
}

struct blocks *
blocks_init(void *memory, unsigned count)
{
	struct blocks *pool = memory;

	assert(count > 0);
	assert(count <= BLOCKS_MAX);
	*pool = (struct blocks){ .count = (uint16_t)count };
	for (unsigned i = count; i > 0; i--)
		put_free(pool, (block_index)i);
	return pool;
}

struct blocks *
blocks_move(void *memory, unsigned count, const struct blocks *from)
{
	struct blocks *pool = memory;

	assert(count >= from->count);
	assert(count <= BLOCKS_MAX);
	memcpy(pool, from, blocks_size(from->count));
	pool->count = (uint16_t)count;
	for (unsigned i = count; i > from->count; i--)
		put_free(pool, (block_index)i);
	return pool;
}

/* How many blocks hold this number of bytes. */
static size_t
blocks_for(size_t size)
{
	return (size + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

/* Builds the chain from its end, so that each block knows the next one. */
block_index
blocks_store(struct blocks *pool, const void *bytes, size_t size)
{
	size_t blocks = blocks_for(size);
	block_index chain = BLOCK_NONE;

	assert(size > 0);
	assert(size <= CHAIN_BYTES_MAX);
	if (blocks > pool->free_count)
		return BLOCK_NONE;
	for (size_t i = blocks; i > 0; i--) {
		size_t start = (i - 1) * BLOCK_BYTES;
		block_index index = take_free(pool);
		struct block *b = block_at(pool, index);

		b->rest = chain;
		b->link = BLOCK_NONE;
		b->size = (uint16_t)(size - start);
		memcpy(b->bytes, (const uint8_t *)bytes + start,
		    smaller(b->size, BLOCK_BYTES));
		chain = index;
	}
	return chain;
}

size_t
blocks_chain_size(const struct blocks *pool, block_index chain)
{
	return block_used(pool, chain)->size;
}

size_t
blocks_chain_count(const struct blocks *pool, block_index chain)
{
	return blocks_for(blocks_chain_size(pool, chain));
}

void
blocks_copy(const struct blocks *pool, block_index chain, void *to)
{
	uint8_t *at = to;

	while (chain != BLOCK_NONE) {
		const struct block *b = block_used(pool, chain);
		size_t size = smaller(b->size, BLOCK_BYTES);

		memcpy(at, b->bytes, size);
		at += size;
		chain = b->rest;
	}
}

void
blocks_release(struct blocks *pool, block_index chain)
{
	assert(chain != BLOCK_NONE);
	while (chain != BLOCK_NONE) {
		block_index rest = block_used(pool, chain)->rest;

		put_free(pool, chain);
		chain = rest;
	}
}

void
blocks_link(struct blocks *pool, block_index chain, block_index next)
{
	assert(block_at(pool, chain)->size > 0);
	block_at(pool, chain)->link = next;
}

block_index
blocks_next(const struct blocks *pool, block_index chain)
{
	return block_used(pool, chain)->link;
}

unsigned
blocks_count(const struct blocks *pool)
{
	return pool->count;
}

unsigned
blocks_free_count(const struct blocks *pool)
{
	return pool->free_count;
}

void
blocks_check(const struct blocks *pool)
{
	block_index index = pool->first_free;

	assert(pool->free_count <= pool->count);
	for (unsigned i = 0; i < pool->free_count; i++) {
		assert(index != BLOCK_NONE);
		assert(index <= pool->count);
		assert(pool->block[index - 1].size == 0);
		index = pool->block[index - 1].rest;
	}
	assert(index == BLOCK_NONE);
}
