/* SPDX-License-Identifier: ISC */
/*
 * What electvip takes from outside: frames, messages of the kernel, and, as a
 * script, all that may happen to an address and when. Whatever happens, the
 * address is held only before the deadline, with a lifetime that ends by then,
 * and is not forgotten before it is gone.
 */
#include "tests/model/fuzz/feed.h"

#include <errno.h>
#include <string.h>

#include "common/util/bytes.h"
#include "daemon/electvip/rtnl.h"
#include "daemon/electvip/vip.h"

#define MESSAGES_MAX 2048

/* What is read of a frame can be written and read again. */
static void
feed_frame(const uint8_t *bytes, size_t size)
{
	uint8_t again[FRAME_BYTES];
	struct frame frame, same;
	size_t written;

	if (!frame_read(bytes, size, &frame))
		return;
	written = frame.kind == FRAME_PROBE
		      ? frame_write_probe(again, frame.sender, &frame.ip)
		      : frame_write_claim(
			    again, frame.sender, &frame.ip, true, false);
	assert(frame_read(again, written, &same));
	assert(same.kind == frame.kind);
	assert(ip_is_same(&same.ip, &frame.ip));
	assert(memcmp(same.sender, frame.sender, MAC_BYTES) == 0);
}

static void
feed_messages(const uint8_t *bytes, size_t size)
{
	_Alignas(struct nlmsghdr) char copy[MESSAGES_MAX] = { 0 };
	struct netlink_messages messages = { .at = copy, .left = size };
	const struct nlmsghdr *message;
	struct rtnl_news news;

	if (size > sizeof(copy))
		return;
	memcpy(copy, bytes, size);
	while ((message = netlink_next(&messages)) != NULL) {
		assert(messages.at + messages.left == copy + size);
		assert(rtnl_outcome(message) <= 1);
		rtnl_read(message, &news);
		assert(news.kind <= RTNL_ADDRESS_GONE);
		assert(memchr(news.name, '\0', sizeof(news.name)) != NULL);
		assert(!news.is_ethernet || news.has_mac);
	}
}

/* The host of an address, and its kernel. */
struct host {
	struct vip vip;
	nsec_t now;
	bool has; /* the address, from us */
	int on;   /* the interface that has it */
	nsec_t ends_at;
};

/* Each lifetime ends in time, if the kernel is as late as it usually is. */
static void
check_lifetime(const struct host *h)
{
	const struct vip *v = &h->vip;

	assert(v->lifetime > 0 && v->lifetime <= VIP_LIFETIME_MAX);
	assert(v->is_up);
	assert(v->until == NSEC_NEVER ||
	       h->now + v->lifetime * SEC + VIP_ROUNDED <= v->until);
}

/* The kernel does it, unless `error` says otherwise. Gives the error. */
static int
do_it(struct host *h, enum vip_deed deed, int error)
{
	if (deed == VIP_REMOVE && (!h->has || h->vip.index != h->on))
		error = -EADDRNOTAVAIL;
	if (error == 0 && (deed == VIP_ADD || deed == VIP_RENEW)) {
		h->has = true;
		h->on = h->vip.link;
		h->ends_at = h->now + h->vip.lifetime * SEC;
	}
	if (error == 0 && deed == VIP_REMOVE)
		h->has = false;
	return error;
}

static void
act(struct host *h, struct reader *r)
{
	enum vip_deed deed;
	unsigned deeds = 0;

	while ((deed = vip_next(&h->vip, h->now)) != VIP_NOTHING) {
		int error = deed != VIP_TELL && read_u8(r) == 255 ? -1 : 0;

		assert(deeds++ < 16);
		if (deed == VIP_ADD || deed == VIP_RENEW)
			check_lifetime(h);
		error = do_it(h, deed, error);
		vip_did(&h->vip, h->now, deed, error);
	}
	assert(!h->has || h->vip.presence == VIP_OURS);
	assert(h->vip.state != VIP_HELD ||
	       (h->vip.is_up &&
		   (h->vip.until == NSEC_NEVER || h->now < h->vip.until)));
}

/* The kernel takes the address away when its lifetime is over, and tells us if
 * it was on our interface. */
static void
expire(struct host *h)
{
	if (!h->has || h->now < h->ends_at)
		return;
	h->has = false;
	if (h->on == h->vip.link)
		vip_see(&h->vip, h->now, false, false, 0);
}

/* Time passes. */
static void
pass(struct host *h, nsec_t time, struct reader *r)
{
	nsec_t until = h->now + time;

	for (unsigned i = 0; i < 64; i++) {
		nsec_t at = nsec_earlier(
		    vip_due_at(&h->vip), h->has ? h->ends_at : NSEC_NEVER);

		if (at > until)
			break;
		h->now = at > h->now ? at : h->now;
		expire(h);
		act(h, r);
		assert(vip_due_at(&h->vip) > h->now);
	}
	h->now = until;
	expire(h);
}

/* Someone else changes what our interface has. */
static void
see(struct host *h, uint16_t how)
{
	bool is_there = how % 2 != 0, is_whole = how % 4 != 0;
	uint32_t lifetime = how >> 8;

	if (h->vip.link == 0)
		return; /* there is no interface */
	if (!h->has || h->on == h->vip.link) {
		h->has = is_there && is_whole && lifetime <= VIP_LIFETIME_MAX;
		h->on = h->vip.link;
		h->ends_at = h->now + lifetime * SEC;
	}
	vip_see(&h->vip, h->now, is_there, is_whole, lifetime);
}

static void
feed_script(const uint8_t *bytes, size_t size)
{
	const struct ip ip = { .bytes = { 198, 18, 0, 100 } };
	struct reader r = reader_of(bytes, size);
	struct host h = { .now = 1000 * SEC };
	struct frame frame = { .ip = ip };

	vip_init(&h.vip, &ip, 1);
	h.vip.insists = true;
	while (r.left > 0) {
		uint8_t what = read_u8(&r);
		uint16_t how = read_u16(&r);

		switch (what % 6) {
		case 0:
			pass(&h, how * MSEC, &r);
			break;
		case 1:
			vip_lead(&h.vip, h.now + how * MSEC);
			break;
		case 2:
			vip_lead(&h.vip, how % 2 == 0 ? 0 : NSEC_NEVER);
			break;
		case 3:
			vip_link(&h.vip, how % 3, how % 3 != 0 && how % 4 != 0);
			break;
		case 4:
			see(&h, how);
			break;
		default:
			frame.kind = how % 2 == 0 ? FRAME_CLAIM : FRAME_PROBE;
			frame.sender[5] = (uint8_t)(how >> 8);
			vip_hear(&h.vip, h.now, &frame);
			break;
		}
		act(&h, &r);
	}
}

void
feed_electvip(const uint8_t *bytes, size_t size)
{
	static void (*const feeds[])(const uint8_t *, size_t) = { feed_frame,
		feed_messages, feed_script };

	if (size > 0)
		feeds[bytes[0] % (sizeof(feeds) / sizeof(feeds[0]))](
		    bytes + 1, size - 1);
}
