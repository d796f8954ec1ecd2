/* SPDX-License-Identifier: ISC */
/* A connection to the daemon: sends and receives lines, with a time limit. */
#include "daemon/client/client.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define ANSWER_MAX  ((size_t)4 << 20) /* bytes; a thousand peers take 500 KiB */
#define BUFFER_STEP 4096

bool
connection_limit(struct connection *connection, nsec_t timeout)
{
	struct itimerspec when = { .it_value.tv_sec = 0 }; /* disarms */

	if (timeout == NSEC_NEVER && connection->timer < 0)
		return true;
	if (timeout != NSEC_NEVER) {
		when.it_value.tv_sec = (time_t)(timeout / SEC);
		when.it_value.tv_nsec = (long)(timeout % SEC);
	}
	if (connection->timer < 0)
		connection->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
	return connection->timer >= 0 &&
	       timerfd_settime(connection->timer, 0, &when, NULL) == 0;
}

/* A daemon that hangs must not block connect() or send() either. */
static bool
set_send_limit(int fd, nsec_t timeout)
{
	nsec_t rounded_up = timeout / USEC * USEC + USEC;
	struct timeval limit = {
		.tv_sec = (time_t)(rounded_up / SEC),
		.tv_usec = (suseconds_t)(rounded_up % SEC / USEC),
	};

	if (timeout == NSEC_NEVER)
		return true;
	return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ==
	       0;
}

int
connection_try(struct connection *connection, const char *path, nsec_t timeout)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int error;

	*connection = (struct connection){ .fd = -1, .timer = -1, .file = -1 };
	if (strlen(path) >= sizeof(address.sun_path))
		return ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	connection->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connection->fd >= 0 && connection_limit(connection, timeout) &&
	    set_send_limit(connection->fd, timeout) &&
	    connect(connection->fd, (const struct sockaddr *)&address,
		sizeof(address)) == 0)
		return 0;
	error = errno;
	connection_close(connection);
	return error;
}

/* The group of the admin socket is the one that may steer. */
static void
explain_denied(const char *path, const char *why)
{
	const struct group *group;
	struct stat file;

	if (!is_admin_path(path) || stat(path, &file) != 0) {
		complain("%s: %s", path, why);
		return;
	}
	group = getgrgid(file.st_gid);
	complain(
	    "%s: %s: only root, electd's own user and members of group %s may steer (control.group; if that is not set, electd's)",
	    path, why, group != NULL ? group->gr_name : "(unknown)");
}

enum control_code
connection_explain(const char *path, int error)
{
	if (error == ENOENT || error == ECONNREFUSED)
		explain_nobody(path, strerror(error));
	else if (error == EACCES)
		explain_denied(path, strerror(error));
	else
		complain("%s: %s", path,
		    error == EAGAIN ? "the daemon does not answer"
				    : strerror(error));
	if (error == ENAMETOOLONG)
		return CODE_USAGE;
	return error == EACCES || error == EPERM ? CODE_DENIED
						 : CODE_UNREACHABLE;
}

void
connection_close(struct connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	if (connection->timer >= 0)
		close(connection->timer);
	if (connection->file >= 0)
		close(connection->file);
	free(connection->buffer);
	*connection = (struct connection){ .fd = -1, .timer = -1, .file = -1 };
}

static bool
send_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return false;
		bytes += sent;
		size -= (size_t)sent;
	}
	return true;
}

bool
connection_send(struct connection *connection, const char *line)
{
	return send_all(connection->fd, line, strlen(line)) &&
	       send_all(connection->fd, "\n", 1);
}

/* Gives the first complete line of the buffer; NULL if there is none yet. */
static const char *
take_line(struct connection *connection)
{
	size_t left = connection->size - connection->taken;
	char *start, *end;

	if (left == 0)
		return NULL;
	start = connection->buffer + connection->taken;
	end = memchr(start, '\n', left);
	if (end == NULL)
		return NULL;
	*end = '\0';
	connection->taken += (size_t)(end - start) + 1;
	return start;
}

/* Makes space for another step. False if the answer is too large. */
static bool
make_space(struct connection *connection)
{
	size_t left = connection->size - connection->taken;
	char *larger;

	if (connection->taken > 0)
		memmove(connection->buffer,
		    connection->buffer + connection->taken, left);
	connection->size = left;
	connection->taken = 0;
	if (connection->capacity - left >= BUFFER_STEP)
		return true;
	if (connection->capacity >= ANSWER_MAX)
		return false;
	larger = realloc(
	    connection->buffer, 2 * connection->capacity + 2 * BUFFER_STEP);
	if (larger == NULL)
		return false;
	connection->buffer = larger;
	connection->capacity = 2 * connection->capacity + 2 * BUFFER_STEP;
	return true;
}

bool
connection_is_late(const struct connection *connection)
{
	struct pollfd timer = { .fd = connection->timer, .events = POLLIN };

	return poll(&timer, 1, 0) > 0;
}

/* Waits until there is something to read: RECEIVED_LINE. */
static enum received
wait_for_more(const struct connection *connection)
{
	struct pollfd pollers[] = {
		{ .fd = connection->fd, .events = POLLIN },
		{ .fd = connection->timer, .events = POLLIN },
		{ .fd = connection->ignores_output ? -1 : STDOUT_FILENO },
	};

	while (poll(pollers, 3, -1) < 0) {
		if (errno != EINTR)
			return RECEIVED_END;
	}
	if (pollers[0].revents != 0)
		return RECEIVED_LINE;
	if (pollers[1].revents != 0)
		return RECEIVED_TOO_LATE;
	return RECEIVED_NO_READER;
}

/* Keeps the last descriptor that came; nobody sends more than one. */
static void
take_file(struct connection *connection, struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);

	if (header == NULL || header->cmsg_level != SOL_SOCKET ||
	    header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(int)))
		return;
	if (connection->file >= 0)
		close(connection->file);
	memcpy(&connection->file, CMSG_DATA(header), sizeof(int));
}

/* Reads once, with the file of an answer. */
static ssize_t
receive_run(struct connection *connection)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec vector = {
		.iov_base = connection->buffer + connection->size,
		.iov_len = connection->capacity - connection->size,
	};
	struct msghdr message = {
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(connection->fd, &message, MSG_CMSG_CLOEXEC);

	if (got > 0)
		take_file(connection, &message);
	return got;
}

enum received
connection_receive(struct connection *connection, const char **line)
{
	while ((*line = take_line(connection)) == NULL) {
		enum received received = wait_for_more(connection);
		ssize_t got;

		if (received != RECEIVED_LINE)
			return received;
		if (!make_space(connection))
			return RECEIVED_END;
		got = receive_run(connection);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return RECEIVED_END;
		connection->size += (size_t)got;
	}
	return RECEIVED_LINE;
}
