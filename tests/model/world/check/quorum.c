/* SPDX-License-Identifier: ISC */
/*
 * The promises of "quorum" for a quiet world. Where a candidate
 * reaches, directly and both ways, a majority of voters that are able to vote,
 * there is one leader, and all nodes that are connected with it, also by
 * voters, know it. Elsewhere nobody leads, and a node that hears no majority
 * itself says so.
 *
 * A ring that is cut inside may bypass all such candidates; then no leader is
 * promised. If one candidate is not bypassed, some node leads, but those on the
 * other side of the cut may try in vain to elect another. Where all nodes of a
 * component hear each other, and are neighbours, the leader is the best of
 * them; else perhaps not.
 */
#include "tests/model/world/check/check.h"

#include <inttypes.h>
#include <stdio.h>

/* The role of a node by what another one knows. */
static enum role
role_by(const struct world *w, node_id looker, node_id id)
{
	return world_role(w, &w->processes[looker], id);
}

static bool
is_able(const struct world *w, node_id id)
{
	process_name voice = world_voice(w, id);
	const struct process *p = &w->processes[voice];

	return voice != 0 &&
	       p->observed.seen.state_health == STATE_HEALTH_SOUND;
}

/* Counts the voters that are able to vote, and that this node hears directly.
 */
static unsigned
votes_for(const struct world *w, node_id id)
{
	unsigned count = 0;

	for (node_id v = 1; v <= w->setup.nodes; v++) {
		if (role_by(w, id, v) != ROLE_OBSERVER && is_able(w, v) &&
		    (v == id || world_wired(w, id, v)))
			count++;
	}
	return count;
}

static unsigned
majority_of(const struct world *w, node_id looker)
{
	unsigned voters = 0;

	for (node_id id = 1; id <= w->setup.nodes; id++)
		voters += role_by(w, looker, id) != ROLE_OBSERVER;
	return voters / 2 + 1;
}

/* True if a node may vote when it starts. */
static bool
is_sound(const struct world *w, const struct process *p)
{
	return disk_found(w, p) == STATE_HEALTH_SOUND;
}

/* True if by this file a majority with a candidate can vote without one. */
static bool
spares(const struct world *w, const struct world_file *file, node_id one)
{
	unsigned voters = 0, sound = 0;
	bool has_candidate = false;

	if (world_role_in(w, file, one) == ROLE_OBSERVER)
		return true;
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		enum role role = world_role_in(w, file, id);
		bool counts = role != ROLE_OBSERVER && id != one &&
			      is_sound(w, &w->processes[id]);

		voters += role != ROLE_OBSERVER;
		sound += counts;
		has_candidate |= counts && role == ROLE_CANDIDATE;
	}
	return has_candidate && sound >= voters / 2 + 1;
}

bool
quorum_spares(const struct world *w, node_id one)
{
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		const struct process *p = &w->processes[id];

		if (!spares(w, &p->configs.file, one) ||
		    !spares(w, &p->configs.kept, one) ||
		    !spares(w, &p->configs.keeping, one))
			return false;
	}
	return true;
}

bool
quorum_is_sound(const struct world *w)
{
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if (!is_sound(w, &w->processes[id]))
			return false;
	}
	return true;
}

unsigned
quorum_electable(const struct world *w)
{
	unsigned found = 0;

	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if (role_by(w, id, id) == ROLE_CANDIDATE && is_able(w, id) &&
		    world_is_named(w, id) && !world_is_on_standby(w, id) &&
		    !world_is_pulled(w, id) &&
		    votes_for(w, id) >= majority_of(w, id))
			found |= 1u << id;
	}
	return found;
}

/* True if a node grants its vote at once: one that writes a promise does not,
 * nor does one whose id is in use twice. */
static bool
votes_now(struct world *w, node_id id)
{
	process_name voice = world_voice(w, id);

	return is_able(w, id) && !w->processes[voice].disk.is_syncing &&
	       !world_status(w, voice).duplicate;
}

