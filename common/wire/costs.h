/* SPDX-License-Identifier: ISC */
/*
 * The messages of one election in the whole cluster. Each node reports what
 * it has sent to the node whose beacons it hears, which hands the report on;
 * so it comes to the leader, who sums. Reports travel in the channels, behind
 * the messages they count; a node that has sent more reports again.
 */
#ifndef ELECTD_COMMON_WIRE_COSTS_H
#define ELECTD_COMMON_WIRE_COSTS_H

#include "common/util/bytes.h"
#include "common/wire/message.h"

#define COST_REPORT_BYTES (1 + 8 + 4 + 1 + 2 + 4 * MESSAGE_KINDS_MAX)
#define COST_REPORT_MARK  0x80 /* its first byte; a message's is its kind */

/* What one node sent in one term. */
struct cost_report {
	uint64_t term;
	node_id node;
	bool is_starter;
	uint16_t hops; /* nodes that handed it on; to NODES_MAX */
	uint32_t sent[MESSAGE_KINDS_MAX];
};

/* The leader's table of a term: each node's latest report. */
struct costs {
	uint64_t term;
	struct cost_report *reports; /* memory of the caller's */
	unsigned capacity;
	unsigned count;
};

struct costs_sum {
	unsigned nodes; /* that have reported */
	unsigned starters;
	uint64_t sent[MESSAGE_KINDS_MAX];
};

void cost_report_encode(struct writer *w, const struct cost_report *r);

/* False when the bytes are no report; *report is then unspecified. */
bool cost_report_decode(struct reader *r, struct cost_report *report);

/* Begins a new term: nobody has reported. */
void costs_begin(struct costs *t, uint64_t term);

/* Takes a report of this term; false if it says nothing new, or there is no
 * room for another node. */
bool costs_take(struct costs *t, const struct cost_report *r);

struct costs_sum costs_sum(const struct costs *t);

#endif
