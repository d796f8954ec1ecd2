/* SPDX-License-Identifier: ISC */
/*
 * Seeds whose hosts know nobody at first (tests/model/world/process/discovery.c):
 * they come and go, forget what they knew, come as other nodes or under the id
 * of another, are cut off, and hear again what anybody said; operators raise
 * their files. When that ends all that run become one cluster within the bound,
 * forget those that are gone, and have the last file in effect.
 */
#include "tests/model/sim/swarm/swarm.h"

#include <inttypes.h>
#include <string.h>

#include "algorithms/registry.h"

#define HOSTS_MAX  16
#define HAPPEN_MAX 60
#define NOISE      10         /* hostile datagrams at once */
#define QUIET      (10 * SEC) /* a full cluster has formed by then */
#define FORGET     (20 * SEC)

/* The last node of a part is forgotten before the parts of a graph meet. */
#define QUIET_GRAPH (3 * FORGET)

/* Each node that is gone, and is forgotten, may be a configuration of its
 * own. */
#define FORGETS (FORGET + 2 * SEC)

/* What has been drawn so far. Sets of hosts are bit sets. */
struct drawing {
	struct swarm_plan *p;
	struct random random;
	nsec_t at;
	unsigned running;
	node_id ids[HOSTS_MAX + 1]; /* by host */
	node_id next_id;
};

static bool
one_in(struct drawing *d, unsigned n)
{
	return random_below(&d->random, n) == 0;
}

static unsigned
any_host(struct drawing *d)
{
	return (unsigned)random_between(&d->random, 1, d->p->setup.nodes);
}

static bool
is_voter(const struct drawing *d, unsigned host)
{
	return d->p->voters >> host & 1;
}

static void
add(struct drawing *d, enum fault_kind kind, unsigned target, uint64_t amount)
{
	struct swarm_plan *p = d->p;

	if (p->faults_count == SWARM_FAULTS_MAX)
		return;
	p->faults[p->faults_count++] = (struct swarm_fault){
		.at = d->at,
		.fault = { .kind = kind, .target = target, .amount = amount },
		.class = CLASS_DISCOVERY,
	};
}

/* Voters keep their state and their addresses, as the operator sees to it. */
static void
come(struct drawing *d, unsigned host)
{
	unsigned other = any_host(d);

	d->running |= 1u << host;
	if (!is_voter(d, host) && one_in(d, 2)) {
		if (one_in(d, 4) && !is_voter(d, other))
			d->ids[host] = d->ids[other];
		else if (one_in(d, 2))
			d->ids[host] = d->next_id++;
		add(d, FAULT_RENAME, host, d->ids[host]);
	}
	if (!is_voter(d, host) && one_in(d, 6))
		add(d, FAULT_MOVE, host, 0);
	add(d, FAULT_START, host, 0);
}

static void
go(struct drawing *d, unsigned host)
{
	d->running &= ~(1u << host);
	add(d, one_in(d, 4) ? FAULT_STOP : FAULT_CRASH, host, 0);
}

static void
part(struct drawing *d)
{
	unsigned hosts =
	    (unsigned)random_below(&d->random, 2u << d->p->setup.nodes);

	add(d, FAULT_HEAL, 0, 0);
	if (!one_in(d, 3))
		add(d, FAULT_SPLIT, 1, hosts | 1);
}

static void
weather(struct drawing *d)
{
	struct swarm_plan *p = d->p;
	size_t i = p->faults_count;

	add(d, FAULT_WEATHER, 0, 0);
	if (i == p->faults_count)
		return;
	p->faults[i].fault.weather = p->weather;
	p->faults[i].fault.weather.loss =
	    (unsigned)random_below(&d->random, 4) * 100;
}

