/* SPDX-License-Identifier: ISC */
/* The verb by which `electctl checks` gets the checks, and says how the
 * services are. */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_HEALTH_H
#define ELECTD_DAEMON_CONTROL_VERBS_HEALTH_H

#include "daemon/control/verbs.h"

json_t *verb_health(struct request *request);

#endif
