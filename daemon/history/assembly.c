/* SPDX-License-Identifier: ISC */
#include "daemon/history/assembly.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The slot of this id, or the free one where it would be. */
static unsigned
slot_of(const struct assembly *c, node_id id)
{
	unsigned slot = id * UINT32_C(2654435761) % ASSEMBLY_SLOTS;

	while (c->table[slot] != 0 && c->nodes[c->table[slot] - 1].id != id)
		slot = (slot + 1) % ASSEMBLY_SLOTS;
	return slot;
}

static void
fail(struct assembly *c, enum snapshot_outcome outcome, node_id culprit)
{
	if (c->outcome != SNAPSHOT_OPEN)
		return;
	c->outcome = outcome;
	c->culprit = culprit;
}

/* Adds the node, unless it is there, as one that `via` has a channel to. */
static void
add(struct assembly *c, node_id id, unsigned via)
{
	unsigned slot = slot_of(c, id);

	if (c->table[slot] != 0)
		return;
	if (c->count == NODES_MAX) {
		fail(c, SNAPSHOT_ABSURD, c->nodes[via].id);
		return;
	}
	c->nodes[c->count] = (struct assembled_node){ .id = id, .via = via };
	if (c->count > 0)
		c->nodes[c->count].hops = c->nodes[via].hops + 1;
	c->count++;
	c->table[slot] = (uint16_t)c->count;
	if (c->nodes[c->count - 1].hops >= PULL_PATH_MAX)
		fail(c, SNAPSHOT_FAR, id);
}

struct assembly *
assembly_new(const struct snapshot_name *name)
{
	struct assembly *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->nodes = calloc(NODES_MAX, sizeof(c->nodes[0]));
	if (c->nodes == NULL) {
		free(c);
		return NULL;
	}
	c->name = *name;
	add(c, name->initiator, 0);
	return c;
}

void
assembly_free(struct assembly *c)
{
	if (c == NULL)
		return;
	for (unsigned i = 0; i < c->count; i++) {
		free(c->nodes[i].channels);
		free(c->nodes[i].messages);
	}
	free(c->nodes);
	free(c);
}

/* Sets the name and the path of a pull to the node at this place. */
static void
path_to(const struct assembly *c, unsigned at, struct pull *pull)
{
	pull->name = c->name;
	pull->at = 0;
	pull->count = c->nodes[at].hops + 1;
	for (unsigned i = pull->count; i-- > 0; at = c->nodes[at].via)
		pull->path[i] = c->nodes[at].id;
}

bool
assembly_path(const struct assembly *c, node_id id, struct pull *pull)
{
	unsigned at = c->table[slot_of(c, id)];

	if (at == 0)
		return false;
	path_to(c, at - 1, pull);
	return true;
}

bool
assembly_next(const struct assembly *c, struct pull *pull)
{
	unsigned at = 0;

	while (
	    at < c->count && (c->nodes[at].is_asked || c->nodes[at].is_whole))
		at++;
	if (c->outcome != SNAPSHOT_OPEN || at == c->count)
		return false;
	*pull = (struct pull){
		.kind = PULL_RECORD,
		.from = c->nodes[at].next,
	};
	path_to(c, at, pull);
	return true;
}

/* The place of the node that a pull asks; c->count: none. */
static unsigned
asked_at(const struct assembly *c, const struct pull *pull)
{
	unsigned at = c->table[slot_of(c, pull->path[pull->count - 1])];

	return at == 0 ? c->count : at - 1;
}

void
assembly_asked(struct assembly *c, const struct pull *pull)
{
	unsigned at = asked_at(c, pull);

	assert(at < c->count);
	c->nodes[at].is_asked = true;
}

/* Takes the head. False if it makes no sense, or there is no memory. */
static bool
head_take(struct assembly *c, struct assembled_node *n, struct reader *r)
{
	if (!snapshot_head_decode(r, &n->head) || n->head.node != n->id)
		return false;
	c->channels += n->head.channels;
	if (c->channels > ASSEMBLY_CHANNELS_MAX) {
		fail(c, SNAPSHOT_LARGE, n->id);
		return false;
	}
	/* calloc(0) may give NULL. */
	n->channels = calloc(n->head.channels + 1, sizeof(n->channels[0]));
	n->messages = calloc(n->head.messages + 1, sizeof(n->messages[0]));
	return n->channels != NULL && n->messages != NULL;
}

