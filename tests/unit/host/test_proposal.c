/* SPDX-License-Identifier: ISC */
/*
 * What becomes of settings that somebody wants: how a host judges those that
 * its operator wants, and what it does with all, by who wants them, by the
 * guarantee, and by what the disk does. Node 2 leads; member 1 is there, and
 * node 3 is not.
 */
#include "common/host/proposal.h"
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#include <stdio.h>
#include <string.h>

static struct stage s;
static struct rollout r;

static const struct config_id first = { .config_version = 3,
	.digest = "first" };

/* The configuration in effect has the config term of the leader's term. */
static int
enter(void **state)
{
	(void)state;
	quorum_lead_by(&s, &first);
	s.setups[0].config_id.config_term = stage_status(&s, 0).term;
	stage_change(&s, 0);
	quorum_move_member(&s, &s.setups[0].config_id);
	stage_run(&s, 2 * QUORUM_LEASE);
	r = (struct rollout){ .is_quorum = true };
	return 0;
}

enum disk {
	TAKES,
	FAILS,  /* at first */
	LATE,   /* it takes the settings, but later ones came first */
	LEAVES, /* likewise, but the process is to end */
};

/* What happened, a letter each: N, C, W: the host writes what it retained,
 * what is in effect, or the proposal; P: the document of another node; A, D,
 * R, K: it applies, drops, retains that, or the disk has what is in effect. */
static char said[16];

static void
say(char letter)
{
	size_t size = strlen(said);

	assert(size + 1 < sizeof(said));
	said[size] = letter;
	said[size + 1] = '\0';
}

static void
put(const struct config_id *config_id)
{
	s.setups[0].config_id = *config_id;
	stage_change(&s, 0);
}

/* The disk ends a write. */
static void
end_write(enum disk *disk, const struct config_id *config_id)
{
	static const char letters[] = "ADRK";
	struct config_id other = s.setups[0].config_id;
	bool is_kept = *disk != FAILS;
	enum rollout_end end;

	if (*disk == LATE) {
		other.config_version = config_id->config_version + 1;
		put(&other);
	} else if (*disk == LEAVES) {
		node_stop(s.nodes[0], s.now);
	}
	*disk = *disk == LEAVES ? LEAVES : TAKES;
	end = rollout_kept(&r, s.nodes[0], s.now, is_kept);
	say(letters[end]);
	if (end == ROLLOUT_APPLY)
		put(config_id);
}

static void
go_on(enum disk *disk, struct config_id *config_id)
{
	struct rollout_todo todo =
	    rollout_next(&r, s.nodes[0], s.now, &s.setups[0]);

	if (todo.act != ROLLOUT_WRITE)
		return;
	say("NCW"[todo.which]);
	if (todo.which == ROLLOUT_CURRENT)
		*config_id = s.setups[0].config_id;
	if (todo.config_term != 0)
		config_id->config_term = todo.config_term;
	rollout_keep(&r, todo.origin, config_id);
	end_write(disk, config_id);
}

/* Somebody wants settings of the next config version. */
static void
play(enum rollout_origin origin, enum disk disk)
{
	struct config_id config_id = s.setups[0].config_id;

	said[0] = '\0';
	config_id.config_version++;
	if (origin == ORIGIN_PEER) {
		say('P');
		assert_int_equal(rollout_offer(&r, s.nodes[0], s.now,
				     &config_id, OFFERED_RIGHT),
		    OFFER_KEEP);
		rollout_keep(&r, origin, &config_id);
		end_write(&disk, &config_id);
	} else {
		if (r.is_quorum)
			config_id.config_term = 0;
		if (origin < ORIGINS_ASKED)
			r.ends[origin] = PROPOSAL_PROPOSED;
		rollout_propose(&r, s.nodes[0], origin, &config_id,
		    quorum_document(4), QUORUM_DOCUMENT);
	}
	for (unsigned i = 0; i < 4; i++) {
		go_on(&disk, &config_id);
		s.now += ROLLOUT_PAUSE / 2;
		if (r.is_quorum && disk != LEAVES) {
			s.now -= ROLLOUT_PAUSE / 2;
			stage_run(&s, ROLLOUT_PAUSE / 2);
		}
	}
}

#define FILE_    ORIGIN_FILE
#define MEMBERS  ORIGIN_MEMBERS
#define NODES    ORIGIN_NODES
#define PEER     ORIGIN_PEER
#define DONE     PROPOSAL_DONE
#define NOTHING  PROPOSAL_NOTHING
#define RESTART  PROPOSAL_RESTART
#define PROPOSED PROPOSAL_PROPOSED

