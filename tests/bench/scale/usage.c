/* SPDX-License-Identifier: ISC */
#include "tests/bench/scale/usage.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIDS_MAX   (1 << 22) /* of any Linux system */
#define FAMILY_MAX 8         /* config versions */

/* By process: its parent, and which of the usages has it, counted from 1. */
static pid_t parents[PIDS_MAX];
static uint16_t owners[PIDS_MAX];

int64_t
moment_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Gives the number behind `key`, which begins a line of the file; or 0. */
static uint64_t
number_in(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	uint64_t number = 0;
	char line[256];

	if (file == NULL)
		return 0;
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		number = strtoull(line + strlen(key), NULL, 10);
		break;
	}
	fclose(file);
	return number;
}

uint64_t
memory_available_kib(void)
{
	return number_in("/proc/meminfo", "MemAvailable:");
}

/* Gives the next name of a directory that is a number; 0: there are no more. */
static pid_t
next_number(DIR *directory)
{
	const struct dirent *entry;

	while ((entry = readdir(directory)) != NULL) {
		if (isdigit((unsigned char)entry->d_name[0]))
			return (pid_t)atoi(entry->d_name);
	}
	return 0;
}

/* The name of a process may contain anything; the last parenthesis ends it. */
static pid_t
parent_of(pid_t pid)
{
	char path[64], text[512];
	const char *end;
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	end = strrchr(text, ')');
	return end == NULL || strlen(end) < 4 ? 0 : (pid_t)atoi(end + 4);
}

static uint64_t
cpu_of(pid_t pid)
{
	char path[64];
	uint64_t sum = 0;
	DIR *threads;
	pid_t thread;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (threads == NULL)
		return 0;
	while ((thread = next_number(threads)) != 0) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat",
		    (int)pid, (int)thread);
		sum += number_in(path, "");
	}
	closedir(threads);
	return sum;
}

static uint64_t
pss_of(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	return number_in(path, "Pss:");
}

/* Gives the usage to which this process belongs; 0: none. */
static unsigned
owner_of(pid_t pid)
{
	for (int i = 0; i < FAMILY_MAX && pid > 0 && pid < PIDS_MAX; i++) {
		if (owners[pid] != 0)
			return owners[pid];
		pid = parents[pid];
	}
	return 0;
}

static void
usage_add(struct usage *usages, DIR *processes, bool with_memory)
{
	pid_t pid;

	while ((pid = next_number(processes)) != 0) {
		unsigned owner = owner_of(pid);
		struct usage *u = &usages[owner - 1];

		if (owner == 0)
			continue;
		u->processes++;
		u->cpu_ns += cpu_of(pid);
		if (with_memory)
			u->pss_kib += pss_of(pid);
	}
}

static void
usage_sum(struct usage *usages, size_t count, bool with_memory)
{
	DIR *processes = opendir("/proc");
	pid_t pid;

	if (processes == NULL || count > UINT16_MAX)
		abort();
	for (size_t i = 0; i < count; i++) {
		usages[i] = (struct usage){ .pid = usages[i].pid };
		if (usages[i].pid > 0)
			owners[usages[i].pid] = (uint16_t)(i + 1);
	}
	while ((pid = next_number(processes)) != 0)
		parents[pid] = parent_of(pid);
	rewinddir(processes);
	usage_add(usages, processes, with_memory);
	closedir(processes);
	for (size_t i = 0; i < count; i++)
		owners[usages[i].pid] = 0;
}

void
usage_read(struct usage *usages, size_t count)
{
	usage_sum(usages, count, false);
}

void
usage_read_all(struct usage *usages, size_t count)
{
	usage_sum(usages, count, true);
}

size_t
children_find(pid_t *children, size_t max)
{
	DIR *processes = opendir("/proc");
	size_t count = 0;
	pid_t pid;

	if (processes == NULL)
		return 0;
	while (count < max && (pid = next_number(processes)) != 0) {
		if (parent_of(pid) == getpid())
			children[count++] = pid;
	}
	closedir(processes);
	return count;
}

/* Reads two lines: the names of the columns, then the numbers. */
void
datagrams_read(struct datagrams *d)
{
	FILE *file = fopen("/proc/net/snmp", "re");
	char names[512] = "", numbers[512] = "", *name_at, *number_at;

	*d = (struct datagrams){ 0 };
	if (file == NULL)
		return;
	while (strncmp(names, "Udp:", 4) != 0 &&
	       fgets(names, sizeof(names), file) != NULL)
		;
	if (fgets(numbers, sizeof(numbers), file) == NULL)
		numbers[0] = '\0';
	fclose(file);
	for (char *name = strtok_r(names, " \n", &name_at),
		  *number = strtok_r(numbers, " \n", &number_at);
	     name != NULL && number != NULL;
	     name = strtok_r(NULL, " \n", &name_at),
		  number = strtok_r(NULL, " \n", &number_at)) {
		uint64_t value = strtoull(number, NULL, 10);

		if (strcmp(name, "OutDatagrams") == 0)
			d->sent = value;
		else if (strcmp(name, "InDatagrams") == 0)
			d->received = value;
		else if (strcmp(name, "RcvbufErrors") == 0)
			d->overflowed = value;
		else if (strcmp(name, "SndbufErrors") == 0)
			d->unsent = value;
		else if (strcmp(name, "NoPorts") == 0)
			d->refused = value;
	}
}
