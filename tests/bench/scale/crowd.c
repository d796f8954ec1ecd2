/* SPDX-License-Identifier: ISC */
/*
 * crowd [-b MS] [-i SECONDS] [-l SECONDS] N ELECTD CONF DIR: starts a cluster
 * of N daemons on this host, all at once. Prints a name and a number on each
 * line: how long they take until all follow the same leader, what they use
 * until then and while nothing happens for -i seconds, and how long the
 * survivors take after kill -9 of the leader. -b is the heartbeat of CONF; -l
 * says how long an election may take.
 *
 * Nothing here polls: each daemon tells its watcher its leader, and since when.
 * In a network namespace without others all datagrams are ours.
 */
#include <net/if.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/bench/scale/members.h"
#include "tests/bench/scale/usage.h"

#define NS_MS       1000000
#define NS_S        1000000000
#define MEMORY_LEFT (1024 * 1024) /* KiB that must stay free */
#define CALM        3  /* heartbeats without events: all is settled */
#define REPORTS     35 /* heartbeats in which reports may come */

struct crowd {
	int64_t heartbeat, idle, limit; /* nanoseconds */
	char outcome[128];              /* "": no error so far */
	bool must_end;
	uint32_t leader;
	int64_t started, last_start, all_up;
	int64_t memory_checked;
	uint64_t agreed_cpu; /* of all, by when they agreed */
	struct usage usages[MEMBERS_MAX];
	struct members members;
};

static volatile sig_atomic_t is_interrupted;

static void
on_signal(int number)
{
	(void)number;
	is_interrupted = 1;
}

static void
tell(const char *name, double value)
{
	printf("%s %.10g\n", name, value);
}

/* Brings up loopback, which all need. If it is up already, or not ours, this
 * does no harm. */
static void
loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (ioctl(fd, SIOCGIFFLAGS, &request) == 0) {
		request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
		(void)ioctl(fd, SIOCSIFFLAGS, &request);
	}
	close(fd);
}

/* Keeps the first error. */
static void __attribute__((format(printf, 2, 3)))
crowd_fails(struct crowd *c, const char *format, ...)
{
	va_list arguments;

	if (c->outcome[0] != '\0')
		return;
	va_start(arguments, format);
	vsnprintf(c->outcome, sizeof(c->outcome), format, arguments);
	va_end(arguments);
}

static void
crowd_stop(struct crowd *c, const char *why)
{
	crowd_fails(c, "%s", why);
	c->must_end = true;
}

static bool
crowd_goes_on(struct crowd *c)
{
	int64_t now = moment_now();

	if (is_interrupted)
		crowd_stop(c, "interrupted");
	if (now - c->memory_checked < NS_S)
		return !c->must_end;
	c->memory_checked = now;
	if (memory_available_kib() < MEMORY_LEFT)
		crowd_stop(c, "less than 1 GiB of memory left");
	return !c->must_end;
}

static void
crowd_hear(struct crowd *c, int64_t until)
{
	struct members *m = &c->members;

	members_hear(m, until);
	if (c->all_up == 0 && m->heard == m->count)
		c->all_up = moment_now();
}

/* Adds up what all living daemons have used since their start. */
static uint64_t
crowd_cpu(struct crowd *c)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < c->members.count; i++)
		c->usages[i].pid = c->members.of[i + 1].pid;
	usage_read(c->usages, c->members.count);
	for (unsigned i = 0; i < c->members.count; i++)
		sum += c->usages[i].cpu_ns;
	return sum;
}

/*
 * Waits until `wanted` nodes have followed one leader for CALM heartbeats,
 * or until the limit. True if they do.
 */
static bool
crowd_settle(struct crowd *c, unsigned wanted, int64_t since)
{
	int64_t agreed = 0, until = since + c->limit, now;

	while (crowd_goes_on(c)) {
		bool agree = members_agree(&c->members, &c->leader) == wanted;

		now = moment_now();
		if (!agree)
			agreed = 0;
		else if (agreed == 0) {
			c->agreed_cpu = crowd_cpu(c);
			agreed = now;
		}
		if (agreed != 0 && now >= agreed + CALM * c->heartbeat)
			return true;
		if (agreed == 0 && now >= until)
			return false;
		crowd_hear(c, now + c->heartbeat);
	}
	return false;
}

