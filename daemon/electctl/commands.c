/* SPDX-License-Identifier: ISC */
/* The verbs of electctl: what each takes, and what its answers mean. */
#include "daemon/electctl/electctl.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/config/settings_value.h"
#include "daemon/system/key.h"

#define NEAR_MAX 2          /* letters that may be wrong in a verb */
#define TO_ASK   SEC        /* for what the daemon knows: a cron job waits */
#define TO_STEER (5 * SEC)  /* for what the daemon does at once */
#define TO_YIELD (60 * SEC) /* for what may wait for a lease */
#define TO_READ  (30 * SEC) /* for what may wait for a slow disk */

static enum control_code
judge_done(const json_t *answer)
{
	(void)answer;
	return CODE_YES;
}

/* The answer is no: tells apart a no for lack of a quorum. */
static enum control_code
judge_no(const json_t *answer)
{
	const char *state = json_string_value(json_object_get(answer, "state"));

	return state != NULL && strcmp(state, "no-quorum") == 0 ? CODE_NO_QUORUM
								: CODE_NO;
}

/* A node that has just started does not know yet which node leads. */
static enum control_code
judge_leader(const json_t *answer)
{
	const char *state = json_string_value(json_object_get(answer, "state"));

	if (json_is_object(json_object_get(answer, "leader")))
		return CODE_YES;
	return state != NULL && strcmp(state, "starting") == 0
		   ? CODE_STARTING
		   : judge_no(answer);
}

static enum control_code
judge_is_leader(const json_t *answer)
{
	return json_is_true(json_object_get(answer, "is_leader"))
		   ? CODE_YES
		   : judge_no(answer);
}

static enum control_code
judge_key(const json_t *answer)
{
	return json_is_true(json_object_get(answer, "agree")) ? CODE_YES
							      : CODE_NO;
}

static json_t *
take_condition(const char *word)
{
	if (strcmp(word, "leader") != 0 && strcmp(word, "no-leader") != 0 &&
	    strcmp(word, "quorum") != 0)
		return NULL;
	return json_string(word);
}

static json_t *
take_term(const char *word)
{
	long long term;
	char *end;

	errno = 0;
	term = strtoll(word, &end, 10);
	if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 ||
	    term < 1)
		return NULL;
	return json_integer(term);
}

/* The daemon checks all of it. */
static json_t *
take_text(const char *word)
{
	return json_string(word);
}

static json_t *
take_integer(const char *word)
{
	long long number;
	char *end;

	errno = 0;
	number = strtoll(word, &end, 10);
	return end != word && *end == '\0' && errno == 0 ? json_integer(number)
							 : NULL;
}

static enum control_code
run_keygen(const struct command *command, const struct options *options)
{
	char text[KEY_TEXT_MAX];

	(void)command;
	(void)options;
	key_generate(text);
	puts(text);
	return CODE_YES;
}

/* As text this needs no daemon: people want the version of electctl. */
static enum control_code
run_version(const struct command *command, const struct options *options)
{
	if (options->output != OUTPUT_TEXT)
		return run_query(command, options);
	if (!options->is_quiet)
		puts("electctl " ELECTD_VERSION);
	(void)run_query(command, options);
	return CODE_YES;
}

static const char leader_help[] =
    "  --wait  wait until there is a leader, also for the daemon; without -t\n"
    "          there is no limit\n"
    "\n"
    "Exit status: 0 there is a leader; 1 there is none, or with --wait none in\n"
    "time; 3 no daemon; 5 no leader, since there is no quorum; 9 not known yet:\n"
    "this node has just started.\n";

static const char is_leader_help[] =
    "  --deadline  with guarantee \"quorum\", make a yes a promise: no other node leads\n"
    "              before the deadline that -o json shows, and a handover waits until\n"
    "              then. So ask when you are about to act, and not to look. A leader\n"
    "              that is handing over and has no deadline left to give says no\n"
    "  --for TIME  the same, and say no, too, if the promise is for a shorter time: it\n"
    "              is for 8/11 of timing.lease at most\n"
    "\n"
    "Exit status: 0 yes; 1 no; 3 no daemon; 4 this user gets no deadline; 5 no,\n"
    "since there is no quorum.\n";

