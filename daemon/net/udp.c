/* SPDX-License-Identifier: ISC */
#include "daemon/net/udp.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "daemon/net/address.h"
#include "daemon/net/carrier.h"
#include "daemon/net/group.h"
#include "daemon/net/links.h"
#include "daemon/net/lookup.h"
#include "daemon/net/peer_addresses.h"
#include "daemon/net/udp_errors.h"
#include "daemon/net/udp_socket.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

/* The time to wait for space. The kernel doubles what net.core.wmem_max grants,
 * by default 208 KiB. Half of that buffer holds 256 short datagrams, with their
 * headers some 60 KB, which leave in 5 ms at 100 Mbit/s. */
#define FULL_WAIT (5 * MSEC)

#define BATCH         32 /* datagrams a system call */
#define ERRORS_MAX    64 /* errors a turn: a round of HELLOs brings no more */
#define TRIES         2  /* tries of a call that an older error may fail */
#define CONTROL_BYTES 64 /* fits a timestamp */

struct udp_peers {
	unsigned count;                   /* number of peers, and of the
					   * elements of each array by peer */
	struct peer_addresses *addresses; /* addresses of the peers */
	struct sent_tags *sent_tags;      /* sent tags by peer */
	bool *is_linked;                  /* by peer: the link is up */
};

/* The addresses of nodes that are not known. */
struct udp_strangers {
	struct group group;
	struct address join[JOIN_MAX]; /* of size 0: not resolved yet */
	size_t join_count;             /* number of `join` */
	struct lookup *lookup;         /* lookup of those that are names;
					* NULL */
};

struct udp {
	int fd;       /* the socket, or -1 */
	int links_fd; /* has news of interfaces; -1: there is none */
	struct address own;
	struct carrier carrier;
	struct udp_strangers strangers;
	struct udp_peers peers;
	int send_capacity;     /* bytes of the send buffer; SIOCOUTQ's unit */
	struct address sender; /* sender of the datagram that is handed over */
	bool has_sender;       /* a datagram is being handed over */
	bool has_errors;       /* the socket's error queue may not be empty */
	bool warned_size;      /* EMSGSIZE has been logged */
	nsec_t full_wait;      /* how long to wait for space if it is full */
	bool is_stuck;         /* waiting for space was in vain */
	nsec_t drained_at;     /* what the socket holds came after this */

	/* Datagrams to be sent by the next udp_flush(). */
	unsigned waiting;                /* how many there are */
	struct mmsghdr headers[BATCH];   /* for sendmmsg(2) */
	struct address to[BATCH];        /* the receivers */
	struct iovec vectors[BATCH];     /* one for each header */
	uint8_t sent[BATCH][PACKET_MAX]; /* the bytes */

	/* Datagrams that udp_batch() receives. */
	struct mmsghdr received[BATCH];         /* for recvmmsg(2) */
	struct address from[BATCH];             /* the senders */
	struct iovec into[BATCH];               /* one for each header */
	uint8_t buffers[BATCH][PACKET_MAX + 1]; /* + 1 shows too long ones */
	alignas(struct cmsghdr)
	    uint8_t controls[BATCH][CONTROL_BYTES]; /* timestamps */
};

/* Resets the header for the next recvmmsg(2), which overwrites the sizes. */
static void
udp_prepare(struct udp *udp, unsigned i)
{
	udp->into[i].iov_base = udp->buffers[i];
	udp->into[i].iov_len = sizeof(udp->buffers[i]);
	udp->received[i].msg_hdr = (struct msghdr){
		.msg_name = &udp->from[i].socket,
		.msg_namelen = sizeof(udp->from[i].socket),
		.msg_iov = &udp->into[i],
		.msg_iovlen = 1,
		.msg_control = udp->controls[i],
		.msg_controllen = sizeof(udp->controls[i]),
	};
}

static bool
own_address(
    const struct config_node *self, const char *text, struct address *own)
{
	int error;

	*own = (struct address){ .size = 0 };
	error = address_lookup(text, AF_UNSPEC, own);
	if (error != 0)
		log_errorx(
		    "cannot resolve %s, the address of this node, %s: %s", text,
		    self->name, gai_strerror(error));
	return error == 0;
}

/* Prepares to reach nodes that are not known. False after logging why not. */
static bool
udp_open_strangers(
    struct udp *udp, const struct settings *settings, node_id self, int family)
{
	const struct settings_discovery *d = &settings->discovery;
	struct udp_strangers *s = &udp->strangers;

