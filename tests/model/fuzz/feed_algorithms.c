/* SPDX-License-Identifier: ISC */
/*
 * A small network of bare instances of one algorithm, and a script. The script
 * says which message under way arrives, changed or not, which invented messages
 * arrive with it, which nodes start, and whose timer runs out. A message passes
 * through its encoding, as every message of a peer does. No input may break an
 * invariant, and an instance's actions stay within its contract.
 */
#include "tests/model/fuzz/feed.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "tests/model/sim/graph/graph.h"

#define NODES_COUNT 9 /* at most, so eight links for a node */
#define LINKS_COUNT (NODES_COUNT - 1)
#define STATE_SIZE  512 /* of an instance with so many links */
#define GUARD       0xa5
#define FLYING_MAX  256 /* messages under way; more are lost */
#define STEPS_MAX   600 /* of a script */

struct instance {
	struct view view;
	struct view_link links[LINKS_COUNT];
	_Alignas(max_align_t) uint8_t state[STATE_SIZE];
	struct rank winner; /* NODE_NONE: it has not decided */
	bool has_begun;     /* it has had an input, so no START comes */
	bool is_armed;
};

struct flying {
	struct message message;
	unsigned node;
	unsigned link; /* of the receiver */
};

struct network {
	const struct algorithm *algorithm;
	struct choices choices;
	struct graph graph;
	struct instance instances[NODES_COUNT];
	struct flying flying[FLYING_MAX];
	unsigned flying_count;
};

/* Ids are in no order, and at both limits, so any link of the view may be any
 * node. */
static const node_id ids[NODES_COUNT] = { 5, 1, NODE_ID_MAX, 3, 8, 2,
	NODE_ID_MAX - 1, 4, 7 };

static unsigned
choose(struct reader *r, unsigned count)
{
	return read_u8(r) % count;
}

static struct rank
choose_rank(struct reader *r)
{
	uint8_t bits = read_u8(r);
	struct rank rank = {
		.is_eligible = bits & 1,
		.is_contender = bits & 2,
		.priority = (int32_t)(bits >> 2 & 3) - 1,
		.id = ids[(bits >> 4) % NODES_COUNT],
	};

	if (bits >> 4 == NODES_COUNT)
		rank.id = read_u32(r) & NODE_ID_MAX;
	return rank;
}

/* Draws numbers that instances have, those next to them, and those at the
 * limits. */
static uint32_t
choose_number(struct reader *r)
{
	uint8_t bits = read_u8(r);

	if (bits < 128)
		return bits & 15;
	if (bits < 160)
		return UINT32_MAX - (bits & 3);
	if (bits < 224)
		return (UINT32_C(1) << (bits & 31)) - (bits >> 5 & 1);
	return read_u32(r);
}

static node_id
choose_id(struct reader *r)
{
	uint8_t bits = read_u8(r);

	return bits < 224 ? ids[bits % NODES_COUNT] : read_u32(r);
}

static void
choose_list(struct reader *r, struct message *m)
{
	static const uint16_t counts[] = { 0, 1, 2, 3, 5, 15, LIST_MAX,
		LIST_MAX + 1, UINT16_MAX - 1, UINT16_MAX };
	uint16_t count = counts[choose(r, sizeof(counts) / sizeof(counts[0]))];

	memset(m->list, 0, sizeof(m->list));
	m->list_count = count;
	for (unsigned i = 0; i < count && count <= LIST_MAX; i++)
		m->list[i] = choose_id(r);
}

/* Changes those fields of a message that the script names. */
static void
change(struct reader *r, struct message *m)
{
	uint8_t fields = read_u8(r);

	if (fields & 1)
		m->kind = (uint8_t)choose(r, MESSAGE_KINDS_MAX + 1);
	if (fields & 2)
		m->rank = choose_rank(r);
	if (fields & 4)
		m->origin = choose_id(r);
	if (fields & 8)
		m->phase = choose_number(r);
	if (fields & 16)
		m->distance = choose_number(r);
	if (fields & 32)
		choose_list(r, m);
	if (fields & 64)
		m->link = read_u8(r);
	if (fields & 128)
		m->phase += read_u8(r) & 1 ? 1 : UINT32_MAX;
}

/* Gives the message that a receiver decodes; false: its decoder refuses it. */
static bool
carry(const struct message *m, struct message *carried)
{
	uint8_t bytes[MESSAGE_BYTES_MAX];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct reader r;

	message_encode(&w, m);
	assert(!w.failed);
	r = reader_of(bytes, w.size);
	memset(carried, GUARD, sizeof(*carried));
	return message_decode(&r, carried) && reader_at_end(&r);
}

