/* SPDX-License-Identifier: ISC */
/* Finds the daemon's query socket when nobody has named it. */
#include "daemon/electctl.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>

#define DIRECTORY "/run/electd"
#define ADMIN_END ".admin.sock"

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

static void
complain_of_several(const glob_t *found)
{
	complain("several sockets: choose one with -s or $ELECTD_SOCKET:");
	for (size_t i = 0; i < found->gl_pathc; i++) {
		if (!is_admin_path(found->gl_pathv[i]))
			fprintf(stderr, "  %s\n", found->gl_pathv[i]);
	}
}

/* What glob() found, without the admin sockets; "" if there is none. */
static enum control_code
choose(const glob_t *found, char path[CONTROL_PATH_MAX])
{
	const char *chosen = NULL;
	unsigned count = 0;

	for (size_t i = 0; i < found->gl_pathc; i++) {
		if (is_admin_path(found->gl_pathv[i]))
			continue;
		chosen = found->gl_pathv[i];
		count++;
	}
	if (count > 1) {
		complain_of_several(found);
		return CODE_USAGE;
	}
	if (chosen == NULL || strlen(chosen) >= CONTROL_PATH_MAX)
		chosen = "";
	memcpy(path, chosen, strlen(chosen) + 1);
	return CODE_YES;
}

enum control_code
find_socket(const char *named, char path[CONTROL_PATH_MAX])
{
	glob_t found = { .gl_pathc = 0 };
	enum control_code code;

	if (named != NULL && strlen(named) >= CONTROL_PATH_MAX) {
		complain("%s: too long for a socket", named);
		return CODE_USAGE;
	}
	if (named != NULL) {
		memcpy(path, named, strlen(named) + 1);
		return CODE_YES;
	}
	(void)glob(DIRECTORY "/*.sock", 0, NULL, &found);
	code = choose(&found, path);
	globfree(&found);
	return code;
}

enum control_code
explain_no_socket(void)
{
	complain("no socket in " DIRECTORY
		 ": is electd running? (-s names another place)");
	return CODE_UNREACHABLE;
}
