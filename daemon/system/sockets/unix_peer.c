/* SPDX-License-Identifier: ISC */
#include "daemon/system/sockets/unix_peer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "daemon/system/loop/thread.h"

#define STACK_BYTES ((size_t)64 << 10)
#define WAIT_NSEC   1000000 /* the time to wait for a file that lingers */

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* The connections to close go to the thread through a pipe, which has room for
 * more of them than a process has descriptors. One thread closes for all the
 * sockets of the process. */
static struct {
	bool is_made;
	int to_thread, from_loop; /* the ends of the pipe */
	atomic_uint closing;
} closer;

static void
on_signal(int number)
{
	(void)number;
}

/* Makes a timer whose signal ends a wait of this thread. */
static bool
timer_make(timer_t *timer)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGALRM,
	};
	sigset_t set;

	event.sigev_notify_thread_id = gettid();
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	return sigaction(SIGALRM, &action, NULL) == 0 &&
	       timer_create(CLOCK_MONOTONIC, &event, timer) == 0 &&
	       pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0;
}

static void *
close_all(void *context)
{
	const struct itimerspec soon = {
		.it_interval = { .tv_nsec = WAIT_NSEC },
		.it_value = { .tv_nsec = WAIT_NSEC },
	};
	const struct itimerspec never = { .it_interval = { 0 } };
	timer_t timer;
	bool has_timer = timer_make(&timer);
	ssize_t size;
	int fd;

	(void)context;
	while ((size = read(closer.from_loop, &fd, sizeof(fd))) != 0) {
		if (size < 0)
			continue; /* a late signal */
		if (has_timer)
			timer_settime(timer, 0, &soon, NULL);
		close(fd);
		if (has_timer)
			timer_settime(timer, 0, &never, NULL);
		atomic_fetch_sub(&closer.closing, 1);
	}
	return NULL;
}

static bool
closer_make(void)
{
	pthread_t thread;
	int ends[2];

	if (closer.is_made)
		return true;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	closer.from_loop = ends[0];
	closer.to_thread = ends[1];
	if (fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 &&
	    thread_start(&thread, STACK_BYTES, close_all, NULL) == 0)
		closer.is_made = true;
	else {
		close(ends[0]);
		close(ends[1]);
	}
	return closer.is_made;
}

void
unix_peer_refuse_files(int listener)
{
	int no = 0;

	(void)setsockopt(listener, SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof(no));
}

void
unix_peer_begin(int fd)
{
	int yes = 1;

	/* Urgent bytes stay in the stream, and cannot hide a file. */
	setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &yes, sizeof(yes));
}

/* Bytes that are peeked at stay in the queue, and with them a reference to
 * their files. Without room for descriptors the kernel sets a flag that it has
 * cut them off. */
ssize_t
unix_peer_read(int fd, void *bytes, size_t size)
{
	struct iovec vector = { bytes, size };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
	ssize_t got = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT);

	if (got <= 0)
		return got;
	if (message.msg_flags & MSG_CTRUNC) {
		errno = EPERM;
		return -1;
	}
	return recv(fd, bytes, (size_t)got, MSG_DONTWAIT);
}

/* False if a file waits in a connection whose peer can send no more. */
static bool
drain(int fd)
{
	char bytes[4096];
	ssize_t got;

	do {
		got = unix_peer_read(fd, bytes, sizeof(bytes));
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got == 0 || errno != EPERM;
}

bool
unix_peer_end(int fd)
{
	int unread = 0;

	shutdown(fd, SHUT_RDWR);
	return drain(fd) && ioctl(fd, SIOCOUTQ, &unread) == 0 && unread > 0;
}

void
unix_peer_close(int fd)
{
	unix_peer_begin(fd);
	shutdown(fd, SHUT_RDWR);
	if (!drain(fd) && closer_make()) {
		atomic_fetch_add(&closer.closing, 1);
		if (write(closer.to_thread, &fd, sizeof(fd)) == sizeof(fd))
			return;
		atomic_fetch_sub(&closer.closing, 1);
	}
	close(fd);
}

void
unix_peer_close_listener(int fd)
{
	int client;

	/* Now nobody can connect. */
	shutdown(fd, SHUT_RDWR);
	while ((client = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		unix_peer_close(client);
	close(fd);
}

unsigned
unix_peer_closing(void)
{
	return atomic_load(&closer.closing);
}
