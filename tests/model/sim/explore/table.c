/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/explore/table.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_FIRST ((uint32_t)64) /* records that a new table can hold */

void
table_init(struct table *t, size_t key_bytes, size_t record_bytes,
    size_t *budget_bytes)
{
	assert(key_bytes > 0);
	assert(key_bytes <= record_bytes);
	*t = (struct table){
		.key_bytes = key_bytes,
		.record_bytes = (record_bytes + 7) & ~(size_t)7,
		.budget_bytes = budget_bytes,
	};
}

void
table_done(struct table *t)
{
	if (t->budget_bytes != NULL)
		*t->budget_bytes += t->capacity * t->record_bytes +
				    t->slots_count * sizeof(*t->slots);
	free(t->records);
	free(t->slots);
	*t = (struct table){ 0 };
}

/* Eight bytes at a time: a multiplication that mixes upwards, a shift that
 * mixes downwards. It spreads keys; equality is decided by comparing them. */
static uint64_t
table_hash(const void *key, size_t bytes)
{
	const unsigned char *at = key;
	uint64_t hash = bytes, word;

	for (; bytes > 0; at += sizeof(word)) {
		size_t part = bytes < sizeof(word) ? bytes : sizeof(word);

		word = 0;
		memcpy(&word, at, part);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
		hash ^= hash >> 29;
		bytes -= part;
	}
	return hash * 0xbf58476d1ce4e5b9U;
}

/* Gives the slot that holds this key, or the free one where it belongs, with the
 * hash of the key. */
static struct table_slot *
table_slot(const struct table *t, const void *key)
{
	uint64_t hash = table_hash(key, t->key_bytes);
	uint32_t mask = t->slots_count - 1;
	uint32_t i = (uint32_t)(hash >> 32) & mask;
	struct table_slot *slot = &t->slots[i];

	while (slot->number != 0 && (slot->hash != (uint32_t)hash ||
					memcmp(table_at(t, slot->number - 1),
					    key, t->key_bytes) != 0)) {
		i = (i + 1) & mask;
		slot = &t->slots[i];
	}
	slot->hash = (uint32_t)hash;
	return slot;
}

static bool
table_take(struct table *t, size_t bytes)
{
	if (bytes > *t->budget_bytes)
		return false;
	*t->budget_bytes -= bytes;
	return true;
}

static bool
table_grow_slots(struct table *t)
{
	struct table_slot *old = t->slots, *slots;
	uint32_t count =
	    t->slots_count == 0 ? 2 * TABLE_FIRST : 2 * t->slots_count;
	size_t more = (count - t->slots_count) * sizeof(*slots);

	if (!table_take(t, more))
		return false;
	slots = calloc(count, sizeof(*slots));
	if (slots == NULL) {
		*t->budget_bytes += more;
		return false;
	}
	t->slots = slots;
	t->slots_count = count;
	for (uint32_t i = 0; i < t->count; i++)
		table_slot(t, table_at(t, i))->number = i + 1;
	free(old);
	return true;
}

/* Doubles the space, or takes what the budget still allows. */
static bool
table_grow_records(struct table *t)
{
	size_t allowed = *t->budget_bytes / t->record_bytes;
	uint32_t more = t->capacity == 0 ? TABLE_FIRST : t->capacity;
	unsigned char *records;

	if (more > allowed)
		more = (uint32_t)allowed;
	if (more > TABLE_FULL - 1 - t->capacity)
		more = TABLE_FULL - 1 - t->capacity;
	if (more == 0)
		return false;
	records =
	    realloc(t->records, ((size_t)t->capacity + more) * t->record_bytes);
	if (records == NULL)
		return false;
	*t->budget_bytes -= more * t->record_bytes;
	t->records = records;
	t->capacity += more;
	return true;
}

/* At most three of four slots are taken. */
static bool
table_has_room(struct table *t)
{
	if ((uint64_t)t->count * 4 >= (uint64_t)t->slots_count * 3 &&
	    !table_grow_slots(t))
		return false;
	return t->count < t->capacity || table_grow_records(t);
}

uint32_t
table_find(const struct table *t, const void *record)
{
	return t->slots_count == 0 ? TABLE_FULL
				   : table_slot(t, record)->number - 1;
}

uint32_t
table_add(struct table *t, const void *record)
{
	uint32_t found = table_find(t, record);

	if (found != TABLE_FULL)
		return found;
	if (!table_has_room(t))
		return TABLE_FULL;
	table_slot(t, record)->number = ++t->count;
	memcpy(table_at(t, t->count - 1), record, t->record_bytes);
	return t->count - 1;
}