	if (d->group[0] != '\0' &&
	    !group_open(&s->group, d, self, udp->fd, family))
		return false;
	s->join_count = settings->shared.discovers ? d->join_count : 0;
	if (s->join_count == 0)
		return true;
	s->lookup = lookup_new((unsigned)s->join_count, family, LOOKUP_PAUSE);
	if (s->lookup == NULL)
		return false;
	for (unsigned i = 0; i < s->join_count; i++) {
		if (address_read(d->join[i], &s->join[i])) {
			if (s->join[i].socket.ss_family == family)
				continue;
			log_warnx(
			    "join: %s is not of the family of this node's address, and is not used",
			    d->join[i]);
			s->join[i].size = 0;
		} else if (!lookup_set(s->lookup, i, d->join[i])) {
			return false;
		}
	}
	return lookup_start(s->lookup) == 0;
}

/* Takes addresses to join by that were resolved. */
static void
udp_update_strangers(struct udp_strangers *s)
{
	struct lookup_result result;

	while (s->lookup != NULL && lookup_take(s->lookup, &result)) {
		assert(result.i < s->join_count);
		if (result.error == 0)
			s->join[result.i] = result.address;
	}
}

static void
udp_peers_free(struct udp_peers *p)
{
	peer_addresses_free(p->addresses);
	free(p->sent_tags);
	free(p->is_linked);
}

static bool
on_way(void *context, unsigned peer, const struct address **address)
{
	const struct udp *udp = context;

	if (peer >= udp->peers.count)
		return false;
	*address = peer_addresses_get(udp->peers.addresses, peer);
	return true;
}

/* Looks after the interfaces. */
static void
udp_tend(struct udp *udp)
{
	nsec_t now = clock_now();

	group_tend(&udp->strangers.group, now);
	carrier_tend(&udp->carrier, udp->fd, now, &udp->own, on_way, udp);
}

struct udp *
udp_new(const struct settings *settings, node_id self)
{
	const struct config_node *n = config_find(&settings->shared, self);
	const char *text =
	    settings->listen[0] != '\0' ? settings->listen : n->address;
	struct udp *udp = calloc(1, sizeof(*udp));
	struct address own;

	if (udp == NULL)
		return NULL;
	udp->fd = udp->links_fd = udp->strangers.group.fd = -1;
	carrier_init(&udp->carrier, settings->watches_carrier);
	udp->peers.count = (unsigned)settings->shared.nodes_count - 1;
	udp->full_wait =
	    nsec_earlier(FULL_WAIT, settings->shared.timing.heartbeat / 2);
	for (unsigned i = 0; i < BATCH; i++)
		udp_prepare(udp, i);
	udp->peers.sent_tags =
	    calloc(settings->shared.nodes_count, sizeof(*udp->peers.sent_tags));
	udp->peers.is_linked =
	    calloc(settings->shared.nodes_count, sizeof(*udp->peers.is_linked));
	if (udp->peers.sent_tags != NULL && udp->peers.is_linked != NULL &&
	    own_address(n, text, &own))
		udp->peers.addresses =
		    peer_addresses_new(settings, self, own.socket.ss_family);
	if (udp->peers.addresses != NULL)
		udp->fd = udp_socket_open(&own, text);
	/* From before we join a group, and look for ways to the peers. */
	if (udp->fd >= 0 &&
	    (settings->watches_carrier || settings->discovery.group[0] != '\0'))
		udp->links_fd = links_open();
	if (udp->fd >= 0 &&
	    udp_open_strangers(udp, settings, self, own.socket.ss_family)) {
		udp->send_capacity =
		    udp_socket_enlarge(udp->fd, udp->peers.count);
		udp->own = own;
		udp_tend(udp);
		return udp;
	}
	udp_free(udp);
	return NULL;
}

void
udp_free(struct udp *udp)
{
	if (udp == NULL)
		return;
	if (udp->fd >= 0)
		close(udp->fd);
	if (udp->links_fd >= 0)
		close(udp->links_fd);
	group_close(&udp->strangers.group);
	lookup_free(udp->strangers.lookup);
	udp_peers_free(&udp->peers);
	free(udp);
}

/* Takes from `before` what is known of the peers that stay. */
static void
udp_peers_keep(struct udp_peers *p, const struct settings *settings,
    const struct udp_peers *before)
{
	for (size_t i = 0; i < settings->shared.nodes_count; i++) {
		node_id id = settings->shared.nodes[i].id;
		unsigned to = peer_addresses_number(p->addresses, id);
		unsigned from = peer_addresses_number(before->addresses, id);

		if (to == PEER_NONE || from == PEER_NONE)
			continue;
		p->sent_tags[to] = before->sent_tags[from];
		p->is_linked[to] = before->is_linked[from];
	}
}

