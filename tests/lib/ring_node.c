/* SPDX-License-Identifier: ISC */
#include "tests/lib/ring_node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct instance ring_node;

void
ring_prepare(struct instance *it, const struct algorithm *algorithm)
{
	instance_begin(it, algorithm, NULL, instance_rank(SELF), RING_LINKS);
}

void
ring_ready(struct instance *it)
{
	memset(it->state, 0, it->size);
	it->algorithm->init(it->state, &it->view);
	it->algorithm->check(it->state);
}

void
ring_begin(const struct algorithm *algorithm)
{
	ring_prepare(&ring_node, algorithm);
}

void
ring_begin_without_join(const struct algorithm *algorithm)
{
	ring_prepare(&ring_node, algorithm);
	ring_node.choices.starters_only = true;
	ring_ready(&ring_node);
}

void
ring_start(void)
{
	instance_start(&ring_node);
}

void
ring_give(unsigned link, const struct message *m)
{
	instance_receive(&ring_node, link, m);
}

struct message
ring_message(enum kind kind, node_id origin, node_id best)
{
	struct message m = {
		.kind = (uint8_t)kind,
		.origin = origin,
		.rank = instance_rank(best),
	};

	if (origin != NODE_NONE)
		message_list(&m, origin);
	if (best != NODE_NONE && best != origin)
		message_list(&m, best);
	return m;
}

void
ring_receive(enum kind kind, node_id origin, node_id best)
{
	struct message m = ring_message(kind, origin, best);

	ring_give(RING_LEFT, &m);
}

void
ring_assert_phase(const char *phase)
{
	instance_assert_phase(&ring_node, phase);
}

const struct message *
ring_assert_sent_on(
    size_t i, unsigned link, enum kind kind, node_id origin, node_id best)
{
	const struct outgoing *o = &ring_node.room[i];

	assert_true(i < ring_node.out.count);
	assert_int_equal(o->link, link);
	assert_int_equal(o->message.kind, kind);
	assert_int_equal(o->message.origin, origin);
	assert_int_equal(o->message.rank.id, best);
	return &o->message;
}

const struct message *
ring_assert_sent(enum kind kind, node_id origin, node_id best)
{
	instance_assert_count(&ring_node, 1);
	return ring_assert_sent_on(0, RING_RIGHT, kind, origin, best);
}

void
ring_assert_list(const struct message *m, size_t count, const node_id *ids)
{
	assert_int_equal(m->list_count, count);
	assert_memory_equal(m->list, ids, count * sizeof(*ids));
}

void
ring_assert_decided(node_id winner)
{
	assert_true(ring_node.out.has_decided);
	assert_int_equal(ring_node.out.winner.id, winner);
}

void
ring_assert_nothing(void)
{
	instance_assert_count(&ring_node, 0);
	instance_assert_undecided(&ring_node);
}

void
ring_assert_refused(enum kind kind, node_id origin, node_id best)
{
	struct message m = ring_message(kind, origin, best);

	instance_assert_refuses(&ring_node, RING_LEFT, &m);
}
