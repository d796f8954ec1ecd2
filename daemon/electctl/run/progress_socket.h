/* SPDX-License-Identifier: ISC */
/*
 * The socket at which a command says that it makes progress, as a service says
 * it to systemd. Its name is abstract, so it leaves no file behind, and any
 * process of the host may send to it: what counts comes from the command, or
 * from a process that it has started, by the credentials that the kernel adds.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_PROGRESS_SOCKET_H
#define ELECTD_DAEMON_ELECTCTL_RUN_PROGRESS_SOCKET_H

#include "daemon/electctl/run/progress.h"

#define PROGRESS_NAME_BYTES 108 /* as sun_path has */

struct progress_socket {
	int fd;                         /* -1: there is none */
	char name[PROGRESS_NAME_BYTES]; /* "@...", for NOTIFY_SOCKET */
};

/* Makes the socket. False with errno. */
bool progress_socket_open(struct progress_socket *socket);

/* Sets the environment of the command, in the process that becomes it: the
 * socket, and the limit. */
void progress_socket_prepare(
    const struct progress_socket *socket, nsec_t limit);

/* Takes the messages that have come, at most 16 of them. Each one of this
 * process's descendants counts. */
void progress_socket_take(const struct progress_socket *socket, nsec_t now,
    struct progress *progress);

#endif
