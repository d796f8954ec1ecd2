/* SPDX-License-Identifier: ISC */
#include "daemon/electvip/vip.h"

#include <errno.h>
#include <string.h>

/* RFC 5227 has three probes, but in seconds: too long for a failover. A host on
 * the same LAN answers within a millisecond. */
#define PROBES    3
#define PROBE_GAP (3 * MSEC)

/* After this many failures in a row (RFC 5227 has conflicts) we try less often.
 * Until then a host that has just died has lost the address, by its
 * lifetime. */
#define FAILURES_MAX 10
#define RETRY        (300 * MSEC)
#define RETRY_SELDOM (2 * SEC)
#define RETRY_JITTER (50 * MSEC) /* two that try at once do not go on so */

#define REMOVE_GAP (20 * MSEC) /* from a removal that failed to the next */

#define RENEW_AFTER (800 * MSEC) /* of the first second, without a frame */
#define ASK_TIME    (50 * MSEC)  /* the longest request to the kernel */
#define LATE_MAX    (100 * MSEC) /* the longest delay of our process */

#define DEFEND_GAP (10 * SEC) /* between two answers to claims; RFC 5227 */

/* From one announcement to the next: a frame may be lost, and a switch that
 * has just begun to forward loses more. */
static const nsec_t announce_gaps[] = { 100 * MSEC, 900 * MSEC, 4 * SEC,
	15 * SEC };

#define ANNOUNCEMENTS (1 + sizeof(announce_gaps) / sizeof(announce_gaps[0]))

void
vip_init(struct vip *v, const struct ip *ip, uint64_t seed)
{
	*v = (struct vip){ .ip = *ip };
	random_init(&v->random, seed);
}

static void
tell(struct vip *v, enum vip_news news)
{
	v->news = news;
}

/* The lifetime that ends in time if it begins now; 0: none does. */
static unsigned
lifetime_by(const struct vip *v, nsec_t now)
{
	nsec_t left = nsec_since(v->until, now), most;

	if (v->until == NSEC_NEVER)
		return VIP_LIFETIME_MAX;
	most = nsec_since(left, VIP_ROUNDED_MOST) / SEC;
	if (most > 0)
		return most < VIP_LIFETIME_MAX ? (unsigned)most
					       : VIP_LIFETIME_MAX;
	return left >= 1 * SEC + VIP_ROUNDED + ASK_TIME ? 1 : 0;
}

static nsec_t
remove_at(const struct vip *v)
{
	return v->until == NSEC_NEVER ? NSEC_NEVER
				      : nsec_since(v->until, VIP_REMOVE_EARLY);
}

static bool
may_hold(const struct vip *v, nsec_t now)
{
	return v->is_up && now < remove_at(v);
}

/* The lifetime has begun: when is it to begin anew? In time; but about the last
 * moment that allows a second before the deadline, if that is earlier. */
static void
plan_renewal(struct vip *v, nsec_t now)
{
	nsec_t last =
	    nsec_since(v->until, 1 * SEC + VIP_ROUNDED + ASK_TIME + LATE_MAX);

	v->renew_at = nsec_after(now, RENEW_AFTER);
	if (v->until == NSEC_NEVER)
		return;
	v->renew_at =
	    last <= now ? NSEC_NEVER : nsec_earlier(v->renew_at, last);
}

/* The lifetime begins by now, perhaps anew. */
static void
live(struct vip *v, nsec_t now, nsec_t lifetime)
{
	nsec_t most = nsec_after(now, lifetime * SEC + VIP_ROUNDED_MOST);

	if (v->lives_until < most)
		v->lives_until = most;
}

/* A deed failed, or the address is in use: we try again, sooner or later. */
static void
try_later(struct vip *v, nsec_t now)
{
	nsec_t gap = v->failures < FAILURES_MAX ? RETRY : RETRY_SELDOM;

	if (v->failures < FAILURES_MAX)
		v->failures++;
	v->state = VIP_WAITING;
	v->retry_at =
	    nsec_after(now, gap + random_below(&v->random, RETRY_JITTER));
}

/* What happens. */

void
vip_lead(struct vip *v, nsec_t until)
{
	if (until > v->until)
		v->renew_at = 0;
	v->until = until;
}

void
vip_link(struct vip *v, int link, bool is_up)
{
	v->is_up = is_up;
	if (link == v->link)
		return;
	v->link = link;
	if (v->presence == VIP_OURS) {
		v->state = VIP_LEAVING;
		v->retry_at = 0;
		v->error = 0;
	} else {
		v->presence = VIP_ABSENT;
		v->is_blamed = false;
	}
}

