/* SPDX-License-Identifier: ISC */
/*
 * Survives failed assertions of the algorithms: while a guard stands, abort()
 * comes back to it. That is sound since algorithms are pure: they hold no
 * memory and no lock when they fail.
 *
 *	if (sigsetjmp(*explore_guard(), 1) != 0)
 *		it has failed;
 *	what may fail;
 *	explore_guard_end();
 */
#ifndef ELECTD_TESTS_SIM_EXPLORE_GUARD_H
#define ELECTD_TESTS_SIM_EXPLORE_GUARD_H

#include <setjmp.h>

/* Sets up a guard; where to come back to is for sigsetjmp(). */
sigjmp_buf *explore_guard(void);

/* Takes it down, also after a failure. */
void explore_guard_end(void);

#endif
