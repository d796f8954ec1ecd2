/* SPDX-License-Identifier: ISC */
/*
 * How a host changes its settings while it runs: by who wants that, by the
 * guarantee, and by what its disk does. This program has a loop and a control.c
 * of its own, so it is not that of tests/unit/electd/.
 */
#include "tests/lib/stage_host.h"
#include "tests/unit/group.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_document.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"
#include "tests/lib/store_home.h"

/* The loop, in the place of electd.c. */

nsec_t
electd_wake(struct electd *electd)
{
	(void)electd;
	return host.s.now;
}

void
electd_perform(struct electd *electd, nsec_t now)
{
	assert_true(now == host.s.now);
	host_perform(electd);
}

void
electd_set_timer(struct electd *electd)
{
	(void)electd;
}

void
electd_look_at_health(struct electd *electd, nsec_t now)
{
	(void)electd;
	(void)now;
}

void *
electd_memory(size_t size)
{
	return calloc(1, size);
}

void
electd_record(struct electd *electd, size_t size, nsec_t now)
{
	(void)electd;
	(void)size;
	(void)now;
}

void
electd_name_tape(struct electd *electd, nsec_t now)
{
	(void)electd;
	(void)now;
}

void
electd_set_fingerprints(struct electd *electd, const struct setup_keys *keys)
{
	(void)electd;
	(void)keys;
}

/* The sockets of clients, in the place of control.c. */

int
control_new(struct loop *loop, const struct control_view *view,
    struct control **control)
{
	(void)loop;
	(void)control;
	host.view = *view;
	return 0;
}

void
control_change(struct control *control, struct node *node)
{
	(void)control;
	host.view.node = node;
}

void
control_operation_ended(struct control *control)
{
	(void)control;
	host_notify();
}

/* What follows takes the place of the C library's. */

/* The daemon's clock is the stage's. */
int
clock_gettime(clockid_t id, struct timespec *t)
{
	if (id != CLOCK_BOOTTIME)
		return (int)syscall(SYS_clock_gettime, id, t);
	*t = clock_timespec(host.s.now);
	return 0;
}

/* The disk has all at once. */
int
fsync(int fd)
{
	(void)fd;
	return 0;
}

/* While the daemon acts, one allocation fails: that of this number, unless this
 * is 0. */
static _Thread_local unsigned fails, allocations;

static bool
is_short(void)
{
	return fails != 0 && host.is_acting && ++allocations == fails;
}

void *
malloc(size_t size)
{
	static void *(*next)(size_t);

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "malloc");
	return is_short() ? NULL : next(size);
}

void *
calloc(size_t count, size_t size)
{
	static void *(*next)(size_t, size_t);

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "calloc");
	return is_short() ? NULL : next(count, size);
}

#define NAMED(three)                                                           \
	LIST(AT(1, "localhost:7421") ", " AT(2, "localhost:7422") ", " AT(     \
	    3, three))
#define ALIEN "[2001:db8::3]:7420" /* the socket of the host is of IPv4 */

static const struct cluster component = { "component", NODES };
static const struct cluster quorum = { "quorum", NODES };
static const struct cluster named = { "component", NAMED("localhost:7423") };
static const struct cluster named_quorum = { "quorum",
	NAMED("localhost:7423") };
static const struct cluster met = { "component",
	JOINS "listen = \"192.0.2.2:7420\"; self = { name = \"web2\"; }; "
	      "timing = { forget = \"20s\"; }; " };
static const struct cluster met_quorum = { "quorum", NODES JOINS };

#define RELOAD "{\"verb\":\"reload\"}"

enum want {
	FILE_,    /* this host's file has a later config version */
	MEMBERS,  /* an operator gives node 3 another address */
	MEETS,    /* a node is met */
	PEER,     /* another node has later settings */
	PROPOSAL, /* QUORUM: likewise, but no leader has stamped them */
	STAMP,    /* QUORUM: the leader is to stamp those in effect */
};

/* What the address of node 3 becomes, if it is to change. */
static const char *third = "192.0.2.33:7420";

