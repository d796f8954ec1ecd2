/* SPDX-License-Identifier: ISC */
/*
 * The words every part of electd shares: node ids, time, and the limits of
 * the whole. Each limit says why it is what it is.
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

/* A node's configured id, 1 to NODE_ID_MAX. */
typedef uint32_t node_id;

/*
 * Nanoseconds on one clock of the caller's: CLOCK_BOOTTIME in electd, virtual
 * time in the simulator. A deadline is absolute; a duration is what two of
 * them differ by.
 */
typedef uint64_t nsec_t;

#define NODE_NONE     ((node_id)0)
#define NODE_ID_MAX   ((node_id)2147483647) /* fits the config's 31 bits */
#define NODES_MAX     1024 /* configured nodes: no datagram lists them */
#define NSEC_NEVER    UINT64_MAX
#define USEC          ((nsec_t)1000)
#define MSEC          ((nsec_t)1000000)
#define SEC           ((nsec_t)1000000000)
#define TERM_JUMP_MAX ((uint64_t)1 << 32)   /* a larger one is a broken peer */
#define TERM_MAX      ((uint64_t)INT64_MAX) /* fits JSON's integers, too */

/* Beyond this an incarnation is absurd: nobody must run out of them. */
#define INCARNATION_MAX ((uint64_t)INT64_MAX)

/* A step further than any that a clock makes: a broken peer's. */
#define INCARNATION_JUMP_MAX ((uint64_t)1 << 48)

#define KEY_BYTES  32 /* a cluster key, and every key derived from it */
#define SALT_BYTES 16 /* freshness of a handshake, and of a process */

/* How long after `then` it is: 0 when `then` lies ahead. */
static inline nsec_t
nsec_since(nsec_t now, nsec_t then)
{
	return now > then ? now - then : 0;
}

/* `now` and a duration later, without wrapping. */
static inline nsec_t
nsec_after(nsec_t now, nsec_t duration)
{
	return duration > NSEC_NEVER - now ? NSEC_NEVER : now + duration;
}

static inline nsec_t
nsec_earlier(nsec_t a, nsec_t b)
{
	return a < b ? a : b;
}

#endif
