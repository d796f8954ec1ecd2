/* SPDX-License-Identifier: ISC */
/* Messages of netlink, also torn ones: nothing beyond their bytes is read, which
 * the sanitizers and valgrind see, as each lies at the end of its memory. */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "daemon/system/sockets/netlink.h"

#define INDEX 7

struct sample {
	struct nlmsghdr head;
	struct ifinfomsg link;
	struct rtattr name_head;
	char name[8];
	struct rtattr value_head;
	uint32_t value;
};

static struct sample
sample_of(uint16_t type)
{
	return (struct sample){
		.head = { .nlmsg_len = sizeof(struct sample),
		    .nlmsg_type = type },
		.link = { .ifi_index = INDEX },
		.name_head = { RTA_LENGTH(5), 3 },
		.name = "eth0",
		.value_head = { RTA_LENGTH(4), RTA_OIF },
		.value = 42,
	};
}

/* Copies the first `size` bytes into memory of that size, to be freed. */
static char *
cut_off(const void *bytes, size_t size)
{
	char *memory = malloc(size + (size == 0));

	assert_non_null(memory);
	memcpy(memory, bytes, size);
	return memory;
}

TEST(message_is_taken_only_if_it_is_whole)
{
	struct sample sample = sample_of(RTM_NEWLINK);

	for (size_t size = 0; size <= sizeof(sample); size++) {
		char *memory = cut_off(&sample, size);
		struct netlink_messages messages = { memory, size };
		const struct nlmsghdr *message = netlink_next(&messages);

		assert_int_equal(message != NULL, size == sizeof(sample));
		assert_null(netlink_next(&messages));
		free(memory);
	}
}

/* The last message of a datagram need not be filled up: with NLMSG_NEXT() the
 * rest would then be 2^64 bytes. */
TEST(last_message_of_an_odd_size_ends_the_rest)
{
	struct sample sample = sample_of(RTM_NEWLINK);

	for (uint32_t size = sizeof(sample.head); size < sizeof(sample);
	     size++) {
		struct netlink_messages messages = { .left = size };
		char *memory;

		sample.head.nlmsg_len = size;
		messages.at = memory = cut_off(&sample, size);
		assert_non_null(netlink_next(&messages));
		assert_int_equal(messages.left, 0);
		assert_null(netlink_next(&messages));
		free(memory);
	}
}

TEST(messages_follow_each_other)
{
	struct sample samples[3] = { sample_of(RTM_NEWLINK),
		sample_of(RTM_DELLINK), sample_of(RTM_NEWROUTE) };
	struct netlink_messages messages = { (const char *)samples,
		sizeof(samples) };

	for (size_t i = 0; i < 3; i++)
		assert_ptr_equal(netlink_next(&messages), &samples[i].head);
	assert_null(netlink_next(&messages));
}

TEST(message_says_its_interface_only_if_it_can)
{
	struct sample sample = sample_of(RTM_DELLINK);

	assert_int_equal(netlink_link(&sample.head)->ifi_index, INDEX);
	sample.link.ifi_family = AF_BRIDGE; /* of a port */
	assert_null(netlink_link(&sample.head));
	sample = sample_of(RTM_NEWADDR);
	assert_null(netlink_link(&sample.head));
	sample = sample_of(RTM_NEWLINK);
	sample.head.nlmsg_len = NLMSG_LENGTH(sizeof(sample.link)) - 1;
	assert_null(netlink_link(&sample.head));
}

static bool
reads(const struct nlmsghdr *message, uint16_t type, uint32_t *value)
{
	return netlink_attribute(
	    message, sizeof(struct ifinfomsg), type, value, sizeof(*value));
}

TEST(attribute_is_found_only_within_its_message)
{
	struct sample sample = sample_of(RTM_NEWLINK);
	uint32_t value = 0;

	assert_true(reads(&sample.head, RTA_OIF, &value));
	assert_int_equal(value, 42);
	assert_false(reads(&sample.head, RTA_IIF, &value));
	assert_false(reads(&sample.head, 3, &value)); /* of another size */
	for (uint32_t size = sizeof(sample.head); size < sizeof(sample);
	     size++) {
		char *memory;

		sample.head.nlmsg_len = size;
		memory = cut_off(&sample, size);
		assert_false(reads((const void *)memory, RTA_OIF, &value));
		free(memory);
	}
}

/* Such a length would never end, or lead beyond the message. */
TEST(attribute_of_an_impossible_length_ends_the_search)
{
	static const uint16_t lengths[] = { 0, 1, 3, 29, UINT16_MAX };
	uint32_t value;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct sample sample = sample_of(RTM_NEWLINK);

		sample.name_head.rta_len = lengths[i];
		assert_false(reads(&sample.head, RTA_OIF, &value));
	}
}
