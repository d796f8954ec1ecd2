/* SPDX-License-Identifier: ISC */
/*
 * manager SOCKET: plays a service manager (sd_notify(3)). It prints
 * "listening", and then each word that comes to SOCKET, a path or @ and an
 * abstract name, on a line: the time at which the service sent the word, in ms,
 * and the word. It ends after STOPPING=1, or when nobody reads its output any
 * more.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define WORD_MAX 4096 /* bytes of a datagram; electd's have one line */

static int
listen_at(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t size = strlen(name);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int yes = 1;

	if (fd < 0 || size >= sizeof(address.sun_path) ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes)) != 0)
		return -1;
	memcpy(address.sun_path, name, size);
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	size += sizeof(address.sun_family);
	if (bind(fd, (const struct sockaddr *)&address, (socklen_t)size) != 0)
		return -1;
	return fd;
}

/* Waits for a datagram; 0 if nobody reads the output any more. */
static int
is_worth_it(int fd)
{
	struct pollfd polls[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};

	return poll(polls, 2, -1) > 0 && polls[1].revents == 0;
}

/*
 * Reads a datagram into `word`, of WORD_MAX + 1 bytes, and gives the time at
 * which it was sent, in ms; the kernel knows it, however late we read. Below
 * 0: an error.
 */
static long long
word_read(int fd, char *word)
{
	_Alignas(struct cmsghdr) char control[64];
	struct iovec iovec = { .iov_base = word, .iov_len = WORD_MAX };
	struct msghdr msg = {
		.msg_iov = &iovec,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t size = recvmsg(fd, &msg, 0);
	struct cmsghdr *stamp = size < 0 ? NULL : CMSG_FIRSTHDR(&msg);
	struct timespec sent;

	if (stamp == NULL || stamp->cmsg_type != SCM_TIMESTAMPNS)
		return -1;
	word[size] = '\0';
	memcpy(&sent, CMSG_DATA(stamp), sizeof(sent));
	return sent.tv_sec * 1000LL + sent.tv_nsec / 1000000;
}

int
main(int argc, char **argv)
{
	char word[WORD_MAX + 1];
	int fd = argc == 2 ? listen_at(argv[1]) : -1;

	if (fd < 0) {
		fprintf(
		    stderr, "usage: manager SOCKET (%s)\n", strerror(errno));
		return 2;
	}
	puts("listening");
	while (fflush(stdout) == 0 && is_worth_it(fd)) {
		long long sent = word_read(fd, word);

		if (sent < 0)
			return 1;
		printf("%lld %s\n", sent, word);
		if (strcmp(word, "STOPPING=1") == 0)
			return fflush(stdout) == 0 ? 0 : 1;
	}
	return 0;
}