bool
udp_change(struct udp *udp, const struct settings *settings)
{
	size_t n = settings->shared.nodes_count;
	struct udp_peers peers = {
		.count = (unsigned)n - 1,
		.sent_tags = calloc(n, sizeof(*peers.sent_tags)),
		.is_linked = calloc(n, sizeof(*peers.is_linked)),
	};

	assert(!udp->has_sender);
	assert(udp->waiting == 0);
	if (peers.sent_tags != NULL && peers.is_linked != NULL)
		peers.addresses =
		    peer_addresses_change(udp->peers.addresses, settings);
	if (peers.addresses == NULL) {
		udp_peers_free(&peers);
		return false;
	}
	udp_peers_keep(&peers, settings, &udp->peers);
	udp_peers_free(&udp->peers);
	udp->peers = peers;
	udp->send_capacity = udp_socket_enlarge(udp->fd, peers.count);
	carrier_change(&udp->carrier);
	udp->full_wait =
	    nsec_earlier(FULL_WAIT, settings->shared.timing.heartbeat / 2);
	return true;
}

int
udp_fd(const struct udp *udp)
{
	return udp->fd;
}

int
udp_group_fd(const struct udp *udp)
{
	return udp->strangers.group.fd;
}

int
udp_links_fd(const struct udp *udp)
{
	return udp->links_fd;
}

static void
on_gone(void *context, int index)
{
	struct udp *udp = context;

	group_lose(&udp->strangers.group, index);
}

static void
on_overrun(void *context)
{
	struct udp *udp = context;

	group_doubt(&udp->strangers.group);
}

void
udp_hear_links(struct udp *udp)
{
	const struct links_handler handler = { on_gone, on_overrun, udp };

	links_hear(udp->links_fd, &handler);
	carrier_check(&udp->carrier, udp->fd, clock_now());
}

const char *
udp_lacks_carrier(const struct udp *udp)
{
	return carrier_lacking(&udp->carrier);
}

const struct sockaddr *
udp_address(const struct udp *udp, unsigned peer)
{
	const struct address *address =
	    peer_addresses_get(udp->peers.addresses, peer);

	return address == NULL ? NULL
			       : (const struct sockaddr *)&address->socket;
}

void
udp_set_linked(struct udp *udp, node_id id, bool is_linked)
{
	unsigned peer = peer_addresses_number(udp->peers.addresses, id);

	if (peer != PEER_NONE)
		udp->peers.is_linked[peer] = is_linked;
	peer_addresses_set_linked(udp->peers.addresses, id, is_linked);
}

bool
udp_has_address(const struct udp *udp, node_id id)
{
	return peer_addresses_has(udp->peers.addresses, id);
}

const char *
udp_found_at(const struct udp *udp, node_id id, char text[ADDRESS_TEXT_MAX])
{
	const struct peer_addresses *addresses = udp->peers.addresses;
	unsigned peer = peer_addresses_number(addresses, id);

	if (peer == PEER_NONE || peer_addresses_other(addresses, peer) == NULL)
		return NULL;
	return address_text(peer_addresses_get(addresses, peer), text);
}

/*
 * True if errno is about a datagram sent earlier, and not about this call. The
 * kernel reports such an error once; its details are in the socket's queue.
 */
static bool
is_earlier_error(struct udp *udp)
{
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return false;
	udp->has_errors = true;
	return true;
}

nsec_t
udp_age(nsec_t timestamp, nsec_t wall, nsec_t gap)
{
	nsec_t age = nsec_since(wall, timestamp);

	return age <= gap ? age : 0;
}

/* When the datagram arrived, by the kernel's timestamp; `now`: it has none. */
static nsec_t
udp_arrived(const struct udp *udp, struct msghdr *m, nsec_t now, nsec_t wall)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);
	struct timespec ts;

	if (c == NULL || c->cmsg_level != SOL_SOCKET ||
	    c->cmsg_type != SCM_TIMESTAMPNS ||
	    c->cmsg_len != CMSG_LEN(sizeof(ts)))
		return now;
	memcpy(&ts, CMSG_DATA(c), sizeof(ts));
	return now - udp_age((nsec_t)ts.tv_sec * SEC + (nsec_t)ts.tv_nsec, wall,
			 nsec_since(now, udp->drained_at));
}

