/* SPDX-License-Identifier: ISC */
#include "tests/world/gathering/gathering.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/config/config_change.h"
#include "common/config/config_encode.h"
#include "common/util/random.h"

#define BEGIN     (1000 * SEC)
#define TAPE_HALF (512 << 10)

static const uint8_t key[KEY_BYTES] = { 'k', 'e', 'y' };

struct flying {
	nsec_t at;
	unsigned to;
	unsigned from;
	bool is_by_group;
	size_t size;
	uint8_t bytes[PACKET_MAX];
};

static uint64_t
draw(struct gathering *g, uint64_t bound)
{
	struct random r;
	uint64_t drawn;

	random_init(&r, g->random++);
	drawn = random_next(&r);
	return drawn % bound;
}

/* Copies a list, with room for more nodes, to be completed. */
static void
list_copy(struct config *to, const struct config *from, size_t more)
{
	size_t nodes = from->nodes_count + more, links;
	void *memory;

	if (nodes > NODES_MAX)
		nodes = NODES_MAX;
	links = config_links_most(from, nodes);
	memory = calloc(1, config_size(nodes, links));
	assert(memory != NULL);
	config_place(to, memory, nodes, links);
	config_copy(to, from);
	config_forget_defaults(to);
}

static void
list_free(struct config *list)
{
	free(list->nodes);
	*list = (struct config){ .nodes = NULL };
}

/* *list takes the place of *old. */
static void
list_move(struct config *old, struct config *list)
{
	list_free(old);
	*old = *list;
	*list = (struct config){ .nodes = NULL };
}

struct gathering *
gathering_new(unsigned count, uint64_t seed)
{
	struct gathering *g = calloc(1, sizeof(*g));

	assert(g != NULL);
	assert(count <= GUESTS_MAX);
	*g = (struct gathering){
		.now = BEGIN,
		.seed = seed,
		.random = seed << 32,
		.count = count,
		.algorithm = &algorithm_bully,
		.flying = malloc(GATHERING_FLYING * sizeof(struct flying)),
	};
	assert(g->flying != NULL);
	for (unsigned i = 0; i < count; i++)
		g->guests[i].id = i + 1;
	return g;
}

static void
play(struct gathering *g, struct guest *h)
{
	if (g->replay.end == PLAYBACK_SAME)
		g->replay = scribe_play(&h->scribe, &g->replayed);
}

void
gathering_kill(struct gathering *g, unsigned guest)
{
	struct guest *h = &g->guests[guest];

	if (h->is_running)
		node_done(h->node);
	free(h->node);
	if (h->is_running)
		play(g, h);
	scribe_end(&h->scribe);
	free(h->document);
	free(h->peers);
	list_free(&h->wish);
	free(h->wish_document);
	free(h->incoming);
	h->node = NULL;
	h->document = h->wish_document = h->incoming = NULL;
	h->peers = NULL;
	h->nodes = (struct nodes){ .met_count = 0 };
	h->is_whole = false;
	h->is_running = false;
}

void
gathering_free(struct gathering *g)
{
	for (unsigned i = 0; i < g->count; i++) {
		gathering_kill(g, i);
		list_free(&g->guests[i].list);
	}
	free(g->flying);
	free(g);
}

/* Queues a datagram, unless it is lost or the network is cut. */
static void
fly(struct gathering *g, unsigned from, unsigned to, bool is_by_group,
    const uint8_t *bytes, size_t size)
{
	size_t i = g->flying_count;
	struct flying f = {
		.to = to,
		.from = from,
		.is_by_group = is_by_group,
		.size = size,
	};

	if (to >= g->count || draw(g, 1000) < g->loss ||
	    (from < g->count && g->guests[from].side != g->guests[to].side) ||
	    i == GATHERING_FLYING)
		return;
	f.at = nsec_after(g->now, 50 * USEC + draw(g, 950) * USEC);
	memcpy(f.bytes, bytes, size);
	g->flying_count++;
	for (; i > 0 && g->flying[(i - 1) / 2].at > f.at; i = (i - 1) / 2)
		g->flying[i] = g->flying[(i - 1) / 2];
	g->flying[i] = f;
}

static struct flying
land(struct gathering *g)
{
	struct flying first = g->flying[0], last;
	size_t i = 0;

	assert(g->flying_count > 0);
	last = g->flying[--g->flying_count];
	for (size_t child = 1; child < g->flying_count; child = 2 * i + 1) {
		if (child + 1 < g->flying_count &&
		    g->flying[child + 1].at < g->flying[child].at)
			child++;
		if (g->flying[child].at >= last.at)
			break;
		g->flying[i] = g->flying[child];
		i = child;
	}
	g->flying[i] = last;
	return first;
}

