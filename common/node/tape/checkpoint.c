/* SPDX-License-Identifier: ISC */

#include "common/node/tape/checkpoint.h"

#include <string.h>

#include "common/node/node_parts.h"
#include "common/node/tape/entry.h"
#include "common/node/tape/tape.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What is secret in a node, or was sealed, and what is secret in a peer. */
struct secret {
	size_t at;
	size_t size;
};

#define SECRET(type, field)                                                    \
	{                                                                      \
		offsetof(struct type, field),                                  \
		    sizeof(((struct type *)NULL)->field)                       \
	}

static const struct secret of_node[] = {
	SECRET(node, setup.entropy),
	SECRET(node, keys.first.key),
	SECRET(node, keys.first.handshake),
	SECRET(node, keys.second.key),
	SECRET(node, keys.second.handshake),
	SECRET(node, group.key),
	SECRET(node, out.reply.bytes),
};

static const struct secret of_peer[] = {
	SECRET(peer, session.send_key),
	SECRET(peer, session.opener.key),
	SECRET(peer, handshake.offer.session.send_key),
	SECRET(peer, handshake.offer.session.opener.key),
	SECRET(peer, handshake.rejection.session.send_key),
	SECRET(peer, handshake.rejection.session.opener.key),
	SECRET(peer, will.last_opener.key),
	SECRET(peer, group.key),
};

static void
hide(uint8_t *memory, const struct secret *secrets, size_t count)
{
	for (size_t i = 0; i < count; i++)
		memset(memory + secrets[i].at, 0, secrets[i].size);
}

/* Begins a half of the node's tape with a checkpoint of the node as it is
 * now. */
static void
checkpoint_take(struct node *node, nsec_t now)
{
	const struct node_setup *setup = &node->setup;
	struct tape *tape = node->recording.tape;
	uint8_t *memory = tape_turn(tape, node->recording.size), *peers;
	struct checkpoint checkpoint = {
		.now = now,
		.base = (uint64_t)(uintptr_t)node,
		.topology = setup->topology,
		.document = setup->document,
		.document_size = setup->document_size,
		.proposal = node->configs.proposal,
		.proposal_size = node->configs.proposal_size,
	};

	if (memory == NULL)
		return;
	memcpy(memory, node, node->recording.size);
	peers = memory + ((uint8_t *)node->peers - (uint8_t *)node);
	hide(memory, of_node, COUNT(of_node));
	for (unsigned i = 0; i < node->peers_count; i++)
		hide(peers + i * sizeof(struct peer), of_peer, COUNT(of_peer));
	entry_write_checkpoint(
	    tape_entries(tape), &checkpoint, setup->algorithm->name);
}

void
node_begin_tape(struct node *node, nsec_t now, struct tape *tape)
{
	assert(tape == NULL || tape_records(tape));
	node->recording.tape = tape;
	if (tape != NULL)
		checkpoint_take(node, now);
}

void
record(struct node *node, nsec_t now, struct entry in)
{
	if (!tape_records(node->recording.tape))
		return;
	if (tape_is_full(node->recording.tape, entry_size(&in)))
		checkpoint_take(node, now);
	entry_write(tape_input(node->recording.tape, in.kind, now), &in);
}

/*
 * The pointers in a node's memory: each points into that memory, or is NULL.
 * The state of an election has one more, to the view.
 */
static const size_t pointers[] = {
	offsetof(struct node, peers),
	offsetof(struct node, blocks),
	offsetof(struct node, table.by_id),
	offsetof(struct node, table.by_rank),
	offsetof(struct node, table.wake_at),
	offsetof(struct node, topology.links),
	offsetof(struct node, topology.ring.sides[RING_RIGHT].order),
	offsetof(struct node, topology.ring.sides[RING_LEFT].order),
	offsetof(struct node, topology.tree.ends),
	offsetof(struct node, election.setup.links),
	offsetof(struct node, election.past),
	offsetof(struct node, election.view.links),
	offsetof(struct node, election.view.choices),
	offsetof(struct node, election.view_links),
	offsetof(struct node, election.link_at),
	offsetof(struct node, election.sessions),
	offsetof(struct node, election.view_of),
	offsetof(struct node, election.state),
	offsetof(struct node, election.outbox.messages),
	offsetof(struct node, lead.by),
	offsetof(struct node, vote.nominee.lease.grants),
	offsetof(struct node, configs.from),
	offsetof(struct node, look.snapshots.messages),
	offsetof(struct node, look.events.ring),
	offsetof(struct node, out.moved),
	offsetof(struct node, out.notices.ring),
};

/* Moves the pointers of a node that was at `base`, and is now at `memory`.
 * False: one does not point into its memory. */
static bool
move_pointers(uint8_t *memory, size_t size, uint64_t base)
{
	for (size_t i = 0; i < COUNT(pointers); i++) {
		uint8_t *pointer;
		uint64_t at;

		memcpy(&pointer, memory + pointers[i], sizeof(pointer));
		if (pointer == NULL)
			continue;
		at = (uint64_t)(uintptr_t)pointer - base;
		if (at >= size)
			return false;
		pointer = memory + at;
		memcpy(memory + pointers[i], &pointer, sizeof(pointer));
	}
	return true;
}

/* A state points to nothing but the view (algorithm.h), so what looks like that
 * pointer, between the state and the end of the memory, is one. */
static void
move_state(struct election *e, const uint8_t *end, uint64_t view_was)
{
	const void *view = &e->view;
	uint8_t *at = e->state;

	for (; at + sizeof(view) <= end; at += sizeof(view)) {
		if (memcmp(at, &view_was, sizeof(view)) == 0)
			memcpy(at, &view, sizeof(view));
	}
}

struct node *
node_restore(void *memory, size_t size, const struct checkpoint *checkpoint,
    const struct algorithm *algorithm, struct tape *tape)
{
	struct node *node = memory;

	if (size < sizeof(*node) || node->peers_count >= NODES_MAX ||
	    !move_pointers(memory, size, checkpoint->base))
		return NULL;
	move_state(&node->election, (uint8_t *)memory + size,
	    checkpoint->base + offsetof(struct node, election.view));
	node->setup.algorithm = algorithm;
	node->setup.document = checkpoint->document;
	node->setup.document_size = checkpoint->document_size;
	node->election.setup.algorithm = algorithm;
	node->configs.proposal = checkpoint->proposal;
	node->configs.proposal_size = checkpoint->proposal_size;
	node->recording.tape = tape;
	node->recording.size = size;
	return node;
}
