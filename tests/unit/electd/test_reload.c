/* SPDX-License-Identifier: ISC */
/* Files that are read again, and what follows from them. */
#include "tests/unit/group.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/change_worker.h"
#include "daemon/electd/change/reload.h"
#include "daemon/state/kept_config.h"
#include "daemon/system/log.h"
#include "daemon/system/rights/key.h"
#include "tests/lib/capture.h"
#include "tests/lib/slurp.h"
#include "tests/lib/stage.h"

#define MANY   70 /* errors, more than are shown */
#define CONF   REST("web", "component")
#define MAIL   REST("mail", "component")
#define QUORUM REST("web", "quorum")
#define REST(cluster, guarantee)                                               \
	"cluster = \"" cluster "\"; guarantee = \"" guarantee "\";\n"          \
	"nodes = ( { id = 2; address = \"h2:1\"; },"                           \
	" { id = 3; address = \"h3:1\"; } );\n"                                \
	"security = { key_file = \"./key\"; };\n"
#define HOST CONF "state_dir = \"./\";\n" /* keeps documents in `place` */
#define KEPT "web-2.settings"

static char place[] = "/tmp/electd-reload-XXXXXX";
static struct stage s;
static struct change_worker *worker;
static struct read_files files;
static struct reload reload;
static struct rollout rollout;

static int
enter(void **state)
{
	(void)state;
	char key[KEY_TEXT_MAX];

	memcpy(place + strlen(place) - 6, "XXXXXX", 6);
	assert_non_null(mkdtemp(place));
	assert_int_equal(chdir(place), 0);
	key_generate(key);
	write_private("key", key);
	write_private("conf", CONF);
	worker = change_worker_new("conf", NODE_NONE, 2);
	assert_non_null(worker);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	change_worker_free(worker);
	reload_done(&reload);
	unlink("key");
	unlink("conf");
	unlink(KEPT);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(place), 0);
	return 0;
}

/* Waits for a result, and gives its number. */
static uint64_t
await_files(void)
{
	struct pollfd readable = { .fd = change_worker_fd(worker),
		.events = POLLIN };
	uint64_t number;

	do {
		assert_int_equal(poll(&readable, 1, 10000), 1);
	} while (!change_worker_take_read(worker, &files, &number));
	return number;
}

#define CASE(name) TEST(name, enter, leave)

CASE(settings_and_key_are_read)
{
	assert_int_equal(change_worker_read(worker, false), 1);
	assert_int_equal(await_files(), 1);
	assert_non_null(files.settings);
	assert_int_equal(files.settings->id, 2);
	assert_string_equal(files.settings->shared.cluster, "web");
	assert_string_equal(files.errors, "");
	read_files_done(&files);
	assert_false(change_worker_take_read(worker, &files, &(uint64_t){ 0 }));
}

CASE(what_is_written_during_a_reading_is_read_next)
{
	struct pollfd readable = { .fd = change_worker_fd(worker),
		.events = POLLIN };

	assert_int_equal(change_worker_read(worker, false), 1);
	assert_int_equal(poll(&readable, 1, 10000), 1);
	assert_int_equal(change_worker_read(worker, false), 2);
	assert_int_equal(change_worker_read(worker, false), 2);
	assert_int_equal(await_files(), 1);
	read_files_done(&files);
	assert_int_equal(await_files(), 2);
	assert_non_null(files.settings);
	read_files_done(&files);
}

/* Whether the thread has ended by then or not. */
CASE(reading_that_nobody_awaits_frees_itself)
{
	assert_int_equal(change_worker_read(worker, false), 1);
	change_worker_free(worker);
	worker = change_worker_new("conf", NODE_NONE, 2);
	assert_int_equal(change_worker_read(worker, false), 1);
	await_files();
	read_files_done(&files);
}

static struct settings *
parse(const char *text)
{
	char *copy = strdup(text);
	struct settings *settings = settings_parse("now", copy, 2, stderr);

	assert_non_null(settings);
	free(copy);
	return settings;
}

static void
keep(int error)
{
	struct settings *host = parse(HOST);
	struct pollfd readable = { .fd = change_worker_fd(worker),
		.events = POLLIN };
	int kept;

	assert_false(change_worker_take_kept(worker, &kept));
	assert_true(change_worker_keep(
	    worker, (const uint8_t *)"some text\n", 10, host));
	do {
		assert_int_equal(poll(&readable, 1, 10000), 1);
		assert_false(
		    change_worker_take_read(worker, &files, &(uint64_t){ 0 }));
	} while (!change_worker_take_kept(worker, &kept));
	assert_int_equal(kept, error);
	assert_false(change_worker_take_kept(worker, &kept));
	settings_free(host);
}

