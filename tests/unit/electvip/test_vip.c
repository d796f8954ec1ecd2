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

struct host {
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
};

static void
host_init(struct host *h)
{
	*h = (struct host){ .now = 100 * SEC };
	vip_init(&h->vip, &ip, 1);
	vip_link(&h->vip, ETH0, true);
}

/* The kernel knows only what is on the interface that it is asked for. */
static int
host_error(const struct host *h, enum vip_deed deed)
{
	if (deed != VIP_REMOVE)
		return h->error;
	if (!h->has || h->vip.index != h->on)
		return -EADDRNOTAVAIL;
	return h->stuck;
}

static void
host_do(struct host *h, enum vip_deed deed, int error)
{
	h->deeds[deed]++;
	if (deed == VIP_TELL)
		h->news = h->vip.news;
	if (deed == VIP_ADD || deed == VIP_RENEW || deed == VIP_REMOVE)
		h->now += h->slow;
	if (error != 0)
		return;
	if (deed == VIP_ADD)
		h->began_at = h->now;
	if (deed == VIP_ADD || deed == VIP_RENEW) {
		h->has = true;
		h->on = h->vip.link;
		h->ends_at = h->now + h->vip.lifetime * SEC;
	}
	if (deed == VIP_REMOVE) {
		h->has = false;
		h->ended_at = h->now;
	}
}

/* All that is due now. */
static void
host_act(struct host *h)
{
	enum vip_deed deed;

	while ((deed = vip_next(&h->vip, h->now)) != VIP_NOTHING) {
		int error = host_error(h, deed);

		host_do(h, deed, error);
		vip_did(&h->vip, h->now, deed, error);
	}
}

/* Time passes, by so much. */
static void
host_pass(struct host *h, nsec_t time)
{
	nsec_t until = h->now + time;

	host_act(h);
	for (;;) {
		nsec_t at = nsec_earlier(
		    vip_due_at(&h->vip), h->has ? h->ends_at : NSEC_NEVER);

		if (at > until)
			break;
		assert_true(at > h->now);
		h->now = at;
		if (h->has && h->now >= h->ends_at) {
			h->has = false;
			h->ended_at = h->now;
			vip_see(&h->vip, h->now, false, true, 0);
		}
		host_act(h);
	}
	h->now = until;
}

/* electd gives a deadline, so far ahead. */
static void
host_lead(struct host *h, nsec_t ahead)
{
	vip_lead(&h->vip, ahead == 0 ? 0 : nsec_after(h->now, ahead));
	host_act(h);
}

static void
without_the_lead_nothing_is_done(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_pass(&h, 1000 * SEC);
	for (unsigned i = 0; i <= VIP_TELL; i++)
		assert_int_equal(h.deeds[i], 0);
}

/* RFC 5227 asks first; a failover takes 9 ms. */
static void
leader_asks_thrice_then_has_it_and_says_so(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, 2200 * MSEC);
	host_pass(&h, 8 * MSEC);
	assert_int_equal(h.deeds[VIP_PROBE], 3);
	assert_false(h.has);
	host_pass(&h, 1 * MSEC);
	assert_true(h.has);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 1);
	assert_int_equal(h.news, VIP_HAS_BEGUN);
}

static void
announcements_are_repeated_and_come_to_an_end(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, NSEC_NEVER);
	host_pass(&h, 110 * MSEC);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 2);
	host_pass(&h, 1 * SEC);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 3);
	host_pass(&h, 1000 * SEC);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 5);
	assert_true(h.has);
}

/* The worst that VIP_SPAN_MIN and vip.h promise: all stops right after a
 * renewal, and the kernel looks as late as it may. */