static const char watch_help[] =
    "  --limit N    end after N lines\n"
    "  --deadlines  for a program that acts as the leader (guarantee \"quorum\"):\n"
    "               while this node leads, lines say until when it certainly\n"
    "               does, each in time before the last deadline passes. A\n"
    "               failover or handover waits until the last one has passed.\n"
    "\n"
    "Other lines promise nothing. If the daemon is paused or killed, there is no\n"
    "\"no-leader\" line.\n";

static const char wait_help[] =
    "Also waits for a daemon that is not there yet, has too many clients, or\n"
    "does not answer; without -t there is no limit. If several clusters have a\n"
    "daemon on this host, choose one with --cluster.\n"
    "\n"
    "Exit status: 0 done; 1 not in time; 3 no daemon answered in time.\n";

static const char status_help[] =
    "The first line is a verdict and its reasons: OK, DEGRADED, STARTING, NO\n"
    "LEADER, OUTSIDE or SPLIT.\n"
    "\n"
    "  --check  print only that line, and exit as a monitoring plugin: 0 OK;\n"
    "           1 DEGRADED or STARTING; 2 NO LEADER, OUTSIDE, SPLIT, or no answer;\n"
    "           3 UNKNOWN, for example because --cluster is needed\n";

static const char peers_help[] =
    "  --tree  draw this node's place in the tree instead (topology \"tree\"): the\n"
    "          root, the parent, this node and its children\n";

static const char resign_help[] =
    "Run this on the leader. It keeps leading until another node does, and while\n"
    "a deadline that it gave lies ahead (guarantee \"quorum\"; up to\n"
    "timing.lease). From then on it abstains: it votes, but is not elected until\n"
    "`electctl rejoin`, until its daemon is restarted, or until no other node is\n"
    "left to lead.\n"
    "\n"
    "  --to NODE  hand over to this node, a name or an id; refused if a better\n"
    "             node would take over from it (preempt)\n"
    "\n"
    "Exit status: 0 another node leads; 1 this node does not lead; 2 there is no\n"
    "such NODE; 4 not permitted; 5 no majority to elect another leader; 6\n"
    "refused: no other node can lead, NODE cannot, or another leads in the end; 7\n"
    "the timeout (-t, 60s) was over first: the request remains in force, unless\n"
    "the daemon did not answer at all.\n";

static const char standby_help[] =
    "The node takes part and votes, but is never elected, whoever else is left:\n"
    "with all candidates on standby there is no leader. A leader hands over first,\n"
    "as with `electctl resign`, and gives up the lead if no node takes it. This\n"
    "survives restarts of the daemon and of the host, and all nodes show it, until\n"
    "`electctl rejoin`. Another `electctl standby` takes the place of the first.\n"
    "\n"
    "  --for TIME     end by itself after this time, \"30m\" or \"2h\"; over a\n"
    "                 restart the wall clock counts\n"
    "  --reason TEXT  what `status` shows on all nodes; at most 63 bytes\n"
    "  --force        even if no other node could lead\n"
    "\n"
    "Exit status: 0 it is on standby, and another node leads; 1 it is on standby,\n"
    "and no node leads; 4 not permitted; 6 no other node could lead, it could not be\n"
    "kept on the disk, or the node was told to rejoin meanwhile; 7 the timeout (-t,\n"
    "60s) was over first: the request remains in force, unless the daemon did not\n"
    "answer at all.\n";

static const char rejoin_help[] =
    "The node stands for election again, whether it was on standby or resigned. If\n"
    "it is better than the leader and `preempt` allows it, it takes over: at once,\n"
    "or (guarantee \"quorum\") when the last deadline that the leader gave has\n"
    "passed. Succeeds also if the node did neither.\n";

