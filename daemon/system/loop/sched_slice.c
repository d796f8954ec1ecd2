/* SPDX-License-Identifier: ISC */
#include "daemon/system/loop/sched_slice.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLICE_NS 100000 /* the least that the kernel accepts */

/* The kernel's struct sched_attr, which not every C library declares; see
 * sched_setattr(2). */
struct schedule {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns;
	uint64_t deadline_ns;
	uint64_t period_ns;
};

void
sched_slice_shorten(void)
{
	struct schedule schedule = { .size = sizeof(schedule) };
	int before = errno;

	if (syscall(SYS_sched_getattr, 0, &schedule, sizeof(schedule), 0) ==
		0 &&
	    schedule.policy == 0) {
		schedule.size = sizeof(schedule);
		schedule.runtime_ns = SLICE_NS;
		(void)syscall(SYS_sched_setattr, 0, &schedule, 0);
	}
	errno = before;
}
