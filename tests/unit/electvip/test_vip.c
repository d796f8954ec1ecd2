/* SPDX-License-Identifier: ISC */
/* An address on a host whose kernel does what it is asked, at once, and takes
 * the address away when its lifetime is over. */
#include "daemon/electvip/vip.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <string.h>

#define ETH0  2 /* the index of the interface */
#define OTHER 3

static const struct ip ip = { .bytes = { 198, 18, 0, 100 } };
static const struct frame claim = { .kind = FRAME_CLAIM,
	.ip = { .bytes = { 198, 18, 0, 100 } },
	.sender = { 2, 0, 0, 0, 0, 9 } };

static struct host {
	struct vip vip;
	nsec_t now;
	bool has;       /* the address */
	int on;         /* the interface that has it */
	nsec_t ends_at; /* its lifetime */
	int error;      /* of the next deeds */
	int stuck;      /* error of the next removals */
	nsec_t slow;    /* how long the kernel takes for a deed */
	unsigned deeds[VIP_TELL + 1];
	enum vip_news news; /* the last */
	nsec_t began_at;    /* when it was last added */
	nsec_t ended_at;    /* when it was last removed, or taken away */
} h;

static void
host_init(void)
{
	h = (struct host){ .now = 100 * SEC };
	vip_init(&h.vip, &ip, 1);
	vip_link(&h.vip, ETH0, true);
}

/* The kernel knows only what is on the interface that it is asked for. */
static int
host_error(enum vip_deed deed)
{
	if (deed != VIP_REMOVE)
		return h.error;
	if (!h.has || h.vip.index != h.on)
		return -EADDRNOTAVAIL;
	return h.stuck;
}

static void
host_do(enum vip_deed deed, int error)
{
	h.deeds[deed]++;
	if (deed == VIP_TELL)
		h.news = h.vip.news;
	if (deed == VIP_ADD || deed == VIP_RENEW || deed == VIP_REMOVE)
		h.now += h.slow;
	if (error != 0)
		return;
	if (deed == VIP_ADD)
		h.began_at = h.now;
	if (deed == VIP_ADD || deed == VIP_RENEW) {
		h.has = true;
		h.on = h.vip.link;
		h.ends_at = h.now + h.vip.lifetime * SEC;
	}
	if (deed == VIP_REMOVE) {
		h.has = false;
		h.ended_at = h.now;
	}
}

/* All that is due now. */
static void
host_act(void)
{
	enum vip_deed deed;

	while ((deed = vip_next(&h.vip, h.now)) != VIP_NOTHING) {
		int error = host_error(deed);

		host_do(deed, error);
		vip_did(&h.vip, h.now, deed, error);
	}
}

/* Time passes, by so much. */
static void
host_pass(nsec_t time)
{
	nsec_t until = h.now + time;

	host_act();
	for (;;) {
		nsec_t at = nsec_earlier(
		    vip_due_at(&h.vip), h.has ? h.ends_at : NSEC_NEVER);

		if (at > until)
			break;
		assert_true(at > h.now);
		h.now = at;
		if (h.has && h.now >= h.ends_at) {
			h.has = false;
			h.ended_at = h.now;
			vip_see(&h.vip, h.now, false, true, 0);
		}
		host_act();
	}
	h.now = until;
}

/* electd gives a deadline, so far ahead. */
static void
host_lead(nsec_t ahead)
{
	vip_lead(&h.vip, ahead == 0 ? 0 : nsec_after(h.now, ahead));
	host_act();
}

static int
enter(void **state)
{
	(void)state;
	host_init();
	return 0;
}

#define CASE(test) TEST(test, enter)

CASE(without_the_lead_nothing_is_done)
{
	host_pass(1000 * SEC);
	for (unsigned i = 0; i <= VIP_TELL; i++)
		assert_int_equal(h.deeds[i], 0);
}

/* RFC 5227 asks first; a failover takes 9 ms. */
CASE(leader_asks_thrice_then_has_it_and_says_so)
{
	host_lead(2200 * MSEC);
	host_pass(8 * MSEC);
	assert_int_equal(h.deeds[VIP_PROBE], 3);
	assert_false(h.has);
	host_pass(1 * MSEC);
	assert_true(h.has);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 1);
	assert_int_equal(h.news, VIP_HAS_BEGUN);
}

CASE(announcements_are_repeated_and_come_to_an_end)
{
	host_lead(NSEC_NEVER);
	host_pass(110 * MSEC);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 2);
	host_pass(1 * SEC);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 3);
	host_pass(1000 * SEC);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 5);
	assert_true(h.has);
}

/* The worst that VIP_SPAN_MIN and vip.h promise: all stops right after a
 * renewal, and the kernel looks as late as it may. */