CASE(document_is_kept)
{
	struct settings *host = parse(HOST);
	uint8_t *text;
	size_t size;

	keep(0);
	assert_int_equal(kept_config_read(host, &text, &size), 0);
	assert_int_equal(size, 10);
	assert_memory_equal(text, "some text\n", size);
	free(text);
	settings_free(host);
}

/* The end waits until it is on the disk. */
CASE(document_is_kept_at_the_end)
{
	struct settings *host = parse(HOST);
	uint8_t *text;
	size_t size;

	assert_true(change_worker_keep(
	    worker, (const uint8_t *)"last text\n", 10, host));
	change_worker_free(worker);
	worker = change_worker_new("conf", NODE_NONE, 2);
	assert_int_equal(kept_config_read(host, &text, &size), 0);
	assert_memory_equal(text, "last text\n", size);
	free(text);
	settings_free(host);
}

CASE(document_that_cannot_be_kept_is_told)
{
	assert_int_equal(mkdir(KEPT, 0700), 0);
	keep(-EISDIR);
	assert_int_equal(rmdir(KEPT), 0);
}

/* What is read after it is not. */
CASE(reading_that_is_forced_says_so)
{
	write_private("conf", CONF);
	change_worker_read(worker, false);
	change_worker_read(worker, true);
	await_files();
	while (!files.is_forced) {
		read_files_done(&files);
		await_files();
	}
	read_files_done(&files);
	change_worker_read(worker, false);
	await_files();
	assert_false(files.is_forced);
	read_files_done(&files);
}

/* Reads, and judges beside the settings of `running`. */
static void
judge(const char *running)
{
	struct settings *now = parse(running);

	change_worker_read(worker, false);
	await_files();
	reload_judge(&reload, &rollout, now, s.nodes[0], s.now, &files);
	settings_free(now);
	read_files_done(&files);
}

static void
assert_reload(enum proposal_end end, const char *lines)
{
	assert_int_equal(reload.end, end);
	assert_string_equal(reload.lines, lines);
}

CASE(file_that_does_not_name_this_host_is_wrong)
{
	write_private("conf",
	    "cluster = \"web\"; guarantee = \"component\"; config_version = 1;\n"
	    "nodes = ( { id = 3; address = \"h3:1\"; } );\n"
	    "security = { key_file = \"./key\"; };\n");
	judge(CONF);
	assert_reload(PROPOSAL_WRONG,
	    "conf: no node has this host's id, 2: reload it on another host, then stop electd here\n");
}

CASE(errors_of_all_files_are_told)
{
	write_private("conf", CONF "typo = 1;\nother = 2;\n");
	judge(CONF);
	assert_int_equal(reload.end, PROPOSAL_WRONG);
	assert_non_null(strstr(reload.lines, "conf:4: typo: unknown"));
	assert_non_null(strstr(reload.lines, "conf:5: other: unknown"));
	write_private("conf", CONF);
	unlink("key");
	judge(CONF);
	assert_int_equal(reload.end, PROPOSAL_WRONG);
	assert_non_null(strstr(reload.lines, "key"));
}

CASE(many_errors_are_cut)
{
	char text[4096] = CONF;
	unsigned lines = 0;

	for (unsigned i = 0; i < MANY; i++)
		strcat(text, "x = 1;\n");
	write_private("conf", text);
	judge(CONF);
	for (const char *at = reload.lines; *at != '\0'; at++)
		lines += *at == '\n';
	assert_in_range(lines, 1, MANY - 1);
}

/* Seventy nodes come, and the config version and the key differ. */
CASE(many_changes_are_cut_and_the_rest_counted)
{
	char text[8192] = "cluster = \"web\"; guarantee = \"component\";"
			  "config_version = 1; nodes = (";
	unsigned lines = 0;

	stage_set(&s, 1);
	stage_start(&s);
	for (unsigned id = 2; id < 4 + MANY; id++) {
		size_t size = strlen(text);

		snprintf(text + size, sizeof(text) - size,
		    "{ id = %u; address = \"h%u:1\"; }%s", id, id,
		    id < 3 + MANY ? "," : ");");
	}
	strcat(text, "security = { key_file = \"./key\"; };");
	write_private("conf", text);
	judge(CONF);
	assert_int_equal(reload.end, PROPOSAL_PROPOSED);
	for (const char *at = reload.lines; *at != '\0'; at++)
		lines += *at == '\n';
	assert_int_equal(lines, 64 + 1);
	assert_string_equal(strrchr(reload.lines, 'a'), "and 8 more\n");
	stage_strike(&s);
}

