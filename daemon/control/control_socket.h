/* SPDX-License-Identifier: ISC */
/*
 * A listening Unix socket with a mode and a group, which appears under its
 * name only once it can be connected to; and who is at the other end of a
 * connection.
 */
#ifndef ELECTD_DAEMON_CONTROL_CONTROL_SOCKET_H
#define ELECTD_DAEMON_CONTROL_CONTROL_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "daemon/control/control_protocol.h"

struct listener {
	int fd;
	mode_t mode; /* of its file, and the group */
	gid_t group;
	char path[CONTROL_PATH_MAX];
	dev_t device; /* of the file at `path` when it was ours */
	ino_t inode;
};

/*
 * Listens at `path`, replacing a socket that nobody answers on. Gives 0, or
 * a negative errno and leaves nothing: -EADDRINUSE when somebody answers,
 * -EEXIST when there is something else than a socket.
 */
int listener_open(
    struct listener *listener, const char *path, mode_t mode, gid_t group);

/* What an error of these says to a user. */
const char *listener_error_text(int error);

/* 0 if nobody answers at `path`, so that listener_open() may replace what is
 * there; else what that would give. */
int listener_check(const char *path);

/* Is its file still there? */
bool listener_is_there(const struct listener *listener);

/* Makes its file anew, as listener_open() does; clients that were not accepted
 * yet have to try again. After an error it is as it was. */
int listener_renew(struct listener *listener);

/* Closes it, and removes its file unless somebody has replaced that. */
void listener_close(struct listener *listener);

/* Who connected, as of then. False if the kernel does not tell. */
bool peer_credentials(int fd, struct ucred *peer);

/* Is the peer root, this process's own user, or a member of `group`? */
bool peer_may_steer(int fd, const struct ucred *peer, gid_t group);

#endif
