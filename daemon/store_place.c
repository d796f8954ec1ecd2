/* SPDX-License-Identifier: ISC */
#include "daemon/store_place.h"

#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store.h"

#define USER_TEXT_MAX 64 /* a longer name is told as a number */

static const char *
user_text(uid_t uid, char text[USER_TEXT_MAX])
{
	const struct passwd *user = getpwuid(uid);

	if (user != NULL && strlen(user->pw_name) < USER_TEXT_MAX)
		return strcpy(text, user->pw_name);
	snprintf(text, USER_TEXT_MAX, "%u", (unsigned)uid);
	return text;
}

/* Goes on as another for good; for root as it is. */
static int
become(uid_t uid, gid_t gid)
{
	if (uid == 0)
		return 0;
	if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 ||
	    setresuid(uid, uid, uid) != 0)
		return -errno;
	return 0;
}

/* Of a key that only its owner may read: that is who electd runs as. */
static bool
key_owner(const struct settings *s, uid_t *uid, gid_t *gid)
{
	const struct passwd *user;
	struct stat st;

	if (stat(s->key_file, &st) != 0 || st.st_uid == 0)
		return false;
	user = getpwuid(st.st_uid);
	*uid = st.st_uid;
	*gid = user != NULL ? user->pw_gid : st.st_gid;
	return true;
}

/* In a directory of root's, where nobody can put another in its place. */
static int
make_for_key_owner(const struct settings *s, bool *is_made)
{
	int directory = store_directory_open(s->state_dir, is_made);
	int status = 0;
	uid_t uid;
	gid_t gid;

	if (directory < 0)
		return directory;
	if (*is_made && key_owner(s, &uid, &gid)) {
		if (fchown(directory, uid, gid) != 0)
			status = -errno;
		else
			status = become(uid, gid);
	}
	close(directory);
	return status;
}

/* What does not belong to root is left to its owner. */
static int
make(const struct settings *s, bool *is_made)
{
	char copy[PLACE_TEXT_MAX];
	struct stat above;
	int directory, status;

	snprintf(copy, sizeof(copy), "%s", s->state_dir);
	if (stat(dirname(copy), &above) != 0)
		return -errno;
	if (above.st_uid == 0)
		return make_for_key_owner(s, is_made);
	status = become(above.st_uid, above.st_gid);
	if (status != 0)
		return status;
	directory = store_directory_open(s->state_dir, is_made);
	if (directory < 0)
		return directory;
	close(directory);
	return 0;
}

int
store_place_take(const struct settings *s, bool *is_made)
{
	struct stat st;

	*is_made = false;
	if (geteuid() != 0)
		return 0;
	if (stat(s->state_dir, &st) == 0)
		return become(st.st_uid, st.st_gid);
	return errno == ENOENT ? make(s, is_made) : -errno;
}

bool
store_place_is_strange(
    const struct settings *s, bool is_made, char text[PLACE_TEXT_MAX])
{
	char has[USER_TEXT_MAX], needs[USER_TEXT_MAX];
	const char *path = s->state_dir;
	struct stat st;
	uid_t uid;
	gid_t gid;

	if (stat(path, &st) != 0)
		return false;
	if (key_owner(s, &uid, &gid) && st.st_uid != uid)
		snprintf(text, PLACE_TEXT_MAX,
		    "%s belongs to %s, but key_file to %s: if electd runs as %s: chown -R %s %s",
		    path, user_text(st.st_uid, has), user_text(uid, needs),
		    needs, needs, path);
	else if (is_made && st.st_uid == 0)
		snprintf(text, PLACE_TEXT_MAX,
		    "made %s for root; if electd runs as another user, such as electd: chown -R electd %s",
		    path, path);
	else
		return false;
	return true;
}

bool
store_place_is_loose(const char *directory, char text[PLACE_TEXT_MAX])
{
	struct stat st;

	if (stat(directory, &st) != 0 ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return false;
	snprintf(text, PLACE_TEXT_MAX,
	    "%s: %s may write to it, and take the state away: chmod go-w %s",
	    directory, (st.st_mode & S_IWOTH) != 0 ? "anyone" : "its group",
	    directory);
	return true;
}

const char *
store_place_error(const char *directory, int error, char text[PLACE_TEXT_MAX])
{
	char user[USER_TEXT_MAX];
	struct stat st;

	if (error == -EWOULDBLOCK)
		return "another electd of this id runs here";
	if (error == -EACCES && stat(directory, &st) == 0)
		snprintf(text, PLACE_TEXT_MAX,
		    "%s; it and all in it must belong to %s, whom electd runs as: chown -R %s %s",
		    strerror(-error), user_text(geteuid(), user), user,
		    directory);
	else if (error == -ENOENT)
		snprintf(text, PLACE_TEXT_MAX,
		    "%s; it would be made, but not the directories above it: make those",
		    strerror(-error));
	else if (error == -EACCES)
		snprintf(text, PLACE_TEXT_MAX,
		    "%s; make it, and let it belong to %s, whom electd runs as",
		    strerror(-error), user_text(geteuid(), user));
	else
		return strerror(-error);
	return text;
}
