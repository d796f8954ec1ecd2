/* SPDX-License-Identifier: ISC */
#include "tests/bench/trials.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_MAX 128
#define GROUP_MAX  100000 /* trials of one kind */

static void
sample_new(struct sample *s)
{
	s->count = 0;
	s->values = calloc(GROUP_MAX, sizeof(*s->values));
	if (s->values == NULL) {
		perror("trials");
		exit(EXIT_FAILURE);
	}
}

static struct group *
trials_group(struct trials *t, const char *system, const char *fault)
{
	struct group *g;

	for (size_t i = 0; i < t->count; i++) {
		g = &t->groups[i];
		if (strcmp(g->system, system) == 0 &&
		    strcmp(g->fault, fault) == 0)
			return g;
	}
	if (t->count == GROUPS_MAX)
		return NULL;
	g = &t->groups[t->count++];
	snprintf(g->system, sizeof(g->system), "%s", system);
	snprintf(g->fault, sizeof(g->fault), "%s", fault);
	sample_new(&g->first);
	sample_new(&g->all);
	sample_new(&g->gap);
	return g;
}

static void
group_take_gap(struct group *g, int64_t gap)
{
	sample_add(&g->gap, gap > 0 ? (nsec_t)gap : 0);
	if (gap >= 0)
		return;
	g->overlaps++;
	if ((nsec_t)-gap > g->overlap)
		g->overlap = (nsec_t)-gap;
}

static bool
trials_take(struct trials *t, const char *line)
{
	char system[TRIALS_NAME_BYTES], fault[TRIALS_NAME_BYTES];
	uint64_t first, all;
	struct group *g;
	int64_t gap;
	int count;

	count = sscanf(line,
	    "%31[^,],%31[^,],%*u,%*u,%*u,%" SCNu64 ",%" SCNu64 ",%" SCNd64,
	    system, fault, &first, &all, &gap);
	if (count < 2)
		return false;
	g = trials_group(t, system, fault);
	if (g == NULL || g->all.count == GROUP_MAX)
		return false;
	if (count < 4) {
		g->late++;
		return true;
	}
	sample_add(&g->first, first);
	sample_add(&g->all, all);
	if (count == 5)
		group_take_gap(g, gap);
	return true;
}

bool
trials_read(struct trials *t, FILE *file)
{
	bool is_right = true;
	size_t capacity = 0;
	unsigned number = 0;
	char *line = NULL;

	t->count = 0;
	t->groups = calloc(GROUPS_MAX, sizeof(*t->groups));
	while (is_right && t->groups != NULL &&
	       getline(&line, &capacity, file) >= 0)
		is_right = number++ == 0 || trials_take(t, line);
	if (!is_right)
		fprintf(stderr, "line %u: %s", number, line);
	free(line);
	for (size_t i = 0; i < t->count; i++) {
		sample_sort(&t->groups[i].first);
		sample_sort(&t->groups[i].all);
		sample_sort(&t->groups[i].gap);
	}
	return is_right && t->groups != NULL;
}

void
trials_done(struct trials *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->groups[i].first.values);
		free(t->groups[i].all.values);
		free(t->groups[i].gap.values);
	}
	free(t->groups);
}