static const struct graph_end *
network_end(const struct network *n, unsigned node, unsigned link)
{
	return &n->graph.ends[n->graph.first[node] + link];
}

static size_t
kinds_of(const struct algorithm *algorithm)
{
	size_t count = 0;

	while (count < MESSAGE_KINDS_MAX && algorithm->kinds[count] != NULL)
		count++;
	return count;
}

/* A step sends only honest messages, and at most two on a link. */
static void
network_send(struct network *n, unsigned node, const struct outbox *out)
{
	unsigned sent[LINKS_COUNT] = { 0 };

	for (size_t i = 0; i < out->count; i++) {
		const struct outgoing *o = &out->messages[i];
		const struct graph_end *end;
		struct flying flying;

		assert(o->link < n->instances[node].view.links_count);
		assert(++sent[o->link] <= 2);
		assert(o->message.kind < kinds_of(n->algorithm));
		assert(n->algorithm->has_lists || o->message.list_count == 0);
		assert(carry(&o->message, &flying.message));
		end = network_end(n, node, o->link);
		flying.node = end->node;
		flying.link = end->link;
		if (n->flying_count < FLYING_MAX)
			n->flying[n->flying_count++] = flying;
	}
}

/* A second decision is for a better winner; a single node decides for itself.
 */
static void
check_decision(struct instance *instance, const struct outbox *out)
{
	const struct view *view = &instance->view;

	if (!out->has_decided)
		return;
	assert(out->winner.id <= NODE_ID_MAX);
	if (instance->winner.id != NODE_NONE)
		assert(
		    rank_better(&out->winner, &instance->winner, view->prefer));
	if (out->winner.id == view->self.id || view->links_count == 0)
		assert(rank_equal(&out->winner, &view->self));
	if (!view->choices->starters_only && !view->choices->any_leader)
		assert(!rank_better(&view->self, &out->winner, view->prefer));
	instance->winner = out->winner;
}

static void
network_step(struct network *n, unsigned node, const struct input *in)
{
	struct outgoing messages[2 * LINKS_COUNT + 1];
	struct instance *instance = &n->instances[node];
	size_t size = n->algorithm->size(&instance->view);
	struct outbox out = {
		.messages = messages,
		.capacity = outbox_capacity(instance->view.links_count),
	};

	instance->has_begun = true;
	n->algorithm->step(instance->state, in, &out);
	n->algorithm->check(instance->state);
	assert(n->algorithm->phase(instance->state)[0] != '\0');
	for (size_t i = size; i < STATE_SIZE; i++)
		assert(instance->state[i] == GUARD);
	check_decision(instance, &out);
	if (out.has_armed)
		instance->is_armed = true;
	network_send(n, node, &out);
}

static void
network_give(struct network *n, const struct flying *flying)
{
	struct message carried;
	struct input in = {
		.kind = INPUT_MESSAGE,
		.link = flying->link,
		.message = &carried,
	};

	if (carry(&flying->message, &carried))
		network_step(n, flying->node, &in);
}

static void
instance_begin(struct network *n, unsigned node, struct reader *r)
{
	struct instance *instance = &n->instances[node];
	struct rank self = choose_rank(r);
	enum prefer prefer = instance->view.prefer;
	const uint64_t *first = n->graph.first;

	self.id = ids[node];
	instance->view = (struct view){
		.self = self,
		.prefer = prefer,
		.links = instance->links,
		.links_count = first[node + 1] - first[node],
		.choices = &n->choices,
		.seed = read_u8(r),
	};
	for (unsigned i = 0; i < instance->view.links_count; i++) {
		instance->links[i].rank = choose_rank(r);
		instance->links[i].rank.id = ids[network_end(n, node, i)->node];
	}
	assert(n->algorithm->size(&instance->view) <= STATE_SIZE);
	memset(instance->state, GUARD, STATE_SIZE);
	memset(instance->state, 0, n->algorithm->size(&instance->view));
	n->algorithm->init(instance->state, &instance->view);
	n->algorithm->check(instance->state);
	instance->winner = (struct rank){ 0 };
	instance->has_begun = false;
	instance->is_armed = false;
}

static void
step_start(struct network *n, struct reader *r)
{
	unsigned node = choose(r, n->graph.nodes);
	struct input in = { .kind = INPUT_START };

	if (!n->instances[node].has_begun)
		network_step(n, node, &in);
}

static void
step_timer(struct network *n, struct reader *r)
{
	unsigned node = choose(r, n->graph.nodes);
	struct input in = { .kind = INPUT_TIMER };

	if (!n->instances[node].is_armed)
		return;
	n->instances[node].is_armed = false;
	network_step(n, node, &in);
}

