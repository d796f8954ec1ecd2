/* SPDX-License-Identifier: ISC */
/*
 * The lines of the log, as an operator reads them: which are alerts, and what
 * they say. <3> is an error, <4> a warning, <5> a notice, <6> a detail.
 */
#include "tests/unit/group.h"

#include "daemon/electd/tell/report.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/system/log.h"
#include "tests/lib/capture.h"
#include "tests/lib/stage.h"

static struct stage s;
static struct config_node nodes[3];
static struct settings settings;
static struct reporter reporter;

/* Node 2, web2, has just started, alone. */
static int
enter_as(enum guarantee guarantee)
{
	for (unsigned i = 0; i < 3; i++) {
		nodes[i].id = i + 1;
		snprintf(nodes[i].name, sizeof(nodes[i].name), "web%u", i + 1);
		snprintf(nodes[i].address, sizeof(nodes[i].address),
		    "192.0.2.1%u:7420", i + 1);
	}
	settings = (struct settings){
		.shared.cluster = "web",
		.shared.guarantee = guarantee,
		.shared.nodes = nodes,
		.shared.nodes_count = 3,
		.id = 2,
		.shared.timing.heartbeat = 100 * MSEC,
		.shared.timing.misses = 3,
		.key_file = "/etc/electd/web.key",
		.state_dir = "/var/lib/electd",
	};
	stage_set(&s, 1);
	s.setups[0].guarantee = guarantee;
	s.setups[0].timing.lease = 2 * SEC;
	stage_start(&s);
	reporter = (struct reporter){
		.settings = &settings,
		.present = &settings,
		.node = s.nodes[0],
		.now = s.now,
		.sender = "",
	};
	log_set_level(LOG_LEVEL_INFO);
	return 0;
}

static int
enter(void **state)
{
	(void)state;
	return enter_as(GUARANTEE_COMPONENT);
}

static int
enter_quorum(void **state)
{
	(void)state;
	return enter_as(GUARANTEE_QUORUM);
}

/* The notices make these lines, one after the other. */
static void
assert_lines(const struct notice *notices, size_t count, const char *lines)
{
	capture_as_journal();
	for (size_t i = 0; i < count; i++)
		report_notice(&reporter, &notices[i]);
	assert_string_equal(captured(), lines);
}

static void
assert_line(struct notice notice, const char *line)
{
	assert_lines(&notice, 1, line);
}

static struct notice
leads(node_id leader, node_id previous, enum reason_kind kind, node_id node)
{
	return (struct notice){
		.kind = NOTICE_LEADER,
		.term = 7,
		.leader = leader,
		.previous = previous,
		.reason = { kind, node },
	};
}

static struct notice
no_leader(node_id previous, enum reason_kind kind, node_id node)
{
	return (struct notice){
		.kind = NOTICE_NO_LEADER,
		.term = 6,
		.previous = previous,
		.reason = { kind, node },
	};
}

#define CASE(name, enter) STAGE_CASE(name, enter, &s)

CASE(lost_leader_is_a_warning_and_the_next_one_a_notice, enter)
{
	const struct notice notices[] = {
		no_leader(3, REASON_DIED, 3),
		leads(2, 3, REASON_DIED, 3),
	};

	assert_lines(notices, 2,
	    "<4>leader web3 lost: the process of web3 died\n"
	    "<5>web2 leads in term 7 (the process of web3 died)\n");
	assert_line(no_leader(2, REASON_LEASE, 2),
	    "<4>leader web2 lost: the lease of web2 ended without a majority\n");
}

/* The next leader's word may be the first sign of the loss. */
CASE(loss_is_reported_once_also_when_the_next_leader_reports_it, enter)
{
	assert_line(leads(1, 3, REASON_MISSED, 3),
	    "<4>leader web3 lost: no heartbeat from web3\n"
	    "<5>web1 leads in term 7 (no heartbeat from web3)\n");
	assert_line(leads(1, 3, REASON_REFUSED, 3),
	    "<4>leader web3 lost: nothing listens on web3 any more\n"
	    "<5>web1 leads in term 7 (nothing listens on web3 any more)\n");
}

