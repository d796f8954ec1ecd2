/* SPDX-License-Identifier: ISC */
/*
 * The text of a configuration: which files electd reads, what it finds in them
 * before it parses them, and that no text does harm. Run from the root of the
 * tree.
 */
#include "tests/unit/group.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/util/random.h"
#include "daemon/config/settings.h"
#include "daemon/config/settings_private.h"

#define MUTATIONS 2000 /* of every shipped configuration */
#define EDITS_MAX 8    /* in one mutation */

static char place[256];
static char path[300];

static int
enter(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(place, sizeof(place), "%s/electd-settings-XXXXXX",
	    tmp == NULL ? "/tmp" : tmp);
	if (mkdtemp(place) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/file", place);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	remove(path);
	return rmdir(place);
}

static void
write_file(const void *bytes, size_t size)
{
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	assert_int_equal(fwrite(bytes, 1, size, to), size);
	assert_int_equal(fclose(to), 0);
}

/* Reads the file at `path`; asserts this one error. */
static void
assert_unreadable(const char *expected)
{
	char *errors;
	char *wanted;
	size_t size;
	FILE *to = open_memstream(&errors, &size);
	struct settings *settings = settings_read(path, NODE_NONE, to);

	fclose(to);
	assert_true(
	    asprintf(&wanted, "%s%s\n%s: 1 error\n", path, expected, path) > 0);
	assert_string_equal(errors, wanted);
	assert_null(settings);
	free(wanted);
	free(errors);
}

TEST(missing_file_is_reported, enter, leave)
{
	assert_unreadable(": cannot be opened: No such file or directory");
}

TEST(directory_is_refused, enter, leave)
{
	assert_int_equal(mkdir(path, 0700), 0);
	assert_unreadable(
	    ": is a directory; a configuration must be a regular file");
}

/* Nobody writes to it: a reader that waited would wait for ever. */
TEST(fifo_is_refused_without_waiting, enter, leave)
{
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(10);
	assert_unreadable(
	    ": is a FIFO; a configuration must be a regular file");
	alarm(0);
}

TEST(device_is_refused, enter, leave)
{
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_unreadable(
	    ": is a device; a configuration must be a regular file");
}

TEST(nul_byte_is_refused_with_its_line, enter, leave)
{
	write_file("a = 1;\nb\0 = 2;\n", 16);
	assert_unreadable(
	    ":2: there is a NUL byte; a configuration must be text");
}

/* The reader takes a file of exactly the largest size, not one byte more. */
TEST(size_is_bounded_to_the_byte, enter, leave)
{
	char *text = malloc(SETTINGS_FILE_MAX + 1);
	struct settings_errors errors = { 0 };
	char *got;

	assert_non_null(text);
	memset(text, ' ', SETTINGS_FILE_MAX + 1);
	write_file(text, SETTINGS_FILE_MAX);
	got = settings_file_read(path, &errors);
	assert_non_null(got);
	assert_int_equal(strlen(got), SETTINGS_FILE_MAX + 1);
	free(got);
	write_file(text, SETTINGS_FILE_MAX + 1);
	assert_unreadable(
	    ": is larger than 1048576 bytes; no configuration needs that");
	free(text);
}

/* libconfig knows no comment that the file's end ends. */
TEST(last_line_needs_no_newline, enter, leave)
{
	const char text[] = "cluster = \"c\"; guarantee = \"component\";\n"
			    "nodes = ( { id = 1; address = \"a:1\"; } );\n"
			    "# the end";
	struct settings *settings;

	write_file(text, sizeof(text) - 1);
	settings = settings_read(path, NODE_NONE, stderr);
	assert_non_null(settings);
	settings_free(settings);
}

/* Scans a copy of `text`; gives whether it passes, and counts the errors. */
static size_t
scan(const char *text, bool *passed)
{
	struct settings_errors errors = { 0 };
	char *copy = strdup(text);
	size_t count;

	*passed = settings_text_scan(copy, &errors);
	assert_int_equal(strlen(copy), strlen(text));
	count = errors.count;
	settings_errors_done(&errors);
	free(copy);
	return count;
}

TEST(integers_in_range_pass)
{
	static const char *const good[] = {
		"2147483647",
		"-2147483648",
		"+2147483647",
		"0x7fffffff",
		"0X7FFFFFFFLL",
		"2147483647L",
		"00000000000000000001",
		"9999999999.5",
		".9999999999",
		"=\"9999999999\"",
		"=\"\\\"9999999999\"",
		"# 9999999999",
		"// 9999999999",
		"/* 9999999999 \n * \" */",
		"a9999999999",
		"- 1",
		"-",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		bool passed;

		assert_int_equal(scan(good[i], &passed), 0);
		assert_true(passed);
	}
}

TEST(integers_out_of_range_are_reported_and_blotted_out)
{
	static const char *const bad[] = {
		"2147483648",
		"-2147483649",
		"0x80000000",
		"0xfffffffffffffffffffffffff",
		"4294967297L",
		"[1,4294967297]",
		"a=1b:4294967297",
		"/* \" */ 4294967297",
		"=\"\\\\\" 4294967297",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bool passed;

		assert_int_equal(scan(bad[i], &passed), 1);
		assert_true(passed);
	}
}

TEST(text_that_must_not_be_parsed_is_stopped)
{
	static const char *const bad[] = {
		"@include \"x\"",
		"a = 1; /* \n",
		"a = \"b\n\";",
		"a = \"b\\\"",
		"a = \"b\\",
		"/*/",
		"\"a\" = 1",
		"a = 1 \"b\"",
		"a = { b = 1, \"c\" }",
		"/**/ /* @include",
		"((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
		"{[({[({[({[({[({[({[({[({[({[({[({[({[({[({[({[({[({[({[(",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bool passed;

		assert_int_equal(scan(bad[i], &passed), 1);
		assert_false(passed);
	}
}

TEST(settings_are_counted)
{
	char *text = calloc(20001, 5);
	bool passed;

	assert_non_null(text);
	for (size_t i = 0; i < 20000; i++)
		memcpy(text + i * 4, "a=1;", 4);
	assert_int_equal(scan(text, &passed), 0);
	memcpy(text + 80000, "a=1;", 4);
	assert_int_equal(scan(text, &passed), 1);
	assert_false(passed);
	free(text);
}

/* Changes one place of `text`: a byte, a run repeated, a run left out. */
static void
mutate(struct random *r, char *text, size_t capacity)
{
	static const char bytes[] = "\"\\={}()[];,.#/*@-+0123456789Lxe\n\t a";
	size_t size = strlen(text);
	size_t at = random_below(r, size + 1);
	size_t run = random_below(r, size - at + 1);

	switch (random_below(r, 4)) {
	case 0:
		text[at] = bytes[random_below(r, sizeof(bytes))];
		break;
	case 1:
		text[at] = (char)random_below(r, 256);
		break;
	case 2:
		run %= 64;
		memmove(text + at, text + at + run, size - at - run + 1);
		break;
	default:
		run %= 64;
		if (size + run < capacity)
			memmove(text + at + run, text + at, size - at + 1);
		break;
	}
}

/* Settings, or errors; never neither, and what is taken prints to itself. */
static bool
text_is_survived(char *text)
{
	char *errors;
	char *printed;
	size_t size;
	FILE *to = open_memstream(&errors, &size);
	struct settings *s = settings_parse("test", text, NODE_NONE, to);
	bool taken = s != NULL;

	fclose(to);
	assert_int_equal(taken, *errors == '\0');
	free(errors);
	if (!taken)
		return false;
	to = open_memstream(&printed, &size);
	settings_print(s, to);
	fclose(to);
	settings_free(s);
	s = settings_parse("printed", printed, NODE_NONE, stderr);
	assert_non_null(s);
	settings_free(s);
	free(printed);
	return true;
}

static size_t
mutate_and_parse(const char *original, struct random *r)
{
	size_t capacity = strlen(original) + EDITS_MAX * 64 + 2;
	size_t taken = 0;

	for (int i = 0; i < MUTATIONS; i++) {
		uint64_t edits = random_between(r, 0, EDITS_MAX);
		char *text = calloc(1, capacity + 1);

		assert_non_null(text);
		strcpy(text, original);
		for (; edits > 0; edits--)
			mutate(r, text, capacity);
		taken += text_is_survived(text);
		free(text);
	}
	return taken;
}

TEST(mutated_configurations_are_survived)
{
	struct random r;
	glob_t files;

	random_init(&r, 42);
	assert_int_equal(glob("conf/*.conf", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct settings_errors errors = { 0 };
		char *text = settings_file_read(files.gl_pathv[i], &errors);
		size_t taken;

		assert_non_null(text);
		taken = mutate_and_parse(text, &r);
		assert_true(taken > MUTATIONS / 20);
		assert_true(taken < MUTATIONS * 19 / 20);
		free(text);
	}
	globfree(&files);
}
