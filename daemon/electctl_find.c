/* SPDX-License-Identifier: ISC */
/* Finds the daemon's query socket when nobody has named it. */
#include "daemon/electctl.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>

#define DIRECTORY "/run/electd"
#define PATTERN   DIRECTORY "/*.sock"
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

static bool
is_choice(const char *path, const char *but)
{
	return !is_admin_path(path) && strcmp(path, but) != 0;
}

/* What glob() found, but the admin sockets and one: if there is any. */
static void
list_choices(const char *heading, const glob_t *found, const char *but)
{
	for (size_t i = 0; i < found->gl_pathc; i++) {
		if (!is_choice(found->gl_pathv[i], but))
			continue;
		if (heading != NULL)
			complain(
			    "%s: choose with -s or $ELECTD_SOCKET:", heading);
		heading = NULL;
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
		if (!is_choice(found->gl_pathv[i], ""))
			continue;
		chosen = found->gl_pathv[i];
		count++;
	}
	if (count > 1) {
		list_choices("several sockets", found, "");
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
	(void)glob(PATTERN, 0, NULL, &found);
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

void
explain_nobody(const char *path, const char *why)
{
	glob_t found = { .gl_pathc = 0 };

	complain("%s: %s: is electd running?", path, why);
	if (is_admin_path(path))
		return;
	(void)glob(PATTERN, 0, NULL, &found);
	list_choices("there is also", &found, path);
	globfree(&found);
}