/* The address is not there any more, or is not ours. */
static void
lose(struct vip *v, nsec_t now)
{
	v->lives_until = 0;
	if (v->state == VIP_LEAVING) {
		v->state = VIP_IDLE;
		if (v->presence == VIP_ABSENT)
			tell(v, VIP_HAS_ENDED);
	} else if (v->state == VIP_HELD) {
		/* Not renewed, it ends by its lifetime. */
		tell(v, v->renew_at == NSEC_NEVER ? VIP_HAS_ENDED
						  : VIP_WAS_REMOVED);
		/* At once, but not again and again. */
		v->state = VIP_WAITING;
		v->retry_at = now > nsec_after(v->held_at, RETRY)
				  ? now
				  : nsec_after(v->held_at, RETRY);
	}
}

void
vip_see(
    struct vip *v, nsec_t now, bool is_there, bool is_whole, uint32_t lifetime)
{
	bool had = v->presence == VIP_OURS;

	if (had && v->index != v->link)
		return;
	v->presence = VIP_ABSENT;
	if (is_there)
		v->presence = is_whole && lifetime <= VIP_LIFETIME_MAX
				  ? VIP_OURS
				  : VIP_FOREIGN;
	if (v->presence != VIP_FOREIGN)
		v->is_blamed = false;
	if (v->presence == VIP_OURS) {
		v->index = v->link;
		live(v, now, lifetime);
	} else if (had) {
		lose(v, now);
	}
}

static void
give_way(struct vip *v, nsec_t now, const struct frame *frame)
{
	bool is_new =
	    v->failures == 0 || memcmp(v->rival, frame->sender, MAC_BYTES) != 0;

	memcpy(v->rival, frame->sender, MAC_BYTES);
	if (is_new)
		tell(v, VIP_IN_USE);
	try_later(v, now);
}

/* This node leads, so we keep the address, and announce it. */
static void
defend(struct vip *v, nsec_t now, const struct frame *frame)
{
	if (v->defended_at != 0 && nsec_since(now, v->defended_at) < DEFEND_GAP)
		return;
	v->defended_at = now;
	memcpy(v->rival, frame->sender, MAC_BYTES);
	tell(v, VIP_DISPUTED);
	v->announced = 0;
	v->announce_at = now;
}

/* True if we take the address though it is in use. Under quorum no member has
 * it any more, since its lifetime is over: the host that uses it is a stranger,
 * or faulty. */
static bool
takes_it(const struct vip *v)
{
	return v->insists && v->until != NSEC_NEVER &&
	       v->failures >= FAILURES_MAX;
}

static void
insist(struct vip *v, const struct frame *frame)
{
	if (v->failures > FAILURES_MAX)
		return;
	v->failures++; /* FAILURES_MAX + 1: printed once */
	memcpy(v->rival, frame->sender, MAC_BYTES);
	tell(v, VIP_INSISTED);
}

void
vip_hear(struct vip *v, nsec_t now, const struct frame *frame)
{
	if (v->state == VIP_PROBING && !takes_it(v))
		give_way(v, now, frame);
	else if (v->state == VIP_PROBING)
		insist(v, frame);
	else if (v->state == VIP_HELD && frame->kind == FRAME_CLAIM)
		defend(v, now, frame);
}

/* What is to be done. */

static void
begin_to_probe(struct vip *v, nsec_t now)
{
	v->state = VIP_PROBING;
	v->probes = 0;
	v->probe_at = now;
}

/* The next deed if we have the address. */
static enum vip_deed
next_if_held(struct vip *v, nsec_t now)
{
	if (now >= v->renew_at) {
		v->lifetime = lifetime_by(v, now);
		if (v->lifetime > 0)
			return VIP_RENEW;
		v->renew_at = NSEC_NEVER;
	}
	if (v->announced < ANNOUNCEMENTS && now >= v->announce_at)
		return VIP_ANNOUNCE;
	return VIP_NOTHING;
}

/* The next deed if we want it. */
static enum vip_deed
next_if_wanted(struct vip *v, nsec_t now)
{
	v->lifetime = lifetime_by(v, now);
	if (v->lifetime == 0) {
		v->state = VIP_IDLE;
		return VIP_NOTHING;
	}
	if (v->state == VIP_IDLE ||
	    (v->state == VIP_WAITING && now >= v->retry_at))
		begin_to_probe(v, now);
	if (v->state == VIP_WAITING || now < v->probe_at)
		return VIP_NOTHING;
	return v->probes < PROBES ? VIP_PROBE : VIP_ADD;
}

/* The next deed if it is to go, but the interface still has it. */
static enum vip_deed
next_if_leaving(struct vip *v, nsec_t now)
{
	if (now >= v->lives_until) {
		v->presence = VIP_ABSENT;
		lose(v, now);
		return VIP_NOTHING;
	}
	return now >= v->retry_at ? VIP_REMOVE : VIP_NOTHING;
}

