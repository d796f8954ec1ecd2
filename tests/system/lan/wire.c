/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/wire.h"

/* All random draws for one frame. */
struct draw {
	bool is_lost;
	bool is_duplicated;
	bool is_reordered;
	bool is_corrupted;
	size_t bit;
	nsec_t jitter_ns;
	nsec_t hold_ns;
};

void
wire_init(struct wire *w, uint64_t seed)
{
	*w = (struct wire){ 0 };
	random_init(&w->random, seed);
}

void
wire_set_faults(struct wire *w, const struct faults *faults)
{
	w->faults = *faults;
	w->last_due_ns = 0;
	w->busy_until_ns = 0;
}

static bool
wire_is_good(const struct faults *f)
{
	return !(f->loss_ppm | f->duplicate_ppm | f->reorder_ppm |
		 f->corrupt_ppm | f->delay_ns | f->jitter_ns | f->rate_bps);
}

static bool
wire_chance(struct wire *w, uint64_t ppm)
{
	return random_below(&w->random, PPM) < ppm;
}

/* Draws as often for each frame, so that a fault does not change the fates of
 * others. */
static struct draw
wire_draw(struct wire *w, size_t length)
{
	const struct faults *f = &w->faults;
	nsec_t hold_max = f->jitter_ns;
	struct draw d;

	if (hold_max < HOLD_MIN_NS)
		hold_max = HOLD_MIN_NS;
	d.is_lost = wire_chance(w, f->loss_ppm);
	d.is_duplicated = wire_chance(w, f->duplicate_ppm);
	d.is_reordered = wire_chance(w, f->reorder_ppm);
	d.is_corrupted = wire_chance(w, f->corrupt_ppm);
	d.bit = FRAME_MIN * 8;
	if (length > FRAME_MIN)
		d.bit += random_below(&w->random, (length - FRAME_MIN) * 8);
	d.jitter_ns = random_between(&w->random, 0, f->jitter_ns);
	d.hold_ns = random_between(&w->random, 1, hold_max);
	return d;
}

/* Gives when the frame's last bit leaves, or NSEC_NEVER: too many wait. */
static nsec_t
wire_transmit(struct wire *w, nsec_t now_ns, size_t length)
{
	nsec_t start = now_ns;

	if (w->faults.rate_bps == 0)
		return now_ns;
	if (w->busy_until_ns > start)
		start = w->busy_until_ns;
	if (start - now_ns > BACKLOG_NS)
		return NSEC_NEVER;
	w->busy_until_ns = start + length * 8 * SEC / w->faults.rate_bps;
	return w->busy_until_ns;
}

/* Jitter keeps the order; a reordered frame is held back behind later ones. */
static nsec_t
wire_due(struct wire *w, nsec_t sent_ns, const struct draw *d)
{
	nsec_t due = sent_ns + w->faults.delay_ns + d->jitter_ns;

	if (due < w->last_due_ns)
		due = w->last_due_ns;
	w->last_due_ns = due;
	if (!d->is_reordered)
		return due;
	w->counts.reordered++;
	return due + d->hold_ns;
}

static bool
frame_is_ip(const unsigned char *bytes)
{
	return bytes[12] == 0x08 && bytes[13] == 0x00;
}

static struct fate
wire_decide_faulty(
    struct wire *w, nsec_t now_ns, const unsigned char *bytes, size_t length)
{
	struct fate fate = { .copies = 1, .flip_bit = NO_BIT };
	struct draw d = wire_draw(w, length);
	nsec_t sent = wire_transmit(w, now_ns, length);

	if (sent == NSEC_NEVER) {
		w->counts.overflowed++;
		return (struct fate){ .copies = 0 };
	}
	if (d.is_lost) {
		w->counts.lost++;
		return (struct fate){ .copies = 0 };
	}
	if (d.is_corrupted) {
		w->counts.corrupted++;
		/* ARP has no checksum: a network card would drop such a frame.
		 */
		if (!frame_is_ip(bytes) || length == FRAME_MIN)
			return (struct fate){ .copies = 0 };
		fate.flip_bit = d.bit;
	}
	if (d.is_duplicated) {
		w->counts.duplicated++;
		fate.copies = 2;
	}
	fate.due_ns = wire_due(w, sent, &d);
	return fate;
}

struct fate
wire_decide(
    struct wire *w, nsec_t now_ns, const unsigned char *bytes, size_t length)
{
	assert(length >= FRAME_MIN);

	w->counts.frames++;
	if (w->is_cut) {
		w->counts.cut++;
		return (struct fate){ .copies = 0 };
	}
	if (wire_is_good(&w->faults))
		return (struct fate){
			.copies = 1, .flip_bit = NO_BIT, .due_ns = now_ns
		};
	return wire_decide_faulty(w, now_ns, bytes, length);
}
