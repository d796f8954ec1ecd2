/* SPDX-License-Identifier: ISC */
#include "tests/lib/puppet.h"

struct puppet {
	const struct view *view;
	unsigned steps;
};

struct puppet_seen puppet_seen;

static size_t
puppet_size(const struct view *view)
{
	return sizeof(struct puppet) + view->links_count;
}

static void
puppet_init(void *state, const struct view *view)
{
	*(struct puppet *)state = (struct puppet){ .view = view };
	puppet_seen.view = *view;
	for (size_t i = 0; i < view->links_count; i++)
		puppet_seen.links[i] = view->links[i].rank;
	puppet_seen.inits++;
}

static void
puppet_step(void *state, const struct input *in, struct outbox *out)
{
	struct puppet *p = state;
	struct message m = { .kind = ASK };

	p->steps++;
	if (in->kind == INPUT_TIMER) {
		outbox_send(out, 0, &m);
	} else if (in->kind == INPUT_START) {
		for (unsigned i = 0; i < p->view->links_count; i++)
			outbox_send(out, i, &m);
	} else if (in->message->kind == QUESTION) {
		m.kind = ANSWER;
		outbox_send(out, in->link, &m);
	} else if (in->message->kind == DECISION) {
		outbox_decide(out, &in->message->rank);
	} else if (in->message->kind == WAKE_ME) {
		outbox_arm(out);
	}
}

static const char *
puppet_phase(const void *state)
{
	return ((const struct puppet *)state)->steps > 0 ? "moved" : "new";
}

static void
puppet_check(const void *state)
{
	assert(((const struct puppet *)state)->view != NULL);
	puppet_seen.checks++;
}

const struct algorithm puppet = {
	.name = "puppet",
	.summary = "does as it is told",
	.kinds = { "ASK", "QUESTION", "ANSWER", "DECISION", "WAKE_ME" },
	.size = puppet_size,
	.init = puppet_init,
	.step = puppet_step,
	.phase = puppet_phase,
	.check = puppet_check,
};
