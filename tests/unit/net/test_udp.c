/* SPDX-License-Identifier: ISC */
/*
 * The datagram socket, and peers that refuse its datagrams: on loopback, where
 * the kernel reports that before the system call returns.
 */
#undef _FORTIFY_SOURCE /* which makes the ppoll(2) below an inline function */
#include "tests/unit/group.h"

#include "daemon/net/udp.h"
#include "daemon/net/udp_errors.h"
#include "daemon/system/clock.h"

#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/sockios.h>

#define BEAT (100 * MSEC)
#define SIZE 60 /* of an ordinary datagram */

enum {
	OPEN,  /* a peer that listens */
	CLOSED /* and one that does not */
};

static struct config_node nodes[3];
static struct settings settings = { .shared.nodes = nodes,
	.shared.nodes_count = 3 };
static struct udp *udp;
static int open_fd; /* of the listening peer */
static unsigned taken, refused[2];
static nsec_t taken_of;          /* when the last datagram came in */
static bool is_closed_one_found; /* where the next datagram comes from */
static bool is_sealed;           /* the next datagram */

/* Opens a socket of this family on loopback; gives its port. */
static int
listen_on(int family, in_port_t *port)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	bool is_6 = family == AF_INET6;
	void *address = is_6 ? (void *)&in6 : (void *)&in;
	socklen_t size = is_6 ? sizeof(in6) : sizeof(in);
	int fd = socket(family, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, address, size) != 0 ||
	    getsockname(fd, address, &size) != 0)
		fail_msg("no loopback");
	*port = ntohs(is_6 ? in6.sin6_port : in.sin_port);
	return fd;
}

static void
name(unsigned node, int family, in_port_t port)
{
	nodes[node].id = node + 1;
	snprintf(nodes[node].address, sizeof(nodes[node].address), "%s:%u",
	    family == AF_INET6 ? "[::1]" : "127.0.0.1", (unsigned)port);
}

static void
enter(int family)
{
	in_port_t port;

	taken = refused[OPEN] = refused[CLOSED] = 0;
	is_closed_one_found = is_sealed = false;
	name(0, family, 0);
	close(listen_on(family, &port));
	name(2, family, port);
	open_fd = listen_on(family, &port);
	name(1, family, port);
	udp = udp_new(&settings, 1);
	assert_non_null(udp);
}

static int
enter_4(void **state)
{
	(void)state;
	enter(AF_INET);
	return 0;
}

static int
enter_6(void **state)
{
	(void)state;
	enter(AF_INET6);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	udp_free(udp);
	close(open_fd);
	return 0;
}

/* The socket takes so many datagrams until it waits for its buffer. */
static unsigned room = UINT_MAX, room_again;
static unsigned waits;
static long waited; /* the longest of these waits; ns */

/* The size that the system reports for the send buffer; -1: the true one. */
static int used = -1;

/* The flags that it reports for each interface; -1: the true ones. */
static int interface_flags = -1;

/* Takes the place of the system's function. */
int
ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *value;

	va_start(arguments, request);
	value = va_arg(arguments, void *);
	va_end(arguments);
	if (used >= 0 && request == SIOCOUTQ)
		*(int *)value = used;
	else if (interface_flags >= 0 && request == SIOCGIFFLAGS)
		((struct ifreq *)value)->ifr_flags = (short)interface_flags;
	else
		return (int)syscall(SYS_ioctl, fd, request, value);
	return 0;
}

int
sendmmsg(int fd, struct mmsghdr *headers, unsigned count, int flags)
{
	if (room == 0) {
		errno = EAGAIN;
		return -1;
	}
	if (count > room)
		count = room;
	if (room != UINT_MAX)
		room -= count;
	return (int)syscall(SYS_sendmmsg, fd, headers, count, flags);
}

int
ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
    const sigset_t *mask)
{
	if (room > 0)
		return (int)syscall(SYS_ppoll, fds, count, timeout, mask, 0);
	waits++;
	waited = timeout->tv_nsec;
	room = room_again;
	fds->revents = POLLOUT;
	return room > 0 ? 1 : 0;
}

