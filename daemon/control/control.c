/* SPDX-License-Identifier: ISC */
#include "daemon/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/control/answers/answers.h"
#include "daemon/control/control_endpoint.h"
#include "daemon/system/log.h"
#include "daemon/system/rights/user.h"
#include "daemon/system/sockets/unix_peer.h"

#define CLIENTS_MAX       64 /* on the query socket: of four users */
#define CLIENTS_ADMIN_MAX 8  /* on the other: steering is always possible */
#define CLIENTS_UID_MAX   16 /* of one user other than root, to leave places */
#define CLIENTS_RELY      16 /* places more: for who may rely on deadlines */
#define CLIENTS_RESERVED  8  /* places more: for root alone */
#define CLIENTS_ENDED_MAX 64 /* clients that have ended and take no place */
#define LOGIN_UID_MAX     60000      /* users above it are of containers */
#define UNREAD_MAX        (4 << 20)  /* of all clients: 8 long answers */
#define ACCEPTS_MAX       16         /* in a turn: the node comes in between */
#define TEND_PAUSE        (10 * SEC) /* a removed socket is back by then */
#define ACCEPT_PAUSE      (100 * MSEC) /* when no descriptor is left */
#define CLOSING_MAX       64           /* connections that brought files */
#define COMPLAINT_PAUSE   (60 * SEC)   /* between two log lines of one kind */

/*
 * An answer may cause notices, and these may end other clients. So clients are
 * freed only in leave(), when no call into this file is under way.
 */
struct control {
	struct control_view view;
	struct loop *loop;
	struct control_counters counters;
	struct rates rates;
	nsec_t given; /* see struct control_view */
	struct endpoint query;
	struct endpoint admin;
	struct watch *timer;
	nsec_t timer_within;   /* what the timer is set to; NSEC_NEVER: off */
	nsec_t accept_again;   /* endpoints are shut until then; 0: open */
	nsec_t complain_again; /* when to log again that we cannot accept */
	nsec_t unread_again;   /* when to log again that clients did not read */
	nsec_t tend_at;        /* when to check the sockets' files again */
	struct allowed steer;  /* users who may steer */
	struct allowed rely;   /* users who may rely on deadlines */
	int reserve;           /* a descriptor to close when none is left */
	unsigned depth;        /* of calls into this file */
};

/* The client after this one, on either socket; NULL: the first, or no more. */
static struct client *
client_after(struct control *control, struct client *client)
{
	struct client *next = client == NULL
				  ? TAILQ_FIRST(&control->query.clients)
				  : TAILQ_NEXT(client, entry);

	if (next == NULL && (client == NULL || !client->is_admin))
		next = TAILQ_FIRST(&control->admin.clients);
	return next;
}

static void
enter(struct control *control)
{
	control->depth++;
}

/* Bytes that the clients of this user leave unread; NULL: of all users. */
static size_t
held_by(struct control *control, const uid_t *user)
{
	struct client *client = NULL;
	size_t held = 0;

	while ((client = client_after(control, client)) != NULL) {
		if (!client->is_gone && (user == NULL || client->user == *user))
			held += client_held(client);
	}
	return held;
}

/* Finds, among the clients of the user who leaves the most unread, the one that
 * has taken nothing for the longest. */
static struct client *
find_slowest(struct control *control)
{
	struct client *client = NULL, *slowest = NULL;
	size_t held, most = 0;

	while ((client = client_after(control, client)) != NULL) {
		if (client->is_gone || client_held(client) == 0)
			continue;
		held = held_by(control, &client->user);
		if (held < most ||
		    (held == most && client->progress >= slowest->progress))
			continue;
		most = held;
		slowest = client;
	}
	return slowest;
}

/*
 * An answer about a thousand nodes takes half a megabyte, so a few clients that
 * do not read could use up the memory that the service manager allows. The user
 * who takes the most loses a client, so that no user can have the clients of
 * others cut off.
 */
static void
bound_unread(struct control *control)
{
	while (held_by(control, NULL) > UNREAD_MAX)
		client_cut_off(find_slowest(control));
}

static nsec_t
sweep_within(struct control *control)
{
	nsec_t within = control->accept_again != 0 ? ACCEPT_PAUSE : NSEC_NEVER;
	struct client *client = NULL;

	while ((client = client_after(control, client)) != NULL)
		within = nsec_earlier(within, client_sweep_within(client));
	return within;
}

/* Sets the timer, unless it will fire soon enough. */
static void
arm(struct control *control)
{
	nsec_t within = sweep_within(control);

	if (within >= control->timer_within && within != NSEC_NEVER)
		return;
	watch_set_time(control->timer, within);
	control->timer_within = within;
}

