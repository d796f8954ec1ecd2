/* SPDX-License-Identifier: ISC */
/*
 * plan: draws the faults of a chaos run from a seed, and prints each as a line
 * when its time has come (with -n the same lines at once). A run is a row of
 * rounds: up to FAULTS_MAX faults begin and end within some seconds, some of
 * them at the same time; then all is well again, and there must be a leader
 * within 3 s.
 *
 *	MS round N		the faults of round N follow
 *	MS do F HOST WORD...	a command for the hand of a host (hand.c). The
 *				first line of fault F chooses its host:
 *				"leader/3" is the leader, or 3 without one
 *	MS net F WORD...	a fault of the network: partition, one-way,
 *				alone, mute, orphans, storm; heal and calm undo
 *				them
 *	MS healed N		all faults are undone
 *	MS end
 *
 * usage: plan [-n] [-s] SEED SECONDS NODES DETECTION_MS
 * With -s all have the clocks of this host, without time namespaces.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/util/random.h"

#define FAULTS_MAX  4
#define STEPS_MAX   64   /* of a round */
#define NODES_MIN   3    /* fewer cannot be partitioned */
#define NODES_LIMIT 9    /* a host is one digit */
#define BEGIN_MS    1500 /* faults begin within this time of their round */
#define RESTART_MS  3000 /* the longest that a killed daemon stays away */
#define QUIET_MS    3400 /* until the next round: longer than a heal may take */
#define QUIET_MORE  600
#define WORDS_BYTES 96
#define JUMP_S_MAX  600 /* that a clock jumps back; less than any uptime */
#define AHEAD_S_MAX (10 * 86400)

enum fault {
	FAULT_KILL,
	FAULT_TERM,
	FAULT_STOP,
	FAULT_DISK,
	FAULT_BLACKOUT,
	FAULT_ORPHANS,
	FAULT_PARTITION,
	FAULT_ONE_WAY,
	FAULT_ALONE,
	FAULT_MUTE,
	FAULT_STORM,
	FAULT_KINDS,
};

/* The weights with which the kinds are drawn. */
static const unsigned weights[FAULT_KINDS] = {
	[FAULT_KILL] = 5,
	[FAULT_TERM] = 3,
	[FAULT_STOP] = 5,
	[FAULT_DISK] = 2,
	[FAULT_BLACKOUT] = 2,
	[FAULT_ORPHANS] = 3,
	[FAULT_PARTITION] = 3,
	[FAULT_ONE_WAY] = 2,
	[FAULT_ALONE] = 3,
	[FAULT_MUTE] = 2,
	[FAULT_STORM] = 4,
};

struct step {
	uint64_t at_ms; /* within its round */
	char words[WORDS_BYTES];
};

struct plan {
	struct random random;
	uint64_t seconds, detection_ms;
	unsigned nodes, fault; /* `fault`: number of the last one */
	bool is_prevote, has_one_clock;
	struct timespec began;

	struct step steps[STEPS_MAX];
	unsigned steps_count;
	bool is_busy[NODES_LIMIT + 1]; /* by a fault of the round */
	bool is_cut, is_stormy;        /* likewise, the network */
};

static uint64_t
draw(struct plan *p, uint64_t low, uint64_t high)
{
	return random_between(&p->random, low, high);
}

static bool
draw_one_of(struct plan *p, uint64_t count)
{
	return random_below(&p->random, count) == 0;
}

static void __attribute__((format(printf, 3, 4)))
plan_step(struct plan *p, uint64_t at_ms, const char *format, ...)
{
	struct step *step = &p->steps[p->steps_count++];
	va_list arguments;

	assert(p->steps_count <= STEPS_MAX);
	step->at_ms = at_ms;
	va_start(arguments, format);
	vsnprintf(step->words, sizeof(step->words), format, arguments);
	va_end(arguments);
}

