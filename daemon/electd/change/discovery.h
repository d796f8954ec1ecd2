/* SPDX-License-Identifier: ISC */
/*
 * The settings of a cluster whose nodes find each other (PROTOCOL.md,
 * Discovery): those of a file that lists no nodes, and those that name nodes
 * which this one has met.
 */
#ifndef ELECTD_DAEMON_ELECTD_CHANGE_DISCOVERY_H
#define ELECTD_DAEMON_ELECTD_CHANGE_DISCOVERY_H

#include "daemon/config/settings.h"
#include "daemon/net/address.h"

#define EXIT_CONFIGURATION 8 /* the configuration is wrong; as electctl's */

#define DISCOVERY_TEXT_MAX 1024 /* bytes of an error, and its end */

/* True if the settings are those of a file that leaves this host's own node to
 * discovery. */
bool discovery_lacks_self(const struct settings *settings);

/*
 * Adds this host's own node to settings that lack it. Without an id draws one.
 * Its address is `listen`, or where this host is by its route to the others,
 * with the port 7420. Returns EXIT_SUCCESS, or the status to exit with and the
 * reason in `text`.
 */
int discovery_complete(
    struct settings *settings, char text[DISCOVERY_TEXT_MAX]);

/*
 * Gives *file the nodes of `running` that were discovered, besides those that
 * it lists, and the generation that follows from its own: the next one if the
 * file is newer than that by which `running` is. *file is replaced in place.
 * False, with the errors in *errors, allocated, if that fails; then it is as it
 * was.
 */
bool discovery_follow(
    const struct settings *running, struct settings *file, char **errors);

/* A node that was met, and where. */
struct acquaintance {
	struct newcomer node;
	char address[ADDRESS_TEXT_MAX];
};

/*
 * The settings `running` with these nodes besides those that they name, but for
 * others that were discovered at the same addresses; with the next generation
 * if any of these says so. Who is at the address of a node that a file lists is
 * not added. A name that is not valid or not free gives way to the id.
 * Allocated; NULL if nothing is to be added, or after logging what keeps it
 * from that.
 */
struct settings *discovery_admit(const struct settings *running,
    const struct acquaintance *met, unsigned count);

/* The settings `running` with what this host's file says of its own node, with
 * this address of it, and with the next generation. NULL if nothing differs, if
 * a file lists the node, or as above. A name that another node has is not
 * taken. */
struct settings *discovery_renew_self(
    const struct settings *running, const char *address);

/* The settings `running` without this node, with the next generation. As
 * above. */
struct settings *discovery_without(const struct settings *running, node_id id);

/* Removes what the state directory has of this host's id, which was drawn and
 * is another's, so that the next start draws another. Logs a failure. */
void discovery_draw_again(const struct settings *settings);

#endif
