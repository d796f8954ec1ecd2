/* SPDX-License-Identifier: ISC */
/*
 * What each verb answers, value by value: as JSON, and as pairs that a shell
 * evaluates. Node 2 is on standby for a reason that a shell would not leave as
 * it is; node 3 leads; the member, 1, has just fallen silent.
 */
#include "tests/unit/group.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/control/answers/answers.h"
#include "daemon/electctl/print/print.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"
#include "tests/lib/stage_view.h"

#define PAIRS_MAX 256
#define KEY_MAX   96
#define VALUE_MAX 256
#define REASON    "it's `id` $(id) \"$HOME\" \\ *; # end"

struct pair {
	char name[KEY_MAX];
	char value[VALUE_MAX];
};

static struct stage s;
static struct config_node nodes[3];
static struct settings settings;
static struct pending_request pending;
static struct pair pairs[PAIRS_MAX];
static unsigned pairs_count;
static unsigned asked; /* the node, by its place on the stage */

static void
begin(enum guarantee guarantee)
{
	struct standby order = { .is_on = true, .left = 60 * SEC };

	log_set_level(LOG_LEVEL_ERROR);
	stage_name(nodes, 3);
	for (unsigned i = 0; i < 3; i++) {
		nodes[i].role = ROLE_CANDIDATE;
		nodes[i].priority = 10 - (int)i;
		snprintf(nodes[i].address, sizeof(nodes[i].address),
		    "192.0.2.1%u:7420", i + 1);
	}
	settings = (struct settings){
		.shared.cluster = "web",
		.shared.guarantee = guarantee,
		.shared.config_version = 6,
		.shared.algorithm = algorithm_find("bully"),
		.shared.nodes = nodes,
		.shared.nodes_count = 3,
		.key_file = "web.key",
		.old_key_file = "old.key",
	};
	stage_set(&s, 2);
	for (unsigned i = 0; i < 2; i++) {
		s.setups[i].events_max = EVENTS_MAX;
		s.setups[i].guarantee = guarantee;
		s.setups[i].timing.lease = 2 * SEC;
	}
	stage_begin(&s, 5 * SEC);
	snprintf(order.reason, sizeof(order.reason), "%s", REASON);
	node_set_standby(s.nodes[0], s.now, &order);
	stage_perform(&s, 0);
	s.is_beating = false;
	stage_run(&s, 850 * MSEC);
}

/* Asks node 2 of a cluster under "component". */
static int
enter(void **state)
{
	(void)state;
	begin(GUARANTEE_COMPONENT);
	asked = 0;
	return 0;
}

/* Asks node 3, which leads under "quorum" by the votes of the two. */
static int
enter_quorum(void **state)
{
	(void)state;
	begin(GUARANTEE_QUORUM);
	asked = 1;
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	stage_strike(&s);
	return 0;
}

/* Leaves out what comes from the clock on the wall, and how many datagrams
 * there were: a number that each change of the protocol would change. */
static void
leave_out(json_t *value)
{
	static const char *const counts[] = { "sent", "received", "heartbeats",
		"resent" };
	const char *key;
	json_t *member;
	size_t i;

	json_object_del(value, "time");
	json_object_del(value, "epoch_ns");
	for (i = 0; i < 4; i++) {
		if (json_is_integer(json_object_get(value, counts[i])))
			json_object_del(value, counts[i]);
	}
	json_object_foreach(value, key, member) leave_out(member);
	json_array_foreach(value, i, member) leave_out(member);
}

static void
replace(char *text, char from, char to)
{
	while ((text = strchr(text, from)) != NULL)
		*text = to;
}

/* A new reference. */
static json_t *
ask_all(const char *line)
{
	struct control_view view = stage_view(&s, asked, &settings);
	char quoted[80];
	json_t *answer;

	snprintf(quoted, sizeof(quoted), "%s", line);
	replace(quoted, '\'', '"');
	answer = stage_ask(&view, true, quoted, &pending);
	assert_non_null(answer);
	return answer;
}

static json_t *
ask(const char *line)
{
	json_t *answer = ask_all(line);

	leave_out(answer);
	return answer;
}

