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

#include "daemon/client/lead_watch.h"
#include "daemon/electctl/run/children.h"
#include "daemon/electctl/run/run_policy.h"
#include "daemon/electctl/run/spawn.h"
#include "daemon/system/clock.h"

#define PATIENCE  (1 * SEC) /* before we say that there is no daemon */
#define START_GAP (1 * SEC) /* after the host had no room for the command */

struct run_supervisor {
	const struct run_setup *setup;
	struct supervisor *supervisor;
	timer_t death; /* kills us */
	struct lead_watch lead_watch;
	struct lead_watch_setup follows;
	nsec_t patience_at; /* we say that there is no daemon; NSEC_NEVER: not
	                     * any more */

	struct run_policy plan;
	pid_t command;     /* 0: none runs */
	nsec_t start_at;   /* not before that; 0: at once */
	bool leaves_work;  /* of the command, which whoever started us ends */
	bool is_short;     /* we have said that --stop-time is too long */
	nsec_t give_up_at; /* if this node has not led by then */
	bool is_orphan;    /* electctl has gone: no deadline counts any more */
};

static const char *
command_name(const struct run_supervisor *g)
{
	return g->supervisor->options->words[0];
}

/* Has the kernel kill us when the plan says so. */
static void
set_death(const struct run_supervisor *g)
{
	struct itimerspec when = { .it_value.tv_sec = 0 };

	if (g->plan.death_at != NSEC_NEVER)
		when.it_value = clock_timespec(g->plan.death_at);
	(void)timer_settime(g->death, TIMER_ABSTIME, &when, NULL);
}

/* The command. */

