/* SPDX-License-Identifier: ISC */
/*
 * The memory of will.h, shared by electd and lastwill for the life of electd,
 * with two signs of that life. The first is a robust mutex that electd's main
 * thread holds: when it dies, the kernel gives the mutex to lastwill at once,
 * before it frees the dead process's memory. The second is the beat: each puts
 * off an alarm that wakes lastwill, which sleeps otherwise. electd never waits
 * for lastwill here.
 */
#ifndef ELECTD_DAEMON_LASTWILL_WILL_SHARE_H
#define ELECTD_DAEMON_LASTWILL_WILL_SHARE_H

#include "daemon/lastwill/will.h"

/* The descriptors that lastwill inherits: the memory, and the alarm's
 * timerfd. */
#define WILL_FD       3
#define WILL_ALARM_FD 4

struct share_memory;

/* One process's view of what it shares. */
struct will_share {
	struct will_view will;
	struct share_memory *memory; /* NULL: none */
	int fd;          /* the memory; lastwill closes this early */
	int alarm_fd;    /* timerfd of the alarm */
	nsec_t alarm_at; /* electd: what the alarm is set to; 0: never */
};

/*
 * electd's side. Only the main thread may call these functions, and it must
 * live as long as the process, because it holds the mutex.
 */

/* Makes the memory, with room for every peer that there may be, until
 * share_end(). `own` is the node's address, with any port. Returns 0 or a
 * negative errno. */
int share_create(struct will_share *share, const struct sockaddr *own,
    const struct will_plan *plan);

/*
 * Says that electd runs. Returns true if lastwill has declared it dead since
 * the last beat. lastwill watches from the first beat on.
 */
bool share_beat(struct will_share *share);

/* Other settings count, see will_end_change(). The next beat sets the alarm. */
void share_end_change(struct will_share *share);

/* Frees the memory and makes lastwill end without sending. */
void share_end(struct will_share *share);

/* lastwill's side. */

/* Maps the memory at `fd`, and closes `fd`. Returns false if the descriptors
 * are not what share_create() made. */
bool share_attach(struct will_share *share, int fd, int alarm_fd);

/* The node's own address, with port 0. */
const struct sockaddr *share_own(const struct will_share *share);

enum share_end {
	SHARE_DEAD, /* electd is certainly dead */
	SHARE_OVER, /* electd ended in order, or the memory is corrupted */
};

/* Waits for electd's end. */
enum share_end share_await_end(struct will_share *share);

/* Waits, on a thread of its own, until electd hangs, and declares it dead.
 * Reports each hang once. Returns false if it cannot wait for the alarm. */
bool share_await_hang(struct will_share *share);

#endif