/* In both, ' stands for ". */
static const struct row {
	const char *line;
	const char *golden; /* NULL: another case has it */
} rows[] = {
	{ "{'verb':'leader'}",
	    "{'term':1,'token':1,'leader':{'id':3,'name':'web3',"
	    "'address':'192.0.2.13:7420'},'self':2,'role':'follower',"
	    "'state':'follower','guarantee':'component','valid_ms':null,"
	    "'until_boot_ns':null,'age_ms':88,'agree':2,'nodes':3,"
	    "'on_standby':null}" },
	{ "{'verb':'is-leader'}",
	    "{'is_leader':false,'term':1,'token':1,'leader':3,'self':2,"
	    "'state':'follower','guarantee':'component','valid_ms':null,"
	    "'until_boot_ns':null}" },
	{ "{'verb':'status'}",
	    "{'verdict':'degraded','troubles':[{'id':null,'name':null,"
	    "'why':'one-candidate'},{'id':2,'name':'web2','why':'older-file'},"
	    "{'id':1,'name':'web1','why':'missed'}],'cluster':'web',"
	    "'guarantee':'component','algorithm':'bully','topology':'full',"
	    "'config_version':6,'config_term':0,'file_config_version':0,'proposed':null,"
	    "'term':1,'token':1,'leader':{'id':3,'name':'web3',"
	    "'address':'192.0.2.13:7420'},'role':'follower',"
	    "'state':'follower','reason':'start:3','reason_name':'web3',"
	    "'since_ms':5700.0,'lease_ms':null,'age_ms':88,'agree':2,"
	    "'reachable':2,'eligible':1,'nodes':3,'peers_up':1,'quorum':null,'tree':null,"
	    "'multicast':null,'discovery':null,'self':2,'node':{'id':2,"
	    "'name':'web2','address':'192.0.2.12:7420',"
	    "'configured_role':'candidate','priority':9,'incarnation':7,"
	    "'duplicate':false,'bypassed':false,'stopping':false,"
	    "'standby':{'reason':'it's `id` $(id) \\'$HOME\\' \\\\ *; # end',"
	    "'since_ms':850.0,'left_ms':59150.0,'until':'rejoin'},"
	    "'checks':null,'ineligible':'standby','no_carrier_on':null,"
	    "'removed_by':null,'damped':false,'damped_ms':null,"
	    "'state_file':'sound','has_vote':null},'version':'0',"
	    "'uptime_ms':5850.0,'peers':[{'id':1,'name':'web1',"
	    "'address':'192.0.2.11:7420','configured_role':'candidate',"
	    "'priority':10,'up':false,'evidence':'missed','since_ms':177.42,"
	    "'heard_ms':850.0,'rtt_ms':null,'neighbour':true,'tree':null,"
	    "'session':false,'duplicate':false,'differs':false,"
	    "'other_version':false,'multicast':false,'behind':false,"
	    "'older_file':false,'other_key':false,'unresolved':false,"
	    "'found_at':null,'incarnation':1,'is_voter':null,'votes':null,"
	    "'eligible':null,'standby':null,'damped':false,'version':null,'term':0,"
	    "'leader':null},{'id':3,'name':'web3','address':'192.0.2.13:7420',"
	    "'configured_role':'candidate','priority':8,'up':true,"
	    "'evidence':null,'since_ms':5850.0,'heard_ms':88.462,'rtt_ms':0.0,"
	    "'neighbour':true,'tree':null,'session':true,'duplicate':false,"
	    "'differs':false,'other_version':false,'multicast':false,"
	    "'behind':false,'older_file':false,'other_key':false,"
	    "'unresolved':false,'found_at':null,'incarnation':7,"
	    "'is_voter':null,'votes':null,'eligible':true,'standby':null,"
	    "'damped':false,'version':null,'term':1,'leader':3}]}" },
	{ "{'verb':'peers'}", NULL }, /* as in "status" */
	{ "{'verb':'members'}",
	    "{'config_version':6,'file_config_version':0,'self':2,'members':[{'id':1,"
	    "'name':'web1','address':'192.0.2.11:7420',"
	    "'configured_role':'candidate','priority':10},{'id':2,"
	    "'name':'web2','address':'192.0.2.12:7420',"
	    "'configured_role':'candidate','priority':9},{'id':3,"
	    "'name':'web3','address':'192.0.2.13:7420',"
	    "'configured_role':'candidate','priority':8}]}" },
	{ "{'verb':'stats'}",
	    "{'uptime_ms':5850.0,'elections':1,'changes':1,'suspicions':1,"
	    "'stalls':0,'messages':{'ELECTION':0,'OK':0,'COORDINATOR':0},"
	    "'term_messages':{'term':1,'self':{'ELECTION':0,'OK':0,"
	    "'COORDINATOR':0}},'dropped':{'short':0,'foreign':0,'cluster':0,"
	    "'same-id':0,'unknown':0,'address':0,'key':0,'session':0,"
	    "'replay':0,'seal':0,'rate':0,'format':0,'incarnation':0,"
	    "'late':0},'control':{'clients':0,'refused':0,'cut_off':0,"
	    "'requests':0,'errors':0}}" },
	{ "{'verb':'names'}", "{'1':'web1','2':'web2','3':'web3'}" },
	{ "{'verb':'key'}",
	    "{'agree':true,'may_drop':false,'may_swap':false,"
	    "'keys':[{'file':'web.key','sha256':'aa','sends':true},"
	    "{'file':'old.key','sha256':'bb','sends':false}],'peers':[{'id':1,"
	    "'name':'web1','up':false,'neighbour':true,'sends':null,"
	    "'accepts':null,'can_link':null},{'id':3,'name':'web3','up':true,"
	    "'neighbour':true,'sends':'first','accepts':'none',"
	    "'can_link':true}]}" },
	{ "{'verb':'version'}", "{'protocol':3,'version':'0'}" },
	{ "{'verb':'explain'}",
	    "{'term':1,'self':2,'algorithm':'bully','topology':'full',"
	    "'reason':'start:3','starter':false,'restarts':0,'links':2,"
	    "'leader':3,'winner':{'id':3,'name':'web3','eligible':true,"
	    "'contender':true,'priority':0},'ms':0.0,"
	    "'phases':[{'phase':'decided','ms':0.0}],'sent':{'ELECTION':0,"
	    "'OK':0,'COORDINATOR':0},'received':{'ELECTION':0,'OK':0,"
	    "'COORDINATOR':1},'evidence':null,'nodes':3,'names':{'2':'web2',"
	    "'3':'web3'}}" },
	{ "{'verb':'history'}",
	    "{'id':2,'name':'web2','cluster':'web','algorithm':'bully',"
	    "'topology':'full','kinds':['ELECTION','OK','COORDINATOR'],"
	    "'incarnation':7,'clock':'ns','first':1,'last':3,'next':null,"
	    "'events':[{'number':1,'at':1000150000000,'kind':'taken','term':1,"
	    "'peer':3,'session':217118062666261,'sequence':1,"
	    "'message':'COORDINATOR','rank':3,'origin':null,'phase':0},"
	    "{'number':2,'at':1000150000000,'kind':'decided','term':1,"
	    "'leader':3,'reason':'start:3'},{'number':3,'at':1000150000000,"
	    "'kind':'leader','term':1,'leader':3,'reason':'start:3'}]}" },
	{ "{'verb':'watch'}",
	    "{'event':'state','term':1,'token':1,'leader':3,'previous':null,"
	    "'self':2,'reason':'start:3','reason_name':'web3',"
	    "'hands_over':false,'mono_ns':1005850000000}" },
	{ "{'verb':'wait'}",
	    "{'term':1,'token':1,'leader':{'id':3,'name':'web3',"
	    "'address':'192.0.2.13:7420'},'self':2,'role':'follower',"
	    "'state':'follower','guarantee':'component','valid_ms':null,"
	    "'until_boot_ns':null,'age_ms':88,'agree':2,'nodes':3,"
	    "'on_standby':null}" },
	{ "{'verb':'elect'}", "{'ok':true,'term':2}" },
};

