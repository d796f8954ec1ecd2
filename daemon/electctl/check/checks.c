/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/check/checks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/electctl/check/check.h"
#include "daemon/electctl/run/children.h"
#include "daemon/electctl/run/verb_loop.h"
#include "daemon/system/clock.h"

#define TRY_GAP     (100 * MSEC) /* from one attempt to connect to the next */
#define ANSWER_TIME (1 * SEC)    /* for a connection */
#define REFUSED_GAP (1 * SEC)    /* from an error to the next attempt */
#define SILENCE_MAX (10 * SEC)   /* without an answer: we connect anew */
#define BEAT        (1 * SEC)    /* between reports, until electd says more */
#define VALID_PARTS 3            /* reports made while one counts */

/* How the services are, as far as electd is to know it. */
struct health {
	bool is_known;
	bool is_well;
	const char *reason; /* if it is known, and not well */
};

struct checks {
	struct verb_loop loop;
	struct children others; /* of whoever became electctl */

	struct electd *daemon; /* NULL: not connected */
	nsec_t try_at;         /* the next attempt to connect */
	bool is_missed;        /* we have said that no daemon answers */
	bool is_asked; /* an answer is to come, to a report of asked_at */
	bool is_taken; /* a report was taken, by any daemon */
	nsec_t asked_at;
	nsec_t beat;        /* between two reports */
	nsec_t report_at;   /* the next one */
	struct health said; /* in the last one */

	json_int_t list; /* the number of the list of checks; 0: none yet */
	struct check checks[CHECKS_MAX];
	size_t checks_count;
};

/* The health. */

static struct health
judge(const struct checks *c)
{
	struct health health = { .is_known = true, .is_well = true };

	for (size_t i = 0; i < c->checks_count; i++) {
		const struct check *check = &c->checks[i];

		if (check->tally.verdict == TALLY_FAULT)
			return (struct health){
				.is_known = true,
				.reason = check->reason,
			};
		health.is_known &= check->tally.verdict == TALLY_WELL;
	}
	return health;
}

/* A verdict of a check has changed: electd must know at once if that changes
 * how the services are. */
static void
note(struct checks *c, nsec_t now, const struct check *check)
{
	struct health health = judge(c);

	if (check->tally.verdict == TALLY_FAULT)
		say(&c->loop, "%s", check->reason);
	else
		say(&c->loop, "check %s: passes", check->name);
	if (health.is_known != c->said.is_known ||
	    health.is_well != c->said.is_well)
		c->report_at = now;
}

/* The connection. */

static void
disconnect(struct checks *c, nsec_t now)
{
	electd_free(c->daemon);
	c->daemon = NULL;
	c->is_asked = false;
	c->list = 0;
	c->try_at = nsec_after(now, TRY_GAP);
}

static char *
report_line(const struct checks *c, const struct health *health)
{
	json_t *report =
	    json_pack("{s:s,s:I}", "verb", "health", "list", c->list);
	char reason[STANDBY_REASON_MAX + 1];
	char *line;

	if (c->list != 0 && health->is_known)
		json_object_set_new(
		    report, "ok", json_boolean(health->is_well));
	if (health->reason != NULL) {
		cut_reason(health->reason, reason);
		json_object_set_new(report, "reason", json_string(reason));
	}
	line = json_dumps(report, JSON_COMPACT);
	json_decref(report);
	return line;
}

static void
send_report(struct checks *c, nsec_t now)
{
	struct health health = judge(c);
	char *line = report_line(c, &health);

	if (line == NULL || !electd_send(c->daemon, line)) {
		disconnect(c, now);
	} else {
		c->is_asked = true;
		c->asked_at = now;
		c->report_at = nsec_after(now, c->beat);
		c->said = health;
	}
	free(line);
}

/* The check that is the same already; NULL: there is none. */
static struct check *
find_same(struct checks *c, const json_t *definition)
{
	for (size_t i = 0; i < c->checks_count; i++) {
		struct check *check = &c->checks[i];

		if (check->definition != NULL &&
		    json_equal(check->definition, definition))
			return check;
	}
	return NULL;
}

/* The check in whose place one of the others comes; NULL: there is none. */
static struct check *
find_heir(struct check *checks, size_t count, const struct check *old)
{
	for (size_t i = 0; i < count; i++) {
		if (checks[i].pid == 0 &&
		    strcmp(checks[i].name, old->name) == 0)
			return &checks[i];
	}
	return NULL;
}

