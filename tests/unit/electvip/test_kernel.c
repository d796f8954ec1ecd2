/* SPDX-License-Identifier: ISC */
/* The frames of a LAN, which is a pair of sockets here. */
#include "daemon/electvip/kernel.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define ARP_REQUEST 1
#define ARP_REPLY   2

static const struct ip ip = { .bytes = { 198, 18, 0, 100 } };
static const uint8_t stranger[MAC_BYTES] = { 2, 0, 0, 0, 0, 9 };

struct lan {
	struct kernel kernel;
	int others; /* what they write, the kernel receives */
	unsigned heard;
};

static void
lan_open(struct lan *lan)
{
	int pair[2];

	*lan = (struct lan){ .kernel = { .lans = { -1, -1 },
				 .mac = { 2, 0, 0, 0, 0, 1 } } };
	assert_int_equal(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
	lan->kernel.lans[LAN_V4] = pair[0];
	lan->others = pair[1];
}

static void
lan_close(struct lan *lan)
{
	kernel_close(&lan->kernel);
	close(lan->others);
}

static void
take_frame(void *context, const struct frame *frame)
{
	struct lan *lan = context;

	assert_memory_equal(frame->sender, stranger, MAC_BYTES);
	assert_true(ip_is_same(&frame->ip, &ip));
	lan->heard++;
}

static void
lan_hear(struct lan *lan)
{
	kernel_hear(&lan->kernel, LAN_V4, take_frame, lan);
}

static void
claim(const struct lan *lan, const uint8_t mac[MAC_BYTES], size_t cut)
{
	uint8_t bytes[FRAME_BYTES];
	size_t size = frame_write_claim(bytes, mac, &ip, true, false) - cut;

	assert_int_equal(send(lan->others, bytes, size, 0), size);
}

TEST(only_frames_of_other_hosts_are_heard)
{
	struct lan lan;

	lan_open(&lan);
	lan_hear(&lan);
	assert_int_equal(lan.heard, 0);
	claim(&lan, stranger, 0);
	claim(&lan, lan.kernel.mac, 0);
	claim(&lan, stranger, 1);
	claim(&lan, stranger, 0);
	lan_hear(&lan);
	assert_int_equal(lan.heard, 2);
	lan_close(&lan);
}

/* Frames must not keep electvip from its deadlines. */
TEST(frames_without_an_end_are_not_heard_all_at_once)
{
	struct lan lan;

	lan_open(&lan);
	for (unsigned i = 0; i < KERNEL_FRAMES_MAX + 9; i++)
		claim(&lan, stranger, 0);
	lan_hear(&lan);
	assert_int_equal(lan.heard, KERNEL_FRAMES_MAX);
	lan_hear(&lan);
	assert_int_equal(lan.heard, KERNEL_FRAMES_MAX + 9);
	lan_close(&lan);
}

/* Asserts that the next frame on the LAN is this claim or probe. */
static void
assert_sent(const struct lan *lan, uint8_t form, enum frame_kind kind)
{
	uint8_t bytes[FRAME_BYTES];
	struct frame frame;
	ssize_t size = recv(lan->others, bytes, sizeof(bytes), 0);

	assert_true(size > 0);
	assert_true(frame_read(bytes, (size_t)size, &frame));
	assert_int_equal(frame.kind, kind);
	assert_true(ip_is_same(&frame.ip, &ip));
	assert_memory_equal(frame.sender, lan->kernel.mac, MAC_BYTES);
	assert_int_equal(bytes[21], form);
}

static void
assert_nothing_more_is_sent(const struct lan *lan)
{
	uint8_t byte;

	assert_int_equal(recv(lan->others, &byte, 1, 0), -1);
}

/* Some hosts heed only the one form, and some only the other. */
TEST(claim_goes_out_as_a_request_and_as_a_reply)
{
	struct lan lan;

	lan_open(&lan);
	assert_int_equal(kernel_announce(&lan.kernel, &ip), 0);
	assert_sent(&lan, ARP_REQUEST, FRAME_CLAIM);
	assert_sent(&lan, ARP_REPLY, FRAME_CLAIM);
	assert_nothing_more_is_sent(&lan);
	assert_int_equal(kernel_probe(&lan.kernel, &ip), 0);
	assert_sent(&lan, ARP_REQUEST, FRAME_PROBE);
	assert_nothing_more_is_sent(&lan);
	lan_close(&lan);
}

TEST(frame_that_the_kernel_does_not_take_is_an_error)
{
	struct lan lan;

	lan_open(&lan);
	assert_int_equal(shutdown(lan.kernel.lans[LAN_V4], SHUT_WR), 0);
	assert_int_equal(kernel_announce(&lan.kernel, &ip), -EPIPE);
	assert_int_equal(kernel_probe(&lan.kernel, &ip), -EPIPE);
	lan_close(&lan);
}
