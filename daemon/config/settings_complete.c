/* SPDX-License-Identifier: ISC */
/* Completes the settings of a file, and checks what they mean together. */
#include "daemon/config/settings_private.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/config/config_check.h"

#define LEASE_DEFAULT (2 * SEC) /* longer if the heartbeats need it */

/* The name of the list of the nodes. */
static const char *
list_name(const struct parse *p)
{
	return p->settings->shared.neighbours_only ? "neighbours" : "nodes";
}

/* Adds a fault of the configuration as an error of the file. */
static void
take_fault(void *context, const struct config_fault *fault)
{
	struct parse *p = context;
	struct config_fault at = *fault;
	char name[FAULT_NAME_MAX], other[32] = "";
	bool is_neighbour = p->settings->shared.neighbours_only &&
			    config_fault_is_of_node(fault);

	if (fault->other != NO_ENTRY) {
		at.entry = fault->other;
		if (is_neighbour)
			at.entry = p->entries[at.entry];
		config_fault_name(
		    &p->settings->shared, &at, list_name(p), name);
		snprintf(
		    other, sizeof(other), " in line %d", parse_line(p, name));
	}
	at.entry = fault->entry;
	if (is_neighbour && at.entry != NO_ENTRY)
		at.entry = p->entries[at.entry];
	config_fault_name(&p->settings->shared, &at, list_name(p), name);
	parse_complain(p, name, "%s%s%s%s", fault->text, other,
	    fault->advice != NULL ? "; " : "",
	    fault->advice != NULL ? fault->advice : "");
}

static void
complete_timing(struct parse *p)
{
	struct config *c = &p->settings->shared;
	nsec_t least = config_lease_least(&c->timing);

	if (parse_line(p, "timing.lease") == 0)
		c->timing.lease = least > LEASE_DEFAULT ? least : LEASE_DEFAULT;
	if (!c->discovers)
		c->forget = 0;
	else if (c->forget == 0)
		c->forget = FORGET_MIN; /* it is wrong, and has its error */
}

/* Checks that one list of the two is given, and suits the rest. */
static void
check_lists(struct parse *p)
{
	struct config *c = &p->settings->shared;
	int nodes = parse_line(p, "nodes");
	int neighbours = parse_line(p, "neighbours");
	bool is_quorum = c->guarantee == GUARANTEE_QUORUM;

	c->neighbours_only = neighbours > 0 && nodes == 0;
	if (is_quorum && c->neighbours_only)
		parse_complain(p, "guarantee",
		    "\"quorum\" needs every voter to be known; list them all in \"nodes\", instead of \"neighbours\" (line %d)",
		    neighbours);
	if (nodes > 0 && neighbours > 0)
		parse_complain(p, "neighbours",
		    "cannot be given together with \"nodes\" (line %d); keep one of the two",
		    nodes);
	else if (nodes + neighbours == 0 && !c->discovers)
		parse_complain(p, "nodes",
		    "is missing; list every node of the cluster, or find them by discovery = true");
	else if (nodes + neighbours == 0 && is_quorum)
		parse_complain(p, "nodes",
		    "is missing; list every voter of the cluster: discovery finds observers only under guarantee \"quorum\"");
	else if (parse_has(p, list_name(p)) &&
		 c->nodes_count + p->neighbours_count == 0)
		parse_complain(
		    p, list_name(p), "is empty; list at least one node");
	else if (nodes > 0 && c->discovers && !is_quorum)
		parse_complain(p, "nodes",
		    "cannot be given together with discovery, which finds them; remove the list, or discovery");
}

/* True if a node has this id, or may be meant to. */
static bool
may_have(const struct config *c, node_id id)
{
	for (size_t i = 0; i < c->nodes_count; i++) {
		if (c->nodes[i].id == id || c->nodes[i].id == NODE_NONE)
			return true;
	}
	return c->nodes_count == 0;
}

/* Adds an error if no node has our own id, which is maybe an option. */
static void
check_self(struct parse *p, bool is_option)
{
	const struct config *c = &p->settings->shared;
	node_id self = p->settings->id;

	if (self == NODE_NONE || may_have(c, self) || c->discovers ||
	    c->neighbours_only)
		return;
	settings_errors_add(p->errors, is_option ? 0 : parse_line(p, "id"),
	    "id", "%u%s is not among the nodes; give the id of one of them",
	    self, is_option ? ", from the command line," : "");
}

/* One socket serves all. */
static void
check_listen(struct parse *p)
{
	const struct config *c = &p->settings->shared;
	const char *listen = p->settings->listen;
	size_t first = config_first_family(c), entry;
	char name[SETTING_MAX_BYTES];
	enum family family, other;

	if (listen[0] == '\0' || first == c->nodes_count)
		return;
	family = address_family(listen);
	other = address_family(c->nodes[first].address);
	if (family == FAMILY_ANY || family == other)
		return;
	entry = c->neighbours_only ? p->entries[first] : first;
	member_name(list_name(p), entry, "address", name);
	parse_complain(p, "listen",
	    "\"%s\" is %s, not %s as the address in line %d; all must be of one family",
	    listen, family_words[family], family_words[other],
	    parse_line(p, name));
}

