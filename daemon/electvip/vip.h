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

/* The address is removed this long before the deadline. */
#define VIP_REMOVE_EARLY (50 * MSEC)

enum vip_deed {
	VIP_NOTHING,
	VIP_PROBE,    /* ask whether anyone has the address */
	VIP_ADD,      /* give it to the interface for `lifetime`; fails with
	               * EEXIST if that has it */
	VIP_RENEW,    /* let its lifetime begin anew */
	VIP_REMOVE,   /* take it away from the interface vip.index */
	VIP_ANNOUNCE, /* tell the LAN that we have the address */
	VIP_TELL,     /* print vip.news */
};

enum vip_news {
	VIP_SILENT,
	VIP_HAS_BEGUN,   /* this host has the address now */
	VIP_HAS_ENDED,   /* this host has the address no more */
	VIP_WAS_REMOVED, /* someone else removed it */
	VIP_IN_USE,      /* `rival` has the address; we try again */
	VIP_INSISTED,    /* `rival` has the address; we take it all the same */
	VIP_DISPUTED,    /* `rival` claims the address, which we have */
	VIP_OCCUPIED,    /* the interface has the address, and not from us */
	VIP_FAILED,      /* the interface did not get the address: `error` of
			  * the kernel */
	VIP_STAYS,       /* the interface still has the address: `error` of the
			  * removal */
};

enum vip_state {
	VIP_IDLE,    /* not ours */
	VIP_PROBING, /* we ask whether anyone has the address */
	VIP_WAITING, /* we try again at retry_at */
	VIP_HELD,    /* the interface has it from us */
	VIP_LEAVING, /* the interface still has the address: we remove it at
		      * retry_at */
};

enum vip_presence {
	VIP_ABSENT,
	VIP_OURS, /* present, with a lifetime that only we give */
	VIP_FOREIGN,
};

struct vip {
	struct ip ip;
	enum vip_state state;
	int link;   /* the index of our interface; 0: there is none */
	bool is_up; /* the interface has a carrier */

	enum vip_presence presence;
	int index; /* if VIP_OURS: index of the interface that has the address:
		    * ours, or one that was ours until it got another name */
	nsec_t lives_until; /* if VIP_OURS: the lifetime is over by then */

	nsec_t until; /* this node leads until then; NSEC_NEVER: without a
	               * deadline; 0: it does not */
	struct random random;

	unsigned probes;   /* if VIP_PROBING: probes that were sent */
	nsec_t probe_at;   /* the next probe, or the end of the last */
	unsigned failures; /* failures since we last had the address */
	bool insists;      /* set by the caller: after many failures we take it
	                    * though it is in use, if a deadline shows that no
	                    * member has it */
	nsec_t retry_at;   /* if VIP_WAITING or VIP_LEAVING */

	unsigned lifetime;  /* VIP_ADD, VIP_RENEW: seconds */
	nsec_t held_at;     /* when we last began to have the address */
	nsec_t renew_at;    /* NSEC_NEVER: not before a later deadline */
	unsigned announced; /* if VIP_HELD: announcements so far */
	nsec_t announce_at;
	nsec_t defended_at; /* 0: never */

	enum vip_news news;
	uint8_t rival[MAC_BYTES]; /* VIP_IN_USE to VIP_DISPUTED: the other
				   * host */
	int error;                /* VIP_FAILED, VIP_STAYS: an errno */
	bool is_blamed; /* VIP_OCCUPIED or VIP_FAILED was printed, and is still
			 * true */
};

void vip_init(struct vip *v, const struct ip *ip, uint64_t seed);

/* What happens. */

/* This node leads until `until`, as in vip.until. */
void vip_lead(struct vip *v, nsec_t until);

/* Our interface has this index, 0: there is none; and a carrier, or not. An
 * interface that had another index still exists, under another name; if it has
 * gone, call vip_see() first. */
void vip_link(struct vip *v, int link, bool is_up);

/* By the kernel our interface has the address, with this lifetime in seconds
 * and a prefix of the whole length or not; or has it no more. */
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
