/* SPDX-License-Identifier: ISC */
#include "daemon/system/loop/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

#include "daemon/system/log.h"

/* The thread inherits the signal mask, so this blocks all signals meanwhile. */
int
thread_start(
    pthread_t *thread, size_t stack_bytes, void *(*run)(void *), void *context)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	int error = pthread_attr_init(&attributes);

	if (error == 0) {
		sigfillset(&all);
		pthread_attr_setstacksize(&attributes, stack_bytes);
		/* To be scheduled otherwise than the caller takes a right that
		 * only a realtime process is sure to have. */
		if (sched_getscheduler(0) == SCHED_RR)
			pthread_attr_setinheritsched(
			    &attributes, PTHREAD_EXPLICIT_SCHED);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		error = pthread_create(thread, &attributes, run, context);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		pthread_attr_destroy(&attributes);
	}
	if (error == 0)
		return 0;
	errno = error;
	log_error("cannot start a thread (limits: RLIMIT_NPROC, TasksMax)");
	return -error;
}
