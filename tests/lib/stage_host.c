/* SPDX-License-Identifier: ISC */
#include "tests/lib/stage_host.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/node_setup.h"
#include "daemon/state/kept_config.h"
#include "daemon/system/rights/key.h"
#include "tests/lib/slurp.h"
#include "tests/lib/stage_view.h"

#define KEPT "web-2.settings"

struct stage_host host;

static uint64_t (*begin_operation)(
    void *context, const struct operation *operation);

static void
say(char letter)
{
	size_t size = strlen(host.said);

	assert_true(size + 1 < sizeof(host.said));
	host.said[size] = letter;
	host.said[size + 1] = '\0';
}

static bool
is_on_disk(const uint8_t *document, size_t size)
{
	return host.on_disk != NULL && size == host.on_disk_size &&
	       memcmp(document, host.on_disk, size) == 0;
}

static void
observe(void)
{
	const struct config_id is = *node_config_id(host.e.node);
	bool was_unkept = host.is_unkept;
	uint8_t *document;
	size_t size;

	if (kept_config_read(host.e.settings, &document, &size) == 0) {
		if (!is_on_disk(document, size))
			say('K');
		free(host.on_disk);
		host.on_disk = document;
		host.on_disk_size = size;
	}
	host.is_unkept = host.view.unkept(host.view.context) != 0;
	if (host.is_unkept && !was_unkept)
		say('F');
	if (!config_id_equal(&is, &host.in_effect))
		say('E');
	host.in_effect = is;
}

void
host_perform(struct electd *e)
{
	host.s.nodes[0] = e->node;
	stage_perform(&host.s, 0);
}

void
host_notify(void)
{
	host.is_notified = true;
	observe();
}

static char *
conf(const struct cluster *cluster, uint32_t config_version)
{
	char *text;

	assert_true(asprintf(&text,
			"cluster = \"web\"; guarantee = \"%s\"; "
			"config_version = %u; state_dir = \"./\"; "
			"security = { key_file = \"./key\"; }; %s",
			cluster->guarantee, (unsigned)config_version,
			cluster->rest) > 0);
	return text;
}

void
host_write(const struct cluster *cluster, uint32_t config_version)
{
	char *text = conf(cluster, config_version);

	write_private("conf", text);
	free(text);
}

void
host_write_key(const char *begin)
{
	uint8_t key[KEY_BYTES] = { 0 };
	char text[KEY_TEXT_MAX];

	memcpy(key, begin, strlen(begin));
	sodium_bin2base64(text, sizeof(text), key, sizeof(key),
	    sodium_base64_VARIANT_ORIGINAL);
	write_private("key", text);
}

struct settings *
host_parse(const struct cluster *cluster, uint32_t config_version)
{
	char *text = conf(cluster, config_version);
	struct settings *settings = settings_parse("test", text, 2, stderr);

	assert_non_null(settings);
	free(text);
	return settings;
}

/* Adds a node to settings, which are taken. */
static struct settings *
add(struct settings *settings, node_id id, const char *address)
{
	const struct member_change change = { .id = id, .address = address };
	char *errors = NULL;
	struct settings *next =
	    settings_change_member(settings, &change, &errors);

	assert_non_null(next);
	settings_free(settings);
	return next;
}

/* The settings by which the host starts. */
static struct settings *
first_settings(const struct cluster *cluster)
{
	struct settings *settings = host_parse(cluster, 3);
	char why[DISCOVERY_TEXT_MAX];

	if (discovery_lacks_self(settings))
		assert_int_equal(discovery_complete(settings, why), 0);
	if (settings->shared.nodes_count > 1)
		return settings;
	settings = add(settings, 1, "192.0.2.1:7420");
	return add(settings, 3, "192.0.2.3:7420");
}

/* The node is by the settings, but for its key and what it remembers. */
static void
start_node(void)
{
	struct electd *e = &host.e;
	struct stage *s = &host.s;
	struct node_setup *setup =
	    node_setup_whole(e->settings, 2, &e->document);

	assert_non_null(setup);
	quorum_set(s);
	setup->keys = s->setups[0].keys;
	setup->durable = s->setups[0].durable;
	memcpy(setup->entropy, s->setups[0].entropy, sizeof(setup->entropy));
	s->setups[0] = *setup;
	s->members[0].config_id = setup->config_id;
	s->members[0].exchanges = true;
	s->is_granting = true;
	quorum_begin(s, 5 * SEC);
	e->node = s->nodes[0];
	e->rules = node_will_rules(setup);
	node_setup_free(setup);
}

/* A socket to any port, as nobody is to be reached by it. */
static void
open_socket(struct settings *settings)
{
	char listen[ADDRESS_MAX_BYTES];

	memcpy(listen, settings->listen, sizeof(listen));
	strcpy(settings->listen, "127.0.0.1:0");
	host.e.udp = udp_new(settings, 2);
	assert_non_null(host.e.udp);
	memcpy(settings->listen, listen, sizeof(listen));
}

