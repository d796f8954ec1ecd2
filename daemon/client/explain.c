/* SPDX-License-Identifier: ISC */
/* What a client says of its options, and of what keeps it from its daemon. */
#include "daemon/client/client.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define NAMES_MAX 256 /* bytes of a list of clusters in a message */

enum control_code
end_by_option(
    const char *program, const char *usage, int option, const char *word)
{
	switch (option) {
	case 'h':
		fputs(usage, stdout);
		return CODE_YES;
	case 'V':
		printf("%s %s\n", program, ELECTD_VERSION);
		return CODE_YES;
	case ':':
		complain("%s: needs an argument", word);
		return CODE_USAGE;
	default:
		complain("%s: no such option; --help lists them", word);
		return CODE_USAGE;
	}
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

/* Complains that a place cannot be one. */
static enum control_code
explain_place(const struct whereabouts *place, int error)
{
	char names[NAMES_MAX];

	switch (error) {
	case ENOTUNIQ:
		(void)electd_clusters(true, names, sizeof(names));
		complain(
		    "several clusters have a daemon here: %s; choose one with --cluster NAME",
		    names);
		break;
	case ENAMETOOLONG:
		complain(
		    "%s: too long for the name of a socket", place->socket);
		break;
	default:
		complain("--cluster: \"%s\" is not the name of a cluster",
		    place->cluster);
		break;
	}
	return CODE_USAGE;
}

enum control_code
find_socket(const struct whereabouts *place, char path[CONTROL_PATH_MAX])
{
	int error = electd_find(place->socket, place->cluster, path);

	if (error == ENOENT)
		path[0] = '\0';
	return error == 0 || error == ENOENT ? CODE_YES
					     : explain_place(place, error);
}

enum control_code
explain_no_socket(void)
{
	char names[NAMES_MAX];

	if (electd_clusters(false, names, sizeof(names)) == 0)
		complain("no socket in " CONTROL_DIRECTORY
			 ": is electd running? (-s names another socket)");
	else
		complain("no daemon answers in " CONTROL_DIRECTORY
			 " (%s): is electd running?",
		    names);
	return CODE_UNREACHABLE;
}

/* No daemon answers at `path`: lists those that do. */
static void
explain_nobody(const char *path, const char *why)
{
	char names[NAMES_MAX];

	if (electd_clusters(true, names, sizeof(names)) == 0 ||
	    control_is_admin(path))
		complain("%s: %s: is electd running?", path, why);
	else
		complain("%s: %s: is electd running? --cluster can choose: %s",
		    path, why, names);
}

/* The group of the admin socket is the one that may steer. */
static void
explain_denied(const char *path, const char *why)
{
	const struct group *group;
	struct stat file;

	if (!control_is_admin(path) || stat(path, &file) != 0) {
		complain("%s: %s", path, why);
		return;
	}
	group = getgrgid(file.st_gid);
	complain(
	    "%s: %s: only root, electd's own user and members of group %s may steer (control.group; if that is not set, electd's)",
	    path, why, group != NULL ? group->gr_name : "(unknown)");
}

static enum control_code
code_of(int error)
{
	if (error == ENAMETOOLONG || error == ENOTUNIQ)
		return CODE_USAGE;
	return error == EACCES || error == EPERM ? CODE_DENIED
						 : CODE_UNREACHABLE;
}

enum control_code
explain_connection(const char *path, int error)
{
	if (error == ENOENT || error == ECONNREFUSED)
		explain_nobody(path, strerror(error));
	else if (error == EACCES)
		explain_denied(path, strerror(error));
	else
		complain("%s: %s", path,
		    error == EAGAIN || error == EPROTO
			? "the daemon does not answer"
			: strerror(error));
	return code_of(error);
}

enum control_code
explain_refusal(const struct electd *e)
{
	int error = electd_state(e)->error;

	complain("%s%s", electd_why(e),
	    error == ENOTUNIQ ? "; choose one with --cluster NAME" : "");
	return error == EPROTO ? CODE_YES : code_of(error);
}
