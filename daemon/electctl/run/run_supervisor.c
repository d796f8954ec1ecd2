/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/run_supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/electctl/run/children.h"
#include "daemon/electctl/run/progress_socket.h"
#include "daemon/electctl/run/resigner.h"
#include "daemon/electctl/run/run_policy.h"
#include "daemon/electctl/run/spawn.h"
#include "daemon/system/clock.h"

#define PATIENCE (1 * SEC) /* before we say that there is no daemon */
/* After the host had no room for the command, or was to hand over, as electd
 * says only later that it does. */
#define START_GAP (1 * SEC)

struct run_supervisor {
	const struct run_setup *setup;
	struct verb_loop *loop;
	timer_t death; /* kills us */
	struct electd *electd;
	const struct electd_news *lead; /* what is known from electd */
	nsec_t patience_at; /* we say that there is no daemon; NSEC_NEVER: not
	                     * any more */

	struct run_policy policy;
	pid_t command;     /* 0: none runs */
	nsec_t start_at;   /* not before that; 0: at once */
	bool leaves_work;  /* of the command, which whoever started us ends */
	bool is_short;     /* we have said that --stop-time is too long */
	nsec_t give_up_at; /* if this node has not led by then */
	bool is_orphan;    /* electctl has gone: no deadline counts any more */

	/* --progress; else they do nothing */
	struct progress_socket progress_socket;
	struct progress progress;
	struct resigner resigner;
};

static const char *
command_name(const struct run_supervisor *s)
{
	return s->loop->options->words[0];
}

/* Has the kernel kill us when the policy says so. */
static void
set_death(const struct run_supervisor *s)
{
	struct itimerspec when = { .it_value.tv_sec = 0 };

	if (s->policy.death_at != NSEC_NEVER)
		when.it_value = clock_timespec(s->policy.death_at);
	(void)timer_settime(s->death, TIMER_ABSTIME, &when, NULL);
}

/* The command. */

/* Called in the process that becomes the command. */
static bool
prepare_command(const void *context)
{
	const struct run_supervisor *s = context;
	char term[24], token[24];

	snprintf(term, sizeof(term), "%" PRIu64, s->lead->term);
	snprintf(token, sizeof(token), "%" PRIu64, s->lead->token);
	setenv("ELECTD_TERM", term, 1);
	setenv("ELECTD_TOKEN", token, 1);
	setenv("ELECTD_CLUSTER", s->lead->cluster, 1);
	setenv("ELECTD_NODE", s->lead->node, 1);
	if (s->progress_socket.fd >= 0)
		progress_socket_prepare(&s->progress_socket, s->progress.limit);
	for (size_t i = 0; i < RUN_IGNORES; i++)
		(void)sigaction(run_ignores[i], &s->setup->ignored[i], NULL);
	return true;
}

/* True if the host had no room for one more process, or open file. */
static bool
is_for_now(int error)
{
	return error == EAGAIN || error == ENOMEM || error == EMFILE ||
	       error == ENFILE;
}

static void
could_not_start(struct run_supervisor *s, nsec_t now, int error)
{
	policy_end(&s->policy);
	progress_end(&s->progress);
	set_death(s);
	complain("%s: %s%s", command_name(s), strerror(error),
	    is_for_now(error) ? ": trying again in a second" : "");
	if (is_for_now(error))
		s->start_at = nsec_after(now, START_GAP);
	else
		verb_loop_end(s->loop,
		    error == ENOENT ? RUN_NOT_FOUND : RUN_NOT_EXECUTABLE);
}