CASE(each_deadline_lets_it_end_in_time_whatever_happens)
{
	nsec_t until;

	host_lead(VIP_SPAN_MIN + 50 * MSEC);
	host_pass(9 * MSEC);
	for (unsigned i = 0; i < 20; i++) {
		host_lead(VIP_SPAN_MIN);
		until = h.vip.until;
		assert_true(h.has);
		assert_int_equal(h.vip.lifetime, 1);
		assert_true(h.ends_at + VIP_ROUNDED_MOST <= until);
		host_pass(650 * MSEC);
	}
	assert_int_equal(h.deeds[VIP_ADD], 1);
}

CASE(long_lease_allows_two_seconds)
{
	host_lead(10 * SEC);
	host_pass(9 * MSEC);
	assert_int_equal(h.vip.lifetime, 2);
}

/* electd has died: the deadline stands, and the address stays nearly as long. */
CASE(without_another_deadline_it_stays_as_long_as_it_may)
{
	nsec_t until;

	host_lead(2180 * MSEC);
	host_pass(9 * MSEC);
	until = h.vip.until;
	host_pass(10 * SEC);
	assert_false(h.has);
	assert_int_equal(h.deeds[VIP_ADD], 1);
	assert_int_equal(h.news, VIP_HAS_ENDED);
	assert_true(h.ended_at < until - VIP_REMOVE_EARLY);
	assert_true(h.ended_at > until - 500 * MSEC);
	assert_true(h.ends_at + VIP_ROUNDED <= until);
}

CASE(long_deadline_removes_it_early_enough)
{
	nsec_t until;

	host_lead(2180 * MSEC);
	host_pass(9 * MSEC);
	until = h.vip.until;
	host_pass(2000 * MSEC - 9 * MSEC);
	/* The kernel is late. */
	h.has = true;
	h.vip.state = VIP_HELD;
	h.ends_at = until + SEC;
	host_pass(10 * SEC);
	assert_int_equal(h.ended_at, until - VIP_REMOVE_EARLY);
}

CASE(lost_lead_removes_it_at_once)
{
	host_lead(2200 * MSEC);
	host_pass(500 * MSEC);
	host_lead(0);
	assert_false(h.has);
	assert_int_equal(h.ended_at, h.now);
	assert_int_equal(h.news, VIP_HAS_ENDED);
	host_pass(10 * SEC);
	assert_int_equal(h.deeds[VIP_ADD], 1);
}

CASE(without_a_deadline_it_is_renewed_for_ever)
{
	host_lead(NSEC_NEVER);
	host_pass(1000 * SEC);
	assert_true(h.has);
	assert_int_equal(h.vip.lifetime, VIP_LIFETIME_MAX);
	assert_int_equal(h.deeds[VIP_ADD], 1);
	assert_in_range(h.deeds[VIP_RENEW], 1200, 1260);
}

/* Too little of the lease is left for a second. */
CASE(short_deadline_gives_none)
{
	host_lead(1349 * MSEC);
	host_pass(10 * SEC);
	assert_int_equal(h.deeds[VIP_PROBE], 0);
	assert_int_equal(h.deeds[VIP_ADD], 0);
}

CASE(slow_kernel_makes_it_give_up)
{
	h.slow = 900 * MSEC;
	host_lead(2150 * MSEC);
	host_pass(1 * SEC);
	assert_int_equal(h.deeds[VIP_ADD], 1);
	assert_false(h.has);
}

CASE(interface_without_a_carrier_has_none)
{
	host_lead(NSEC_NEVER);
	host_pass(1 * SEC);
	vip_link(&h.vip, ETH0, false);
	host_act();
	assert_false(h.has);
	host_pass(1 * SEC);
	vip_link(&h.vip, ETH0, true);
	host_pass(9 * MSEC);
	assert_true(h.has);
	assert_int_equal(h.deeds[VIP_PROBE], 6);
}

CASE(address_in_use_is_left_to_its_host)
{
	host_lead(NSEC_NEVER);
	host_pass(4 * MSEC);
	vip_hear(&h.vip, h.now, &claim);
	host_act();
	assert_int_equal(h.news, VIP_IN_USE);
	assert_memory_equal(h.vip.rival, claim.sender, MAC_BYTES);
	host_pass(299 * MSEC);
	assert_int_equal(h.deeds[VIP_PROBE], 2);
	host_pass(60 * MSEC);
	assert_true(h.has);
	assert_int_equal(h.deeds[VIP_TELL], 2);
}

/* electvip tries every two seconds after ten conflicts. */
CASE(lasting_conflict_is_told_once)
{
	host_lead(NSEC_NEVER);
	for (unsigned i = 0; i < 60000; i++) {
		host_pass(1 * MSEC);
		vip_hear(&h.vip, h.now, &claim);
	}
	assert_int_equal(h.deeds[VIP_ADD], 0);
	assert_int_equal(h.deeds[VIP_TELL], 1);
	assert_in_range(h.deeds[VIP_PROBE], 35, 40);
}

