/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/command.h"

#include <string.h>

#include "tests/system/lan/faults.h"
#include "tests/system/lan/place.h"

#define WORDS_MAX (CONTROL_REQUEST_MAX / 2) /* the most in a request */

/* A request that is being carried out. */
struct call {
	struct lan *lan;
	char *words[WORDS_MAX + 1]; /* first the command; NULL at the end */
	int count;
	FILE *out; /* the output, or the complaint if the command fails */
	struct control_fds *fds;
};

struct command {
	const char *name;
	const char *usage;
	int words_min, words_max; /* without the command */
	bool needs_fabric;
	bool (*run)(struct call *call);
};

static bool
call_refuse(struct call *call, const char *what, const char *word)
{
	fprintf(call->out, "%s: %s\n", what, word);
	return false;
}

static bool
call_place(struct call *call, struct place *place)
{
	if (place_parse(place, call->words[1], call->lan->hosts))
		return true;
	return call_refuse(call, "no such place", call->words[1]);
}

/* Gives the first host of the command, or 0. */
static unsigned
call_host(struct call *call)
{
	const char *end;
	unsigned host;

	host = place_parse_host(call->words[1], call->lan->hosts, &end);
	if (host != 0 && *end == '\0')
		return host;
	call_refuse(call, "no such host", call->words[1]);
	return 0;
}

static bool
run_set(struct call *call)
{
	struct faults ignored = { 0 }, faults;
	struct place place;
	struct wire *w;

	if (!call_place(call, &place))
		return false;
	/* Changes all or nothing: it checks every word first. */
	for (int i = 2; i < call->count; i++)
		if (!faults_parse(&ignored, call->words[i]))
			return call_refuse(
			    call, "no such fault", call->words[i]);
	while ((w = place_next(&place, call->lan->fabric)) != NULL) {
		faults = w->faults;
		for (int i = 2; i < call->count; i++)
			(void)faults_parse(&faults, call->words[i]);
		wire_set_faults(w, &faults);
	}
	return true;
}

static bool
run_clear(struct call *call)
{
	struct place place = { .kind = PLACE_EVERY };
	struct faults none = { 0 };
	struct wire *w;

	while ((w = place_next(&place, call->lan->fabric)) != NULL)
		wire_set_faults(w, &none);
	return true;
}

static bool
run_cut(struct call *call)
{
	struct place place;
	struct wire *w;

	if (!call_place(call, &place))
		return false;
	while ((w = place_next(&place, call->lan->fabric)) != NULL)
		w->is_cut = true;
	return true;
}

static bool
run_heal(struct call *call)
{
	struct place place = { .kind = PLACE_EVERY };
	struct wire *w;

	if (call->count > 1 && !call_place(call, &place))
		return false;
	while ((w = place_next(&place, call->lan->fabric)) != NULL)
		w->is_cut = false;
	return true;
}

/* Puts the hosts of "1,2,5" into a group; false: no hosts, or one twice. */
static bool
partition_parse(const char *text, unsigned hosts, int group, int *groups)
{
	unsigned host;

	for (;;) {
		host = place_parse_host(text, hosts, &text);
		if (host == 0 || groups[host] != 0)
			return false;
		groups[host] = group;
		if (*text == '\0')
			return true;
		if (*text++ != ',')
			return false;
	}
}

static bool
run_partition(struct call *call)
{
	struct fabric *f = call->lan->fabric;
	int groups[HOSTS_MAX + 1] = { 0 };

	for (int i = 1; i < call->count; i++)
		if (!partition_parse(call->words[i], f->hosts, i, groups))
			return call_refuse(
			    call, "not hosts, or one twice", call->words[i]);
	for (unsigned a = 1; a <= f->hosts; a++)
		for (unsigned b = 1; b <= f->hosts; b++)
			f->link[a][b].is_cut = groups[a] != groups[b];
	return true;
}

static bool
run_carrier(struct call *call)
{
	unsigned host = call_host(call);
	const char *word = call->words[2];
	int error;

	if (host == 0)
		return false;
	if (strcmp(word, "up") != 0 && strcmp(word, "down") != 0)
		return call_refuse(call, "neither up nor down", word);
	error = lan_set_carrier(call->lan, host, strcmp(word, "up") == 0);
	if (error < 0)
		return call_refuse(call, word, strerror(-error));
	return true;
}

static bool
wire_is_idle(const struct wire_counts *c)
{
	return !(c->cut | c->lost | c->duplicated | c->reordered |
		 c->corrupted | c->overflowed);
}