static void
happen(struct drawing *d)
{
	unsigned host = any_host(d);

	if (one_in(d, 8))
		weather(d);
	if (one_in(d, 8))
		add(d, FAULT_DISK, host, MSEC << random_below(&d->random, 11));
	if (one_in(d, 4)) {
		for (unsigned i = 0; i < NOISE; i++)
			add(d, FAULT_NOISE, any_host(d), 0);
	} else if (one_in(d, 4)) {
		part(d);
	} else if (d->running >> host & 1) {
		go(d, host);
	} else {
		come(d, host);
	}
}

/* In the end a few are gone for good. Host 1 is back: some know no other
 * address. */
static void
leave(struct drawing *d)
{
	struct swarm_plan *p = d->p;

	for (unsigned host = 2; host <= p->setup.nodes; host++) {
		if (is_voter(d, host) || p->last_count == SWARM_LAST_MAX ||
		    !one_in(d, 6))
			continue;
		p->last[p->last_count++] = (struct swarm_fault){
			.fault = { .kind = FAULT_CRASH, .target = host },
			.class = CLASS_DISCOVERY,
		};
	}
}

/* An operator writes later files, which hosts get one by one, perhaps never. */
static void
raise_files(struct drawing *d)
{
	uint64_t edits = one_in(d, 2) ? random_between(&d->random, 1, 3) : 0;

	for (uint64_t i = 0; i < edits; i++) {
		d->at = random_below(&d->random, d->p->end);
		add(d, FAULT_EDIT, 0, random_next(&d->random));
		for (unsigned host = 1; host <= d->p->setup.nodes; host++) {
			if (one_in(d, 2))
				continue;
			d->at = random_between(&d->random, d->at, d->p->end);
			add(d, FAULT_RELOAD, host, 0);
		}
	}
}

/* Draws the hosts. */
static void
draw_hosts(struct drawing *d)
{
	struct swarm_plan *p = d->p;
	struct world_setup *s = &p->setup;
	bool is_quorum = s->guarantee == GUARANTEE_QUORUM;
	unsigned by_address = (unsigned)random_below(&d->random, 3);

	if (s->topology == TOPOLOGY_TREE || s->topology == TOPOLOGY_GRAPH)
		p->degree = 2 * (unsigned)random_below(&d->random, 3);
	if (is_quorum)
		p->voters = ((1u << random_between(
				  &d->random, 1, s->nodes < 5 ? s->nodes : 5)) -
				1)
			    << 1;
	memset(p->hosts, 0, sizeof(p->hosts));
	for (unsigned host = 1; host <= s->nodes; host++) {
		d->ids[host] = host;
		p->hosts[host].role = ROLE_CANDIDATE;
		if (!is_quorum && host > 1 && one_in(d, 8))
			p->hosts[host].role = ROLE_OBSERVER;
		if (by_address == 1 || (by_address == 2 && one_in(d, 2)))
			p->joiners |= 1u << host;
	}
	d->next_id = s->nodes + 1;
}

/* Draws all else: what these seeds share is as it is by default. */
static void
draw(struct drawing *d)
{
	struct swarm_plan *p = d->p;
	uint64_t events = random_between(&d->random, 4, HAPPEN_MAX);

	memset(p->has, 0, sizeof(p->has));
	p->has[CLASS_DISCOVERY] = p->records = true;
	p->faults_count = p->last_count = 0;
	p->weather = p->fair =
	    (struct wire){ .delay_min = 50 * USEC, .delay_max = MSEC };
	p->fair.loss = one_in(d, 2) ? 10 : 0;
	draw_hosts(d);
	for (unsigned host = 1; host <= p->setup.nodes; host++) {
		if (is_voter(d, host) || !one_in(d, 4)) {
			d->running |= 1u << host;
			add(d, FAULT_START, host, 0);
		}
	}
	for (uint64_t i = 0; i < events; i++) {
		d->at += random_below(&d->random, 2 * SEC);
		happen(d);
	}
	p->end = d->at + SEC;
	leave(d);
	raise_files(d);
}

