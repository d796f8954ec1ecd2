/* SPDX-License-Identifier: ISC */
/*
 * The faults of a plan: a storm of all kinds that are on, through all of it,
 * and in most plans also something that hits the leader again and again. Before
 * a host comes back with an old durable state, or the operator makes a new one
 * for a host that has lost its own, there is a calm.
 */
#include "tests/model/sim/swarm/swarm.h"

#define REFUSES    800 /* permille: ICMP may be lost, or held back */
#define STORM_MAX  24
#define FATE_LEAST (20 * MSEC) /* the shortest time that one lasts */

/* A calm: while it lasts, nothing else happens. */
struct window {
	nsec_t from;
	nsec_t until;
};

static bool
is_within(const struct window *calm, nsec_t at)
{
	return at >= calm->from && at < calm->until;
}

static void
add(struct swarm_plan *p, nsec_t at, enum swarm_class class, bool is_undo,
    struct fault fault)
{
	if (p->faults_count == SWARM_FAULTS_MAX)
		return;
	p->faults[p->faults_count++] = (struct swarm_fault){
		.at = at,
		.fault = fault,
		.class = class,
		.is_undo = is_undo,
	};
}

/* Adds a fault, and what undoes it a while later. */
static void
add_both(struct swarm_plan *p, const struct window *calm, nsec_t at,
    enum swarm_class class, struct fault fault, struct fault undo,
    nsec_t while_)
{
	nsec_t after = nsec_earlier(nsec_after(at, while_), p->end);

	if (is_within(calm, after))
		after = calm->from;
	add(p, at, class, false, fault);
	add(p, after, class, true, undo);
}

/* Draws two different nodes, if there are two. */
static struct fault
any_link(struct swarm_plan *p, enum fault_kind kind)
{
	struct fault f = { .kind = kind, .target = swarm_any_id(p) };

	f.other = (unsigned)random_between(&p->random, 1, p->setup.nodes);
	if (f.other == f.target)
		f.other = f.target % p->setup.nodes + 1;
	return f;
}

static struct fault
as(struct fault f, enum fault_kind kind)
{
	f.kind = kind;
	return f;
}

static void
add_flap(struct swarm_plan *p, const struct window *calm, nsec_t at)
{
	struct fault cut = any_link(p, FAULT_CUT_BOTH);
	uint64_t count = random_between(&p->random, 3, 10);

	for (uint64_t i = 0; i < count && at < p->end; i++) {
		if (!is_within(calm, at))
			add_both(p, calm, at, CLASS_FLAP, cut,
			    as(cut, FAULT_MEND),
			    random_between(&p->random, 20 * MSEC, 500 * MSEC));
		at += random_between(&p->random, 500 * MSEC, SEC);
	}
}

/* Links go one by one, and come back in any order. */
static void
add_swizzle(struct swarm_plan *p, const struct window *calm, nsec_t at)
{
	uint64_t count = random_between(&p->random, 2, 5);

	for (uint64_t i = 0; i < count && at < p->end; i++) {
		struct fault cut = any_link(p, FAULT_CUT_BOTH);

		if (!is_within(calm, at))
			add_both(p, calm, at, CLASS_SWIZZLE, cut,
			    as(cut, FAULT_MEND), swarm_duration(p));
		at += random_below(&p->random, 300 * MSEC);
	}
}

static void
add_network(struct swarm_plan *p, const struct window *calm, nsec_t at,
    enum swarm_class class)
{
	const struct fault heal = { .kind = FAULT_HEAL };
	struct fault f = any_link(p, FAULT_CUT);

	if (class == CLASS_SPLIT) {
		f.kind = FAULT_SPLIT;
		f.amount = swarm_any_ids(p);
		add_both(p, calm, at, class, f, heal, swarm_duration(p));
	} else if (class == CLASS_CUT || class == CLASS_ONE_WAY) {
		f.kind = class == CLASS_CUT ? FAULT_CUT_BOTH : FAULT_CUT;
		add_both(p, calm, at, class, f, as(f, FAULT_MEND),
		    swarm_duration(p));
	} else if (class == CLASS_FLAP) {
		add_flap(p, calm, at);
	} else if (class == CLASS_SWIZZLE) {
		add_swizzle(p, calm, at);
	} else {
		f = (struct fault){ .kind = FAULT_WEATHER,
			.weather = swarm_weather(p) };
		add(p, at, class, false, f);
	}
}

