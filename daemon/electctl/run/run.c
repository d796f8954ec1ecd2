/* SPDX-License-Identifier: ISC */
/* `run`: electctl's own part. It starts the supervisor, and outlives it, or
 * becomes the supervisor. */
#include "daemon/electctl/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/electctl/run/children.h"
#include "daemon/electctl/run/run_supervisor.h"
#include "daemon/system/clock.h"

#define GAP_MS 50 /* from the death of a supervisor to the next one */

struct run {
	struct verb_loop loop; /* its signals go on to the supervisor */
	struct run_setup setup;
	pid_t pid;     /* of the supervisor */
	bool is_ended; /* a signal said so: no other supervisor is started */
	int pipe_end;  /* closed by the kernel when this process dies */
	struct children others; /* of whoever became electctl */
};

/* All signals but those that stop or continue a process, that it gets for what
 * it did itself, that it cannot take, and that whoever started it ignores. */
static void
choose_signals(sigset_t *signals)
{
	static const int others[] = { SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU,
		SIGCONT, SIGKILL, SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL,
		SIGTRAP, SIGSYS, SIGABRT };

	sigfillset(signals);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		sigdelset(signals, others[i]);
	for (int i = 1; i <= SIGRTMAX; i++) {
		struct sigaction now;

		if (i != SIGCHLD && sigaction(i, NULL, &now) == 0 &&
		    now.sa_handler == SIG_IGN)
			sigdelset(signals, i);
	}
}

/* Gives 0 or an errno. */
static int
start_run_supervisor(struct run *run)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	fflush(NULL);
	run->pid = fork();
	if (run->pid == 0) {
		close(ends[1]);
		/* Our parent gets a terminal's signals, and passes them on. */
		(void)setpgid(0, 0);
		run->setup.electctl = ends[0];
		_exit(run_supervise(&run->setup));
	}
	close(ends[0]);
	if (run->pid < 0) {
		int error = errno;

		close(ends[1]);
		return error;
	}
	run->pipe_end = ends[1];
	return 0;
}

/* Passes on the signals that are pending to the supervisor, unless it has
 * gone. */
static void
pass_on(struct run *run, bool is_gone)
{
	int number;

	while ((number = verb_loop_signal(&run->loop)) != 0) {
		if (number == SIGCHLD)
			continue;
		run->is_ended = run->is_ended || number == SIGTERM ||
				number == SIGINT || number == SIGQUIT;
		if (!is_gone)
			(void)kill(run->pid, number);
	}
}

/* Passes on signals until the supervisor ends. Gives its status, as
 * waitpid(2) does. */
static int
attend(struct run *run)
{
	struct pollfd poller = { .fd = run->loop.signals, .events = POLLIN };
	int status;

	while (waitpid(run->pid, &status, WNOHANG) != run->pid) {
		(void)poll(&poller, 1, -1);
		pass_on(run, false);
	}
	pass_on(run, true);
	close(run->pipe_end);
	return status;
}

/* Starts one supervisor after the other, as each may be killed. The command's
 * status may be any, beside the codes of electctl. */
static enum control_code
keep_run_supervisor(struct run *run)
{
	for (;;) {
		int error = start_run_supervisor(run);
		int status;

		if (error != 0) {
			complain("run: no supervisor: %s", strerror(error));
			return CODE_UNKNOWN;
		}
		status = attend(run);
		(void)children_sweep(&run->others);
		if (WIFEXITED(status))
			return (enum control_code)WEXITSTATUS(status);
		say(&run->loop,
		    "the supervisor was killed; the command does not outlive it");
		if (run->is_ended || is_given(run->loop.options, OPTION_ONCE))
			return (enum control_code)RUN_NOT_LEADING;
		/* Once it has led, the supervisor waits for as long as it
		 * takes. */
		if (*run->setup.has_led)
			run->setup.until = NSEC_NEVER;
		(void)poll(NULL, 0, GAP_MS);
	}
}

/* Ends by the signal that the code names, if that asks a program to end: a
 * service manager takes it for an end in order, and a shell for the code. */
static void
end_by_signal(enum control_code code)
{
	int number = (int)code - 128;
	sigset_t only;

	if (number != SIGHUP && number != SIGINT && number != SIGTERM)
		return;
	sigemptyset(&only);
	sigaddset(&only, number);
	signal(number, SIG_DFL);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
}

enum control_code
run_command(const struct command *command, const struct options *options)
{
	sigset_t taken;
	struct run run = {
		.setup = {
			.loop = &run.loop,
			.electctl = -1,
			.others = &run.others,
			.until = nsec_after(clock_now(),
			    options->timeout != 0 ? options->timeout
						  : NSEC_NEVER),
		},
	};
	enum control_code code;

	(void)command;
	if (!children_list(&run.others)) {
		complain(
		    "run: this process has too many children already, or no /proc");
		return CODE_UNKNOWN;
	}
	code = find_socket(&options->place, run.setup.path);
	if (code != CODE_YES)
		return code;
	choose_signals(&taken);
	for (size_t i = 0; i < RUN_IGNORES; i++)
		(void)sigaction(run_ignores[i],
		    &(struct sigaction){ .sa_handler = SIG_IGN },
		    &run.setup.ignored[i]);
	run.setup.has_led = mmap(NULL, sizeof(bool), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!verb_loop_init(&run.loop, options, &taken) ||
	    run.setup.has_led == MAP_FAILED ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
		complain("run: %s", strerror(errno));
		return CODE_UNKNOWN;
	}
	code = options->margin != 0
		   ? (enum control_code)run_supervise(&run.setup)
		   : keep_run_supervisor(&run);
	close(run.loop.signals);
	close(run.loop.alarm);
	end_by_signal(code);
	return code;
}
