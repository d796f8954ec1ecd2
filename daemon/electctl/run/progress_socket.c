/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/progress_socket.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MESSAGE_MAX   4096 /* bytes; what is longer than a page is no message */
#define MESSAGES_MAX  16   /* of a turn: a flood must not stop the rest */
#define ANCESTORS_MAX 64   /* between a process and this one */

bool
progress_socket_open(struct progress_socket *s)
{
	static const int yes = 1;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size = sizeof(address);

	s->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The kernel chooses a name that nobody has. */
	if (s->fd < 0 ||
	    setsockopt(s->fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) !=
		0 ||
	    bind(s->fd, (struct sockaddr *)&address, sizeof(sa_family_t)) !=
		0 ||
	    getsockname(s->fd, (struct sockaddr *)&address, &size) != 0)
		return false;
	size -= (socklen_t)offsetof(struct sockaddr_un, sun_path) + 1;
	snprintf(
	    s->name, sizeof(s->name), "@%.*s", (int)size, address.sun_path + 1);
	return true;
}

void
progress_socket_prepare(const struct progress_socket *s, nsec_t limit)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, limit / USEC);
	setenv("NOTIFY_SOCKET", s->name, 1);
	setenv("WATCHDOG_USEC", text, 1);
	/* It may be of our own service manager, for us. */
	unsetenv("WATCHDOG_PID");
}

/* The parent of a process; 0: nobody knows. */
static pid_t
parent_of(pid_t pid)
{
	char path[32], text[256];
	const char *after;
	FILE *file;
	int parent = 0;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	/* "PID (NAME) STATE PARENT ...", and the name may have any characters,
	 * but at most 64. */
	after = strrchr(text, ')');
	if (after == NULL || sscanf(after, ") %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/* True if this process, or one that it has started, has started that one, which
 * still runs. As subreaper it is the parent of orphans. */
static bool
is_descendant(pid_t pid)
{
	pid_t self = getpid();

	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		pid = parent_of(pid);
		if (pid == self)
			return true;
	}
	return false;
}

/* The process that has sent it; 0: unknown. */
static pid_t
sender_of(struct msghdr *message)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	struct ucred sender = { .pid = 0 };

	if (header != NULL && header->cmsg_level == SOL_SOCKET &&
	    header->cmsg_type == SCM_CREDENTIALS &&
	    header->cmsg_len == CMSG_LEN(sizeof(sender)))
		memcpy(&sender, CMSG_DATA(header), sizeof(sender));
	return sender.pid;
}

void
progress_socket_take(
    const struct progress_socket *s, nsec_t now, struct progress *progress)
{
	for (int i = 0; i < MESSAGES_MAX; i++) {
		char text[MESSAGE_MAX];
		/* No room for descriptors: the kernel closes those. */
		union {
			char bytes[CMSG_SPACE(sizeof(struct ucred))];
			struct cmsghdr header;
		} control;
		struct iovec part = { text, sizeof(text) };
		struct msghdr message = {
			.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control.bytes,
			.msg_controllen = sizeof(control),
		};
		ssize_t size = recvmsg(s->fd, &message, 0);

		if (size < 0)
			return;
		if ((message.msg_flags & MSG_TRUNC) == 0 &&
		    is_descendant(sender_of(&message)))
			progress_take(progress, now, text, (size_t)size);
	}
}
