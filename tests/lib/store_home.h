/* SPDX-License-Identifier: ISC */
/* A directory for each case about state files, and durable states that differ.
 */
#ifndef ELECTD_TESTS_LIB_STORE_HOME_H
#define ELECTD_TESTS_LIB_STORE_HOME_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "daemon/state/store.h"

#define STORE_STATE "here/web-3.state"

/* Every case begins in an empty directory of its own. */
int store_home_enter(void **state);
int store_home_leave(void **state);
#define STORE_CASE(name) TEST(name, store_home_enter, store_home_leave)

/* A durable state that differs from others in its incarnation. */
struct durable_state store_home_record(uint64_t incarnation);

/* Each works on here/web-3: opens it; makes it with such a state; writes such a
 * state. */
struct store *store_home_open(void);
void store_home_make(uint64_t incarnation);
int store_home_write(struct store *store, uint64_t incarnation);

/* Gives the incarnation that the file there has; the file must be sound. */
uint64_t store_home_remembered(void);

/* From then on this process can write `bytes` bytes to a file, and no more. */
void store_home_limit(rlim_t bytes);

#endif
