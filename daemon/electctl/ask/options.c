/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/ask/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGITS      "0123456789"
#define WIDTH       80                      /* columns of a terminal */
#define TIMEOUT_MAX (366 * 24 * 3600 * SEC) /* a year: longer is a mistake */

#define NAME_MAX_SIZE 56 /* of an option in its help */
#define NAME_WIDTH    32 /* a longer one has a line to itself */

static const struct {
	const char *name;
	nsec_t duration;
} units[] = {
	{ "", SEC },
	{ "us", USEC },
	{ "ms", MSEC },
	{ "s", SEC },
	{ "m", 60 * SEC },
	{ "h", 3600 * SEC },
};

/* 0: there is no such unit. */
static nsec_t
unit_find(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, name) == 0)
			return units[i].duration;
	}
	return 0;
}

/* The value of the digits after the point at `at`; 0 without a point. */
static nsec_t
parse_fraction(const char *at, nsec_t unit)
{
	nsec_t sum = 0;

	if (*at != '.')
		return 0;
	for (at++; *at >= '0' && *at <= '9'; at++) {
		unit /= 10;
		sum += (nsec_t)(*at - '0') * unit;
	}
	return sum;
}

/*
 * Reads "500ms", "1.5s" or "5": a number and a unit, by default seconds. NULL,
 * or what it should be.
 */
static const char *
parse_timeout(const char *text, nsec_t *timeout)
{
	size_t whole = strspn(text, DIGITS);
	size_t size =
	    whole +
	    (text[whole] == '.' ? 1 + strspn(text + whole + 1, DIGITS) : 0);
	nsec_t unit = unit_find(text + size);
	unsigned long number;

	if (whole == 0 || unit == 0)
		return "timeout is a number and us, ms, s, m or h";
	errno = 0;
	number = strtoul(text, NULL, 10);
	if (errno != 0 || number > TIMEOUT_MAX / unit)
		return "timeout must be at most a year";
	*timeout = number * unit + parse_fraction(text + whole, unit);
	return *timeout > 0 ? NULL : "timeout must be more than 0";
}

static bool
take_time(const struct option_row *row, const char *text, void *field)
{
	const char *wrong = parse_timeout(text, field);

	(void)row;
	if (wrong != NULL)
		complain("%s: not \"%s\"", wrong, text);
	return wrong == NULL;
}

static bool
take_lasting(const struct option_row *row, const char *text, void *field)
{
	(void)row;
	if (parse_timeout(text, field) == NULL && *(nsec_t *)field >= MSEC)
		return true;
	complain(
	    "for is a number and ms, s, m or h, from 1ms to a year: not \"%s\"",
	    text);
	return false;
}

static bool
take_number(const struct option_row *row, const char *text, void *field)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	*(uint64_t *)field = (uint64_t)number;
	if (end != text && *end == '\0' && errno == 0 && number > 0)
		return true;
	complain("%s is a number from 1: not \"%s\"", row->name, text);
	return false;
}

/* The value is one of the words that usage has between bars. */
static bool
take_choice(const struct option_row *row, const char *text, void *field)
{
	unsigned *choice = field;
	const char *word = row->value;

	for (*choice = 0; *word != '\0'; ++*choice) {
		size_t size = strcspn(word, "|");

		if (strlen(text) == size && strncmp(word, text, size) == 0)
			return true;
		word += size + (word[size] == '|');
	}
	complain("%s is %s: not \"%s\"", row->name, row->value, text);
	return false;
}

static bool
take_json(const struct option_row *row, const char *text, void *field)
{
	(void)row;
	(void)text;
	*(enum output *)field = OUTPUT_JSON;
	return true;
}

static bool
take_text(const struct option_row *row, const char *text, void *field)
{
	(void)row;
	*(const char **)field = text;
	return true;
}

static bool
take_file(const struct option_row *row, const char *text, void *field)
{
	const char **files = field;

	(void)row;
	for (unsigned i = 0; i < FILES_MAX; i++) {
		if (files[i] == NULL) {
			files[i] = text;
			return true;
		}
	}
	complain("file may be given 64 times: not \"%s\"", text);
	return false;
}

#define FIELD(name) offsetof(struct options, name)

