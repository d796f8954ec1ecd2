/* SPDX-License-Identifier: ISC */

#include "common/node/drive/image.h"

#include <string.h>

#include "common/node/config/editions.h"
#include "common/node/lead/lastwill.h"
#include "common/node/links/topology.h"
#include "common/node/look/pulls.h"
#include "common/node/look/snapshot.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/session.h"
#include "common/node/tape/entry.h"
#include "common/node/tape/tape.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/group.h"
#include "common/node/watch/handshake.h"

/* Overwrites all that is secret, and all that was sealed. The peers are where
 * they are in the node. */
static void
hide(struct node *image, size_t peers_at)
{
	struct peer *peers =
	    (struct peer *)(void *)((uint8_t *)image + peers_at);

	keys_hide(image);
	group_hide(image);
	handshake_hide_reply(image);
	for (unsigned i = 0; i < image->peers_count; i++) {
		session_hide(&peers[i].session);
		handshake_hide(&peers[i]);
		lastwill_hide(&peers[i]);
		group_hide_peer(&peers[i]);
	}
}

void
image_take(struct node *node, nsec_t now)
{
	const struct node_setup *setup = &node->setup;
	uint8_t *memory = tape_turn(node->tape, node->size);
	struct image image = {
		.now = now,
		.base = (uint64_t)(uintptr_t)node,
		.topology = setup->topology,
		.document = setup->document,
		.document_size = setup->document_size,
	};

	if (memory == NULL)
		return;
	image.proposal = editions_proposal(node, &image.proposal_size);
	memcpy(memory, node, node->size);
	hide((struct node *)(void *)memory,
	    (size_t)((uint8_t *)node->peers - (uint8_t *)node));
	entry_write_image(
	    tape_entries(node->tape), &image, setup->algorithm->name);
}

void
node_begin_tape(struct node *node, nsec_t now, struct tape *tape)
{
	node->tape = tape;
	if (tape != NULL)
		image_take(node, now);
}

/* The queue of notices and the events, which init.c made. */
static void
rings_shift(struct node *node, struct shift *s)
{
	struct notices *notices = &node->out.notices;
	struct event_log *events = &node->events;

	notices->ring = shift_pointer(
	    s, notices->ring, notices->capacity, sizeof(*notices->ring));
	events->ring = shift_pointer(
	    s, events->ring, events->capacity, sizeof(*events->ring));
}

/* What the setup points to: but for these two, nothing. */
static void
setup_shift(struct node_setup *s, const struct image *image,
    const struct algorithm *algorithm)
{
	s->algorithm = algorithm;
	s->cluster = NULL;
	s->peers = NULL;
	s->ring.right = s->ring.left = NULL;
	s->document = image->document;
	s->document_size = image->document_size;
}

struct node *
node_restore(void *memory, size_t size, const struct image *image,
    const struct algorithm *algorithm, struct tape *tape)
{
	struct node *node = memory;
	struct shift s = { .from = image->base, .to = memory, .size = size };
	const void *blocks;
	unsigned n;

	if (size < sizeof(*node) || node->peers_count >= NODES_MAX)
		return NULL;
	n = node->peers_count;
	blocks = node->blocks;
	setup_shift(&node->setup, image, algorithm);
	node->tape = tape;
	node->size = size;
	node->peers = shift_pointer(&s, node->peers, n, sizeof(*node->peers));
	node->blocks = shift_pointer(&s, blocks, 1, blocks_size(1));
	if (node->blocks == NULL)
		return NULL;
	node->blocks = shift_pointer(
	    &s, blocks, 1, blocks_size(blocks_count(node->blocks)));
	node->out.moved =
	    shift_pointer(&s, node->out.moved, 1, sizeof(struct peer));
	peers_shift(node, &s);
	topology_shift(node, &s);
	snapshot_shift(node, &s);
	pulls_shift(node, &s);
	candidate_shift(node, &s);
	editions_shift(node, &s, image->proposal);
	lead_move(&node->lead,
	    shift_pointer(&s, node->lead.by, 1, sizeof(struct peer)));
	rings_shift(node, &s);
	election_shift(&node->election, &s, algorithm);
	return s.has_failed ? NULL : node;
}
