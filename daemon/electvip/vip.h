/* SPDX-License-Identifier: ISC */
/*
 * One floating address: what is to be done with it, and when. It reads no
 * clock and does nothing itself: the caller tells it what happens, asks
 * vip_next() for the next deed until there is none, does each, and says by
 * vip_did() how it went.
 *
 * The kernel takes an address away when its lifetime is over. It keeps no time
 * shorter than a second, and rounds up: a lifetime of N seconds is over after
 * at most N + VIP_ROUNDED; if other addresses of the host change at a bad
 * moment, after at most N + VIP_ROUNDED_MOST, as the kernel looks once a second
 * (addrconf_verify_rtnl() and check_lifetime() of Linux).
 */
#ifndef ELECTD_DAEMON_ELECTVIP_VIP_H
#define ELECTD_DAEMON_ELECTVIP_VIP_H

#include "common/util/random.h"
#include "daemon/electvip/frame.h"

#define VIP_ROUNDED      (300 * MSEC)
#define VIP_ROUNDED_MOST (1000 * MSEC)

/* Lifetimes, in seconds. A longer one would not be ours: see vip_see(). */
#define VIP_LIFETIME_MAX 2

/* How far ahead electd's deadlines must lie: then each of them lets the address
 * live for a second, and whatever else changes, it is gone by then. Later, when
 * there is no such deadline, VIP_ROUNDED has to do. */
#define VIP_SPAN_MIN (1 * SEC + VIP_ROUNDED_MOST)

/* So long before the deadline the address is removed. */
#define VIP_REMOVE_EARLY (50 * MSEC)

enum vip_deed {
	VIP_NOTHING,
	VIP_PROBE,    /* ask whether anyone has the address */
	VIP_ADD,      /* give it to the interface for `lifetime`; fails with
	               * EEXIST if that has it */
	VIP_RENEW,    /* let its lifetime begin anew */
	VIP_REMOVE,   /* take it away from the interface vip.index */
	VIP_ANNOUNCE, /* tell everyone that we have it */
	VIP_TELL,     /* tell the user what vip.news says */
};

enum vip_news {
	VIP_SILENT,
	VIP_HAS_BEGUN,   /* this host has the address now */
	VIP_HAS_ENDED,   /* it has it no more */
	VIP_WAS_REMOVED, /* someone else removed it */
	VIP_IN_USE,      /* `rival` has it; we try again */
	VIP_INSISTED,    /* `rival` has it; we take it all the same */
	VIP_DISPUTED,    /* `rival` says that it has it, but so do we */
	VIP_OCCUPIED,    /* the interface has it, and not from us */
	VIP_FAILED,      /* it does not get it, by `error` of the kernel */
	VIP_STAYS,       /* it still has it: `error` was that of its removal */
};

enum vip_state {
	VIP_IDLE,    /* not ours */
	VIP_PROBING, /* we ask whether anyone has it */
	VIP_WAITING, /* we try again at retry_at */
	VIP_HELD,    /* the interface has it from us */
	VIP_LEAVING, /* it still has it: we remove it at retry_at */
};

enum vip_presence {
	VIP_ABSENT,
	VIP_OURS, /* with a lifetime that only we give */
	VIP_FOREIGN,
};

struct vip {
	struct ip ip;
	enum vip_state state;
	int link;   /* the index of our interface; 0: there is none */
	bool is_up; /* that has a carrier */

	enum vip_presence presence;
	int index; /* of the interface that has it, if VIP_OURS: ours, or one
	            * that was ours until it got another name */
	nsec_t lives_until; /* if VIP_OURS: its lifetime is over by then */

	nsec_t until; /* this node leads until then; NSEC_NEVER: without a
	               * deadline; 0: it does not */
	struct random random;

	unsigned probes;   /* that were sent, if VIP_PROBING */
	nsec_t probe_at;   /* the next probe, or the end of the last */
	unsigned failures; /* since we last had it */
	bool insists;      /* set by the caller: after many failures we take it
	                    * though it is in use, if a deadline shows that no
	                    * member has it */
	nsec_t retry_at;   /* if VIP_WAITING or VIP_LEAVING */

	unsigned lifetime;  /* of VIP_ADD and VIP_RENEW, in seconds */
	nsec_t held_at;     /* when we last began to have it */
	nsec_t renew_at;    /* NSEC_NEVER: not before a later deadline */
	unsigned announced; /* how often, if VIP_HELD */
	nsec_t announce_at;
	nsec_t defended_at; /* 0: never */

	enum vip_news news;
	uint8_t rival[MAC_BYTES]; /* of VIP_IN_USE to VIP_DISPUTED */
	int error;                /* of VIP_FAILED and VIP_STAYS */
	bool is_blamed; /* VIP_OCCUPIED or VIP_FAILED was told, and holds */
};

void vip_init(struct vip *v, const struct ip *ip, uint64_t seed);

/* What happens. */

/* This node leads until then, as vip.until says. */
void vip_lead(struct vip *v, nsec_t until);

/* Our interface has this index, or 0: there is none; and a carrier, or not. One
 * that had another index is still there, with another name: if it has gone, say
 * first that it does not have the address any more. */
void vip_link(struct vip *v, int link, bool is_up);

/* The kernel says that our interface has the address, with this lifetime in
 * seconds and this length of its prefix, or has it no more. */
void vip_see(
    struct vip *v, nsec_t now, bool is_there, bool is_whole, uint32_t lifetime);

/* Another host has sent this about the address. */
void vip_hear(struct vip *v, nsec_t now, const struct frame *frame);

/* What is to be done. */

/* The next deed at this time; VIP_TELL is the last of all. */
enum vip_deed vip_next(struct vip *v, nsec_t now);

/* The deed was done by now; `error` is 0 or a negative errno. */
void vip_did(struct vip *v, nsec_t now, enum vip_deed deed, int error);

/* When to ask again, if nothing happens; NSEC_NEVER: not at all. */
nsec_t vip_due_at(const struct vip *v);

#endif
