/* SPDX-License-Identifier: ISC */
#include "daemon/electd/tell/report.h"

#include <inttypes.h>

#include "daemon/electd/tell/report_words.h"
#include "daemon/system/log.h"

#define LINES_WINDOW (60 * SEC) /* of a limit; its lines call it a minute */

#define LEADERS "leaders come and go"
#define STALLS  "this process often does not run"

/* True if one more line about the matter may go out. `matter` says what happens
 * too often if it does: "web3 comes and goes". */
static bool
may_log(const struct reporter *r, struct line_limit *limit, const char *matter)
{
	unsigned left_out = limit->count > REPORT_LINES_MAX
				? limit->count - REPORT_LINES_MAX
				: 0;

	if (r->now >= limit->until) {
		if (left_out > 0)
			log_notice("%s: left out %u such line%s", matter,
			    left_out, left_out == 1 ? "" : "s");
		limit->until = nsec_after(r->now, LINES_WINDOW);
		limit->count = 0;
	}
	limit->count++;
	if (limit->count == REPORT_LINES_MAX + 1)
		log_notice(
		    "%s: leaving out such lines for the rest of a minute",
		    matter);
	return limit->count <= REPORT_LINES_MAX;
}

/* True if the leader is gone without an operator's request. */
static bool
is_loss(enum reason_kind reason)
{
	return reason == REASON_DIED || reason == REASON_MISSED ||
	       reason == REASON_REFUSED || reason == REASON_STALLED ||
	       reason == REASON_DUPLICATE || reason == REASON_REFUTED ||
	       reason == REASON_LEASE || reason == REASON_DENIED ||
	       reason == REASON_STATE_FILE;
}

/* A node that was removed loses its leader and its peers, as it should. */
static bool
is_outside(const struct reporter *r)
{
	return node_status(r->node, r->now).is_outside;
}

static void
report_loss(const struct reporter *r, const struct notice *n)
{
	char why[WORDS_MAX];

	(is_outside(r) ? log_notice : log_warnx)("leader %s lost: %s",
	    words_name(r->settings, n->previous),
	    words_reason(r->settings, n->reason, why));
}

/* A new leader may be the first sign that the old one died; then this logs the
 * loss first. */
static void
report_leader(struct reporter *r, const struct notice *n)
{
	const struct settings *s = r->settings;
	bool is_new_loss = !r->loss_is_told && n->previous != n->leader &&
			   n->previous == n->reason.node &&
			   is_loss(n->reason.kind);
	char why[WORDS_MAX];

	r->loss_is_told = false;
	if (!may_log(r, &r->leaders, LEADERS))
		return;
	if (is_new_loss)
		report_loss(r, n);
	log_notice("%s leads%s in term %" PRIu64 " (%s)",
	    words_name(s, n->leader), n->previous == n->leader ? " again" : "",
	    n->term, words_reason(s, n->reason, why));
}

static void
report_no_leader(struct reporter *r, const struct notice *n)
{
	const struct settings *s = r->settings;
	char why[WORDS_MAX];

	r->loss_is_told = true;
	if (!may_log(r, &r->leaders, LEADERS))
		return;
	words_reason(s, n->reason, why);
	if (n->previous == NODE_NONE)
		log_warnx("no leader: no node is eligible (%s)", why);
	else if (is_loss(n->reason.kind))
		report_loss(r, n);
	else
		log_notice("%s no longer leads; no successor yet (%s)",
		    words_name(s, n->previous), why);
}

static void
report_election(struct reporter *r, const struct notice *n)
{
	char why[WORDS_MAX];

	if (n->kind == NOTICE_ELECTED && n->leader != NODE_NONE)
		log_debug("%s elected in term %" PRIu64 " in %" PRIu64 " us",
		    words_name(r->settings, n->leader), n->term,
		    n->duration / USEC);
	else if (!may_log(r, &r->elections, "one election follows another"))
		return;
	else if (n->kind == NOTICE_ELECTED)
		log_info("no node is eligible in term %" PRIu64, n->term);
	else
		log_info("election in term %" PRIu64 " (%s)", n->term,
		    words_reason(r->settings, n->reason, why));
}

/*
 * Warns once when no more than half of the nodes are reachable. Under component
 * a host that is cut off keeps or elects a leader, so that no other line shows
 * that there may be two leaders.
 */
static void
report_reach(struct reporter *r, const struct notice *n)
{
	const struct settings *s = r->present;
	unsigned reachable = node_status(r->node, r->now).reachable;
	bool is_cut = 2 * reachable <= s->shared.nodes_count;

	if (s->shared.guarantee == GUARANTEE_QUORUM ||
	    s->shared.topology != TOPOLOGY_FULL || is_outside(r))
		return;
	if (is_cut && !r->cut_is_told && n->evidence == EVIDENCE_MISSED &&
	    may_log(r, &r->cuts, "half of the nodes come and go")) {
		log_warnx(
		    "only %u of %zu nodes reachable: the others may have their own leader; check the network",
		    reachable, s->shared.nodes_count);
		r->cut_is_told = true;
	} else if (!is_cut) {
		r->cut_is_told = false;
	}
}

