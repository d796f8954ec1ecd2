/* SPDX-License-Identifier: ISC */
#include "daemon/state/reigns.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <sodium.h>

#include "common/util/text.h"
#include "daemon/state/kept_file.h"
#include "daemon/system/log.h"

#define KIND           "leaders"
#define MAGIC          "electd\r\n" /* a copy in text mode changes it */
#define MAGIC_BYTES    8
#define VERSION        1
#define CHECKSUM_BYTES 16 /* BLAKE2b of the head and the record */
#define RECORD_BYTES   (REIGN_BYTES - CHECKSUM_BYTES)

_Static_assert(MAGIC_BYTES == sizeof(MAGIC) - 1, "the end is not written");

void
reigns_add(struct reigns *reigns, const struct reign *reign)
{
	if (reigns->count == REIGNS_MAX)
		memmove(reigns->list, reigns->list + 1,
		    --reigns->count * sizeof(*reigns->list));
	reigns->list[reigns->count++] = *reign;
}

static void
write_name(struct writer *w, const char name[NAME_MAX_BYTES])
{
	char padded[NAME_MAX_BYTES] = "";

	snprintf(padded, sizeof(padded), "%s", name);
	write_bytes(w, padded, sizeof(padded));
}

/* False if the name does not end, or may not be shown. */
static bool
read_name(struct reader *r, char name[NAME_MAX_BYTES])
{
	static const char zeros[NAME_MAX_BYTES];
	size_t size;

	read_bytes(r, name, NAME_MAX_BYTES);
	size = strnlen(name, NAME_MAX_BYTES);
	return size < NAME_MAX_BYTES && text_is_printable(name, size) &&
	       memcmp(name + size, zeros, NAME_MAX_BYTES - size) == 0;
}

static void
write_head(struct writer *w, const struct settings *settings)
{
	write_bytes(w, MAGIC, MAGIC_BYTES);
	write_u32(w, VERSION);
	write_u32(w, settings->id);
	write_name(w, settings->shared.cluster);
}

/* The head is in each sum, so that a record of another node, cluster or version
 * is none, and a damaged head loses no record. */
static void
sum_of(uint8_t sum[CHECKSUM_BYTES], const uint8_t head[REIGNS_HEAD],
    const uint8_t body[RECORD_BYTES])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, CHECKSUM_BYTES);
	crypto_generichash_update(&state, head, REIGNS_HEAD);
	crypto_generichash_update(&state, body, RECORD_BYTES);
	crypto_generichash_final(&state, sum, CHECKSUM_BYTES);
}

size_t
reigns_encode(const struct settings *settings, const struct reigns *reigns,
    uint8_t bytes[REIGNS_BYTES])
{
	struct writer w = writer_of(bytes, REIGNS_BYTES);
	uint8_t sum[CHECKSUM_BYTES];

	write_head(&w, settings);
	for (unsigned i = 0; i < reigns->count; i++) {
		const struct reign *reign = &reigns->list[i];
		const uint8_t *body = bytes + w.size;

		write_u64(&w, reign->wall);
		write_u64(&w, reign->leaderless);
		write_u64(&w, reign->term);
		write_u32(&w, reign->leader);
		reason_encode(&w, reign->reason);
		write_name(&w, reign->name);
		write_name(&w, reign->reason_name);
		sum_of(sum, bytes, body);
		write_bytes(&w, sum, sizeof(sum));
	}
	assert(!w.failed);
	return w.size;
}

/* Reads a record; false if it is damaged, or makes no sense. */
static bool
read_reign(
    struct reader *r, const uint8_t head[REIGNS_HEAD], struct reign *reign)
{
	const uint8_t *body = read_run(r, RECORD_BYTES);
	const uint8_t *sum = read_run(r, CHECKSUM_BYTES);
	uint8_t right[CHECKSUM_BYTES];
	struct reader b;
	bool has_reason, has_names;

	if (body == NULL || sum == NULL)
		return false;
	sum_of(right, head, body);
	if (memcmp(sum, right, sizeof(right)) != 0)
		return false;
	b = reader_of(body, RECORD_BYTES);
	reign->wall = read_u64(&b);
	reign->leaderless = read_u64(&b);
	reign->term = read_u64(&b);
	reign->leader = read_u32(&b);
	has_reason = reason_decode(&b, &reign->reason);
	has_names =
	    read_name(&b, reign->name) && read_name(&b, reign->reason_name);
	return has_reason && has_names && reader_at_end(&b) &&
	       reign->wall <= REIGN_WALL_MAX && reign->term <= TERM_MAX &&
	       reign->leader != NODE_NONE && reign->leader <= NODE_ID_MAX;
}

bool
reigns_decode(const struct settings *settings, const uint8_t *bytes,
    size_t size, struct reigns *reigns)
{
	uint8_t ours[REIGNS_HEAD];
	struct writer w = writer_of(ours, sizeof(ours));
	struct reader r = reader_of(bytes, size);
	const uint8_t *head = read_run(&r, REIGNS_HEAD);
	bool is_whole;

	write_head(&w, settings);
	is_whole = head != NULL && memcmp(head, ours, sizeof(ours)) == 0;
	reigns->count = 0;
	while (r.left > 0 && reigns->count < REIGNS_MAX) {
		if (read_reign(&r, ours, &reigns->list[reigns->count]))
			reigns->count++;
		else
			is_whole = false;
	}
	return is_whole && reader_at_end(&r);
}

int
reigns_write(const struct settings *settings, const struct reigns *reigns)
{
	uint8_t bytes[REIGNS_BYTES];
	size_t size = reigns_encode(settings, reigns, bytes);

	return kept_file_write(settings, KIND, bytes, size);
}

bool
reigns_recall(const struct settings *settings, struct reigns *reigns)
{
	uint8_t bytes[REIGNS_BYTES];
	size_t size = 0;
	int error = kept_file_read(settings, KIND, bytes, sizeof(bytes), &size);
	bool is_damaged;

	reigns->count = 0;
	if (error == -ENOENT)
		return true;
	is_damaged =
	    error == 0 && !reigns_decode(settings, bytes, size, reigns);
	if (error == 0 && !is_damaged)
		return true;
	log_warnx("%s/%s-%" PRIu32
		  ".leaders: %s: of the last leaders, %u could be read",
	    settings->state_dir, settings->shared.cluster, settings->id,
	    is_damaged ? "it is damaged" : strerror(-error), reigns->count);
	return false;
}
