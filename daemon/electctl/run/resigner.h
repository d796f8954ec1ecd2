/* SPDX-License-Identifier: ISC */
/* Asks electd to hand over, on its admin socket, and never waits for it. */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_RESIGNER_H
#define ELECTD_DAEMON_ELECTCTL_RUN_RESIGNER_H

#include "daemon/electctl/run/verb_loop.h"

struct resigner {
	const struct verb_loop *loop;
	struct electd *daemon; /* that was asked; NULL: none */
};

void resigner_init(struct resigner *resigner, const struct verb_loop *loop);

/* Complains if this user may not ask. Gives CODE_YES otherwise, also while
 * there is no socket. */
enum control_code resigner_may(const struct resigner *resigner);

/* This leader is to hand over, for this reason. Says so if that cannot be
 * asked. */
void resigner_ask(struct resigner *resigner, const char *reason);

/* Readable when there is an answer; -1: none is to come. */
int resigner_fd(const struct resigner *resigner);

/* Takes the answer, and says so if electd refuses. */
void resigner_take(struct resigner *resigner);

/* Disconnects. What was asked for stands. */
void resigner_end(struct resigner *resigner);

#endif
