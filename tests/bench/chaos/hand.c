/* SPDX-License-Identifier: ISC */
/*
 * hand: does all deeds to the daemon of one host of a chaos run. It runs on the
 * host, makes the host a tiny disk of its own (a tmpfs at DIR/state, in a mount
 * namespace), and obeys lines from its standard input:
 *
 *	init		makes the state file, as the operator does once
 *	start M B	starts a daemon, in a time namespace whose
 *			CLOCK_MONOTONIC and CLOCK_BOOTTIME are M and B
 *			nanoseconds off, unless one runs; waits first for one
 *			that is about to end
 *	kill, term, stop, cont	sends the signal to it
 *	fill, free	fills or empties the disk
 *
 * It adds its deeds to DIR/run.log, a JSON object on each line, with the true
 * CLOCK_MONOTONIC, and keeps the events of start S of host H in DIR/watch.H.S.
 * With the end of its input it ends the daemon and itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/util/types.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

#define DISK       "size=64k,mode=700"
#define WORDS_MAX  256 /* bytes of a line of the input */
#define NAME_BYTES 32
#define LEAVE_S    15 /* for the daemon to end before this process ends */

struct hand {
	const char *directory, *host, *electd, *electctl;
	sigset_t old_signals;
	int log, inotify, signals;
	pid_t daemon, watcher;
	unsigned starts;
	bool is_ending; /* the daemon got SIGTERM */
	bool is_wanted; /* it starts again when it has ended */
	bool is_full;   /* the disk is */
	bool is_leaving;
	int64_t mono_offset, boot_offset; /* of the clocks at the next start */
	char input[WORDS_MAX];
	size_t input_size;
};

static _Noreturn void
die(const char *what)
{
	fprintf(stderr, "hand: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

/* Writes each line at once: other hands add to the same file. */
static void __attribute__((format(printf, 3, 4)))
hand_log(const struct hand *h, const char *what, const char *format, ...)
{
	char more[WORDS_MAX], line[2 * WORDS_MAX];
	struct timespec now;
	va_list arguments;
	int length;

	clock_gettime(CLOCK_MONOTONIC, &now);
	va_start(arguments, format);
	vsnprintf(more, sizeof(more), format, arguments);
	va_end(arguments);
	length = snprintf(line, sizeof(line),
	    "{\"mono_ns\":%lld%09ld,\"what\":\"%s\",\"host\":%s,"
	    "\"start\":%u%s}\n",
	    (long long)now.tv_sec, now.tv_nsec, what, h->host, h->starts, more);
	if (write(h->log, line, (size_t)length) != length)
		die("run.log");
}

static void
hand_redirect(const struct hand *h, int to, const char *kind, const char *rest)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.%s%s", h->directory, kind, h->host,
	    rest);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		_exit(126);
	dup2(fd, to);
}

/*
 * Starts a child that dies with this process. The output of a watcher goes to
 * watch.HOST.START, all else to electd.HOST.log.
 */
static pid_t
hand_fork(const struct hand *h, bool is_watch)
{
	char start[NAME_BYTES];
	pid_t pid = fork();
	int null;

	if (pid < 0)
		die("fork");
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, &h->old_signals, NULL);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0)
		_exit(126);
	dup2(null, STDIN_FILENO);
	snprintf(start, sizeof(start), ".%u", h->starts);
	hand_redirect(h, STDERR_FILENO, "electd", ".log");
	if (is_watch)
		hand_redirect(h, STDOUT_FILENO, "watch", start);
	else
		hand_redirect(h, STDOUT_FILENO, "electd", ".log");
	return 0;
}

/* Splits into seconds, perhaps negative, and nanoseconds beyond them. */
static int
offset_print(char *text, size_t size, const char *clock, int64_t offset)
{
	int64_t beyond = (offset % (int64_t)SEC + (int64_t)SEC) % (int64_t)SEC;

	return snprintf(text, size, "%s %" PRId64 " %" PRId64 "\n", clock,
	    (offset - beyond) / (int64_t)SEC, beyond);
}

