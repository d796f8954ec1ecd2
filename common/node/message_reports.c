/* SPDX-License-Identifier: ISC */
/*
 * Message reports (PROTOCOL.md, Message reports): each node reports what it
 * sent in the term to the peer from which its beacons come, and hands on the
 * reports of others the same way. The leader keeps them in a table
 * (common/wire/costs.h) and tells its host the sum. Nothing depends on them.
 */
#include "common/node/node_inside.h"

#include <string.h>

#define COUNTED_AFTER 3 /* heartbeats without a new report: tell the sum */

#define REPORTS_MIN      64 /* capacity at least: for unknown nodes */
#define REPORT_BEATS_MAX 32 /* after a change: its last report */
#define REPORTS_AT_ONCE  64 /* nodes that report in one round */
#define REPORTS_HELD     64 /* frames of a channel, beyond which none is sent */

size_t
message_reports_capacity(unsigned peers_count)
{
	return peers_count < REPORTS_MIN ? REPORTS_MIN : peers_count + 1;
}

/* Messages come first: reports may use no more than a quarter of the pool, and
 * a short queue of the channel. */
static bool
report_has_room(const struct node *node, const struct peer *to)
{
	return to->channel.held_count < REPORTS_HELD &&
	       blocks_free_count(node->blocks) >=
		   blocks_count(node->blocks) / 4 * 3;
}

/* Hands a report on towards the leader; false if there is no way. */
static bool
report_send(struct node *node, struct peer *from, const struct cost_report *r)
{
	uint8_t bytes[COST_REPORT_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct peer *to = node->lead.by;

	if (to == NULL || to == from || !to->is_up ||
	    !report_has_room(node, to))
		return false;
	cost_report_encode(&w, r);
	assert(!w.failed && w.size == COST_REPORT_BYTES);
	peers_touch(node, to);
	return channel_send(&to->channel, node->blocks, bytes, w.size);
}

/* Enters a report in our table, as the leader. */
static void
report_take(struct node *node, nsec_t now, const struct cost_report *r)
{
	struct costs *t = &node->reports.costs;

	assert(r->term > 0);
	assert(node_leads(node));
	if (t->term != r->term)
		costs_begin(t, r->term);
	if (!costs_take(t, r))
		return;
	node->reports.changed = now;
	node->reports.is_told = false;
}

/* Takes or hands on a report of the present term; false if it is lost. */
static bool
report_hand_in(struct node *node, nsec_t now, struct peer *from,
    const struct cost_report *r)
{
	const struct lead *lead = &node->lead;

	assert(r->hops <= NODES_MAX);
	if (!lead->is_fresh || r->term != lead->beacon.term)
		return false;
	if (lead->beacon.leader.id != node->setup.self)
		return report_send(node, from, r);
	report_take(node, now, r);
	return true;
}

void
message_reports_take(struct node *node, nsec_t now, struct peer *from,
    const struct cost_report *r)
{
	struct cost_report further = *r;

	if (r->hops == NODES_MAX)
		return;
	assert(r->hops < NODES_MAX);
	further.hops++;
	(void)report_hand_in(node, now, from, &further);
}

/* True if a change that is so many rounds old is reported now. Reports come 1,
 * 2, 4 and so on rounds after the change, because peers on the way may not know
 * the way yet. Of many nodes only some report in one round, as each report
 * loads all nodes on its way. */
static bool
report_is_due(const struct node *node, unsigned beats)
{
	unsigned turns = node->peers_count / REPORTS_AT_ONCE + 1;
	unsigned turn = peers_own_place(node) / REPORTS_AT_ONCE;
	unsigned rounds = beats < turn ? 0 : (beats - turn) / turns;

	assert(turn < turns);
	return rounds != 0 && (beats - turn) % turns == 0 &&
	       (rounds & (rounds - 1)) == 0;
}

/* Reports what this node has sent, if that has changed lately. */
static void
report_own(struct node *node, nsec_t now)
{
	const struct past_election *a = node->election.past;
	struct cost_report r = { .node = node->setup.self };

	if (a == NULL)
		return;
	r.term = a->term;
	r.is_starter = a->is_starter;
	memcpy(r.sent, a->sent, sizeof(r.sent));
	if (node->reports.reported.term != r.term ||
	    memcmp(node->reports.reported.sent, r.sent, sizeof(r.sent)) != 0) {
		node->reports.reported = r;
		node->reports.reported_beats = 0;
	}
	if (node->reports.reported_beats > REPORT_BEATS_MAX)
		return;
	node->reports.reported_beats++;
	if (report_is_due(node, node->reports.reported_beats))
		(void)report_hand_in(node, now, NULL, &r);
}

void
message_reports_beat(struct node *node, nsec_t now)
{
	struct notice n = { .kind = NOTICE_COUNTED };
	struct costs_sum sum;

	report_own(node, now);
	if (node->reports.is_told || node->reports.costs.term == 0 ||
	    nsec_since(now, node->reports.changed) <
		COUNTED_AFTER * node->setup.heartbeat)
		return;
	assert(node->reports.changed <= now);
	node->reports.is_told = true;
	sum = costs_sum(&node->reports.costs);
	n.term = node->reports.costs.term;
	n.leader = node->setup.self;
	n.nodes = sum.nodes;
	n.starters = sum.starters;
	for (unsigned i = 0; i < MESSAGE_KINDS_MAX; i++)
		n.sent[i] = sum.sent[i];
	node_note(node, now, n);
}
