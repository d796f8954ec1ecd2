/* SPDX-License-Identifier: ISC */
/*
 * The network of a world: what happens to a datagram on its way from one
 * address to another, and what an attacker adds.
 */
#include "tests/model/world/network/network.h"

#include <stdlib.h>
#include <string.h>

#define PERMILLE 1000
#define FULL_WAIT                                                              \
	(5 * MSEC) /* the time that electd waits for a full send buffer */
#define BURST     (100 * MSEC) /* the length of a burst, or two heartbeats */
#define BURST_MAX 60           /* datagrams to each other node in a burst */

static bool
chance(struct world *w, unsigned permille)
{
	return permille > 0 && random_below(&w->random, PERMILLE) < permille;
}

static bool
is_by_group(const struct world *w, const uint8_t *bytes, size_t size)
{
	return w->network.is_by_group || (size > 1 && bytes[1] == PACKET_GROUP);
}

static void
fly(struct world *w, const struct wire *wire, node_id from, process_name target,
    address_number to_address, const uint8_t *bytes, size_t size)
{
	nsec_t delay = w->network.late + random_between(&w->random,
					     wire->delay_min, wire->delay_max);
	struct pending *p;
	uint64_t bit;

	if (chance(w, wire->late))
		delay += random_between(&w->random, 0, wire->jitter);
	p = pending_new(
	    PENDING_DATAGRAM, nsec_after(w->now, delay), bytes, size);
	p->target = target;
	p->from = from;
	p->from_address = w->network.addresses[from];
	p->to_address = to_address;
	p->sent = w->now;
	p->origin = w->network.origin;
	p->by_group = is_by_group(w, bytes, size);
	if (chance(w, wire->corrupt)) {
		bit = random_below(&w->random, size * 8);
		p->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		w->counters.corrupted++;
	}
	world_queue_push(&w->queue, p);
}

/* True if a helper sent it, by a socket of its own. */
static bool
is_will(const uint8_t *bytes, size_t size)
{
	return size == PACKET_WILL_BYTES && bytes[1] == PACKET_DIED;
}

/* How the process counts the datagram that it has just made. */
static struct origin
origin_of(const struct world *w, process_name sender, bool is_by_helper)
{
	const struct process *p = &w->processes[sender];

	if (p->node == NULL || is_by_helper)
		return (struct origin){ .sender = 0 };
	return (struct origin){
		.sender = sender,
		.life = p->lives,
		.number = node_counters(p->node)->sent,
	};
}

/* Gives when a datagram of a process leaves its host, which may be busy with
 * earlier ones. False: the send buffer is full, and stays so for too long. */
static bool
find_room(struct world *w, struct process *p)
{
	nsec_t busy = nsec_since(p->outlet.until, w->now);

	w->network.late = 0;
	if (p->outlet.each == 0)
		return true;
	if (busy > p->outlet.room * p->outlet.each + FULL_WAIT)
		return false;
	w->network.late = busy;
	p->outlet.until = w->now + busy + p->outlet.each;
	return true;
}

/* Delivers to every process of `to` at this address, but not back to the
 * sender. */
static void
reach(struct world *w, const struct wire *wire, process_name sender, node_id to,
    address_number address, const uint8_t *bytes, size_t size)
{
	node_id from =
	    is_will(bytes, size) ? NODE_NONE : w->processes[sender].host;
	bool doubled =
	    w->processes[WORLD_COPY].host == to && world_runs(w, WORLD_COPY);
	bool first = true, second = doubled;

	if (doubled && !w->network.copy_shares && world_runs(w, to)) {
		first = chance(w, PERMILLE / 2);
		second = !first;
	}
	if (first && sender != to)
		fly(w, wire, from, to, address, bytes, size);
	if (second && sender != WORLD_COPY)
		fly(w, wire, from, WORLD_COPY, address, bytes, size);
}

static void
record(struct world *w, node_id from, node_id to, const uint8_t *bytes,
    size_t size)
{
	struct recording *r;

	if (w->network.tape == NULL || w->network.tape_count == WORLD_TAPE_MAX)
		return;
	r = &w->network.tape[w->network.tape_count++];
	r->from = from;
	r->to = to;
	r->size = size;
	memcpy(r->bytes, bytes, size);
}

/* An election by rounds sends on each link in every round, and so do
 * acknowledgements. Three such elections follow each other when three leaders
 * end. */
static unsigned
burst_max(const struct world *w)
{
	unsigned diameter =
	    w->files.is_on ? w->setup.nodes : w->setup.choices.diameter;
	unsigned rounds = 3 * 2 * diameter;

	return rounds > BURST_MAX ? rounds : BURST_MAX;
}