/* The log is kept, and then given. */
static void
listen_to_log(void)
{
	log_set_level(LOG_LEVEL_NOTICE);
	capture();
}

static const char *
heard(void)
{
	log_set_level(LOG_LEVEL_ERROR);
	return captured();
}

/* Another node gives these settings, which are taken. */
static void
give(struct settings *settings)
{
	struct document d = { .giver = 1 };

	d.config_id = config_identify(&settings->shared);
	d.bytes = settings_document(settings, &d.size);
	d.whole = d.size;
	assert_non_null(d.bytes);
	host.e.changes.incoming = d;
	settings_free(settings);
}

/* Settings of the next config version, and of this config term. */
static struct settings *
later(uint64_t config_term)
{
	struct settings *settings = settings_clone(host.e.settings);

	assert_non_null(settings);
	snprintf(
	    settings->shared.nodes[2].address, ADDRESS_MAX_BYTES, "%s", third);
	settings->shared.config_version++;
	settings->shared.config_term = config_term;
	return settings;
}

static void
want(const struct cluster *cluster, enum want what)
{
	static struct joiner joiner = { .id = 9, .is_next = true };
	char text[160];

	switch (what) {
	case FILE_:
		host_write(cluster, host.in_effect.config_version + 1);
		host_ask(RELOAD);
		break;
	case MEMBERS:
		snprintf(text, sizeof(text),
		    "{\"verb\":\"members-replace\",\"node\":\"3\","
		    "\"address\":\"%s\"}",
		    third);
		host_ask(text);
		break;
	case MEETS:
		joiner.id++;
		snprintf(text, sizeof(text), "192.0.2.9:%" PRIu32, joiner.id);
		nodes_meet(&host.e.changes.nodes, &joiner, text);
		break;
	case PEER:
	case PROPOSAL:
		give(later(what == PEER ? host.in_effect.config_term : 0));
		break;
	case STAMP:
		break;
	}
}

/* What happens, by what the disk does. */
struct row {
	const struct cluster *cluster;
	enum want want;
	const char *said[DISKS];
};

/* Under component the host waits for no disk, but the next start needs the
 * settings. Under quorum nothing is in effect that the disk does not have. */
static const struct row rows[] = {
	{ &component, FILE_, { "KET", "FETK", "KT", "K" } },
	{ &component, MEMBERS, { "KET", "FETK", "KT", "K" } },
	{ &met, MEETS, { "KE", "FEK", "K", "K" } },
	{ &component, PEER, { "KE", "FEK", "K", "K" } },
	{ &quorum, FILE_, { "KET", "FKET", "K", "K" } },
	{ &quorum, MEMBERS, { "KET", "FKET", "K", "K" } },
	{ &met_quorum, MEETS, { "KE", "FKE", "K", "K" } },
	{ &quorum, PEER, { "KE", "FKE", "K", "K" } },
	{ &quorum, PROPOSAL, { "KE", "FKE", "K", "K" } },
	{ &quorum, STAMP, { "KE", "FKE", "K", "K" } },
};

static void
play(const struct row *row, enum disk with)
{
	if (row->want == STAMP)
		host_begin(row->cluster, NULL);
	else
		host_begin_stamped(row->cluster);
	host.disk = with;
	if (with == FAILS)
		host_break_disk();
	listen_to_log();
	want(row->cluster, row->want);
	host_turn(0);
	for (int i = 0;
	     i < 4 && with == FAILS && strchr(host.said, 'F') == NULL; i++)
		host_pass(1);
	host_mend_disk();
	host_pass(2);
	heard();
	assert_said(row->said[with]);
	if (with <= FAILS)
		assert_kept();
	if (strchr(host.said, 'T') != NULL)
		assert_told(with == LEAVES ? "a restart" : "\"ok\":true");
	host_end();
}

STORE_CASE(settings_come_into_effect_by_guarantee_and_disk)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (enum disk with = TAKES; with < DISKS; with++)
			play(&rows[i], with);
	}
}

