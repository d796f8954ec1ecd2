/* SPDX-License-Identifier: ISC */
#include "daemon/electd/look/reign_keeper.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/state/kept_file.h"
#include "daemon/system/log.h"

struct reign_keeper {
	struct settings place; /* cluster, id and state_dir */
	struct past_leaders leaders;
	nsec_t lost; /* when the last leader was lost; 0: one leads;
	              * NSEC_NEVER: not known */
	struct worker *worker;
	struct job job;        /* writes `writing` */
	bool is_given;         /* the job was given, and has not ended */
	struct reigns writing; /* as of the time at which the job was given */
	nsec_t at;             /* when the last write begins, or began */
	bool is_stale;         /* there are later leaders than `writing` */
	int error;             /* of the last write */
};

static void
keeper_write(void *context)
{
	struct reign_keeper *k = context;

	k->error = reigns_write(&k->place, &k->writing);
}

/* Has the leaders written: now, or when the disk may be written again. */
static void
keeper_give(struct reign_keeper *k, nsec_t now)
{
	nsec_t next =
	    nsec_after(k->at, k->leaders.is_failing ? REIGN_RETRY : REIGN_GAP);

	if (!k->is_given)
		k->at = now > next ? now : next;
	k->writing = k->leaders.reigns;
	k->is_given = true;
	k->is_stale = false;
	worker_give(k->worker, &k->job, k->at <= now ? 0 : k->at);
}

/* Logs that a write has failed, and that a later one has not. */
static void
report(const struct reign_keeper *k)
{
	const struct settings *s = &k->place;

	if (k->error != 0 && !k->leaders.is_failing)
		log_warnx("cannot keep the last leaders in %s/%s-%" PRIu32
			  ".leaders: %s; nothing else depends on them",
		    s->state_dir, s->shared.cluster, s->id,
		    strerror(-k->error));
	else if (k->error == 0 && k->leaders.is_failing)
		log_notice("keeps the last leaders again: the disk works");
}

static void
keeper_end(void *context)
{
	struct reign_keeper *k = context;

	report(k);
	k->is_given = false;
	k->leaders.is_failing = k->error != 0;
	k->leaders.failures += k->error != 0;
	k->leaders.is_kept = k->error == 0 && !k->is_stale;
	if (!k->leaders.is_kept)
		keeper_give(k, k->at);
}

struct reign_keeper *
reign_keeper_new(const struct settings *settings, struct worker *worker)
{
	struct reign_keeper *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return NULL;
	kept_file_place(&k->place, settings);
	k->worker = worker;
	k->job = (struct job){
		.work = keeper_write,
		.end = keeper_end,
		.context = k,
	};
	k->lost = NSEC_NEVER;
	k->leaders.is_kept = true;
	k->leaders.is_damaged = !reigns_recall(&k->place, &k->leaders.reigns);
	return k;
}

static void
copy_name(char to[NAME_MAX_BYTES], const struct settings *settings, node_id id)
{
	const char *name = settings_name(settings, id);

	snprintf(to, NAME_MAX_BYTES, "%s", name != NULL ? name : "");
}

/* True if the newest is that leader in that term: the node has lost sight of
 * it, or was restarted, and nothing has changed. */
static bool
is_newest(const struct reigns *reigns, const struct reign *reign)
{
	const struct reign *newest;

	if (reigns->count == 0)
		return false;
	newest = &reigns->list[reigns->count - 1];
	return newest->leader == reign->leader && newest->term == reign->term;
}

static void
keeper_add(struct reign_keeper *k, nsec_t now, const struct reign *reign)
{
	reigns_add(&k->leaders.reigns, reign);
	k->leaders.is_kept = false;
	if (k->is_given && !worker_recall(k->worker, &k->job))
		k->is_stale = true; /* its end gives it again */
	else
		keeper_give(k, now);
}

void
reign_keeper_take(struct reign_keeper *k, const struct settings *settings,
    const struct notice *n, nsec_t epoch)
{
	struct reign reign;

	if (n->kind == NOTICE_NO_LEADER && k->lost == 0)
		k->lost = n->at;
	if (n->kind != NOTICE_LEADER)
		return;
	reign = (struct reign){
		.wall = nsec_earlier(nsec_after(epoch, n->at), REIGN_WALL_MAX),
		.leaderless = k->lost == NSEC_NEVER ? NSEC_NEVER
			      : k->lost == 0        ? 0
					     : nsec_since(n->at, k->lost),
		.term = n->term,
		.leader = n->leader,
		.reason = n->reason,
	};
	copy_name(reign.name, settings, n->leader);
	copy_name(reign.reason_name, settings, n->reason.node);
	k->lost = 0;
	if (!is_newest(&k->leaders.reigns, &reign))
		keeper_add(k, n->at, &reign);
}

const struct past_leaders *
reign_keeper_leaders(const struct reign_keeper *k)
{
	return k != NULL ? &k->leaders : NULL;
}

void
reign_keeper_free(struct reign_keeper *k)
{
	if (k != NULL && k->is_stale)
		(void)reigns_write(&k->place, &k->leaders.reigns);
	free(k);
}