static void
address_of(unsigned guest, char address[ADDRESS_MAX_BYTES])
{
	snprintf(address, ADDRESS_MAX_BYTES, "10.%u.%u.%u:7420",
	    guest >> 16 & 0xff, guest >> 8 & 0xff, guest & 0xff);
}

/* The guest at the address of a node. */
static unsigned
guest_at(const struct config_node *node)
{
	unsigned high, middle, low;
	int count = sscanf(node->address, "10.%u.%u.%u:", &high, &middle, &low);

	assert(count == 3);
	return high << 16 | middle << 8 | low;
}

/* What a host says of its own node. */
static struct config_node
own_of(const struct gathering *g, node_id id, unsigned guest)
{
	struct config_node own = {
		.id = id,
		.role = gathering_role(g, id),
		.is_discovered = g->voters == 0 || id > g->voters,
	};

	snprintf(own.name, sizeof(own.name), "n%u", id);
	address_of(guest, own.address);
	return own;
}

/* Sets up the ring of the peers, which are by rising id. */
static void
set_ring(struct guest *h, struct node_setup *s)
{
	unsigned count = s->peers_count, next = 0;

	while (next < count && h->peers[next].id < h->id)
		next++;
	for (unsigned i = 0; i < count; i++) {
		h->right[i] = (next + i) % count;
		h->left[i] = (next + count - 1 - i) % count;
	}
	s->ring.right = h->right;
	s->ring.left = h->left;
	s->ring.right_count = s->ring.left_count = count;
}

enum role
gathering_role(const struct gathering *g, node_id id)
{
	if (g->voters > 0)
		return id <= g->voters ? ROLE_CANDIDATE : ROLE_OBSERVER;
	return id >= GUESTS_OBSERVE ? ROLE_OBSERVER : ROLE_CANDIDATE;
}

/* The document of a list. */
static uint8_t *
document_of(const struct config *list, size_t *size)
{
	size_t most = config_encoded_most(list);
	uint8_t *document = malloc(most);
	struct writer w = writer_of(document, most);

	assert(document != NULL);
	config_encode(&w, list);
	assert(!w.failed);
	*size = w.size;
	return document;
}

/* Sets up the peers of node `self` by this list. Returns how many there are. */
static unsigned
set_peers(const struct config *list, node_id self, struct peer_setup *peers)
{
	unsigned count = 0;

	for (size_t i = 0; i < list->nodes_count; i++) {
		const struct config_node *node = &list->nodes[i];

		if (node->id != self)
			peers[count++] = (struct peer_setup){
				.id = node->id,
				.role = node->role,
				.is_remote =
				    list->topology != TOPOLOGY_RING &&
				    !config_has_link(list, self, node->id),
				.is_configured = !node->is_discovered,
			};
	}
	return count;
}

/* What a node of host `h` needs of this list; the rest is the host's. */
static struct node_setup
shared_of(
    const struct config *list, const struct guest *h, struct peer_setup *peers)
{
	const struct config_node *own = config_find(list, h->id);

	return (struct node_setup){
		.self = h->id,
		.role = own != NULL ? own->role : ROLE_OBSERVER,
		.algorithm = list->algorithm,
		.topology = list->topology,
		.choices = list->choices,
		.timing = list->timing,
		.guarantee = list->guarantee,
		.edition = config_edition(list),
		.peers = peers,
		.peers_count = set_peers(list, h->id, peers),
	};
}

/* Sets up host `h` with this list, which is taken, and where its peers are. */
static struct node_setup
setup_of(struct gathering *g, struct guest *h, struct config *list)
{
	struct node_setup s;
	unsigned found = 0, guest = (unsigned)(h - g->guests);

	list_move(&h->list, list);
	free(h->peers);
	h->peers = calloc(h->list.nodes_count, sizeof(*h->peers));
	assert(h->peers != NULL);
	s = shared_of(&h->list, h, h->peers);
	s.cluster = "web";
	s.versions = (struct versions)PACKET_VERSIONS;
	s.has_group = !h->knows_addresses;
	s.durable = h->durable;
	s.durable.incarnation = h->incarnation;
	s.discovery.is_on = true;
	s.discovery.forget = GATHERING_FORGET;
	s.discovery.has_addresses = h->knows_addresses;
	snprintf(s.discovery.name, sizeof(s.discovery.name), "n%u", h->id);
	memcpy(s.key, key, KEY_BYTES);
	memcpy(s.entropy, &g->random, sizeof(g->random));
	memcpy(s.entropy + 8, &h->id, sizeof(h->id));
	memcpy(s.entropy + 16, &h->lives, sizeof(h->lives));
	memcpy(s.entropy + 24, &guest, sizeof(guest));
	for (size_t i = 0; i < h->list.nodes_count; i++) {
		if (h->list.nodes[i].id != h->id)
			h->found[found++] = guest_at(&h->list.nodes[i]);
	}
	if (s.topology == TOPOLOGY_RING)
		set_ring(h, &s);
	h->document = document_of(&h->list, &s.document_size);
	s.document = h->document;
	return s;
}

