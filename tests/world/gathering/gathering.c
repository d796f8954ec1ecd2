/* SPDX-License-Identifier: ISC */
#include "tests/world/gathering/gathering.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/config/circles.h"
#include "common/util/random.h"

#define BEGIN       (1000 * SEC)
#define ENTRY_BYTES 8
#define TAPE_HALF   (512 << 10)

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
	free(h->next);
	free(h->wish);
	free(h->wish_document);
	free(h->incoming);
	h->node = NULL;
	h->document = h->wish_document = h->incoming = NULL;
	h->peers = NULL;
	h->next = h->wish = NULL;
	h->queue_count = 0;
	h->is_running = false;
}

void
gathering_free(struct gathering *g)
{
	for (unsigned i = 0; i < g->count; i++)
		gathering_kill(g, i);
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

/* A digest that is as good as any here: FNV-1a, twice. Under component it is of
 * the addresses, too, as electd's is. */
static struct edition
edition_of(const struct gathering *g, const struct guest_list *list)
{
	struct edition e = {
		.stamp = list->stamp,
		.generation = list->generation,
	};
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (unsigned i = 0; i < list->count; i++) {
		hash = (hash ^ list->entries[i].id) * UINT64_C(0x100000001b3);
		if (g->voters == 0)
			hash = (hash ^ list->entries[i].at) *
			       UINT64_C(0x100000001b3);
	}
	hash = (hash ^ list->generation) * UINT64_C(0x100000001b3);
	hash = (hash ^ list->stamp) * UINT64_C(0x100000001b3);
	hash ^= hash >> 29;
	for (unsigned i = 0; i < SALT_BYTES; i++)
		e.digest[i] = (uint8_t)(hash >> (8 * (i % 8)));
	return e;
}

bool
gathering_lists(const struct guest_list *list, node_id id)
{
	for (unsigned i = 0; i < list->count; i++) {
		if (list->entries[i].id == id)
			return true;
	}
	return false;
}

static void
list_add(struct guest_list *list, node_id id, unsigned at)
{
	unsigned i = list->count++;

	assert(list->count <= NODES_MAX);
	for (; i > 0 && list->entries[i - 1].id > id; i--)
		list->entries[i] = list->entries[i - 1];
	list->entries[i] = (struct guest_entry){ id, at };
}

static void
list_remove(struct guest_list *list, node_id id)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < list->count; i++) {
		if (list->entries[i].id != id)
			list->entries[kept++] = list->entries[i];
	}
	list->count = kept;
}

