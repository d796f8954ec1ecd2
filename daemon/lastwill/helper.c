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

#include "daemon/lastwill/will.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

#define AGAIN_MIN SEC        /* pause before the third start in a row */
#define AGAIN_MAX (60 * SEC) /* greatest pause; a row ends if it runs so long */
#define END_MAX   SEC        /* an end in order takes microseconds */

/* Paths from electd's own program: in the build directory, and installed. */
static const char *const paths[] = { "lastwill", "../libexec/electd/lastwill" };

struct helper {
	struct will_view will; /* the memory shared with lastwill */
	const struct udp *udp; /* has the addresses of the peers */
	char path[PATH_MAX];   /* of the program; "": not found */
	pid_t pid;             /* of the process; 0: none */
	nsec_t started;        /* when it was last started */
	nsec_t pause;          /* before the next start */
	nsec_t again_at;       /* when to start it again; NSEC_NEVER: it runs */
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
	static char name[] = "lastwill"; /* posix_spawn() wants it writable */
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
	error = posix_spawn_file_actions_adddup2(files, h->will.fd, WILL_FD);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(
		    files, h->will.alarm_fd, WILL_ALARM_FD);
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
	h->started = clock_now();
	if (error == 0)
		return true;
	h->pid = 0;
	errno = error;
	return false;
}

/* Starts another at once, or after a pause that doubles while they end soon. */
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
	return helper == NULL ? NSEC_NEVER : helper->again_at;
}

void
helper_tend(struct helper *h, nsec_t now)
{
	if (now < helper_deadline(h))
		return;
	h->again_at = NSEC_NEVER;
	if (helper_start(h)) {
		log_info("started lastwill again (%s)", h->path);
		return;
	}
	log_warn(
	    "cannot start %s again, so peers would notice a crash late; trying on",
	    h->path);
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
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (h == NULL || pid != h->pid)
			continue; /* one that was retired */
		h->pid = 0;
		log_end(status);
		helper_start_again(h);
	}
}

/* Makes the shared memory. lastwill sends from our own address, but from
 * another port. */
static int
helper_share(struct helper *h, const struct settings *settings,
    const struct will_rules *rules, const struct udp *udp)
{
	struct sockaddr_storage own = { 0 };
	socklen_t size = sizeof(own);
	struct will_plan plan = {
		.peers_count = (unsigned)settings->nodes_count - 1,
		.own = (const struct sockaddr *)&own,
		.hang = rules->hang,
		.lease = rules->lease,
		.has_successor = rules->has_successor,
	};

	if (getsockname(udp_fd(udp), (struct sockaddr *)&own, &size) != 0)
		return -errno;
	return will_create(&h->will, &plan);
}

struct helper *
helper_new(const struct settings *settings, const struct will_rules *rules,
    const struct udp *udp)
{
	struct helper *h = calloc(1, sizeof(*h));
	int error;

	if (h == NULL)
		return NULL;
	h->udp = udp;
	h->again_at = NSEC_NEVER;
	error = helper_share(h, settings, rules, udp);
	if (error == 0 && helper_find(h) && helper_start(h))
		return h;
	if (error != 0)
		errno = -error;
	log_warn(
	    "cannot start %s, which announces a crash of electd: peers will take %" PRIu64
	    " ms to notice one",
	    h->path[0] != '\0' ? h->path : paths[0],
	    settings->timing.heartbeat * settings->timing.misses / MSEC);
	helper_free(h, true);
	return NULL;
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
		will_end(&helper->will);
		if (helper->pid != 0)
			helper_await(helper->pid);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(helper);
}

void
helper_retire(struct helper *helper)
{
	if (helper == NULL)
		return;
	will_end(&helper->will);
	free(helper);
}

void
helper_take_will(struct helper *helper, const struct action *action)
{
	const struct sockaddr *to;

	if (helper == NULL)
		return;
	to = udp_address(helper->udp, action->peer);
	if (to != NULL)
		will_set_address(&helper->will, action->place, to);
	will_set(&helper->will, action->place,
	    action->releases ? WILL_RELEASING : WILL_PLAIN, action->datagram,
	    action->size);
}

void
helper_take_promise(struct helper *helper, nsec_t until)
{
	if (helper != NULL)
		will_promise(&helper->will, until);
}

bool
helper_beat(struct helper *helper)
{
	return helper != NULL && will_beat(&helper->will);
}

/* Well before lastwill sees a hang. */
nsec_t
helper_beat_within(const struct helper *helper)
{
	return helper == NULL ? NSEC_NEVER : helper->will.hang / 4 * 3;
}
