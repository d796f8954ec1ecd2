/* SPDX-License-Identifier: ISC */
/*
 * What the library takes from a daemon: lines, after a first byte that names
 * the mode. Whatever comes, the program acts as the leader only by a deadline
 * that counts, and the texts are names.
 */
#include "tests/model/fuzz/feed.h"

#include <assert.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/libelectd/handle.h"

#define CALLS_MAX 4096 /* of electd_next(): a line has two bytes at least */

static void
check_name(const char *name)
{
	assert(memchr(name, '\0', ELECTD_NAME_MAX) != NULL);
	for (; *name != '\0'; name++)
		assert(*name > ' ' && *name < 0x7f);
}

static void
check_news(const struct electd *e)
{
	const struct electd_news *n = electd_state(e);

	assert(!n->is_leader ||
	       (e->mode != ELECTD_WATCH && n->until != 0 && !n->hands_over));
	assert(!n->is_leader || n->is_quorum || n->until == ELECTD_NEVER);
	assert(e->mode != ELECTD_LEAD || n->until != ELECTD_NEVER);
	assert(!electd_holds(e) || n->until != 0);
	check_name(n->cluster);
	check_name(n->node);
	check_name(n->leader);
}

/* Connects the handle to a socket that has these bytes, and no more. Gives the
 * other end. */
static int
connect_to(struct electd *e, const uint8_t *bytes, size_t size)
{
	int ends[2];
	bool is_connected =
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
		ends) == 0 &&
	    (size == 0 || send(ends[1], bytes, size, 0) == (ssize_t)size);

	assert(is_connected);
	shutdown(ends[1], SHUT_WR);
	e->connection.fd = ends[0];
	(void)connection_limit(&e->connection, 0);
	e->stage = STAGE_MEETING;
	e->due_at = NSEC_NEVER;
	return ends[1];
}

void
feed_libelectd(const uint8_t *bytes, size_t size)
{
	static const enum electd_mode modes[] = { ELECTD_WATCH, ELECTD_LEAD,
		ELECTD_LEAD_EVEN_IF_TWO };
	struct electd *e;
	int daemon;

	if (size == 0)
		return;
	e = electd_new("nowhere", modes[bytes[0] % 3]);
	assert(e != NULL);
	daemon = connect_to(e, bytes + 1, size - 1);
	for (int calls = 0; e->stage != STAGE_APART; calls++) {
		assert(calls < CALLS_MAX);
		if (electd_next(e) != NULL && bytes[0] % 2 != 0)
			electd_give_back(e);
		check_news(e);
	}
	electd_leave(e);
	assert(!electd_holds(e));
	electd_free(e);
	close(daemon);
}
