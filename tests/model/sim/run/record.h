/* SPDX-License-Identifier: ISC */
/* The histories of a run: what its nodes would keep (common/node/event.h). */
#ifndef ELECTD_TESTS_MODEL_SIM_RUN_RECORD_H
#define ELECTD_TESTS_MODEL_SIM_RUN_RECORD_H

#include "daemon/history/history.h"
#include "tests/model/sim/run/run.h"

struct record;

/*
 * Makes the record of the run that this setup describes, and borrows what the
 * setup points to until record_free(). NULL: there is no memory.
 */
struct record *record_new(const struct run_setup *setup);

/* The run's observer (run_observe); the context is the record. */
void record_observe(void *context, const struct moment *moment);

/* The histories, in the order of the nodes' positions; they stay the record's.
 * NULL: it had more nodes or events than histories hold, or no memory. */
const struct histories *record_histories(const struct record *r);

/* Frees it; NULL is allowed. */
void record_free(struct record *r);

#endif
