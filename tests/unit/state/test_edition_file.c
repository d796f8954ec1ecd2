/* SPDX-License-Identifier: ISC */
/* The document that is kept in the state directory, and all that can be wrong
 * with its file. */
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/state/edition_file.h"
#include "daemon/state/kept_file.h"
#include "tests/lib/fake_disk.h"

#define KEPT  "here/web-3.settings"
#define MADE  KEPT ".new"
#define OTHER "here/target" /* store_home_leave() removes it */

#define SUM_BYTES 32

static char here[] = "./here";
static const struct settings settings = {
	.shared.cluster = "web",
	.id = 3,
	.state_dir = here,
};
static uint8_t *document;
static size_t size;

static int
enter(void **state)
{
	if (store_home_enter(state) != 0)
		return -1;
	document = NULL;
	size = 0;
	return mkdir("here", 0700);
}

static int
leave(void **state)
{
	static const char *const names[] = { KEPT, MADE };

	free(document);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (unlink(names[i]) != 0)
			rmdir(names[i]);
	return store_home_leave(state);
}

static int
keep(const char *text)
{
	return edition_file_write(&settings, text, strlen(text));
}

static int
recall(void)
{
	free(document);
	document = NULL;
	return edition_file_read(&settings, &document, &size);
}

static void
assert_kept(const char *text)
{
	assert_int_equal(recall(), 0);
	assert_int_equal(size, strlen(text));
	assert_memory_equal(document, text, size);
}

static void
put_file(const char *name, size_t bytes)
{
	int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, (off_t)bytes), 0);
	assert_int_equal(close(file), 0);
}

static void
document_is_kept_and_replaced(void **state)
{
	struct stat s;

	(void)state;
	assert_int_equal(recall(), -ENOENT);
	assert_int_equal(keep("a long document\n"), 0);
	assert_kept("a long document\n");
	assert_int_equal(keep("short\n"), 0);
	assert_kept("short\n");
	assert_int_equal(stat(KEPT, &s), 0);
	assert_int_equal(s.st_mode & 07777, 0600);
	assert_int_equal(access(MADE, F_OK), -1);
}

static void
each_cluster_and_node_has_its_own_document(void **state)
{
	struct settings other = settings;
	uint8_t *text;
	char path[128];

	(void)state;
	assert_int_equal(keep("web 3\n"), 0);
	other.id = 4;
	assert_int_equal(edition_file_read(&other, &text, &size), -ENOENT);
	other = settings;
	strcpy(other.shared.cluster, "mail");
	assert_int_equal(edition_file_read(&other, &text, &size), -ENOENT);
	/* The longest name and id fit. */
	memset(other.shared.cluster, 'x', NAME_MAX_BYTES - 1);
	other.id = NODE_ID_MAX;
	assert_int_equal(edition_file_write(&other, "x\n", 2), 0);
	assert_int_equal(edition_file_read(&other, &text, &size), 0);
	assert_int_equal(size, 2);
	free(text);
	assert_kept("web 3\n");
	snprintf(path, sizeof(path), "here/%s-%u.settings",
	    other.shared.cluster, NODE_ID_MAX);
	assert_int_equal(unlink(path), 0);
}

static void
largest_document_is_kept_and_a_larger_file_refused(void **state)
{
	char *large = malloc(DOCUMENT_MAX);

	(void)state;
	memset(large, 'x', DOCUMENT_MAX);
	assert_int_equal(edition_file_write(&settings, large, DOCUMENT_MAX), 0);
	assert_int_equal(recall(), 0);
	assert_int_equal(size, DOCUMENT_MAX);
	assert_memory_equal(document, large, DOCUMENT_MAX);
	free(large);
	put_file(KEPT, DOCUMENT_MAX + SUM_BYTES + 1);
	assert_int_equal(recall(), -EFBIG);
	put_file(KEPT, 2 * DOCUMENT_MAX);
	assert_int_equal(recall(), -EFBIG);
	assert_int_equal(keep("small\n"), 0);
	assert_kept("small\n");
}

/* Keeps a text, and gives the file that holds it. Returns its bytes. */
static size_t
keep_and_take(const char *text, char *file, size_t max)
{
	size_t count;

	assert_int_equal(keep(text), 0);
	assert_int_equal(
	    kept_file_read(&settings, "settings", file, max, &count), 0);
	assert_true(count > strlen(text));
	return count;
}

