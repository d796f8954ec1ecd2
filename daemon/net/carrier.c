/* SPDX-License-Identifier: ISC */
#include "daemon/net/carrier.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "daemon/net/route.h"
#include "daemon/system/log.h"

#define LOOK_GAP   (10 * SEC) /* between two looks for the ways to the peers */
#define LOOK_AFTER (1 * SEC)  /* from news of interfaces to the next look */

void
carrier_init(struct carrier *c, bool is_watched)
{
	*c = (struct carrier){ .is_watched = is_watched };
}

/* An interface may have been made anew, with another number, or have got
 * another name. IFF_RUNNING is set too if the kernel does not know. */
static bool
has_carrier(struct carrier_interface *i, int fd)
{
	struct ifreq request = { .ifr_flags = 0 };
	unsigned flags;

	if (if_indextoname(i->index, i->name) == NULL)
		i->index = if_nametoindex(i->name);
	memcpy(request.ifr_name, i->name, sizeof(i->name));
	if (ioctl(fd, SIOCGIFFLAGS, &request) != 0)
		return false;
	flags = (unsigned short)request.ifr_flags;
	return (flags & IFF_LOOPBACK) != 0 ||
	       ((flags & IFF_UP) != 0 && (flags & IFF_RUNNING) != 0);
}

static void
write_names(struct carrier *c)
{
	size_t used = 0;

	for (unsigned i = 0; i < c->count; i++)
		used +=
		    (size_t)snprintf(c->names + used, sizeof(c->names) - used,
			"%s%s", i > 0 ? " " : "", c->interfaces[i].name);
}

static void
judge(struct carrier *c, int fd, nsec_t now)
{
	bool lacks = c->count > 0;

	for (unsigned i = 0; i < c->count; i++)
		lacks &= !has_carrier(&c->interfaces[i], fd);
	if (lacks == c->lacks)
		return;
	c->lacks = lacks;
	c->since = now;
	c->hears = false;
	write_names(c);
	if (lacks)
		log_warnx("no carrier on %s: this node cannot lead", c->names);
	else
		log_notice("an interface to the peers has a carrier again");
}

void
carrier_check(struct carrier *c, int fd, nsec_t now)
{
	if (!c->is_watched)
		return;
	judge(c, fd, now);
	c->look_at = nsec_earlier(c->look_at, nsec_after(now, LOOK_AFTER));
}

void
carrier_hear(struct carrier *c, nsec_t arrived)
{
	c->hears |= c->lacks && arrived > c->since;
}

void
carrier_change(struct carrier *c)
{
	c->look_at = 0;
}

static void
add(struct carrier_interface *interfaces, unsigned *count, unsigned index)
{
	unsigned i = 0;

	while (i < *count && interfaces[i].index != index)
		i++;
	if (i == CARRIER_INTERFACES || i < *count ||
	    if_indextoname(index, interfaces[i].name) == NULL)
		return;
	interfaces[i].index = index;
	*count = i + 1;
}

/* A cable that was pulled may take the routes with it, and what is left of them
 * leads to nobody. So the ways stay as they were until a datagram comes from a
 * peer. */
void
carrier_tend(struct carrier *c, int fd, nsec_t now, const struct address *own,
    carrier_peer *peer, void *context)
{
	struct carrier_interface found[CARRIER_INTERFACES];
	const struct address *to;
	unsigned count = 0;
	int routes;

	if (!c->is_watched || now < c->look_at)
		return;
	c->look_at = nsec_after(now, LOOK_GAP);
	if (c->lacks && !c->hears)
		return;
	routes = route_open();
	for (unsigned i = 0; routes >= 0 && peer(context, i, &to); i++) {
		if (to != NULL)
			add(found, &count, route_interface(routes, to, own));
	}
	if (routes >= 0)
		close(routes);
	if (count > 0) {
		memcpy(c->interfaces, found, count * sizeof(found[0]));
		c->count = count;
	}
	judge(c, fd, now);
}

const char *
carrier_lacking(const struct carrier *c)
{
	return c->lacks ? c->names : NULL;
}
