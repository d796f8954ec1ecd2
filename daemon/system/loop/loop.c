/* SPDX-License-Identifier: ISC */
#include "daemon/system/loop/loop.h"

#include <signal.h>
#include <stdlib.h>

#include <event2/event.h>
#include <event2/event_struct.h>

#include "daemon/system/log.h"
#include "daemon/system/loop/sched_slice.h"

struct watch {
	LIST_ENTRY(watch) entry;
	struct event event;
	watch_handler *handler;
	void *context;
};

static void
on_library_log(int severity, const char *text)
{
	if (severity >= EVENT_LOG_WARN)
		log_warnx("libevent: %s", text);
	else
		log_debug("libevent: %s", text);
}

static struct event_base *
base_new(void)
{
	struct event_config *config = event_config_new();
	struct event_base *base;

	if (config == NULL)
		return NULL;
	event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
	event_config_set_max_dispatch_interval(
	    config, NULL, 1, PRIORITY_CONTROL);
	base = event_base_new_with_config(config);
	event_config_free(config);
	return base;
}

struct loop *
loop_new(void)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	sched_slice_shorten(); /* the loop's thread waits most of the time */
	event_set_log_callback(on_library_log);
	if (loop == NULL)
		return NULL;
	loop->base = base_new();
	if (loop->base != NULL &&
	    event_base_priority_init(loop->base, PRIORITIES) == 0)
		return loop;
	loop_free(loop);
	return NULL;
}

bool
loop_run(struct loop *loop)
{
	return event_base_dispatch(loop->base) >= 0;
}

void
loop_end(struct loop *loop)
{
	event_base_loopbreak(loop->base);
}

static void
block_signal(const struct event *event)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, event_get_signal(event));
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void
loop_free(struct loop *loop)
{
	struct watch *watch;

	if (loop == NULL)
		return;
	while ((watch = LIST_FIRST(&loop->watches)) != NULL) {
		if ((event_get_events(&watch->event) & EV_SIGNAL) != 0)
			block_signal(&watch->event);
		watch_free(watch);
	}
	if (loop->base != NULL)
		event_base_free(loop->base);
	free(loop);
}

static void
on_event(evutil_socket_t fd, short what, void *context)
{
	const struct watch *watch = context;

	(void)fd;
	(void)what;
	watch->handler(watch->context);
}

static void
watch_assign(struct watch *watch, struct event_base *base, int priority, int fd,
    short what)
{
	event_assign(&watch->event, base, fd, what, on_event, watch);
	event_priority_set(&watch->event, priority);
}

/* Makes a watch and adds its event, unless that is a timer's. */
static struct watch *
watch_new(struct loop *loop, enum priority priority, int fd, short what,
    watch_handler *handler, void *context)
{
	struct watch *watch = malloc(sizeof(*watch));

	if (watch == NULL)
		return NULL;
	watch->handler = handler;
	watch->context = context;
	watch_assign(watch, loop->base, (int)priority, fd, what);
	LIST_INSERT_HEAD(&loop->watches, watch, entry);
	if (what == 0 || event_add(&watch->event, NULL) == 0)
		return watch;
	watch_free(watch);
	return NULL;
}

struct watch *
watch_fd(struct loop *loop, enum priority priority, int fd,
    watch_handler *handler, void *context)
{
	return watch_new(
	    loop, priority, fd, EV_READ | EV_PERSIST, handler, context);
}

struct watch *
watch_signal(struct loop *loop, enum priority priority, int signal,
    watch_handler *handler, void *context)
{
	return watch_new(
	    loop, priority, signal, EV_SIGNAL | EV_PERSIST, handler, context);
}

struct watch *
watch_timer(struct loop *loop, enum priority priority, watch_handler *handler,
    void *context)
{
	return watch_new(loop, priority, -1, 0, handler, context);
}

void
watch_set_time(struct watch *watch, nsec_t within)
{
	const struct timeval tv = {
		.tv_sec = (time_t)(within / SEC),
		.tv_usec = (suseconds_t)(within % SEC / USEC),
	};

	if (within == NSEC_NEVER)
		event_del(&watch->event);
	else
		event_add(&watch->event, &tv);
}

void
watch_set_fd(struct watch *watch, int fd, enum readiness readiness)
{
	static const short events[] = {
		[READY_TO_READ] = EV_READ | EV_PERSIST,
		[READY_TO_WRITE] = EV_WRITE | EV_PERSIST,
	};
	struct event *event = &watch->event;
	short what = events[readiness];

	if (event_get_fd(event) == fd && event_get_events(event) == what)
		return;
	event_del(event);
	watch_assign(
	    watch, event_get_base(event), event_get_priority(event), fd, what);
	if (what != 0 && event_add(event, NULL) != 0)
		log_error("cannot watch a descriptor: restart electd");
}

void
watch_call(struct watch *watch)
{
	event_active(&watch->event, EV_READ, 0);
}

void
watch_free(struct watch *watch)
{
	if (watch == NULL)
		return;
	event_del(&watch->event);
	LIST_REMOVE(watch, entry);
	free(watch);
}