CASE(hand_over_and_first_leader_alert_nobody, enter)
{
	const struct notice notices[] = {
		no_leader(2, REASON_PREEMPT, 2),
		leads(3, 2, REASON_PREEMPT, 2),
		leads(2, 3, REASON_RESIGN, 3),
		leads(3, NODE_NONE, REASON_ALONE, 3),
		leads(1, 2, REASON_BYE, 2),
		leads(1, 1, REASON_FORCED, 3),
		leads(3, 1, REASON_MERGE, 1),
		leads(3, NODE_NONE, REASON_START, 1),
		leads(2, NODE_NONE, REASON_DIED, 3),
	};

	assert_lines(notices, sizeof(notices) / sizeof(notices[0]),
	    "<5>web2 no longer leads; no successor yet (a better node than web2 takes over)\n"
	    "<5>web3 leads in term 7 (a better node than web2 takes over)\n"
	    "<5>web2 leads in term 7 (an operator or a check wants another leader than web3)\n"
	    "<5>web3 leads in term 7 (web3 had resigned, but no other node can lead)\n"
	    "<5>web1 leads in term 7 (web2 was stopped)\n"
	    "<5>web1 leads again in term 7 (an operator asked web3 for an election)\n"
	    "<5>web3 leads in term 7 (web1 met another leader)\n"
	    "<5>web3 leads in term 7 (web1 is eligible and heard of no leader)\n"
	    "<5>web2 leads in term 7 (the process of web3 died)\n");
}

CASE(leader_that_was_removed_is_named_by_its_id, enter)
{
	assert_line(leads(3, 9, REASON_REMOVED, 9),
	    "<5>web3 leads in term 7 (node 9 may no longer lead by the settings)\n");
	assert_line(leads(3, NODE_NONE, REASON_START, NODE_NONE),
	    "<5>web3 leads in term 7 (a node is eligible and heard of no leader)\n");
}

CASE(lack_of_a_leader_is_a_warning, enter)
{
	assert_line(no_leader(NODE_NONE, REASON_START, 3),
	    "<4>no leader: no node is eligible (web3 is eligible and heard of no leader)\n");
}

CASE(elections_are_details, enter)
{
	const struct notice notices[] = {
		{ .kind = NOTICE_ELECTION,
		    .term = 7,
		    .reason = { REASON_MISSED, 3 } },
		{ .kind = NOTICE_ELECTED, .term = 7, .leader = 2 },
		{ .kind = NOTICE_ELECTED, .term = 8 },
	};

	assert_lines(notices, 3,
	    "<6>election in term 7 (no heartbeat from web3)\n"
	    "<6>no node is eligible in term 8\n");
}

CASE(peers_come_and_go_as_notices, enter)
{
	const struct notice notices[] = {
		{ .kind = NOTICE_PEER_UP, .peer = 3 },
		{ .kind = NOTICE_PEER_DOWN,
		    .peer = 3,
		    .evidence = EVIDENCE_DIED },
		{ .kind = NOTICE_PEER_DOWN,
		    .peer = 1,
		    .evidence = EVIDENCE_BYE },
		{ .kind = NOTICE_PEER_DOWN,
		    .peer = 1,
		    .evidence = EVIDENCE_DISTANT },
	};

	assert_lines(notices, 4,
	    "<5>web3 is up\n"
	    "<5>web3 is down: its process died\n"
	    "<5>web1 is down: stopped\n");
}