static bool
on_datagram(void *context, unsigned peer, const uint8_t *bytes, size_t size,
    nsec_t arrived)
{
	(void)context;
	(void)peer;
	(void)bytes;
	(void)size;
	taken++;
	taken_of = arrived;
	if (is_closed_one_found)
		udp_find(udp, CLOSED);
	return is_sealed;
}

static void
on_refusal(void *context, unsigned peer)
{
	(void)context;
	assert_in_range(peer, OPEN, CLOSED);
	refused[peer]++;
}

static void
drain(void)
{
	const struct udp_handler handler = { on_datagram, on_refusal, NULL };

	udp_drain(udp, &handler, true);
}

/* On a busy host the kernel delivers a datagram, or an error about one, a little
 * after the call that sent it. */
static void
drain_until(const unsigned *count, unsigned wanted)
{
	struct pollfd p = { .fd = udp_fd(udp), .events = POLLIN };

	for (drain(); *count < wanted; drain())
		assert_int_equal(poll(&p, 1, 10000), 1);
}

static void
await_errors(void)
{
	struct pollfd p = { .fd = udp_fd(udp) };

	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_true(p.revents & POLLERR);
}

/* Makes a datagram with a tag of its own. */
static void
send_to(unsigned peer, uint8_t tag, size_t size)
{
	uint8_t bytes[SIZE] = { 0 };

	memset(bytes + PACKET_CLEAR_BYTES, tag, SEAL_TAG_BYTES);
	udp_send(udp, peer, bytes, size);
	udp_flush(udp);
}

static unsigned
heard_by_the_open_one(void)
{
	uint8_t bytes[SIZE + 1];
	unsigned count = 0;

	while (recv(open_fd, bytes, sizeof(bytes), MSG_DONTWAIT) == SIZE)
		count++;
	return count;
}

