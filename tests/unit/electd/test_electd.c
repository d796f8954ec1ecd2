/* SPDX-License-Identifier: ISC */
/*
 * The loop, with a socket and a helper that the test plays: whatever comes, it
 * first asks the helper whether that has said that we are dead, and then reads
 * the clock. And a document of another node, for which there is no memory.
 */
#include "tests/unit/group.h"

#include "daemon/electd/electd.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algorithms/registry.h"
#include "daemon/electd/change/reload.h"
#include "daemon/electd/electd_inside.h"
#include "daemon/system/clock.h"
#include "tests/lib/capture.h"
#include "tests/lib/stage.h"
#include "tests/lib/store_home.h"

#define KEY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"

struct udp {
	int fd;
};

struct helper {
	bool has_spoken;
	nsec_t beaten; /* when it was last asked */
};

/* The state of the process that runs the daemon. */
static struct udp udp;
static struct helper helper;
static bool acted_first;      /* the daemon acted before it asked */
static bool is_early;         /* the daemon read the clock before it asked */
static bool believed_forgery; /* it took the datagram for the peer's */
static enum coming {
	COMING_DATAGRAM,
	COMING_REFUSAL,
	COMING_CARRIER, /* there is none any more */
	COMING_STANDBY, /* an operator wants one, while a tape is saved */
} coming;

static volatile bool has_standby; /* it is on its way to the disk */
static volatile bool is_behind;   /* a tape was not, and it still waited */

static struct config_node nodes[2];
static struct settings settings;

struct udp *
udp_new(const struct settings *s, node_id self)
{
	(void)s;
	(void)self;
	udp.fd = eventfd(0, EFD_CLOEXEC);
	return udp.fd < 0 ? NULL : &udp;
}

void
udp_free(struct udp *u)
{
	close(u->fd);
}

int
udp_fd(const struct udp *u)
{
	return u->fd;
}

int
udp_group_fd(const struct udp *u)
{
	(void)u;
	return -1;
}

int
udp_links_fd(const struct udp *u)
{
	(void)u;
	return -1;
}

void
udp_hear_links(struct udp *u)
{
	(void)u;
}

const char *
udp_lacks_carrier(const struct udp *u)
{
	(void)u;
	return coming == COMING_CARRIER && helper.has_spoken ? "eth0" : NULL;
}

void
udp_send_group(struct udp *u, const uint8_t *bytes, size_t size)
{
	(void)u;
	(void)bytes;
	(void)size;
}

void
udp_join(struct udp *u, const uint8_t *bytes, size_t size)
{
	(void)u;
	(void)bytes;
	(void)size;
}

const struct sockaddr *
udp_address(const struct udp *u, unsigned peer)
{
	(void)u;
	(void)peer;
	return NULL;
}

/* A tape is saved, and then this node is to go on standby. */
static void
save_and_go_on_standby(struct electd *e)
{
	const struct standby on = { .is_on = true, .left = NSEC_NEVER };

	electd_name_tape(e, clock_now());
	recorder_save(e->recorder);
	standby_writer_ask(e->standby_writer, &on, clock_now());
}

/* While the loop is about to handle the first one, the helper speaks, and then
 * the daemon ends. */
void
udp_drain(struct udp *u, const struct udp_handler *handler, bool is_ready)
{
	(void)is_ready;
	static const uint8_t bytes[PACKET_HEAD_BYTES];

	(void)u;
	helper.has_spoken = true;
	if (coming == COMING_REFUSAL)
		handler->on_refusal(handler->context, 0);
	else if (coming == COMING_DATAGRAM)
		believed_forgery |= handler->on_datagram(
		    handler->context, 0, bytes, sizeof(bytes), clock_now());
	else if (coming == COMING_STANDBY)
		save_and_go_on_standby(handler->context);
	acted_first |=
	    (coming == COMING_DATAGRAM || coming == COMING_REFUSAL) &&
	    helper.has_spoken;
	raise(SIGTERM);
}

bool
udp_has_address(const struct udp *u, node_id id)
{
	(void)u;
	return id != NODE_NONE;
}

const char *
udp_found_at(const struct udp *u, node_id id, char text[ADDRESS_TEXT_MAX])
{
	(void)u;
	(void)id;
	(void)text;
	return NULL;
}

bool
udp_change(struct udp *u, const struct settings *s)
{
	(void)u;
	(void)s;
	return true;
}