/* One of three is left; then the member comes, and leaves. */
CASE(node_that_is_cut_off_warns_once, enter)
{
	const struct notice missed[] = {
		{ .kind = NOTICE_PEER_DOWN,
		    .peer = 1,
		    .evidence = EVIDENCE_MISSED },
		{ .kind = NOTICE_PEER_DOWN,
		    .peer = 3,
		    .evidence = EVIDENCE_MISSED },
	};
	const char *lines =
	    "<5>web1 is down: no heartbeat\n"
	    "<4>only 1 of 3 nodes reachable: the others may have their own leader; check the network\n"
	    "<5>web3 is down: no heartbeat\n";

	assert_lines(missed, 2, lines);
	stage_join(&s, 0);
	assert_line((struct notice){ .kind = NOTICE_PEER_UP, .peer = 1 },
	    "<5>web1 is up\n");
	stage_run(&s, SEC);
	assert_int_equal(node_status(s.nodes[0], s.now).reachable, 1);
	reporter.now = s.now;
	assert_lines(missed, 2, lines);
}

CASE(peer_of_other_settings_version_or_key_is_a_warning, enter)
{
	const struct notice notices[] = {
		{ .kind = NOTICE_DIFFERS, .peer = 1, .on = true },
		{ .kind = NOTICE_DIFFERS, .peer = 1 },
		{ .kind = NOTICE_OTHER_VERSION, .peer = 1, .on = true },
		{ .kind = NOTICE_OTHER_VERSION, .peer = 1 },
		{ .kind = NOTICE_OTHER_KEY, .peer = 1, .on = true },
		{ .kind = NOTICE_OTHER_KEY, .peer = 1 },
		{ .kind = NOTICE_DUPLICATE, .peer = 1, .on = true },
		{ .kind = NOTICE_DUPLICATE, .peer = 1 },
	};

	assert_lines(notices, 8,
	    "<4>web1 has different settings from this host and cannot join: two leaders are possible until they match; compare electd -T on both\n"
	    "<5>web1 has the same settings as this host again\n"
	    "<4>web1 runs a version of electd that this one does not speak and cannot join: two leaders are possible; see electd-operating(7), UPGRADING\n"
	    "<5>web1 runs a version of electd that this one speaks\n"
	    "<4>web1 (192.0.2.11:7420) seems to use another key and cannot join: two leaders are possible; compare the SHA-256 of /etc/electd/web.key on both\n"
	    "<5>web1 no longer uses another key\n"
	    "<4>duplicate id: two processes run as web1 (id 1); neither can lead; stop one, or give it its own id\n"
	    "<5>duplicate id resolved: one process runs as web1 now\n");
}

CASE(two_files_of_one_config_version_are_a_warning, enter)
{
	settings.shared.config_version = 5;
	assert_line((struct notice){ .kind = NOTICE_CLASH, .peer = 3 },
	    "<4>web3 has other settings of the same config version, 5: one of the two files wins on all hosts; give all hosts one file, and raise config_version with each change\n");
}

CASE(two_leaders_are_not_reported_where_they_cannot_be, enter_quorum)
{
	const struct notice notices[] = {
		{ .kind = NOTICE_DIFFERS, .peer = 1, .on = true },
		{ .kind = NOTICE_OTHER_VERSION, .peer = 1, .on = true },
		{ .kind = NOTICE_OTHER_KEY, .peer = 1, .on = true },
	};

	assert_lines(notices, 3,
	    "<4>web1 has different settings from this host and cannot join: it does not count towards a majority here until they match; compare electd -T on both\n"
	    "<4>web1 runs a version of electd that this one does not speak and cannot join: it does not count towards a majority here; see electd-operating(7), UPGRADING\n"
	    "<4>web1 (192.0.2.11:7420) seems to use another key and cannot join; compare the SHA-256 of /etc/electd/web.key on both\n");
}

CASE(lost_quorum_is_reported_with_the_missing_voters, enter_quorum)
{
	const struct notice lost = { .kind = NOTICE_QUORUM };

	assert_line(lost,
	    "<4>quorum lost: 1 of 3 voters, 2 needed; missing web1 (never heard), web3 (never heard)\n");
	stage_join(&s, 0);
	assert_line((struct notice){ .kind = NOTICE_QUORUM, .on = true },
	    "<5>quorum: 1 of 3 voters\n");
	assert_line(lost,
	    "<4>quorum lost: 1 of 3 voters, 2 needed; missing web1 (does not vote), web3 (never heard)\n");
}

