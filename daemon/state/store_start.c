/* SPDX-License-Identifier: ISC */
#include "daemon/state/store_start.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_document.h"
#include "daemon/state/kept_config.h"
#include "daemon/state/state_dir.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

/* Why a vote must not rely on the state. */
static const char *
vote_problem(const struct store_finding *found)
{
	if (found->problem != NULL)
		return found->problem;
	if (found->slot.is_doubtful)
		return "made by a node without a vote in place of a damaged one, which may have held promises";
	if (!found->slot.is_complete)
		return "made by a node without a vote: an observer, or under guarantee = \"component\"";
	return "an old copy";
}

static enum state_health
health_of(const struct settings *s, const struct store_finding *found)
{
	const struct config_id now = config_identify(&s->shared);

	return durable_found(&found->slot.durable,
	    found->problem == NULL && found->slot.is_complete, &now);
}

/* Which settings are missing, and what to do. */
static void
changed_text(const struct store_finding *found, char text[STATE_TEXT_MAX])
{
	const struct config_id *had = &found->slot.durable.config_id;

	snprintf(text, STATE_TEXT_MAX,
	    "this node has voted by settings of config version %" PRIu32
	    ", config term %" PRIu64
	    ", which are kept here no more; it votes again once it has got them, or later ones, from another node",
	    had->config_version, had->config_term);
}

/* Why the node has no vote, and what it waits for. */
static void
lack_text(const struct store_finding *found, enum state_health health,
    char text[STATE_TEXT_MAX])
{
	if (health == STATE_HEALTH_CHANGED)
		changed_text(found, text);
	else
		snprintf(text, STATE_TEXT_MAX,
		    "%s; it waits for a leader that leads without it (before the first start of a cluster, electd --init-cluster makes the file: see STATE in electd(8))",
		    vote_problem(found));
}

bool
store_lacks_vote(const struct settings *s, char text[STATE_TEXT_MAX])
{
	/* The content of a directory that does not exist yet. */
	static const struct store_finding nothing = { .problem = "missing" };
	const struct store_finding *found = &nothing;
	struct store *store = NULL;
	enum state_health health;
	int error = store_look(s->state_dir, s->shared.cluster, s->id, &store);

	if (error != 0 && error != -ENOENT) {
		snprintf(text, STATE_TEXT_MAX, "%s", strerror(-error));
		return true;
	}
	if (error == 0)
		found = store_found(store);
	health = health_of(s, found);
	if (health != STATE_HEALTH_SOUND)
		lack_text(found, health, text);
	store_close(store);
	return health != STATE_HEALTH_SOUND;
}

enum state_health
store_judge(const struct settings *s, const struct store *store)
{
	const struct store_finding *found = store_found(store);
	enum state_health health = health_of(s, found);
	char text[STATE_TEXT_MAX];

	if (health == STATE_HEALTH_SOUND)
		return health;
	lack_text(found, health, text);
	log_errorx(
	    "state %s/%s: this node does not vote yet, nor stands for election: %s",
	    s->state_dir, store_name(store), text);
	return health;
}

/* The first state, or that of a node that has lost its own. */
static struct durable_state
first_state(void)
{
	return (struct durable_state){ .incarnation =
					   incarnation_anew(clock_wall()) };
}

/* The configuration of the settings, as the state is to have it. */
static struct config_id
config_id_now(const struct settings *s, const struct store_finding *found)
{
	const struct config_id config_id = config_identify(&s->shared);

	return config_id_in_place(&config_id, &found->slot.durable.config_id);
}

/* Makes the state durable before the node sends its first datagram. */
static int
recall_for_quorum(
    const struct settings *s, struct node_setup *setup, struct store *store)
{
	const struct store_finding *found = store_found(store);
	int error;

	setup->state_health = store_judge(s, store);
	if (setup->state_health == STATE_HEALTH_LOST) {
		setup->durable = first_state();
		return 0;
	}
	setup->durable = found->slot.durable;
	setup->durable.incarnation =
	    incarnation_after(setup->durable.incarnation, true);
	if (setup->durable.lease < s->shared.timing.lease)
		setup->durable.lease = s->shared.timing.lease;
	if (setup->state_health == STATE_HEALTH_SOUND)
		setup->durable.config_id = config_id_now(s, found);
	error = store_write(store, &setup->durable);
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
	const struct config_id now = config_identify(&s->shared);
	int error;

	setup->state_health = STATE_HEALTH_SOUND;
	setup->durable = found->slot.durable;
	setup->durable.incarnation =
	    incarnation_after(setup->durable.incarnation,
		s->shared.guarantee == GUARANTEE_QUORUM);
	if (s->shared.guarantee == GUARANTEE_QUORUM &&
	    config_id_compare(&now, &setup->durable.config_id) > 0)
		setup->durable.config_id = now;
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
	return s->shared.guarantee == GUARANTEE_QUORUM &&
	       config_find(&s->shared, s->id)->role != ROLE_OBSERVER;
}

