/* SPDX-License-Identifier: ISC */
/* Files that are read again, and what follows from them. */
#include "tests/unit/group.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/electd/reading.h"
#include "daemon/electd/reload.h"
#include "daemon/system/key.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"
#include "tests/lib/stage.h"

#define MANY 70 /* errors, more than are shown */
#define CONF                                                                   \
	"cluster = \"web\"; guarantee = \"component\";\n"                      \
	"nodes = ( { id = 2; address = \"h2:1\"; },"                           \
	" { id = 3; address = \"h3:1\"; } );\n"                                \
	"security = { key_file = \"./key\"; };\n"

static char place[] = "/tmp/electd-reload-XXXXXX";
static struct stage s;
static struct reading *reading;
static struct read_files files;
static struct reload reload;

static void
write_file(const char *name, const char *text)
{
	FILE *to = fopen(name, "w");

	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
	assert_int_equal(chmod(name, 0600), 0);
}

static int
enter(void **state)
{
	char key[KEY_TEXT_MAX];

	(void)state;
	memcpy(place + strlen(place) - 6, "XXXXXX", 6);
	assert_non_null(mkdtemp(place));
	assert_int_equal(chdir(place), 0);
	key_generate(key);
	write_file("key", key);
	write_file("conf", CONF);
	reading = reading_new("conf", NODE_NONE, 2);
	assert_non_null(reading);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	reading_free(reading);
	reload_done(&reload);
	unlink("key");
	unlink("conf");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(place), 0);
	return 0;
}

/* Waits for a result, and gives its number. */
static uint64_t
await_files(void)
{
	struct pollfd readable = { .fd = reading_fd(reading),
		.events = POLLIN };
	uint64_t number;

	do {
		assert_int_equal(poll(&readable, 1, 10000), 1);
	} while (!reading_take(reading, &files, &number));
	return number;
}

static void
settings_and_key_are_read(void **state)
{
	(void)state;
	assert_int_equal(reading_begin(reading), 1);
	assert_int_equal(await_files(), 1);
	assert_non_null(files.settings);
	assert_int_equal(files.settings->id, 2);
	assert_string_equal(files.settings->cluster, "web");
	assert_string_equal(files.errors, "");
	read_files_done(&files);
	assert_false(reading_take(reading, &files, &(uint64_t){ 0 }));
}

static void
what_is_written_during_a_reading_is_read_next(void **state)
{
	struct pollfd readable = { .fd = reading_fd(reading),
		.events = POLLIN };

	(void)state;
	assert_int_equal(reading_begin(reading), 1);
	assert_int_equal(poll(&readable, 1, 10000), 1);
	assert_int_equal(reading_begin(reading), 2);
	assert_int_equal(reading_begin(reading), 2);
	assert_int_equal(await_files(), 1);
	read_files_done(&files);
	assert_int_equal(await_files(), 2);
	assert_non_null(files.settings);
	read_files_done(&files);
}

/* Whether the thread has ended by then or not. */
static void
reading_that_nobody_awaits_frees_itself(void **state)
{
	(void)state;
	assert_int_equal(reading_begin(reading), 1);
	reading_free(reading);
	reading = reading_new("conf", NODE_NONE, 2);
	assert_int_equal(reading_begin(reading), 1);
	await_files();
	read_files_done(&files);
}

/* Reads, and judges beside the settings of `running`. */
static void
judge(const char *running)
{
	char *text = strdup(running);
	struct settings *now = settings_parse("now", text, 2, stderr);

	assert_non_null(now);
	reading_begin(reading);
	await_files();
	reload_judge(&reload, now, s.nodes[0], &files);
	settings_free(now);
	free(text);
	read_files_done(&files);
}

static void
assert_reload(enum reload_end end, const char *lines)
{
	assert_int_equal(reload.end, end);
	assert_string_equal(reload.lines, lines);
}

