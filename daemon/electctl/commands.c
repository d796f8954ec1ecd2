/* SPDX-License-Identifier: ISC */
/* The verbs of electctl: what each takes, and what its answers mean. */
#include "daemon/electctl/electctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/config/settings_suggest.h"
#include "daemon/electctl/check/checks.h"
#include "daemon/electctl/print/print.h"
#include "daemon/electctl/run/run.h"
#include "daemon/electctl/whole/whole.h"
#include "daemon/system/rights/key.h"

#define NEAR_MAX 2 /* letters that may be wrong in a verb */

/* The answer is no: tells apart a no for lack of a quorum. */
static enum control_code
judge_no(const json_t *answer)
{
	return is_word(answer, "state", "no-quorum") ? CODE_NO_QUORUM : CODE_NO;
}

/* A node that has just started does not know yet which node leads. */
static enum control_code
judge_leader(const json_t *answer)
{
	if (json_is_object(field(answer, "leader")))
		return CODE_YES;
	return is_word(answer, "state", "starting") ? CODE_STARTING
						    : judge_no(answer);
}

static enum control_code
judge_is_leader(const json_t *answer)
{
	return json_is_true(field(answer, "is_leader")) ? CODE_YES
							: judge_no(answer);
}

static enum control_code
judge_key(const json_t *answer)
{
	return json_is_true(field(answer, "agree")) ? CODE_YES : CODE_NO;
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
	if (!is_given(options, OPTION_QUIET))
		puts("electctl " ELECTD_VERSION);
	(void)run_query(command, options);
	return CODE_YES;
}

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

#define CHANGE_MEMBERS                                                         \
	.more = change_help, .patience = YIELDS, .overdue = change_overdue,    \
	.is_admin = true, .print = print_changed

static const char change_overdue[] =
    "not yet in effect: there is no leader, or not enough voters; the proposal stands";

#define TAKES(id) OPTION_BIT(OPTION_##id)

