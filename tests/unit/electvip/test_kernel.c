/* SPDX-License-Identifier: ISC */
/* The frames of a LAN, which is a pair of sockets here. */
#include "daemon/electvip/kernel.h"
#include "tests/unit/group.h"

#include <sys/socket.h>
#include <unistd.h>

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

static void
only_frames_of_other_hosts_are_heard(void **state)
{
	struct lan lan;

	(void)state;
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

/* They must not keep electvip from its deadlines. */
static void
frames_without_an_end_are_not_heard_all_at_once(void **state)
{
	struct lan lan;

	(void)state;
	lan_open(&lan);
	for (unsigned i = 0; i < KERNEL_FRAMES_MAX + 9; i++)
		claim(&lan, stranger, 0);
	lan_hear(&lan);
	assert_int_equal(lan.heard, KERNEL_FRAMES_MAX);
	lan_hear(&lan);
	assert_int_equal(lan.heard, KERNEL_FRAMES_MAX + 9);
	lan_close(&lan);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(only_frames_of_other_hosts_are_heard),
	cmocka_unit_test(frames_without_an_end_are_not_heard_all_at_once),
};

GROUP(tests);