void
udp_set_linked(struct udp *u, node_id id, bool is_linked)
{
	(void)u;
	(void)id;
	(void)is_linked;
}

const char *
udp_sender(const struct udp *u, char text[ADDRESS_TEXT_MAX])
{
	(void)u;
	(void)text;
	return "";
}

void
udp_send(struct udp *u, unsigned peer, const uint8_t *bytes, size_t size)
{
	(void)u;
	(void)peer;
	(void)bytes;
	(void)size;
}

void
udp_call(struct udp *u, unsigned peer, const uint8_t *bytes, size_t size)
{
	udp_send(u, peer, bytes, size);
}

void
udp_find(struct udp *u, unsigned peer)
{
	(void)u;
	(void)peer;
}

/* Runs after each action. */
void
udp_flush(struct udp *u)
{
	(void)u;
	acted_first |= helper.has_spoken;
}

void
udp_reply(struct udp *u, const uint8_t *bytes, size_t size)
{
	udp_send(u, 0, bytes, size);
}

struct helper *
helper_new(const struct settings *s, const struct will_rules *rules,
    const struct udp *u)
{
	(void)rules;
	(void)s;
	(void)u;
	return &helper;
}

void
helper_free(struct helper *h, bool in_order)
{
	(void)h;
	(void)in_order;
}

void
helper_begin_change(
    struct helper *h, const struct settings *s, const struct will_rules *rules)
{
	(void)h;
	(void)s;
	(void)rules;
}

void
helper_end_change(struct helper *h)
{
	(void)h;
}

void
helper_take_will(struct helper *h, const struct action *action)
{
	(void)h;
	(void)action;
}

void
helper_set_handed_out(struct helper *h, nsec_t until)
{
	(void)h;
	(void)until;
}

/* The process may be stopped here: then it is later, or the helper has spoken.
 */
bool
helper_beat(struct helper *h)
{
	bool has_spoken = h->has_spoken;
	nsec_t began = clock_now();

	do {
		h->beaten = clock_now();
	} while (h->beaten <= began);
	h->has_spoken = false;
	return has_spoken;
}

nsec_t
helper_beat_within(const struct helper *h)
{
	(void)h;
	return NSEC_NEVER;
}

void
helper_ended(struct helper *h)
{
	(void)h;
}

nsec_t
helper_deadline(const struct helper *h)
{
	(void)h;
	return NSEC_NEVER;
}

void
helper_tend(struct helper *h, nsec_t at)
{
	is_early |= at < h->beaten;
}

static void
make_settings(void)
{
	for (unsigned i = 0; i < 2; i++)
		nodes[i] = (struct config_node){ .id = i + 3 };
	settings = (struct settings){
		.shared.cluster = "web",
		.shared.algorithm = algorithm_find("bully"),
		.shared.nodes = nodes,
		.shared.nodes_count = 2,
		.id = 3,
		.shared.timing.heartbeat = 100 * MSEC,
		.shared.timing.misses = 3,
		.shared.timing.startup = SEC,
		.socket = "electd.sock",
		.key_file = "key",
		.state_dir = "here",
	};
}

/* Runs in a process of its own, as it changes what a process may do. */
static void
assert_runs_well(enum coming what)
{
	int fd = open("key", O_WRONLY | O_CREAT | O_CLOEXEC, 0600), status;
	pid_t child;

	assert_int_equal(write(fd, KEY, strlen(KEY)), (ssize_t)strlen(KEY));
	close(fd);
	make_settings();
	settings.is_recorded = what == COMING_STANDBY;
	coming = what;
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		status = electd_run(&settings, "web.conf", NODE_NONE);
		if (status == EXIT_SUCCESS && acted_first)
			status = 99;
		if (status == EXIT_SUCCESS &&
		    (is_behind || has_standby != (what == COMING_STANDBY)))
			status = 96;
		if (status == EXIT_SUCCESS && believed_forgery)
			status = 97;
		_exit(status == EXIT_SUCCESS && is_early ? 98 : status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	unlink("key");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_SUCCESS);
	coming = COMING_DATAGRAM;
}

STORE_CASE(helper_is_asked_before_a_datagram_is_handled)
{
	assert_runs_well(COMING_DATAGRAM);
}