/* Takes another list. A check that stays goes on; what runs of others ends.
 * False if the list makes no sense. */
static bool
take_list(struct checks *c, nsec_t now, const json_t *list)
{
	struct check checks[CHECKS_MAX];
	size_t count = json_array_size(list), made = 0;

	if (count > CHECKS_MAX)
		return false;
	for (; made < count; made++) {
		json_t *definition = json_array_get(list, made);
		struct check *same = find_same(c, definition);

		if (same != NULL) {
			checks[made] = *same;
			same->definition = NULL; /* it has moved */
		} else if (!check_init(&checks[made], definition, now)) {
			break;
		}
	}
	for (size_t i = 0; i < c->checks_count; i++) {
		struct check *old = &c->checks[i];
		struct check *heir = old->definition == NULL
					 ? NULL
					 : find_heir(checks, made, old);

		if (heir != NULL)
			check_replace(old, heir, now);
		else if (old->definition != NULL)
			check_free(old);
	}
	memcpy(c->checks, checks, made * sizeof(checks[0]));
	c->checks_count = made;
	return made == count;
}

/* Takes electd's answer to a report. False if it makes no sense. */
static bool
take_answer(struct checks *c, nsec_t now, const json_t *answer)
{
	const json_t *list = field(answer, "list");
	const json_t *checks = field(answer, "checks");
	double valid = json_number_value(field(answer, "valid_ms"));

	if (!json_is_integer(list) || valid < 1 || valid > 1e6)
		return false;
	c->is_taken = true;
	c->beat = (nsec_t)(valid * (double)MSEC) / VALID_PARTS;
	if (checks == NULL)
		return json_integer_value(list) == c->list;
	if (!take_list(c, now, checks))
		return false;
	c->list = json_integer_value(list);
	c->report_at = now;
	if (c->checks_count == 0)
		say(&c->loop, "no checks yet: waiting for some");
	else
		say(&c->loop, "%zu check%s to run", c->checks_count,
		    c->checks_count == 1 ? "" : "s");
	return true;
}

/* electd has refused the report. There is no use in trying again, unless it had
 * no place for us, or did not know yet that our last connection has ended. */
static void
take_error(struct checks *c, nsec_t now, const json_t *answer)
{
	enum control_code code = check_error(answer);

	disconnect(c, now);
	c->try_at = nsec_after(now, REFUSED_GAP);
	if (code != CODE_UNREACHABLE && !(code == CODE_REFUSED && c->is_taken))
		verb_loop_end(&c->loop, (int)code);
}

static void
take_line(struct checks *c, nsec_t now, const char *line)
{
	json_t *answer = json_loads(line, 0, NULL);

	c->is_asked = false;
	if (field(answer, "error") != NULL) {
		take_error(c, now, answer);
	} else if (!take_answer(c, now, answer)) {
		complain("checks: the daemon's answer makes no sense");
		verb_loop_end(&c->loop, CODE_UNKNOWN);
	}
	json_decref(answer);
}

static void
take_answers(struct checks *c, nsec_t now)
{
	while (c->daemon != NULL && !c->loop.is_over) {
		const char *line;
		enum electd_received received =
		    electd_receive(c->daemon, &line);

		if (received == ELECTD_TOO_LATE)
			return;
		if (received == ELECTD_LINE)
			take_line(c, now, line);
		else
			disconnect(c, now);
	}
}

static void
try_to_connect(struct checks *c, nsec_t now)
{
	char path[CONTROL_PATH_MAX];
	enum control_code code = ask_socket(c->loop.options, true, path);
	int error = ENOENT;

	c->try_at = nsec_after(now, TRY_GAP);
	if (code != CODE_YES) {
		verb_loop_end(&c->loop, (int)code);
		return;
	}
	if (path[0] != '\0')
		error = ask_try(path, ANSWER_TIME, &c->daemon);
	if (error == ENOENT || error == ECONNREFUSED || error == EAGAIN) {
		if (!c->is_missed)
			say(&c->loop, "no daemon answers: waiting");
		c->is_missed = true;
	} else if (error != 0) {
		verb_loop_end(&c->loop, (int)explain_connection(path, error));
	} else {
		electd_set_output(c->daemon, -1);
		(void)electd_limit(c->daemon, 0);
		c->is_missed = false;
		c->report_at = now;
	}
}

/* The processes. */

static struct check *
check_of(struct checks *c, pid_t pid)
{
	for (size_t i = 0; i < c->checks_count; i++) {
		if (c->checks[i].pid == pid)
			return &c->checks[i];
	}
	return NULL;
}

