/* SPDX-License-Identifier: ISC */
/*
 * Last wills of the node and of its peers (lastwill.c; PROTOCOL.md, Last
 * will).
 */
#ifndef ELECTD_COMMON_NODE_LEAD_LASTWILL_H
#define ELECTD_COMMON_NODE_LEAD_LASTWILL_H

#include "common/node/node_parts.h"

/* Makes both wills to this peer due: it has another session, or none. */
void lastwill_change(struct node *node, struct peer *p);

/* The peers have other numbers: all wills are due. */
void lastwill_change_all(struct node *node);

/* A session with this peer ends: keeps what opens a will which may yet
 * come, and makes the wills to this peer due. */
void lastwill_end_session(struct node *node, struct peer *p);

/* Builds the next will for the helper, as an ACTION_WILL; false if all that it
 * has are up to date. */
bool lastwill_act(struct node *node, struct action *action);

/* A last will of a peer. The caller wipes it. */
struct opened_will {
	struct owner by;      /* the process that sealed it, and is over */
	uint64_t term;        /* all its terms up to this one are free; 0 */
	struct opener opener; /* what opened it */
};

/* Opens a DIED, any bytes, from any address. False if it is dropped, or says
 * nothing new; then *opened is not valid. */
bool lastwill_open(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    struct opened_will *opened);

/* The process of this will is buried: keeps the opener, as a will that gives up
 * its terms may follow. */
void lastwill_remember(struct peer *p, const struct opened_will *opened);

/* Asserts every invariant of this part. */
void lastwill_check(const struct node *node, const struct peer *p);

#endif
