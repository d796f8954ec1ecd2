/* SPDX-License-Identifier: ISC */
/*
 * What sets this node aside: an order of an operator, which is kept on the
 * disk, and the checks of its services, which is not. The node knows one
 * standby: that of the order, or else that of the checks. Pure.
 */
#ifndef ELECTD_DAEMON_ELECTD_ASIDE_ASIDE_H
#define ELECTD_DAEMON_ELECTD_ASIDE_ASIDE_H

#include "daemon/electd/aside/health.h"

struct aside {
	struct standby order; /* as of order_at */
	nsec_t order_at;
	struct health health; /* the caller tells it what happens */
	bool is_sick;         /* the checks set the node aside, */
	nsec_t sick_since;    /* since then */
	struct standby told;  /* what the node knows, as of told_at */
	nsec_t told_at;
	nsec_t look_at; /* when to look again; NSEC_NEVER: not by itself */
};

/* Begins with the order that was in effect before this start. Returns what the
 * node is to begin with. */
struct standby aside_begin(struct aside *aside, nsec_t now,
    const struct standby *order, const struct settings *settings);

/* The settings have other checks. */
void aside_renew(
    struct aside *aside, nsec_t now, const struct settings *settings);

/* An operator has set the node aside, or ends that. */
void aside_order(struct aside *aside, nsec_t now, const struct standby *order);

/* True if such an order is in effect. */
bool aside_is_ordered(const struct aside *aside, nsec_t now);

/* Call this after each change, and at look_at. True if the node must be told
 * another standby, *standby; it is told then. */
bool aside_look(struct aside *aside, nsec_t now, struct standby *standby);

#endif
