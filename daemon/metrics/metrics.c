/* SPDX-License-Identifier: ISC */
#include "daemon/metrics/metrics.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PATH_MAX_SIZE 64

/* How a member of an answer becomes a value. */
enum take {
	TAKE_NUMBER,
	TAKE_SECONDS, /* of milliseconds */
	TAKE_MOMENT,  /* of milliseconds ago: seconds since 1970 */
	TAKE_FLAG,    /* 1 for true */
	TAKE_THING,   /* 1 for an object or a text, 0 for null */
	TAKE_WORD,    /* 1 for this word, 0 for another */
	TAKE_OTHER,   /* 0 for this word, 1 for another */
};

struct metric {
	const char *name;
	const char *type;
	const char *help;
	const char *path; /* of the member; if it is an object of numbers, each
	                   * gets the label "kind" */
	enum take take;
	const char *word;  /* TAKE_WORD, TAKE_OTHER */
	const char *needs; /* it has no value while this is null; NULL: none */
	const char *minus; /* what is taken off a number; NULL: nothing */
};

#define ROW(type_, name_, help_, path_, take_)                                 \
	.type = (type_), .name = "electd_" name_, .help = (help_),             \
	.path = (path_), .take = (take_)
#define GAUGE(...)   ROW("gauge", __VA_ARGS__)
#define COUNTER(...) ROW("counter", __VA_ARGS__)

static const struct metric of_status[] = {
	{ GAUGE("has_leader", "Whether this node knows a leader.", "leader",
	    TAKE_THING) },
	{ GAUGE("is_leader", "Whether this node leads.", "role", TAKE_WORD),
	    .word = "leader" },
	{ GAUGE("has_quorum",
	      "Whether this node hears a majority of the voters.", "state",
	      TAKE_OTHER),
	    .word = "no-quorum", .needs = "quorum" },
	{ GAUGE("verdict_ok", "Whether the verdict of electctl status is OK.",
	      "verdict", TAKE_WORD),
	    .word = "ok" },
	{ GAUGE("term", "Term of the last election.", "term", TAKE_NUMBER) },
	{ GAUGE(
	    "token", "Fencing token of the leader.", "token", TAKE_NUMBER) },
	{ GAUGE("last_leader_change_timestamp_seconds",
	    "When the leader came, or went without another.", "since_ms",
	    TAKE_MOMENT) },
	{ GAUGE("lease_seconds",
	    "What is left of the leader's lease, as this node knows it.",
	    "lease_ms", TAKE_SECONDS) },
	{ GAUGE("nodes", "Configured nodes, this one included.", "nodes",
	    TAKE_NUMBER) },
	{ GAUGE("reachable_nodes", "Nodes that this one reaches, and itself.",
	    "reachable", TAKE_NUMBER) },
	{ GAUGE("eligible_nodes", "Nodes of these that may lead.", "eligible",
	    TAKE_NUMBER) },
	{ GAUGE("voters", "Configured voters.", "quorum.voters", TAKE_NUMBER) },
	{ GAUGE("votes", "Voters that this node hears.", "quorum.votes",
	    TAKE_NUMBER) },
	{ GAUGE("spare_failures",
	      "Voters that may fail before there is no quorum; below 0: as many lack.",
	      "quorum.votes", TAKE_NUMBER),
	    .minus = "quorum.quorum" },
	{ GAUGE("troubles", "Troubles that electctl status names.", "troubles",
	    TAKE_NUMBER) },
	{ GAUGE("standby", "Whether this node is on standby.", "node.standby",
	    TAKE_THING) },
	{ GAUGE("damped",
	    "Whether this node may not lead, as it failed too often.",
	    "node.damped", TAKE_FLAG) },
	{ GAUGE("check_failing",
	      "Whether a check of this host's services is at fault.",
	      "node.checks.fault", TAKE_THING),
	    .needs = "node.checks" },
	{ GAUGE("config_version", "Version of the settings in effect.",
	    "config_version", TAKE_NUMBER) },
	{ GAUGE("proposal_waits",
	    "Whether later settings wait to come into effect.", "proposed",
	    TAKE_THING) },
	{ GAUGE("start_time_seconds", "When the daemon started.", "uptime_ms",
	    TAKE_MOMENT) },
};

