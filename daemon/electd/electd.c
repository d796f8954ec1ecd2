/* SPDX-License-Identifier: ISC */
#include "daemon/electd/electd.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <sodium.h>

#include "daemon/electd/change/node_setup.h"
#include "daemon/electd/change/reload.h"
#include "daemon/electd/electd_inside.h"
#include "daemon/electd/start/confine.h"
#include "daemon/electd/start/identify.h"
#include "daemon/electd/start/recall.h"
#include "daemon/state/standby_file.h"
#include "daemon/state/store_start.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"
#include "daemon/system/loop/realtime.h"
#include "daemon/system/rights/memory_lock.h"
#include "daemon/system/sockets/notify.h"

/* Ends the loop. From now on the node gets no more input. */
static void
electd_end(struct electd *e, int status)
{
	e->status = status;
	e->is_ended = true;
	loop_end(e->loop);
}

/* Another process has our id. If it was drawn, and nobody knows us by it yet,
 * this one draws another. */
static void
electd_draw_again(struct electd *e, nsec_t now)
{
	if (!e->is_drawn || node_status(e->node, now).reachable > 1)
		return;
	log_warnx("another host has the id %" PRIu32
		  " too: this host draws a new id",
	    e->self);
	e->is_double = true;
	electd_end(e, EXIT_SUCCESS);
}

/* Forgets the order of an operator that is over. */
static void
electd_expire_order(struct electd *e, nsec_t now)
{
	const struct standby own = node_standby(e->node, e->self);

	if (!standby_is_by(&own, STANDBY_ORDER))
		standby_writer_expire(e->standby_writer, now);
}

static void
electd_notice(struct electd *e, nsec_t now, const struct notice *n)
{
	char sender[ADDRESS_TEXT_MAX];
	struct node_status status;

	e->reporter.now = now;
	e->reporter.sender =
	    n->kind == NOTICE_DROPPED ? udp_sender(e->udp, sender) : "";
	if (n->kind == NOTICE_DUPLICATE && n->on && n->peer == e->self)
		electd_draw_again(e, now);
	if (n->kind == NOTICE_PEER_UP || n->kind == NOTICE_PEER_DOWN)
		udp_set_linked(e->udp, n->peer, n->kind == NOTICE_PEER_UP);
	report_notice(&e->reporter, n);
	reign_keeper_take(e->reign_keeper, e->settings, n, clock_epoch());
	control_notice(e->control, n);
	if (n->kind == NOTICE_STANDBY && n->peer == e->self)
		electd_expire_order(e, now);
	if (!report_wants_status(n))
		return;
	status = node_status(e->node, now);
	report_status(e->settings, &status);
}

/* Sends datagrams first, because peers wait for them; then starts the write. */
static void
electd_flush(struct electd *e)
{
	udp_flush(e->udp);
	if (e->state.is_unwritten)
		store_writer_write(
		    e->state.writer, &e->state.pending, e->state.is_anew);
	e->state.is_unwritten = false;
}

static void
electd_act(struct electd *e, nsec_t now, const struct action *action)
{
	char sender[ADDRESS_TEXT_MAX];

	switch (action->kind) {
	case ACTION_PERSIST:
		e->state.pending = action->durable;
		e->state.is_anew = action->is_anew;
		e->state.is_unwritten = true;
		break;
	case ACTION_NOTICE:
		electd_flush(e); /* a log line must not delay peers */
		electd_notice(e, now, &action->notice);
		break;
	case ACTION_ADDRESS:
		udp_find(e->udp, action->peer);
		break;
	case ACTION_HELLO:
		udp_call(e->udp, action->peer, action->datagram, action->size);
		break;
	case ACTION_SEND:
		udp_send(e->udp, action->peer, action->datagram, action->size);
		break;
	case ACTION_REPLY:
		udp_reply(e->udp, action->datagram, action->size);
		break;
	case ACTION_WILL:
		helper_take_will(e->helper, action);
		break;
	case ACTION_DOCUMENT:
		/* Once it is whole, changes_pursue() takes it. */
		document_take(&e->changes.incoming, action);
		break;
	case ACTION_GROUP:
		udp_send_group(e->udp, action->datagram, action->size);
		break;
	case ACTION_JOIN:
		udp_join(e->udp, action->datagram, action->size);
		break;
	case ACTION_PULLED:
		if (snapshotter_take(e->snapshotter, now, action))
			control_operation_ended(e->control);
		break;
	case ACTION_JOINER:
		nodes_meet(&e->changes.nodes, &action->joiner,
		    udp_sender(e->udp, sender));
		break;
	}
}

