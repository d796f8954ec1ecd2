/* SPDX-License-Identifier: ISC */
#include "tests/lib/lingering.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const int little = 4096; /* bytes of a buffer */

/* Connects `near` to a new socket `far`. */
static bool
connect_pair(int near, int *far)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*far = -1;
	if (setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &little,
		sizeof(little)) == 0 &&
	    bind(listener, (struct sockaddr *)&address, size) == 0 &&
	    listen(listener, 1) == 0 &&
	    getsockname(listener, (struct sockaddr *)&address, &size) == 0 &&
	    connect(near, (struct sockaddr *)&address, size) == 0)
		*far = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	close(listener);
	return *far >= 0;
}

bool
lingering_make(int *near, int *far, int seconds)
{
	static const char bytes[65536];
	const struct linger linger = { .l_onoff = 1, .l_linger = seconds };
	struct pollfd full = { .events = POLLOUT };

	*near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (setsockopt(*near, SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)) !=
		0 ||
	    !connect_pair(*near, far))
		return false;
	/* The far end takes a part of what the near end has, a moment later. */
	full.fd = *near;
	while (poll(&full, 1, 50) > 0)
		(void)!send(*near, bytes, sizeof(bytes), MSG_DONTWAIT);
	return setsockopt(
		   *near, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) == 0;
}

bool
pass_file(int fd, const char *text, int file, int flags)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = { 0 } };
	struct iovec vector = { (char *)(uintptr_t)text, strlen(text) };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

	if (file >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &file, sizeof(int));
	}
	return sendmsg(fd, &message, flags | MSG_NOSIGNAL) ==
	       (ssize_t)strlen(text);
}
