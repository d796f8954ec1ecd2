/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <string.h>

#include "daemon/electctl/whole/whole.h"
#include "daemon/history/diagram.h"

void
picture_free(struct picture *p)
{
	causes_free(&p->causes);
	histories_free(&p->histories);
}

bool
picture_find_causes(struct picture *p)
{
	char error[HISTORY_ERROR_MAX];

	causes_free(&p->causes);
	if (causes_find(&p->causes, &p->histories, error))
		return true;
	complain("%s", error);
	return false;
}

bool
picture_keep_term(struct picture *p, uint64_t term)
{
	if (term != 0)
		histories_keep_term(&p->histories, term);
	return picture_find_causes(p);
}

enum control_code
picture_draw(const struct picture *p, const char *path)
{
	const struct cut *cut = p->has_cut ? &p->cut : NULL;
	int error = path == NULL ? diagram_write(stdout, &p->causes, cut)
				 : diagram_write_file(path, &p->causes, cut);

	switch (error) {
	case 0:
		return CODE_YES;
	case -E2BIG:
		complain(
		    "a diagram shows up to %d nodes and %d messages; --term or --from leaves some out",
		    DIAGRAM_NODES_MAX, DIAGRAM_MESSAGES_MAX);
		return CODE_REFUSED;
	case -ENODATA:
		complain("there is no event to draw");
		return CODE_REFUSED;
	default:
		complain(
		    "%s: %s", path == NULL ? "stdout" : path, strerror(-error));
		return CODE_UNKNOWN;
	}
}
