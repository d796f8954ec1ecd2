/* SPDX-License-Identifier: ISC */
#include "tests/lib/stage_view.h"

#include <stdio.h>
#include <string.h>

static struct stage *stage;
static unsigned viewed;

static nsec_t
stage_wake(void *context)
{
	(void)context;
	return stage->now;
}

static void
stage_follow(void *context)
{
	(void)context;
	stage_perform(stage, viewed);
}

static uint64_t
nothing_begins(void *context, const struct operation *operation)
{
	(void)context;
	(void)operation;
	return 0;
}

void
stage_name(struct config_node *nodes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		nodes[i] = (struct config_node){ .id = i + 1 };
		snprintf(nodes[i].name, sizeof(nodes[i].name), "web%u", i + 1);
	}
}

struct control_view
stage_view(struct stage *s, unsigned node, const struct settings *settings)
{
	static const struct control_counters counters;
	static const struct fingerprints fingerprints = { "aa", "bb" };

	stage = s;
	viewed = node;
	return (struct control_view){
		.node = s->nodes[node],
		.settings = settings,
		.self = s->setups[node].self,
		.started = STAGE_BEGIN,
		.version = "0",
		.counters = &counters,
		.fingerprints = &fingerprints,
		.wake = stage_wake,
		.perform = stage_follow,
		.begin = nothing_begins,
	};
}

json_t *
stage_ask(const struct control_view *view, bool may_steer, const char *line,
    struct pending_request *pending)
{
	struct request request = {
		.view = view,
		.is_admin = true,
		.may_steer = may_steer,
		.may_rely = true,
	};
	json_t *answer = verbs_answer(&request, line, strlen(line));

	assert(pending != NULL || answer != NULL);
	if (pending != NULL)
		*pending = request.pending;
	return answer;
}
