/* SPDX-License-Identifier: ISC */
/* What the control sockets ask of the daemon (struct control_view). */
#include "daemon/electd/electd_inside.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

static int
on_record(void *context, size_t *size)
{
	struct electd *e = context;

	electd_name_tape(e, electd_wake(e));
	return recorder_dump(e->recorder, size);
}

static uint64_t
on_reload(void *context, bool is_forced)
{
	struct electd *e = context;

	return reading_begin(e->reading, is_forced);
}

static const struct reload *
on_reloaded(void *context)
{
	struct electd *e = context;

	return &e->reload;
}

static uint64_t
on_change(void *context, const struct member_change *change)
{
	struct electd *e = context;
	uint64_t number = changes_ask(e, change);

	electd_set_timer(e);
	return number;
}

static const struct membership *
on_changed(void *context)
{
	struct electd *e = context;

	return &e->members;
}

static uint64_t
on_set_standby(void *context, const struct standby *standby)
{
	struct electd *e = context;

	return standby_keeper_wish(e->keeper, standby, clock_now());
}

static struct standby_change
on_standby_set(void *context)
{
	struct electd *e = context;

	return (struct standby_change){
		.number = e->kept.number,
		.error = e->kept.error,
		.is_busy = standby_keeper_is_busy(e->keeper),
		.is_on = aside_is_ordered(&e->aside, clock_now()),
	};
}

static bool
on_take_health(void *context, const struct health_report *report)
{
	struct electd *e = context;
	uint64_t session = e->aside.health.session;
	nsec_t now = electd_wake(e);

	if (!health_take(&e->aside.health, now, report))
		return false;
	if (session == 0)
		log_info("checks: `electctl checks` is connected");
	electd_look_aside(e, now);
	electd_set_timer(e);
	return true;
}

static struct health_view
on_health(void *context)
{
	struct electd *e = context;

	return (struct health_view){
		.list = e->aside.health.list,
		.valid = HEALTH_VALID,
		.fault = health_fault(&e->aside.health, clock_now()),
	};
}

/* The node hears of it in the next turn, as clients are under way here. */
static void
on_part(void *context, uint64_t session)
{
	struct electd *e = context;

	if (!health_end(&e->aside.health, session))
		return;
	log_info("checks: `electctl checks` is not connected any more");
	e->aside.look_at = clock_now();
	electd_set_timer(e);
}

static uint64_t
on_survey(void *context)
{
	struct electd *e = context;

	return survey_begin(e->survey, e->node, clock_now());
}

static struct surveyed
on_surveyed(void *context)
{
	struct electd *e = context;

	return survey_last(e->survey);
}

static uint64_t
on_fetch(void *context, node_id id, uint64_t from)
{
	struct electd *e = context;

	return survey_pull(e->survey, id, from);
}

static const struct fetched *
on_fetched(void *context, uint64_t number)
{
	struct electd *e = context;

	return survey_fetched(e->survey, number);
}

static bool
on_proposed(void *context, struct proposal *proposal)
{
	struct electd *e = context;

	uint64_t stamp;

	if (!rollout_is_wishing(&e->rollout, e->node))
		return false;
	proposal->generation = e->rollout.wish.generation;
	proposal->step = node_step(e->node, clock_now(), e->wish.setup, &stamp);
	return true;
}

static int
on_unkept(void *context)
{
	const struct electd *e = context;

	return rollout_has_failed(&e->rollout) ? e->keep_error : 0;
}

static void
on_perform(void *context)
{
	struct electd *e = context;

	electd_perform(e, clock_now());
	electd_set_timer(e);
}

static nsec_t
on_wake(void *context)
{
	struct electd *e = context;
	nsec_t now = electd_wake(e);

	electd_set_timer(e);
	return now;
}

static void
on_hand_out(void *context)
{
	struct electd *e = context;

	helper_take_promise(e->helper, node_handed_out(e->node));
}

static bool
on_has_address(void *context, node_id id)
{
	struct electd *e = context;

	return udp_has_address(e->udp, id);
}

static const char *
on_found_at(void *context, node_id id, char *text)
{
	const struct electd *e = context;

	return udp_found_at(e->udp, id, text);
}

static const char *
on_lacks_carrier(void *context)
{
	const struct electd *e = context;

	return udp_lacks_carrier(e->udp);
}

bool
view_open(struct electd *e)
{
	struct control_view view = {
		.node = e->node,
		.settings = e->settings,
		.self = e->self,
		.started = clock_now(),
		.version = ELECTD_VERSION,
		.fingerprints = &e->fingerprints,
		.wake = on_wake,
		.hand_out = on_hand_out,
		.has_address = on_has_address,
		.found_at = on_found_at,
		.lacks_carrier = on_lacks_carrier,
		.perform = on_perform,
		.record = on_record,
		.reload = on_reload,
		.reloaded = on_reloaded,
		.change = on_change,
		.changed = on_changed,
		.survey = on_survey,
		.surveyed = on_surveyed,
		.fetch = on_fetch,
		.fetched = on_fetched,
		.proposed = on_proposed,
		.unkept = on_unkept,
		.set_standby = on_set_standby,
		.standby_set = on_standby_set,
		.take_health = on_take_health,
		.health = on_health,
		.part = on_part,
		.context = e,
	};

	return control_new(e->loop, &view, &e->control) == 0;
}
