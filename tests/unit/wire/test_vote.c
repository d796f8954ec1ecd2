/* SPDX-License-Identifier: ISC */
/* The frames of nominees and voters, byte for byte, and which are refused. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/vote.h"

static const uint8_t golden_request[VOTE_REQUEST_BYTES] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* term */
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, /* sent */
	0x01,                                           /* prevote */
	0x00, 0x00, 0x00, 0x00, 0x77, 0x35, 0x94, 0x00, /* lease */
	0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, /* configuration:
							 * timestamp, */
	0x00, 0x01, 0x02, 0x03,                         /* config version, */
	0x04, 0x05, 0x06, 0x07,                         /* revision, */
	'D', 'I', 'G', 'E', 'S', 'T', 'd', 'i',         /* digest */
	'g', 'e', 's', 't', '0', '1', '2', '3',         /* ... */
};

static const uint8_t golden_admission[VOTE_REQUEST_BYTES] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* term */
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, /* sent */
	0x02,                                           /* it admits */
	0x00, 0x00, 0x00, 0x00, 0x77, 0x35, 0x94, 0x00, /* lease */
	0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, /* configuration:
							 * timestamp, */
	0x00, 0x01, 0x02, 0x03,                         /* config version, */
	0x04, 0x05, 0x06, 0x07,                         /* revision, */
	'D', 'I', 'G', 'E', 'S', 'T', 'd', 'i',         /* digest */
	'g', 'e', 's', 't', '0', '1', '2', '3',         /* ... */
};

static const uint8_t golden_grant[VOTE_RESPONSE_BYTES] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* term */
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, /* sent */
	0x01,                                           /* prevote */
	0x00,                                           /* denial */
	0x41, 0x42, 0x43, 0x44,                         /* configuration */
	0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, /* promised */
	0x00, 0x00, 0x00, 0x00,                         /* wait */
	0x01, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x12, 0x34, /* rival */
	0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38,       /* its term */
};

static const uint8_t golden_denial[VOTE_RESPONSE_BYTES] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* term */
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, /* sent */
	0x00,                                           /* prevote */
	0x01,                                           /* denial */
	0x41, 0x42, 0x43, 0x44,                         /* configuration */
	0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, /* promised */
	0x00, 0x00, 0x07, 0xd0,                         /* wait */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* no rival */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,       /* nor its term */
};

static const uint8_t golden_release[RELEASE_BYTES] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* term */
};

static const uint8_t golden_lease_left[LEASE_LEFT_BYTES] = {
	0x01, 0x02, 0x03, 0x04, /* timestamp */
	0x00, 0x18, 0xf6, 0xb8, /* valid */
};

static const struct vote_request sample_request = {
	.term = UINT64_C(0x0102030405060708),
	.sent = UINT64_C(0x1112131415161718),
	.is_prevote = true,
	.lease = 2 * SEC,
	.config_id = { .config_term = UINT64_C(0x4142434445464748),
	    .config_version = 0x00010203,
	    .revision = 0x04050607,
	    .digest = "DIGESTdigest0123" },
};
static const struct vote_request sample_admission = {
	.term = UINT64_C(0x0102030405060708),
	.sent = UINT64_C(0x1112131415161718),
	.admits = true,
	.lease = 2 * SEC,
	.config_id = { .config_term = UINT64_C(0x4142434445464748),
	    .config_version = 0x00010203,
	    .revision = 0x04050607,
	    .digest = "DIGESTdigest0123" },
};
static const struct vote_response sample_grant = {
	.term = UINT64_C(0x0102030405060708),
	.sent = UINT64_C(0x1112131415161718),
	.is_prevote = true,
	.config_tag = 0x41424344,
	.promised = UINT64_C(0x2122232425262728),
	.rival = { .is_eligible = true, .priority = 5, .id = 0x1234 },
	.rival_term = UINT64_C(0x3132333435363738),
};
static const struct vote_response sample_denial = {
	.term = UINT64_C(0x0102030405060708),
	.sent = UINT64_C(0x1112131415161718),
	.denial = DENIAL_HELD,
	.config_tag = 0x41424344,
	.promised = UINT64_C(0x2122232425262728),
	.wait_ms = 2000,
};
static const struct release sample_release = { UINT64_C(0x0102030405060708) };
static const struct lease_left sample_lease_left = { 0x01020304, 1636024 };

