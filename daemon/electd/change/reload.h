/* SPDX-License-Identifier: ISC */
/* A reload: what follows from a configuration that was read again. */
#ifndef ELECTD_DAEMON_ELECTD_CHANGE_RELOAD_H
#define ELECTD_DAEMON_ELECTD_CHANGE_RELOAD_H

#include "common/host/proposal.h"
#include "daemon/control/control.h"
#include "daemon/electd/change/change_worker.h"

/* Why settings that are right cannot be applied. */
#define RELOAD_FAILURE "an address is of another family, or memory is short"

/*
 * Compares what was read, or the settings that a change of the nodes makes,
 * with what runs, and has that judged (proposal_judge()). Fills in the end and
 * the lines of *reload. If the file is older, it has what hosts share of
 * `running` from then on.
 */
void reload_judge(struct reload *reload, struct rollout *rollout,
    const struct settings *running, struct node *node, nsec_t now,
    const struct read_files *files);

/* Logs what has changed from one configuration to the next, which node
 * `giver` gave, and which of it needs a restart: this host's own address
 * does. */
void reload_report_config(
    const struct settings *before, const struct settings *after, node_id giver);

/* The addresses cannot be applied, which was logged: nothing changes. */
void reload_fail(struct reload *reload);

/* Logs how the reload of the file `path` has ended. */
void reload_report(const struct reload *reload, const char *path);

/* Logs how a change of the nodes was judged, or has ended. */
void reload_report_members(const struct reload *reload);

/* Frees the lines. */
void reload_done(struct reload *reload);

#endif