/* A stranger answers whenever this host asks. `ahead`: of the deadlines. */
static void
be_answered(nsec_t ahead)
{
	h.vip.insists = true;
	for (unsigned i = 0; i < 10000 && !h.has; i++) {
		if (i % 100 == 0)
			host_lead(ahead);
		host_pass(1 * MSEC);
		vip_hear(&h.vip, h.now, &claim);
	}
}

/* A host that has just died has lost it by then, and all others before. */
CASE(host_that_insists_takes_the_address_after_ten_failures)
{
	nsec_t began = h.now;

	be_answered(3 * SEC);
	assert_true(h.has);
	assert_in_range(h.now - began, 3 * SEC, 6 * SEC);
	host_act();
	/* The address is in use, we insist, we have it, and the stranger disputes it. */
	assert_int_equal(h.deeds[VIP_TELL], 4);
	assert_int_equal(h.news, VIP_DISPUTED);
	assert_true(h.deeds[VIP_ANNOUNCE] > 0);
}

/* Another leader may have it. */
CASE(without_a_deadline_nobody_insists)
{
	be_answered(NSEC_NEVER);
	assert_false(h.has);
}

/* Both would have it, and a third that wants it gives way. */
CASE(probe_of_another_is_a_conflict_while_we_ask)
{
	struct frame probe = claim;

	probe.kind = FRAME_PROBE;
	host_lead(NSEC_NEVER);
	vip_hear(&h.vip, h.now, &probe);
	assert_int_equal(h.vip.state, VIP_WAITING);
	host_pass(1 * SEC);
	assert_true(h.has);
	vip_hear(&h.vip, h.now, &probe);
	host_act();
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 2);
	assert_int_equal(h.news, VIP_HAS_BEGUN);
}

CASE(leader_defends_it_but_not_all_the_time)
{
	host_lead(NSEC_NEVER);
	host_pass(100 * SEC);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 5);
	for (unsigned i = 0; i < 9; i++) {
		vip_hear(&h.vip, h.now, &claim);
		host_pass(1 * MSEC);
	}
	assert_true(h.has);
	assert_int_equal(h.news, VIP_DISPUTED);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 6);
	assert_int_equal(h.deeds[VIP_TELL], 2);
	host_pass(10 * SEC);
	vip_hear(&h.vip, h.now, &claim);
	host_act();
	assert_int_equal(h.deeds[VIP_TELL], 3);
}

CASE(removed_by_another_it_is_taken_again)
{
	host_lead(NSEC_NEVER);
	host_pass(10 * SEC);
	h.has = false;
	vip_see(&h.vip, h.now, false, true, 0);
	host_pass(9 * MSEC);
	assert_true(h.has);
	assert_int_equal(h.deeds[VIP_TELL], 3);
	/* Not again and again. */
	h.has = false;
	vip_see(&h.vip, h.now, false, true, 0);
	host_pass(299 * MSEC);
	assert_false(h.has);
	host_pass(10 * MSEC);
	assert_true(h.has);
}

CASE(stale_one_of_ours_is_removed_at_the_start)
{
	vip_see(&h.vip, h.now, true, true, VIP_LIFETIME_MAX);
	host_act();
	assert_int_equal(h.deeds[VIP_REMOVE], 1);
	assert_int_equal(h.deeds[VIP_TELL], 0);
	vip_see(&h.vip, h.now, false, true, 0);
	host_pass(10 * SEC);
	assert_int_equal(h.deeds[VIP_REMOVE], 1);
}

/* In turn: for ever, longer than ours, and with the prefix of a network. */
CASE(address_of_others_is_never_touched)
{
	static const struct {
		uint32_t lifetime;
		bool is_whole;
	} others[] = { { UINT32_MAX, true }, { 3, true }, { 1, false } };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		host_init();
		vip_see(&h.vip, h.now, true, others[i].is_whole,
		    others[i].lifetime);
		host_pass(1 * SEC);
		assert_int_equal(h.deeds[VIP_TELL], 0);
		host_lead(NSEC_NEVER);
		host_pass(10 * SEC);
		assert_int_equal(h.news, VIP_OCCUPIED);
		assert_int_equal(h.deeds[VIP_TELL], 1);
		assert_int_equal(h.deeds[VIP_REMOVE], 0);
		assert_int_equal(h.deeds[VIP_ADD], 0);
		vip_see(&h.vip, h.now, false, true, 0);
		host_pass(9 * MSEC);
		assert_true(h.has);
	}
}

