/* SPDX-License-Identifier: ISC */
/* How a fault of a configuration is told. */
#include "common/config/config_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
algorithm_has(const struct algorithm *algorithm, unsigned choices)
{
	return (algorithm->choices & choices) != 0;
}

const char *
algorithms_list(const struct algorithm *const *known,
    bool (*passes)(const struct algorithm *, unsigned), unsigned what,
    char buffer[ALGORITHMS_BYTES])
{
	size_t used = 0;

	snprintf(buffer, ALGORITHMS_BYTES, "none");
	for (size_t i = 0; known[i] != NULL; i++) {
		if (passes != NULL && !passes(known[i], what))
			continue;
		if (used < ALGORITHMS_BYTES)
			used += (size_t)snprintf(buffer + used,
			    ALGORITHMS_BYTES - used, "%s\"%s\"",
			    used == 0 ? "" : ", ", known[i]->name);
	}
	return buffer;
}

const char *
config_fault_name(const struct config *c, const struct config_fault *fault,
    const char *list, char buffer[FAULT_NAME_MAX])
{
	const char *at = fault->at, *begin = "", *rest;
	char entry[24] = "";

	if (*at == '*') {
		begin = c->algorithm->name;
		at++;
	} else if (config_fault_is_of_node(fault)) {
		begin = list;
		at += strlen("nodes");
	}
	rest = strchr(at, '[');
	if (fault->entry != NO_ENTRY)
		snprintf(entry, sizeof(entry), "[%zu]", fault->entry);
	snprintf(buffer, FAULT_NAME_MAX, "%s%.*s%s%s", begin,
	    (int)(rest != NULL ? (size_t)(rest - at) : strlen(at)), at, entry,
	    rest != NULL ? rest + strlen("[]") : "");
	return buffer;
}

bool
config_fault_is_of_node(const struct config_fault *fault)
{
	return strncmp(fault->at, "nodes", strlen("nodes")) == 0;
}

struct config_fault
fault_at(const char *at, const char *advice)
{
	return fault_in(at, NO_ENTRY, NO_ENTRY, advice);
}

struct config_fault
fault_in(const char *at, size_t entry, size_t other, const char *advice)
{
	return (struct config_fault){
		.at = at, .entry = entry, .other = other, .advice = advice
	};
}

void
fault_add(struct checker *k, struct config_fault fault, const char *format, ...)
{
	char text[FAULT_TEXT_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fault.text = text;
	k->is_right = false;
	k->take(k->context, &fault);
}
