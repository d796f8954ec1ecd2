/* SPDX-License-Identifier: ISC */
/*
 * The disk that keeps the durable state of a host's node. A write takes time
 * while all else goes on. If the process ends meanwhile, the disk has the old
 * state or the new one. Disks fail, lose their content, and come back with old
 * content.
 */
#include "tests/model/world/host/host.h"

#include <inttypes.h>

#define SYNC_SHORTEST (50 * USEC)

/* The time of day as a world begins. */
#define WALL (1000000000 * SEC)

/* Draws a duration; each order of magnitude is equally likely. */
nsec_t
disk_time(struct random *random, const struct disk *disk)
{
	nsec_t longest = SYNC_SHORTEST;

	if (disk->sync_always != 0)
		return disk->sync_always;
	if (disk->sync_longest <= SYNC_SHORTEST)
		return SYNC_SHORTEST;
	while (longest < disk->sync_longest && random_below(random, 16) > 0)
		longest *= 2;
	return random_between(
	    random, SYNC_SHORTEST, nsec_earlier(longest, disk->sync_longest));
}

/* The disk has what was written. */
static void
keep(struct world *w, struct process *p)
{
	p->disk.durable = p->disk.written;
	p->disk.is_lost &= !p->disk.is_anew;
	w->counters.admitted += p->disk.is_anew;
}

/* The disk keeps the old state or the new one; the next start finds which. */
static void
keep_either(struct world *w, struct process *p)
{
	if (p->disk.is_syncing && random_below(&w->hosts, 2) == 0)
		keep(w, p);
	p->disk.is_syncing = false;
	p->disk.is_synced = false;
}

void
disk_end(struct world *w, process_name name)
{
	keep_either(w, &w->processes[name]);
	w->processes[name].disk.fails = false;
	w->processes[name].disk.has_failed = false;
	w->processes[name].disk.second_at =
	    w->processes[name].disk.second_ends = 0;
}

/* True if a host may write `next` over `last`. */
static bool
follows(const struct durable_state *next, const struct durable_state *last)
{
	return next->incarnation >= last->incarnation &&
	       next->term >= last->term &&
	       next->promise.term >= last->promise.term &&
	       config_id_compare(&next->config_id, &last->config_id) >= 0 &&
	       (next->is_revoked || !last->is_revoked);
}

/*
 * Gives when a state that is handed over now is durable.
 * daemon/state/store_writer.c writes each state twice. The second write begins
 * only after as long as the first took, unless another state has come
 * meanwhile. A state that comes during the second write waits for its end.
 */
static nsec_t
write_end(struct world *w, struct process *p)
{
	nsec_t begin = w->now, took = disk_time(&w->hosts, &p->disk), end;

	if (begin >= p->disk.second_at && begin < p->disk.second_ends)
		begin = p->disk.second_ends;
	end = nsec_after(begin, took);
	p->disk.second_at = nsec_after(end, took);
	p->disk.second_ends =
	    nsec_after(p->disk.second_at, disk_time(&w->hosts, &p->disk));
	return end;
}

void
disk_write(struct world *w, process_name name,
    const struct durable_state *record, bool is_anew)
{
	struct process *p = &w->processes[name];
	struct pending *sync;

	if (p->disk.is_syncing)
		world_fail(w, "%u writes while it writes", name);
	if (p->state_health == STATE_HEALTH_LOST && p->disk.is_lost && !is_anew)
		world_fail(w, "%u writes a record without having one", name);
	if (is_anew && p->observed.seen.state_health == STATE_HEALTH_SOUND)
		world_fail(w, "%u makes a sound record anew", name);
	if (!is_anew && !follows(record, &p->disk.durable))
		world_fail(w,
		    "%u goes back from incarnation %" PRIu64 ", term %" PRIu64
		    ", promise %" PRIu64,
		    name, p->disk.durable.incarnation, p->disk.durable.term,
		    p->disk.durable.promise.term);
	p->disk.written = *record;
	p->disk.is_anew = is_anew;
	p->disk.is_syncing = true;
	w->counters.syncs++;
	sync = pending_new(PENDING_SYNC, write_end(w, p), NULL, 0);
	sync->target = name;
	sync->life = p->lives;
	world_queue_push(&w->queue, sync);
}

/* A disk works on while its process is paused, but stands still with its host.
 */
bool
disk_sync(struct world *w, const struct pending *sync, bool *ok)
{
	struct process *p = &w->processes[sync->target];

	if (p->node == NULL || sync->life != p->lives)
		return false;
	assert(p->disk.is_syncing);
	*ok = !p->disk.fails;
	p->disk.has_failed |= p->disk.fails;
	if (*ok && !p->clock.is_frozen)
		keep(w, p);
	if (p->paused) {
		p->disk.is_synced = true;
		return false;
	}
	if (!*ok)
		keep_either(w, p);
	p->disk.is_syncing = false;
	p->disk.is_synced = false;
	return true;
}

/* The process runs again, and learns how its write ended. */
void
disk_resume(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct pending *sync;

	if (!p->disk.is_synced)
		return;
	sync = pending_new(PENDING_SYNC, w->now, NULL, 0);
	sync->target = name;
	sync->life = p->lives;
	world_queue_push(&w->queue, sync);
}

enum state_health
disk_found(const struct world *w, const struct process *p)
{
	const struct config_id now = configs_kept_id(w, p);

	return durable_found(&p->disk.durable, !p->disk.is_lost, &now);
}

/* A life begins: the durable state gets its incarnation. */
void
disk_start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	bool is_quorum = w->setup.guarantee == GUARANTEE_QUORUM;

	for (unsigned i = WORLD_LIVES - 1; i > 0; i--)
		p->disk.older[i] = p->disk.older[i - 1];
	if (w->files.are_lost)
		p->disk.durable.config_id = configs_kept_id(w, p);
	p->state_health = STATE_HEALTH_SOUND;
	if (is_quorum && configs_role_kept(w, p) != ROLE_OBSERVER)
		p->state_health = disk_found(w, p);
	p->observed.seen.state_health = p->state_health;
	p->disk.durable.incarnation =
	    p->state_health == STATE_HEALTH_LOST
		? incarnation_anew(WALL + w->now)
		: incarnation_after(p->disk.durable.incarnation, is_quorum);
	p->disk.older[0] = p->disk.durable;
}
