/* SPDX-License-Identifier: ISC */
#include "tests/lib/fake_daemon.h"

#include "tests/unit/group.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/system/clock.h"

int
fake_daemon_begin(void **state)
{
	static struct fake_daemon d;
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	d = (struct fake_daemon){ .client = -1 };
	strcpy(d.directory, "/tmp/electd-fake-XXXXXX");
	assert_non_null(mkdtemp(d.directory));
	snprintf(d.path, sizeof(d.path), "%s/web.sock", d.directory);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", d.path);
	d.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(d.listener >= 0);
	assert_int_equal(bind(d.listener, (const struct sockaddr *)&address,
			     sizeof(address)),
	    0);
	assert_int_equal(listen(d.listener, 4), 0);
	*state = &d;
	return 0;
}

int
fake_daemon_end(void **state)
{
	struct fake_daemon *d = *state;

	fake_daemon_drop(d);
	close(d->listener);
	unlink(d->path);
	rmdir(d->directory);
	return 0;
}

static void
wait_for(int fd)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&poller, 1, PLAY_MS), 1);
}

void
fake_daemon_accept(struct fake_daemon *d)
{
	fake_daemon_drop(d);
	wait_for(d->listener);
	d->client = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(d->client >= 0);
}

void
fake_daemon_drop(struct fake_daemon *d)
{
	if (d->client >= 0)
		close(d->client);
	d->client = -1;
}

void
fake_daemon_send(struct fake_daemon *d, const char *bytes)
{
	const char *at = strstr(bytes, "@+");
	char text[4096], *end;
	int size;

	if (at == NULL) {
		size = snprintf(text, sizeof(text), "%s", bytes);
	} else {
		nsec_t in = strtoull(at + 2, &end, 10) * MSEC;

		size = snprintf(text, sizeof(text), "%.*s%" PRIu64 "%s",
		    (int)(at - bytes), bytes, clock_now() + in, end);
	}
	assert_int_equal(
	    send(d->client, text, (size_t)size, MSG_NOSIGNAL), size);
}

void
fake_daemon_expect(struct fake_daemon *d, const char *line)
{
	char got[256] = "";

	for (size_t i = 0; strchr(got, '\n') == NULL; i++) {
		assert_true(i < sizeof(got) - 1);
		wait_for(d->client);
		assert_int_equal(read(d->client, &got[i], 1), 1);
	}
	*strchr(got, '\n') = '\0';
	assert_string_equal(got, line);
}

void
fake_daemon_expect_nothing(struct fake_daemon *d)
{
	struct pollfd poller = { .fd = d->client, .events = POLLIN };

	assert_int_equal(poll(&poller, 1, 0), 0);
}

const struct electd_news *
client_news(struct electd *e)
{
	const struct electd_news *news;

	while ((news = electd_next(e)) == NULL)
		wait_for(electd_fd(e));
	return news;
}

struct electd *
client_meet(struct fake_daemon *d, enum electd_mode mode, const char *guarantee)
{
	struct electd *e = electd_new(d->path, mode);
	char status[256];

	assert_non_null(e);
	assert_null(electd_next(e));
	fake_daemon_accept(d);
	fake_daemon_expect(d, "{\"verb\":\"status\"}");
	snprintf(status, sizeof(status),
	    "{\"cluster\":\"web\",\"guarantee\":\"%s\",\"node\":{\"name\":\"one\"},\"peers\":[{\"id\":2,\"name\":\"two\"}]}\n",
	    guarantee);
	fake_daemon_send(d, status);
	assert_int_equal(client_news(e)->kind, ELECTD_MET);
	fake_daemon_expect(
	    d, mode != ELECTD_WATCH && strcmp(guarantee, "quorum") == 0
		   ? "{\"verb\":\"watch\",\"holds\":true}"
		   : "{\"verb\":\"watch\"}");
	return e;
}
