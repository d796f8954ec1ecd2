/* SPDX-License-Identifier: ISC */
/* Addresses of nodes: a host and a port. */
#ifndef ELECTD_DAEMON_NET_ADDRESS_H
#define ELECTD_DAEMON_NET_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

struct ifaddrs;

struct address {
	struct sockaddr_storage socket;
	socklen_t size; /* bytes of `socket` in use; 0: no address */
};

/* Reads "host:port" or "[host]:port", which settings has checked. Returns false
 * if the host is a name. Never waits. */
bool address_read(const char *text, struct address *address);

/*
 * Like address_read(), but also resolves names, which may take long. `family`
 * is AF_INET, AF_INET6 or AF_UNSPEC. If the host has several addresses and
 * *address is one of them already, it stays; otherwise it may be of size 0.
 * Returns 0, or an error for gai_strerror(3).
 */
int address_lookup(const char *text, int family, struct address *address);

/* This host's addresses except loopback: "192.0.2.1 192.0.2.2". Returns `text`
 * or a constant. */
#define ADDRESS_LIST_MAX 256 /* bytes; longer lists end in "..." */
const char *address_list(
    const struct ifaddrs *list, char text[ADDRESS_LIST_MAX]);

/* True if both are the same IP address, whatever their ports. */
bool address_same_host(const struct sockaddr *a, const struct sockaddr *b);

/* Orders addresses: below 0, 0 or above. The order has no meaning, but 0 means
 * the same port of the same host. */
int address_order(const struct address *a, const struct address *b);

/* "192.0.2.1:7420" or "[2001:db8::1]:7420". Returns `text` or a constant. */
#define ADDRESS_TEXT_MAX 80 /* with an IPv6 scope, and the end */
const char *address_text(
    const struct address *address, char text[ADDRESS_TEXT_MAX]);

/* True if a network interface of the list has this host address. */
bool address_is_local(
    const struct address *address, const struct ifaddrs *list);

#endif