/* Takes a free host; 0: there is none. */
static unsigned
plan_take(struct plan *p)
{
	unsigned host = (unsigned)draw(p, 1, p->nodes);

	for (unsigned i = 0; i < p->nodes; i++) {
		host = host % p->nodes + 1;
		if (!p->is_busy[host]) {
			p->is_busy[host] = true;
			return host;
		}
	}
	return 0;
}

/* Half of the faults of hosts hit the leader, if it is free. */
static const char *
plan_target(struct plan *p)
{
	return draw_one_of(p, 2) ? "leader/" : "";
}

static int64_t
plan_draw_jump(struct plan *p)
{
	switch (draw(p, 0, 3)) {
	case 0:
		return 0;
	case 1:
		return (int64_t)draw(p, 0, 10 * SEC) - (int64_t)(5 * SEC);
	case 2:
		return -(int64_t)draw(p, 0, JUMP_S_MAX * SEC);
	default:
		return (int64_t)draw(p, 0, AHEAD_S_MAX * SEC);
	}
}

/* Starts a host's daemon. CLOCK_BOOTTIME is never behind the other clock. */
static void
plan_start(struct plan *p, uint64_t at_ms, unsigned host)
{
	int64_t mono = plan_draw_jump(p), suspended = 0;

	if (draw_one_of(p, 2))
		suspended = (int64_t)draw(p, 0, AHEAD_S_MAX * SEC);
	if (p->has_one_clock)
		mono = suspended = 0;
	plan_step(p, at_ms, "do %u %u start %" PRId64 " %" PRId64, p->fault,
	    host, mono, mono + suspended);
}

static void
plan_process(struct plan *p, uint64_t at, unsigned host, const char *word)
{
	uint64_t away_ms = draw_one_of(p, 4) ? 0 : draw(p, 0, RESTART_MS);

	plan_step(p, at, "do %u %s%u %s", p->fault, plan_target(p), host, word);
	plan_start(p, at + away_ms, host);
}

static void
plan_stop(struct plan *p, uint64_t at, unsigned host)
{
	static const unsigned tenths[] = { 3, 10, 30, 100 };
	uint64_t detections = tenths[draw(p, 0, 3)];

	plan_step(p, at, "do %u %s%u stop", p->fault, plan_target(p), host);
	plan_step(p, at + p->detection_ms * detections / 10, "do %u %u cont",
	    p->fault, host);
}

/* Half of the time the daemon must start while its disk is full. */
static void
plan_disk(struct plan *p, uint64_t at, unsigned host)
{
	uint64_t free_at = at + draw(p, 1000, 4000);

	plan_step(p, at, "do %u %s%u fill", p->fault, plan_target(p), host);
	if (draw_one_of(p, 2)) {
		plan_step(p, at + 200, "do %u %u kill", p->fault, host);
		plan_start(p, at + 200 + draw(p, 0, 500), host);
	}
	plan_step(p, free_at, "do %u %u free", p->fault, host);
	/* The daemon may have refused to start; it starts again now. */
	plan_start(p, free_at, host);
}

/* Kills all daemons but those that another fault has. */
static void
plan_kill_all(struct plan *p, uint64_t at, uint64_t away_max)
{
	for (unsigned host = 1; host <= p->nodes; host++) {
		p->fault++;
		plan_step(p, at, "do %u %u kill", p->fault, host);
		plan_start(p, at + draw(p, 0, away_max), host);
		p->is_busy[host] = true;
	}
}

/*
 * Cuts the leader off and kills all others. They are back at once, and must
 * still have the promises that they gave it.
 */
static void
plan_orphans(struct plan *p, uint64_t at)
{
	unsigned host = (unsigned)draw(p, 1, p->nodes);

	p->is_cut = true;
	plan_step(p, at, "net %u orphans leader/%u", p->fault, host);
	plan_step(p, at + draw(p, 2000, 4000), "net %u heal", p->fault);
	plan_kill_all(p, at, 200);
}

