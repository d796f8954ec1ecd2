/* SPDX-License-Identifier: ISC */
/*
 * Metrics in the text format of Prometheus, version 0.0.4, made of the answers
 * of electd-protocol(7). The names follow Prometheus' rules: base units, a
 * counter ends in "_total". The role is a value and never a label, so that a
 * series goes on through a change of leader.
 */
#ifndef ELECTD_DAEMON_METRICS_METRICS_H
#define ELECTD_DAEMON_METRICS_METRICS_H

#include <jansson.h>
#include <stdio.h>

#include "common/util/types.h"

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/*
 * Prints the metrics of a daemon by its answers of `status` and `stats`, which
 * arrived at `wall` (CLOCK_REALTIME). A value that the daemon does not know has
 * no line. NULL for either: no daemon answers, which electd_up says alone.
 */
void metrics_print(
    FILE *to, const json_t *status, const json_t *stats, nsec_t wall);

/* Prints one metric without labels; `type` is "gauge" or "counter". */
void metrics_put(FILE *to, const char *name, const char *type, const char *help,
    double value);

#endif
