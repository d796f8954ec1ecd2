/* SPDX-License-Identifier: ISC */
#include "tests/fuzz/feed_hosts.h"

#include <string.h>

#include "algorithms/registry.h"

/* What each byte says as a document. */
static uint8_t documents[UINT8_MAX + 1][FEED_DOCUMENT];

/* What a document says of a node's peers and algorithm. */
static void
set_peers(struct feed_hosts *h, unsigned node, uint8_t bits)
{
	struct node_setup *setup = &h->stage->setups[node];
	struct peer_setup known[] = {
		{ .id = 1, .role = bits & 4 ? ROLE_OBSERVER : ROLE_CANDIDATE },
		{ .id = 3 - node,
		    .role = ROLE_CANDIDATE,
		    .priority = bits >> 5 & 1 & node },
	};
	unsigned turned = bits >> 4 & 1;
	bool is_quorum = setup->guarantee == GUARANTEE_QUORUM;

	for (unsigned i = 0; i < 2; i++)
		known[i].is_configured =
		    is_quorum && known[i].role != ROLE_OBSERVER;
	setup->priority = bits >> 5 & 1 & (1 - node);
	setup->algorithm =
	    bits & 0x80 ? &algorithm_bully_broadcast : &algorithm_bully;
	h->peers[node][turned] = known[0];
	h->peers[node][1 - turned] = known[1];
	setup->peers_count = 2;
	if (bits & 8) {
		h->peers[node][0] = known[1];
		setup->peers_count = 1;
	}
	setup->peers = h->peers[node];
}

static void
set_setup(struct feed_hosts *h, unsigned node, const struct edition *edition,
    uint8_t bits)
{
	struct node_setup *setup = &h->stage->setups[node];

	setup->edition = *edition;
	setup->document = documents[bits];
	setup->document_size = FEED_DOCUMENT;
	setup->timing.heartbeat = (25 * MSEC) << (bits & 3);
	setup->timing.misses = bits & 0x40 ? 5 : 3;
	if (h->has_steps)
		setup->timing.lease = (1 + (bits >> 1 & 3)) * SEC;
	if (h->is_full)
		set_peers(h, node, bits);
}

/* Puts an edition into effect, whose document is `documents[bits]`. */
static void
change(struct feed_hosts *h, unsigned node, const struct edition *edition,
    uint8_t bits)
{
	set_setup(h, node, edition, bits);
	h->in_effect[node] = bits;
	h->stage->documents[node].size = 0;
	stage_change(h->stage, node);
}

struct edition
feed_edition(uint64_t stamp, uint32_t generation, uint8_t bits)
{
	struct edition edition = {
		.stamp = stamp,
		.generation = generation,
		.digest = { bits, (uint8_t)generation,
		    (uint8_t)(generation >> 8), (uint8_t)(generation >> 16) },
	};

	edition.digest[2] ^= (uint8_t)(stamp >> 8);
	edition.digest[3] ^= (uint8_t)stamp;
	return edition;
}

static bool
may_change(struct feed_hosts *h, unsigned node)
{
	return !node_stopped(h->stage->nodes[node]) &&
	       !stage_status(h->stage, node).is_leaving;
}

/* The disk takes this document at once. */
static void
keep(struct feed_hosts *h, unsigned node, enum rollout_origin origin,
    const struct edition *edition, uint8_t bits)
{
	struct rollout *rollout = &h->rollouts[node];

	rollout_keep(rollout, origin, edition);
	if (rollout_kept(rollout, h->stage->nodes[node], h->stage->now, true) ==
	    ROLLOUT_APPLY)
		change(h, node, edition, bits);
}

/* The host wants this document in effect. */
static void
want(struct feed_hosts *h, unsigned node, enum rollout_origin origin,
    uint32_t generation, uint8_t bits)
{
	struct rollout *rollout = &h->rollouts[node];
	const struct edition edition = feed_edition(0, generation, bits);

	if (!rollout_wants(rollout, h->stage->nodes[node], origin, &edition))
		return;
	h->wished[node] = bits;
	rollout_wish(rollout, h->stage->nodes[node], origin, &edition,
	    documents[bits], FEED_DOCUMENT);
}

