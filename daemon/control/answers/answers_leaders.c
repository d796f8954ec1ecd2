/* SPDX-License-Identifier: ISC */
/* The last leaders: their number is bounded, so one answer has all of them, up
 * to 70 KiB of JSON. */
#include "daemon/control/answers/answers.h"

#include "daemon/history/put.h"
#include "daemon/system/clock.h"

static const char *
text_or_null(const char *text)
{
	return text[0] != '\0' ? text : NULL;
}

static json_t *
answer_reign(const struct reign *reign)
{
	char text[CLOCK_TEXT_MAX];
	json_t *o = json_object();

	put_text(&o, "time", clock_utc_text(reign->wall, text));
	put_id(&o, "id", reign->leader);
	put_text_or_null(&o, "name", text_or_null(reign->name));
	put_count(&o, "term", reign->term);
	put_reason(&o, reign->reason);
	put_text_or_null(&o, "reason_name", text_or_null(reign->reason_name));
	put_ms_or_null(&o, "leaderless_ms", reign->leaderless != NSEC_NEVER,
	    reign->leaderless);
	return o;
}

json_t *
answer_leaders(const struct control_view *view)
{
	static const struct past_leaders none = { .is_kept = true };
	const struct past_leaders *l =
	    view->leaders != NULL ? view->leaders : &none;
	json_t *o = json_object(), *list = json_array();

	(void)view_wake(view);
	for (unsigned i = 0; i < l->reigns.count; i++)
		put_next(&list, answer_reign(&l->reigns.list[i]));
	put_id(&o, "self", view->self);
	put_flag(&o, "kept", l->is_kept);
	put_flag(&o, "damaged", l->is_damaged);
	put_count(&o, "failures", l->failures);
	put_value(&o, "leaders", list);
	return o;
}
