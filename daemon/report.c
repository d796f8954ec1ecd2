/* SPDX-License-Identifier: ISC */
#include "daemon/report.h"

#include <inttypes.h>

#include "daemon/log.h"
#include "daemon/notify.h"

static const char *
name_of(const struct settings *settings, node_id id)
{
	const struct node_settings *n = settings_node(settings, id);

	return n != NULL ? n->name : "(unknown)";
}

static void
report_leader(const struct settings *settings, const struct notice *n)
{
	char cause[CAUSE_TEXT_MAX];

	cause_text(n->cause, cause);
	if (n->kind == NOTICE_LEADER)
		log_info("%s leads in term %" PRIu64 " (%s)",
		    name_of(settings, n->leader), n->term, cause);
	else
		log_info("no leader: %s is lost (%s)",
		    name_of(settings, n->previous), cause);
}

static void
report_election(const struct settings *settings, const struct notice *n)
{
	char cause[CAUSE_TEXT_MAX];

	if (n->kind == NOTICE_ELECTION)
		log_info("election in term %" PRIu64 " (%s)", n->term,
		    cause_text(n->cause, cause));
	else if (n->leader == NODE_NONE)
		log_warnx(
		    "nobody stands for election in term %" PRIu64, n->term);
	else
		log_debug("%s elected in term %" PRIu64 " within %" PRIu64
			  " us",
		    name_of(settings, n->leader), n->term, n->duration / USEC);
}

static uint64_t
sum_of(const uint64_t counts[MESSAGE_KINDS_MAX])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < MESSAGE_KINDS_MAX; i++)
		sum += counts[i];
	return sum;
}

static void
report_peer(const struct settings *settings, const struct notice *n)
{
	if (n->kind == NOTICE_PEER_UP)
		log_info("%s is up", name_of(settings, n->peer));
	else if (n->evidence == EVIDENCE_DISTANT)
		log_debug("%s is no neighbour in the ring any more",
		    name_of(settings, n->peer));
	else
		log_info("%s is down (%s)", name_of(settings, n->peer),
		    evidence_name(n->evidence));
}

static void
report_duplicate(const struct settings *settings, const struct notice *n)
{
	if (n->on)
		log_warnx(
		    "duplicate id: another process is also %s (id %" PRIu32
		    "); neither stands for election",
		    name_of(settings, n->peer), n->peer);
	else
		log_info("the id of %s is in use once again",
		    name_of(settings, n->peer));
}

static void
report_differs(const struct settings *settings, const struct notice *n)
{
	if (n->on)
		log_warnx(
		    "%s has other cluster-wide settings than ours; compare electd -T on both",
		    name_of(settings, n->peer));
	else
		log_info(
		    "%s has our settings again", name_of(settings, n->peer));
}

/* What a restart, a repeated or a late datagram explains is no alarm. */
static bool
drop_is_ordinary(enum drop drop)
{
	return drop == DROP_SESSION || drop == DROP_INCARNATION ||
	       drop == DROP_REPLAY;
}

static void
report_dropped(const struct settings *settings, const struct notice *n)
{
	const char *sender =
	    n->peer == NODE_NONE ? "a stranger" : name_of(settings, n->peer);

	if (drop_is_ordinary(n->drop))
		log_info("dropped a datagram from %s: %s (told once a minute)",
		    sender, drop_name(n->drop));
	else
		log_warnx("dropped a datagram from %s: %s (told once a minute)",
		    sender, drop_name(n->drop));
}

void
report_notice(const struct settings *settings, const struct notice *n)
{
	switch (n->kind) {
	case NOTICE_LEADER:
	case NOTICE_NO_LEADER:
		report_leader(settings, n);
		break;
	case NOTICE_ELECTION:
	case NOTICE_ELECTED:
		report_election(settings, n);
		break;
	case NOTICE_PEER_UP:
	case NOTICE_PEER_DOWN:
		report_peer(settings, n);
		break;
	case NOTICE_DUPLICATE:
		report_duplicate(settings, n);
		break;
	case NOTICE_DIFFERS:
		report_differs(settings, n);
		break;
	case NOTICE_COUNTED:
		log_debug("term %" PRIu64 " cost %" PRIu64
			  " messages, as %u nodes say",
		    n->term, sum_of(n->sent), n->nodes);
		break;
	case NOTICE_STALLED:
		log_warnx("this process did not run for %" PRIu64 " ms",
		    n->duration / MSEC);
		break;
	case NOTICE_DROPPED:
		report_dropped(settings, n);
		break;
	case NOTICE_TRACE:
		log_trace("%s", n->text);
		break;
	}
}

void
report_status(const struct settings *settings, const struct node_status *status)
{
	if (status->leader == NODE_NONE)
		notify_status("no leader (%s); %u of %zu nodes reachable",
		    node_state_name(status->state), status->reachable,
		    settings->nodes_count);
	else
		notify_status("%s leads in term %" PRIu64
			      "; %u of %zu nodes reachable",
		    name_of(settings, status->leader), status->term,
		    status->reachable, settings->nodes_count);
}
