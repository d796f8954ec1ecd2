/* SPDX-License-Identifier: ISC */
#include "daemon/lastwill/will.h"

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

#define WILL_MAGIC UINT64_C(0x656c63742d776c32) /* "elct-wl2", layout 2 */

/* Seals that keep the memory's size. */
#define WILL_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

#define HANG_MAX  (3600 * SEC)  /* longer than any detection time */
#define LEASE_MAX (86400 * SEC) /* longer than any lease */

/* Values of `beat` that are no time. */
#define BEAT_NONE   0 /* the loop does not run yet */
#define BEAT_SPOKEN 1 /* lastwill has announced the death */

union will_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/* Two buffers: the writer fills the other one, then makes it current. */
struct will_slot {
	_Atomic uint32_t current; /* 0 or 1 */
	uint32_t sizes[2];        /* bytes of each datagram; 0: none */
	uint8_t bytes[2][PACKET_WILL_BYTES];
};

struct will_peer {
	union will_address address;
	struct will_slot slots[WILL_KINDS];
};

/*
 * `beat` holds the time when the loop last ran, or lastwill's mark. lastwill
 * puts the mark in place of exactly the beat that it found too old; so either
 * electd beats first and lastwill does not speak, or electd finds the mark.
 */
struct will_memory {
	uint64_t magic;            /* WILL_MAGIC */
	uint64_t size;             /* bytes of all this */
	uint64_t peers_count;      /* of `peers` */
	nsec_t hang;               /* as in struct will_plan */
	nsec_t lease;              /* as in struct will_plan */
	uint64_t has_successor;    /* as in struct will_plan */
	_Atomic uint64_t beat;     /* CLOCK_MONOTONIC: stops in a suspend */
	_Atomic uint64_t alarm;    /* when it goes off, on the same clock */
	_Atomic uint64_t promised; /* the deadline, on CLOCK_BOOTTIME */
	pthread_mutex_t life;      /* electd's main thread holds it for life */
	union will_address own;    /* the node's address, with port 0 */
	struct will_peer peers[];
};

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "two processes share them");
_Static_assert(sizeof(_Atomic uint64_t) == sizeof(uint64_t), "no lock inside");

static nsec_t
monotonic_now(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* it never fails */
	return (nsec_t)ts.tv_sec * SEC + (nsec_t)ts.tv_nsec;
}

static size_t
memory_size(unsigned peers_count)
{
	return sizeof(struct will_memory) +
	       peers_count * sizeof(struct will_peer);
}

socklen_t
will_address_size(int family)
{
	return family == AF_INET6 ? sizeof(struct sockaddr_in6)
				  : sizeof(struct sockaddr_in);
}

/* Makes an anonymous file, sealed so that neither process can truncate it while
 * the other has it mapped. Returns a descriptor or a negative errno. */
static int
memory_open(size_t size)
{
	int fd = memfd_create("will", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int error;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) == 0 &&
	    fcntl(fd, F_ADD_SEALS, WILL_SEALS) == 0)
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