/* Sets the clocks of the next children; false: this system cannot. */
static bool
hand_set_clocks(const struct hand *h)
{
	char text[WORDS_MAX];
	bool is_done;
	int fd, length;

	if (unshare(CLONE_NEWTIME) != 0)
		return false;
	fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = offset_print(text, sizeof(text), "monotonic", h->mono_offset);
	length += offset_print(text + length, sizeof(text) - (size_t)length,
	    "boottime", h->boot_offset);
	is_done = write(fd, text, (size_t)length) == length;
	close(fd);
	return is_done;
}

static void
hand_run_daemon(const struct hand *h, const char *extra)
{
	char conf[PATH_MAX];

	snprintf(conf, sizeof(conf), "%s/electd.conf", h->directory);
	execl(h->electd, h->electd, "-c", conf, "-i", h->host, extra,
	    (char *)NULL);
	_exit(127);
}

static void
hand_start(struct hand *h)
{
	if (!hand_set_clocks(h)) {
		h->mono_offset = h->boot_offset = 0;
		(void)hand_set_clocks(h);
	}
	h->starts++;
	h->is_ending = h->is_wanted = false;
	h->watcher = 0; /* the last one ends with the daemon it watched */
	hand_log(h, "start",
	    ",\"mono_offset_ns\":%" PRId64 ",\"boot_offset_ns\":%" PRId64,
	    h->mono_offset, h->boot_offset);
	h->daemon = hand_fork(h, false);
	if (h->daemon == 0)
		hand_run_daemon(h, NULL);
}

/* The daemon's socket is there, so it answers, and the watcher can start. */
static void
hand_watch(struct hand *h)
{
	char socket[PATH_MAX];

	snprintf(socket, sizeof(socket), "%s/%s.sock", h->directory, h->host);
	h->watcher = hand_fork(h, true);
	if (h->watcher != 0)
		return;
	execl(h->electctl, h->electctl, "-s", socket, "-o", "json", "watch",
	    (char *)NULL);
	_exit(127);
}

static void
hand_init_state(const struct hand *h)
{
	pid_t pid = hand_fork(h, false);
	int status;

	if (pid == 0)
		hand_run_daemon(h, "--init-cluster");
	if (waitpid(pid, &status, 0) != pid || status != 0)
		die("electd --init-cluster");
	hand_log(h, "init", "%s", "");
}

static void
hand_signal(struct hand *h, const char *name, int number)
{
	if (h->daemon == 0)
		return;
	if (number == SIGKILL || number == SIGTERM)
		h->is_ending = true;
	if (kill(h->daemon, number) != 0)
		die(name);
	/* Notes the death only now: a daemon that is killed leads no longer. */
	hand_log(h, name, "%s", "");
}

static void
hand_fill(struct hand *h)
{
	char path[PATH_MAX], zeros[512] = { 0 };
	int fd;

	snprintf(path, sizeof(path), "%s/state/fill", h->directory);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		die(path);
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	if (errno != ENOSPC)
		die(path);
	close(fd);
	h->is_full = true;
	hand_log(h, "fill", "%s", "");
}

static void
hand_free(struct hand *h)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/state/fill", h->directory);
	(void)unlink(path);
	h->is_full = false;
	hand_log(h, "free", "%s", "");
}

static void
hand_obey(struct hand *h, const char *line)
{
	if (strcmp(line, "init") == 0)
		hand_init_state(h);
	else if (strcmp(line, "kill") == 0)
		hand_signal(h, line, SIGKILL);
	else if (strcmp(line, "term") == 0)
		hand_signal(h, line, SIGTERM);
	else if (strcmp(line, "stop") == 0)
		hand_signal(h, line, SIGSTOP);
	else if (strcmp(line, "cont") == 0)
		hand_signal(h, line, SIGCONT);
	else if (strcmp(line, "fill") == 0)
		hand_fill(h);
	else if (strcmp(line, "free") == 0)
		hand_free(h);
	else if (sscanf(line, "start %" SCNd64 " %" SCNd64, &h->mono_offset,
		     &h->boot_offset) != 2)
		fprintf(stderr, "hand: %s: not understood\n", line);
	else if (h->daemon == 0)
		hand_start(h);
	else
		h->is_wanted = h->is_ending;
}

