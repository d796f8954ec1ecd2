/* SPDX-License-Identifier: ISC */
/* The lines of `watch`: events, made from notices. */
#include "daemon/control/answers/answers.h"

#include "daemon/control/answers/deadline_plan.h"
#include "daemon/history/put.h"
#include "daemon/system/clock.h"

/* The last keys of every event. */
static void
put_moment(json_t **object, nsec_t at)
{
	char text[CLOCK_TEXT_MAX];

	put_count(object, "mono_ns", clock_monotonic(at));
	put_text(object, "time", clock_utc(at, text));
}

/* The keys of "state", "leader" and "no-leader", in that order. */
static void
put_change(json_t **object, const struct control_view *view,
    const struct notice *notice)
{
	put_count(object, "term", notice->term);
	put_token(object, notice->token);
	put_id(object, "leader", notice->leader);
	put_id(object, "previous", notice->previous);
	put_id(object, "self", view->self);
	put_reason_named(object, view->settings, notice->reason);
}

static void
put_election(json_t **object, const struct control_view *view,
    const struct notice *notice)
{
	put_count(object, "term", notice->term);
	put_id(object, "self", view->self);
	put_reason_named(object, view->settings, notice->reason);
}

static void
put_elected(json_t **object, const struct control_view *view,
    const struct notice *notice)
{
	put_count(object, "term", notice->term);
	put_id(object, "leader", notice->leader);
	put_id(object, "self", view->self);
	put_reason_named(object, view->settings, notice->reason);
	put_value(object, "messages",
	    answer_messages(view->settings->shared.algorithm, notice->sent));
	put_ms_or_null(object, "ms", true, notice->duration);
}

static void
put_peer(json_t **object, const struct control_view *view,
    const struct notice *notice)
{
	put_id(object, "peer", notice->peer);
	put_id(object, "self", view->self);
	if (notice->kind == NOTICE_PEER_DOWN)
		put_text(object, "evidence", evidence_name(notice->evidence));
	if (notice->kind == NOTICE_DUPLICATE ||
	    notice->kind == NOTICE_DIFFERS ||
	    notice->kind == NOTICE_OTHER_VERSION ||
	    notice->kind == NOTICE_OTHER_KEY)
		put_flag(object, "on", notice->on);
}

/*
 * The votes are those that are heard now, while "on" is of the notice's moment.
 * Events are sent while the node is working, so this does not wake it.
 */
static void
put_quorum(json_t **object, const struct control_view *view,
    const struct notice *notice)
{
	struct node_status status = node_status(view->node, notice->at);

	put_flag(object, "on", notice->on);
	put_count(object, "votes", status.votes);
	put_count(object, "quorum", status.quorum);
	put_count(object, "voters", status.voters);
	put_id(object, "self", view->self);
}

static void
put_state_file(json_t **object, const struct control_view *view,
    const struct notice *notice)
{
	put_text(object, "state_file", state_health_name(notice->state_health));
	put_id(object, "self", view->self);
}

static void
put_outside(json_t **object, const struct control_view *view,
    const struct notice *notice)
{
	put_id(object, "self", view->self);
	put_flag(object, "on", notice->on);
}

/* The reason is that of the moment of the event, as in put_quorum(). */
static void
put_standby_event(json_t **object, const struct control_view *view,
    const struct notice *notice)
{
	struct standby standby = node_standby(view->node, notice->peer);

	put_id(object, "node", notice->peer);
	put_id(object, "self", view->self);
	put_flag(object, "on", notice->on);
	put_text_or_null(object, "standby_reason",
	    notice->on && standby.reason[0] != '\0' ? standby.reason : NULL);
}

static void
put_handover(json_t **object, const struct control_view *view,
    const struct notice *notice)
{
	put_id(object, "self", view->self);
	put_flag(object, "on", notice->on);
}

/* The notices that are events; all others are only for the log. */
static const struct {
	const char *name;
	void (*put)(json_t **object, const struct control_view *view,
	    const struct notice *notice);
} events[] = {
	[NOTICE_LEADER] = { "leader", put_change },
	[NOTICE_NO_LEADER] = { "no-leader", put_change },
	[NOTICE_ELECTION] = { "election", put_election },
	[NOTICE_ELECTED] = { "elected", put_elected },
	[NOTICE_PEER_UP] = { "peer-up", put_peer },
	[NOTICE_PEER_DOWN] = { "peer-down", put_peer },
	[NOTICE_DUPLICATE] = { "duplicate", put_peer },
	[NOTICE_DIFFERS] = { "differs", put_peer },
	[NOTICE_OTHER_VERSION] = { "other-version", put_peer },
	[NOTICE_OTHER_KEY] = { "other-key", put_peer },
	[NOTICE_OUTSIDE] = { "outside", put_outside },
	[NOTICE_QUORUM] = { "quorum", put_quorum },
	[NOTICE_STANDBY] = { "standby", put_standby_event },
	[NOTICE_HANDOVER] = { "handover", put_handover },
	[NOTICE_STATE_FILE] = { "memory", put_state_file },
};

json_t *
answer_event(const struct control_view *view, const struct notice *notice)
{
	json_t *o;

	if (notice->kind >= sizeof(events) / sizeof(events[0]) ||
	    events[notice->kind].put == NULL)
		return NULL;
	o = json_object();
	put_text(&o, "event", events[notice->kind].name);
	events[notice->kind].put(&o, view, notice);
	put_moment(&o, notice->at);
	return o;
}

json_t *
answer_state(const struct control_view *view)
{
	nsec_t now = view_wake(view);
	struct node_status status = node_status(view->node, now);
	struct notice present = {
		.term = status.term,
		.token = status.token,
		.leader = status.leader,
		.reason = status.reason,
	};
	json_t *o = json_object();

	put_text(&o, "event", "state");
	put_change(&o, view, &present);
	put_flag(&o, "hands_over", status.hands_over);
	put_moment(&o, now);
	return o;
}

json_t *
answer_deadline(const struct control_view *view, bool holds, nsec_t *sent)
{
	nsec_t now = view_wake(view), until;
	struct node_status status = node_status(view->node, now);
	json_t *o;

	if (status.state != STATE_LEADER) {
		view_note_given(view, *sent);
		*sent = 0;
		return NULL;
	}
	if (holds && status.hands_over)
		return NULL;
	if (!deadline_is_due(
		view->settings->shared.timing.lease, now, *sent, status.until))
		return NULL;
	until = view_hand_out(view, now, holds);
	if (until <= *sent)
		return NULL;
	*sent = until;
	o = json_object();
	put_text(&o, "event", "deadline");
	put_count(&o, "term", status.term);
	put_token(&o, status.token);
	put_id(&o, "leader", view->self);
	put_id(&o, "self", view->self);
	put_deadline(&o, now, until);
	put_moment(&o, now);
	return o;
}

nsec_t
answer_deadline_within(const struct control_view *view)
{
	return deadline_look_gap(view->settings->shared.timing.lease);
}
