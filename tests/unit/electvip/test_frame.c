/* SPDX-License-Identifier: ISC */
#include "daemon/electvip/frame.h"
#include "tests/unit/group.h"

#include <string.h>

static const uint8_t ours[MAC_BYTES] = { 2, 0, 0, 0, 0, 1 };
static const struct ip v4 = { .bytes = { 198, 18, 0, 100 } };
static const struct ip v6 = { .is_v6 = true,
	.bytes = { 0x20, 0x01, 0x0d, 0xb8, [13] = 1, [14] = 2, [15] = 3 } };

/* RFC 5227, 2.1.1: a probe has no sender address. */
TEST(arp_probe_is_as_the_rfc_has_it)
{
	static const uint8_t wanted[] = { 255, 255, 255, 255, 255, 255, 2, 0, 0,
		0, 0, 1, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 198, 18, 0, 100 };
	uint8_t bytes[FRAME_BYTES];

	assert_int_equal(frame_write_probe(bytes, ours, &v4), sizeof(wanted));
	assert_memory_equal(bytes, wanted, sizeof(wanted));
}

TEST(arp_claim_has_both_forms)
{
	uint8_t request[FRAME_BYTES], reply[FRAME_BYTES];

	assert_int_equal(
	    frame_write_claim(request, ours, &v4, false, false), 42);
	assert_int_equal(frame_write_claim(reply, ours, &v4, true, false), 42);
	assert_int_equal(request[21], 1);
	assert_int_equal(reply[21], 2);
	assert_memory_equal(request + 28, v4.bytes, 4);
	assert_memory_equal(request + 38, v4.bytes, 4);
	assert_memory_equal(reply + 28, v4.bytes, 4);
	assert_memory_equal(reply + 38, v4.bytes, 4);
}

/* Checked by hand against RFC 4861 and RFC 4443. */
TEST(solicitation_goes_to_the_group_of_the_address)
{
	static const uint8_t head[] = { 0x33, 0x33, 0xff, 1, 2, 3, 2, 0, 0, 0,
		0, 1, 0x86, 0xdd, 0x60, 0, 0, 0, 0, 24, 58, 255 };
	uint8_t bytes[FRAME_BYTES];

	assert_int_equal(frame_write_probe(bytes, ours, &v6), 78);
	assert_memory_equal(bytes, head, sizeof(head));
	assert_int_equal(bytes[54], 135);
	assert_memory_equal(bytes + 62, v6.bytes, 16);
}

TEST(advertisement_overrides_and_says_whether_we_route)
{
	uint8_t bytes[FRAME_BYTES];

	assert_int_equal(
	    frame_write_claim(bytes, ours, &v6, false, false), FRAME_BYTES);
	assert_int_equal(bytes[54], 136);
	assert_int_equal(bytes[58], 0x20);
	assert_memory_equal(bytes + 80, ours, MAC_BYTES);
	(void)frame_write_claim(bytes, ours, &v6, false, true);
	assert_int_equal(bytes[58], 0xa0);
}

TEST(written_frame_is_read)
{
	const struct ip *const ips[] = { &v4, &v6 };
	uint8_t bytes[FRAME_BYTES];
	struct frame frame;

	for (unsigned i = 0; i < 2; i++) {
		size_t size = frame_write_probe(bytes, ours, ips[i]);

		assert_true(frame_read(bytes, size, &frame));
		assert_int_equal(frame.kind, FRAME_PROBE);
		assert_true(ip_is_same(&frame.ip, ips[i]));
		assert_memory_equal(frame.sender, ours, MAC_BYTES);
		size = frame_write_claim(bytes, ours, ips[i], true, true);
		assert_true(frame_read(bytes, size, &frame));
		assert_int_equal(frame.kind, FRAME_CLAIM);
		assert_true(ip_is_same(&frame.ip, ips[i]));
	}
}

/* Ethernet fills up short frames. */
TEST(padding_is_no_part_of_a_frame)
{
	uint8_t bytes[FRAME_BYTES] = { 0 };
	struct frame frame;

	(void)frame_write_claim(bytes, ours, &v4, false, false);
	assert_true(frame_read(bytes, 60, &frame));
	assert_true(ip_is_same(&frame.ip, &v4));
}

TEST(frame_that_is_cut_off_is_refused)
{
	uint8_t bytes[FRAME_BYTES];
	struct frame frame;
	size_t size = frame_write_claim(bytes, ours, &v4, false, false);

	for (size_t i = 0; i < size; i++)
		assert_false(frame_read(bytes, i, &frame));
	size = frame_write_claim(bytes, ours, &v6, false, false);
	for (size_t i = 0; i < size; i++)
		assert_false(frame_read(bytes, i, &frame));
}

/* In turn: the type of the frame, hardware, protocol, both sizes, operation. */
TEST(other_kinds_of_arp_are_refused)
{
	static const size_t places[] = { 12, 15, 17, 18, 19, 21 };
	struct frame frame;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint8_t bytes[FRAME_BYTES];
		size_t size = frame_write_probe(bytes, ours, &v4);

		bytes[places[i]] ^= 0x40;
		assert_false(frame_read(bytes, size, &frame));
	}
}

/* A router would have lowered the hop limit; the sum covers all else. */
TEST(damaged_advertisement_is_refused)
{
	struct frame frame;

	for (size_t i = 14; i < FRAME_BYTES; i++) {
		uint8_t bytes[FRAME_BYTES];

		(void)frame_write_claim(bytes, ours, &v6, false, false);
		bytes[i] ^= 0x10;
		if (i == 14 + 1 || i == 14 + 2 || i == 14 + 3)
			continue; /* the flow label means nothing */
		assert_false(frame_read(bytes, FRAME_BYTES, &frame));
	}
}

TEST(zero_and_multicast_addresses_are_refused)
{
	const struct ip none = { .is_v6 = false };
	const struct ip group = { .bytes = { 224, 0, 0, 1 } };
	uint8_t bytes[FRAME_BYTES];
	struct frame frame;
	size_t size = frame_write_probe(bytes, ours, &none);

	assert_false(frame_read(bytes, size, &frame));
	size = frame_write_claim(bytes, ours, &group, false, false);
	assert_false(frame_read(bytes, size, &frame));
}

/* The solicitation resolves an address, and says nothing of who has that. */
TEST(solicitation_with_a_sender_is_no_probe)
{
	uint8_t bytes[FRAME_BYTES];
	struct frame frame;
	size_t size = frame_write_probe(bytes, ours, &v6);

	assert_true(frame_read(bytes, size, &frame));
	bytes[22] = bytes[23] = 0xff; /* this leaves the sum as it is */
	assert_false(frame_read(bytes, size, &frame));
}