CASE(the_change_that_needs_most_decides)
{
	stage_set(&s, 1);
	stage_start(&s);
	judge(CONF);
	assert_reload(PROPOSAL_DONE, "the keys in the key files\n");
	write_private("conf", CONF "prefer = \"lowest\"; realtime = true;");
	judge(CONF);
	assert_reload(PROPOSAL_CLUSTER, "prefer\nrealtime\n");
	judge(CONF "prefer = \"lowest\";");
	assert_reload(PROPOSAL_RESTART, "realtime\n");
	write_private("conf",
	    "cluster = \"web\"; guarantee = \"component\"; nodes = ("
	    "{ id = 2; address = \"h2:1\"; }, { id = 3; address = \"x:1\"; } );"
	    "security = { key_file = \"./key\"; };");
	judge(CONF);
	assert_reload(
	    PROPOSAL_DONE, "address of 3\nthe keys in the key files\n");
	stage_strike(&s);
}

#define THREE                                                                  \
	"cluster = \"web\"; guarantee = \"component\"; nodes = ("              \
	" { id = 1; address = \"h1:1\"; }, { id = 2; address = \"h2:1\"; },"   \
	" { id = 3; name = \"web3\"; address = \"h3:1\"; } );\n"               \
	"security = { key_file = \"./key\"; };\n"

/* Node 3 runs, and its key is another; node 1 has told nothing yet. */
CASE(reload_names_the_peers_that_lack_the_key)
{
	write_private("conf", THREE);
	write_private("key", "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg=\n");
	stage_set(&s, 2);
	stage_start(&s);
	stage_run(&s, 5 * SEC);
	judge(THREE);
	assert_reload(PROPOSAL_DONE,
	    "the keys in the key files; the first key is unknown to web3\n");
	stage_strike(&s);
}

static const struct {
	const char *running;
	const char *wanted;
	enum proposal_end end;
	const char *lines;
	bool is_older;
} later[] = {
	{ CONF, CONF "config_version = 1; prefer = \"lowest\";",
	    PROPOSAL_PROPOSED,
	    "prefer\nconfig_version\nthe keys in the key files\n", false },
	{ CONF "config_version = 1;",
	    CONF "config_version = 1; prefer = \"lowest\";", PROPOSAL_CLUSTER,
	    "prefer\n", false },
	{ CONF, CONF "config_version = 1; realtime = true;", PROPOSAL_RESTART,
	    "realtime\n", false },
	{ CONF "config_version = 2;",
	    CONF "config_version = 1; prefer = \"lowest\";", PROPOSAL_DONE,
	    "the keys in the key files\n", true },
	{ CONF "config_version = 2;",
	    CONF "prefer = \"lowest\"; realtime = true;", PROPOSAL_RESTART,
	    "realtime\n", true },
	{ MAIL, CONF "config_version = 1;", PROPOSAL_ALIEN,
	    "cluster\ncontrol.socket\n", false },
	{ QUORUM, CONF "config_version = 1;", PROPOSAL_ALIEN, "guarantee\n",
	    false },
};

/* Only the config version says which of two files is the later one. */
CASE(later_file_changes_what_all_hosts_share)
{
	stage_set(&s, 1);
	stage_start(&s);
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		write_private("conf", later[i].wanted);
		judge(later[i].running);
		assert_reload(later[i].end, later[i].lines);
		assert_int_equal(reload.is_older, later[i].is_older);
	}
	stage_strike(&s);
}

/* A config version never goes down again, so a slip must not use up all of
 * them. */
CASE(config_version_rises_by_so_much_at_once)
{
	stage_set(&s, 1);
	stage_start(&s);
	write_private("conf", CONF "config_version = 100003;");
	judge(CONF "config_version = 2;");
	assert_reload(PROPOSAL_WRONG,
	    "config_version: 100003 is more than 100000 above the one in effect, 2, and it can never go down again; give the next one\n");
	write_private("conf", CONF "config_version = 100002;");
	judge(CONF "config_version = 2;");
	assert_reload(
	    PROPOSAL_PROPOSED, "config_version\nthe keys in the key files\n");
	stage_strike(&s);
}

