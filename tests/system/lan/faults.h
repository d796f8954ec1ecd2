/* SPDX-License-Identifier: ISC */
/*
 * Faults as a command line has them: loss=30% delay=5ms rate=1mbit, or none.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_FAULTS_H
#define ELECTD_TESTS_SYSTEM_LAN_FAULTS_H

#include "tests/system/lan/wire.h"

/* Changes the fault that a word names; false: it makes no sense. */
bool faults_parse(struct faults *f, const char *word);

/* Reads a number and a unit, "5ms", as nanoseconds, at most DELAY_NS_MAX. */
bool faults_parse_time(const char *text, nsec_t *value);

#endif