/* A process ends, and starts again. */
static void
add_death(struct swarm_plan *p, const struct window *calm, nsec_t at,
    enum swarm_class class, unsigned target, unsigned later, nsec_t dead)
{
	struct fault f = { .kind = FAULT_CRASH, .target = target };
	const struct fault start = { .kind = FAULT_START, .target = later };
	nsec_t detection = p->setup.misses * p->setup.heartbeat;

	if (class == CLASS_STOP)
		f.kind = FAULT_STOP;
	if (class == CLASS_QUICK)
		dead = random_between(&p->random, MSEC, detection);
	if (class == CLASS_CRASH && swarm_one_in(p, 2)) {
		f.kind = FAULT_CRASH_AFTER;
		f.amount = random_below(&p->random, 40);
	}
	if (class == CLASS_FORGET && target <= WORLD_NODES_MAX)
		add(p, at + 1, class, false,
		    (struct fault){ .kind = FAULT_FORGET,
			.target = target,
			.amount = swarm_one_in(p, 2) });
	if (class == CLASS_DISK_FAIL) {
		add(p, at, class, false, as(f, FAULT_DISK_FAIL));
		at = nsec_earlier(nsec_after(at, dead), p->end);
		if (is_within(calm, at))
			at = calm->from;
	}
	add_both(p, calm, at, class, f, start, dead);
}

/* The operator wants an election, another leader, a standby, or its end; or a
 * check wants a standby. */
static struct fault
any_order(struct swarm_plan *p, unsigned target)
{
	static const enum fault_kind proposes[] = { FAULT_ELECT, FAULT_ELECT,
		FAULT_RESIGN, FAULT_STAND, FAULT_STANDBY };
	struct fault f = { .target = target };

	f.kind = proposes[random_below(
	    &p->random, sizeof(proposes) / sizeof(proposes[0]))];
	if (f.kind == FAULT_RESIGN && swarm_one_in(p, 2))
		f.target = WORLD_LEADER;
	if (f.kind == FAULT_RESIGN && swarm_one_in(p, 2))
		f.other = swarm_any_id(p);
	if (f.kind == FAULT_STANDBY && swarm_one_in(p, 2))
		f.target = WORLD_LEADER;
	if (f.kind == FAULT_STANDBY && swarm_one_in(p, 2))
		f.amount = swarm_duration(p);
	if (f.kind == FAULT_STANDBY && f.amount % 2 == 1)
		f.kind = FAULT_SICK; /* which always ends */
	return f;
}

static void
add_host(struct swarm_plan *p, const struct window *calm, nsec_t at,
    enum swarm_class class, unsigned target, unsigned later, nsec_t while_)
{
	struct fault f = { .kind = FAULT_PAUSE, .target = target };
	struct fault undo = { .kind = FAULT_RESUME, .target = later };

	if (class == CLASS_FREEZE) {
		f.kind = FAULT_FREEZE;
	} else if (class == CLASS_COPY) {
		f.kind = FAULT_COPY;
		f.amount = random_between(&p->random, 1, 4);
		undo =
		    (struct fault){ .kind = FAULT_CRASH, .target = WORLD_COPY };
	} else if (class == CLASS_CLOCK) {
		f.kind = FAULT_CLOCK;
		f.amount = random_below(&p->random, 201) - 100;
		undo = f;
	} else if (class == CLASS_CORNER) {
		f.kind = FAULT_CLOCK;
		f.amount = swarm_one_in(p, 2) ? 100 : (uint64_t)-100;
		undo = f;
		undo.amount = -f.amount;
	} else if (class == CLASS_DISK_SLOW) {
		f.kind = FAULT_DISK;
		f.amount = MSEC << random_below(&p->random, 10);
		undo = (struct fault){ .kind = FAULT_DISK, .target = target };
		if (swarm_one_in(p, 3))
			f.kind = undo.kind = FAULT_DISK_FULL;
	} else if (class == CLASS_NOISE) {
		f.kind = FAULT_NOISE;
		undo = f;
	} else if (class == CLASS_ELECT) {
		f = any_order(p, target);
		/* A second operator, perhaps at another host. */
		undo = f;
		undo.target = swarm_any_id(p);
		if (f.kind == FAULT_RESIGN || f.kind == FAULT_STANDBY ||
		    f.kind == FAULT_SICK)
			undo = (struct fault){ .kind = FAULT_STAND,
				.target = undo.target };
	}
	add_both(p, calm, at, class, f, undo, while_);
	/* All hosts may share one storage, which is busy. */
	if (class != CLASS_DISK_SLOW || swarm_one_in(p, 2))
		return;
	f.amount = 32 * MSEC << random_below(&p->random, 4);
	for (unsigned id = 1; id <= p->setup.nodes; id++) {
		f.target = undo.target = id;
		add_both(p, calm, at, class, f, undo, while_);
	}
}