/* What is told otherwise under "quorum". */
static const struct row quorum_rows[] = {
	{ "{'verb':'is-leader','deadline':true}",
	    "{'is_leader':true,'term':1,'token':1,'leader':3,'self':3,"
	    "'state':'leader','guarantee':'quorum','valid_ms':1347,"
	    "'until_boot_ns':1007197901388}" },
	{ "{'verb':'leader','deadline':true}",
	    "{'term':1,'token':1,'leader':{'id':3,'name':'web3',"
	    "'address':'192.0.2.13:7420'},'self':3,'role':'leader',"
	    "'state':'leader','guarantee':'quorum','valid_ms':1347,"
	    "'until_boot_ns':1007197901388,'age_ms':0,'agree':2,'nodes':3,"
	    "'on_standby':null}" },
	{ "{'verb':'status'}",
	    "{'verdict':'degraded','troubles':[{'id':null,'name':null,"
	    "'why':'one-candidate'},{'id':null,'name':null,'why':'no-spare'},"
	    "{'id':3,'name':'web3','why':'older-file'},{'id':1,'name':'web1',"
	    "'why':'missed'}],'cluster':'web','guarantee':'quorum',"
	    "'algorithm':'bully','topology':'full','config_version':6,'config_term':0,"
	    "'file_config_version':0,'proposed':null,'term':1,'token':1,"
	    "'leader':{'id':3,'name':'web3','address':'192.0.2.13:7420'},"
	    "'role':'leader','state':'leader','reason':'start:3',"
	    "'reason_name':'web3','since_ms':3849.345,'lease_ms':1347.901,"
	    "'age_ms':0,'agree':2,'reachable':2,'eligible':1,'nodes':3,'peers_up':1,"
	    "'quorum':{'voters':3,'quorum':2,'votes':2,'missing':[{'id':1,"
	    "'name':'web1','why':'missed'}]},'tree':null,'multicast':null,"
	    "'discovery':null,'self':3,'node':{'id':3,'name':'web3',"
	    "'address':'192.0.2.13:7420','configured_role':'candidate',"
	    "'priority':8,'incarnation':7,'duplicate':false,'bypassed':false,"
	    "'stopping':false,'standby':null,'checks':null,'ineligible':null,"
	    "'no_carrier_on':null,'removed_by':null,'damped':false,"
	    "'damped_ms':null,'state_file':'sound','has_vote':true},"
	    "'version':'0','uptime_ms':5850.0,'peers':[{'id':1,'name':'web1',"
	    "'address':'192.0.2.11:7420','configured_role':'candidate',"
	    "'priority':10,'up':false,'evidence':'missed','since_ms':540.0,"
	    "'heard_ms':850.0,'rtt_ms':null,'neighbour':true,'tree':null,"
	    "'session':false,'duplicate':false,'differs':false,"
	    "'other_version':false,'multicast':false,'behind':false,"
	    "'older_file':false,'other_key':false,'unresolved':false,"
	    "'found_at':null,'incarnation':1,'is_voter':true,'votes':false,"
	    "'eligible':null,'standby':null,'damped':false,'version':null,'term':0,"
	    "'leader':null},{'id':2,'name':'web2','address':'192.0.2.12:7420',"
	    "'configured_role':'candidate','priority':9,'up':true,"
	    "'evidence':null,'since_ms':5850.0,'heard_ms':88.462,'rtt_ms':0.0,"
	    "'neighbour':true,'tree':null,'session':true,'duplicate':false,"
	    "'differs':false,'other_version':false,'multicast':false,"
	    "'behind':false,'older_file':false,'other_key':false,"
	    "'unresolved':false,'found_at':null,'incarnation':7,"
	    "'is_voter':true,'votes':true,'eligible':false,"
	    "'standby':{'reason':'it's `id` $(id) \\'$HOME\\' \\\\ *; # end',"
	    "'since_ms':761.0,'left_ms':59239.0,'until':null},"
	    "'damped':false,'version':null,'term':1,'leader':3}]}" },
	{ "{'verb':'watch','deadlines':true}",
	    "{'event':'state','term':1,'token':1,'leader':3,'previous':null,"
	    "'self':3,'reason':'start:3','reason_name':'web3',"
	    "'hands_over':false,'mono_ns':1005850000000}" },
};

