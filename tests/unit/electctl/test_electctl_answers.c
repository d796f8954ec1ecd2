/* SPDX-License-Identifier: ISC */
/* What electctl prints of an answer, and its exit status, verb by verb. */

#include "tests/unit/group.h"

#include "daemon/electctl/electctl.h"
#include "tests/lib/capture.h"

#define EVENT(name, rest)                                                      \
	"{\"time\":\"T\",\"event\":\"" name "\",\"term\":7,"                   \
	"\"names\":{\"1\":\"web1\",\"2\":\"web2\"}," rest "}"
#define WEB1   "\"leader\":{\"id\":1,\"name\":\"web1\",\"address\":\"h:1\"}"
#define NOBODY "\"leader\":null"
#define EXPLAIN                                                                \
	"\"term\":7,\"algorithm\":\"bully\",\"reason\":\"died:2\",\"self\":1,\"leader\":1,\"names\":{\"1\":\"web1\",\"2\":\"web2\"},\"links\":1,\"sent\":{},\"received\":{\"OK\":2}"

static const struct {
	const char *verb;
	const char *answer;
	const char *printed;
	enum control_code code;
} texts[] = {
	{ "leader", "{" WEB1 ",\"state\":\"follower\"}", "web1\n", CODE_YES },
	{ "leader", "{" NOBODY ",\"state\":\"no-quorum\"}",
	    "electctl: no leader: no quorum; `electctl status` names the missing voters\n",
	    CODE_NO_QUORUM },
	{ "leader", "{" NOBODY ",\"state\":\"starting\"}",
	    "electctl: not known yet: this node has just started; --wait waits for a leader\n",
	    CODE_STARTING },
	{ "leader", "{" NOBODY ",\"state\":\"electing\"}",
	    "electctl: no leader: an election runs\n", CODE_NO },
	{ "leader", "{" NOBODY ",\"state\":\"no-leader\",\"on_standby\":2}",
	    "electctl: no leader: no node is eligible, 2 on standby; `electctl status` names them\n",
	    CODE_NO },
	{ "leader", "{" NOBODY ",\"state\":\"no-leader\"}",
	    "electctl: no leader: no node is eligible; `electctl status` has more\n",
	    CODE_NO },
	{ "is-leader", "{\"is_leader\":true}", "yes\n", CODE_YES },
	{ "is-leader", "{\"is_leader\":false,\"state\":\"follower\"}", "no\n",
	    CODE_NO },
	{ "elect", "{\"term\":8}", "election started, term 8\n", CODE_YES },
	{ "elect",
	    "{\"error\":\"no\",\"code\":6,\"details\":[\"one\",\"tw\\u001bo\"]}",
	    "electctl: no\nelectctl:   one\nelectctl:   tw?o\n", CODE_REFUSED },
	{ "elect", "{\"error\":\"no\",\"code\":77}", "electctl: no\n",
	    CODE_UNKNOWN },
	{ "elect", "nonsense", "electctl: the daemon's answer is not JSON\n",
	    CODE_UNKNOWN },
	{ "standby", "{" WEB1 "}", "this node is on standby; web1 leads\n",
	    CODE_YES },
	{ "standby", "{" NOBODY "}", "this node is on standby; no node leads\n",
	    CODE_NO },
	{ "rejoin", "{\"standby\":{\"reason\":\"check db: exited 1\"}}",
	    "this node stays on standby: check db: exited 1\n", CODE_YES },
	{ "rejoin", "{\"standby\":null,\"abstained\":true}",
	    "this node stands for election again\n", CODE_YES },
	{ "rejoin", "{\"standby\":null,\"abstained\":false}",
	    "this node did not abstain\n", CODE_YES },
	{ "reload", "{\"changed\":[]}",
	    "the file and its keys are already in effect\n", CODE_YES },
	{ "reload", "{\"changed\":[\"a\",\"b\"]}", "changed: a\nchanged: b\n",
	    CODE_YES },
	{ "reload", "{\"changed\":[\"a\"],\"proposed\":true,\"leader\":1}",
	    "the leader is to put this into effect, for all nodes\nproposed: a\n",
	    CODE_YES },
	{ "reload",
	    "{\"changed\":[],\"proposed\":true,\"older\":true,\"leader\":null}",
	    "the file is older than the settings of the cluster, which stay in effect\n"
	    "there is no leader now: this waits for one, which is to put it into effect, for all nodes\n",
	    CODE_YES },
	{ "stats",
	    "{\"uptime_ms\":7860000,\"sent\":5,\"dropped\":{\"late\":0,\"own\":2},"
	    "\"term_messages\":{\"term\":7,\"self\":{}}}",
	    "up                       2h11m\n"
	    "sent                     5\n"
	    "dropped own              2\n"
	    "term 7, this node        nothing\n",
	    CODE_YES },
	{ "explain",
	    "{" EXPLAIN
	    ",\"winner\":{\"id\":1},\"starter\":true,\"ms\":0,\"phases\":[{\"phase\":\"won\",\"ms\":0}]}",
	    "Term 7: web1 won, elected by bully.\n"
	    "Why: the process of web2, the leader, had died (died:web2).\n"
	    "This node began it, with 1 link.\n"
	    "It decided at once.\n"
	    "It sent nothing and received 2 OK.\n",
	    CODE_YES },
	{ "explain",
	    "{" EXPLAIN
	    ",\"winner\":null,\"links\":2,\"restarts\":1,\"evidence\":\"missed\",\"nodes\":3,"
	    "\"phases\":[{\"phase\":\"ask\",\"ms\":1.5},{\"phase\":\"wait\",\"ms\":1500}]}",
	    "Term 7: bully has not come to a decision at this node.\n"
	    "Why: the process of web2, the leader, had died (died:web2);\n"
	    "         its link to this node is down (missed).\n"
	    "This node joined it, with 2 links; 1 election before it came to no decision.\n"
	    "Its phases: ask from 1.5 ms, wait at 1.5 s.\n"
	    "It sent nothing and received 2 OK.\n",
	    CODE_YES },
	{ "snapshot",
	    "{\"consistent\":true,\"sound\":true,\"markers\":2,\"ms\":3.25,\"leader\":2,\"nodes\":["
	    "{\"id\":1,\"name\":\"web1\",\"state\":\"follower\",\"term\":7,\"leader\":2,\"events\":12},"
	    "{\"id\":2,\"name\":\"a\",\"state\":\"leader\",\"term\":7,\"leader\":2,\"events\":9}],"
	    "\"channels\":[{\"from\":1,\"to\":2,\"messages\":[{\"message\":\"OK\",\"term\":6}]}]}",
	    "consistent, 2 nodes, 2 markers, 3.2 ms; all follow a\n"
	    "ID  NODE  STATE     TERM  LEADER  EVENTS\n"
	    "1   web1  follower  7     a       12\n"
	    "2   a     leader    7     a       9\n"
	    "in transit: OK from web1 to a in term 6\n",
	    CODE_YES },
	{ "snapshot",
	    "{\"consistent\":false,\"fault\":\"two lead\",\"markers\":0,\"ms\":1,\"leader\":null,\"nodes\":[]}",
	    "INCONSISTENT, 0 nodes, 0 markers, 1.0 ms; they follow no leader, or several\n"
	    "WRONG: two lead\n"
	    "ID  NODE  STATE  TERM  LEADER  EVENTS\n"
	    "in transit: nothing\n",
	    CODE_NO },
	{ "watch", EVENT("state", "\"leader\":1"),
	    "T state: web1 leads, term 7\n", CODE_YES },
	{ "watch", EVENT("state", NOBODY), "T state: no leader\n", CODE_YES },
	{ "watch",
	    EVENT(
		"leader", "\"leader\":1,\"previous\":2,\"reason\":\"died:2\""),
	    "T leader: web1 (was web2), term 7, died:web2\n", CODE_YES },
	{ "watch",
	    EVENT("leader",
		"\"leader\":1,\"previous\":1,\"reason\":\"forced:3\",\"reason_name\":\"web3\""),
	    "T leader: web1 again, term 7, forced:web3\n", CODE_YES },
	{ "watch",
	    EVENT("leader",
		"\"leader\":1,\"previous\":null,\"reason\":\"start\""),
	    "T leader: web1, term 7, start\n", CODE_YES },
	{ "watch",
	    EVENT(
		"no-leader", NOBODY ",\"previous\":2,\"reason\":\"quorum:9\""),
	    "T no-leader: was web2, term 7, quorum:node 9\n", CODE_YES },
	{ "watch",
	    EVENT("no-leader",
		NOBODY ",\"previous\":null,\"reason\":\"quorum:1\""),
	    "T no-leader: term 7, quorum:web1\n", CODE_YES },
	{ "watch", EVENT("deadline", "\"leader\":1,\"valid_ms\":61000"),
	    "T deadline: web1 leads for 1m1s more, term 7\n", CODE_YES },
	{ "watch",
	    EVENT("elected", "\"leader\":1,\"ms\":2,\"messages\":{\"OK\":1}"),
	    "T elected: web1, term 7; this node sent 1 message in 2.0 ms\n",
	    CODE_YES },
	{ "watch", EVENT("elected", NOBODY ",\"ms\":2,\"messages\":{\"OK\":0}"),
	    "T elected: no node, term 7\n", CODE_YES },
	{ "watch", EVENT("peer-down", "\"peer\":2,\"evidence\":\"missed\""),
	    "T peer-down: web2, missed\n", CODE_YES },
	{ "watch", EVENT("duplicate", "\"peer\":3,\"on\":false"),
	    "T duplicate: node 3, ends\n", CODE_YES },
	{ "watch",
	    EVENT(
		"quorum", "\"on\":false,\"votes\":1,\"voters\":3,\"quorum\":2"),
	    "T quorum: lost, 1 of 3 voters heard, 2 needed\n", CODE_YES },
	{ "watch", EVENT("memory", "\"state_file\":\"lost\""),
	    "T memory: lost: this node neither votes nor stands for election\n",
	    CODE_YES },
	{ "watch", EVENT("outside", "\"on\":false"),
	    "T outside: the settings of the other nodes name this node\n",
	    CODE_YES },
	{ "watch",
	    EVENT("standby",
		"\"node\":2,\"on\":true,\"standby_reason\":\"kernel\""),
	    "T standby: web2 is on standby: kernel\n", CODE_YES },
	{ "watch",
	    EVENT("standby", "\"node\":2,\"on\":false,\"standby_reason\":null"),
	    "T standby: web2 is on standby no more\n", CODE_YES },
	{ "watch", EVENT("handover", "\"on\":true"), "T handover: begins\n",
	    CODE_YES },
	{ "watch", EVENT("of-the-future", "\"on\":true"), "T of-the-future\n",
	    CODE_YES },
	{ "wait", "{" NOBODY "}", "", CODE_YES },
	{ "key", "{\"keys\":[],\"agree\":false,\"peers\":[]}",
	    "verdict  no peer has told its keys\n", CODE_NO },
};

