/* SPDX-License-Identifier: ISC */
#include "daemon/state/store_start.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

#include "daemon/state/state_dir.h"
#include "daemon/system/log.h"

/* Why a vote must not rely on the state. */
static const char *
vote_problem(const struct store_finding *found)
{
	if (found->problem != NULL)
		return found->problem;
	if (found->slot.is_doubtful)
		return "made under guarantee = \"component\" in place of a damaged one, which may have held promises";
	if (!found->slot.is_vouched)
		return "made under guarantee = \"component\"";
	return "an old copy";
}

static enum state_health
health_of(const struct settings *s, const struct store_finding *found)
{
	const struct durable_state *state = &found->slot.durable;
	struct electorate now = settings_electorate(s);

	if (found->problem != NULL || !found->slot.is_vouched)
		return STATE_HEALTH_LOST;
	if (state->is_revoked)
		return STATE_HEALTH_REVOKED;
	return electorate_admits(&state->electorate, &now)
		   ? STATE_HEALTH_SOUND
		   : STATE_HEALTH_CHANGED;
}

/* How the voters differ from those that the state concerns, and what to do. */
static void
changed_text(const struct settings *s, const struct store_finding *found,
    char text[STATE_TEXT_MAX])
{
	uint32_t had = found->slot.durable.electorate.generation;

	snprintf(text, STATE_TEXT_MAX,
	    "it concerns %s generation %" PRIu32
	    ", but the configuration has %sgeneration %" PRIu32
	    "; after a change of voters raise \"generation\" on every host, here above %" PRIu32
	    "; see CHANGING A CLUSTER in electd.conf(5)",
	    had == s->generation ? "other voters of" : "the voters of", had,
	    had == s->generation ? "the same " : "", s->generation, had);
}

bool
store_lacks_vote(const struct settings *s, char text[STATE_TEXT_MAX])
{
	struct store *store;
	enum state_health health;
	int error = store_look(s->state_dir, s->cluster, s->id, &store);

	if (error != 0) {
		snprintf(text, STATE_TEXT_MAX, "%s", strerror(-error));
		return true;
	}
	health = health_of(s, store_found(store));
	if (health == STATE_HEALTH_CHANGED)
		changed_text(s, store_found(store), text);
	else if (health != STATE_HEALTH_SOUND)
		snprintf(text, STATE_TEXT_MAX,
		    "%s; electd --init-state makes a state file, once; see STATE in electd(8)",
		    vote_problem(store_found(store)));
	store_close(store);
	return health != STATE_HEALTH_SOUND;
}

static void
advise(const struct settings *s, const struct store *store,
    enum state_health health)
{
	const struct store_finding *found = store_found(store);
	char text[STATE_TEXT_MAX];

	if (health == STATE_HEALTH_CHANGED) {
		changed_text(s, found, text);
		log_errorx(
		    "state %s/%s: this node runs, but neither votes nor stands for election: %s",
		    s->state_dir, store_name(store), text);
	} else if (store_is_missing(store) ||
		   (found->problem == NULL && !found->slot.is_vouched &&
		       !found->slot.is_doubtful))
		log_errorx(
		    "state %s/%s: %s: this node runs, but neither votes nor stands for election; if it never voted in this cluster, stop it and run electd --init-state; else see STATE in electd(8)",
		    s->state_dir, store_name(store), vote_problem(found));
	else
		log_errorx(
		    "state %s/%s: %s: this node runs, but neither votes nor stands for election; STATE in electd(8) says when it is safe to move the file away and run electd --init-state",
		    s->state_dir, store_name(store), vote_problem(found));
}

