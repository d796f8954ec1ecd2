/* SPDX-License-Identifier: ISC */
/* electsim replay: what nodes did, done once more by the same core. */
#include "tests/model/sim/command.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/history/diagram.h"
#include "tests/model/sim/arguments.h"
#include "tests/model/sim/replay/replay.h"

enum option_id {
	OPTION_TRACE = 256,
	OPTION_UNTIL,
	OPTION_SVG,
};

static const struct option longs[] = {
	{ "trace", no_argument, NULL, OPTION_TRACE },
	{ "until", required_argument, NULL, OPTION_UNTIL },
	{ "svg", required_argument, NULL, OPTION_SVG },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
    "usage: electsim replay [OPTION...] FILE...\n"
    "Plays what electctl record wrote: the same core gets the same inputs, and must\n"
    "do the same. FILEs of several nodes are of one incident.\n"
    "  --trace     print each input and what the node did then; of several nodes\n"
    "              side by side, each datagram after it was sent\n"
    "  --until N   play the inputs up to the number N of each node\n"
    "  --svg FILE  draw the elections as a space-time diagram\n"
    "It exits 0 if all actions are the same, 1 if not; it says at which input they\n"
    "first differ. 2: a FILE is no such file; 6: it is of another build, or too\n"
    "large for a diagram.\n"
    "\n"
    "Example, what two nodes did in the last minutes:\n"
    "  electsim replay --trace web1.tape web2.tape\n";

struct loaded {
	const char *path;
	uint8_t *bytes; /* allocated */
	size_t size;
	struct tape_file file;
};

struct request {
	bool wants_trace;
	bool wants_help;
	uint64_t until;
	const char *svg; /* NULL: none */
	FILE *drawing;
	struct loaded files[REPLAY_FILES_MAX];
	unsigned files_count;
};

/* For the handler of SIGABRT: what is played. */
static const struct replay *playing;

static void
aborted(int signal_number)
{
	(void)signal_number;
	if (playing != NULL)
		argument_complain(
		    "%s: an assertion of the core fails at input %" PRIu64
		    "; --trace --until %" PRIu64 " shows what came before",
		    playing->path, playing->number, playing->number - 1);
	fflush(stdout);
	_exit(COMMAND_NO);
}

static bool
request_parse(struct request *r, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (option) {
		case OPTION_TRACE:
			r->wants_trace = true;
			break;
		case OPTION_UNTIL:
			if (argument_number(
				optarg, 1, UINT64_MAX - 1, &r->until))
				break;
			argument_complain(
			    "--until is a number from 1, not \"%s\"", optarg);
			return false;
		case OPTION_SVG:
			r->svg = optarg;
			break;
		case 'h':
			r->wants_help = true;
			break;
		default:
			return false;
		}
	}
	if (r->wants_help)
		return true;
	if (optind == argc)
		argument_complain("replay takes a FILE");
	if (argc - optind > REPLAY_FILES_MAX)
		argument_complain(
		    "replay takes up to %d FILEs", REPLAY_FILES_MAX);
	r->files_count = (unsigned)(argc - optind);
	for (unsigned i = 0; i < r->files_count && i < REPLAY_FILES_MAX; i++)
		r->files[i].path = argv[optind + (int)i];
	return r->files_count > 0 && r->files_count <= REPLAY_FILES_MAX;
}

/* Reads all bytes of an open file. */
static int
read_bytes_of(struct loaded *l, FILE *in)
{
	size_t room = 1 << 20;

	for (;;) {
		uint8_t *more = realloc(l->bytes, room);

		if (more == NULL) {
			argument_complain("%s: no memory", l->path);
			return COMMAND_FAILED;
		}
		l->bytes = more;
		l->size += fread(l->bytes + l->size, 1, room - l->size, in);
		if (l->size < room)
			break;
		if (room > TAPE_FILE_MAX) {
			argument_complain(
			    "%s: is too long for a tape", l->path);
			return COMMAND_USAGE;
		}
		room *= 2;
	}
	if (!ferror(in))
		return COMMAND_YES;
	argument_complain("%s: %s", l->path, strerror(errno));
	return COMMAND_FAILED;
}

static int
load(struct loaded *l)
{
	char error[TAPE_FILE_ERROR_MAX];
	FILE *in = fopen(l->path, "rb");
	int code;

	if (in == NULL) {
		argument_complain("%s: %s", l->path, strerror(errno));
		return COMMAND_USAGE;
	}
	code = read_bytes_of(l, in);
	fclose(in);
	if (code != COMMAND_YES)
		return code;
	switch (tape_file_read(&l->file, l->bytes, l->size, error)) {
	case TAPE_FILE_GOOD:
		return COMMAND_YES;
	case TAPE_FILE_FOREIGN:
		code = COMMAND_REFUSED;
		break;
	case TAPE_FILE_NONE:
		code = COMMAND_USAGE;
		break;
	}
	argument_complain("%s: %s", l->path, error);
	return code;
}