static void
add_any(struct swarm_plan *p, const struct window *calm, nsec_t at,
    enum swarm_class class)
{
	unsigned id = swarm_any_id(p);

	if (class <= CLASS_SWIZZLE)
		add_network(p, calm, at, class);
	else if (class <= CLASS_FORGET || class == CLASS_DISK_FAIL)
		add_death(p, calm, at, class, id, id, swarm_duration(p));
	else if (class <= CLASS_ELECT && class != CLASS_ROLL_BACK)
		add_host(p, calm, at, class, id, id, swarm_duration(p));
}

static void
add_storm(struct swarm_plan *p, const struct window *calm)
{
	uint64_t count = random_between(&p->random, 0, STORM_MAX);

	for (uint64_t i = 0; i < count; i++) {
		enum swarm_class class =
		    (enum swarm_class)random_below(&p->random, SWARM_NARROW);
		nsec_t at = random_below(&p->random, p->end);

		if (p->has[class] && !is_within(calm, at))
			add_any(p, calm, at, class);
	}
}

/* A process is paused, but not long enough to count as dead. What came in
 * meanwhile is late, and from then on nothing comes any more. */
static void
add_late_answers(struct swarm_plan *p, const struct window *calm, nsec_t at)
{
	nsec_t detection = p->setup.misses * p->setup.heartbeat;
	nsec_t until =
	    at + random_between(&p->random, detection / 4, detection);
	const struct fault cut = { .kind = FAULT_SPLIT,
		.target = WORLD_PAUSED };
	const struct fault heal = { .kind = FAULT_HEAL };

	add_both(p, calm, at, CLASS_PAUSE,
	    (struct fault){ .kind = FAULT_PAUSE, .target = WORLD_LEADER },
	    (struct fault){ .kind = FAULT_RESUME, .target = WORLD_PAUSED },
	    until - at);
	if (until < p->end && !is_within(calm, until))
		add_both(p, calm, until - 1, CLASS_SPLIT, cut, heal,
		    2 * p->setup.lease);
}

/* The leader of that time dies for a while, or is cut off, or paused, or holds
 * an election, or hands over. */
static void
add_leaders_fate(struct swarm_plan *p, const struct window *calm, nsec_t at)
{
	static const enum swarm_class fates[] = { CLASS_CRASH, CLASS_QUICK,
		CLASS_STOP, CLASS_DISK_FAIL, CLASS_PAUSE, CLASS_FREEZE,
		CLASS_SPLIT, CLASS_ELECT };
	enum swarm_class class =
	    fates[random_below(&p->random, sizeof(fates) / sizeof(fates[0]))];
	const struct fault cut = { .kind = FAULT_SPLIT,
		.target = WORLD_LEADER };
	const struct fault heal = { .kind = FAULT_HEAL };
	nsec_t while_ =
	    random_between(&p->random, FATE_LEAST, 2 * p->setup.lease + SEC);

	if (!p->has[class])
		class = CLASS_CRASH;
	if (class == CLASS_PAUSE && swarm_one_in(p, 2))
		add_late_answers(p, calm, at);
	else if (class == CLASS_SPLIT)
		add_both(p, calm, at, class, cut, heal, while_);
	else if (class == CLASS_PAUSE || class == CLASS_FREEZE)
		add_host(
		    p, calm, at, class, WORLD_LEADER, WORLD_PAUSED, while_);
	else if (class == CLASS_ELECT)
		add_host(p, calm, at, class, swarm_any_id(p), 0, while_);
	else
		add_death(
		    p, calm, at, class, WORLD_LEADER, WORLD_FALLEN, while_);
}

