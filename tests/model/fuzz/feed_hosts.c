/* SPDX-License-Identifier: ISC */
#include "tests/model/fuzz/feed_hosts.h"

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
set_setup(struct feed_hosts *h, unsigned node,
    const struct config_id *config_id, uint8_t bits)
{
	struct node_setup *setup = &h->stage->setups[node];

	setup->config_id = *config_id;
	setup->document = documents[bits];
	setup->document_size = FEED_DOCUMENT;
	setup->timing.heartbeat = (25 * MSEC) << (bits & 3);
	setup->timing.misses = bits & 0x40 ? 5 : 3;
	if (h->has_steps)
		setup->timing.lease = (1 + (bits >> 1 & 3)) * SEC;
	if (h->is_full)
		set_peers(h, node, bits);
}

/* Puts a configuration into effect, whose document is `documents[bits]`. */
static void
change(struct feed_hosts *h, unsigned node, const struct config_id *config_id,
    uint8_t bits)
{
	set_setup(h, node, config_id, bits);
	h->in_effect[node] = bits;
	h->stage->documents[node].size = 0;
	stage_change(h->stage, node);
}

struct config_id
feed_config_id(uint64_t config_term, uint32_t config_version, uint8_t bits)
{
	struct config_id config_id = {
		.config_term = config_term,
		.config_version = config_version,
		.digest = { bits, (uint8_t)config_version,
		    (uint8_t)(config_version >> 8),
		    (uint8_t)(config_version >> 16) },
	};

	config_id.digest[2] ^= (uint8_t)(config_term >> 8);
	config_id.digest[3] ^= (uint8_t)config_term;
	return config_id;
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
    const struct config_id *config_id, uint8_t bits)
{
	struct rollout *rollout = &h->rollouts[node];

	rollout_keep(rollout, origin, config_id);
	if (rollout_kept(rollout, h->stage->nodes[node], h->stage->now, true) ==
	    ROLLOUT_APPLY)
		change(h, node, config_id, bits);
}

/* The host wants this document in effect. */
static void
want(struct feed_hosts *h, unsigned node, enum rollout_origin origin,
    uint32_t config_version, uint8_t bits)
{
	struct rollout *rollout = &h->rollouts[node];
	const struct config_id config_id =
	    feed_config_id(0, config_version, bits);

	if (!rollout_wants(rollout, h->stage->nodes[node], origin, &config_id))
		return;
	h->proposed[node] = bits;
	rollout_propose(rollout, h->stage->nodes[node], origin, &config_id,
	    documents[bits], FEED_DOCUMENT);
}

/* What is next, by the setup of the proposal. */
static struct rollout_todo
next_of(struct feed_hosts *h, unsigned node)
{
	struct rollout *rollout = &h->rollouts[node];
	struct node_setup *setup = &h->stage->setups[node], before = *setup;
	struct peer_setup peers_before[2];
	struct rollout_todo todo;

	memcpy(peers_before, h->peers[node], sizeof(peers_before));
	if (rollout->has_proposal)
		set_setup(h, node, &rollout->proposal, h->proposed[node]);
	todo = rollout_next(rollout, h->stage->nodes[node], h->stage->now,
	    rollout->has_proposal ? setup : NULL);
	*setup = before;
	memcpy(h->peers[node], peers_before, sizeof(peers_before));
	return todo;
}

/* The host goes on with what is to come into effect. Its disk takes all. */
static void
pursue(struct feed_hosts *h, unsigned node)
{
	const struct config_id now = h->stage->setups[node].config_id;
	const struct config_id *proposal = &h->rollouts[node].proposal;
	struct rollout_todo todo = next_of(h, node);
	bool is_proposal = todo.which == ROLLOUT_PROPOSED;
	uint8_t bits = is_proposal ? h->proposed[node] : h->in_effect[node];
	struct config_id next;

	if (todo.act != ROLLOUT_WRITE)
		return;
	assert(todo.which != ROLLOUT_NEXT);
	next = feed_config_id(todo.config_term != 0 || is_proposal
				  ? todo.config_term
				  : now.config_term,
	    is_proposal ? proposal->config_version : now.config_version, bits);
	keep(h, node, todo.origin, &next, bits);
}

static bool
document_is_right(const struct stage_document *d)
{
	const struct config_id right = feed_config_id(
	    d->config_id.config_term, d->config_id.config_version, d->bytes[0]);

	return d->total == FEED_DOCUMENT &&
	       config_id_compare(&d->config_id, &right) == 0 &&
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
	    h->stage->now, &got->config_id,
	    document_is_right(got) ? OFFERED_RIGHT : OFFERED_WRONG)) {
	case OFFER_IGNORE:
		break;
	case OFFER_KEEP:
		keep(h, node, ORIGIN_PEER, &got->config_id, got->bytes[0]);
		break;
	case OFFER_PROPOSAL:
		want(h, node, ORIGIN_PEER, got->config_id.config_version,
		    got->bytes[0]);
		break;
	case OFFER_REFUSE:
		node_refuse(
		    h->stage->nodes[node], h->stage->now, &got->config_id);
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
	uint32_t config_version = setup->config_id.config_version + 1;

	if (setup->document == NULL || config_version > 100 ||
	    !may_change(h, node))
		return;
	rollout_withdraw(
	    &h->rollouts[node], h->stage->nodes[node], config_version);
	want(h, node, ORIGIN_FILE, config_version, bits);
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
		h->stage->setups[i].config_id = feed_config_id(0, 0, 0);
		h->stage->members[i].config_id = feed_config_id(0, 0, 0);
		h->stage->setups[i].document = documents[0];
		h->stage->setups[i].document_size = FEED_DOCUMENT;
		h->stage->members[i].exchanges = true;
	}
}
