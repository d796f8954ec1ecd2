/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/faults.h"

#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double factor;
};

struct setting {
	const char *name;
	const struct unit *units;
	size_t offset;
	uint64_t max;
};

static const struct unit unit_percent[] = { { "%", PPM / 100 }, { 0 } };

static const struct unit unit_time[] = {
	{ "us", USEC },
	{ "ms", MSEC },
	{ "s", SEC },
	{ 0 },
};

static const struct unit unit_rate[] = {
	{ "kbit", 1e3 },
	{ "mbit", 1e6 },
	{ "gbit", 1e9 },
	{ 0 },
};

static const struct setting settings[] = {
	{ "loss", unit_percent, offsetof(struct faults, loss_ppm), PPM },
	{ "dup", unit_percent, offsetof(struct faults, duplicate_ppm), PPM },
	{ "reorder", unit_percent, offsetof(struct faults, reorder_ppm), PPM },
	{ "corrupt", unit_percent, offsetof(struct faults, corrupt_ppm), PPM },
	{ "delay", unit_time, offsetof(struct faults, delay_ns), DELAY_NS_MAX },
	{ "jitter", unit_time, offsetof(struct faults, jitter_ns),
	    DELAY_NS_MAX },
	{ "rate", unit_rate, offsetof(struct faults, rate_bps), RATE_BPS_MAX },
};

/* Reads digits with at most one point, and a unit; 0 needs none. */
static bool
faults_parse_value(
    const char *text, const struct unit *units, uint64_t max, uint64_t *value)
{
	size_t digits = strspn(text, "0123456789.");
	double number;
	char *end;

	if (strcmp(text, "0") == 0) {
		*value = 0;
		return true;
	}
	number = strtod(text, &end);
	if (digits == 0 || digits > 15 || end != text + digits)
		return false;
	for (; units->name != NULL; units++)
		if (strcmp(units->name, end) == 0)
			break;
	if (units->name == NULL || number * units->factor > (double)max)
		return false;
	*value = (uint64_t)(number * units->factor + 0.5);
	return true;
}

bool
faults_parse_time(const char *text, nsec_t *value)
{
	return faults_parse_value(text, unit_time, DELAY_NS_MAX, value);
}

bool
faults_parse(struct faults *f, const char *word)
{
	const struct setting *s = settings;
	size_t length, left = sizeof(settings) / sizeof(*settings);
	uint64_t value;

	if (strcmp(word, "none") == 0) {
		*f = (struct faults){ 0 };
		return true;
	}
	length = strcspn(word, "=");
	for (; left > 0; left--, s++)
		if (strlen(s->name) == length &&
		    strncmp(s->name, word, length) == 0)
			break;
	if (left == 0 || word[length] != '=')
		return false;
	if (!faults_parse_value(word + length + 1, s->units, s->max, &value))
		return false;
	memcpy((char *)f + s->offset, &value, sizeof(value));
	return true;
}
