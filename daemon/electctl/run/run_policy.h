/* SPDX-License-Identifier: ISC */
/*
 * What the supervisor of `run` decides, and when: when the command starts, when
 * it is told to end, when it is killed, and when the kernel kills the
 * supervisor. All of it follows from what electd has said, from the command and
 * from the time, which the caller gives. The simulated worlds of the tests call
 * it, too.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_RUN_POLICY_H
#define ELECTD_DAEMON_ELECTCTL_RUN_RUN_POLICY_H

#include "common/util/types.h"

struct run_policy {
	nsec_t stop_time; /* --stop-time; 0: not given */
	nsec_t margin;    /* --margin; 0: not given. The caller sets it */
	bool is_quorum;
	/* From when electd gave the last deadline to its end. */
	nsec_t span;
	nsec_t until;    /* the last deadline; NSEC_NEVER: we lead without one;
	                  * 0: we do not lead */
	bool hands_over; /* this leader wants to give up the lead */
	bool is_ended;   /* no command starts any more */
	bool runs;       /* the command does */
	bool is_told;    /* it was told to end, as we may lose the lead */
	nsec_t kill_at;  /* if it was told */
	nsec_t death_at; /* the kernel kills the supervisor; NSEC_NEVER: it does
	                  * not */
};

enum policy_deed {
	POLICY_WAIT,    /* until policy_due_at(), or until something happens */
	POLICY_START,   /* the command, after policy_begin() */
	POLICY_TELL,    /* the command to end, after policy_tell() */
	POLICY_KILL,    /* the command */
	POLICY_RELEASE, /* the deadline, after policy_lose() */
};

/* Begins without a lead. */
void policy_init(struct run_policy *policy, nsec_t stop_time);

/* electd has promised that this node leads until then, `span` from when it did;
 * NSEC_NEVER: until it says otherwise. */
void policy_lead(struct run_policy *policy, nsec_t until, nsec_t span);

/* This node does not lead, or we cannot know any more, or its deadline is given
 * back. A command that runs is to be told to end before. */
void policy_lose(struct run_policy *policy);

/* What is to be done now. */
enum policy_deed policy_next(struct run_policy *policy, nsec_t now);

/* When to ask again; NSEC_NEVER: when something happens. */
nsec_t policy_due_at(const struct run_policy *policy);

/* The command starts. death_at is to be in force before it does. */
void policy_begin(struct run_policy *policy);

/* The command is told to end, for whatever reason. False: it was told already,
 * or does not run. */
bool policy_tell(struct run_policy *policy, nsec_t now);

/* The command has ended. */
void policy_end(struct run_policy *policy);

/* The longest stop time with which a command can start; it must be less. */
nsec_t policy_stop_time_max(const struct run_policy *policy);

/* How long the command has to end. */
nsec_t policy_stop_time(const struct run_policy *policy);

#endif
