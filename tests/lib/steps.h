/* SPDX-License-Identifier: ISC */
/*
 * The rules of an algorithm, as traces of one instance: the steps that a test
 * makes it take, and all that may come of each.
 *
 *   steps(ALGORITHM, "STEP\n" ...), where a STEP is one of:
 *
 *   begin LINKS [WORD ...] [= PHASE]    a new instance, of node 5
 *   INPUT [> RESULT, ...] [= PHASE]     all results, in order
 *   INPUT refused                       no result, and the same state
 *
 *   INPUT:   "start", "timer" or MESSAGE, by that link
 *   RESULT:  MESSAGE, on that link; "arms", a timer; or "decides RANK", whose
 *            phase is "decided" unless the step names another
 *   MESSAGE: LINK KIND [RANK] [oORIGIN] [pPHASE] [dDISTANCE] [lID+ID...]
 *   LINK:    its index; "left", "right"; in results also "both" of these, "all",
 *            and "others" than that of the input. In an input that is refused, KIND may be
 *            "other": each number that is no kind of the algorithm.
 *   RANK:    ID, which is eligible; with ! it is not; with ^ it has priority 1
 *
 * The words of "begin" are lowest (is preferred), starters_only, no_wakeup,
 * any_leader, diameter=N, variant=N, seed=N, self=RANK and peers=ID+ID... by
 * link.
 *
 * A list (l) has the origin and the best rank if an input does not name it. A
 * result names the lists and distances of algorithms with lists if it likes.
 */
#ifndef ELECTD_TESTS_LIB_STEPS_H
#define ELECTD_TESTS_LIB_STEPS_H

#include "common/election/algorithm.h"

/* The text may have conversions, as that of printf() has. */
__attribute__((format(printf, 2, 3))) void steps(
    const struct algorithm *algorithm, const char *format, ...);

#endif
