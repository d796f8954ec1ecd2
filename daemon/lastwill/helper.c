/* SPDX-License-Identifier: ISC */
#include "daemon/lastwill/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/lastwill/will_share.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

#define AGAIN_MIN SEC        /* pause before the third start in a row */
#define AGAIN_MAX (60 * SEC) /* greatest pause; a run that long ends a row */
#define END_MAX   SEC        /* an end in order takes microseconds */

/* Paths from electd's own program: in the build directory, and installed. */
static const char *const paths[] = { "lastwill", "../libexec/electd/lastwill" };

struct helper {
	struct will_share share; /* memory shared with lastwill */
	const struct udp *udp;   /* has the addresses of the peers */
	nsec_t detection;        /* detection time: peers notice a death that
				  * late without a will */
	char path[PATH_MAX];     /* path of the program; "": not found */
	pid_t pid;               /* process of lastwill; 0: none */
	nsec_t started;          /* when a start was last tried */
	nsec_t pause;            /* before the next start */
	nsec_t again_at;         /* when to start it; NSEC_NEVER: it runs */
	bool is_first;           /* no start was tried yet */
	bool fails;              /* the last start failed */
};

/* Finds lastwill relative to our own program. */
static bool
helper_find(struct helper *h)
{
	char self[PATH_MAX], *slash;
	ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (size <= 0)
		return false;
	self[size] = '\0';
	slash = strrchr(self, '/');
	if (slash == NULL)
		return false;
	slash[1] = '\0';
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		size =
		    snprintf(h->path, sizeof(h->path), "%s%s", self, paths[i]);
		if (size < (ssize_t)sizeof(h->path) &&
		    access(h->path, X_OK) == 0)
			return true;
	}
	h->path[0] = '\0';
	errno = ENOENT;
	return false;
}

/* Starts the process without arguments and environment. */
static int
helper_spawn(struct helper *h, const posix_spawn_file_actions_t *files,
    const posix_spawnattr_t *attributes)
{
	char name[] = "lastwill"; /* posix_spawn() wants it writable */
	char *argv[] = { name, NULL }, *environment[] = { NULL };

	return posix_spawn(
	    &h->pid, h->path, files, attributes, argv, environment);
}

/* lastwill inherits the memory and the alarm, but no other file, no signal mask
 * and no terminal. */
static int
helper_prepare(
    struct helper *h, posix_spawn_file_actions_t *files, posix_spawnattr_t *a)
{
	sigset_t all;
	int error;

	/* The memory first: its number may be WILL_ALARM_FD. */
	error = posix_spawn_file_actions_adddup2(files, h->share.fd, WILL_FD);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(
		    files, h->share.alarm_fd, WILL_ALARM_FD);
	for (int fd = 0; fd < WILL_FD && error == 0; fd++)
		error = posix_spawn_file_actions_addopen(
		    files, fd, "/dev/null", O_RDWR, 0);
	sigfillset(&all);
	posix_spawnattr_setsigmask(a, &all);
	posix_spawnattr_setsigdefault(a, &all);
	posix_spawnattr_setflags(a, POSIX_SPAWN_SETSID |
					POSIX_SPAWN_SETSIGMASK |
					POSIX_SPAWN_SETSIGDEF);
	return error;
}

/* Returns false and sets errno on failure. */
static bool
helper_start(struct helper *h)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int error;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	error = helper_prepare(h, &files, &attributes);
	if (error == 0)
		error = helper_spawn(h, &files, &attributes);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	if (error == 0)
		return true;
	h->pid = 0;
	errno = error;
	return false;
}

/* Starts another at once, or after a pause that doubles while they end soon, or
 * cannot be started. */
static void
helper_start_again(struct helper *h)
{
	nsec_t now = clock_now();

	if (nsec_since(now, h->started) >= AGAIN_MAX)
		h->pause = 0;
	h->again_at = nsec_after(now, h->pause);
	h->pause =
	    h->pause == 0 ? AGAIN_MIN : nsec_earlier(2 * h->pause, AGAIN_MAX);
}

nsec_t
helper_deadline(const struct helper *helper)
{
	return helper->again_at;
}

