/* SPDX-License-Identifier: ISC */
/*
 * knock serve PORT: takes connections of TCP, and ends each at once.
 * knock ADDRESS PORT: begins a connection every millisecond. Prints "FROM TO"
 * for each time longer than 5 ms in which none that began was accepted, in ns
 * of CLOCK_MONOTONIC: when the first of them began, and the first good one
 * after them. When nobody let us begin any, that does not count.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/util/types.h"

#define PERIOD      (1 * MSEC)
#define GAP_MIN     (5 * MSEC)
#define PENDING_MAX 256 /* connections under way: of a quarter of a second */
#define BACKLOG     1024
#define MEMORY      131072 /* attempts: longer than anyone waits */

/* A connection under way. */
struct attempt {
	int fd; /* -1: none */
	uint64_t number;
};

static struct attempt attempts[PENDING_MAX];
static nsec_t began[MEMORY];     /* of each attempt, by its number */
static uint64_t last, last_good; /* numbers, from 1 */

static nsec_t
clock_read(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (nsec_t)t.tv_sec * SEC + (nsec_t)t.tv_nsec;
}

/* Ends it without leaving a state behind, of which there would be too many. */
static void
end(int fd)
{
	const struct linger at_once = { .l_onoff = 1 };

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(fd);
}

static int
serve(uint16_t port)
{
	const struct sockaddr_in6 any = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
	};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0 ||
	    bind(fd, (const struct sockaddr *)&any, sizeof(any)) != 0 ||
	    listen(fd, BACKLOG) != 0) {
		perror("knock");
		return 1;
	}
	for (;;) {
		int connection = accept(fd, NULL, NULL);

		if (connection >= 0)
			end(connection);
	}
}

static void
take_good(uint64_t number)
{
	nsec_t from = began[(last_good + 1) % MEMORY];
	nsec_t to = began[number % MEMORY];

	if (number <= last_good)
		return;
	if (last_good != 0 && to - from > GAP_MIN) {
		printf("%" PRIu64 " %" PRIu64 "\n", from, to);
		fflush(stdout);
	}
	last_good = number;
}

/* A connection that the other side has ended by now was accepted before. */
static void
finish(struct attempt *attempt)
{
	int error = 0;
	socklen_t size = sizeof(error);

	if (getsockopt(attempt->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 &&
	    (error == 0 || error == ECONNRESET))
		take_good(attempt->number);
	end(attempt->fd);
	attempt->fd = -1;
}

static void
begin(int epoll, const struct sockaddr *to, socklen_t size)
{
	struct attempt *attempt = &attempts[++last % PENDING_MAX];
	struct epoll_event event = {
		.events = EPOLLOUT,
		.data.ptr = attempt,
	};

	if (attempt->fd >= 0)
		end(attempt->fd);
	attempt->number = last;
	began[last % MEMORY] = clock_read();
	attempt->fd = socket(
	    to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (attempt->fd < 0)
		return;
	if (connect(attempt->fd, to, size) == 0)
		finish(attempt);
	else if (errno != EINPROGRESS ||
		 epoll_ctl(epoll, EPOLL_CTL_ADD, attempt->fd, &event) != 0) {
		end(attempt->fd);
		attempt->fd = -1;
	}
}

static int
start_timer(int epoll)
{
	const struct itimerspec often = {
		.it_interval.tv_nsec = PERIOD,
		.it_value.tv_nsec = PERIOD,
	};
	struct epoll_event event = { .events = EPOLLIN };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &often, NULL) != 0 ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0)
		return -1;
	return fd;
}

static int
knock(const struct sockaddr *to, socklen_t size)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	int timer = epoll < 0 ? -1 : start_timer(epoll);
	struct epoll_event events[64];
	uint64_t ticks;

	if (timer < 0) {
		perror("knock");
		return 1;
	}
	for (unsigned i = 0; i < PENDING_MAX; i++)
		attempts[i].fd = -1;
	for (;;) {
		int count = epoll_wait(epoll, events, 64, -1);

		for (int i = 0; i < count; i++)
			if (events[i].data.ptr != NULL)
				finish(events[i].data.ptr);
		if (read(timer, &ticks, sizeof(ticks)) > 0)
			begin(epoll, to, size);
	}
}

int
main(int argc, char **argv)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	uint16_t port = argc == 3 ? (uint16_t)atoi(argv[2]) : 0;

	v4.sin_port = v6.sin6_port = htons(port);
	if (port != 0 && strcmp(argv[1], "serve") == 0)
		return serve(port);
	if (port != 0 && inet_pton(AF_INET, argv[1], &v4.sin_addr) == 1)
		return knock((const struct sockaddr *)&v4, sizeof(v4));
	if (port != 0 && inet_pton(AF_INET6, argv[1], &v6.sin6_addr) == 1)
		return knock((const struct sockaddr *)&v6, sizeof(v6));
	fputs("usage: knock serve PORT | knock ADDRESS PORT\n", stderr);
	return 2;
}
