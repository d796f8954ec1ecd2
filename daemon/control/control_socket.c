/* SPDX-License-Identifier: ISC */
#include "daemon/control/control_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/system/sockets/unix_peer.h"

#define BACKLOG 64 /* one for each place for clients */

/* Supplementary groups of a peer: 4 KiB of the stack. Linux permits 65536, but
 * users are in dozens; with more than this the primary group decides. */
#define GROUPS_MAX 1024

/* False if the path is too long for an address. */
static bool
address_of(struct sockaddr_un *address, const char *path)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(address->sun_path))
		return false;
	memcpy(address->sun_path, path, strlen(path));
	return true;
}

static int
unix_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Gives 0 if `path` may be taken, else a negative errno. */
static int
path_is_free(const char *path, const struct sockaddr_un *address)
{
	struct stat file;
	int fd, error;

	if (lstat(path, &file) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(file.st_mode))
		return -EEXIST;
	fd = unix_socket();
	if (fd < 0)
		return -errno;
	error =
	    connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0
		? 0
		: errno;
	close(fd);
	if (error == ECONNREFUSED || error == ENOENT)
		return 0;
	/* EAGAIN: its queue is full, so a process listens there. */
	return error == 0 || error == EAGAIN ? -EADDRINUSE : -error;
}

/* A name in the same directory for which no client looks. */
static bool
temporary_path(const char *path, char temporary[CONTROL_PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	int directory = slash == NULL ? 0 : (int)(slash - path) + 1;
	int size = snprintf(temporary, CONTROL_PATH_MAX, "%.*s.electd-%d",
	    directory, path, (int)getpid());

	return size > 0 && (size_t)size < CONTROL_PATH_MAX;
}

/* Binds the socket to a file that only we may open. */
static int
bind_privately(int fd, const char *path)
{
	struct sockaddr_un address;
	mode_t mask;
	int error;

	if (!address_of(&address, path))
		return -ENAMETOOLONG;
	if (unlink(path) != 0 && errno != ENOENT)
		return -errno;
	mask = umask(0177);
	error =
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0
		? 0
		: -errno;
	umask(mask);
	return error;
}

/* Sets the group before the mode, so that no other group ever has access. */
static int
publish(struct listener *listener, const char *temporary)
{
	struct stat file;

	if (listen(listener->fd, BACKLOG) != 0 ||
	    lstat(temporary, &file) != 0 ||
	    (file.st_gid != listener->group &&
		lchown(temporary, (uid_t)-1, listener->group) != 0) ||
	    chmod(temporary, listener->mode) != 0 ||
	    rename(temporary, listener->path) != 0)
		return -errno;
	listener->device = file.st_dev;
	listener->inode = file.st_ino;
	return 0;
}

static int
bind_and_publish(struct listener *listener)
{
	char temporary[CONTROL_PATH_MAX];
	int error;

	if (!temporary_path(listener->path, temporary))
		return -ENAMETOOLONG;
	error = bind_privately(listener->fd, temporary);
	if (error != 0)
		return error;
	error = publish(listener, temporary);
	if (error != 0)
		unlink(temporary);
	return error;
}

int
listener_check(const char *path)
{
	struct sockaddr_un address;

	return address_of(&address, path) ? path_is_free(path, &address)
					  : -ENAMETOOLONG;
}

const char *
listener_error_text(int error)
{
	switch (error) {
	case -EADDRINUSE:
		return "another electd answers there";
	case -EEXIST:
		return "is not a socket, so electd leaves it alone";
	case -ENOENT:
		return "its directory does not exist; make it";
	case -EACCES:
		return "Permission denied; its directory must belong to the user that electd runs as";
	default:
		return strerror(-error);
	}
}

int
listener_open(
    struct listener *listener, const char *path, mode_t mode, gid_t group)
{
	int error = listener_check(path);

	*listener = (struct listener){ .fd = -1, .mode = mode, .group = group };
	if (error != 0)
		return error;
	memcpy(listener->path, path, strlen(path) + 1);
	listener->fd = unix_socket();
	if (listener->fd < 0)
		return -errno;
	unix_peer_refuse_files(listener->fd);
	error = bind_and_publish(listener);
	if (error != 0) {
		close(listener->fd);
		listener->fd = -1;
	}
	return error;
}

bool
listener_is_there(const struct listener *listener)
{
	struct stat file;

	return lstat(listener->path, &file) == 0 &&
	       file.st_dev == listener->device &&
	       file.st_ino == listener->inode;
}

int
listener_renew(struct listener *listener)
{
	struct listener fresh;
	int error = listener_open(
	    &fresh, listener->path, listener->mode, listener->group);

	if (error != 0)
		return error;
	unix_peer_close_listener(listener->fd);
	*listener = fresh;
	return 0;
}

void
listener_close(struct listener *listener)
{
	if (listener->fd < 0)
		return;
	if (listener_is_there(listener))
		unlink(listener->path);
	unix_peer_close_listener(listener->fd);
	listener->fd = -1;
}

bool
peer_credentials(int fd, struct ucred *peer)
{
	socklen_t size = sizeof(*peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &size) == 0;
}

static bool
has_group(const struct allowed *allowed, gid_t group)
{
	for (size_t i = 0; i < allowed->groups_count; i++) {
		if (allowed->groups[i] == group)
			return true;
	}
	return false;
}

/* False on kernels before 4.13, which do not say: then the primary group
 * decides. */
static bool
peer_is_in_group(int fd, const struct allowed *allowed)
{
	gid_t groups[GROUPS_MAX];
	socklen_t size = sizeof(groups);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0)
		return false;
	for (size_t i = 0; i < size / sizeof(groups[0]); i++) {
		if (has_group(allowed, groups[i]))
			return true;
	}
	return false;
}

bool
peer_is_allowed(int fd, const struct ucred *peer, const struct allowed *allowed)
{
	if (peer->uid == 0 || peer->uid == geteuid())
		return true;
	for (size_t i = 0; i < allowed->users_count; i++) {
		if (allowed->users[i] == peer->uid)
			return true;
	}
	return has_group(allowed, peer->gid) || peer_is_in_group(fd, allowed);
}
