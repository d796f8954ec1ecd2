/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/client.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/lan/command.h"
#include "tests/system/lan/netlink.h"

#define RETRY_NS (10 * MSEC) /* between attempts to reach a LAN */

static int
client_fail(const char *what, int error)
{
	fprintf(stderr, "lan: %s: %s\n", what, strerror(error));
	return EXIT_FAILURE;
}

static void
client_close(const struct control_fds *fds)
{
	for (size_t i = 0; i < fds->count; i++)
		close(fds->fd[i]);
}

/* Sends a request and takes its reply; 0 or a negative errno. */
static int
client_ask(const char *directory, const char *request,
    char reply[CONTROL_REPLY_MAX], struct control_fds *fds)
{
	int error, fd = control_connect(directory);

	if (fd < 0)
		return fd;
	error = control_send_request(fd, request);
	if (error == 0)
		error = control_receive_reply(fd, reply, fds);
	close(fd);
	return error;
}

/* Does so and prints the reply; gives the exit status. */
static int
client_print(
    const char *directory, const char *request, struct control_fds *fds)
{
	static char reply[CONTROL_REPLY_MAX];
	int error = client_ask(directory, request, reply, fds);

	if (error < 0)
		return client_fail(directory, -error);
	if (reply[0] == REPLY_OK) {
		fputs(reply + 1, stdout);
		return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	fprintf(stderr, "lan: %s", reply + 1);
	return EXIT_FAILURE;
}

int
client_command(const char *directory, char **words)
{
	char request[CONTROL_REQUEST_MAX] = "";
	struct control_fds fds;
	size_t length = 0;
	int status;

	for (; *words != NULL; words++) {
		length += (size_t)snprintf(
		    request + length, sizeof(request) - length, "%s ", *words);
		if (length >= sizeof(request))
			return client_fail(request, EMSGSIZE);
	}
	status = client_print(directory, request, &fds);
	if (status == EXIT_SUCCESS)
		client_close(&fds);
	return status;
}

/* Pauses before the next attempt; false: no time is left. */
static bool
client_pause(nsec_t deadline_ns)
{
	struct timespec pause = { .tv_nsec = (long)RETRY_NS };

	if (fabric_now() >= deadline_ns)
		return false;
	ppoll(NULL, 0, &pause, NULL);
	return true;
}

int
client_wait(const char *directory, unsigned seconds)
{
	static char reply[CONTROL_REPLY_MAX];
	nsec_t deadline = fabric_now() + seconds * SEC;
	struct control_fds fds;
	int error;

	/* A LAN that is being built lets the request wait. */
	do {
		error = client_ask(directory, "ping", reply, &fds);
		if (error == 0)
			return EXIT_SUCCESS;
	} while (error == -ECONNREFUSED && client_pause(deadline));
	return client_fail(directory, -error);
}

int
client_gone(const char *directory, unsigned seconds)
{
	nsec_t deadline = fabric_now() + seconds * SEC;
	int fd;

	do {
		fd = control_connect(directory);
		if (fd == -ECONNREFUSED)
			return EXIT_SUCCESS;
		if (fd >= 0)
			close(fd);
	} while (client_pause(deadline));
	fprintf(stderr, "lan: %s: still there\n", directory);
	return EXIT_FAILURE;
}

/* The namespaces of a host: its network, the LAN's PIDs, and its user. */
static int
client_fetch(const char *directory, const char *host, struct control_fds *fds)
{
	char request[64];

	snprintf(request, sizeof(request), "join %s", host);
	if (client_print(directory, request, fds) != EXIT_SUCCESS)
		return -1;
	return fds->count >= 2 ? 0 : -1;
}

/* Enters all but the network, in the order that gives the rights. */
static int
client_enter(const struct control_fds *fds)
{
	if (fds->count == 3 && setns(fds->fd[2], CLONE_NEWUSER) < 0)
		return -client_fail("setns", errno);
	if (setns(fds->fd[1], CLONE_NEWPID) < 0)
		return -client_fail("setns", errno);
	return 0;
}

int
client_join(
    const char *directory, const char *host, const char *other, int *other_fd)
{
	struct control_fds fds, other_fds = { 0 };

	/* Asks first: from inside, the LAN cannot be reached. */
	if (client_fetch(directory, host, &fds) < 0)
		return -1;
	if (other != NULL && client_fetch(directory, other, &other_fds) < 0)
		return -1;
	if (client_enter(&fds) < 0)
		return -1;
	for (size_t i = 1; i < fds.count; i++)
		close(fds.fd[i]);
	for (size_t i = 1; i < other_fds.count; i++)
		close(other_fds.fd[i]);
	if (other != NULL)
		*other_fd = other_fds.fd[0];
	return fds.fd[0];
}

int
client_enter_network(int net_fd)
{
	int error = 0;

	if (setns(net_fd, CLONE_NEWNET) < 0)
		error = -client_fail("setns", errno);
	close(net_fd);
	return error;
}

/* The child, which dies with its parent and becomes the program. */
static void
client_become(char **argv, const sigset_t *old_signals)
{
	int error;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, old_signals, NULL);
	execvp(argv[0], argv);
	error = errno;
	client_fail(argv[0], error);
	_exit(error == ENOENT ? 127 : 126);
}

/* Waits for the child, and passes on the signals sent to this process. */
static int
client_attend(pid_t child, const sigset_t *signals)
{
	siginfo_t info;
	int status, number;

	for (;;) {
		number = sigwaitinfo(signals, &info);
		/* The terminal sends its signals to both already. */
		if (number > 0 && number != SIGCHLD && info.si_code <= 0)
			kill(child, number == SIGTSTP ? SIGSTOP : number);
		if (waitpid(child, &status, WNOHANG) != child)
			continue;
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		return 128 + WTERMSIG(status);
	}
}

static void
client_block_signals(sigset_t *signals, sigset_t *old_signals)
{
	static const int passed[] = { SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM,
		SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT };

	sigemptyset(signals);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		sigaddset(signals, passed[i]);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, signals, old_signals);
}

int
client_exec(const char *directory, const char *host, char **argv)
{
	sigset_t signals, old_signals;
	int net_fd = client_join(directory, host, NULL, NULL);
	pid_t child;

	if (net_fd < 0 || client_enter_network(net_fd) < 0)
		return EXIT_CLIENT;
	client_block_signals(&signals, &old_signals);
	child = fork();
	if (child < 0) {
		client_fail("fork", errno);
		return EXIT_CLIENT;
	}
	if (child == 0)
		client_become(argv, &old_signals);
	return client_attend(child, &signals);
}

int
client_link(const char *directory, const char *host)
{
	int carrier, net_fd = client_join(directory, host, NULL, NULL);

	if (net_fd < 0 || client_enter_network(net_fd) < 0)
		return EXIT_FAILURE;
	carrier = ethtool_has_carrier(HOST_INTERFACE);
	if (carrier < 0)
		return client_fail(HOST_INTERFACE, -carrier);
	puts(carrier ? "up" : "down");
	return EXIT_SUCCESS;
}
