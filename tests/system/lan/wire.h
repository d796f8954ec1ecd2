/* SPDX-License-Identifier: ISC */
/*
 * A wire is one direction of a port, or of the link between two hosts, with its
 * faults. It decides the fate of each frame and moves none. It draws its
 * decisions from its own seeded generator: same seed, same faults and same
 * frames give the same fates, whatever other wires carry.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_WIRE_H
#define ELECTD_TESTS_SYSTEM_LAN_WIRE_H

#include "common/util/random.h"
#include "common/util/types.h"

#define FRAME_MIN    14          /* an Ethernet header */
#define FRAME_MAX    1514        /* and 1500 bytes, the MTU of every host */
#define PPM          1000000     /* a certain event, in parts per million */
#define HOLD_MIN_NS  (10 * MSEC) /* reordered frames are held up to so long */
#define BACKLOG_NS   SEC         /* a rate's backlog; beyond it frames drop */
#define DELAY_NS_MAX (60 * SEC)
#define RATE_BPS_MAX UINT64_C(10000000000)
#define NO_BIT       SIZE_MAX

/* The faults of a wire; all zero is a good one. */
struct faults {
	uint64_t loss_ppm;
	uint64_t duplicate_ppm;
	uint64_t reorder_ppm; /* held back by up to max(jitter, HOLD_MIN_NS) */
	uint64_t corrupt_ppm; /* one bit behind the Ethernet header flips */
	uint64_t delay_ns;
	uint64_t jitter_ns; /* uniform, on top of the delay; keeps the order */
	uint64_t rate_bps;  /* 0: no limit */
};

struct wire_counts {
	uint64_t frames; /* that came to the wire, with all those below */
	uint64_t cut;
	uint64_t lost;
	uint64_t duplicated;
	uint64_t reordered;
	uint64_t corrupted;
	uint64_t overflowed; /* the rate's backlog or the queue was full */
};

struct wire {
	struct faults faults;
	bool is_cut;
	struct random random;
	nsec_t last_due_ns;   /* only reordered frames may be due earlier */
	nsec_t busy_until_ns; /* when the last bit leaves, at the given rate */
	struct wire_counts counts;
};

/* The fate of a frame. */
struct fate {
	unsigned copies; /* 0: dropped */
	size_t flip_bit; /* of the frame, or NO_BIT */
	nsec_t due_ns;   /* at the other end of the wire */
};

void wire_init(struct wire *w, uint64_t seed);

/* Changes the faults from here on; frames sent earlier no longer hold later
 * ones back. */
void wire_set_faults(struct wire *w, const struct faults *faults);

/* Decides the fate of a frame of `length` >= FRAME_MIN bytes that comes now. */
struct fate wire_decide(
    struct wire *w, nsec_t now_ns, const unsigned char *bytes, size_t length);

#endif