static const char reload_help[] =
    "The daemon reads its configuration and its keys again, checks all of it, and\n"
    "applies what has changed: names, the addresses of other nodes, keys and checks;\n"
    "and all settings that the hosts share, if `generation` is higher than before:\n"
    "then all nodes put them into effect; under the guarantee \"quorum\" the leader\n"
    "sees to that, one voter may come, go or change at a time, and this waits until\n"
    "the change is in effect here.\n"
    "Sessions, terms and the leader stay. If the files are wrong, or if a change\n"
    "needs a restart, nothing changes, and each error or setting is listed.\n"
    "  --no-wait  do not wait for the leader to put the change into effect\n"
    "  --force    add a voter, though it is not heard here\n"
    "\n"
    "Exit status: 0 all is in effect, or, with --no-wait, the leader is to see to\n"
    "that; 4 not permitted; 6 refused: a setting needs a restart, all hosts must\n"
    "agree, more than one voter changes, or a new one is not heard; 7 the timeout\n"
    "(-t, 30s) was over first: the change remains proposed; 8 the configuration is\n"
    "wrong.\n";

static const char key_help[] =
    "Shows the SHA-256 of the keys that this node sends with and accepts, and\n"
    "which of them each peer uses. The last lines say whether the next step of a\n"
    "change of keys is safe: ask on every host before it. A peer that is down\n"
    "counts as not known. No key is shown.\n"
    "\n"
    "Exit status: 0 all peers that are heard send with the key that this node\n"
    "sends with; 1 not all do; 3 no daemon.\n";

static const char members_help[] =
    "Shows the nodes of the settings in effect, and their generation. The verbs\n"
    "`members add`, `members remove` and `members replace` change them.\n";

/* What the three verbs that change a member have in common. */
static const char change_help[] =
    "Ask any node of the cluster. The change is in effect at this node when the\n"
    "verb ends, and soon at all others. Then install the settings on all hosts, as\n"
    "their files are older now: `electctl config` prints them.\n"
    "\n"
    "Exit status: 0 in effect; 2 wrong usage, or there is no such NODE; 4 not\n"
    "permitted; 6 refused; 7 the timeout (-t, 60s) was over first: the change\n"
    "comes into effect once there is a leader, and enough voters; 8 the changed\n"
    "settings would be wrong.\n";

static const char change_overdue[] =
    "not yet in effect: there is no leader, or not enough voters; it remains proposed";

static const char members_add_help[] =
    "Adds a node. ROLE is candidate (the default), voter or observer, and N the\n"
    "priority (0).\n"
    "\n"
    "  --force  add a voter, though it is not heard here (guarantee \"quorum\")\n";

static const char members_remove_help[] =
    "Removes NODE, a name or an id, which may be the leader, but not the node\n"
    "that you ask. Stop its daemon afterwards.\n";

static const char members_replace_help[] =
    "Gives NODE, a name or an id, another address: that of the host that takes\n"
    "its place. Stop its daemon first. Under the guarantee \"quorum\" move its\n"
    "state file and CLUSTER-ID.settings to the new host.\n";

static const char history_help[] =
    "Shows the events of this node's elections that it still has: each message sent\n"
    "and taken, each decision. Histories of several nodes, in files that\n"
    "-o json has written, stand side by side.\n"
    "\n"
    "  --all       of all nodes: this one fetches them; on the admin socket\n"
    "  --from N    the first event, by its number\n"
    "  --term N    only the events of this term; not with json\n"
    "  --file F    of a file instead of this node; may be given again; - is stdin\n"
    "  --format F  text; json, an object a node; svg, a space-time diagram; shiviz\n"
    "              or mermaid, for these programs; chain, the causes of the last\n"
    "              leader, one after the other\n"
    "  --svg F     write the diagram to a file, and print nothing else unless\n"
    "              --format is given\n"
    "  --at CUT    draw this cut, see `electctl cut`\n"
    "\n"
    "Exit status: 0 shown; 2 wrong usage, or a file is no history; 3 no daemon; 6\n"
    "too large for a diagram; 7 it could not be written.\n";

