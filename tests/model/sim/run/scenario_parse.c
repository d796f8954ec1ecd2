/* SPDX-License-Identifier: ISC */
/* The options of `electsim run`. */
#include "tests/model/sim/run/scenario.h"

#include <getopt.h>

#include "tests/model/sim/arguments.h"

enum option_id {
	OPTION_ALGORITHM = 256,
	OPTION_TOPOLOGY,
	OPTION_NODES,
	OPTION_IDS,
	OPTION_LINKS,
	OPTION_STARTERS,
	OPTION_PRIORITIES,
	OPTION_ABSTAIN,
	OPTION_JOIN,
	OPTION_WAKEUP,
	OPTION_ANNOUNCE,
	OPTION_VARIANT,
	OPTION_PREFER,
	OPTION_DIAMETER,
	OPTION_SCHEDULE,
	OPTION_SEED,
	OPTION_SVG,
	OPTION_HISTORY,
	OPTION_TRACE,
	OPTION_FORCE,
};

static const struct option longs[] = {
	{ "algorithm", required_argument, NULL, OPTION_ALGORITHM },
	{ "topology", required_argument, NULL, OPTION_TOPOLOGY },
	{ "nodes", required_argument, NULL, OPTION_NODES },
	{ "ids", required_argument, NULL, OPTION_IDS },
	{ "links", required_argument, NULL, OPTION_LINKS },
	{ "starters", required_argument, NULL, OPTION_STARTERS },
	{ "priorities", required_argument, NULL, OPTION_PRIORITIES },
	{ "abstain", required_argument, NULL, OPTION_ABSTAIN },
	{ "join", required_argument, NULL, OPTION_JOIN },
	{ "wakeup", required_argument, NULL, OPTION_WAKEUP },
	{ "announce", required_argument, NULL, OPTION_ANNOUNCE },
	{ "variant", required_argument, NULL, OPTION_VARIANT },
	{ "prefer", required_argument, NULL, OPTION_PREFER },
	{ "diameter", required_argument, NULL, OPTION_DIAMETER },
	{ "schedule", required_argument, NULL, OPTION_SCHEDULE },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "svg", required_argument, NULL, OPTION_SVG },
	{ "history", required_argument, NULL, OPTION_HISTORY },
	{ "trace", no_argument, NULL, OPTION_TRACE },
	{ "force", no_argument, NULL, OPTION_FORCE },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Keeps the texts that are read later, together; NULL: another option. */
static const char **
option_text(struct scenario_options *o, int option)
{
	switch (option) {
	case OPTION_ALGORITHM:
		return &o->algorithm;
	case OPTION_TOPOLOGY:
		return &o->topology;
	case OPTION_IDS:
		return &o->ids;
	case OPTION_LINKS:
		return &o->links;
	case OPTION_STARTERS:
		return &o->starters;
	case OPTION_PRIORITIES:
		return &o->priorities;
	case OPTION_ABSTAIN:
		return &o->abstain;
	case OPTION_VARIANT:
		o->choices_given |= CHOICE_VARIANT;
		return &o->variant;
	case OPTION_SVG:
		return &o->svg;
	case OPTION_HISTORY:
		return &o->history;
	default:
		return NULL;
	}
}

/* Gives NULL if the choice is valid, else what it should be. */
static const char *
take_choice(struct scenario_options *o, int option, const char *text)
{
	enum choice which = CHOICE_JOIN;
	uint64_t number;

	switch (option) {
	case OPTION_JOIN:
		break;
	case OPTION_WAKEUP:
		which = CHOICE_WAKEUP;
		break;
	case OPTION_ANNOUNCE:
		which = CHOICE_ANNOUNCE;
		break;
	case OPTION_DIAMETER:
		o->choices_given |= CHOICE_DIAMETER;
		if (!argument_number(text, 1, GRAPH_NODES_MAX, &number))
			return "--diameter is a number from 1 to 16777216";
		o->choices.diameter = (uint32_t)number;
		return NULL;
	default:
		return "";
	}
	o->choices_given |= which;
	return argument_choice(which, text, &o->choices);
}

static const char *
take_option(struct scenario_options *o, int option, const char *text)
{
	static const char *const prefers[] = { "highest", "lowest", NULL };
	static const char *const schedules[] = { "unit", "random", NULL };
	uint64_t number;
	unsigned i;

	switch (option) {
	case OPTION_NODES:
		if (!argument_number(text, 1, GRAPH_NODES_MAX, &number))
			return "--nodes is a number from 1 to 16777216";
		o->nodes = (uint32_t)number;
		return NULL;
	case OPTION_PREFER:
		if (!argument_word(text, prefers, &i))
			return "--prefer is highest or lowest";
		o->prefer = i == 0 ? PREFER_HIGHEST : PREFER_LOWEST;
		return NULL;
	case OPTION_SCHEDULE:
		if (!argument_word(text, schedules, &i))
			return "--schedule is unit or random";
		o->schedule = i == 0 ? SCHEDULE_UNIT : SCHEDULE_RANDOM;
		return NULL;
	case OPTION_SEED:
		return argument_number(text, 0, UINT64_MAX, &o->seed)
			   ? NULL
			   : "--seed is a number";
	case 'o':
		return argument_output(text, &o->is_json)
			   ? NULL
			   : "--output is text or json";
	default:
		return take_choice(o, option, text);
	}
}

/* Takes the options without a value. */
static bool
take_flag(struct scenario_options *o, int option)
{
	switch (option) {
	case OPTION_TRACE:
		o->wants_trace = true;
		return true;
	case OPTION_FORCE:
		o->is_forced = true;
		return true;
	case 'h':
		o->wants_help = true;
		return true;
	default:
		return false;
	}
}

bool
scenario_parse(struct scenario_options *o, int argc, char **argv)
{
	int option;

	*o = (struct scenario_options){ .seed = 1 };
	optind = 0;
	while ((option = getopt_long(argc, argv, "o:h", longs, NULL)) != -1) {
		const char **text = option_text(o, option);
		const char *wrong = NULL;

		if (option == '?')
			return false;
		if (text != NULL)
			*text = optarg;
		else if (!take_flag(o, option))
			wrong = take_option(o, option, optarg);
		if (wrong != NULL) {
			argument_complain("%s, not \"%s\"", wrong, optarg);
			return false;
		}
	}
	if (optind < argc)
		argument_complain("what is \"%s\"?", argv[optind]);
	return optind == argc;
}