/* The change is a text of the settings alone, beside what the host has. */
CASE(a_change_of_the_nodes_leaves_the_keys)
{
	struct settings *now = parse(CONF);
	struct read_files change = {
		.settings =
		    parse(CONF "config_version = 1; prefer = \"lowest\";"),
		.origin = ORIGIN_MEMBERS,
	};

	stage_set(&s, 1);
	stage_start(&s);
	reload_judge(&reload, &rollout, now, s.nodes[0], s.now, &change);
	assert_reload(PROPOSAL_PROPOSED, "prefer\nconfig_version\n");
	read_files_done(&change);
	settings_free(now);
	stage_strike(&s);
}

CASE(files_that_are_as_they_were_change_nothing)
{
	stage_set(&s, 1);
	change_worker_read(worker, false);
	await_files();
	s.setups[0].keys = files.keys;
	read_files_done(&files);
	stage_start(&s);
	judge(CONF);
	assert_reload(PROPOSAL_NOTHING, "");
	stage_strike(&s);
}

TEST(the_log_says_how_it_has_ended)
{
	static const struct {
		enum proposal_end end;
		const char *lines;
		const char *said;
	} rows[] = {
		{ PROPOSAL_NOTHING, "",
		    "web.conf and its keys are already in effect" },
		{ PROPOSAL_DONE, "a\nb\n", "notice: reload: changed: b\n" },
		{ PROPOSAL_WRONG, "c\n", "error: reload: c\n" },
		{ PROPOSAL_WRONG, "c\n", "web.conf is wrong" },
		{ PROPOSAL_RESTART, "d\n",
		    "warning: reload: needs a restart: d" },
		{ PROPOSAL_CLUSTER, "e\n", "warning: reload: must agree: e" },
		{ PROPOSAL_CLUSTER, "e\n", "raise config_version in web.conf" },
		{ PROPOSAL_ALIEN, "cluster\n",
		    "warning: reload: cannot change: cluster" },
		{ PROPOSAL_FAILED, NULL, "error: reload: an address" },
	};

	log_set_level(LOG_LEVEL_INFO);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *lines =
		    rows[i].lines != NULL ? strdup(rows[i].lines) : NULL;
		struct reload r = { 1, rows[i].end, lines, false };
		const char *log;

		capture();
		reload_report(&r, "web.conf");
		log = captured();
		assert_non_null(strstr(log, rows[i].said));
		free(lines);
	}
}

TEST(the_log_says_how_a_change_of_the_nodes_was_judged)
{
	static const struct {
		enum proposal_end end;
		const char *said;
	} rows[] = {
		{ PROPOSAL_DONE, "notice: members: changed: a\n" },
		{ PROPOSAL_PROPOSED, "notice: members: proposed: a\n" },
		{ PROPOSAL_WRONG, "warning: members: refused" },
		{ PROPOSAL_NOTHING, "warning: members: refused" },
	};

	log_set_level(LOG_LEVEL_INFO);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char lines[] = "a\n";
		const struct reload r = { 1, rows[i].end, lines, false };

		capture();
		reload_report_members(&r);
		assert_non_null(strstr(captured(), rows[i].said));
	}
}

TEST(the_log_says_whose_settings_change_what)
{
	struct settings *before = parse(CONF),
			*after = parse(
			    "cluster = \"web\"; guarantee = \"component\";"
			    "nodes = ( { id = 2; address = \"x:1\"; },"
			    " { id = 3; address = \"h3:1\"; priority = 1; } );"
			    "security = { key_file = \"./key\"; };"
			    "config_version = 6;");

	after->file_config_version = 5;
	capture_as_journal();
	reload_report_config(before, after, 3);
	assert_string_equal(captured(),
	    "<5>3 gave the settings of config version 6, which are in effect now; install the newer file on this host, too\n"
	    "<4>needs a restart: address of 2\n"
	    "<5>changed: priority of 3\n"
	    "<5>changed: config_version\n");
	after->shared.revision = 7;
	capture_as_journal();
	reload_report_config(before, after, 2);
	assert_non_null(strstr(captured(),
	    "<5>as the leader, this host has put the settings of config version 6, revision 7 into effect\n"));
	settings_free(before);
	settings_free(after);
}