/* Fails a node that never stops sending. */
static void
check_burst(struct world *w, process_name sender)
{
	struct process *p = &w->processes[sender];
	nsec_t burst = nsec_earlier(BURST, 2 * p->configs.file.heartbeat);
	unsigned known = world_peers_count(p) + 1;
	unsigned others = known > w->setup.nodes ? known : w->setup.nodes;

	if (w->now >= p->outlet.burst_at + burst) {
		p->outlet.burst_at = w->now;
		p->outlet.burst = 0;
	}
	if (p->node != NULL && ++p->outlet.burst > burst_max(w) * others)
		world_fail(w, "%u sent %u datagrams in %u ms", sender,
		    p->outlet.burst, (unsigned)(burst / MSEC));
}

void
wires_refuse(struct world *w, node_id from, node_id id)
{
	const struct wire *back = &w->network.wires[id][from];
	struct pending *refusal;

	if (w->network.refuses == 0 || from == NODE_NONE || from == id ||
	    back->cut || random_below(&w->hosts, 1000) >= w->network.refuses)
		return;
	refusal = pending_new(PENDING_REFUSAL,
	    nsec_after(w->now,
		random_between(&w->hosts, back->delay_min, back->delay_max)),
	    NULL, 0);
	refusal->target = from;
	refusal->from = id;
	world_queue_push(&w->queue, refusal);
}

void
wires_send(struct world *w, process_name sender, node_id to,
    address_number address, const uint8_t *bytes, size_t size)
{
	node_id from = w->processes[sender].host;
	struct wire *wire = &w->network.wires[from][to];

	assert(size > 0);
	assert(size <= PACKET_MAX);
	w->counters.sent++;
	check_burst(w, sender);
	if (to == NODE_NONE) {
		w->counters.strangers++;
		return;
	}
	record(w, from, to, bytes, size);
	w->network.late = 0;
	w->network.origin = origin_of(w, sender, is_will(bytes, size));
	if (!is_will(bytes, size) && !find_room(w, &w->processes[sender])) {
		w->counters.lost++;
		w->counters.full++;
		return;
	}
	if (world_is_pulled(w, from) || world_is_pulled(w, to)) {
		w->counters.lost++;
		return;
	}
	if (wire->is_for_groups && !is_by_group(w, bytes, size)) {
		w->counters.lost++;
		return;
	}
	if (wire->cut || chance(w, wire->loss)) {
		w->counters.lost++;
		if (wire->cut && w->network.rejects &&
		    !is_by_group(w, bytes, size))
			wires_refuse(w, from, to);
		return;
	}
	reach(w, wire, sender, to, address, bytes, size);
	if (chance(w, wire->doubles)) {
		w->counters.doubled++;
		reach(w, wire, sender, to, address, bytes, size);
	}
}

void
world_send(struct world *w, process_name sender, node_id to,
    const uint8_t *bytes, size_t size)
{
	const struct place place = address_of(w, sender, to);

	wires_send(w, sender, place.host, place.address, bytes, size);
}

/* Sends to the group. Nobody tells the sender who gets the datagram. */
void
wires_send_group(
    struct world *w, process_name sender, const uint8_t *bytes, size_t size)
{
	w->network.is_by_group = true;
	for (unsigned to = 1; to <= w->setup.nodes; to++) {
		if (to != w->processes[sender].host &&
		    !chance(w, w->network.group_loss))
			wires_send(w, sender, to, w->network.addresses[to],
			    bytes, size);
	}
	w->network.is_by_group = false;
}

void
world_record(struct world *w)
{
	if (w->network.tape == NULL)
		w->network.tape =
		    calloc(WORLD_TAPE_MAX, sizeof(*w->network.tape));
	assert(w->network.tape != NULL);
	w->network.tape_count = 0;
}

void
world_inject(struct world *w, node_id from, process_name target,
    const uint8_t *bytes, size_t size)
{
	struct pending *p = pending_new(PENDING_DATAGRAM, w->now, bytes, size);

	p->target = target;
	p->from = from;
	p->from_address = w->network.addresses[from];
	p->to_address = w->network.addresses[w->processes[target].host];
	p->sent = w->now;
	p->by_group = is_by_group(w, bytes, size);
	world_queue_push(&w->queue, p);
}

void
world_inject_noise(struct world *w, process_name target)
{
	node_id from = (node_id)random_below(&w->random, w->setup.nodes + 1);
	size_t size = random_between(&w->random, 0, PACKET_MAX);
	uint8_t bytes[PACKET_MAX];
	const struct recording *r;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)random_next(&w->random);
	if (w->network.tape_count > 0 && chance(w, PERMILLE * 2 / 3)) {
		r = &w->network
			 .tape[random_below(&w->random, w->network.tape_count)];
		memcpy(bytes, r->bytes, r->size);
		from = chance(w, PERMILLE / 2) ? r->from : NODE_NONE;
		size = chance(w, PERMILLE / 2)
			   ? r->size
			   : random_below(&w->random, r->size);
	}
	world_inject(w, from, target, bytes, size);
}
