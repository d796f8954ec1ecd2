/* SPDX-License-Identifier: ISC */
/* Finds the daemon's query socket. */
#include "daemon/client/client.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATTERN   SOCKETS_DIRECTORY "/*.sock"
#define END       ".sock"
#define ADMIN_END ".admin.sock"
#define NAMES_MAX 256 /* bytes of a list of clusters in a message */

static bool
ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

bool
is_admin_path(const char *path)
{
	return ends_with(path, ADMIN_END);
}

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
	return !is_admin_path(path);
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

/* The clusters, by the names of their sockets: "mail, web". */
static const char *
sockets_text(const struct sockets *sockets, char text[NAMES_MAX])
{
	size_t size = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sockets->count && size < NAMES_MAX; i++) {
		const char *path = sockets->found.gl_pathv[i];
		const char *name = path + strlen(SOCKETS_DIRECTORY "/");

		size += (size_t)snprintf(text + size, NAMES_MAX - size,
		    "%s%.*s", i == 0 ? "" : ", ",
		    (int)(strlen(name) - strlen(END)), name);
	}
	return text;
}

/*
 * Chooses the only socket, even if its daemon is dead, which connecting to it
 * will show. Of several, chooses the only one whose daemon is alive. "" if
 * there is none.
 */
static enum control_code
choose(struct sockets *sockets, char path[CONTROL_PATH_MAX])
{
	const char *chosen = "";
	char names[NAMES_MAX];

	if (sockets->count > 1)
		sockets_keep(sockets, is_alive);
	if (sockets->count > 1) {
		complain(
		    "several clusters have a daemon here: %s; choose one with --cluster NAME",
		    sockets_text(sockets, names));
		return CODE_USAGE;
	}
	if (sockets->count == 1)
		chosen = sockets->found.gl_pathv[0];
	if (strlen(chosen) >= CONTROL_PATH_MAX)
		chosen = "";
	memcpy(path, chosen, strlen(chosen) + 1);
	return CODE_YES;
}

static enum control_code
name_path(const char *named, char path[CONTROL_PATH_MAX])
{
	if (strlen(named) >= CONTROL_PATH_MAX) {
		complain("%s: too long for the name of a socket", named);
		return CODE_USAGE;
	}
	memcpy(path, named, strlen(named) + 1);
	return CODE_YES;
}

static enum control_code
cluster_path(const char *cluster, char path[CONTROL_PATH_MAX])
{
	int size = snprintf(
	    path, CONTROL_PATH_MAX, "%s/%s%s", SOCKETS_DIRECTORY, cluster, END);

	if (cluster[0] != '\0' && strchr(cluster, '/') == NULL && size > 0 &&
	    (size_t)size < CONTROL_PATH_MAX && is_query_path(path))
		return CODE_YES;
	complain("--cluster: \"%s\" is not the name of a cluster", cluster);
	return CODE_USAGE;
}

bool
find_default(struct whereabouts *place)
{
	if (place->socket != NULL && place->cluster != NULL) {
		complain("--socket and --cluster: give only one of them");
		return false;
	}
	if (place->socket == NULL && place->cluster == NULL)
		place->socket = getenv("ELECTD_SOCKET");
	if (place->socket != NULL && place->socket[0] == '\0')
		place->socket = NULL;
	return true;
}

enum control_code
find_socket(const struct whereabouts *place, char path[CONTROL_PATH_MAX])
{
	struct sockets sockets;
	enum control_code code;

	if (place->cluster != NULL)
		return cluster_path(place->cluster, path);
	if (place->socket != NULL)
		return name_path(place->socket, path);
	sockets_find(&sockets);
	code = choose(&sockets, path);
	sockets_free(&sockets);
	return code;
}

enum control_code
explain_no_socket(void)
{
	struct sockets sockets;
	char names[NAMES_MAX];

	sockets_find(&sockets);
	if (sockets.count == 0)
		complain("no socket in " SOCKETS_DIRECTORY
			 ": is electd running? (-s names another socket)");
	else
		complain("no daemon answers in " SOCKETS_DIRECTORY
			 " (%s): is electd running?",
		    sockets_text(&sockets, names));
	sockets_free(&sockets);
	return CODE_UNREACHABLE;
}

void
explain_nobody(const char *path, const char *why)
{
	struct sockets sockets;
	char names[NAMES_MAX];

	sockets_find(&sockets);
	sockets_keep(&sockets, is_alive);
	if (sockets.count == 0 || is_admin_path(path))
		complain("%s: %s: is electd running?", path, why);
	else
		complain("%s: %s: is electd running? --cluster can choose: %s",
		    path, why, sockets_text(&sockets, names));
	sockets_free(&sockets);
}
