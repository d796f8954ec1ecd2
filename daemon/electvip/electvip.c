/* SPDX-License-Identifier: ISC */
/*
 * electvip: holds addresses on an interface while this host leads. It follows
 * electd (electd.h), the interface and its LAN (kernel.h), and does what
 * vip.h decides for each address.
 *
 * Under the guarantee "quorum" no address outlives the deadline that electd has
 * given, whatever happens to electd and electvip, with the one exception that
 * electvip(8) tells of (GUARANTEES):
 * - electvip removes it before the deadline, or as soon as the lead is lost.
 * - The kernel removes it when its lifetime is over, which vip.h chooses.
 * - A timer of the kernel kills electvip before the deadline, so that one which
 *   was stopped or hung meanwhile does not add the address later.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/client/client.h"
#include "daemon/electvip/confine.h"
#include "daemon/electvip/kernel.h"
#include "daemon/electvip/options.h"
#include "daemon/electvip/vip.h"
#include "daemon/system/clock.h"
#include "daemon/system/loop/sched_slice.h"

/* The kernel kills us this long before the deadline. We remove the addresses
 * earlier, unless we cannot. After a suspend we remove them at once, so the
 * timer is one of CLOCK_MONOTONIC, which leaves us that time. */
#define DEATH_EARLY (20 * MSEC)

#define PATIENCE (1 * SEC) /* then we print that no daemon answers */

#define MAC_TEXT_MAX 18

struct electvip {
	const struct vip_options *options;
	char path[CONTROL_PATH_MAX]; /* of electd's socket */
	struct electd *electd;
	const struct electd_news *lead; /* what is known from electd */
	struct kernel kernel;
	struct vip vips[IPS_MAX];
	bool is_seen[IPS_MAX]; /* seen by kernel_ask() */
	unsigned count;        /* number of `vips` */

	sigset_t signals_taken;
	int signals;   /* readable when one has come */
	int alarm;     /* readable when something is due */
	timer_t death; /* kills us */

	nsec_t until;    /* as vip.until */
	const char *why; /* this host has no address now, or will have none */
	nsec_t patience_at; /* when we print that no daemon answers; NSEC_NEVER:
			     * not any more */
	bool is_short;      /* we have printed that deadlines are */
	bool has_news;      /* the kernel has news that act_all() has not
			     * seen */
	bool is_ethernet; /* the interface is there, or we have printed that it
			   * is not */
	bool is_ended;    /* we were told to end */
	bool is_over;     /* we exit, */
	enum control_code code; /* the exit status */
};

static void
finish(struct electvip *e, enum control_code code)
{
	if (!e->is_over)
		e->code = code;
	e->is_over = true;
}

/* The lead. */

static bool
holds_any(const struct electvip *e)
{
	for (unsigned i = 0; i < e->count; i++)
		if (e->vips[i].state == VIP_HELD ||
		    e->vips[i].presence == VIP_OURS)
			return true;
	return false;
}

/* The kernel kills us before the deadline, or does not if `wanted` is false. */
static void
set_death(const struct electvip *e, bool wanted)
{
	struct itimerspec when = { .it_value.tv_sec = 0 };

	if (wanted && e->until != NSEC_NEVER)
		when.it_value = clock_timespec(
		    clock_monotonic(nsec_since(e->until, DEATH_EARLY)));
	(void)timer_settime(e->death, TIMER_ABSTIME, &when, NULL);
}

/* This node leads until `until`; 0: it does not, for the reason `why`. */
static void
lead(struct electvip *e, nsec_t until, const char *why)
{
	if (e->is_ended)
		return;
	e->until = until;
	if (why != NULL)
		e->why = why;
	if (until != 0 && holds_any(e))
		set_death(e, true);
	for (unsigned i = 0; i < e->count; i++)
		vip_lead(&e->vips[i], until);
}

/* A deadline that is too close leaves the kernel no time: it does not count,
 * and the one before it stands. */
