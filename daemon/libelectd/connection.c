/* SPDX-License-Identifier: ISC */
#include "daemon/libelectd/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_MAX  ((size_t)4 << 20) /* bytes; a thousand peers take 500 KiB */
#define BUFFER_STEP 4096

bool
connection_limit(struct connection *connection, nsec_t timeout)
{
	struct itimerspec when = { .it_value.tv_sec = 0 }; /* disarms */

	connection->never_waits = timeout == 0;
	if (timeout == 0 || (timeout == NSEC_NEVER && connection->timer < 0))
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

	if (timeout == 0 || timeout == NSEC_NEVER)
		return true;
	return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ==
	       0;
}

int
connection_try(struct connection *connection, const char *path, nsec_t timeout)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int error;

	*connection = CONNECTION_NONE;
	if (strlen(path) >= sizeof(address.sun_path))
		return ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	connection->fd = socket(AF_UNIX,
	    SOCK_STREAM | SOCK_CLOEXEC | (timeout == 0 ? SOCK_NONBLOCK : 0), 0);
	if (connection->fd >= 0 && connection_limit(connection, timeout) &&
	    set_send_limit(connection->fd, timeout) &&
	    connect(connection->fd, (const struct sockaddr *)&address,
		sizeof(address)) == 0)
		return 0;
	error = errno;
	connection_close(connection);
	return error;
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
	*connection = CONNECTION_NONE;
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

	return connection->never_waits || poll(&timer, 1, 0) > 0;
}

/* Waits until there is something to read: ELECTD_LINE. */
static enum electd_received
wait_for_more(const struct connection *connection)
{
	struct pollfd pollers[] = {
		{ .fd = connection->fd, .events = POLLIN },
		{ .fd = connection->timer, .events = POLLIN },
		{ .fd = connection->output },
	};

	while (poll(pollers, 3, connection->never_waits ? 0 : -1) < 0) {
		if (errno != EINTR)
			return ELECTD_END;
	}
	if (pollers[0].revents != 0)
		return ELECTD_LINE;
	if (pollers[1].revents != 0 || connection->never_waits)
		return ELECTD_TOO_LATE;
	return ELECTD_NO_READER;
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

enum electd_received
connection_receive(struct connection *connection, const char **line)
{
	while ((*line = take_line(connection)) == NULL) {
		enum electd_received received = wait_for_more(connection);
		ssize_t got;

		if (received != ELECTD_LINE)
			return received;
		if (!make_space(connection))
			return ELECTD_END;
		got = receive_run(connection);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return ELECTD_END;
		connection->size += (size_t)got;
	}
	return ELECTD_LINE;
}