static void
start_command(struct run_supervisor *s, nsec_t now)
{
	const struct spawn spawn = {
		.words = s->loop->options->words,
		.mask = &s->loop->mask,
		.prepare = prepare_command,
		.context = s,
	};
	int failed, error = 0;

	if (s->start_at != 0)
		return;
	policy_begin(&s->policy);
	progress_begin(&s->progress, now);
	set_death(s);
	s->command = spawn_start(&spawn, &failed);
	if (s->command < 0)
		error = -s->command;
	else if ((error = spawn_error(&failed, true)) != 0)
		(void)waitpid(s->command, NULL, 0);
	if (error != 0) {
		s->command = 0;
		could_not_start(s, now, error);
		return;
	}
	say(s->loop, "%s leads in term %" PRIu64 ": %s runs, pid %d",
	    s->lead->node, s->lead->term, command_name(s), (int)s->command);
}

static void
signal_command(const struct run_supervisor *s, int number)
{
	if (s->command != 0)
		(void)kill(-s->command, number);
}

/* The command is to end, as this node may lose the lead. */
static void
tell_command(struct run_supervisor *s, nsec_t now, const char *why)
{
	if (!policy_tell(&s->policy, now))
		return;
	progress_end(&s->progress);
	signal_command(s, SIGTERM);
	signal_command(s, SIGCONT); /* one that is stopped takes it, too */
	say(s->loop, "%s: %s is told to end", why, command_name(s));
}

/* The command's process has ended: so must all that it has started. */
static void
command_ended(struct run_supervisor *s, int status)
{
	const struct options *options = s->loop->options;

	s->leaves_work = !children_sweep(s->setup->others) ||
			 (options->margin != 0 &&
			     (!WIFEXITED(status) || WEXITSTATUS(status) != 0));
	s->command = 0;
	policy_end(&s->policy);
	progress_end(&s->progress);
	set_death(s);
	if (!s->policy.is_told && WIFEXITED(status))
		verb_loop_end(s->loop, WEXITSTATUS(status));
	else if (!s->policy.is_told)
		verb_loop_end(s->loop, RUN_SIGNAL + WTERMSIG(status));
	else if (s->policy.is_ended || is_given(options, OPTION_ONCE))
		verb_loop_end(s->loop, RUN_NOT_LEADING);
	else
		say(s->loop,
		    "%s has ended; this node waits until it leads again",
		    command_name(s));
}

/* Takes note of the children that have ended. The command's group gets its last
 * signal while its number cannot be another's yet. */
static void
reap(struct run_supervisor *s)
{
	siginfo_t ended = { .si_pid = 0 };
	int status;

	while (s->command != 0 &&
	       waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       ended.si_pid != 0) {
		bool is_command = ended.si_pid == s->command;

		if (is_command)
			signal_command(s, SIGKILL);
		(void)waitpid(ended.si_pid, &status, 0);
		if (is_command)
			command_ended(s, status);
		ended.si_pid = 0;
	}
}

/* The lead. */

/* Says once why the command does not run although this node leads. */
static void
explain_no_time(struct run_supervisor *s)
{
	nsec_t most = policy_stop_time_max(&s->policy);

	if (s->is_short || s->policy.until == 0 ||
	    s->policy.until == NSEC_NEVER ||
	    policy_stop_time(&s->policy) < most)
		return;
	s->is_short = true;
	complain(
	    "run: --stop-time and --margin must be less than %.0f ms together: choose a longer timing.lease",
	    (double)(most + s->policy.margin) / (double)MSEC);
}

/* This node leads, perhaps with a later deadline. */
static void
lead_on(struct run_supervisor *s)
{
	if (s->is_orphan)
		return;
	s->give_up_at = NSEC_NEVER;
	*s->setup->has_led = true;
	policy_lead(&s->policy, s->lead->until, s->lead->span);
	set_death(s);
}

/* electd has said something. */
static void
take_event(struct run_supervisor *s, nsec_t now)
{
	if (s->lead->until != 0)
		lead_on(s);
	if (s->lead->until == 0)
		tell_command(s, now, "this node no longer leads");
	else if (s->lead->hands_over)
		tell_command(s, now, "this node hands over");
	if (s->lead->until == 0)
		policy_lose(&s->policy);
	s->policy.hands_over = s->lead->hands_over;
}

/* A daemon has answered. Ends with the message if it could not be told that the
 * command hangs. */