/*
 * What others send to the leader comes late, and then it is cut off: so all
 * that still reaches it are old answers.
 */
static void
add_late_leader(struct swarm_plan *p, const struct window *calm, nsec_t at)
{
	nsec_t lease = p->setup.lease;
	nsec_t delay = random_between(&p->random, lease / 16, lease / 2);
	nsec_t cut_at = at + random_between(&p->random, delay, 2 * lease);
	const struct fault late = { .kind = FAULT_WEATHER,
		.target = WORLD_LEADER,
		.weather = { .delay_min = delay, .delay_max = delay + MSEC } };
	const struct fault over = { .kind = FAULT_WEATHER,
		.weather = p->weather };
	const struct fault cut = { .kind = FAULT_SPLIT,
		.target = WORLD_LEADER };
	const struct fault heal = { .kind = FAULT_HEAL };

	if (is_within(calm, cut_at))
		return;
	add_both(p, calm, at, CLASS_SLOW, late, over, cut_at - at + 2 * lease);
	add_both(p, calm, cut_at, CLASS_SPLIT, cut, heal, 2 * lease);
}

/* The weather is fair, and no client asks, so that a handover is short. */
static void
add_lull(struct swarm_plan *p, nsec_t from, nsec_t until)
{
	const struct fault fair = { .kind = FAULT_WEATHER, .weather = p->fair };
	const struct fault over = { .kind = FAULT_WEATHER,
		.weather = p->weather };

	add(p, from, CLASS_ELECT, true, fair);
	add(p, until, CLASS_ELECT, true, over);
	if (!p->has[CLASS_CLIENTS])
		return;
	add(p, from, CLASS_CLIENTS, true,
	    (struct fault){ .kind = FAULT_CLIENTS });
	add(p, until, CLASS_CLIENTS, true,
	    (struct fault){ .kind = FAULT_CLIENTS,
		.amount = random_between(&p->random, 1, 500) });
}

/*
 * A leader hands over, and is lost meanwhile. All others but one, its successor
 * if the guess is right, forget at once that they granted it.
 */
static void
add_lost_room(struct swarm_plan *p, const struct window *calm, nsec_t at)
{
	const struct fault pause = { .kind = FAULT_PAUSE,
		.target = WORLD_LEADER };
	const struct fault resume = { .kind = FAULT_RESUME,
		.target = WORLD_PAUSED };
	nsec_t detection = p->setup.misses * p->setup.heartbeat;
	nsec_t lost_at = at + random_below(&p->random, 6 * MSEC);
	unsigned old = swarm_any_id(p), next = swarm_any_id(p);
	bool is_high = p->setup.prefer == PREFER_HIGHEST;

	if (is_within(calm, at + detection))
		return;
	/* The guess is mostly right. */
	if (p->setup.nodes > 2 && !swarm_one_in(p, 4)) {
		old = is_high ? p->setup.nodes : 1;
		next = is_high ? old - 1 : 2;
	}
	add(p, at, CLASS_ELECT, false,
	    (struct fault){ .kind = FAULT_RESIGN, .target = WORLD_LEADER });
	add_both(
	    p, calm, lost_at, CLASS_PAUSE, pause, resume, 2 * p->setup.lease);
	for (unsigned id = 1; id <= p->setup.nodes; id++) {
		const struct fault crash = { .kind = FAULT_CRASH,
			.target = id };
		nsec_t crash_at, away;

		if (id == old || id == next)
			continue;
		away = random_between(&p->random, MSEC, 20 * MSEC);
		crash_at =
		    lost_at + random_between(&p->random, MSEC, detection / 2);
		add_both(p, calm, crash_at, CLASS_QUICK, crash,
		    as(crash, FAULT_START), away);
	}
	if (!is_within(calm, lost_at + 2 * p->setup.lease + MSEC))
		add(p, lost_at + 2 * p->setup.lease + MSEC, CLASS_ELECT, true,
		    (struct fault){ .kind = FAULT_STAND, .target = old });
}

