/* SPDX-License-Identifier: ISC */
/*
 * lastwill: the process that electd starts to announce its death or hang. Its
 * name does not contain "electd", so that an operator who kills electd by name
 * spares it. It has no key, reads no datagram, parses nothing, and needs no
 * library but libc. All that it knows is in the memory of will.h, and will.c
 * has the rules by which it decides.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "daemon/lastwill/will_share.h"
#include "daemon/system/clock.h"
#include "daemon/system/loop/sched_slice.h"
#include "daemon/system/rights/capabilities.h"
#include "daemon/system/rights/confine.h"

/* When to repeat each datagram: one may be lost, or two in quick succession. */
static const nsec_t pauses[] = { 5 * MSEC, 20 * MSEC };

/* The successor gets its datagram this much earlier: so the first news of the
 * others is the new leader, and they need not ask each other. */
#define HEAD_START (300 * USEC)

#define STACK_BYTES 65536 /* of the thread, or the least that there is */

/* The program serves one daemon, so all that follows exists once. Both threads
 * use it; these two are set before the second starts. */
static struct will_share share;
static int sender; /* the socket */

/* Serialises the two threads' use of `post`. */
static pthread_mutex_t post_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * The datagrams to send, copied beforehand. Later the memory may hold wills of
 * an electd that runs again, and these would announce its death.
 */
static struct {
	unsigned count;
	struct mmsghdr headers[NODES_MAX];
	struct iovec vectors[NODES_MAX];
	uint8_t bytes[NODES_MAX][PACKET_WILL_BYTES];
} post;

static void
post_add(const struct will_letter *letter)
{
	struct mmsghdr *header = &post.headers[post.count];
	struct iovec *vector = &post.vectors[post.count];

	vector->iov_base = post.bytes[post.count];
	vector->iov_len = letter->size;
	for (size_t i = 0; i < letter->size; i++)
		post.bytes[post.count][i] = letter->bytes[i];
	header->msg_hdr.msg_name = (void *)(uintptr_t)letter->to;
	header->msg_hdr.msg_namelen = will_address_size(share.will.family);
	header->msg_hdr.msg_iov = vector;
	header->msg_hdr.msg_iovlen = 1;
	post.count++;
}

static void
post_gather(enum will_choice choice)
{
	struct will_letter letter = will_letters(&share.will, choice);

	post.count = 0;
	while (will_next(&share.will, &letter))
		post_add(&letter);
}

/* Skips a datagram that cannot be sent. */
static void
post_send(unsigned from, unsigned to)
{
	int count;

	while (from < to) {
		count = sendmmsg(
		    sender, &post.headers[from], to - from, MSG_NOSIGNAL);
		from += count > 0 ? (unsigned)count : 1;
	}
}

static nsec_t
clock_read(clockid_t clock)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(clock, &ts);
	return (nsec_t)ts.tv_sec * SEC + (nsec_t)ts.tv_nsec;
}

static void
wait_until(clockid_t clock, nsec_t at)
{
	const struct timespec ts = clock_timespec(at);

	while (clock_read(clock) < at)
		(void)clock_nanosleep(clock, TIMER_ABSTIME, &ts, NULL);
}

static void
post_send_thrice(void)
{
	nsec_t began = clock_read(CLOCK_MONOTONIC);
	unsigned successors = post.count > 0 && will_has_successor(&share.will);

	post_send(0, successors);
	if (successors > 0)
		wait_until(CLOCK_MONOTONIC, nsec_after(began, HEAD_START));
	post_send(successors, post.count);
	for (size_t i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
		wait_until(CLOCK_MONOTONIC, nsec_after(began, pauses[i]));
		post_send(0, post.count);
	}
}

static void
announce_death(void)
{
	struct will_last_words words =
	    will_last_words(&share.will, clock_read(CLOCK_BOOTTIME));

	post_gather(words.first);
	post_send_thrice();
	if (words.release_at == NSEC_NEVER)
		return;
	wait_until(CLOCK_BOOTTIME, words.release_at);
	post_gather(WILL_CHOOSE_RELEASING);
	post_send_thrice();
}

/* electd may run again at any moment, and then sends for itself. */
static void
announce_hang(void)
{
	pthread_mutex_lock(&post_lock);
	post_gather(WILL_CHOOSE_PLAIN);
	if (will_is_declared(&share.will))
		post_send_thrice();
	pthread_mutex_unlock(&post_lock);
}

