/* SPDX-License-Identifier: ISC */
/* How world.c moves the processes of a world; for nobody else. */
#ifndef ELECTD_TESTS_WORLD_PROCESS_H
#define ELECTD_TESTS_WORLD_PROCESS_H

#include "tests/world.h"

/* A datagram arrives; false: it is kept in the socket of a paused process. */
bool process_arrive(struct world *w, struct pending *d);

/* The deadline of a running process has come. */
void process_tick(struct world *w, process_name name);

#endif
