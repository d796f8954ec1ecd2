/* SPDX-License-Identifier: ISC */
/*
 * Functions that read the options of electsim's commands. They accept a text
 * only if all of it is what was asked for.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_ARGUMENTS_H
#define ELECTD_TESTS_MODEL_SIM_ARGUMENTS_H

#include "common/election/algorithm.h"

/* Prints "electsim: " and the complaint, a line on stderr. */
void argument_complain(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Reads a whole number of this range. */
bool argument_number(
    const char *text, uint64_t low, uint64_t high, uint64_t *number);

/* Reads one of these words, a list that NULL ends; gives its index. */
bool argument_word(const char *text, const char *const *words, unsigned *index);

/* Reads "yes" or "no". */
bool argument_yes(const char *text, bool *yes);

/*
 * Reads the value of --join, --wakeup or --announce into *choices. Gives NULL,
 * or a text that says what the value should be.
 */
const char *argument_choice(
    enum choice which, const char *text, struct choices *choices);

/*
 * Reads numbers of this range with commas between them. False if the text is no
 * such list, or has more than `most`. The caller frees *list.
 */
bool argument_list(const char *text, uint64_t low, uint64_t high, uint64_t most,
    uint32_t **list, uint64_t *count);

/*
 * Gives the algorithm of this name. If the name is NULL or unknown, gives NULL,
 * after a complaint that lists all names.
 */
const struct algorithm *argument_algorithm(const char *name);

/* Reads "text" or "json". */
bool argument_output(const char *text, bool *is_json);

#endif
