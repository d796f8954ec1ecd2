/* SPDX-License-Identifier: ISC */
#include "daemon/net/peer_addresses.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/net/lookup.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

/* The log has at most this many lines about the address of a peer in this time.
 * A broken member may move with each HELLO. */
#define LINES_MAX    5
#define LINES_WINDOW (60 * SEC)

struct peer_address {
	const struct config_node *node;
	struct address address; /* address by the settings; of size 0: not
				 * resolved */
	bool is_number;         /* the settings have no name there */
	struct address found;   /* the address that it sends from, if that is
				 * another; else of size 0 */
	bool is_linked;         /* the link is up */
	unsigned lines;         /* logged of `found`, */
	nsec_t lines_until;     /* when the lines begin to count anew */
};

struct known_address {
	struct address address;
	unsigned peer;
	bool is_found; /* a session has proved it */
};

struct peer_addresses {
	node_id self;                /* this node */
	int family;                  /* family of all addresses */
	unsigned count;              /* number of `peers` */
	unsigned known_count;        /* number of `known` */
	struct known_address *known; /* sorted; each address is once there */
	struct lookup *lookup;       /* resolves the names */
	struct peer_address peers[];
};

/* Compares by address, for bsearch(3). */
static int
known_compare(const void *a, const void *b)
{
	const struct known_address *one = a, *other = b;

	return address_order(&one->address, &other->address);
}

/* The same, for qsort(3), what a session has proved first. */
static int
known_order(const void *a, const void *b)
{
	const struct known_address *one = a, *other = b;
	int order = known_compare(a, b);

	return order != 0 ? order : (int)other->is_found - (int)one->is_found;
}

static void
known_add(struct peer_addresses *p, unsigned peer,
    const struct address *address, bool is_found)
{
	if (address->size != 0)
		p->known[p->known_count++] =
		    (struct known_address){ *address, peer, is_found };
}

/* Where the peer is, by all that we know. Of size 0: its name is not
 * resolved. */
static const struct address *
peer_address_present(const struct peer_address *peer)
{
	return peer->found.size != 0 ? &peer->found : &peer->address;
}

/* Gives each address to one peer: to the one that sends from there, before the
 * one that the settings name for it. */
static void
peer_addresses_sort(struct peer_addresses *p)
{
	unsigned count = 0;

	p->known_count = 0;
	for (unsigned i = 0; i < p->count; i++) {
		const struct peer_address *peer = &p->peers[i];

		known_add(
		    p, i, peer_address_present(peer), peer->found.size != 0);
	}
	qsort(p->known, p->known_count, sizeof(*p->known), known_order);
	for (unsigned i = 0; i < p->known_count; i++)
		if (i == 0 ||
		    known_compare(&p->known[i], &p->known[count - 1]) != 0)
			p->known[count++] = p->known[i];
	p->known_count = count;
}

/* Logs that the configured address is not of our family. Returns false. */
static bool
refuse_family(const struct peer_addresses *p, const struct config_node *n)
{
	log_errorx(
	    "%s: %s is not an %s address as this node's is; use IPv4 for all nodes or IPv6 for all",
	    n->name, n->address, p->family == AF_INET ? "IPv4" : "IPv6");
	return false;
}

/* Adds a peer. An IP address is known at once, a name is looked up. */
static bool
peer_addresses_add(struct peer_addresses *p, const struct config_node *n)
{
	unsigned i = p->count++;
	struct peer_address *peer = &p->peers[i];

	peer->node = n;
	peer->is_number = address_read(n->address, &peer->address);
	if (!peer->is_number)
		return lookup_set(p->lookup, i, n->address);
	return peer->address.socket.ss_family == p->family ||
	       refuse_family(p, n);
}

/* Makes the table, without what names resolve to. */
static struct peer_addresses *
peer_addresses_make(const struct settings *s, node_id self, int family)
{
	size_t count = s->shared.nodes_count;
	struct peer_addresses *p =
	    calloc(1, sizeof(*p) + count * sizeof(struct peer_address));
	bool ok;

	if (p == NULL)
		return NULL;
	p->self = self;
	p->family = family;
	p->known = calloc(count, sizeof(*p->known));
	p->lookup = lookup_new((unsigned)count, family, LOOKUP_PAUSE);
	ok = p->known != NULL && p->lookup != NULL;
	for (size_t i = 0; ok && i < count; i++)
		if (s->shared.nodes[i].id != self)
			ok = peer_addresses_add(p, &s->shared.nodes[i]);
	if (ok)
		return p;
	peer_addresses_free(p);
	return NULL;
}

static bool
address_equals(const struct address *a, const struct address *b)
{
	return a->size != 0 && b->size != 0 && address_order(a, b) == 0;
}

/* Makes one address of two that are equal: the one that the peer sends from,
 * and the one that its name resolves to. */
