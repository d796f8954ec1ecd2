/* SPDX-License-Identifier: ISC */
/*
 * The wide seeds, half of all. Their timing may be anything that an operator
 * would configure. They draw this from a stream of their own, after all else:
 * so the other seeds mean what they always did.
 */
#include "tests/model/sim/swarm/swarm.h"

#define STREAM          UINT64_C(0x776964656e) /* differs from the plan's own */
#define HEARTBEAT_SHORT (10 * MSEC)
#define HEARTBEAT_LONG  (300 * MSEC)
#define MISSES_MOST     5
#define MISSES_LOSSY    3 /* with fewer, one lost datagram may end a session */
#define JITTER_DIVISOR  20
#define SENDS_MAX       6
#define EDITS_MAX       8
#define STEPS_MAX       30 /* with which a divided cluster is confused */
#define SNAPSHOTS_MOST  40
#define MOVES_MAX       6           /* of hosts to other addresses */
#define SEND_ROOM       64          /* datagrams that a socket holds */
#define SEND_EACH       (20 * USEC) /* doubled up to seven times */
#define SYNC_MAX        (8 * SEC)
#define SYNC_SIZES      14 /* orders of magnitude, from a millisecond on */
#define STALLS_MAX      24
#define CABLES_MAX      12
#define STALLS_AFTER    4  /* actions, or answers, at most */
#define FATAL_AFTER     40 /* actions, at most */

/* Draws a duration; each order of magnitude is equally likely. */
static nsec_t
any_heartbeat(struct random *r)
{
	nsec_t least = HEARTBEAT_SHORT << random_below(r, 5);

	return nsec_earlier(
	    random_between(r, least, 2 * least), HEARTBEAT_LONG);
}

static nsec_t
any_startup(struct random *r)
{
	nsec_t some = random_below(r, SEC);

	switch (random_below(r, 3)) {
	case 0:
		return WORLD_NO_STARTUP;
	case 1:
		return some + 1;
	default:
		return SEC;
	}
}

/* Stretches the plan to the new heartbeats, so that a run takes as many steps
 * as before. The nanoseconds stay, as they put one fault before another. */
static nsec_t
stretch(nsec_t duration, nsec_t from, nsec_t to)
{
	return duration / USEC * to / (from / USEC) + duration % USEC;
}

/* Draws a lease as short as electd -t allows, or longer. */
static nsec_t
lease_least(const struct world_setup *setup)
{
	return 2 * (setup->misses + 2) * setup->heartbeat;
}

static void
widen_timing(struct swarm_plan *p)
{
	struct world_setup *setup = &p->setup;
	nsec_t old = setup->heartbeat, more = setup->lease - lease_least(setup);
	nsec_t new = any_heartbeat(&p->wide);

	setup->heartbeat = new;
	setup->misses = (unsigned)random_between(&p->wide, 1, MISSES_MOST);
	setup->startup = any_startup(&p->wide);
	setup->lease = lease_least(setup) + stretch(more, old, new);
	setup->calm = stretch(setup->calm, old, new);
	setup->preempt_after = stretch(setup->preempt_after, old, new);
	p->end = stretch(p->end, old, new);
	if (p->calm_from != NSEC_NEVER) {
		p->calm_from = stretch(p->calm_from, old, new);
		p->calm_until = stretch(p->calm_until, old, new);
	}
	for (size_t i = 0; i < p->faults_count; i++)
		p->faults[i].at = stretch(p->faults[i].at, old, new);
	/* Draws a network that suits the timing. */
	p->fair.jitter = nsec_earlier(p->fair.jitter, new / JITTER_DIVISOR);
	if (setup->misses < MISSES_LOSSY)
		p->fair.loss = 0;
}

static void
add(struct swarm_plan *p, nsec_t at, enum swarm_class class, struct fault fault)
{
	if (p->faults_count == SWARM_FAULTS_MAX ||
	    (at >= p->calm_from && at < p->calm_until))
		return;
	p->faults[p->faults_count++] =
	    (struct swarm_fault){ .at = at, .fault = fault, .class = class };
}

/* Processes stop in the middle of a step, the leader most often, for a moment
 * or until they count as dead. */