/* Puts each node on one of two sides, or three; neither of two is empty. */
static void
plan_partition(struct plan *p, uint64_t at)
{
	char groups[3][2 * NODES_LIMIT + 1] = { "", "", "" };
	unsigned sides = draw_one_of(p, 4) ? 3 : 2, side;
	unsigned first = (unsigned)draw(p, 1, p->nodes - 1);

	for (unsigned host = 1; host <= p->nodes; host++) {
		side = (unsigned)draw(p, 0, sides - 1);
		if (host <= 2)
			side = host - 1;
		snprintf(groups[side] + strlen(groups[side]),
		    sizeof(groups[side]) - strlen(groups[side]), "%s%u",
		    groups[side][0] == '\0' ? "" : ",",
		    (host + first) % p->nodes + 1);
	}
	plan_step(p, at, "net %u partition %s %s %s", p->fault, groups[0],
	    groups[1], groups[2]);
}

static void
plan_one_way(struct plan *p, uint64_t at)
{
	unsigned from, step;

	for (uint64_t links = draw(p, 1, 3); links > 0; links--) {
		from = (unsigned)draw(p, 1, p->nodes);
		step = (unsigned)draw(p, 1, p->nodes - 1);
		plan_step(p, at, "net %u one-way %u>%u", p->fault, from,
		    (from + step - 1) % p->nodes + 1);
	}
}

static void
plan_cut(struct plan *p, uint64_t at, enum fault kind)
{
	unsigned host = (unsigned)draw(p, 1, p->nodes);
	const char *target = plan_target(p);

	if (kind == FAULT_PARTITION)
		plan_partition(p, at);
	else if (kind == FAULT_ONE_WAY)
		plan_one_way(p, at);
	else if (kind == FAULT_ALONE)
		plan_step(p, at, "net %u alone leader/%u", p->fault, host);
	else
		plan_step(p, at, "net %u mute %s%u %s", p->fault, target, host,
		    draw_one_of(p, 2) ? "in" : "out");
	plan_step(p, at + draw(p, 200, 6000), "net %u heal", p->fault);
}

static unsigned
plan_percent(struct plan *p, unsigned most)
{
	return draw_one_of(p, 2) ? 0 : (unsigned)draw(p, 0, most);
}

static void
plan_storm(struct plan *p, uint64_t at)
{
	unsigned loss = plan_percent(p, 40), twice = plan_percent(p, 20);
	unsigned late = plan_percent(p, 30), delay = plan_percent(p, 30);

	plan_step(p, at,
	    "net %u storm loss=%u%% dup=%u%% reorder=%u%% delay=%ums "
	    "jitter=%ums",
	    p->fault, loss, twice, late, delay, plan_percent(p, 50));
	plan_step(p, at + draw(p, 1000, 6000), "net %u calm", p->fault);
}

static enum fault
plan_draw_kind(struct plan *p)
{
	uint64_t sum = 0;
	unsigned kind;

	for (kind = 0; kind < FAULT_KINDS; kind++)
		sum += weights[kind];
	sum = random_below(&p->random, sum);
	for (kind = 0; sum >= weights[kind]; kind++)
		sum -= weights[kind];
	return (enum fault)kind;
}

/* Draws one more fault, if its target is free. */
static void
plan_fault(struct plan *p)
{
	enum fault kind = plan_draw_kind(p);
	uint64_t at = draw(p, 0, BEGIN_MS);
	bool is_cut = kind >= FAULT_PARTITION && kind <= FAULT_MUTE;
	unsigned host;

	p->fault++;
	if (kind == FAULT_STORM && !p->is_stormy) {
		p->is_stormy = true;
		plan_storm(p, at);
	} else if (is_cut && !p->is_cut) {
		p->is_cut = true;
		plan_cut(p, at, kind);
	}
	if (kind >= FAULT_PARTITION)
		return;
	host = plan_take(p);
	if (host == 0)
		return;
	if (kind == FAULT_KILL || kind == FAULT_TERM)
		plan_process(p, at, host, kind == FAULT_KILL ? "kill" : "term");
	else if (kind == FAULT_STOP)
		plan_stop(p, at, host);
	else if (kind == FAULT_DISK)
		plan_disk(p, at, host);
	else if (p->steps_count == 0 && kind == FAULT_BLACKOUT)
		plan_kill_all(p, at, 1000);
	else if (p->steps_count == 0)
		plan_orphans(p, at);
}

