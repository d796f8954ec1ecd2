/* SPDX-License-Identifier: ISC */
/*
 * `follow`: runs a command for every change of how this node stands. The runs
 * are one after the other, and the newest state wins: of changes during a run
 * only the last counts, except that a command that was told "leader" is always
 * told the end of that lead, too. While it is not, the node gives no lead away
 * before its deadline.
 */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/electctl/print/line.h"
#include "daemon/electctl/run/hook.h"
#include "daemon/electctl/run/run.h"
#include "daemon/electctl/run/run_supervisor.h"
#include "daemon/electctl/run/verb_loop.h"
#include "daemon/system/clock.h"

#define RUN_TIME (10 * SEC) /* of the command, unless --timeout says so */
#define PATIENCE (1 * SEC)  /* before it is told that electd does not answer */
#define RETRY    (1 * SEC)  /* after it could not be started */

/* How long before the deadline it is told that the lead may end, unless
 * --stop-time says so: such a part of the time that deadlines are given for. */
#define STOP_PARTS 2

struct follow {
	struct verb_loop loop;
	struct electd *electd;
	const struct electd_news *lead; /* what is known from electd */

	nsec_t patience_at; /* it is told that electd does not answer;
	                     * NSEC_NEVER: electd has */
	struct news seen;   /* what electd has said of the leader */
	struct news news;   /* the newest */
	bool is_told;       /* the command was told of them, or needs not be */
	struct news lost;   /* how a lead that it was told of has ended */
	bool has_lost;      /* it is to be told of that first */
	struct hook hook;
	struct news before; /* what it was told before this run */
	bool tells_lost;    /* this run tells what is in `lost` */
	bool has_run;       /* it can be executed */
	nsec_t retry_at;    /* it is not started before */

	bool is_short; /* we have said that the stop time is too long */
	bool is_ended; /* a signal said so: it is told of no lead any more */
};

static const char *
command_name(const struct follow *f)
{
	return f->loop.options->words[0];
}

/* The news. */

static nsec_t
stop_time(const struct follow *f)
{
	return f->loop.options->stop_time != 0 ? f->loop.options->stop_time
					       : f->lead->span / STOP_PARTS;
}

/* When the command is told that the lead may end, without a later deadline. */
static nsec_t
doubt_at(const struct follow *f)
{
	nsec_t until = f->lead->until;

	return until == NSEC_NEVER ? NSEC_NEVER
				   : nsec_since(until, stop_time(f));
}

/* True if the command was told "leader", and not yet of the end. */
static bool
acts_as_leader(const struct follow *f)
{
	return f->hook.news.place == PLACE_LEADER;
}

static void
take_news(struct follow *f, const struct news *news)
{
	if (news_are_same(news, &f->news))
		return;
	if (acts_as_leader(f) && !f->has_lost &&
	    (news->place != PLACE_LEADER ||
		news->token != f->hook.news.token)) {
		f->has_lost = true;
		f->lost = *news;
		if (news->place == PLACE_LEADER) {
			f->lost.place = PLACE_NO_LEADER;
			f->lost.token = 0;
			f->lost.leader[0] = '\0';
		}
	}
	f->news = *news;
	f->is_told = f->has_lost ? news_are_same(news, &f->lost) : false;
}

/* What an event says of the leader. */
static void
take_leader(struct follow *f, const json_t *event)
{
	const json_t *leader = field(event, "leader");
	struct news *seen = &f->seen;

	*seen = (struct news){
		.place = PLACE_NO_LEADER,
		.term = (uint64_t)json_integer_value(field(event, "term")),
		.token = (uint64_t)json_integer_value(field(event, "token")),
	};
	strcpy(seen->cluster, f->lead->cluster);
	strcpy(seen->node, f->lead->node);
	strcpy(seen->leader, f->lead->leader);
	if (json_is_string(field(event, "reason_name")))
		answer_reason(
		    NULL, event, field(event, "reason"), seen->reason);
	else if (json_is_string(field(event, "reason")))
		plain_text(field(event, "reason"), seen->reason);
	if (json_is_integer(leader))
		seen->place = json_equal(leader, field(event, "self"))
				  ? PLACE_LEADER
				  : PLACE_FOLLOWER;
}