static void
add_stalls(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	uint64_t count = random_between(r, 1, STALLS_MAX);
	struct fault f = { .kind = FAULT_STALL };

	for (uint64_t i = 0; i < count; i++) {
		nsec_t longest = p->setup.heartbeat << random_below(r, 6);

		f.target = WORLD_LEADER;
		if (random_below(r, 3) == 0)
			f.target =
			    (unsigned)random_between(r, 1, p->setup.nodes);
		f.other = (unsigned)random_below(r, STALLS_AFTER);
		if (random_below(r, 4) == 0)
			longest = 2 * p->setup.lease;
		f.amount = random_between(r, longest / 4, longest);
		add(p, random_below(r, p->end), CLASS_STALL, f);
	}
}

/* Clients ask who leads, and the leader stops while it answers them, for so
 * long that another leads. */
static void
add_questions(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	uint64_t count = random_between(r, 1, STALLS_MAX / 4);
	nsec_t lease = p->setup.lease;

	add(p, 0, CLASS_ASK,
	    (struct fault){ .kind = FAULT_ASK,
		.amount = random_between(
		    r, p->setup.heartbeat / 4, p->setup.heartbeat) });
	for (uint64_t i = 0; i < count; i++) {
		unsigned after = (unsigned)random_below(r, STALLS_AFTER);
		nsec_t amount = random_between(r, lease, 4 * lease);

		add(p, random_below(r, p->end), CLASS_ASK,
		    (struct fault){ .kind = FAULT_STALL_ANSWERS,
			.target = WORLD_LEADER,
			.other = after,
			.amount = amount });
	}
}

/* The leader, or another node, sends over a slow network: the ends of its
 * bursts are lost, and the rest leaves late. */
static void
add_full_buffers(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	uint64_t count = random_between(r, 1, SENDS_MAX);

	for (uint64_t i = 0; i < count; i++) {
		nsec_t at = random_below(r, p->end), each = SEND_EACH;
		struct fault f = { .kind = FAULT_SEND, .target = WORLD_LEADER };

		if (random_below(r, 2) == 0)
			f.target =
			    (unsigned)random_between(r, 1, p->setup.nodes);
		f.other = (unsigned)random_below(r, SEND_ROOM);
		f.amount = each << random_below(r, 8);
		add(p, at, CLASS_SEND, f);
		f.amount = 0;
		add(p, at + random_below(r, p->end - at), CLASS_SEND, f);
	}
}

/* An operator writes files, and gives each to some hosts, in any order. */
static void
add_configs(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	uint64_t edits = random_between(r, 1, EDITS_MAX);

	for (uint64_t i = 0; i < edits; i++) {
		nsec_t at = random_below(r, p->end);
		uint64_t hosts = random_between(r, 1, p->setup.nodes);

		add(p, at, CLASS_CONFIG,
		    (struct fault){
			.kind = FAULT_EDIT, .amount = random_next(r) });
		for (uint64_t k = 0; k < hosts; k++) {
			unsigned id =
			    (unsigned)random_between(r, 1, p->setup.nodes);

			add(p, at + 1, CLASS_CONFIG,
			    (struct fault){
				.kind = FAULT_RELOAD, .target = id });
			at = nsec_earlier(
			    at + random_below(r, 20 * p->setup.heartbeat),
			    p->end);
		}
	}
}

/*
 * Under quorum: operators on both sides of a cut write files, each by what they
 * see, and the leaders of the two sides take steps until they may no more.
 */
static void
add_divided_configs(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	uint64_t steps = random_between(r, 1, STEPS_MAX);

	for (uint64_t i = 0; i < steps; i++) {
		nsec_t at = random_below(r, p->end), each = p->setup.lease;
		unsigned id = (unsigned)random_between(r, 1, p->setup.nodes);
		uint64_t side = random_below(r, UINT64_C(1) << p->setup.nodes);

		add(p, at, CLASS_CONFIG,
		    (struct fault){ .kind = FAULT_EDIT,
			.target = id,
			.amount = random_next(r) });
		add(p, at + 1, CLASS_CONFIG,
		    (struct fault){ .kind = FAULT_RELOAD, .target = id });
		at += random_below(r, p->setup.heartbeat << random_below(r, 5));
		add(p, at, CLASS_CONFIG,
		    (struct fault){
			.kind = FAULT_SPLIT, .amount = 1 + 2 * side });
		if (random_below(r, 2) == 0)
			add(p, at + random_below(r, 4 * each), CLASS_CONFIG,
			    (struct fault){ .kind = FAULT_HEAL });
	}
}

