/* SPDX-License-Identifier: ISC */
/*
 * A slow disk, to be loaded before the C library (LD_PRELOAD): each fdatasync()
 * takes as many milliseconds longer as the file that SLOWDISK names says at its
 * beginning, and then adds a line to the file. Without that file it takes as
 * long as ever.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long
delay_ms(void)
{
	const char *name = getenv("SLOWDISK");
	FILE *file = name != NULL ? fopen(name, "re") : NULL;
	long ms = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%ld", &ms) != 1)
		ms = 0;
	fclose(file);
	return ms;
}

static void
count_one(void)
{
	FILE *file = fopen(getenv("SLOWDISK"), "ae");

	if (file == NULL)
		return;
	fputs("sync\n", file);
	fclose(file);
}

int
fdatasync(int file)
{
	long ms = delay_ms();
	struct timespec left = { .tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) != 0)
		continue;
	if (ms > 0)
		count_one();
	return (int)syscall(SYS_fdatasync, file);
}