static void
assert_answers(const struct row *row, size_t count)
{
	for (; count > 0; row++, count--) {
		json_t *answer = ask(row->line);
		char *text =
		    json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(15));

		assert_non_null(text);
		replace(text, '"', '\'');
		if (row->golden != NULL && strcmp(text, row->golden) != 0)
			fail_msg("%s\n%s", row->line, text);
		free(text);
		json_decref(answer);
	}
}

#define CASE(name)   TEST(name, enter, leave)
#define QUORUM(name) TEST(name, enter_quorum, leave)

CASE(each_verb_answers_with_these_values)
{
	assert_answers(rows, sizeof(rows) / sizeof(rows[0]));
}

QUORUM(leader_by_a_quorum_answers_with_these_values)
{
	assert_answers(
	    quorum_rows, sizeof(quorum_rows) / sizeof(quorum_rows[0]));
}

CASE(peers_are_those_of_status)
{
	json_t *peers = ask("{'verb':'peers'}");
	json_t *status = ask("{'verb':'status'}");

	assert_true(json_equal(peers, json_object_get(status, "peers")));
	json_decref(peers);
	json_decref(status);
}

static void
assert_count(const json_t *answer, const char *key, uint64_t count)
{
	assert_int_equal(
	    json_integer_value(json_object_get(answer, key)), count);
}