static void
widen_faults(struct swarm_plan *p)
{
	struct random *r = &p->wide;

	p->has[CLASS_STALL] = random_below(r, 2) == 0;
	p->has[CLASS_ASK] =
	    random_below(r, 4) > 0 && p->setup.guarantee == GUARANTEE_QUORUM;
	p->has[CLASS_SEND] = random_below(r, 2) == 0;
	if (p->has[CLASS_STALL])
		add_stalls(p);
	if (p->has[CLASS_ASK])
		add_questions(p);
	if (p->has[CLASS_SEND])
		add_full_buffers(p);
	p->has[CLASS_CONFIG] = random_below(r, 2) == 0;
	if (p->has[CLASS_CONFIG])
		add_configs(p);
	if (p->has[CLASS_CONFIG] && p->setup.guarantee == GUARANTEE_QUORUM &&
	    random_below(r, 2) == 0)
		add_divided_configs(p);
}

/* One host after the other gets the other release, and restarts with it.
 * Perhaps the operator stops half way. */
static void
add_upgrade(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	uint64_t hosts = random_between(r, 1, p->setup.nodes);
	uint64_t first = random_below(r, p->setup.nodes);
	nsec_t at = random_below(r, p->end);

	for (uint64_t i = 0; i < hosts && at < p->end; i++) {
		unsigned id = 1 + (unsigned)((first + i) % p->setup.nodes);
		bool is_killed = random_below(r, 4) == 0;
		nsec_t away = random_between(r, MSEC, SEC);
		struct fault f = { .kind = FAULT_INSTALL, .target = id };

		f.amount = PACKET_VERSION_MAX + !p->hosts[id].is_next;
		add(p, at, CLASS_VERSION, f);
		f.amount = 0;
		f.kind = is_killed ? FAULT_CRASH : FAULT_STOP;
		add(p, at + 1, CLASS_VERSION, f);
		f.kind = FAULT_START;
		add(p, nsec_earlier(at + 1 + away, p->end), CLASS_VERSION, f);
		at += away + random_below(r, 40 * p->setup.heartbeat);
	}
}

/* Half of the hosts, or so, run the next release: from the start, after a
 * rolling upgrade, or both. To the present code it is the same but for its
 * number. */
static void
widen_versions(struct swarm_plan *p)
{
	uint64_t some = random_below(&p->wide, UINT64_C(1) << p->setup.nodes);
	uint64_t how = random_below(&p->wide, 6);

	p->has[CLASS_VERSION] = how < 3;
	if (!p->has[CLASS_VERSION])
		return;
	for (unsigned id = 1; id <= p->setup.nodes && how > 0; id++)
		p->hosts[id].is_next = some >> (id - 1) & 1;
	if (how < 2)
		add_upgrade(p);
}

/* Hosts move one after the other, and the settings may follow late. */
static void
widen_addresses(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	uint64_t moves = random_between(r, 1, MOVES_MAX);

	p->has[CLASS_ADDRESS] = random_below(r, 2) == 0;
	for (uint64_t i = 0; p->has[CLASS_ADDRESS] && i < moves; i++) {
		nsec_t at = random_below(r, p->end);
		unsigned id = (unsigned)random_between(r, 1, p->setup.nodes);

		add(p, at, CLASS_ADDRESS,
		    (struct fault){ .kind = FAULT_MOVE, .target = id });
		if (random_below(r, 2) == 0)
			add(p,
			    nsec_earlier(at + random_below(r, 5 * SEC), p->end),
			    CLASS_ADDRESS,
			    (struct fault){ .kind = FAULT_NAME });
	}
}

