/* SPDX-License-Identifier: ISC */
/*
 * What every part of electd shares: node ids, time, and the limits of the
 * whole, each with its reason.
 */
#ifndef ELECTD_COMMON_UTIL_TYPES_H
#define ELECTD_COMMON_UTIL_TYPES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef NDEBUG
#error "asserts stay on: a dead node is survived, a confused one is not"
#endif

/* A node's configured id, 1 to NODE_ID_MAX; or NODE_NONE. */
typedef uint32_t node_id;

/*
 * Nanoseconds on one clock of the caller: CLOCK_BOOTTIME in electd, virtual
 * time in the simulator. A time is absolute; a duration is the difference of
 * two times. nsec_after() alone adds a duration to a time, as a sum beyond
 * NSEC_NEVER would lie in the past; `make times` finds other sums. Durations
 * come from the configuration and from constants: + and * serve for these.
 */
typedef uint64_t nsec_t;

#define NODE_NONE        ((node_id)0)          /* no node */
#define NODE_ID_MAX      ((node_id)2147483647) /* a setting has 31 bits */
#define NODES_MAX        1024       /* a bit for each of them fits a datagram */
#define NSEC_NEVER       UINT64_MAX /* later than every time */
#define USEC             ((nsec_t)1000)
#define MSEC             ((nsec_t)1000000)
#define SEC              ((nsec_t)1000000000)
#define TERM_JUMP_MAX    ((uint64_t)1 << 32) /* a larger step: a broken peer */
#define TERM_MAX         ((uint64_t)INT64_MAX) /* JSON readers take no more */
#define TERM_JUMP_QUORUM ((uint64_t)1000000)   /* likewise, under quorum */

/* A peer that sends a higher incarnation is broken. */
#define INCARNATION_MAX ((uint64_t)INT64_MAX)

/* A larger step of an incarnation is no clock's: a broken peer. */
#define INCARNATION_JUMP_MAX ((uint64_t)1 << 48)

/* The highest config version: see config_id_floor(). And the highest revision:
 * a list of nodes that changes each second counts for 68 years. */
#define CONFIG_VERSION_MAX 1000000
#define REVISION_MAX       INT32_MAX

#define KEY_BYTES  32 /* a cluster key, and every key derived from it */
#define SALT_BYTES 16 /* a salt, an instance, a digest */

/*
 * A field in place of the hole that a compiler would leave here in a struct: a
 * hole is copied with the struct, and has what was on the stack; a field is 0
 * unless it is set. Structs that get into the memory of a node have fillers, as
 * that memory goes onto tapes (PROTOCOL.md, Tapes).
 */
#define FILLER(bytes)             FILLER_OF(bytes, __LINE__)
#define FILLER_OF(bytes, line)    FILLER_NAMED(bytes, line)
#define FILLER_NAMED(bytes, line) uint8_t filler_##line[bytes]

/* The time since `then`; 0 if it lies ahead. */
static inline nsec_t
nsec_since(nsec_t now, nsec_t then)
{
	return now > then ? now - then : 0;
}

/* The time a duration after `now`; NSEC_NEVER if it is beyond all times. */
static inline nsec_t
nsec_after(nsec_t now, nsec_t duration)
{
	return duration > NSEC_NEVER - now ? NSEC_NEVER : now + duration;
}

/* The earlier of two times, or the shorter of two durations. */
static inline nsec_t
nsec_earlier(nsec_t a, nsec_t b)
{
	return a < b ? a : b;
}

#endif
