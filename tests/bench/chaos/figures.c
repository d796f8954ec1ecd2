/* SPDX-License-Identifier: ISC */
/* A verdict in figures, for people and for programs. */
#include <inttypes.h>

#include <jansson.h>

#include "tests/bench/chaos/verdict.h"

/* The names of the faults in the log, and for people. */
static const struct {
	const char *deed, *name;
} faults[] = {
	{ "kill", "kill -9" },
	{ "term", "SIGTERM" },
	{ "stop", "SIGSTOP" },
	{ "clock", "other clocks" },
	{ "fill", "disk full" },
	{ "partition", "partition" },
	{ "one-way", "one way cut" },
	{ "alone", "leader alone" },
	{ "mute", "deaf or mute" },
	{ "orphans", "leader alone, others killed" },
	{ "storm", "storm" },
	{ NULL, NULL },
};

static const char *const violations[VIOLATION_KINDS] = {
	[VIOLATION_TERM] = "term_led_twice",
	[VIOLATION_NAME] = "term_followed_twice",
	[VIOLATION_OVERLAP] = "overlaps",
	[VIOLATION_RISE] = "term_not_rising",
	[VIOLATION_BACK] = "term_back",
	[VIOLATION_HEAL] = "no_leader_after_heal",
	[VIOLATION_BACKWARDS] = "backwards",
	[VIOLATION_DEATH] = "deaths",
	[VIOLATION_RECORD] = "unwatched",
	[VIOLATION_LATE] = "watched_late",
};

static double
ms(nsec_t duration)
{
	return (double)duration / (double)MSEC;
}

static double
share(const struct verdict *v)
{
	return v->span == 0 ? 0 : (double)v->leaderless / (double)v->span;
}

static void
print_sample(FILE *out, const char *name, const struct sample *s)
{
	fprintf(out, "%-24s median %.1f ms, p90 %.1f, max %.1f, n %zu\n", name,
	    ms(sample_percentile(s, 50)), ms(sample_percentile(s, 90)),
	    ms(sample_percentile(s, 100)), s->count);
}

void
figures_print_text(const struct verdict *v, FILE *out)
{
	const struct history *h = v->history;

	fprintf(out, "%s, %s, seed %" PRIu64 ": %.1f s, %u rounds\nfaults",
	    h->algorithm, h->is_quorum ? "quorum" : "component", h->seed,
	    ms(nsec_since(h->ended, h->began)) / 1000,
	    history_count(h, "round"));
	for (unsigned i = 0; faults[i].deed != NULL; i++)
		fprintf(out, "%s %u %s", i == 0 ? "" : ",",
		    history_count(h, faults[i].deed), faults[i].name);
	fprintf(out, "\nelections %zu, leaderships %zu\n", v->elections,
	    v->leaderships);
	for (unsigned i = 0; i < VIOLATION_KINDS; i++)
		fprintf(out, "%s%s %u", i == 0 ? "" : ", ", violations[i],
		    v->violations[i]);
	fprintf(out,
	    "\nlongest overlap %" PRIu64 " ns, shortest change of "
	    "leader %.3f ms\n",
	    v->longest_overlap,
	    v->shortest_change == NSEC_NEVER ? 0 : ms(v->shortest_change));
	print_sample(out, "from heal to leader:", &v->recoveries);
	print_sample(out, "without a leader:", &v->gaps);
	fprintf(out, "%-24s %.1f %% of %.1f s\n", "in all:", 100 * share(v),
	    ms(v->span) / 1000);
	fprintf(
	    out, "violations of what is promised: %u\n", verdict_violations(v));
}

static json_t *
sample_json(const struct sample *s)
{
	return json_pack("{s:f,s:f,s:f,s:i}", "median_ms",
	    ms(sample_percentile(s, 50)), "p90_ms",
	    ms(sample_percentile(s, 90)), "max_ms",
	    ms(sample_percentile(s, 100)), "n", (int)s->count);
}

void
figures_print_json(const struct verdict *v, FILE *out)
{
	const struct history *h = v->history;
	json_t *deeds = json_object(), *found = json_object(), *all;

	for (unsigned i = 0; faults[i].deed != NULL; i++)
		json_object_set_new(deeds, faults[i].deed,
		    json_integer((json_int_t)history_count(h, faults[i].deed)));
	for (unsigned i = 0; i < VIOLATION_KINDS; i++)
		json_object_set_new(
		    found, violations[i], json_integer(v->violations[i]));
	all = json_pack("{s:s,s:s,s:I,s:f,s:i,s:o,s:I,s:I,s:o,s:i,s:I,s:o,s:o,"
			"s:f}",
	    "algorithm", h->algorithm, "guarantee",
	    h->is_quorum ? "quorum" : "component", "seed", (json_int_t)h->seed,
	    "seconds", ms(nsec_since(h->ended, h->began)) / 1000, "rounds",
	    (int)history_count(h, "round"), "faults", deeds, "elections",
	    (json_int_t)v->elections, "leaderships", (json_int_t)v->leaderships,
	    "found", found, "violations", (int)verdict_violations(v),
	    "longest_overlap_ns", (json_int_t)v->longest_overlap,
	    "heal_to_leader", sample_json(&v->recoveries), "leaderless",
	    sample_json(&v->gaps), "leaderless_share", share(v));
	json_dumpf(all, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
	fputc('\n', out);
	json_decref(all);
}

/* Prints "begin end node start term", a line for each leadership. */
void
figures_print_reigns(const struct verdict *v, FILE *out)
{
	for (size_t i = 0; i < v->reigns_count; i++) {
		const struct reign *r = &v->reigns[i];
		const struct life *life = &v->history->lives[r->life];

		fprintf(out, "%" PRIu64 " %" PRIu64 " %u %u %" PRIu64 "\n",
		    r->begin, r->end, life->host, life->number, r->term);
	}
}
