/* SPDX-License-Identifier: ISC */
#include "daemon/state/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/state/store.h"
#include "daemon/system/user.h"

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

static void
look_at_key(const struct settings *s, struct store_place *place)
{
	const struct passwd *user;
	struct stat st;

	if (stat(s->key_file, &st) != 0 || st.st_uid == 0)
		return;
	user = getpwuid(st.st_uid);
	place->has_key_owner = true;
	place->key_uid = st.st_uid;
	place->key_gid = user != NULL ? user->pw_gid : st.st_gid;
}

static bool
others_may_write(const struct stat *st)
{
	return (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* The directory above, or a negative errno. */
static int
above_open(const char *path)
{
	char copy[PLACE_TEXT_MAX];
	int above;

	snprintf(copy, sizeof(copy), "%s", path);
	above = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return above >= 0 ? above : -errno;
}

/* Only what is no link is opened: whatever it is, it lies there. */
static int
make_in(int above, const char *path, bool *is_made)
{
	char copy[PLACE_TEXT_MAX];
	const char *name;
	int directory;

	snprintf(copy, sizeof(copy), "%s", path);
	name = basename(copy);
	*is_made = mkdirat(above, name, 0700) == 0;
	if (!*is_made && errno != EEXIST)
		return -errno;
	directory = openat(
	    above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return -errno;
	if (*is_made)
		store_parent_sync(directory);
	return directory;
}

/* One that another made meanwhile is theirs, as one that was there before. */
static int
make_for_key_owner(int above, const char *path, struct store_place *place)
{
	int directory = make_in(above, path, &place->is_made);
	struct stat st;
	int status = 0;

	if (directory < 0)
		return directory;
	if (place->is_made && place->has_key_owner &&
	    fchown(directory, place->key_uid, place->key_gid) != 0)
		status = -errno;
	else if (fstat(directory, &st) != 0)
		status = -errno;
	else
		status = become(st.st_uid, st.st_gid);
	close(directory);
	return status;
}

/*
 * What does not belong to root is left to its owner. Where others may write,
 * they may put what they like in the place of what root makes.
 */
static int
make(const char *path, struct store_place *place)
{
	int above = above_open(path);
	struct stat st;
	int status;

	if (above < 0)
		return above;
	if (fstat(above, &st) != 0)
		status = -errno;
	else if (st.st_uid != 0)
		status = become(st.st_uid, st.st_gid);
	else if (others_may_write(&st))
		status = -EPERM;
	else
		status = make_for_key_owner(above, path, place);
	close(above);
	return status;
}

static bool
is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

int
state_dir_take(const struct settings *s, struct store_place *place)
{
	struct stat st;

	*place = (struct store_place){ .is_made = false };
	look_at_key(s, place);
	if (geteuid() != 0)
		return 0;
	if (stat(s->state_dir, &st) == 0)
		return become(st.st_uid, st.st_gid);
	if (errno != ENOENT)
		return -errno;
	return is_link(s->state_dir) ? -EEXIST : make(s->state_dir, place);
}

bool
state_dir_is_strange(const struct settings *s, const struct store_place *place,
    char text[PLACE_TEXT_MAX])
{
	char has[USER_TEXT_MAX], needs[USER_TEXT_MAX];
	const char *path = s->state_dir;
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	if (place->has_key_owner && st.st_uid != place->key_uid)
		snprintf(text, PLACE_TEXT_MAX,
		    "%s belongs to %s, but key_file to %s: if electd runs as %s: chown -R %s %s",
		    path, user_text(st.st_uid, has),
		    user_text(place->key_uid, needs), needs, needs, path);
	else if (place->is_made && st.st_uid == 0)
		snprintf(text, PLACE_TEXT_MAX,
		    "made %s for root; if electd runs as another user, such as electd: chown -R electd %s",
		    path, path);
	else
		return false;
	return true;
}

bool
state_dir_is_loose(const char *directory, char text[PLACE_TEXT_MAX])
{
	struct stat st;

	if (stat(directory, &st) != 0 || !others_may_write(&st))
		return false;
	snprintf(text, PLACE_TEXT_MAX,
	    "%s: %s may write to it, and take the state away: chmod go-w %s",
	    directory, (st.st_mode & S_IWOTH) != 0 ? "anyone" : "its group",
	    directory);
	return true;
}

static bool
is_below_open(const char *path)
{
	int above = above_open(path);
	struct stat st;
	bool is_open;

	if (above < 0)
		return false;
	is_open = fstat(above, &st) == 0 && others_may_write(&st);
	close(above);
	return is_open;
}

const char *
state_dir_error(const char *directory, int error, char text[PLACE_TEXT_MAX])
{
	char user[USER_TEXT_MAX];
	struct stat st;

	if (error == -EWOULDBLOCK)
		return "another electd of this id runs here";
	if (error == -EEXIST && is_link(directory))
		return "it is a symbolic link to nothing; make what it points to, or remove it";
	if (error == -EPERM && is_below_open(directory))
		return "others may write to the directory above, so root makes nothing there; make it, and let it belong to whom electd runs as";
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
