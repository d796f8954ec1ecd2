/* SPDX-License-Identifier: ISC */
/*
 * `electctl run` on the hosts of a world under the guarantee "quorum": on each
 * a supervisor, which decides by daemon/electctl/run/run_policy.h, as the true
 * one does, and its command. The promise:
 *
 *   R1  the commands of two hosts never run at once.
 *
 * Here are the parts around the supervisor: electd tells it of the lead, as
 * `watch` with deadlines does; the kernel kills it when its timer says so, and
 * then its command; electctl starts another one. A supervisor acts a moment
 * late. It may be killed or stopped. A host may be suspended: nothing on it
 * runs, and its clock goes on. When it wakes up, its kernel's timers come
 * first.
 */
#include "tests/model/world/host/host.h"

#include "daemon/control/answers/deadline_plan.h"

#define LATE_MAX       (1 * MSEC)  /* the longest that anything takes */
#define TRY_GAP        (50 * MSEC) /* as run_supervisor.c has it */
#define SUPERVISOR_GAP (50 * MSEC) /* from one's death to the next */
#define DEAF           4 /* one command in this number does not end when told */

static nsec_t
soon(struct world *w)
{
	return nsec_after(w->now, random_below(&w->runs.random, LATE_MAX));
}

static nsec_t
local_now(const struct world *w, process_name name)
{
	return clock_local(&w->processes[name].clock, w->now);
}

/* Lets the supervisor act, unless it is to do so earlier. */
static void
wake(struct world *w, struct host_run *r, nsec_t at)
{
	if (at != NSEC_NEVER && at < w->now)
		at = w->now;
	r->turn_at = nsec_earlier(r->turn_at, at);
}

/* Fails if this host's command runs beside that of another one. */
static void
check_alone(struct world *w, process_name name)
{
	for (process_name other = 1; other <= w->setup.nodes; other++) {
		const struct host_run *r = &w->runs.hosts[other];

		if (other == name || !r->is_running || r->is_suspended ||
		    lead_is_excused(w, &w->processes[other]) ||
		    lead_is_excused(w, &w->processes[name]))
			continue;
		world_fail(w, "R1: the command of %u runs, and that of %u",
		    name, other);
	}
}

static void
command_ends(struct world *w, process_name name)
{
	struct host_run *r = &w->runs.hosts[name];

	if (r->is_running)
		world_note(w, "the command of %u ends", name);
	r->is_running = false;
	r->starts_at = NSEC_NEVER;
	r->ends_at = NSEC_NEVER;
	wake(w, r, soon(w));
}

static void
command_starts(struct world *w, process_name name)
{
	struct host_run *r = &w->runs.hosts[name];

	world_note(w, "the command of %u begins", name);
	w->counters.commands++;
	r->is_running = true;
	r->starts_at = NSEC_NEVER;
	check_alone(w, name);
}

/* The command ends then, at the latest; if it has not begun, it never does. */
static void
kill_command(struct host_run *r, nsec_t at)
{
	if (r->starts_at > at)
		r->starts_at = NSEC_NEVER;
	r->ends_at = nsec_earlier(r->ends_at, at);
}

static void
supervisor_begins(struct world *w, process_name name)
{
	struct host_run *r = &w->runs.hosts[name];

	*r = (struct host_run){
		.is_there = true,
		.turn_at = w->now,
		.timer = NSEC_NEVER,
		.release_at = NSEC_NEVER,
		.look_at = NSEC_NEVER,
		.starts_at = NSEC_NEVER,
		.ends_at = NSEC_NEVER,
	};
	policy_init(&r->policy, w->runs.stop_time);
	r->policy.is_quorum = true;
}

/* The supervisor relies on no deadline, as far as electd knows. What is gone
 * cannot give anything back. */
static void
forget_sent(struct world *w, process_name name, bool is_kept)
{
	struct host_run *r = &w->runs.hosts[name];

	if (is_kept)
		deadlines_keep(w, name, r->sent);
	r->sent = 0;
}

