/* SPDX-License-Identifier: ISC */
#include "daemon/electweb/web.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/electweb/asker.h"
#include "daemon/electweb/feed.h"
#include "daemon/metrics/metrics.h"
#include "daemon/system/clock.h"

#define PING_GAP      (15 * SEC) /* then a reader gets a comment */
#define REAP_GAP      (1 * SEC)
#define READER_BUFFER 4096

/* A connection. */
struct client {
	struct client *next, **link; /* in the list of all */
	int fd;
	nsec_t idle_since; /* 0: it has sent a request */
};

/* What a round has made of its answers: one response a page for all who waited
 * for it. */
struct round {
	unsigned users; /* requests that are to be answered by it */
	struct MHD_Response *made[PAGES_COUNT]; /* NULL: nobody wants it */
	unsigned status[PAGES_COUNT];
};

struct request {
	struct web *web;
	struct MHD_Connection *connection;
	enum page page;
	struct request *next; /* of those that wait for the same round */
	struct round *round;  /* that answers it; NULL: none yet */

	/* PAGE_EVENTS. */
	struct request *next_reader, **reader_link;
	struct feed_place place;
	bool is_suspended;
	bool is_pinged; /* a comment is to be sent */
};

struct counts {
	uint64_t connections; /* that came */
	uint64_t requests;
	uint64_t late;  /* connections cut off for want of a whole request */
	uint64_t slow;  /* readers cut off, which did not read */
	uint64_t wrong; /* requests for no page, or by another method */
};

struct web {
	struct MHD_Daemon *server;
	const char *socket; /* of electd; NULL: the one that is found */
	struct asker asker;
	struct electd *watch; /* while there are readers */
	struct feed feed;
	struct client *clients;
	struct request *readers;
	unsigned readers_count;
	struct request *asked; /* wait for the round under way */
	struct request *wants; /* wait for the next one */
	nsec_t ping_at, reap_at;
	struct counts counts;
};

/* Answers. */