static void
each_deadline_lets_it_end_in_time_whatever_happens(void **state)
{
	struct host h;
	nsec_t until;

	(void)state;
	host_init(&h);
	host_lead(&h, VIP_SPAN_MIN + 50 * MSEC);
	host_pass(&h, 9 * MSEC);
	for (unsigned i = 0; i < 20; i++) {
		host_lead(&h, VIP_SPAN_MIN);
		until = h.vip.until;
		assert_true(h.has);
		assert_int_equal(h.vip.lifetime, 1);
		assert_true(h.ends_at + VIP_ROUNDED_MOST <= until);
		host_pass(&h, 650 * MSEC);
	}
	assert_int_equal(h.deeds[VIP_ADD], 1);
}

static void
long_lease_allows_two_seconds(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, 10 * SEC);
	host_pass(&h, 9 * MSEC);
	assert_int_equal(h.vip.lifetime, 2);
}

/* electd has died: the deadline stands, and the address stays nearly as long. */
static void
without_another_deadline_it_stays_as_long_as_it_may(void **state)
{
	struct host h;
	nsec_t until;

	(void)state;
	host_init(&h);
	host_lead(&h, 2180 * MSEC);
	host_pass(&h, 9 * MSEC);
	until = h.vip.until;
	host_pass(&h, 10 * SEC);
	assert_false(h.has);
	assert_int_equal(h.deeds[VIP_ADD], 1);
	assert_true(h.ended_at < until - VIP_REMOVE_EARLY);
	assert_true(h.ended_at > until - 500 * MSEC);
	assert_true(h.ends_at + VIP_ROUNDED <= until);
}

static void
long_deadline_removes_it_early_enough(void **state)
{
	struct host h;
	nsec_t until;

	(void)state;
	host_init(&h);
	host_lead(&h, 2180 * MSEC);
	host_pass(&h, 9 * MSEC);
	until = h.vip.until;
	host_pass(&h, 2000 * MSEC - 9 * MSEC);
	/* The kernel is late. */
	h.has = true;
	h.vip.state = VIP_HELD;
	h.ends_at = until + SEC;
	host_pass(&h, 10 * SEC);
	assert_int_equal(h.ended_at, until - VIP_REMOVE_EARLY);
}

static void
lost_lead_removes_it_at_once(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, 2200 * MSEC);
	host_pass(&h, 500 * MSEC);
	host_lead(&h, 0);
	assert_false(h.has);
	assert_int_equal(h.ended_at, h.now);
	assert_int_equal(h.news, VIP_HAS_ENDED);
	host_pass(&h, 10 * SEC);
	assert_int_equal(h.deeds[VIP_ADD], 1);
}

static void
without_a_deadline_it_is_renewed_for_ever(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, NSEC_NEVER);
	host_pass(&h, 1000 * SEC);
	assert_true(h.has);
	assert_int_equal(h.vip.lifetime, VIP_LIFETIME_MAX);
	assert_int_equal(h.deeds[VIP_ADD], 1);
	assert_in_range(h.deeds[VIP_RENEW], 1200, 1260);
}

/* Too little of the lease is left for a second. */
static void
short_deadline_gives_none(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, 1349 * MSEC);
	host_pass(&h, 10 * SEC);
	assert_int_equal(h.deeds[VIP_PROBE], 0);
	assert_int_equal(h.deeds[VIP_ADD], 0);
}

static void
slow_kernel_makes_it_give_up(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	h.slow = 900 * MSEC;
	host_lead(&h, 2150 * MSEC);
	host_pass(&h, 1 * SEC);
	assert_int_equal(h.deeds[VIP_ADD], 1);
	assert_false(h.has);
}

static void
interface_without_a_carrier_has_none(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, NSEC_NEVER);
	host_pass(&h, 1 * SEC);
	vip_link(&h.vip, ETH0, false);
	host_act(&h);
	assert_false(h.has);
	host_pass(&h, 1 * SEC);
	vip_link(&h.vip, ETH0, true);
	host_pass(&h, 9 * MSEC);
	assert_true(h.has);
	assert_int_equal(h.deeds[VIP_PROBE], 6);
}