#define CASE(name, enter) TEST(name, enter, leave)
/* A case of IPv4 and of IPv6. */
#define BOTH(name)                                                             \
	static void name(void);                                                \
	CASE(name##_4, enter_4)                                                \
	{                                                                      \
		name();                                                        \
	}                                                                      \
	CASE(name##_6, enter_6)                                                \
	{                                                                      \
		name();                                                        \
	}                                                                      \
	static void name(void)

BOTH(closed_port_is_reported)
{
	send_to(OPEN, 1, SIZE);
	send_to(CLOSED, 2, SIZE);
	drain_until(&refused[CLOSED], 1);
	assert_int_equal(refused[CLOSED], 1);
	assert_int_equal(refused[OPEN], 0);
	assert_int_equal(taken, 0);
	drain();
	assert_int_equal(refused[CLOSED], 1);
}

/* The kernel reports an error by refusing the next datagram, to any peer. */
BOTH(refusal_costs_no_other_datagram)
{
	for (uint8_t i = 0; i < 10; i++) {
		send_to(CLOSED, (uint8_t)(2 * i), SIZE);
		send_to(OPEN, (uint8_t)(2 * i + 1), SIZE);
	}
	drain_until(&refused[CLOSED], SENT_TAGS);
	assert_int_equal(refused[CLOSED], SENT_TAGS);
	assert_int_equal(heard_by_the_open_one(), 10);
}

/* Lets the listening socket send a datagram to the one under test. */
static void
send_from_the_open_one(void)
{
	struct sockaddr_storage to;
	socklen_t size = sizeof(to);

	assert_int_equal(
	    getsockname(udp_fd(udp), (struct sockaddr *)&to, &size), 0);
	assert_int_equal(
	    sendto(open_fd, "hello", 5, 0, (struct sockaddr *)&to, size), 5);
}

/* The socket leaves no datagram that has come in for the next turn. */
CASE(refusal_keeps_no_datagram_waiting, enter_4)
{
	send_from_the_open_one();
	send_to(CLOSED, 1, SIZE);
	drain_until(&taken, 1);
	drain_until(&refused[CLOSED], 1);
	assert_int_equal(taken, 1);
	assert_int_equal(refused[CLOSED], 1);
}

/* One came between two looks at the socket, one since the last. */
/* Sends a datagram and reads it 3 ms later. Succeeds if it tells when it came. */
static bool
datagram_told_its_time(const struct sockaddr_storage *to, socklen_t size)
{
	nsec_t before = clock_now(), after;

	assert_int_equal(
	    sendto(open_fd, "hello", 5, 0, (const struct sockaddr *)to, size),
	    5);
	after = clock_now();
	while (clock_now() < after + 3 * MSEC)
		continue;
	drain();
	/* The two clocks are not read at once. */
	return taken_of >= before - MSEC && taken_of <= after + MSEC;
}

BOTH(datagram_tells_when_it_came)
{
	struct sockaddr_storage to;
	socklen_t size = sizeof(to);
	bool told = false;

	assert_int_equal(
	    getsockname(udp_fd(udp), (struct sockaddr *)&to, &size), 0);
	/* A busy host may stop the process between two clocks. */
	for (unsigned i = 1; i <= 100 && !told; i++) {
		told = datagram_told_its_time(&to, size);
		assert_int_equal(taken, i);
	}
	assert_true(told);
}

TEST(age_is_believed_within_reason)
{
	assert_int_equal(udp_age(5 * SEC, 5 * SEC + MSEC, BEAT), MSEC);
	assert_int_equal(udp_age(5 * SEC, 5 * SEC + BEAT, BEAT), BEAT);
	assert_int_equal(udp_age(5 * SEC, 5 * SEC + BEAT + 1, BEAT), 0);
	assert_int_equal(udp_age(5 * SEC, 5 * SEC - 1, BEAT), 0);
	assert_int_equal(udp_age(5 * SEC, 0, BEAT), 0);
}

BOTH(quote_without_a_tag_is_ignored)
{
	send_to(CLOSED, 1, PACKET_HEAD_BYTES - 1);
	drain();
	assert_int_equal(refused[CLOSED], 0);
	send_to(CLOSED, 2, PACKET_HEAD_BYTES);
	drain_until(&refused[CLOSED], 1);
	assert_int_equal(refused[CLOSED], 1);
}

/* An attacker guesses addresses and ports, but not what we have sent. */
CASE(quote_of_a_datagram_that_we_did_not_send_is_ignored, enter_4)
{
	uint8_t bytes[SIZE] = { 0 };

	send_to(CLOSED, 1, SIZE);
	for (unsigned i = 0; i < 5; i++) {
		(void)sendto(udp_fd(udp), bytes, SIZE, 0,
		    udp_address(udp, CLOSED), sizeof(struct sockaddr_in));
	}
	drain_until(&refused[CLOSED], 1);
	assert_int_equal(refused[CLOSED], 1);
}

/* Nothing listens where the settings have it: that is no word of the peer. */
BOTH(peer_that_was_found_elsewhere_is_called_at_both_and_refuses_at_one)
{
	uint8_t bytes[SIZE] = { 0 };

	is_closed_one_found = true;
	send_from_the_open_one();
	drain_until(&taken, 1);
	memset(bytes + PACKET_CLEAR_BYTES, 1, SEAL_TAG_BYTES);
	udp_call(udp, CLOSED, bytes, SIZE);
	udp_flush(udp);
	assert_int_equal(heard_by_the_open_one(), 1);
	await_errors();
	drain();
	assert_int_equal(refused[OPEN] + refused[CLOSED], 0);
	send_to(CLOSED, 2, SIZE);
	assert_int_equal(heard_by_the_open_one(), 1);
	close(open_fd);
	send_to(CLOSED, 3, SIZE);
	drain_until(&refused[CLOSED], 1);
	open_fd = -1;
}

/* There are more than a turn takes: the rest is not lost, and no loop begins.
 */
CASE(many_refusals_are_taken_bit_by_bit, enter_4)
{
	struct pollfd all = { .fd = udp_fd(udp), .events = POLLIN };
	struct udp_error error;

	for (unsigned i = 0; i < 100; i++)
		send_to(CLOSED, (uint8_t)i, SIZE);
	drain();
	assert_true(udp_errors_take(udp_fd(udp), &error));
	drain();
	assert_false(udp_errors_take(udp_fd(udp), &error));
	assert_int_equal(refused[CLOSED], SENT_TAGS);
	assert_int_equal(poll(&all, 1, 0), 0); /* or the loop would spin */
}

/* Sends a burst, numbered from this on, to the peer that listens. */
static void
send_burst(uint8_t from, uint8_t count)
{
	uint8_t bytes[SIZE] = { 0 };

	for (uint8_t i = 0; i < count; i++) {
		bytes[0] = (uint8_t)(from + i);
		udp_send(udp, OPEN, bytes, SIZE);
	}
	udp_flush(udp);
}

CASE(burst_that_fills_the_socket_leaves_in_order, enter_4)
{
	uint8_t bytes[SIZE + 1];

	waits = 0;
	room = 40;
	room_again = 10;
	send_burst(0, 64);
	assert_int_equal(waits, 3);
	for (uint8_t i = 0; i < 64; i++) {
		assert_int_equal(
		    recv(open_fd, bytes, sizeof(bytes), MSG_DONTWAIT), SIZE);
		assert_int_equal(bytes[0], i);
	}
	room = UINT_MAX;
}

/* The sender waits neither for each datagram nor for those of the next
 * moment. */
CASE(socket_that_stays_full_is_waited_for_once, enter_4)
{
	waits = 0;
	room = 5;
	room_again = 0;
	send_burst(0, 64);
	send_burst(64, 20);
	assert_int_equal(waits, 1);
	assert_int_equal(heard_by_the_open_one(), 5);
	room = 20;
	send_burst(84, 20); /* as if nothing had happened */
	room = 0;
	room_again = UINT_MAX;
	send_burst(104, 20);
	assert_int_equal(waits, 2);
	assert_int_equal(heard_by_the_open_one(), 40);
}

/* The sender waits no longer than until our own next heartbeat. */
CASE(socket_that_is_full_is_waited_for_half_a_heartbeat_at_most, enter_4)
{
	static const struct {
		nsec_t heartbeat, wait;
	} rows[] = {
		{ MSEC, MSEC / 2 },
		{ 10 * MSEC, 5 * MSEC },
		{ 60 * SEC, 5 * MSEC },
	};

	for (unsigned i = 0; i < 3; i++) {
		leave(state);
		settings.shared.timing.heartbeat = rows[i].heartbeat;
		enter(AF_INET);
		room = room_again = 0;
		send_burst(0, 1);
		room = UINT_MAX;
		assert_int_equal(waited, rows[i].wait);
	}
}

/* The peer may be dead, and its datagrams might stay there for seconds. */
CASE(peer_without_a_link_gets_no_more_than_half_of_the_socket, enter_4)
{
	int room_to_send;
	socklen_t room_size = sizeof(room_to_send);

	getsockopt(
	    udp_fd(udp), SOL_SOCKET, SO_SNDBUF, &room_to_send, &room_size);
	used = room_to_send / 2;
	send_burst(0, 3);
	assert_int_equal(heard_by_the_open_one(), 3);
	used++;
	send_burst(3, 3);
	assert_int_equal(heard_by_the_open_one(), 0);
	udp_set_linked(udp, nodes[1].id, true);
	send_burst(6, 3);
	assert_int_equal(heard_by_the_open_one(), 3);
	udp_set_linked(udp, nodes[1].id, false);
	send_burst(9, 3);
	assert_int_equal(heard_by_the_open_one(), 0);
	used = -1;
}

/* Settings in which node 2 comes last: another peer has its number then. */
static struct settings
turned_round(struct config_node to[3])
{
	struct settings other = settings;

	memcpy(to, nodes, sizeof(nodes));
	to[1] = nodes[2];
	to[2] = nodes[1];
	other.shared.nodes = to;
	return other;
}

CASE(peers_that_get_other_numbers_keep_what_was_sent_to_them, enter_4)
{
	struct config_node to[3];
	struct settings other = turned_round(to);

	send_to(CLOSED, 1, SIZE);
	assert_true(udp_change(udp, &other));
	drain_until(&refused[OPEN], 1); /* the number of the closed one now */
	assert_int_equal(refused[CLOSED], 0);
	send_to(CLOSED, 2, SIZE);
	assert_int_equal(heard_by_the_open_one(), 1);
}

/* A link spares a peer the limit of half of the socket. */
CASE(peers_that_get_other_numbers_keep_their_links, enter_4)
{
	struct config_node to[3];
	struct settings other = turned_round(to);

	udp_set_linked(udp, nodes[1].id, true);
	assert_true(udp_change(udp, &other));
	used = INT_MAX;
	send_to(CLOSED, 1, SIZE);
	assert_int_equal(heard_by_the_open_one(), 1);
	udp_set_linked(udp, nodes[1].id, false);
	send_to(CLOSED, 2, SIZE);
	assert_int_equal(heard_by_the_open_one(), 0);
	used = -1;
}

CASE(peer_that_is_removed_is_forgotten_and_may_return, enter_4)
{
	struct settings other = settings;

	udp_set_linked(udp, nodes[2].id, true);
	send_to(CLOSED, 1, SIZE);
	other.shared.nodes_count = 2;
	assert_true(udp_change(udp, &other));
	drain();
	send_to(OPEN, 2, SIZE);
	assert_int_equal(heard_by_the_open_one(), 1);
	udp_set_linked(udp, nodes[2].id, false);
	assert_true(udp_change(udp, &settings));
	used = INT_MAX;
	send_to(CLOSED, 3, SIZE); /* without a link, so it does not go out */
	used = -1;
	send_to(OPEN, 4, SIZE);
	drain();
	assert_int_equal(refused[CLOSED], 0);
	send_to(CLOSED, 5, SIZE);
	drain_until(&refused[CLOSED], 1);
}

CASE(change_to_another_family_changes_nothing, enter_4)
{
	struct config_node to[3];
	struct settings other = turned_round(to);

	strcpy(to[1].address, "[::1]:7420");
	assert_false(udp_change(udp, &other));
	send_to(OPEN, 1, SIZE);
	assert_int_equal(heard_by_the_open_one(), 1);
}

/* Loopback plays an interface without a carrier. */
static int
enter_without_a_carrier(void **state)
{
	interface_flags = IFF_UP;
	settings.watches_carrier = true;
	return enter_4(state);
}

static int
leave_with_a_carrier(void **state)
{
	interface_flags = -1;
	settings.watches_carrier = false;
	return leave(state);
}

/* Looks anew for the ways to the peers, if one was heard since. */
static bool
has_a_way_after(bool sealed)
{
	unsigned before = taken;

	is_sealed = sealed;
	send_from_the_open_one();
	drain_until(&taken, before + 1);
	assert_true(udp_change(udp, &settings));
	drain();
	return udp_lacks_carrier(udp) == NULL;
}

/* Anybody can send from a peer's address. On a busy host a datagram may seem to
 * be older than it is. */
TEST(datagram_without_a_seal_is_no_way_to_a_peer, enter_without_a_carrier,
    leave_with_a_carrier)
{
	unsigned tries = 0;

	assert_string_equal(udp_lacks_carrier(udp), "lo");
	interface_flags = IFF_UP | IFF_RUNNING; /* without news of it */
	for (unsigned i = 0; i < 10; i++)
		assert_false(has_a_way_after(false));
	while (!has_a_way_after(true))
		assert_in_range(++tries, 1, 10);
}

CASE(socket_asks_for_room_to_send, enter_4)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), plain, ours;
	socklen_t size = sizeof(plain);

	assert_true(fd >= 0);
	getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &plain, &size);
	getsockopt(udp_fd(udp), SOL_SOCKET, SO_SNDBUF, &ours, &size);
	close(fd);
	assert_true(ours > plain);
}
