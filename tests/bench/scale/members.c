/* SPDX-License-Identifier: ISC */
#include "tests/bench/scale/members.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "tests/bench/scale/usage.h"

#define EVENTS_MAX   64
#define FDS_BESIDE   16 /* descriptors of ours beside the members' */
#define AHEAD        10 /* of the members' priority */
#define CHILDREN_MAX (2 * MEMBERS_MAX)

static bool
complain(const char *what)
{
	fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
	return false;
}

/* Allows a descriptor for each member. */
static bool
limit_raise(unsigned count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return complain("RLIMIT_NOFILE");
	if (limit.rlim_max < count + FDS_BESIDE) {
		errno = EMFILE;
		return complain("ulimit -Hn");
	}
	if (limit.rlim_cur < count + FDS_BESIDE)
		limit.rlim_cur = count + FDS_BESIDE;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0 ||
	       complain("RLIMIT_NOFILE");
}

bool
members_open(struct members *m)
{
	struct epoll_event event = { .events = EPOLLIN };

	/* Orphans of a dead daemon become ours, so that we can end them. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
		return complain("PR_SET_CHILD_SUBREAPER");
	if (!limit_raise(m->count))
		return false;
	m->priority = getpriority(PRIO_PROCESS, 0);
	/* This process must run among a thousand daemons, so it raises its
	 * priority if it may. */
	(void)setpriority(PRIO_PROCESS, 0, m->priority - AHEAD);
	for (unsigned i = 0; i <= MEMBERS_MAX; i++)
		m->of[i].fd = -1;
	m->epoll = epoll_create1(EPOLL_CLOEXEC);
	m->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (m->epoll < 0 || m->inotify < 0 ||
	    inotify_add_watch(m->inotify, m->directory, IN_MOVED_TO) < 0 ||
	    epoll_ctl(m->epoll, EPOLL_CTL_ADD, m->inotify, &event) != 0)
		return complain(m->directory);
	return true;
}

/* In the child. */
static _Noreturn void
member_run(const struct members *m, unsigned id)
{
	char path[PATH_MAX], text[16];
	int log, null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	snprintf(path, sizeof(path), "%s/%u.log", m->directory, id);
	snprintf(text, sizeof(text), "%u", id);
	log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (null < 0 || log < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		_exit(126);
	(void)setpriority(PRIO_PROCESS, 0, m->priority);
	execl(m->electd, m->electd, "-c", m->conf, "-i", text, (char *)NULL);
	_exit(127);
}

bool
members_start(struct members *m, unsigned id)
{
	pid_t pid = fork();

	if (pid < 0)
		return complain("fork (ulimit -u, kernel.pid_max)");
	if (pid == 0)
		member_run(m, id);
	m->of[id].pid = pid;
	return true;
}

static void
member_close(struct members *m, struct member *member)
{
	if (member->fd < 0)
		return;
	close(member->fd);
	member->fd = -1;
	member->leader = 0;
	m->heard--;
}

/* The daemon's socket answers: the watch is one request. */
static void
member_listen(struct members *m, unsigned id)
{
	static const char request[] = "{\"verb\":\"watch\"}\n";
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = id };
	struct member *member = &m->of[id];
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%u.sock",
	    m->directory, id);
	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) !=
		0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
	    send(fd, request, strlen(request), MSG_NOSIGNAL) < 0 ||
	    epoll_ctl(m->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
		if (fd >= 0)
			close(fd);
		return;
	}
	member->main = peer.pid;
	member->fd = fd;
	member->line_size = 0;
	m->heard++;
}

/* The daemon's socket appears when it answers. */
static void
names_hear(struct members *m)
{
	_Alignas(struct inotify_event) char buffer[16384];
	ssize_t got = read(m->inotify, buffer, sizeof(buffer));
	const struct inotify_event *e;

	for (char *at = buffer; at < buffer + got; at += sizeof(*e) + e->len) {
		unsigned id;
		char *end;

		e = (const void *)at;
		if (e->len == 0)
			continue;
		id = (unsigned)strtoul(e->name, &end, 10);
		if (strcmp(end, ".sock") == 0 && id >= 1 && id <= m->count &&
		    m->of[id].pid != 0 && m->of[id].fd < 0)
			member_listen(m, id);
	}
}

