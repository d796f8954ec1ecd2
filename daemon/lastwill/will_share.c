/* SPDX-License-Identifier: ISC */
#include "daemon/lastwill/will_share.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/system/clock.h"

#define SHARE_MAGIC UINT64_C(0x656c63742d776c33) /* "elct-wl3", layout 3 */

/* Seals that keep the memory's size. */
#define SHARE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

union share_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/* The beginning of the file. The memory of will.h follows at WILL_AT. */
struct share_memory {
	uint64_t magic;          /* SHARE_MAGIC */
	_Atomic uint64_t alarm;  /* when it goes off, on CLOCK_MONOTONIC */
	pthread_mutex_t life;    /* electd's main thread holds it for life */
	union share_address own; /* the node's address, with port 0 */
};

#define WILL_AT 128 /* bytes; aligned for any type */
_Static_assert(sizeof(struct share_memory) <= WILL_AT, "one after the other");

static nsec_t
monotonic_now(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* never fails */
	return (nsec_t)ts.tv_sec * SEC + (nsec_t)ts.tv_nsec;
}

/* The bytes of the file. */
static size_t
share_size(void)
{
	return WILL_AT + will_size(WILL_ROOM_MAX);
}

static void *
share_will(struct share_memory *memory)
{
	return (uint8_t *)memory + WILL_AT;
}

/* Makes an anonymous file, sealed so that neither process can truncate it while
 * the other has it mapped. Returns a descriptor or a negative errno. */
static int
memory_open(void)
{
	int fd = memfd_create("will", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int error;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)share_size()) == 0 &&
	    fcntl(fd, F_ADD_SEALS, SHARE_SEALS) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

/* Makes the timerfd, with a number above those that lastwill inherits, so that
 * helper_prepare() does not overwrite it by the memory's. */
static int
alarm_open(void)
{
	int low = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), fd, error;

	if (low < 0)
		return -errno;
	fd = fcntl(low, F_DUPFD_CLOEXEC, WILL_ALARM_FD + 1);
	error = -errno;
	close(low);
	return fd < 0 ? error : fd;
}

/* Locks the pages that are used, as reading one from a disk would delay the
 * will; without permission they may be paged out. The other pages take no
 * memory. */
