/* SPDX-License-Identifier: ISC */
/* Snapshots and pulls of a script. */
#ifndef ELECTD_TESTS_MODEL_FUZZ_FEED_PULL_H
#define ELECTD_TESTS_MODEL_FUZZ_FEED_PULL_H

#include "tests/lib/stage.h"

/* The node begins a snapshot and a pull; or its member sends up to three
 * frames: names, markers, pulls and answers. */
void feed_pull(struct reader *r, struct stage *s, unsigned node);

#endif
