/* SPDX-License-Identifier: ISC */
#include "tests/bench/harm.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/system/lan/command.h"
#include "tests/system/lan/netlink.h"

#define PIDS_MAX 16

static bool
complain(const char *what, int error)
{
	fprintf(stderr, "referee: %s: %s\n", what, strerror(error));
	return false;
}

nsec_t
harm_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (nsec_t)now.tv_sec * SEC + (nsec_t)now.tv_nsec;
}

/* Opens the network namespace of a host, as the LAN gives it to clients that
 * join. */
static int
host_namespace(const char *directory, unsigned host)
{
	static char reply[CONTROL_REPLY_MAX];
	struct control_fds fds = { 0 };
	char request[32];
	int error, fd = control_connect(directory);

	if (fd < 0)
		return fd;
	snprintf(request, sizeof(request), "join %u", host);
	error = control_send_request(fd, request);
	if (error == 0)
		error = control_receive_reply(fd, reply, &fds);
	close(fd);
	if (error == 0 && (reply[0] != REPLY_OK || fds.count < 1))
		error = -ENOENT;
	if (error < 0)
		return error;
	for (size_t i = 1; i < fds.count; i++)
		close(fds.fd[i]);
	return fds.fd[0];
}

/* Opens a socket in that namespace, whose descriptor it closes. */
static int
open_inside(int net_fd)
{
	int fd = setns(net_fd, CLONE_NEWNET) < 0 ? -errno : netlink_open();

	close(net_fd);
	return fd;
}

bool
harm_open(struct harm *h, const char *directory, const char *switch_path,
    unsigned hosts)
{
	int fd;

	/* Asks for all namespaces first: from inside one the LAN cannot be
	 * reached. */
	for (unsigned host = 1; host <= hosts; host++)
		h->host_fd[host] = host_namespace(directory, host);
	for (unsigned host = 1; host <= hosts; host++) {
		fd = h->host_fd[host];
		h->host_fd[host] = fd < 0 ? fd : open_inside(fd);
		if (h->host_fd[host] < 0)
			return complain("a host", -h->host_fd[host]);
	}
	fd = open(switch_path, O_RDONLY | O_CLOEXEC);
	h->switch_fd = fd < 0 ? -errno : open_inside(fd);
	return h->switch_fd >= 0 || complain(switch_path, -h->switch_fd);
}

/* All the numbers are read before the clock is. */
static int
strike_processes(int number, char **words, nsec_t *at)
{
	pid_t pids[PIDS_MAX];
	int count = 0, error = 0;

	for (; *words != NULL && count < PIDS_MAX; words++) {
		pids[count] = (pid_t)strtol(*words, NULL, 10);
		if (pids[count++] <= 1)
			return -EINVAL;
	}
	if (count == 0 || *words != NULL)
		return -EINVAL;
	*at = harm_now();
	for (int i = 0; i < count; i++)
		if (kill(pids[i], number) < 0 && i == 0)
			error = -errno;
	return error;
}

static int
strike_run(char **words, nsec_t *at)
{
	pid_t pid;
	int null;

	if (*words == NULL)
		return -EINVAL;
	*at = harm_now();
	pid = fork();
	if (pid != 0)
		return pid < 0 ? -errno : 0;
	null = open("/dev/null", O_RDWR);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		execvp(words[0], words);
	}
	_exit(127);
}

bool
harm_do(
    struct harm *h, const char *name, unsigned host, char **words, nsec_t *at)
{
	int port = (int)(PORT_IFINDEX + host), error = -EINVAL;

	*at = harm_now();
	if (strcmp(name, "kill") == 0)
		error = strike_processes(SIGKILL, words, at);
	else if (strcmp(name, "term") == 0)
		error = strike_processes(SIGTERM, words, at);
	else if (strcmp(name, "stop") == 0)
		error = strike_processes(SIGSTOP, words, at);
	else if (strcmp(name, "cont") == 0)
		error = strike_processes(SIGCONT, words, at);
	else if (strcmp(name, "cut") == 0)
		error = netlink_set_forwarding(h->switch_fd, port, false);
	else if (strcmp(name, "heal") == 0)
		error = netlink_set_forwarding(h->switch_fd, port, true);
	else if (strcmp(name, "down") == 0)
		error = netlink_set_up(h->host_fd[host], HOST_IFINDEX, false);
	else if (strcmp(name, "up") == 0)
		error = netlink_set_up(h->host_fd[host], HOST_IFINDEX, true);
	else if (strcmp(name, "run") == 0)
		error = strike_run(words, at);
	return error == 0 || complain(name, -error);
}
