/* SPDX-License-Identifier: ISC */
/* Space-time diagrams: well-formed, exact, bounded. */
#include "tests/unit/group.h"

#include <limits.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "algorithms/registry.h"
#include "daemon/history/diagram.h"
#include "tests/model/sim/run/record.h"

#define NODES_MOST 100

/* A drawing: an election of this many nodes, whose ids rise. */
struct drawing {
	const char *algorithm;
	enum schedule schedule;
	uint32_t nodes;
	bool is_one; /* only the last node starts */
	int result;  /* of diagram_write() */
	char *text;  /* the SVG; allocated; NULL: none */
};

static char *
read_text(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;
	ssize_t length;

	assert_non_null(in);
	length = getdelim(&text, &size, '\0', in);
	assert_int_equal(fclose(in), 0);
	if (length > 0)
		return text;
	free(text);
	return NULL;
}

static void
make_graph(struct graph *g, const struct algorithm *a, uint32_t nodes)
{
	struct random random;
	bool is_made = false;

	random_init(&random, 7);
	switch (a->topology) {
	case TOPOLOGY_FULL:
		is_made = graph_make_full(g, nodes);
		break;
	case TOPOLOGY_RING:
		is_made = graph_make_ring(g, nodes);
		break;
	case TOPOLOGY_TREE:
		is_made = graph_make_random_tree(g, nodes, &random);
		break;
	case TOPOLOGY_GRAPH:
		is_made = graph_make_grid(g, nodes, 1);
		break;
	}
	assert_true(is_made);
}

/* Makes a file of the test's own; gives its descriptor and its path. */
static int
file_open(char path[PATH_MAX])
{
	const char *tmp = getenv("TMPDIR");

	snprintf(
	    path, PATH_MAX, "%s/diagram-XXXXXX", tmp == NULL ? "/tmp" : tmp);
	return mkstemp(path);
}

static void
draw(struct drawing *d)
{
	char path[PATH_MAX];
	int fd = file_open(path);
	struct rank ranks[NODES_MOST];
	bool starters[NODES_MOST] = { 0 };
	struct graph graph;
	struct run_result result;
	struct record *record;
	struct causes causes;
	char error[HISTORY_ERROR_MAX];
	struct run_setup setup = {
		.algorithm = algorithm_find(d->algorithm),
		.graph = &graph,
		.ranks = ranks,
		.choices = { .diameter = d->nodes - 1 },
		.schedule = d->schedule,
		.starters = d->is_one ? starters : NULL,
		.observe = record_observe,
	};

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	assert_true(d->nodes <= NODES_MOST);
	for (uint32_t i = 0; i < d->nodes; i++)
		ranks[i] = (struct rank){ .is_eligible = true, .id = i + 1 };
	starters[d->nodes - 1] = true;
	make_graph(&graph, setup.algorithm, d->nodes);
	record = record_new(&setup);
	assert_non_null(record);
	setup.context = record;
	assert_true(run_election(&setup, &result));
	assert_non_null(record_histories(record));
	assert_true(causes_find(&causes, record_histories(record), error));
	d->result = diagram_write_file(path, &causes, NULL);
	d->text = read_text(path);
	causes_free(&causes);
	record_free(record);
	graph_free(&graph);
	assert_int_equal(unlink(path), 0);
}

static size_t
count(const char *text, const char *word)
{
	size_t found = 0;

	for (; (text = strstr(text, word)) != NULL; text++)
		found++;
	return found;
}

/*
 * Every tag has its end, in order, quotes are in pairs, and the text between
 * tags has no character that must be escaped.
 */
static void
assert_well_formed(const char *text)
{
	char open[16][16];
	size_t depth = 0;

	for (const char *end; (text = strchr(text, '<')) != NULL; text = end) {
		char name[16];
		bool closes = text[1] == '/';
		unsigned quotes = 0;

		assert_int_equal(
		    sscanf(text + 1 + closes, "%15[a-z]", name), 1);
		for (end = text + 1; *end != '>'; end++) {
			assert_true(*end != '\0' && *end != '<');
			quotes += *end == '"';
		}
		assert_int_equal(quotes % 2, 0);
		end += strcspn(end + 1, "<") + 1;
		assert_null(memchr(text, '&', (size_t)(end - text)));
		if (closes) {
			assert_true(depth > 0);
			assert_string_equal(open[--depth], name);
		} else if (*(strchr(text, '>') - 1) != '/') {
			assert_true(depth < 16);
			strcpy(open[depth++], name);
		}
	}
	assert_int_equal(depth, 0);
}

