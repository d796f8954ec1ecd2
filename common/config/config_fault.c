/* SPDX-License-Identifier: ISC */
/* How a fault of a configuration is told. */
#include "common/config/config_private.h"

#include <stdarg.h>
#include <stdio.h>

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

/* The names of places: the setting, and what follows its entry. */
static const struct {
	const char *setting; /* NULL: the algorithm's group */
	const char *member;
} places[] = {
	[AT_NODES] = { "nodes", NULL },
	[AT_NODE_ID] = { "nodes", "id" },
	[AT_NODE_NAME] = { "nodes", "name" },
	[AT_NODE_ADDRESS] = { "nodes", "address" },
	[AT_NODE_DISCOVERED] = { "nodes", "discovered" },
	[AT_ALGORITHM] = { "algorithm", NULL },
	[AT_KIND] = { "topology.kind", NULL },
	[AT_ORDER] = { "topology.order", NULL },
	[AT_LINKS] = { "topology.links", NULL },
	[AT_DEGREE] = { "topology.degree", NULL },
	[AT_DIAMETER] = { "topology.diameter", NULL },
	[AT_WAKEUP] = { NULL, "wakeup" },
	[AT_ANNOUNCE] = { NULL, "announce" },
	[AT_LEASE] = { "timing.lease", NULL },
	[AT_GENERATION] = { "generation", NULL },
};

const char *
config_fault_name(const struct config *c, const struct config_fault *fault,
    const char *list, char buffer[FAULT_NAME_MAX])
{
	const char *setting = places[fault->at].setting;
	const char *member = places[fault->at].member;
	char entry[24] = "";

	if (setting == NULL)
		setting = c->algorithm->name;
	else if (fault->at <= AT_NODE_DISCOVERED)
		setting = list;
	if (fault->entry != NO_ENTRY)
		snprintf(entry, sizeof(entry), "[%zu]", fault->entry);
	snprintf(buffer, FAULT_NAME_MAX, "%s%s%s%s", setting, entry,
	    member != NULL ? "." : "", member != NULL ? member : "");
	return buffer;
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