struct row {
	bool is_quorum;
	enum rollout_origin origin;
	enum disk disk;
	const char *said;
	enum proposal_end end; /* FILE, MEMBERS */
};

/* Under component the host takes each step itself, and waits for no disk; but
 * the next start needs the document. Under quorum the leader takes it, and
 * nothing is in effect that the disk does not have. */
static const struct row rows[] = {
	{ false, FILE_, TAKES, "WA", DONE },
	{ false, FILE_, FAILS, "WACK", DONE },
	{ false, FILE_, LATE, "WDCK", NOTHING },
	{ false, FILE_, LEAVES, "WD", RESTART },
	{ false, MEMBERS, TAKES, "WA", DONE },
	{ false, MEMBERS, FAILS, "WACK", DONE },
	{ false, MEMBERS, LATE, "WDCK", NOTHING },
	{ false, MEMBERS, LEAVES, "WD", RESTART },
	{ false, NODES, TAKES, "WA", DONE },
	{ false, NODES, FAILS, "WACK", DONE },
	{ false, NODES, LATE, "WDCK", DONE },
	{ false, NODES, LEAVES, "WD", DONE },
	{ false, PEER, TAKES, "PA", DONE },
	{ false, PEER, FAILS, "PACK", DONE },
	{ false, PEER, LATE, "PDCK", DONE },
	{ false, PEER, LEAVES, "PD", DONE },
	{ true, FILE_, TAKES, "WA", PROPOSED },
	{ true, FILE_, FAILS, "WRNA", PROPOSED },
	{ true, FILE_, LATE, "WDCK", PROPOSED },
	{ true, FILE_, LEAVES, "WD", PROPOSED },
	{ true, MEMBERS, TAKES, "WA", PROPOSED },
	{ true, MEMBERS, FAILS, "WRNA", PROPOSED },
	{ true, MEMBERS, LATE, "WDCK", PROPOSED },
	{ true, MEMBERS, LEAVES, "WD", PROPOSED },
	{ true, NODES, TAKES, "WA", DONE },
	{ true, NODES, FAILS, "WRNA", DONE },
	{ true, NODES, LATE, "WDCK", DONE },
	{ true, NODES, LEAVES, "WD", DONE },
	{ true, PEER, TAKES, "PA", DONE },
	{ true, PEER, FAILS, "PRNA", DONE },
	{ true, PEER, LATE, "PDCK", DONE },
	{ true, PEER, LEAVES, "PD", DONE },
};

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(settings_come_into_effect_by_guarantee_and_disk)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		r.is_quorum = row->is_quorum;
		play(row->origin, row->disk);
		if (strcmp(said, row->said) != 0)
			fail_msg("row %zu: %s, not %s", i, said, row->said);
		if (row->origin < ORIGINS_ASKED)
			assert_int_equal(r.ends[row->origin], row->end);
		stage_strike(&s);
		enter(state);
	}
}

/* Bits of struct proposal. */
#define NOW      (1u << CHANGE_NOW)
#define START    (1u << CHANGE_RESTART)
#define CLUSTER  (1u << CHANGE_CLUSTER)
#define IDENTITY (1u << CHANGE_IDENTITY)

static const struct {
	enum rollout_origin origin;
	uint32_t config_version; /* 3 is in effect */
	unsigned changes;
	enum proposal_end component, quorum;
} judged[] = {
	{ FILE_, 3, 0, NOTHING, NOTHING },
	{ FILE_, 3, NOW, DONE, DONE },
	{ FILE_, 3, NOW | START, RESTART, RESTART },
	{ FILE_, 3, CLUSTER | START, PROPOSAL_CLUSTER, PROPOSAL_CLUSTER },
	{ FILE_, 4, CLUSTER, PROPOSED, PROPOSED },
	{ FILE_, 4, CLUSTER | START, RESTART, RESTART },
	{ FILE_, 4, CLUSTER | IDENTITY, PROPOSAL_ALIEN, PROPOSAL_ALIEN },
	{ FILE_, 3 + CONFIG_VERSION_STEP_MAX, CLUSTER, PROPOSED, PROPOSED },
	{ FILE_, 4 + CONFIG_VERSION_STEP_MAX, CLUSTER, PROPOSAL_WRONG,
	    PROPOSAL_WRONG },
	{ MEMBERS, 4, CLUSTER, PROPOSED, PROPOSED },
	{ MEMBERS, 4 + CONFIG_VERSION_STEP_MAX, CLUSTER, PROPOSED, PROPOSED },
};

static enum proposal_end
judge(enum rollout_origin origin, uint32_t config_version, unsigned changes)
{
	const struct proposal p = {
		.origin = origin,
		.has_document = true,
		.running.config_version = 3,
		.wanted.config_version = config_version,
		.changes = changes,
		.setup = &s.setups[0],
	};

	return proposal_judge(&r, s.nodes[0], s.now, &p);
}