STORE_CASE(helper_is_asked_before_a_refusal_is_handled)
{
	assert_runs_well(COMING_REFUSAL);
}

STORE_CASE(helper_is_asked_before_a_lost_carrier_is_handled)
{
	assert_runs_well(COMING_CARRIER);
}

/* Takes the place of the C library's: the tape waits two seconds for the
 * standby. */
int
fsync(int fd)
{
	static int (*next)(int);
	char at[32], path[PATH_MAX] = "";

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "fsync");
	snprintf(at, sizeof(at), "/proc/self/fd/%d", fd);
	if (coming == COMING_STANDBY &&
	    readlink(at, path, sizeof(path) - 1) > 0) {
		has_standby |= strstr(path, ".standby") != NULL;
		for (unsigned i = 0;
		     i < 2000 && !has_standby && strstr(path, ".tape") != NULL;
		     i++)
			usleep(1000);
		is_behind |= strstr(path, ".tape") != NULL && !has_standby;
	}
	return next(fd);
}

/* A tape has megabytes, and the disk may be slow. */
STORE_CASE(standby_does_not_wait_for_a_tape)
{
	assert_runs_well(COMING_STANDBY);
	unlink("here/web-3.standby");
	unlink("here/web-3.tape");
}

static struct stage stage;
static volatile bool lacks_memory;

/* Takes the place of the C library's. */
void *
malloc(size_t size)
{
	static void *(*next)(size_t);

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "malloc");
	return lacks_memory ? NULL : next(size);
}

static const struct config_id late = { .config_version = 4, .digest = "late" };

/* The member says that it has a later configuration. True if the node asks
 * for it. */
static bool
document_is_asked_for(uint32_t size)
{
	unsigned asks = stage.members[0].asks;

	stage_tell_config(&stage, 0, &late, size);
	return stage.members[0].asks != asks;
}

/* The daemon takes the first ten bytes of the document. */
static void
take_piece(void)
{
	static uint8_t bytes[10], datagram[PACKET_MAX];
	static struct electd electd;
	const struct config_piece piece = { config_tag(&late), 0, sizeof(bytes),
		bytes };
	uint8_t frame[FRAME_BYTES + PIECE_BYTES + PIECE_MAX];
	struct writer w = writer_of(frame, sizeof(frame));
	struct member *m = &stage.members[0];
	struct body body = member_body(m, stage.now);

	electd = (struct electd){
		.settings = &settings,
		.udp = &udp,
		.node = stage.nodes[0],
		.snapshotter = snapshotter_new(),
	};
	member_write_piece(&w, &piece);
	body.frames_count = 1;
	node_receive(electd.node, stage.now, 0, stage.peers[0][FROM_MEMBER],
	    datagram, member_say(m, &body, frame, w.size, datagram));
	capture_as_journal();
	lacks_memory = true;
	electd_perform(&electd, stage.now);
	lacks_memory = false;
	assert_string_equal(captured(),
	    "<3>out of memory: cannot take the settings of config version 4\n");
	snapshotter_free(electd.snapshotter);
}

static void
pass(nsec_t duration)
{
	stage.is_beating = true;
	stage_run(&stage, duration);
	stage.is_beating = false;
}

/* The node asks again after a minute: then there may be memory. */
static void
assert_lost_document_is_fetched_again(uint32_t size)
{
	unsigned asks;

	make_settings();
	stage_set(&stage, 1);
	stage.setups[0].document = (const uint8_t *)"this";
	stage.setups[0].document_size = 4;
	stage.members[0].exchanges = true;
	stage.members[0].config_id = late;
	stage_start(&stage);
	stage_run(&stage, 0);
	stage_join(&stage, 0);
	assert_true(document_is_asked_for(size));
	take_piece();
	asks = stage.members[0].asks;
	pass(58 * SEC);
	assert_false(document_is_asked_for(size));
	assert_int_equal(stage.members[0].asks, asks);
	pass(4 * SEC);
	assert_true(document_is_asked_for(size));
	stage_strike(&stage);
}

TEST(document_without_room_for_its_pieces_is_fetched_again)
{
	void *(*volatile get)(size_t) = malloc; /* not the one inlined */
	void *block;

	lacks_memory = true;
	block = get(1);
	lacks_memory = false;
	free(block);
	if (block != NULL)
		skip("valgrind's malloc() takes the place of ours");
	assert_lost_document_is_fetched_again(20);
}
