/* SPDX-License-Identifier: ISC */
/*
 * `electctl run` on the hosts of a world under the guarantee "quorum": on each a
 * guard, which decides by daemon/electctl/run/guard_plan.h, as the true one does,
 * and its command. The promise:
 *
 *   R1  the commands of two hosts never run at once.
 *
 * Here are the parts around the guard: electd tells it of the lead, as `watch`
 * with deadlines does; the kernel kills it when its timer says so, and then its
 * command; electctl starts another one. A guard acts a moment late. It may be
 * killed or stopped. A host may be suspended: nothing on it runs, and its clock
 * goes on. When it wakes up, its kernel's timers come first.
 */
#ifndef ELECTD_TESTS_WORLD_WORLD_RUN_H
#define ELECTD_TESTS_WORLD_WORLD_RUN_H

#include "daemon/electctl/run/guard_plan.h"

#define RUN_WORDS_MAX 16 /* of electd that a guard has not read */

enum run_word_kind {
	WORD_DEADLINE,
	WORD_NO_LEAD, /* the node does not lead, or electd has gone */
	WORD_HANDOVER,
	WORD_NO_HANDOVER,
};

/* What electd tells. */
struct run_word {
	enum run_word_kind kind;
	nsec_t
	    until; /* the deadline, and from when electd gave it to its end */
	nsec_t span;
};

/* Times are the world's, but those of the plan, of deadlines and of the timer. */
struct host_run {
	struct guard_plan plan;
	bool is_there;     /* the guard has not been killed */
	nsec_t back_at;    /* if it has: electctl starts another one */
	bool is_stopped;   /* SIGSTOP */
	bool is_suspended; /* its host is */
	bool is_connected; /* to electd */
	nsec_t sent;       /* the last deadline that electd has told; 0: none */
	bool is_told_no;   /* electd told last that the node does not lead */
	nsec_t stops_for;  /* it stops when it starts its command; 0: no */
	nsec_t release_at; /* electd reads that it gives its deadline back */
	nsec_t look_at;    /* electd looks whether a deadline is due */
	nsec_t turn_at;    /* it acts; NSEC_NEVER: nothing is to be done */
	nsec_t timer;      /* of the kernel: kills the guard */
	nsec_t starts_at;  /* the command does; NSEC_NEVER: none */
	nsec_t ends_at;    /* the command does; NSEC_NEVER: not known yet */
	bool is_running;   /* the command */
	unsigned words_count;
	struct run_word words[RUN_WORDS_MAX];
};

#endif