/* Tells the node of a document that is lost, so that it is fetched again. True
 * if there was one. */
static bool
electd_refuse_lost(struct electd *e, nsec_t now)
{
	const struct config_id config_id = e->changes.incoming.config_id;

	if (!e->changes.incoming.is_lost)
		return false;
	document_done(&e->changes.incoming);
	node_refuse(e->node, now, &config_id);
	return true;
}

void
electd_set_fingerprints(struct electd *e, const struct setup_keys *keys)
{
	key_fingerprint(keys->first, e->fingerprints.first);
	e->fingerprints.second[0] = '\0';
	if (keys->has_second)
		key_fingerprint(keys->second, e->fingerprints.second);
}

/* Performs the node's actions in order. `now` may be a little old by the last
 * of them. That is safe: a lease counts from before its vote requests leave,
 * and answers to clients read the clock themselves. */
void
electd_perform(struct electd *e, nsec_t now)
{
	struct action action;

	do {
		while (!e->is_ended && node_act(e->node, now, &action))
			electd_act(e, now, &action);
	} while (!e->is_ended &&
		 (electd_refuse_lost(e, now) ||
		     snapshotter_go_on(e->snapshotter, e->node, now)));
	electd_flush(e);
	if (!e->is_ended && node_is_unborn(e->node)) {
		report_unborn(e->settings, e->state.store, e->state.error);
		electd_end(e, EXIT_FAILURE);
	}
	if (e->is_stopping && !e->is_ended && node_stopped(e->node))
		electd_end(e, EXIT_SUCCESS);
}

/*
 * Every input begins here. While we did not run, lastwill may have announced
 * our death; then the node restarts under a new incarnation before it sees the
 * input. Returns the time, which is read after the beat: if the process is
 * stopped between the two, one of them shows it.
 */
nsec_t
electd_wake(struct electd *e)
{
	bool was_dead = helper_beat(e->helper);
	nsec_t now = clock_now(), before = e->timers.beaten_at;

	e->timers.beaten_at = now;
	if (!was_dead || e->is_ended)
		return now;
	report_death(&e->reporter, nsec_since(now, before));
	node_declare_dead(e->node, now);
	electd_perform(e, now);
	e->reporter.stall_is_told = false;
	return clock_now();
}

static bool
on_datagram(void *context, unsigned peer, const uint8_t *bytes, size_t size,
    nsec_t arrived)
{
	struct electd *e = context;
	nsec_t now = electd_wake(e); /* each time: a turn may take a thousand */
	uint64_t before;
	bool is_sealed;

	if (e->is_ended)
		return false;
	before = node_received_from(e->node, peer);
	node_receive(e->node, now, nsec_since(now, arrived), peer, bytes, size);
	is_sealed = node_received_from(e->node, peer) > before;
	electd_perform(e, now);
	return is_sealed;
}

static void
on_refusal(void *context, unsigned peer)
{
	struct electd *e = context;
	nsec_t now = electd_wake(e);

	if (e->is_ended)
		return;
	node_refused(e->node, now, peer);
	electd_perform(e, now);
}

void
electd_set_timer(struct electd *e)
{
	nsec_t at = nsec_earlier(node_deadline(e->node), e->timers.watchdog_at);
	struct itimerspec spec = { 0 };

	at = nsec_earlier(
	    at, nsec_after(e->timers.beaten_at, helper_beat_within(e->helper)));
	at = nsec_earlier(at, helper_deadline(e->helper));
	at = nsec_earlier(at, snapshotter_deadline(e->snapshotter));
	at = nsec_earlier(at, e->health.look_at);
	at = nsec_earlier(at, rollout_deadline(&e->changes.rollout));
	if (at == e->timers.at)
		return;
	e->timers.at = at;
	if (at != NSEC_NEVER)
		spec.it_value = clock_timespec(at);
	if (timerfd_settime(e->timers.fd, TFD_TIMER_ABSTIME, &spec, NULL) != 0)
		log_error(
		    "cannot set the timer: this node acts late, restart electd");
}

void
electd_look_at_health(struct electd *e, nsec_t now)
{
	struct standby standby;

	if (e->is_ended || !health_look(&e->health, now, &standby))
		return;
	node_set_standby(e->node, now, &standby);
	electd_perform(e, now);
}

