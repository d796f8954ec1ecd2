/* SPDX-License-Identifier: ISC */
#include "daemon/net/peer_addresses.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/net/lookup.h"
#include "daemon/system/log.h"

struct peer_address {
	const struct node_settings *node;
	struct address address; /* of size 0: not resolved */
	bool is_linked;         /* the link is up */
};

struct peer_addresses {
	node_id self;                /* this node */
	int family;                  /* of all addresses */
	unsigned count;              /* of `peers` */
	unsigned known;              /* of `order`: peers with an address */
	struct peer_address **order; /* these peers, sorted by address */
	struct lookup *lookup;       /* resolves the names */
	struct peer_address peers[];
};

/* Compares by address, for qsort(3) and bsearch(3). */
static int
peer_address_compare(const void *a, const void *b)
{
	const struct peer_address *one = *(struct peer_address *const *)a;
	const struct peer_address *other = *(struct peer_address *const *)b;

	return address_order(&one->address, &other->address);
}

static void
peer_addresses_sort(struct peer_addresses *p)
{
	p->known = 0;
	for (unsigned i = 0; i < p->count; i++)
		if (p->peers[i].address.size != 0)
			p->order[p->known++] = &p->peers[i];
	qsort(p->order, p->known, sizeof(struct peer_address *),
	    peer_address_compare);
}

/* True if the configured address is a name, or of our family. Else logs it. */
static bool
family_fits(const struct peer_addresses *p, const struct node_settings *n)
{
	struct address address;

	if (!address_read(n->address, &address) ||
	    address.socket.ss_family == p->family)
		return true;
	log_errorx(
	    "%s: %s is not an %s address as this node's is; use IPv4 for all nodes or IPv6 for all",
	    n->name, n->address, p->family == AF_INET ? "IPv4" : "IPv6");
	return false;
}

/* Adds a peer. An IP address is known at once, a name is looked up. */
static bool
peer_addresses_add(struct peer_addresses *p, const struct node_settings *n)
{
	unsigned i = p->count++;
	struct address *address = &p->peers[i].address;

	p->peers[i].node = n;
	if (!address_read(n->address, address))
		return lookup_set(p->lookup, i, n->address);
	return family_fits(p, n);
}

/* Makes the table, without what names resolve to. */
static struct peer_addresses *
peer_addresses_make(const struct settings *s, node_id self, int family)
{
	size_t count = s->nodes_count;
	struct peer_addresses *p =
	    calloc(1, sizeof(*p) + count * sizeof(struct peer_address));
	bool ok;

	if (p == NULL)
		return NULL;
	p->self = self;
	p->family = family;
	p->order = calloc(count, sizeof(struct peer_address *));
	p->lookup = lookup_new((unsigned)count, family, LOOKUP_PAUSE);
	ok = p->order != NULL && p->lookup != NULL;
	for (size_t i = 0; ok && i < count; i++)
		if (s->nodes[i].id != self)
			ok = peer_addresses_add(p, &s->nodes[i]);
	if (ok)
		return p;
	peer_addresses_free(p);
	return NULL;
}

/* Begins to resolve names. NULL, and the table is freed, if that fails. */
static struct peer_addresses *
peer_addresses_begin(struct peer_addresses *p)
{
	peer_addresses_sort(p);
	if (lookup_start(p->lookup) == 0)
		return p;
	peer_addresses_free(p);
	return NULL;
}

struct peer_addresses *
peer_addresses_new(const struct settings *s, node_id self, int family)
{
	struct peer_addresses *p = peer_addresses_make(s, self, family);

	return p == NULL ? NULL : peer_addresses_begin(p);
}

/* Takes what was known of peer `i` before. */
static void
peer_address_keep(
    struct peer_addresses *p, unsigned i, const struct peer_addresses *before)
{
	struct peer_address *peer = &p->peers[i];
	unsigned j = peer_addresses_number(before, peer->node->id);
	const struct peer_address *was;
	struct address number;

	if (j == PEER_NONE)
		return;
	was = &before->peers[j];
	peer->is_linked = was->is_linked;
	if (address_read(peer->node->address, &number))
		return;
	peer->address = was->address;
	lookup_keep(p->lookup, i, was->is_linked,
	    strcmp(peer->node->address, was->node->address) != 0,
	    &was->address);
}

/* Takes the address of this peer, if it is a number, from each peer with a name
 * that resolved to it. */
static void
peer_address_claim(struct peer_addresses *p, unsigned j)
{
	struct address number;

	if (!address_read(p->peers[j].node->address, &number))
		return;
	for (unsigned i = 0; i < p->count; i++) {
		struct peer_address *peer = &p->peers[i];
		struct address own;

		if (i != j && address_order(&peer->address, &number) == 0 &&
		    !address_read(peer->node->address, &own))
			peer->address.size = 0;
	}
}