static bool
may_log_link(struct reporter *r, node_id peer)
{
	const struct config_node *node =
	    config_find(&r->settings->shared, peer);
	char matter[WORDS_MAX];

	assert(node != NULL);
	snprintf(matter, sizeof(matter), "%s comes and goes", node->name);
	return may_log(r, &r->links[node - r->settings->shared.nodes], matter);
}

/* A member can take its link down and up with each datagram. */
static void
report_peer(struct reporter *r, const struct notice *n)
{
	const char *name = words_name(r->settings, n->peer);

	if (n->evidence == EVIDENCE_DISTANT) {
		log_debug("%s is no longer a neighbour", name);
	} else if (may_log_link(r, n->peer)) {
		if (n->kind == NOTICE_PEER_UP)
			log_notice("%s is up", name);
		else
			log_notice("%s is down: %s", name,
			    words_evidence(n->evidence));
	}
	report_reach(r, n);
}

static void
report_duplicate(const struct settings *s, const struct notice *n)
{
	const char *name = words_name(s, n->peer);

	if (n->on)
		log_warnx(
		    "duplicate id: two processes run as %s (id %" PRIu32
		    "); neither can lead; stop one, or give it its own id",
		    name, n->peer);
	else
		log_notice(
		    "duplicate id resolved: one process runs as %s now", name);
}

static void
report_differs(const struct settings *s, const struct notice *n)
{
	const char *name = words_name(s, n->peer);

	if (!n->on)
		log_notice("%s has the same settings as this host again", name);
	else
		log_warnx(
		    "%s has different settings from this host and cannot join: %s until they match; compare electd -T on both",
		    name,
		    s->shared.guarantee == GUARANTEE_QUORUM
			? "it does not count towards a majority here"
			: "two leaders are possible");
}

static void
report_other_version(const struct settings *s, const struct notice *n)
{
	const char *name = words_name(s, n->peer);

	if (!n->on)
		log_notice(
		    "%s runs a version of electd that this one speaks", name);
	else
		log_warnx(
		    "%s runs a version of electd that this one does not speak and cannot join: %s; see electd-operating(7), UPGRADING",
		    name,
		    s->shared.guarantee == GUARANTEE_QUORUM
			? "it does not count towards a majority here"
			: "two leaders are possible");
}

static void
report_clash(const struct settings *s, const struct notice *n)
{
	if (settings_are_discovered(s))
		log_info(
		    "discovery: %s and this host found different nodes: one of the two lists wins, and the nodes missing from it join again",
		    words_name(s, n->peer));
	else
		log_warnx(
		    "%s has other settings of the same config version, %" PRIu32
		    ": one of the two files wins on all hosts; give all hosts one file, and raise config_version with each change",
		    words_name(s, n->peer), s->shared.config_version);
}

static void
report_outside(const struct settings *s, const struct notice *n)
{
	const char *name = words_name(s, s->id);

	if (settings_are_discovered(s))
		log_info(n->on ? "the other nodes do not know %s yet"
			       : "the other nodes know %s",
		    name);
	else if (n->on)
		log_warnx(
		    "the settings of the other nodes do not name %s: it does not lead; if it was removed, stop electd here, else install this host's file there, too",
		    name);
	else
		log_notice("the settings of the other nodes name %s", name);
}

static void
report_other_key(const struct settings *s, const struct notice *n)
{
	const struct config_node *node = config_find(&s->shared, n->peer);
	const char *name = words_name(s, n->peer);

	if (!n->on)
		log_notice("%s no longer uses another key", name);
	else
		log_warnx(
		    "%s (%s) seems to use another key and cannot join%s; compare the SHA-256 of %s on both",
		    name, node != NULL ? node->address : "",
		    s->shared.guarantee == GUARANTEE_QUORUM
			? ""
			: ": two leaders are possible",
		    s->key_file);
}

static void
report_quorum(struct reporter *r, const struct notice *n)
{
	struct node_status status;
	char missing[WORDS_MAX];

	if (!may_log(r, &r->quorum, "the quorum comes and goes"))
		return;
	status = node_status(r->node, r->now);
	if (n->on)
		log_notice(
		    "quorum: %u of %u voters", status.votes, status.voters);
	else if (status.is_leaving || node_stopped(r->node))
		log_info("quorum lost while this node stops");
	else if (status.is_outside)
		log_notice(
		    "quorum lost: the settings of the other nodes do not name this node");
	else
		log_warnx("quorum lost: %u of %u voters, %u needed; missing %s",
		    status.votes, status.voters, status.quorum,
		    words_missing(r->present, r->node, missing));
}

