/* SPDX-License-Identifier: ISC */
#include "daemon/state/standby_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <sodium.h>

#include "daemon/state/kept_file.h"
#include "daemon/system/log.h"

#define KIND           "standby"
#define MAGIC          "electd\r\n" /* a copy in text mode changes it */
#define MAGIC_BYTES    8
#define VERSION        1
#define CHECKSUM_BYTES 32 /* BLAKE2b of what precedes it */

_Static_assert(MAGIC_BYTES == sizeof(MAGIC) - 1, "the end is not written");

/* The cluster's name, with zeros at its end. */
struct padded {
	char name[NAME_MAX_BYTES];
};

static struct padded
cluster_of(const struct settings *settings)
{
	struct padded padded = { .name = "" };

	snprintf(
	    padded.name, sizeof(padded.name), "%s", settings->shared.cluster);
	return padded;
}

size_t
standby_file_encode(const struct settings *settings,
    const struct standby *standby, nsec_t wall, uint8_t bytes[STANDBY_FILE_MAX])
{
	struct writer w = writer_of(bytes, STANDBY_FILE_MAX);
	uint8_t checksum[CHECKSUM_BYTES];
	const struct padded cluster = cluster_of(settings);

	write_bytes(&w, MAGIC, MAGIC_BYTES);
	write_u32(&w, VERSION);
	write_u32(&w, settings->id);
	write_bytes(&w, cluster.name, sizeof(cluster.name));
	write_u64(&w, wall / MSEC);
	standby_encode(&w, standby);
	crypto_generichash(checksum, sizeof(checksum), bytes, w.size, NULL, 0);
	write_bytes(&w, checksum, sizeof(checksum));
	assert(!w.failed);
	return w.size;
}

/* True if the bytes end with their checksum. */
static bool
is_whole(const uint8_t *bytes, size_t size)
{
	uint8_t checksum[CHECKSUM_BYTES];

	if (size <= CHECKSUM_BYTES)
		return false;
	size -= CHECKSUM_BYTES;
	crypto_generichash(checksum, sizeof(checksum), bytes, size, NULL, 0);
	return memcmp(checksum, bytes + size, CHECKSUM_BYTES) == 0;
}

bool
standby_file_decode(const struct settings *settings, const uint8_t *bytes,
    size_t size, struct standby *standby, nsec_t *wall)
{
	const struct padded ours = cluster_of(settings);
	char magic[MAGIC_BYTES], cluster[NAME_MAX_BYTES];
	struct reader r;
	uint32_t version, id;
	uint64_t ms;

	if (!is_whole(bytes, size))
		return false;
	r = reader_of(bytes, size - CHECKSUM_BYTES);
	read_bytes(&r, magic, sizeof(magic));
	version = read_u32(&r);
	id = read_u32(&r);
	read_bytes(&r, cluster, sizeof(cluster));
	ms = read_u64(&r);
	if (memcmp(magic, MAGIC, sizeof(magic)) != 0 || version != VERSION ||
	    id != settings->id ||
	    memcmp(cluster, ours.name, sizeof(cluster)) != 0 ||
	    ms > NSEC_NEVER / MSEC)
		return false;
	*wall = ms * MSEC;
	return standby_decode(&r, standby) && reader_at_end(&r);
}

int
standby_file_write(
    const struct settings *settings, const struct standby *standby, nsec_t wall)
{
	uint8_t bytes[STANDBY_FILE_MAX];
	size_t size;

	if (!standby->is_on)
		return kept_file_remove(settings, KIND);
	size = standby_file_encode(settings, standby, wall, bytes);
	return kept_file_write(settings, KIND, bytes, size);
}

/* The file is there, but not valid: `why`. */
static struct standby
unreadable(const struct settings *settings, const char *why)
{
	log_errorx(
	    "state %s/%s-%" PRIu32
	    ".standby: %s; this node stays on standby until `electctl rejoin`",
	    settings->state_dir, settings->shared.cluster, settings->id, why);
	return (struct standby){
		.is_on = true,
		.left = NSEC_NEVER,
		.reason = "the standby file is damaged",
	};
}

struct standby
standby_file_recall(const struct settings *settings, nsec_t wall)
{
	uint8_t bytes[STANDBY_FILE_MAX];
	struct standby standby = { .is_on = false };
	nsec_t began;
	size_t size;
	int error = kept_file_read(settings, KIND, bytes, sizeof(bytes), &size);

	if (error == -ENOENT)
		return standby;
	if (error != 0)
		return unreadable(settings, strerror(-error));
	if (!standby_file_decode(settings, bytes, size, &standby, &began))
		return unreadable(settings, "it is damaged");
	standby = standby_later(&standby, began, wall);
	if (!standby.is_on)
		(void)standby_file_write(settings, &standby, wall);
	return standby;
}
