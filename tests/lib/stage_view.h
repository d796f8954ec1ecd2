/* SPDX-License-Identifier: ISC */
/* The stage's nodes as the control protocol sees them, without its sockets. */
#ifndef ELECTD_TESTS_LIB_STAGE_VIEW_H
#define ELECTD_TESTS_LIB_STAGE_VIEW_H

#include "daemon/control/verbs/verbs.h"
#include "tests/lib/stage.h"

/* Nodes 1, 2, ... are called "web1", "web2", ... */
void stage_name(struct config_node *nodes, unsigned count);

/* These refer to one stage, and one node, at a time. */
struct control_view stage_view(
    struct stage *s, unsigned node, const struct settings *settings);

/*
 * Makes a request over the admin socket, and gives a new reference. NULL: the
 * request is pending, as *pending, which may be NULL where no request can be.
 */
json_t *stage_ask(const struct control_view *view, bool may_steer,
    const char *line, struct pending_request *pending);

#endif
