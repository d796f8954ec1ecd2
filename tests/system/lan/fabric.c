/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/fabric.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH_MAX     64        /* frames until it reads the clock again */
#define RECEIVE_BYTES (8 << 20) /* of the socket, for bursts of all hosts */

static void fabric_step(struct fabric *f, nsec_t now_ns, struct frame *frame);

nsec_t
fabric_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (nsec_t)ts.tv_sec * SEC + (nsec_t)ts.tv_nsec;
}

/*
 * Opens one socket for all ports, so that frames come in the order of sending.
 * It receives nothing before bind, since the socket must first learn to leave
 * out what it sends itself.
 */
static int
fabric_open(void)
{
	struct sockaddr_ll any = { .sll_family = AF_PACKET };
	int size = RECEIVE_BYTES, on = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	/* The system may not allow an ordinary user more. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	any.sll_protocol = htons(ETH_P_ALL);
	if (setsockopt(
		fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) == 0 &&
	    bind(fd, (const struct sockaddr *)&any, sizeof(any)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void
fabric_seed(struct fabric *f, uint64_t seed)
{
	struct random seeds;

	random_init(&seeds, seed);
	for (unsigned a = 1; a <= f->hosts; a++) {
		wire_init(&f->in[a], random_next(&seeds));
		wire_init(&f->out[a], random_next(&seeds));
		for (unsigned b = 1; b <= f->hosts; b++)
			wire_init(&f->link[a][b], random_next(&seeds));
	}
}

struct fabric *
fabric_new(unsigned hosts, uint64_t seed)
{
	struct fabric *f;

	assert(hosts > 0);
	assert(hosts <= HOSTS_MAX);
	f = calloc(1, sizeof(*f));
	if (f == NULL)
		return NULL;
	f->hosts = hosts;
	f->fd = fabric_open();
	if (f->fd < 0) {
		free(f);
		return NULL;
	}
	fabric_seed(f, seed);
	return f;
}

void
fabric_free(struct fabric *f)
{
	struct frame *frame;

	if (f == NULL)
		return;
	while ((frame = queue_pop(&f->queue, NSEC_NEVER)) != NULL)
		free(frame);
	close(f->fd);
	free(f);
}

/* Gives the frame's receiver: a host, 0 for all others, -1 for none. */
static int
fabric_lookup(const struct fabric *f, const unsigned char *address)
{
	static const unsigned char prefix[5] = { 0x02 };

	if (address[0] & 0x01)
		return 0;
	if (memcmp(address, prefix, sizeof(prefix)) != 0)
		return -1;
	if (address[5] == 0 || address[5] > f->hosts)
		return -1;
	return address[5];
}

static void
fabric_send(struct fabric *f, struct frame *frame)
{
	struct sockaddr_ll port = { .sll_family = AF_PACKET };
	ssize_t n;

	port.sll_ifindex = (int)(PORT_IFINDEX + frame->to);
	memcpy(&port.sll_protocol, frame->bytes + 12, 2);
	n = sendto(f->fd, frame->bytes, frame->length, MSG_DONTWAIT,
	    (const struct sockaddr *)&port, sizeof(port));
	if (n < 0)
		f->counts.refused++;
	else
		f->counts.sent++;
	free(frame);
}

static void
fabric_queue(struct fabric *f, struct wire *w, struct frame *frame)
{
	if (!queue_push(&f->queue, frame)) {
		w->counts.overflowed++;
		free(frame);
	} else if (f->queue.count > f->counts.queue_peak) {
		f->counts.queue_peak = f->queue.count;
	}
}

/* Passes the frame, and a duplicate, over a wire to the stage behind it. */
static void
fabric_pass(struct fabric *f, nsec_t now_ns, struct frame *frame,
    struct wire *w, enum stage next)
{
	struct fate fate;
	struct frame *copy;

	fate = wire_decide(w, now_ns, frame->bytes, frame->length);
	if (fate.copies > 0 && fate.flip_bit != NO_BIT)
		frame->bytes[fate.flip_bit / 8] ^=
		    (unsigned char)(1 << fate.flip_bit % 8);
	frame->stage = next;
	frame->due_ns = fate.due_ns;
	for (unsigned i = 0; i < fate.copies; i++) {
		copy = frame_copy(frame);
		if (copy == NULL)
			w->counts.overflowed++;
		else if (copy->due_ns > now_ns)
			fabric_queue(f, w, copy);
		else
			fabric_step(f, now_ns, copy);
	}
	free(frame);
}

/* Makes one copy for each receiver. */
static void
fabric_spread(struct fabric *f, nsec_t now_ns, struct frame *frame)
{
	int to = fabric_lookup(f, frame->bytes);
	struct frame *copy;

	if (to < 0)
		f->counts.unknown++;
	frame->stage = STAGE_LINK;
	for (unsigned host = 1; host <= f->hosts; host++) {
		if (host == frame->from || (to != 0 && (int)host != to))
			continue;
		frame->to = host;
		copy = frame_copy(frame);
		if (copy != NULL)
			fabric_step(f, now_ns, copy);
		else
			f->link[frame->from][host].counts.overflowed++;
	}
	free(frame);
}

/* Takes the frame to its next stage, which then owns it. */
static void
fabric_step(struct fabric *f, nsec_t now_ns, struct frame *frame)
{
	unsigned from = frame->from, to = frame->to;

	switch (frame->stage) {
	case STAGE_IN:
		fabric_pass(f, now_ns, frame, &f->in[from], STAGE_SPREAD);
		break;
	case STAGE_SPREAD:
		fabric_spread(f, now_ns, frame);
		break;
	case STAGE_LINK:
		fabric_pass(f, now_ns, frame, &f->link[from][to], STAGE_OUT);
		break;
	case STAGE_OUT:
		fabric_pass(f, now_ns, frame, &f->out[to], STAGE_SEND);
		break;
	case STAGE_SEND:
		fabric_send(f, frame);
		break;
	}
}

/* Takes on the frames that are due, and gives the time until which they
 * were. */
static nsec_t
fabric_flush(struct fabric *f)
{
	nsec_t now = fabric_now();
	struct frame *frame;

	while ((frame = queue_pop(&f->queue, now)) != NULL)
		fabric_step(f, now, frame);
	return now;
}

/* Takes one frame off the socket; false when there is none. It came before
 * the time that is read then, so it is not early. Frames that are due go
 * first: only so does a wire keep its order. */
static bool
fabric_receive(struct fabric *f)
{
	unsigned char bytes[FRAME_MAX];
	struct sockaddr_ll port = { 0 };
	socklen_t port_size = sizeof(port);
	unsigned from;
	struct frame *frame;
	ssize_t n;

	n = recvfrom(f->fd, bytes, sizeof(bytes), MSG_TRUNC | MSG_DONTWAIT,
	    (struct sockaddr *)&port, &port_size);
	if (n < 0)
		return false;
	if (port.sll_pkttype == PACKET_OUTGOING)
		return true;
	f->counts.received++;
	from = (unsigned)port.sll_ifindex - PORT_IFINDEX;
	if (n < FRAME_MIN || n > FRAME_MAX || from < 1 || from > f->hosts) {
		f->counts.unknown++;
		return true;
	}
	frame = frame_new(from, bytes, (size_t)n);
	if (frame != NULL)
		fabric_step(f, fabric_flush(f), frame);
	else
		f->in[from].counts.overflowed++;
	return true;
}

void
fabric_run(struct fabric *f)
{
	(void)fabric_flush(f);
	for (int i = 0; i < BATCH_MAX; i++)
		if (!fabric_receive(f))
			break;
}

nsec_t
fabric_next_due(const struct fabric *f)
{
	return queue_next_due(&f->queue);
}

void
fabric_update_counts(struct fabric *f)
{
	struct tpacket_stats stats = { 0 };
	socklen_t size = sizeof(stats);

	/* The kernel resets the count when it is read. */
	if (getsockopt(f->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) ==
	    0)
		f->counts.overrun += stats.tp_drops;
}
