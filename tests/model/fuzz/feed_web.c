/* SPDX-License-Identifier: ISC */
/* Any bytes get answers of HTTP, or none, and the connection ends. */
#include "tests/model/fuzz/feed.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/electweb/web.h"

#define TURNS_MAX 64

/* Reads what has come. True at the end of all. */
static bool
drain(int fd, char begins[5], size_t *size)
{
	char bytes[4096];
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < got && *size < 5; i++)
			begins[(*size)++] = bytes[i];
	}
	return got == 0;
}

void
feed_web(const uint8_t *bytes, size_t size)
{
	struct web *web = web_new(-1, "/nonexistent/electd.sock");
	size_t got = 0;
	char begins[5];
	int ends[2];

	assert(web != NULL);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
		ends) != 0)
		assert(false);
	if (!web_add(web, ends[1]))
		assert(false);
	(void)!write(ends[0], bytes, size);
	(void)shutdown(ends[0], SHUT_WR);
	for (unsigned i = 0; i < TURNS_MAX && !drain(ends[0], begins, &got);
	     i++)
		web_run(web, 0, -1);
	assert(got < 5 || memcmp(begins, "HTTP/", 5) == 0);
	web_free(web);
	close(ends[0]);
}
