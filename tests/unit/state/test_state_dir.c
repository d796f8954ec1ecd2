/* SPDX-License-Identifier: ISC */
/*
 * For which user root makes the state directory, and that no user is quick
 * enough to have it made for another. mkdirat() is the test's own, which
 * meddles around it.
 */
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/state/state_dir.h"

#define THEIRS 65534 /* a user other than root */

static const char here[] = "./here", key[] = "./key";
static struct settings settings = {
	.state_dir = "./here",
	.key_file = "./key",
};

/* Gives the outcome in a process of its own, as root does not come back. */
struct outcome {
	int status;
	uid_t uid;
	gid_t gid;
	bool is_made;
	char said[STATE_DIR_TEXT_MAX];
};

static int (*meddle_before)(void), (*meddle_after)(void);

int
mkdirat(int at, const char *name, mode_t mode)
{
	long status;

	if (meddle_before != NULL && meddle_before() != 0)
		return -1;
	status = syscall(SYS_mkdirat, at, name, mode);
	if (status == 0 && meddle_after != NULL && meddle_after() != 0)
		return -1;
	return (int)status;
}

static void
take_and_tell(int to)
{
	struct outcome o = { .status = 0 };
	struct state_dir place;
	const char *why;
	char text[STATE_DIR_TEXT_MAX];

	o.status = state_dir_prepare(&settings, &place);
	o.uid = geteuid();
	o.gid = getegid();
	o.is_made = place.is_made;
	if (o.status != 0) {
		why = state_dir_error(here, o.status, text);
		snprintf(o.said, sizeof(o.said), "%s", why);
	}
	_exit(write(to, &o, sizeof(o)) != (ssize_t)sizeof(o));
}

static struct outcome
take(void)
{
	struct outcome o;
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		take_and_tell(ends[1]);
	close(ends[1]);
	assert_int_equal(read(ends[0], &o, sizeof(o)), sizeof(o));
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return o;
}

/* Every case begins with a key of that user, and without meddling. */
static int
enter(void **state)
{
	int file;

	meddle_before = meddle_after = NULL;
	if (store_home_enter(state) != 0)
		return -1;
	file = open(key, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return file >= 0 ? close(file) : -1;
}

static int
leave(void **state)
{
	unlink(key);
	unlink(here);
	rmdir("victim");
	return store_home_leave(state);
}

static void
give_key(uid_t uid)
{
	if (chown(key, uid, uid) != 0)
		skip("only root can give a file away");
}

static void
assert_owner(const char *path, uid_t uid, mode_t mode)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, uid);
	assert_int_equal(st.st_mode & 07777, mode);
}

#define PLACE_CASE(name) TEST(name, enter, leave)

PLACE_CASE(directory_is_made_for_the_owner_of_the_key)
{
	struct outcome o;

	give_key(THEIRS);
	o = take();
	assert_int_equal(o.status, 0);
	assert_true(o.is_made);
	assert_int_equal(o.uid, THEIRS);
	assert_owner(here, THEIRS, 0700);
}

PLACE_CASE(with_a_key_of_roots_it_is_roots)
{
	struct outcome o;

	give_key(THEIRS);
	give_key(0);
	o = take();
	assert_int_equal(o.status, 0);
	assert_true(o.is_made);
	assert_int_equal(o.uid, 0);
	assert_owner(here, 0, 0700);
}

PLACE_CASE(owner_runs_in_the_group_of_the_directory_but_not_in_roots)
{
	const struct passwd *user = getpwuid(THEIRS);
	struct outcome o;

	give_key(THEIRS);
	assert_int_equal(mkdir(here, 0700), 0);
	assert_int_equal(chown(here, THEIRS, THEIRS - 1), 0);
	o = take();
	assert_int_equal(o.status, 0);
	assert_int_equal(o.uid, THEIRS);
	assert_int_equal(o.gid, THEIRS - 1);
	assert_int_equal(chown(here, THEIRS, 0), 0);
	o = take();
	assert_int_equal(o.uid, THEIRS);
	assert_int_equal(o.gid, user != NULL ? user->pw_gid : 0);
}

PLACE_CASE(directory_is_not_made_where_others_may_write)
{
	static const mode_t modes[] = { 0775, 0757, 01777 };

	give_key(THEIRS);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct outcome o;

		assert_int_equal(chmod(".", modes[i]), 0);
		o = take();
		assert_int_equal(o.status, -EPERM);
		assert_int_equal(o.uid, 0);
		assert_non_null(strstr(o.said, "others may write to the"));
		assert_int_equal(access(here, F_OK), -1);
	}
}

static int
make_theirs(void)
{
	return mkdir(here, 0700) == 0 ? chown(here, THEIRS, THEIRS) : -1;
}

/* The directory is neither root's nor the key owner's. */
PLACE_CASE(directory_that_another_made_meanwhile_is_left_to_them)
{
	struct outcome o;

	give_key(THEIRS - 1);
	meddle_before = make_theirs;
	o = take();
	assert_int_equal(o.status, 0);
	assert_false(o.is_made);
	assert_int_equal(o.uid, THEIRS);
	assert_owner(here, THEIRS, 0700);
}

static int
put_link(void)
{
	return rmdir(here) == 0 ? symlink("victim", here) : -1;
}

PLACE_CASE(a_link_in_its_place_is_not_followed)
{
	struct outcome o;

	give_key(THEIRS);
	assert_int_equal(mkdir("victim", 0755), 0);
	meddle_after = put_link;
	o = take();
	assert_int_equal(o.status, -ENOTDIR);
	assert_int_equal(o.uid, 0);
	assert_owner("victim", 0, 0755);
}

PLACE_CASE(a_link_to_nothing_is_reported)
{
	struct outcome o;

	give_key(THEIRS);
	assert_int_equal(symlink("nothing", here), 0);
	o = take();
	assert_int_equal(o.status, -EEXIST);
	assert_non_null(strstr(o.said, "a symbolic link to nothing"));
}