static const struct metric of_stats[] = {
	{ COUNTER("leader_changes_total", "Changes of the leader.", "changes",
	    TAKE_NUMBER) },
	{ COUNTER("elections_total",
	    "Elections that this node began or joined.", "elections",
	    TAKE_NUMBER) },
	{ COUNTER("suspicions_total", "Links lost by silence.", "suspicions",
	    TAKE_NUMBER) },
	{ COUNTER("stalls_total",
	    "Times the daemon did not run when it should have.", "stalls",
	    TAKE_NUMBER) },
	{ COUNTER(
	    "datagrams_sent_total", "Datagrams sent.", "sent", TAKE_NUMBER) },
	{ COUNTER("datagrams_received_total", "Authentic datagrams received.",
	    "received", TAKE_NUMBER) },
	{ COUNTER("datagrams_dropped_total",
	    "Datagrams dropped, by electd-protocol(7).", "dropped",
	    TAKE_NUMBER) },
	{ COUNTER("heartbeats_sent_total", "Datagrams sent without a message.",
	    "heartbeats", TAKE_NUMBER) },
	{ COUNTER("messages_sent_total", "Messages of the algorithm sent.",
	    "messages", TAKE_NUMBER) },
	{ COUNTER("messages_resent_total", "Messages sent again.", "resent",
	    TAKE_NUMBER) },
	{ COUNTER("clients_total", "Clients of the control sockets.",
	    "control.clients", TAKE_NUMBER) },
	{ COUNTER("clients_refused_total", "Clients without a place.",
	    "control.refused", TAKE_NUMBER) },
	{ COUNTER("clients_cut_off_total", "Clients that were too slow.",
	    "control.cut_off", TAKE_NUMBER) },
	{ COUNTER("requests_total", "Requests of clients.", "control.requests",
	    TAKE_NUMBER) },
	{ COUNTER("request_errors_total", "Requests that got an error.",
	    "control.errors", TAKE_NUMBER) },
};

static void
print_head(FILE *to, const char *name, const char *type, const char *help)
{
	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Prints a label; a value may have any characters but must escape three. */
static void
print_label(FILE *to, const char *between, const char *key, const char *value)
{
	fprintf(to, "%s%s=\"", between, key);
	for (; *value != '\0'; value++) {
		if (*value == '\n')
			fputs("\\n", to);
		else if (*value == '"' || *value == '\\')
			fprintf(to, "\\%c", *value);
		else
			fputc(*value, to);
	}
	fputc('"', to);
}

static void
print_sample(
    FILE *to, const char *name, const char *label, const char *of, double value)
{
	fputs(name, to);
	if (label != NULL) {
		print_label(to, "{", label, of);
		fputc('}', to);
	}
	fprintf(to, " %.15g\n", value);
}

/* The member of a member: "node.standby". NULL: there is none, or it is null. */
static json_t *
find(const json_t *answer, const char *path)
{
	json_t *value = NULL;
	char key[PATH_MAX_SIZE];

	for (; answer != NULL && *path != '\0'; answer = value) {
		size_t size = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)size, path);
		value = json_object_get(answer, key);
		path += size + (path[size] == '.');
	}
	return json_is_null(value) ? NULL : value;
}

static double
count_of(const json_t *value)
{
	return json_is_array(value) ? (double)json_array_size(value)
				    : json_number_value(value);
}

static bool
is_this(const json_t *value, const char *word)
{
	const char *text = json_string_value(value);

	return text != NULL && strcmp(text, word) == 0;
}

/* The value of a row; NAN: there is none. */
static double
take(const struct metric *m, const json_t *answer, nsec_t wall)
{
	const json_t *value = find(answer, m->path);

	if ((m->needs != NULL && find(answer, m->needs) == NULL) ||
	    (value == NULL && m->take != TAKE_THING))
		return NAN;
	switch (m->take) {
	case TAKE_NUMBER:
		return count_of(value) -
		       (m->minus != NULL ? count_of(find(answer, m->minus))
					 : 0);
	case TAKE_SECONDS:
		return count_of(value) / 1e3;
	case TAKE_MOMENT:
		return (double)(wall / MSEC) / 1e3 - count_of(value) / 1e3;
	case TAKE_FLAG:
		return json_is_true(value);
	case TAKE_THING:
		return value != NULL;
	case TAKE_WORD:
		return is_this(value, m->word);
	case TAKE_OTHER:
		return !is_this(value, m->word);
	}
	return NAN;
}