static uint64_t
begin(void *context, const struct operation *operation)
{
	uint64_t number;

	host.is_acting = true;
	number = begin_operation(context, operation);
	host.is_acting = false;
	return number;
}

void
host_begin(const struct cluster *cluster, struct settings *file)
{
	struct electd *e = &host.e;

	host = (struct stage_host){ .disk = TAKES };
	e->settings = first_settings(cluster);
	e->self = 2;
	e->changes.path = "conf";
	host_write_key("key");
	start_node();
	open_socket(e->settings);
	health_init(&e->health, e->settings);
	e->snapshotter = snapshotter_new();
	e->helper = helper_new(e->settings, &e->rules, e->udp);
	assert_true(e->snapshotter != NULL && e->helper != NULL);
	assert_true(changes_begin(e, NODE_NONE, file));
	assert_true(view_open(e));
	begin_operation = host.view.begin;
	host.view.begin = begin;
	host.in_effect = *node_config_id(e->node);
}

void
host_begin_stamped(const struct cluster *cluster)
{
	host_begin(cluster, NULL);
	host_pass(2);
	host.said[0] = '\0';
}

void
host_end(void)
{
	struct electd *e = &host.e;

	changes_end(&e->changes);
	snapshotter_free(e->snapshotter);
	helper_free(e->helper, true);
	udp_free(e->udp);
	stage_strike(&host.s);
	settings_free(e->settings);
	free(e->document);
	free(host.on_disk);
	free(host.told);
	unlink("conf");
	unlink("key");
	unlink(KEPT);
}

/* The client looks whether it is answered. */
static void
serve(void)
{
	json_t *answer = NULL;

	if (host.e.is_ended || !host.is_notified ||
	    !pending_request_is_over(&host.pending, &host.view, &answer))
		return;
	host.pending.kind = PENDING_NONE;
	host.told = json_dumps(answer, JSON_COMPACT);
	json_decref(answer);
	say('T');
}

void
host_ask(const char *line)
{
	json_t *answer = stage_ask(&host.view, true, line, &host.pending);

	host.is_notified = false;
	free(host.told);
	host.told = NULL;
	if (answer == NULL)
		return;
	host.told = json_dumps(answer, JSON_COMPACT);
	json_decref(answer);
	say('T');
}

void
host_break_disk(void)
{
	unlink(KEPT);
	assert_int_equal(mkdir(KEPT, 0700), 0);
}

void
host_mend_disk(void)
{
	rmdir(KEPT);
}

/* What happens while the disk is at it. */
static void
interrupt(void)
{
	struct electd *e = &host.e;

	if (host.disk == LEAVES && !e->is_stopping) {
		e->is_stopping = true;
		node_stop(e->node, host.s.now);
	}
	e->is_ended |= host.disk == ENDS;
}

/* True while the worker reads or writes. */
static bool
is_busy(void)
{
	return host.e.changes.rollout.is_writing ||
	       (host.pending.kind == PENDING_ANSWER &&
		   host.pending.operation == OPERATION_RELOAD &&
		   host.e.changes.reload.number < host.pending.number);
}

void
host_turn(nsec_t duration)
{
	struct electd *e = &host.e;
	struct pollfd readable = { .fd = change_worker_fd(e->changes.worker),
		.events = POLLIN };

	stage_run(&host.s, duration);
	host.is_acting = true;
	changes_list(e, host.s.now);
	changes_pursue(e);
	host.is_acting = false;
	serve();
	while (is_busy()) {
		if (e->changes.rollout.is_writing)
			interrupt();
		assert_int_equal(poll(&readable, 1, 10000), 1);
		host.is_acting = true;
		changes_on_read(e);
		host.is_acting = false;
		serve();
		observe();
	}
}

void
host_pass(unsigned pauses)
{
	for (unsigned i = 0; i < 2 * pauses && !host.e.is_ended; i++) {
		if (!host.e.is_stopping)
			quorum_move_member(
			    &host.s, node_config_id(host.e.node));
		host_turn(ROLLOUT_PAUSE / 2);
	}
}

void
assert_said(const char *expected)
{
	if (strcmp(host.said, expected) != 0)
		fail_msg("%s, not %s", host.said, expected);
}

void
assert_told(const char *part)
{
	assert_non_null(host.told);
	if (strstr(host.told, part) == NULL)
		fail_msg("%s has no %s", host.told, part);
}

void
assert_kept(void)
{
	size_t size;
	uint8_t *document = settings_document(host.e.settings, &size);

	assert_non_null(document);
	assert_true(is_on_disk(document, size));
	free(document);
}