/* Takes one item. False if it makes no sense. */
static bool
item_take(struct assembly *c, unsigned at, struct reader *r)
{
	struct assembled_node *n = &c->nodes[at];
	uint64_t number = n->next++, channel = number - 1;
	struct snapshot_channel *taken;

	if (number == 0)
		return head_take(c, n, r);
	if (channel >= n->head.channels)
		return channel - n->head.channels < n->head.messages &&
		       snapshot_message_decode(
			   r, &n->messages[channel - n->head.channels]);
	taken = &n->channels[channel];
	if (!snapshot_channel_decode(r, taken) ||
	    taken->stage != CHANNEL_CLOSED || taken->peer == n->id)
		return false;
	add(c, taken->peer, at);
	c->markers++;
	return true;
}

static int
compare_channels(const void *a, const void *b)
{
	const struct snapshot_channel *x = a, *y = b;

	return (x->peer > y->peer) - (x->peer < y->peer);
}

static const struct snapshot_channel *
channel_to(const struct assembled_node *n, node_id peer)
{
	const struct snapshot_channel key = { .peer = peer };

	return bsearch(
	    &key, n->channels, n->head.channels, sizeof(key), compare_channels);
}

/* All is there. A channel that one end does not name, or names otherwise, came
 * or went meanwhile. */
static void
complete(struct assembly *c)
{
	for (unsigned i = 0; i < c->count; i++)
		qsort(c->nodes[i].channels, c->nodes[i].head.channels,
		    sizeof(c->nodes[i].channels[0]), compare_channels);
	for (unsigned i = 0; i < c->count; i++) {
		const struct assembled_node *n = &c->nodes[i];

		for (unsigned j = 0; j < n->head.channels; j++) {
			const struct assembled_node *peer =
			    assembly_find(c, n->channels[j].peer);
			const struct snapshot_channel *back =
			    channel_to(peer, n->id);

			if (back == NULL ||
			    back->session != n->channels[j].session)
				fail(c, SNAPSHOT_LOST, peer->id);
		}
	}
	if (c->outcome == SNAPSHOT_OPEN)
		c->outcome = SNAPSHOT_COMPLETE;
}

void
assembly_take(
    struct assembly *c, const struct pulled *pulled, const uint8_t *items)
{
	struct reader r = reader_of(items, pulled->size);
	const struct pull *pull = &pulled->pull;
	unsigned at = asked_at(c, pull);
	struct assembled_node *n;

	if (c->outcome != SNAPSHOT_OPEN || at == c->count ||
	    !snapshot_name_equal(&pull->name, &c->name))
		return;
	n = &c->nodes[at];
	n->is_asked = false;
	if (n->next > 0 && pulled->incarnation != n->head.incarnation) {
		fail(c, SNAPSHOT_RESTARTED, n->id);
		return;
	}
	if (pulled->outcome != SNAPSHOT_COMPLETE) {
		fail(c, pulled->outcome,
		    pulled->culprit != NODE_NONE ? pulled->culprit : n->id);
		return;
	}
	if (pulled->first != n->next || r.left == 0) {
		fail(c, SNAPSHOT_ABSURD, n->id);
		return;
	}
	while (r.left > 0) {
		if (!item_take(c, at, &r)) {
			fail(c, SNAPSHOT_ABSURD, n->id);
			return;
		}
	}
	n->is_whole =
	    n->next == 1 + (uint64_t)n->head.channels + n->head.messages;
	if (n->is_whole != (pulled->next == 0)) {
		fail(c, SNAPSHOT_ABSURD, n->id);
		return;
	}
	c->whole += n->is_whole;
	if (c->outcome == SNAPSHOT_OPEN && c->whole == c->count)
		complete(c);
}