/* Called in the process that becomes the command. */
static bool
prepare_command(const void *context)
{
	const struct run_supervisor *g = context;
	char term[24], token[24];

	snprintf(term, sizeof(term), "%" PRIu64, g->lead_watch.term);
	snprintf(token, sizeof(token), "%" PRIu64, g->lead_watch.token);
	setenv("ELECTD_TERM", term, 1);
	setenv("ELECTD_TOKEN", token, 1);
	setenv("ELECTD_CLUSTER", g->lead_watch.cluster, 1);
	setenv("ELECTD_NODE", g->lead_watch.node, 1);
	for (size_t i = 0; i < RUN_IGNORES; i++)
		(void)sigaction(run_ignores[i], &g->setup->ignored[i], NULL);
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
could_not_start(struct run_supervisor *g, nsec_t now, int error)
{
	policy_end(&g->plan);
	set_death(g);
	complain("%s: %s%s", command_name(g), strerror(error),
	    is_for_now(error) ? ": trying again in a second" : "");
	if (is_for_now(error))
		g->start_at = nsec_after(now, START_GAP);
	else
		supervisor_end(g->supervisor,
		    error == ENOENT ? RUN_NOT_FOUND : RUN_NOT_EXECUTABLE);
}

static void
start_command(struct run_supervisor *g, nsec_t now)
{
	const struct spawn spawn = {
		.words = g->supervisor->options->words,
		.mask = &g->supervisor->mask,
		.prepare = prepare_command,
		.context = g,
	};
	int failed, error = 0;

	if (now < g->start_at)
		return;
	g->start_at = 0;
	policy_begin(&g->plan);
	set_death(g);
	g->command = spawn_start(&spawn, &failed);
	if (g->command < 0)
		error = -g->command;
	else if ((error = spawn_error(&failed, true)) != 0)
		(void)waitpid(g->command, NULL, 0);
	if (error != 0) {
		g->command = 0;
		could_not_start(g, now, error);
		return;
	}
	say(g->supervisor, "%s leads in term %" PRIu64 ": %s runs, pid %d",
	    g->lead_watch.node, g->lead_watch.term, command_name(g),
	    (int)g->command);
}

static void
signal_command(const struct run_supervisor *g, int number)
{
	if (g->command != 0)
		(void)kill(-g->command, number);
}

/* The command is to end, as this node may lose the lead. */
static void
tell_command(struct run_supervisor *g, nsec_t now, const char *why)
{
	if (!policy_tell(&g->plan, now))
		return;
	signal_command(g, SIGTERM);
	signal_command(g, SIGCONT); /* one that is stopped takes it, too */
	say(g->supervisor, "%s: %s is told to end", why, command_name(g));
}

/* The command's process has ended: so must all that it has started. */
static void
command_ended(struct run_supervisor *g, int status)
{
	const struct options *options = g->supervisor->options;

	g->leaves_work = !children_sweep(g->setup->others) ||
			 (options->margin != 0 &&
			     (!WIFEXITED(status) || WEXITSTATUS(status) != 0));
	g->command = 0;
	policy_end(&g->plan);
	set_death(g);
	if (!g->plan.is_told && WIFEXITED(status))
		supervisor_end(g->supervisor, WEXITSTATUS(status));
	else if (!g->plan.is_told)
		supervisor_end(g->supervisor, RUN_SIGNAL + WTERMSIG(status));
	else if (g->plan.is_ended || is_given(options, OPTION_ONCE))
		supervisor_end(g->supervisor, RUN_NOT_LEADING);
	else
		say(g->supervisor,
		    "%s has ended; this node waits until it leads again",
		    command_name(g));
}

/* Takes note of the children that have ended. The command's group gets its last
 * signal while its number cannot be another's yet. */
static void
reap(struct run_supervisor *g)
{
	siginfo_t ended = { .si_pid = 0 };
	int status;

	while (g->command != 0 &&
	       waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       ended.si_pid != 0) {
		bool is_command = ended.si_pid == g->command;

		if (is_command)
			signal_command(g, SIGKILL);
		(void)waitpid(ended.si_pid, &status, 0);
		if (is_command)
			command_ended(g, status);
		ended.si_pid = 0;
	}
}

/* The lead. */

/* Says once why the command does not run although this node leads. */
static void
explain_no_time(struct run_supervisor *g)
{
	nsec_t most = plan_stop_time_max(&g->plan);

	if (g->is_short || g->plan.until == 0 || g->plan.until == NSEC_NEVER ||
	    plan_stop_time(&g->plan) < most)
		return;
	g->is_short = true;
	complain(
	    "run: --stop-time and --margin must be less than %.0f ms together: choose a longer timing.lease",
	    (double)(most + g->plan.margin) / (double)MSEC);
}

/* This node leads, perhaps with a later deadline. */
static void
lead_on(struct run_supervisor *g)
{
	if (g->is_orphan)
		return;
	g->give_up_at = NSEC_NEVER;
	*g->setup->has_led = true;
	policy_lead(&g->plan, g->lead_watch.until, g->lead_watch.span);
	set_death(g);
}

/* electd has said something, or has gone. */
static void
on_change(void *context, nsec_t now, const json_t *event)
{
	struct run_supervisor *g = context;

	if (g->lead_watch.until != 0)
		lead_on(g);
	if (event == NULL)
		tell_command(g, now, "the daemon has gone");
	else if (g->lead_watch.until == 0)
		tell_command(g, now, "this node no longer leads");
	else if (g->lead_watch.hands_over)
		tell_command(g, now, "this node hands over");
	if (g->lead_watch.until == 0)
		policy_lose(&g->plan);
	g->plan.hands_over = g->lead_watch.hands_over;
}

/* False, with the message, if the command must not run in this cluster. */
static bool
on_met(void *context, const json_t *status)
{
	struct run_supervisor *g = context;

	(void)status;
	g->patience_at = NSEC_NEVER;
	g->plan.is_quorum = g->lead_watch.is_quorum;
	if (g->lead_watch.is_quorum ||
	    is_given(g->supervisor->options, OPTION_EVEN_IF_TWO))
		return true;
	complain(
	    "run: this cluster has guarantee = \"component\", so two nodes "
	    "may lead at once; --even-if-two runs %s all the same",
	    command_name(g));
	supervisor_end(g->supervisor, CODE_REFUSED);
	return false;
}

/* While the command runs we do not connect, as we would wait for an answer. */
static void
look_at_daemon(struct run_supervisor *g, nsec_t now)
{
	enum control_code code = CODE_YES;

	if (g->lead_watch.is_connected || g->command == 0)
		code = lead_watch_look(&g->lead_watch);
	if (code != CODE_YES)
		supervisor_end(g->supervisor, (int)code);
	if (g->command == 0 && now >= g->patience_at &&
	    !g->supervisor->is_over) {
		say(g->supervisor, "no daemon answers at %s yet: waiting",
		    lead_watch_place(&g->lead_watch));
		g->patience_at = NSEC_NEVER;
	}
}

/* The loop. */

static void
take_signals(struct run_supervisor *g)
{
	int number;

	while ((number = supervisor_signal(g->supervisor)) != 0) {
		if (number == SIGCHLD)
			continue;
		if (number == SIGTERM || number == SIGINT ||
		    number == SIGQUIT || (number == SIGHUP && g->command == 0))
			g->plan.is_ended = true;
		signal_command(g, number);
		if (g->plan.is_ended && g->command == 0)
			supervisor_end(g->supervisor, RUN_SIGNAL + number);
	}
}

/* Without electctl nobody is told how it ends, so the command ends now. */
static void
become_orphan(struct run_supervisor *g, nsec_t now)
{
	if (g->is_orphan)
		return;
	g->is_orphan = g->plan.is_ended = true;
	tell_command(g, now, "electctl has gone");
	if (g->command == 0)
		supervisor_end(g->supervisor, RUN_NOT_LEADING);
}

static void
perform(struct run_supervisor *g, nsec_t now, enum policy_deed deed)
{
	switch (deed) {
	case POLICY_WAIT:
		break;
	case POLICY_START:
		start_command(g, now);
		break;
	case POLICY_TELL:
		tell_command(g, now, "the lease may end");
		break;
	case POLICY_KILL:
		signal_command(g, SIGKILL);
		say(g->supervisor, "%s has not ended: it is killed",
		    command_name(g));
		break;
	case POLICY_RELEASE:
		policy_lose(&g->plan);
		if (!g->leaves_work)
			lead_watch_release(&g->lead_watch);
		break;
	}
}

/* A user must hear of a cluster that is not there: no host would run it. */
static void
give_up(struct run_supervisor *g)
{
	bool was_met = g->lead_watch.cluster[0] != '\0';

	supervisor_end(
	    g->supervisor, was_met ? (int)RUN_NOT_LEADING
				   : (int)lead_watch_explain(&g->lead_watch));
}

/* Does what is due. */
static void
look(struct run_supervisor *g, nsec_t now)
{
	if (g->command == 0 && now >= g->give_up_at && !g->supervisor->is_over)
		give_up(g);
	if (g->supervisor->is_over)
		return;
	perform(g, now, policy_next(&g->plan, now));
	if (g->command == 0)
		explain_no_time(g);
}

/* When look() is wanted next. */
static nsec_t
due_at(const struct run_supervisor *g)
{
	nsec_t start_at = g->start_at == 0 ? NSEC_NEVER : g->start_at;

	if (g->command != 0)
		return policy_due_at(&g->plan);
	return nsec_earlier(
	    nsec_earlier(lead_watch_due_at(&g->lead_watch), g->give_up_at),
	    start_at);
}

static void
loop(struct run_supervisor *g)
{
	while (!g->supervisor->is_over) {
		struct pollfd pollers[POLLERS_OWN + 2] = {
			[POLLERS_OWN] = { .fd = lead_watch_fd(&g->lead_watch),
			    .events = POLLIN },
			{ .fd = g->is_orphan ? -1 : g->setup->electctl,
			    .events = POLLIN },
		};

		supervisor_wait(
		    g->supervisor, pollers, POLLERS_OWN + 2, due_at(g));
		take_signals(g);
		reap(g);
		if (pollers[POLLERS_OWN + 1].revents != 0)
			become_orphan(g, clock_now());
		if (!g->supervisor->is_over)
			look_at_daemon(g, clock_now());
		if (!g->supervisor->is_over)
			look(g, clock_now());
	}
}

int
run_supervise(const struct run_setup *setup)
{
	struct sigevent kill_us = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGKILL,
	};
	const struct options *options = setup->supervisor->options;
	struct run_supervisor g = {
		.setup = setup,
		.supervisor = setup->supervisor,
		.follows = { .place = &options->place,
		    .changed = on_change,
		    .met = on_met,
		    .context = &g },
		.patience_at = nsec_after(clock_now(), PATIENCE),
		.give_up_at = setup->until,
	};

	policy_init(&g.plan, options->stop_time);
	g.plan.margin = options->margin;
	lead_watch_init(&g.lead_watch, &g.follows, setup->path, clock_now());
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 ||
	    timer_create(CLOCK_BOOTTIME, &kill_us, &g.death) != 0) {
		complain("run: %s", strerror(errno));
		return CODE_UNKNOWN;
	}
	loop(&g);
	if (g.leaves_work)
		lead_watch_end(&g.lead_watch);
	else
		lead_watch_leave(&g.lead_watch);
	return g.supervisor->status;
}