static int
memory_map(struct will_share *share)
{
	void *memory = mmap(NULL, share_size(), PROT_READ | PROT_WRITE,
	    MAP_SHARED, share->fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	(void)mlock2(memory, share_size(), MLOCK_ONFAULT);
	share->memory = memory;
	return 0;
}

static int
life_begin(pthread_mutex_t *life)
{
	pthread_mutexattr_t attributes;
	int error = pthread_mutexattr_init(&attributes);

	if (error != 0)
		return -error;
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	error = pthread_mutex_init(life, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return error == 0 ? -pthread_mutex_lock(life) : -error;
}

static void
share_close(struct will_share *share)
{
	if (share->memory != NULL)
		munmap(share->memory, share_size());
	share->memory = NULL;
	share->will.memory = NULL;
	if (share->alarm_fd >= 0)
		close(share->alarm_fd);
	if (share->fd >= 0)
		close(share->fd);
}

/* Returns 0, or a negative errno and leaves nothing open. */
static int
share_open(struct will_share *share)
{
	int error = 0;

	share->fd = memory_open();
	share->alarm_fd = alarm_open();
	if (share->fd < 0)
		error = share->fd;
	else if (share->alarm_fd < 0)
		error = share->alarm_fd;
	else
		error = memory_map(share);
	if (error != 0)
		share_close(share);
	return error;
}

int
share_create(struct will_share *share, const struct sockaddr *own,
    const struct will_plan *plan)
{
	int error;

	*share = (struct will_share){ .memory = NULL };
	error = share_open(share);
	if (error != 0)
		return error;
	share->memory->magic = SHARE_MAGIC;
	memcpy(&share->memory->own, own, will_address_size(own->sa_family));
	share->memory->own.in.sin_port = 0; /* at one place in both families */
	will_init(&share->will, share_will(share->memory), WILL_ROOM_MAX,
	    own->sa_family, plan);
	error = life_begin(&share->memory->life);
	if (error != 0)
		share_close(share);
	return error;
}

static void
alarm_set(struct will_share *share, nsec_t at)
{
	const struct itimerspec spec = { .it_value = clock_timespec(at) };

	/* In this order: if electd dies in between, `alarm` is no later than
	 * when the timer goes off. */
	(void)timerfd_settime(share->alarm_fd, TFD_TIMER_ABSTIME, &spec, NULL);
	atomic_store(&share->memory->alarm, at);
	share->alarm_at = at;
}

/* Beats are frequent, so this does not set the alarm each time: if the alarm is
 * early, lastwill waits for the rest. */
bool
share_beat(struct will_share *share)
{
	nsec_t now = monotonic_now(), hang = will_hang(&share->will);
	bool is_declared = will_beat(&share->will, now);

	if (nsec_after(now, hang / 2) > share->alarm_at)
		alarm_set(share, nsec_after(now, hang));
	return is_declared;
}

void
share_end_change(struct will_share *share)
{
	will_end_change(&share->will);
	share->alarm_at = 0;
}

void
share_end(struct will_share *share)
{
	/* lastwill may take its time to end. */
	will_end(&share->will);
	pthread_mutex_unlock(&share->memory->life);
	share_close(share);
}

static bool
memory_attach(struct will_share *share)
{
	struct stat status;
	int seals = fcntl(share->fd, F_GET_SEALS), family;

	if (seals < 0 || (seals & SHARE_SEALS) != SHARE_SEALS ||
	    fstat(share->fd, &status) != 0 ||
	    status.st_size != (off_t)share_size() || memory_map(share) != 0)
		return false;
	family = share->memory->own.any.sa_family;
	if (share->memory->magic == SHARE_MAGIC &&
	    (family == AF_INET || family == AF_INET6)) {
		share->will = (struct will_view){
			.memory = share_will(share->memory),
			.room = WILL_ROOM_MAX,
			.family = family,
		};
		return true;
	}
	munmap(share->memory, share_size());
	share->memory = NULL;
	return false;
}

bool
share_attach(struct will_share *share, int fd, int alarm_fd)
{
	struct itimerspec spec;
	bool ok;

	*share = (struct will_share){ .fd = fd, .alarm_fd = alarm_fd };
	ok = timerfd_gettime(alarm_fd, &spec) == 0 && memory_attach(share);
	close(fd);
	share->fd = -1;
	return ok;
}

const struct sockaddr *
share_own(const struct will_share *share)
{
	return &share->memory->own.any;
}

enum share_end
share_await_end(struct will_share *share)
{
	int error = pthread_mutex_lock(&share->memory->life);

	if (error == 0 || error == EOWNERDEAD)
		pthread_mutex_unlock(&share->memory->life);
	return error == EOWNERDEAD ? SHARE_DEAD : SHARE_OVER;
}

static void
sleep_until(nsec_t at)
{
	const struct timespec ts = clock_timespec(at);

	while (
	    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/*
 * Decides, after the alarm may have gone off, whether electd hangs or has
 * beaten since it was set. If lastwill itself was delayed, electd may have been
 * too; then it extends the deadline by its own delay, at most by the time of a
 * hang.
 */
static bool
hang_is_certain(struct will_share *share)
{
	nsec_t until = atomic_load(&share->memory->alarm), now;

	while ((now = monotonic_now()) >= atomic_load(&share->memory->alarm)) {
		nsec_t hang = will_hang(&share->will);
		nsec_t beat = will_last_beat(&share->will);
		nsec_t late = nsec_since(now, until);

		if (beat == 0)
			return false;
		if (late > hang / 8)
			until = nsec_after(now, nsec_earlier(late, hang));
		else if (will_declare_dead(&share->will, now))
			return true;
		else
			until = nsec_after(nsec_earlier(beat, now), hang);
		sleep_until(until);
	}
	return false;
}

/* Checks before it waits: an earlier lastwill may have consumed the alarm. */
bool
share_await_hang(struct will_share *share)
{
	uint64_t expirations;

	while (!hang_is_certain(share)) {
		if (read(share->alarm_fd, &expirations, sizeof(expirations)) <
		    0)
			return false;
	}
	return true;
}
