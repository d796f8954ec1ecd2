/* SPDX-License-Identifier: ISC */
#include "common/config/config_value.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define DIGITS  "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

#define HOST_MAX    253 /* bytes of a host name in the DNS (RFC 1035) */
#define PORT_DIGITS 5

const char *const family_words[] = { "a host name", "IPv4", "IPv6", NULL };

/* Largest first: duration_text() takes the first that divides a duration. */
static const struct {
	const char *name;
	nsec_t size;
} units[] = {
	{ "d", 86400 * SEC },
	{ "h", 3600 * SEC },
	{ "min", 60 * SEC },
	{ "m", 60 * SEC },
	{ "s", SEC },
	{ "ms", MSEC },
	{ "us", USEC },
};

#define UNITS_COUNT (sizeof(units) / sizeof(units[0]))

bool
duration_read(const char *text, nsec_t *duration)
{
	size_t digits = strspn(text, DIGITS);
	const char *unit = text + digits;
	nsec_t number;

	if (digits == 0 || digits > 15)
		return false;
	number = 0;
	for (size_t i = 0; i < digits; i++)
		number = number * 10 + (nsec_t)(text[i] - '0');
	for (size_t i = 0; i < UNITS_COUNT; i++) {
		if (strcmp(units[i].name, unit) != 0)
			continue;
		if (number > NSEC_NEVER / 2 / units[i].size)
			return false;
		*duration = number * units[i].size;
		return true;
	}
	return false;
}

const char *
duration_text(nsec_t duration, char buffer[DURATION_MAX_BYTES])
{
	size_t i = 0;

	if (duration == 0)
		return memcpy(buffer, "0s", sizeof("0s"));
	while (i < UNITS_COUNT - 1 && duration % units[i].size != 0)
		i++;
	snprintf(buffer, DURATION_MAX_BYTES, "%llu%s",
	    (unsigned long long)(duration / units[i].size), units[i].name);
	return buffer;
}

const char *
name_fault(const char *text)
{
	size_t size = strspn(text, LETTERS DIGITS "._-");

	if (*text == '\0')
		return "is empty; give a name";
	if (text[size] != '\0')
		return "is not a valid name; use letters, digits, \".\", \"_\" and \"-\"";
	if (strchr("._-", *text) != NULL)
		return "is not a valid name; begin it with a letter or digit";
	if (size >= NAME_MAX_BYTES)
		return "is too long; a name has at most 63 characters";
	return NULL;
}

static const char *
port_fault(const char *port)
{
	size_t size = strlen(port);

	unsigned number = 0;

	for (size_t i = 0; i < size && i < PORT_DIGITS; i++)
		number = number * 10 + (unsigned)(port[i] - '0');
	if (size == 0 || size > PORT_DIGITS || strspn(port, DIGITS) != size ||
	    *port == '0' || number > UINT16_MAX)
		return "has no valid port; a port is 1 to 65535, as in \"192.0.2.11:7420\"";
	return NULL;
}

/* Checks the parts of "[IPv6%zone]:port"; `host` is without brackets. */
static const char *
v6_fault(const char *host, const char *port, char *canonical)
{
	char plain[INET6_ADDRSTRLEN + 1];
	size_t size = strcspn(host, "%");
	const char *zone = host + size;
	struct in6_addr address;

	if (size < sizeof(plain)) {
		memcpy(plain, host, size);
		plain[size] = '\0';
	}
	if (size >= sizeof(plain) ||
	    inet_pton(AF_INET6, plain, &address) != 1 ||
	    (*zone != '\0' && name_fault(zone + 1) != NULL))
		return "is not an IPv6 address; write it as in \"[2001:db8::13]:7420\"";
	if (IN6_IS_ADDR_MULTICAST(&address))
		return "is a multicast address; give the address of one host";
	inet_ntop(AF_INET6, &address, plain, sizeof(plain));
	snprintf(canonical, ADDRESS_MAX_BYTES, "[%s%s]:%s", plain, zone, port);
	return NULL;
}

static const char *
v4_fault(const char *host)
{
	struct in_addr address;
	uint32_t number;

	if (inet_pton(AF_INET, host, &address) != 1)
		return "is not an IPv4 address; write it as in \"192.0.2.11:7420\"";
	number = ntohl(address.s_addr);
	if (number >> 28 == 14 || number == INADDR_BROADCAST)
		return "is a multicast or broadcast address; give the address of one host";
	return NULL;
}

static const char *
host_fault(const char *host, const char *port, char *canonical)
{
	const char *fault = NULL;
	size_t size = strspn(host, LETTERS DIGITS ".-_");

	if (*host == '\0')
		return "has no host; write it as in \"192.0.2.11:7420\"";
	if (strchr(host, ':') != NULL)
		return "is not an address; put an IPv6 address in brackets, as in \"[2001:db8::13]:7420\"";
	if (host[size] != '\0' || strchr(".-", *host) != NULL)
		return "is not an address; a host is a name, an IPv4 address, or an IPv6 address in brackets";
	if (strspn(host, DIGITS ".") == size)
		fault = v4_fault(host);
	if (fault != NULL)
		return fault;
	for (size_t i = 0; i < size; i++)
		canonical[i] = (char)(host[i] >= 'A' && host[i] <= 'Z'
					  ? host[i] - 'A' + 'a'
					  : host[i]);
	snprintf(canonical + size, ADDRESS_MAX_BYTES - size, ":%s", port);
	return NULL;
}

const char *
address_fault(const char *text, char canonical[ADDRESS_MAX_BYTES])
{
	const char *colon = strrchr(text, ':');
	char host[HOST_MAX + 3];
	size_t size;

	if (colon == NULL || (*text == '[' && colon[-1] != ']'))
		return "has no port; write it as in \"192.0.2.11:7420\" or \"[2001:db8::13]:7420\"";
	size = (size_t)(colon - text);
	if (size >= sizeof(host) - (*text == '[' ? 0 : 2))
		return "is too long; a host name has at most 253 characters";
	memcpy(host, text, size);
	host[size] = '\0';
	if (port_fault(colon + 1) != NULL)
		return port_fault(colon + 1);
	if (*host != '[')
		return host_fault(host, colon + 1, canonical);
	host[size - 1] = '\0';
	return v6_fault(host + 1, colon + 1, canonical);
}

bool
address_is_wildcard(const char *canonical)
{
	return strncmp(canonical, "0.0.0.0:", 8) == 0 ||
	       strncmp(canonical, "[::]:", 5) == 0;
}

enum family
address_family(const char *canonical)
{
	size_t host = (size_t)(strrchr(canonical, ':') - canonical);

	if (*canonical == '[')
		return FAMILY_IPV6;
	return strspn(canonical, DIGITS ".") == host ? FAMILY_IPV4 : FAMILY_ANY;
}
