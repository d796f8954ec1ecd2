/* SPDX-License-Identifier: ISC */
/*
 * How the client modes of the program reach a LAN: by an abstract Unix socket
 * with the name of a directory, so that nothing is ever written and nothing can
 * be left behind. A connection has one request and one reply, each one packet;
 * only the same user may connect.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_CONTROL_H
#define ELECTD_TESTS_SYSTEM_LAN_CONTROL_H

#include <stddef.h>

#define CONTROL_REQUEST_MAX 1024
#define CONTROL_REPLY_MAX   65536
#define CONTROL_FDS_MAX     3

/* Namespaces that a reply carries. */
struct control_fds {
	int fd[CONTROL_FDS_MAX];
	size_t count;
};

/* Give descriptors, or a negative errno. */
int control_listen(const char *directory);
int control_connect(const char *directory);
int control_accept(int listen_fd);

/* Sends a request, a string; 0 or a negative errno. */
int control_send_request(int fd, const char *request);
int control_receive_request(int fd, char request[CONTROL_REQUEST_MAX]);

/* Takes the reply, a string of up to CONTROL_REPLY_MAX with its 0. */
int control_send_reply(int fd, char *reply, const struct control_fds *fds);
int control_receive_reply(
    int fd, char reply[CONTROL_REPLY_MAX], struct control_fds *fds);

#endif