/* The leader has won a later term, which is not its token. */
QUORUM(leader_of_a_later_term_tells_its_token)
{
	static const char *const lines[] = { "{'verb':'leader'}",
		"{'verb':'is-leader'}", "{'verb':'status'}", "{'verb':'watch'}",
		NULL };
	struct control_view view = stage_view(&s, asked, &settings);
	nsec_t sent = 0;

	json_decref(ask("{'verb':'elect'}"));
	stage_run(&s, 1 * SEC);
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		json_t *answer = lines[i] != NULL
				     ? ask(lines[i])
				     : answer_deadline(&view, false, &sent);

		assert_count(answer, "term", 2);
		assert_count(answer, "token", 1);
		json_decref(answer);
	}
}

CASE(datagrams_are_counted_as_the_node_counts_them)
{
	const struct node_counters *counters = node_counters(s.nodes[0]);
	json_t *stats = ask_all("{'verb':'stats'}");
	json_t *peers = ask_all("{'verb':'peers'}");

	assert_count(stats, "sent", counters->sent);
	assert_count(stats, "received", counters->received);
	assert_count(stats, "heartbeats", counters->heartbeats);
	assert_count(stats, "resent", counters->resent);
	assert_int_not_equal(counters->resent, counters->heartbeats);
	for (unsigned i = 0; i < 2; i++) {
		struct peer_status peer = node_peer_status(s.nodes[0], i);
		const json_t *row = json_array_get(peers, i);

		assert_int_not_equal(peer.sent, peer.received);
		assert_count(row, "id", peer.id);
		assert_count(row, "sent", peer.sent);
		assert_count(row, "received", peer.received);
		assert_count(row, "resent", peer.resent);
	}
	json_decref(stats);
	json_decref(peers);
}