static void perform_all(struct gathering *g, unsigned guest);

/* Puts a list, which is taken, into effect. The old node needs its document
 * until it ends. */
static void
change(struct gathering *g, unsigned guest, struct config *list)
{
	struct guest *h = &g->guests[guest];
	struct node *old = h->node;
	uint8_t *document = h->document;
	struct node_setup setup = setup_of(g, h, list);
	void *memory;

	node_announce(old, g->now, &setup);
	perform_all(g, guest);
	memory = calloc(1, node_change_size(old, &setup));
	assert(memory != NULL);
	h->node = node_change(memory, old, &setup, g->now);
	free(old);
	free(document);
}

/* The disk takes a list, which is taken, at once. */
static void
keep(struct gathering *g, unsigned guest, enum rollout_origin origin,
    struct config *list)
{
	struct guest *h = &g->guests[guest];
	struct edition edition = config_edition(list);

	rollout_keep(&h->rollout, origin, &edition);
	if (rollout_kept(&h->rollout, h->node, g->now, true) == ROLLOUT_APPLY)
		change(g, guest, list);
	else
		list_free(list);
}

/* Proposes this list, which is taken, if it is wanted. */
static void
wish(struct guest *h, enum rollout_origin origin, struct config *list)
{
	struct edition edition;
	uint8_t *document;
	size_t size;

	list->stamp = 0;
	edition = config_edition(list);
	if (!rollout_wants(&h->rollout, h->node, origin, &edition)) {
		list_free(list);
		return;
	}
	document = document_of(list, &size);
	rollout_wish(&h->rollout, h->node, origin, &edition, document, size);
	list_move(&h->wish, list);
	free(h->wish_document);
	h->wish_document = document;
}

/* Proposes whom this host has met, who is gone, and where its own node is. */
static void
wish_nodes(struct gathering *g, unsigned guest)
{
	struct guest *h = &g->guests[guest];
	const struct config_node own = own_of(g, h->id, guest);
	struct config list;

	if (!rollout_is_idle(&h->rollout, h->node) ||
	    !nodes_look(&h->nodes, h->node, g->now, &h->list, &own))
		return;
	list_copy(&list, &h->list, h->nodes.met_count);
	if (!nodes_list(&h->nodes, h->node, g->now, &own, &list)) {
		list_free(&list);
		return;
	}
	config_complete(&list);
	wish(h, ORIGIN_NODES, &list);
}

/* What is next, by the wish. */
static struct rollout_todo
next_todo(struct gathering *g, struct guest *h)
{
	struct peer_setup *peers = NULL;
	struct node_setup s;
	struct rollout_todo todo;

	if (h->rollout.has_wish) {
		peers = calloc(h->wish.nodes_count, sizeof(*peers));
		assert(peers != NULL);
		s = shared_of(&h->wish, h, peers);
	}
	todo = rollout_next(
	    &h->rollout, h->node, g->now, h->rollout.has_wish ? &s : NULL);
	free(peers);
	return todo;
}

/* Does what is next for the settings. False if that is nothing. */
static bool
go_on(struct gathering *g, unsigned guest)
{
	struct guest *h = &g->guests[guest];
	struct rollout_todo todo;
	struct config list;

	wish_nodes(g, guest);
	todo = next_todo(g, h);
	if (todo.act != ROLLOUT_WRITE)
		return todo.act != ROLLOUT_WAIT;
	list_copy(&list, todo.which == ROLLOUT_WISHED ? &h->wish : &h->list, 0);
	config_complete(&list);
	if (todo.stamp != 0)
		list.stamp = todo.stamp;
	keep(g, guest, todo.origin, &list);
	return true;
}

