/* SPDX-License-Identifier: ISC */
#include "common/link/rtt.h"

static nsec_t
larger(nsec_t a, nsec_t b)
{
	return a > b ? a : b;
}

/* RFC 6298, 2.2 and 2.3. */
void
rtt_sample(struct rtt *rtt, nsec_t sample)
{
	nsec_t difference;

	sample = larger(1, nsec_earlier(sample, RTT_SAMPLE_MAX));
	if (rtt->smoothed == 0) {
		rtt->smoothed = sample;
		rtt->variation = sample / 2;
		rtt_check(rtt);
		return;
	}
	difference = sample > rtt->smoothed ? sample - rtt->smoothed
					    : rtt->smoothed - sample;
	rtt->variation = (3 * rtt->variation + difference) / 4;
	rtt->smoothed = larger(1, (7 * rtt->smoothed + sample) / 8);
	rtt_check(rtt);
}

nsec_t
rtt_patience(const struct rtt *rtt)
{
	if (rtt->smoothed == 0)
		return RTT_TIMEOUT_MIN;
	return rtt->smoothed + larger(RTT_GRANULARITY, 4 * rtt->variation);
}

nsec_t
rtt_timeout(const struct rtt *rtt, unsigned retries)
{
	nsec_t timeout = larger(RTT_TIMEOUT_MIN, rtt_patience(rtt));

	while (retries-- > 0 && timeout < RTT_TIMEOUT_MAX)
		timeout *= 2;
	return nsec_earlier(timeout, RTT_TIMEOUT_MAX);
}

void
rtt_check(const struct rtt *rtt)
{
	assert(rtt->smoothed <= RTT_SAMPLE_MAX);
	assert(rtt->variation <= RTT_SAMPLE_MAX);
	assert(rtt->smoothed != 0 || rtt->variation == 0);
}