bool
quorum_keeps_leader(struct world *w, node_id leader, node_id lost)
{
	unsigned votes = 0;

	for (node_id v = 1; v <= w->setup.nodes; v++)
		votes += v != lost && votes_now(w, v) &&
			 role_by(w, leader, v) != ROLE_OBSERVER &&
			 (v == leader || world_wired(w, leader, v));
	return votes >= majority_of(w, leader);
}

/* Gives the ids of a component that are bypassed. */
static unsigned
bypassed_of(const struct world *w, unsigned component)
{
	unsigned found = 0;

	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if ((component >> id & 1) &&
		    w->processes[world_voice(w, id)].observed.seen.is_bypassed)
			found |= 1u << id;
	}
	return found;
}

bool
quorum_has_leader(const struct world *w, unsigned component)
{
	return (component & ~bypassed_of(w, component) & quorum_electable(w)) !=
	       0;
}

bool
quorum_is_whole(const struct world *w, unsigned component)
{
	for (node_id a = 1; a <= w->setup.nodes; a++) {
		if (!(component >> a & 1))
			continue;
		if (world_neighbourhood(w, a) != component)
			return false;
		for (node_id b = 1; b < a; b++) {
			if ((component >> b & 1) && !world_wired(w, a, b))
				return false;
		}
	}
	return true;
}

bool
quorum_leads_nobody(struct world *w, unsigned component)
{
	bool may_lead = (component & quorum_electable(w)) != 0;

	for (node_id id = 1; id <= w->setup.nodes && !may_lead; id++) {
		const struct seen *s =
		    &w->processes[world_voice(w, id)].observed.seen;
		bool hears = votes_for(w, id) >= majority_of(w, id);

		if (!(component >> id & 1))
			continue;
		if (s->leader == NODE_NONE &&
		    (hears || !world_is_named(w, id) ||
			s->state == STATE_NO_QUORUM))
			continue;
		snprintf(w->why, sizeof(w->why),
		    "%" PRIu32 " is %s with leader %" PRIu32 " in term %" PRIu64
		    ", and there is no quorum",
		    id, node_state_name(s->state), s->leader, s->term);
		return false;
	}
	return true;
}

bool
quorum_leads_somebody(struct world *w, unsigned component)
{
	unsigned able = component & quorum_electable(w);

	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if ((able >> id & 1) &&
		    w->processes[world_voice(w, id)].observed.seen.state ==
			STATE_LEADER)
			return true;
	}
	snprintf(w->why, sizeof(w->why),
	    "nobody leads, and there is a quorum, in a ring with a cut");
	return false;
}

/* True if this voter has the configuration of the leader. */
static bool
is_with(const struct world *w, process_name leader, node_id id)
{
	const struct process *l = &w->processes[leader];
	process_name voice = world_voice(w, id);
	const struct process *p = &w->processes[voice];

	return voice != 0 && (id == l->id || world_wired(w, l->id, id)) &&
	       world_role(w, l, id) != ROLE_OBSERVER &&
	       config_id_equal(&p->configs.config_id, &l->configs.config_id);
}

/* True if this leader leads by voters of its own configuration alone. */
static bool
may_admit(const struct world *w, process_name leader)
{
	const struct process *l = &w->processes[leader];
	unsigned count = 0;

	if (w->files.is_on && l->configs.config_id.config_term == 0)
		return false;
	for (node_id id = 1; id <= w->setup.nodes; id++)
		count += is_with(w, leader, id) && is_able(w, id);
	return count >= majority_of(w, l->id);
}

bool
quorum_has_admitted(struct world *w)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if (!(w->leaders.leading >> name & 1) || !may_admit(w, name))
			continue;
		for (node_id id = 1; id <= w->setup.nodes; id++) {
			const struct process *p = &w->processes[id];

			if (!is_with(w, name, id) ||
			    p->observed.seen.state_health ==
				STATE_HEALTH_SOUND ||
			    p->observed.seen.state_health ==
				STATE_HEALTH_FAILED ||
			    world_runs(w, WORLD_COPY))
				continue;
			snprintf(w->why, sizeof(w->why),
			    "%" PRIu32 " does not vote yet", id);
			return false;
		}
	}
	return true;
}
