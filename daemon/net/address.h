/* SPDX-License-Identifier: ISC */
/* Addresses of nodes: a host and a port. */
#ifndef ELECTD_DAEMON_NET_ADDRESS_H
#define ELECTD_DAEMON_NET_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

struct ifaddrs;

struct address {
	struct sockaddr_storage socket;
	socklen_t size;
};

/* Of "host:port" or "[host]:port", checked by settings; false if the host is no
 * number but a name. */
bool address_read(const char *text, struct address *address);

/*
 * The same of a name too, of this family or AF_UNSPEC: it may take long. Gives
 * 0 or an error for gai_strerror(3). Where the host has several addresses, what
 * *address is already stays, if it is one of them; else it may be zero.
 */
int address_lookup(const char *text, int family, struct address *address);

/* "192.0.2.1 192.0.2.2": the addresses of this host, but for loopback. */
#define ADDRESS_LIST_MAX 256
const char *address_list(
    const struct ifaddrs *list, char text[ADDRESS_LIST_MAX]);

/* The same host, whatever the port? */
bool address_same_host(const struct sockaddr *a, const struct sockaddr *b);

/* Below 0, 0 or above. Any order will do, if those that are equal are the same
 * port of one host. */
int address_order(const struct address *a, const struct address *b);

/* "192.0.2.1:7420" or "[2001:db8::1]:7420" in `text`; gives that. */
#define ADDRESS_TEXT_MAX 80 /* with a scope; and its end */
const char *address_text(
    const struct address *address, char text[ADDRESS_TEXT_MAX]);

/* True if it is one of the list's. */
bool address_is_local(
    const struct address *address, const struct ifaddrs *list);

#endif