/* The next deed but VIP_TELL. */
static enum vip_deed
next_deed(struct vip *v, nsec_t now)
{
	if (v->state == VIP_LEAVING)
		return next_if_leaving(v, now);
	if (v->state != VIP_HELD && v->presence == VIP_OURS)
		return VIP_REMOVE;
	if (!may_hold(v, now)) {
		if (v->state == VIP_HELD)
			return VIP_REMOVE;
		v->state = VIP_IDLE;
		v->failures = 0;
		return VIP_NOTHING;
	}
	if (v->presence == VIP_FOREIGN) {
		v->state = VIP_IDLE;
		if (!v->is_blamed)
			tell(v, VIP_OCCUPIED);
		v->is_blamed = true;
		return VIP_NOTHING;
	}
	return v->state == VIP_HELD ? next_if_held(v, now)
				    : next_if_wanted(v, now);
}

enum vip_deed
vip_next(struct vip *v, nsec_t now)
{
	enum vip_deed deed = next_deed(v, now);

	if (deed == VIP_NOTHING && v->news != VIP_SILENT)
		return VIP_TELL;
	return deed;
}

static void
fail(struct vip *v, nsec_t now, int error)
{
	try_later(v, now);
	if (v->is_blamed && v->error == error)
		return;
	v->is_blamed = true;
	v->error = error;
	tell(v, VIP_FAILED);
}

static void
did_add(struct vip *v, nsec_t now)
{
	v->state = VIP_HELD;
	v->presence = VIP_OURS;
	v->index = v->link;
	v->is_blamed = false;
	v->failures = 0;
	v->held_at = v->announce_at = now;
	v->announced = 0;
	live(v, now, v->lifetime);
	plan_renewal(v, now);
	tell(v, VIP_HAS_BEGUN);
}

static void
did_announce(struct vip *v, nsec_t now)
{
	if (v->announced < ANNOUNCEMENTS - 1)
		v->announce_at = nsec_after(now, announce_gaps[v->announced]);
	v->announced++;
}

static void
did_remove(struct vip *v, nsec_t now, int error)
{
	if (error == 0 || error == -EADDRNOTAVAIL || error == -ENODEV) {
		if (v->state == VIP_HELD)
			v->state = VIP_LEAVING;
		v->presence = VIP_ABSENT;
		lose(v, now);
		return;
	}
	if (v->state != VIP_LEAVING || v->error != error)
		tell(v, VIP_STAYS);
	v->error = error;
	v->state = VIP_LEAVING;
	v->retry_at = nsec_after(now, REMOVE_GAP);
}

/* The kernel may have taken long: then the lifetime may end too late. */
static void
check_in_time(struct vip *v, nsec_t now)
{
	if (v->state == VIP_HELD && v->until != NSEC_NEVER &&
	    nsec_since(v->until, now) < v->lifetime * SEC + VIP_ROUNDED)
		v->until = 0;
}

void
vip_did(struct vip *v, nsec_t now, enum vip_deed deed, int error)
{
	switch (deed) {
	case VIP_PROBE:
		v->probes++;
		v->probe_at = nsec_after(now, PROBE_GAP);
		if (error != 0)
			fail(v, now, error);
		break;
	case VIP_ADD:
		if (error == 0)
			did_add(v, now);
		else
			fail(v, now, error);
		check_in_time(v, now);
		break;
	case VIP_RENEW:
		plan_renewal(v, now);
		if (error != 0)
			fail(v, now, error);
		else
			live(v, now, v->lifetime);
		check_in_time(v, now);
		break;
	case VIP_REMOVE:
		did_remove(v, now, error);
		break;
	case VIP_ANNOUNCE:
		did_announce(v, now);
		break;
	case VIP_TELL:
		v->news = VIP_SILENT;
		break;
	case VIP_NOTHING:
		break;
	}
}

nsec_t
vip_due_at(const struct vip *v)
{
	nsec_t at = remove_at(v);

	if (v->state == VIP_LEAVING)
		return nsec_earlier(v->retry_at, v->lives_until);
	if (v->until == 0)
		return NSEC_NEVER;
	switch (v->state) {
	case VIP_HELD:
		at = nsec_earlier(at, v->renew_at);
		if (v->announced < ANNOUNCEMENTS)
			at = nsec_earlier(at, v->announce_at);
		return at;
	case VIP_PROBING:
		return nsec_earlier(at, v->probe_at);
	case VIP_WAITING:
		return nsec_earlier(at, v->retry_at);
	case VIP_LEAVING:
	case VIP_IDLE:
		break;
	}
	return NSEC_NEVER;
}
