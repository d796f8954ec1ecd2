/* SPDX-License-Identifier: ISC */
/* News from the kernel of the interfaces of this host, and of their
 * addresses. */
#ifndef ELECTD_DAEMON_NET_LINKS_H
#define ELECTD_DAEMON_NET_LINKS_H

struct links_handler {
	/* This interface is gone. */
	void (*gone)(void *context, int index);
	/* The kernel had more news than the socket holds, and dropped some of
	 * it: any interface may be gone. */
	void (*overrun)(void *context);
	void *context;
};

/* A socket that can be read once something has changed; -1: there is none. */
int links_open(void);

/* Takes the news of the kernel, at most 64 messages in one call. */
void links_hear(int fd, const struct links_handler *handler);

#endif
