/* SPDX-License-Identifier: ISC */
/* What a node is given and does, in words. */
#include "tests/model/sim/replay/replay.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "common/util/digest.h"
#include "tests/model/world/notice_text.h"

static const char *
type_name(enum packet_type type)
{
	switch (type) {
	case PACKET_HELLO:
		return "HELLO";
	case PACKET_HELLO_ACK:
		return "HELLO_ACK";
	case PACKET_SESSION:
		return "SESSION";
	case PACKET_BYE:
		return "BYE";
	case PACKET_DIED:
		return "DIED";
	case PACKET_GROUP:
		return "GROUP";
	case PACKET_ANNOUNCE:
		return "ANNOUNCE";
	}
	return "datagram";
}

static bool
read_head(struct packet_head *head, const uint8_t *bytes, size_t size)
{
	struct reader r = reader_of(bytes, PACKET_CLEAR_BYTES);

	return size >= PACKET_HEAD_BYTES && packet_head_decode(&r, head);
}

struct letter
replay_letter(const uint8_t *clear, const uint8_t *plain, size_t size)
{
	uint64_t digest = digest_bytes(0, clear, PACKET_CLEAR_BYTES);

	return (struct letter){ .digest = digest_bytes(digest, plain, size) };
}

/* As much of a digest as tells the datagrams of a tape apart. */
static unsigned
mark_of(const struct letter *l)
{
	return (unsigned)(l->digest >> 32);
}

static void
datagram_words(char text[REPLAY_WORDS_MAX], const struct entry *in,
    const struct letter *letter)
{
	struct packet_head head;
	char mark[16] = "not opened";

	if (!read_head(&head, in->bytes, in->size)) {
		snprintf(text, REPLAY_WORDS_MAX,
		    "%zu bytes that are no datagram", in->size);
		return;
	}
	if (letter != NULL)
		snprintf(mark, sizeof(mark), "%08x", mark_of(letter));
	snprintf(text, REPLAY_WORDS_MAX,
	    "%s %" PRIu64 " from %" PRIu32 ", %s%s", type_name(head.type),
	    head.number, head.source, mark,
	    in->peer == PEER_NONE ? ", from elsewhere" : "");
}

static const char *
plain_words(enum tape_kind kind)
{
	switch ((int)kind) {
	case TAPE_TICK:
		return "the timer";
	case TAPE_ELECT:
		return "an operator wants an election";
	case TAPE_STOP:
		return "it is to stop";
	case TAPE_HAND_OUT:
		return "a client asks for the deadline";
	case TAPE_TAKE_BACK:
		return "a client gives back its deadline";
	case TAPE_DECLARE_DEAD:
		return "its helper has declared it dead";
	case TAPE_ANNOUNCE:
		return "the next settings are announced";
	case TAPE_CHANGE:
		return "other settings come into effect";
	case TAPE_REFUSE:
		return "the host refuses other settings";
	case TAPE_SNAPSHOT:
		return "a client wants a snapshot";
	default:
		return "it goes on";
	}
}

void
replay_input_words(char text[REPLAY_WORDS_MAX], const struct entry *in,
    const struct letter *letter)
{
	switch ((int)in->kind) {
	case TAPE_RECEIVE:
		datagram_words(text, in, letter);
		break;
	case TAPE_REFUSED:
		snprintf(text, REPLAY_WORDS_MAX,
		    "the host of peer %u refuses a datagram", in->peer);
		break;
	case TAPE_RESIGN:
		snprintf(
		    text, REPLAY_WORDS_MAX, "an operator wants another leader");
		if (in->to != NODE_NONE)
			snprintf(text, REPLAY_WORDS_MAX,
			    "an operator wants the leader %" PRIu32, in->to);
		break;
	case TAPE_STANDBY:
		snprintf(text, REPLAY_WORDS_MAX, "%s %s",
		    in->standby->cause == STANDBY_CHECK ? "a check"
							: "an operator",
		    in->standby->is_on ? "puts it on standby" : "ends that");
		break;
	case TAPE_KEYS:
		snprintf(text, REPLAY_WORDS_MAX, "the keys are others, %s",
		    in->is_set ? "two" : "one");
		break;
	case TAPE_PERSISTED:
		snprintf(text, REPLAY_WORDS_MAX, "the state %s durable",
		    in->is_set ? "is" : "could not be made");
		break;
	case TAPE_CARRIER:
		snprintf(text, REPLAY_WORDS_MAX, "the host has %s carrier",
		    in->is_set ? "a" : "no");
		break;
	case TAPE_FILE:
		snprintf(text, REPLAY_WORDS_MAX, "the host's file is %s",
		    in->is_set ? "older" : "older no more");
		break;
	case TAPE_PULL:
		snprintf(text, REPLAY_WORDS_MAX, "the host pulls from %" PRIu32,
		    in->pull->path[in->pull->count - 1]);
		break;
	case TAPE_PROPOSE:
		snprintf(text, REPLAY_WORDS_MAX, "the host proposes %s",
		    in->config_id != NULL ? "other settings"
					  : "nothing any more");
		break;
	default:
		snprintf(text, REPLAY_WORDS_MAX, "%s", plain_words(in->kind));
	}
}

