/* SPDX-License-Identifier: ISC */

#include "common/node/drive/record.h"

#include <string.h>

#include "common/node/drive/image.h"
#include "common/node/node_parts.h"
#include "common/node/tape/entry.h"
#include "common/node/tape/tape.h"

/* Begins an input that takes up to `size` bytes more than others; with a new
 * image, if there is no room for it. NULL: the node is not recorded. */
static struct writer *
begin(struct node *node, nsec_t now, enum tape_kind kind, size_t size)
{
	if (!tape_records(node->tape))
		return NULL;
	if (tape_is_full(node->tape, size))
		image_take(node, now);
	return tape_input(node->tape, kind, now);
}

void
record_input(struct node *node, nsec_t now, enum tape_kind kind)
{
	(void)begin(node, now, kind, 0);
}

/* The core reads of a sealed datagram what is in clear, and what a key says. */
void
record_receive(struct node *node, nsec_t now, nsec_t age, unsigned peer,
    const uint8_t *bytes, size_t size)
{
	struct writer *w = begin(node, now, TAPE_RECEIVE, 0);
	uint8_t clear[PACKET_CLEAR_BYTES] = { 0 };

	if (w == NULL)
		return;
	if (size > 0)
		memcpy(
		    clear, bytes, size < sizeof(clear) ? size : sizeof(clear));
	write_u64(w, age);
	write_u32(w, peer);
	write_u16(w, (uint16_t)(size > PACKET_MAX ? PACKET_MAX + 1 : size));
	write_bytes(w, clear, sizeof(clear));
}

void
record_refused(struct node *node, nsec_t now, unsigned peer)
{
	struct writer *w = begin(node, now, TAPE_REFUSED, 0);

	if (w != NULL)
		write_u32(w, peer);
}

void
record_resign(struct node *node, nsec_t now, node_id to)
{
	struct writer *w = begin(node, now, TAPE_RESIGN, 0);

	if (w != NULL)
		write_u32(w, to);
}

void
record_take_back(struct node *node, nsec_t now, nsec_t until)
{
	struct writer *w = begin(node, now, TAPE_TAKE_BACK, 0);

	if (w != NULL)
		write_u64(w, until);
}

void
record_standby(struct node *node, nsec_t now, const struct standby *standby)
{
	struct writer *w = begin(node, now, TAPE_STANDBY, 0);
	char reason[sizeof(standby->reason)] = { 0 };

	if (w == NULL)
		return;
	write_u8(w, standby->is_on);
	if (!standby->is_on)
		return;
	memcpy(reason, standby->reason,
	    strnlen(standby->reason, sizeof(reason) - 1));
	write_u64(w, standby->age);
	write_u64(w, standby->left);
	write_bytes(w, reason, sizeof(reason));
}

void
record_keys(struct node *node, nsec_t now, bool has_old)
{
	struct writer *w = begin(node, now, TAPE_KEYS, 0);

	if (w != NULL)
		write_u8(w, has_old);
}

void
record_persisted(struct node *node, nsec_t now, bool ok)
{
	struct writer *w = begin(node, now, TAPE_PERSISTED, 0);

	if (w != NULL)
		write_u8(w, ok);
}

void
record_carrier(struct node *node, nsec_t now, bool has_carrier)
{
	struct writer *w = begin(node, now, TAPE_CARRIER, 0);

	if (w != NULL)
		write_u8(w, has_carrier);
}

void
record_file(struct node *node, nsec_t now, bool is_older)
{
	struct writer *w = begin(node, now, TAPE_FILE, 0);

	if (w != NULL)
		write_u8(w, is_older);
}

void
record_pull(struct node *node, nsec_t now, const struct pull *pull)
{
	struct writer *w = begin(node, now, TAPE_PULL,
	    PULL_BYTES + sizeof(pull->path[0]) * PULL_PATH_MAX);

	if (w != NULL)
		pull_encode(w, pull);
}

void
record_edition(struct node *node, nsec_t now, enum tape_kind kind,
    const struct edition *edition, const uint8_t *document, size_t size)
{
	struct writer *w = begin(node, now, kind, size);

	if (w != NULL)
		entry_write_edition(w, edition, document, size);
}

void
record_setup(struct node *node, nsec_t now, enum tape_kind kind,
    const struct node_setup *s)
{
	struct writer *w = begin(node, now, kind,
	    ENTRY_SETUP_BYTES + ENTRY_PEER_BYTES * (size_t)s->peers_count +
		s->document_size);

	if (w != NULL)
		entry_write_setup(w, s);
}
