/* SPDX-License-Identifier: ISC */
/*
 * The health of this host's services, as the checker, `electctl checks`, tells
 * it. The checker says again and again how they are, and what it has said
 * counts for HEALTH_VALID. So a checker that has ended, hangs or is stopped
 * cannot keep a node in the lead, and one that is started anew within that time
 * changes nothing. Pure.
 */
#ifndef ELECTD_DAEMON_ELECTD_STANDBY_HEALTH_H
#define ELECTD_DAEMON_ELECTD_STANDBY_HEALTH_H

#include "daemon/control/control.h"

/* The checker says how the services are once a second, so two of these may be
 * late. It does not depend on the checks: that the checker answers shows that
 * it runs them, however seldom. */
#define HEALTH_VALID (3 * SEC)

struct health {
	bool is_wanted;      /* there are checks */
	uint64_t list;       /* the number of the present list, from 1 */
	nsec_t longest;      /* the time for which one of these may run */
	struct standby told; /* what the node knows, as of told_at */
	nsec_t told_at;
	nsec_t look_at;     /* when to look again; NSEC_NEVER: not by itself */
	uint64_t session;   /* of the checker; 0: none is connected */
	nsec_t heard_until; /* what the checker has said counts until then */
	bool has_result;    /* the rest is set */
	nsec_t known_by;    /* NSEC_NEVER: the result is of the present list;
	                     * or it counts until there is one of that, but no
	                     * longer than until then */
	bool is_well;
	char reason[STANDBY_REASON_MAX + 1]; /* if not */
};

/* Begins with the checks of the settings, which may be none. */
void health_init(struct health *health, const struct settings *settings);

/* The settings have other checks. The last report on the services counts until
 * the checker has run these. */
void health_renew(
    struct health *health, nsec_t now, const struct settings *settings);

/* Takes a report. False if another checker is connected. */
bool health_take(
    struct health *health, nsec_t now, const struct health_report *report);

/* A connection has ended. True if it was the checker's. */
bool health_end(struct health *health, uint64_t session);

/* Why this node must not lead; NULL if it may. */
const char *health_fault(const struct health *health, nsec_t now);

/* Call this after each change, and at look_at. True if the node must be told
 * another standby, *standby; it is told then. */
bool health_look(struct health *health, nsec_t now, struct standby *standby);

#endif
