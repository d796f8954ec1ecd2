/* SPDX-License-Identifier: ISC */
/*
 * How the client modes of the program reach a LAN: an abstract Unix socket
 * named after a directory, so that nothing is ever written and nothing can be
 * left behind. One request and one reply a connection, each one packet; only
 * the same user is listened to.
 */
#ifndef ELECTD_TESTS_LAN_CONTROL_H
#define ELECTD_TESTS_LAN_CONTROL_H

#include <stddef.h>

#define CONTROL_REQUEST_MAX 1024
#define CONTROL_REPLY_MAX   65536
#define CONTROL_FDS_MAX     3

/* Namespaces handed over with a reply. */
struct control_fds {
	int fd[CONTROL_FDS_MAX];
	size_t count;
};

/* Descriptors, or a negative errno. */
int control_listen(const char *directory);
int control_connect(const char *directory);
int control_accept(int listen_fd);

/* A request as a string; 0 or a negative errno. */
int control_send_request(int fd, const char *request);
int control_receive_request(int fd, char request[CONTROL_REQUEST_MAX]);

/* The reply as a string of up to CONTROL_REPLY_MAX with its 0. */
int control_send_reply(int fd, char *reply, const struct control_fds *fds);
int control_receive_reply(
    int fd, char reply[CONTROL_REPLY_MAX], struct control_fds *fds);

#endif
