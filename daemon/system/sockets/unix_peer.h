/* SPDX-License-Identifier: ISC */
/*
 * Connections over a Unix socket from processes that are not trusted. Such a
 * process may pass open files with its bytes (SCM_RIGHTS, unix(7)). The process
 * that drops the last reference to a file waits until the kernel has ended the
 * file: a TCP socket lingers for an hour if its owner wants that (SO_LINGER,
 * socket(7)), and the blocks of a large file without a name are freed first. So
 * the loop never takes a file, nor drops one. A thread does that; it exists
 * once a process has passed a file. A file of a FUSE file system may hang for
 * ever in the kernel, and with it the thread; so where the kernel can refuse
 * files for us, it does (Linux 6.16).
 */
#ifndef ELECTD_DAEMON_SYSTEM_SOCKETS_UNIX_PEER_H
#define ELECTD_DAEMON_SYSTEM_SOCKETS_UNIX_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/* Has the kernel refuse files on a listening socket, and on its connections: a
 * process that passes one gets EPERM. Does nothing where the kernel cannot. */
void unix_peer_refuse_files(int listener);

/* Call this before the first read of a connection that was just accepted. */
void unix_peer_begin(int fd);

/* Reads like recv(2), and never waits. Fails with EPERM, and reads nothing, if
 * a file came with one of the next `size` bytes. */
ssize_t unix_peer_read(int fd, void *bytes, size_t size);

/* Ends both directions. True if it is worth to wait before unix_peer_close():
 * the peer has not read all that was sent to it, and no file waits. Such a file
 * might be the peer's own end. */
bool unix_peer_end(int fd);

/* Closes the connection. The peer can still read what was sent to it. */
void unix_peer_close(int fd);

/* Closes a listening socket, and the connections that nobody has accepted. */
void unix_peer_close_listener(int fd);

/* The number of connections that wait for the thread to close them. Each is an
 * open descriptor of this process. */
unsigned unix_peer_closing(void);

#endif
