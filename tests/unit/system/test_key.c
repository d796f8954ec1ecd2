/* SPDX-License-Identifier: ISC */
/* Key files: a good one is read, one line refuses every other. */
#include "tests/unit/group.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/system/rights/key.h"
#include "daemon/system/rights/user.h"

#define NOBODY 65534 /* a user as which tests do not run */
#define GOOD   "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static char place[256];
static char path[300];
static char other[300];

static int
enter(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(place, sizeof(place), "%s/electd-key-XXXXXX",
	    tmp == NULL ? "/tmp" : tmp);
	if (mkdtemp(place) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/key", place);
	snprintf(other, sizeof(other), "%s/other", place);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	remove(path);
	remove(other);
	return rmdir(place);
}

static void
write_bytes_to(const char *name, const char *bytes, size_t size, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	close(fd);
}

static void
write_key(const char *text)
{
	write_bytes_to(path, text, strlen(text), 0600);
}

/* True if the file at `path` is refused with "path: what", and the key not
 * changed. */
static void
assert_refused(const char *what)
{
	uint8_t key[KEY_BYTES];
	uint8_t untouched[KEY_BYTES];
	char *errors;
	char *wanted;
	size_t size;
	FILE *to = open_memstream(&errors, &size);

	memset(key, 0xa5, sizeof(key));
	memset(untouched, 0xa5, sizeof(untouched));
	assert_false(key_read(path, key, to));
	fclose(to);
	assert_true(asprintf(&wanted, "%s: %s\n", path, what) > 0);
	assert_string_equal(errors, wanted);
	assert_memory_equal(key, untouched, sizeof(key));
	free(wanted);
	free(errors);
}

/* The same, for a message that ends with a command for a file. */
static void
assert_refused_for(const char *what, const char *file)
{
	char *wanted;

	assert_true(asprintf(&wanted, "%s%s", what, file) > 0);
	assert_refused(wanted);
	free(wanted);
}

static void
assert_read(void)
{
	uint8_t key[KEY_BYTES] = { 0 };

	assert_true(key_read(path, key, stderr));
	for (uint8_t i = 0; i < KEY_BYTES; i++)
		assert_int_equal(key[i], i);
}

#define CASE(name) TEST(name, enter, leave)

CASE(good_key_is_read_with_or_without_a_newline)
{
	write_key(GOOD);
	assert_read();
	write_key(GOOD "\n");
	assert_read();
	write_key(GOOD "\r\n");
	assert_read();
}

CASE(key_that_is_read_only_is_read)
{
	write_bytes_to(path, GOOD, sizeof(GOOD) - 1, 0400);
	assert_read();
}

CASE(generated_key_is_a_key_and_new_each_time)
{
	char first[KEY_TEXT_MAX];
	char second[KEY_TEXT_MAX];
	uint8_t key[KEY_BYTES];

	key_generate(first);
	key_generate(second);
	assert_string_not_equal(first, second);
	write_key(first);
	assert_true(key_read(path, key, stderr));
}

CASE(missing_key_is_reported)
{
	assert_refused(
	    "No such file or directory; electctl keygen prints a new key, and every host needs the same one");
}

CASE(symbolic_link_is_refused)
{
	write_bytes_to(other, GOOD, sizeof(GOOD) - 1, 0600);
	assert_int_equal(symlink(other, path), 0);
	assert_refused("is a symbolic link; give the path of the file itself");
}

CASE(hard_link_is_refused)
{
	write_key(GOOD);
	assert_int_equal(link(path, other), 0);
	assert_refused("has more than one link; remove the others");
}

/* Tries each bit of the mode that gives others access. */
CASE(key_open_to_others_is_refused)
{
	for (mode_t bit = 1; bit <= 040; bit <<= 1) {
		write_bytes_to(path, GOOD, sizeof(GOOD) - 1, 0600 | bit);
		assert_refused_for(
		    "is open to group or others: chmod 600 ", path);
	}
}

/* Root must not take it away from the user that the service runs as. */
CASE(root_is_told_to_run_as_the_owner_of_the_key)
{
	char user[USER_TEXT_MAX], *what;

	if (geteuid() != 0)
		skip("only root can give a file away");
	write_key(GOOD);
	assert_int_equal(chown(path, NOBODY, (gid_t)-1), 0);
	user_text(NOBODY, user);
	assert_true(
	    asprintf(&what,
		"belongs to %s, but this electd runs as root; start electd as %s, for example by systemctl start electd",
		user, user) > 0);
	assert_refused(what);
	free(what);
}

CASE(key_of_another_user_is_refused)
{
	char user[USER_TEXT_MAX], owner[USER_TEXT_MAX], *what;

	if (geteuid() != 0)
		skip("only root can be another user");
	assert_int_equal(chmod(place, 0711), 0);
	write_key(GOOD);
	user_text(NOBODY, user);
	assert_true(
	    asprintf(&what,
		"Permission denied; it must belong to %s, the user that electd runs as: chown %s %s",
		user, user_as_owner(NOBODY, owner), path) > 0);
	assert_int_equal(seteuid(NOBODY), 0);
	assert_refused(what);
	assert_int_equal(seteuid(0), 0);
	free(what);
}

CASE(directory_is_refused)
{
	assert_int_equal(mkdir(path, 0700), 0);
	assert_refused("is not a regular file; put the key in one");
}

/* Nobody writes to it: a reader that waited would wait for ever. */
CASE(fifo_is_refused_without_waiting)
{
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(10);
	assert_refused("is not a regular file; put the key in one");
	alarm(0);
}

CASE(text_that_is_no_key_is_refused)
{
	static const char *const bad[] = {
		"",
		"\n",
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", /* 31 */
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g", /* 33 */
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",  /* no = */
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", /* tail */
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd-_8=", /* URL */
		"AAECAwQF BgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
		" " GOOD,
		GOOD GOOD,
		GOOD "\n" GOOD,
		GOOD "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_key(bad[i]);
		assert_refused("holds no key; electctl keygen makes one");
	}
}

CASE(key_with_a_nul_is_refused)
{
	write_bytes_to(path, GOOD "\0\n", sizeof(GOOD) + 1, 0600);
	assert_refused("holds no key; electctl keygen makes one");
}

/* What `sha256sum` says of a file with the text GOOD and a newline. */
TEST(fingerprint_is_that_of_the_file_that_keygen_makes)
{
	char text[FINGERPRINT_MAX];
	uint8_t key[KEY_BYTES];

	for (unsigned i = 0; i < KEY_BYTES; i++)
		key[i] = (uint8_t)i;
	key_fingerprint(key, text);
	assert_string_equal(text,
	    "7d3a1c8c0fb3f26a4cb1cd78f37751d39dd8d37addb78103d8a346d010eeccdc");
}
