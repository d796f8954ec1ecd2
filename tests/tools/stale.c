/* SPDX-License-Identifier: ISC */
/*
 * stale STOPS BUSY GENTLE [PID SOCKET]...: finds out whether a leader that was
 * stopped says yes to a client after another node has said yes. STOPS times it
 * stops the leader (SIGSTOP), waits until another leads, asks the stopped one,
 * and lets it go on (SIGCONT). Meanwhile BUSY clients connect to the leader,
 * ask, and leave, as fast as they can; GENTLE ones stay connected, as fast as
 * the daemon lets them. It prints how many answers were wrong, and exits with 1
 * if any was.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NODES_MAX    8
#define CLIENTS_MAX  64
#define LATE_MAX     8     /* questions to a stopped leader, each time */
#define PATIENCE_S   30    /* for anything that takes one or two */
#define QUESTIONS    300   /* at most, before the next stop */
#define ANSWER_BYTES 16384 /* of `status`, too */

static const char is_leader[] = "{\"verb\":\"is-leader\",\"deadline\":true}\n";
static const char status[] = "{\"verb\":\"status\"}\n";

/* The state that all clients share. */
static struct {
	atomic_uint_fast64_t highest; /* term of a yes so far */
	atomic_uint_fast64_t questions;
	atomic_uint_fast64_t yes;
	atomic_uint_fast64_t stale;
	atomic_uint leader; /* the node to ask */
} * shared;

static struct {
	pid_t pid;
	const char *path;
} nodes[NODES_MAX];

static unsigned nodes_count;
static pid_t clients[CLIENTS_MAX];
static unsigned clients_count;

static void
end_clients(void)
{
	for (unsigned i = 0; i < clients_count; i++)
		kill(clients[i], SIGKILL);
}

static void
give_up(const char *why)
{
	fprintf(stderr, "stale: %s\n", why);
	for (unsigned i = 0; i < nodes_count; i++)
		kill(nodes[i].pid, SIGCONT);
	end_clients();
	exit(2);
}

/* Connects; -1: its queue is full, or it does not run. */
static int
node_connect(unsigned node, int flags)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval most = { .tv_sec = PATIENCE_S };
	int fd = socket(AF_UNIX, SOCK_STREAM | flags, 0);

	if (fd < 0 || strlen(nodes[node].path) >= sizeof(address.sun_path))
		give_up("no socket");
	strcpy(address.sun_path, nodes[node].path);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) ==
	    0)
		return fd;
	close(fd);
	return -1;
}

/* Waits for a line and reads it. False: the other end has gone. */
static bool
read_line(int fd, char line[ANSWER_BYTES])
{
	size_t size = 0;

	do {
		ssize_t got = recv(fd, line + size, ANSWER_BYTES - 1 - size, 0);

		if (got <= 0)
			return false;
		size += (size_t)got;
		line[size] = '\0';
	} while (strchr(line, '\n') == NULL);
	return true;
}

static bool
ask(int fd, const char *question, char line[ANSWER_BYTES])
{
	size_t size = strlen(question);

	return send(fd, question, size, MSG_NOSIGNAL) == (ssize_t)size &&
	       read_line(fd, line);
}

/* A yes is wrong if a yes of a later term had come before the question, when
 * the highest was `before`. */
static bool
judge(const char *line, uint64_t before)
{
	const char *term = strstr(line, "\"term\":");
	uint64_t of, highest = atomic_load(&shared->highest);

	atomic_fetch_add(&shared->questions, 1);
	if (strstr(line, "\"is_leader\":true") == NULL || term == NULL)
		return false;
	of = strtoull(term + strlen("\"term\":"), NULL, 10);
	atomic_fetch_add(&shared->yes, 1);
	while (of > highest &&
	       !atomic_compare_exchange_weak(&shared->highest, &highest, of))
		continue;
	if (of >= before)
		return true;
	atomic_fetch_add(&shared->stale, 1);
	printf("stale, after a yes of term %" PRIu64 ": %s", before, line);
	fflush(stdout);
	return true;
}

/* True if the node says, on a new connection, that it leads. */
static bool
node_leads(unsigned node)
{
	uint64_t before = atomic_load(&shared->highest);
	char line[ANSWER_BYTES];
	int fd = node_connect(node, 0);
	bool leads = false;

	if (fd < 0)
		return false;
	if (ask(fd, is_leader, line))
		leads = judge(line, before);
	close(fd);
	return leads;
}

static void
be_busy(void)
{
	for (;;)
		node_leads(atomic_load(&shared->leader));
}