static const char cut_help[] =
    "A cut is the first so many events of each node: 1:17,2:9,3:22 has the events 1\n"
    "to 17 of node 1, and so on; it names each node that there is a history of. It\n"
    "is consistent if each message that was taken in it was sent in it. Prints the\n"
    "last event of each node, and each message that makes it inconsistent.\n"
    "\n"
    "  --at CUT  the cut\n"
    "  --file F  histories, as of `electctl history`; else that of this node\n"
    "  --svg F   draw it; --term N draws only the events of this term\n"
    "\n"
    "Exit status: 0 consistent; 1 inconsistent; 2 wrong usage, or a file is no\n"
    "history; 3 no daemon; 6 too large for a diagram; 7 not known: where a message\n"
    "was sent is in no history, or the diagram could not be written.\n";

static const char snapshot_help[] =
    "Shows the state of all nodes that this one reaches, and the messages that were\n"
    "in transit, at one time of the whole cluster: a consistent cut, by the markers\n"
    "of Chandy and Lamport. It checks that no two nodes lead in one term, and that\n"
    "no message is of a term that its sender has not seen.\n"
    "\n"
    "  --svg F   draw the events of all nodes in the last term, with this cut\n"
    "  --term N  draw those of this term instead\n"
    "\n"
    "Exit status: 0 all is well; 1 a check failed; 3 no daemon; 4 not permitted; 6\n"
    "this node is stopping; 7 no snapshot: the message names the node that was lost\n"
    "or did not answer.\n";

static const char observe_help[] =
    "Shows the events of all nodes that this one reaches as they happen, each after\n"
    "its causes: a message that was taken waits until its sending has come. After\n"
    "each round of news it prints the cut that has been shown, which is consistent.\n"
    "\n"
    "  --limit N    end after N events; -t TIME ends after a time\n"
    "  --svg F      at the end, draw what was shown\n"
    "\n"
    "Exit status: 0 it has ended; 3 no daemon; 4 not permitted; 7 a node was lost,\n"
    "or began anew: the message names it.\n";

static const char record_help[] =
    "Writes what this node was given in the last minutes, and what it did, to FILE\n"
    "(- is stdout); electsim replay does the same again. No key is in it, but all\n"
    "that the nodes said to each other.\n"
    "\n"
    "Exit status: 0 written; 2 wrong usage; 3 no daemon; 4 not permitted; 6 the node\n"
    "is not recorded; 7 it could not be written.\n";

static const char config_help[] =
    "Prints the settings in effect that all hosts share, as a file that electd\n"
    "reads. Add what is a host's own: id, listen, security, control, state_dir,\n"
    "realtime, record, watch_carrier, expect and checks, where they are not the\n"
    "defaults.\n";

#define CHANGE_MEMBERS                                                         \
	.more = change_help, .is_admin = true, .timeout = TO_YIELD,            \
	.late = CODE_UNKNOWN, .overdue = change_overdue, .lost = CODE_UNKNOWN, \
	.run = run_query, .print = print_changed, .judge = judge_done

