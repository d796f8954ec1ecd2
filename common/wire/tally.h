/* SPDX-License-Identifier: ISC */
/*
 * The messages of one election in the whole cluster. Each node reports what
 * it has sent to the node whose beacons it hears, which hands the report on;
 * so it comes to the leader, who sums. Reports travel in the channels, behind
 * the messages they count; a node that has sent more reports again.
 */
#ifndef ELECTD_COMMON_WIRE_TALLY_H
#define ELECTD_COMMON_WIRE_TALLY_H

#include "common/util/bytes.h"
#include "common/wire/message.h"

#define REPORT_BYTES (1 + 8 + 4 + 1 + 2 + 4 * MESSAGE_KINDS_MAX)
#define REPORT_MARK  0x80 /* its first byte; a message's is its kind */

/* What one node sent in one term. */
struct report {
	uint64_t term;
	node_id node;
	bool is_starter;
	uint16_t hops; /* nodes that handed it on; to NODES_MAX */
	uint32_t sent[MESSAGE_KINDS_MAX];
};

/* The leader's table of a term: each node's latest report. */
struct tally {
	uint64_t term;
	struct report *reports; /* memory of the caller's */
	unsigned capacity;
	unsigned count;
};

struct tally_sum {
	unsigned nodes; /* that have reported */
	unsigned starters;
	uint64_t sent[MESSAGE_KINDS_MAX];
};

void report_encode(struct writer *w, const struct report *r);

/* False when the bytes are no report; *report is then unspecified. */
bool report_decode(struct reader *r, struct report *report);

/* Begins a new term: nobody has reported. */
void tally_begin(struct tally *t, uint64_t term);

/* Takes a report of this term; false if it says nothing new, or there is no
 * room for another node. */
bool tally_take(struct tally *t, const struct report *r);

struct tally_sum tally_sum(const struct tally *t);

#endif