static void
hand_leave(struct hand *h)
{
	h->is_leaving = true;
	alarm(LEAVE_S);
	hand_signal(h, "cont", SIGCONT);
	hand_signal(h, "term", SIGTERM);
}

static void
hand_read_input(struct hand *h)
{
	char *line = h->input, *end;
	ssize_t got = read(STDIN_FILENO, h->input + h->input_size,
	    sizeof(h->input) - h->input_size - 1);

	if (got <= 0) {
		hand_leave(h);
		return;
	}
	h->input_size += (size_t)got;
	h->input[h->input_size] = '\0';
	while ((end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		hand_obey(h, line);
		line = end + 1;
	}
	h->input_size = strlen(line);
	memmove(h->input, line, h->input_size);
}

/* The daemon's socket appears when it answers. */
static void
hand_read_names(struct hand *h)
{
	_Alignas(struct inotify_event) char buffer[4096];
	char name[NAME_BYTES];
	ssize_t got = read(h->inotify, buffer, sizeof(buffer));
	const struct inotify_event *e;

	snprintf(name, sizeof(name), "%s.sock", h->host);
	for (char *at = buffer; at < buffer + got; at += sizeof(*e) + e->len) {
		e = (const void *)at;
		if (e->len > 0 && strcmp(e->name, name) == 0 && h->daemon != 0)
			hand_watch(h);
	}
}

static void
hand_reaped(struct hand *h, pid_t pid, int status)
{
	if (pid == h->watcher && h->daemon != 0 && !h->is_ending) {
		/* The daemon may have just died; then there is no harm to do.
		 */
		hand_log(h, "unwatched", "%s", "");
		h->watcher = 0;
	}
	if (pid != h->daemon)
		return;
	hand_log(h, "exit",
	    ",\"asked\":%s,\"full\":%s,\"code\":%d,\"signal\":%d",
	    h->is_ending ? "true" : "false", h->is_full ? "true" : "false",
	    WIFEXITED(status) ? WEXITSTATUS(status) : -1,
	    WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	h->daemon = 0;
	if (h->is_wanted && !h->is_leaving)
		hand_start(h);
}

static void
hand_reap(struct hand *h)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	if (read(h->signals, &info, sizeof(info)) < 0 && errno != EAGAIN)
		die("signalfd");
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		hand_reaped(h, pid, status);
	/* Waits until the last watcher has written all down. */
	if (h->is_leaving && pid < 0 && errno == ECHILD) {
		hand_log(h, "left", "%s", "");
		exit(EXIT_SUCCESS);
	}
}

static void
hand_loop(struct hand *h)
{
	struct pollfd fds[] = {
		{ .fd = h->signals, .events = POLLIN },
		{ .fd = h->inotify, .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
	};

	for (;;) {
		fds[2].fd = h->is_leaving ? -1 : STDIN_FILENO;
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			die("poll");
		if (fds[1].revents != 0)
			hand_read_names(h);
		if (!h->is_leaving && fds[2].revents != 0)
			hand_read_input(h);
		hand_reap(h);
	}
}

static void
hand_make_disk(const struct hand *h)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/state", h->directory);
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		die("a mount namespace");
	if (mount("tmpfs", path, "tmpfs", MS_NODEV | MS_NOSUID, DISK) != 0)
		die(path);
}

static void
hand_open(struct hand *h)
{
	char path[PATH_MAX];
	sigset_t signals;

	snprintf(path, sizeof(path), "%s/run.log", h->directory);
	h->log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (h->log < 0)
		die(path);
	h->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (h->inotify < 0 ||
	    inotify_add_watch(h->inotify, h->directory, IN_MOVED_TO) < 0)
		die("inotify");
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals, &h->old_signals);
	h->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (h->signals < 0)
		die("signalfd");
}

int
main(int argc, char **argv)
{
	static struct hand h;

	if (argc != 5) {
		fputs("usage: hand DIR HOST ELECTD ELECTCTL\n", stderr);
		return 2;
	}
	h.directory = argv[1];
	h.host = argv[2];
	h.electd = argv[3];
	h.electctl = argv[4];
	hand_make_disk(&h);
	hand_open(&h);
	hand_loop(&h);
}