/* Once there is memory again, all is as ever. */
static void
survive(const struct row *row)
{
	unsigned number = 0, disk_failures = 0;

	host_begin_stamped(row->cluster);
	do {
		fails = ++number;
		allocations = 0;
		host.said[0] = '\0';
		third = number % 2 == 0 ? "192.0.2.4:7420" : "192.0.2.5:7420";
		listen_to_log();
		want(row->cluster, row->want);
		host_pass(1);
		heard();
		fails = 0;
		disk_failures += strchr(host.said, 'F') != NULL;
		host_pass(2);
		assert_int_not_equal(host.pending.kind, PENDING_ANSWER);
		if (strchr(host.said, 'E') == NULL) {
			want(row->cluster, row->want);
			host_pass(2);
		}
		assert_non_null(strchr(host.said, 'E'));
		assert_kept();
		if (row->want == MEETS) { /* else the list grows */
			host_end();
			host_begin_stamped(row->cluster);
		}
	} while (allocations >= number);
	assert_true(disk_failures > 0);
	host_end();
}

STORE_CASE(host_survives_each_lack_of_memory)
{
	void *(*volatile get)(size_t) = malloc; /* not the one inlined */
	void *block;

	host.is_acting = true;
	fails = 1;
	block = get(1);
	fails = allocations = 0;
	free(block);
	if (block != NULL)
		skip("valgrind's malloc() takes the place of ours");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].want != STAMP)
			survive(&rows[i]);
	}
}

/* The disk takes them, and then gets back what is in effect. The node fetches
 * those of another node no more, and the leader takes no such step again. */
STORE_CASE(settings_that_cannot_be_in_effect_are_refused)
{
	static const struct row refused[] = {
		{ &named, FILE_, { "KTK" } },
		{ &named, MEMBERS, { "KTK" } },
		{ &named, PEER, { "KK" } },
		{ &named_quorum, FILE_, { "KTK" } },
		{ &named_quorum, MEMBERS, { "KTK" } },
		{ &named_quorum, PEER, { "KK" } },
		{ &named_quorum, PROPOSAL, { "KK" } },
	};
	static const struct cluster files[] = {
		{ "component", NAMED(ALIEN) },
		{ "quorum", NAMED(ALIEN) },
	};

	third = ALIEN;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const struct row *row = &refused[i];
		const char *log;

		host_begin_stamped(row->cluster);
		listen_to_log();
		want(&files[row->cluster == &named_quorum], row->want);
		host_pass(4);
		log = heard();
		assert_non_null(strstr(log, "is not an IPv4 address"));
		if (row->want == PEER)
			assert_non_null(strstr(log, "web1 gave the settings"));
		assert_said(row->said[TAKES]);
		assert_kept();
		if (host.told != NULL)
			assert_told("an address cannot be applied");
		host_end();
	}
}

/* What an operator asks for, with this file, and is told. */
struct question {
	const struct cluster *cluster;
	struct cluster file;
	uint32_t config_version;
	const char *line, *told, *said;
};

#define REMOVE "{\"verb\":\"members-remove\",\"node\":\"3\"}"
#define ADD(address)                                                           \
	"{\"verb\":\"members-add\",\"id\":4,\"address\":\"" address            \
	"\",\"role\":\"observer\"}"
#define AT4    AT(4, "192.0.2.4:7420")
#define AT5    AT(5, "192.0.2.5:7420")
#define CHECKS "checks = ( { name = \"a\"; command = [\"true\"]; } ); "
#define OBSERVED                                                               \
	LIST(AT1 ", " AT2 ", { id = 3; address = \"192.0.2.3:7420\"; "         \
		 "role = \"observer\"; }")

static const struct cluster observed = { "quorum", OBSERVED };