/* Tells the node if it has a carrier no more, or again. */
static void
electd_look_at_carrier(struct electd *e)
{
	bool lacks = udp_lacks_carrier(e->udp) != NULL;
	nsec_t now;

	if (lacks == e->told.lacks_carrier)
		return;
	now = electd_wake(e);
	if (e->is_ended)
		return;
	e->told.lacks_carrier = lacks;
	node_set_carrier(e->node, now, !lacks);
	electd_perform(e, now);
	electd_set_timer(e);
}

/* Tells the node if the file is older than the settings in effect, or not. */
static void
electd_look_at_file(struct electd *e)
{
	bool is_older = settings_file_is_older(e->settings);
	nsec_t now;

	if (is_older == e->told.has_older_file)
		return;
	now = electd_wake(e);
	if (e->is_ended)
		return;
	e->told.has_older_file = is_older;
	node_set_file(e->node, now, is_older);
	electd_perform(e, now);
	electd_set_timer(e);
}

/* One turn of the loop: takes all that has arrived, then does what is due. */
static void
electd_turn(void *context)
{
	struct electd *e = context;
	const struct udp_handler handler = { on_datagram, on_refusal, e };
	nsec_t now;

	udp_drain(e->udp, &handler, e->is_ready);
	e->is_ready = false;
	electd_look_at_carrier(e);
	now = electd_wake(e);
	realtime_tend(now);
	control_tend(e->control, now);
	if (now >= e->health.look_at)
		electd_look_at_health(e, now);
	if (!e->is_ended && now >= node_deadline(e->node)) {
		node_tick(e->node, now);
		electd_perform(e, now);
	}
	if (now >= e->timers.watchdog_at) {
		notify_watchdog();
		e->timers.watchdog_at =
		    nsec_after(now, e->timers.watchdog_interval);
	}
	helper_tend(e->helper, now);
	if (snapshotter_tick(e->snapshotter, e->node, now))
		control_operation_ended(e->control);
	changes_list(e, now);
	changes_pursue(e);
	electd_look_at_file(e);
	electd_set_timer(e);
}

/* The socket has something. */
static void
electd_hear(void *context)
{
	struct electd *e = context;

	e->is_ready = true;
	electd_turn(context);
}

/* Interfaces have changed. A turn joins a group again, and looks for the ways
 * to the peers. */
static void
on_links(void *context)
{
	struct electd *e = context;

	udp_hear_links(e->udp);
	electd_look_at_carrier(e);
}

static void
on_timer(void *context)
{
	struct electd *e = context;

	e->timers.at = 0; /* the turn sets it anew, so it need not be read */
	electd_turn(e);
}

static void
on_written(void *context, int error)
{
	struct electd *e = context;
	nsec_t now;

	e->state.error = error;
	if (error != 0)
		report_disk(e->settings, e->state.store, error);
	now = electd_wake(e);
	if (e->is_ended)
		return;
	node_persisted(e->node, now, error == 0);
	electd_perform(e, now);
	electd_set_timer(e);
}

/* The first signal hands over; a second one ends the loop at once. */
static void
electd_stop(struct electd *e, const char *signal)
{
	nsec_t now;

	if (e->is_stopping) {
		log_notice("stopping at once on a second signal");
		electd_end(e, EXIT_SUCCESS);
		return;
	}
	log_notice("stopping on %s", signal);
	notify_stopping();
	now = electd_wake(e);
	e->is_stopping = true;
	node_stop(e->node, now);
	electd_perform(e, now);
	electd_set_timer(e);
	if (e->is_ended)
		return;
	/* A lease for the last deadline of the clients, one for the
	 * handover. */
	notify_extend(2 * e->settings->shared.timing.lease);
	report_handing_over(nsec_since(node_handed_out(e->node), now));
}

static void
on_terminate(void *context)
{
	electd_stop(context, "SIGTERM");
}

static void
on_interrupt(void *context)
{
	electd_stop(context, "SIGINT");
}

void *
electd_memory(size_t size)
{
	void *memory = calloc(1, size);

	if (memory != NULL)
		(void)mlock(memory, size);
	return memory;
}

void
electd_name_tape(struct electd *e, nsec_t now)
{
	const struct config_node *own =
	    config_find(&e->settings->shared, e->self);
	struct tape_head head = {
		.id = e->self,
		.incarnation = node_status(e->node, now).incarnation,
		.epoch_ns = (int64_t)clock_epoch(),
	};

	snprintf(
	    head.name, sizeof(head.name), "%s", own != NULL ? own->name : "-");
	snprintf(head.cluster, sizeof(head.cluster), "%s",
	    e->settings->shared.cluster);
	recorder_name(e->recorder, &head);
}

