/* SPDX-License-Identifier: ISC */
/*
 * The last will (PROTOCOL.md, Last will; MQTT has the term): what the helper
 * process lastwill knows of electd, and what it sends once electd is dead or
 * hangs. All that it knows is in one memory, which electd fills as long as it
 * lives: sealed datagrams with their addresses, the last deadline given to a
 * client, and the beat. No function here makes a system call or reads a clock,
 * so that simulated hosts have helpers with the same rules
 * (tests/model/world/). will_share.h has what the two processes need besides.
 *
 * The memory has two halves, each with room for all peers that there may be. A
 * change of the settings fills the half that does not count, and then one store
 * makes it count. The deadline and the beat are in neither half.
 *
 * electd may have died of corrupted memory, so the reader checks all that it
 * reads.
 */
#ifndef ELECTD_DAEMON_LASTWILL_WILL_H
#define ELECTD_DAEMON_LASTWILL_WILL_H

#include <netinet/in.h>

#include "common/wire/packet.h"

#define WILL_ROOM_MAX (NODES_MAX - 1) /* peers of a node */

enum will_kind {
	WILL_PLAIN,     /* the process is dead */
	WILL_RELEASING, /* the process is dead, and its term is free */
	WILL_KINDS,
};

struct will_memory;

/* One process's view of the memory. All but `memory` is a copy of its own,
 * which the other process cannot corrupt. */
struct will_view {
	struct will_memory *memory; /* NULL: none */
	unsigned room;              /* peers for which each half has room */
	int family;                 /* family of all addresses */

	/* electd's alone, so that the helper cannot lead it astray. */
	unsigned counting;        /* the half that counts: 0 or 1 */
	unsigned filled;          /* the half that it fills */
	unsigned peers_counts[2]; /* struct will_plan; one for each half */
};

/* The plan, by the settings. */
struct will_plan {
	unsigned peers_count; /* at most the room */
	nsec_t hang; /* electd hangs if it does not beat for this long; > 0 */
	bool has_successor; /* the first peer with a will is the next leader */
};

/* The bytes of a memory for `room` peers. */
size_t will_size(unsigned room);

/* Makes `memory`, will_size() zeroed bytes, one without wills, deadline or
 * beat. The family is AF_INET or AF_INET6. */
void will_init(struct will_view *will, void *memory, unsigned room, int family,
    const struct will_plan *plan);

/* The bytes of an address of this family. */
socklen_t will_address_size(int family);

/* electd's side. */

/*
 * The settings change: from now on will_set() fills the half that does not
 * count, which has no wills yet. With will_end_change() it counts. If electd
 * dies in between, all that was set before counts.
 */
void will_begin_change(struct will_view *will, const struct will_plan *plan);
void will_end_change(struct will_view *will);

/*
 * Sets the datagram for a peer, of at most PACKET_WILL_BYTES, and its address,
 * of the family; 0 bytes: none. If electd dies during the call, either the old
 * or the new one counts.
 */
void will_set(struct will_view *will, unsigned peer, enum will_kind kind,
    const struct sockaddr *to, const uint8_t *bytes, size_t size);

/* Call this before telling clients that this node leads until then, on
 * CLOCK_BOOTTIME. */
void will_set_handed_out(struct will_view *will, nsec_t until);

/* Says that electd runs, `now` on CLOCK_MONOTONIC. Returns true if the helper
 * has declared it dead since the last beat. */
bool will_beat(struct will_view *will, nsec_t now);

/* electd ends in order: from now on it does not hang. */
void will_end(struct will_view *will);

/* The helper's side; electd may also use will_hang(). */

/* The longest time between two beats of electd. */
nsec_t will_hang(const struct will_view *will);

/* The last beat; 0: there was none, or electd is declared dead. */
nsec_t will_last_beat(const struct will_view *will);

/* True if electd has not beaten for will_hang(): then it is declared dead, by a
 * mark in place of that beat. */
bool will_declare_dead(struct will_view *will, nsec_t now);

/* True if electd is declared dead, and has not run since. */
bool will_is_declared(const struct will_view *will);

/* Which wills go out. */
enum will_choice {
	WILL_CHOOSE_PLAIN,
	WILL_CHOOSE_RELEASING,
	WILL_CHOOSE_BEST, /* to each peer the releasing one, if there is one */
};

/* The wills that the helper sends when electd is dead. */
struct will_last_words {
	enum will_choice first; /* to send at once */
	nsec_t release_at; /* CLOCK_BOOTTIME: when to send the releasing wills;
	                    * NSEC_NEVER: not on their own */
};

/* `now` is on CLOCK_BOOTTIME. For a hang it is WILL_CHOOSE_PLAIN, at once. */
struct will_last_words will_last_words(
    const struct will_view *will, nsec_t now);

/* True if the first of the letters goes out a little before the others. */
bool will_has_successor(const struct will_view *will);

/* A will. The pointers are into the memory. */
struct will_letter {
	const struct sockaddr *to; /* the peer's address */
	const uint8_t *bytes;      /* the datagram */
	size_t size;               /* bytes of the datagram */
	enum will_choice choice;   /* choice of this walk */
	unsigned half, next;       /* where this walk is */
};

/* Begins a walk through the wills that go out, in their order. */
struct will_letter will_letters(
    const struct will_view *will, enum will_choice choice);

/* Gives the next one; false: there is none. One that is corrupted counts as
 * none. */
bool will_next(const struct will_view *will, struct will_letter *letter);

#endif
