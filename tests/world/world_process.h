/* SPDX-License-Identifier: ISC */
/* How the parts of a world move its processes. Only world*.c include this. */
#ifndef ELECTD_TESTS_WORLD_WORLD_PROCESS_H
#define ELECTD_TESTS_WORLD_WORLD_PROCESS_H

#include "tests/world/world.h"

/* Lets a datagram arrive; false: the socket of a paused process keeps it. */
bool process_arrive(struct world *w, struct pending *d);

/* Lets a running host, or a firewall in its name, report to a sender that
 * nothing listens; perhaps it does not. */
void process_refuse(struct world *w, node_id from, node_id id);

/* Lets a host report that it has refused a datagram; false: as above. */
bool process_refused(struct world *w, struct pending *refusal);

/* Pulls and performs what an input led to (world_step.c). If the process is
 * stopped in the middle, the same call goes on later. */
void process_act(struct world *w, process_name name);
void process_go_on(struct world *w, process_name name);
void process_end(struct world *w, process_name name);

/* A process starts, or has ended: records it, or plays its tape, now that the
 * memory of its node is gone (world_tapes.c). */
void tapes_start(struct world *w, process_name name);
void tapes_end(struct world *w, process_name name);

/* Performs what an input led to, within another step. */
void process_drain(struct world *w, process_name name);

/* Stops the process, if it is to be stopped before its next action or answer.
 */
bool process_stalls(struct world *w, process_name name, bool answers);

/* If its helper has said that it hangs, gives it a new incarnation. */
void process_heed(struct world *w, process_name name);

/* world_cable.c: the kernel tells the process whether there is a carrier, if
 * that is news. */
void cable_tell(struct world *w, process_name name);

/* Clients (world_client.c): lets one ask; lets a process answer all who wait.
 */
void clients_ask(struct world *w);
void clients_serve(struct world *w, process_name name);

/* `electctl run` (world_run.c): when the next of its events is, and on which
 * host; it happens. The process tells its guard whether it leads, and hands
 * over; has ended; its host stands still; it goes on. */
nsec_t runs_next(const struct world *w, process_name *name);
void runs_happen(struct world *w, process_name name);
void runs_look(struct world *w, process_name name, const struct node_status *s);
void runs_note(struct world *w, process_name name, const struct notice *n);
void runs_lost(struct world *w, process_name name);
void runs_suspend(struct world *w, process_name name);
void runs_wake(struct world *w, process_name name);

/* Handles the deadline of a running process. */
void process_tick(struct world *w, process_name name);

/* Tells the process that a state is durable, or could not be written. */
void process_synced(struct world *w, const struct pending *sync);

/* Fills in what a node's setup points to; it must live until node_init()
 * (world_configure.c). */
struct world_peers {
	struct peer_setup setup[WORLD_NODES_MAX];
	unsigned sides[RING_LINKS][WORLD_NODES_MAX];
};

void world_configure(struct world *w, const struct process *p,
    struct node_setup *setup, struct world_peers *peers);

/* Peers are all other ids, ascending. */
unsigned world_peer_of(const struct process *p, node_id id);
node_id world_id_of(const struct process *p, unsigned peer);

/* Addresses (world_address.c): the world begins; a process starts; it sends to
 * this address; its peer at this address, or PEER_NONE; it finds the peer where
 * the datagram of this input came from. */
void address_init(struct world *w);
void address_start(struct world *w, process_name name);
address_number address_of(const struct world *w, process_name name, node_id id);
unsigned address_peer(const struct world *w, process_name name, node_id id,
    address_number address);
void address_find(struct world *w, process_name name, unsigned peer);

/* Sends a datagram to a host at this address (world_wires.c). */
void wires_send(struct world *w, process_name sender, node_id to,
    address_number address, const uint8_t *bytes, size_t size);

/* Sends it to all others, by the multicast group. */
void wires_send_group(
    struct world *w, process_name sender, const uint8_t *bytes, size_t size);

/* Editions (world_editions.c): the process that starts uses what its host has
 * kept, has started, and wants what is in its host's file; takes a piece; goes
 * on with what has come or is wanted, true if its node has changed; tells its
 * node if its host's file is older or no more, true if it does; its file is on
 * the disk; it runs again after a pause; it ends. */
void editions_start(struct world *w, process_name name);
void editions_started(struct world *w, process_name name);
void editions_take(
    struct world *w, process_name name, const struct action *action);
