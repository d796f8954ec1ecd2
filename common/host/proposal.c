/* SPDX-License-Identifier: ISC */
#include "common/host/proposal.h"

static bool
has(const struct proposal *p, enum change change)
{
	return (p->changes >> change & 1) != 0;
}

bool
proposal_is_later(const struct proposal *p)
{
	return p->has_document && config_id_is_newer(&p->wanted, &p->running);
}

bool
proposal_jumps(const struct proposal *p)
{
	uint32_t from = p->running.config_version;
	uint32_t to = p->wanted.config_version;

	return p->origin == ORIGIN_FILE && to > from &&
	       to - from > CONFIG_VERSION_STEP_MAX;
}

/* QUORUM: what no leader would take is not proposed. */
static enum proposal_end
judge_step(struct node *node, nsec_t now, const struct proposal *p)
{
	uint64_t config_term;

	if (p->setup == NULL)
		return PROPOSAL_FAILED;
	switch (node_step(node, now, p->setup, &config_term)) {
	case STEP_TOO_FAR:
		return PROPOSAL_TOO_FAR;
	case STEP_PROMOTES:
		return PROPOSAL_PROMOTES;
	case STEP_READY:
	case STEP_STAMP:
	case STEP_RESIGN:
	case STEP_UNSETTLED:
	case STEP_UNHEARD:
	case STEP_NOT_OURS:
		break;
	}
	return !p->is_forced && node_awaits(node, now, p->setup) != NODE_NONE
		   ? PROPOSAL_UNHEARD
		   : PROPOSAL_PROPOSED;
}

static enum proposal_end
judge(const struct rollout *r, struct node *node, nsec_t now,
    const struct proposal *p)
{
	if (p->is_wrong || proposal_jumps(p))
		return PROPOSAL_WRONG;
	if (p->changes == 0)
		return PROPOSAL_NOTHING;
	if (has(p, CHANGE_IDENTITY))
		return PROPOSAL_ALIEN;
	if (has(p, CHANGE_CLUSTER) && !proposal_is_later(p))
		return PROPOSAL_CLUSTER;
	if (has(p, CHANGE_RESTART) || node_status(node, now).is_leaving)
		return PROPOSAL_RESTART;
	if (!proposal_is_later(p))
		return PROPOSAL_DONE;
	return r->is_quorum ? judge_step(node, now, p) : PROPOSAL_PROPOSED;
}

/* QUORUM: true if the cluster may not have the file yet. */
static bool
is_to_be_held(const struct rollout *r, const struct node *node,
    const struct proposal *p, enum proposal_end end)
{
	return r->is_quorum && p->has_document &&
	       (end == PROPOSAL_PROPOSED ||
		   (end == PROPOSAL_NOTHING &&
		       node_config_id(node)->config_term == 0));
}

enum proposal_end
proposal_judge(
    struct rollout *r, struct node *node, nsec_t now, const struct proposal *p)
{
	enum proposal_end end = judge(r, node, now, p);

	assert(p->origin < ORIGINS_ASKED);
	r->ends[p->origin] = end;
	if (p->origin == ORIGIN_FILE && !p->is_wrong) {
		rollout_withdraw(r, node, p->wanted.config_version);
		r->has_file = is_to_be_held(r, node, p, end);
	}
	return end;
}

bool
proposal_waits(const struct rollout *r, enum rollout_origin origin)
{
	return !r->is_quorum && r->ends[origin] == PROPOSAL_PROPOSED;
}