/* Says once why the command does not hear that this node leads. */
static void
explain_no_time(struct follow *f)
{
	const struct electd_news *s = f->lead;

	if (f->is_short || s->until == 0 || s->until == NSEC_NEVER ||
	    stop_time(f) < s->span)
		return;
	f->is_short = true;
	complain(
	    "follow: --stop-time must be less than %.0f ms: choose a longer timing.lease",
	    (double)s->span / (double)MSEC);
}

/* electd has said something, or has gone. */
static void
take_change(struct follow *f, nsec_t now)
{
	const struct electd_news *s = f->lead;
	json_t *event = s->line != NULL ? json_loads(s->line, 0, NULL) : NULL;
	struct news news;

	if (field(event, "reason") != NULL)
		take_leader(f, event);
	json_decref(event);
	news = f->seen;
	if (!s->is_connected)
		news.place = PLACE_UNKNOWN;
	else if (s->until != 0 && s->hands_over)
		news.place = PLACE_HANDS_OVER;
	/* Under quorum a leader is one only while it has a deadline. */
	if (news.place != PLACE_LEADER || (s->until != 0 && now < doubt_at(f)))
		take_news(f, &news);
	else
		explain_no_time(f);
}

static void
take_piece(struct follow *f, nsec_t now)
{
	enum control_code code = CODE_YES;

	if (f->lead->kind == ELECTD_MET)
		f->patience_at = NSEC_NEVER;
	else if (f->lead->kind != ELECTD_LATE)
		take_change(f, now);
	if (f->lead->kind == ELECTD_REFUSED)
		code = explain_refusal(f->electd);
	if (code != CODE_YES)
		verb_loop_end(&f->loop, (int)code);
}

/* The command. */

/* The command could not be started, and was told nothing. If that was so from
 * the beginning, the user must mend it. */
static void
fail(struct follow *f, nsec_t now, int error)
{
	bool is_wrong = error == ENOENT || error == EACCES || error == ENOEXEC;

	complain("%s %s: %s", command_name(f), place_name(f->hook.news.place),
	    strerror(error));
	if (f->is_ended || (is_wrong && !f->has_run))
		verb_loop_end(&f->loop,
		    error == ENOENT ? RUN_NOT_FOUND : RUN_NOT_EXECUTABLE);
	f->hook.news = f->before;
	if (f->tells_lost)
		f->has_lost = true;
	else
		f->is_told = false;
	f->retry_at = nsec_after(now, RETRY);
}

/* Tells the command. */
static void
tell(struct follow *f, nsec_t now, const struct news *news)
{
	int error;

	f->before = f->hook.news;
	f->tells_lost = news == &f->lost;
	error =
	    hook_start(&f->hook, f->loop.options->words, news, &f->loop.mask);
	if (error != 0) {
		fail(f, now, error);
		return;
	}
	f->hook.kill_at = nsec_after(now, f->loop.options->timeout != 0
					      ? f->loop.options->timeout
					      : RUN_TIME);
	say(&f->loop, "%s %s, pid %d", command_name(f), place_name(news->place),
	    (int)f->hook.pid);
}

