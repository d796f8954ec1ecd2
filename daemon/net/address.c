/* SPDX-License-Identifier: ISC */
#include "daemon/net/address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "daemon/config/settings.h"

/* Splits "host:port" or "[host]:port" in two. */
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

static int
address_find(const char *text, int family, int flags, struct addrinfo **found)
{
	struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_NUMERICSERV | flags,
	};
	char host[ADDRESS_MAX_BYTES];
	const char *port;

	address_split(text, host, &port);
	return getaddrinfo(host, port, &hints, found);
}

static struct address
address_of(const struct addrinfo *found)
{
	struct address address = { .size = found->ai_addrlen };

	memcpy(&address.socket, found->ai_addr, found->ai_addrlen);
	return address;
}

bool
address_read(const char *text, struct address *address)
{
	struct addrinfo *found;

	if (address_find(text, AF_UNSPEC, AI_NUMERICHOST, &found) != 0)
		return false;
	*address = address_of(found);
	freeaddrinfo(found);
	return true;
}

int
address_lookup(const char *text, int family, struct address *address)
{
	struct addrinfo *found;
	bool is_known = false;
	int error = address_find(text, family, 0, &found);

	if (error != 0)
		return error;
	for (struct addrinfo *a = found; a != NULL; a = a->ai_next) {
		struct address other = address_of(a);

		is_known |=
		    address->size != 0 && address_order(&other, address) == 0;
	}
	if (!is_known)
		*address = address_of(found);
	freeaddrinfo(found);
	return 0;
}

/* Appends the host to the list. Returns false if there is no space. */
static bool
list_add(char text[ADDRESS_LIST_MAX], const struct sockaddr *a)
{
	char host[ADDRESS_TEXT_MAX];
	size_t size = strlen(text);
	socklen_t a_size = a->sa_family == AF_INET
			       ? sizeof(struct sockaddr_in)
			       : sizeof(struct sockaddr_in6);

	if (getnameinfo(
		a, a_size, host, sizeof(host), NULL, 0, NI_NUMERICHOST) != 0)
		return true;
	if (size + strlen(host) + sizeof(" ...") > ADDRESS_LIST_MAX)
		return false;
	snprintf(text + size, ADDRESS_LIST_MAX - size, "%s%s",
	    size > 0 ? " " : "", host);
	return true;
}

const char *
address_list(const struct ifaddrs *list, char text[ADDRESS_LIST_MAX])
{
	text[0] = '\0';
	for (; list != NULL; list = list->ifa_next) {
		const struct sockaddr *a = list->ifa_addr;

		if (a == NULL || (list->ifa_flags & IFF_LOOPBACK) != 0 ||
		    (a->sa_family != AF_INET && a->sa_family != AF_INET6))
			continue;
		if (!list_add(text, a))
			return strcat(text, " ...");
	}
	return text[0] != '\0' ? text : "none but loopback";
}

bool
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

const char *
address_text(const struct address *address, char text[ADDRESS_TEXT_MAX])
{
	bool is_6 = address->socket.ss_family == AF_INET6;
	char host[ADDRESS_TEXT_MAX - sizeof("[]:65535")], port[sizeof("65535")];

	if (getnameinfo((const struct sockaddr *)&address->socket,
		address->size, host, sizeof(host), port, sizeof(port),
		NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return "an unknown address";
	snprintf(text, ADDRESS_TEXT_MAX, "%s%s%s:%s", is_6 ? "[" : "", host,
	    is_6 ? "]" : "", port);
	return text;
}

static in_port_t
address_port(const struct address *a)
{
	const void *socket = &a->socket;

	if (a->socket.ss_family == AF_INET)
		return ((const struct sockaddr_in *)socket)->sin_port;
	return ((const struct sockaddr_in6 *)socket)->sin6_port;
}

int
address_order(const struct address *a, const struct address *b)
{
	const void *one = &a->socket, *other = &b->socket;
	int first = address_port(a), second = address_port(b);

	if (a->socket.ss_family != b->socket.ss_family)
		return a->socket.ss_family - b->socket.ss_family;
	if (first != second)
		return first - second;
	if (a->socket.ss_family == AF_INET)
		return memcmp(&((const struct sockaddr_in *)one)->sin_addr,
		    &((const struct sockaddr_in *)other)->sin_addr,
		    sizeof(struct in_addr));
	return memcmp(&((const struct sockaddr_in6 *)one)->sin6_addr,
	    &((const struct sockaddr_in6 *)other)->sin6_addr,
	    sizeof(struct in6_addr));
}

bool
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