static const char three_nodes[] =
    "<text class=\"title\" x=\"24\" y=\"34\">bully, 3 nodes</text>\n"
    "<text class=\"facts\" x=\"24\" y=\"56\">2 messages, 1 unit of time;"
    " all follow node 3</text>\n"
    "<line class=\"arrow\" x1=\"24.0\" y1=\"82.0\" x2=\"50.0\""
    " y2=\"82.0\" stroke=\"#15803d\" marker-end=\"url(#head2)\"/>\n"
    "<text class=\"legend\" x=\"57.0\" y=\"86.0\">2 COORDINATOR</text>\n"
    "<path class=\"start\" d=\"M30.0 111.0 l-6 -10 h12 z\"/>\n"
    "<text class=\"legend\" x=\"42.0\" y=\"110.0\">starts</text>\n"
    "<circle class=\"leader\" cx=\"113.8\" cy=\"106.0\" r=\"7\"/>\n"
    "<text class=\"legend\" x=\"126.8\" y=\"110.0\">leads</text>\n"
    "<circle class=\"node\" cx=\"190.8\" cy=\"106.0\" r=\"5\"/>\n"
    "<text class=\"legend\" x=\"202.8\" y=\"110.0\">follows</text>\n"
    "<text class=\"axis\" x=\"98.0\" y=\"142.0\">time</text>\n"
    "<line class=\"grid\" x1=\"104.0\" y1=\"168.0\" x2=\"574.0\""
    " y2=\"168.0\"/><text class=\"axis\" x=\"98.0\""
    " y=\"171.5\">0</text>\n"
    "<line class=\"grid\" x1=\"104.0\" y1=\"358.0\" x2=\"574.0\""
    " y2=\"358.0\"/><text class=\"axis\" x=\"98.0\""
    " y=\"361.5\">1</text>\n"
    "<line class=\"asleep\" x1=\"120.0\" y1=\"152.0\" x2=\"120.0\""
    " y2=\"358.0\"/>\n"
    "<line class=\"follows\" x1=\"120.0\" y1=\"358.0\" x2=\"120.0\""
    " y2=\"370.0\"/>\n"
    "<rect class=\"node\" x=\"107.8\" y=\"126.0\" width=\"24.4\""
    " height=\"24\" rx=\"12\"/><text class=\"id\" x=\"120.0\""
    " y=\"142.7\">1</text>\n"
    "<rect class=\"node\" x=\"107.8\" y=\"370.0\" width=\"24.4\""
    " height=\"24\" rx=\"12\"/><text class=\"id\" x=\"120.0\""
    " y=\"386.7\">1</text>\n"
    "<line class=\"asleep\" x1=\"340.0\" y1=\"152.0\" x2=\"340.0\""
    " y2=\"358.0\"/>\n"
    "<line class=\"follows\" x1=\"340.0\" y1=\"358.0\" x2=\"340.0\""
    " y2=\"370.0\"/>\n"
    "<rect class=\"node\" x=\"327.8\" y=\"126.0\" width=\"24.4\""
    " height=\"24\" rx=\"12\"/><text class=\"id\" x=\"340.0\""
    " y=\"142.7\">2</text>\n"
    "<rect class=\"node\" x=\"327.8\" y=\"370.0\" width=\"24.4\""
    " height=\"24\" rx=\"12\"/><text class=\"id\" x=\"340.0\""
    " y=\"386.7\">2</text>\n"
    "<line class=\"asleep\" x1=\"560.0\" y1=\"152.0\" x2=\"560.0\""
    " y2=\"168.0\"/>\n"
    "<line class=\"leads\" x1=\"560.0\" y1=\"168.0\" x2=\"560.0\""
    " y2=\"370.0\"/>\n"
    "<rect class=\"leader\" x=\"547.8\" y=\"126.0\" width=\"24.4\""
    " height=\"24\" rx=\"12\"/><text class=\"id\" x=\"560.0\""
    " y=\"142.7\">3</text>\n"
    "<rect class=\"leader\" x=\"547.8\" y=\"370.0\" width=\"24.4\""
    " height=\"24\" rx=\"12\"/><text class=\"id\" x=\"560.0\""
    " y=\"386.7\">3</text>\n"
    "<line class=\"arrow\" x1=\"560.0\" y1=\"168.0\" x2=\"125.5\""
    " y2=\"355.6\" stroke=\"#15803d\""
    " marker-end=\"url(#head2)\"><title>COORDINATOR, rank of 3: from 3"
    " at 0 to 1 at 1</title></line>\n"
    "<line class=\"arrow\" x1=\"560.0\" y1=\"168.0\" x2=\"344.5\""
    " y2=\"354.1\" stroke=\"#15803d\""
    " marker-end=\"url(#head2)\"><title>COORDINATOR, rank of 3: from 3"
    " at 0 to 2 at 1</title></line>\n"
    "<path class=\"start\" d=\"M560.0 161.0 l-6 -10 h12 z\"/>\n"
    "<circle class=\"leader\" cx=\"560.0\" cy=\"168.0\" r=\"7\"/>\n"
    "<circle class=\"node\" cx=\"120.0\" cy=\"358.0\" r=\"5\"/>\n"
    "<circle class=\"node\" cx=\"340.0\" cy=\"358.0\" r=\"5\"/>\n"
    "<g transform=\"translate(403.6 228.9) rotate(-23.4)\"><rect"
    " class=\"strip\" x=\"-41.7\" y=\"-4.7\" width=\"83.4\""
    " height=\"9.5\"/><text class=\"label\" font-size=\"10.5\""
    " fill=\"#15803d\" y=\"3.8\">COORDINATOR 3</text></g>\n"
    "<g transform=\"translate(446.0 258.4) rotate(-40.8)\"><rect"
    " class=\"strip\" x=\"-41.7\" y=\"-4.7\" width=\"83.4\""
    " height=\"9.5\"/><text class=\"label\" font-size=\"10.5\""
    " fill=\"#15803d\" y=\"3.8\">COORDINATOR 3</text></g>\n"
    "</svg>\n";

