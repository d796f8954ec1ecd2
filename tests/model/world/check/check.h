/* SPDX-License-Identifier: ISC */
/* The promises of a world: those that hold after every event, and those that
 * hold once it is settled. */
#ifndef ELECTD_TESTS_MODEL_WORLD_CHECK_CHECK_H
#define ELECTD_TESTS_MODEL_WORLD_CHECK_CHECK_H

#include "tests/model/world/host/host.h"

/* Checks a process after a step (check.c). Gives what it says at the end. */
struct node_status world_check(struct world *w, process_name name);

/* After a step: each message that the process took is one that its sender says
 * it sent (events.c). */
void world_check_events(struct world *w, process_name name);

/* Leaders (lead.c): check what a process says after a step, and its end. */
void lead_look(struct world *w, process_name name, const struct node_status *s);
void lead_end(struct world *w, process_name name);

/* After each event: finds a leadership that all its component has taken. */
void lead_count(struct world *w);

/* True if datagrams go both ways between two nodes that run. They need not be
 * neighbours, as all nodes send to voters. */
bool world_wired(const struct world *w, node_id a, node_id b);

/* Gives the ids that are connected with this one by links that work both ways.
 */
unsigned world_neighbourhood(const struct world *w, node_id id);

/* The same; under QUORUM voters, to which all send directly, connect too. */
unsigned world_component(const struct world *w, node_id id);

/* True if the node may lead as far as configurations go: no node that it
 * speaks to has one that does not name it (named.c). */
bool world_is_named(const struct world *w, node_id id);

/* QUORUM (quorum.c): true if this leader hears a majority directly without
 * the node `lost`. */
bool quorum_keeps_leader(struct world *w, node_id leader, node_id lost);

/* QUORUM (quorum.c), with bit sets of ids. One function each for: which
 * ids may win a majority; whether a component can have a leader; whether all of
 * it hear each other as neighbours; whether it is right for a component that
 * can have none. If not, w->why says why. */
unsigned quorum_electable(const struct world *w);
bool quorum_has_leader(const struct world *w, unsigned component);
bool quorum_is_whole(const struct world *w, unsigned component);
bool quorum_leads_nobody(struct world *w, unsigned component);

/* True if by each configuration that a host may have a majority of the
 * voters can vote without this one, and elect one of them; if all hosts can. */
bool quorum_spares(const struct world *w, node_id one);
bool quorum_is_sound(const struct world *w);

/* True if each leader has admitted all voters that it can. */
bool quorum_has_admitted(struct world *w);

bool quorum_leads_somebody(struct world *w, unsigned component);

/* True if nothing may change in this component any more once it is settled.
 * Under quorum a torn ring, and nodes that can have no leader, may try for
 * ever. */
bool world_may_rest(const struct world *w, unsigned component);

/*
 * True if every component has exactly one leader, which lives, is known to all
 * its nodes, and is the best of them (settled.c). Under the guarantee
 * "quorum": if the one component that can have a leader has one, and no other
 * has. If not, w->why says why.
 */
bool world_settled(struct world *w);

/* True if the node of this id may take over a lead. */
bool world_is_undamped(struct world *w, node_id id);

#endif