void
assembly_give_up(struct assembly *c, node_id awaited)
{
	unsigned at = 0;

	while (at + 1 < c->count && c->nodes[at].is_whole)
		at++;
	fail(c, SNAPSHOT_SILENT,
	    awaited != NODE_NONE ? awaited : c->nodes[at].id);
}

const struct assembled_node *
assembly_find(const struct assembly *c, node_id id)
{
	unsigned at = c->table[slot_of(c, id)];

	return at == 0 ? NULL : &c->nodes[at - 1];
}

/* Checks what `n` has of one of its channels, whose messages are numbered
 * without a gap. */
static bool
channel_is_consistent(const struct assembly *c, const struct assembled_node *n,
    const struct snapshot_channel *in, char fault[ASSEMBLY_FAULT_MAX])
{
	const struct assembled_node *peer = assembly_find(c, in->peer);
	const struct snapshot_channel *out = channel_to(peer, n->id);
	uint32_t number = in->delivered;

	if (in->delivered > out->sent) {
		snprintf(fault, ASSEMBLY_FAULT_MAX,
		    "%" PRIu32 " has taken message %" PRIu32 ", which %" PRIu32
		    " has not sent",
		    n->id, in->delivered, peer->id);
		return false;
	}
	for (unsigned i = 0; i < n->head.messages; i++) {
		if (n->messages[i].from == peer->id &&
		    n->messages[i].sequence != ++number)
			break;
	}
	if (number == out->sent)
		return true;
	snprintf(fault, ASSEMBLY_FAULT_MAX,
	    "from %" PRIu32 " to %" PRIu32 " messages %" PRIu32 " to %" PRIu32
	    " were in transit, but others were recorded",
	    peer->id, n->id, in->delivered + 1, out->sent);
	return false;
}

bool
assembly_is_consistent(const struct assembly *c, char fault[ASSEMBLY_FAULT_MAX])
{
	assert(c->outcome == SNAPSHOT_COMPLETE);
	for (unsigned i = 0; i < c->count; i++) {
		const struct assembled_node *n = &c->nodes[i];

		for (unsigned j = 0; j < n->head.channels; j++) {
			if (!channel_is_consistent(
				c, n, &n->channels[j], fault))
				return false;
		}
	}
	return true;
}

static bool
leads(const struct assembled_node *n)
{
	return n->head.leader == n->id;
}

/* True if no other node leads in the term in which this one leads. */
static bool
leads_alone(const struct assembly *c, const struct assembled_node *n,
    char fault[ASSEMBLY_FAULT_MAX])
{
	for (unsigned i = 0; leads(n) && i < c->count; i++) {
		const struct assembled_node *m = &c->nodes[i];

		if (m == n || !leads(m) ||
		    m->head.leader_term != n->head.leader_term)
			continue;
		snprintf(fault, ASSEMBLY_FAULT_MAX,
		    "%" PRIu32 " and %" PRIu32 " lead in term %" PRIu64, n->id,
		    m->id, n->head.leader_term);
		return false;
	}
	return true;
}

bool
assembly_keeps_promises(
    const struct assembly *c, char fault[ASSEMBLY_FAULT_MAX])
{
	assert(c->outcome == SNAPSHOT_COMPLETE);
	for (unsigned i = 0; i < c->count; i++) {
		const struct assembled_node *n = &c->nodes[i];

		if (!leads_alone(c, n, fault))
			return false;
		for (unsigned j = 0; j < n->head.messages; j++) {
			const struct snapshot_message *m = &n->messages[j];
			const struct assembled_node *from =
			    assembly_find(c, m->from);

			if (from == NULL || m->term <= from->head.term)
				continue;
			snprintf(fault, ASSEMBLY_FAULT_MAX,
			    "a message from %" PRIu32 " to %" PRIu32
			    " is of term %" PRIu64
			    ", which its sender has not seen",
			    from->id, n->id, m->term);
			return false;
		}
	}
	return true;
}

node_id
assembly_leader(const struct assembly *c)
{
	for (unsigned i = 1; i < c->count; i++) {
		if (c->nodes[i].head.leader != c->nodes[0].head.leader)
			return NODE_NONE;
	}
	return c->nodes[0].head.leader;
}
