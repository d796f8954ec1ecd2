/* SPDX-License-Identifier: ISC */
/* What a host has around its node: its disk, the helper, the supervisor of
 * `electctl run`, the deadlines of clients, a tape, and the tap. */
#ifndef ELECTD_TESTS_MODEL_WORLD_HOST_HOST_H
#define ELECTD_TESTS_MODEL_WORLD_HOST_HOST_H

#include "tests/model/world/network/network.h"

/* Fills in what a node's setup points to; it must live until node_init()
 * (configure.c). */
struct world_peers {
	struct peer_setup setup[NODES_MAX];
	unsigned sides[RING_LINKS][NODES_MAX];
};

void world_configure(struct world *w, const struct process *p,
    struct node_setup *setup, struct world_peers *peers);

/* The document of a file, and back; the bytes are of a file of this world
 * (documents.c). */
const uint8_t *world_bytes(const struct world_file *file);
size_t world_bytes_count(const struct world_file *file);
struct world_file world_file_of(
    struct world *w, const uint8_t *bytes, size_t size);

/* The same file with this config term. */
struct world_file world_stamped(
    struct world *w, const struct world_file *file, uint64_t config_term);

/*
 * Discovery: a copy of a configuration, with room for more nodes, that may be
 * changed; but for its defaults, which it lacks. A file with it, which
 * takes it; it lives as long as a process has the file.
 */
struct config *documents_draft(const struct config *from, size_t more);
struct world_file documents_file(struct world *w, struct config *draft);
void documents_free(struct world *w);

/* How long a write takes that begins now. */
nsec_t disk_time(struct random *random, const struct disk *disk);

/* The disk of a process (disk.c). One function each for: the process
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

/* The helper of a process (will.c). One function each for: the process
 * starts; its settings change, from here to there; it hands over a will; it
 * has given a client a deadline, or has taken one back; it is paused; the
 * time of a helper has come; the process ends in order; it was killed; it is
 * forgotten. */
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

/* Checks a datagram before it leaves (datagram.c). */
void world_check_datagram(
    struct world *w, process_name name, const struct action *action);

/* Deadlines (deadlines.c): lets a client ask a leader for one, by the leader's
 * clock; 0: there is none. */
nsec_t deadlines_ask(struct world *w, process_name name, nsec_t local);

/* Lets a client ask a leader, or not, by chance. */
void deadlines_draw(struct world *w, process_name name);

/* The same for a client that gives it back. That is so if it has not been kept
 * before deadlines_take_back(), which is an input of the process; false: there
 * is nothing to give back. */
nsec_t deadlines_hand_out(struct world *w, process_name name, nsec_t local);
void deadlines_keep(struct world *w, process_name name, nsec_t until);
bool deadlines_take_back(struct world *w, process_name name);

/* The clients that hold may give back their deadlines, within a step: true if
 * they have. */
bool deadlines_go_on(struct world *w, process_name name);

/* `electctl run` (run.c): when the next of its events is, and on which host;
 * it happens, true if it is an input of the process. The process tells its
 * supervisor whether it leads, and hands over; has ended; its host stands
 * still; it goes on. */
nsec_t runs_next(const struct world *w, process_name *name);
bool runs_happen(struct world *w, process_name name);
void runs_look(struct world *w, process_name name, const struct node_status *s);
void runs_note(struct world *w, process_name name, const struct notice *n);
void runs_lost(struct world *w, process_name name);
void runs_suspend(struct world *w, process_name name);
void runs_wake(struct world *w, process_name name);

/* `electctl run` on every host, and its faults. */
void world_run_everywhere(struct world *w, nsec_t stop_time);
void world_supervisor_kill(struct world *w, process_name name);
void world_supervisor_stop(struct world *w, process_name name, nsec_t duration);
void world_supervisor_stop_at_start(
    struct world *w, process_name name, nsec_t duration);
void world_supervisor_continue(struct world *w, process_name name);
bool world_command_runs(const struct world *w, process_name name);

/* How long a supervisor that was killed, or that has no connection, needs at
 * most. */
nsec_t runs_catch_up(void);

/* A process starts, or has ended: records it, or plays its tape, now that the
 * memory of its node is gone (tapes.c). */
void tapes_start(struct world *w, process_name name);
void tapes_end(struct world *w, process_name name);

/* Plays the tapes of all processes that run. */
void world_play_tapes(struct world *w);

/* Writes them to `directory`/ID.tape; false if that fails. */
bool world_dump_tapes(struct world *w, const char *directory);

/*
 * Taps on the messages between algorithms (tap.c). A process takes only
 * messages that another sent to it in this life, in that order, and each at
 * most once. The tap wraps the algorithm; the world says which node is about to
 * move.
 */
void tap_init(struct world *w);
void tap_listen(struct world *w, process_name name);
void tap_start(struct world *w, process_name name);
void tap_done(struct world *w);

/* Forgets what one has sent to the other. */
void world_tap_forget(struct world *w, node_id from, node_id to);

#endif
