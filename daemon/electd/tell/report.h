/* SPDX-License-Identifier: ISC */
/* Writes notices to the log, and the status line to systemd. */
#ifndef ELECTD_DAEMON_ELECTD_TELL_REPORT_H
#define ELECTD_DAEMON_ELECTD_TELL_REPORT_H

#include "common/node/node.h"
#include "daemon/config/settings.h"
#include "daemon/state/store.h"

/* Logs the version, and which node of which cluster this is. */
void report_start(const struct settings *settings);

#define REPORT_LINES_MAX 30 /* a link that comes and goes in 4 s loses none */

/* Counts the lines about one matter, of which a minute has no more than
 * REPORT_LINES_MAX, so that neither a member nor a busy host fills the log. */
struct line_limit {
	nsec_t until;   /* the end of the minute that is counted */
	unsigned count; /* lines in this minute, also those left out */
};

/* What report_notice() reads beside the notice, and what it has logged. */
struct reporter {
	const struct settings *settings; /* those that name the nodes */
	const struct settings *present;  /* those of `node` */
	const struct node *node;
	nsec_t now;
	const char *sender; /* "host:port" of the datagram being handled, or
			      * "" */
	bool loss_is_told;  /* the loss of the last leader is logged */
	bool cut_is_told;   /* it is logged that at most half of the nodes are
			      * reachable */
	bool stall_is_told; /* report_death() has logged the present stall */
	struct line_limit leaders;
	struct line_limit elections;
	struct line_limit quorum;
	struct line_limit standbys;
	struct line_limit cuts;
	struct line_limit stalls;           /* that peers do not notice */
	struct line_limit long_stalls;      /* that may cost us our peers */
	struct line_limit links[NODES_MAX]; /* by the place in the settings */
};

/*
 * Logs a notice: as an error or a warning if an operator has to act, as a
 * notice if the change matters, else as information or for debugging. Leaves
 * out lines that come too often, and says so when it begins and how many they
 * were when it ends.
 */
void report_notice(struct reporter *reporter, const struct notice *n);

/* Logs that a change of standby could not be kept; `error` is a negative
 * errno. */
void report_standby_unkept(const struct settings *settings, int error);

/* The part of report_notice() for NOTICE_DROPPED. */
void report_dropped(const struct reporter *reporter, const struct notice *n);

/* Logs that lastwill declared this process dead because it did not run for
 * `duration`. Sets stall_is_told. */
void report_death(struct reporter *reporter, nsec_t duration);

/* True if systemd listens and the notice may change report_status()'s text. */
bool report_wants_status(const struct notice *n);

/* Tells systemd who leads and how many nodes are reachable. */
void report_status(
    const struct settings *settings, const struct node_status *status);

/* Logs that the stopping leader hands over. A client still holds a deadline
 * that lies `ahead`; 0: no client does. */
void report_handing_over(nsec_t ahead);

/* Logs which nodes have become known. */
void report_met(const struct settings *before, const struct settings *after);

/* Logs that the document of node `giver` cannot be put into effect. `errors`
 * has lines, or is NULL or empty. */
void report_refusal(const struct settings *settings, node_id giver,
    const struct config_id *config_id, bool is_removed, const char *errors);

/* Logs that these settings could not be written; `error` is a negative
 * errno. */
void report_not_kept(const struct settings *settings,
    const struct config_id *config_id, int error);

/* Logs that these settings were written, after a write that had failed. */
void report_kept_again(
    const struct settings *settings, const struct config_id *config_id);

/* Quorum: logs that no leader would put these settings into effect; `step` is
 * STEP_TOO_FAR or STEP_PROMOTES. */
void report_refused_proposal(
    const struct config_id *config_id, enum change_step step);

/* Quorum: logs that this node, the leader, hands over, since these settings do
 * not let it lead, or do not name it. */
void report_handover_for_proposal(
    const struct config_id *config_id, bool is_named);

/* Logs that the state file cannot be written. `error` is a negative errno. */
void report_disk(
    const struct settings *settings, const struct store *store, int error);

/* Logs that this process ends, as it could not write its incarnation (see
 * node_is_unborn()). */
void report_unborn(
    const struct settings *settings, const struct store *store, int error);

#endif
