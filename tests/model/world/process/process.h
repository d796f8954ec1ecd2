/* SPDX-License-Identifier: ISC */
/* The processes of a world: their lives, their inputs, and what follows. */
#ifndef ELECTD_TESTS_MODEL_WORLD_PROCESS_PROCESS_H
#define ELECTD_TESTS_MODEL_WORLD_PROCESS_PROCESS_H

#include "common/host/start.h"
#include "tests/model/world/check/check.h"

/* Pulls and performs what an input led to (step.c). If the process is
 * stopped in the middle, the same call goes on later. */
void process_act(struct world *w, process_name name);
void process_go_on(struct world *w, process_name name);

/* Performs what an input led to, within another step. */
void process_drain(struct world *w, process_name name);

/* Stops the process, if it is to be stopped before its next action or answer.
 */
bool process_stalls(struct world *w, process_name name, bool answers);

/* What will end the process, or stop it in the middle of a step. */
void world_crash_after(struct world *w, process_name name, unsigned actions);
void world_stall(struct world *w, process_name name, unsigned after,
    nsec_t duration, bool answers);

/* Inputs (inputs.c). Lets a datagram arrive; false: the socket of a paused
 * process keeps it. */
bool process_arrive(struct world *w, struct pending *d);

/* Lets a host report that it has refused a datagram; false: as above. */
bool process_refused(struct world *w, struct pending *refusal);

/* If its helper has said that it hangs, gives it a new incarnation. */
void process_heed(struct world *w, process_name name);

/* Handles the deadline of a running process. */
void process_tick(struct world *w, process_name name);

/* Tells the process that a state is durable, or could not be written. */
void process_synced(struct world *w, const struct pending *sync);

/* What an operator wants. */
void world_elect(struct world *w, process_name name);
enum resignation world_resign(struct world *w, process_name name, node_id to);

/* Ends the standby of the node. */
void world_stand(struct world *w, process_name name);

/* Puts the node on standby for `lasts`; NSEC_NEVER: until world_stand(). The
 * host keeps that order over restarts. */
void world_standby(struct world *w, process_name name, nsec_t lasts);

/* A check of the node's services fails for `lasts`, unless the node
 * restarts. */
void world_sicken(struct world *w, process_name name, nsec_t lasts);

/* Lives (lives.c). A host that is suspended wakes up by world_wake(), or when
 * its process resumes. */
void process_end(struct world *w, process_name name);
void world_start(struct world *w, process_name name);
void world_start_all(struct world *w);
void world_stop(struct world *w, process_name name);
void world_crash(struct world *w, process_name name);
void world_pause(struct world *w, process_name name);
void world_freeze(struct world *w, process_name name);
void world_resume(struct world *w, process_name name);
void world_suspend(struct world *w, process_name name, nsec_t duration);
void world_wake(struct world *w, process_name name);
void world_set_clock(struct world *w, process_name name, int rate);

/* Starts a second process of this id, at the same address. */
void world_copy(struct world *w, node_id id, uint64_t incarnation);

/* The same with all durable state of the original: the host was cloned, with
 * its disk. */
void world_clone(struct world *w, node_id id);

/* Cables (cable.c): the kernel tells the process whether there is a carrier, if
 * that is news. */
void cable_tell(struct world *w, process_name name);

void world_pull(struct world *w, process_name name);
void world_plug_in(struct world *w, process_name name);

/* Clients (questions.c): lets one ask; lets a process answer all who wait. */
void clients_ask(struct world *w);
void clients_serve(struct world *w, process_name name);

/* From now on clients ask who leads, once in `each` on average; 0: no more. */
void world_let_ask(struct world *w, nsec_t each);

/* Configurations (configs.c): the process that starts uses its host's file
 * or what its host has kept; takes a piece; goes on with what has come or is
 * wanted, true if its node has changed; tells its node if its host's file is
 * older or no more, true if it does; its file is on the disk; it runs again
 * after a pause; it ends. */
void configs_start(struct world *w, process_name name);
void configs_take(
    struct world *w, process_name name, const struct action *action);
bool configs_go_on(struct world *w, process_name name);
bool configs_tell_file(struct world *w, process_name name);
void configs_kept(struct world *w, const struct pending *keep);
void configs_resume(struct world *w, process_name name);
void configs_end(struct world *w, process_name name);

/* The disk of a process that does not run is lost: its host gets a new one,
 * with the operator's file or an older one. */
void configs_forget(struct world *w, process_name name);

/*
 * Configurations. From the first call on every host has a file with all ids. An
 * edit makes a later file; a reload gives the newest to a host, whose process
 * reads it, now or when it starts. Under quorum the leader puts it into effect.
 */
void world_exchange(struct world *w);
void world_reload(struct world *w, process_name name);

/* Puts the newest file in the place of the configuration of a host whose
 * process does not run: `electd --init-cluster` there alone. */
void world_adopt(struct world *w, process_name name);

/* Discovery (discovery.c): the process that starts has kept settings that name
 * its node; its node has met this one; the next settings, if nodes have come or
 * gone. */
void discovery_start(struct world *w, process_name name);
void discovery_meet(
    struct world *w, process_name name, const struct joiner *joiner);
bool discovery_next(
    struct world *w, process_name name, struct world_file *next);

/* The file of the host of a process as it follows from what is in effect. */
struct world_file discovery_file(struct world *w, process_name name,
    const struct world_file *file, const struct world_file *running);

/* Discovery: true if a file gives a vote to the node that it has found: it has
 * the id of a voter by mistake. */
bool discovery_usurps(
    const struct world *w, process_name name, const struct world_file *wanted);

/*
 * From the first call on, before any process has started, hosts know nobody.
 * QUORUM: but for the nodes of the hosts in `voters`, a bit set. TREE, GRAPH: a
 * node has `degree` links; 0: any number.
 */
void world_discover(struct world *w, unsigned voters, unsigned degree);

/* Discovery: a host whose process does not run forgets whom it knew, and which
 * node it was: its next process has this id. */
void world_rename(struct world *w, process_name name, node_id id);

/* Snapshots (snapshot.c): a datagram came to a process whose node had taken
 * `before` until then; a process takes an answer; begins the next pull, true if
 * it does; ends. */
void snapshots_heard(struct world *w, process_name name, uint64_t before,
    const struct origin *origin);
void snapshots_take(
    struct world *w, process_name name, const struct action *action);
bool snapshots_go_on(struct world *w, process_name name);
void snapshots_end(struct world *w, process_name name);

void world_snapshot(struct world *w, process_name name);

#endif
