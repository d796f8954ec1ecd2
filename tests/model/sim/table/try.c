/* SPDX-License-Identifier: ISC */
/* Reads the claims of a row, and compares them with what is measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/model/sim/table/private.h"

#define ROUNDING 1e-6 /* covers the errors of sums of doubles */

static bool
read_sign(enum sense *sense, const char *sign)
{
	static const char *const signs[] = {
		[SENSE_EQUAL] = "=",
		[SENSE_AT_MOST] = "<=",
		[SENSE_AT_LEAST] = ">=",
		[SENSE_MEAN] = "~",
		[SENSE_MEAN_AT_MOST] = "<~",
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		if (strcmp(signs[i], sign) != 0)
			continue;
		*sense = (enum sense)i;
		return true;
	}
	return false;
}

bool
claim_read(struct claim *c, const char *text)
{
	char sign[3];
	int length = 0;

	c->is_timed = strncmp(text, "unit ", 5) == 0;
	if (c->is_timed)
		text += 5;
	if (sscanf(text, "%23s %2s %n", c->measure, sign, &length) != 2)
		return false;
	c->formula = text + length;
	return read_sign(&c->sense, sign);
}

static bool
compare(enum sense sense, double measured, double limit, double slack)
{
	slack += ROUNDING;
	switch (sense) {
	case SENSE_EQUAL:
	case SENSE_MEAN:
		return fabs(measured - limit) <= slack;
	case SENSE_AT_MOST:
	case SENSE_MEAN_AT_MOST:
		return measured <= limit + slack;
	case SENSE_AT_LEAST:
		return measured >= limit - slack;
	}
	return false;
}

static void
finding_compare(struct finding *f, const struct trial *t)
{
	const char *const *claims = t->property->claims;

	for (size_t i = 0; i < CLAIMS_MAX; i++) {
		struct claim c;

		f->holds[i] = claims[i] == NULL;
		if (claims[i] == NULL || !claim_read(&c, claims[i]))
			continue;
		f->holds[i] =
		    (c.is_timed && t->schedule != SCHEDULE_UNIT) ||
		    compare(c.sense, f->measured[i], f->limit[i], f->slack[i]);
	}
}

/* Runs the same with the algorithm's default variant, for formulas with S. */
static enum trial_result
measure_standard(const struct trial *t, const char *measure, double *value)
{
	struct property standard = *t->property;
	struct trial twin = *t;
	struct scene s;
	enum trial_result result;

	standard.variant = NULL;
	twin.property = &standard;
	result = scene_make(&s, &twin);
	if (result != TRIAL_DONE)
		return result;
	if (!scene_run(&s))
		result = TRIAL_NO_MEMORY;
	else if (!scene_measure(&s, measure, value))
		result = TRIAL_UNKNOWN;
	scene_free(&s);
	return result;
}

static enum trial_result
measure_claim(
    struct scene *s, const char *text, double *measured, double *limit)
{
	struct claim c;
	enum trial_result result = TRIAL_DONE;

	if (!claim_read(&c, text) || !scene_measure(s, c.measure, measured))
		return TRIAL_UNKNOWN;
	if (strchr(c.formula, 'S') != NULL)
		result =
		    measure_standard(s->trial, c.measure, &s->facts.standard);
	if (result != TRIAL_DONE)
		return result;
	if (!formula_value(c.formula, &s->facts, limit))
		return TRIAL_UNKNOWN;
	if (s->trial->nodes == 1)
		*limit = 0; /* a single node sends nothing */
	return TRIAL_DONE;
}

static enum trial_result
measure_claims(struct scene *s, struct finding *f)
{
	const char *const *claims = s->trial->property->claims;
	enum trial_result result = TRIAL_DONE;

	for (size_t i = 0; i < CLAIMS_MAX && claims[i] != NULL; i++) {
		if (result == TRIAL_DONE)
			result = measure_claim(
			    s, claims[i], &f->measured[i], &f->limit[i]);
	}
	return result;
}

/* Measures one election. */
static enum trial_result
try_once(const struct trial *t, struct finding *f)
{
	struct scene s;
	enum trial_result result = scene_make(&s, t);

	*f = (struct finding){ 0 };
	if (result != TRIAL_DONE)
		return result;
	if (!scene_run(&s))
		result = TRIAL_NO_MEMORY;
	else
		result = measure_claims(&s, f);
	f->has_elected = scene_elected(&s);
	f->facts = s.facts;
	scene_free(&s);
	return result;
}

/* Measures many: the mean of each measure, and its standard error. */
static enum trial_result
try_often(const struct trial *t, struct finding *f)
{
	double sums[CLAIMS_MAX] = { 0 };
	double squares[CLAIMS_MAX] = { 0 };
	struct trial ring = *t;
	bool has_elected = true;

	for (uint64_t i = 0; i < PROPERTY_RINGS; i++) {
		enum trial_result result;

		ring.seed = t->seed * PROPERTY_RINGS + i;
		result = try_once(&ring, f);
		if (result != TRIAL_DONE)
			return result;
		has_elected &= f->has_elected;
		for (size_t c = 0; c < CLAIMS_MAX; c++) {
			sums[c] += f->measured[c];
			squares[c] += f->measured[c] * f->measured[c];
		}
	}
	f->has_elected = has_elected;
	for (size_t c = 0; c < CLAIMS_MAX; c++) {
		double mean = sums[c] / PROPERTY_RINGS;
		double variance = squares[c] / PROPERTY_RINGS - mean * mean;

		f->measured[c] = mean;
		f->slack[c] = PROPERTY_ERRORS *
			      sqrt(fmax(variance, 0) / (PROPERTY_RINGS - 1));
	}
	return TRIAL_DONE;
}

bool
property_is_mean(const struct property *p)
{
	for (size_t i = 0; i < CLAIMS_MAX && p->claims[i] != NULL; i++) {
		if (strchr(p->claims[i], '~') != NULL)
			return true;
	}
	return false;
}

enum trial_result
property_try(const struct trial *trial, struct finding *f)
{
	enum trial_result result = property_is_mean(trial->property)
				       ? try_often(trial, f)
				       : try_once(trial, f);

	if (result == TRIAL_DONE)
		finding_compare(f, trial);
	return result;
}

bool
finding_holds(const struct finding *f)
{
	for (size_t i = 0; i < CLAIMS_MAX; i++) {
		if (!f->holds[i])
			return false;
	}
	return f->has_elected;
}