CODEC(vote_request);
CODEC(vote_response);
CODEC(release);
CODEC(lease_left);

static const struct codec codecs[] = {
	CODEC_ROW(vote_request, sample_request, golden_request),
	CODEC_ROW(vote_request, sample_admission, golden_admission),
	CODEC_ROW(vote_response, sample_grant, golden_grant),
	CODEC_ROW(vote_response, sample_denial, golden_denial),
	CODEC_ROW(release, sample_release, golden_release),
	CODEC_ROW(lease_left, sample_lease_left, golden_lease_left),
};
#define CODECS (sizeof(codecs) / sizeof(codecs[0]))

/* The places of fields of one byte, and of the highest bytes of others. */
#define TERM_AT       0
#define PREVOTE_AT    16
#define DENIAL_AT     17
#define PROMISED_AT   22
#define WAIT_AT       30
#define RIVAL_AT      34
#define RIVAL_TERM_AT 43

/* The places of fields of a request. */
#define LEASE_AT          17
#define TIMESTAMP_AT      25
#define CONFIG_VERSION_AT 33

static const struct codec *const request = &codecs[0];
static const struct codec *const grant = &codecs[2];
static const struct codec *const denied = &codecs[3];
static const struct codec *const release = &codecs[4];

TEST(frames_of_votes_are_encoded_like_this)
{
	assert_int_equal(VOTE_REQUEST_BYTES, 57);
	assert_int_equal(VOTE_RESPONSE_BYTES, 51);
	assert_int_equal(RELEASE_BYTES, 8);
	assert_int_equal(LEASE_LEFT_BYTES, 8);
	codecs_stand(codecs, CODECS);
}

TEST(numbers_of_a_request_that_cannot_be_are_refused)
{
	const uint64_t late = TERM_MAX + 1;
	const struct codec_row rows[] = {
		{ request, TERM_AT, 8, 0, false },
		{ request, TERM_AT, 8, 1, true },
		{ request, TERM_AT, 8, TERM_MAX, true },
		{ request, TERM_AT, 8, late, false },
		{ request, TERM_AT, 8, UINT64_MAX, false },
		/* A grant that binds nobody is none. */
		{ request, LEASE_AT, 8, 0, false },
		{ request, LEASE_AT, 8, 1, true },
		{ request, LEASE_AT, 8, UINT64_MAX, true },
		{ request, TIMESTAMP_AT, 8, 0, true },
		{ request, TIMESTAMP_AT, 8, TERM_MAX, true },
		{ request, TIMESTAMP_AT, 8, late, false },
		{ request, TIMESTAMP_AT, 8, UINT64_MAX, false },
		{ request, CONFIG_VERSION_AT, 4, 0, true },
		{ request, CONFIG_VERSION_AT, 4, CONFIG_VERSION_MAX, true },
		{ request, CONFIG_VERSION_AT, 4, CONFIG_VERSION_MAX + 1u,
		    false },
		{ request, CONFIG_VERSION_AT, 4, UINT32_MAX, false },
		{ request, CONFIG_VERSION_AT + 4, 4, REVISION_MAX, true },
		{ request, CONFIG_VERSION_AT + 4, 4, REVISION_MAX + 1u, false },
	};

	codec_rows_stand(rows, sizeof(rows) / sizeof(rows[0]));
}

TEST(numbers_of_an_answer_that_cannot_be_are_refused)
{
	const uint64_t late = TERM_MAX + 1;
	const struct codec_row rows[] = {
		{ grant, TERM_AT, 8, 0, false },
		{ grant, TERM_AT, 8, 1, true },
		{ grant, TERM_AT, 8, TERM_MAX, true },
		{ grant, TERM_AT, 8, late, false },
		{ grant, PROMISED_AT, 8, 0, true }, /* nothing yet */
		{ grant, PROMISED_AT, 8, TERM_MAX, true },
		{ grant, PROMISED_AT, 8, late, false },
		{ grant, PROMISED_AT, 8, UINT64_MAX, false },
		/* No lease is so long that a nominee waits for 49 days. */
		{ denied, WAIT_AT, 1, 0, true },
		{ denied, WAIT_AT, 1, 0xff, false },
		{ release, TERM_AT, 8, 0, false },
		{ release, TERM_AT, 8, 1, true },
		{ release, TERM_AT, 8, TERM_MAX, true },
		{ release, TERM_AT, 8, late, false },
	};

	codec_rows_stand(rows, sizeof(rows) / sizeof(rows[0]));
}