/* Makes the state durable before the node sends its first datagram. */
static int
recall_for_quorum(
    const struct settings *s, struct node_setup *setup, struct store *store)
{
	const struct store_finding *found = store_found(store);
	int error;

	setup->state_health = health_of(s, found);
	if (setup->state_health != STATE_HEALTH_SOUND)
		advise(s, store, setup->state_health);
	if (setup->state_health == STATE_HEALTH_LOST) {
		setup->durable = (struct durable_state){ .incarnation = 1 };
		return 0;
	}
	setup->durable = found->slot.durable;
	setup->durable.incarnation += INCARNATION_STRIDE;
	if (setup->durable.lease < s->timing.lease)
		setup->durable.lease = s->timing.lease;
	if (setup->state_health == STATE_HEALTH_SOUND)
		setup->durable.electorate = settings_electorate(s);
	error = store_write(store, &setup->durable);
	/* Terms of other voters mean nothing to these. */
	if (setup->state_health == STATE_HEALTH_CHANGED)
		setup->durable = (struct durable_state){
			.incarnation = setup->durable.incarnation,
		};
	if (error == 0)
		return 0;
	errno = -error;
	setup->durable.incarnation = found->slot.durable.incarnation + 1;
	log_error(
	    "state %s/%s cannot be written: this node runs, but neither votes nor stands for election until it is started again",
	    s->state_dir, store_name(store));
	setup->state_health = STATE_HEALTH_FAILED;
	return 0;
}

static int
recall_for_component(
    const struct settings *s, struct node_setup *setup, struct store *store)
{
	const struct store_finding *found = store_found(store);
	int error;

	setup->state_health = STATE_HEALTH_SOUND;
	setup->durable = found->slot.durable;
	setup->durable.incarnation++;
	if (s->guarantee == GUARANTEE_QUORUM &&
	    setup->durable.electorate.generation < s->generation)
		setup->durable.electorate = settings_electorate(s);
	if (store_is_missing(store))
		log_info("no state file yet, creating %s/%s", s->state_dir,
		    store_name(store));
	else if (found->problem != NULL)
		log_warnx("state %s/%s: %s; creating a new one", s->state_dir,
		    store_name(store), found->problem);
	if (found->problem != NULL)
		error = store_create(store, &setup->durable, false);
	else
		error = store_write(store, &setup->durable);
	if (error == 0)
		return 0;
	errno = -error;
	log_error("%s: cannot write the state of node %" PRIu32
		  ", so it cannot start",
	    s->state_dir, s->id);
	return error;
}

/* Observers promise nothing, not even under quorum. */
static bool
has_vote(const struct settings *s)
{
	return s->guarantee == GUARANTEE_QUORUM &&
	       settings_node(s, s->id)->role != ROLE_OBSERVER;
}

int
store_recall(
    const struct settings *s, struct node_setup *setup, struct store **store)
{
	char text[STATE_DIR_TEXT_MAX];
	struct store *opened;
	int error = store_open(s->state_dir, s->cluster, s->id, &opened);

	if (error != 0) {
		log_errorx("%s: cannot open the state of node %" PRIu32 ": %s",
		    s->state_dir, s->id,
		    state_dir_error(s->state_dir, error, text));
		return error;
	}
	if (state_dir_is_open_to_others(s->state_dir, text))
		log_warnx("%s", text);
	if (store_found(opened)->flaw != NULL)
		log_warnx(
		    "state %s/%s: one of its two copies is damaged (%s); using the other; check the disk",
		    s->state_dir, store_name(opened),
		    store_found(opened)->flaw);
	error = has_vote(s) ? recall_for_quorum(s, setup, opened)
			    : recall_for_component(s, setup, opened);
	if (error == 0)
		*store = opened;
	else
		store_close(opened);
	return error;
}

/*
 * The first state. Its incarnation is above all earlier ones, which peers may
 * remember, unless the node started more than once a second for years.
 */
static struct durable_state
first_state(const struct settings *s)
{
	time_t now = time(NULL);

	return (struct durable_state){
		.incarnation = now > 0 ? (uint64_t)now * INCARNATION_STRIDE : 0,
		.electorate = settings_electorate(s),
	};
}

