/* SPDX-License-Identifier: ISC */
#include "daemon/report.h"

#include <errno.h>
#include <inttypes.h>

#include "daemon/log.h"
#include "daemon/notify.h"

#define REACH_TEXT_MAX 64

static const char *
name_of(const struct settings *settings, node_id id)
{
	const struct node_settings *n = settings_node(settings, id);

	return n != NULL ? n->name : "(unknown)";
}

void
report_start(const struct settings *settings)
{
	log_info("electd %s: node %s of cluster %s, algorithm %s%s",
	    ELECTD_VERSION, name_of(settings, settings->id), settings->cluster,
	    settings->algorithm->name, settings->realtime ? ", realtime" : "");
}

/* Does a leader part with the lead in order, for another to have it? */
static bool
is_hand_over(enum cause_kind cause)
{
	return cause == CAUSE_RESIGN || cause == CAUSE_BYE ||
	       cause == CAUSE_PREEMPT || cause == CAUSE_FORCED;
}

static void
report_leader(const struct settings *settings, const struct notice *n)
{
	char cause[CAUSE_TEXT_MAX];

	cause_text(n->cause, cause);
	if (n->kind == NOTICE_LEADER)
		log_info("%s leads%s in term %" PRIu64 " (%s)",
		    name_of(settings, n->leader),
		    n->previous == n->leader ? " again" : "", n->term, cause);
	else if (n->previous == NODE_NONE)
		log_info("no leader (%s)", cause);
	else if (is_hand_over(n->cause.kind))
		log_info("%s hands over, nobody leads yet (%s)",
		    name_of(settings, n->previous), cause);
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
report_counted(const struct notice *n)
{
	uint64_t sum = sum_of(n->sent);

	log_debug("term %" PRIu64 " cost %" PRIu64 " message%s, as %u node%s",
	    n->term, sum, sum == 1 ? "" : "s", n->nodes,
	    n->nodes == 1 ? " says" : "s say");
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

static void
report_other_key(const struct settings *settings, const struct notice *n)
{
	if (n->on)
		log_warnx(
		    "%s uses another key than %s on this host: it cannot join",
		    name_of(settings, n->peer), settings->key_file);
	else
		log_info("%s sends nothing under another key any more",
		    name_of(settings, n->peer));
}

static void
report_quorum(const struct notice *n)
{
	if (n->on)
		log_info("a majority of the voters is heard");
	else
		log_warnx("no quorum: no majority of the voters is heard");
}

static void
report_memory(const struct notice *n)
{
	if (n->memory == MEMORY_REVOKED)
		log_errorx(
		    "our state is an old copy, others know a later life of this node: it neither votes nor stands for election; see STATE in electd(8)");
	else if (n->memory == MEMORY_FAILED)
		log_errorx(
		    "our state could not be written: this node neither votes nor stands for election until that is mended and it is started again");
	else if (n->memory == MEMORY_LOST)
		log_errorx(
		    "our state is lost: this node neither votes nor stands for election; see STATE in electd(8)");
}

/* What a restart, a repeated or a late datagram explains is no alarm. */
static bool
drop_is_ordinary(enum drop drop)
{
	return drop == DROP_SESSION || drop == DROP_INCARNATION ||
	       drop == DROP_REPLAY;
}

/* What to do, where that is not for the network to mend. */
static const char *
drop_advice(enum drop drop)
{
	if (drop == DROP_KEY)
		return ": its key is not ours; compare key files";
	if (drop == DROP_CLUSTER)
		return ": it is of another cluster; compare cluster, or give "
		       "each its own port";
	if (drop == DROP_UNKNOWN)
		return ": its id is not in our nodes, or it is not for us; "
		       "compare configurations";
	return "";
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
		log_warnx(
		    "dropped a datagram from %s: %s%s (told once a minute)",
		    sender, drop_name(n->drop), drop_advice(n->drop));
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
	case NOTICE_OTHER_KEY:
		report_other_key(settings, n);
		break;
	case NOTICE_COUNTED:
		report_counted(n);
		break;
	case NOTICE_STALLED:
		log_warnx("this process did not run for %" PRIu64 " ms",
		    n->duration / MSEC);
		break;
	case NOTICE_DROPPED:
		report_dropped(settings, n);
		break;
	case NOTICE_QUORUM:
		report_quorum(n);
		break;
	case NOTICE_MEMORY:
		report_memory(n);
		break;
	case NOTICE_TRACE:
		log_trace("%s", n->text);
		break;
	}
}

/* Where not all are neighbours, only the links to those count. */
static const char *
reach_text(const struct settings *settings, const struct node_status *status,
    char text[REACH_TEXT_MAX])
{
	unsigned links = status->reachable - 1;

	if (settings->topology == TOPOLOGY_FULL)
		snprintf(text, REACH_TEXT_MAX, "%u of %zu node%s reachable",
		    status->reachable, settings->nodes_count,
		    settings->nodes_count == 1 ? "" : "s");
	else
		snprintf(text, REACH_TEXT_MAX, "%u link%s up", links,
		    links == 1 ? "" : "s");
	return text;
}

bool
report_wants_status(const struct notice *n)
{
	return notify_is_heard() && n->kind != NOTICE_TRACE &&
	       n->kind != NOTICE_DROPPED;
}

void
report_status(const struct settings *settings, const struct node_status *status)
{
	char reach[REACH_TEXT_MAX];

	reach_text(settings, status, reach);
	if (status->leader == NODE_NONE)
		notify_status("no leader (%s); %s",
		    node_state_name(status->state), reach);
	else
		notify_status("%s leads in term %" PRIu64 "; %s",
		    name_of(settings, status->leader), status->term, reach);
}

void
report_handing_over(nsec_t ahead)
{
	if (ahead == 0)
		log_info("handing over; a second signal ends this");
	else
		log_info(
		    "leading on until the last deadline that was handed out is over, in %" PRIu64
		    " ms, then handing over; a second signal ends this",
		    ahead / MSEC);
}

void
report_disk(const struct settings *settings, const struct store *store,
    int error, bool is_unborn)
{
	const char *text = store_error_text(store, error);
	const char *directory = settings->state_dir, *name = store_name(store);

	if (is_unborn)
		log_errorx("cannot keep our incarnation in %s/%s: %s",
		    directory, name, text);
	else if (settings->guarantee == GUARANTEE_COMPONENT)
		log_errorx("cannot keep the term in %s/%s: %s; it may be "
			   "forgotten with this process",
		    directory, name, text);
	else
		log_errorx("cannot keep what we promise in %s/%s: %s; %s",
		    directory, name, text,
		    error == -ENOENT || error == -ESTALE
			? "what it held is lost: see STATE in electd(8)"
			: "mend the disk, then start electd again");
}