static int
memory_map(struct will_view *will)
{
	void *memory = mmap(
	    NULL, will->size, PROT_READ | PROT_WRITE, MAP_SHARED, will->fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	/* A page fault would delay the last word; without permission it may. */
	(void)mlock(memory, will->size);
	will->memory = memory;
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
will_close(struct will_view *will)
{
	if (will->memory != NULL)
		munmap(will->memory, will->size);
	will->memory = NULL;
	if (will->alarm_fd >= 0)
		close(will->alarm_fd);
	if (will->fd >= 0)
		close(will->fd);
}

/* Returns 0, or a negative errno and leaves nothing open. */
static int
will_open(struct will_view *will)
{
	int error = 0;

	will->fd = memory_open(will->size);
	will->alarm_fd = alarm_open();
	if (will->fd < 0)
		error = will->fd;
	else if (will->alarm_fd < 0)
		error = will->alarm_fd;
	else
		error = memory_map(will);
	if (error != 0)
		will_close(will);
	return error;
}

int
will_create(struct will_view *will, const struct will_plan *plan)
{
	struct will_memory *m;
	int error;

	assert(plan->hang > 0 && plan->peers_count < NODES_MAX);
	assert(plan->own->sa_family == AF_INET ||
	       plan->own->sa_family == AF_INET6);
	*will = (struct will_view){
		.size = memory_size(plan->peers_count),
		.peers_count = plan->peers_count,
		.family = plan->own->sa_family,
		.hang = plan->hang < HANG_MAX ? plan->hang : HANG_MAX,
		.lease = plan->lease < LEASE_MAX ? plan->lease : LEASE_MAX,
		.has_successor = plan->has_successor,
	};
	error = will_open(will);
	if (error != 0)
		return error;
	m = will->memory;
	m->magic = WILL_MAGIC;
	m->size = will->size;
	m->peers_count = will->peers_count;
	m->hang = will->hang;
	m->lease = will->lease;
	m->has_successor = will->has_successor;
	memcpy(&m->own, plan->own, will_address_size(will->family));
	m->own.in.sin_port = 0; /* at the same place in both families */
	error = life_begin(&m->life);
	if (error != 0)
		will_close(will);
	return error;
}

void
will_set_address(
    struct will_view *will, unsigned peer, const struct sockaddr *address)
{
	assert(peer < will->peers_count);
	assert(address->sa_family == will->family);
	memcpy(&will->memory->peers[peer].address, address,
	    will_address_size(will->family));
}

void
will_set(struct will_view *will, unsigned peer, enum will_kind kind,
    const uint8_t *bytes, size_t size)
{
	struct will_slot *slot;
	uint32_t next;

	assert(peer < will->peers_count);
	assert(kind < WILL_KINDS);
	assert(size <= PACKET_WILL_BYTES);
	slot = &will->memory->peers[peer].slots[kind];
	next = 1 - (atomic_load(&slot->current) & 1);
	if (size > 0)
		memcpy(slot->bytes[next], bytes, size);
	slot->sizes[next] = (uint32_t)size;
	atomic_store(&slot->current, next);
}

void
will_promise(struct will_view *will, nsec_t until)
{
	atomic_store(&will->memory->promised, until);
}

static void
alarm_set(struct will_view *will, nsec_t at)
{
	const struct itimerspec spec = { .it_value = clock_timespec(at) };

	/* In this order: if electd dies in between, `alarm` is no later than
	 * when the timer goes off. */
	(void)timerfd_settime(will->alarm_fd, TFD_TIMER_ABSTIME, &spec, NULL);
	atomic_store(&will->memory->alarm, at);
	will->alarm_at = at;
}

/* Beats are frequent, so this does not set the alarm each time: if the alarm is
 * early, lastwill waits for the rest. */
bool
will_beat(struct will_view *will)
{
	nsec_t now = monotonic_now();
	uint64_t before = atomic_exchange(&will->memory->beat, now);

	if (nsec_after(now, will->hang / 2) > will->alarm_at)
		alarm_set(will, nsec_after(now, will->hang));
	return before == BEAT_SPOKEN;
}

void
will_end(struct will_view *will)
{
	if (will->memory == NULL)
		return;
	/* lastwill may take its time to end, while electd goes on with
	 * another. */
	atomic_store(&will->memory->beat, BEAT_NONE);
	pthread_mutex_unlock(&will->memory->life);
	will_close(will);
}

/* Checks the copies that lastwill relies on from now on. */
static bool
memory_is_sound(const struct will_view *will)
{
	const struct will_memory *m = will->memory;

	return m->magic == WILL_MAGIC && m->size == will->size &&
	       will->peers_count < NODES_MAX &&
	       memory_size(will->peers_count) == will->size &&
	       (will->family == AF_INET || will->family == AF_INET6) &&
	       will->hang > 0 && will->hang <= HANG_MAX &&
	       will->lease <= LEASE_MAX;
}

static bool
memory_attach(struct will_view *will)
{
	struct stat status;
	int seals = fcntl(will->fd, F_GET_SEALS);

	if (seals < 0 || (seals & WILL_SEALS) != WILL_SEALS ||
	    fstat(will->fd, &status) != 0 ||
	    status.st_size < (off_t)sizeof(struct will_memory) ||
	    status.st_size > (off_t)memory_size(NODES_MAX))
		return false;
	will->size = (size_t)status.st_size;
	if (memory_map(will) != 0)
		return false;
	will->peers_count = (unsigned)will->memory->peers_count;
	will->family = will->memory->own.any.sa_family;
	will->hang = will->memory->hang;
	will->lease = will->memory->lease;
	will->has_successor = will->memory->has_successor != 0;
	if (memory_is_sound(will))
		return true;
	munmap(will->memory, will->size);
	will->memory = NULL;
	return false;
}

bool
will_attach(struct will_view *will, int fd, int alarm_fd)
{
	struct itimerspec spec;
	bool ok;

	*will = (struct will_view){ .fd = fd, .alarm_fd = alarm_fd };
	ok = timerfd_gettime(alarm_fd, &spec) == 0 && memory_attach(will);
	close(fd);
	will->fd = -1;
	return ok;
}

const struct sockaddr *
will_own(const struct will_view *will)
{
	return &will->memory->own.any;
}

/* If electd has not beaten for `hang`, replaces that beat by the mark. */
static bool
mark_if_hung(struct will_view *will, nsec_t now)
{
	uint64_t beat = atomic_load(&will->memory->beat);

	return beat > BEAT_SPOKEN && nsec_since(now, beat) >= will->hang &&
	       atomic_compare_exchange_strong(
		   &will->memory->beat, &beat, BEAT_SPOKEN);
}

enum will_end
will_await_end(struct will_view *will)
{
	int error = pthread_mutex_lock(&will->memory->life);

	if (error == 0 || error == EOWNERDEAD)
		pthread_mutex_unlock(&will->memory->life);
	return error == EOWNERDEAD ? WILL_DEAD : WILL_OVER;
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
 * too; then it extends the deadline by its own delay, at most by `hang`.
 */
static bool
hang_is_certain(struct will_view *will)
{
	nsec_t until = atomic_load(&will->memory->alarm), now, late;
	uint64_t beat;

	while ((now = monotonic_now()) >= atomic_load(&will->memory->alarm)) {
		beat = atomic_load(&will->memory->beat);
		late = nsec_since(now, until);
		if (beat <= BEAT_SPOKEN)
			return false;
		if (late > will->hang / 8)
			until = nsec_after(now, nsec_earlier(late, will->hang));
		else if (mark_if_hung(will, now))
			return true;
		else
			until = nsec_after(nsec_earlier(beat, now), will->hang);
		sleep_until(until);
	}
	return false;
}

/* Checks before it waits: an earlier lastwill may have consumed the alarm. */
bool
will_await_hang(struct will_view *will)
{
	uint64_t expirations;

	while (!hang_is_certain(will)) {
		if (read(will->alarm_fd, &expirations, sizeof(expirations)) < 0)
			return false;
	}
	return true;
}

bool
will_still_hangs(const struct will_view *will)
{
	return atomic_load(&will->memory->beat) == BEAT_SPOKEN;
}

bool
will_read(const struct will_view *will, unsigned peer, enum will_kind kind,
    struct will_letter *letter)
{
	struct will_peer *p = &will->memory->peers[peer];
	struct will_slot *slot = &p->slots[kind];
	uint32_t current = atomic_load(&slot->current) & 1;

	*letter = (struct will_letter){
		.to = &p->address.any,
		.bytes = slot->bytes[current],
		.size = slot->sizes[current],
	};
	return letter->size > 0 && letter->size <= PACKET_WILL_BYTES &&
	       p->address.any.sa_family == will->family;
}

enum will_promised
will_promised(const struct will_view *will, nsec_t now, nsec_t *until)
{
	nsec_t promised = atomic_load(&will->memory->promised);

	*until = promised;
	if (promised <= now)
		return WILL_PROMISED_NOTHING;
	if (promised - now > will->lease)
		return WILL_PROMISED_NONSENSE;
	return WILL_PROMISED_UNTIL;
}