static void
stats_print(FILE *out, const char *name, const struct wire_counts *c)
{
	fprintf(out,
	    "%s frames=%ju cut=%ju lost=%ju duplicated=%ju reordered=%ju "
	    "corrupted=%ju overflowed=%ju\n",
	    name, (uintmax_t)c->frames, (uintmax_t)c->cut, (uintmax_t)c->lost,
	    (uintmax_t)c->duplicated, (uintmax_t)c->reordered,
	    (uintmax_t)c->corrupted, (uintmax_t)c->overflowed);
}

/* Prints the switch, and the wires of the place, or all that did any harm. */
static bool
run_stats(struct call *call)
{
	struct fabric *f = call->lan->fabric;
	const struct fabric_counts *c = &f->counts;
	struct place place = { .kind = PLACE_EVERY };
	bool is_asked = call->count > 1;
	struct wire *w;

	if (is_asked && !call_place(call, &place))
		return false;
	fabric_update_counts(f);
	fprintf(call->out,
	    "switch received=%ju sent=%ju unknown=%ju refused=%ju overrun=%ju "
	    "queued=%zu peak=%ju\n",
	    (uintmax_t)c->received, (uintmax_t)c->sent, (uintmax_t)c->unknown,
	    (uintmax_t)c->refused, (uintmax_t)c->overrun, f->queue.count,
	    (uintmax_t)c->queue_peak);
	while ((w = place_next(&place, f)) != NULL)
		if (is_asked || !wire_is_idle(&w->counts))
			stats_print(call->out, place.name, &w->counts);
	return true;
}

static bool
run_ping(struct call *call)
{
	(void)call;
	return true;
}

/* Gives the descriptors that a process needs to enter the host. */
static bool
run_join(struct call *call)
{
	struct lan *lan = call->lan;
	unsigned host = call_host(call);

	if (host == 0)
		return false;
	call->fds->fd[call->fds->count++] = lan->net_fd[host];
	call->fds->fd[call->fds->count++] = lan->pid_fd;
	if (lan->user_fd >= 0)
		call->fds->fd[call->fds->count++] = lan->user_fd;
	return true;
}

static bool
run_stop(struct call *call)
{
	call->lan->is_stopping = true;
	return true;
}

static const struct command commands[] = {
	{ "set", "set PLACE none | FAULT=VALUE...", 2, WORDS_MAX, true,
	    run_set },
	{ "clear", "clear", 0, 0, true, run_clear },
	{ "cut", "cut PLACE", 1, 1, true, run_cut },
	{ "heal", "heal [PLACE]", 0, 1, true, run_heal },
	{ "partition", "partition HOST[,HOST...]...", 1, WORDS_MAX, true,
	    run_partition },
	{ "carrier", "carrier HOST up|down", 2, 2, false, run_carrier },
	{ "stats", "stats [PLACE]", 0, 1, true, run_stats },
	{ "stop", "stop", 0, 0, false, run_stop },
	{ "ping", NULL, 0, 0, false, run_ping },
	{ "join", NULL, 1, 1, false, run_join },
	{ 0 },
};

static bool
command_dispatch(struct call *call)
{
	const struct command *c = commands;
	int words = call->count - 1;

	if (words < 0)
		return call_refuse(call, "no command", "");
	while (c->name != NULL && strcmp(c->name, call->words[0]) != 0)
		c++;
	if (c->name == NULL)
		return call_refuse(call, "no such command", call->words[0]);
	if (words < c->words_min || words > c->words_max)
		return call_refuse(
		    call, "usage", c->usage != NULL ? c->usage : c->name);
	if (c->needs_fabric && call->lan->fabric == NULL)
		return call_refuse(call, "not with a bridge", c->name);
	return c->run(call);
}

void
command_run(struct lan *lan, char *request, char reply[CONTROL_REPLY_MAX],
    struct control_fds *fds)
{
	struct call call = { .lan = lan, .fds = fds };
	char *rest = request, *word;
	bool is_done;

	*fds = (struct control_fds){ 0 };
	memset(reply, 0, CONTROL_REPLY_MAX);
	reply[0] = REPLY_ERROR;
	/* Longer output is cut off; the last byte stays 0. */
	call.out = fmemopen(reply + 1, CONTROL_REPLY_MAX - 2, "w");
	if (call.out == NULL)
		return;
	while ((word = strsep(&rest, " ")) != NULL && call.count < WORDS_MAX)
		if (*word != '\0')
			call.words[call.count++] = word;
	is_done = command_dispatch(&call);
	fclose(call.out);
	if (is_done)
		reply[0] = REPLY_OK;
	else
		fds->count = 0;
}

void
command_usage(FILE *out)
{
	for (const struct command *c = commands; c->name != NULL; c++)
		if (c->usage != NULL)
			fprintf(out, "       lan -d DIR %s\n", c->usage);
}