static const struct command commands[] = {
	{ .name = "leader",
	    .arguments = " [--wait | --deadline]",
	    .summary = "print the leader's name",
	    .details = leader_help,
	    .takes_wait = true,
	    .takes_deadline = true,
	    .example = "ssh \"$(electctl leader)\"",
	    .describes_leader = true,
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_leader,
	    .judge = judge_leader },
	{ .name = "is-leader",
	    .arguments = " [--deadline] [--for TIME]",
	    .summary = "exit 0 if this host leads, 1 or 5 if it does not",
	    .details = is_leader_help,
	    .example = "electctl -q is-leader && /usr/local/bin/nightly-job",
	    .takes_deadline = true,
	    .takes_for = true,
	    .judges_for = true,
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_is_leader,
	    .judge = judge_is_leader },
	{ .name = "status",
	    .arguments = " [--check]",
	    .summary = "show the cluster as this node sees it",
	    .details = status_help,
	    .example = "electctl status --check",
	    .takes_check = true,
	    .describes_leader = true,
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_status,
	    .print = print_status,
	    .judge = judge_done },
	{ .name = "peers",
	    .arguments = " [--tree]",
	    .details = peers_help,
	    .takes_tree = true,
	    .summary = "show the other nodes and the links to them",
	    .example = "electctl peers --tree",
	    .shown_of = "status",
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_peers,
	    .judge = judge_done },
	{ .name = "members",
	    .arguments = "",
	    .summary = "show the configured nodes, or change them",
	    .details = members_help,
	    .example = "electctl members",
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_members,
	    .judge = judge_done },
	{ .name = "config",
	    .arguments = "",
	    .summary = "print the settings in effect, as a file",
	    .details = config_help,
	    .example = "electctl config >/etc/electd/web.conf",
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_config,
	    .judge = judge_done },
	{ .name = "watch",
	    .arguments = " [--limit N] [--deadlines]",
	    .details = watch_help,
	    .summary = "print the present state, then every event",
	    .example = "electctl -o json watch --limit 10",
	    .takes_limit = true,
	    .takes_deadlines = true,
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_watch,
	    .print = print_event,
	    .judge = judge_done },
	{ .name = "wait",
	    .arguments = " [leader|no-leader|quorum]",
	    .summary = "wait for a leader, for none, or for a quorum",
	    .details = wait_help,
	    .example = "electctl -t 60s wait leader",
	    .parameters = { { .key = "for",
		.wanted = "\"leader\", \"no-leader\" or \"quorum\"",
		.take = take_condition,
		.is_optional = true } },
	    .timeout = NSEC_NEVER,
	    .late = CODE_NO,
	    .describes_leader = true,
	    .run = run_wait,
	    .print = print_wait,
	    .judge = judge_done },
	{ .name = "run",
	    .arguments =
		" [--stop-time TIME] [--margin TIME] [--once] [--even-if-two] COMMAND...",
	    .summary = "run a command while this host leads",
	    .details = run_help,
	    .example = "electctl run -- /usr/local/bin/scheduler --foreground",
	    .takes_command = true,
	    .run = run_command },
	{ .name = "follow",
	    .arguments = " [--stop-time TIME] --exec COMMAND...",
	    .summary = "run a command at every change of who leads",
	    .details = follow_help,
	    .example = "electctl follow --exec /etc/electd/changed",
	    .takes_command = true,
	    .takes_exec = true,
	    .run = run_follow },
	{ .name = "checks",
	    .arguments = "",
	    .summary = "run the checks of this host's services",
	    .details = checks_help,
	    .example = "electctl checks",
	    .run = run_checks },
	{ .name = "explain",
	    .arguments = " [TERM]",
	    .summary = "explain why the last election began, and how it went",
	    .example = "electctl explain 7",
	    .parameters = { { .key = "term",
		.wanted = "a term, a number from 1",
		.take = take_term,
		.is_optional = true } },
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_explain,
	    .judge = judge_done },
	{ .name = "history",
	    .arguments =
		" [--all] [--from N] [--term N] [--file FILE]...\n"
		"                   [--format F] [--svg FILE] [--at CUT]",
	    .summary = "show the events of elections, or draw them",
	    .details = history_help,
	    .example = "electctl history --term 7 --svg term7.svg",
	    .takes_history = true,
	    .takes_format = true,
	    .takes_all = true,
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_history },
	{ .name = "cut",
	    .arguments = " --at CUT [--file FILE]... [--svg FILE]",
	    .summary = "say whether a cut of histories is consistent",
	    .details = cut_help,
	    .example = "electctl cut --at 1:17,2:9,3:22 --file run.json",
	    .takes_history = true,
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_cut },
	{ .name = "snapshot",
	    .arguments = " [--svg FILE] [--term N]",
	    .summary = "show the whole cluster at one time",
	    .details = snapshot_help,
	    .example = "electctl snapshot --svg now.svg",
	    .is_admin = true,
	    .takes_svg = true,
	    .takes_term = true,
	    .timeout = TO_YIELD,
	    .late = CODE_UNKNOWN,
	    .lost = CODE_UNKNOWN,
	    .run = run_snapshot,
	    .print = print_snapshot,
	    .judge = judge_snapshot },
	{ .name = "observe",
	    .arguments = " [--limit N] [--svg FILE]",
	    .summary = "show the events of all nodes as they happen",
	    .details = observe_help,
	    .example = "electctl -t 1m observe",
	    .is_admin = true,
	    .takes_limit = true,
	    .takes_svg = true,
	    .timeout = TO_YIELD,
	    .late = CODE_UNKNOWN,
	    .lost = CODE_UNKNOWN,
	    .run = run_observe },
	{ .name = "record",
	    .arguments = " --dump FILE",
	    .summary = "write what this node did, to be replayed",
	    .details = record_help,
	    .example = "electctl record --dump web1.tape",
	    .is_admin = true,
	    .takes_dump = true,
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_record },
	{ .name = "elect",
	    .arguments = "",
	    .summary = "start an election",
	    .example = "electctl elect",
	    .is_admin = true,
	    .timeout = TO_STEER,
	    .late = CODE_UNKNOWN,
	    .lost = CODE_UNKNOWN,
	    .run = run_query,
	    .print = print_elect,
	    .judge = judge_done },
	{ .name = "resign",
	    .arguments = " [--to NODE]",
	    .summary = "hand over to another node, and print its name",
	    .details = resign_help,
	    .example = "electctl resign --to web2",
	    .is_admin = true,
	    .takes_to = true,
	    .describes_leader = true,
	    .timeout = TO_YIELD,
	    .late = CODE_UNKNOWN,
	    .overdue = "no other node leads yet, but may soon",
	    .lost = CODE_UNKNOWN,
	    .run = run_query,
	    .print = print_leader,
	    .judge = judge_done },
	{ .name = "standby",
	    .arguments = " [--for TIME] [--reason TEXT] [--force]",
	    .summary = "set this node aside: it votes, but never leads",
	    .details = standby_help,
	    .example = "electctl standby --for 2h --reason 'kernel upgrade'",
	    .is_admin = true,
	    .takes_for = true,
	    .takes_reason = true,
	    .takes_force = true,
	    .describes_leader = true,
	    .timeout = TO_YIELD,
	    .late = CODE_UNKNOWN,
	    .overdue = "this node leads yet, but may soon be on standby",
	    .lost = CODE_UNKNOWN,
	    .run = run_query,
	    .print = print_standby,
	    .judge = judge_leader },
	{ .name = "rejoin",
	    .arguments = "",
	    .summary = "let this node lead again",
	    .details = rejoin_help,
	    .example = "electctl rejoin",
	    .is_admin = true,
	    .timeout = TO_STEER,
	    .late = CODE_UNKNOWN,
	    .lost = CODE_UNKNOWN,
	    .run = run_query,
	    .print = print_rejoin,
	    .judge = judge_done },
	{ .name = "reload",
	    .arguments = " [--no-wait] [--force]",
	    .summary = "read the configuration and the keys again",
	    .details = reload_help,
	    .example = "electctl reload",
	    .is_admin = true,
	    .takes_no_wait = true,
	    .takes_force = true,
	    .timeout = TO_READ,
	    .late = CODE_UNKNOWN,
	    .overdue =
		"not in effect yet; `electctl status` shows what a change waits for",
	    .lost = CODE_UNKNOWN,
	    .run = run_query,
	    .print = print_reload,
	    .judge = judge_done },
	{ .name = "members add",
	    .verb = "members-add",
	    .arguments = " ID NAME ADDRESS [role=ROLE] [priority=N] [--force]",
	    .summary = "add a node to the cluster",
	    .details = members_add_help,
	    .takes_force = true,
	    .example = "electctl members add 4 web4 192.0.2.14:7420",
	    .parameters = { { .key = "id",
				.wanted = "an ID, a number from 1",
				.take = take_term },
		{ .key = "name", .wanted = "a NAME", .take = take_text },
		{ .key = "address",
		    .wanted = "an ADDRESS as 192.0.2.14:7420",
		    .take = take_text },
		{ .key = "role",
		    .wanted = "role=candidate, role=voter or role=observer",
		    .take = take_text,
		    .is_optional = true,
		    .is_named = true },
		{ .key = "priority",
		    .wanted = "priority=N, a number",
		    .take = take_integer,
		    .is_optional = true,
		    .is_named = true } },
	    CHANGE_MEMBERS },
	{ .name = "members remove",
	    .verb = "members-remove",
	    .arguments = " NODE",
	    .summary = "remove a node from the cluster",
	    .details = members_remove_help,
	    .example = "electctl members remove web4",
	    .parameters = { { .key = "node",
		.wanted = "a NODE, its name or id",
		.take = take_text } },
	    CHANGE_MEMBERS },
	{ .name = "members replace",
	    .verb = "members-replace",
	    .arguments = " NODE ADDRESS",
	    .summary = "give a node another address",
	    .details = members_replace_help,
	    .example = "electctl members replace web4 192.0.2.24:7420",
	    .parameters = { { .key = "node",
				.wanted = "a NODE, its name or id",
				.take = take_text },
		{ .key = "address",
		    .wanted = "an ADDRESS as 192.0.2.14:7420",
		    .take = take_text } },
	    CHANGE_MEMBERS },
	{ .name = "key",
	    .arguments = "",
	    .summary = "show which keys this node and its peers use",
	    .details = key_help,
	    .example = "electctl key",
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_key,
	    .judge = judge_key },
	{ .name = "stats",
	    .arguments = "",
	    .summary = "show the counters since the daemon started",
	    .example = "electctl -o kv stats",
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_stats,
	    .judge = judge_done },
	{ .name = "version",
	    .arguments = "",
	    .summary = "print electctl's version and the daemon's",
	    .example = "electctl version",
	    .timeout = TO_ASK,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_version,
	    .print = print_version,
	    .judge = judge_done },
	{ .name = "help",
	    .arguments = " [VERB]",
	    .summary = "print this, or the help of a verb; needs no daemon",
	    .example = "electctl help resign" },
	{ .name = "keygen",
	    .arguments = "",
	    .summary = "print a new cluster key; needs no daemon",
	    .example = "(umask 077; electctl keygen >/etc/electd/web.key)",
	    .run = run_keygen },
};

