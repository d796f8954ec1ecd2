/* SPDX-License-Identifier: ISC */
/*
 * Counting an election in the whole cluster (costs.h): every node reports
 * what it sent towards the leader, by the way its beacons come.
 */
#include "common/node/node_inside.h"

#include <string.h>

#define COUNTED_AFTER 3 /* heartbeats without another report */

#define REPORTS_MIN      64 /* room for nodes that are not configured here */
#define REPORT_BEATS_MAX 32 /* after a change, the last report of it */
#define REPORTS_AT_ONCE                                                        \
	64              /* nodes that report in one beat: where word goes
                             * from node to node, each of them loads many */
#define REPORTS_HELD 64 /* frames of a channel; beyond, reports are given up */

size_t
message_reports_capacity(unsigned peers_count)
{
	return peers_count < REPORTS_MIN ? REPORTS_MIN : peers_count + 1;
}

/* Messages come first: reports have what little else is held, and no more than
 * a quarter of all memory. */
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
	struct peer *to = node->view.leader_by;

	if (to == NULL || to == from || !to->is_up ||
	    !report_has_room(node, to))
		return false;
	cost_report_encode(&w, r);
	assert(!w.failed && w.size == COST_REPORT_BYTES);
	peers_touch(node, to);
	return channel_send(&to->channel, node->blocks, bytes, w.size);
}

static void
report_take(struct node *node, nsec_t now, const struct cost_report *r)
{
	struct costs *t = &node->reports.costs;

	if (t->term != r->term)
		costs_begin(t, r->term);
	if (!costs_take(t, r))
		return;
	node->reports.changed = now;
	node->reports.is_told = false;
}

static bool
report_hand_in(struct node *node, nsec_t now, struct peer *from,
    const struct cost_report *r)
{
	const struct lead *lead = &node->lead;

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
	further.hops++;
	(void)report_hand_in(node, now, from, &further);
}

/*
 * So many beats after a change: is it to be reported? Soon, and then again,
 * ever more rarely, as those on the way to the leader may not know the way yet.
 * Of many nodes, so many at once.
 */
static bool
report_is_due(const struct node *node, unsigned beats)
{
	unsigned turns = node->peers_count / REPORTS_AT_ONCE + 1;
	unsigned turn = node->table.place / REPORTS_AT_ONCE;
	unsigned rounds = beats < turn ? 0 : (beats - turn) / turns;

	return rounds != 0 && (beats - turn) % turns == 0 &&
	       (rounds & (rounds - 1)) == 0;
}

/* Reports what this node has sent, when it has changed. */
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
