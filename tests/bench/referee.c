/* SPDX-License-Identifier: ISC */
/*
 * referee LAN SWITCH HOSTS EVENTS LOG: does harm to hosts 1 to HOSTS of the
 * test LAN (SWITCH: the network namespace of its switch), reads their events
 * from the FIFO EVENTS, and finds how long it takes until they have a leader.
 * LOG gets all events and deeds. The referee obeys lines from its standard
 * input, and answers each with one; times are in nanoseconds:
 *
 *	settle CALM LIMIT		LEADER, once all follow it, all links
 *					are up, and no event has come for CALM
 *	strike FAULT HOST CALM LIMIT WORD...	START FIRST ALL GAP LEADER: after
 *					the fault (harm.h), until one of the
 *					others elected ("-": none did), and
 *					until the first and the last of them had
 *					that leader. GAP is the time from the
 *					end of the old lead (from the fault, if
 *					no event shows it) to the new one; it is
 *					below 0 if both led at once
 *	harm FAULT HOST WORD...		ok, at once
 *	claims HOST			CLAIMS ENDED: how often it took the lead
 *					since the last harm or strike, and how
 *					long after that its lead ended ("-": no
 *					event shows it)
 *	idle TIME			EVENTS that came in this time
 *	forget HOST			ok: its earlier events do not count
 *
 * It answers "late" if it reaches the limit.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/harm.h"
#include "tests/bench/views.h"

#define WORDS_MAX 32

struct referee {
	struct harm harm;
	struct views views;
	nsec_t struck; /* when it last did something */
	FILE *log;
	int events;
	unsigned events_count;
	char text[8192]; /* of the events; each line is shorter */
	size_t text_size;
};

/* Reading the events must not delay nodes that still elect. */
static void
step_back(bool is_back)
{
	struct sched_param none = { 0 };

	(void)sched_setscheduler(0, is_back ? SCHED_IDLE : SCHED_OTHER, &none);
}