/* The command dies with its supervisor. */
static void
supervisor_dies(struct world *w, process_name name, nsec_t command_dies)
{
	struct host_run *r = &w->runs.hosts[name];

	world_note(w, "the supervisor of %u dies", name);
	forget_sent(w, name, true);
	r->release_at = r->look_at = NSEC_NEVER;
	r->is_there = r->is_stopped = r->is_connected = false;
	r->timer = r->turn_at = NSEC_NEVER;
	r->back_at = nsec_after(w->now, SUPERVISOR_GAP);
	kill_command(r, command_dies);
}

/* What electd does. */

/* electd drops a supervisor that leaves too much unread. */
static void
tell(struct world *w, struct host_run *r, struct run_word word)
{
	if (r->words_count == RUN_WORDS_MAX - 1) {
		forget_sent(w, (process_name)(r - w->runs.hosts), true);
		r->is_connected = false;
		r->look_at = NSEC_NEVER;
		word.kind = WORD_NO_LEAD;
	}
	if (r->words_count < RUN_WORDS_MAX)
		r->words[r->words_count++] = word;
	r->is_told_no = word.kind == WORD_NO_LEAD;
	wake(w, r, soon(w));
}

static void
tell_no(struct world *w, struct host_run *r)
{
	tell(w, r, (struct run_word){ .kind = WORD_NO_LEAD });
}

static bool
is_followed(const struct world *w, process_name name)
{
	return w->runs.is_on && name != WORLD_COPY &&
	       w->runs.hosts[name].is_connected;
}

void
runs_note(struct world *w, process_name name, const struct notice *n)
{
	if (is_followed(w, name) && n->kind == NOTICE_HANDOVER)
		tell(w, &w->runs.hosts[name],
		    (struct run_word){
			.kind = n->on ? WORD_HANDOVER : WORD_NO_HANDOVER });
}

void
runs_look(struct world *w, process_name name, const struct node_status *s)
{
	struct host_run *r = &w->runs.hosts[name];
	const struct process *p = &w->processes[name];
	nsec_t now = local_now(w, name), until;

	if (!is_followed(w, name) || p->paused)
		return;
	if (s->state != STATE_LEADER) {
		forget_sent(w, name, true);
		if (!r->is_told_no)
			tell_no(w, r);
		return;
	}
	if (s->hands_over ||
	    !deadline_is_due(p->configs.file.lease, now, r->sent, s->until))
		return;
	until = deadlines_hand_out(w, name, now);
	if (until <= r->sent)
		return;
	r->sent = until;
	tell(w, r,
	    (struct run_word){
		.kind = WORD_DEADLINE, .until = until, .span = until - now });
}

/* electd reads that the supervisor has given its deadline back. */
static bool
read_release(struct world *w, process_name name)
{
	w->runs.hosts[name].release_at = NSEC_NEVER;
	world_note(w, "the supervisor of %u gives its deadline back", name);
	forget_sent(w, name, false);
	return deadlines_take_back(w, name);
}

/* electd looks from time to time whether a deadline is due. */
static void
look_again(struct world *w, process_name name)
{
	struct host_run *r = &w->runs.hosts[name];
	const struct process *p = &w->processes[name];
	struct node_status s = world_status(w, name);

	r->look_at =
	    nsec_after(w->now, deadline_look_gap(p->configs.file.lease));
	runs_look(w, name, &s);
}

void
runs_lost(struct world *w, process_name name)
{
	struct host_run *r = &w->runs.hosts[name];

	if (!w->runs.is_on || name == WORLD_COPY)
		return;
	forget_sent(w, name, true);
	r->release_at = NSEC_NEVER;
	if (w->processes[name].clock.is_frozen) { /* its machine is gone */
		supervisor_begins(w, name);
		return;
	}
	if (r->is_connected)
		tell_no(w, r);
	r->is_connected = false;
	r->look_at = NSEC_NEVER;
}