static void
print_each(FILE *to, const struct metric *m, json_t *counts)
{
	const char *key;
	json_t *count;

	json_object_foreach(counts, key, count)
	    print_sample(to, m->name, "kind", key, count_of(count));
}

static void
print_rows(FILE *to, const struct metric *rows, size_t count,
    const json_t *answer, nsec_t wall)
{
	for (const struct metric *m = rows; m < rows + count; m++) {
		json_t *member = find(answer, m->path);
		double value = take(m, answer, wall);

		if (isnan(value))
			continue;
		print_head(to, m->name, m->type, m->help);
		if (m->take == TAKE_NUMBER && json_is_object(member))
			print_each(to, m, member);
		else
			print_sample(to, m->name, NULL, NULL, value);
	}
}

static void
print_info(FILE *to, const json_t *status)
{
	static const char *const labels[][2] = { { "cluster", "cluster" },
		{ "node", "node.name" }, { "version", "version" },
		{ "algorithm", "algorithm" }, { "guarantee", "guarantee" },
		{ "topology", "topology" } };
	const char *between = "{";

	print_head(to, "electd_info", "gauge", "What this node is; always 1.");
	fputs("electd_info", to);
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		const char *text =
		    json_string_value(find(status, labels[i][1]));

		if (text == NULL)
			continue;
		print_label(to, between, labels[i][0], text);
		between = ",";
	}
	fprintf(to, "%s 1\n", between[0] == ',' ? "}" : "");
}

/* Prints a row for each peer that has this member. */
static void
print_of_peers(
    FILE *to, const struct metric *m, const json_t *peers, nsec_t wall)
{
	size_t i;
	const json_t *peer;

	print_head(to, m->name, m->type, m->help);
	json_array_foreach(peers, i, peer)
	{
		const char *name = json_string_value(find(peer, "name"));
		double value = take(m, peer, wall);

		if (name != NULL && !isnan(value))
			print_sample(to, m->name, "peer", name, value);
	}
}

static void
print_peers(FILE *to, const json_t *peers, nsec_t wall)
{
	static const struct metric of_peer[] = {
		{ GAUGE("peer_up", "Whether the link to a peer is up.", "up",
		    TAKE_FLAG) },
		{ GAUGE("peer_round_trip_seconds",
		    "The last round trip to a peer.", "rtt_ms", TAKE_SECONDS) },
	};
	size_t i, up = 0;
	const json_t *peer;

	json_array_foreach(peers, i, peer) up += json_is_true(find(peer, "up"));
	print_head(to, "electd_peers", "gauge", "Peers, by their links.");
	print_sample(to, "electd_peers", "state", "up", (double)up);
	print_sample(to, "electd_peers", "state", "down",
	    (double)(json_array_size(peers) - up));
	for (i = 0; i < sizeof(of_peer) / sizeof(of_peer[0]); i++)
		print_of_peers(to, &of_peer[i], peers, wall);
}

void
metrics_print(FILE *to, const json_t *status, const json_t *stats, nsec_t wall)
{
	bool is_up = status != NULL && stats != NULL;

	metrics_put(
	    to, "electd_up", "gauge", "Whether the daemon answers.", is_up);
	if (!is_up)
		return;
	print_info(to, status);
	print_rows(to, of_status, sizeof(of_status) / sizeof(of_status[0]),
	    status, wall);
	print_peers(to, find(status, "peers"), wall);
	print_rows(
	    to, of_stats, sizeof(of_stats) / sizeof(of_stats[0]), stats, wall);
}

void
metrics_put(FILE *to, const char *name, const char *type, const char *help,
    double value)
{
	print_head(to, name, type, help);
	print_sample(to, name, NULL, NULL, value);
}
