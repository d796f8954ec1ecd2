/* SPDX-License-Identifier: ISC */
#include "daemon/electd/change/wish.h"

#include "common/config/config_encode.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/node_setup.h"

/* Makes what a node needs to propose settings, which are taken. False without
 * memory. */
static bool
wish_make(struct wish *wish, struct settings *settings, node_id self)
{
	struct document *d = &wish->document;

	settings->shared.stamp = 0;
	*wish = (struct wish){ .settings = settings };
	d->edition = config_edition(&settings->shared);
	d->bytes = settings_document(settings, &d->size);
	wish->setup = node_setup_new(settings, self);
	return d->bytes != NULL && wish->setup != NULL;
}

bool
wish_set(struct wish *wish, struct rollout *rollout, struct node *node,
    node_id self, enum rollout_origin origin, struct settings *settings)
{
	struct wish next;
	bool is_made = wish_make(&next, settings, self);
	const struct document *d = &next.document;

	if (is_made && rollout_wants(rollout, node, origin, &d->edition)) {
		rollout_wish(
		    rollout, node, origin, &d->edition, d->bytes, d->size);
		wish_done(wish);
		*wish = next;
	} else {
		wish_done(&next);
	}
	return is_made;
}

void
wish_done(struct wish *wish)
{
	document_done(&wish->document);
	settings_free(wish->settings);
	node_setup_free(wish->setup);
	*wish = (struct wish){ .settings = NULL };
}