static void
address_in_use_is_left_to_its_host(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, NSEC_NEVER);
	host_pass(&h, 4 * MSEC);
	vip_hear(&h.vip, h.now, &claim);
	host_act(&h);
	assert_int_equal(h.news, VIP_IN_USE);
	assert_memory_equal(h.vip.rival, claim.sender, MAC_BYTES);
	host_pass(&h, 299 * MSEC);
	assert_int_equal(h.deeds[VIP_PROBE], 2);
	host_pass(&h, 60 * MSEC);
	assert_true(h.has);
	assert_int_equal(h.deeds[VIP_TELL], 2);
}

/* It is told once; after ten conflicts we try every two seconds. */
static void
lasting_conflict_is_told_once(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, NSEC_NEVER);
	for (unsigned i = 0; i < 60000; i++) {
		host_pass(&h, 1 * MSEC);
		vip_hear(&h.vip, h.now, &claim);
	}
	assert_int_equal(h.deeds[VIP_ADD], 0);
	assert_int_equal(h.deeds[VIP_TELL], 1);
	assert_in_range(h.deeds[VIP_PROBE], 35, 40);
}

/* Both would have it, and a third that wants it gives way. */
static void
probe_of_another_is_a_conflict_while_we_ask(void **state)
{
	struct frame probe = claim;
	struct host h;

	(void)state;
	probe.kind = FRAME_PROBE;
	host_init(&h);
	host_lead(&h, NSEC_NEVER);
	vip_hear(&h.vip, h.now, &probe);
	assert_int_equal(h.vip.state, VIP_WAITING);
	host_pass(&h, 1 * SEC);
	assert_true(h.has);
	vip_hear(&h.vip, h.now, &probe);
	host_act(&h);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 2);
	assert_int_equal(h.news, VIP_HAS_BEGUN);
}

static void
leader_defends_it_but_not_all_the_time(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, NSEC_NEVER);
	host_pass(&h, 100 * SEC);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 5);
	for (unsigned i = 0; i < 9; i++) {
		vip_hear(&h.vip, h.now, &claim);
		host_pass(&h, 1 * MSEC);
	}
	assert_true(h.has);
	assert_int_equal(h.news, VIP_DISPUTED);
	assert_int_equal(h.deeds[VIP_ANNOUNCE], 6);
	assert_int_equal(h.deeds[VIP_TELL], 2);
	host_pass(&h, 10 * SEC);
	vip_hear(&h.vip, h.now, &claim);
	host_act(&h);
	assert_int_equal(h.deeds[VIP_TELL], 3);
}

static void
removed_by_another_it_is_taken_again(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, NSEC_NEVER);
	host_pass(&h, 10 * SEC);
	h.has = false;
	vip_see(&h.vip, h.now, false, true, 0);
	host_pass(&h, 9 * MSEC);
	assert_true(h.has);
	assert_int_equal(h.deeds[VIP_TELL], 3);
	/* Not again and again. */
	h.has = false;
	vip_see(&h.vip, h.now, false, true, 0);
	host_pass(&h, 299 * MSEC);
	assert_false(h.has);
	host_pass(&h, 10 * MSEC);
	assert_true(h.has);
}

static void
stale_one_of_ours_is_removed_at_the_start(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	vip_see(&h.vip, h.now, true, true, VIP_LIFETIME_MAX);
	host_act(&h);
	assert_int_equal(h.deeds[VIP_REMOVE], 1);
	assert_int_equal(h.deeds[VIP_TELL], 0);
	vip_see(&h.vip, h.now, false, true, 0);
	host_pass(&h, 10 * SEC);
	assert_int_equal(h.deeds[VIP_REMOVE], 1);
}

