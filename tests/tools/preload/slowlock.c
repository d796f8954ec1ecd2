/* SPDX-License-Identifier: ISC */
/*
 * A host that is short of memory, to be loaded before the C library
 * (LD_PRELOAD): each mlock() of 64 KiB or more takes as many milliseconds
 * longer as the file that SLOWLOCK names says at its beginning. Without that
 * file it takes as long as ever.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long
delay_ms(void)
{
	const char *name = getenv("SLOWLOCK");
	FILE *file = name != NULL ? fopen(name, "re") : NULL;
	long ms = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%ld", &ms) != 1)
		ms = 0;
	fclose(file);
	return ms;
}

int
mlock(const void *memory, size_t size)
{
	long ms = size < 65536 ? 0 : delay_ms();
	struct timespec left = { .tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) != 0)
		continue;
	return (int)syscall(SYS_mlock, memory, size);
}