/* What is next, by the setup of the wish. */
static struct rollout_todo
next_of(struct feed_hosts *h, unsigned node)
{
	struct rollout *rollout = &h->rollouts[node];
	struct node_setup *setup = &h->stage->setups[node], before = *setup;
	struct peer_setup peers_before[2];
	struct rollout_todo todo;

	memcpy(peers_before, h->peers[node], sizeof(peers_before));
	if (rollout->has_wish)
		set_setup(h, node, &rollout->wish, h->wished[node]);
	todo = rollout_next(rollout, h->stage->nodes[node], h->stage->now,
	    rollout->has_wish ? setup : NULL);
	*setup = before;
	memcpy(h->peers[node], peers_before, sizeof(peers_before));
	return todo;
}

/* The host goes on with what is to come into effect. Its disk takes all. */
static void
pursue(struct feed_hosts *h, unsigned node)
{
	const struct edition now = h->stage->setups[node].edition;
	const struct edition *wish = &h->rollouts[node].wish;
	struct rollout_todo todo = next_of(h, node);
	bool is_wish = todo.which == ROLLOUT_WISHED;
	uint8_t bits = is_wish ? h->wished[node] : h->in_effect[node];
	struct edition next;

	if (todo.act != ROLLOUT_WRITE)
		return;
	assert(todo.which != ROLLOUT_NEXT);
	next = feed_edition(todo.stamp != 0 || is_wish ? todo.stamp : now.stamp,
	    is_wish ? wish->generation : now.generation, bits);
	keep(h, node, todo.origin, &next, bits);
}

static bool
document_is_right(const struct stage_document *d)
{
	const struct edition right =
	    feed_edition(d->edition.stamp, d->edition.generation, d->bytes[0]);

	return d->total == FEED_DOCUMENT &&
	       edition_compare(&d->edition, &right) == 0 &&
	       memcmp(d->bytes, documents[d->bytes[0]], FEED_DOCUMENT) == 0;
}

/* A host that has all of a document uses it, or refuses it. */
static void
judge_document(struct feed_hosts *h, unsigned node)
{
	struct stage_document *got = &h->stage->documents[node];

	if (got->size == 0 || got->size < got->total)
		return;
	switch (rollout_offer(&h->rollouts[node], h->stage->nodes[node],
	    h->stage->now, &got->edition,
	    document_is_right(got) ? OFFERED_RIGHT : OFFERED_WRONG)) {
	case OFFER_IGNORE:
		break;
	case OFFER_KEEP:
		keep(h, node, ORIGIN_PEER, &got->edition, got->bytes[0]);
		break;
	case OFFER_WISH:
		want(h, node, ORIGIN_PEER, got->edition.generation,
		    got->bytes[0]);
		break;
	case OFFER_REFUSE:
		node_refuse(
		    h->stage->nodes[node], h->stage->now, &got->edition);
		break;
	}
	got->size = 0;
	stage_perform(h->stage, node);
}

void
feed_hosts_judge(struct feed_hosts *h)
{
	for (unsigned i = 0; i < STAGE_NODES; i++) {
		if (!may_change(h, i))
			continue;
		judge_document(h, i);
		pursue(h, i);
		stage_perform(h->stage, i);
	}
}

void
feed_hosts_reload(struct feed_hosts *h, unsigned node, uint8_t bits)
{
	const struct node_setup *setup = &h->stage->setups[node];
	uint32_t generation = setup->edition.generation + 1;

	if (setup->document == NULL || generation > 100 || !may_change(h, node))
		return;
	rollout_withdraw(&h->rollouts[node], h->stage->nodes[node], generation);
	want(h, node, ORIGIN_FILE, generation, bits);
	pursue(h, node);
}

const uint8_t *
feed_document(uint8_t bits)
{
	return documents[bits];
}

void
feed_hosts_exchange(struct feed_hosts *h)
{
	for (unsigned bits = 0; bits <= UINT8_MAX; bits++) {
		for (size_t i = 0; i < FEED_DOCUMENT; i++)
			documents[bits][i] = (uint8_t)(bits + 7 * i);
	}
	for (unsigned i = 0; i < STAGE_NODES; i++) {
		h->in_effect[i] = 0;
		h->rollouts[i] = (struct rollout){ .is_quorum = h->has_steps };
		h->stage->setups[i].edition = feed_edition(0, 0, 0);
		h->stage->members[i].edition = feed_edition(0, 0, 0);
		h->stage->setups[i].document = documents[0];
		h->stage->setups[i].document_size = FEED_DOCUMENT;
		h->stage->members[i].exchanges = true;
	}
}