const struct option_row option_rows[OPTIONS_COUNT] = {
	[OPTION_CLUSTER] = { "cluster", 0, "NAME", take_text,
	    FIELD(place.cluster), 0, NULL,
	    "ask the daemon at /run/electd/NAME.sock; needed if several clusters have a daemon on this host" },
	[OPTION_SOCKET] = { "socket", 's', "SOCKET", take_text,
	    FIELD(place.socket), 0, NULL,
	    "ask the daemon at SOCKET; default: $ELECTD_SOCKET, else the only socket in /run/electd" },
	[OPTION_OUTPUT] = { "output", 'o', "text|json|kv", take_choice,
	    FIELD(output), 0, NULL,
	    "text for people, json for programs, kv for shells" },
	[OPTION_JSON] = { "json", 'j', NULL, take_json, FIELD(output), 0, NULL,
	    "the same as -o json" },
	[OPTION_QUIET] = { "quiet", 'q', NULL, NULL, 0, 0, NULL,
	    "print no answer; the exit status has the result" },
	[OPTION_TIMEOUT] = { "timeout", 't', "TIMEOUT", take_time,
	    FIELD(timeout), 0, NULL,
	    "wait no longer: \"500ms\", \"1.5s\", \"5m\"; default: 1s, also for the first line of watch; 5s for elect and rejoin; 30s for reload; 60s for resign, standby and to change members; no limit for wait" },
	[OPTION_HELP] = { "help", 'h', NULL, NULL, 0, 0, NULL,
	    "print this, or the help of a verb" },
	[OPTION_VERSION] = { "version", 'V', NULL, NULL, 0, 0, NULL,
	    "print the version" },
	[OPTION_WAIT] = { "wait", 0, NULL, NULL, 0, 0, NULL,
	    "wait until there is a leader, also for the daemon; without -t there is no limit" },
	[OPTION_DEADLINE] = { "deadline", 0, NULL, NULL, 0, 0, "deadline",
	    "with guarantee \"quorum\", make a yes a promise: no other node leads before the deadline that -o json shows, and a handover waits until then. "
	    "So ask when you are about to act, and not to look. "
	    "A leader that is handing over and has no deadline left to give says no" },
	[OPTION_FOR_DEADLINE] = { "for", 0, "TIME", take_lasting, FIELD(lasts),
	    OPTION_BIT(OPTION_DEADLINE), NULL,
	    "the same, and say no, too, if the promise is for a shorter time: it is for 8/11 of timing.lease at most" },
	[OPTION_CHECK] = { "check", 0, NULL, NULL, 0, 0, NULL,
	    "print only that line, and exit as a monitoring plugin: 0 OK; 1 DEGRADED or STARTING; 2 NO LEADER, OUTSIDE, SPLIT, or no answer; 3 UNKNOWN, for example because --cluster is needed" },
	[OPTION_TREE] = { "tree", 0, NULL, NULL, 0, 0, NULL,
	    "draw this node's place in the tree instead (topology \"tree\"): the root, the parent, this node and its children" },
	[OPTION_LIMIT] = { "limit", 0, "N", take_number, FIELD(limit), 0,
	    "limit", "end after N events; the first line of watch counts" },
	[OPTION_DEADLINES] = { "deadlines", 0, NULL, NULL, 0, 0, "deadlines",
	    "for a program that acts as the leader (guarantee \"quorum\"): while this node leads, lines say until when it certainly does, each in time before the last deadline passes. "
	    "A failover or handover waits until the last one has passed" },
	[OPTION_STOP_TIME] = { "stop-time", 0, "TIME", take_time,
	    FIELD(stop_time), 0, NULL,
	    "how long COMMAND has, from when it is told that the lead may end; default: 4/11 of timing.lease" },
	[OPTION_MARGIN] = { "margin", 0, "TIME", take_time, FIELD(margin),
	    OPTION_BIT(OPTION_ONCE), NULL,
	    "end so much earlier, as one process: for a service manager that ends what is no child of COMMAND; implies --once" },
	[OPTION_PROGRESS] = { "progress", 0, "TIME", take_time, FIELD(progress),
	    0, NULL,
	    "hand over unless COMMAND says so often that it makes progress, as to systemd: WATCHDOG=1 to NOTIFY_SOCKET" },
	[OPTION_ONCE] = { "once", 0, NULL, NULL, 0, 0, NULL,
	    "end with COMMAND: do not wait until the node leads again" },
	[OPTION_EVEN_IF_TWO] = { "even-if-two", 0, NULL, NULL, 0, 0, NULL,
	    "run it under the guarantee \"component\", too" },
	[OPTION_EXEC] = { "exec", 0, NULL, NULL, 0, 0, NULL,
	    "what follows is COMMAND" },
	[OPTION_ALL] = { "all", 0, NULL, NULL, 0, 0, NULL,
	    "of all nodes: this one fetches them; on the admin socket" },
	[OPTION_FROM] = { "from", 0, "N", take_number, FIELD(from), 0, NULL,
	    "the first event, by its number" },
	[OPTION_TERM] = { "term", 0, "N", take_number, FIELD(term), 0, NULL,
	    "only the events of this term; not with json" },
	[OPTION_FILE] = { "file", 0, "FILE", take_file, FIELD(files), 0, NULL,
	    "the histories of a file, as -o json has written them, instead of this node's; may be given again; - is stdin" },
	[OPTION_FORMAT] = { "format", 0, "text|json|svg|shiviz|mermaid|chain",
	    take_choice, FIELD(format), 0, NULL,
	    "text; json, an object a node; svg, a space-time diagram; shiviz or mermaid, for these programs; chain, the causes of the last leader, one after the other" },
	[OPTION_AT] = { "at", 0, "CUT", take_text, FIELD(at), 0, NULL,
	    "judge this cut, as 1:17,2:9,3:22; a diagram shows it" },
	[OPTION_SVG] = { "svg", 0, "FILE", take_text, FIELD(svg), 0, NULL,
	    "write the diagram to a file" },
	[OPTION_LEADERS] = { "leaders", 0, NULL, NULL, 0, 0, NULL,
	    "the last 200 leaders instead, as this host has kept them over restarts; alone" },
	[OPTION_DUMP] = { "dump", 0, "FILE", take_text, FIELD(dump), 0, NULL,
	    "write it to this file; - is stdout" },
	[OPTION_TO] = { "to", 0, "NODE", take_text, FIELD(to), 0, "to",
	    "hand over to this node, a name or an id; refused if a better node would take over from it (preempt)" },
	[OPTION_FOR] = { "for", 0, "TIME", take_lasting, FIELD(lasts), 0,
	    "for_ms",
	    "end by itself after this time, \"30m\" or \"2h\"; over a restart the wall clock counts" },
	[OPTION_REASON] = { "reason", 0, "TEXT", take_text, FIELD(reason), 0,
	    "reason", "what `status` shows on all nodes; at most 63 bytes" },
	[OPTION_FORCE_STANDBY] = { "force", 0, NULL, NULL, 0, 0, "force",
	    "even if no other node could lead" },
	[OPTION_NO_WAIT] = { "no-wait", 0, NULL, NULL, 0, 0, "!wait",
	    "do not wait for the leader to put the change into effect" },
	[OPTION_FORCE_VOTER] = { "force", 0, NULL, NULL, 0, 0, "force",
	    "add a voter, though this node does not hear it (guarantee \"quorum\")" },
};