static void
take_met(struct run_supervisor *s)
{
	enum control_code code = CODE_YES;

	s->patience_at = NSEC_NEVER;
	s->policy.is_quorum = s->lead->is_quorum;
	if (s->progress_socket.fd >= 0)
		code = resigner_may(&s->resigner);
	if (code != CODE_YES)
		verb_loop_end(s->loop, (int)code);
}

static void
take_end(struct run_supervisor *s, nsec_t now)
{
	tell_command(s, now, "the daemon has gone");
	policy_lose(&s->policy);
	s->policy.hands_over = false;
}

static void
take_refusal(struct run_supervisor *s)
{
	enum control_code code;

	if (s->lead->error == ENOTSUP) {
		complain("run: %s; --even-if-two runs %s all the same",
		    electd_why(s->electd), command_name(s));
		verb_loop_end(s->loop, CODE_REFUSED);
		return;
	}
	code = explain_refusal(s->electd);
	if (code != CODE_YES)
		verb_loop_end(s->loop, (int)code);
}

static void
take_news(struct run_supervisor *s, nsec_t now)
{
	switch (s->lead->kind) {
	case ELECTD_MET:
		take_met(s);
		break;
	case ELECTD_EVENT:
		take_event(s, now);
		break;
	case ELECTD_REFUSED:
		take_refusal(s);
		take_end(s, now);
		break;
	case ELECTD_GONE:
		take_end(s, now);
		break;
	case ELECTD_LATE:
		break; /* the policy knows it */
	}
}

static void
look_at_daemon(struct run_supervisor *s)
{
	while (!s->loop->is_over && electd_next(s->electd) != NULL)
		take_news(s, clock_now());
	if (s->command == 0 && clock_now() >= s->patience_at &&
	    !s->loop->is_over) {
		say(s->loop, "no daemon answers at %s yet: waiting",
		    s->setup->path[0] != '\0' ? s->setup->path
					      : CONTROL_DIRECTORY);
		s->patience_at = NSEC_NEVER;
	}
}

/* The loop. */

static void
take_signals(struct run_supervisor *s)
{
	int number;

	while ((number = verb_loop_signal(s->loop)) != 0) {
		if (number == SIGCHLD)
			continue;
		if (number == SIGTERM || number == SIGINT ||
		    number == SIGQUIT || (number == SIGHUP && s->command == 0))
			s->policy.is_ended = true;
		signal_command(s, number);
		if (s->policy.is_ended && s->command == 0)
			verb_loop_end(s->loop, RUN_SIGNAL + number);
	}
}

/* Without electctl nobody is told how it ends, so the command ends now. */
static void
become_orphan(struct run_supervisor *s, nsec_t now)
{
	if (s->is_orphan)
		return;
	s->is_orphan = s->policy.is_ended = true;
	tell_command(s, now, "electctl has gone");
	if (s->command == 0)
		verb_loop_end(s->loop, RUN_NOT_LEADING);
}

static void
perform(struct run_supervisor *s, nsec_t now, enum policy_deed deed)
{
	switch (deed) {
	case POLICY_WAIT:
		break;
	case POLICY_START:
		start_command(s, now);
		break;
	case POLICY_TELL:
		tell_command(s, now, "the lease may end");
		break;
	case POLICY_KILL:
		signal_command(s, SIGKILL);
		say(s->loop, "%s has not ended: it is killed", command_name(s));
		break;
	case POLICY_RELEASE:
		policy_lose(&s->policy);
		if (!s->leaves_work)
			electd_give_back(s->electd);
		break;
	}
}

/* A user must hear of a cluster that is not there: no host would run it. */
static void
give_up(struct run_supervisor *s)
{
	int status = RUN_NOT_LEADING;

	if (s->lead->cluster[0] == '\0')
		status = (int)(s->setup->path[0] == '\0'
				   ? explain_no_socket()
				   : explain_connection(
					 s->setup->path, s->lead->error));
	verb_loop_end(s->loop, status);
}