/* Tells the view of clients that are gone. */
static void
part(struct control *control)
{
	const struct control_view *view = &control->view;
	struct client *client = NULL;

	while ((client = client_after(control, client)) != NULL) {
		if (!client->is_gone || client->has_parted)
			continue;
		client->has_parted = true;
		if (view->part != NULL)
			view->part(view->context, client->number);
	}
}

static void
leave(struct control *control)
{
	assert(control->depth > 0);
	control->depth--;
	if (control->depth > 0)
		return;
	bound_unread(control);
	part(control);
	endpoint_reap(&control->query);
	endpoint_reap(&control->admin);
	arm(control);
}

/* Tells the node up to when clients rely on their deadlines yet. */
static void
take_back(struct control *control)
{
	const struct control_view *view = &control->view;
	nsec_t now = view_wake(view), until = control->given;
	struct client *client = NULL;

	while ((client = client_after(control, client)) != NULL) {
		if (client->pending.sent > until)
			until = client->pending.sent;
	}
	node_take_back(view->node, now, until);
	if (view->hand_out != NULL)
		view->hand_out(view->context);
	view->perform(view->context);
}

static void
on_client(void *context)
{
	struct client *client = context;
	struct control *control = client->owner;

	enter(control);
	client_serve(client);
	if (client->has_released)
		take_back(control);
	client->has_released = false;
	leave(control);
}

static void
set_endpoints(struct control *control, bool are_shut)
{
	endpoint_shut(&control->query, are_shut);
	endpoint_shut(&control->admin, are_shut);
}

static void
sweep(struct control *control)
{
	struct client *client = NULL;

	while ((client = client_after(control, client)) != NULL)
		client_sweep(client);
	if (control->accept_again != 0 &&
	    view_wake(&control->view) >= control->accept_again) {
		control->accept_again = 0;
		set_endpoints(control, false);
	}
}

static void
on_timer(void *context)
{
	struct control *control = context;

	enter(control);
	control->timer_within = NSEC_NEVER;
	sweep(control);
	leave(control);
}

/* Sends the reason, if the socket takes it, and disconnects. */
static void
turn_away(struct control *control, int fd)
{
	static const char words[] =
	    "{\"error\":\"too many clients\",\"code\":3}\n";

	control->counters.refused++;
	(void)!send(fd, words, strlen(words), MSG_NOSIGNAL | MSG_DONTWAIT);
	unix_peer_close(fd);
}

static size_t
clients_of(struct control *control, uid_t user)
{
	struct client *client = NULL;
	size_t count = 0;

	while ((client = client_after(control, client)) != NULL)
		count += client->user == user;
	return count;
}

/* Clients that ended a while ago and leave something unread take a place of
 * their user only, unless they are too many. */
static size_t
places_taken(const struct endpoint *endpoint, nsec_t now)
{
	const struct client *client;
	size_t taken = 0, ended = 0;

	TAILQ_FOREACH (client, &endpoint->clients, entry) {
		if (client_is_spent(client, now))
			ended++;
		else
			taken++;
	}
	return taken +
	       (ended > CLIENTS_ENDED_MAX ? ended - CLIENTS_ENDED_MAX : 0);
}

/* Root, and those who rely on deadlines, must get a place even when other users
 * have taken all of theirs. */
static bool
has_place(struct control *control, const struct endpoint *endpoint,
    const struct client *setup)
{
	size_t most = endpoint->clients_max;

	if (setup->may_rely)
		most += CLIENTS_RELY;
	if (setup->peer.uid == 0)
		most += CLIENTS_RESERVED;
	return places_taken(endpoint, view_wake(&control->view)) < most &&
	       (setup->peer.uid == 0 ||
		   clients_of(control, setup->user) < CLIENTS_UID_MAX);
}

/* The user whose places and requests a client takes. A login user may have
 * 65536 more users for containers, above the range of those who log in and of
 * services. So these count as one, but for those who may rely on deadlines. */
static uid_t
user_of(const struct client *setup)
{
	return setup->peer.uid > LOGIN_UID_MAX && !setup->may_rely
		   ? (uid_t)-1
		   : setup->peer.uid;
}