/* All disks, or some, are slow from the end of the faults on. */
static void
widen_disks(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	nsec_t longest =
	    nsec_earlier(MSEC << random_below(r, SYNC_SIZES), SYNC_MAX);
	nsec_t sync = random_between(r, longest / 2, longest);
	uint64_t some = random_below(r, UINT64_C(1) << p->setup.nodes);
	bool all = random_below(r, 2) == 0;

	if (!p->has[CLASS_DISK_SLOW] || random_below(r, 2) == 0)
		return;
	for (unsigned id = 1; id <= p->setup.nodes; id++) {
		if (all || (some >> (id - 1) & 1))
			p->hosts[id].sync = sync;
	}
}

/* The leader's heartbeats, and messages to many, go by a multicast group, which
 * loses more than the rest of the network from time to time. */
static void
widen_group(struct swarm_plan *p)
{
	static const unsigned losses[] = { 0, 100, 500, 1000 };
	struct random *r = &p->wide;
	uint64_t changes = random_below(r, 6);

	p->has[CLASS_GROUP] = random_below(r, 2) == 0;
	p->setup.has_group = p->has[CLASS_GROUP];
	for (uint64_t i = 0; p->has[CLASS_GROUP] && i < changes; i++) {
		struct fault f = { .kind = FAULT_GROUP };

		f.amount = losses[random_below(r, 4)];
		add(p, random_below(r, p->end), CLASS_GROUP, f);
	}
}

/* Nodes begin snapshots, each by itself: also while others take theirs. */
static void
widen_snapshots(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	uint64_t count = random_between(r, 1, SNAPSHOTS_MOST);

	p->has[CLASS_SNAPSHOT] = random_below(r, 2) == 0;
	for (uint64_t i = 0; p->has[CLASS_SNAPSHOT] && i < count; i++) {
		nsec_t at = random_below(r, p->end);
		unsigned id = (unsigned)random_between(r, 1, p->setup.nodes);

		add(p, at, CLASS_SNAPSHOT,
		    (struct fault){ .kind = FAULT_SNAPSHOT, .target = id });
	}
}

/* `electctl run` on every host. Its supervisors are killed and stopped, that
 * of the leader most often, and hosts are suspended, for a moment or for
 * leases. Some of this strikes at once. */
static void
widen_run(struct swarm_plan *p)
{
	static const enum fault_kind kinds[] = { FAULT_SUPERVISOR_KILL,
		FAULT_SUPERVISOR_STOP, FAULT_SUSPEND, FAULT_PAUSE,
		FAULT_CRASH };
	struct random *r = &p->wide;
	uint64_t count = random_between(r, 1, STALLS_MAX);
	nsec_t lease = p->setup.lease;
	struct fault run = { .kind = FAULT_RUN };

	p->has[CLASS_RUN] =
	    random_below(r, 2) == 0 && p->setup.guarantee == GUARANTEE_QUORUM;
	if (!p->has[CLASS_RUN])
		return;
	if (random_below(r, 2) == 0)
		run.amount = random_between(r, 1, lease);
	add(p, 0, CLASS_RUN, run);
	for (uint64_t i = 0; i < count; i++) {
		nsec_t at = random_below(r, p->end);
		struct fault f = { .target = WORLD_LEADER };

		if (random_below(r, 4) == 0)
			f.target =
			    (unsigned)random_between(r, 1, p->setup.nodes);
		f.kind = kinds[random_below(r, 3)];
		f.amount = random_between(r, 1, lease << random_below(r, 4));
		if (f.kind == FAULT_SUPERVISOR_STOP)
			f.other = (unsigned)random_below(r, 2);
		add(p, at, CLASS_RUN, f);
		f.other = 0;
		if (random_below(r, 2) == 0)
			continue;
		/* The daemon, too: the kernel alone is left. */
		f.kind = kinds[random_between(r, 3, 4)];
		add(p, at, CLASS_RUN, f);
		f.target = f.kind == FAULT_PAUSE ? WORLD_PAUSED : WORLD_FALLEN;
		f.kind = f.kind == FAULT_PAUSE ? FAULT_RESUME : FAULT_START;
		add(p,
		    nsec_earlier(at + random_between(r, 1, 4 * lease), p->end),
		    CLASS_RUN, f);
	}
}

/* Cables are pulled, that of the leader most often, for a moment or for leases;
 * perhaps one stays so. */