/*
 * Opens the socket at the address that peers know, if it is still ours, and at
 * any port. A send waits at most 10 ms for space in the buffer.
 */
static int
socket_open(void)
{
	int fd = socket(share.will.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct timeval most = { .tv_usec = 10000 };

	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	(void)bind(fd, share_own(&share), will_address_size(share.will.family));
	return fd;
}

/* Closes all descriptors but the memory and the alarm. */
static void
close_inherited(void)
{
	if (syscall(SYS_close_range, WILL_ALARM_FD + 1, ~0U, 0) == 0)
		return;
	for (int fd = WILL_ALARM_FD + 1; fd < 1024; fd++)
		close(fd);
}

static void
limit_resources(void)
{
	static const int resources[] = { RLIMIT_CORE, RLIMIT_FSIZE,
		RLIMIT_NPROC, RLIMIT_NOFILE };
	struct rlimit none = { 0 };

	for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
		(void)setrlimit((__rlimit_resource_t)resources[i], &none);
}

#if defined(CONFINE_MACHINE) && !defined(LASTWILL_UNCONFINED)

/* Allows only what the threads still do: wait, read the alarm, send, exit. */
static bool
confine(void)
{
	struct sock_filter rules[] = {
		CONFINE_BEGIN,
		CONFINE_CALL(futex),
		CONFINE_CALL(clock_gettime),
		CONFINE_CALL(clock_nanosleep),
		CONFINE_CALL(restart_syscall),
		CONFINE_CALL(sendmmsg),
		CONFINE_CALL(exit_group),
		CONFINE_CALL_IF_EQUAL(read, 0, WILL_ALARM_FD),
		CONFINE_END,
	};

	return confine_calls(rules, sizeof(rules) / sizeof(rules[0]));
}

#else /* the filter is not written for this machine's system calls */

static bool
confine(void)
{
	return confine_rights();
}

#endif

/* Each thread gives up its rights before it waits. A service manager may refuse
 * this; then there are no capabilities anyway. */
static bool
settle_down(void)
{
	(void)capabilities_keep(0);
	return confine();
}

/* Runs the code that will send, without datagrams, so that later no page has to
 * be read from disk. */
static void
rehearse(void)
{
	pthread_mutex_lock(&post_lock);
	(void)mlockall(MCL_CURRENT | MCL_ONFAULT);
	(void)sendmmsg(sender, post.headers, 0, MSG_NOSIGNAL);
	post_gather(WILL_CHOOSE_PLAIN);
	post.count = 0;
	post_send_thrice();
	pthread_mutex_unlock(&post_lock);
}

static void *
watch_hang(void *context)
{
	(void)context;
	if (!settle_down())
		_exit(1);
	while (share_await_hang(&share))
		announce_hang();
	_exit(1); /* electd starts another lastwill */
}

static bool
watch_hang_beside(void)
{
	long least = sysconf(_SC_THREAD_STACK_MIN);
	size_t bytes = least > STACK_BYTES ? (size_t)least : STACK_BYTES;
	pthread_attr_t attributes;
	pthread_t thread;
	bool ok;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	ok = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
	     pthread_create(&thread, &attributes, watch_hang, NULL) == 0;
	pthread_attr_destroy(&attributes);
	return ok;
}

int
main(void)
{
	static const char usage[] =
	    "lastwill: only electd can start this program\n";
	sigset_t all;

	/* Nobody but root may attach and read the memory. */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	/* Signals to electd's process group are not for us: electd ends us. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	umask(077);
	close_inherited();
	if (chdir("/") != 0 || !share_attach(&share, WILL_FD, WILL_ALARM_FD)) {
		(void)!write(STDERR_FILENO, usage, sizeof(usage) - 1);
		return 1;
	}
	sender = socket_open();
	if (sender < 0)
		return 1;
	sched_slice_shorten();
	if (!watch_hang_beside())
		return 1;
	rehearse();
	limit_resources();
	if (!settle_down())
		return 1;
	if (share_await_end(&share) == SHARE_DEAD) {
		pthread_mutex_lock(&post_lock);
		announce_death();
	}
	return 0;
}