struct peer_addresses *
peer_addresses_change(
    const struct peer_addresses *before, const struct settings *s)
{
	struct peer_addresses *p =
	    peer_addresses_make(s, before->self, before->family);

	if (p == NULL)
		return NULL;
	for (unsigned i = 0; i < p->count; i++)
		peer_address_keep(p, i, before);
	for (unsigned i = 0; i < p->count; i++)
		peer_address_claim(p, i);
	return peer_addresses_begin(p);
}

void
peer_addresses_free(struct peer_addresses *p)
{
	if (p == NULL)
		return;
	lookup_free(p->lookup);
	free(p->order);
	free(p);
}

/* Warns if the peer has no address yet. */
static void
peer_address_fail(const struct peer_address *peer, int error)
{
	const struct node_settings *n = peer->node;

	if (peer->address.size == 0)
		log_warnx(
		    "%s: cannot resolve %s: %s; trying again, until then %s counts as down",
		    n->name, n->address, gai_strerror(error), n->name);
	else
		log_info("%s: cannot resolve %s: %s; keeping its last address",
		    n->name, n->address, gai_strerror(error));
}

static void
peer_address_move(struct peer_address *peer, const struct address *address)
{
	const struct node_settings *n = peer->node;
	char to[ADDRESS_TEXT_MAX], from[ADDRESS_TEXT_MAX];

	address_text(address, to);
	if (peer->address.size == 0)
		log_notice("%s: %s resolves to %s", n->name, n->address, to);
	else
		log_notice("%s: %s has moved from %s to %s", n->name,
		    n->address, address_text(&peer->address, from), to);
	peer->address = *address;
}

/*
 * Makes sure that no other peer has this address. If another one is configured
 * with it, or its link proves it, the name is wrong, and this returns false.
 * Otherwise the other peer has moved: it loses the address, and its name is
 * being resolved again anyway.
 */
static bool
peer_addresses_clear(struct peer_addresses *p, const struct peer_address *peer,
    const struct address *address)
{
	unsigned i = peer_addresses_find(p, address);
	char text[ADDRESS_TEXT_MAX];

	if (i == PEER_NONE || &p->peers[i] == peer)
		return true;
	if (lookup_is_settled(p->lookup, i)) {
		log_warnx(
		    "%s: %s resolves to %s, which is the address of %s; ignoring it; check DNS and /etc/hosts",
		    peer->node->name, peer->node->address,
		    address_text(address, text), p->peers[i].node->name);
		return false;
	}
	p->peers[i].address.size = 0;
	peer_addresses_sort(p);
	return true;
}

void
peer_addresses_update(struct peer_addresses *p)
{
	struct lookup_result found;

	while (lookup_take(p->lookup, &found)) {
		struct peer_address *peer = &p->peers[found.i];

		if (found.error != 0) {
			peer_address_fail(peer, found.error);
			continue;
		}
		if (!peer_addresses_clear(p, peer, &found.address))
			continue;
		/* A lookup that failed in between may find the same again. */
		if (peer->address.size != 0 &&
		    address_order(&peer->address, &found.address) == 0)
			continue;
		peer_address_move(peer, &found.address);
		peer_addresses_sort(p);
	}
}

const struct address *
peer_addresses_get(const struct peer_addresses *p, unsigned peer)
{
	assert(peer < p->count);
	return p->peers[peer].address.size != 0 ? &p->peers[peer].address
						: NULL;
}

unsigned
peer_addresses_find(
    const struct peer_addresses *p, const struct address *address)
{
	struct peer_address wanted = { .address = *address }, *key = &wanted;
	struct peer_address **found = bsearch(&key, p->order, p->known,
	    sizeof(struct peer_address *), peer_address_compare);

	return found == NULL ? PEER_NONE : (unsigned)(*found - p->peers);
}

unsigned
peer_addresses_number(const struct peer_addresses *p, node_id id)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->peers[i].node->id == id)
			return i;
	return PEER_NONE;
}

bool
peer_addresses_has(const struct peer_addresses *p, node_id id)
{
	unsigned i = peer_addresses_number(p, id);

	return i == PEER_NONE || p->peers[i].address.size != 0;
}

void
peer_addresses_set_linked(struct peer_addresses *p, node_id id, bool is_linked)
{
	unsigned i = peer_addresses_number(p, id);

	if (i == PEER_NONE)
		return;
	p->peers[i].is_linked = is_linked;
	lookup_set_linked(p->lookup, i, is_linked);
}