/* Gives all that follows the style sheet and the arrowheads. */
TEST(diagram_of_three_nodes_has_this_text)
{
	struct drawing d = { "bully", SCHEDULE_UNIT, 3, true, 0, NULL };
	const char *body;

	draw(&d);
	assert_int_equal(d.result, 0);
	body = strstr(d.text, "<text class=\"title\"");
	assert_non_null(body);
	assert_string_equal(body, three_nodes);
	free(d.text);
}

TEST(diagrams_of_all_algorithms_are_well_formed)
{
	static const uint32_t sizes[] = { 1, 2, 3, 8 };

	for (size_t a = 0; algorithms[a] != NULL; a++) {
		for (size_t i = 0; i < 8; i++) {
			struct drawing d = { algorithms[a]->name,
				i % 2 == 0 ? SCHEDULE_UNIT : SCHEDULE_RANDOM,
				sizes[i / 2], false, 0, NULL };

			draw(&d);
			assert_int_equal(d.result, 0);
			assert_non_null(d.text);
			assert_well_formed(d.text);
			assert_non_null(strstr(d.text, "all follow node"));
			free(d.text);
		}
	}
}

/* 2n - 1 ELECTION and n LEADER, each with its arrow, label and tooltip. */
TEST(every_message_of_a_ring_has_its_arrow_and_its_label)
{
	struct drawing d = { "chang-roberts", SCHEDULE_UNIT, 8, false, 0,
		NULL };

	draw(&d);
	assert_int_equal(d.result, 0);
	assert_int_equal(count(d.text, "</title></line>\n"), 23);
	assert_int_equal(count(d.text, "<title>ELECTION, "), 15);
	assert_int_equal(count(d.text, "<title>LEADER, "), 8);
	assert_int_equal(count(d.text, ">ELECTION 8</text>"), 8);
	assert_int_equal(count(d.text, ">LEADER 8</text>"), 8);
	for (char id = '1'; id < '8'; id++) {
		char label[] = ">ELECTION x</text>";

		label[strlen(">ELECTION ")] = id;
		assert_int_equal(count(d.text, label), 1);
	}
	assert_non_null(strstr(d.text, "23 messages, 16 units of time;"));
	free(d.text);
}

