/* SPDX-License-Identifier: ISC */
/*
 * What differs between two configurations of one node, and what a change needs
 * to take effect (electd.conf(5), CHANGING A CLUSTER).
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_CHANGES_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_CHANGES_H

#include "daemon/config/settings.h"

enum change {
	CHANGE_NOW,      /* the daemon applies it while it runs */
	CHANGE_RESTART,  /* a restart of this daemon applies it */
	CHANGE_CLUSTER,  /* all hosts must agree: a file of a later generation
	                 * applies it, or, if the settings have no document, a
	                 * restart of all daemons */
	CHANGE_IDENTITY, /* it would be another cluster: all daemons restart */
};

#define CHANGE_TEXT_MAX 96 /* "address of " and a name, and its end */

/* Takes one setting that differs, as "timing.heartbeat" or "address of web2".
 * The text is valid during the call. */
typedef void change_taker(
    void *context, enum change change, const char *setting);

/*
 * Tells `take` of each setting in which `wanted` differs from `running`, once,
 * in the order of electd.conf(5). Both have the id of this host's node.
 */
void settings_compare(const struct settings *running,
    const struct settings *wanted, change_taker *take, void *context);

#endif