static struct MHD_Response *
make_response(char *text, const char *type)
{
	struct MHD_Response *r;

	if (text == NULL)
		return NULL;
	r = MHD_create_response_from_buffer(
	    strlen(text), text, MHD_RESPMEM_MUST_FREE);
	if (r == NULL) {
		free(text);
		return NULL;
	}
	(void)MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	(void)MHD_add_response_header(
	    r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	return r;
}

/* What electweb says of itself, beside what electd says. */
static char *
add_own_metrics(struct web *w, char *text)
{
	const struct counts *c = &w->counts;
	const struct {
		const char *name, *help;
		uint64_t value;
	} rows[] = {
		{ "electweb_connections_total", "Connections of clients.",
		    c->connections },
		{ "electweb_requests_total", "Requests of clients.",
		    c->requests },
		{ "electweb_wrong_requests_total",
		    "Requests for no page, or by another method.", c->wrong },
		{ "electweb_late_connections_total",
		    "Connections cut off for want of a whole request.",
		    c->late },
		{ "electweb_slow_readers_total",
		    "Readers of events cut off, which did not read.", c->slow },
		{ "electweb_rounds_total", "Times that electd was asked.",
		    w->asker.rounds },
	};
	char *all = NULL;
	size_t size;
	FILE *to = text != NULL ? open_memstream(&all, &size) : NULL;

	if (to == NULL)
		return text;
	fputs(text, to);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		metrics_put(to, rows[i].name, "counter", rows[i].help,
		    (double)rows[i].value);
	free(text);
	fclose(to);
	return all;
}

/* A page by the answers of the last round. */
static struct MHD_Response *
make_page(struct web *w, enum page page, unsigned *status)
{
	char *text;

	*status = page_make(page, &w->asker.answers, &text);
	if (page == PAGE_METRICS)
		text = add_own_metrics(w, text);
	return make_response(text, page_type(page));
}

static enum MHD_Result
answer_page(struct web *w, struct MHD_Connection *connection, enum page page)
{
	unsigned status;
	struct MHD_Response *r = make_page(w, page, &status);
	enum MHD_Result result = MHD_NO;

	if (r != NULL) {
		result = MHD_queue_response(connection, status, r);
		MHD_destroy_response(r);
	}
	return result;
}

/* Refuses a request, and ends its connection: its body is not read. */
static enum MHD_Result
refuse(struct web *w, struct MHD_Connection *connection, unsigned status,
    const char *why)
{
	struct MHD_Response *r =
	    make_response(strdup(why), page_type(PAGE_NONE));
	enum MHD_Result result = MHD_NO;

	w->counts.wrong++;
	if (r == NULL)
		return MHD_NO;
	(void)MHD_add_response_header(
	    r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD, OPTIONS");
	(void)MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	result = MHD_queue_response(connection, status, r);
	MHD_destroy_response(r);
	return result;
}

/* Rounds. */

/* A request is done with its round. */
static void
round_leave(struct round *round)
{
	if (--round->users > 0)
		return;
	for (enum page p = 0; p < PAGES_COUNT; p++) {
		if (round->made[p] != NULL)
			MHD_destroy_response(round->made[p]);
	}
	free(round);
}

static enum MHD_Result
answer_by_round(const struct request *r)
{
	struct MHD_Response *made = r->round->made[r->page];

	return made != NULL ? MHD_queue_response(r->connection,
				  r->round->status[r->page], made)
			    : MHD_NO;
}

/* A round has ended: all who waited for it go on. Without memory they wait for
 * the next one. */
static void
end_round(struct web *w)
{
	struct request *r = w->asked, *next;
	struct round *round = r != NULL ? calloc(1, sizeof(*round)) : NULL;

	w->asked = NULL;
	for (; r != NULL; r = next) {
		next = r->next;
		r->round = round;
		if (round != NULL)
			round->users++;
		if (round != NULL && round->made[r->page] == NULL)
			round->made[r->page] =
			    make_page(w, r->page, &round->status[r->page]);
		MHD_resume_connection(r->connection);
	}
}

static enum MHD_Result
wait_for_round(struct request *r)
{
	struct web *w = r->web;

	r->next = w->wants;
	w->wants = r;
	asker_want(&w->asker, page_verbs(r->page));
	MHD_suspend_connection(r->connection);
	return MHD_YES;
}

/* Readers of events. */

static void
wake_reader(struct request *r)
{
	if (r->is_suspended)
		MHD_resume_connection(r->connection);
	r->is_suspended = false;
}

/* What libmicrohttpd sends next to a reader; without anything it is suspended
 * until there is. */
static ssize_t
read_events(void *context, uint64_t at, char *bytes, size_t size)
{
	static const char ping[] = ":\n\n";
	struct request *r = context;
	int taken = feed_read(&r->web->feed, &r->place, bytes, size);

	(void)at;
	if (taken < 0) {
		r->web->counts.slow++;
		return MHD_CONTENT_READER_END_OF_STREAM;
	}
	if (taken == 0 && r->is_pinged && size >= strlen(ping)) {
		memcpy(bytes, ping, strlen(ping));
		taken = (int)strlen(ping);
	}
	r->is_pinged = false;
	if (taken > 0)
		return taken;
	MHD_suspend_connection(r->connection);
	r->is_suspended = true;
	return 0;
}

/* Follows electd while there are readers. */
static bool
follow(struct web *w)
{
	if (w->watch != NULL)
		return true;
	w->watch = electd_new(w->socket, ELECTD_WATCH);
	w->ping_at = nsec_after(clock_now(), PING_GAP);
	return w->watch != NULL;
}

static enum MHD_Result
begin_reader(struct request *r)
{
	struct web *w = r->web;
	struct MHD_Response *response;
	enum MHD_Result result;

	if (w->readers_count == WEB_READERS || !follow(w))
		return refuse(w, r->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
		    "too many readers of events\n");
	response = MHD_create_response_from_callback(
	    MHD_SIZE_UNKNOWN, READER_BUFFER, read_events, r, NULL);
	if (response == NULL)
		return MHD_NO;
	r->place = feed_begin(&w->feed);
	r->next_reader = w->readers;
	r->reader_link = &w->readers;
	if (w->readers != NULL)
		w->readers->reader_link = &r->next_reader;
	w->readers = r;
	w->readers_count++;
	(void)MHD_add_response_header(
	    response, MHD_HTTP_HEADER_CONTENT_TYPE, page_type(PAGE_EVENTS));
	(void)MHD_add_response_header(
	    response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	result = MHD_queue_response(r->connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

static void
end_reader(struct request *r)
{
	struct web *w = r->web;

	*r->reader_link = r->next_reader;
	if (r->next_reader != NULL)
		r->next_reader->reader_link = r->reader_link;
	if (--w->readers_count > 0)
		return;
	electd_free(w->watch);
	w->watch = NULL;
	feed_end(&w->feed);
}

static void
take_events(struct web *w)
{
	const struct electd_news *news;
	bool has_more = false;

	while (w->watch != NULL && (news = electd_next(w->watch)) != NULL)
		has_more |= feed_add(&w->feed, news);
	for (struct request *r = w->readers; r != NULL && has_more;
	     r = r->next_reader)
		wake_reader(r);
}

static void
ping_readers(struct web *w, nsec_t now)
{
	if (w->watch == NULL || now < w->ping_at)
		return;
	w->ping_at = nsec_after(now, PING_GAP);
	for (struct request *r = w->readers; r != NULL; r = r->next_reader) {
		r->is_pinged = true;
		wake_reader(r);
	}
}

/* Requests. */

static bool
is_read_only(const char *method)
{
	return strcmp(method, MHD_HTTP_METHOD_GET) == 0 ||
	       strcmp(method, MHD_HTTP_METHOD_HEAD) == 0 ||
	       strcmp(method, MHD_HTTP_METHOD_OPTIONS) == 0;
}

/* True if the request says that it has a body. */
static bool
has_body(struct MHD_Connection *connection)
{
	const char *size = MHD_lookup_connection_value(
	    connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return (size != NULL && strcmp(size, "0") != 0) ||
	       MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
		   MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL;
}

static struct client *
client_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(
	    connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
	    ->socket_context;
}

/* The head of a request has come: without `*context`, which this sets. */
static enum MHD_Result
begin_request(struct web *w, struct MHD_Connection *connection,
    const char *path, const char *method, void **context)
{
	struct client *client = client_of(connection);
	struct request *r;

	w->counts.requests++;
	if (!is_read_only(method))
		return refuse(w, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
		    "GET, HEAD and OPTIONS are all\n");
	if (has_body(connection))
		return refuse(w, connection, MHD_HTTP_CONTENT_TOO_LARGE,
		    "no request has a body\n");
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return MHD_NO;
	r->web = w;
	r->connection = connection;
	r->page = page_find(path);
	w->counts.wrong += r->page == PAGE_NONE;
	if (client != NULL)
		client->idle_since = 0;
	*context = r;
	return MHD_YES;
}

/* libmicrohttpd calls this when the head has come, when all of a request has,
 * and when a suspended one goes on. */
static enum MHD_Result
on_request(void *context, struct MHD_Connection *connection, const char *path,
    const char *method, const char *version, const char *body, size_t *size,
    void **request)
{
	struct web *w = context;
	struct request *r = *request;

	(void)version, (void)body, (void)size;
	if (r == NULL)
		return begin_request(w, connection, path, method, request);
	if (r->round != NULL)
		return answer_by_round(r);
	if (r->page == PAGE_EVENTS)
		return begin_reader(r);
	return page_verbs(r->page) != 0 ? wait_for_round(r)
					: answer_page(w, connection, r->page);
}

static void
on_completed(void *context, struct MHD_Connection *connection, void **request,
    enum MHD_RequestTerminationCode how)
{
	struct client *client = client_of(connection);
	struct request *r = *request;

	(void)context, (void)how;
	if (client != NULL)
		client->idle_since = clock_now();
	if (r == NULL)
		return;
	if (r->round != NULL)
		round_leave(r->round);
	if (r->reader_link != NULL)
		end_reader(r);
	free(r);
	*request = NULL;
}

/* Connections. */

static void
on_connection(void *context, struct MHD_Connection *connection,
    void **socket_context, enum MHD_ConnectionNotificationCode code)
{
	struct web *w = context;
	struct client *c = *socket_context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		w->counts.connections++;
		c = calloc(1, sizeof(*c));
		if (c == NULL)
			return;
		c->fd = MHD_get_connection_info(
		    connection, MHD_CONNECTION_INFO_CONNECTION_FD)
			    ->connect_fd;
		c->idle_since = clock_now();
		c->next = w->clients;
		c->link = &w->clients;
		if (w->clients != NULL)
			w->clients->link = &c->next;
		w->clients = c;
		*socket_context = c;
	} else if (c != NULL) {
		*c->link = c->next;
		if (c->next != NULL)
			c->next->link = c->link;
		free(c);
	}
}

/* A client that sends a byte now and then would hold its place for ever. */
static void
reap(struct web *w, nsec_t now)
{
	if (now < w->reap_at)
		return;
	w->reap_at = nsec_after(now, REAP_GAP);
	for (struct client *c = w->clients; c != NULL; c = c->next) {
		if (c->idle_since == 0 ||
		    nsec_since(now, c->idle_since) < WEB_HEAD_TIME)
			continue;
		w->counts.late++;
		c->idle_since = 0;
		(void)shutdown(c->fd, SHUT_RDWR);
	}
}

/* The server. */

struct web *
web_new(int listener, const char *socket)
{
	struct web *w = calloc(1, sizeof(*w));
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
			 (listener < 0 ? MHD_USE_NO_LISTEN_SOCKET : 0);
	struct MHD_OptionItem items[] = {
		{ MHD_OPTION_CONNECTION_LIMIT, WEB_CONNECTIONS, NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, WEB_HEAD_MAX, NULL },
		{ listener < 0 ? MHD_OPTION_END : MHD_OPTION_LISTEN_SOCKET,
		    listener, NULL },
		{ MHD_OPTION_END, 0, NULL },
	};

	if (w == NULL)
		return NULL;
	w->socket = socket;
	if (!asker_init(&w->asker, socket)) {
		free(w);
		return NULL;
	}
	w->server = MHD_start_daemon(flags, 0, NULL, NULL, on_request, w,
	    MHD_OPTION_ARRAY, items, MHD_OPTION_NOTIFY_COMPLETED, on_completed,
	    w, MHD_OPTION_NOTIFY_CONNECTION, on_connection, w, MHD_OPTION_END);
	if (w->server == NULL) {
		asker_end(&w->asker);
		free(w);
		errno = errno != 0 ? errno : EINVAL;
		return NULL;
	}
	return w;
}

/* The server ends only without suspended connections. */
void
web_free(struct web *w)
{
	if (w == NULL)
		return;
	asker_end(&w->asker);
	w->asker = (struct asker){ .electd = NULL };
	end_round(w);
	w->asked = w->wants;
	end_round(w);
	for (struct request *r = w->readers; r != NULL; r = r->next_reader)
		wake_reader(r);
	MHD_stop_daemon(w->server);
	feed_end(&w->feed);
	free(w);
}

bool
web_add(struct web *w, int connection)
{
	struct sockaddr_storage none = { .ss_family = AF_UNIX };

	return MHD_add_connection(w->server, connection,
		   (struct sockaddr *)&none, sizeof(none)) == MHD_YES;
}

/* When something is due at the latest. */
static nsec_t
due_at(const struct web *w, nsec_t now)
{
	MHD_UNSIGNED_LONG_LONG ms;
	nsec_t at = nsec_earlier(w->reap_at, asker_due_at(&w->asker));

	if (w->watch != NULL)
		at = nsec_earlier(at, w->ping_at);
	if (MHD_get_timeout(w->server, &ms) == MHD_YES)
		at = nsec_earlier(at, nsec_after(now, (nsec_t)ms * MSEC));
	return at;
}

void
web_run(struct web *w, nsec_t until, int descriptor)
{
	struct pollfd fds[] = {
		{ .fd = MHD_get_daemon_info(w->server, MHD_DAEMON_INFO_EPOLL_FD)
			    ->epoll_fd,
		    .events = POLLIN },
		{ .fd = asker_fd(&w->asker), .events = POLLIN },
		{ .fd = w->watch != NULL ? electd_fd(w->watch) : -1,
		    .events = POLLIN },
		{ .fd = descriptor, .events = POLLIN },
	};
	nsec_t now = clock_now();
	struct timespec wait = clock_timespec(
	    nsec_since(nsec_earlier(until, due_at(w, now)), now));

	(void)ppoll(fds, sizeof(fds) / sizeof(fds[0]), &wait, NULL);
	take_events(w);
	if (asker_is_asking(&w->asker) && asker_take(&w->asker, clock_now()))
		end_round(w);
	(void)MHD_run(w->server);
	now = clock_now();
	reap(w, now);
	ping_readers(w, now);
	if (asker_begin(&w->asker, now)) {
		w->asked = w->wants;
		w->wants = NULL;
	}
}
