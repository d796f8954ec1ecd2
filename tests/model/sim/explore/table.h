/* SPDX-License-Identifier: ISC */
/*
 * A set of records of equal size. It gives each a number, from 0 in order of
 * adding, and finds it again by its key: the record's first bytes, which are
 * compared in full. What follows the key stays as it was when first added.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_EXPLORE_TABLE_H
#define ELECTD_TESTS_MODEL_SIM_EXPLORE_TABLE_H

#include "common/util/types.h"

#define TABLE_FULL UINT32_MAX

/* Where a record is found. A key is compared with those of its hash alone, as
 * a record is seldom in the cache of the processor. */
struct table_slot {
	uint32_t number; /* of the record, plus 1; 0: free */
	uint32_t hash; /* the half of it that does not say where the slot is */
};

/* All tables of one exploration share one budget of bytes. */
struct table {
	size_t key_bytes;
	size_t record_bytes; /* a multiple of 8, so that records are aligned */
	uint32_t count;
	uint32_t capacity;
	uint32_t slots_count; /* a power of two, or 0 */
	unsigned char *records;
	struct table_slot *slots;
	size_t *budget_bytes;
};

void table_init(struct table *t, size_t key_bytes, size_t record_bytes,
    size_t *budget_bytes);
void table_done(struct table *t);

/*
 * Gives the number of the record with this key, and adds it if there is none;
 * TABLE_FULL when the budget is spent. The record must not be part of the
 * table, whose memory may move.
 */
uint32_t table_add(struct table *t, const void *record);

/* Gives the number of the record with this key, TABLE_FULL if there is none. */
uint32_t table_find(const struct table *t, const void *record);

/* Gives a record, valid until the next is added. */
static inline void *
table_at(const struct table *t, uint32_t number)
{
	assert(number < t->count);
	return t->records + (size_t)number * t->record_bytes;
}

#endif
