/* SPDX-License-Identifier: ISC */
/*
 * Many daemons at once: starts them, watches each as soon as its socket
 * appears, and knows which leader each of them follows.
 */
#ifndef ELECTD_TESTS_BENCH_SCALE_MEMBERS_H
#define ELECTD_TESTS_BENCH_SCALE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MEMBERS_MAX 1024  /* as many nodes as a cluster may have */
#define LINE_BYTES  16384 /* of an event */

struct member {
	pid_t pid;  /* the process it started; 0: none, or it has ended */
	pid_t main; /* the process that answers, as the kernel says */
	int fd;     /* of the watch; -1: not yet, or no longer */
	uint32_t leader;
	int64_t moment; /* when it came to follow it, as it says */
	size_t line_size;
	char line[LINE_BYTES];
};

struct members {
	const char *electd, *conf, *directory;
	unsigned count; /* ids are 1 to count */
	unsigned heard; /* members with a watch */
	int epoll, inotify, priority;
	uint64_t events;    /* lines that have come, */
	int64_t last_event; /* and when the last one did */
	uint64_t leaders;   /* of these, events with a leader */
	unsigned cut_off;   /* how often a watch ended as we were too slow */
	struct member of[MEMBERS_MAX + 1];
};

/* Sets up; false, after a complaint on stderr, where the system cannot. */
bool members_open(struct members *m);

/* Starts member `id`; its log goes to DIRECTORY/ID.log. */
bool members_start(struct members *m, unsigned id);

/* Takes the events that have come, and waits for more until `until` at most. */
void members_hear(struct members *m, int64_t until);

/* Gives how many follow the leader that most follow, and it in *leader. */
unsigned members_agree(const struct members *m, uint32_t *leader);

/* Kills a member with SIGKILL, and gives when. From then on it is nobody's. */
int64_t members_kill(struct members *m, unsigned id);

/* Ends all members, and all processes that they have left behind. */
void members_end(struct members *m);

#endif