/* The settings of before name more nodes, of which some are gone. */
CASE(quorum_that_is_lost_by_a_change_names_the_voters_of_now, enter_quorum)
{
	struct config_node before_nodes[5];
	struct settings before = settings;

	memcpy(before_nodes, nodes, sizeof(nodes));
	before_nodes[3] = before_nodes[4] = nodes[2];
	before_nodes[0].id = 7;
	before.shared.nodes = before_nodes;
	before.shared.nodes_count = 5;
	reporter.settings = &before;
	assert_line((struct notice){ .kind = NOTICE_QUORUM },
	    "<4>quorum lost: 1 of 3 voters, 2 needed; missing web1 (never heard), web3 (never heard)\n");
}

/* The member says that its settings, which are later, do not name the node. */
static void
remove_the_node(void)
{
	struct member *member = &s.members[0];
	struct handshake h = {
		.verdict = VERDICT_OUTSIDE,
		.config_id.config_version = 9,
		.exchanges = true,
	};
	uint8_t datagram[PACKET_MAX];

	stage_run(&s, 0);
	assert_true(member->was_greeted);
	memcpy(h.echo, member->their_salt, SALT_BYTES);
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_handshake(member, PACKET_HELLO_ACK, &h, datagram));
	assert_true(stage_status(&s, 0).is_outside);
	reporter.now = s.now;
}

/* The log told the operator to stop electd there, which is enough. */
CASE(node_that_was_removed_alerts_nobody_of_what_it_loses, enter)
{
	const struct notice notices[] = {
		no_leader(3, REASON_MISSED, 3),
		{ .kind = NOTICE_PEER_DOWN,
		    .peer = 3,
		    .evidence = EVIDENCE_MISSED },
	};

	remove_the_node();
	assert_lines(notices, 2,
	    "<5>leader web3 lost: no heartbeat from web3\n"
	    "<5>web3 is down: no heartbeat\n");
}

CASE(quorum_that_is_lost_by_a_removal_alerts_nobody, enter_quorum)
{
	remove_the_node();
	assert_line((struct notice){ .kind = NOTICE_QUORUM },
	    "<5>quorum lost: the settings of the other nodes do not name this node\n");
}

/* The caller that stops it knows. */
CASE(quorum_that_is_lost_by_stopping_alerts_nobody, enter_quorum)
{
	stage_stop(&s, 0);
	assert_line((struct notice){ .kind = NOTICE_QUORUM },
	    "<6>quorum lost while this node stops\n");
}

CASE(state_that_cannot_be_trusted_is_an_error, enter_quorum)
{
	const struct notice notices[] = {
		{ .kind = NOTICE_STATE_FILE,
		    .state_health = STATE_HEALTH_REVOKED },
		{ .kind = NOTICE_STATE_FILE,
		    .state_health = STATE_HEALTH_FAILED },
		{ .kind = NOTICE_STATE_FILE,
		    .state_health = STATE_HEALTH_LOST },
	};
	const char wanted[] = "<3>state file /var/lib/electd/web-2.state ";
	const char *line;
	unsigned count = 0;

	capture_as_journal();
	for (size_t i = 0; i < 3; i++)
		report_notice(&reporter, &notices[i]);
	for (line = captured(); *line != '\0'; line = strchr(line, '\n') + 1) {
		assert_memory_equal(line, wanted, sizeof(wanted) - 1);
		count++;
	}
	assert_int_equal(count, 3);
}

/* The others wait for three heartbeats of 100 ms. */
CASE(long_stall_is_one_warning, enter)
{
	assert_line(
	    (struct notice){ .kind = NOTICE_STALLED, .duration = 299 * MSEC },
	    "<6>not scheduled for 299 ms\n");
	assert_line(
	    (struct notice){ .kind = NOTICE_STALLED, .duration = 300 * MSEC },
	    "<4>not scheduled for 300 ms, longer than peers wait for a heartbeat: they may declare this node dead; check for CPU load and VM pauses\n");
	capture_as_journal();
	report_death(&reporter, 812 * MSEC);
	report_notice(&reporter,
	    &(struct notice){ .kind = NOTICE_STALLED, .duration = 811 * MSEC });
	assert_string_equal(captured(),
	    "<4>not scheduled for 812 ms: lastwill announced this node as dead; it now rejoins; check for CPU load and VM pauses\n"
	    "<6>not scheduled for 811 ms\n");
}