bool editions_go_on(struct world *w, process_name name);
bool editions_tell_file(struct world *w, process_name name);
void editions_kept(struct world *w, const struct pending *keep);
void editions_resume(struct world *w, process_name name);
void editions_end(struct world *w, process_name name);

/* The disk of a process that does not run is lost: its host gets a new one,
 * with the operator's file or an older one. */
void editions_forget(struct world *w, process_name name);

/* The settings that the host keeps: the edition, and the role of its node. */
struct edition editions_kept_edition(
    const struct world *w, const struct process *p);
enum role editions_role_kept(const struct world *w, const struct process *p);

/* Snapshots (world_snapshot.c): a datagram came to a process whose node had
 * taken so many before; a process takes an answer; begins the next pull, true if
 * it does; ends. */
void snapshots_heard(struct world *w, process_name name, uint64_t before,
    const struct origin *origin);
void snapshots_take(
    struct world *w, process_name name, const struct action *action);
bool snapshots_go_on(struct world *w, process_name name);
void snapshots_end(struct world *w, process_name name);

/* How long a write takes that begins now. */
nsec_t disk_time(struct world *w, const struct process *p);

/* The disk of a process (world_disk.c). One function each for: the process
 * starts; it wants a state written; it runs again; it ends. */
void disk_start(struct world *w, process_name name);

/* QUORUM: how far a start of this voter may trust what its disk has. */
enum state_health disk_found(const struct world *w, const struct process *p);
void disk_write(struct world *w, process_name name,
    const struct durable_state *record, bool is_anew);
void disk_resume(struct world *w, process_name name);
void disk_end(struct world *w, process_name name);

/* Ends a write. Gives whether the process learns of it, and what. */
bool disk_sync(struct world *w, const struct pending *sync, bool *ok);

/* The helper of a process (world_will.c). One function each for: the process
 * starts; its settings change, from here to there; it hands over a will; it has
 * given a client a deadline, or has taken one back; it is paused; the time of a
 * helper has come; the process ends in order; it was killed; it is forgotten. */
void will_start(
    struct world *w, process_name name, const struct node_setup *setup);
void will_begin_changes(
    struct world *w, process_name name, const struct node_setup *setup);
void will_end_changes(struct world *w, process_name name);
void will_hand_out(struct world *w, process_name name);
void will_take(struct world *w, process_name name, const struct action *a);
void will_pause(struct world *w, process_name name);
void will_due(struct world *w, const struct pending *will);
void will_part(struct world *w, process_name name);
void will_die(struct world *w, process_name name);
void will_forget(struct world *w, process_name name);
void will_check_death(
    struct world *w, process_name name, const struct notice *n);

/* Checks a datagram before it leaves (world_check.c). */
void world_check_datagram(
    struct world *w, process_name name, const struct action *action);

/* After a step: each message that the process took is one that its sender says
 * it sent (world_events.c). */
void world_check_events(struct world *w, process_name name);

/* Leaders (world_lead.c): check what a process says after a step, and its end.
 */
void lead_look(struct world *w, process_name name, const struct node_status *s);
void lead_end(struct world *w, process_name name);

/* Lets a client ask a leader for a deadline, by the leader's clock; 0: there is
 * none. */
nsec_t lead_ask(struct world *w, process_name name, nsec_t local);

/* The same for a client that gives it back. That is so if it has not been kept
 * before lead_take_back(), which an input of the process follows from. */
nsec_t lead_lend(struct world *w, process_name name, nsec_t local);
void lead_keep(struct world *w, process_name name, nsec_t until);
void lead_take_back(struct world *w, process_name name);

/* The clients that hold may give back their deadlines, within a step: true if
 * they have. */
bool lead_goes_on(struct world *w, process_name name);

/* True if the process was frozen, so that it may not know yet who leads. */
bool lead_is_excused(const struct world *w, const struct process *p);

/* After each event: finds a leadership that all its component has taken. */
void lead_count(struct world *w);

/* Gives a process that leads as far as it knows; the first if two do; 0: none.
 */
process_name lead_first(const struct world *w);

/*
 * Taps on the messages between algorithms (world_tap.c). A process takes only
 * messages that another sent to it in this life, in that order, and each at
 * most once. The tap wraps the algorithm; the world says which node is about to
 * move.
 */
void tap_init(struct world *w);
void tap_listen(struct world *w, process_name name);
void tap_start(struct world *w, process_name name);
void tap_done(struct world *w);

#endif
