/* SPDX-License-Identifier: ISC */
/*
 * What an election costs: the messages that the whole cluster sent in it
 * (PROTOCOL.md, Message reports). Each node reports what it has sent to the
 * node whose beacons it hears, which hands the report on towards the leader;
 * the leader adds the reports up. A node that has sent more reports again.
 */
#ifndef ELECTD_COMMON_WIRE_COSTS_H
#define ELECTD_COMMON_WIRE_COSTS_H

#include "common/util/bytes.h"
#include "common/wire/message.h"

/* On the wire (PROTOCOL.md, Frames): the fields below, one by one. */
#define COST_REPORT_BYTES (8 + 4 + 1 + 4 * MESSAGE_KINDS_MAX)

/* What one node sent in one term. */
struct cost_report {
	uint64_t term;                    /* 1 to TERM_MAX */
	node_id node;                     /* the node that sent the messages */
	bool is_starter;                  /* it began the election by itself */
	uint32_t sent[MESSAGE_KINDS_MAX]; /* messages, by kind */
};

/* A node's table of a term: the latest report of each node that it knows. */
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
 * Copies a report to the table and returns it there. NULL, and nothing changed,
 * if it is of another term or says nothing new, or if the table has no place
 * for another node.
 */
const struct cost_report *costs_take(
    struct costs *c, const struct cost_report *r);

/* Adds up what the nodes have reported. */
struct costs_sum costs_sum(const struct costs *c);

/* Asserts every invariant; called by tests. */
void costs_check(const struct costs *c);

#endif