/* Waits for a time without an event after which no report of the election can
 * be left; or not much longer. */
static void
crowd_calm(struct crowd *c)
{
	int64_t now = moment_now();
	int64_t until = now + REPORTS * c->heartbeat + c->limit;

	for (; crowd_goes_on(c) && now < until; now = moment_now()) {
		if (now >= c->members.last_event + REPORTS * c->heartbeat)
			break;
		crowd_hear(c, now + c->heartbeat);
	}
	tell("calm_s", (double)(c->members.last_event - c->last_start) / NS_S);
}

/* Gives the first and the last moment at which a member came to follow its
 * present leader. */
static void
crowd_moments(const struct crowd *c, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = 0;
	for (unsigned i = 1; i <= c->members.count; i++) {
		const struct member *member = &c->members.of[i];

		if (member->fd < 0)
			continue;
		if (member->moment < *first)
			*first = member->moment;
		if (member->moment > *last)
			*last = member->moment;
	}
}

static bool
crowd_start(struct crowd *c)
{
	c->started = moment_now();
	for (unsigned i = 1; i <= c->members.count; i++) {
		if (!members_start(&c->members, i))
			crowd_stop(c, "not all could be started");
		if (moment_now() > c->started + 2 * c->limit)
			crowd_fails(c, "only %u started in time", i);
		if (!crowd_goes_on(c) || c->outcome[0] != '\0')
			return false;
		crowd_hear(c, 0);
	}
	c->last_start = moment_now();
	return true;
}

static bool
crowd_elect(struct crowd *c)
{
	int64_t first, last;
	bool agree = crowd_settle(c, c->members.count, c->last_start);
	unsigned most = members_agree(&c->members, &c->leader);

	if (c->all_up != 0)
		tell("start_s", (double)(c->all_up - c->started) / NS_S);
	tell("agree", most);
	if (!agree)
		c->agreed_cpu = crowd_cpu(c);
	tell("elect_cpu_s", (double)c->agreed_cpu / NS_S);
	if (!agree) {
		crowd_fails(c, "%u of %u agree, %u answer", most,
		    c->members.count, c->members.heard);
		return false;
	}
	crowd_moments(c, &first, &last);
	tell("elect_s", (double)(last - c->last_start) / NS_S);
	return true;
}

/* Prints shares of a core, from the sums of before. */
static void
crowd_tell_cpu(struct crowd *c, const uint64_t *before, double seconds)
{
	double sum = 0, leader = 0;

	(void)crowd_cpu(c);
	for (unsigned i = 0; i < c->members.count; i++) {
		uint64_t after = c->usages[i].cpu_ns;
		double used;

		if (after < before[i]) /* the daemon has died */
			continue;
		used = (double)(after - before[i]) / NS_S / seconds * 100;
		sum += used;
		if (i + 1 == c->leader)
			leader = used;
	}
	tell("idle_cpu_pct", sum);
	tell("leader_cpu_pct", leader);
	tell("follower_cpu_pct", (sum - leader) / (c->members.count - 1));
}

static void
crowd_idle(struct crowd *c)
{
	static uint64_t before[MEMBERS_MAX];
	int64_t began, until, now;
	uint64_t events = c->members.events, leaders = c->members.leaders;
	struct datagrams d, e;
	double intervals;

	(void)crowd_cpu(c);
	for (unsigned i = 0; i < c->members.count; i++)
		before[i] = c->usages[i].cpu_ns;
	datagrams_read(&d);
	began = moment_now();
	until = began + c->idle;
	while (crowd_goes_on(c) && (now = moment_now()) < until)
		crowd_hear(c, until);
	datagrams_read(&e);
	now = moment_now();
	crowd_tell_cpu(c, before, (double)(now - began) / NS_S);
	intervals = (double)(now - began) / (double)c->heartbeat;
	tell("datagrams", (double)(e.sent - d.sent) / intervals);
	tell("idle_lost", (double)(e.overflowed - d.overflowed));
	tell("idle_events", (double)(c->members.events - events));
	tell("idle_changes", (double)(c->members.leaders - leaders));
}

