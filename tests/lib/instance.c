/* SPDX-License-Identifier: ISC */
#include "tests/lib/instance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define UNTOUCHED 0xa5

struct rank
instance_rank(node_id id)
{
	return (struct rank){ .is_eligible = true, .id = id };
}

static void
instance_check(const struct instance *it)
{
	it->algorithm->check(it->state);
	for (size_t i = it->size; i < INSTANCE_STATE_MAX; i++)
		assert_int_equal(it->state[i], UNTOUCHED);
}

void
instance_begin(struct instance *it, const struct algorithm *algorithm,
    const struct choices *choices, struct rank self, size_t links_count)
{
	assert_true(links_count <= INSTANCE_LINKS_MAX);
	memset(it, UNTOUCHED, sizeof(*it));
	it->algorithm = algorithm;
	it->choices = choices != NULL ? *choices : (struct choices){ 0 };
	for (size_t i = 0; i < links_count; i++)
		it->links[i].rank = instance_rank((node_id)(100 + i));
	it->view = (struct view){
		.self = self,
		.links = it->links,
		.links_count = links_count,
		.choices = &it->choices,
	};
	it->out = (struct outbox){
		.messages = it->room,
		.capacity = outbox_capacity(links_count),
	};
	it->size = algorithm->size(&it->view);
	assert_true(it->size <= INSTANCE_STATE_MAX);
	instance_again(it);
}

void
instance_again(struct instance *it)
{
	memset(it->state, 0, it->size);
	it->algorithm->init(it->state, &it->view);
	instance_check(it);
}

static void
instance_step(struct instance *it, const struct input *in)
{
	outbox_clear(&it->out);
	it->algorithm->step(it->state, in, &it->out);
	instance_check(it);
}

void
instance_start(struct instance *it)
{
	instance_step(it, &(struct input){ .kind = INPUT_START });
}

void
instance_expire(struct instance *it)
{
	instance_step(it, &(struct input){ .kind = INPUT_TIMER });
}

void
instance_receive(struct instance *it, unsigned link, const struct message *m)
{
	instance_step(it, &(struct input){ INPUT_MESSAGE, link, m });
}

void
instance_receive_random(struct instance *it, struct random *random)
{
	struct message m = {
		.kind = (uint8_t)random_below(random, 5),
		.rank = {
			.is_eligible = random_below(random, 4) > 0,
			.is_contender = random_below(random, 4) == 0,
			.priority = (int32_t)random_below(random, 3) - 1,
			.id = (node_id)random_below(random, 8),
		},
		.origin = (node_id)random_below(random, 8),
		.phase = (uint32_t)random_below(random, 4),
		.distance = (uint32_t)random_below(random, 6),
	};

	if (random_below(random, 2) == 0)
		m.rank = instance_rank(m.rank.id);
	if (random_below(random, 2) == 0)
		m.origin = m.rank.id;
	if (random_below(random, 16) == 0)
		m.phase = m.distance = (uint32_t)random_next(random);
	if (it->algorithm->has_lists)
		m.list_count = (uint16_t)random_below(random, 2 * LIST_MAX);
	for (unsigned i = 0; i < m.list_count && m.list_count <= LIST_MAX; i++)
		m.list[i] = 1 + (node_id)random_below(random, 30);
	if (random_below(random, 16) == 0 || it->view.links_count == 0)
		instance_start(it);
	else
		instance_receive(it,
		    (unsigned)random_below(random, it->view.links_count), &m);
}

void
instance_assert_phase(const struct instance *it, const char *phase)
{
	assert_string_equal(it->algorithm->phase(it->state), phase);
}

void
instance_assert_sent(
    const struct instance *it, size_t i, unsigned link, const struct message *m)
{
	const struct message *sent;

	assert_true(i < it->out.count);
	sent = &it->out.messages[i].message;
	assert_int_equal(it->out.messages[i].link, link);
	assert_int_equal(sent->kind, m->kind);
	assert_true(rank_equal(&sent->rank, &m->rank));
	assert_int_equal(sent->origin, m->origin);
	assert_int_equal(sent->phase, m->phase);
	assert_int_equal(sent->distance, m->distance);
	assert_int_equal(sent->list_count, m->list_count);
}

void
instance_assert_count(const struct instance *it, size_t count)
{
	assert_int_equal(it->out.count, count);
}

void
instance_assert_decided(const struct instance *it, node_id id)
{
	assert_true(it->out.has_decided);
	assert_int_equal(it->out.winner.id, id);
	instance_assert_phase(it, "decided");
}

void
instance_assert_undecided(const struct instance *it)
{
	assert_false(it->out.has_decided);
}