static int
udp_receive(struct udp *udp, int fd, struct mmsghdr *headers)
{
	int count = -1;

	for (unsigned i = 0; i < TRIES && count < 0; i++) {
		count = recvmmsg(fd, headers, BATCH, MSG_DONTWAIT, NULL);
		if (count < 0 && !is_earlier_error(udp))
			break;
	}
	return count;
}

/* Hands over what one system call brings. Returns the number of datagrams. */
static unsigned
udp_batch(struct udp *udp, int fd, const struct udp_handler *handler)
{
	nsec_t before = clock_now(), now, wall;
	int count = udp_receive(udp, fd, udp->received);

	now = clock_now();
	wall = clock_wall();
	for (int i = 0; i < count; i++) {
		struct msghdr *m = &udp->received[i].msg_hdr;
		nsec_t arrived = udp_arrived(udp, m, now, wall);
		unsigned peer;

		udp->from[i].size = m->msg_namelen;
		udp->sender = udp->from[i];
		udp->has_sender = true;
		peer = fd == udp->fd ? peer_addresses_find(
					   udp->peers.addresses, &udp->from[i])
				     : PEER_GROUP;
		if (handler->on_datagram(handler->context, peer,
			udp->buffers[i], udp->received[i].msg_len, arrived))
			carrier_hear(&udp->carrier, arrived);
		udp_prepare(udp, (unsigned)i);
	}
	udp->has_sender = false;
	if (count < BATCH && fd == udp->fd)
		udp->drained_at = before;
	return count > 0 ? (unsigned)count : 0;
}

static unsigned
udp_drain_datagrams(struct udp *udp, const struct udp_handler *handler)
{
	unsigned taken = 0, count;

	do {
		count = udp_batch(udp, udp->fd, handler);
		taken += count;
	} while (count == BATCH && taken < UDP_DRAIN_MAX);
	/* The next turn takes more of the group, if there is more. */
	if (udp->strangers.group.fd >= 0)
		taken += udp_batch(udp, udp->strangers.group.fd, handler);
	return taken;
}

/* The peer whose host refused a datagram of ours; PEER_NONE: no peer did. One
 * that was found elsewhere does not refuse where the settings have it. */
static unsigned
udp_refuser(struct udp *udp, const struct udp_error *error)
{
	const struct address to = { error->to, error->to_size };
	unsigned peer = peer_addresses_find(udp->peers.addresses, &to);

	if (!error->is_refusal || peer == PEER_NONE ||
	    !sent_tags_take(&udp->peers.sent_tags[peer], error->tag))
		return PEER_NONE;
	return peer;
}

static void
udp_drain_errors(struct udp *udp, const struct udp_handler *handler)
{
	struct udp_error error;
	unsigned peer;

	udp->has_errors = false;
	for (unsigned i = 0; i < ERRORS_MAX; i++) {
		if (!udp_errors_take(udp->fd, &error))
			return;
		peer = udp_refuser(udp, &error);
		if (peer != PEER_NONE)
			handler->on_refusal(handler->context, peer);
	}
}

/* Errors come last, because a peer's own datagram outweighs its host's ICMP. If
 * there is no datagram, an error may be what woke us. */
void
udp_drain(struct udp *udp, const struct udp_handler *handler, bool is_ready)
{
	unsigned taken;

	peer_addresses_update(udp->peers.addresses);
	udp_update_strangers(&udp->strangers);
	udp_tend(udp);
	taken = udp_drain_datagrams(udp, handler);

	if ((is_ready && taken == 0) || udp->has_errors)
		udp_drain_errors(udp, handler);
}

/* The datagram counts as lost on the way; warns once if it is too large. */
static void
udp_failed(struct udp *udp, const struct address *to, size_t size)
{
	char text[ADDRESS_TEXT_MAX];

	if (errno != EMSGSIZE || udp->warned_size)
		return;
	udp->warned_size = true;
	log_warnx(
	    "a datagram of %zu bytes to %s exceeds the MTU and is lost, as all of that size will be; check tunnels and MTU",
	    size, address_text(to, text));
}

/*
 * Waits for space in the full send buffer. Usually the host sends half of it
 * within milliseconds, and a burst to many peers loses nothing. But datagrams
 * to a host that is gone fill the buffer for seconds; so after one wait in vain
 * this does not wait again until the buffer was not full, and it never waits
 * until our next heartbeat is late.
 */