static const struct question questions[] = {
	{ &component, { "component", NODES "typo = 1; " }, 3, RELOAD,
	    "typo: unknown", "T" },
	{ &component, { "component", NODES }, 3, RELOAD, "\"changed\":[]",
	    "T" },
	{ &component, { "component", NODES }, 2, RELOAD, "\"older\":true",
	    "T" },
	{ &component,
	    { "component", LIST(AT1 ", " AT2 ", " AT(3, "192.0.2.33:7420")) },
	    3, RELOAD, "\"changed\":[\"address of web3\"]", "T" },
	{ &component, { "component", NODES CHECKS }, 3, RELOAD, "\"checks\"",
	    "T" },
	{ &named, { "component", NAMED(ALIEN) }, 3, RELOAD,
	    "an address cannot be applied", "T" },
	{ &component, { "component", NODES "prefer = \"lowest\"; " }, 3, RELOAD,
	    "all hosts must agree", "T" },
	{ &component, { "component", NODES "realtime = true; " }, 4, RELOAD,
	    "a restart of this daemon", "T" },
	{ &component, { "quorum", NODES }, 4, RELOAD, "while any daemon", "T" },
	{ &quorum, { "quorum", NODES "expect = 2; " }, 4, RELOAD, "\"expect\"",
	    "KET" },
	{ &quorum, { "quorum", LIST(AT1 ", " AT2 ", " AT3 ", " AT4 ", " AT5) },
	    4, RELOAD, "more than one voter", "T" },
	{ &quorum, { "quorum", LIST(AT1 ", " AT2 ", " AT3 ", " AT4) }, 4,
	    RELOAD, "does not hear the new voter", "T" },
	{ &observed, { "quorum", NODES }, 4, RELOAD,
	    "an observer cannot become a voter", "T" },
	{ &met_quorum, { "quorum", LIST(AT1 ", " AT3) JOINS }, 4, RELOAD,
	    "it names no node with id 2", "T" },
	{ &quorum, { "quorum", NODES }, 3, REMOVE, "\"removed\"", "KET" },
	{ &quorum, { "quorum", NODES }, 3, ADD("192.0.2.4:7420"), "\"added\"",
	    "KET" },
	{ &quorum, { "quorum", NODES }, 3, ADD("x"), "has no port", "T" },
};

STORE_CASE(operator_is_told_what_came_of_it)
{
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		const struct question *q = &questions[i];

		host_begin_stamped(q->cluster);
		host_write(&q->file, q->config_version);
		listen_to_log();
		host_ask(q->line);
		host_pass(2);
		heard();
		assert_said(q->said);
		assert_told(q->told);
		host_end();
	}
}

/* The leader has not put the first change into effect yet. */
STORE_CASE(second_change_waits_for_the_first)
{
	third = "192.0.2.33:7420";
	host_begin_stamped(&quorum);
	host_break_disk();
	want(&quorum, MEMBERS);
	host_pass(1);
	want(&quorum, MEMBERS);
	assert_told("another change is proposed");
	host_mend_disk();
	host_pass(1);
	assert_said("FTKE");
	host_end();
}

/* Settings by the file of another host, which a leader may have stamped. */
static struct settings *
of(const struct cluster *cluster, uint32_t config_version, bool is_stamped)
{
	struct settings *settings = host_parse(cluster, config_version);

	settings->shared.config_term =
	    is_stamped ? host.in_effect.config_term + 1 : 0;
	return settings;
}

static const struct cluster without = { "quorum",
	LIST(AT1 ", " AT3) JOINS "listen = \"192.0.2.2:7420\"; " };

STORE_CASE(document_that_is_wrong_here_is_refused)
{
	static const struct {
		const struct cluster *here, *there;
		uint32_t config_version;
		bool is_stamped, is_damaged;
		const char *log; /* NULL: it is not refused */
	} offered[] = {
		{ &quorum, &quorum, 4, true, true, "cannot be used here" },
		{ &quorum, &quorum, 4, false, true, "cannot be used here" },
		{ &component, &component, 4, false, true, "cannot be used" },
		{ &met_quorum, &without, 4, true, false, "was removed" },
		{ &without, &met_quorum, 4, true, false, "that of a voter" },
		{ &quorum, &quorum, 2, false, false, NULL },
		{ &component, &component, 2, false, false, NULL },
	};

	for (size_t i = 0; i < sizeof(offered) / sizeof(offered[0]); i++) {
		const char *log;

		host_begin_stamped(offered[i].here);
		give(of(offered[i].there, offered[i].config_version,
		    offered[i].is_stamped));
		host.e.changes.incoming.bytes[0] ^= offered[i].is_damaged;
		listen_to_log();
		host_turn(0);
		log = heard();
		if (offered[i].log != NULL)
			assert_non_null(strstr(log, offered[i].log));
		else
			assert_string_equal(log, "");
		assert_said("");
		host_end();
	}
}