void
swarm_plan_discovery(struct swarm_plan *p, const struct swarm_setup *wanted)
{
	const struct world_setup drawn = p->setup;
	bool is_quorum = drawn.guarantee == GUARANTEE_QUORUM;
	struct drawing d = { .p = p };
	unsigned count = 0;

	random_init(&d.random, p->seed ^ UINT64_C(0x646973636f766572));
	if (wanted->budget != 0 || !one_in(&d, is_quorum ? 8 : 4))
		return;
	while (algorithms[count] != NULL)
		count++;
	p->setup = (struct world_setup){
		.seed = drawn.seed,
		.guarantee = drawn.guarantee,
		.tapes = drawn.tapes,
		.algorithm = wanted->algorithm != NULL
				 ? wanted->algorithm
				 : algorithms[random_below(&d.random, count)],
		.nodes = wanted->nodes != 0 ? wanted->nodes
					    : (unsigned)random_between(
						  &d.random, 2, HOSTS_MAX),
	};
	p->setup.topology = p->setup.algorithm->topology;
	draw(&d);
}

void
swarm_part_doubles(struct world *w)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		for (process_name other = 1; other <= w->setup.nodes; other++) {
			if (other == name ||
			    w->processes[other].id != w->processes[name].id)
				continue;
			world_crash(w, name);
			world_rename(w, name, SWARM_FAULTS_MAX + name);
		}
	}
}

/* Waits until those who left are forgotten. In a full cluster the leader
 * does it, of all at once. In a tree or graph a node does it of its
 * neighbours, who are others each time that one was forgotten. In a ring
 * nobody does. */
static void
forget(struct world *w)
{
	enum topology topology = w->setup.topology;
	nsec_t limit = FORGETS;

	if (topology == TOPOLOGY_RING)
		return;
	if (topology != TOPOLOGY_FULL)
		limit *= world_peers_count(&w->processes[1]) + 1;
	limit = nsec_after(w->now, limit);
	while (!w->halted && !world_knows_the_living(w)) {
		world_run(w, SEC);
		if (w->now > limit)
			world_fail(w, "a node that left is not forgotten");
	}
}

/* Gives a host that runs without the operator's last file in effect; 0: none. */
static process_name
lacks_file(const struct world *w)
{
	uint32_t config_version = w->files.newest.config_version;

	for (process_name name = 1; name <= w->setup.nodes; name++) {
		const struct process *p = &w->processes[name];

		if (world_runs(w, name) &&
		    p->configs.file.config_version != config_version)
			return name;
	}
	return 0;
}

/* In the end all hosts that run get the last file, which takes the nodes that
 * they know. */
static void
finish_files(struct world *w, nsec_t bound)
{
	nsec_t limit = nsec_after(w->now, bound);

	if (w->files.newest.config_version == 0)
		return;
	for (process_name name = 1; name <= w->setup.nodes; name++)
		world_reload(w, name);
	while (!w->halted && lacks_file(w) != 0 && w->now < limit)
		world_run(w, 100 * MSEC);
	if (lacks_file(w) != 0)
		world_fail(w, "%u does not have the last file", lacks_file(w));
	if (world_gather(w, ~0u, bound) == NSEC_NEVER)
		world_fail(w, "a later file parts the cluster: %s", w->why);
}

void
swarm_settle_discovery(struct world *w, struct swarm_result *result)
{
	const struct process *first = &w->processes[1];
	bool is_parted = first->configs.file.document->config.degree > 0;
	nsec_t bound = is_parted ? QUIET_GRAPH : QUIET, took;

	if (w->setup.guarantee == GUARANTEE_QUORUM)
		bound += QUIET;
	took = world_gather(w, ~0u, bound);
	if (took == NSEC_NEVER)
		world_fail(w, "no cluster within the bound: %s", w->why);
	result->slowest = (unsigned)(took / (bound / 1000));
	forget(w);
	if (world_gather(w, ~0u, bound) == NSEC_NEVER)
		world_fail(w, "the cluster does not last: %s", w->why);
	if (!w->halted)
		finish_files(w, bound);
	result->verdicts[VERDICT_LEADER] += !w->halted;
}
