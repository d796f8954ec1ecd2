/* SPDX-License-Identifier: ISC */
#include "common/wire/standby.h"

#include <string.h>

#include "common/util/text.h"

#define MS_MAX (STANDBY_MAX / MSEC)

bool
standby_reason_is_valid(const char *bytes, size_t size)
{
	return size <= STANDBY_REASON_MAX && text_is_printable(bytes, size);
}

bool
standby_is_by(const struct standby *standby, enum standby_cause cause)
{
	return standby->is_on && standby->cause == cause;
}

struct standby
standby_later(const struct standby *standby, nsec_t at, nsec_t now)
{
	struct standby s = *standby;
	nsec_t passed = nsec_since(now, at);

	if (!s.is_on)
		return s;
	s.age = nsec_earlier(nsec_after(s.age, passed), STANDBY_MAX);
	if (s.left == NSEC_NEVER)
		return s;
	s.is_on = s.left > passed;
	s.left = nsec_since(s.left, passed);
	return s;
}

void
standby_encode(struct writer *w, const struct standby *standby)
{
	size_t size = strlen(standby->reason);

	assert(standby->is_on);
	assert(standby->left > 0);
	assert(standby_reason_is_valid(standby->reason, size));
	write_u64(w, standby->age / MSEC);
	write_u64(w, standby->left == NSEC_NEVER
			 ? 0
			 : (standby->left + MSEC - 1) / MSEC);
	write_bytes(w, standby->reason, size);
}

bool
standby_decode(struct reader *r, struct standby *standby)
{
	uint64_t age = read_u64(r), left = read_u64(r);
	size_t size = r->left;

	if (r->failed || age > MS_MAX || left > MS_MAX ||
	    !standby_reason_is_valid((const char *)r->at, size))
		return false;
	*standby = (struct standby){
		.is_on = true,
		.age = age * MSEC,
		.left = left == 0 ? NSEC_NEVER : left * MSEC,
	};
	read_bytes(r, standby->reason, size);
	return !r->failed;
}
