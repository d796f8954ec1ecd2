/* SPDX-License-Identifier: ISC */
#include "tests/bench/views.h"

#include <string.h>

#include <jansson.h>

void
views_mark(struct views *v, nsec_t at)
{
	v->marked = at;
	for (unsigned host = 1; host <= v->hosts; host++) {
		struct view *view = &v->view[host];

		memset(view->first, 0, sizeof(view->first));
		view->elected = 0;
		view->ended = 0;
		view->claims = 0;
	}
}

void
views_forget(struct views *v, unsigned host)
{
	v->view[host].is_known = false;
	memset(v->view[host].is_lost, 0, sizeof(v->view[host].is_lost));
}

static uint64_t
number_of(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void
view_take(struct view *view, unsigned self, nsec_t marked, const json_t *object)
{
	unsigned leader = (unsigned)number_of(object, "leader");
	nsec_t at = number_of(object, "mono_ns");
	bool is_after = at >= marked;

	if (leader > VIEWS_HOSTS_MAX)
		leader = 0;
	/* A node that stood still says later that its lease was over before. */
	if (view->leader == self && leader != self && view->ended == 0)
		view->ended = at;
	if (is_after && view->leader != self && leader == self)
		view->claims++;
	if (is_after && view->first[leader] == 0)
		view->first[leader] = at;
	if (!view->is_known || view->leader != leader)
		view->since = at;
	view->is_known = true;
	view->leader = leader;
	view->term = number_of(object, "term");
}

/* A node that is no neighbour in the ring any more has not been lost. */
static bool
is_loss(const json_t *object)
{
	const char *evidence =
	    json_string_value(json_object_get(object, "evidence"));

	return evidence == NULL || strcmp(evidence, "distant") != 0;
}

static void
view_elect(struct view *view, nsec_t marked, nsec_t at)
{
	if (at >= marked && view->elected == 0)
		view->elected = at;
}

bool
views_take(struct views *v, const char *line)
{
	json_t *object = json_loads(line, 0, NULL);
	const char *event = json_string_value(json_object_get(object, "event"));
	unsigned self = (unsigned)number_of(object, "self");
	unsigned peer = (unsigned)number_of(object, "peer");
	bool is_right =
	    event != NULL && self >= 1 && self <= v->hosts && peer <= v->hosts;

	if (is_right &&
	    (strcmp(event, "state") == 0 || strcmp(event, "leader") == 0 ||
		strcmp(event, "no-leader") == 0))
		view_take(&v->view[self], self, v->marked, object);
	if (is_right && strcmp(event, "election") == 0)
		view_elect(
		    &v->view[self], v->marked, number_of(object, "mono_ns"));
	if (is_right && strcmp(event, "peer-down") == 0)
		v->view[self].is_lost[peer] = is_loss(object);
	if (is_right && strcmp(event, "peer-up") == 0)
		v->view[self].is_lost[peer] = false;
	json_decref(object);
	return is_right;
}

unsigned
views_agreed(const struct views *v, unsigned without)
{
	unsigned leader = v->view[without == 1 ? 2 : 1].leader;

	if (leader == 0 || leader == without || leader > v->hosts)
		return 0;
	for (unsigned host = 1; host <= v->hosts; host++) {
		const struct view *view = &v->view[host];

		if (host != without &&
		    (!view->is_known || view->leader != leader ||
			view->term != v->view[leader].term))
			return 0;
	}
	return leader;
}

bool
views_linked(const struct views *v)
{
	for (unsigned host = 1; host <= v->hosts; host++)
		for (unsigned peer = 1; peer <= v->hosts; peer++)
			if (v->view[host].is_lost[peer])
				return false;
	return true;
}

nsec_t
views_elected(const struct views *v, unsigned without)
{
	nsec_t first = NSEC_NEVER;

	for (unsigned host = 1; host <= v->hosts; host++)
		if (host != without && v->view[host].elected != 0)
			first = nsec_earlier(first, v->view[host].elected);
	return first;
}

nsec_t
views_first(const struct views *v, unsigned without, unsigned leader)
{
	nsec_t first = NSEC_NEVER;

	for (unsigned host = 1; host <= v->hosts; host++)
		if (host != without && v->view[host].first[leader] != 0)
			first =
			    nsec_earlier(first, v->view[host].first[leader]);
	return first;
}

nsec_t
views_last(const struct views *v, unsigned without)
{
	nsec_t last = 0;

	for (unsigned host = 1; host <= v->hosts; host++)
		if (host != without && v->view[host].since > last)
			last = v->view[host].since;
	return last;
}