static bool
is_long_enough(struct electvip *e)
{
	const struct electd_news *s = e->lead;

	if (s->span >= VIP_SPAN_MIN)
		return true;
	if (!e->is_short && e->until == 0)
		complain(
		    "%s leads, but does not get the address: electd promises that for only %.0f ms at a time, and the kernel needs %.0f: in the configuration of cluster %s set timing.lease to \"3s\" or more",
		    s->node, (double)s->span / (double)MSEC,
		    (double)VIP_SPAN_MIN / (double)MSEC, s->cluster);
	e->is_short = e->is_short || e->until == 0;
	return false;
}

static void
take_event(struct electvip *e)
{
	const struct electd_news *s = e->lead;

	if (s->hands_over) {
		lead(e, 0, "this node hands over");
	} else if (s->until == 0) {
		lead(e, 0, "this node no longer leads");
	} else if (s->until == NSEC_NEVER || is_long_enough(e)) {
		lead(e, s->until, NULL);
		e->why = "the lease may end";
	}
}

/* Under quorum the deadline that electd gave stands: nobody else leads yet. */
static void
take_end(struct electvip *e)
{
	if (!e->lead->is_quorum)
		lead(e, 0, "electd has gone");
	else
		e->why = "electd has gone";
}

static void
take_refusal(struct electvip *e)
{
	enum control_code code;

	if (e->lead->error == ENOTSUP) {
		complain(
		    "this cluster has guarantee = \"component\", so two hosts may have the address at once; --even-if-two lets them");
		finish(e, CODE_REFUSED);
		return;
	}
	code = explain_refusal(e->electd);
	if (code != CODE_YES)
		finish(e, code);
}

static void
take_piece(struct electvip *e)
{
	switch (e->lead->kind) {
	case ELECTD_EVENT:
		take_event(e);
		break;
	case ELECTD_REFUSED:
		take_refusal(e);
		take_end(e);
		break;
	case ELECTD_GONE:
		take_end(e);
		break;
	case ELECTD_MET:
	case ELECTD_LATE: /* over_at() was earlier */
		break;
	}
}

/* The kernel. */

/* An index of a vip; e->count: it is not ours. */
static unsigned
find_vip(const struct electvip *e, const struct ip *ip)
{
	unsigned i = 0;

	while (i < e->count && !ip_is_same(&e->vips[i].ip, ip))
		i++;
	return i;
}

/* The interface has come, gone or changed. */
static void
take_link(struct electvip *e, const struct kernel *k, bool is_gone)
{
	if (k->index != 0 && !k->is_ethernet && e->is_ethernet)
		complain("%s is not an Ethernet interface with ARP", k->name);
	e->is_ethernet = k->index == 0 || k->is_ethernet;
	e->has_news = true;
	for (unsigned i = 0; i < e->count; i++) {
		if (is_gone)
			vip_see(&e->vips[i], clock_now(), false, false, 0);
		vip_link(&e->vips[i], k->index, k->is_up);
	}
	if (!k->is_up && e->until != 0)
		e->why = k->index == 0 && !is_gone
			     ? "the interface has got another name"
			     : "the interface is down";
}

static void
take_news(void *context, const struct kernel *k, const struct rtnl_news *news)
{
	struct electvip *e = context;
	unsigned i;

	if (news->kind == RTNL_LINK || news->kind == RTNL_LINK_GONE) {
		take_link(e, k, news->kind == RTNL_LINK_GONE);
		return;
	}
	i = find_vip(e, &news->ip);
	if (i == e->count)
		return;
	e->is_seen[i] = e->has_news = true;
	vip_see(&e->vips[i], clock_now(), news->kind == RTNL_ADDRESS,
	    news->is_whole, news->lifetime);
}