/* Notices of one kind come so often, on and off in turn. */
static void
repeat(struct notice notice, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		if (notice.kind == NOTICE_PEER_UP)
			notice.kind = NOTICE_PEER_DOWN;
		else if (notice.kind == NOTICE_PEER_DOWN)
			notice.kind = NOTICE_PEER_UP;
		notice.on = !notice.on;
		notice.term++;
		report_notice(&reporter, &notice);
	}
}

/* Counts the captured lines; *last is the last of them. */
static unsigned
lines_captured(const char **last)
{
	const char *text = captured();
	unsigned count = 0;

	for (; *text != '\0'; text = strchr(text, '\n') + 1) {
		*last = text;
		count++;
	}
	return count;
}

/* A member that says in each second datagram that it does not hear us takes its
 * link down and up. */
CASE(link_that_flaps_logs_a_limited_number_of_lines, enter)
{
	const struct notice web3 = { .kind = NOTICE_PEER_UP, .peer = 3 };
	const struct notice web1 = { .kind = NOTICE_PEER_UP, .peer = 1 };
	const char *last = "";

	capture_as_journal();
	repeat(web3, 1000);
	assert_int_equal(lines_captured(&last), REPORT_LINES_MAX + 1);
	assert_string_equal(last,
	    "<5>web3 comes and goes: leaving out such lines for the rest of a minute\n");
	assert_line(web1, "<5>web1 is up\n");
	reporter.now += 60 * SEC - 1;
	assert_line(web3, "");
	reporter.now++;
	assert_line(web3, "<5>web3 comes and goes: left out 971 such lines\n"
			  "<5>web3 is up\n");
	reporter.now += 60 * SEC;
	assert_line(web3, "<5>web3 is up\n");
}

/* Also under the shortest heartbeat, and if a member changes the term with each
 * datagram. */
CASE(lines_of_each_matter_are_limited, enter_quorum)
{
	const struct notice notices[] = {
		{ .kind = NOTICE_PEER_DOWN, .peer = 1 },
		{ .kind = NOTICE_LEADER, .leader = 1, .previous = 1 },
		{ .kind = NOTICE_NO_LEADER, .previous = 3 },
		{ .kind = NOTICE_ELECTION },
		{ .kind = NOTICE_ELECTED },
		{ .kind = NOTICE_QUORUM },
		{ .kind = NOTICE_STALLED, .duration = 51 * MSEC },
		{ .kind = NOTICE_STALLED, .duration = 300 * MSEC },
	};

	for (size_t i = 0; i < sizeof(notices) / sizeof(notices[0]); i++) {
		const char *last = "";

		capture_as_journal();
		repeat(notices[i], 1000);
		assert_int_equal(lines_captured(&last), REPORT_LINES_MAX + 1);
		assert_non_null(strstr(last, ": leaving out such lines"));
		reporter.now += 60 * SEC;
		capture_as_journal();
		repeat(notices[i], 1);
		assert_int_equal(lines_captured(&last), 2);
		reporter.now += 60 * SEC;
	}
}

/* The only sign that there may be two leaders waits for no other lines. */
CASE(cut_and_long_stall_are_told_amid_lines_that_are_left_out, enter)
{
	const struct notice missed = {
		.kind = NOTICE_PEER_DOWN,
		.peer = 3,
		.evidence = EVIDENCE_MISSED,
	};

	capture_as_journal();
	repeat((struct notice){ .kind = NOTICE_PEER_UP, .peer = 3 }, 1000);
	repeat((struct notice){ .kind = NOTICE_STALLED }, 1000);
	captured();
	assert_line(missed,
	    "<4>only 1 of 3 nodes reachable: the others may have their own leader; check the network\n");
	assert_line(
	    (struct notice){ .kind = NOTICE_STALLED, .duration = 300 * MSEC },
	    "<4>not scheduled for 300 ms, longer than peers wait for a heartbeat: they may declare this node dead; check for CPU load and VM pauses\n");
}

