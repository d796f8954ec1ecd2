/* SPDX-License-Identifier: ISC */
/*
 * The leader as this node knows it, by its newest beacon (PROTOCOL.md, Beacon).
 * Compares beacons and ages them; what follows from it is the node's business.
 */
#ifndef ELECTD_COMMON_NODE_LEAD_H
#define ELECTD_COMMON_NODE_LEAD_H

#include "common/wire/packet.h"

struct lead {
	struct beacon beacon; /* the newest taken; term 0: there was none yet */
	bool is_fresh;        /* false: given up; the beacon stays, to know old
	                     * signs by */
	nsec_t heard;         /* when that beacon came in */
	nsec_t stale_at;      /* when it will have been too long ago */
	nsec_t since;         /* when this leader was taken, or given up */
	struct reason reason; /* why it leads, or was given up */
};

enum beacon_news {
	BEACON_OLD,     /* nothing new, or of a term gone by */
	BEACON_RENEWED, /* the leader still leads */
	BEACON_RIVAL, /* a worse leader of the same term: two components met */
	BEACON_NEW,   /* another leader, or another term: to be followed */
	BEACON_CROSSED, /* of a term after our leader's, but before one that was
	                * seen: neither side would ever follow the other */
};

/* What a beacon says to who follows `lead` and has seen `term` at most. */
enum beacon_news lead_judge(const struct lead *lead, const struct beacon *p,
    uint64_t term, enum prefer prefer);

/* Takes a beacon that is new. */
void lead_take(struct lead *lead, const struct beacon *p, struct reason reason,
    nsec_t now, nsec_t stale_at);

/* Takes one that renews. */
void lead_renew(
    struct lead *lead, const struct beacon *p, nsec_t now, nsec_t stale_at);

/* Gives the leader up. */
void lead_drop(struct lead *lead, struct reason reason, nsec_t now);

/* NODE_NONE when there is none. */
node_id lead_id(const struct lead *lead);

#endif
