/* SPDX-License-Identifier: ISC */
/* Histories in other forms than JSON and pictures. */
#ifndef ELECTD_DAEMON_HISTORY_HISTORY_PRINT_H
#define ELECTD_DAEMON_HISTORY_HISTORY_PRINT_H

#include <stdio.h>

#include "daemon/history/causes.h"

/* ShiViz wants a clock of all nodes with each event. */
#define SHIVIZ_NODES_MAX 64

/* A line for one event. */
void history_print_event(FILE *out, const struct causes *c, struct place at);

/* A line an event, each after its causes. */
void history_print_text(FILE *out, const struct causes *c);

/* A line with the messages that the nodes sent, in all and by kind. The
 * histories have events of this term alone. */
void history_print_cost(FILE *out, const struct histories *all, uint64_t term);

/* The chain of causes behind the last leader: a line an event, from the start
 * of the election, or from as far back as the histories tell, to the node that
 * begins to lead. False: nobody has taken a leader, or there is no memory. */
bool history_print_chain(FILE *out, const struct causes *c);

/* What https://bestchai.bitbucket.io/shiviz reads, by its default expression:
 * an event, and a line with its host and vector clock. False: too many nodes,
 * or no memory. */
bool history_print_shiviz(FILE *out, const struct causes *c);

/* A sequence diagram for Mermaid. */
void history_print_mermaid(FILE *out, const struct causes *c);

#endif