/* A diagram has one line for each node. */
static int
open_drawing(struct request *r)
{
	if (r->svg == NULL)
		return COMMAND_YES;
	for (unsigned i = 0; i < r->files_count; i++) {
		for (unsigned j = 0; j < i; j++) {
			if (r->files[i].file.head.id !=
			    r->files[j].file.head.id)
				continue;
			argument_complain(
			    "--svg: %s and %s are of the same node",
			    r->files[j].path, r->files[i].path);
			return COMMAND_USAGE;
		}
	}
	r->drawing = fopen(r->svg, "w");
	if (r->drawing != NULL)
		return COMMAND_YES;
	argument_complain("%s: %s", r->svg, strerror(errno));
	return COMMAND_FAILED;
}

static int
tell(const struct replay *r)
{
	const struct tape_head *head = &r->file->head;
	char time[REPLAY_TIME_MAX];
	int64_t at = head->epoch_ns + (int64_t)r->result.now;

	printf("%s: node %" PRIu32 " (%s) of %s, incarnation %" PRIu64 ": ",
	    r->path, head->id, head->name, head->cluster, head->incarnation);
	replay_time_words(time, at);
	switch (r->result.end) {
	case PLAYBACK_SAME:
		printf("%" PRIu64 " inputs, the same actions\n", r->inputs);
		return COMMAND_YES;
	case PLAYBACK_DIFFERS:
		printf("differs at input %" PRIu64 ", %s: %s\n",
		    r->result.number, time, r->result.why);
		return COMMAND_NO;
	case PLAYBACK_BROKEN:
		printf("makes no sense after input %" PRIu64 ", %s: %s\n",
		    r->result.number, time, r->result.why);
		return COMMAND_USAGE;
	case PLAYBACK_MEMORY:
		break;
	}
	printf("no memory\n");
	return COMMAND_FAILED;
}

static int
draw(const struct request *request, struct replay *replays)
{
	struct history nodes[REPLAY_FILES_MAX];
	struct histories all = { .nodes = nodes,
		.count = request->files_count };
	char error[HISTORY_ERROR_MAX];
	struct causes c = { 0 };
	int code = COMMAND_FAILED, result;

	for (unsigned i = 0; i < all.count; i++) {
		nodes[i] = replays[i].history;
		all.events_count += nodes[i].count;
	}
	if (!causes_find(&c, &all, error)) {
		argument_complain("--svg: %s", error);
	} else {
		result = diagram_write(request->drawing, &c, NULL);
		if (result == 0 && fflush(request->drawing) == 0)
			code = COMMAND_YES;
		else if (result == -E2BIG || result == -ENODATA)
			code = COMMAND_REFUSED;
		if (code != COMMAND_YES)
			argument_complain("%s: %s", request->svg,
			    result == -E2BIG     ? "too large for a diagram"
			    : result == -ENODATA ? "there is no event to draw"
						 : "could not be written");
	}
	causes_free(&c);
	return code;
}

/* Plays all files, and shows what is wanted of them. */
static int
play(struct request *request, struct replay *replays)
{
	int code = COMMAND_YES;
	bool is_short = false;

	signal(SIGABRT, aborted);
	for (unsigned i = 0; i < request->files_count; i++) {
		playing = &replays[i];
		replay_run(&replays[i], request->files[i].path,
		    &request->files[i].file, request->until,
		    request->wants_trace);
		is_short |= replays[i].is_short;
	}
	playing = NULL;
	signal(SIGABRT, SIG_DFL);
	if (is_short || (request->wants_trace && !replay_print(stdout, replays,
						     request->files_count))) {
		argument_complain("no memory for all that happened");
		return COMMAND_FAILED;
	}
	for (unsigned i = 0; i < request->files_count; i++) {
		int told = tell(&replays[i]);

		code = told > code ? told : code;
	}
	if (request->drawing != NULL && code <= COMMAND_NO) {
		int drawn = draw(request, replays);

		code = drawn > code ? drawn : code;
	}
	return code;
}

static int
run(struct request *request)
{
	struct replay *replays;
	int code = COMMAND_YES;

	for (unsigned i = 0; i < request->files_count; i++) {
		int loaded = load(&request->files[i]);

		code = loaded > code ? loaded : code;
	}
	if (code == COMMAND_YES)
		code = open_drawing(request);
	if (code != COMMAND_YES)
		return code;
	replays = calloc(request->files_count, sizeof(*replays));
	if (replays == NULL) {
		argument_complain("no memory");
		return COMMAND_FAILED;
	}
	if (replay_confine()) {
		code = play(request, replays);
	} else {
		argument_complain(
		    "the kernel does not let electsim give up its rights");
		code = COMMAND_REFUSED;
	}
	for (unsigned i = 0; i < request->files_count; i++)
		replay_free(&replays[i]);
	free(replays);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	argument_complain("cannot write the output");
	return COMMAND_FAILED;
}

int
command_replay(int argc, char **argv)
{
	static struct request request;
	int code;

	request = (struct request){ .until = UINT64_MAX };
	if (!request_parse(&request, argc, argv)) {
		fputs("electsim replay --help lists the options\n", stderr);
		return COMMAND_USAGE;
	}
	if (request.wants_help) {
		fputs(help, stdout);
		return COMMAND_YES;
	}
	code = run(&request);
	for (unsigned i = 0; i < request.files_count; i++)
		free(request.files[i].bytes);
	if (request.drawing != NULL)
		fclose(request.drawing);
	return code;
}
