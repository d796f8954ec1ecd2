/* SPDX-License-Identifier: ISC */
/*
 * Faults as they are written on a command line: loss=30% delay=5ms
 * rate=1mbit, or none.
 */
#ifndef ELECTD_TESTS_LAN_FAULTS_H
#define ELECTD_TESTS_LAN_FAULTS_H

#include "tests/lan/wire.h"

/* Changes what one word names; false when it is not understood. */
bool faults_parse(struct faults *f, const char *word);

/* A number and a unit, "5ms", as nanoseconds, at most DELAY_NS_MAX. */
bool faults_parse_time(const char *text, nsec_t *value);

#endif
