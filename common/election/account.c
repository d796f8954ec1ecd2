/* SPDX-License-Identifier: ISC */
#include "common/election/account.h"

#include <string.h>

struct account *
accounts_begin(struct accounts *accounts, const struct account *first)
{
	struct account *a = &accounts->ring[accounts->count++ % ACCOUNTS_MAX];

	assert(first->term != 0);
	*a = *first;
	return a;
}

const struct account *
accounts_find(const struct accounts *accounts, uint64_t term)
{
	for (unsigned back = 1; back <= ACCOUNTS_MAX; back++) {
		const struct account *a;

		if (back > accounts->count)
			return NULL;
		a = &accounts->ring[(accounts->count - back) % ACCOUNTS_MAX];
		if (term == 0 || a->term == term)
			return a;
	}
	return NULL;
}

void
account_phase(struct account *account, const char *name, nsec_t now)
{
	unsigned count = account->phases_count;

	if (count == ACCOUNT_PHASES_MAX ||
	    (count > 0 && strcmp(account->phases[count - 1].name, name) == 0))
		return;
	account->phases[count] = (struct account_phase){ name, now };
	account->phases_count++;
}
