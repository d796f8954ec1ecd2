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
#include "daemon/system/rights/user.h"

/* Continues as this user for good, in its groups. Root stays root. */
static int
become(uid_t uid, gid_t gid)
{
	const struct passwd *user = getpwuid(uid);

	if (uid == 0)
		return 0;
	if ((user != NULL ? initgroups(user->pw_name, gid)
			  : setgroups(0, NULL)) != 0 ||
	    setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0)
		return -errno;
	return 0;
}

/* The user's own group; the other one if the user has no name. */
static gid_t
group_of(uid_t uid, gid_t other)
{
	const struct passwd *user = getpwuid(uid);

	return user != NULL ? user->pw_gid : other;
}

/* Continues as the owner of the state directory, in its group; but not in
 * root's, which a chown(8) of the user alone leaves. */
static int
become_owner(const struct stat *st)
{
	return become(
	    st->st_uid, st->st_gid != 0 ? st->st_gid : group_of(st->st_uid, 0));
}

static void
look_at_key(const struct settings *s, struct state_dir *dir)
{
	struct stat st;

	if (stat(s->key_file, &st) != 0 || st.st_uid == 0)
		return;
	dir->has_key_owner = true;
	dir->key_uid = st.st_uid;
	dir->key_gid = group_of(st.st_uid, st.st_gid);
}

static bool
others_may_write(const struct stat *st)
{
	return (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* Opens the parent of the path. Returns a descriptor or a negative errno. */
static int
parent_open(const char *path)
{
	char copy[STATE_DIR_TEXT_MAX];
	int parent;

	snprintf(copy, sizeof(copy), "%s", path);
	parent = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return parent >= 0 ? parent : -errno;
}

/* Makes and opens the directory, or opens one that exists and is no symbolic
 * link. Returns a descriptor or a negative errno. */
static int
make_in(int parent, const char *path, bool *is_made)
{
	char copy[STATE_DIR_TEXT_MAX];
	const char *name;
	int directory;

	snprintf(copy, sizeof(copy), "%s", path);
	name = basename(copy);
	*is_made = mkdirat(parent, name, 0700) == 0;
	if (!*is_made && errno != EEXIST)
		return -errno;
	directory = openat(
	    parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return -errno;
	if (*is_made)
		store_parent_sync(directory);
	return directory;
}

/* If another process has made the directory meanwhile, its owner stays. */
static int
make_for_key_owner(int parent, const char *path, struct state_dir *dir)
{
	int directory = make_in(parent, path, &dir->is_made);
	struct stat st;
	int status = 0;

	if (directory < 0)
		return directory;
	if (dir->is_made && dir->has_key_owner &&
	    fchown(directory, dir->key_uid, dir->key_gid) != 0)
		status = -errno;
	else if (fstat(directory, &st) != 0)
		status = -errno;
	else
		status = become_owner(&st);
	close(directory);
	return status;
}

/*
 * Makes the missing directory, or leaves it to the owner of a parent that is
 * not root's. Where others may write, they could replace what root makes.
 */
static int
state_dir_make(const char *path, struct state_dir *dir)
{
	int parent = parent_open(path);
	struct stat st;
	int status;

	if (parent < 0)
		return parent;
	if (fstat(parent, &st) != 0)
		status = -errno;
	else if (st.st_uid != 0)
		status = become(st.st_uid, group_of(st.st_uid, st.st_gid));
	else if (others_may_write(&st))
		status = -EPERM;
	else
		status = make_for_key_owner(parent, path, dir);
	close(parent);
	return status;
}

static bool
is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

int
state_dir_prepare(const struct settings *s, struct state_dir *dir)
{
	struct stat st;

	*dir = (struct state_dir){ .is_made = false };
	look_at_key(s, dir);
	if (geteuid() != 0)
		return 0;
	if (stat(s->state_dir, &st) == 0)
		return become_owner(&st);
	if (errno != ENOENT)
		return -errno;
	return is_link(s->state_dir) ? -EEXIST
				     : state_dir_make(s->state_dir, dir);
}

bool
state_dir_has_other_owner(const struct settings *s, const struct state_dir *dir,
    char text[STATE_DIR_TEXT_MAX])
{
	char has[USER_TEXT_MAX], needs[USER_TEXT_MAX], owner[USER_TEXT_MAX];
	const char *path = s->state_dir;
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	if (dir->has_key_owner && st.st_uid != dir->key_uid)
		snprintf(text, STATE_DIR_TEXT_MAX,
		    "%s belongs to %s, but key_file to %s: if electd runs as %s: chown -R %s %s",
		    path, user_text(st.st_uid, has),
		    user_text(dir->key_uid, needs), needs,
		    user_as_owner(dir->key_uid, owner), path);
	else if (dir->is_made && st.st_uid == 0)
		snprintf(text, STATE_DIR_TEXT_MAX,
		    "made %s for root; if electd runs as another user, such as electd: chown -R electd: %s",
		    path, path);
	else
		return false;
	return true;
}

bool
state_dir_is_open_to_others(
    const char *directory, char text[STATE_DIR_TEXT_MAX])
{
	struct stat st;

	if (stat(directory, &st) != 0 || !others_may_write(&st))
		return false;
	snprintf(text, STATE_DIR_TEXT_MAX,
	    "%s: %s may write to it and remove the state file: chmod go-w %s",
	    directory, (st.st_mode & S_IWOTH) != 0 ? "anyone" : "its group",
	    directory);
	return true;
}

/* True if others may write to the parent. */
static bool
is_parent_open(const char *path)
{
	int parent = parent_open(path);
	struct stat st;
	bool is_open;

	if (parent < 0)
		return false;
	is_open = fstat(parent, &st) == 0 && others_may_write(&st);
	close(parent);
	return is_open;
}

const char *
state_dir_error(const char *directory, int error, char text[STATE_DIR_TEXT_MAX])
{
	char user[USER_TEXT_MAX], owner[USER_TEXT_MAX];
	struct stat st;

	if (error == -EWOULDBLOCK)
		return "another electd with this id runs on this host";
	if (error == -EEXIST && is_link(directory))
		return "it is a symbolic link to nothing; create its target, or remove the link";
	if (error == -EPERM && is_parent_open(directory))
		return "others may write to the directory above, so root creates nothing there; create it for the user that electd runs as";
	if (error == -EACCES && stat(directory, &st) == 0)
		snprintf(text, STATE_DIR_TEXT_MAX,
		    "%s; it and all in it must belong to %s, the user that electd runs as: chown -R %s %s",
		    strerror(-error), user_text(geteuid(), user),
		    user_as_owner(geteuid(), owner), directory);
	else if (error == -ENOENT)
		snprintf(text, STATE_DIR_TEXT_MAX,
		    "%s; electd creates it, but not the directories above it: create those",
		    strerror(-error));
	else if (error == -EACCES)
		snprintf(text, STATE_DIR_TEXT_MAX,
		    "%s; create it for %s, the user that electd runs as",
		    strerror(-error), user_text(geteuid(), user));
	else
		return strerror(-error);
	return text;
}