/* What the supervisor does. */

static void
try_to_connect(struct world *w, process_name name)
{
	struct host_run *r = &w->runs.hosts[name];
	const struct process *p = &w->processes[name];

	if (r->is_connected || r->policy.runs)
		return;
	r->is_connected = p->node != NULL && !p->paused;
	r->words_count = 0;
	r->is_told_no = false;
	if (r->is_connected && world_status(w, name).hands_over)
		tell(w, r, (struct run_word){ .kind = WORD_HANDOVER });
	if (r->is_connected)
		r->look_at = soon(w);
	else
		wake(w, r, nsec_after(w->now, TRY_GAP));
}

/* A command may take its time to end, and one that is deaf does not end. */
static void
tell_command(struct world *w, struct host_run *r, nsec_t local)
{
	nsec_t longest = policy_stop_time(&r->policy) + 1;
	nsec_t hears_at;

	if (!policy_tell(&r->policy, local))
		return;
	w->counters.told++;
	if (random_below(&w->runs.random, DEAF) == 0)
		return;
	hears_at = soon(w);
	kill_command(
	    r, nsec_after(hears_at, random_below(&w->runs.random, longest)));
}

static void
take_word(struct run_policy *policy, const struct run_word *word)
{
	switch (word->kind) {
	case WORD_DEADLINE:
		policy_lead(policy, word->until, word->span);
		break;
	case WORD_NO_LEAD:
		policy->hands_over = false;
		break;
	case WORD_HANDOVER:
	case WORD_NO_HANDOVER:
		policy->hands_over = word->kind == WORD_HANDOVER;
		break;
	}
}

static void
take_words(struct world *w, struct host_run *r, nsec_t local)
{
	for (unsigned i = 0; i < r->words_count; i++) {
		take_word(&r->policy, &r->words[i]);
		if (r->words[i].kind == WORD_NO_LEAD || r->policy.hands_over)
			tell_command(w, r, local);
		if (r->words[i].kind == WORD_NO_LEAD)
			policy_lose(&r->policy);
	}
	r->words_count = 0;
}

static void
perform(struct world *w, process_name name, nsec_t local)
{
	struct host_run *r = &w->runs.hosts[name];
	enum policy_deed deed = policy_next(&r->policy, local);

	if (deed == POLICY_TELL) {
		tell_command(w, r, local);
	} else if (deed == POLICY_KILL) {
		w->counters.killed++;
		kill_command(r, soon(w));
	} else if (deed == POLICY_START) {
		policy_begin(&r->policy);
		r->starts_at = soon(w);
		if (r->stops_for != 0)
			world_supervisor_stop(w, name, r->stops_for);
		r->stops_for = 0;
	} else if (deed == POLICY_RELEASE) {
		policy_lose(&r->policy);
		if (r->is_connected)
			r->release_at = soon(w);
	}
}

static void
turn(struct world *w, process_name name)
{
	struct host_run *r = &w->runs.hosts[name];
	const struct process *p = &w->processes[name];
	nsec_t local = local_now(w, name);

	r->turn_at = NSEC_NEVER;
	if (r->policy.runs && !r->is_running && r->starts_at == NSEC_NEVER)
		policy_end(&r->policy);
	take_words(w, r, local);
	perform(w, name, local);
	r->timer = r->policy.death_at;
	if (policy_due_at(&r->policy) != NSEC_NEVER)
		wake(w, r,
		    nsec_after(
			clock_world(&p->clock, policy_due_at(&r->policy)),
			random_below(&w->runs.random, LATE_MAX)));
	try_to_connect(w, name);
}