/* Reads the document that has come. */
static void
read_document(const struct guest *h, struct config *list)
{
	size_t nodes, links;
	void *memory;
	bool is_right =
	    config_decode_counts(h->incoming, h->incoming_size, &nodes, &links);

	assert(is_right);
	memory = calloc(1, config_size(nodes, links));
	assert(memory != NULL);
	config_place(list, memory, nodes, links);
	is_right =
	    config_decode(list, h->incoming, h->incoming_size, algorithms);
	assert(is_right);
	config_complete(list);
}

static void
take_document(struct guest *h, const struct action *a)
{
	if (a->offset == 0) {
		free(h->incoming);
		h->incoming = malloc(a->total);
		h->incoming_size = 0;
	}
	assert(h->incoming_size == a->offset);
	memcpy(h->incoming + a->offset, a->datagram, a->size);
	h->incoming_size += a->size;
	h->is_whole = h->incoming_size == a->total;
	h->comes = a->edition;
}

/* Does what follows from a document that is whole. */
static void
use_document(struct gathering *g, unsigned guest)
{
	struct guest *h = &g->guests[guest];
	enum offered offered = OFFERED_RIGHT;
	struct config list;
	struct edition edition;

	h->is_whole = false;
	read_document(h, &list);
	edition = config_edition(&list);
	assert(edition_equal(&edition, &h->comes));
	if (config_find(&list, h->id) == NULL ||
	    nodes_usurp(&h->list, &list, h->id))
		offered = OFFERED_WITHOUT_US;
	switch (
	    rollout_offer(&h->rollout, h->node, g->now, &edition, offered)) {
	case OFFER_IGNORE:
		break;
	case OFFER_KEEP:
		keep(g, guest, ORIGIN_PEER, &list);
		return;
	case OFFER_WISH:
		wish(h, ORIGIN_PEER, &list);
		return;
	case OFFER_REFUSE:
		node_refuse(h->node, g->now, &edition);
		break;
	}
	list_free(&list);
}

/* The node has met another, where the datagram came from. */
static void
meet(struct guest *h, const struct newcomer *newcomer)
{
	char address[ADDRESS_MAX_BYTES];

	h->met++;
	if (h->sender == GATHERING_NOWHERE)
		return;
	address_of(h->sender, address);
	nodes_meet(&h->nodes, newcomer, address);
}

/* The last of all introductions, as anybody on the network has them. */
static void
capture(struct gathering *g, const struct action *a)
{
	struct captured *c = &g->capture[g->captured++ % 256];

	c->size = a->size;
	memcpy(c->bytes, a->datagram, a->size);
}

static void
perform(struct gathering *g, unsigned guest, const struct action *a)
{
	struct guest *h = &g->guests[guest];

	switch (a->kind) {
	case ACTION_PERSIST:
		h->incarnation = a->durable.incarnation;
		h->durable = a->durable;
		h->is_persisting = true;
		break;
	case ACTION_NOTICE:
		h->duplicates += a->notice.kind == NOTICE_DUPLICATE &&
				 a->notice.peer == h->id && a->notice.on;
		break;
	case ACTION_ADDRESS:
		h->found[a->peer] = h->sender;
		break;
	case ACTION_HELLO:
	case ACTION_SEND:
		fly(g, guest, h->found[a->peer], false, a->datagram, a->size);
		break;
	case ACTION_REPLY:
		if (a->datagram[1] == PACKET_INTRODUCTION)
			capture(g, a);
		fly(g, guest, h->sender, false, a->datagram, a->size);
		break;
	case ACTION_GROUP:
		if (a->datagram[1] == PACKET_INTRODUCTION)
			capture(g, a);
		for (unsigned i = 0; i < g->count; i++)
			fly(g, guest, i, true, a->datagram, a->size);
		break;
	case ACTION_JOIN:
		capture(g, a);
		fly(g, guest, 0, false, a->datagram, a->size);
		break;
	case ACTION_MEMBER:
		meet(h, &a->newcomer);
		break;
	case ACTION_DOCUMENT:
		take_document(h, a);
		break;
	case ACTION_WILL:
	case ACTION_PULLED: /* no snapshots are taken here */
		break;
	}
}

static void
perform_all(struct gathering *g, unsigned guest)
{
	struct guest *h = &g->guests[guest];
	struct action action;

	do {
		while (node_act(h->node, g->now, &action))
			perform(g, guest, &action);
		if (h->is_persisting) {
			h->is_persisting = false;
			node_persisted(h->node, g->now, true);
			continue;
		}
		node_check(h->node);
		return;
	} while (true);
}