static void
peer_address_settle(struct peer_address *peer)
{
	if (address_equals(&peer->found, &peer->address))
		peer->found.size = 0;
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

	if (j == PEER_NONE)
		return;
	was = &before->peers[j];
	peer->is_linked = was->is_linked;
	peer->found = was->found;
	peer->lines = was->lines;
	peer->lines_until = was->lines_until;
	if (peer->is_number) {
		/* The peer may move there later, or have moved before. */
		if (was->is_linked)
			peer->found = *peer_address_present(was);
		peer_address_settle(peer);
		return;
	}
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
	const struct peer_address *number = &p->peers[j];

	if (!number->is_number)
		return;
	for (unsigned i = 0; i < p->count; i++) {
		struct peer_address *peer = &p->peers[i];

		if (!peer->is_number &&
		    address_order(&peer->address, &number->address) == 0)
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
	free(p->known);
	free(p);
}

/* Warns if the peer has no address yet. */
static void
peer_address_fail(const struct peer_address *peer, int error)
{
	const struct config_node *n = peer->node;

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
	const struct config_node *n = peer->node;
	char to[ADDRESS_TEXT_MAX], from[ADDRESS_TEXT_MAX];

	address_text(address, to);
	if (peer->address.size == 0)
		log_notice("%s: %s resolves to %s", n->name, n->address, to);
	else
		log_notice("%s: %s has moved from %s to %s", n->name,
		    n->address, address_text(&peer->address, from), to);
	peer->address = *address;
	peer_address_settle(peer);
}

/* Takes this address from a peer, which may be gone or have moved. False if it
 * is certain that the peer has it: by the settings, or by its link. */
static bool
peer_address_yield(struct peer_address *peer, const struct address *address)
{
	if (address_equals(&peer->found, address)) {
		if (peer->is_linked)
			return false;
		peer->found.size = 0;
	}
	if (address_equals(&peer->address, address)) {
		if (peer->is_number ||
		    (peer->is_linked && peer->found.size == 0))
			return false;
		peer->address.size = 0;
	}
	return true;
}

/* Takes the address that a peer's name resolves to from all other peers. False
 * if one of them has it for certain: then the name is wrong. */
static bool
peer_addresses_clear(struct peer_addresses *p, const struct peer_address *peer,
    const struct address *address)
{
	char text[ADDRESS_TEXT_MAX];

	for (unsigned i = 0; i < p->count; i++) {
		if (&p->peers[i] == peer ||
		    peer_address_yield(&p->peers[i], address))
			continue;
		log_warnx(
		    "%s: %s resolves to %s, which is the address of %s; ignoring it; check DNS and /etc/hosts",
		    peer->node->name, peer->node->address,
		    address_text(address, text), p->peers[i].node->name);
		return false;
	}
	return true;
}

void
peer_addresses_update(struct peer_addresses *p)
{
	struct lookup_result found;
	bool has_news = false;

	while (lookup_take(p->lookup, &found)) {
		struct peer_address *peer = &p->peers[found.i];

		has_news = true;
		if (found.error != 0) {
			peer_address_fail(peer, found.error);
			continue;
		}
		if (!peer_addresses_clear(p, peer, &found.address))
			continue;
		/* A lookup that failed in between may find the same again. */
		if (!address_equals(&peer->address, &found.address))
			peer_address_move(peer, &found.address);
	}
	if (has_news)
		peer_addresses_sort(p);
}

const struct address *
peer_addresses_get(const struct peer_addresses *p, unsigned peer)
{
	const struct address *address;

	assert(peer < p->count);
	address = peer_address_present(&p->peers[peer]);
	return address->size != 0 ? address : NULL;
}

const struct address *
peer_addresses_other(const struct peer_addresses *p, unsigned peer)
{
	const struct peer_address *one = &p->peers[peer];

	assert(peer < p->count);
	return one->found.size != 0 && one->address.size != 0 ? &one->address
							      : NULL;
}

static bool
peer_address_may_log(struct peer_address *peer)
{
	nsec_t now = clock_now();

	if (now >= peer->lines_until) {
		peer->lines_until = nsec_after(now, LINES_WINDOW);
		peer->lines = 0;
	}
	return peer->lines++ < LINES_MAX;
}

/* Logs where the peer is, if that is news. */
static void
peer_address_tell(struct peer_address *peer, const struct address *to)
{
	const struct config_node *n = peer->node;
	char text[ADDRESS_TEXT_MAX];

	if (address_equals(&peer->found, to) ||
	    address_equals(&peer->address, to) || !peer_address_may_log(peer))
		return;
	if (peer->is_number)
		log_warnx(
		    "%s is at %s, not at %s; electd reaches it there, but correct its address in the settings",
		    n->name, address_text(to, text), n->address);
	else
		log_notice("%s is at %s; %s does not resolve to that yet",
		    n->name, address_text(to, text), n->address);
}

void
peer_addresses_find_at(
    struct peer_addresses *p, unsigned peer, const struct address *address)
{
	struct peer_address *one = &p->peers[peer];

	assert(peer < p->count);
	assert(address->size != 0);
	/* Most sessions begin where the peer was before: sort nothing. */
	if (address_equals(peer_address_present(one), address) &&
	    peer_addresses_find(p, address) == peer)
		return;
	peer_address_tell(one, address);
	for (unsigned i = 0; i < p->count; i++)
		if (address_equals(&p->peers[i].found, address))
			p->peers[i].found.size = 0;
	one->found = *address;
	peer_address_settle(one);
	peer_addresses_sort(p);
}

unsigned
peer_addresses_find(
    const struct peer_addresses *p, const struct address *address)
{
	const struct known_address wanted = { .address = *address };
	const struct known_address *known = bsearch(&wanted, p->known,
	    p->known_count, sizeof(*p->known), known_compare);

	return known == NULL ? PEER_NONE : known->peer;
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

	return i == PEER_NONE || peer_addresses_get(p, i) != NULL;
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