/* A disk changes one bit, of the text or of its checksum. */
static void
no_single_bit_gives_other_settings(void **state)
{
	char bytes[256], good[256];
	size_t count = keep_and_take("generation = 2;\n", good, sizeof(good));

	(void)state;
	for (size_t bit = 0; bit < 8 * count; bit++) {
		memcpy(bytes, good, count);
		bytes[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(
		    kept_file_write(&settings, "settings", bytes, count), 0);
		assert_int_equal(recall(), -EBADMSG);
	}
}

/* Nor one that ends at the end of a line. */
static void
no_file_that_was_cut_is_used(void **state)
{
	static const char text[] = "cluster = \"web\";\ngeneration = 2;\n";
	char good[256];
	size_t count = keep_and_take(text, good, sizeof(good));

	(void)state;
	for (size_t left = count; left-- > 0;) {
		assert_int_equal(truncate(KEPT, (off_t)left), 0);
		assert_int_equal(recall(), -EBADMSG);
	}
}

static void
leftover_of_a_crash_is_no_hindrance(void **state)
{
	(void)state;
	put_file(MADE, 12);
	assert_int_equal(recall(), -ENOENT);
	assert_int_equal(keep("x\n"), 0);
	assert_kept("x\n");
	assert_int_equal(symlink("target", MADE), 0);
	assert_int_equal(keep("y\n"), 0);
	assert_kept("y\n");
	assert_int_equal(access(OTHER, F_OK), -1);
}

static void
what_is_no_file_is_neither_read_nor_waited_for(void **state)
{
	(void)state;
	assert_int_equal(mkdir(KEPT, 0700), 0);
	assert_true(recall() < 0);
	assert_int_equal(keep("x\n"), -EISDIR);
	assert_int_equal(access(MADE, F_OK), -1);
	assert_int_equal(rmdir(KEPT), 0);
	assert_int_equal(mkfifo(KEPT, 0600), 0);
	assert_int_equal(recall(), -EINVAL);
	assert_int_equal(keep("x\n"), 0);
	assert_kept("x\n");
	assert_int_equal(unlink(KEPT), 0);
	put_file(OTHER, 5);
	assert_int_equal(symlink("target", KEPT), 0);
	assert_int_equal(recall(), -ELOOP);
	assert_int_equal(keep("y\n"), 0);
	assert_kept("y\n");
}

static void
no_space_leaves_the_document_before(void **state)
{
	char large[1000];

	(void)state;
	memset(large, 'x', sizeof(large));
	assert_int_equal(keep("before\n"), 0);
	store_home_limit(100);
	assert_int_equal(
	    edition_file_write(&settings, large, sizeof(large)), -EFBIG);
	store_home_limit(RLIM_INFINITY);
	assert_kept("before\n");
	assert_int_equal(access(MADE, F_OK), -1);
}

/* The file, and then its name. Without these syncs a crash of the host leaves an
 * empty file, or the one before. */
static void
each_part_is_synced_before_it_counts(void **state)
{
	(void)state;
	fake_disk = (struct fake_disk){ .gate = -1, .names = KEPT };
	assert_int_equal(keep("before\n"), 0);
	assert_int_equal(fake_disk.fsyncs, 2);
	assert_int_equal(fake_disk.named, 2); /* at the second alone */
	fake_disk.fsync_fails = 3;
	assert_int_equal(keep("later\n"), -EIO);
	assert_int_equal(access(MADE, F_OK), -1);
	assert_kept("before\n");
	fake_disk.fsync_fails = 5;
	assert_int_equal(keep("later\n"), -EIO);
	assert_int_equal(fake_disk.fsyncs, 5);
	fake_disk = (struct fake_disk){ .gate = -1, .wrote_at = -1 };
}

static void
no_directory_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(rmdir("here"), 0);
	assert_int_equal(recall(), -ENOENT);
	assert_int_equal(keep("x\n"), -ENOENT);
	put_file("here", 0);
	assert_int_equal(recall(), -ENOTDIR);
	assert_int_equal(keep("x\n"), -ENOTDIR);
	assert_int_equal(unlink("here"), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static const struct CMUnitTest tests[] = {
	CASE(document_is_kept_and_replaced),
	CASE(each_cluster_and_node_has_its_own_document),
	CASE(largest_document_is_kept_and_a_larger_file_refused),
	CASE(no_single_bit_gives_other_settings),
	CASE(no_file_that_was_cut_is_used),
	CASE(each_part_is_synced_before_it_counts),
	CASE(leftover_of_a_crash_is_no_hindrance),
	CASE(what_is_no_file_is_neither_read_nor_waited_for),
	CASE(no_space_leaves_the_document_before),
	CASE(no_directory_is_an_error),
};

GROUP(tests);