static void
widen_cables(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	uint64_t count = random_between(r, 1, CABLES_MAX);
	const struct fault plug = { .kind = FAULT_PLUG_IN,
		.target = WORLD_PULLED };

	p->has[CLASS_CABLE] = random_below(r, 3) == 0 && p->setup.nodes > 1;
	for (uint64_t i = 0; p->has[CLASS_CABLE] && i < count; i++) {
		nsec_t at = random_below(r, p->end);
		nsec_t longest = p->setup.heartbeat << random_below(r, 8);
		nsec_t until = at + random_between(r, 1, longest);
		struct fault pull = { .kind = FAULT_PULL,
			.target = WORLD_LEADER };

		if (random_below(r, 3) == 0)
			pull.target =
			    (unsigned)random_between(r, 1, p->setup.nodes);
		if (at < p->calm_from)
			until = nsec_earlier(until, p->calm_from - 1);
		add(p, at, CLASS_CABLE, pull);
		add(p, nsec_earlier(until, p->end), CLASS_CABLE, plug);
	}
	if (p->has[CLASS_CABLE] && random_below(r, 4) == 0 &&
	    p->last_count < SWARM_LAST_MAX)
		p->last[p->last_count++] = (struct swarm_fault){ .at = p->end,
			.class = CLASS_CABLE,
			.fault = {
			    .kind = FAULT_PULL, .target = WORLD_LEADER } };
}

/* A leader gets another file, and dies, or stands still, as that comes into
 * effect. */
static void
widen_configs(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	nsec_t lease = p->setup.lease;

	for (unsigned i = 0; p->has[CLASS_CONFIG] && i < EDITS_MAX; i++) {
		nsec_t at = random_below(r, p->end),
		       dead = random_below(r, 4 * lease);
		struct fault f = { .kind = FAULT_EDIT };

		f.amount = random_next(r);
		if (at < p->calm_until && at + lease >= p->calm_from)
			continue;
		add(p, at, CLASS_CONFIG, f);
		f = (struct fault){ .kind = FAULT_RELOAD,
			.target = WORLD_LEADER };
		add(p, at + 1, CLASS_CONFIG, f);
		f.kind = FAULT_FATAL;
		f.other = (unsigned)random_below(r, FATAL_AFTER);
		if (random_below(r, 4) == 0)
			f.amount =
			    random_between(r, p->setup.heartbeat, 2 * lease);
		add(p, at + 1, CLASS_CONFIG, f);
		f = (struct fault){ .kind = FAULT_START,
			.target = WORLD_FALLEN };
		add(p, nsec_earlier(nsec_after(at + 2, dead), p->end),
		    CLASS_CONFIG, f);
	}
}

/* Disks are full until the faults are over, as the leader, whose disk is well,
 * gets the last file: nothing later takes its place. */
static void
widen_full_disks(struct swarm_plan *p)
{
	struct random *r = &p->wide;
	struct fault f = { .kind = FAULT_DISK_FULL, .amount = 1 };
	nsec_t late = 1 + random_below(r, 40 * p->setup.heartbeat);
	nsec_t at = p->end > late ? p->end - late : 0;

	if (!p->has[CLASS_CONFIG] || random_below(r, 4) > 0)
		return;
	for (f.target = 1; f.target <= p->setup.nodes; f.target++) {
		if (random_below(r, 2) == 0)
			add(p, at, CLASS_CONFIG, f);
	}
	f.target = WORLD_LEADER;
	f.amount = 0;
	add(p, at, CLASS_CONFIG, f);
	f = (struct fault){ .kind = FAULT_EDIT, .amount = random_next(r) };
	add(p, at + 1, CLASS_CONFIG, f);
	f = (struct fault){ .kind = FAULT_RELOAD, .target = WORLD_LEADER };
	add(p, at + 2, CLASS_CONFIG, f);
}

void
swarm_widen(struct swarm_plan *p)
{
	random_init(&p->wide, p->seed ^ STREAM);
	p->is_wide = random_below(&p->wide, 2) == 0;
	if (!p->is_wide)
		return;
	widen_timing(p);
	widen_faults(p);
	widen_disks(p);
	widen_versions(p);
	widen_addresses(p);
	widen_group(p);
	widen_snapshots(p);
	widen_run(p);
	widen_cables(p);
	widen_configs(p);
	widen_full_disks(p);
}