/* Where a datagram that was not sealed has what is to be sealed. */
static size_t
plain_at(const struct packet_head *head)
{
	return head->type == PACKET_HELLO || head->type == PACKET_HELLO_ACK ||
		       head->type == PACKET_ANNOUNCE
		   ? HANDSHAKE_SEALED_AT
		   : PACKET_HEAD_BYTES;
}

bool
replay_sent(struct letter *l, const struct action *a)
{
	struct packet_head head;

	if ((a->kind != ACTION_HELLO && a->kind != ACTION_SEND &&
		a->kind != ACTION_REPLY && a->kind != ACTION_WILL &&
		a->kind != ACTION_GROUP && a->kind != ACTION_JOIN) ||
	    !read_head(&head, a->datagram, a->size) ||
	    a->size < plain_at(&head))
		return false;
	*l = replay_letter(a->datagram, a->datagram + plain_at(&head),
	    a->size - plain_at(&head));
	return true;
}

static void
send_words(char text[REPLAY_WORDS_MAX], const struct action *a)
{
	const char *how = a->kind == ACTION_REPLY  ? "answers with"
			  : a->kind == ACTION_WILL ? "leaves a will:"
						   : "sends";
	char to[16] = "all";
	struct packet_head head;
	struct letter letter;

	if (!read_head(&head, a->datagram, a->size) ||
	    !replay_sent(&letter, a)) {
		snprintf(text, REPLAY_WORDS_MAX, "%s nothing", how);
		return;
	}
	if (head.destination != NODE_NONE)
		snprintf(to, sizeof(to), "%" PRIu32, head.destination);
	snprintf(text, REPLAY_WORDS_MAX, "%s %s %" PRIu64 " to %s, %08x%s", how,
	    type_name(head.type), head.number, to, mark_of(&letter),
	    a->kind == ACTION_WILL && a->releases ? ", which releases" : "");
}

void
replay_action_words(char text[REPLAY_WORDS_MAX], const struct action *a,
    const struct node *node, const struct algorithm *algorithm)
{
	char line[NOTICE_LINE_MAX];

	switch (a->kind) {
	case ACTION_PERSIST:
		snprintf(text, REPLAY_WORDS_MAX,
		    "writes its state: incarnation %" PRIu64 ", term %" PRIu64
		    ", promise %" PRIu64,
		    a->durable.incarnation, a->durable.term,
		    a->durable.promise.term);
		break;
	case ACTION_NOTICE:
		notice_text(line, &a->notice, algorithm);
		snprintf(text, REPLAY_WORDS_MAX, "says %s", line);
		break;
	case ACTION_ADDRESS:
		snprintf(text, REPLAY_WORDS_MAX,
		    "finds %" PRIu32 " at this address",
		    node_peer_status(node, a->peer).id);
		break;
	case ACTION_DOCUMENT:
		snprintf(text, REPLAY_WORDS_MAX,
		    "has %" PRIu32 " to %zu of %" PRIu32
		    " bytes of settings from %" PRIu32,
		    a->offset, a->offset + a->size, a->total, a->giver);
		break;
	case ACTION_JOINER:
		snprintf(
		    text, REPLAY_WORDS_MAX, "meets %" PRIu32, a->joiner.id);
		break;
	case ACTION_PULLED:
		snprintf(text, REPLAY_WORDS_MAX,
		    "has %zu bytes of what %" PRIu32 " keeps", a->size,
		    a->pulled.pull.path[a->pulled.pull.count - 1]);
		break;
	case ACTION_HELLO:
	case ACTION_SEND:
	case ACTION_REPLY:
	case ACTION_WILL:
	case ACTION_GROUP:
	case ACTION_JOIN:
		send_words(text, a);
		break;
	}
}

void
replay_time_words(char text[REPLAY_TIME_MAX], int64_t at)
{
	int64_t rest = at % (int64_t)SEC;
	time_t seconds = (time_t)(at / (int64_t)SEC) - (rest < 0);
	struct tm tm = { 0 };
	size_t size;

	if (rest < 0)
		rest += (int64_t)SEC;
	(void)gmtime_r(&seconds, &tm);
	size = strftime(text, REPLAY_TIME_MAX, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(text + size, REPLAY_TIME_MAX - size, ".%06u",
	    (unsigned)((uint64_t)rest / USEC));
}
