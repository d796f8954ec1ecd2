/* SPDX-License-Identifier: ISC */
#include "daemon/libelectd/handle.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define EARLY (100 * MSEC) /* a seventh of what the default lease gives */

static bool
prepare_to_follow(struct electd *e)
{
	struct epoll_event event = { .events = EPOLLIN };

	e->epoll = epoll_create1(EPOLL_CLOEXEC);
	e->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	return e->epoll >= 0 && e->timer >= 0 &&
	       epoll_ctl(e->epoll, EPOLL_CTL_ADD, e->timer, &event) == 0 &&
	       timerfd_settime(e->timer, 0,
		   &(struct itimerspec){ .it_value.tv_nsec = 1 }, NULL) == 0;
}

struct electd *
electd_new(const char *socket, enum electd_mode mode)
{
	struct electd *e;
	int error;

	if (socket != NULL && strlen(socket) >= ELECTD_PATH_MAX) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	e = calloc(1, sizeof(*e));
	if (e == NULL)
		return NULL;
	e->mode = mode;
	e->connection = CONNECTION_NONE;
	e->epoll = e->timer = -1;
	e->early = EARLY;
	e->news.cluster = e->cluster;
	e->news.node = e->node;
	e->news.leader = e->leader;
	if (socket != NULL)
		strcpy(e->socket, socket);
	if (mode == ELECTD_ASK || prepare_to_follow(e))
		return e;
	error = errno;
	electd_free(e);
	errno = error;
	return NULL;
}

void
electd_free(struct electd *e)
{
	if (e == NULL)
		return;
	electd_disconnect(e);
	if (e->epoll >= 0)
		close(e->epoll);
	if (e->timer >= 0)
		close(e->timer);
	json_decref(e->peers);
	free(e);
}

void
handle_explain(struct electd *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(e->why, sizeof(e->why), format, args);
	va_end(args);
	for (char *c = e->why; *c != '\0'; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
}

const char *
electd_why(const struct electd *e)
{
	return e->why;
}

int
electd_fd(const struct electd *e)
{
	return e->mode == ELECTD_ASK ? e->connection.fd : e->epoll;
}

int
handle_find(struct electd *e, char path[ELECTD_PATH_MAX])
{
	char names[256]; /* of a list; more are cut off */
	int error =
	    electd_find(e->socket[0] != '\0' ? e->socket : NULL, NULL, path);

	if (error == ENOENT)
		handle_explain(e, "no socket in %s: is electd running?",
		    CONTROL_DIRECTORY);
	else if (error == ENOTUNIQ &&
		 electd_clusters(true, names, sizeof(names)) > 0)
		handle_explain(
		    e, "several clusters have a daemon here: %s", names);
	else if (error != 0)
		handle_explain(e, "ELECTD_SOCKET: %s", strerror(error));
	return error;
}

void
handle_name(const json_t *value, char name[ELECTD_NAME_MAX])
{
	const char *text = json_string_value(value);

	if (text == NULL || strlen(text) >= ELECTD_NAME_MAX)
		text = "";
	strcpy(name, text);
	for (char *c = name; *c != '\0'; c++) {
		if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f)
			*c = '?';
	}
}

uint64_t
handle_number(const json_t *object, const char *key)
{
	json_int_t number = json_integer_value(json_object_get(object, key));

	return number > 0 ? (uint64_t)number : 0;
}
