/* SPDX-License-Identifier: ISC */
/*
 * Which promises a voter gives, and when it grants, as time passes
 * (PROTOCOL.md, Voter; PROTOCOL.md, Early promises). test_voter_table.c has the
 * answer to one request.
 *
 * A trace has a step in each line, at a time in milliseconds:
 *
 *   TIME STEP [WHAT=VALUE ...]
 *
 * A step is OWNER TERM [prevote] ANSWER, a request, where the answer is
 * "pending", "granted" or the name of a denial; "kept", the promise is durable;
 * "release OWNER TERM"; "yields", the holder hands over; "stays", it does not;
 * "restart"; "new" and "new-quarantined", a voter that has promised nothing.
 * What is checked afterwards: "promised" and "wait" of the answer, "promise",
 * "early", "kept", "released", "holder", "held" (its term) and "guard" (when it
 * ends) of the voter, and "freed", whether a release let the voter go.
 */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "common/quorum/voter.h"

#define LEASE (2000 * MSEC)
#define START (10 * SEC) /* time 0 of a trace */

/* The voter and all nominees have this configuration. */
static const struct config_id SAME = { .config_version = 3 };

static const struct {
	const char *name;
	struct owner owner;
} owners[] = {
	{ "A", { .id = 1, .incarnation = 10 } },
	{ "A-later", { .id = 1, .incarnation = 11 } }, /* a later life of A's */
	{ "A-earlier", { .id = 1, .incarnation = 9 } }, /* and an earlier one */
	{ "B", { .id = 2, .incarnation = 20 } },        /**/
	{ "B-as-A", { .id = 2, .incarnation = 10 } }, /* with A's incarnation */
	{ "C", { .id = 3, .incarnation = 30 } },      /**/
	{ "none", { .id = NODE_NONE } }               /**/
};

static struct voter v;
static struct vote_response vote; /* the last answer */
static bool is_freed;             /* what voter_release() said last */
static const char *line;          /* the step that is taken, for messages */

static void
must(bool holds, const char *what)
{
	if (!holds)
		fail_msg("\"%.*s\": %s", (int)strcspn(line, "\n"), line, what);
}

static struct owner
owner_of(const char *name)
{
	for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++)
		if (strcmp(owners[i].name, name) == 0)
			return owners[i].owner;
	must(false, "no such owner");
	return (struct owner){ 0 };
}

static uint64_t
number_of(const char *text)
{
	char *end;
	uint64_t number = strtoull(text, &end, 10);

	must(end != text && *end == '\0', "no number");
	return number;
}

static void
check(char *what)
{
	char *value = strchr(what, '=');
	uint64_t is;

	must(value != NULL, "no check");
	*value++ = '\0';
	if (strcmp(what, "holder") == 0) {
		must(v.holder.id == owner_of(value).id, "another holder");
		return;
	}
	is = strcmp(what, "promised") == 0   ? vote.promised
	     : strcmp(what, "wait") == 0     ? vote.wait_ms
	     : strcmp(what, "promise") == 0  ? v.promise.term
	     : strcmp(what, "early") == 0    ? v.promise.is_early
	     : strcmp(what, "kept") == 0     ? v.is_kept
	     : strcmp(what, "released") == 0 ? v.is_released
	     : strcmp(what, "freed") == 0    ? is_freed
	     : strcmp(what, "held") == 0     ? v.holder_term
	     : strcmp(what, "guard") == 0
		 ? (uint64_t)(v.guard_until - START) / MSEC
		 : UINT64_MAX;
	must(is == number_of(value), what);
}

static const char *
request(nsec_t now, const char *name, uint64_t term, bool is_prevote)
{
	const struct vote_request r = {
		.term = term,
		.sent = now + 12345,
		.is_prevote = is_prevote,
		.lease = LEASE,
		.config_id = SAME,
	};

	if (voter_answer(&v, now, owner_of(name), &r, &vote) == REQUEST_PENDING)
		return "pending";
	must(vote.term == term && vote.sent == r.sent &&
		 vote.is_prevote == is_prevote,
	    "answers another request");
	return vote.denial == DENIAL_NONE ? "granted"
					  : denial_name(vote.denial);
}

static void
take(nsec_t now, char *step, char **rest)
{
	struct promise promise = { 0 };

	if (strcmp(step, "kept") == 0) {
		voter_kept(&v);
	} else if (strcmp(step, "yields") == 0 || strcmp(step, "stays") == 0) {
		v.is_yielding = *step == 'y';
	} else if (strcmp(step, "release") == 0) {
		struct owner owner = owner_of(strtok_r(NULL, " ", rest));

		is_freed = voter_release(
		    &v, owner, number_of(strtok_r(NULL, " ", rest)));
	} else if (strcmp(step, "restart") == 0) {
		promise = v.promise;
		voter_init(&v, &promise, true, LEASE, &SAME, now + LEASE);
	} else if (strcmp(step, "new") == 0) {
		voter_init(&v, &promise, true, LEASE, &SAME, 0);
	} else if (strcmp(step, "new-quarantined") == 0) {
		voter_init(&v, &promise, true, LEASE, &SAME, now + LEASE);
	} else {
		uint64_t term = number_of(strtok_r(NULL, " ", rest));
		char *wanted = strtok_r(NULL, " ", rest);
		bool is_prevote = strcmp(wanted, "prevote") == 0;
		const char *answer = request(now, step, term, is_prevote);

		if (is_prevote)
			wanted = strtok_r(NULL, " ", rest);
		must(strcmp(answer, wanted) == 0, answer);
	}
	voter_check(&v);
}

