/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/explore/guard.h"

#include <assert.h>
#include <signal.h>
#include <stddef.h>

static sigjmp_buf back;
static struct sigaction before;

static void
guard_abort(int signal_number)
{
	(void)signal_number;
	siglongjmp(back, 1);
}

sigjmp_buf *
explore_guard(void)
{
	struct sigaction action = { .sa_handler = guard_abort };
	int status;

	sigemptyset(&action.sa_mask);
	status = sigaction(SIGABRT, &action, &before);
	assert(status == 0);
	return &back;
}

void
explore_guard_end(void)
{
	int status = sigaction(SIGABRT, &before, NULL);

	assert(status == 0);
}
