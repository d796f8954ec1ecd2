/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/control.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 64

/* Space for the control data of a reply, aligned as it must be. */
union fds_buffer {
	struct cmsghdr header;
	unsigned char bytes[CMSG_SPACE(CONTROL_FDS_MAX * sizeof(int))];
};

/* A directory's device and inode name the LAN, however its path is written. */
static int
control_address(
    const char *directory, struct sockaddr_un *address, socklen_t *size)
{
	struct stat st;
	int n;

	if (stat(directory, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
	    "electd-lan-%jx-%jx", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	*size =
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	return 0;
}

static int
control_socket(int flags)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);

	return fd < 0 ? -errno : fd;
}

/* True if the other end is of our user. Both see it through their own mapping.
 */
static int
control_check_peer(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return -errno;
	return peer.uid == geteuid() ? 0 : -EPERM;
}

/* Gives `fd`, or the error after it has closed `fd`. */
static int
control_keep(int fd, int error)
{
	if (error == 0)
		return fd;
	close(fd);
	return error;
}

int
control_listen(const char *directory)
{
	struct sockaddr_un address;
	socklen_t size;
	int fd, error;

	error = control_address(directory, &address, &size);
	if (error < 0)
		return error;
	fd = control_socket(SOCK_NONBLOCK);
	if (fd < 0)
		return fd;
	if (bind(fd, (const struct sockaddr *)&address, size) < 0 ||
	    listen(fd, BACKLOG) < 0)
		error = -errno;
	return control_keep(fd, error);
}

int
control_connect(const char *directory)
{
	struct sockaddr_un address;
	socklen_t size;
	int fd, error;

	error = control_address(directory, &address, &size);
	if (error < 0)
		return error;
	fd = control_socket(0);
	if (fd < 0)
		return fd;
	if (connect(fd, (const struct sockaddr *)&address, size) < 0)
		error = -errno;
	else
		error = control_check_peer(fd);
	return control_keep(fd, error);
}

int
control_accept(int listen_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return -errno;
	return control_keep(fd, control_check_peer(fd));
}

int
control_send_request(int fd, const char *request)
{
	size_t length = strlen(request);

	if (length == 0 || length >= CONTROL_REQUEST_MAX)
		return -EMSGSIZE;
	if (send(fd, request, length, MSG_NOSIGNAL) < 0)
		return -errno;
	return 0;
}

int
control_receive_request(int fd, char request[CONTROL_REQUEST_MAX])
{
	ssize_t n = recv(fd, request, CONTROL_REQUEST_MAX, MSG_TRUNC);

	if (n < 0)
		return -errno;
	if (n == 0)
		return -ECONNRESET;
	if (n >= CONTROL_REQUEST_MAX)
		return -EMSGSIZE;
	request[n] = '\0';
	return 0;
}

static void
control_attach(struct msghdr *message, union fds_buffer *buffer,
    const struct control_fds *fds)
{
	size_t size = fds->count * sizeof(int);

	memset(buffer, 0, sizeof(*buffer));
	buffer->header.cmsg_level = SOL_SOCKET;
	buffer->header.cmsg_type = SCM_RIGHTS;
	buffer->header.cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(&buffer->header), fds->fd, size);
	message->msg_control = buffer;
	message->msg_controllen = CMSG_SPACE(size);
}

int
control_send_reply(int fd, char *reply, const struct control_fds *fds)
{
	union fds_buffer buffer;
	struct iovec text = { .iov_base = reply, .iov_len = strlen(reply) };
	struct msghdr message = { .msg_iov = &text, .msg_iovlen = 1 };

	if (fds->count > 0)
		control_attach(&message, &buffer, fds);
	if (sendmsg(fd, &message, MSG_NOSIGNAL) < 0)
		return -errno;
	return 0;
}

static void
control_detach(struct msghdr *message, struct control_fds *fds)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);

	fds->count = 0;
	if (header == NULL || header->cmsg_level != SOL_SOCKET ||
	    header->cmsg_type != SCM_RIGHTS)
		return;
	fds->count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds->fd, CMSG_DATA(header), fds->count * sizeof(int));
}

int
control_receive_reply(
    int fd, char reply[CONTROL_REPLY_MAX], struct control_fds *fds)
{
	union fds_buffer buffer;
	struct iovec text = { .iov_base = reply,
		.iov_len = CONTROL_REPLY_MAX - 1 };
	struct msghdr message = {
		.msg_iov = &text,
		.msg_iovlen = 1,
		.msg_control = &buffer,
		.msg_controllen = sizeof(buffer),
	};
	ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);

	if (n < 0)
		return -errno;
	if (n == 0)
		return -ECONNRESET;
	reply[n] = '\0';
	control_detach(&message, fds);
	return 0;
}