/* Refuses lists that need `nodes`, or that are empty. Returns how many entries
 * are usable. */
static size_t
usable(struct parse *p, const char *name, size_t count, const char *advice)
{
	int neighbours = parse_line(p, "neighbours");

	if (!parse_has(p, name))
		return 0;
	if (neighbours > 0)
		parse_complain(p, name,
		    "cannot be given together with \"neighbours\" (line %d); remove it",
		    neighbours);
	else if (count == 0)
		parse_complain(p, name, "is empty; remove it, or %s", advice);
	return neighbours > 0 ? 0 : count;
}

static void
complete_diameter(struct parse *p)
{
	static const char name[] = "topology.diameter";
	struct config *c = &p->settings->shared;
	bool is_partial = c->neighbours_only && c->topology != TOPOLOGY_FULL;
	bool is_wrong = parse_line(p, name) > 0 && !parse_has(p, name);
	char list[ALGORITHMS_BYTES];
	const char *at = "topology.kind";

	if (is_wrong || c->algorithm == NULL)
		return;
	if (!algorithm_has(c->algorithm, CHOICE_DIAMETER)) {
		if (parse_line(p, name) > 0)
			parse_complain(p, name,
			    "is not for \"%s\"; algorithms that have it: %s",
			    c->algorithm->name,
			    algorithms_list(algorithms, algorithm_has,
				CHOICE_DIAMETER, list));
		c->choices.diameter = 0;
		return;
	}
	if (c->choices.diameter > 0 || !is_partial)
		return;
	if (parse_line(p, name) > 0)
		at = name;
	else if (parse_line(p, at) == 0)
		at = "algorithm";
	settings_errors_add(p->errors, parse_line(p, at), name,
	    "is missing; \"%s\" needs the greatest number of links between two nodes, where they know only their neighbours",
	    c->algorithm->name);
}

static void
complete_topology(struct parse *p)
{
	struct config *c = &p->settings->shared;
	bool is_given = parse_line(p, "topology.kind") > 0;
	bool is_known =
	    is_given ? parse_has(p, "topology.kind") : c->algorithm != NULL;
	bool is_linked;

	if (!is_known) {
		/* Then nothing is checked against it. */
		c->algorithm = NULL;
		c->order_count = c->links_count = c->degree = 0;
		return;
	}
	if (!is_given)
		c->topology = c->algorithm->topology;
	c->order_count =
	    usable(p, "topology.order", c->order_count, "list every node once");
	c->links_count =
	    usable(p, "topology.links", c->links_count, "link every node");
	is_linked =
	    c->topology == TOPOLOGY_TREE || c->topology == TOPOLOGY_GRAPH;
	if (parse_line(p, "topology.degree") == 0 &&
	    !(is_linked && c->discovers))
		c->degree = 0;
	if (c->neighbours_only)
		neighbours_build_sides(p);
	complete_diameter(p);
}

/* Refuses what discovery cannot do. */
static void
complete_discovery(struct parse *p)
{
	struct settings *s = p->settings;
	int neighbours = parse_line(p, "neighbours");
	enum role role = s->discovery.role;

	s->file_config_version = s->shared.config_version;
	if (!s->shared.discovers)
		return;
	s->discovery.role = config_discovered_role(&s->shared, role);
	if (role != s->discovery.role && parse_has(p, "self.role"))
		parse_complain(p, "self.role",
		    "must be \"observer\" under guarantee \"quorum\"; a voter must be among the nodes");
	if (neighbours > 0)
		parse_complain(p, "discovery",
		    "cannot be given together with \"neighbours\" (line %d); keep one of the two",
		    neighbours);
	if (parse_line(p, "multicast.group") == 0 &&
	    s->discovery.join_count == 0)
		parse_complain(p, "discovery",
		    "needs multicast.group or join, to find the other nodes");
}

/* Writes `path` with `id` for each "%i", as far as there is room. Returns the
 * size of the whole. */
static size_t
socket_expand(const char *path, node_id id, char to[PATH_MAX_BYTES])
{
	size_t size = 0;

	to[0] = '\0';
	for (; *path != '\0'; path++) {
		char text[ID_TEXT_MAX] = { *path, '\0' };

		if (path[0] == '%' && path[1] == 'i') {
			snprintf(text, sizeof(text), "%u", id);
			path++;
		}
		if (size < PATH_MAX_BYTES)
			snprintf(to + size, PATH_MAX_BYTES - size, "%s", text);
		size += strlen(text);
	}
	return size;
}

void
settings_set_id(struct settings *s, node_id self)
{
	char path[PATH_MAX_BYTES];

	socket_expand(s->socket, self, path);
	memset(s->socket, 0, sizeof(s->socket));
	memcpy(s->socket, path, strlen(path));
	s->id = self;
}