static bool
line_is(const char *line, const char *event)
{
	static const char start[] = "{\"event\":\"";
	size_t size = strlen(event);

	return strncmp(line, start, strlen(start)) == 0 &&
	       strncmp(line + strlen(start), event, size) == 0 &&
	       line[strlen(start) + size] == '"';
}

/* There are many events of links, and few of leaders: it reads only the latter.
 */
static void
member_take(struct members *m, struct member *member, const char *line)
{
	json_int_t leader, moment;
	json_t *event;

	m->events++;
	if (!line_is(line, "state") && !line_is(line, "leader") &&
	    !line_is(line, "no-leader"))
		return;
	event = json_loads(line, 0, NULL);
	leader = json_integer_value(json_object_get(event, "leader"));
	moment = json_integer_value(json_object_get(event, "mono_ns"));
	json_decref(event);
	if (member->leader == leader)
		return;
	member->leader = (uint32_t)leader;
	member->moment = moment;
	m->leaders++;
}

static void
member_hear(struct members *m, unsigned id)
{
	struct member *member = &m->of[id];
	char *line = member->line, *end;
	ssize_t got = read(member->fd, line + member->line_size,
	    sizeof(member->line) - member->line_size - 1);

	if (got <= 0) {
		member_close(m, member);
		member_listen(m, id);
		m->cut_off += member->fd >= 0;
		return;
	}
	m->last_event = moment_now();
	member->line_size += (size_t)got;
	line[member->line_size] = '\0';
	while ((end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		member_take(m, member, line);
		line = end + 1;
	}
	member->line_size = strlen(line);
	memmove(member->line, line, member->line_size);
}

void
members_hear(struct members *m, int64_t until)
{
	struct epoll_event events[EVENTS_MAX];
	int64_t left = until - moment_now();
	int wait = left <= 0 ? 0 : (int)(left / 1000000) + 1;
	int count = epoll_wait(m->epoll, events, EVENTS_MAX, wait);

	for (int i = 0; i < count; i++) {
		unsigned id = events[i].data.u32;

		if (id == 0)
			names_hear(m);
		else if (m->of[id].fd >= 0)
			member_hear(m, id);
	}
}

unsigned
members_agree(const struct members *m, uint32_t *leader)
{
	static unsigned votes[MEMBERS_MAX + 1];
	unsigned best = 0;

	memset(votes, 0, sizeof(votes));
	*leader = 0;
	for (unsigned i = 1; i <= m->count; i++) {
		uint32_t l = m->of[i].leader;

		if (m->of[i].fd < 0 || l == 0 || l > m->count ||
		    ++votes[l] <= best)
			continue;
		best = votes[l];
		*leader = l;
	}
	return best;
}

int64_t
members_kill(struct members *m, unsigned id)
{
	struct member *member = &m->of[id];
	int64_t moment = moment_now();

	if (kill(member->main, SIGKILL) != 0)
		complain("kill");
	member_close(m, member);
	member->pid = 0;
	return moment;
}

void
members_end(struct members *m)
{
	static pid_t children[CHILDREN_MAX];
	size_t count;

	for (unsigned i = 1; i <= m->count; i++) {
		if (m->of[i].pid != 0)
			kill(m->of[i].pid, SIGKILL);
		member_close(m, &m->of[i]);
	}
	/* When a config version ends, the next one becomes ours. */
	while ((count = children_find(children, CHILDREN_MAX)) > 0) {
		for (size_t i = 0; i < count; i++)
			kill(children[i], SIGKILL);
		for (size_t i = 0; i < count; i++)
			waitpid(children[i], NULL, 0);
	}
	close(m->epoll);
	close(m->inotify);
}
