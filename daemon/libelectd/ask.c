/* SPDX-License-Identifier: ISC */
/* Requests, and answers. */
#include <errno.h>
#include <string.h>

#include "daemon/libelectd/handle.h"

int
electd_connect(struct electd *e, uint64_t timeout)
{
	char path[ELECTD_PATH_MAX];
	int output = e->connection.output;
	int error = handle_find(e, path);

	if (error != 0)
		return error;
	electd_disconnect(e);
	error = connection_try(&e->connection, path, timeout);
	e->connection.output = output;
	if (error != 0)
		handle_explain(e, "%s: %s", path,
		    error == EAGAIN ? "the daemon does not answer"
				    : strerror(error));
	return error;
}

bool
electd_limit(struct electd *e, uint64_t timeout)
{
	return connection_limit(&e->connection, timeout);
}

bool
electd_is_late(const struct electd *e)
{
	return connection_is_late(&e->connection);
}

void
electd_set_output(struct electd *e, int fd)
{
	e->connection.output = fd;
}

bool
electd_send(struct electd *e, const char *line)
{
	return connection_send(&e->connection, line);
}

enum electd_received
electd_receive(struct electd *e, const char **line)
{
	return connection_receive(&e->connection, line);
}

int
electd_file(const struct electd *e)
{
	return e->connection.file;
}
