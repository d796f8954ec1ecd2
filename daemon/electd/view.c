/* SPDX-License-Identifier: ISC */
/* What the control sockets ask of the daemon (struct control_view). */
#include "common/host/proposal.h"
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
on_begin(void *context, const struct operation *operation)
{
	struct electd *e = context;
	nsec_t now = clock_now();
	uint64_t number;

	switch (operation->kind) {
	case OPERATION_RELOAD:
		return change_worker_read(
		    e->changes.worker, operation->is_forced);
	case OPERATION_MEMBERS:
		number = changes_ask(e, &operation->change);
		electd_set_timer(e);
		return number;
	case OPERATION_STANDBY:
		if (!operation->standby.is_on &&
		    !standby_writer_holds(e->standby_writer))
			return 0;
		return standby_writer_ask(
		    e->standby_writer, &operation->standby, now);
	case OPERATION_SNAPSHOT:
		return snapshotter_begin(e->snapshotter, e->node, now);
	case OPERATION_FETCH:
		return snapshotter_pull(
		    e->snapshotter, operation->node, operation->from);
	}
	return 0;
}

static bool
on_has_ended(void *context, enum operation_kind kind, uint64_t number,
    struct outcome *outcome)
{
	struct electd *e = context;

	*outcome = (struct outcome){
		.reload = &e->changes.reload,
		.members = &e->changes.members,
		.error = e->kept.error,
		.assembled = snapshotter_last(e->snapshotter),
	};
	switch (kind) {
	case OPERATION_RELOAD:
		return e->changes.reload.number >= number &&
		       !proposal_waits(&e->changes.rollout, ORIGIN_FILE);
	case OPERATION_MEMBERS:
		return true;
	case OPERATION_STANDBY:
		return e->kept.number >= number;
	case OPERATION_SNAPSHOT:
		return outcome->assembled.number >= number;
	case OPERATION_FETCH:
		return snapshotter_has_fetched(
		    e->snapshotter, number, &outcome->fetched);
	}
	return false;
}

/* A checker that has just come is logged. */
static bool
take_health(struct electd *e, const struct health_report *report)
{
	uint64_t session = e->health.session;
	nsec_t now = electd_wake(e);

	if (!health_take(&e->health, now, report))
		return false;
	if (session == 0)
		log_info("checks: `electctl checks` has connected");
	electd_look_at_health(e, now);
	electd_set_timer(e);
	return true;
}

static bool
on_health(void *context, const struct health_report *report,
    struct health_view *health)
{
	struct electd *e = context;

	if (report != NULL && !take_health(e, report))
		return false;
	*health = (struct health_view){
		.list = e->health.list,
		.valid = HEALTH_VALID,
		.fault = health_fault(&e->health, clock_now()),
	};
	return true;
}

/* The node hears of it in the next turn, as clients are under way here. */
static void
on_part(void *context, uint64_t session)
{
	struct electd *e = context;

	if (!health_end(&e->health, session))
		return;
	log_info("checks: `electctl checks` has disconnected");
	e->health.look_at = clock_now();
	electd_set_timer(e);
}

static bool
on_proposed(void *context, struct proposed *proposal)
{
	struct electd *e = context;
	uint64_t config_term;

	if (!rollout_is_proposing(&e->changes.rollout, e->node))
		return false;
	proposal->config_version = e->changes.rollout.proposal.config_version;
	proposal->revision = e->changes.rollout.proposal.revision;
	proposal->step = node_step(
	    e->node, clock_now(), e->changes.host_proposal.setup, &config_term);
	return true;
}

static int
on_unkept(void *context)
{
	const struct electd *e = context;

	return rollout_has_failed(&e->changes.rollout) ? e->changes.keep_error
						       : 0;
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

	helper_set_handed_out(e->helper, node_handed_out(e->node));
}

static const char *
on_find(void *context, node_id id, char *text, bool *is_resolved)
{
	const struct electd *e = context;

	*is_resolved = udp_has_address(e->udp, id);
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
		.leaders = reign_keeper_leaders(e->reign_keeper),
		.wake = on_wake,
		.hand_out = on_hand_out,
		.find = on_find,
		.lacks_carrier = on_lacks_carrier,
		.perform = on_perform,
		.record = on_record,
		.begin = on_begin,
		.has_ended = on_has_ended,
		.proposed = on_proposed,
		.unkept = on_unkept,
		.health = on_health,
		.part = on_part,
		.context = e,
	};

	return control_new(e->loop, &view, &e->control) == 0;
}