/* True if these are neighbours. */
static bool
is_linked(const struct gathering *g, const struct guest_list *list, node_id a,
    node_id b)
{
	struct config_link *links, link = { a < b ? a : b, a < b ? b : a };
	node_id ids[NODES_MAX];
	size_t count = 0;
	bool is_linked;

	if (g->degree == 0)
		return true;
	links = calloc(list->count * g->degree, sizeof(*links));
	assert(links != NULL);
	for (unsigned i = 0; i < list->count; i++)
		ids[i] = list->entries[i].id;
	count = circles(ids, list->count, g->degree, links);
	is_linked = count == 0 || bsearch(&link, links, count, sizeof(link),
				      config_link_compare) != NULL;
	free(links);
	return is_linked;
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

static bool
is_voter(const struct gathering *g, node_id id)
{
	return id <= g->voters;
}

enum role
gathering_role(const struct gathering *g, node_id id)
{
	if (g->voters > 0)
		return is_voter(g, id) ? ROLE_CANDIDATE : ROLE_OBSERVER;
	return id >= GUESTS_OBSERVE ? ROLE_OBSERVER : ROLE_CANDIDATE;
}

/* The document of a list. */
static uint8_t *
document_of(const struct guest_list *list)
{
	size_t size = list->count * ENTRY_BYTES;
	uint8_t *document = malloc(size);
	struct writer w = writer_of(document, size);

	assert(document != NULL);
	for (unsigned i = 0; i < list->count; i++) {
		write_u32(&w, list->entries[i].id);
		write_u32(&w, list->entries[i].at);
	}
	assert(!w.failed);
	return document;
}

/* Sets up the peers of host `h` by this list. Returns how many there are. */
static unsigned
set_peers(const struct gathering *g, const struct guest *h,
    const struct guest_list *list, struct peer_setup *peers)
{
	unsigned count = 0;

	for (unsigned i = 0; i < list->count; i++) {
		node_id id = list->entries[i].id;

		if (id != h->id)
			peers[count++] = (struct peer_setup){
				.id = id,
				.role = gathering_role(g, id),
				.is_remote = !is_linked(g, list, h->id, id),
				.is_configured = is_voter(g, id),
			};
	}
	return count;
}

/* Sets up host `h` with this list, which is copied, and where its peers are. */
static struct node_setup
setup_of(struct gathering *g, struct guest *h, const struct guest_list *list)
{
	struct node_setup s = {
		.self = h->id,
		.role = gathering_role(g, h->id),
		.algorithm = g->algorithm,
		.topology = g->algorithm->topology,
		.choices.diameter = list->count,
		.timing.heartbeat = GATHERING_BEAT,
		.timing.misses = 3,
		.timing.startup = SEC,
		.timing.lease = 2 * SEC,
		.guarantee =
		    g->voters > 0 ? GUARANTEE_QUORUM : GUARANTEE_COMPONENT,
		.cluster = "web",
		.versions = PACKET_VERSIONS,
		.has_group = !h->knows_addresses,
		.edition = edition_of(g, list),
		.durable = h->durable,
		.discovery = {
			.is_on = true,
			.forget = GATHERING_FORGET,
			.has_addresses = h->knows_addresses,
		},
	};
	unsigned found = 0, guest = (unsigned)(h - g->guests);

	snprintf(s.discovery.name, sizeof(s.discovery.name), "n%u", h->id);
	memcpy(s.key, key, KEY_BYTES);
	memcpy(s.entropy, &g->random, sizeof(g->random));
	memcpy(s.entropy + 8, &h->id, sizeof(h->id));
	memcpy(s.entropy + 16, &h->lives, sizeof(h->lives));
	memcpy(s.entropy + 24, &guest, sizeof(guest));
	s.durable.incarnation = h->incarnation;
	free(h->peers);
	h->list = *list;
	h->peers = calloc(list->count, sizeof(*h->peers));
	assert(h->peers != NULL);
	h->document = document_of(list);
	s.document_size = list->count * ENTRY_BYTES;
	s.peers_count = set_peers(g, h, list, h->peers);
	for (unsigned i = 0; i < list->count; i++) {
		if (list->entries[i].id != h->id)
			h->found[found++] = list->entries[i].at;
	}
	s.peers = h->peers;
	if (s.topology == TOPOLOGY_RING)
		set_ring(h, &s);
	s.document = h->document;
	return s;
}

static void perform_all(struct gathering *g, unsigned guest);

/* Puts h->next into effect. The old node needs its document until it ends. */
static void
change(struct gathering *g, unsigned guest)
{
	struct guest *h = &g->guests[guest];
	struct guest_list *next = h->next;
	struct node *old = h->node;
	uint8_t *document = h->document;
	struct node_setup setup;
	void *memory;

	h->next = NULL;
	if (gathering_lists(next, h->id)) {
		setup = setup_of(g, h, next);
		node_announce(old, g->now, &setup);
		perform_all(g, guest);
		memory = calloc(1, node_change_size(old, &setup));
		assert(memory != NULL);
		h->node = node_change(memory, old, &setup, g->now);
		free(old);
		free(document);
	}
	free(next);
}

/* What is to come into effect, to be changed; by default what is. */
static struct guest_list *
next_of(struct guest *h)
{
	if (h->next != NULL)
		return h->next;
	h->next = malloc(sizeof(*h->next));
	assert(h->next != NULL);
	*h->next = h->list;
	return h->next;
}

/* Where the list says that the own node is elsewhere, it says where it is now, in
 * the next generation. */
static void
renew_self(
    const struct gathering *g, const struct guest *h, struct guest_list *list)
{
	for (unsigned i = 0; i < list->count; i++) {
		struct guest_entry *own = &list->entries[i];

		if (own->id != h->id || own->at == (unsigned)(h - g->guests))
			continue;
		own->at = (unsigned)(h - g->guests);
		list->generation = h->list.generation + 1;
	}
}

/* Quorum: notes whom to propose. */
static void
queue(struct guest *h, node_id id)
{
	for (unsigned i = 0; i < h->queue_count; i++) {
		if (h->queue[i].id == id)
			return;
	}
	if (h->queue_count < GUESTS_MAX)
		h->queue[h->queue_count++] =
		    (struct guest_entry){ id, h->sender };
}

static void
meet(
    const struct gathering *g, struct guest *h, const struct newcomer *newcomer)
{
	struct guest_list *next;

	h->met++;
	if (h->sender == GATHERING_NOWHERE)
		return;
	if (g->voters > 0) {
		queue(h, newcomer->id);
		return;
	}
	next = next_of(h);
	if (gathering_lists(next, newcomer->id))
		return;
	list_add(next, newcomer->id, h->sender);
	if (newcomer->is_next)
		next->generation = h->list.generation + 1;
}

/* Quorum: proposes this list, which is taken. */
static void
wish(const struct gathering *g, struct guest *h, struct guest_list *list)
{
	struct edition edition;
	uint8_t *document;

	list->stamp = 0;
	edition = edition_of(g, list);
	if (!rollout_wants(&h->rollout, h->node, &edition)) {
		free(list);
		return;
	}
	document = document_of(list);
	rollout_wish(&h->rollout, h->node, &edition, document,
	    list->count * ENTRY_BYTES, false);
	free(h->wish);
	free(h->wish_document);
	h->wish = list;
	h->wish_document = document;
}

/* What is next, by the wish. */
static enum rollout_todo
next_todo(struct gathering *g, struct guest *h, uint64_t *stamp)
{
	struct node_setup s = { .self = h->id,
		.role = gathering_role(g, h->id) };
	struct peer_setup *peers = NULL;
	enum change_step step;
	enum rollout_todo todo;

	if (h->rollout.has_wish) {
		peers = calloc(h->wish->count, sizeof(*peers));
		assert(peers != NULL);
		s.peers_count = set_peers(g, h, h->wish, peers);
	}
	s.peers = peers;
	todo = rollout_next(&h->rollout, h->node, g->now, &s, stamp, &step);
	free(peers);
	return todo;
}

/* Quorum: proposes the nodes in effect with those that were met, without the one
 * that is gone, and with the own node where it is. */
static void
wish_nodes(const struct gathering *g, struct guest *h, node_id gone)
{
	struct guest_list *list = malloc(sizeof(*list));

	assert(list != NULL);
	*list = h->list;
	if (!is_voter(g, h->id))
		renew_self(g, h, list);
	for (unsigned i = 0; i < h->queue_count; i++) {
		if (!gathering_lists(list, h->queue[i].id))
			list_add(list, h->queue[i].id, h->queue[i].at);
	}
	h->queue_count = 0;
	if (gone != NODE_NONE)
		list_remove(list, gone);
	if (list->count != h->list.count)
		list->generation = h->list.generation + 1;
	wish(g, h, list);
}

/* Quorum: proposes who comes and goes; and as the leader takes the next step,
 * which is in h->next then. */
static void
pursue(struct gathering *g, struct guest *h, node_id gone)
{
	enum rollout_todo todo;
	uint64_t stamp;

	if (!rollout_is_wishing(&h->rollout, h->node))
		wish_nodes(g, h, gone);
	if (h->next != NULL)
		return;
	todo = next_todo(g, h, &stamp);
	if (todo == ROLLOUT_WISH)
		*next_of(h) = *h->wish;
	if (todo == ROLLOUT_WISH || todo == ROLLOUT_STAMP)
		next_of(h)->stamp = stamp;
}

static void
take_document(struct gathering *g, struct guest *h, const struct action *a)
{
	struct guest_list *list;
	struct reader r;
	struct edition edition;

	if (a->offset == 0) {
		free(h->incoming);
		h->incoming = malloc(a->total);
		h->incoming_size = 0;
	}
	assert(h->incoming_size == a->offset);
	memcpy(h->incoming + a->offset, a->datagram, a->size);
	h->incoming_size += a->size;
	if (h->incoming_size < a->total)
		return;
	list = calloc(1, sizeof(*list));
	assert(list != NULL);
	list->stamp = a->edition.stamp;
	list->generation = a->edition.generation;
	r = reader_of(h->incoming, h->incoming_size);
	while (r.left > 0) {
		node_id id = read_u32(&r);

		list_add(list, id, read_u32(&r));
	}
	edition = edition_of(g, list);
	assert(edition_equal(&edition, &a->edition));
	if (!gathering_lists(list, h->id)) {
		node_refuse(h->node, g->now, &a->edition);
		free(list);
		return;
	}
	if (rollout_offer(&h->rollout, h->node, &edition) == OFFER_WISH) {
		wish(g, h, list);
		return;
	}
	free(h->next);
	h->next = list;
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
		meet(g, h, &a->newcomer);
		break;
	case ACTION_DOCUMENT:
		take_document(g, h, a);
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
	struct guest *h = &g->guests[guest];
	node_id gone = node_forgets(h->node, g->now, NODE_NONE);

	perform_all(g, guest);
	if (g->voters > 0) {
		pursue(g, h, gone);
	} else if (gone != NODE_NONE && h->next == NULL) {
		list_remove(next_of(h), gone);
		h->next->generation++;
	} else if (h->next == NULL) {
		renew_self(g, h, next_of(h));
		if (h->next->generation == h->list.generation) {
			free(h->next);
			h->next = NULL;
		}
	}
	for (unsigned i = 0; h->next != NULL && i < 8; i++) {
		change(g, guest);
		perform_all(g, guest);
	}
	if (g->concluded != NULL)
		g->concluded(g, guest);
}

/* What the file of a host says, with its own node. */
static void
list_begin(const struct gathering *g, struct guest_list *list, node_id id,
    unsigned guest)
{
	for (unsigned i = 0; i < g->voters; i++)
		list_add(list, g->guests[i].id, i);
	if (!gathering_lists(list, id))
		list_add(list, id, guest);
}

void
gathering_start(struct gathering *g, unsigned guest, bool remembers)
{
	struct guest *h = &g->guests[guest];
	struct guest_list own = { .count = 0 };
	struct node_setup setup;
	void *memory;

	assert(!h->is_running);
	h->incarnation++;
	h->lives++;
	if (remembers && gathering_lists(&h->list, h->id))
		own = h->list;
	else
		list_begin(g, &own, h->id, guest);
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
	for (unsigned i = 0; !is_by_group && i + 1 < h->list.count; i++) {
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
