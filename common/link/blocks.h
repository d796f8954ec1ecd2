/* SPDX-License-Identifier: ISC */
/*
 * A fixed pool of small blocks, shared by all channels of a node. A chain of
 * blocks holds the bytes of one frame, so a channel that has nothing under way
 * needs no buffer. The owner of chains can link them to a list.
 */
#ifndef ELECTD_COMMON_LINK_BLOCKS_H
#define ELECTD_COMMON_LINK_BLOCKS_H

#include "common/util/types.h"

/* A block, and the chain that begins with it. */
typedef uint16_t block_index;

#define BLOCK_NONE      ((block_index)0) /* zeroed memory holds no chain */
#define BLOCK_BYTES     58 /* 64 with its head; an election message fits one */
#define BLOCKS_MAX      65535 /* what a block_index can name; four MiB */
#define CHAIN_BYTES_MAX 65535 /* the largest size in a block's head */

struct blocks;

/* Memory for a pool of `count` blocks, 1 to BLOCKS_MAX, in bytes. */
size_t blocks_size(unsigned count);

/*
 * Makes a pool in `memory`, blocks_size() bytes aligned for any type. The
 * memory stays the caller's; there is nothing to release.
 */
struct blocks *blocks_init(void *memory, unsigned count);

/*
 * Copies `size` bytes, 1 to CHAIN_BYTES_MAX, to a new chain. BLOCK_NONE, and
 * nothing changed, when too few blocks are free.
 */
block_index blocks_store(struct blocks *pool, const void *bytes, size_t size);

/*
 * Makes a pool of `count` blocks, no fewer than `from` has, in `memory`, as
 * blocks_init(), with all chains of `from`; they keep their names.
 */
struct blocks *blocks_move(
    void *memory, unsigned count, const struct blocks *from);

/* How many bytes a chain holds. */
size_t blocks_chain_size(const struct blocks *pool, block_index chain);

/* How many blocks a chain has. */
size_t blocks_chain_count(const struct blocks *pool, block_index chain);

/* Copies a chain's bytes to `to`, which has room for all of them. */
void blocks_copy(const struct blocks *pool, block_index chain, void *to);

/* Gives a chain back to the pool. */
void blocks_release(struct blocks *pool, block_index chain);

/* Makes `next` follow `chain` in its owner's list. */
void blocks_link(struct blocks *pool, block_index chain, block_index next);

/* The chain after `chain` in the owner's list; BLOCK_NONE: there is none. */
block_index blocks_next(const struct blocks *pool, block_index chain);

/* How many blocks there are. */
unsigned blocks_count(const struct blocks *pool);

/* How many of them are free. */
unsigned blocks_free_count(const struct blocks *pool);

/* Asserts every invariant of the pool; called by tests. */
void blocks_check(const struct blocks *pool);

#endif
