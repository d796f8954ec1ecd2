/* SPDX-License-Identifier: ISC */
/*
 * What the results of a check come to. The first one decides; after that, so
 * many in a row must say otherwise. Pure.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_CHECK_TALLY_H
#define ELECTD_DAEMON_ELECTCTL_CHECK_TALLY_H

#include <stdbool.h>

enum tally_verdict {
	TALLY_NONE, /* there was no result */
	TALLY_WELL,
	TALLY_FAULT,
};

/* All zero: no result. */
struct tally {
	enum tally_verdict verdict;
	unsigned against; /* the last results in a row that say otherwise */
};

/* Takes a result. `rise` passes in a row end a fault, `fall` failures are one;
 * both are 1 or more. True if the verdict has changed. */
bool tally_take(
    struct tally *tally, bool has_passed, unsigned rise, unsigned fall);

#endif
