/* SPDX-License-Identifier: ISC */
/*
 * Discovery: hosts whose files do not list their nodes (PROTOCOL.md,
 * Discovery). What a host knows of others is in the document that it keeps; it
 * changes by the rules of common/host/nodes.h.
 */
#include "tests/model/world/process/process.h"

#include <inttypes.h>
#include <stdlib.h>

#define FORGET (20 * SEC)

/* What a host says of its node. */
static struct config_node
own_of(const struct world *w, const struct process *p)
{
	const struct place place = { p->host, w->network.addresses[p->host] };
	bool is_listed = w->discovery.voters >> p->host & 1;
	struct config_node own = {
		.id = p->id,
		.priority = p->told->priority,
		.role = p->told->role,
		.is_discovered = !is_listed,
	};

	if (w->setup.guarantee == GUARANTEE_QUORUM && !is_listed)
		own.role = ROLE_OBSERVER;
	snprintf(own.name, sizeof(own.name), "n%" PRIu32, p->id);
	place_text(&place, own.address);
	return own;
}

void
world_discover(struct world *w, unsigned voters, unsigned degree)
{
	const struct world_setup *s = &w->setup;
	const struct config empty = {
		.cluster = "world",
		.guarantee = s->guarantee,
		.algorithm = s->algorithm,
		.prefer = s->prefer,
		.preempt = s->preempt,
		.preempt_after = s->preempt_after,
		.topology = s->topology,
		.choices = s->choices,
		.timing = { .heartbeat = s->heartbeat,
		    .misses = s->misses,
		    .lease = s->lease,
		    .startup = s->startup },
		.discovers = true,
		.forget = FORGET,
		.degree = degree,
	};
	struct config *c = documents_draft(&empty, s->nodes);

	w->files.is_on = w->discovery.is_on = true;
	w->discovery.voters = voters;
	c->choices.diameter = 0;
	for (process_name name = 1; name <= s->nodes; name++) {
		struct process *p = &w->processes[name];

		p->told = calloc(1, sizeof(*p->told));
		assert(p->told != NULL);
		p->told->role = p->role;
		p->told->priority = p->priority;
		if (voters >> name & 1)
			c->nodes[c->nodes_count++] = own_of(w, p);
	}
	w->files.newest = documents_file(w, c);
	for (process_name name = 1; name <= s->nodes; name++)
		w->processes[name].configs.host_file =
		    w->processes[name].configs.kept = w->files.newest;
}

void
discovery_start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct config *c;

	p->told->nodes = (struct nodes){ .met_count = 0 };
	if (world_names(&p->configs.kept, p->id))
		return;
	c = documents_draft(&p->configs.host_file.document->config, 1);
	c->nodes[c->nodes_count++] = own_of(w, p);
	p->configs.kept = documents_file(w, c);
}

void
discovery_meet(struct world *w, process_name name, const struct joiner *joiner)
{
	struct told *a = w->processes[name].told;
	char text[ADDRESS_MAX_BYTES];

	a->met++;
	nodes_meet(&a->nodes, joiner, place_text(&w->source.place, text));
}

bool
discovery_next(struct world *w, process_name name, struct world_file *next)
{
	struct process *p = &w->processes[name];
	struct nodes *nodes = &p->told->nodes;
	const struct config *running = &p->configs.file.document->config;
	const struct config_node own = own_of(w, p);
	struct config *list;

	if (!rollout_is_idle(&p->configs.rollout, p->node) ||
	    !nodes_look(nodes, p->node, p->step.local, running, &own))
		return false;
	list = documents_draft(running, nodes->met_count);
	if (nodes_list(nodes, p->node, p->step.local, &own, list)) {
		*next = documents_file(w, list);
		return true;
	}
	free(list->nodes);
	free(list);
	return false;
}

struct world_file
discovery_file(struct world *w, process_name name,
    const struct world_file *file, const struct world_file *running)
{
	const struct config *wanted = &file->document->config;
	const struct config *now = &running->document->config;
	struct config *list;

	if (wanted->config_version < now->config_version)
		return *running;
	list = documents_draft(wanted, now->nodes_count + 1);
	nodes_follow(list, now, w->processes[name].id);
	return documents_file(w, list);
}

bool
discovery_usurps(
    const struct world *w, process_name name, const struct world_file *wanted)
{
	const struct process *p = &w->processes[name];

	return w->discovery.is_on &&
	       nodes_usurp(&p->configs.file.document->config,
		   &wanted->document->config, p->id);
}

void
world_rename(struct world *w, process_name name, node_id id)
{
	struct process *p = &w->processes[name];

	assert(w->discovery.is_on);
	if (world_runs(w, name))
		return;
	world_note(w, "host %u knows nobody, and is %" PRIu32, name, id);
	if (id != p->id) {
		p->disk.durable = (struct durable_state){ .incarnation = 0 };
		p->disk.is_lost = w->setup.guarantee == GUARANTEE_QUORUM;
	}
	p->id = id;
	p->configs.kept = p->configs.host_file;
}