bool
option_take(
    struct options *options, const struct option_row *row, const char *text)
{
	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		if (strcmp(option_rows[i].name, row->name) == 0)
			options->given |= OPTION_BIT(i);
	}
	return row->take == NULL ||
	       row->take(row, text, (char *)options + row->at);
}

/* The value of an option in a request. */
static json_t *
value_of(const struct options *options, const struct option_row *row)
{
	const void *field = (const char *)options + row->at;

	if (row->take == NULL)
		return json_boolean(row->key[0] != '!');
	if (row->take == take_text)
		return json_string(*(const char *const *)field);
	if (row->take == take_number)
		return json_integer((json_int_t) * (const uint64_t *)field);
	return json_integer((json_int_t)(*(const nsec_t *)field / MSEC));
}

bool
options_put(const struct options *options, json_t *request,
    const struct option_row **wrong)
{
	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		const struct option_row *row = &option_rows[i];
		json_t *value;

		if (!is_given(options, i) || row->key == NULL)
			continue;
		value = value_of(options, row);
		if (value == NULL) {
			*wrong = row;
			return false;
		}
		json_object_set_new(
		    request, row->key + (row->key[0] == '!'), value);
	}
	return true;
}

void
print_wrapped(FILE *to, const char *text, int indent, int column)
{
	while (*text != '\0') {
		int size = (int)strcspn(text, " \n");
		bool fits = column + 1 + size <= WIDTH;

		if (column > indent)
			column += fprintf(
			    to, fits ? " " : "\n%*s", fits ? 0 : indent, "");
		if (column > indent && !fits)
			column = indent;
		column += fprintf(to, "%.*s", size, text);
		text += size;
		for (; *text == '\n'; text++)
			column = fprintf(to, "\n") - 1;
		text += *text == ' ';
	}
}

/* "  -s, --socket SOCKET"; without letters if no option has one. */
static int
write_name(
    char name[NAME_MAX_SIZE], const struct option_row *row, bool has_letters)
{
	char letter[8] = "";

	if (has_letters)
		snprintf(letter, sizeof(letter),
		    row->letter != '\0' ? "-%c, " : "    ", row->letter);
	return snprintf(name, NAME_MAX_SIZE, "  %s--%s%s%s  ", letter,
	    row->name, row->value != NULL ? " " : "",
	    row->value != NULL ? row->value : "");
}

void
options_help(FILE *to, uint64_t mask)
{
	bool has_letters = (mask & OPTIONS_GLOBAL) != 0;
	char name[NAME_MAX_SIZE];
	int width = 0;

	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		int size = write_name(name, &option_rows[i], has_letters);

		if ((mask & OPTION_BIT(i)) != 0 && size > width &&
		    size <= NAME_WIDTH)
			width = size;
	}
	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		if ((mask & OPTION_BIT(i)) == 0)
			continue;
		if (write_name(name, &option_rows[i], has_letters) > width)
			fprintf(to, "%.*s\n%*s", (int)strlen(name) - 2, name,
			    width, "");
		else
			fprintf(to, "%-*s", width, name);
		print_wrapped(to, option_rows[i].help, width, width);
		fputc('\n', to);
	}
}
