/* SPDX-License-Identifier: ISC */
/*
 * The last will: memory that electd shares with its helper, lastwill, which
 * speaks for it once it is dead or hangs (PROTOCOL.md, Last will). It holds
 * ready-made sealed datagrams, to whom they go, until when a client was told
 * that this node leads, and two signs of life: a robust mutex that electd's
 * main thread holds as long as it lives, whose owner's death the kernel tells
 * before it takes down the dead one's memory; and a beat, each of which puts
 * off an alarm that wakes the helper: while all is well it sleeps. Nobody waits
 * for anybody here.
 *
 * electd may have died of a memory gone wrong: the helper checks whatever it
 * reads against what it saw at its own start.
 */
#ifndef ELECTD_DAEMON_LASTWILL_WILL_H
#define ELECTD_DAEMON_LASTWILL_WILL_H

#include <netinet/in.h>

#include "common/wire/packet.h"

/* Where the helper finds the memory, and the alarm: a timerfd. */
#define WILL_FD       3
#define WILL_ALARM_FD 4

enum will_kind {
	WILL_PLAIN,     /* this process is dead */
	WILL_RELEASING, /* ... and so its term is free */
	WILL_KINDS,
};

struct will_memory;

/* One side's view of it. */
struct will_view {
	struct will_memory *memory; /* NULL: none */
	size_t size;
	int fd; /* electd's; in the helper, closed after attaching */
	int alarm_fd;
	nsec_t alarm_at;      /* electd's: what it is set to; 0: it never was */
	unsigned peers_count; /* these are copies: the memory may go wrong */
	int family;
	nsec_t hang;
	nsec_t lease;
	bool has_successor;
};

struct will_plan {
	unsigned peers_count;
	const struct sockaddr *own; /* the node's address, whatever its port */
	nsec_t hang;                /* so long without a beat is to hang; > 0 */
	nsec_t lease; /* no deadline handed out is further ahead; 0: none is */
	bool has_successor; /* the first peer with a will is the next leader */
};

/*
 * electd's side. The calling thread must be the main one, and lives on as long
 * as the process; what it makes is given up by will_end() or by its death.
 */

/* Makes the memory. Gives 0 or a negative errno. */
int will_create(struct will_view *will, const struct will_plan *plan);

/* Where a peer's wills go: of the family of the node's own address. */
void will_set_address(
    struct will_view *will, unsigned peer, const struct sockaddr *address);

/*
 * What that peer is to be sent; 0 bytes: nothing any more. A death in the
 * middle leaves what was before.
 */
void will_set(struct will_view *will, unsigned peer, enum will_kind kind,
    const uint8_t *bytes, size_t size);

/* Clients are about to be told that this node leads until then. */
void will_promise(struct will_view *will, nsec_t until);

/*
 * We run. True if the helper has spoken for us since the last beat; from the
 * first beat on it watches for the next.
 */
bool will_beat(struct will_view *will);

/* Frees it; the helper ends without a word. */
void will_end(struct will_view *will);

/* The helper's side. */

/* Maps the memory at `fd`, and closes that. False if it is none of ours, or the
 * alarm is no alarm. */
bool will_attach(struct will_view *will, int fd, int alarm_fd);

/* The node's own address, with port 0. */
const struct sockaddr *will_own(const struct will_view *will);

enum will_end {
	WILL_DEAD, /* the process is, for certain */
	WILL_OVER, /* it ended in order, or the memory makes no sense */
};

/* Waits for the end of the process. */
enum will_end will_await_end(struct will_view *will);

/* Waits until it hangs, on a thread of its own; told once until it beats again.
 * False: the alarm cannot be waited for. */
bool will_await_hang(struct will_view *will);

/* Has it not run since that was told? */
bool will_still_hangs(const struct will_view *will);

struct will_letter {
	struct sockaddr *to; /* in the memory, and so is: */
	uint8_t *bytes;
	size_t size;
};

/* One will; false if there is none, or it makes no sense. */
bool will_read(const struct will_view *will, unsigned peer, enum will_kind kind,
    struct will_letter *letter);

/* The size of an address by its family, one of the two. */
socklen_t will_address_size(int family);

enum will_promised {
	WILL_PROMISED_NOTHING, /* nothing that lies ahead */
	WILL_PROMISED_UNTIL,
	WILL_PROMISED_NONSENSE, /* a deadline that never was */
};

/* Whether a deadline that was handed out lies ahead, on CLOCK_BOOTTIME. */
enum will_promised will_promised(
    const struct will_view *will, nsec_t now, nsec_t *until);

#endif
