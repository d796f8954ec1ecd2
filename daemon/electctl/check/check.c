/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/check/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/electctl/check/disk.h"
#include "daemon/electctl/check/pressure.h"
#include "daemon/electctl/run/spawn.h"

#define READ_MAX   16384 /* bytes of a turn: a flood must not stop the rest */
#define PIPE_READS 4     /* of what a pipe holds at most */

/* The definition. */

static bool
take_words(struct check *c, const json_t *command)
{
	size_t count = json_array_size(command);

	if (count == 0 || count > CHECK_WORDS_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		c->words[i] = json_string_value(json_array_get(command, i));
		if (c->words[i] == NULL)
			return false;
	}
	return true;
}

/* A unit counts as well if it is active, and prints what it is otherwise. */
static bool
take_unit(struct check *c, const char *unit)
{
	const char *const words[] = { "systemctl", "is-active", "--", unit };

	memcpy(c->words, words, sizeof(words));
	return true;
}

static nsec_t
take_time(const json_t *ms)
{
	double value = json_number_value(ms);

	return value >= 1 && value < 1e9 ? (nsec_t)(value * (double)MSEC) : 0;
}

static unsigned
take_count(const json_t *count)
{
	json_int_t value = json_integer_value(count);

	return value > 0 && value < 1000 ? (unsigned)value : 0;
}

/* What the check does; electd gives one of four. */
static bool
take_work(struct check *c, const json_t *definition)
{
	const json_t *command = field(definition, "command");
	const char *unit = json_string_value(field(definition, "unit"));

	c->disk = json_string_value(field(definition, "disk"));
	c->pressure = json_string_value(field(definition, "pressure"));
	c->limit = take_count(field(definition, "limit"));
	if (command != NULL)
		return take_words(c, command);
	if (unit != NULL)
		return take_unit(c, unit);
	return c->disk != NULL || (c->pressure != NULL && c->limit > 0);
}

bool
check_init(struct check *c, json_t *definition, nsec_t now)
{
	*c = (struct check){
		.name = json_string_value(field(definition, "name")),
		.interval = take_time(field(definition, "interval_ms")),
		.timeout = take_time(field(definition, "timeout_ms")),
		.rise = take_count(field(definition, "rise")),
		.fall = take_count(field(definition, "fall")),
		.next_at = now,
		.output = -1,
		.failed = -1,
	};
	if (c->name == NULL || c->interval == 0 || c->timeout == 0 ||
	    c->rise == 0 || c->fall == 0 || !take_work(c, definition))
		return false;
	c->definition = json_incref(definition);
	return true;
}

/* The output. */

static void
tail_take(struct tail *tail, char byte)
{
	bool is_blank = byte == ' ' || byte == '\t' || byte == '\r';

	if (byte == '\n') {
		tail->is_ended = true;
		return;
	}
	if (tail->is_ended && !is_blank)
		*tail = (struct tail){ .size = 0 };
	if (tail->is_ended || tail->size == sizeof(tail->line) ||
	    (is_blank &&
		(tail->size == 0 || tail->line[tail->size - 1] == ' ')))
		return;
	tail->line[tail->size++] = byte == '\0' ? '?' : is_blank ? ' ' : byte;
}

void
check_read(struct check *c)
{
	char bytes[READ_MAX];
	ssize_t got = read(c->output, bytes, sizeof(bytes));

	for (ssize_t i = 0; i < got; i++)
		tail_take(&c->tail, bytes[i]);
	if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	close(c->output);
	c->output = -1;
}

/* The result. */

static bool
check_pass(struct check *c)
{
	bool has_changed = tally_take(&c->tally, true, c->rise, c->fall);

	if (c->tally.verdict == TALLY_WELL)
		c->reason[0] = '\0';
	return has_changed;
}

/* Says why, with what the command has said last. */
__attribute__((format(printf, 2, 3))) static bool
check_fail(struct check *c, const char *format, ...)
{
	char what[64];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	if (c->tail.size > 0 && c->tail.line[c->tail.size - 1] == ' ')
		c->tail.size--;
	snprintf(c->reason, sizeof(c->reason), "check %.*s: %s%s%.*s",
	    CHECK_NAME_BYTES - 1, c->name, what, c->tail.size > 0 ? ": " : "",
	    (int)c->tail.size, c->tail.line);
	make_plain(c->reason);
	return tally_take(&c->tally, false, c->rise, c->fall);
}

