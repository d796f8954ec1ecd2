/* SPDX-License-Identifier: ISC */
/*
 * Message reports (PROTOCOL.md, Message reports): each node reports what it
 * sent in the term to the peer from which its leader's beacons come, and hands
 * on the reports of others the same way. It keeps all that it knows in a table
 * (common/wire/costs.h). The leader tells its host the sum. Nothing depends on
 * reports.
 */
#include "common/node/look/message_reports.h"

#include <string.h>

#include "common/node/context.h"
#include "common/node/peer/peers.h"

/* Heartbeats without a new report, then the leader tells the sum: a report may
 * be lost twice and still count. */
#define COUNTED_AFTER 3

#define REPORTS_MIN  64 /* capacity at least: for unknown nodes */
#define REPORT_BEATS 8  /* rounds that carry a report: some may be lost */

/* The number of nodes that the table has room for. */
static unsigned
reports_capacity(unsigned peers_count)
{
	return peers_count < REPORTS_MIN ? REPORTS_MIN : peers_count + 1;
}

size_t
message_reports_size(unsigned peers_count)
{
	unsigned capacity = reports_capacity(peers_count);

	return arena_aligned(capacity * sizeof(struct cost_report)) +
	       arena_aligned(capacity * sizeof(struct report_way));
}

void
message_reports_init(struct node *node, void *memory)
{
	unsigned capacity = reports_capacity(node->peers_count);
	uint8_t *m = memory;

	node->reports.costs.capacity = capacity;
	node->reports.costs.reports =
	    arena_carve(&m, capacity * sizeof(struct cost_report));
	node->reports.ways =
	    arena_carve(&m, capacity * sizeof(struct report_way));
}

/* Nothing depends on reports, so those of the present term are forgotten. */
void
message_reports_change(struct node *node, void *memory)
{
	node->reports = (struct node_reports){ .turn = 0 };
	message_reports_init(node, memory);
}

/* True if the present leader's reports go to this peer. */
static bool
reports_go_to(const struct node *node, const struct peer *p)
{
	return p != NULL && p == node->lead.by && p->link.is_up &&
	       node->lead.is_fresh && !node_leads(node) &&
	       node->reports.costs.term == node->lead.beacon.term;
}

void
message_reports_take(struct node *node, nsec_t now, const struct cost_report *r)
{
	struct costs *costs = &node->reports.costs;
	struct peer *to = node->lead.by;
	const struct cost_report *taken;

	if (!node->lead.is_fresh || r->term != node->lead.beacon.term)
		return;
	if (costs->term != r->term) {
		costs_begin(costs, r->term);
		node->reports.turn = 0;
	}
	taken = costs_take(costs, r);
	if (taken == NULL)
		return;
	node->reports.ways[taken - costs->reports] =
	    (struct report_way){ .rounds = REPORT_BEATS };
	node->reports.changed = now;
	node->reports.is_told = false;
	if (r->node != node->setup.self && reports_go_to(node, to))
		peers_schedule(node, to);
}

void
message_reports_repeat(struct node *node)
{
	for (unsigned i = 0; i < node->reports.costs.count; i++)
		node->reports.ways[i] =
		    (struct report_way){ .rounds = REPORT_BEATS };
}

/* Takes what this node itself has sent. */
static void
report_own(struct node *node, nsec_t now)
{
	const struct past_election *past = node->election.past;
	struct cost_report r = { .node = node->setup.self };

	if (past == NULL)
		return;
	r.term = past->term;
	r.is_starter = past->is_starter;
	memcpy(r.sent, past->sent, sizeof(r.sent));
	message_reports_take(node, now, &r);
}

/* Tells the host the sum. */
static void
reports_tell(struct node *node, nsec_t now)
{
	struct costs_sum sum = costs_sum(&node->reports.costs);
	struct notice n = {
		.kind = NOTICE_COUNTED,
		.term = node->reports.costs.term,
		.leader = node->setup.self,
		.nodes = sum.nodes,
		.starters = sum.starters,
	};

	assert(node_leads(node));
	for (unsigned i = 0; i < MESSAGE_KINDS_MAX; i++)
		n.sent[i] = sum.sent[i];
	node_note(node, now, n);
	node->reports.is_told = true;
}

/* A round is over. It counts for the reports that it carried. */
static void
reports_age(struct node_reports *reports)
{
	for (unsigned i = 0; i < reports->costs.count; i++) {
		struct report_way *way = &reports->ways[i];

		way->rounds -= way->is_carried;
		way->is_carried = false;
	}
}

void
message_reports_beat(struct node *node, nsec_t now)
{
	reports_age(&node->reports);
	report_own(node, now);
	if (!node_leads(node) || node->reports.is_told ||
	    node->reports.costs.term != node->lead.beacon.term ||
	    nsec_since(now, node->reports.changed) <
		COUNTED_AFTER * node->setup.timing.heartbeat)
		return;
	assert(node->reports.changed <= now);
	reports_tell(node, now);
}

/* Writes a report. False if there is no space for it. */
static bool
report_write(struct writer *w, const struct cost_report *report)
{
	uint8_t bytes[COST_REPORT_BYTES];
	struct writer b = writer_of(bytes, sizeof(bytes));

	if (w->capacity - w->size < FRAME_BYTES + COST_REPORT_BYTES)
		return false;
	cost_report_encode(&b, report);
	frame_encode(w, &(struct packet_frame){
			    .type = FRAME_REPORT,
			    .bytes = bytes,
			    .size = b.size,
			});
	assert(!w->failed);
	return true;
}

unsigned
message_reports_write(struct node *node, const struct peer *p, struct writer *w)
{
	struct node_reports *reports = &node->reports;
	unsigned first = reports->turn, all = reports->costs.count, count = 0;

	if (!reports_go_to(node, p))
		return 0;
	for (unsigned i = 0; i < all; i++) {
		unsigned at = (first + i) % all;

		if (reports->ways[at].rounds == 0)
			continue;
		if (!report_write(w, &reports->costs.reports[at])) {
			reports->turn = at;
			break;
		}
		reports->ways[at].is_carried = true;
		count++;
	}
	return count;
}

const struct costs *
node_counted(const struct node *node, uint64_t term)
{
	const struct costs *costs = &node->reports.costs;

	return term != 0 && costs->term == term &&
		       node->lead.beacon.term == term &&
		       node->lead.beacon.leader.id == node->setup.self
		   ? costs
		   : NULL;
}

void
message_reports_check(const struct node *node)
{
	const struct node_reports *r = &node->reports;

	assert(r->costs.capacity == reports_capacity(node->peers_count));
	assert(r->costs.count <= r->costs.capacity);
	assert(r->costs.term <= node->election.term);
	assert(!r->is_told || r->costs.term != 0);
	assert(r->turn == 0 || r->turn < r->costs.count);
	for (unsigned i = 0; i < r->costs.count; i++) {
		assert(r->ways[i].rounds <= REPORT_BEATS);
		assert(!r->ways[i].is_carried || r->ways[i].rounds > 0);
	}
}

void
message_reports_shift(struct node *node, struct shift *s)
{
	struct node_reports *r = &node->reports;

	r->costs.reports = shift_pointer(
	    s, r->costs.reports, r->costs.capacity, sizeof(*r->costs.reports));
	r->ways =
	    shift_pointer(s, r->ways, r->costs.capacity, sizeof(*r->ways));
}