/* A loss that is left out is not told later, as if it were new. */
CASE(loss_that_was_left_out_stays_out, enter)
{
	capture_as_journal();
	repeat(no_leader(3, REASON_DIED, 3), 1000);
	captured();
	reporter.now += 60 * SEC;
	assert_line(leads(2, 3, REASON_DIED, 3),
	    "<5>leaders come and go: left out 970 such lines\n"
	    "<5>web2 leads in term 7 (the process of web3 died)\n");
}

static struct notice
dropped(enum drop drop, node_id peer, node_id claimed, uint64_t count)
{
	return (struct notice){
		.kind = NOTICE_DROPPED,
		.drop = drop,
		.peer = peer,
		.claimed = claimed,
		.datagrams = count,
	};
}

CASE(strangers_are_reported_with_address_id_and_number, enter)
{
	reporter.sender = "192.0.2.9:7420";
	assert_line(dropped(DROP_CLUSTER, NODE_NONE, 7, 1),
	    "<4>dropped a datagram from 192.0.2.9:7420: it is for another cluster, not \"web\"; compare cluster in both files, and give each cluster a port of its own\n");
	assert_line(dropped(DROP_UNKNOWN, NODE_NONE, 7, 11),
	    "<5>dropped 11 datagrams, the last from 192.0.2.9:7420: its sender is node 7, which the settings in effect do not name\n");
	settings.shared.neighbours_only = true;
	assert_line(dropped(DROP_UNKNOWN, NODE_NONE, 7, 11),
	    "<4>dropped 11 datagrams, the last from 192.0.2.9:7420: its sender is node 7, which is not in this host's configuration; use the same nodes on all hosts\n");
	assert_line(dropped(DROP_UNKNOWN, NODE_NONE, 3, 2),
	    "<4>dropped 2 datagrams, the last from 192.0.2.9:7420: web3 sent it to a node other than web2; compare the addresses in the configurations of both\n");
	assert_line(dropped(DROP_ADDRESS, 3, 3, 2),
	    "<4>dropped 2 datagrams, the last from web3 (192.0.2.9:7420): another host claims to be web3 (id 3), which this node hears, too; give each host its own id\n");
	assert_line(dropped(DROP_SAME_ID, NODE_NONE, 2, 1),
	    "<4>dropped a datagram from 192.0.2.9:7420: its sender claims to be web2 (id 2), which is this host; give each host its own id\n");
	assert_line(dropped(DROP_KEY, NODE_NONE, 3, 1),
	    "<4>dropped a datagram from 192.0.2.9:7420: its key differs from /etc/electd/web.key; use the same key on all hosts\n");
	reporter.sender = "";
	assert_line(dropped(DROP_FORMAT, 3, 3, 1),
	    "<4>dropped a datagram from web3: its seal is right but its content is malformed; run the same version of electd on all hosts\n");
}

/* Every reason has words of its own, or is a detail. */
CASE(drops_that_a_network_explains_are_details, enter)
{
	reporter.sender = "192.0.2.13:7420";
	for (enum drop i = DROP_NONE + 1; i < DROP_KINDS; i++) {
		struct notice n = dropped(i, 3, 3, 1);
		bool is_quiet;

		capture_as_journal();
		report_notice(&reporter, &n);
		is_quiet = *captured() == '\0';
		assert_int_equal(
		    is_quiet, i == DROP_SESSION || i == DROP_REPLAY ||
				  i == DROP_INCARNATION || i == DROP_LATE ||
				  i == DROP_RATE || i == DROP_SEAL);
	}
}