static void
trace(const char *text)
{
	for (line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
		char copy[120] = { 0 }, *rest, *word;
		nsec_t now;

		assert_true(strcspn(line, "\n") < sizeof(copy));
		memcpy(copy, line, strcspn(line, "\n"));
		now = START + number_of(strtok_r(copy, " ", &rest)) * MSEC;
		take(now, strtok_r(NULL, " ", &rest), &rest);
		while ((word = strtok_r(NULL, " ", &rest)) != NULL)
			check(word);
	}
}

/* A gets term 5 at time 0: its lease may run until 2000. */
#define HELD                                                                   \
	"0 new\n"                                                              \
	"0 A 5 pending\n"                                                      \
	"0 kept\n"                                                             \
	"0 A 5 granted holder=A held=5 guard=2000\n"

/* The guard counts from after the sync, not from the first request. */
TEST(guard_counts_from_the_grant)
{
	trace("0 new\n"
	      "0 A 5 pending holder=none\n"
	      "1000 A 5 pending holder=none\n"
	      "1000 kept\n"
	      "3000 A 5 granted holder=A\n"
	      "4999 B 6 held\n"
	      "5000 B 6 pending\n");
}

TEST(each_renewal_moves_the_guard)
{
	trace(HELD "100 A 5 granted guard=2100 kept=1\n"
		   "200 A 5 granted guard=2200 kept=1\n"
		   "2100 A 5 granted guard=4100 kept=1\n"
		   "4099 B 6 held\n"
		   "4100 B 6 pending\n");
}

TEST(higher_request_replaces_a_pending_promise)
{
	trace("0 new\n"
	      "0 A 5 pending\n"
	      "0 B 6 pending promise=6\n"
	      /* The voter denies nobody by a promise that it may forget. */
	      "0 A 5 pending promise=6\n"
	      "0 kept\n"
	      "0 A 5 promised\n"
	      "0 B 6 granted\n"
	      "0 A 7 held\n");
}

TEST(holder_goes_on_to_a_later_term_while_its_lease_runs)
{
	trace(HELD "1000 A 9 pending\n"
		   "1000 kept\n"
		   "1000 A 9 granted\n"
		   "1000 A 5 promised\n"
		   "2999 B 10 held\n"
		   "3000 B 10 pending\n");
}

/* The lease runs on while the later term is being written. */
TEST(guard_of_the_earlier_term_holds_while_the_later_is_pending)
{
	trace(HELD "1000 A 9 pending\n"
		   "1999 B 10 held\n"
		   "2000 B 10 pending\n");
}

/* B's promise replaces A's, but B has not been granted yet: A's guard. */
TEST(pending_promise_of_another_frees_nobody)
{
	trace(HELD "2000 B 6 pending\n"
		   "2000 A 5 pending\n"
		   "2000 release A 5\n"
		   "2000 kept\n"
		   "2000 B 6 granted\n"
		   "2000 release A 5\n"
		   "2000 A 7 held\n"
		   "2000 B 6 granted\n");
}

/* Only A's word, as this very process, counts; not of an earlier term. */
TEST(releases_that_are_not_the_holders_change_nothing)
{
	trace(
	    HELD "0 release B 5\n"
		 "0 release A-later 5\n"
		 "0 release A-earlier 5\n"
		 "0 release A 4\n"
		 "0 release B-as-A 9\n"
		 "0 B 6 held promise=5 kept=1 released=0 holder=A guard=2000\n"
		 "0 A 5 granted\n");
}

/* A release covers every term up to its own. */
TEST(release_of_a_later_term_covers_the_earlier)
{
	trace(HELD "0 release A 8\n"
		   "0 A 5 promised\n"
		   "0 B 6 pending\n");
}

/* A late release of a term before the present one. */
TEST(release_of_the_earlier_term_leaves_the_later)
{
	trace(HELD "1000 A 9 pending\n"
		   "1000 kept\n"
		   "1000 A 9 granted\n"
		   "1000 release A 5\n"
		   "1000 B 10 held\n"
		   "1000 A 9 granted\n");
}

/* The owner gives up while its promise is being written. */
TEST(promise_released_before_it_is_durable_is_never_granted)
{
	trace("0 new\n"
	      "0 A 5 pending\n"
	      "0 release A 5\n"
	      "0 kept\n"
	      "0 A 5 promised\n"
	      "0 B 6 pending\n"
	      "0 kept\n"
	      "0 B 6 granted\n");
}

