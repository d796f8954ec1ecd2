/* SPDX-License-Identifier: ISC */
/*
 * The last will: memory that electd shares with the helper process lastwill,
 * which announces electd's death or hang (PROTOCOL.md, Last will; MQTT has the
 * term). It holds sealed datagrams, their addresses, the last deadline given to
 * a client, and two signs of life. The first is a robust mutex that electd's
 * main thread holds for life: when it dies, the kernel gives the mutex to
 * lastwill at once, before it frees the dead process's memory. The second is
 * the beat: each puts off an alarm that wakes lastwill, which sleeps otherwise.
 * electd never waits for lastwill here.
 *
 * electd may have died of corrupted memory, so lastwill checks all that it
 * reads against what it read at its own start.
 */
#ifndef ELECTD_DAEMON_LASTWILL_WILL_H
#define ELECTD_DAEMON_LASTWILL_WILL_H

#include <netinet/in.h>

#include "common/wire/packet.h"

/* The descriptors that lastwill inherits: the memory, and the alarm's
 * timerfd. */
#define WILL_FD       3
#define WILL_ALARM_FD 4

enum will_kind {
	WILL_PLAIN,     /* says that this process is dead */
	WILL_RELEASING, /* says also that its term is free */
	WILL_KINDS,
};

struct will_memory;

/* One process's view of the memory. All but `memory` is a copy of its own,
 * which the other process cannot corrupt. */
struct will_view {
	struct will_memory *memory; /* NULL: none */
	size_t size;                /* bytes of `memory` */
	int fd;               /* of the memory; lastwill closes it early */
	int alarm_fd;         /* of the alarm's timerfd */
	nsec_t alarm_at;      /* electd: what the alarm is set to; 0: never */
	unsigned peers_count; /* as in struct will_plan */
	int family;           /* of all addresses */
	nsec_t hang;          /* as in struct will_plan */
	nsec_t lease;         /* as in struct will_plan */
	bool has_successor;   /* as in struct will_plan */
};

struct will_plan {
	unsigned peers_count;       /* below NODES_MAX */
	const struct sockaddr *own; /* the node's own address, with any port */
	nsec_t hang;  /* electd hangs if it does not beat for so long; > 0 */
	nsec_t lease; /* no client's deadline is further ahead; 0: none is */
	bool has_successor; /* the first peer with a will is the next leader */
};

/*
 * electd's side. Only the main thread may call these functions, and it must
 * live as long as the process, because it holds the mutex.
 */

/* Makes the memory, until will_end(). Returns 0 or a negative errno. */
int will_create(struct will_view *will, const struct will_plan *plan);

/* Sets where a peer's wills go. The address is of the family of our own. */
void will_set_address(
    struct will_view *will, unsigned peer, const struct sockaddr *address);

/*
 * Sets the datagram for a peer, of at most PACKET_WILL_BYTES; 0 bytes: none. If
 * electd dies during the call, either the old or the new one counts.
 */
void will_set(struct will_view *will, unsigned peer, enum will_kind kind,
    const uint8_t *bytes, size_t size);

/* Call this before telling clients that this node leads until then, on
 * CLOCK_BOOTTIME. */
void will_promise(struct will_view *will, nsec_t until);

/*
 * Says that electd runs. Returns true if lastwill has announced its death since
 * the last beat. lastwill watches from the first beat on.
 */
bool will_beat(struct will_view *will);

/* Frees the memory and makes lastwill end without sending. */
void will_end(struct will_view *will);

/* lastwill's side. */

/* Maps the memory at `fd`, and closes `fd`. Returns false if the descriptors
 * are not what will_create() made. */
bool will_attach(struct will_view *will, int fd, int alarm_fd);

/* The node's own address, with port 0. */
const struct sockaddr *will_own(const struct will_view *will);

enum will_end {
	WILL_DEAD, /* electd is certainly dead */
	WILL_OVER, /* electd ended in order, or the memory is corrupted */
};

/* Waits for electd's end. */
enum will_end will_await_end(struct will_view *will);

/* Waits, on a thread of its own, until electd hangs. Reports each hang once.
 * Returns false if it cannot wait for the alarm. */
bool will_await_hang(struct will_view *will);

/* True if electd has not run since will_await_hang() returned. */
bool will_still_hangs(const struct will_view *will);

/* A will. The pointers are into the memory. */
struct will_letter {
	struct sockaddr *to; /* the peer's address */
	uint8_t *bytes;      /* the datagram */
	size_t size;         /* bytes of the datagram */
};

/* Reads a will. Returns false if there is none, or it is corrupted. */
bool will_read(const struct will_view *will, unsigned peer, enum will_kind kind,
    struct will_letter *letter);

/* The bytes of an address of this family, AF_INET or AF_INET6. */
socklen_t will_address_size(int family);

enum will_promised {
	WILL_PROMISED_NOTHING,  /* no deadline lies ahead */
	WILL_PROMISED_UNTIL,    /* one does */
	WILL_PROMISED_NONSENSE, /* the deadline is corrupted: too far ahead */
};

/* Tells whether a client's deadline lies ahead of `now`; *until is that
 * deadline. Both are on CLOCK_BOOTTIME. */
enum will_promised will_promised(
    const struct will_view *will, nsec_t now, nsec_t *until);

#endif
