/* SPDX-License-Identifier: ISC */
#include "daemon/electd/loop.h"

#include <signal.h>

#include "daemon/system/log.h"
#include "daemon/system/sched_slice.h"

static void
on_library_log(int severity, const char *text)
{
	if (severity >= EVENT_LOG_WARN)
		log_warnx("libevent: %s", text);
	else
		log_debug("libevent: %s", text);
}

struct event_base *
loop_new(void)
{
	struct event_config *config = event_config_new();
	struct event_base *base = NULL;

	sched_slice_shorten(); /* the loop's thread waits most of the time */
	event_set_log_callback(on_library_log);
	if (config == NULL)
		return NULL;
	event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
	event_config_set_max_dispatch_interval(
	    config, NULL, 1, PRIORITY_CONTROL);
	base = event_base_new_with_config(config);
	event_config_free(config);
	if (base == NULL)
		return NULL;
	if (event_base_priority_init(base, PRIORITIES) == 0)
		return base;
	event_base_free(base);
	return NULL;
}

bool
loop_add(struct event *event)
{
	return event != NULL && event_priority_set(event, PRIORITY_NODE) == 0 &&
	       event_add(event, NULL) == 0;
}

void
loop_drop(struct event *event)
{
	if (event != NULL)
		event_free(event);
}

void
loop_block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
}
