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

#include "daemon/state/kept_config.h"
#include "daemon/state/kept_file.h"
#include "tests/lib/fake_disk.h"

#define KEPT  "here/web-3.settings"
#define MADE  KEPT ".new"
#define OTHER "here/target" /* store_home_leave() removes it */

#define SUM_BYTES 32

static const struct settings settings = {
	.shared.cluster = "web",
	.id = 3,
	.state_dir = "./here",
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
	return kept_config_write(&settings, text, strlen(text));
}

static int
recall(void)
{
	free(document);
	document = NULL;
	return kept_config_read(&settings, &document, &size);
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

#define CASE(name) TEST(name, enter, leave)

CASE(document_is_kept_and_replaced)
{
	struct stat s;

	assert_int_equal(recall(), -ENOENT);
	assert_int_equal(keep("a long document\n"), 0);
	assert_kept("a long document\n");
	assert_int_equal(keep("short\n"), 0);
	assert_kept("short\n");
	assert_int_equal(stat(KEPT, &s), 0);
	assert_int_equal(s.st_mode & 07777, 0600);
	assert_int_equal(access(MADE, F_OK), -1);
}

CASE(each_cluster_and_node_has_its_own_document)
{
	struct settings other = settings;
	uint8_t *text;
	char path[128];

	assert_int_equal(keep("web 3\n"), 0);
	other.id = 4;
	assert_int_equal(kept_config_read(&other, &text, &size), -ENOENT);
	other = settings;
	strcpy(other.shared.cluster, "mail");
	assert_int_equal(kept_config_read(&other, &text, &size), -ENOENT);
	/* The longest name and id fit. */
	memset(other.shared.cluster, 'x', NAME_MAX_BYTES - 1);
	other.id = NODE_ID_MAX;
	assert_int_equal(kept_config_write(&other, "x\n", 2), 0);
	assert_int_equal(kept_config_read(&other, &text, &size), 0);
	assert_int_equal(size, 2);
	free(text);
	assert_kept("web 3\n");
	snprintf(path, sizeof(path), "here/%s-%u.settings",
	    other.shared.cluster, NODE_ID_MAX);
	assert_int_equal(unlink(path), 0);
}

CASE(largest_document_is_kept_and_a_larger_file_refused)
{
	char *large = malloc(DOCUMENT_MAX);

	memset(large, 'x', DOCUMENT_MAX);
	assert_int_equal(kept_config_write(&settings, large, DOCUMENT_MAX), 0);
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
CASE(no_single_bit_gives_other_settings)
{
	char bytes[256], good[256];
	size_t count =
	    keep_and_take("config_version = 2;\n", good, sizeof(good));

	for (size_t bit = 0; bit < 8 * count; bit++) {
		memcpy(bytes, good, count);
		bytes[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(
		    kept_file_write(&settings, "settings", bytes, count), 0);
		assert_int_equal(recall(), -EBADMSG);
	}
}

/* A file that ends at the end of a line is not used either. */
CASE(no_file_that_was_cut_is_used)
{
	static const char text[] = "cluster = \"web\";\nconfig_version = 2;\n";
	char good[256];
	size_t count = keep_and_take(text, good, sizeof(good));

	for (size_t left = count; left-- > 0;) {
		assert_int_equal(truncate(KEPT, (off_t)left), 0);
		assert_int_equal(recall(), -EBADMSG);
	}
}

CASE(leftover_of_a_crash_is_no_hindrance)
{
	put_file(MADE, 12);
	assert_int_equal(recall(), -ENOENT);
	assert_int_equal(keep("x\n"), 0);
	assert_kept("x\n");
	assert_int_equal(symlink("target", MADE), 0);
	assert_int_equal(keep("y\n"), 0);
	assert_kept("y\n");
	assert_int_equal(access(OTHER, F_OK), -1);
}

CASE(what_is_no_file_is_neither_read_nor_waited_for)
{
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

CASE(no_space_leaves_the_document_before)
{
	char large[1000];

	memset(large, 'x', sizeof(large));
	assert_int_equal(keep("before\n"), 0);
	store_home_limit(100);
	assert_int_equal(
	    kept_config_write(&settings, large, sizeof(large)), -EFBIG);
	store_home_limit(RLIM_INFINITY);
	assert_kept("before\n");
	assert_int_equal(access(MADE, F_OK), -1);
}

/* The file, and then its name. Without these syncs a crash of the host
 * leaves an empty file, or the one before. */
CASE(each_part_is_synced_before_it_counts)
{
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

CASE(no_directory_is_an_error)
{
	assert_int_equal(rmdir("here"), 0);
	assert_int_equal(recall(), -ENOENT);
	assert_int_equal(keep("x\n"), -ENOENT);
	put_file("here", 0);
	assert_int_equal(recall(), -ENOTDIR);
	assert_int_equal(keep("x\n"), -ENOTDIR);
	assert_int_equal(unlink("here"), 0);
}