/* True if the plan has all kinds of faults that this needs. */
static bool
may_lose_room(const struct swarm_plan *p)
{
	return p->has[CLASS_ELECT] && p->has[CLASS_QUICK];
}

static void
add_leaders_fates(struct swarm_plan *p, const struct window *calm)
{
	nsec_t least = p->setup.misses * p->setup.heartbeat;
	nsec_t at = 2 * SEC;

	if (p->setup.guarantee == GUARANTEE_QUORUM)
		least += p->setup.lease;
	while (at < p->end) {
		if (is_within(calm, at))
			;
		else if (p->has[CLASS_SLOW] && p->has[CLASS_SPLIT] &&
			 swarm_one_in(p, 4))
			add_late_leader(p, calm, at);
		else if (may_lose_room(p) && at + 4 * p->setup.lease < p->end &&
			 swarm_one_in(p, 3)) {
			nsec_t from = at;

			at += p->setup.lease; /* a node leads meanwhile */
			add_lost_room(p, calm, at);
			at += 2 * p->setup.lease;
			if (!is_within(calm, at))
				add_lull(p, from, at);
		} else
			add_leaders_fate(p, calm, at);
		at += random_between(&p->random, least / 2, 2 * least);
	}
}

/* A calm begins, in which a host starts with an old durable state: all others
 * know its later lives. */
static void
add_calm(struct swarm_plan *p, const struct window *calm)
{
	const enum swarm_class class = CLASS_ROLL_BACK;
	nsec_t at = calm->from;
	nsec_t late = calm->until - p->setup.lease;
	unsigned id = swarm_any_id(p);

	add(p, at, class, true, (struct fault){ .kind = FAULT_HEAL });
	add(p, at, class, true,
	    (struct fault){ .kind = FAULT_WEATHER, .weather = p->fair });
	add(p, at, class, true,
	    (struct fault){ .kind = FAULT_CRASH, .target = WORLD_COPY });
	for (unsigned i = 0; i < p->setup.nodes; i++) {
		add(p, at, class, true,
		    (struct fault){
			.kind = FAULT_RESUME, .target = WORLD_PAUSED });
		add(p, at, class, true,
		    (struct fault){
			.kind = FAULT_START, .target = WORLD_FALLEN });
	}
	add(p, at + MSEC, class, false,
	    (struct fault){ .kind = FAULT_CRASH, .target = id });
	add(p, late, class, false,
	    (struct fault){ .kind = FAULT_ROLL_BACK,
		.target = id,
		.amount = random_between(&p->random, 1, WORLD_LIVES - 1) });
	add(p, late + 1, class, true,
	    (struct fault){ .kind = FAULT_START, .target = WORLD_FALLEN });
}

void
swarm_plan_faults(struct swarm_plan *p)
{
	struct window calm = { .from = NSEC_NEVER };

	if (p->has[CLASS_ROLL_BACK] && swarm_one_in(p, 4)) {
		calm.from = random_between(&p->random, p->end / 2, p->end);
		calm.until = calm.from + 3 * SEC + 4 * p->setup.lease;
		p->end = calm.until + random_below(&p->random, 10 * SEC);
		add_calm(p, &calm);
	}
	p->calm_from = calm.from;
	p->calm_until = calm.until;
	if (p->has[CLASS_CLIENTS])
		add(p, 0, CLASS_CLIENTS, false,
		    (struct fault){ .kind = FAULT_CLIENTS,
			.amount = random_between(&p->random, 1, 500) });
	if (p->has[CLASS_HELPER])
		add(p, 0, CLASS_HELPER, false,
		    (struct fault){ .kind = FAULT_HELPERS });
	if (p->has[CLASS_REFUSAL])
		add(p, 0, CLASS_REFUSAL, false,
		    (struct fault){
			.kind = FAULT_REFUSALS, .amount = REFUSES });
	add_storm(p, &calm);
	if (p->has[CLASS_LEADER] || swarm_one_in(p, 2))
		add_leaders_fates(p, &calm);
}
