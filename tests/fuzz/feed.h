/* SPDX-License-Identifier: ISC */
/*
 * What the fuzzers feed: each function takes any bytes at all, and ends the
 * process by an assertion or a sanitizer where electd does not stand them.
 * tests/fuzz/fuzz_NAME.c hands them to libFuzzer, test_fuzz_seeds.c runs them
 * on tests/fuzz/corpus/NAME and on mutations of it.
 */
#ifndef ELECTD_TESTS_FUZZ_FEED_H
#define ELECTD_TESTS_FUZZ_FEED_H

#include <stddef.h>
#include <stdint.h>

/* What libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Two live nodes and a member: a script of datagrams and time. */
void feed_node(const uint8_t *bytes, size_t size);

/* One decoder, named by the first byte. */
void feed_packet(const uint8_t *bytes, size_t size);

/* The text of a configuration. */
void feed_settings(const uint8_t *bytes, size_t size);

/* Instances of the algorithm that the first byte names: a script of messages,
 * honest, changed and invented. */
void feed_algorithms(const uint8_t *bytes, size_t size);

/* Lines on a control socket; the first byte says which, and whose. */
void feed_control(const uint8_t *bytes, size_t size);

/* A state file: two records, and damage done to them. */
void feed_store(const uint8_t *bytes, size_t size);

#endif