TEST(answer_is_printed_and_judged)
{
	const struct options options = { .output = OUTPUT_TEXT };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		enum control_code code;

		capture_stdout();
		code = show(command_find(texts[i].verb), &options,
		    texts[i].answer, NULL);
		assert_string_equal(captured(), texts[i].printed);
		assert_int_equal(code, texts[i].code);
	}
}

TEST(other_forms_have_the_same_exit_status)
{
	static const struct {
		const char *verb;
		enum output output;
		uint64_t given;
		const char *printed;
	} rows[] = {
		{ "leader", OUTPUT_JSON, 0, "{" NOBODY "}\n" },
		{ "leader", OUTPUT_KV, 0,
		    "leader=\nleader_id=\nleader_name=\nleader_address=\n" },
		{ "leader", OUTPUT_TEXT, OPTION_BIT(OPTION_QUIET), "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct options options = {
			.output = rows[i].output,
			.given = rows[i].given,
		};
		enum control_code code;

		capture_stdout();
		code = show(
		    command_find(rows[i].verb), &options, "{" NOBODY "}", NULL);
		assert_string_equal(captured(), rows[i].printed);
		assert_int_equal(code, CODE_NO);
	}
}

/* What is left of a deadline, which is far away, decides. */
TEST(yes_without_the_wanted_deadline_is_no)
{
	static const struct {
		const char *answer;
		nsec_t lasts;
		enum control_code code;
	} rows[] = {
		{ "\"until_boot_ns\":9000000000000000000", 1 * SEC, CODE_YES },
		{ "\"until_boot_ns\":1", 1 * SEC, CODE_NO },
		{ "\"until_boot_ns\":null,\"guarantee\":\"quorum\"", 0,
		    CODE_DENIED },
		{ "\"until_boot_ns\":null,\"guarantee\":\"component\"", 0,
		    CODE_YES },
		{ "\"until_boot_ns\":null,\"guarantee\":\"component\"", 1 * SEC,
		    CODE_USAGE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct options options = {
			.given = OPTION_BIT(OPTION_DEADLINE),
			.lasts = rows[i].lasts,
		};
		char answer[128];
		enum control_code code;

		snprintf(answer, sizeof(answer), "{\"is_leader\":true,%s}",
		    rows[i].answer);
		capture_stdout();
		code = show(command_find("is-leader"), &options, answer, NULL);
		assert_int_equal(strstr(captured(), "yes\n") != NULL,
		    rows[i].code == CODE_YES);
		assert_int_equal(code, rows[i].code);
	}
}