static void
take_client(struct endpoint *endpoint, int fd)
{
	struct control *control = endpoint->control;
	struct client setup = {
		.owner = control,
		.view = &control->view,
		.counters = &control->counters,
		.rates = &control->rates,
		.fd = fd,
		.number = control->counters.clients + 1,
		.is_admin = endpoint->is_admin,
	};
	struct client *client;

	unix_peer_begin(fd);
	if (!peer_credentials(fd, &setup.peer)) {
		turn_away(control, fd);
		return;
	}
	setup.may_rely = peer_is_allowed(fd, &setup.peer, &control->rely);
	setup.may_steer = endpoint->is_admin &&
			  peer_is_allowed(fd, &setup.peer, &control->steer);
	setup.user = user_of(&setup);
	client = has_place(control, endpoint, &setup)
		     ? client_new(&setup, control->loop, on_client)
		     : NULL;
	if (client == NULL) {
		turn_away(control, fd);
		return;
	}
	TAILQ_INSERT_TAIL(&endpoint->clients, client, entry);
	endpoint->clients_count++;
	control->counters.clients++;
}

/* Shuts the endpoints for a while. */
static void
pause_accepting(struct control *control, const char *why)
{
	nsec_t now = view_wake(&control->view);

	if (now >= control->complain_again) {
		log_warnx(
		    "control: cannot accept clients: %s; turning them away until that is over",
		    why);
		control->complain_again = nsec_after(now, COMPLAINT_PAUSE);
	}
	control->accept_again = nsec_after(now, ACCEPT_PAUSE);
	set_endpoints(control, true);
}

/*
 * No descriptor is left for the waiting client, and the socket would stay
 * ready. We close the reserve to accept the client and turn it away.
 */