/* In turn: for ever, longer than ours, and with the prefix of a network. */
static void
address_of_others_is_never_touched(void **state)
{
	static const struct {
		uint32_t lifetime;
		bool is_whole;
	} others[] = { { UINT32_MAX, true }, { 3, true }, { 1, false } };
	struct host h;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		host_init(&h);
		vip_see(&h.vip, h.now, true, others[i].is_whole,
		    others[i].lifetime);
		host_pass(&h, 1 * SEC);
		assert_int_equal(h.deeds[VIP_TELL], 0);
		host_lead(&h, NSEC_NEVER);
		host_pass(&h, 10 * SEC);
		assert_int_equal(h.news, VIP_OCCUPIED);
		assert_int_equal(h.deeds[VIP_TELL], 1);
		assert_int_equal(h.deeds[VIP_REMOVE], 0);
		assert_int_equal(h.deeds[VIP_ADD], 0);
		vip_see(&h.vip, h.now, false, true, 0);
		host_pass(&h, 9 * MSEC);
		assert_true(h.has);
	}
}

static void
refusal_of_the_kernel_is_told_once_and_tried_again(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	h.error = -EACCES;
	host_lead(&h, NSEC_NEVER);
	host_pass(&h, 2 * SEC);
	assert_int_equal(h.news, VIP_FAILED);
	assert_int_equal(h.vip.error, -EACCES);
	assert_int_equal(h.deeds[VIP_TELL], 1);
	assert_true(h.deeds[VIP_PROBE] > 5);
	h.error = 0;
	host_pass(&h, 1 * SEC);
	assert_true(h.has);
}

/* It is tried again, but not all the time. */
static void
address_that_stays_is_not_forgotten_and_removed_later(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, 5 * SEC);
	host_pass(&h, 500 * MSEC);
	h.stuck = -ENOMEM;
	host_lead(&h, 0);
	assert_true(h.has);
	assert_int_equal(h.vip.presence, VIP_OURS);
	assert_int_equal(h.news, VIP_STAYS);
	assert_int_equal(h.vip.error, -ENOMEM);
	host_pass(&h, 500 * MSEC);
	assert_int_equal(h.vip.presence, VIP_OURS);
	assert_in_range(h.deeds[VIP_REMOVE], 2, 100);
	assert_int_equal(h.deeds[VIP_TELL], 2);
	h.stuck = 0;
	host_pass(&h, 100 * MSEC);
	assert_false(h.has);
	assert_int_equal(h.vip.presence, VIP_ABSENT);
	assert_int_equal(h.news, VIP_HAS_ENDED);
	assert_int_equal(h.deeds[VIP_TELL], 3);
}

/* The new lead does not begin a lifetime anew of what is to go. */
static void
address_that_stays_ends_with_its_lifetime(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, 5 * SEC);
	host_pass(&h, 500 * MSEC);
	h.stuck = -ENOBUFS;
	host_lead(&h, 0);
	host_lead(&h, 5 * SEC);
	h.deeds[VIP_RENEW] = 0;
	host_pass(&h, 1 * SEC);
	assert_int_equal(h.vip.presence, VIP_OURS);
	host_lead(&h, 0);
	host_pass(&h, 1 * SEC);
	assert_false(h.has);
	assert_int_equal(h.deeds[VIP_RENEW], 0);
	assert_int_equal(h.vip.presence, VIP_ABSENT);
	assert_int_equal(h.news, VIP_HAS_ENDED);
}

/* Then nobody tells us when it goes. */
static void
address_that_stays_elsewhere_counts_as_long_as_it_may_live(void **state)
{
	struct host h;
	nsec_t most;

	(void)state;
	host_init(&h);
	host_lead(&h, 2200 * MSEC);
	host_pass(&h, 9 * MSEC);
	most = h.ends_at + VIP_ROUNDED_MOST;
	h.stuck = -ENOMEM;
	vip_link(&h.vip, 0, false);
	host_act(&h);
	vip_lead(&h.vip, 0);
	vip_see(&h.vip, h.now, false, false, 0);
	h.ends_at = NSEC_NEVER;
	host_pass(&h, most - 1 - h.now);
	assert_int_equal(h.vip.presence, VIP_OURS);
	host_pass(&h, 1);
	assert_int_equal(h.vip.presence, VIP_ABSENT);
}