/* Learns what there is. */
static bool
ask_kernel(struct electvip *e)
{
	int error;

	memset(e->is_seen, 0, sizeof(e->is_seen));
	error = kernel_ask(&e->kernel, take_news, e);
	for (unsigned i = 0; i < e->count && error == 0; i++)
		if (!e->is_seen[i])
			vip_see(&e->vips[i], clock_now(), false, false, 0);
	if (error != 0)
		complain("rtnetlink: %s", strerror(-error));
	return error == 0;
}

static void
follow_kernel(struct electvip *e)
{
	int index = e->kernel.index;
	int error = kernel_take(&e->kernel, take_news, e);

	if (error == -ENOBUFS)
		error = ask_kernel(e) ? 0 : -EIO;
	if (error != 0)
		finish(e, CODE_UNKNOWN); /* the service manager starts anew */
	if (index == e->kernel.index)
		return;
	for (unsigned i = 0; i < e->count; i++)
		kernel_join(&e->kernel, &e->vips[i].ip);
}

static void
take_frame(void *context, const struct frame *frame)
{
	struct electvip *e = context;
	unsigned i = find_vip(e, &frame->ip);

	if (i < e->count)
		vip_hear(&e->vips[i], clock_now(), frame);
}

/* Deeds. */

static const char *
mac_text(const uint8_t mac[MAC_BYTES], char text[MAC_TEXT_MAX])
{
	snprintf(text, MAC_TEXT_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0],
	    mac[1], mac[2], mac[3], mac[4], mac[5]);
	return text;
}

/* False if somebody would have to read before we go on. */
static bool
may_say(void)
{
	struct pollfd output = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&output, 1, 0) > 0;
}

static void
tell(const struct electvip *e, const struct vip *v)
{
	const char *on = e->kernel.name;
	char ip[IP_TEXT_MAX], mac[MAC_TEXT_MAX];

	ip_text(&v->ip, ip);
	mac_text(v->rival, mac);
	switch (v->news) {
	case VIP_HAS_BEGUN:
		complain("%s leads in term %llu: %s has %s", e->lead->node,
		    (unsigned long long)e->lead->term, on, ip);
		break;
	case VIP_HAS_ENDED:
		complain("%s: %s has %s no more", e->why, on, ip);
		break;
	case VIP_WAS_REMOVED:
		complain("%s was removed from %s by someone else", ip, on);
		break;
	case VIP_IN_USE:
		complain(
		    "%s is in use by %s: %s does not get it yet", ip, mac, on);
		break;
	case VIP_INSISTED:
		complain(
		    "%s is in use by %s, but no member has it: %s takes it", ip,
		    mac, on);
		break;
	case VIP_DISPUTED:
		complain("%s is ours, but %s says that it has it", ip, mac);
		break;
	case VIP_OCCUPIED:
		complain(
		    "%s has %s already, and not from electvip: choose an address that no host has for good, or remove it there",
		    on, ip);
		break;
	case VIP_FAILED:
		complain("%s does not get %s: %s", on, ip, strerror(-v->error));
		break;
	case VIP_STAYS:
		complain("the kernel does not remove %s yet: %s", ip,
		    strerror(-v->error));
		break;
	case VIP_SILENT:
		break;
	}
}

static int
act(struct electvip *e, const struct vip *v, enum vip_deed deed)
{
	switch (deed) {
	case VIP_PROBE:
		return kernel_probe(&e->kernel, &v->ip);
	case VIP_ADD:
	case VIP_RENEW:
		set_death(e, true);
		return kernel_add(
		    &e->kernel, &v->ip, v->lifetime, deed == VIP_RENEW);
	case VIP_REMOVE:
		return kernel_remove(&e->kernel, v->index, &v->ip);
	case VIP_ANNOUNCE:
		return kernel_announce(&e->kernel, &v->ip);
	case VIP_TELL:
		if (may_say())
			tell(e, v);
		return 0;
	case VIP_NOTHING:
		break;
	}
	return 0;
}