/* What a check that runs has left to us may yet be of use to it. */
static bool
is_spared(const void *context, pid_t pid)
{
	const struct checks *c = context;
	pid_t session = getsid(pid);

	for (size_t i = 0; i < c->checks_count; i++) {
		pid_t runs = c->checks[i].pid;

		if (runs != 0 && (runs == pid || runs == session))
			return true;
	}
	return children_have(&c->others, pid);
}

/* Takes note of the children that have ended. The group of a check gets its
 * last signal while its number cannot be another's yet. What the check has left
 * behind is killed, also what has become a daemon. */
static void
reap(struct checks *c, nsec_t now)
{
	siginfo_t ended = { .si_pid = 0 };
	bool has_ended = false;
	int status;

	while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       ended.si_pid != 0) {
		struct check *check = check_of(c, ended.si_pid);

		if (check != NULL)
			(void)kill(-check->pid, SIGKILL);
		(void)waitpid(ended.si_pid, &status, 0);
		if (check != NULL && check_ended(check, status))
			note(c, now, check);
		has_ended = true;
		ended.si_pid = 0;
	}
	if (has_ended)
		children_kill(is_spared, c);
}

/* The loop. */

static void
take_signals(struct checks *c)
{
	int number;

	while ((number = verb_loop_signal(&c->loop)) != 0) {
		if (number != SIGCHLD)
			verb_loop_end(&c->loop, CODE_YES);
	}
}

/* Does what is due. */
static void
look(struct checks *c, nsec_t now)
{
	for (size_t i = 0; i < c->checks_count; i++) {
		if (check_look(&c->checks[i], now))
			note(c, now, &c->checks[i]);
	}
	if (c->is_asked && now >= nsec_after(c->asked_at, SILENCE_MAX))
		disconnect(c, now);
	if (c->daemon == NULL && now >= c->try_at)
		try_to_connect(c, now);
	if (c->daemon != NULL && !c->is_asked && now >= c->report_at)
		send_report(c, now);
}

/* When look() is wanted next. */
static nsec_t
due_at(const struct checks *c)
{
	nsec_t at = c->try_at;

	if (c->is_asked)
		at = nsec_after(c->asked_at, SILENCE_MAX);
	else if (c->daemon != NULL)
		at = c->report_at;
	for (size_t i = 0; i < c->checks_count; i++)
		at = nsec_earlier(at, check_due_at(&c->checks[i]));
	return at;
}

#define POLLERS (POLLERS_OWN + 1) /* before those of the checks */

static void
loop(struct checks *c)
{
	struct pollfd pollers[POLLERS + CHECKS_MAX];
	struct pollfd *daemon = &pollers[POLLERS_OWN];

	while (!c->loop.is_over) {
		size_t count = c->checks_count;

		*daemon = (struct pollfd){
			.fd = c->daemon != NULL ? electd_fd(c->daemon) : -1,
			.events = POLLIN,
		};
		for (size_t i = 0; i < count; i++)
			pollers[POLLERS + i] = (struct pollfd){
				.fd = c->checks[i].output,
				.events = POLLIN,
			};
		verb_loop_wait(&c->loop, pollers, POLLERS + count, due_at(c));
		take_signals(c);
		for (size_t i = 0; i < count; i++) {
			if (pollers[POLLERS + i].revents != 0)
				check_read(&c->checks[i]);
		}
		reap(c, clock_now());
		if (daemon->revents != 0)
			take_answers(c, clock_now());
		if (!c->loop.is_over)
			look(c, clock_now());
	}
}

/* Gives 0 or an errno. */
static int
begin(struct checks *c, const struct options *options)
{
	if (!verb_loop_init(&c->loop, options, NULL) ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
		return errno;
	return children_list(&c->others) ? 0 : ECHILD;
}

enum control_code
run_checks(const struct command *command, const struct options *options)
{
	struct checks c = { .beat = BEAT };
	int error = begin(&c, options);

	(void)command;
	if (error != 0) {
		complain("checks: %s", strerror(error));
		return CODE_UNKNOWN;
	}
	loop(&c);
	for (size_t i = 0; i < c.checks_count; i++) {
		/* One that waits for a disk may not die, and has no child. */
		if (c.checks[i].disk != NULL)
			children_add(&c.others, c.checks[i].pid);
		check_free(&c.checks[i]);
	}
	(void)children_sweep(&c.others);
	electd_free(c.daemon);
	return (enum control_code)c.loop.status;
}
