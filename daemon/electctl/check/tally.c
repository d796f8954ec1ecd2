/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/check/tally.h"

bool
tally_take(struct tally *tally, bool has_passed, unsigned rise, unsigned fall)
{
	enum tally_verdict says = has_passed ? TALLY_WELL : TALLY_FAULT;
	unsigned wanted = has_passed ? rise : fall;

	if (says == tally->verdict) {
		tally->against = 0;
		return false;
	}
	tally->against++;
	if (tally->verdict != TALLY_NONE && tally->against < wanted)
		return false;
	*tally = (struct tally){ .verdict = says };
	return true;
}