/* What a shell is to have of one value. */
static void
add_pair(const char *name, const char *suffix, const json_t *value)
{
	struct pair *pair = &pairs[pairs_count++];

	assert_true(pairs_count <= PAIRS_MAX);
	snprintf(pair->name, KEY_MAX, "%s%s", name, suffix);
	if (json_is_string(value))
		snprintf(
		    pair->value, VALUE_MAX, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(pair->value, VALUE_MAX, "%lld",
		    (long long)json_integer_value(value));
	else if (json_is_real(value))
		snprintf(
		    pair->value, VALUE_MAX, "%.15g", json_real_value(value));
	else if (json_is_boolean(value))
		snprintf(pair->value, VALUE_MAX, "%s",
		    json_is_true(value) ? "true" : "false");
	else
		pair->value[0] = '\0';
}

static void add_pairs(const char *name, json_t *value);

static void
add_member(const char *name, const char *key, json_t *value)
{
	char joined[KEY_MAX];

	snprintf(joined, sizeof(joined), "%s%s%s", name,
	    name[0] == '\0' ? "" : "_", key);
	for (char *at = joined; *at != '\0'; at++)
		*at = isalnum((unsigned char)*at) ? *at : '_';
	add_pairs(joined, value);
}

static void
add_pairs(const char *name, json_t *value)
{
	const char *key;
	json_t *member, *count;
	char number[24];
	size_t i;

	if (json_is_array(value)) {
		count = json_integer((json_int_t)json_array_size(value));
		add_pair(name, "_count", count);
		json_decref(count);
	} else if (!json_is_object(value)) {
		add_pair(name, "", value);
	}
	json_object_foreach(value, key, member) add_member(name, key, member);
	json_array_foreach(value, i, member)
	{
		snprintf(number, sizeof(number), "%zu", i);
		add_member(name, number, member);
	}
}

/* Has sh evaluate the text, and print the pairs as it has them then. */
static void
assert_shell_has(const char *printed)
{
	char *text = strdup(printed);
	const char *said;
	FILE *sh;
	int status;

	assert_non_null(text);
	capture_stdout();
	sh = popen("exec sh", "w");
	assert_non_null(sh);
	fprintf(sh, "set -eu\n%s", text);
	for (unsigned i = 0; i < pairs_count; i++)
		fprintf(sh, "printf '%%s\\n' \"$%s\"\n", pairs[i].name);
	status = pclose(sh);
	said = captured();
	if (status != 0)
		fail_msg("sh exits %d: %s\n%s", status, said, text);
	for (unsigned i = 0; i < pairs_count; i++) {
		size_t size = strcspn(said, "\n");

		if (size != strlen(pairs[i].value) ||
		    strncmp(said, pairs[i].value, size) != 0)
			fail_msg("%s is not '%s': %s\n%s", pairs[i].name,
			    pairs[i].value, said, text);
		said += size + (said[size] == '\n');
	}
	assert_string_equal(said, "");
	free(text);
}

static void
assert_pairs(json_t *answer, const char *between)
{
	pairs_count = 0;
	add_pairs("", answer);
	capture_stdout();
	print_kv(answer, between);
	assert_shell_has(captured());
}

static void
assert_shell_has_all(const struct row *row, size_t count)
{
	for (; count > 0; row++, count--) {
		json_t *answer = ask(row->line), *element;
		size_t j;

		/* The keys of `names` are ids; electctl has no such verb. */
		if (json_object_get(answer, "1") == NULL &&
		    !json_is_array(answer))
			assert_pairs(answer, "\n");
		json_array_foreach(answer, j, element)
		    assert_pairs(element, " ");
		json_decref(answer);
	}
}

CASE(shell_has_the_values_of_each_answer)
{
	assert_shell_has_all(rows, sizeof(rows) / sizeof(rows[0]));
}

QUORUM(shell_has_the_values_of_a_leader_by_a_quorum)
{
	assert_shell_has_all(
	    quorum_rows, sizeof(quorum_rows) / sizeof(quorum_rows[0]));
}

static void
expect_pair(const char *name, const char *value)
{
	struct pair *pair = &pairs[pairs_count++];

	snprintf(pair->name, KEY_MAX, "%s", name);
	snprintf(pair->value, VALUE_MAX, "%s", value);
}

/* With a leader and without one the names are the same. */
CASE(shell_has_the_id_and_the_name_of_the_leader)
{
	json_t *answer = ask("{'verb':'leader'}");

	for (unsigned led = 2; led-- > 0;) {
		pairs_count = 0;
		expect_pair("leader", led ? "3" : "");
		expect_pair("leader_id", led ? "3" : "");
		expect_pair("leader_name", led ? "web3" : "");
		expect_pair("leader_address", led ? "192.0.2.13:7420" : "");
		expect_pair("role", "follower");
		capture_stdout();
		print_kv_leader(answer);
		assert_shell_has(captured());
		json_object_set_new(answer, "leader", json_null());
	}
	json_decref(answer);
}

/* What would control a terminal, or end the line, is a question mark. */
CASE(shell_runs_nothing_that_is_in_a_value)
{
	static const struct {
		const char *said;
		const char *heard;
	} texts[] = {
		{ REASON, REASON },
		{ "a\nexit 1\n", "a?exit 1?" },
		{ "\033[2J", "?[2J" },
		{ "'", "'" },
		{ "''", "''" },
		{ "'; exit 1; '", "'; exit 1; '" },
		{ "$(exit 1)", "$(exit 1)" },
		{ "`exit 1`", "`exit 1`" },
		{ "-n", "-n" },
		{ "", "" },
		{ "~", "~" },
		{ "a=b", "a=b" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *answer =
		    json_pack("{s:s}", "web-1.name", texts[i].said);

		pairs_count = 0;
		expect_pair("web_1_name", texts[i].heard);
		capture_stdout();
		print_kv(answer, "\n");
		assert_shell_has(captured());
		json_decref(answer);
	}
}
