/* SPDX-License-Identifier: ISC */
/*
 * Asks electd in rounds: all who want to know are answered by one round that
 * began after they had asked. So a thousand clients cost electd no more than a
 * few, and nobody is told what was so before the question.
 */
#ifndef ELECTD_DAEMON_ELECTWEB_ASKER_H
#define ELECTD_DAEMON_ELECTWEB_ASKER_H

#include <stdint.h>

#include "common/util/types.h"
#include "daemon/electweb/page.h"
#include "daemon/libelectd/electd.h"

struct asker {
	struct electd *electd; /* ELECTD_ASK; connected between rounds */
	bool is_connected;
	unsigned wanted;  /* bits of the verbs of the next round */
	unsigned waiting; /* of those whose answers the round under way lacks;
	                   * they come in the order of enum verb */
	nsec_t late_at;   /* when the round under way has failed */
	nsec_t next_at;   /* no round begins before */
	uint64_t rounds;  /* that have begun */
	struct answers answers; /* of the round under way, or of the last */
};

/* False with errno. `socket` is borrowed; NULL: as electd_find() finds it. */
bool asker_init(struct asker *a, const char *socket);
void asker_end(struct asker *a);

/* The next round asks for these verbs, too. */
void asker_want(struct asker *a, unsigned verbs);

/* True while a round is under way. */
static inline bool
asker_is_asking(const struct asker *a)
{
	return a->waiting != 0;
}

/* Begins a round if one is wanted and due, and none is under way. True if so:
 * it answers all who have asked until now. */
bool asker_begin(struct asker *a, nsec_t now);

/* Takes answers while a round is under way. True if it has ended: a->answers
 * has what it brought. */
bool asker_take(struct asker *a, nsec_t now);

/* The descriptor to poll, -1: none; and when to call the two at the latest,
 * NSEC_NEVER: at no time. */
int asker_fd(const struct asker *a);
nsec_t asker_due_at(const struct asker *a);

#endif