static void
turn_away_by_reserve(struct endpoint *endpoint)
{
	struct control *control = endpoint->control;
	int fd;

	if (control->reserve >= 0) {
		close(control->reserve);
		fd = accept4(endpoint->listener.fd, NULL, NULL,
		    SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0)
			turn_away(control, fd);
	}
	control->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* False if no more clients can be accepted for now. */
static bool
accept_one(struct endpoint *endpoint)
{
	int fd;

	if (unix_peer_closing() >= CLOSING_MAX) {
		pause_accepting(endpoint->control,
		    "many brought files, which take time to close");
		return false;
	}
	fd = accept4(
	    endpoint->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0) {
		take_client(endpoint, fd);
		return true;
	}
	if (errno == EINTR || errno == ECONNABORTED)
		return true;
	if (errno != EAGAIN) {
		pause_accepting(endpoint->control, strerror(errno));
		turn_away_by_reserve(endpoint);
	}
	return false;
}

static void
on_endpoint(void *context)
{
	struct endpoint *endpoint = context;
	bool goes_on = true;

	enter(endpoint->control);
	sweep(endpoint->control);
	leave(endpoint->control);
	for (int i = 0; i < ACCEPTS_MAX && goes_on; i++) {
		enter(endpoint->control);
		goes_on = accept_one(endpoint);
		leave(endpoint->control);
	}
}

static void
allow_group(struct allowed *allowed, gid_t group)
{
	assert(allowed->groups_count < ALLOWED_MAX);
	allowed->groups[allowed->groups_count++] = group;
}

/* Allows the user of this name, and the members of the group of this name;
 * false: there is neither. */
static bool
allow_name(struct allowed *allowed, const char *name)
{
	bool is_user = user_named(name, &allowed->users[allowed->users_count]);
	gid_t group;
	bool is_group = group_named(name, &group);

	allowed->users_count += is_user;
	if (is_group)
		allow_group(allowed, group);
	return is_user || is_group;
}

_Static_assert(DEADLINES_MAX + 2 <= ALLOWED_MAX,
    "all users and groups of the settings fit, the group, and ours");

/* Finds who may steer: the members of *group, the configured one, else our own.
 * They, the members of our own group, and the users and groups that the
 * settings name, may rely on deadlines. */
static int
find_users(struct control *control, gid_t *group)
{
	const struct settings *s = control->view.settings;

	*group = getegid();
	allow_group(&control->rely, *group);
	if (s->group[0] != '\0' && !group_named(s->group, group)) {
		log_errorx("control: there is no group \"%s\"", s->group);
		return -ENOENT;
	}
	allow_group(&control->steer, *group);
	allow_group(&control->rely, *group);
	for (size_t i = 0; i < s->deadlines_count; i++) {
		if (allow_name(&control->rely, s->deadlines[i]))
			continue;
		log_errorx("control: there is no user or group \"%s\"",
		    s->deadlines[i]);
		return -ENOENT;
	}
	return 0;
}

/* The group may keep the admin socket from being made. */
static void
explain_group(const char *name, gid_t group)
{
	char user[USER_TEXT_MAX];

	if (user_may_give(group))
		return;
	user_text(geteuid(), user);
	log_errorx(
	    "control.group: %s, the user that electd runs as, must be a member of %s: usermod -aG %s %s",
	    user, name, name, user);
}

/* The group that may steer, if the settings do not name it. */
static void
tell_group(const struct settings *settings, gid_t group)
{
	char text[USER_TEXT_MAX];

	if (settings->group[0] == '\0')
		log_info(
		    "control: members of group %s may steer; control.group may name another",
		    group_text(group, text));
}

/* Opens the admin socket first: it is there before clients see the other. */
static int
open_endpoints(struct control *control)
{
	const struct settings *settings = control->view.settings;
	char admin[CONTROL_PATH_MAX];
	gid_t group;
	int error = find_users(control, &group);

	if (error != 0)
		return error;
	if (!control_admin_path(settings->socket, admin)) {
		log_errorx(
		    "control: %s: its name is too long", settings->socket);
		return -ENAMETOOLONG;
	}
	error =
	    endpoint_open(&control->admin, control->loop, admin, 0660, group);
	if (error == -EPERM && settings->group[0] != '\0')
		explain_group(settings->group, group);
	if (error != 0)
		return error;
	tell_group(settings, group);
	return endpoint_open(
	    &control->query, control->loop, settings->socket, 0666, getegid());
}

bool
control_is_free(const struct settings *settings)
{
	bool is_free = listener_check(settings->socket) != -EADDRINUSE;

	if (!is_free)
		log_errorx("control: %s: %s", settings->socket,
		    listener_error_text(-EADDRINUSE));
	return is_free;
}

void
control_change(struct control *control, struct node *node)
{
	control->view.node = node;
}

int
control_new(struct loop *loop, const struct control_view *view,
    struct control **control)
{
	struct control *c = calloc(1, sizeof(*c));
	int error;

	if (c == NULL)
		return -ENOMEM;
	c->view = *view;
	c->view.counters = &c->counters;
	c->view.given = &c->given;
	c->loop = loop;
	c->timer_within = NSEC_NEVER;
	endpoint_init(&c->query, c, CLIENTS_MAX, on_endpoint);
	endpoint_init(&c->admin, c, CLIENTS_ADMIN_MAX, on_endpoint);
	c->admin.is_admin = true;
	c->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	c->timer = watch_timer(loop, PRIORITY_CONTROL, on_timer, c);
	error = c->timer == NULL ? -ENOMEM : open_endpoints(c);
	if (error != 0) {
		control_free(c);
		return error;
	}
	*control = c;
	return 0;
}

void
control_free(struct control *control)
{
	if (control == NULL)
		return;
	enter(control); /* closing the endpoints may cause notices */
	endpoint_close(&control->query);
	endpoint_close(&control->admin);
	watch_free(control->timer);
	if (control->reserve >= 0)
		close(control->reserve);
	free(control);
}

/* Any user of the host can have clients cut off, so they do not get a line
 * each. */
static void
log_unread(struct control *control, nsec_t now)
{
	struct control_counters *counters = &control->counters;

	if (counters->unread == 0 || now < control->unread_again)
		return;
	log_notice(
	    "control: closed clients that left too much unread: %u, the last one of uid %u",
	    (unsigned)counters->unread, (unsigned)counters->unread_uid);
	counters->unread = 0;
	control->unread_again = nsec_after(now, COMPLAINT_PAUSE);
}

void
control_tend(struct control *control, nsec_t now)
{
	log_unread(control, now);
	if (now < control->tend_at || control->accept_again != 0)
		return;
	control->tend_at = nsec_after(now, TEND_PAUSE);
	endpoint_tend(&control->admin);
	endpoint_tend(&control->query);
}

/* The line of an event; NULL if there is no memory for it. */
static char *
event_line(struct control *control, const struct notice *notice)
{
	json_t *event = answer_event(&control->view, notice);
	char *line = json_dumps(event, JSON_COMPACT | JSON_REAL_PRECISION(15));

	json_decref(event);
	return line;
}

void
control_operation_ended(struct control *control)
{
	struct client *client = NULL;

	if (control == NULL)
		return;
	enter(control);
	while ((client = client_after(control, client)) != NULL)
		client_notify(client, NULL, 0);
	leave(control);
}

void
control_notice(struct control *control, const struct notice *notice)
{
	struct client *client = NULL;
	char *line = NULL; /* made for the first client that watches */

	if (control == NULL)
		return;
	enter(control);
	while ((client = client_after(control, client)) != NULL) {
		if (line == NULL && client_watches(client))
			line = event_line(control, notice);
		client_notify(client, line, line == NULL ? 0 : strlen(line));
	}
	leave(control);
	free(line);
}
