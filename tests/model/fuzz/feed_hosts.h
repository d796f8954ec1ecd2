/* SPDX-License-Identifier: ISC */
/*
 * The hosts of the stage's nodes: what each document says, and which of them a
 * host puts into effect.
 */
#ifndef ELECTD_TESTS_MODEL_FUZZ_FEED_HOSTS_H
#define ELECTD_TESTS_MODEL_FUZZ_FEED_HOSTS_H

#include "common/host/rollout.h"
#include "tests/lib/stage.h"

#define FEED_DOCUMENT 300 /* bytes of a document */

struct feed_hosts {
	struct stage *stage;
	bool is_full;   /* the nodes are linked each to each */
	bool has_steps; /* QUORUM: documents are exchanged, and the leader puts
	                 * into effect what a host wants */
	struct peer_setup peers[STAGE_NODES][2]; /* by the setups */
	uint8_t in_effect[STAGE_NODES];          /* bits of the document */
	struct rollout rollouts[STAGE_NODES];
	uint8_t proposed[STAGE_NODES]; /* bits of the document of the
					* proposal */
};

/* The configuration whose document is that of these bits. */
struct config_id feed_config_id(
    uint64_t config_term, uint32_t config_version, uint8_t bits);

/* The document that these bits stand for: FEED_DOCUMENT bytes. */
const uint8_t *feed_document(uint8_t bits);

/* Before the nodes start: nodes and members exchange documents. */
void feed_hosts_exchange(struct feed_hosts *h);

/* The host of a node gets a later file. */
void feed_hosts_reload(struct feed_hosts *h, unsigned node, uint8_t bits);

/* Each host uses or refuses what has come, and goes on with what it wants. */
void feed_hosts_judge(struct feed_hosts *h);

#endif