/* The next of these on a host; NSEC_NEVER: nothing. */
static nsec_t
next_at(const struct world *w, process_name name)
{
	const struct host_run *r = &w->runs.hosts[name];
	nsec_t at;

	if (r->is_suspended)
		return NSEC_NEVER;
	at = nsec_earlier(r->starts_at, r->ends_at);
	if (!w->processes[name].paused)
		at = nsec_earlier(at, nsec_earlier(r->release_at, r->look_at));
	if (!r->is_there)
		return nsec_earlier(at, r->back_at);
	if (r->timer != NSEC_NEVER)
		at = nsec_earlier(
		    at, clock_world(&w->processes[name].clock, r->timer));
	return r->is_stopped ? at : nsec_earlier(at, r->turn_at);
}

nsec_t
runs_next(const struct world *w, process_name *name)
{
	nsec_t first = NSEC_NEVER;

	for (process_name n = 1; w->runs.is_on && n <= w->setup.nodes; n++) {
		nsec_t at = next_at(w, n);

		if (at < first) {
			first = at;
			*name = n;
		}
	}
	return first < w->now ? w->now : first; /* it stood still */
}

bool
runs_happen(struct world *w, process_name name)
{
	struct host_run *r = &w->runs.hosts[name];

	if (r->is_there && r->timer != NSEC_NEVER &&
	    local_now(w, name) >= r->timer) {
		w->counters.timers++;
		supervisor_dies(w, name, soon(w));
	} else if (r->ends_at <= w->now) {
		command_ends(w, name);
	} else if (r->starts_at <= w->now) {
		command_starts(w, name);
	} else if (!w->processes[name].paused && r->release_at <= w->now) {
		return read_release(w, name);
	} else if (!w->processes[name].paused && r->look_at <= w->now) {
		look_again(w, name);
	} else if (!r->is_there) {
		supervisor_begins(w, name);
	} else {
		turn(w, name);
	}
	return false;
}

/* Faults. */

void
world_run_everywhere(struct world *w, nsec_t stop_time)
{
	assert(w->setup.guarantee == GUARANTEE_QUORUM);
	w->runs.is_on = true;
	w->runs.stop_time = stop_time;
	for (process_name name = 1; name <= w->setup.nodes; name++)
		supervisor_begins(w, name);
}

void
world_supervisor_kill(struct world *w, process_name name)
{
	if (w->runs.hosts[name].is_there && !w->runs.hosts[name].is_suspended)
		supervisor_dies(w, name, soon(w));
}

void
world_supervisor_stop(struct world *w, process_name name, nsec_t duration)
{
	const struct fault end = { .kind = FAULT_SUPERVISOR_CONTINUE,
		.target = name };

	if (!w->runs.hosts[name].is_there)
		return;
	world_note(w, "stop the supervisor of %u", name);
	w->runs.hosts[name].is_stopped = true;
	world_at(w, nsec_after(w->now, duration), &end);
}

void
world_supervisor_stop_at_start(
    struct world *w, process_name name, nsec_t duration)
{
	w->runs.hosts[name].stops_for = duration;
}

void
world_supervisor_continue(struct world *w, process_name name)
{
	struct host_run *r = &w->runs.hosts[name];

	if (r->is_stopped)
		wake(w, r, soon(w));
	r->is_stopped = false;
}

void
runs_suspend(struct world *w, process_name name)
{
	if (w->runs.is_on && name != WORLD_COPY)
		w->runs.hosts[name].is_suspended = true;
}

void
runs_wake(struct world *w, process_name name)
{
	struct host_run *r = &w->runs.hosts[name];

	if (!w->runs.is_on || name == WORLD_COPY || !r->is_suspended)
		return;
	r->is_suspended = false;
	if (r->is_there && r->timer != NSEC_NEVER &&
	    local_now(w, name) >= r->timer)
		supervisor_dies(w, name, w->now);
	if (r->ends_at <= w->now)
		command_ends(w, name);
	if (r->is_running)
		check_alone(w, name);
	wake(w, r, soon(w));
}

bool
world_command_runs(const struct world *w, process_name name)
{
	return w->runs.hosts[name].is_running;
}

nsec_t
runs_catch_up(void)
{
	return SUPERVISOR_GAP + TRY_GAP + 10 * LATE_MAX;
}
