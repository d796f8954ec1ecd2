/* SPDX-License-Identifier: ISC */
/* Draws what a seed goes through: its world, its faults, and what stays. */
#include "tests/model/sim/swarm/swarm.h"

#include "algorithms/registry.h"

#define PERMILLE_CLOCK 100 /* clocks are wrong by up to a tenth */

const char *const swarm_classes[SWARM_CLASSES] = {
	[CLASS_LOSS] = "loss",
	[CLASS_DOUBLES] = "duplication",
	[CLASS_LATE] = "reordering",
	[CLASS_CORRUPT] = "corruption",
	[CLASS_SLOW] = "delay",
	[CLASS_CUT] = "cut",
	[CLASS_ONE_WAY] = "one-way",
	[CLASS_SPLIT] = "partition",
	[CLASS_FLAP] = "flapping",
	[CLASS_SWIZZLE] = "swizzle",
	[CLASS_CRASH] = "crash",
	[CLASS_QUICK] = "quick-restart",
	[CLASS_STOP] = "stop",
	[CLASS_FORGET] = "record-lost",
	[CLASS_ROLL_BACK] = "record-old",
	[CLASS_DISK_SLOW] = "disk-slow",
	[CLASS_DISK_FAIL] = "disk-error",
	[CLASS_PAUSE] = "pause",
	[CLASS_FREEZE] = "vm-pause",
	[CLASS_CLOCK] = "clock-rate",
	[CLASS_CORNER] = "clock-corner",
	[CLASS_COPY] = "duplicate-id",
	[CLASS_NOISE] = "noise",
	[CLASS_ELECT] = "operator",
	[CLASS_CLIENTS] = "clients",
	[CLASS_HELPER] = "helper",
	[CLASS_REFUSAL] = "refusal",
	[CLASS_LEADER] = "leader",
	[CLASS_STALL] = "stall",
	[CLASS_ASK] = "questions",
	[CLASS_SEND] = "send-buffer",
	[CLASS_CONFIG] = "config",
	[CLASS_VERSION] = "version",
	[CLASS_ADDRESS] = "address",
	[CLASS_GROUP] = "group",
	[CLASS_SNAPSHOT] = "snapshot",
	[CLASS_RUN] = "run",
	[CLASS_CABLE] = "cable",
	[CLASS_DISCOVERY] = "discovery",
};

const char *const swarm_verdicts[SWARM_VERDICTS] = {
	[VERDICT_LEADER] = "leader",
	[VERDICT_NOBODY] = "no-leader",
	[VERDICT_NO_QUORUM] = "no-quorum",
};

static void
plan_world(struct swarm_plan *p, const struct swarm_setup *wanted)
{
	struct world_setup *setup = &p->setup;
	bool is_quorum = swarm_one_in(p, 2);

	if (!wanted->may_be[is_quorum])
		is_quorum = !is_quorum;
	setup->guarantee = is_quorum ? GUARANTEE_QUORUM : GUARANTEE_COMPONENT;
	setup->algorithm = wanted->algorithm;
	setup->nodes = wanted->nodes;
	setup->budget_max = wanted->budget;
	setup->tapes = wanted->tapes || wanted->dump != NULL;
	p->dump = wanted->dump;
	world_draw(setup, &p->drawn, &p->random);
	setup->prefer = swarm_one_in(p, 4) ? PREFER_LOWEST : PREFER_HIGHEST;
	if (swarm_one_in(p, 4))
		setup->preempt =
		    swarm_one_in(p, 2) ? PREEMPT_NEVER : PREEMPT_AFTER;
	setup->preempt_after = swarm_duration(p);
	/* The winner of such an election is seldom the best, so nodes must not
	 * preempt. */
	if (setup->choices.any_leader)
		setup->preempt = PREEMPT_NEVER;
	setup->heartbeat = swarm_one_in(p, 2) ? 50 * MSEC : 100 * MSEC;
	setup->misses = (unsigned)random_between(&p->random, 3, 5);
	/* Draws a lease as short as electd -t allows, or longer. */
	setup->lease = 2 * (setup->misses + 2) * setup->heartbeat;
	if (swarm_one_in(p, 4))
		setup->lease += random_below(&p->random, 2 * SEC);
	setup->calm = swarm_one_in(p, 8) ? WORLD_CALM : SEC;
}