static bool
udp_has_room_again(struct udp *udp)
{
	const struct timespec wait = { .tv_nsec = (long)udp->full_wait };
	struct pollfd p = { .fd = udp->fd, .events = POLLOUT };

	if (udp->is_stuck)
		return false;
	udp->is_stuck =
	    ppoll(&p, 1, &wait, NULL) <= 0 || (p.revents & POLLOUT) == 0;
	return !udp->is_stuck;
}

void
udp_flush(struct udp *udp)
{
	unsigned done = 0, tries = 0;
	bool was_full = false;

	if (udp->waiting == 0)
		return;
	while (done < udp->waiting) {
		int sent = sendmmsg(udp->fd, udp->headers + done,
		    udp->waiting - done, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent <= 0) { /* the first of the rest failed */
			bool is_full = errno == EAGAIN || errno == EWOULDBLOCK;

			was_full |= is_full;
			if (++tries < TRIES &&
			    (is_full ? udp_has_room_again(udp)
				     : is_earlier_error(udp)))
				continue;
			udp_failed(
			    udp, &udp->to[done], udp->vectors[done].iov_len);
			sent = 1;
		}
		done += (unsigned)sent;
		tries = 0;
	}
	if (!was_full)
		udp->is_stuck = false;
	udp->waiting = 0;
}

/*
 * A datagram to a host that is gone stays in the buffer for three seconds,
 * while the kernel asks for the hardware address (ARP). A few hundred such
 * hosts would leave no space for the others.
 */
static bool
is_half_full(const struct udp *udp)
{
	int used = 0;

	return ioctl(udp->fd, SIOCOUTQ, &used) == 0 &&
	       used > udp->send_capacity / 2;
}

static void
udp_queue(struct udp *udp, unsigned peer, const struct address *to,
    const uint8_t *bytes, size_t size)
{
	struct iovec *v = &udp->vectors[udp->waiting];

	assert(peer < udp->peers.count);
	assert(size <= PACKET_MAX);
	if (to == NULL || (!udp->peers.is_linked[peer] && is_half_full(udp)))
		return;
	memcpy(udp->sent[udp->waiting], bytes, size);
	sent_tags_note(&udp->peers.sent_tags[peer], bytes, size);
	udp->to[udp->waiting] = *to;
	*v = (struct iovec){ udp->sent[udp->waiting], size };
	udp->headers[udp->waiting].msg_hdr = (struct msghdr){
		.msg_name = &udp->to[udp->waiting].socket,
		.msg_namelen = to->size,
		.msg_iov = v,
		.msg_iovlen = 1,
	};
	if (++udp->waiting == BATCH)
		udp_flush(udp);
}

void
udp_send(struct udp *udp, unsigned peer, const uint8_t *bytes, size_t size)
{
	udp_queue(udp, peer, peer_addresses_get(udp->peers.addresses, peer),
	    bytes, size);
}

void
udp_call(struct udp *udp, unsigned peer, const uint8_t *bytes, size_t size)
{
	udp_send(udp, peer, bytes, size);
	udp_queue(udp, peer, peer_addresses_other(udp->peers.addresses, peer),
	    bytes, size);
}

void
udp_find(struct udp *udp, unsigned peer)
{
	assert(peer < udp->peers.count);
	assert(udp->has_sender);
	peer_addresses_find_at(udp->peers.addresses, peer, &udp->sender);
}

static void
udp_send_now(struct udp *udp, const struct address *to, const uint8_t *bytes,
    size_t size)
{
	if (to->size == 0)
		return;
	for (unsigned i = 0; i < TRIES; i++) {
		if (sendto(udp->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT,
			(const struct sockaddr *)&to->socket, to->size) >= 0 ||
		    !is_earlier_error(udp))
			return;
	}
	udp_failed(udp, to, size);
}

void
udp_reply(struct udp *udp, const uint8_t *bytes, size_t size)
{
	if (udp->has_sender)
		udp_send_now(udp, &udp->sender, bytes, size);
}

void
udp_send_group(struct udp *udp, const uint8_t *bytes, size_t size)
{
	udp_send_now(udp, &udp->strangers.group.address, bytes, size);
}

void
udp_join(struct udp *udp, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < udp->strangers.join_count; i++)
		udp_send_now(udp, &udp->strangers.join[i], bytes, size);
}

const char *
udp_sender(const struct udp *udp, char text[ADDRESS_TEXT_MAX])
{
	return udp->has_sender ? address_text(&udp->sender, text) : "";
}
