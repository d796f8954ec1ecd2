/* SPDX-License-Identifier: ISC */
/*
 * What electd and electctl must agree on: the names of the sockets, the longest
 * request, and the codes of errors, which are electctl's exit statuses.
 */
#ifndef ELECTD_DAEMON_CONTROL_PROTOCOL_CONTROL_PROTOCOL_H
#define ELECTD_DAEMON_CONTROL_PROTOCOL_CONTROL_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#define CONTROL_PROTOCOL    3    /* rises when a key changes its meaning */
#define CONTROL_REQUEST_MAX 4096 /* of a line; requests take below 100 */

enum control_code {
	CODE_YES,         /* done, or yes */
	CODE_NO,          /* a well-formed no */
	CODE_USAGE,       /* wrong usage: the request makes no sense */
	CODE_UNREACHABLE, /* no daemon, or it has no place */
	CODE_DENIED,      /* not permitted */
	CODE_NO_QUORUM,   /* no majority of the voters is heard */
	CODE_REFUSED,     /* by the cluster or this node */
	CODE_UNKNOWN,     /* sent, but the outcome is unknown */
	CODE_SETTINGS,    /* the configuration is wrong */
	CODE_STARTING,    /* not known yet: the node has just started */
};

#define CONTROL_DIRECTORY "/run/electd" /* of all sockets, by default */
#define CONTROL_PATH_MAX  sizeof(((struct sockaddr_un *)NULL)->sun_path)

/* True if this is the path of a control socket for administrators. */
static inline bool
control_is_admin(const char *path)
{
	static const char suffix[] = ".admin.sock";
	size_t size = strlen(path);

	return size >= strlen(suffix) &&
	       strcmp(path + size - strlen(suffix), suffix) == 0;
}

/*
 * Gives the admin socket beside a query socket: "x.admin.sock" for "x.sock".
 * False if the name would be too long for an address.
 */
static inline bool
control_admin_path(const char *query, char admin[CONTROL_PATH_MAX])
{
	static const char suffix[] = ".sock";
	size_t stem = strlen(query);
	int size;

	if (stem >= CONTROL_PATH_MAX)
		return false;
	if (stem >= strlen(suffix) &&
	    strcmp(query + stem - strlen(suffix), suffix) == 0)
		stem -= strlen(suffix);
	size = snprintf(
	    admin, CONTROL_PATH_MAX, "%.*s.admin%s", (int)stem, query, suffix);
	return size > 0 && (size_t)size < CONTROL_PATH_MAX;
}

#endif
