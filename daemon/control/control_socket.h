/* SPDX-License-Identifier: ISC */
/*
 * A listening Unix socket with a mode and a group. Its name appears only once
 * clients can connect to it. Also: which process is at the other end of a
 * connection.
 */
#ifndef ELECTD_DAEMON_CONTROL_CONTROL_SOCKET_H
#define ELECTD_DAEMON_CONTROL_CONTROL_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "daemon/control/protocol/control_protocol.h"

struct listener {
	int fd;
	mode_t mode; /* of its file */
	gid_t group; /* of its file */
	char path[CONTROL_PATH_MAX];
	dev_t device; /* of the file that we made at `path` */
	ino_t inode;  /* likewise */
};

/*
 * Listens at `path`, and replaces a socket there on which no process answers.
 * Gives 0, or a negative errno and leaves nothing behind: -EADDRINUSE if a
 * process answers, -EEXIST if the file is not a socket.
 */
int listener_open(
    struct listener *listener, const char *path, mode_t mode, gid_t group);

/* Describes an error of these functions to a user. */
const char *listener_error_text(int error);

/* Gives 0 if listener_open() may take `path`, else the error it would give. */
int listener_check(const char *path);

/* True if its file is still there. */
bool listener_is_there(const struct listener *listener);

/*
 * Makes its file anew, like listener_open(). Clients that were not accepted yet
 * must connect again. After an error the listener is unchanged.
 */
int listener_renew(struct listener *listener);

/* Closes the socket, and removes its file unless somebody has replaced it. */
void listener_close(struct listener *listener);

/* The process that connected, as it was then. False if the kernel does not
 * say. */
bool peer_credentials(int fd, struct ucred *peer);

#define ALLOWED_MAX 20 /* groups, or users: those of the settings, and ours */

/* Users who may do something, besides root and this process's own user. */
struct allowed {
	uid_t users[ALLOWED_MAX];
	size_t users_count;
	gid_t groups[ALLOWED_MAX];
	size_t groups_count;
};

/* True if the peer is root, this process's own user, one of these users, or a
 * member of one of these groups. */
bool peer_is_allowed(
    int fd, const struct ucred *peer, const struct allowed *allowed);

#endif
