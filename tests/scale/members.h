/* SPDX-License-Identifier: ISC */
/*
 * Many daemons at once: starts them, listens to the `watch` of each as soon as
 * its socket appears, and knows whom each of them follows.
 */
#ifndef ELECTD_TESTS_SCALE_MEMBERS_H
#define ELECTD_TESTS_SCALE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MEMBERS_MAX 1024  /* as many nodes as a cluster may have */
#define LINE_BYTES  16384 /* of an event */

struct member {
	pid_t pid;  /* that was started; 0: not, or it has ended */
	pid_t main; /* that answers, by the word of the kernel */
	int fd;     /* -1: not listened to yet, or no longer */
	uint32_t leader;
	int64_t moment; /* when it came to follow it, by its own word */
	size_t line_size;
	char line[LINE_BYTES];
};

struct members {
	const char *electd, *conf, *directory;
	unsigned count; /* ids are 1 to count */
	unsigned heard; /* members that are listened to */
	int epoll, inotify, priority;
	uint64_t events;    /* lines that have come, ... */
	int64_t last_event; /* ... and when the last one did */
	uint64_t leaders;   /* of these, changes of whom somebody follows */
	unsigned cut_off;   /* times that we did not read fast enough */
	struct member of[MEMBERS_MAX + 1];
};

/* Gives false, with a word on stderr, where the system cannot. */
bool members_open(struct members *m);

/* Starts member `id`; its log goes to DIRECTORY/ID.log. */
bool members_start(struct members *m, unsigned id);

/* Takes what there is to hear, and waits for it until `until` at most. */
void members_hear(struct members *m, int64_t until);

/* How many follow the one that most follow, *leader. */
unsigned members_agree(const struct members *m, uint32_t *leader);

/* Kills one with SIGKILL, and gives when. It is nobody's any more. */
int64_t members_kill(struct members *m, unsigned id);

/* Ends all there are, and whatever they have left behind. */
void members_end(struct members *m);

#endif
