/* SPDX-License-Identifier: ISC */
#include "daemon/system/rights/memory_lock.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Called by dl_iterate_phdr(3), whose first object is the program. */
static int
lock_program(struct dl_phdr_info *object, size_t size, void *context)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	(void)context;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t from = object->dlpi_addr + segment->p_vaddr;
		uintptr_t begin = from - from % page;

		if (segment->p_type == PT_LOAD)
			(void)mlock((const void *)begin,
			    from + segment->p_memsz - begin);
	}
	return 1;
}

void
memory_lock_begin(void)
{
	(void)mlockall(MCL_CURRENT | MCL_ONFAULT);
	(void)dl_iterate_phdr(lock_program, NULL);
}