/* Without progress another node is to lead. */
static void
look_at_progress(struct run_supervisor *s, nsec_t now)
{
	const char *slash = strrchr(command_name(s), '/');
	char fault[PLAIN_TEXT_MAX];

	if (!progress_fault(&s->progress, now,
		slash != NULL ? slash + 1 : command_name(s), fault,
		sizeof(fault)))
		return;
	s->start_at = nsec_after(now, START_GAP);
	resigner_ask(&s->resigner, fault);
	tell_command(s, now, fault);
}

/* Does what is due. */
static void
look(struct run_supervisor *s, nsec_t now)
{
	if (now >= s->start_at)
		s->start_at = 0;
	look_at_progress(s, now);
	if (s->command == 0 && now >= s->give_up_at && !s->loop->is_over)
		give_up(s);
	if (s->loop->is_over)
		return;
	perform(s, now, policy_next(&s->policy, now));
	if (s->command == 0)
		explain_no_time(s);
}

/* When look() is wanted next. */
static nsec_t
due_at(const struct run_supervisor *s)
{
	nsec_t start_at = s->start_at == 0 ? NSEC_NEVER : s->start_at;

	if (s->command != 0)
		return nsec_earlier(
		    policy_due_at(&s->policy), progress_due_at(&s->progress));
	return nsec_earlier(s->give_up_at, start_at);
}

static void
loop(struct run_supervisor *s)
{
	while (!s->loop->is_over) {
		struct pollfd pollers[POLLERS_OWN + 4] = {
			[POLLERS_OWN] = { .fd = electd_fd(s->electd),
			    .events = POLLIN },
			{ .fd = s->is_orphan ? -1 : s->setup->electctl,
			    .events = POLLIN },
			{ .fd = s->progress_socket.fd, .events = POLLIN },
			{ .fd = resigner_fd(&s->resigner), .events = POLLIN },
		};

		verb_loop_wait(s->loop, pollers, POLLERS_OWN + 4, due_at(s));
		take_signals(s);
		if (s->progress_socket.fd >= 0)
			progress_socket_take(
			    &s->progress_socket, clock_now(), &s->progress);
		if (pollers[POLLERS_OWN + 3].revents != 0)
			resigner_take(&s->resigner);
		reap(s);
		if (pollers[POLLERS_OWN + 1].revents != 0)
			become_orphan(s, clock_now());
		if (!s->loop->is_over)
			look_at_daemon(s);
		if (!s->loop->is_over)
			look(s, clock_now());
	}
}

int
run_supervise(const struct run_setup *setup)
{
	struct sigevent kill_us = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGKILL,
	};
	const struct options *options = setup->loop->options;
	struct run_supervisor s = {
		.setup = setup,
		.loop = setup->loop,
		.electd =
		    electd_new(setup->path[0] != '\0' ? setup->path : NULL,
			is_given(options, OPTION_EVEN_IF_TWO)
			    ? ELECTD_LEAD_EVEN_IF_TWO
			    : ELECTD_LEAD),
		.patience_at = nsec_after(clock_now(), PATIENCE),
		.give_up_at = setup->until,
		.progress_socket.fd = -1,
	};

	policy_init(&s.policy, options->stop_time);
	s.policy.margin = options->margin;
	progress_init(&s.progress, options->progress);
	resigner_init(&s.resigner, s.loop);
	if (s.electd == NULL ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 ||
	    timer_create(CLOCK_BOOTTIME, &kill_us, &s.death) != 0 ||
	    (options->progress != 0 &&
		!progress_socket_open(&s.progress_socket))) {
		complain("run: %s", strerror(errno));
		electd_free(s.electd);
		return CODE_UNKNOWN;
	}
	s.lead = electd_state(s.electd);
	loop(&s);
	resigner_end(&s.resigner);
	if (!s.leaves_work)
		electd_leave(s.electd);
	electd_free(s.electd);
	return s.loop->status;
}
