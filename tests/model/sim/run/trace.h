/* SPDX-License-Identifier: ISC */
/*
 * A run as text, a line a step: when, which node, what came, the phase that
 * it is in now, and what it does.
 *
 *     2    3 < ELECTION(4) from 2        passive     > ELECTION(4) to 4
 *     4 4 < ELECTION(4) from 3 decided > LEADER(4) to 1 = leader 4
 */
#ifndef ELECTD_TESTS_MODEL_SIM_RUN_TRACE_H
#define ELECTD_TESTS_MODEL_SIM_RUN_TRACE_H

#include <stdio.h>

#include "tests/model/sim/run/run.h"

struct trace {
	const struct algorithm *algorithm;
	const struct rank *ranks; /* by position */
	FILE *to;
	int column;     /* letters for the event */
	int padding;    /* letters left before the results */
	bool has_begun; /* a line, which has not ended yet */
	char last[128]; /* the message that this step sent last; "": none */
};

void trace_init(struct trace *t, const struct run_setup *setup, FILE *to);

/* The run's observer (run_observe); the context is the trace. */
void trace_observe(void *context, const struct moment *moment);

/* Ends the last line. */
void trace_end(struct trace *t);

/* Writes a message as traces show it, "PROBE(7, phase 1, distance 2)". */
void trace_message(const struct algorithm *algorithm, const struct message *m,
    char *text, size_t size);

#endif
