/* SPDX-License-Identifier: ISC */
/*
 * The leader as this node knows it, from its newest beacon (PROTOCOL.md,
 * Beacon). It says what a beacon means beside that one; node.c and beacon.c act
 * on it.
 */
#ifndef ELECTD_COMMON_NODE_LEAD_H
#define ELECTD_COMMON_NODE_LEAD_H

#include "common/wire/packet.h"

struct peer;

/* The leader as this node knows it (lead.c). All read it. */
struct lead {
	struct beacon beacon; /* the newest taken; term 0: there was none yet */
	bool is_fresh;        /* false: the leader was given up; the beacon
	                       * stays, so that older ones are known */
	struct beacon before; /* the newest of the leader before this one, which
	                       * peers may still hand on; term 0: none */
	struct peer *by;      /* handed us the newest beacon of another node;
	                       * NULL: no peer did */
	uint64_t own_number;  /* of the newest beacon of this leader that came
	                       * from itself; 0: none did */
	uint64_t said;        /* the highest number of a beacon of ours, as the
	                       * leader of any term */
	nsec_t heard;         /* when the newest beacon came in */
	nsec_t stale_at;      /* when that beacon is no longer current */
	nsec_t since;         /* when this leader was taken, or given up */
	struct reason reason; /* why it leads, or was given up */
	bool found_nobody;    /* an election had no eligible node, and we have
	                       * followed no leader since */
	bool is_lone;         /* we lead, hear nobody, and nobody knows of it
	                       * (PROTOCOL.md, Lone leaders) */
};

enum beacon_news {
	BEACON_OLD,     /* it is no news, or of a term that is over */
	BEACON_RENEWED, /* our leader leads on */
	BEACON_RIVAL, /* a worse leader of the same term: two components met */
	BEACON_NEW,   /* another leader, or another term: to be followed */
	BEACON_CROSSED, /* of a term above our leader's, or of another leader in
	                 * its term, but below one that was seen: neither side
	                 * would ever follow the other */
};

/* Begins without a leader. *lead is zeroed. */
void lead_init(struct lead *lead, nsec_t now);

/* What a beacon, which names a leader, means to a node that follows `lead` and
 * has seen no term above `term`. */
enum beacon_news lead_judge(const struct lead *lead, const struct beacon *p,
    uint64_t term, enum prefer prefer);

/* Follows the leader of a beacon, which is current until `stale_at`; `by` and
 * `reason` as in the struct. */
void lead_take(struct lead *lead, const struct beacon *p, struct peer *by,
    struct reason reason, nsec_t now, nsec_t stale_at);

/* Takes a beacon that is BEACON_RENEWED and current until `stale_at`. */
void lead_renew(struct lead *lead, const struct beacon *p, struct peer *by,
    nsec_t now, nsec_t stale_at);

/* The next beacon of ours, as the leader, is news to every node. */
void lead_renumber(struct lead *lead);

/* We, who have just begun to lead, hear nobody. */
void lead_begin_lone(struct lead *lead);

/* True if the leader was given up for its silence alone, or by the word of its
 * host alone: it may be there. */
bool lead_was_silent(const struct lead *lead);

/* True if a datagram said that the leader's process is over. */
bool lead_was_told_over(const struct lead *lead);

/* We lead, and somebody may know of it. */
void lead_end_lone(struct lead *lead);

/* Our beacon, as the leader, tells this rank of ours. */
void lead_set_rank(struct lead *lead, const struct rank *rank);

/* Our beacon, as the leader, says that we hand over: to `successor`, if it is
 * not NODE_NONE. */
void lead_hand_over(
    struct lead *lead, node_id successor, bool is_named, bool is_leaving);

/* Our beacon, as the leader, says no more that we hand over. */
void lead_stay(struct lead *lead);

/* The beacon is current no more. */
void lead_expire(struct lead *lead, nsec_t now);

/* The beacon is current for `lag` longer, as we ourselves run late. */
void lead_excuse(struct lead *lead, nsec_t lag);

/* The peer that handed us the newest beacon is in another place; NULL: it is no
 * peer any more. */
void lead_move(struct lead *lead, struct peer *by);

/* The beacon is current until then at least. */
void lead_extend(struct lead *lead, nsec_t until);

/* Gives the leader up. There is one. */
void lead_drop(struct lead *lead, struct reason reason, nsec_t now);

/* An election had no eligible node. There is no leader. */
void lead_find_nobody(struct lead *lead);

/* The leader; NODE_NONE when there is none. */
node_id lead_id(const struct lead *lead);

/* Asserts every invariant; called after each step by tests. */
void lead_check(const struct lead *lead);

#endif