static void
reap(struct follow *f)
{
	const char *place = place_name(f->hook.news.place);
	int status, error;

	if (f->hook.pid == 0 || waitpid(f->hook.pid, &status, WNOHANG) <= 0)
		return;
	error = hook_end(&f->hook);
	if (error != 0) {
		fail(f, clock_now(), error);
		return;
	}
	f->has_run = true;
	if (f->hook.was_killed)
		return;
	if (WIFSIGNALED(status))
		say(&f->loop, "%s %s: ended by signal %d", command_name(f),
		    place, WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		say(&f->loop, "%s %s: exited %d", command_name(f), place,
		    WEXITSTATUS(status));
}

static void
kill_command(struct follow *f, const char *why)
{
	hook_signal(&f->hook, SIGKILL);
	f->hook.was_killed = true;
	f->hook.kill_at = NSEC_NEVER;
	say(&f->loop, "%s %s: killed, as %s", command_name(f),
	    place_name(f->hook.news.place), why);
}

/* The command is told what comes next, if there is anything. */
static void
tell_next(struct follow *f, nsec_t now)
{
	if (now < f->retry_at)
		return;
	if (f->has_lost) {
		f->has_lost = false;
		tell(f, now, &f->lost);
	} else if (!f->is_told && !f->is_ended) {
		f->is_told = true;
		tell(f, now, &f->news);
	}
}

/* Does what is due. */
static void
look(struct follow *f, nsec_t now)
{
	struct news news = f->news;

	if (now >= f->patience_at) {
		f->patience_at = NSEC_NEVER;
		f->is_told = false;
	}
	news.place = PLACE_UNKNOWN;
	if (f->news.place == PLACE_LEADER &&
	    (now >= doubt_at(f) || f->is_ended))
		take_news(f, &news);
	if (f->hook.pid != 0 && f->has_lost && acts_as_leader(f) &&
	    !f->hook.was_killed)
		kill_command(f, "this node may no longer lead");
	else if (f->hook.pid != 0 && now >= f->hook.kill_at)
		kill_command(f, "it takes too long");
	if (f->hook.pid != 0)
		return;
	tell_next(f, now);
	if (f->hook.pid == 0 && !f->has_lost && !acts_as_leader(f))
		electd_give_back(f->electd);
	if (f->hook.pid == 0 && f->is_ended && !f->has_lost && !f->loop.is_over)
		verb_loop_end(&f->loop, CODE_YES);
}

/* The loop. */

/* When look() is wanted next. */
static nsec_t
due_at(const struct follow *f)
{
	nsec_t at = f->hook.pid != 0 ? f->hook.kill_at : NSEC_NEVER;

	at = nsec_earlier(at, f->patience_at);
	if (f->hook.pid == 0 && (f->has_lost || !f->is_told))
		at = nsec_earlier(at, f->retry_at);
	if (f->news.place == PLACE_LEADER)
		at = nsec_earlier(at, doubt_at(f));
	return at;
}

static void
take_signals(struct follow *f)
{
	int number;

	while ((number = verb_loop_signal(&f->loop)) != 0)
		f->is_ended = f->is_ended || number != SIGCHLD;
}

static void
loop(struct follow *f)
{
	while (!f->loop.is_over) {
		struct pollfd pollers[POLLERS_OWN + 1] = {
			[POLLERS_OWN] = { .fd = electd_fd(f->electd),
			    .events = POLLIN },
		};

		verb_loop_wait(&f->loop, pollers, POLLERS_OWN + 1, due_at(f));
		take_signals(f);
		reap(f);
		while (!f->loop.is_over && electd_next(f->electd) != NULL)
			take_piece(f, clock_now());
		if (!f->loop.is_over)
			look(f, clock_now());
	}
}

enum control_code
run_follow(const struct command *command, const struct options *options)
{
	struct follow f = {
		.is_told = true, /* there are no news yet */
		.patience_at = nsec_after(clock_now(), PATIENCE),
		.seen.place = PLACE_UNKNOWN,
		.news.place = PLACE_UNKNOWN,
		.hook.news.place = PLACE_UNKNOWN,
	};
	char path[CONTROL_PATH_MAX];
	enum control_code code = find_socket(&options->place, path);

	if (code != CODE_YES)
		return code;
	f.electd =
	    electd_new(path[0] != '\0' ? path : NULL, ELECTD_LEAD_EVEN_IF_TWO);
	if (f.electd == NULL || !verb_loop_init(&f.loop, options, NULL)) {
		complain("%s: %s", command->name, strerror(errno));
		electd_free(f.electd);
		return CODE_UNKNOWN;
	}
	f.lead = electd_state(f.electd);
	loop(&f);
	if (!acts_as_leader(&f))
		electd_leave(f.electd);
	electd_free(f.electd);
	close(f.loop.signals);
	close(f.loop.alarm);
	/* This may be a status beside the codes of electctl. */
	return (enum control_code)f.loop.status;
}
