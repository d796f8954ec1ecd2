/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Becomes the command. Writes the errno to `failed` if that is not possible. */
static void
become(const struct spawn *s, pid_t parent, int failed)
{
	int error;

	if (s->has_session)
		(void)setsid();
	else
		(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	if (s->prepare(s->context)) {
		sigprocmask(SIG_SETMASK, s->mask, NULL);
		execvp(s->words[0], s->words);
	}
	error = errno;
	(void)!write(failed, &error, sizeof(error));
	_exit(EXIT_FAILURE);
}

/* The pipe is closed when the command is executed. */
pid_t
spawn_start(const struct spawn *s, int *failed)
{
	pid_t parent = getpid(), pid;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become(s, parent, ends[1]);
	error = errno;
	/* The child does so, too: whoever is first. Now it can be killed. */
	if (pid > 0 && !s->has_session)
		(void)setpgid(pid, pid);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -error;
	}
	*failed = ends[0];
	return pid;
}

int
spawn_error(int *failed, bool waits)
{
	struct pollfd poller = { .fd = *failed, .events = POLLIN };
	int error = 0;

	while (waits && poll(&poller, 1, -1) < 0 && errno == EINTR)
		;
	if (read(*failed, &error, sizeof(error)) != sizeof(error))
		error = 0;
	close(*failed);
	*failed = -1;
	return error;
}
