/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/lan/command.h"

#define CLIENTS_MAX 32 /* connections without a request so far */

enum watched {
	WATCH_FABRIC,
	WATCH_LISTEN,
	WATCH_LEASH,
	WATCH_CLIENTS,
};

struct keeper {
	struct lan lan;
	int listen_fd;
	int leash_fd; /* reads as ended when the launcher is dead */
	int clients[CLIENTS_MAX];
	unsigned clients_count;
};

static int
keeper_fail(const char *what, int error)
{
	static const int refusals[] = { EPERM, EACCES, ENOSYS, ENOSPC, EUSERS,
		EOPNOTSUPP, EAFNOSUPPORT, EPROTONOSUPPORT, ENOENT, EROFS };

	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		if (error != -refusals[i])
			continue;
		fprintf(stderr, "lan: the system refuses %s: %s\n", what,
		    strerror(-error));
		return EXIT_MISSING;
	}
	fprintf(stderr, "lan: %s: %s\n", what, strerror(-error));
	return EXIT_FAILURE;
}

static void
keeper_accept(struct keeper *k)
{
	int fd = control_accept(k->listen_fd);

	if (fd < 0)
		return;
	if (k->clients_count < CLIENTS_MAX)
		k->clients[k->clients_count++] = fd;
	else
		close(fd);
}

/* Serves one request; then the connection is over. */
static void
keeper_serve(struct keeper *k, unsigned client)
{
	static char reply[CONTROL_REPLY_MAX];
	char request[CONTROL_REQUEST_MAX];
	struct control_fds fds;
	int error, fd = k->clients[client];

	error = control_receive_request(fd, request);
	if (error == -EAGAIN || error == -EINTR)
		return;
	if (error == 0) {
		command_run(&k->lan, request, reply, &fds);
		/* A client that has gone meanwhile misses its own reply. */
		(void)control_send_reply(fd, reply, &fds);
	}
	close(fd);
	k->clients[client] = k->clients[--k->clients_count];
}

/* Waits for something to do, until the next frame is due at most. */
static int
keeper_poll(const struct keeper *k, struct pollfd *fds)
{
	const struct fabric *f = k->lan.fabric;
	nsec_t due = f != NULL ? fabric_next_due(f) : NSEC_NEVER;
	nsec_t left = nsec_since(due, fabric_now());
	struct timespec timeout = { .tv_sec = (time_t)(left / SEC),
		.tv_nsec = (long)(left % SEC) };

	fds[WATCH_FABRIC].fd = f != NULL ? f->fd : -1;
	fds[WATCH_LISTEN].fd = k->listen_fd;
	fds[WATCH_LEASH].fd = k->leash_fd;
	for (unsigned i = 0; i < k->clients_count; i++)
		fds[WATCH_CLIENTS + i].fd = k->clients[i];
	for (unsigned i = 0; i < WATCH_CLIENTS + k->clients_count; i++)
		fds[i].events = POLLIN;
	return ppoll(fds, WATCH_CLIENTS + k->clients_count,
	    due != NSEC_NEVER ? &timeout : NULL, NULL);
}

static int
keeper_loop(struct keeper *k)
{
	struct pollfd fds[WATCH_CLIENTS + CLIENTS_MAX];

	while (!k->lan.is_stopping) {
		memset(fds, 0, sizeof(fds));
		if (keeper_poll(k, fds) < 0 && errno != EINTR)
			return keeper_fail("poll", -errno);
		if (fds[WATCH_LEASH].revents != 0)
			return EXIT_FAILURE;
		if (k->lan.fabric != NULL)
			fabric_run(k->lan.fabric);
		/* Goes backwards: the last client takes the place of one that
		 * is served. */
		for (unsigned i = k->clients_count; i > 0; i--)
			if (fds[WATCH_CLIENTS + i - 1].revents != 0)
				keeper_serve(k, i - 1);
		if (fds[WATCH_LISTEN].revents != 0)
			keeper_accept(k);
	}
	return EXIT_SUCCESS;
}

/* The first process of the new PID namespace. */
static int
keeper_main(const struct keeper_options *options, int listen_fd, int leash_fd,
    bool has_user_namespace)
{
	struct keeper k = { .listen_fd = listen_fd, .leash_fd = leash_fd };
	const char *what;
	int error;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, 1);
	/* An orphan in the LAN becomes our child; nobody waits for it. */
	signal(SIGCHLD, SIG_IGN);
	error = lan_build(&k.lan, options->hosts, options->is_bridge,
	    options->seed, has_user_namespace, &what);
	if (error < 0)
		error = keeper_fail(what, error);
	else if (options->directory != NULL)
		error = keeper_loop(&k);
	fabric_free(k.lan.fabric);
	return error;
}

/* Makes sure that the keeper is dead, and everything of the LAN with it. */
static int
launcher_end(pid_t keeper, int status)
{
	kill(keeper, SIGKILL);
	waitpid(keeper, NULL, 0);
	return status;
}

/* Waits for the end of the keeper, a signal, or the time, whichever comes
 * first. */
static int
launcher_wait(pid_t keeper, const sigset_t *signals)
{
	int status, number;

	for (;;) {
		number = sigwaitinfo(signals, NULL);
		if (number == SIGALRM) {
			fprintf(stderr, "lan: its time is over\n");
			return launcher_end(keeper, EXIT_LIFETIME);
		}
		if (number > 0 && number != SIGCHLD)
			return launcher_end(keeper, EXIT_SUCCESS);
		if (waitpid(keeper, &status, WNOHANG) != keeper)
			continue;
		return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
	}
}

/* Signals come one after the other, when sigtimedwait asks for them. */
static void
launcher_block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGHUP);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGALRM);
	sigaddset(signals, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, signals, NULL);
}

static int
launcher_fork(const struct keeper_options *options, int listen_fd,
    bool has_user_namespace)
{
	sigset_t signals;
	pid_t keeper;
	int leash[2];

	launcher_block_signals(&signals);
	if (pipe(leash) < 0)
		return keeper_fail("pipe", -errno);
	keeper = fork();
	if (keeper < 0)
		return keeper_fail("processes", -errno);
	if (keeper == 0) {
		close(leash[1]);
		_exit(keeper_main(
		    options, listen_fd, leash[0], has_user_namespace));
	}
	close(leash[0]);
	if (listen_fd >= 0)
		close(listen_fd);
	alarm(options->lifetime_s);
	return launcher_wait(keeper, &signals);
}

int
keeper_run(const struct keeper_options *options)
{
	pid_t parent = getppid();
	bool has_user_namespace;
	int error, listen_fd = -1;
	const char *what;

	if (options->directory != NULL) {
		listen_fd = control_listen(options->directory);
		if (listen_fd < 0) {
			fprintf(stderr, "lan: %s: %s\n", options->directory,
			    strerror(-listen_fd));
			return EXIT_FAILURE;
		}
	}
	error = lan_isolate(&has_user_namespace, &what);
	if (error < 0)
		return keeper_fail(what, error);
	/* Sets this only now, as a change of credentials would have undone it.
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return EXIT_FAILURE;
	return launcher_fork(options, listen_fd, has_user_namespace);
}
