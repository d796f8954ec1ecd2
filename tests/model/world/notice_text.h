/* SPDX-License-Identifier: ISC */
/* Notices of a node in few words, for traces. */
#ifndef ELECTD_TESTS_MODEL_WORLD_NOTICE_TEXT_H
#define ELECTD_TESTS_MODEL_WORLD_NOTICE_TEXT_H

#include "common/election/algorithm.h"
#include "common/node/notice.h"

#define NOTICE_LINE_MAX 200 /* bytes, and the end */

/* "leader 5 in term 2 (died:4)": what the notice says. `algorithm` names the
 * messages. */
void notice_text(char text[NOTICE_LINE_MAX], const struct notice *n,
    const struct algorithm *algorithm);

#endif