/* The first failure of a row is logged. */
void
helper_tend(struct helper *h, nsec_t now)
{
	bool was_failing = h->fails, is_first = h->is_first;

	if (now < h->again_at)
		return;
	h->again_at = NSEC_NEVER;
	h->started = now;
	h->is_first = false;
	h->fails = !helper_find(h) || !helper_start(h);
	if (!h->fails && !is_first)
		log_info("started lastwill again (%s)", h->path);
	if (!h->fails)
		return;
	if (!was_failing)
		log_warn(
		    "cannot start %s, which announces a crash of electd: until a later try succeeds, peers take %" PRIu64
		    " ms to notice one",
		    h->path[0] != '\0' ? h->path : paths[0],
		    h->detection / MSEC);
	helper_start_again(h);
}

static void
log_end(int status)
{
	if (WIFSIGNALED(status))
		log_warnx("lastwill was ended by signal %d; starting it again",
		    WTERMSIG(status));
	else
		log_warnx("lastwill ended with status %d; starting it again",
		    WEXITSTATUS(status));
}

void
helper_ended(struct helper *h)
{
	int status;

	if (h->pid == 0 ||
	    waitpid(h->pid, &status, WNOHANG | WUNTRACED) != h->pid)
		return;
	if (WIFSTOPPED(status)) {
		log_warnx("lastwill was stopped by signal %d; ending it",
		    WSTOPSIG(status));
		kill(h->pid, SIGKILL);
		return;
	}
	h->pid = 0;
	log_end(status);
	helper_start_again(h);
}

static struct will_plan
helper_plan(struct helper *h, const struct settings *settings,
    const struct will_rules *rules)
{
	h->detection =
	    settings->shared.timing.heartbeat * settings->shared.timing.misses;
	return (struct will_plan){
		.peers_count = (unsigned)settings->shared.nodes_count - 1,
		.hang = rules->hang,
		.has_successor = rules->has_successor,
	};
}

/* Makes the shared memory. lastwill sends from our own address, but from
 * another port. */
static int
helper_share(struct helper *h, const struct settings *settings,
    const struct will_rules *rules)
{
	struct sockaddr_storage own = { 0 };
	socklen_t size = sizeof(own);
	struct will_plan plan = helper_plan(h, settings, rules);

	if (getsockname(udp_fd(h->udp), (struct sockaddr *)&own, &size) != 0)
		return -errno;
	return share_create(&h->share, (const struct sockaddr *)&own, &plan);
}

struct helper *
helper_new(const struct settings *settings, const struct will_rules *rules,
    const struct udp *udp)
{
	struct helper *h = calloc(1, sizeof(*h));
	int error = -ENOMEM;

	if (h != NULL) {
		h->udp = udp;
		h->is_first = true;
		error = helper_share(h, settings, rules);
	}
	if (error != 0) {
		errno = -error;
		log_error("cannot share memory with lastwill");
		free(h);
		return NULL;
	}
	helper_tend(h, clock_now());
	return h;
}

void
helper_begin_change(struct helper *helper, const struct settings *settings,
    const struct will_rules *rules)
{
	struct will_plan plan = helper_plan(helper, settings, rules);

	will_begin_change(&helper->share.will, &plan);
}

void
helper_end_change(struct helper *helper)
{
	share_end_change(&helper->share);
}

/* Waits for lastwill's end, or kills it. It is our child, so its pid cannot be
 * another process's yet. */
static void
helper_await(pid_t pid)
{
	struct timespec most = { .tv_sec = END_MAX / SEC };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (waitpid(pid, NULL, WNOHANG) != 0)
		return;
	while (sigtimedwait(&child, NULL, &most) >= 0) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

void
helper_free(struct helper *helper, bool in_order)
{
	sigset_t child, before;

	if (helper == NULL)
		return;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	if (in_order) {
		share_end(&helper->share);
		if (helper->pid != 0)
			helper_await(helper->pid);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(helper);
}

void
helper_take_will(struct helper *helper, const struct action *action)
{
	const struct sockaddr *to = udp_address(helper->udp, action->peer);

	will_set(&helper->share.will, action->place,
	    action->releases ? WILL_RELEASING : WILL_PLAIN, to,
	    action->datagram, to != NULL ? action->size : 0);
}

void
helper_set_handed_out(struct helper *helper, nsec_t until)
{
	will_set_handed_out(&helper->share.will, until);
}

bool
helper_beat(struct helper *helper)
{
	return share_beat(&helper->share);
}

/* Well before lastwill sees a hang. */
nsec_t
helper_beat_within(const struct helper *helper)
{
	return will_hang(&helper->share.will) / 4 * 3;
}