/* Does all that is due to the addresses, and prints what is new of them. */
static void
act_on(struct electvip *e, bool tells)
{
	for (unsigned i = 0; i < e->count; i++) {
		struct vip *v = &e->vips[i];
		enum vip_deed deed;

		while ((deed = vip_next(v, clock_now())) != VIP_NOTHING &&
		       (deed == VIP_TELL) == tells)
			vip_did(v, clock_now(), deed, act(e, v, deed));
	}
}

/* Messages come last, as to write one takes time. */
static void
act_all(struct electvip *e)
{
	e->has_news = false;
	act_on(e, false);
	act_on(e, true);
}

/* The loop. */

static void
take_signals(struct electvip *e)
{
	static const struct timespec at_once;

	while (sigtimedwait(&e->signals_taken, NULL, &at_once) > 0) {
		lead(e, 0, "told to end");
		e->is_ended = true;
	}
}

/* When the lead is over without a later deadline. */
static nsec_t
over_at(const struct electvip *e)
{
	return e->until == 0 || e->until == NSEC_NEVER
		   ? NSEC_NEVER
		   : nsec_since(e->until, VIP_REMOVE_EARLY);
}

static void
set_alarm(const struct electvip *e)
{
	struct itimerspec when = { .it_value.tv_sec = 0 };
	nsec_t at = over_at(e);

	for (unsigned i = 0; i < e->count; i++)
		at = nsec_earlier(at, vip_due_at(&e->vips[i]));
	if (at != NSEC_NEVER)
		when.it_value = clock_timespec(at);
	(void)timerfd_settime(e->alarm, TFD_TIMER_ABSTIME, &when, NULL);
}

/* All that has come was taken, and all that was due is done. */
static void
settle(struct electvip *e)
{
	if (e->until == 0 || !holds_any(e))
		set_death(e, false);
	if (holds_any(e))
		return;
	if (e->until == 0)
		electd_give_back(e->electd);
	if (e->is_ended)
		finish(e, CODE_YES);
}

/* True if we listen to electd. One that has come anew does not know of the
 * deadline by which we have an address. */
static bool
listens(const struct electvip *e)
{
	return !e->is_ended && (e->lead->is_connected || !holds_any(e));
}

static void
follow_electd(struct electvip *e)
{
	while (!e->is_over && listens(e) && electd_next(e->electd) != NULL)
		take_piece(e);
	if (e->lead->is_connected) {
		e->patience_at = NSEC_NEVER;
	} else if (clock_now() >= e->patience_at && !e->is_over) {
		complain("no daemon answers at %s yet: waiting", e->path);
		e->patience_at = NSEC_NEVER;
	}
}

static void
loop(struct electvip *e)
{
	while (!e->is_over) {
		struct pollfd pollers[] = {
			{ .fd = e->signals, .events = POLLIN },
			{ .fd = e->alarm, .events = POLLIN },
			{ .fd = kernel_fd(&e->kernel), .events = POLLIN },
			{ .fd = e->kernel.lans[LAN_V4], .events = POLLIN },
			{ .fd = e->kernel.lans[LAN_V6], .events = POLLIN },
			{ .fd = listens(e) ? electd_fd(e->electd) : -1,
			    .events = POLLIN },
		};

		set_alarm(e);
		(void)poll(pollers, sizeof(pollers) / sizeof(pollers[0]),
		    e->has_news ? 0 : -1);
		take_signals(e);
		follow_kernel(e);
		for (unsigned i = 0; i < LANS; i++)
			if (pollers[3 + i].revents != 0)
				kernel_hear(&e->kernel, (enum kernel_lan)i,
				    take_frame, e);
		follow_electd(e);
		if (clock_now() >= over_at(e))
			lead(e, 0, NULL);
		act_all(e);
		follow_kernel(e);
		settle(e);
	}
}

/* The start. */

