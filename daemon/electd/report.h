/* SPDX-License-Identifier: ISC */
/* Notices as lines of the log and as systemd's status text. */
#ifndef ELECTD_DAEMON_ELECTD_REPORT_H
#define ELECTD_DAEMON_ELECTD_REPORT_H

#include "common/node/node.h"
#include "daemon/config/settings.h"
#include "daemon/state/store.h"

/* Logs which node this is, of what. */
void report_start(const struct settings *settings);

/* What a line may tell beside the notice, and what was told before. */
struct reporter {
	const struct settings *settings;
	const struct node *node;
	nsec_t now;
	const char
	    *sender;       /* of the datagram being taken: "host:port", or "" */
	bool is_placed;    /* the peer has an address: its name is resolved */
	bool loss_is_told; /* that there is no leader any more */
	bool cut_is_told;  /* that half of the nodes or fewer are reachable */
	bool stall_is_told; /* that this process did not run */
};

/*
 * Logs a notice: an error or a warning if somebody has to see to it, a notice
 * if it is a change that matters, a detail else.
 */
void report_notice(struct reporter *reporter, const struct notice *n);

/* The same, of NOTICE_DROPPED. */
void report_dropped(const struct reporter *reporter, const struct notice *n);

/* Logs that the helper took this process for dead as it did not run for so
 * long, and sets stall_is_told. */
void report_death(struct reporter *reporter, nsec_t duration);

/* May it have changed what systemd is told, if there is one to be told? */
bool report_wants_status(const struct notice *n);

/* Tells systemd who leads, after a notice that may have changed it. */
void report_status(
    const struct settings *settings, const struct node_status *status);

/* A leader is to end; a deadline that was handed out is `ahead`, or 0. */
void report_handing_over(nsec_t ahead);

/*
 * The state could not be written: a negative errno. Unborn: the incarnation of
 * this process was not durable yet, so that it has to end.
 */
void report_disk(const struct settings *settings, const struct store *store,
    int error, bool is_unborn);

#endif
