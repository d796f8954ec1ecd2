/* SPDX-License-Identifier: ISC */
#include "common/wire/message.h"

#include <string.h>

/* The number of ids in the list: none if the list has grown too long. */
static unsigned
list_held(uint16_t list_count)
{
	return list_count <= LIST_MAX ? list_count : 0;
}

void
message_list(struct message *m, node_id id)
{
	assert(id != NODE_NONE);
	assert(id <= NODE_ID_MAX);
	if (m->list_count < LIST_MAX)
		m->list[m->list_count] = id;
	else
		memset(m->list, 0, sizeof(m->list));
	if (m->list_count < UINT16_MAX)
		m->list_count++;
}

bool
message_lists(const struct message *m, node_id id)
{
	assert(id != NODE_NONE);
	for (unsigned i = 0; i < list_held(m->list_count); i++) {
		if (m->list[i] == id)
			return true;
	}
	return false;
}

void
message_encode(struct writer *w, const struct message *m)
{
	size_t before = w->size;

	write_u8(w, m->kind);
	write_u64(w, m->term);
	rank_encode(w, &m->rank);
	write_u32(w, m->origin);
	write_u32(w, m->phase);
	write_u32(w, m->distance);
	reason_encode(w, m->reason);
	write_u8(w, m->link);
	write_u16(w, m->list_count);
	for (unsigned i = 0; i < list_held(m->list_count); i++)
		write_u32(w, m->list[i]);
	assert(w->failed || w->size - before ==
				MESSAGE_BYTES + 4 * list_held(m->list_count));
}

/* Reads the list; false if one of its ids is out of range. */
static bool
list_decode(struct reader *r, struct message *m)
{
	m->list_count = read_u16(r);
	memset(m->list, 0, sizeof(m->list));
	for (unsigned i = 0; i < list_held(m->list_count); i++) {
		m->list[i] = read_u32(r);
		if (m->list[i] == NODE_NONE || m->list[i] > NODE_ID_MAX)
			return false;
	}
	return !r->failed;
}

bool
message_decode(struct reader *r, struct message *m)
{
	*m = (struct message){ .kind = read_u8(r) };
	m->term = read_u64(r);
	if (!rank_decode(r, &m->rank))
		return false;
	m->origin = read_u32(r);
	m->phase = read_u32(r);
	m->distance = read_u32(r);
	if (!reason_decode(r, &m->reason))
		return false;
	m->link = read_u8(r);
	return list_decode(r, m) && m->kind < MESSAGE_KINDS_MAX &&
	       m->origin <= NODE_ID_MAX;
}