/* Performs what follows from an input, and puts into effect what came of it. */
static void
conclude(struct gathering *g, unsigned guest)
{
	bool goes_on = true;

	perform_all(g, guest);
	for (unsigned i = 0; goes_on && i < 8; i++) {
		if (g->guests[guest].is_whole)
			use_document(g, guest);
		else
			goes_on = go_on(g, guest);
		perform_all(g, guest);
	}
	if (g->concluded != NULL)
		g->concluded(g, guest);
}

/* What the file of a host says, with its own node. */
static void
list_begin(
    const struct gathering *g, struct config *list, node_id id, unsigned guest)
{
	const struct config shared = {
		.cluster = "web",
		.guarantee =
		    g->voters > 0 ? GUARANTEE_QUORUM : GUARANTEE_COMPONENT,
		.algorithm = g->algorithm,
		.topology = g->algorithm->topology,
		.timing.heartbeat = GATHERING_BEAT,
		.timing.misses = 3,
		.timing.startup = SEC,
		.timing.lease = 2 * SEC,
		.discovers = true,
		.forget = GATHERING_FORGET,
		.degree = g->degree,
	};

	list_copy(list, &shared, g->voters + 1);
	for (unsigned i = 0; i < g->voters; i++)
		list->nodes[list->nodes_count++] =
		    own_of(g, g->guests[i].id, i);
	if (g->voters == 0 || id > g->voters)
		list->nodes[list->nodes_count++] = own_of(g, id, guest);
	config_complete(list);
}

void
gathering_start(struct gathering *g, unsigned guest, bool remembers)
{
	struct guest *h = &g->guests[guest];
	struct node_setup setup;
	struct config own;
	void *memory;

	assert(!h->is_running);
	h->incarnation++;
	h->lives++;
	if (remembers && h->list.nodes != NULL &&
	    config_find(&h->list, h->id) != NULL) {
		list_copy(&own, &h->list, 0);
		config_complete(&own);
	} else {
		list_begin(g, &own, h->id, guest);
	}
	setup = setup_of(g, h, &own);
	memory = calloc(1, node_size(&setup));
	assert(memory != NULL);
	h->node = node_init(memory, &setup, g->now);
	h->rollout = (struct rollout){ .is_quorum = g->voters > 0 };
	if (g->tapes)
		scribe_begin(&h->scribe, h->node, g->now, TAPE_HALF);
	h->is_running = true;
	conclude(g, guest);
}

static void
deliver(struct gathering *g, unsigned guest, unsigned from, bool is_by_group,
    const uint8_t *bytes, size_t size)
{
	struct guest *h = &g->guests[guest];
	unsigned peer = is_by_group ? PEER_GROUP : PEER_NONE;

	if (!h->is_running)
		return;
	for (unsigned i = 0; !is_by_group && i + 1 < h->list.nodes_count; i++) {
		if (h->found[i] == from)
			peer = i;
	}
	h->sender = from;
	node_receive(h->node, g->now, 0, peer, bytes, size);
	conclude(g, guest);
	h->sender = GATHERING_NOWHERE;
}

void
gathering_feed(struct gathering *g, unsigned guest, unsigned from,
    const uint8_t *bytes, size_t size)
{
	deliver(g, guest, from, false, bytes, size);
}

/* The next host whose deadline is the first. */
static unsigned
first_due(const struct gathering *g, nsec_t *at)
{
	unsigned first = GUESTS_MAX;

	*at = NSEC_NEVER;
	for (unsigned i = 0; i < g->count; i++) {
		const struct guest *h = &g->guests[i];

		if (!h->is_running || node_deadline(h->node) >= *at)
			continue;
		*at = node_deadline(h->node);
		first = i;
	}
	return first;
}

/* One event, if there is one before `end`. */
static bool
step(struct gathering *g, nsec_t end)
{
	nsec_t at;
	unsigned due = first_due(g, &at);

	if (g->is_halted)
		return false;
	if (g->flying_count > 0 && g->flying[0].at <= at &&
	    g->flying[0].at <= end) {
		struct flying f = land(g);

		g->now = f.at > g->now ? f.at : g->now;
		deliver(g, f.to, f.from, f.is_by_group, f.bytes, f.size);
		return true;
	}
	if (at > end)
		return false;
	g->now = at > g->now ? at : g->now;
	node_tick(g->guests[due].node, g->now);
	g->guests[due].sender = GATHERING_NOWHERE;
	conclude(g, due);
	return true;
}

void
gathering_run(struct gathering *g, nsec_t duration)
{
	nsec_t end = nsec_after(g->now, duration);

	while (step(g, end))
		;
	g->now = end;
}
