/* SPDX-License-Identifier: ISC */
#include "daemon/udp.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "daemon/log.h"

#define BATCH          32        /* datagrams a system call */
#define RECEIVE_BUFFER (1 << 20) /* bytes: bursts while we do not run */
#define BIND_TRIES     20
#define BIND_PAUSE     (5 * MSEC)

struct address {
	struct sockaddr_storage socket;
	socklen_t size;
};

struct udp {
	int fd;
	unsigned peers_count;
	struct address *peers;
	struct address sender; /* of the datagram being handed in */
	bool has_sender;
	bool warned_size; /* EMSGSIZE was told once */
	unsigned waiting; /* datagrams to be sent, to these peers */
	struct mmsghdr headers[BATCH];
	struct iovec vectors[BATCH];
	uint8_t sent[BATCH][PACKET_MAX];
	uint8_t buffers[BATCH][PACKET_MAX + 1]; /* one more: too long shows */
};

/* Cuts "host:port" or "[host]:port", checked by settings, in two. */
static void
address_split(const char *text, char host[ADDRESS_MAX_BYTES], const char **port)
{
	const char *colon = strrchr(text, ':');
	size_t size = (size_t)(colon - text);

	assert(colon != NULL);
	*port = colon + 1;
	if (text[0] == '[') {
		text++;
		size -= 2;
	}
	assert(size < ADDRESS_MAX_BYTES);
	memcpy(host, text, size);
	host[size] = '\0';
}

static bool
address_resolve(const char *text, int family, struct address *address)
{
	struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_NUMERICSERV,
	};
	char host[ADDRESS_MAX_BYTES];
	struct addrinfo *found;
	const char *port;
	int status;

	address_split(text, host, &port);
	status = getaddrinfo(host, port, &hints, &found);
	if (status != 0) {
		log_errorx("%s: %s%s", text, gai_strerror(status),
		    family == AF_INET    ? " (IPv4, as our own address)"
		    : family == AF_INET6 ? " (IPv6, as our own address)"
					 : "");
		return false;
	}
	*address = (struct address){ .size = found->ai_addrlen };
	memcpy(&address->socket, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return true;
}

/* The same host, whatever the port? */
static bool
address_same_host(const struct sockaddr *a, const struct sockaddr *b)
{
	if (a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return memcmp(&((const struct sockaddr_in *)(const void *)a)
				   ->sin_addr,
			   &((const struct sockaddr_in *)(const void *)b)
				->sin_addr,
			   sizeof(struct in_addr)) == 0;
	if (a->sa_family == AF_INET6)
		return memcmp(&((const struct sockaddr_in6 *)(const void *)a)
				   ->sin6_addr,
			   &((const struct sockaddr_in6 *)(const void *)b)
				->sin6_addr,
			   sizeof(struct in6_addr)) == 0;
	return false;
}

static in_port_t
address_port(const struct address *a)
{
	const void *socket = &a->socket;

	if (a->socket.ss_family == AF_INET)
		return ((const struct sockaddr_in *)socket)->sin_port;
	return ((const struct sockaddr_in6 *)socket)->sin6_port;
}

static bool
address_equal(const struct address *a, const struct address *b)
{
	return address_port(a) == address_port(b) &&
	       address_same_host((const struct sockaddr *)&a->socket,
		   (const struct sockaddr *)&b->socket);
}

static bool
address_is_local(const struct address *address, const struct ifaddrs *list)
{
	for (; list != NULL; list = list->ifa_next) {
		if (list->ifa_addr != NULL &&
		    address_same_host(list->ifa_addr,
			(const struct sockaddr *)&address->socket))
			return true;
	}
	return false;
}

bool
udp_find_self(const struct settings *settings, node_id *self)
{
	struct ifaddrs *list;
	unsigned count = 0;

	*self = NODE_NONE;
	if (getifaddrs(&list) != 0) {
		log_error("getifaddrs");
		return false;
	}
	for (size_t i = 0; i < settings->nodes_count; i++) {
		const struct node_settings *n = &settings->nodes[i];
		struct address address;

		if (!address_resolve(n->address, AF_UNSPEC, &address) ||
		    !address_is_local(&address, list))
			continue;
		*self = n->id;
		count++;
	}
	freeifaddrs(list);
	if (count == 1)
		return true;
	*self = NODE_NONE;
	log_errorx(
	    count == 0
		? "id: no node has an address of this host; give id, or electd -i"
		: "id: several nodes have addresses of this host; give id, or electd -i");
	return count > 0;
}

/* Never in fragments; and what ICMP says of a path, which anyone can forge, does
 * not count: our datagrams fit every path. */
static void
socket_forbid_fragments(int fd, int family)
{
	int value =
	    family == AF_INET6 ? IPV6_PMTUDISC_PROBE : IP_PMTUDISC_PROBE;
	int level = family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
	int name = family == AF_INET6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER;

	if (setsockopt(fd, level, name, &value, sizeof(value)) != 0)
		log_warn("cannot forbid fragments, ignoring");
}

/* A process that was killed as it started its helper leaves its socket to that
 * one for a moment, until it is another program. */
static bool
socket_bind(int fd, const struct address *own)
{
	const struct timespec pause = { .tv_nsec = BIND_PAUSE };

	for (int i = 0; i < BIND_TRIES; i++) {
		if (bind(fd, (const struct sockaddr *)&own->socket,
			own->size) == 0)
			return true;
		if (errno != EADDRINUSE)
			return false;
		nanosleep(&pause, NULL);
	}
	errno = EADDRINUSE;
	return false;
}

static int
socket_open(const struct address *own, const char *text)
{
	int family = own->socket.ss_family, size = RECEIVE_BUFFER;
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		log_error("socket");
		return -1;
	}
	socket_forbid_fragments(fd, family);
	/* What the system grants of it is enough. */
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (socket_bind(fd, own))
		return fd;
	log_errorx("bind to %s: %s%s", text, strerror(errno),
	    errno == EADDRINUSE      ? "; is another electd running there?"
	    : errno == EADDRNOTAVAIL ? "; this host is another node"
				     : "");
	close(fd);
	return -1;
}