/* A restart knows no releases: the quarantine guards every earlier grant. */
TEST(quarantine_lets_its_owner_go_and_then_others_in)
{
	trace(HELD "0 restart kept=1 holder=none\n"
		   "0 A 5 granted\n"
		   "1000 B 6 quarantine\n"
		   /* A's renewed lease outlives the quarantine. */
		   "1000 A 5 granted\n"
		   "2000 B 6 held\n"
		   "3000 B 6 pending\n");
}

/* Nothing was promised, but a grant may be lost with the durable state. */
TEST(quarantine_without_a_promise_is_for_all)
{
	trace("0 new-quarantined\n"
	      "0 A 1 quarantine\n"
	      "0 B 6 quarantine\n"
	      "2000 B 6 pending\n");
}

/* A hands over, and leads. */
#define YIELDING HELD "1000 yields\n"

/* The voter has promised term 6 to B, durably. */
#define PROMISED YIELDING "1000 B 6 pending\n1000 kept\n"

TEST(prevote_of_the_successor_is_granted)
{
	trace(YIELDING "1000 B 6 prevote granted promise=5 kept=1\n"
		       "1000 stays\n"
		       "1000 B 6 prevote held\n");
}

TEST(successor_gets_a_durable_promise_and_a_denial)
{
	trace(YIELDING "1000 B 6 pending early=1 promise=6 kept=0\n"
		       "1000 B 6 pending\n"
		       "1000 kept\n"
		       "1000 B 6 held promised=6 wait=1000 holder=A held=5\n");
}

TEST(nothing_is_promised_early_while_the_holder_stays)
{
	trace(YIELDING "1000 stays\n"
		       "1000 B 6 held promise=5 kept=1\n");
}

TEST(successor_is_granted_when_the_holder_gives_up)
{
	trace(PROMISED "1000 B 6 held\n"
		       "1000 release A 5 freed=1\n"
		       /* Without another write. */
		       "1000 B 6 granted holder=B held=6 early=0 guard=3000\n");
}

TEST(successor_is_granted_when_the_guard_is_over)
{
	trace(PROMISED "1999 B 6 held early=1\n"
		       "2000 B 6 granted early=0\n");
}

/* The holder gives up before the disk is done. */
TEST(grant_waits_for_a_promise_that_is_being_written)
{
	trace(YIELDING "1000 B 6 pending\n"
		       "1000 release A 5 freed=1\n"
		       "1000 B 6 pending holder=none\n"
		       "1000 kept\n"
		       "1000 B 6 granted\n");
}

/* The denial renews nothing. */
TEST(holder_is_denied_by_the_promise_to_its_successor)
{
	trace(PROMISED "1000 A 5 promised promised=6 guard=2000 holder=A\n");
}

/* The voter may forget what is not durable: the holder leads on. */
TEST(holder_is_not_denied_before_that_promise_is_durable)
{
	trace(YIELDING "1000 B 6 pending\n"
		       "1000 A 5 pending\n"
		       "1000 kept\n"
		       "1000 A 5 promised\n");
}

/* The holder was elected once more, above the successor. */
TEST(holder_takes_a_later_term_from_its_successor)
{
	trace(PROMISED "1000 A 7 pending\n"
		       "1000 kept\n"
		       "1000 A 7 granted early=0 held=7\n"
		       "1000 B 6 promised\n");
}

TEST(later_request_replaces_an_early_promise)
{
	trace(PROMISED "1000 C 8 pending\n"
		       "1000 kept early=1\n"
		       "1000 B 6 promised\n"
		       "1000 C 8 held\n"
		       /* A releases its own terms only. */
		       "1000 release A 5 freed=1 released=0\n"
		       "1000 B 6 promised\n"
		       "1000 C 8 granted\n");
}

TEST(successor_that_gives_up_frees_no_voter_from_the_holder)
{
	trace(PROMISED "1000 release B 6 freed=0 released=1\n"
		       "1000 B 6 promised\n"
		       "1000 stays\n"
		       "1000 C 7 held holder=A\n");
}

/* The voter has forgotten which owner it granted: that one may still lead. */
TEST(restart_with_an_early_promise_grants_no_other)
{
	trace(PROMISED "1000 restart\n"
		       "1000 B 6 quarantine\n"
		       "1000 B 7 quarantine\n"
		       "1000 A 5 quarantine\n"
		       "2999 B 6 quarantine\n"
		       "3000 C 6 promised\n"
		       "3000 B 6 granted\n");
}

/* The owner that was granted the term may lead; nobody else may. */
TEST(restart_after_the_grant_lets_its_owner_in)
{
	trace(PROMISED "1000 release A 5\n"
		       "1000 B 6 granted\n"
		       "1000 restart\n"
		       "1000 B 6 granted\n"
		       "1000 A 7 quarantine\n");
}