/* Another host wants two voters more at once. */
STORE_CASE(leader_drops_a_proposal_that_no_leader_would_take)
{
	static const struct cluster far = { "quorum",
		LIST(AT1 ", " AT2 ", " AT3 ", " AT4 ", " AT5) };
	struct proposed proposed;

	host_begin_stamped(&quorum);
	give(of(&far, 4, false));
	listen_to_log();
	host_pass(1);
	assert_non_null(strstr(heard(), "more than one voter"));
	assert_said("");
	assert_false(host.view.proposed(host.view.context, &proposed));
	host_end();
}

/* By these settings this node votes, but leads no more. */
static const struct cluster demoting = { "quorum",
	LIST(AT1 ", { id = 2; address = \"192.0.2.2:7420\"; "
		 "role = \"voter\"; }, " AT3) };

/* The next leader takes the step, and this node may lead again then. */
STORE_CASE(leader_that_is_to_lead_no_more_hands_over)
{
	struct standby own;

	host_begin_stamped(&quorum);
	want(&demoting, FILE_);
	host_pass(2);
	own = node_standby(host.e.node, 2);
	assert_true(standby_is_by(&own, STANDBY_RESIGNED));
	assert_int_not_equal(stage_status(&host.s, 0).state, STATE_LEADER);
	assert_said("");
	give(of(&demoting, 4, true));
	host_pass(2);
	own = node_standby(host.e.node, 2);
	assert_false(standby_is_by(&own, STANDBY_RESIGNED));
	assert_said("KET");
	assert_told("\"ok\":true");
	host_end();
}

/* The leader tries again once the member is able to lead. */
STORE_CASE(leader_leads_on_where_nobody_else_can)
{
	struct proposed proposed;

	host_begin_stamped(&quorum);
	host.s.members[0].is_abstaining = true;
	want(&demoting, FILE_);
	host_pass(2);
	assert_int_equal(stage_status(&host.s, 0).state, STATE_LEADER);
	assert_true(host.view.proposed(host.view.context, &proposed));
	assert_int_equal(proposed.config_version, 4);
	assert_int_equal(proposed.step, STEP_RESIGN);
	host.s.members[0].is_abstaining = false;
	host_pass(1);
	assert_int_not_equal(stage_status(&host.s, 0).state, STATE_LEADER);
	assert_said("");
	host_end();
}

/* The host holds its file from the start on. */
STORE_CASE(file_that_is_later_than_what_was_kept_is_proposed)
{
	static const struct {
		const struct cluster *kept, *file;
		const char *said;
	} starts[] = {
		{ &quorum, &quorum, "KEKE" },
		{ &met_quorum, &without, "KE" }, /* it lacks this node */
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		host_begin(starts[i].kept, host_parse(starts[i].file, 4));
		listen_to_log();
		host_pass(4);
		assert_true((strstr(heard(), "cannot propose") != NULL) ==
			    (starts[i].file == &without));
		assert_said(starts[i].said);
		assert_false(host.e.changes.rollout.has_file);
		host_end();
	}
}

STORE_CASE(node_that_is_gone_is_forgotten)
{
	host_begin_stamped(&met);
	listen_to_log();
	host_pass(10);
	assert_non_null(strstr(heard(), "forgetting 3 (id 3)"));
	assert_said("KE");
	assert_int_equal(host.e.settings->shared.nodes_count, 2);
	host_end();
}

STORE_CASE(keys_of_the_file_are_used_at_once)
{
	struct setup_keys keys = { .first = { 'n', 'e', 'w' } };

	host_begin_stamped(&component);
	host_write_key("new");
	host_write(&component, 3);
	host_ask(RELOAD);
	host_turn(0);
	assert_told("\"changed\":[\"the keys in the key files");
	assert_true(node_has_keys(host.e.node, &keys));
	host_end();
}