static bool
udp_resolve(
    struct udp *udp, const struct settings *settings, node_id self, int family)
{
	bool ok = true;

	for (size_t i = 0; i < settings->nodes_count; i++) {
		const struct node_settings *n = &settings->nodes[i];
		struct address *address = &udp->peers[udp->peers_count];

		if (n->id == self)
			continue;
		udp->peers_count++;
		if (!address_resolve(n->address, family, address))
			ok = false;
	}
	return ok;
}

struct udp *
udp_new(const struct settings *settings, node_id self)
{
	const char *text = settings->listen[0] != '\0'
			       ? settings->listen
			       : settings_node(settings, self)->address;
	struct udp *udp = calloc(1, sizeof(*udp));
	struct address own;

	if (udp == NULL)
		return NULL;
	udp->fd = -1;
	udp->peers = calloc(settings->nodes_count, sizeof(*udp->peers));
	if (udp->peers == NULL || !address_resolve(text, AF_UNSPEC, &own) ||
	    !udp_resolve(udp, settings, self, own.socket.ss_family))
		goto out;
	udp->fd = socket_open(&own, text);
out:
	if (udp->fd < 0) {
		udp_free(udp);
		return NULL;
	}
	return udp;
}

void
udp_free(struct udp *udp)
{
	if (udp == NULL)
		return;
	if (udp->fd >= 0)
		close(udp->fd);
	free(udp->peers);
	free(udp);
}

int
udp_fd(const struct udp *udp)
{
	return udp->fd;
}

const struct sockaddr *
udp_address(const struct udp *udp, unsigned peer)
{
	assert(peer < udp->peers_count);
	return (const struct sockaddr *)&udp->peers[peer].socket;
}

static unsigned
udp_peer_of(const struct udp *udp, const struct address *address)
{
	for (unsigned i = 0; i < udp->peers_count; i++) {
		if (address_equal(&udp->peers[i], address))
			return i;
	}
	return PEER_NONE;
}

/* One system call's worth of datagrams; how many it brought. */
static unsigned
udp_batch(struct udp *udp,
    void (*take)(
	void *context, unsigned peer, const uint8_t *bytes, size_t size),
    void *context)
{
	struct address from[BATCH];
	struct mmsghdr headers[BATCH] = { 0 };
	struct iovec vectors[BATCH];
	int count;

	for (unsigned i = 0; i < BATCH; i++) {
		vectors[i].iov_base = udp->buffers[i];
		vectors[i].iov_len = sizeof(udp->buffers[i]);
		headers[i].msg_hdr.msg_name = &from[i].socket;
		headers[i].msg_hdr.msg_namelen = sizeof(from[i].socket);
		headers[i].msg_hdr.msg_iov = &vectors[i];
		headers[i].msg_hdr.msg_iovlen = 1;
	}
	count = recvmmsg(udp->fd, headers, BATCH, MSG_DONTWAIT, NULL);
	if (count < 0)
		return 0; /* nothing there, or an error of an earlier send */
	for (int i = 0; i < count; i++) {
		from[i].size = headers[i].msg_hdr.msg_namelen;
		udp->sender = from[i];
		udp->has_sender = true;
		take(context, udp_peer_of(udp, &from[i]), udp->buffers[i],
		    headers[i].msg_len);
	}
	udp->has_sender = false;
	return (unsigned)count;
}

void
udp_drain(struct udp *udp,
    void (*take)(
	void *context, unsigned peer, const uint8_t *bytes, size_t size),
    void *context)
{
	unsigned taken = 0, count;

	do {
		count = udp_batch(udp, take, context);
		taken += count;
	} while (count == BATCH && taken < UDP_DRAIN_MAX);
}

/* It did not leave: as good as lost on the way. */
static void
udp_failed(struct udp *udp, size_t size)
{
	if (errno != EMSGSIZE || udp->warned_size)
		return;
	udp->warned_size = true;
	log_warn("a datagram of %zu bytes does not fit the path", size);
}

void
udp_flush(struct udp *udp)
{
	unsigned done = 0;

	while (done < udp->waiting) {
		int sent = sendmmsg(udp->fd, udp->headers + done,
		    udp->waiting - done, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent <= 0) { /* this one */
			udp_failed(udp, udp->vectors[done].iov_len);
			sent = 1;
		}
		done += (unsigned)sent;
	}
	udp->waiting = 0;
}

void
udp_send(struct udp *udp, unsigned peer, const uint8_t *bytes, size_t size)
{
	struct iovec *v = &udp->vectors[udp->waiting];
	struct address *to = &udp->peers[peer];

	assert(peer < udp->peers_count);
	assert(size <= PACKET_MAX);
	memcpy(udp->sent[udp->waiting], bytes, size);
	*v = (struct iovec){ udp->sent[udp->waiting], size };
	udp->headers[udp->waiting].msg_hdr = (struct msghdr){
		.msg_name = &to->socket,
		.msg_namelen = to->size,
		.msg_iov = v,
		.msg_iovlen = 1,
	};
	if (++udp->waiting == BATCH)
		udp_flush(udp);
}

void
udp_reply(struct udp *udp, const uint8_t *bytes, size_t size)
{
	const struct sockaddr *to = (struct sockaddr *)&udp->sender.socket;

	if (udp->has_sender &&
	    sendto(udp->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT, to,
		udp->sender.size) < 0)
		udp_failed(udp, size);
}
