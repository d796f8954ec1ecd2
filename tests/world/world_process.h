/* SPDX-License-Identifier: ISC */
/* How the parts of a world move its processes; for world*.c alone. */
#ifndef ELECTD_TESTS_WORLD_WORLD_PROCESS_H
#define ELECTD_TESTS_WORLD_WORLD_PROCESS_H

#include "tests/world/world.h"

/* A datagram arrives; false: it is kept in the socket of a paused process. */
bool process_arrive(struct world *w, struct pending *d);

/* A host that is there tells another that nothing listens, or seems to: it may
 * say so, or a firewall in its name. */
void process_refuse(struct world *w, node_id from, node_id id);

/* A host has refused what it sent; false: as above. */
bool process_refused(struct world *w, struct pending *refusal);

/* Pulls and performs what an input led to (world_step.c), and goes on with
 * that where a process was stopped in the middle of it. */
void process_act(struct world *w, process_name name);
void process_go_on(struct world *w, process_name name);
void process_end(struct world *w, process_name name);

/* Stops it, if that is to happen before its next action, or answer. */
bool process_stalls(struct world *w, process_name name, bool answers);

/* Did its helper say that it hangs? Then it is another from now on. */
void process_heed(struct world *w, process_name name);

/* Clients (world_client.c): one asks; and a process answers all who wait. */
void clients_ask(struct world *w);
void clients_serve(struct world *w, process_name name);

/* The deadline of a running process has come. */
void process_tick(struct world *w, process_name name);

/* A record is durable, or could not be made so. */
void process_synced(struct world *w, const struct pending *sync);

/* What a node's setup points to, until node_init() (world_configure.c). */
struct world_peers {
	struct peer_setup setup[WORLD_NODES_MAX];
	unsigned sides[RING_LINKS][WORLD_NODES_MAX];
};

/* The file that its host has, as it starts (world_change_voters). */
void world_read_file(const struct world *w, struct process *p);

void world_configure(struct world *w, const struct process *p,
    struct node_setup *setup, struct world_peers *peers);

/* Peers are all other ids, ascending. */
unsigned world_peer_of(const struct process *p, node_id id);
node_id world_id_of(const struct process *p, unsigned peer);

/* The disk of a process (world_disk.c): as it starts, wants a record written,
 * runs again, and ends. */
void disk_start(struct world *w, process_name name);
void disk_write(
    struct world *w, process_name name, const struct durable_state *record);
void disk_resume(struct world *w, process_name name);
void disk_end(struct world *w, process_name name);

/* A write has ended; is the process to be told, and what? */
bool disk_sync(struct world *w, const struct pending *sync, bool *ok);

/* The helper of a process (world_will.c): what it is given to say, a look at a
 * process that hangs, and the death of one that was killed. */
void will_take(struct world *w, process_name name, const struct action *a);
void will_pause(struct world *w, process_name name);
void will_due(struct world *w, const struct pending *will);
void will_part(struct world *w, process_name name);
void will_die(struct world *w, process_name name);
void will_check_death(
    struct world *w, process_name name, const struct notice *n);

/* Before it leaves (world_check.c). */
void world_check_datagram(
    struct world *w, process_name name, const struct action *action);

/* Who leads (world_lead.c): what a process says after a step, and its end. */
void lead_look(struct world *w, process_name name, const struct node_status *s);
void lead_end(struct world *w, process_name name);

/* A client asks a leader for a deadline, by that one's clock; 0: there is
 * none. */
nsec_t lead_ask(struct world *w, process_name name, nsec_t local);

/* Was it frozen, so that it may not know yet who leads? */
bool lead_is_excused(const struct world *w, const struct process *p);

/* After each event: is there a reign that all its component has taken? */
void lead_count(struct world *w);

/* One that leads now, as far as it knows; the first if two do; 0: none. */
process_name lead_first(const struct world *w);

/*
 * Messages between algorithms are tapped (world_tap.c): each that a process
 * takes was sent to it in this life, in that order, at most once. The
 * algorithm is wrapped; before a node moves, it is said which.
 */
void tap_init(struct world *w);
void tap_listen(struct world *w, process_name name);
void tap_start(struct world *w, process_name name);
void tap_done(struct world *w);

#endif