int
store_recall(
    const struct settings *s, struct node_setup *setup, struct store **store)
{
	char text[STATE_DIR_TEXT_MAX];
	struct store *opened;
	int error = store_open(s->state_dir, s->shared.cluster, s->id, &opened);

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

/* Prints why the existing file is left as it is. */
static int
init_refuse(const struct settings *s, const struct store *store)
{
	const struct store_finding *found = store_found(store);
	enum state_health health = health_of(s, found);
	char text[STATE_TEXT_MAX];

	fprintf(stderr, "electd: %s/%s: ", s->state_dir, store_name(store));
	if (health == STATE_HEALTH_CHANGED)
		changed_text(found, text);
	if (health == STATE_HEALTH_SOUND)
		fputs(
		    "it exists already and is sound: nothing to do\n", stderr);
	else if (health == STATE_HEALTH_CHANGED)
		fprintf(stderr, "left as it is: %s\n", text);
	else
		fprintf(stderr,
		    "%s; left as it is.\n"
		    "Start electd: a leader that leads without this node gives it a new file, and its vote.\n"
		    "If no majority of the voters is left for that, see STATE in electd(8).\n",
		    vote_problem(found));
	return health == STATE_HEALTH_SOUND ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void
init_print(const struct settings *s, const struct store *store, uint64_t term)
{
	const struct config_id config_id = config_identify(&s->shared);
	uint64_t floor = config_id_floor(&config_id);

	printf(
	    "made %s/%s: node %s of cluster %s votes from its next start; a new cluster begins above term %" PRIu64
	    ", one that has a leader goes on in its own terms\n",
	    s->state_dir, store_name(store),
	    config_find(&s->shared, s->id)->name, s->shared.cluster,
	    term > floor ? term : floor);
}

/* True if the state may be trusted, and the host's file is later than its
 * configuration. */
static bool
init_may_adopt(const struct settings *s, const struct store_finding *found)
{
	return found->problem == NULL && found->slot.is_complete &&
	       !found->slot.durable.is_revoked &&
	       s->shared.config_version >
		   found->slot.durable.config_id.config_version;
}

/* Puts the host's file in the place of the configuration that the node has
 * voted by. All promises stay. */
static int
init_adopt(const struct settings *s, struct store *store)
{
	struct durable_state state = store_found(store)->slot.durable;
	size_t size;
	uint8_t *document = settings_document(s, &size);
	int error =
	    document == NULL ? -ENOMEM : kept_config_write(s, document, size);

	free(document);
	state.config_id = config_id_now(s, store_found(store));
	if (error == 0)
		error = store_write(store, &state);
	if (error != 0) {
		fprintf(
		    stderr, "electd: %s: %s\n", s->state_dir, strerror(-error));
		return EXIT_FAILURE;
	}
	printf("%s/%s: config version %" PRIu32
	       " takes the place of config version %" PRIu32
	       "; do this on every host while all daemons are stopped\n",
	    s->state_dir, store_name(store), s->shared.config_version,
	    store_found(store)->slot.durable.config_id.config_version);
	return EXIT_SUCCESS;
}

/*
 * A file made under component holds no promises, unless it replaced a damaged
 * file, which may have held some. This keeps its incarnation and its term.
 */
static int
init_make(const struct settings *s, struct store *store)
{
	const struct store_finding *found = store_found(store);
	bool is_component = found->problem == NULL &&
			    !found->slot.is_complete &&
			    !found->slot.is_doubtful;
	struct durable_state state = first_state();
	int error;

	if (is_component) {
		state.incarnation = found->slot.durable.incarnation;
		state.term = found->slot.durable.term;
	} else if (init_may_adopt(s, found)) {
		return init_adopt(s, store);
	} else if (!store_is_missing(store)) {
		return init_refuse(s, store);
	}
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

	if (s->shared.guarantee != GUARANTEE_QUORUM) {
		fputs(
		    "electd: --init-cluster is not needed under guarantee = \"component\": electd creates its state file itself\n",
		    stderr);
		return EXIT_FAILURE;
	}
	error = sodium_init() < 0 ? -EIO : state_dir_prepare(s, &dir);
	if (error == 0)
		error =
		    store_open(s->state_dir, s->shared.cluster, s->id, &store);
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
