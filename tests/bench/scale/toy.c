/* SPDX-License-Identifier: ISC */
/*
 * toy N BYTES MS SECONDS: measures the cost of bare datagrams. There are N
 * processes on loopback. Every MS milliseconds the first sends BYTES to each of
 * the others, and each of these answers with as many. They have no keys, no
 * logic and no state. The toy prints, a name and a number on each line, the
 * share of a core that they use, measured as crowd.c does; the difference to
 * electd with the same datagrams is electd's own share. It can also run one of
 * these processes alone, for a host each:
 *
 *	toy beat BYTES MS PORT ADDRESS...
 *	toy answer BYTES PORT
 */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/scale/usage.h"

#define NODES_MAX 256
#define BYTES_MAX 1200
#define SETTLE_MS 500 /* until all run */

struct toy {
	unsigned count;
	size_t bytes;
	long interval_ms, seconds;
	int fds[NODES_MAX];
	struct sockaddr_in addresses[NODES_MAX];
	struct usage usages[NODES_MAX];
};

static _Noreturn void
die(const char *what)
{
	perror(what);
	exit(1);
}

static void
toy_open(struct toy *t)
{
	for (unsigned i = 0; i < t->count; i++) {
		struct sockaddr_in *a = &t->addresses[i];
		socklen_t size = sizeof(*a);

		a->sin_family = AF_INET;
		a->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		t->fds[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
		if (t->fds[i] < 0 ||
		    bind(t->fds[i], (struct sockaddr *)a, size) != 0 ||
		    getsockname(t->fds[i], (struct sockaddr *)a, &size) != 0)
			die("toy: socket");
	}
}

static void
toy_drain(const struct toy *t, int fd, bool answers)
{
	uint8_t bytes[BYTES_MAX];
	struct sockaddr_in from;
	socklen_t size = sizeof(from);

	while (recvfrom(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&from,
		   &size) >= 0) {
		if (answers)
			(void)sendto(fd, bytes, t->bytes, 0,
			    (struct sockaddr *)&from, size);
	}
}

static _Noreturn void
toy_follow(const struct toy *t, unsigned i)
{
	struct pollfd p = { .fd = t->fds[i], .events = POLLIN };

	for (;;) {
		if (poll(&p, 1, -1) > 0)
			toy_drain(t, p.fd, true);
	}
}

static void
toy_beat(const struct toy *t)
{
	static const uint8_t bytes[BYTES_MAX];

	for (unsigned i = 1; i < t->count; i++)
		(void)sendto(t->fds[0], bytes, t->bytes, 0,
		    (const struct sockaddr *)&t->addresses[i],
		    sizeof(t->addresses[i]));
}

static _Noreturn void
toy_lead(const struct toy *t)
{
	struct timespec interval = { t->interval_ms / 1000,
		t->interval_ms % 1000 * 1000000 };
	struct itimerspec timer = { interval, interval };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct pollfd p[] = {
		{ .fd = t->fds[0], .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};
	uint64_t expirations;

	if (fd < 0 || timerfd_settime(fd, 0, &timer, NULL) != 0)
		die("toy: timer");
	for (;;) {
		if (poll(p, 2, -1) <= 0)
			continue;
		if (p[0].revents != 0)
			toy_drain(t, t->fds[0], false);
		if (p[1].revents != 0 &&
		    read(fd, &expirations, sizeof(expirations)) > 0)
			toy_beat(t);
	}
}

static void
toy_start(struct toy *t)
{
	for (unsigned i = 0; i < t->count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("toy: fork");
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (i == 0)
				toy_lead(t);
			toy_follow(t, i);
		}
		t->usages[i].pid = pid;
	}
}

static void
toy_measure(struct toy *t)
{
	static struct usage before[NODES_MAX];
	double sum = 0, leader;
	int64_t began;
	double ns;

	(void)poll(NULL, 0, SETTLE_MS);
	usage_read(t->usages, t->count);
	memcpy(before, t->usages, sizeof(before));
	began = moment_now();
	(void)poll(NULL, 0, (int)t->seconds * 1000);
	usage_read(t->usages, t->count);
	ns = (double)(moment_now() - began);
	for (unsigned i = 1; i < t->count; i++)
		sum += (double)(t->usages[i].cpu_ns - before[i].cpu_ns);
	leader = (double)(t->usages[0].cpu_ns - before[0].cpu_ns);
	printf("leader_cpu_pct %.4f\n", leader / ns * 100);
	printf("follower_cpu_pct %.4f\n", sum / ns * 100 / (t->count - 1));
}

static void
toy_end(const struct toy *t)
{
	for (unsigned i = 0; i < t->count; i++) {
		kill(t->usages[i].pid, SIGKILL);
		waitpid(t->usages[i].pid, NULL, 0);
	}
}

static int
toy_usage(void)
{
	fputs("usage: toy N BYTES MS SECONDS\n"
	      "       toy beat BYTES MS PORT ADDRESS...\n"
	      "       toy answer BYTES PORT\n",
	    stderr);
	return 2;
}

static bool
toy_is_sound(const struct toy *t)
{
	return t->count >= 2 && t->count <= NODES_MAX && t->bytes >= 1 &&
	       t->bytes <= BYTES_MAX && t->interval_ms >= 1 &&
	       t->seconds >= 1 && t->seconds <= 3600;
}

static void
toy_open_alone(struct toy *t, const char *port)
{
	struct sockaddr_in any = { .sin_family = AF_INET };

	any.sin_port = htons((uint16_t)atoi(port));
	t->fds[0] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (t->fds[0] < 0 ||
	    bind(t->fds[0], (struct sockaddr *)&any, sizeof(any)) != 0)
		die("toy: socket");
	for (unsigned i = 1; i < t->count; i++)
		t->addresses[i].sin_port = any.sin_port;
}

/* argv: BYTES MS PORT ADDRESS... */
static int
toy_beat_alone(struct toy *t, int argc, char **argv)
{
	t->count = (unsigned)argc - 2;
	t->bytes = (size_t)atoi(argv[0]);
	t->interval_ms = atol(argv[1]);
	if (!toy_is_sound(t))
		return toy_usage();
	for (unsigned i = 1; i < t->count; i++) {
		t->addresses[i].sin_family = AF_INET;
		if (inet_pton(
			AF_INET, argv[i + 2], &t->addresses[i].sin_addr) != 1)
			return toy_usage();
	}
	toy_open_alone(t, argv[2]);
	toy_lead(t);
}

/* argv: BYTES PORT */
static int
toy_answer_alone(struct toy *t, char **argv)
{
	t->bytes = (size_t)atoi(argv[0]);
	if (!toy_is_sound(t))
		return toy_usage();
	toy_open_alone(t, argv[1]);
	toy_follow(t, 0);
}

int
main(int argc, char **argv)
{
	static struct toy t = { .count = 2, .interval_ms = 1, .seconds = 1 };

	if (argc > 5 && strcmp(argv[1], "beat") == 0)
		return toy_beat_alone(&t, argc - 2, argv + 2);
	if (argc == 4 && strcmp(argv[1], "answer") == 0)
		return toy_answer_alone(&t, argv + 2);
	if (argc != 5)
		return toy_usage();
	t.count = (unsigned)atoi(argv[1]);
	t.bytes = (size_t)atoi(argv[2]);
	t.interval_ms = atol(argv[3]);
	t.seconds = atol(argv[4]);
	if (!toy_is_sound(&t))
		return toy_usage();
	toy_open(&t);
	toy_start(&t);
	toy_measure(&t);
	toy_end(&t);
	return 0;
}
