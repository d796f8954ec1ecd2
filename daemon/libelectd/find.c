/* SPDX-License-Identifier: ISC */
/* Finds the daemon's query socket. */
#include <assert.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/control/protocol/control_protocol.h"
#include "daemon/libelectd/electd.h"

static_assert(
    ELECTD_PATH_MAX == CONTROL_PATH_MAX, "sun_path has so many bytes");

#define END     ".sock"
#define PATTERN CONTROL_DIRECTORY "/*" END

/*
 * True if a daemon listens on the socket. One that hangs does, with a full
 * queue. The socket of a dead one refuses.
 */
static bool
is_alive(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return false;
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	error =
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0
		? 0
		: errno;
	close(fd);
	return error == 0 || error == EAGAIN || error == EACCES;
}

/* Query sockets in /run/electd. */
struct sockets {
	glob_t found;
	size_t count;
};

static void
sockets_keep(struct sockets *sockets, bool (*is_kept)(const char *path))
{
	size_t kept = 0;

	for (size_t i = 0; i < sockets->count; i++) {
		char *path = sockets->found.gl_pathv[i];

		if (!is_kept(path))
			continue;
		sockets->found.gl_pathv[i] = sockets->found.gl_pathv[kept];
		sockets->found.gl_pathv[kept++] = path;
	}
	sockets->count = kept;
}

static bool
is_query_path(const char *path)
{
	return !control_is_admin(path);
}

static void
sockets_find(struct sockets *sockets)
{
	*sockets = (struct sockets){ .count = 0 };
	if (glob(PATTERN, 0, NULL, &sockets->found) == 0)
		sockets->count = sockets->found.gl_pathc;
	sockets_keep(sockets, is_query_path);
}

static void
sockets_free(struct sockets *sockets)
{
	globfree(&sockets->found);
}

size_t
electd_clusters(bool alive, char *text, size_t size)
{
	struct sockets sockets;
	size_t used = 0;

	sockets_find(&sockets);
	if (alive)
		sockets_keep(&sockets, is_alive);
	if (size > 0)
		text[0] = '\0';
	for (size_t i = 0; i < sockets.count && used < size; i++) {
		const char *path = sockets.found.gl_pathv[i];
		const char *name = path + strlen(CONTROL_DIRECTORY "/");

		used += (size_t)snprintf(text + used, size - used, "%s%.*s",
		    i == 0 ? "" : ", ", (int)(strlen(name) - strlen(END)),
		    name);
	}
	sockets_free(&sockets);
	return sockets.count;
}

/*
 * Chooses the only socket, even if its daemon is dead, which connecting to it
 * will show. Of several, chooses the only one whose daemon is alive.
 */
static int
choose(char path[ELECTD_PATH_MAX])
{
	struct sockets sockets;
	int error = 0;

	sockets_find(&sockets);
	if (sockets.count > 1)
		sockets_keep(&sockets, is_alive);
	if (sockets.count > 1)
		error = ENOTUNIQ;
	else if (sockets.count == 0 ||
		 strlen(sockets.found.gl_pathv[0]) >= ELECTD_PATH_MAX)
		error = ENOENT;
	else
		strcpy(path, sockets.found.gl_pathv[0]);
	sockets_free(&sockets);
	return error;
}

static int
name_path(const char *named, char path[ELECTD_PATH_MAX])
{
	if (strlen(named) >= ELECTD_PATH_MAX)
		return ENAMETOOLONG;
	strcpy(path, named);
	return 0;
}

static int
cluster_path(const char *cluster, char path[ELECTD_PATH_MAX])
{
	int size = snprintf(
	    path, ELECTD_PATH_MAX, "%s/%s%s", CONTROL_DIRECTORY, cluster, END);

	return cluster[0] != '\0' && strchr(cluster, '/') == NULL && size > 0 &&
		       size < ELECTD_PATH_MAX && is_query_path(path)
		   ? 0
		   : EINVAL;
}

int
electd_find(const char *socket, const char *cluster, char path[ELECTD_PATH_MAX])
{
	if (cluster != NULL)
		return cluster_path(cluster, path);
	if (socket == NULL)
		socket = getenv("ELECTD_SOCKET");
	return socket != NULL && socket[0] != '\0' ? name_path(socket, path)
						   : choose(path);
}
