/* SPDX-License-Identifier: ISC */
#include "tests/bench/chaos/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void
text_open(struct text *t)
{
	t->file = open_memstream(&t->bytes, &t->size);
	assert_non_null(t->file);
}

/* Makes the text ready to be read. */
static void
text_rewind(struct text *t)
{
	assert_int_equal(fclose(t->file), 0);
	t->file = t->size > 0 ? fmemopen(t->bytes, t->size, "r")
			      : fopen("/dev/null", "r");
	assert_non_null(t->file);
}

static void
text_done(struct text *t)
{
	fclose(t->file);
	free(t->bytes);
}

void
begins(struct record *r, unsigned nodes, const char *guarantee)
{
	*r = (struct record){ 0 };
	text_open(&r->log);
	fprintf(r->log.file,
	    "{\"mono_ns\":1,\"what\":\"begin\",\"nodes\":%u,"
	    "\"guarantee\":\"%s\",\"algorithm\":\"bully\",\"seed\":7}\n",
	    nodes, guarantee);
}

unsigned
starts_ahead(struct record *r, unsigned at, unsigned host, int ahead)
{
	assert_true(r->lives < RECORD_LIVES_MAX);
	fprintf(r->log.file,
	    "{\"mono_ns\":%u,\"what\":\"start\",\"host\":%u,\"start\":%u,"
	    "\"mono_offset_ns\":%d,\"boot_offset_ns\":%d}\n",
	    at, host, ++r->starts[host], ahead, ahead);
	r->host[r->lives] = host;
	text_open(&r->watch[r->lives]);
	return r->lives++;
}

unsigned
starts(struct record *r, unsigned at, unsigned host)
{
	return starts_ahead(r, at, host, 0);
}

void
all_start(struct record *r, unsigned nodes, const char *guarantee)
{
	begins(r, nodes, guarantee);
	for (unsigned host = 1; host <= nodes; host++)
		starts(r, 10, host);
}

void
is_killed(struct record *r, unsigned at, unsigned host)
{
	fprintf(r->log.file,
	    "{\"mono_ns\":%u,\"what\":\"kill\",\"host\":%u,\"start\":%u}\n", at,
	    host, r->starts[host]);
}

void
exits(struct record *r, unsigned at, unsigned host, const char *asked)
{
	fprintf(r->log.file,
	    "{\"mono_ns\":%u,\"what\":\"exit\",\"host\":%u,\"start\":%u,"
	    "\"asked\":%s}\n",
	    at, host, r->starts[host], asked);
}

void
comes(struct record *r, uint64_t at, const char *what)
{
	fprintf(r->log.file, "{\"mono_ns\":%ju,\"what\":\"%s\"}\n",
	    (uintmax_t)at, what);
}

static void
says(struct record *r, unsigned life, const char *event, uint64_t at,
    unsigned term, unsigned leader)
{
	char name[16] = "null";

	if (leader != 0)
		snprintf(name, sizeof(name), "%u", leader);
	fprintf(r->watch[life].file,
	    "{\"event\":\"%s\",\"term\":%u,\"leader\":%s,\"self\":%u,"
	    "\"mono_ns\":%ju}\n",
	    event, term, name, r->host[life], (uintmax_t)at);
}

void
tells(struct record *r, unsigned life, uint64_t at, unsigned term,
    unsigned leader)
{
	says(r, life, leader != 0 ? "leader" : "no-leader", at, term, leader);
}

void
finds(struct record *r, unsigned life, uint64_t at, unsigned term,
    unsigned leader)
{
	says(r, life, "state", at, term, leader);
}

bool
is_read(struct record *r)
{
	bool is_right;

	history_init(&r->history);
	text_rewind(&r->log);
	is_right = history_read_log(&r->history, r->log.file);
	for (unsigned i = 0; i < r->lives; i++) {
		text_rewind(&r->watch[i]);
		is_right = is_right &&
			   history_read_watch(&r->history, i, r->watch[i].file);
	}
	return is_right;
}

void
is_over(struct record *r)
{
	text_done(&r->log);
	for (unsigned i = 0; i < r->lives; i++)
		text_done(&r->watch[i]);
	history_done(&r->history);
}

void
shows(struct record *r, enum violation kind, unsigned count, unsigned promised)
{
	FILE *out = fopen("/dev/null", "w");

	assert_non_null(out);
	comes(r, 100 * SEC, "end");
	assert_true(is_read(r));
	verdict_init(&r->verdict, &r->history, out);
	assert_int_equal(r->verdict.violations[kind], count);
	assert_int_equal(verdict_violations(&r->verdict), promised);
	verdict_done(&r->verdict);
	is_over(r);
	fclose(out);
}
