/* SPDX-License-Identifier: ISC */
/* Whether the cluster takes nodes that no file names, and how it meets them. */
#include "daemon/config/settings_private.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_value.h"

/* Reads "host:port" or "[host]:port". Returns false if it does not fit. */
static bool
group_split(const char *text, char host[ADDRESS_MAX_BYTES], long *port)
{
	const char *colon = strrchr(text, ':');
	size_t size;
	char *end;

	if (colon == NULL || colon[1] < '0' || colon[1] > '9')
		return false;
	*port = strtol(colon + 1, &end, 10);
	size = (size_t)(colon - text);
	if (*end != '\0' || size == 0 || size >= ADDRESS_MAX_BYTES)
		return false;
	if (text[0] == '[' && text[size - 1] == ']' && size > 2) {
		text++;
		size -= 2;
	}
	memcpy(host, text, size);
	host[size] = '\0';
	return true;
}

/* True if this is the address of a multicast group, with a port. */
static bool
is_group(const char *text)
{
	char host[ADDRESS_MAX_BYTES];
	struct in6_addr ipv6;
	struct in_addr ipv4;
	long port;

	if (!group_split(text, host, &port) || port < 1 || port > 65535)
		return false;
	if (inet_pton(AF_INET, host, &ipv4) == 1)
		return text[0] != '[' && IN_MULTICAST(ntohl(ipv4.s_addr));
	return text[0] == '[' && inet_pton(AF_INET6, host, &ipv6) == 1 &&
	       IN6_IS_ADDR_MULTICAST(&ipv6);
}

static void
build_multicast(struct settings *s, const struct draft *draft,
    struct settings_errors *errors)
{
	const struct draft_multicast *from = &draft->multicast;
	struct settings_discovery *d = &s->discovery;
	char value[QUOTED_MAX];

	d->ttl = (unsigned)from->ttl.number;
	if (from->interface.valid) {
		if (strlen(from->interface.text) >= sizeof(d->interface))
			settings_errors_add(errors, from->interface.line,
			    "multicast.interface",
			    "%s is too long for an interface; give a name as in \"eth0\"",
			    quoted(from->interface.text, value));
		else
			snprintf(d->interface, sizeof(d->interface), "%s",
			    from->interface.text);
	}
	if (!from->group.valid)
		return;
	if (is_group(from->group.text))
		snprintf(d->group, sizeof(d->group), "%s", from->group.text);
	else
		settings_errors_add(errors, from->group.line, "multicast.group",
		    "%s is no multicast group with a port; write it as in \"239.192.74.20:7421\"",
		    quoted(from->group.text, value));
}

static void
build_join(struct settings *s, const struct draft *draft)
{
	const struct draft_texts *from = &draft->join;
	struct settings_discovery *d = &s->discovery;

	for (size_t i = 0; i < from->count; i++) {
		if (from->list[i].valid)
			snprintf(d->join[d->join_count++], ADDRESS_MAX_BYTES,
			    "%s", from->list[i].text);
	}
}

static void
build_self(struct settings *s, const struct draft *draft)
{
	const struct draft_node *from = &draft->self;
	struct settings_discovery *d = &s->discovery;

	if (from->name.valid)
		snprintf(d->name, sizeof(d->name), "%s", from->name.text);
	d->priority = (int32_t)from->priority.number;
	d->role = (enum role)from->role.number;
	if (s->shared.discovers)
		d->role = config_discovered_role(&s->shared, d->role);
}

/* Refuses what discovery cannot do. */
static void
check_discovery(const struct settings *s, const struct draft *draft,
    struct settings_errors *errors)
{
	int line = draft->discovery.line;

	if (draft->self.role.valid && draft->self.role.line > 0 &&
	    draft->self.role.number != (int64_t)s->discovery.role)
		settings_errors_add(errors, draft->self.role.line, "self.role",
		    "must be \"observer\" under guarantee \"quorum\"; a voter must be among the nodes");
	if (draft->neighbours.line > 0)
		settings_errors_add(errors, line, "discovery",
		    "cannot be given together with \"neighbours\" (line %d); keep one of the two",
		    draft->neighbours.line);
	if (draft->multicast.group.line == 0 && draft->join.count == 0)
		settings_errors_add(errors, line, "discovery",
		    "needs multicast.group or join, to find the other nodes");
}

void
settings_build_discovery(struct settings *settings, const struct draft *draft,
    struct settings_errors *errors)
{
	build_multicast(settings, draft, errors);
	build_join(settings, draft);
	build_self(settings, draft);
	if (settings->shared.discovers)
		check_discovery(settings, draft, errors);
}