/* The id for the socket's path: ours if it is known, or the longest one. */
static node_id
socket_id(const struct settings *s)
{
	const struct config *c = &s->shared;
	node_id longest = c->discovers ? NODE_ID_MAX : NODE_NONE;

	for (size_t i = 0; i < c->nodes_count; i++)
		longest = longest < c->nodes[i].id ? c->nodes[i].id : longest;
	return s->id != NODE_NONE ? s->id : longest;
}

static void
complete_socket(struct parse *p)
{
	const struct sockaddr_un *address;
	struct settings *s = p->settings;
	char path[PATH_MAX_BYTES], value[QUOTED_MAX];
	size_t size = socket_expand(s->socket, socket_id(s), path);

	if (size + strlen(".admin") >= sizeof(address->sun_path))
		parse_complain(p, "control.socket",
		    "%s is too long; with \".admin\" inserted it may have at most 107 bytes",
		    quoted(s->socket, value));
	else if (s->id != NODE_NONE)
		settings_set_id(s, s->id);
}

static void
complete_files(struct parse *p)
{
	struct settings *s = p->settings;
	const char *cluster = s->shared.cluster;

	if (parse_line(p, "security.key_file") == 0)
		snprintf(s->key_file, sizeof(s->key_file), "/etc/electd/%s.key",
		    cluster);
	if (parse_line(p, "control.socket") == 0)
		snprintf(s->socket, sizeof(s->socket), "/run/electd/%s.sock",
		    cluster);
	else if (s->socket[0] != '\0')
		complete_socket(p);
}

/* Adds an error if a check before this one has its name. */
static void
check_names(struct parse *p, size_t i)
{
	const struct settings_check *checks = p->settings->checks;
	char name[SETTING_MAX_BYTES];
	size_t j = 0;
	int line;

	while (j < i && strcmp(checks[j].name, checks[i].name) != 0)
		j++;
	if (j == i || checks[i].name[0] == '\0')
		return;
	line = parse_line(p, member_name("checks", j, "name", name));
	parse_complain(p, member_name("checks", i, "name", name),
	    "\"%s\" is already used in line %d; give each check its own",
	    checks[i].name, line);
}

/* Adds an error unless a check has one thing to do. */
static void
check_work(struct parse *p, size_t i)
{
	static const char *const works[] = { "command", "unit", "disk",
		"pressure" };
	const char *found = NULL;
	char name[SETTING_MAX_BYTES];
	int line = 0;

	for (size_t j = 0; j < sizeof(works) / sizeof(works[0]); j++) {
		int other =
		    parse_line(p, member_name("checks", i, works[j], name));

		if (other > 0 && found != NULL)
			parse_complain(p, name,
			    "cannot be given together with \"%s\" (line %d); keep one of the two",
			    found, line);
		if (other > 0 && found == NULL) {
			found = works[j];
			line = other;
		}
	}
	snprintf(name, sizeof(name), "checks[%zu]", i);
	if (found == NULL && p->settings->checks[i].name[0] != '\0')
		parse_complain(p, name,
		    "has nothing to do; give it a command, unit, disk or pressure");
}

static void
complete_check(struct parse *p, size_t i)
{
	struct settings_check *check = &p->settings->checks[i];
	char name[SETTING_MAX_BYTES];
	int pressure;

	check_names(p, i);
	check_work(p, i);
	if (parse_line(p, member_name("checks", i, "timeout", name)) == 0)
		check->timeout = check->interval;
	pressure = parse_line(p, member_name("checks", i, "pressure", name));
	if (parse_line(p, member_name("checks", i, "limit", name)) == 0)
		check->limit = pressure != 0 ? PRESSURE_LIMIT : 0;
	else if (pressure == 0)
		parse_complain(p, name,
		    "is of a pressure; give that as well, or remove it");
}

static void
check_whole(struct parse *p)
{
	struct config_work *work = malloc(sizeof(*work));
	struct config *c = &p->settings->shared;

	if (work == NULL) {
		p->errors->out_of_memory = true;
		return;
	}
	config_check(c, p->settings->id, algorithms, work, take_fault, p);
	if (!settings_errors_any(p->errors)) {
		if (c->neighbours_only)
			neighbours_add_self(p->settings);
		config_complete(c);
		config_check_whole(c, work, take_fault, p);
	}
	free(work);
}

void
settings_complete(struct parse *p, node_id id)
{
	struct settings *s = p->settings;

	if (id != NODE_NONE)
		s->id = id;
	check_lists(p);
	complete_timing(p);
	if (s->shared.neighbours_only)
		neighbours_build_nodes(p);
	check_self(p, id != NODE_NONE);
	check_listen(p);
	complete_topology(p);
	complete_discovery(p);
	check_whole(p);
	complete_files(p);
	for (size_t i = 0; i < s->checks_count; i++)
		complete_check(p, i);
}
