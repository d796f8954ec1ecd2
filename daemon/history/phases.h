/* SPDX-License-Identifier: ISC */
/* What the phases of messages are called, by the names of the algorithm and of
 * the kind of message. */
#ifndef ELECTD_DAEMON_HISTORY_PHASES_H
#define ELECTD_DAEMON_HISTORY_PHASES_H

#include "common/util/types.h"

/* "phase" or "round"; NULL: it has no meaning. */
const char *phase_name(const char *algorithm, const char *kind);

/* The phase's own name, "back", where it has one; NULL: it is a number. */
const char *phase_word(const char *algorithm, const char *kind, uint32_t phase);

#endif
