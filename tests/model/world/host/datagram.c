/* SPDX-License-Identifier: ISC */
/* What leaves a host: no datagram with an incarnation that others may not
 * see. */
#include "tests/model/world/host/host.h"

#include <inttypes.h>

/* A process sends no datagram with an incarnation that is not durable, or that
 * its helper has declared dead. But a helper may speak in the middle of a step,
 * and the process ends that step before it looks. */
void
world_check_datagram(
    struct world *w, process_name name, const struct action *action)
{
	const struct process *p = &w->processes[name];
	struct reader r = reader_of(action->datagram, action->size);
	struct packet_head head;

	if (!packet_head_decode(&r, &head))
		world_fail(w, "%u sends what is no datagram", name);
	else if (head.incarnation > p->disk.durable.incarnation &&
		 p->state_health != STATE_HEALTH_LOST &&
		 p->state_health != STATE_HEALTH_CHANGED &&
		 (!p->disk.has_failed ||
		     w->setup.guarantee != GUARANTEE_QUORUM))
		world_fail(w,
		    "%u bears incarnation %" PRIu64 ", which is not durable",
		    name, head.incarnation);
	else if (head.incarnation <= p->helper.declared && !p->step.is_late)
		world_fail(w,
		    "%u bears incarnation %" PRIu64 ", which was declared dead",
		    name, head.incarnation);
	else if (head.type != PACKET_HELLO && head.type != PACKET_HELLO_ACK &&
		 head.type != PACKET_ANNOUNCE &&
		 (head.version < p->speaks.lowest ||
		     head.version > p->speaks.highest))
		world_fail(w, "%u sends version %u, which it does not speak",
		    name, head.version);
}