static void
referee_take(struct referee *r)
{
	char *line = r->text, *end;

	r->text[r->text_size] = '\0';
	while ((end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		r->events_count++;
		fprintf(r->log, "%s\n", line);
		if (!views_take(&r->views, line))
			fprintf(stderr, "referee: not an event: %s\n", line);
		line = end + 1;
	}
	r->text_size = strlen(line);
	memmove(r->text, line, r->text_size);
	if (r->text_size == sizeof(r->text) - 1)
		r->text_size = 0;
}

/* Waits until then for an event; true if one came. */
static bool
referee_read(struct referee *r, nsec_t until)
{
	struct pollfd fd = { .fd = r->events, .events = POLLIN };
	nsec_t left = nsec_since(until, harm_now());
	struct timespec timeout = { .tv_sec = (time_t)(left / SEC),
		.tv_nsec = (long)(left % SEC) };
	ssize_t got;

	if (ppoll(&fd, 1, &timeout, NULL) <= 0)
		return false;
	got = read(r->events, r->text + r->text_size,
	    sizeof(r->text) - r->text_size - 1);
	if (got <= 0)
		return false;
	r->text_size += (size_t)got;
	referee_take(r);
	return true;
}

/* Gives the leader that all have, with all links up, or that all but one have;
 * or 0. */
static unsigned
referee_leader(const struct referee *r, unsigned without)
{
	if (without == 0 && !views_linked(&r->views))
		return 0;
	return views_agreed(&r->views, without);
}

/* Gives the same once there has been no event for a while; or 0. */
static unsigned
referee_await(struct referee *r, unsigned without, nsec_t calm, nsec_t limit)
{
	nsec_t now = harm_now(), told = now, end = nsec_after(now, limit);

	for (;;) {
		unsigned leader = referee_leader(r, without);
		nsec_t due = leader != 0 ? nsec_after(told, calm) : end;

		now = harm_now();
		if (now >= due && leader != 0)
			return leader;
		if (now >= end)
			return 0;
		if (referee_read(r, nsec_earlier(due, end)))
			told = harm_now();
	}
}

static void
answer_late(void)
{
	puts("late");
}

static void
obey_settle(struct referee *r, nsec_t calm, nsec_t limit)
{
	unsigned leader = referee_await(r, 0, calm, limit);

	if (leader == 0)
		answer_late();
	else
		printf("%u\n", leader);
}

static bool
referee_harm(struct referee *r, const char *fault, unsigned host, char **words)
{
	bool is_done = harm_do(&r->harm, fault, host, words, &r->struck);

	views_mark(&r->views, r->struck);
	fprintf(r->log,
	    "{\"mono_ns\":%" PRIu64 ",\"what\":\"%s\",\"host\":%u}\n",
	    r->struck, fault, host);
	return is_done;
}

/* Prints how long after the deed; "-" for what did not happen. */
static void
print_since(const struct referee *r, nsec_t at)
{
	if (at == NSEC_NEVER)
		putchar('-');
	else
		printf("%" PRIu64, nsec_since(at, r->struck));
}

static void
obey_claims(const struct referee *r, unsigned host)
{
	const struct view *view = &r->views.view[host];

	printf("%u ", view->claims);
	print_since(r, view->ended != 0 ? view->ended : NSEC_NEVER);
	putchar('\n');
}

static void
obey_strike(struct referee *r, const char *fault, unsigned host, nsec_t calm,
    nsec_t limit, char **words)
{
	bool is_done = referee_harm(r, fault, host, words);
	unsigned leader;
	nsec_t ended;

	step_back(true);
	leader = is_done ? referee_await(r, host, calm, limit) : 0;
	step_back(false);
	if (leader == 0) {
		answer_late();
		return;
	}
	ended = r->views.view[host].ended;
	if (ended == 0)
		ended = r->struck;
	print_since(r, views_elected(&r->views, host));
	printf(" %" PRIu64 " %" PRIu64 " %" PRId64 " %u\n",
	    nsec_since(views_first(&r->views, host, leader), r->struck),
	    nsec_since(views_last(&r->views, host), r->struck),
	    (int64_t)(r->views.view[leader].first[leader] - ended), leader);
}

static void
obey_idle(struct referee *r, nsec_t duration)
{
	nsec_t end = nsec_after(harm_now(), duration);

	r->events_count = 0;
	while (harm_now() < end)
		(void)referee_read(r, end);
	printf("%u\n", r->events_count);
}

static bool
is_host(const struct referee *r, const char *word, unsigned *host)
{
	*host = (unsigned)strtoul(word, NULL, 10);
	return *host >= 1 && *host <= r->views.hosts;
}

static nsec_t
time_of(const char *word)
{
	return strtoull(word, NULL, 10);
}

/* False: no such command. */
static bool
referee_obey(struct referee *r, unsigned count, char **words)
{
	const char *name = count > 0 ? words[0] : "";
	unsigned host;

	if (strcmp(name, "settle") == 0 && count == 3)
		obey_settle(r, time_of(words[1]), time_of(words[2]));
	else if (strcmp(name, "strike") == 0 && count >= 5 &&
		 is_host(r, words[2], &host))
		obey_strike(r, words[1], host, time_of(words[3]),
		    time_of(words[4]), words + 5);
	else if (strcmp(name, "harm") == 0 && count >= 3 &&
		 is_host(r, words[2], &host))
		puts(
		    referee_harm(r, words[1], host, words + 3) ? "ok" : "late");
	else if (strcmp(name, "claims") == 0 && count == 2 &&
		 is_host(r, words[1], &host))
		obey_claims(r, host);
	else if (strcmp(name, "idle") == 0 && count == 2)
		obey_idle(r, time_of(words[1]));
	else if (strcmp(name, "forget") == 0 && count == 2 &&
		 is_host(r, words[1], &host)) {
		views_forget(&r->views, host);
		puts("ok");
	} else
		return false;
	return true;
}

static void
referee_loop(struct referee *r)
{
	char *words[WORDS_MAX + 1], *line = NULL, *rest;
	size_t capacity = 0;

	while (getline(&line, &capacity, stdin) > 0) {
		unsigned count = 0;

		for (char *word = strtok_r(line, " \n", &rest);
		     word != NULL && count < WORDS_MAX;
		     word = strtok_r(NULL, " \n", &rest))
			words[count++] = word;
		words[count] = NULL;
		if (!referee_obey(r, count, words)) {
			fprintf(stderr, "referee: %s: not understood\n", line);
			answer_late();
		}
		fflush(stdout);
	}
	free(line);
}

int
main(int argc, char **argv)
{
	static struct referee r;
	unsigned hosts = argc == 6 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;

	if (hosts < 3 || hosts > VIEWS_HOSTS_MAX) {
		fputs("usage: referee LAN SWITCH HOSTS EVENTS LOG\n", stderr);
		return 2;
	}
	signal(SIGCHLD, SIG_IGN);
	r.views.hosts = hosts;
	/* Opens it for writing too, so that it does not end when a writer does.
	 */
	r.events = open(argv[4], O_RDWR | O_CLOEXEC);
	r.log = fopen(argv[5], "w");
	if (r.events < 0 || r.log == NULL) {
		perror("referee");
		return 1;
	}
	if (!harm_open(&r.harm, argv[1], argv[2], hosts))
		return 1;
	setvbuf(r.log, NULL, _IOLBF, 0);
	referee_loop(&r);
	return EXIT_SUCCESS;
}