/* The daemon answers one connection no more than 50 times a second. */
static void
be_gentle(void)
{
	for (;;) {
		unsigned leader = atomic_load(&shared->leader);
		int fd = node_connect(leader, 0);
		char line[ANSWER_BYTES];
		uint64_t before;

		while (fd >= 0 && leader == atomic_load(&shared->leader)) {
			before = atomic_load(&shared->highest);
			if (!ask(fd, is_leader, line))
				break;
			judge(line, before);
		}
		if (fd >= 0)
			close(fd);
	}
}

static void
start_client(void (*be)(void))
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0 || clients_count == CLIENTS_MAX)
		give_up("no client");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		be();
	}
	clients[clients_count++] = pid;
}

/* The pause between two questions of the thread that stops leaders. */
static void
be_patient(time_t since)
{
	if (time(NULL) - since > PATIENCE_S)
		give_up("no leader, or not all of them vote");
	poll(NULL, 0, 1);
}

/* True if all vote, as this node says. */
static bool
all_vote(unsigned leader)
{
	char line[ANSWER_BYTES], votes[32];
	int fd = node_connect(leader, 0);
	bool is_so;

	snprintf(votes, sizeof(votes), "\"votes\":%u,", nodes_count);
	is_so = fd >= 0 && ask(fd, status, line) && strstr(line, votes) != NULL;
	if (fd >= 0)
		close(fd);
	return is_so;
}

/* Gives the node that leads, without `except`; nodes_count: without none. */
static unsigned
await_leader(unsigned except)
{
	time_t since = time(NULL);

	for (unsigned i = 0;; i = (i + 1) % nodes_count) {
		if (i != except && node_leads(i) &&
		    (except != nodes_count || all_vote(i)))
			return i;
		be_patient(since);
	}
}

/* After so many more questions it may be anywhere in its work. */
static void
let_it_work(void)
{
	uint64_t enough = atomic_load(&shared->questions) + 50 +
			  (uint64_t)(rand() % QUESTIONS);
	time_t since = time(NULL);

	while (atomic_load(&shared->questions) < enough)
		be_patient(since);
}

static void
stop_leader(void)
{
	unsigned leader = await_leader(nodes_count);
	int late[LATE_MAX];
	uint64_t before;

	atomic_store(&shared->leader, leader);
	let_it_work();
	kill(nodes[leader].pid, SIGSTOP);
	await_leader(leader);
	before = atomic_load(&shared->highest);
	for (unsigned i = 0; i < LATE_MAX; i++) {
		late[i] = node_connect(leader, SOCK_NONBLOCK);
		if (late[i] >= 0)
			(void)!send(late[i], is_leader, strlen(is_leader), 0);
	}
	kill(nodes[leader].pid, SIGCONT);
	for (unsigned i = 0; i < LATE_MAX; i++) {
		struct pollfd answer = { .fd = late[i], .events = POLLIN };
		char line[ANSWER_BYTES];

		if (late[i] < 0)
			continue;
		if (poll(&answer, 1, PATIENCE_S * 1000) == 1 &&
		    read_line(late[i], line))
			judge(line, before);
		close(late[i]);
	}
}

static void
work(unsigned stops)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < stops; i++) {
		uint64_t before = atomic_load(&shared->stale);

		stop_leader();
		wrong += atomic_load(&shared->stale) != before;
	}
	end_clients();
	printf("%u stops, %" PRIuFAST64 " answers, %" PRIuFAST64
	       " of them yes; of these %" PRIuFAST64 " stale, in %u stops\n",
	    stops, atomic_load(&shared->questions), atomic_load(&shared->yes),
	    atomic_load(&shared->stale), wrong);
}

int
main(int argc, char **argv)
{
	if (argc < 6 || argc % 2 != 0 || argc > 4 + 2 * NODES_MAX) {
		fputs(
		    "usage: stale STOPS BUSY GENTLE [PID SOCKET]...\n", stderr);
		return 2;
	}
	for (int i = 4; i < argc; i += 2) {
		nodes[nodes_count].pid = (pid_t)atoi(argv[i]);
		nodes[nodes_count++].path = argv[i + 1];
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		give_up("no memory");
	srand((unsigned)time(NULL));
	atomic_store(&shared->leader, await_leader(nodes_count));
	for (int i = atoi(argv[2]); i > 0; i--)
		start_client(be_busy);
	for (int i = atoi(argv[3]); i > 0; i--)
		start_client(be_gentle);
	work((unsigned)atoi(argv[1]));
	return atomic_load(&shared->stale) != 0;
}