/* Waits until that moment of the run; false: the reader has gone. */
static void
plan_wait(const struct plan *p, uint64_t at_ms)
{
	uint64_t ns = (uint64_t)p->began.tv_nsec + at_ms % 1000 * MSEC;
	struct timespec until = {
		.tv_sec = p->began.tv_sec + (time_t)(at_ms / 1000 + ns / SEC),
		.tv_nsec = (long)(ns % SEC),
	};

	if (p->is_prevote)
		return;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
}

static void
plan_tell(const struct plan *p, uint64_t at_ms, const char *words)
{
	plan_wait(p, at_ms);
	printf("%" PRIu64 " %s\n", at_ms, words);
	if (fflush(stdout) != 0)
		exit(EXIT_FAILURE);
}

/* Orders by time, and at the same time as drawn. */
static void
plan_sort(struct plan *p)
{
	for (unsigned i = 1; i < p->steps_count; i++) {
		struct step step = p->steps[i];
		unsigned j = i;

		for (; j > 0 && p->steps[j - 1].at_ms > step.at_ms; j--)
			p->steps[j] = p->steps[j - 1];
		p->steps[j] = step;
	}
}

/* Prints a round that begins at `at_ms`; gives when the next one may begin. */
static uint64_t
plan_round(struct plan *p, uint64_t at_ms, unsigned round)
{
	char words[WORDS_BYTES];
	uint64_t last;

	p->steps_count = 0;
	p->is_cut = p->is_stormy = false;
	memset(p->is_busy, 0, sizeof(p->is_busy));
	for (uint64_t faults = draw(p, 1, FAULTS_MAX); faults > 0; faults--)
		plan_fault(p);
	plan_sort(p);
	if (p->steps_count == 0)
		return at_ms;
	snprintf(words, sizeof(words), "round %u", round);
	plan_tell(p, at_ms, words);
	for (unsigned i = 0; i < p->steps_count; i++)
		plan_tell(p, at_ms + p->steps[i].at_ms, p->steps[i].words);
	last = at_ms + p->steps[p->steps_count - 1].at_ms;
	snprintf(words, sizeof(words), "healed %u", round);
	plan_tell(p, last, words);
	return last + QUIET_MS + draw(p, 0, QUIET_MORE);
}

static void
plan_run(struct plan *p)
{
	/* The start counts as a heal, too. */
	uint64_t at_ms = QUIET_MS + QUIET_MORE;

	for (unsigned round = 1; at_ms < p->seconds * 1000; round++)
		at_ms = plan_round(p, at_ms, round);
	plan_tell(p, at_ms, "end");
}

static void
plan_usage(void)
{
	fputs(
	    "usage: plan [-n] [-s] SEED SECONDS NODES DETECTION_MS\n", stderr);
	exit(2);
}

int
main(int argc, char **argv)
{
	static struct plan p;
	int option;

	while ((option = getopt(argc, argv, "ns")) != -1) {
		p.is_prevote |= option == 'n';
		p.has_one_clock |= option == 's';
		if (option == '?')
			plan_usage();
	}
	argv += optind;
	if (argc - optind != 4)
		plan_usage();
	p.seconds = strtoull(argv[1], NULL, 10);
	p.nodes = (unsigned)strtoul(argv[2], NULL, 10);
	p.detection_ms = strtoull(argv[3], NULL, 10);
	if (p.nodes < NODES_MIN || p.nodes > NODES_LIMIT)
		plan_usage();
	random_init(&p.random, strtoull(argv[0], NULL, 10));
	clock_gettime(CLOCK_MONOTONIC, &p.began);
	plan_run(&p);
	return EXIT_SUCCESS;
}
