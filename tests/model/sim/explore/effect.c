/* SPDX-License-Identifier: ISC */
/* The effect of one input on one node. The algorithm's own code runs here. */
#include <setjmp.h>
#include <string.h>

#include "tests/model/sim/explore/guard.h"
#include "tests/model/sim/explore/private.h"

/* Enters the node's state, which is in x->states, into the tables. */
static uint16_t
local_number(struct explorer *x, uint32_t node)
{
	size_t size = x->setup->algorithm->size(&x->views[node]);

	memset(x->local->state, 0, x->state_bytes);
	memcpy(x->local->state, x->states[node], size);
	return explorer_number(x, &x->locals, x->local);
}

uint16_t
explorer_begin(struct explorer *x, uint32_t node)
{
	const struct algorithm *algorithm = x->setup->algorithm;

	memset(x->states[node], 0, algorithm->size(&x->views[node]));
	algorithm->init(x->states[node], &x->views[node]);
	*x->local = (struct local){ .node = (uint8_t)node };
	return local_number(x, node);
}

void
explorer_copy_message(struct message *copy, const struct message *m)
{
	size_t count = m->list_count < LIST_MAX ? m->list_count : LIST_MAX;

	memset(copy, 0, sizeof(*copy));
	copy->rank.is_eligible = m->rank.is_eligible;
	copy->rank.is_contender = m->rank.is_contender;
	copy->rank.priority = m->rank.priority;
	copy->rank.id = m->rank.id;
	copy->origin = m->origin;
	copy->phase = m->phase;
	copy->distance = m->distance;
	copy->kind = m->kind;
	copy->list_count = m->list_count;
	memcpy(copy->list, m->list, count * sizeof(copy->list[0]));
}

static uint16_t
message_number(struct explorer *x, const struct message *m)
{
	struct message copy;

	explorer_copy_message(&copy, m);
	return explorer_number(x, &x->messages, &copy);
}

/* The number of messages to one link that the outbox holds. */
static bool
is_too_much(const struct outbox *out, unsigned link)
{
	unsigned count = 0;

	for (size_t i = 0; i < out->count; i++)
		count += out->messages[i].link == link;
	return count > 2;
}

static bool
effect_send(struct explorer *x, struct effect *effect)
{
	const struct outbox *out = &x->out;
	uint32_t node = x->local->node;

	for (size_t i = 0; i < out->count; i++) {
		const struct outgoing *sent = &out->messages[i];

		if (sent->link >= x->views[node].links_count)
			return explorer_fail(x, EXPLORE_REFUTED,
			    "%u sends on a link that there is not",
			    x->world->ranks[node].id);
		if (is_too_much(out, sent->link))
			return explorer_fail(x, EXPLORE_REFUTED,
			    "%u sends three messages on one link at once",
			    x->world->ranks[node].id);
		effect->sends[i].link = (uint16_t)sent->link;
		effect->sends[i].message = message_number(x, &sent->message);
		if (effect->sends[i].message == NOTHING)
			return false;
	}
	effect->sends_count = (uint8_t)out->count;
	return true;
}

const struct rank *
explorer_rank(const struct explorer *x, node_id id)
{
	for (uint32_t i = 0; i < x->nodes; i++) {
		if (x->world->ranks[i].id == id)
			return &x->world->ranks[i];
	}
	return NULL;
}

/* A node may decide once, for a node that exists. */
static bool
effect_decide(struct explorer *x, struct effect *effect)
{
	const struct rank *winner = &x->out.winner;
	const struct rank *known = explorer_rank(x, winner->id);
	node_id self = x->world->ranks[x->local->node].id;

	if (!x->out.has_decided)
		return true;
	if (known == NULL || !rank_equal(winner, known))
		return explorer_fail(x, EXPLORE_REFUTED,
		    "%u decides for a rank that nobody has", self);
	if (x->local->winner != NODE_NONE && x->local->winner != winner->id)
		return explorer_fail(x, EXPLORE_REFUTED,
		    "%u decides for %u, having decided for %u", self,
		    winner->id, x->local->winner);
	x->local->winner = winner->id;
	effect->has_decided = true;
	return true;
}

bool
explorer_step(struct explorer *x, uint32_t node, const struct input *in)
{
	const struct algorithm *algorithm = x->setup->algorithm;
	void *state = x->states[node];

	outbox_clear(&x->out);
	x->out.capacity = outbox_capacity(x->views[node].links_count);
	if (sigsetjmp(*explore_guard(), 1) != 0) {
		explore_guard_end();
		return explorer_fail(x, EXPLORE_REFUTED,
		    "an assertion fails at %u", x->world->ranks[node].id);
	}
	algorithm->step(state, in, &x->out);
	algorithm->check(state);
	explore_guard_end();
	return true;
}

static bool
effect_compute(struct explorer *x, uint32_t node, struct effect *effect)
{
	struct message message;
	struct input in = { .kind = effect->kind, .link = effect->link };

	memcpy(x->local, table_at(&x->locals, effect->before),
	    x->locals.key_bytes);
	memcpy(x->states[node], x->local->state,
	    x->setup->algorithm->size(&x->views[node]));
	if (in.kind == INPUT_MESSAGE) {
		message =
		    *(struct message *)table_at(&x->messages, effect->message);
		in.message = &message;
	}
	if (!explorer_step(x, node, &in))
		return false;
	x->local->is_reached = true;
	if (in.kind == INPUT_START)
		x->local->has_started = true;
	if (in.kind == INPUT_TIMER)
		x->local->is_armed = false;
	if (x->out.has_armed)
		x->local->is_armed = true;
	if (!effect_send(x, effect) || !effect_decide(x, effect))
		return false;
	effect->after = local_number(x, node);
	return effect->after != NOTHING;
}

const struct effect *
explorer_effect(struct explorer *x, const struct event *e, uint16_t before,
    uint16_t message)
{
	struct effect effect = {
		.before = before,
		.message = message,
		.link = (uint16_t)e->link,
		.kind = (uint16_t)e->kind,
	};
	uint32_t number = table_find(&x->effects, &effect);

	if (number != TABLE_FULL)
		return table_at(&x->effects, number);
	if (!effect_compute(x, e->node, &effect))
		return NULL;
	number = table_add(&x->effects, &effect);
	if (number == TABLE_FULL) {
		explorer_fail(x, EXPLORE_GAVE_UP, "the memory is full");
		return NULL;
	}
	return table_at(&x->effects, number);
}