TEST(flags_and_denials_unknown_are_refused)
{
	for (unsigned v = 0; v <= UINT8_MAX; v++) {
		assert_int_equal(codec_takes(request, PREVOTE_AT, 1, v), v < 3);
		assert_int_equal(codec_takes(grant, PREVOTE_AT, 1, v), v < 2);
		assert_int_equal(
		    codec_takes(denied, DENIAL_AT, 1, v), v < DENIALS);
		assert_int_equal(codec_takes(grant, RIVAL_AT, 1, v), v < 4);
	}
}

static bool
rival_decodes(enum denial denial, const struct rank *rival, uint64_t term)
{
	uint8_t bytes[VOTE_RESPONSE_BYTES];
	struct writer to_rival = writer_of(bytes + RIVAL_AT, RANK_BYTES);
	struct writer to_term = writer_of(bytes + RIVAL_TERM_AT, 8);
	struct reader r = reader_of(bytes, sizeof(bytes));
	struct vote_response vote;

	memcpy(bytes, golden_grant, sizeof(bytes));
	bytes[DENIAL_AT] = (uint8_t)denial;
	rank_encode(&to_rival, rival);
	write_u64(&to_term, term);
	return vote_response_decode(&r, &vote);
}

/* A rival has a term, and only a grant names one. */
TEST(rivals_that_cannot_be_are_refused)
{
	const struct rank rival = { .is_eligible = true, .id = 3 };
	const struct rank no_more = { .id = 3 }; /* is not eligible any more */
	const struct rank nobody = { .id = NODE_NONE };
	const struct rank ghost = { .is_eligible = true, .id = NODE_NONE };
	const struct rank urgent = { .priority = 1, .id = NODE_NONE };

	assert_true(rival_decodes(DENIAL_NONE, &rival, 1));
	assert_true(rival_decodes(DENIAL_NONE, &rival, TERM_MAX));
	assert_true(rival_decodes(DENIAL_NONE, &no_more, 1));
	assert_false(rival_decodes(DENIAL_NONE, &rival, 0));
	assert_false(rival_decodes(DENIAL_NONE, &rival, TERM_MAX + 1));
	assert_false(rival_decodes(DENIAL_NONE, &rival, UINT64_MAX));
	assert_false(rival_decodes(DENIAL_NONE, &nobody, 1));
	assert_false(rival_decodes(DENIAL_NONE, &ghost, 0));
	assert_false(rival_decodes(DENIAL_NONE, &ghost, 1));
	assert_false(rival_decodes(DENIAL_NONE, &urgent, 0));
	for (unsigned denial = 0; denial < DENIALS; denial++) {
		enum denial d = (enum denial)denial;

		assert_true(rival_decodes(d, &nobody, 0));
		assert_int_equal(rival_decodes(d, &rival, 1), d == DENIAL_NONE);
	}
}

TEST(each_denial_has_a_name_of_its_own)
{
	for (unsigned a = 0; a < DENIALS; a++) {
		assert_non_null(denial_name((enum denial)a));
		for (unsigned b = 0; b < a; b++)
			assert_string_not_equal(denial_name((enum denial)a),
			    denial_name((enum denial)b));
	}
	assert_string_equal(denial_name(DENIAL_HELD), "held");
	assert_string_equal(denial_name(DENIAL_PROMISED), "promised");
	assert_string_equal(denial_name(DENIAL_QUARANTINE), "quarantine");
	assert_string_equal(denial_name(DENIAL_STATE_FILE), "state-file");
	assert_string_equal(denial_name(DENIAL_CONFIG), "config");
}