#define COMMANDS_COUNT (sizeof(commands) / sizeof(commands[0]))

const struct command *
command_at(size_t i)
{
	return i < COMMANDS_COUNT ? &commands[i] : NULL;
}

const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS_COUNT; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

const struct command *
command_take(struct options *options)
{
	const struct command *command;
	char name[32];

	if (options->words_count > 0) {
		snprintf(name, sizeof(name), "%s %s", options->verb,
		    options->words[0]);
		command = command_find(name);
		if (command != NULL) {
			options->words++;
			options->words_count--;
			return command;
		}
	}
	return command_find(options->verb);
}

/* The names of our verbs in other programs. */
static const struct {
	const char *name;
	const char *verb;
} synonyms[] = {
	{ "list", "status" },
	{ "show", "status" },
	{ "nodes", "peers" },
	{ "events", "watch" },
	{ "log", "history" },
	{ "metrics", "stats" },
	{ "transfer", "resign" },
	{ "drain", "standby" },
	{ "maintenance", "standby" },
};

/* The verb that was probably meant, or NULL. */
static const char *
verb_meant(const char *name)
{
	const char *nearest = NULL;
	unsigned least = NEAR_MAX + 1;

	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++) {
		if (strcmp(synonyms[i].name, name) == 0)
			return synonyms[i].verb;
	}
	for (size_t i = 0; i < COMMANDS_COUNT; i++) {
		unsigned distance = word_distance(commands[i].name, name);

		if (distance < least) {
			nearest = commands[i].name;
			least = distance;
		}
	}
	return nearest;
}

void
explain_unknown_verb(const char *name)
{
	const char *meant = verb_meant(name);

	if (meant == NULL)
		complain("unknown verb \"%s\"; --help lists them", name);
	else
		complain(
		    "unknown verb \"%s\"; did you mean \"%s\"?", name, meant);
}