static void
close_pipes(struct check *c)
{
	if (c->output >= 0)
		close(c->output);
	if (c->failed >= 0)
		close(c->failed);
	c->output = c->failed = -1;
}

bool
check_ended(struct check *c, int status)
{
	bool was_killed = c->kill_at == NSEC_NEVER;
	int error = spawn_error(&c->failed, false);

	for (int i = 0; i < PIPE_READS && c->output >= 0; i++)
		check_read(c); /* what it has said last */
	close_pipes(c);
	c->pid = 0;
	if (was_killed) {
		c->next_at = nsec_after(c->started_at, c->interval);
		return false; /* that was a failure already */
	}
	if (error != 0)
		return check_fail(c, "cannot run: %s", strerror(error));
	if (WIFSIGNALED(status))
		return check_fail(c, "ended by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return check_fail(c, "exited %d", WEXITSTATUS(status));
	return check_pass(c);
}

/* The run. */

/* What a new process is given. */
struct start {
	const struct check *check;
	int output;
};

/* Does what is no command. The process may outlive us, and keeps nothing of
 * ours open: electd would take that for the checker. */
static void
work(const struct check *c)
{
	int status;

	if (close_range(STDERR_FILENO + 1, ~0U, 0) != 0)
		_exit(EXIT_FAILURE);
	status = c->disk != NULL ? disk_check(c->disk)
				 : pressure_check(c->pressure, c->limit);
	_exit(status);
}

/* Called in the process that becomes the command. */
static bool
prepare_command(const void *context)
{
	const struct start *start = context;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)signal(SIGPIPE, SIG_DFL);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(start->output, STDOUT_FILENO) < 0 ||
	    dup2(start->output, STDERR_FILENO) < 0)
		return false;
	if (start->check->words[0] == NULL)
		work(start->check);
	return true;
}

static bool
check_start(struct check *c, nsec_t now)
{
	sigset_t none;
	int output[2];
	struct start start = { .check = c };
	const struct spawn spawn = {
		.words = (char *const *)(uintptr_t)c->words,
		.mask = &none,
		.has_session = true,
		.prepare = prepare_command,
		.context = &start,
	};
	pid_t pid;

	c->tail = (struct tail){ .size = 0 };
	if (pipe2(output, O_CLOEXEC) != 0)
		return check_fail(c, "cannot run: %s", strerror(errno));
	/* The command's end waits, as any program expects it. */
	(void)fcntl(output[0], F_SETFL, O_NONBLOCK);
	start.output = output[1];
	sigemptyset(&none);
	pid = spawn_start(&spawn, &c->failed);
	close(output[1]);
	c->output = output[0];
	c->started_at = now;
	c->kill_at = nsec_after(now, c->timeout);
	c->pid = pid > 0 ? pid : 0;
	if (pid > 0)
		return false;
	close_pipes(c);
	return check_fail(c, "cannot run: %s", strerror(-pid));
}

/* Ends one that takes too long, which is a failure. */
static bool
check_kill(struct check *c, nsec_t now)
{
	(void)kill(c->pid, SIGKILL);
	(void)kill(-c->pid, SIGKILL);
	c->kill_at = NSEC_NEVER;
	c->next_at = nsec_after(now, c->interval); /* or once it has ended */
	if (c->output >= 0)
		check_read(c);
	return check_fail(c, "timed out");
}

bool
check_look(struct check *c, nsec_t now)
{
	if (now < check_due_at(c))
		return false;
	if (c->pid != 0 && c->kill_at != NSEC_NEVER)
		return check_kill(c, now);
	c->next_at = nsec_after(now, c->interval);
	if (c->pid != 0)
		return check_fail(c, "cannot be killed");
	return check_start(c, now);
}

nsec_t
check_due_at(const struct check *c)
{
	return c->pid != 0 && c->kill_at != NSEC_NEVER ? c->kill_at
						       : c->next_at;
}

void
check_replace(struct check *old, struct check *c, nsec_t now)
{
	c->pid = old->pid;
	if (c->pid != 0) {
		c->kill_at = NSEC_NEVER;
		c->next_at = nsec_after(now, c->interval);
	}
	check_free(old);
}

void
check_free(struct check *c)
{
	if (c->pid != 0) {
		(void)kill(c->pid, SIGKILL);
		(void)kill(-c->pid, SIGKILL);
	}
	close_pipes(c);
	json_decref(c->definition);
}