static const struct command commands[] = {
	{ .name = "leader",
	    .summary = "print the leader's name",
	    .more =
		"Exit status: 0 there is a leader; 1 there is none, or with --wait none in\n"
		"time; 3 no daemon; 5 no leader, since there is no quorum; 9 not known yet:\n"
		"this node has just started.\n",
	    .example = "ssh \"$(electctl leader)\"",
	    .takes = TAKES(WAIT) | TAKES(DEADLINE),
	    .describes_leader = true,
	    .print = print_leader,
	    .judge = judge_leader },
	{ .name = "is-leader",
	    .summary = "exit 0 if this host leads, 1 or 5 if it does not",
	    .more =
		"Exit status: 0 yes; 1 no; 3 no daemon; 4 this user gets no deadline; 5 no,\n"
		"since there is no quorum.\n",
	    .example = "electctl -q is-leader && /usr/local/bin/nightly-job",
	    .takes = TAKES(DEADLINE) | TAKES(FOR_DEADLINE),
	    .text = "{is_leader?yes:no}",
	    .judge = judge_is_leader },
	{ .name = "status",
	    .summary = "show the cluster as this node sees it",
	    .details =
		"The first line is a verdict and its reasons: OK, DEGRADED, STARTING, NO\n"
		"LEADER, OUTSIDE or SPLIT.\n",
	    .example = "electctl status --check",
	    .takes = TAKES(CHECK),
	    .describes_leader = true,
	    .run = run_status,
	    .print = print_status },
	{ .name = "peers",
	    .summary = "show the other nodes and the links to them",
	    .example = "electctl peers --tree",
	    .takes = TAKES(TREE),
	    .shown_of = "status",
	    .print = print_peers },
	{ .name = "members",
	    .summary = "show the configured nodes, or change them",
	    .details =
		"Shows the nodes of the settings in effect, and their config version. The verbs\n"
		"`members add`, `members remove` and `members replace` change them.\n",
	    .example = "electctl members",
	    .print = print_members },
	{ .name = "config",
	    .summary = "print the settings in effect, as a file",
	    .details =
		"Prints the settings in effect that all hosts share, as a file that electd\n"
		"reads. Add what is a host's own: id, listen, security, control, state_dir,\n"
		"realtime, record, watch_carrier, expect and checks, where they are not the\n"
		"defaults.\n",
	    .example = "electctl config >/etc/electd/web.conf",
	    .print = print_config },
	{ .name = "watch",
	    .summary = "print the present state, then every event",
	    .details =
		"With --all the events are those of `electctl history`, of all nodes that this\n"
		"one reaches, as they happen, each after its causes: a message that was taken\n"
		"waits until its sending has come. After each round of news the cut that has\n"
		"been shown is printed, which is consistent.\n"
		"-t TIME ends after a time; the diagram has what was shown until then.\n",
	    .more =
		"A line without a deadline promises nothing. If the daemon is paused or killed,\n"
		"there is no \"no-leader\" line.\n"
		"\n"
		"Exit status: 0 it has ended; 3 no daemon; 4 not permitted; 7 with --all: a node\n"
		"was lost, or began anew: the message names it.\n",
	    .example = "electctl -o json watch --limit 10",
	    .takes = TAKES(LIMIT) | TAKES(DEADLINES) | TAKES(ALL) | TAKES(SVG),
	    .is_stream = true,
	    .run = run_watch,
	    .print = print_event },
	{ .name = "wait",
	    .arguments = " [leader|no-leader|quorum]",
	    .summary = "wait for a leader, for none, or for a quorum",
	    .details =
		"Also waits for a daemon that is not there yet, has too many clients, or\n"
		"does not answer; without -t there is no limit. If several clusters have a\n"
		"daemon on this host, choose one with --cluster.\n",
	    .more =
		"Exit status: 0 done; 1 not in time; 3 no daemon answered in time.\n",
	    .example = "electctl -t 60s wait leader",
	    .parameters = { { "for", "\"leader\", \"no-leader\" or \"quorum\"",
		take_condition, true, false } },
	    .patience = WAITS,
	    .describes_leader = true,
	    .run = run_wait,
	    .print = print_wait },
	{ .name = "run",
	    .arguments = " COMMAND...",
	    .summary = "run a command while this host leads",
	    .details =
		"Runs COMMAND, which is no line for a shell, while this node leads. It is told\n"
		"to end (SIGTERM) when the node may lose the lead, and killed (SIGKILL) so early\n"
		"that it is gone before another node leads, with all that it has started. Then\n"
		"this waits until the node leads again. ELECTD_TOKEN, ELECTD_TERM,\n"
		"ELECTD_CLUSTER and ELECTD_NODE are in its environment. Signals are passed on to\n"
		"it.\n"
		"-t TIME gives up if the node does not lead after that time.\n",
	    .more =
		"Exit status: that of COMMAND, or 128 and the number of the signal that ended it;\n"
		"75 this node does not lead, after --once or -t; 126 COMMAND cannot be run; 127\n"
		"there is none; 2 wrong usage; 3 no daemon, after -t; 4 no permission to open the\n"
		"socket; 6 refused. A user who gets no deadlines waits, as if the node did not\n"
		"lead: a reload may grant them.\n",
	    .example = "electctl run -- /usr/local/bin/scheduler --foreground",
	    .takes = TAKES(STOP_TIME) | TAKES(MARGIN) | TAKES(PROGRESS) |
		     TAKES(ONCE) | TAKES(EVEN_IF_TWO),
	    .takes_command = true,
	    .run = run_command },
	{ .name = "follow",
	    .arguments = " COMMAND...",
	    .summary = "run a command at every change of who leads",
	    .details =
		"Runs COMMAND, which is no line for a shell, for how this node stands, and again\n"
		"for every change, one run after the other. ELECTD_STATE is leader, hands-over,\n"
		"follower, no-leader or unknown: act as the leader in the first alone. Only the\n"
		"newest state counts, but the end of a lead is always told, before another node\n"
		"leads. ELECTD_TOKEN, ELECTD_TERM, ELECTD_LEADER, ELECTD_REASON, ELECTD_CLUSTER\n"
		"and ELECTD_NODE are in the environment, too, and all of it is on standard\n"
		"input, as JSON. A leader that wins a later term while it leads keeps its token,\n"
		"and is told \"leader\" once more.\n"
		"-t TIME kills COMMAND if it has not ended by then; default: 10s.\n",
	    .more =
		"Runs until a signal ends it, and tells the end of a lead before: 0. Else: 126\n"
		"COMMAND cannot be run; 127 there is none; 2 wrong usage; 4 no\n"
		"permission to open the socket. A user who gets no deadlines waits.\n",
	    .example = "electctl follow --exec /etc/electd/changed",
	    .takes = TAKES(STOP_TIME) | TAKES(EXEC),
	    .needs = TAKES(EXEC),
	    .takes_command = true,
	    .run = run_follow },
	{ .name = "checks",
	    .summary = "run the checks of this host's services",
	    .details =
		"Runs the `checks` of electd.conf again and again, and tells electd how the\n"
		"services of this host are. While one is at fault, or this does not run, the\n"
		"node is on standby: `electctl status` shows why on all nodes. Runs until it is\n"
		"ended, as electd-checks.service does, also while electd does not run. Each\n"
		"check runs as the user that this runs as, who must be allowed to steer electd.\n",
	    .more =
		"Exit status: 2 wrong usage, or this daemon knows no checks; 4 not permitted; 6\n"
		"another one is connected already; 7 it cannot run.\n",
	    .example = "electctl checks",
	    .run = run_checks },
	{ .name = "explain",
	    .arguments = " [TERM]",
	    .summary = "explain why the last election began, and how it went",
	    .example = "electctl explain 7",
	    .parameters = { { "term", "a term, a number from 1", take_term,
		true, false } },
	    .print = print_explain },
	{ .name = "history",
	    .summary = "show the events of elections, or draw them",
	    .details =
		"Shows the events of this node's elections that it still has: each message sent\n"
		"and taken, each decision. Histories of several nodes, in files that\n"
		"-o json has written, stand side by side.\n"
		"With --svg nothing else is printed, unless --format is given.\n"
		"With --at CUT this says whether that cut is consistent. A cut is the first so\n"
		"many events of each node: 1:17,2:9,3:22 has the events 1 to 17 of node 1, and\n"
		"so on; it names each node that there is a history of. It is consistent if each\n"
		"message that was taken in it was sent in it. Prints the last event of each\n"
		"node, and each message that makes it inconsistent.\n"
		"With --leaders this shows who led, from when, why, and for how long this node\n"
		"knew of no leader before.\n",
	    .more =
		"Exit status: 0 shown, or consistent; 1 inconsistent; 2 wrong usage, or a file is\n"
		"no history; 3 no daemon; 6 too large for a diagram; 7 not known: where a message\n"
		"was sent is in no history, or a file could not be written.\n",
	    .example = "electctl history --term 7 --svg term7.svg",
	    .takes = TAKES(ALL) | TAKES(FROM) | TAKES(TERM) | TAKES(FILE) |
		     TAKES(FORMAT) | TAKES(AT) | TAKES(SVG) | TAKES(LEADERS),
	    .run = run_history,
	    .print = print_leaders },
	{ .name = "snapshot",
	    .summary = "show the whole cluster at one time",
	    .details =
		"Shows the state of all nodes that this one reaches, and the messages that were\n"
		"in transit, at one time of the whole cluster: a consistent cut, by the markers\n"
		"of Chandy and Lamport. It checks that no two nodes lead in one term, and that\n"
		"no message is of a term that its sender has not seen.\n"
		"The diagram has the events of all nodes in the last term, unless --term names\n"
		"another, with this cut.\n",
	    .more =
		"Exit status: 0 all is well; 1 a check failed; 3 no daemon; 4 not permitted; 6\n"
		"this node is stopping; 7 no snapshot: the message names the node that was lost\n"
		"or did not answer.\n",
	    .example = "electctl snapshot --svg now.svg",
	    .takes = TAKES(SVG) | TAKES(TERM),
	    .patience = YIELDS,
	    .is_admin = true,
	    .run = run_snapshot,
	    .print = print_snapshot,
	    .judge = judge_snapshot },
	{ .name = "record",
	    .summary = "write what this node did, to be replayed",
	    .details =
		"Writes what this node was given in the last minutes, and what it did, to FILE\n"
		"(- is stdout); electsim replay does the same again. No key is in it, but all\n"
		"that the nodes said to each other.\n",
	    .more =
		"Exit status: 0 written; 2 wrong usage; 3 no daemon; 4 not permitted; 6 the node\n"
		"is not recorded; 7 it could not be written.\n",
	    .example = "electctl record --dump web1.tape",
	    .takes = TAKES(DUMP),
	    .needs = TAKES(DUMP),
	    .is_admin = true,
	    .run = run_record },
	{ .name = "elect",
	    .summary = "start an election",
	    .example = "electctl elect",
	    .patience = STEERS,
	    .is_admin = true,
	    .text = "election started, term {term}" },
	{ .name = "resign",
	    .summary = "hand over to another node, and print its name",
	    .details =
		"Run this on the leader. It keeps leading until another node does, and while\n"
		"a deadline that it gave lies ahead (guarantee \"quorum\"; up to\n"
		"timing.lease). From then on it is on standby: it votes, but is not elected\n"
		"until `electctl rejoin`, until its daemon is restarted, or until no other node\n"
		"is left to lead.\n",
	    .more =
		"Exit status: 0 another node leads; 1 this node does not lead; 2 there is no\n"
		"such NODE; 4 not permitted; 5 no majority to elect another leader; 6\n"
		"refused: no other node can lead, NODE cannot, or another leads in the end; 7\n"
		"the timeout (-t, 60s) was over first: the request remains in force, unless\n"
		"the daemon did not answer at all.\n",
	    .example = "electctl resign --to web2",
	    .takes = TAKES(TO) | TAKES(REASON),
	    .patience = YIELDS,
	    .overdue = "no other node leads yet, but may soon",
	    .is_admin = true,
	    .describes_leader = true,
	    .print = print_leader },
	{ .name = "standby",
	    .summary = "put this node on standby: it votes, but never leads",
	    .details =
		"The node takes part and votes, but is never elected, whoever else is left:\n"
		"with all candidates on standby there is no leader. A leader hands over first,\n"
		"as with `electctl resign`, and gives up the lead if no node takes it. This\n"
		"survives restarts of the daemon and of the host, and all nodes show it, until\n"
		"`electctl rejoin`. Another `electctl standby` takes the place of the first.\n",
	    .more =
		"Exit status: 0 it is on standby, and another node leads; 1 it is on standby,\n"
		"and no node leads; 4 not permitted; 6 no other node could lead, it could not be\n"
		"kept on the disk, or the node was told to rejoin meanwhile; 7 the timeout (-t,\n"
		"60s) was over first: the request remains in force, unless the daemon did not\n"
		"answer at all.\n",
	    .example = "electctl standby --for 2h --reason 'kernel upgrade'",
	    .takes = TAKES(FOR) | TAKES(REASON) | TAKES(FORCE_STANDBY),
	    .patience = YIELDS,
	    .overdue = "this node leads yet, but may soon be on standby",
	    .is_admin = true,
	    .describes_leader = true,
	    .text =
		"this node is on standby; [{leader.name} leads|no node leads]",
	    .judge = judge_leader },
	{ .name = "rejoin",
	    .summary = "let this node lead again",
	    .details =
		"The node stands for election again, whether `electctl standby` or `resign` has\n"
		"put it on standby. If it is better than the leader and `preempt` allows it, it\n"
		"takes over: at once, or (guarantee \"quorum\") when the last deadline that the\n"
		"leader gave has passed. Succeeds also if the node was not on standby.\n",
	    .example = "electctl rejoin",
	    .patience = STEERS,
	    .is_admin = true,
	    .text =
		"[this node stays on standby: {standby.reason}|{rejoined?this node stands for election again:this node was not on standby}]" },
	{ .name = "reload",
	    .summary = "read the file and the keys again",
	    .details =
		"The daemon reads its file and its keys again, checks all of it, and\n"
		"applies what has changed: names, the addresses of other nodes, keys and checks;\n"
		"and all settings that the hosts share, if `config_version` is higher than before:\n"
		"then all nodes put them into effect; under the guarantee \"quorum\" the leader\n"
		"sees to that, one voter may come, go or change at a time, and this waits until\n"
		"the change is in effect here.\n"
		"Sessions, terms and the leader stay. If the files are wrong, or if a change\n"
		"needs a restart, nothing changes, and each error or setting is listed.\n",
	    .more =
		"Exit status: 0 all is in effect, or, with --no-wait, the leader is to see to\n"
		"that; 4 not permitted; 6 refused: a setting needs a restart, all hosts must\n"
		"agree, more than one voter changes, or this node does not hear a new one; 7 the\n"
		"timeout (-t, 30s) was over first: the proposal stands; 8 the file is wrong.\n",
	    .example = "electctl reload",
	    .takes = TAKES(NO_WAIT) | TAKES(FORCE_VOTER),
	    .patience = READS,
	    .overdue =
		"not in effect yet; `electctl status` shows what a change waits for",
	    .is_admin = true,
	    .print = print_reload },
	{ .name = "members add",
	    .verb = "members-add",
	    .arguments = " ID NAME ADDRESS [role=ROLE] [priority=N]",
	    .summary = "add a node to the cluster",
	    .details =
		"Adds a node. ROLE is candidate (the default), voter or observer, and N the\n"
		"priority (0).\n",
	    .example = "electctl members add 4 web4 192.0.2.14:7420",
	    .takes = TAKES(FORCE_VOTER),
	    .parameters = { { "id", "an ID, a number from 1", take_term, false,
				false },
		{ "name", "a NAME", take_text, false, false },
		{ "address", "an ADDRESS as 192.0.2.14:7420", take_text, false,
		    false },
		{ "role", "role=candidate, role=voter or role=observer",
		    take_text, true, true },
		{ "priority", "priority=N, a number", take_integer, true,
		    true } },
	    CHANGE_MEMBERS },
	{ .name = "members remove",
	    .verb = "members-remove",
	    .arguments = " NODE",
	    .summary = "remove a node from the cluster",
	    .details =
		"Removes NODE, a name or an id, which may be the leader, but not the node\n"
		"that you ask. Stop its daemon afterwards.\n",
	    .example = "electctl members remove web4",
	    .parameters = { { "node", "a NODE, its name or id", take_text,
		false, false } },
	    CHANGE_MEMBERS },
	{ .name = "members replace",
	    .verb = "members-replace",
	    .arguments = " NODE ADDRESS",
	    .summary = "give a node another address",
	    .details =
		"Gives NODE, a name or an id, another address: that of the host that takes\n"
		"its place. Stop its daemon first. Under the guarantee \"quorum\" move its\n"
		"state file and CLUSTER-ID.settings to the new host.\n",
	    .example = "electctl members replace web4 192.0.2.24:7420",
	    .parameters = { { "node", "a NODE, its name or id", take_text,
				false, false },
		{ "address", "an ADDRESS as 192.0.2.14:7420", take_text, false,
		    false } },
	    CHANGE_MEMBERS },
	{ .name = "key",
	    .summary = "show which keys this node and its peers use",
	    .details =
		"Shows the SHA-256 of the keys that this node sends with and accepts, and\n"
		"which of them each peer uses. The last lines say whether the next step of a\n"
		"change of keys is safe: ask on every host before it. A peer that is down\n"
		"counts as not known. No key is shown.\n",
	    .more =
		"Exit status: 0 all peers that are heard send with the key that this node\n"
		"sends with; 1 not all do; 3 no daemon.\n",
	    .example = "electctl key",
	    .print = print_key,
	    .judge = judge_key },
	{ .name = "stats",
	    .summary = "show the counters since the daemon started",
	    .example = "electctl -o kv stats",
	    .print = print_stats },
	{ .name = "metrics",
	    .summary = "print the metrics of this node for Prometheus",
	    .details =
		"Prints what `electctl status` and `electctl stats` say in the text format of\n"
		"Prometheus, for node_exporter's textfile collector. Without a daemon it prints\n"
		"electd_up 0 and nothing else, and exits with 3.\n",
	    .example = "electctl metrics >electd.prom",
	    .run = run_metrics },
	{ .name = "version",
	    .summary = "print electctl's version and the daemon's",
	    .example = "electctl version",
	    .run = run_version,
	    .text = "electd {version}" },
	{ .name = "help",
	    .arguments = " [VERB]",
	    .summary = "print this, or the help of a verb; needs no daemon",
	    .example = "electctl help resign" },
	{ .name = "keygen",
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

bool
command_begins_others(const struct command *command)
{
	size_t size = strlen(command->name);

	for (size_t i = 0; i < COMMANDS_COUNT; i++) {
		if (strncmp(commands[i].name, command->name, size) == 0 &&
		    commands[i].name[size] == ' ')
			return true;
	}
	return false;
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
	{ "counters", "stats" },
	{ "prometheus", "metrics" },
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
