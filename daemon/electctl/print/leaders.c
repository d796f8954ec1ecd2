/* SPDX-License-Identifier: ISC */
/* `history --leaders` as text: a table. */
#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"
#include "daemon/electctl/print/table.h"

void
print_leaders(json_t *answer)
{
	static const struct column columns[] = {
		{ "SINCE", "{time}", NULL, false },
		{ "LEADER", "{name}", NULL, false },
		{ "ID", "{id}", NULL, false },
		{ "TERM", "{term}", NULL, false },
		{ "LEADERLESS", "{leaderless_ms ms}", NULL, false },
		{ "REASON", "{reason why}", NULL, false },
	};

	print_table(answer, field(answer, "leaders"), columns,
	    sizeof(columns) / sizeof(columns[0]));
}