static void
address_that_is_gone_already_has_ended(void **state)
{
	static const int errors[] = { -EADDRNOTAVAIL, -ENODEV };
	struct host h;

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		host_init(&h);
		host_lead(&h, 5 * SEC);
		host_pass(&h, 500 * MSEC);
		h.stuck = errors[i];
		host_lead(&h, 0);
		assert_int_equal(h.vip.presence, VIP_ABSENT);
		assert_int_equal(h.news, VIP_HAS_ENDED);
		assert_int_equal(h.deeds[VIP_REMOVE], 1);
	}
}

/* It stays as it is: someone else has let it live longer. */
static void
address_that_others_have_taken_over_is_left_to_them(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, 5 * SEC);
	host_pass(&h, 500 * MSEC);
	h.stuck = -ENOMEM;
	host_lead(&h, 0);
	h.stuck = 0;
	h.ends_at = NSEC_NEVER;
	vip_see(&h.vip, h.now, true, true, UINT32_MAX);
	host_pass(&h, 10 * SEC);
	assert_true(h.has);
	assert_int_equal(h.deeds[VIP_REMOVE], 1);
}

/* The interface has got another name, which is that of a new one at once. */
static void
address_is_removed_from_the_interface_that_was_renamed(void **state)
{
	struct host h;

	(void)state;
	host_init(&h);
	host_lead(&h, NSEC_NEVER);
	host_pass(&h, 500 * MSEC);
	vip_link(&h.vip, 0, false);
	vip_link(&h.vip, OTHER, true);
	h.deeds[VIP_PROBE] = 0;
	host_act(&h);
	assert_false(h.has);
	assert_int_equal(h.deeds[VIP_REMOVE], 1);
	host_pass(&h, 9 * MSEC);
	assert_true(h.has);
	assert_int_equal(h.on, OTHER);
	assert_int_equal(h.deeds[VIP_PROBE], 3);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(without_the_lead_nothing_is_done),
	cmocka_unit_test(leader_asks_thrice_then_has_it_and_says_so),
	cmocka_unit_test(announcements_are_repeated_and_come_to_an_end),
	cmocka_unit_test(each_deadline_lets_it_end_in_time_whatever_happens),
	cmocka_unit_test(long_lease_allows_two_seconds),
	cmocka_unit_test(without_another_deadline_it_stays_as_long_as_it_may),
	cmocka_unit_test(long_deadline_removes_it_early_enough),
	cmocka_unit_test(lost_lead_removes_it_at_once),
	cmocka_unit_test(without_a_deadline_it_is_renewed_for_ever),
	cmocka_unit_test(short_deadline_gives_none),
	cmocka_unit_test(slow_kernel_makes_it_give_up),
	cmocka_unit_test(interface_without_a_carrier_has_none),
	cmocka_unit_test(address_in_use_is_left_to_its_host),
	cmocka_unit_test(lasting_conflict_is_told_once),
	cmocka_unit_test(probe_of_another_is_a_conflict_while_we_ask),
	cmocka_unit_test(leader_defends_it_but_not_all_the_time),
	cmocka_unit_test(removed_by_another_it_is_taken_again),
	cmocka_unit_test(stale_one_of_ours_is_removed_at_the_start),
	cmocka_unit_test(address_of_others_is_never_touched),
	cmocka_unit_test(refusal_of_the_kernel_is_told_once_and_tried_again),
	cmocka_unit_test(address_that_stays_is_not_forgotten_and_removed_later),
	cmocka_unit_test(address_that_stays_ends_with_its_lifetime),
	cmocka_unit_test(
	    address_that_stays_elsewhere_counts_as_long_as_it_may_live),
	cmocka_unit_test(address_that_is_gone_already_has_ended),
	cmocka_unit_test(address_that_others_have_taken_over_is_left_to_them),
	cmocka_unit_test(
	    address_is_removed_from_the_interface_that_was_renamed),
};

GROUP(tests);