CASE(refusal_of_the_kernel_is_told_once_and_tried_again)
{
	h.error = -EACCES;
	host_lead(NSEC_NEVER);
	host_pass(2 * SEC);
	assert_int_equal(h.news, VIP_FAILED);
	assert_int_equal(h.vip.error, -EACCES);
	assert_int_equal(h.deeds[VIP_TELL], 1);
	assert_true(h.deeds[VIP_PROBE] > 5);
	h.error = 0;
	host_pass(1 * SEC);
	assert_true(h.has);
}

/* electvip tries again to remove the address, but not all the time. */
CASE(address_that_stays_is_not_forgotten_and_removed_later)
{
	host_lead(5 * SEC);
	host_pass(500 * MSEC);
	h.stuck = -ENOMEM;
	host_lead(0);
	assert_true(h.has);
	assert_int_equal(h.vip.presence, VIP_OURS);
	assert_int_equal(h.news, VIP_STAYS);
	assert_int_equal(h.vip.error, -ENOMEM);
	host_pass(500 * MSEC);
	assert_int_equal(h.vip.presence, VIP_OURS);
	assert_in_range(h.deeds[VIP_REMOVE], 2, 100);
	assert_int_equal(h.deeds[VIP_TELL], 2);
	h.stuck = 0;
	host_pass(100 * MSEC);
	assert_false(h.has);
	assert_int_equal(h.vip.presence, VIP_ABSENT);
	assert_int_equal(h.news, VIP_HAS_ENDED);
	assert_int_equal(h.deeds[VIP_TELL], 3);
}

/* The new lead does not begin a lifetime anew of what is to go. */
CASE(address_that_stays_ends_with_its_lifetime)
{
	host_lead(5 * SEC);
	host_pass(500 * MSEC);
	h.stuck = -ENOBUFS;
	host_lead(0);
	host_lead(5 * SEC);
	h.deeds[VIP_RENEW] = 0;
	host_pass(1 * SEC);
	assert_int_equal(h.vip.presence, VIP_OURS);
	host_lead(0);
	host_pass(1 * SEC);
	assert_false(h.has);
	assert_int_equal(h.deeds[VIP_RENEW], 0);
	assert_int_equal(h.vip.presence, VIP_ABSENT);
	assert_int_equal(h.news, VIP_HAS_ENDED);
}

/* Nobody tells us when an address that stays elsewhere goes. */
CASE(address_that_stays_elsewhere_counts_as_long_as_it_may_live)
{
	nsec_t most;

	host_lead(2200 * MSEC);
	host_pass(9 * MSEC);
	most = h.ends_at + VIP_ROUNDED_MOST;
	h.stuck = -ENOMEM;
	vip_link(&h.vip, 0, false);
	host_act();
	vip_lead(&h.vip, 0);
	vip_see(&h.vip, h.now, false, false, 0);
	h.ends_at = NSEC_NEVER;
	host_pass(most - 1 - h.now);
	assert_int_equal(h.vip.presence, VIP_OURS);
	host_pass(1);
	assert_int_equal(h.vip.presence, VIP_ABSENT);
}

CASE(address_that_is_gone_already_has_ended)
{
	static const int errors[] = { -EADDRNOTAVAIL, -ENODEV };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		host_init();
		host_lead(5 * SEC);
		host_pass(500 * MSEC);
		h.stuck = errors[i];
		host_lead(0);
		assert_int_equal(h.vip.presence, VIP_ABSENT);
		assert_int_equal(h.news, VIP_HAS_ENDED);
		assert_int_equal(h.deeds[VIP_REMOVE], 1);
	}
}

/* The address stays as it is: someone else has let it live longer. */
CASE(address_that_others_have_taken_over_is_left_to_them)
{
	host_lead(5 * SEC);
	host_pass(500 * MSEC);
	h.stuck = -ENOMEM;
	host_lead(0);
	h.stuck = 0;
	h.ends_at = NSEC_NEVER;
	vip_see(&h.vip, h.now, true, true, UINT32_MAX);
	host_pass(10 * SEC);
	assert_true(h.has);
	assert_int_equal(h.deeds[VIP_REMOVE], 1);
}

/* The interface has got another name, which is that of a new one at once. */
CASE(address_is_removed_from_the_interface_that_was_renamed)
{
	host_lead(NSEC_NEVER);
	host_pass(500 * MSEC);
	vip_link(&h.vip, 0, false);
	vip_link(&h.vip, OTHER, true);
	h.deeds[VIP_PROBE] = 0;
	host_act();
	assert_false(h.has);
	assert_int_equal(h.deeds[VIP_REMOVE], 1);
	host_pass(9 * MSEC);
	assert_true(h.has);
	assert_int_equal(h.on, OTHER);
	assert_int_equal(h.deeds[VIP_PROBE], 3);
}
