/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/hook.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/electctl/run/spawn.h"

#define JSON_MAX 4096 /* four names and a reason; a pipe takes it at once */

const char *
place_name(enum place place)
{
	static const char *const names[] = {
		[PLACE_LEADER] = "leader",
		[PLACE_HANDS_OVER] = "hands-over",
		[PLACE_FOLLOWER] = "follower",
		[PLACE_NO_LEADER] = "no-leader",
		[PLACE_UNKNOWN] = "unknown",
	};

	assert(place <= PLACE_UNKNOWN);
	return names[place];
}

bool
news_are_same(const struct news *a, const struct news *b)
{
	return a->place == b->place && a->term == b->term &&
	       a->token == b->token && strcmp(a->leader, b->leader) == 0;
}

/* The news as a line of JSON. */
static size_t
news_write(const struct news *n, char text[JSON_MAX])
{
	json_t *object = json_pack("{s:s,s:s,s:s,s:I,s:o,s:s?,s:s?}", "cluster",
	    n->cluster, "node", n->node, "state", place_name(n->place), "term",
	    (json_int_t)n->term, "token",
	    n->token != 0 ? json_integer((json_int_t)n->token) : json_null(),
	    "leader", n->leader[0] ? n->leader : NULL, "reason",
	    n->reason[0] ? n->reason : NULL);
	size_t size = json_dumpb(object, text, JSON_MAX - 1, JSON_COMPACT);

	json_decref(object);
	if (size >= JSON_MAX)
		size = 0;
	text[size] = '\n';
	return size + 1;
}

static void
news_set(const struct news *n)
{
	char term[24], token[24];

	snprintf(term, sizeof(term), "%" PRIu64, n->term);
	snprintf(token, sizeof(token), "%" PRIu64, n->token);
	setenv("ELECTD_STATE", place_name(n->place), 1);
	setenv("ELECTD_TERM", term, 1);
	setenv("ELECTD_TOKEN", n->token != 0 ? token : "", 1);
	setenv("ELECTD_LEADER", n->leader, 1);
	setenv("ELECTD_REASON", n->reason, 1);
	setenv("ELECTD_CLUSTER", n->cluster, 1);
	setenv("ELECTD_NODE", n->node, 1);
}

/* Called in the process that becomes the command. */
static bool
prepare_command(const void *context)
{
	const struct news *news = context;
	char text[JSON_MAX];
	size_t size = news_write(news, text);
	int ends[2];

	news_set(news);
	(void)signal(SIGPIPE, SIG_DFL);
	return pipe2(ends, O_CLOEXEC) == 0 &&
	       write(ends[1], text, size) == (ssize_t)size &&
	       dup2(ends[0], STDIN_FILENO) == STDIN_FILENO;
}

int
hook_start(struct hook *hook, char **words, const struct news *news,
    const sigset_t *mask)
{
	const struct spawn spawn = {
		.words = words,
		.mask = mask,
		.prepare = prepare_command,
		.context = news,
	};
	pid_t pid;

	*hook = (struct hook){ .news = *news };
	pid = spawn_start(&spawn, &hook->failed);
	if (pid < 0)
		return -pid;
	hook->pid = pid;
	return 0;
}

int
hook_end(struct hook *hook)
{
	hook->pid = 0;
	return spawn_error(&hook->failed, false);
}

void
hook_signal(const struct hook *hook, int number)
{
	if (hook->pid != 0)
		(void)kill(-hook->pid, number);
}
