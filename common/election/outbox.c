/* SPDX-License-Identifier: ISC */
#include "common/election/outbox.h"

void
outbox_clear(struct outbox *out)
{
	out->count = 0;
	out->has_decided = false;
	out->has_armed = false;
}

void
outbox_send(struct outbox *out, unsigned link, const struct message *m)
{
	assert(out->count < out->capacity);
	assert(m->kind < MESSAGE_KINDS_MAX);
	out->messages[out->count++] =
	    (struct outgoing){ .message = *m, .link = link };
}

void
outbox_decide(struct outbox *out, const struct rank *winner)
{
	assert(winner->id != NODE_NONE);
	out->has_decided = true;
	out->winner = *winner;
}

void
outbox_arm(struct outbox *out)
{
	out->has_armed = true;
}

void
outbox_check(const struct outbox *out)
{
	assert(out->count <= out->capacity);
	assert(!out->has_decided || out->winner.id != NODE_NONE);
	for (size_t i = 0; i < out->count; i++)
		assert(out->messages[i].message.kind < MESSAGE_KINDS_MAX);
}