/* Prints why the existing file is left as it is. */
static int
init_refuse(const struct settings *s, const struct store *store)
{
	const struct store_finding *found = store_found(store);
	enum state_health health = health_of(s, found);
	char text[STATE_TEXT_MAX];

	fprintf(stderr, "electd: %s/%s: ", s->state_dir, store_name(store));
	if (health == STATE_HEALTH_CHANGED)
		changed_text(s, found, text);
	if (health == STATE_HEALTH_SOUND)
		fputs(
		    "it exists already and is sound: nothing to do\n", stderr);
	else if (health == STATE_HEALTH_CHANGED)
		fprintf(stderr, "left as it is: %s\n", text);
	else
		fprintf(stderr,
		    "%s; left as it is.\n"
		    "To forget what this node promised, move the file away and run this again.\n"
		    "That is safe only once the cluster has had a leader without this node for\n"
		    "longer than the lease; see STATE in electd(8).\n",
		    vote_problem(found));
	return EXIT_FAILURE;
}

/*
 * Terms of component are no promises, but fencing may have seen them, so terms
 * of quorum must be above them. Refuses if the generation has none that high.
 */
static bool
init_takes_term(
    const struct settings *s, const struct store *store, uint64_t term)
{
	uint64_t needed = term / GENERATION_TERMS + 1;

	if (term < generation_ceiling(s->generation))
		return true;
	fprintf(stderr,
	    "electd: %s/%s: guarantee = \"component\" has used terms up to %" PRIu64
	    ", above those of generation %" PRIu32 "; left as it is.\n",
	    s->state_dir, store_name(store), term, s->generation);
	if (needed <= GENERATION_MAX)
		fprintf(stderr,
		    "Raise \"generation\" to %" PRIu64
		    " or more on every host, and run this again.\n",
		    needed);
	else
		fputs(
		    "No generation has terms above it. Move the file away and run this again; terms then start over.\n",
		    stderr);
	return false;
}

static void
init_print(const struct settings *s, const struct store *store, uint64_t term)
{
	uint64_t floor = generation_floor(s->generation);

	printf(
	    "made %s/%s: %s of cluster %s votes from its next start, in terms above %" PRIu64
	    "%s\n",
	    s->state_dir, store_name(store), settings_node(s, s->id)->name,
	    s->cluster, term > floor ? term : floor,
	    s->generation == 0
		? "; if other nodes voted in this cluster before, raise generation first"
		: "");
}

/*
 * A file made under component holds no promises, unless it replaced a damaged
 * file, which may have held some. This keeps its incarnation and its term.
 */
static int
init_make(const struct settings *s, struct store *store)
{
	const struct store_finding *found = store_found(store);
	bool is_component = found->problem == NULL && !found->slot.is_vouched &&
			    !found->slot.is_doubtful;
	struct durable_state state = first_state(s);
	int error;

	if (is_component) {
		state.incarnation = found->slot.durable.incarnation;
		state.term = found->slot.durable.term;
	} else if (!store_is_missing(store)) {
		return init_refuse(s, store);
	}
	if (!init_takes_term(s, store, state.term))
		return EXIT_FAILURE;
	error = store_create(store, &state, true);
	if (error != 0) {
		fprintf(stderr, "electd: %s/%s: %s\n", s->state_dir,
		    store_name(store), strerror(-error));
		return EXIT_FAILURE;
	}
	init_print(s, store, state.term);
	return EXIT_SUCCESS;
}

int
store_init(const struct settings *s)
{
	char text[STATE_DIR_TEXT_MAX];
	struct store *store = NULL;
	struct state_dir dir = { .is_made = false };
	int error, status;

	if (s->guarantee != GUARANTEE_QUORUM) {
		fputs(
		    "electd: --init-state is not needed under guarantee = \"component\": electd creates its state file itself\n",
		    stderr);
		return EXIT_FAILURE;
	}
	error = sodium_init() < 0 ? -EIO : state_dir_prepare(s, &dir);
	if (error == 0)
		error = store_open(s->state_dir, s->cluster, s->id, &store);
	if (error != 0) {
		fprintf(stderr, "electd: %s: %s\n", s->state_dir,
		    state_dir_error(s->state_dir, error, text));
		return EXIT_FAILURE;
	}
	status = init_make(s, store);
	store_close(store);
	fflush(stdout); /* the advice refers to what was printed */
	if (state_dir_has_other_owner(s, &dir, text))
		fprintf(stderr, "electd: %s\n", text);
	if (state_dir_is_open_to_others(s->state_dir, text))
		fprintf(stderr, "electd: %s\n", text);
	return status;
}