static void
plan_host(struct swarm_plan *p, unsigned id)
{
	const struct fault start = { .kind = FAULT_START, .target = id };
	struct swarm_host *host = &p->hosts[id];

	host->role = ROLE_CANDIDATE;
	if (swarm_one_in(p, 4))
		host->priority = (int32_t)random_below(&p->random, 3);
	if (swarm_one_in(p, 8))
		host->role = swarm_one_in(p, 2) ? ROLE_VOTER : ROLE_OBSERVER;
	if (p->has[CLASS_CLOCK])
		host->rate =
		    (int)random_below(&p->random, 2 * PERMILLE_CLOCK + 1) -
		    PERMILLE_CLOCK;
	if (p->has[CLASS_CORNER])
		host->rate =
		    swarm_one_in(p, 2) ? PERMILLE_CLOCK : -PERMILLE_CLOCK;
	p->faults[p->faults_count++] = (struct swarm_fault){
		.at = random_below(&p->random, 2 * SEC),
		.fault = start,
		.class = CLASS_CRASH,
		.is_undo = true,
	};
}

static void
last(struct swarm_plan *p, enum swarm_class class, struct fault fault)
{
	assert(p->last_count < SWARM_LAST_MAX);
	p->last[p->last_count++] = (struct swarm_fault){ .at = p->end,
		.fault = fault,
		.class = class };
}

/* In the end all that live are well, but a few may stay dead, or cut off. */
static void
plan_last(struct swarm_plan *p)
{
	uint64_t count;

	if (swarm_one_in(p, 4)) {
		count = random_between(&p->random, 1, p->setup.nodes);
		for (uint64_t i = 0; i < count && i < SWARM_LAST_MAX; i++)
			last(p, CLASS_CRASH,
			    (struct fault){ .kind = FAULT_CRASH,
				.target = swarm_any_id(p) });
	} else if (swarm_one_in(p, 6)) {
		last(p, CLASS_SPLIT,
		    (struct fault){ .kind = FAULT_SPLIT,
			.target = swarm_any_id(p),
			.amount = swarm_any_ids(p) });
	} else if (swarm_one_in(p, 4)) {
		count =
		    swarm_one_in(p, 2) ? 1 : random_between(&p->random, 2, 6);
		while (count-- > 0) {
			bool both = swarm_one_in(p, 2);

			last(p, both ? CLASS_CUT : CLASS_ONE_WAY,
			    (struct fault){
				.kind = both ? FAULT_CUT_BOTH : FAULT_CUT,
				.target = swarm_any_id(p),
				.other = swarm_any_id(p) });
		}
	}
}

void
swarm_plan(struct swarm_plan *p, const struct swarm_setup *setup, uint64_t seed)
{
	bool all;

	*p = (struct swarm_plan){ .seed = seed };
	random_init(&p->random, ~seed);
	p->setup.seed = seed;
	plan_world(p, setup);
	p->copy_shares = swarm_one_in(p, 2);
	p->end = random_between(&p->random, 5 * SEC, 60 * SEC);
	all = swarm_one_in(p, 2);
	for (unsigned i = 0; i < SWARM_NARROW; i++)
		p->has[i] = swarm_one_in(p, 2) || all;
	p->records = p->has[CLASS_NOISE];
	p->weather = swarm_weather(p);
	p->fair = (struct wire){ .loss = p->has[CLASS_LOSS] ? 10 : 0,
		.doubles = 50,
		.late = 50,
		.jitter = 5 * MSEC,
		.delay_min = 100 * USEC,
		.delay_max = MSEC };
	for (unsigned id = 1; id <= p->setup.nodes; id++)
		plan_host(p, id);
	swarm_plan_faults(p);
	plan_last(p);
	swarm_widen(p);
	swarm_plan_discovery(p, setup);
}
