/* SPDX-License-Identifier: ISC */
/*
 * client VERB SOCKET...: plays a client at each host of a cluster, by the
 * control socket of its daemon, which need not be there yet. Every millisecond
 * it asks VERB of each: `leader`, without a deadline, or `is-leader`. It also
 * watches each daemon, and prints its events, as they come. Besides these it
 * prints
 *
 *	{"event":"gone","self":N,...}	the daemon at the Nth socket has ended
 *	{"event":"unsaid","gap_ns":...,"late_ns":...,...}
 *					for so long no daemon said that it has
 *					(or is) a leader, and so late did this
 *					program itself wake up meanwhile
 *
 * with the moment at the end, as mono_ns. It ends by a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/util/types.h"

#define HOSTS_MAX  9
#define PERIOD     MSEC
#define GAP_TOLD   (2 * PERIOD) /* a shorter one shows nothing */
#define ASKERS     25           /* a daemon answers each 50 times a second */
#define LINE_BYTES 16384        /* of `state`, the longest */
#define EVENTS_MAX 64

/* A connection: the last one of a host watches, the others ask. */
struct line {
	int fd; /* -1: none */
	unsigned host;
	bool is_watch, is_asked;
	size_t size;
	char text[LINE_BYTES];
};

struct client {
	int epoll;
	unsigned hosts, turn; /* which asker asks next */
	const char *verb, *yes, *path[HOSTS_MAX];
	nsec_t said, late; /* the last yes; the latest wake-up since then */
	nsec_t due;
	struct line lines[HOSTS_MAX][ASKERS + 1];
};

static nsec_t
clock_read(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (nsec_t)now.tv_sec * SEC + (nsec_t)now.tv_nsec;
}

static void
line_close(struct line *line)
{
	close(line->fd);
	line->fd = -1;
	if (line->is_watch)
		printf("{\"event\":\"gone\",\"self\":%u,\"mono_ns\":%" PRIu64
		       "}\n",
		    line->host + 1, clock_read());
}

static void
line_send(struct client *c, struct line *line)
{
	char text[64];
	int size = snprintf(text, sizeof(text), "{\"verb\":\"%s\"%s}\n",
	    line->is_watch ? "watch" : c->verb,
	    line->is_watch || strcmp(c->verb, "leader") == 0
		? ""
		: ",\"deadline\":true");

	line->is_asked = true;
	if (send(line->fd, text, (size_t)size, MSG_NOSIGNAL) != size)
		line_close(line);
}

/* A daemon that is not there refuses, and one that is busy need not wait. */
static void
line_open(struct client *c, struct line *line)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct epoll_event event = { .events = EPOLLIN };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, c->path[line->host]);
	event.data.ptr = line;
	if (fd < 0)
		return;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
		close(fd);
		return;
	}
	line->fd = fd;
	line->size = 0;
	line->is_asked = false;
	if (line->is_watch)
		line_send(c, line);
}

static void
client_hear(struct client *c, nsec_t now)
{
	nsec_t gap = nsec_since(now, c->said);

	if (c->said != 0 && gap > GAP_TOLD)
		printf("{\"event\":\"unsaid\",\"gap_ns\":%" PRIu64
		       ",\"late_ns\":%" PRIu64 ",\"mono_ns\":%" PRIu64 "}\n",
		    gap, c->late, now);
	c->said = now;
	c->late = 0;
}

/* Takes whole lines: events, or the answer. */
static void
line_take(struct client *c, struct line *line)
{
	char *at = line->text, *end;

	line->text[line->size] = '\0';
	while ((end = strchr(at, '\n')) != NULL) {
		*end = '\0';
		line->is_asked = false;
		if (line->is_watch)
			puts(at);
		else if (strstr(at, c->yes) != NULL)
			client_hear(c, clock_read());
		at = end + 1;
	}
	line->size = strlen(at);
	memmove(line->text, at, line->size);
}

static void
line_read(struct client *c, struct line *line)
{
	ssize_t got;

	if (line->fd < 0)
		return;
	got = recv(line->fd, line->text + line->size,
	    sizeof(line->text) - line->size - 1, 0);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		line_close(line);
		return;
	}
	line->size += (size_t)got;
	line_take(c, line);
}

/* One that has no answer yet asks nothing. */
static void
client_tick(struct client *c, nsec_t now)
{
	nsec_t late = nsec_since(now, c->due);

	if (late > c->late)
		c->late = late;
	c->due = nsec_after(c->due, (late / PERIOD + 1) * PERIOD);
	c->turn = (c->turn + 1) % ASKERS;
	for (unsigned host = 0; host < c->hosts; host++) {
		struct line *line = &c->lines[host][c->turn];
		struct line *watch = &c->lines[host][ASKERS];

		if (line->fd < 0)
			line_open(c, line);
		if (line->fd >= 0 && !line->is_asked)
			line_send(c, line);
		if (watch->fd < 0)
			line_open(c, watch);
	}
	fflush(stdout);
}

static void
client_loop(struct client *c, int ticker)
{
	struct epoll_event events[EVENTS_MAX];
	uint64_t ticks;
	int count;

	for (;;) {
		count = epoll_wait(c->epoll, events, EVENTS_MAX, -1);
		for (int i = 0; i < count; i++) {
			if (events[i].data.ptr != NULL)
				line_read(c, events[i].data.ptr);
			else if (read(ticker, &ticks, sizeof(ticks)) > 0)
				client_tick(c, clock_read());
		}
	}
}

static int
ticker_open(const struct client *c)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct itimerspec every = {
		.it_interval = { .tv_nsec = (long)PERIOD },
		.it_value = { .tv_sec = (time_t)(c->due / SEC),
		    .tv_nsec = (long)(c->due % SEC) },
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0 ||
	    timerfd_settime(fd, TFD_TIMER_ABSTIME, &every, NULL) < 0 ||
	    epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
		perror("client");
		exit(EXIT_FAILURE);
	}
	return fd;
}

int
main(int argc, char **argv)
{
	static struct client c;
	const size_t most = sizeof(((struct sockaddr_un *)NULL)->sun_path);

	c.hosts = argc > 2 ? (unsigned)argc - 2 : 0;
	if (c.hosts < 1 || c.hosts > HOSTS_MAX) {
		fputs("usage: client leader|is-leader SOCKET...\n", stderr);
		return 2;
	}
	c.verb = argv[1];
	c.yes = strcmp(c.verb, "leader") == 0 ? "\"leader\":{"
					      : "\"is_leader\":true";
	c.epoll = epoll_create1(EPOLL_CLOEXEC);
	c.due = nsec_after(clock_read(), PERIOD);
	for (unsigned host = 0; host < c.hosts; host++) {
		c.path[host] = argv[host + 2];
		if (strlen(c.path[host]) >= most)
			return 2;
		for (unsigned i = 0; i <= ASKERS; i++)
			c.lines[host][i] = (struct line){
				.fd = -1, .host = host, .is_watch = i == ASKERS
			};
	}
	client_loop(&c, ticker_open(&c));
	return 0;
}