/* 2(n - 1) TOKEN along a path: onward, then back. Elsewhere they are
 * numbers. */
TEST(phases_are_shown_by_their_names)
{
	struct drawing walk = { "traversal", SCHEDULE_UNIT, 4, true, 0, NULL };
	struct drawing flood = { "floodmax", SCHEDULE_UNIT, 4, true, 0, NULL };
	struct drawing ring = { "hirschberg-sinclair", SCHEDULE_UNIT, 4, true,
		0, NULL };

	draw(&walk);
	assert_int_equal(count(walk.text, ", onward: from"), 3);
	assert_int_equal(count(walk.text, ", back: from"), 3);
	assert_non_null(strstr(walk.text, ">TOKEN 4 onward</text>"));
	assert_null(strstr(walk.text, "(k)"));
	free(walk.text);
	draw(&flood);
	assert_int_equal(count(flood.text, "(k) = round k"), 1);
	assert_non_null(strstr(flood.text, ", round 2: from"));
	free(flood.text);
	draw(&ring);
	assert_int_equal(count(ring.text, "(k) = phase k"), 1);
	free(ring.text);
}

TEST(a_ring_of_eight_fits_a_screen)
{
	struct drawing d = { "chang-roberts", SCHEDULE_UNIT, 8, false, 0,
		NULL };

	draw(&d);
	assert_non_null(strstr(d.text, " width=\"1280\" height=\"800\""));
	free(d.text);
}

TEST(too_many_nodes_are_refused)
{
	struct drawing most = { "chang-roberts", SCHEDULE_UNIT,
		DIAGRAM_NODES_MAX, false, 0, NULL };
	struct drawing more = { "chang-roberts", SCHEDULE_UNIT,
		DIAGRAM_NODES_MAX + 1, false, 0, NULL };

	draw(&most);
	assert_int_equal(most.result, 0);
	assert_well_formed(most.text);
	free(most.text);
	draw(&more);
	assert_int_equal(more.result, -E2BIG);
	assert_null(more.text);
}

/* lelann sends n(n + 1): 44 nodes send 1980, 45 send 2070. */
TEST(too_many_messages_are_refused)
{
	struct drawing most = { "lelann", SCHEDULE_UNIT, 44, false, 0, NULL };
	struct drawing more = { "lelann", SCHEDULE_UNIT, 45, false, 0, NULL };

	draw(&most);
	assert_int_equal(most.result, 0);
	assert_int_equal(count(most.text, "</title></line>\n"), 1980);
	free(most.text);
	draw(&more);
	assert_int_equal(more.result, -E2BIG);
	assert_null(more.text);
}

/* Writes a diagram to a new file, which cannot be done. */
static int
written(const struct causes *c)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX];
	int error;

	snprintf(
	    path, sizeof(path), "%s/diagram.svg", tmp == NULL ? "/tmp" : tmp);
	error = diagram_write_file(path, c, NULL);
	assert_int_equal(access(path, F_OK), -1);
	return error;
}

/* The same, on a disk that takes nothing. */
static int
written_without_room(const struct causes *c)
{
	struct rlimit before, none;
	int error;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	error = written(c);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	return error;
}

TEST(a_file_that_cannot_be_written_is_an_error)
{
	static struct event event = { .number = 1 };
	static struct history node = { .id = 1,
		.algorithm = "bully",
		.first = 1,
		.last = 1,
		.events = &event,
		.count = 1 };
	const struct histories one = {
		.nodes = &node, .count = 1, .events_count = 1
	};
	const struct histories none = { .count = 0 };
	char error[HISTORY_ERROR_MAX];
	struct causes c;

	assert_true(causes_find(&c, &one, error));
	assert_int_equal(
	    diagram_write_file("/nowhere/diagram.svg", &c, NULL), -ENOENT);
	assert_int_equal(diagram_write_file("/dev/full", &c, NULL), -EEXIST);
	assert_int_equal(written_without_room(&c), -EFBIG);
	causes_free(&c);
	event.at = DIAGRAM_ROWS_MAX + 1;
	node.clock = HISTORY_STEPS;
	assert_true(causes_find(&c, &one, error));
	assert_int_equal(written(&c), -E2BIG);
	causes_free(&c);
	assert_true(causes_find(&c, &none, error));
	assert_int_equal(written(&c), -ENODATA);
	causes_free(&c);
}
