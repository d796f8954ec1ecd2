/* SPDX-License-Identifier: ISC */
#include "tests/bench/trials.h"

#include <stdlib.h>
#include <string.h>

#define GROUPS_MAX 128
#define GROUP_MAX  100000 /* trials of one kind */

/* The columns of a line, in their order. */
enum field {
	FIELD_SYSTEM,
	FIELD_FAULT,
	FIELD_TRIAL,
	FIELD_LEADER,
	FIELD_NEXT,
	FIELD_START,
	FIELD_FIRST,
	FIELD_ALL,
	FIELD_GAP,
	FIELDS,
};

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
	sample_new(&g->start);
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

/* Reads a number; false where there is none. */
static bool
field_number(const char *field, int64_t *number)
{
	char *end;

	*number = strtoll(field, &end, 10);
	return end != field && *end == '\0';
}

/* Cuts a line at its commas; false unless there are as many columns as
 * expected. */
static bool
line_split(char *line, char *fields[FIELDS])
{
	unsigned count = 0;
	char *field;

	line[strcspn(line, "\n")] = '\0';
	while ((field = strsep(&line, ",")) != NULL) {
		if (count == FIELDS)
			return false;
		fields[count++] = field;
	}
	return count == FIELDS;
}

static bool
trials_take(struct trials *t, char *line)
{
	int64_t first, all, other;
	char *fields[FIELDS];
	struct group *g;

	if (!line_split(line, fields))
		return false;
	g = trials_group(t, fields[FIELD_SYSTEM], fields[FIELD_FAULT]);
	if (g == NULL || g->all.count == GROUP_MAX)
		return false;
	if (!field_number(fields[FIELD_FIRST], &first) ||
	    !field_number(fields[FIELD_ALL], &all)) {
		g->late++;
		return true;
	}
	sample_add(&g->first, (nsec_t)first);
	sample_add(&g->all, (nsec_t)all);
	if (field_number(fields[FIELD_START], &other))
		sample_add(&g->start, (nsec_t)other);
	if (field_number(fields[FIELD_GAP], &other))
		group_take_gap(g, other);
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
		sample_sort(&t->groups[i].start);
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
		free(t->groups[i].start.values);
		free(t->groups[i].first.values);
		free(t->groups[i].all.values);
		free(t->groups[i].gap.values);
	}
	free(t->groups);
}