CASE(proposal_is_judged_by_what_it_changes)
{
	for (size_t i = 0; i < sizeof(judged) / sizeof(judged[0]); i++) {
		r = (struct rollout){ .is_quorum = false };
		assert_int_equal(
		    judge(judged[i].origin, judged[i].config_version,
			judged[i].changes),
		    judged[i].component);
		r = (struct rollout){ .is_quorum = true };
		assert_int_equal(
		    judge(judged[i].origin, judged[i].config_version,
			judged[i].changes),
		    judged[i].quorum);
		assert_int_equal(r.ends[judged[i].origin], judged[i].quorum);
		assert_int_equal(r.has_file,
		    judged[i].origin == FILE_ && judged[i].quorum == PROPOSED);
	}
}

/* The next start uses them. */
CASE(host_that_ends_takes_no_proposal)
{
	node_stop(s.nodes[0], s.now);
	assert_int_equal(judge(FILE_, 4, CLUSTER), RESTART);
	assert_int_equal(judge(FILE_, 3, NOW), RESTART);
	assert_int_equal(judge(FILE_, 3, 0), NOTHING);
	assert_false(r.has_file);
}

CASE(proposal_that_no_leader_would_take_is_refused_at_once)
{
	struct node_setup wanted = s.setups[0];
	struct proposal p = {
		.origin = MEMBERS,
		.has_document = true,
		.running.config_version = 3,
		.wanted.config_version = 4,
		.changes = CLUSTER,
		.setup = &wanted,
	};

	wanted.peers_count = 0;
	assert_int_equal(
	    proposal_judge(&r, s.nodes[0], s.now, &p), PROPOSAL_TOO_FAR);
	assert_int_equal(r.ends[MEMBERS], PROPOSAL_TOO_FAR);
	r.is_quorum = false;
	assert_int_equal(proposal_judge(&r, s.nodes[0], s.now, &p), PROPOSED);
	r.is_quorum = true;
	p.setup = NULL;
	assert_int_equal(
	    proposal_judge(&r, s.nodes[0], s.now, &p), PROPOSAL_FAILED);
}

/* The operator that asked would read the settings before. */
CASE(operator_waits_for_the_disk_where_no_leader_decides)
{
	r.is_quorum = false;
	assert_int_equal(judge(FILE_, 4, CLUSTER), PROPOSED);
	assert_true(proposal_waits(&r, FILE_));
	assert_false(proposal_waits(&r, MEMBERS));
	play(FILE_, TAKES);
	assert_false(proposal_waits(&r, FILE_));
	r.is_quorum = true;
	assert_int_equal(judge(FILE_, 5, CLUSTER), PROPOSED);
	assert_false(proposal_waits(&r, FILE_));
}

/* The change waits for the disk, but is not lost. */
CASE(change_of_an_operator_waits_for_a_write)
{
	struct config_id config_id = s.setups[0].config_id;

	r.is_quorum = false;
	rollout_keep(&r, ORIGIN_DISK, &config_id);
	assert_false(rollout_is_under_way(&r, s.nodes[0]));
	assert_int_equal(judge(MEMBERS, 4, CLUSTER), PROPOSED);
	config_id.config_version++;
	config_id.config_term = 0;
	rollout_propose(&r, s.nodes[0], MEMBERS, &config_id, NULL, 0);
	assert_true(rollout_is_under_way(&r, s.nodes[0]));
	assert_int_equal(
	    rollout_next(&r, s.nodes[0], s.now, NULL).act, ROLLOUT_WAIT);
	assert_int_equal(
	    rollout_kept(&r, s.nodes[0], s.now, true), ROLLOUT_KEPT);
	assert_int_equal(
	    rollout_next(&r, s.nodes[0], s.now, NULL).which, ROLLOUT_PROPOSED);
}

/* A file that is read for its keys alone must not cost the change. */
CASE(file_withdraws_no_change_of_an_operator)
{
	struct config_id config_id = s.setups[0].config_id;

	config_id.config_version++;
	config_id.config_term = 0;
	rollout_propose(&r, s.nodes[0], MEMBERS, &config_id, quorum_document(4),
	    QUORUM_DOCUMENT);
	assert_int_equal(judge(FILE_, 3, NOW), DONE);
	assert_true(rollout_is_proposing(&r, s.nodes[0]));
	r.proposer = FILE_;
	assert_int_equal(judge(FILE_, 3, NOW), DONE);
	assert_false(rollout_is_proposing(&r, s.nodes[0]));
}