static void
report_state_file(const struct settings *s, const struct notice *n)
{
	static const char *const texts[] = {
		[STATE_HEALTH_SOUND] = "is sound: this node votes from now on",
		[STATE_HEALTH_LOST] =
		    "is missing or damaged: this node does not vote yet, and waits for a leader that leads without it",
		[STATE_HEALTH_REVOKED] =
		    "is an old copy, perhaps from a backup (other nodes know of later starts of this node): this node does not vote yet, and waits for a leader that leads without it",
		[STATE_HEALTH_FAILED] =
		    "could not be written: this node neither votes nor stands for election; repair the disk and restart electd",
		[STATE_HEALTH_CHANGED] = NULL, /* only at a start */
	};

	if (n->state_health == STATE_HEALTH_SOUND)
		log_notice("state file %s/%s-%" PRIu32 ".state %s",
		    s->state_dir, s->shared.cluster, s->id,
		    texts[n->state_health]);
	else if (texts[n->state_health] != NULL)
		log_errorx("state file %s/%s-%" PRIu32 ".state %s",
		    s->state_dir, s->shared.cluster, s->id,
		    texts[n->state_health]);
}

/* Warns if the stall exceeds the peers' detection time, unless report_death()
 * has logged it already. */
static void
report_stalled(struct reporter *r, const struct notice *n)
{
	const struct settings *s = r->settings;
	bool is_long =
	    n->duration >= s->shared.timing.heartbeat * s->shared.timing.misses;
	bool is_warning = is_long && !r->stall_is_told;

	if (!may_log(r, is_warning ? &r->long_stalls : &r->stalls, STALLS))
		return;
	if (is_warning)
		log_warnx(
		    "not scheduled for %" PRIu64
		    " ms, longer than peers wait for a heartbeat: they may declare this node dead; check for CPU load and VM pauses",
		    n->duration / MSEC);
	else
		log_info(
		    "not scheduled for %" PRIu64 " ms", n->duration / MSEC);
}

/* A member may be wrong, and say so again and again. */
static void
report_standby(struct reporter *r, const struct notice *n)
{
	const struct standby standby = node_standby(r->node, n->peer);
	const char *name = words_name(r->settings, n->peer);
	bool has_reason = standby.reason[0] != '\0';

	if (!may_log(r, &r->standbys, "nodes come and go on standby"))
		return;
	if (n->on)
		log_notice("%s is on standby%s%s", name, has_reason ? ": " : "",
		    standby.reason);
	else
		log_notice("%s is no longer on standby", name);
}

static void
report_change(struct reporter *r, const struct notice *n)
{
	if (n->kind == NOTICE_LEADER)
		report_leader(r, n);
	else
		report_no_leader(r, n);
}

/* Says why it takes long, if clients rely on this leader. */
static void
report_handover(const struct reporter *r, const struct notice *n)
{
	nsec_t until = node_handed_out(r->node);

	if (n->on && until > n->at)
		log_info(
		    "handing over waits up to %.1f s: clients were promised that this node leads that long",
		    (double)nsec_since(until, n->at) / (double)SEC);
}

void
report_notice(struct reporter *r, const struct notice *n)
{
	switch (n->kind) {
	case NOTICE_LEADER:
	case NOTICE_NO_LEADER:
		report_change(r, n);
		break;
	case NOTICE_ELECTION:
	case NOTICE_ELECTED:
		report_election(r, n);
		break;
	case NOTICE_PEER_UP:
	case NOTICE_PEER_DOWN:
		report_peer(r, n);
		break;
	case NOTICE_DUPLICATE:
		report_duplicate(r->settings, n);
		break;
	case NOTICE_DIFFERS:
		report_differs(r->settings, n);
		break;
	case NOTICE_OTHER_VERSION:
		report_other_version(r->settings, n);
		break;
	case NOTICE_OUTSIDE:
		report_outside(r->settings, n);
		break;
	case NOTICE_CLASH:
		report_clash(r->settings, n);
		break;
	case NOTICE_OTHER_KEY:
		report_other_key(r->settings, n);
		break;
	case NOTICE_STALLED:
		report_stalled(r, n);
		break;
	case NOTICE_DROPPED:
		report_dropped(r, n);
		break;
	case NOTICE_QUORUM:
		report_quorum(r, n);
		break;
	case NOTICE_STATE_FILE:
		report_state_file(r->settings, n);
		break;
	case NOTICE_STANDBY:
		report_standby(r, n);
		break;
	case NOTICE_TRACE:
		log_trace("%s", n->text);
		break;
	case NOTICE_HANDOVER:
		report_handover(r, n);
		break;
	}
}

void
report_death(struct reporter *r, nsec_t duration)
{
	log_warnx(
	    "not scheduled for %" PRIu64
	    " ms: lastwill announced this node as dead; it now rejoins; check for CPU load and VM pauses",
	    duration / MSEC);
	r->stall_is_told = true;
}