void
electd_record(struct electd *e, size_t size, nsec_t now)
{
	if (!e->settings->is_recorded)
		return;
	recorder_begin(e->recorder, e->node, size, now);
	electd_name_tape(e, now);
}

static void
on_save(void *context)
{
	struct electd *e = context;

	electd_name_tape(e, electd_wake(e));
	recorder_save(e->recorder);
	electd_set_timer(e);
}

/* Puts the standby that is on the disk now into effect. One that has ended by
 * itself is off already. */
static void
electd_take_standby(struct electd *e)
{
	struct standby standby;
	nsec_t now = electd_wake(e);

	if (e->is_ended)
		return;
	if (e->kept.error != 0)
		report_standby_unkept(e->settings, e->kept.error);
	standby = standby_later(&e->kept.standby, e->kept.at, now);
	if (e->kept.error == 0)
		node_set_standby(e->node, now, &standby);
	electd_perform(e, now);
	if (e->kept.error == 0)
		electd_expire_order(e, now);
}

static void
on_standby_kept(void *context, const struct standby_kept *kept)
{
	struct electd *e = context;

	e->kept = *kept;
	electd_take_standby(e);
	control_operation_ended(e->control);
	electd_set_timer(e);
}

static void
on_hangup(void *context)
{
	struct electd *e = context;

	log_info("reload: reading %s on SIGHUP", e->changes.path);
	change_worker_read(e->changes.worker, false);
}

static void
on_child(void *context)
{
	struct electd *e = context;

	helper_ended(e->helper);
	electd_set_timer(e);
}

/* Opens the state file, raises the incarnation, makes the node. On failure, a
 * key or setup error sets e->status. */
static bool
electd_open_node(struct electd *e, bool has_kept)
{
	struct node_setup *setup =
	    node_setup_whole(e->settings, e->self, &e->document);
	void *memory;

	if (setup == NULL)
		return false;
	if (!node_setup_keys(e->settings, &setup->keys, stderr)) {
		e->status = EXIT_CONFIGURATION;
		goto out;
	}
	if (store_recall(e->settings, setup, &e->state.store) != 0 ||
	    worker_new(&e->state.worker) != 0)
		goto out;
	e->state.writer =
	    store_writer_new(e->state.store, e->state.worker, on_written, e);
	/* A start must know by which settings this node has voted. */
	if (e->settings->shared.guarantee == GUARANTEE_QUORUM && !has_kept &&
	    setup->document != NULL && !document_keep(e->settings) &&
	    setup->state_health == STATE_HEALTH_SOUND)
		setup->state_health = STATE_HEALTH_FAILED;
	electd_set_fingerprints(e, &setup->keys);
	setup->standby = standby_file_recall(e->settings, clock_wall());
	e->standby_writer = standby_writer_new(
	    e->settings, &setup->standby, e->files_worker, on_standby_kept, e);
	e->reign_keeper = reign_keeper_new(e->settings, e->tape_worker);
	health_init(&e->health, e->settings);
	if (e->standby_writer == NULL)
		goto out;
	e->node_size = node_size(setup);
	memory = electd_memory(e->node_size);
	if (e->state.writer == NULL || e->reign_keeper == NULL ||
	    memory == NULL) {
		free(memory);
		log_errorx("out of memory: electd cannot start");
		goto out;
	}
	e->node = node_init(memory, setup, clock_now());
	e->rules = node_will_rules(setup);
out:
	node_setup_free(setup);
	return e->node != NULL;
}