static void
crowd_memory(struct crowd *c)
{
	uint64_t sum = 0, most = 0;
	unsigned processes = 0;

	usage_read_all(c->usages, c->members.count);
	for (unsigned i = 0; i < c->members.count; i++) {
		const struct usage *u = &c->usages[i];

		sum += u->pss_kib;
		processes += u->processes;
		if (u->pss_kib > most)
			most = u->pss_kib;
	}
	tell("processes", processes);
	tell("pss_mib", (double)sum / 1024);
	tell("pss_max_mib", (double)most / 1024);
}

static void
crowd_bereave(struct crowd *c)
{
	uint32_t dead = c->leader;
	struct datagrams d, e;
	int64_t killed, first, last;
	uint64_t before;

	before = crowd_cpu(c) - c->usages[dead - 1].cpu_ns;
	datagrams_read(&d);
	killed = members_kill(&c->members, dead);
	/* The survivors may go on to follow the dead leader for a while. */
	for (unsigned i = 1; i <= c->members.count; i++)
		c->members.of[i].leader = 0;
	if (!crowd_settle(c, c->members.count - 1, killed)) {
		crowd_fails(c, "%u of %u agree after kill -9",
		    members_agree(&c->members, &c->leader),
		    c->members.count - 1);
		return;
	}
	datagrams_read(&e);
	crowd_moments(c, &first, &last);
	tell("first_ms", (double)(first - killed) / NS_MS);
	tell("all_ms", (double)(last - killed) / NS_MS);
	tell("again_cpu_s", (double)(c->agreed_cpu - before) / NS_S);
	tell("again_datagrams", (double)(e.sent - d.sent));
	tell("again_lost", (double)(e.overflowed - d.overflowed));
}

static void
crowd_run(struct crowd *c)
{
	struct datagrams d, e;

	datagrams_read(&d);
	if (!crowd_start(c))
		return;
	if (crowd_elect(c))
		crowd_calm(c);
	datagrams_read(&e);
	tell("elect_datagrams", (double)(e.sent - d.sent));
	tell("elect_lost", (double)(e.overflowed - d.overflowed));
	crowd_idle(c);
	crowd_memory(c);
	if (crowd_goes_on(c) && c->leader != 0)
		crowd_bereave(c);
}

static bool
crowd_options(struct crowd *c, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "b:i:l:")) != -1) {
		if (option == 'b')
			c->heartbeat = atoll(optarg) * NS_MS;
		else if (option == 'i')
			c->idle = atoll(optarg) * NS_S;
		else if (option == 'l')
			c->limit = atoll(optarg) * NS_S;
		else
			return false;
	}
	if (argc - optind != 4)
		return false;
	c->members.count = (unsigned)atoi(argv[optind]);
	c->members.electd = argv[optind + 1];
	c->members.conf = argv[optind + 2];
	c->members.directory = argv[optind + 3];
	return c->members.count >= 2 && c->members.count <= MEMBERS_MAX &&
	       c->heartbeat > 0 && c->idle > 0 && c->limit > 0;
}

int
main(int argc, char **argv)
{
	static struct crowd c;

	c.heartbeat = NS_S;
	c.idle = 10 * (int64_t)NS_S;
	c.limit = 60 * (int64_t)NS_S;
	if (!crowd_options(&c, argc, argv)) {
		fputs("usage: crowd [-b MS] [-i SECONDS] [-l SECONDS]"
		      " N ELECTD CONF DIR\n",
		    stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	signal(SIGHUP, on_signal);
	loopback_up();
	if (!members_open(&c.members))
		return 1;
	crowd_run(&c);
	members_end(&c.members);
	tell("cut_off", c.members.cut_off);
	printf("outcome %s\n", c.outcome[0] == '\0' ? "ok" : c.outcome);
	return c.outcome[0] != '\0';
}