static void
errors_of_all_files_are_told(void **state)
{
	(void)state;
	write_file("conf", CONF "typo = 1;\nother = 2;\n");
	judge(CONF);
	assert_int_equal(reload.end, RELOAD_WRONG);
	assert_non_null(strstr(reload.lines, "conf:4: typo: unknown"));
	assert_non_null(strstr(reload.lines, "conf:5: other: unknown"));
	write_file("conf", CONF);
	unlink("key");
	judge(CONF);
	assert_int_equal(reload.end, RELOAD_WRONG);
	assert_non_null(strstr(reload.lines, "key"));
}

static void
many_errors_are_cut(void **state)
{
	char text[4096] = CONF;
	unsigned lines = 0;

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		strcat(text, "x = 1;\n");
	write_file("conf", text);
	judge(CONF);
	for (const char *at = reload.lines; *at != '\0'; at++)
		lines += *at == '\n';
	assert_in_range(lines, 1, MANY - 1);
}

static void
the_change_that_needs_most_decides(void **state)
{
	(void)state;
	stage_set(&s, 1);
	stage_start(&s);
	judge(CONF);
	assert_reload(RELOAD_DONE, "the keys in the key files\n");
	write_file("conf", CONF "prefer = \"lowest\"; realtime = true;");
	judge(CONF);
	assert_reload(RELOAD_CLUSTER, "prefer\nrealtime\n");
	judge(CONF "prefer = \"lowest\";");
	assert_reload(RELOAD_RESTART, "realtime\n");
	write_file("conf",
	    "cluster = \"web\"; guarantee = \"component\"; nodes = ("
	    "{ id = 2; address = \"h2:1\"; }, { id = 3; address = \"x:1\"; } );"
	    "security = { key_file = \"./key\"; };");
	judge(CONF);
	assert_reload(RELOAD_DONE, "address of 3\nthe keys in the key files\n");
	stage_strike(&s);
}

static void
files_that_are_as_they_were_change_nothing(void **state)
{
	(void)state;
	stage_set(&s, 1);
	reading_begin(reading);
	await_files();
	memcpy(s.setups[0].key, files.key, KEY_BYTES);
	read_files_done(&files);
	stage_start(&s);
	judge(CONF);
	assert_reload(RELOAD_NOTHING, "");
	stage_strike(&s);
}

static void
the_log_says_how_it_has_ended(void **state)
{
	static const struct {
		enum reload_end end;
		const char *lines;
		const char *said;
	} rows[] = {
		{ RELOAD_NOTHING, "",
		    "web.conf and its keys have not changed" },
		{ RELOAD_DONE, "a\nb\n", "notice: reload: changed: b\n" },
		{ RELOAD_WRONG, "c\n", "error: reload: c\n" },
		{ RELOAD_WRONG, "c\n", "web.conf is wrong" },
		{ RELOAD_RESTART, "d\n",
		    "warning: reload: needs a restart: d" },
		{ RELOAD_CLUSTER, "e\n", "warning: reload: must agree: e" },
		{ RELOAD_FAILED, NULL, "error: reload: an address" },
	};

	(void)state;
	log_set_level(LOG_LEVEL_INFO);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *lines =
		    rows[i].lines != NULL ? strdup(rows[i].lines) : NULL;
		struct reload r = { 1, rows[i].end, lines };
		const char *log;

		capture();
		reload_report(&r, "web.conf");
		log = captured();
		assert_non_null(strstr(log, rows[i].said));
		free(lines);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static const struct CMUnitTest tests[] = {
	CASE(settings_and_key_are_read),
	CASE(what_is_written_during_a_reading_is_read_next),
	CASE(reading_that_nobody_awaits_frees_itself),
	CASE(errors_of_all_files_are_told),
	CASE(many_errors_are_cut),
	CASE(the_change_that_needs_most_decides),
	CASE(files_that_are_as_they_were_change_nothing),
	cmocka_unit_test(the_log_says_how_it_has_ended),
};

GROUP(tests);