/* A message under way arrives; it may do so again, or changed. */
static void
step_deliver(struct network *n, struct reader *r)
{
	uint8_t how = read_u8(r);
	struct flying flying;
	unsigned at;

	if (n->flying_count == 0)
		return;
	at = how & 1 ? 0 : choose(r, n->flying_count);
	flying = n->flying[at];
	if ((how & 6) != 2) {
		n->flying_count--;
		memmove(&n->flying[at], &n->flying[at + 1],
		    (n->flying_count - at) * sizeof(flying));
	}
	if ((how & 0x18) == 8)
		change(r, &flying.message);
	network_give(n, &flying);
}

/* A message arrives that no node has sent. */
static void
step_invent(struct network *n, struct reader *r)
{
	struct flying flying = { .node = choose(r, n->graph.nodes) };
	size_t links = n->instances[flying.node].view.links_count;

	if (links == 0)
		return;
	flying.link = choose(r, (unsigned)links);
	flying.message.kind =
	    (uint8_t)choose(r, (unsigned)kinds_of(n->algorithm));
	flying.message.rank = choose_rank(r);
	flying.message.origin = flying.message.rank.id;
	flying.message.distance = 1;
	change(r, &flying.message);
	network_give(n, &flying);
}

/* The node begins a new instance, perhaps before the others do. */
static void
step_renew(struct network *n, struct reader *r)
{
	instance_begin(n, choose(r, n->graph.nodes), r);
}

static void
run_script(struct network *n, struct reader *r)
{
	static void (*const steps[])(
	    struct network *, struct reader *) = { step_deliver, step_deliver,
		step_deliver, step_deliver, step_deliver, step_invent,
		step_invent, step_start, step_start, step_timer, step_renew };

	for (unsigned i = 0; i < STEPS_MAX && r->left > 0; i++)
		steps[choose(r, sizeof(steps) / sizeof(steps[0]))](n, r);
}

/* A ring algorithm gets a ring; others may not get what they need. */
static bool
network_shape(struct network *n, struct reader *r)
{
	unsigned how = choose(r, 6);
	uint32_t nodes = choose(r, NODES_COUNT) + 1;
	struct random random;

	random_init(&random, how);
	if (n->algorithm->topology == TOPOLOGY_RING)
		return graph_make_ring(&n->graph, nodes);
	switch (how) {
	case 0:
		return graph_make_full(&n->graph, nodes);
	case 1:
		return graph_make_path(&n->graph, nodes);
	case 2:
		return graph_make_star(&n->graph, nodes);
	case 3:
		return graph_make_grid(&n->graph, 3, 3);
	case 4:
		return graph_make_random_tree(&n->graph, nodes, &random);
	default:
		return graph_make_ring(&n->graph, nodes < 3 ? 3 : nodes);
	}
}

static struct choices
choose_choices(const struct algorithm *algorithm, struct reader *r)
{
	uint8_t bits = read_u8(r);
	unsigned has = algorithm->choices;
	struct choices choices = {
		.diameter = has & CHOICE_DIAMETER ? (bits & 7) + 1U : 0,
		.starters_only = has & CHOICE_JOIN && bits & 8,
		.no_wakeup = has & CHOICE_WAKEUP && bits & 16,
		.any_leader = has & CHOICE_ANNOUNCE && bits & 32,
	};
	uint8_t variants = 0;

	while (has & CHOICE_VARIANT && algorithm->variants[variants] != NULL)
		variants++;
	if (variants > 0)
		choices.variant = (uint8_t)((bits >> 6) % variants);
	return choices;
}

static unsigned
algorithms_count(void)
{
	unsigned count = 0;

	while (algorithms[count] != NULL)
		count++;
	return count;
}

void
feed_algorithms(const uint8_t *bytes, size_t size)
{
	struct reader r = reader_of(bytes, size);
	static struct network n;
	bool is_lowest;

	memset(&n, 0, sizeof(n));
	n.algorithm = algorithms[choose(&r, algorithms_count())];
	n.choices = choose_choices(n.algorithm, &r);
	if (!network_shape(&n, &r))
		abort();
	is_lowest = read_u8(&r) & 1;
	for (unsigned i = 0; i < n.graph.nodes; i++) {
		n.instances[i].view.prefer =
		    is_lowest ? PREFER_LOWEST : PREFER_HIGHEST;
		instance_begin(&n, i, &r);
	}
	run_script(&n, &r);
	graph_free(&n.graph);
}
