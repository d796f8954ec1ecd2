/* SPDX-License-Identifier: ISC */
/*
 * The standby of a node (PROTOCOL.md, Standby), and the frame by which the node
 * tells its peers.
 */
#ifndef ELECTD_COMMON_WIRE_STANDBY_H
#define ELECTD_COMMON_WIRE_STANDBY_H

#include "common/util/bytes.h"

#define STANDBY_REASON_MAX 63 /* bytes: a table has room for a few words */
#define STANDBY_BYTES      16 /* bytes on the wire, before the reason */

/* The longest age, and time left: 34 years, which as nanoseconds fit nsec_t. */
#define STANDBY_MAX ((nsec_t)((uint64_t)1 << 40) * MSEC)

/* What puts a node on standby, and what ends that. */
enum standby_cause {
	STANDBY_ORDER,    /* an operator: until its time is over or `rejoin` */
	STANDBY_CHECK,    /* its host: while a check of its services fails */
	STANDBY_RESIGNED, /* it resigned: until `rejoin`, or until no other node
	                   * is left to lead */
	STANDBY_CAUSES,
};

/* Whether a node is on standby, at one moment. */
struct standby {
	bool is_on; /* if not, `cause` is what has ended, and
	                           * the rest is not defined */
	FILLER(3);
	enum standby_cause cause; /* the frame does not tell it */
	nsec_t age;  /* for how long it has been; STANDBY_MAX at most */
	nsec_t left; /* when it ends by itself; 1 to STANDBY_MAX, or NSEC_NEVER:
	              * an operator ends it */
	char reason[STANDBY_REASON_MAX + 1]; /* in words; "": none is given */
};

/* True if these bytes may be a reason: UTF-8 without control characters, at
 * most STANDBY_REASON_MAX bytes. */
bool standby_reason_is_valid(const char *bytes, size_t size);

/* True if it is on, and for this cause. */
bool standby_is_by(const struct standby *standby, enum standby_cause cause);

/* The same standby, told at `at`, as of `now`. What is over is off. */
struct standby standby_later(
    const struct standby *standby, nsec_t at, nsec_t now);

/* Writes one that is on, in whole milliseconds. */
void standby_encode(struct writer *w, const struct standby *standby);

/* Reads one that is on: all bytes that are left. False if the bytes are none:
 * *standby is then unspecified. */
bool standby_decode(struct reader *r, struct standby *standby);

#endif
