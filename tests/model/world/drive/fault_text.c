/* SPDX-License-Identifier: ISC */
/* The names of faults. */
#include "tests/model/world/drive/drive.h"

#include <inttypes.h>
#include <stdio.h>

/* Sets the process that a fault hits. */
static const char *
target_text(unsigned target, char *text, size_t size)
{
	static const char *const anyone[] = { "the leader", "the longest dead",
		"the longest paused", "who has no carrier" };

	if (target >= WORLD_LEADER)
		return anyone[target - WORLD_LEADER];
	if (target == WORLD_COPY)
		return "the copy";
	snprintf(text, size, "%u", target);
	return text;
}

static const char *const fault_names[FAULT_KINDS] = {
	[FAULT_START] = "start",
	[FAULT_FORGET] = "the record is lost:",
	[FAULT_RENAME] = "all that it knew is forgotten, and it is another:",
	[FAULT_ROLL_BACK] = "the record is an old one, start",
	[FAULT_DISK] = "writing takes longer or shorter:",
	[FAULT_DISK_FAIL] = "the disk fails:",
	[FAULT_DISK_FULL] = "the disk is full, or no more:",
	[FAULT_STOP] = "stop",
	[FAULT_CRASH] = "crash",
	[FAULT_CRASH_AFTER] = "crash after a few actions:",
	[FAULT_PAUSE] = "pause",
	[FAULT_STALL] = "stop in the middle of a step:",
	[FAULT_STALL_ANSWERS] = "stop while it answers clients:",
	[FAULT_FREEZE] = "pause the machine of",
	[FAULT_RESUME] = "resume",
	[FAULT_INSTALL] = "another release comes to",
	[FAULT_CLOCK] = "the clock runs otherwise:",
	[FAULT_ELECT] = "an operator wants an election at",
	[FAULT_RESIGN] = "an operator wants another leader than",
	[FAULT_STAND] = "standby ends of",
	[FAULT_STANDBY] = "an operator puts on standby",
	[FAULT_SICK] = "a check fails at",
	[FAULT_ASK] = "clients ask who leads",
	[FAULT_CLIENTS] = "clients ask",
	[FAULT_HELPERS] = "helpers speak",
	[FAULT_REFUSALS] = "hosts refuse",
	[FAULT_GROUP] = "multicast gets better or worse",
	[FAULT_CUT_BOTH] = "cut both ways",
	[FAULT_CUT] = "cut one way",
	[FAULT_MEND] = "mend",
	[FAULT_SPLIT] = "cut off",
	[FAULT_HEAL] = "heal",
	[FAULT_PULL] = "pull the cable of",
	[FAULT_PLUG_IN] = "plug in the cable of",
	[FAULT_MOVE] = "another address is given to",
	[FAULT_NAME] = "the settings name the present addresses",
	[FAULT_WEATHER] = "weather",
	[FAULT_EDIT] = "the operator writes another file",
	[FAULT_RELOAD] = "the newest file comes to, and is read by",
	[FAULT_FATAL] = "another file is fatal to",
	[FAULT_SEND] = "sending takes longer or shorter:",
	[FAULT_COPY] = "start a copy of",
	[FAULT_SNAPSHOT] = "a snapshot begins at",
	[FAULT_NOISE] = "noise to",
	[FAULT_RUN] = "electctl run on every host",
	[FAULT_SUPERVISOR_KILL] = "kill the supervisor of",
	[FAULT_SUPERVISOR_STOP] = "stop the supervisor of",
	[FAULT_SUPERVISOR_CONTINUE] = "continue the supervisor of",
	[FAULT_SUSPEND] = "suspend the host of",
	[FAULT_WAKE] = "wake up the host of",
};

const char *
world_fault_text(const struct fault *f, char *text)
{
	char target[16], *to = text;
	size_t size = WORLD_FAULT_TEXT;
	int used;

	assert(f->kind < FAULT_KINDS);
	used = snprintf(to, size, "%s", fault_names[f->kind]);
	if (f->target != 0)
		used += snprintf(to + used, size - (size_t)used, " %s",
		    target_text(f->target, target, sizeof(target)));
	if (f->other != 0)
		used +=
		    snprintf(to + used, size - (size_t)used, " %u", f->other);
	if (f->amount != 0)
		used += snprintf(to + used, size - (size_t)used,
		    " (%" PRId64 ")", (int64_t)f->amount);
	if (f->kind == FAULT_WEATHER)
		snprintf(to + used, size - (size_t)used,
		    ": loss %u, doubles %u, late %u permille", f->weather.loss,
		    f->weather.doubles, f->weather.late);
	return text;
}
