/* SPDX-License-Identifier: ISC */
/*
 * The targets of the fuzzers. Each function takes any bytes at all, and ends
 * the process by an assertion or a sanitizer if electd cannot handle them.
 * tests/model/fuzz/fuzz_NAME.c hands them to libFuzzer; test_fuzz_seeds.c runs
 * them on tests/model/fuzz/corpus/NAME and on mutations of it.
 */
#ifndef ELECTD_TESTS_MODEL_FUZZ_FEED_H
#define ELECTD_TESTS_MODEL_FUZZ_FEED_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer calls this. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Runs two live nodes and a member by a script of datagrams and time. */
void feed_node(const uint8_t *bytes, size_t size);

/* Runs one decoder, which the first byte names. */
void feed_packet(const uint8_t *bytes, size_t size);

/* Reads the text of a configuration. */
void feed_settings(const uint8_t *bytes, size_t size);

/* Runs instances of the algorithm that the first byte names, by a script of
 * messages: honest, changed and invented ones. */
void feed_algorithms(const uint8_t *bytes, size_t size);

/* Sends lines to a control socket; the first byte says to which, and as which
 * user. */
void feed_control(const uint8_t *bytes, size_t size);

/* Reads a state file: two durable states, and damage done to them. */
void feed_store(const uint8_t *bytes, size_t size);

/* Reads histories, judges a cut of them, draws and prints them. */
void feed_history(const uint8_t *bytes, size_t size);

/* Reads frames and messages of the kernel, or plays what may happen to a
 * floating address; the first byte says which. */
void feed_electvip(const uint8_t *bytes, size_t size);

/* Reads a message of a command that says that it makes progress. */
void feed_progress(const uint8_t *bytes, size_t size);

/* Takes lines of a daemon, as a program that watches or leads; the first byte
 * says which. */
void feed_libelectd(const uint8_t *bytes, size_t size);

/* Sends bytes to electweb, as a client of HTTP. */
void feed_web(const uint8_t *bytes, size_t size);

/* Reads a tape, and all its entries. */
void feed_tape(const uint8_t *bytes, size_t size);

#endif
