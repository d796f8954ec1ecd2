/* SPDX-License-Identifier: ISC */
/*
 * Survives failed assertions of the algorithms: while a guard is set, abort()
 * comes back to it. That is sound since algorithms are pure: they hold no
 * memory and no lock when they fail.
 *
 *         if (sigsetjmp(*explore_guard(), 1) != 0)
 *                 it has failed;
 *         this may fail;
 *         explore_guard_end();
 */
#ifndef ELECTD_TESTS_MODEL_SIM_EXPLORE_GUARD_H
#define ELECTD_TESTS_MODEL_SIM_EXPLORE_GUARD_H

#include <setjmp.h>

/* Sets up a guard; gives sigsetjmp() the place to come back to. */
sigjmp_buf *explore_guard(void);

/* Ends the guard, also after a failure. */
void explore_guard_end(void);

#endif