static bool
take_times(struct electvip *e)
{
	struct sigevent kill_us = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGKILL,
	};

	sigemptyset(&e->signals_taken);
	sigaddset(&e->signals_taken, SIGTERM);
	sigaddset(&e->signals_taken, SIGINT);
	sigaddset(&e->signals_taken, SIGHUP);
	sigprocmask(SIG_BLOCK, &e->signals_taken, NULL);
	signal(SIGPIPE, SIG_IGN);
	e->signals =
	    signalfd(-1, &e->signals_taken, SFD_CLOEXEC | SFD_NONBLOCK);
	e->alarm = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (e->signals >= 0 && e->alarm >= 0 &&
	    timer_create(CLOCK_MONOTONIC, &kill_us, &e->death) == 0)
		return true;
	complain("%s", strerror(errno));
	return false;
}

static bool
open_kernel(struct electvip *e)
{
	bool wanted[LANS] = { false };
	int error;

	for (unsigned i = 0; i < e->count; i++)
		wanted[e->vips[i].ip.is_v6 ? LAN_V6 : LAN_V4] = true;
	error = electvip_may_act() ? 0 : -EPERM;
	if (error == 0)
		error = kernel_open(&e->kernel, e->options->interface, wanted);
	if (error == -EPERM || error == -EACCES) {
		e->code = CODE_DENIED;
		complain(
		    "wants the capabilities CAP_NET_ADMIN and CAP_NET_RAW: start it as root, or by electvip@.service");
	} else if (error != 0) {
		complain("%s", strerror(-error));
	}
	return error == 0;
}

static bool
begin(struct electvip *e)
{
	uint64_t seed = 0;

	(void)!getrandom(&seed, sizeof(seed), 0);
	for (unsigned i = 0; i < e->options->ips_count; i++) {
		vip_init(&e->vips[i], &e->options->ips[i], seed + i);
		e->vips[i].insists = e->options->insists;
	}
	e->count = e->options->ips_count;
	e->is_ethernet = true;
	e->why = "this node does not lead";
	e->patience_at = nsec_after(clock_now(), PATIENCE);
	json_object_seed(0); /* this opens a file, perhaps */
	sched_slice_shorten();
	if (!take_times(e) || !open_kernel(e))
		return false;
	if (!electvip_confine()) {
		complain("cannot give up rights: %s", strerror(errno));
		return false;
	}
	if (!ask_kernel(e))
		return false;
	if (e->kernel.index == 0)
		complain(
		    "there is no interface %s yet: waiting", e->kernel.name);
	for (unsigned i = 0; i < e->count; i++)
		kernel_join(&e->kernel, &e->vips[i].ip);
	return true;
}

/* Where electd's socket is, for good. */
static enum control_code
locate(struct vip_options *options, char path[CONTROL_PATH_MAX])
{
	enum control_code code = find_socket(&options->place, path);

	if (code == CODE_YES && path[0] == '\0') {
		complain(
		    "no socket in /run/electd: --cluster NAME waits for it");
		code = CODE_UNREACHABLE;
	}
	return code;
}

int
main(int argc, char **argv)
{
	struct electvip e = { .options = NULL };
	struct vip_options options;
	enum control_code code;

	complain_as("electvip");
	if (!vip_options_parse(&options, argc, argv, &code))
		return (int)code;
	code = locate(&options, e.path);
	if (code != CODE_YES)
		return (int)code;
	e.options = &options;
	e.code = CODE_UNKNOWN; /* unless something else is known */
	e.electd = electd_new(e.path,
	    options.is_even_if_two ? ELECTD_LEAD_EVEN_IF_TWO : ELECTD_LEAD);
	if (e.electd == NULL) {
		complain("%s", strerror(errno));
		return (int)e.code;
	}
	e.lead = electd_state(e.electd);
	if (!begin(&e)) {
		electd_free(e.electd);
		return (int)e.code;
	}
	act_all(&e);
	loop(&e);
	if (!holds_any(&e))
		electd_leave(e.electd);
	electd_free(e.electd);
	kernel_close(&e.kernel);
	return (int)e.code;
}