static bool
electd_open_loop(struct electd *e)
{
	const enum priority first = PRIORITY_NODE;
	struct loop *loop = loop_new();

	e->loop = loop;
	e->timers.fd =
	    timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	return loop != NULL && e->timers.fd >= 0 &&
	       watch_fd(loop, first, udp_fd(e->udp), electd_hear, e) &&
	       (udp_group_fd(e->udp) < 0 ||
		   watch_fd(
		       loop, first, udp_group_fd(e->udp), electd_turn, e)) &&
	       (udp_links_fd(e->udp) < 0 ||
		   watch_fd(loop, PRIORITY_CONTROL, udp_links_fd(e->udp),
		       on_links, e)) &&
	       watch_fd(loop, first, e->timers.fd, on_timer, e) &&
	       watch_fd(loop, first, worker_fd(e->state.worker), worker_tend,
		   e->state.worker) &&
	       watch_fd(loop, PRIORITY_CONTROL, worker_fd(e->files_worker),
		   worker_tend, e->files_worker) &&
	       watch_fd(loop, PRIORITY_CONTROL, worker_fd(e->tape_worker),
		   worker_tend, e->tape_worker) &&
	       watch_signal(loop, first, SIGTERM, on_terminate, e) &&
	       watch_signal(loop, first, SIGINT, on_interrupt, e) &&
	       watch_fd(loop, PRIORITY_CONTROL,
		   change_worker_fd(e->changes.worker), changes_on_read, e) &&
	       watch_signal(loop, PRIORITY_CONTROL, SIGHUP, on_hangup, e) &&
	       watch_signal(loop, PRIORITY_CONTROL, SIGUSR1, on_save, e) &&
	       watch_signal(loop, PRIORITY_CONTROL, SIGCHLD, on_child, e);
}

static void
electd_close(struct electd *e)
{
	/* The end of a client may set the timer, which asks the helper. */
	control_free(e->control);
	helper_free(e->helper, !e->is_begun || node_stopped(e->node));
	loop_free(e->loop);
	if (e->timers.fd >= 0)
		close(e->timers.fd);
	worker_free(e->state.worker);
	worker_free(e->files_worker);
	worker_free(e->tape_worker);
	recorder_free(e->recorder);
	reign_keeper_free(e->reign_keeper);
	node_done(e->node);
	free(e->node);
	udp_free(e->udp);
	changes_end(&e->changes);
	snapshotter_free(e->snapshotter);
	free(e->document);
	store_writer_free(e->state.writer);
	standby_writer_free(e->standby_writer);
	store_close(e->state.store);
	if (!e->is_double) /* or it runs anew */
		notify_close();
}

static void
electd_loop(struct electd *e)
{
	e->timers.watchdog_interval = notify_watchdog_interval();
	e->timers.watchdog_at =
	    e->timers.watchdog_interval == 0 ? NSEC_NEVER : clock_now();
	e->timers.at = NSEC_NEVER;
	e->is_begun = true;
	notify_ready();
	electd_look_at_health(e, electd_wake(e));
	electd_turn(e);
	if (!loop_run(e->loop))
		e->status = EXIT_FAILURE;
	if (e->status == EXIT_SUCCESS && !e->is_double)
		log_notice("stopped");
}

int
electd_run(struct settings *settings, const char *path, node_id id)
{
	struct electd e = {
		.settings = settings,
		.changes.path = path,
		.timers.fd = -1,
		.status = EXIT_FAILURE,
	};
	bool is_locked = false, has_id = settings->id != NODE_NONE;
	struct settings *file;
	bool has_kept;

	confine_start(settings, path);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* write() then fails as on a full disk */
	notify_open();
	e.status = sodium_init() < 0 ? EXIT_FAILURE : identify_find(settings);
	if (e.status != EXIT_SUCCESS)
		goto out;
	e.status = EXIT_FAILURE;
	e.is_drawn = !has_id && settings_are_discovered(settings);
	e.self = settings->id;
	has_kept = recall_settings(settings, path, &file);
	e.udp = udp_new(settings, e.self);
	e.snapshotter = snapshotter_new();
	if (worker_new(&e.files_worker) == 0 && worker_new(&e.tape_worker) == 0)
		e.recorder = recorder_new(settings, e.tape_worker);
	if (!changes_begin(&e, id, file) || e.snapshotter == NULL ||
	    e.udp == NULL || e.recorder == NULL || !control_is_free(settings) ||
	    !electd_open_node(&e, has_kept) || !electd_open_loop(&e))
		goto out;
	e.reporter = (struct reporter){
		.settings = settings,
		.present = settings,
		.node = e.node,
	};
	report_start(settings);
	if (settings->realtime) /* lastwill inherits it, no worker does */
		is_locked = realtime_begin();
	e.helper = helper_new(settings, &e.rules, e.udp);
	if (e.helper == NULL || !view_open(&e))
		goto out;
	if (!is_locked)
		memory_lock_begin();
	/* A tape need not stay in memory. */
	electd_record(&e, e.node_size, clock_now());
	confine_loop();
	electd_loop(&e);
out:
	electd_close(&e);
	if (!e.is_double)
		return e.status;
	discovery_draw_again(settings);
	return ELECTD_AGAIN;
}
