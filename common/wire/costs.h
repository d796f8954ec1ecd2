/* SPDX-License-Identifier: ISC */
/*
 * What an election costs: the messages that the whole cluster sent in it
 * (PROTOCOL.md, Message reports). Each node reports what it has sent to the
 * node whose beacons it hears, which hands the report on towards the leader;
 * the leader adds the reports up. Reports travel in the channels, behind the
 * messages they count; a node that has sent more reports again.
 */
#ifndef ELECTD_COMMON_WIRE_COSTS_H
#define ELECTD_COMMON_WIRE_COSTS_H

#include "common/util/bytes.h"
#include "common/wire/message.h"

#define COST_REPORT_BYTES (1 + 8 + 4 + 1 + 2 + 4 * MESSAGE_KINDS_MAX)
#define COST_REPORT_MARK  0x80 /* its first byte; a message's is its kind */

/* What one node sent in one term. */
struct cost_report {
	uint64_t term;                    /* 1 to TERM_MAX */
	node_id node;                     /* the node that sent the messages */
	bool is_starter;                  /* it began the election by itself */
	uint16_t hops;                    /* nodes that handed the report on */
	uint32_t sent[MESSAGE_KINDS_MAX]; /* messages, by kind */
};

/* The leader's table of a term: each node's latest report. */
struct costs {
	uint64_t term;               /* of all reports in the table */
	struct cost_report *reports; /* `capacity` of them; the caller's */
	unsigned capacity;
	unsigned count; /* reports in the table, one a node */
};

/* All reports of a table together. */
struct costs_sum {
	unsigned nodes;                   /* that have reported */
	unsigned starters;                /* of these */
	uint64_t sent[MESSAGE_KINDS_MAX]; /* messages, by kind */
};

/* Writes a report, COST_REPORT_BYTES bytes. */
void cost_report_encode(struct writer *w, const struct cost_report *r);

/*
 * Reads a report and checks the range of every field. False if the bytes are no
 * report: *report is then unspecified.
 */
bool cost_report_decode(struct reader *r, struct cost_report *report);

/* Empties the table for a new term. */
void costs_begin(struct costs *c, uint64_t term);

/*
 * Takes a report. False, and nothing changed, if it is of another term or says
 * nothing new, or if the table has no place for another node.
 */
bool costs_take(struct costs *c, const struct cost_report *r);

/* Adds up what the nodes have reported. */
struct costs_sum costs_sum(const struct costs *c);

/* Asserts every invariant; called by tests. */
void costs_check(const struct costs *c);

#endif
