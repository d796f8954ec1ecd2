/* SPDX-License-Identifier: ISC */
/*
 * What the options of all commands of electsim are read with. Nothing is
 * accepted that is not wholly what was asked for.
 */
#ifndef ELECTD_TESTS_SIM_ARGUMENTS_H
#define ELECTD_TESTS_SIM_ARGUMENTS_H

#include "common/election/algorithm.h"

/* "electsim: " and what is wrong, a line on stderr. */
void argument_complain(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* A whole number of this range. */
bool argument_number(
    const char *text, uint64_t low, uint64_t high, uint64_t *number);

/* One of some words, the last followed by NULL; its index. */
bool argument_word(const char *text, const char *const *words, unsigned *index);

/* "yes" or "no". */
bool argument_yes(const char *text, bool *yes);

/*
 * The value of --join, --wakeup or --announce: goes into *choices. NULL, or
 * what it should be.
 */
const char *argument_choice(
    enum choice which, const char *text, struct choices *choices);

/*
 * Numbers with commas between them, each of this range. False if the text is
 * none, or there are more than `most`; *list is the caller's to free.
 */
bool argument_list(const char *text, uint64_t low, uint64_t high, uint64_t most,
    uint32_t **list, uint64_t *count);

/*
 * The algorithm of this name. NULL, and a complaint that lists them all, if
 * there is none, or no name.
 */
const struct algorithm *argument_algorithm(const char *name);

/* "text" or "json". */
bool argument_output(const char *text, bool *is_json);

#endif
