/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/children.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The list of the children, or NULL. */
static FILE *
open_list(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	return fopen(path, "re");
}

/* The next child of the list; 0: there are no more. */
static pid_t
next_child(FILE *list)
{
	int pid;

	return fscanf(list, "%d", &pid) == 1 ? pid : 0;
}

bool
children_list(struct children *children)
{
	FILE *list = open_list();
	bool fits = true;
	pid_t pid;

	children->count = 0;
	if (list == NULL)
		return false;
	while (fits && (pid = next_child(list)) != 0) {
		fits = children->count < CHILDREN_MAX;
		children_add(children, pid);
	}
	fclose(list);
	return fits;
}

void
children_add(struct children *children, pid_t pid)
{
	if (children->count < CHILDREN_MAX)
		children->pids[children->count++] = pid;
}

bool
children_have(const struct children *children, pid_t pid)
{
	for (unsigned i = 0; i < children->count; i++) {
		if (children->pids[i] == pid)
			return true;
	}
	return false;
}

/* A child that is not among the others; 0: there is none; -1: nobody knows. */
static pid_t
find_child(const struct children *others)
{
	FILE *list = open_list();
	pid_t pid;

	if (list == NULL)
		return -1;
	do
		pid = next_child(list);
	while (pid != 0 && children_have(others, pid));
	fclose(list);
	return pid;
}

bool
children_sweep(const struct children *others)
{
	pid_t pid;

	while ((pid = find_child(others)) > 0) {
		if (kill(pid, SIGKILL) != 0)
			return false;
		(void)waitpid(pid, NULL, 0);
	}
	return pid == 0;
}

void
children_kill(
    bool (*is_spared)(const void *context, pid_t pid), const void *context)
{
	FILE *list = open_list();
	pid_t pid;

	if (list == NULL)
		return;
	while ((pid = next_child(list)) != 0) {
		if (!is_spared(context, pid))
			(void)kill(pid, SIGKILL);
	}
	fclose(list);
}
