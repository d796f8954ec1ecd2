/* SPDX-License-Identifier: ISC */
#include "daemon/control/control_client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <event2/buffer.h>

#include "daemon/control/answers/answers.h"
#include "daemon/system/sockets/unix_peer.h"

#define SWEEP_SOON (100 * MSEC) /* while a client is delayed */
#define SWEEP_LATE (1 * SEC)    /* while one may be overdue, or have gone */

struct client *
client_new(
    const struct client *setup, struct loop *loop, watch_handler *on_ready)
{
	struct client *client = malloc(sizeof(*client));
	nsec_t now;

	if (client == NULL)
		return NULL;
	*client = *setup;
	client->file = -1;
	client->out = evbuffer_new();
	client->ready =
	    watch_fd(loop, PRIORITY_CONTROL, client->fd, on_ready, client);
	now = view_wake(client->view);
	client->deadline = nsec_after(now, CLIENT_LINE_TIME);
	rate_charge(client->rates, client->user, now);
	if (client->out == NULL || client->ready == NULL) {
		client->fd = -1;
		client_free(client);
		return NULL;
	}
	return client;
}

/* The file of an answer has left, or will not. */
static void
drop_file(struct client *client)
{
	if (client->file >= 0)
		close(client->file);
	client->file = -1;
}

void
client_free(struct client *client)
{
	view_note_given(client->view, client->pending.sent);
	watch_free(client->ready);
	if (client->out != NULL)
		evbuffer_free(client->out);
	if (client->fd >= 0)
		unix_peer_close(client->fd);
	drop_file(client);
	free(client);
}

bool
client_lingers(struct client *client)
{
	evbuffer_drain(client->out, evbuffer_get_length(client->out));
	drop_file(client);
	client->queued = client->longest = 0;
	watch_set_fd(client->ready, client->fd, READY_FOR_NOTHING);
	return unix_peer_end(client->fd);
}

bool
client_is_spent(const struct client *client, nsec_t now)
{
	return client->ended != 0 &&
	       nsec_since(now, client->ended) >= CLIENT_UNREAD_TIME;
}

static bool
has_unsent(const struct client *client)
{
	return evbuffer_get_length(client->out) > 0;
}

static void
drain(struct client *client, size_t size)
{
	evbuffer_drain(client->out, size);
	client->progress = ++client->counters->progress;
	if (!has_unsent(client))
		client->queued = client->longest = 0;
}

/* The buffer keeps a whole line until its last byte has left. */
size_t
client_held(const struct client *client)
{
	size_t size = evbuffer_get_length(client->out) + client->longest;

	return size < client->queued ? size : client->queued;
}

/* Sends a run of bytes, and the file of the answer with the first of them. */
static ssize_t
send_run(struct client *client, struct evbuffer_iovec run)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = { 0 } };
	struct iovec vector = { run.iov_base, run.iov_len };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
	ssize_t sent;

	if (client->file >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &client->file, sizeof(int));
	}
	sent = sendmsg(client->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent > 0)
		drop_file(client);
	return sent;
}

/* Writes as much as the socket takes. */
static void
flush(struct client *client)
{
	while (has_unsent(client) && !client->is_gone) {
		struct evbuffer_iovec run;
		ssize_t sent;

		evbuffer_peek(client->out, -1, NULL, &run, 1);
		sent = send_run(client, run);
		if (sent >= 0)
			drain(client, (size_t)sent);
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR)
			client->is_gone = true;
	}
}

static void
send_line(struct client *client, const char *line, size_t size)
{
	if (evbuffer_add(client->out, line, size) != 0 ||
	    evbuffer_add(client->out, "\n", 1) != 0)
		client->is_gone = true;
	if (client->queued == 0)
		client->progress = ++client->counters->progress;
	client->queued += size + 1;
	if (client->longest < size + 1)
		client->longest = size + 1;
	flush(client);
}

/* Sends an answer and frees it. Without memory the client is disconnected. */
static void
send_answer(struct client *client, json_t *answer)
{
	char *line =
	    answer == NULL
		? NULL
		: json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(15));

	if (line == NULL)
		client->is_gone = true;
	else
		send_line(client, line, strlen(line));
	if (answer != NULL && answer_is_error(answer))
		client->counters->errors++;
	free(line);
	json_decref(answer);
}

/* Sends an error, and disconnects the client once it has left. */
static void
refuse(struct client *client, nsec_t now, const char *why)
{
	send_answer(client, error_answer(CODE_USAGE, "%s", why));
	client->is_closing = true;
	client->in_size = 0;
	client->deadline = nsec_after(now, CLIENT_LINE_TIME);
}

/* The client relies on none of its deadlines any more. */
static void
release(struct client *client)
{
	client->pending.sent = 0;
	client->has_released = true;
}

static void
answer_line(struct client *client, nsec_t now, const char *line, size_t size)
{
	struct request request = {
		.view = client->view,
		.peer = client->peer,
		.session = client->number,
		.is_admin = client->is_admin,
		.may_steer = client->may_steer,
		.may_rely = client->may_rely,
		.holds = client->pending.holds,
		.held = client->pending.sent,
	};
	json_t *answer;

	rate_charge(client->rates, client->user, now);
	client->counters->requests++;
	if (client->pending.kind != PENDING_NONE && !request.holds) {
		send_answer(client, error_answer(CODE_USAGE, WATCHES_ALREADY));
		return;
	}
	answer = verbs_answer(&request, line, size);
	if (!request.holds)
		client->pending = request.pending;
	if (request.releases)
		release(client);
	if (request.leaves)
		client->pending.has_deadlines = false;
	client->file = request.has_file ? request.file : -1;
	if (answer != NULL || request.pending.kind == PENDING_NONE)
		send_answer(client, answer);
}

/* True if the client may get an answer to its next request. */
static bool
is_ready(const struct client *client, nsec_t now)
{
	return !client->is_gone && !client->is_closing && !has_unsent(client) &&
	       !rate_is_over(client->rates, client->user, now);
}

/* Answers the first complete line, if there is one. At the end of the input the
 * rest counts as a line. */
static bool
take_line(struct client *client, nsec_t now)
{
	char *end = memchr(client->in, '\n', client->in_size);
	size_t size, taken;

	if (end == NULL && client->in_size == sizeof(client->in)) {
		refuse(client, now, "a request is at most 4096 bytes long");
		return true;
	}
	if (end == NULL && (!client->at_end || client->in_size == 0))
		return false;
	size = end == NULL ? client->in_size : (size_t)(end - client->in);
	taken = end == NULL ? size : size + 1;
	answer_line(client, now, client->in, size);
	client->has_asked = true;
	client->deadline = client->pending.kind == PENDING_NONE
			       ? nsec_after(now, CLIENT_IDLE_TIME)
			       : NSEC_NEVER;
	client->in_size -= taken;
	memmove(client->in, client->in + taken, client->in_size);
	return true;
}

/* Reads once. False if there is nothing to read for now. */
static bool
fill(struct client *client, nsec_t now)
{
	ssize_t got;

	if (client->at_end)
		return false;
	got = unix_peer_read(client->fd, client->in + client->in_size,
	    sizeof(client->in) - client->in_size);
	if (got > 0)
		client->in_size += (size_t)got;
	else if (got == 0)
		client->at_end = true;
	else if (errno == EPERM)
		refuse(client, now, "no file may come with a request");
	else if (errno != EAGAIN && errno != EINTR)
		client->is_gone = true;
	return got >= 0;
}

/* True if the peer has closed both ways. Reading does not show that after the
 * end. */
static bool
has_hung_up(const struct client *client)
{
	struct pollfd poller = { .fd = client->fd };

	return poll(&poller, 1, 0) > 0 &&
	       (poller.revents & (POLLHUP | POLLERR)) != 0;
}

/* True if everything is answered, and nothing more will come. */
static bool
is_finished(const struct client *client)
{
	if (has_unsent(client))
		return false;
	if (client->is_closing)
		return true;
	if (!client->at_end || client->in_size > 0)
		return false;
	return client->pending.kind == PENDING_NONE || has_hung_up(client);
}

/* Prepares the client for the time until it is served again. */
static void
settle(struct client *client, nsec_t now)
{
	enum readiness readiness = READY_FOR_NOTHING;

	client->is_delayed = rate_is_over(client->rates, client->user, now);
	if (is_finished(client))
		client->is_gone = true;
	if (client->in_size > 0 &&
	    memchr(client->in, '\n', client->in_size) == NULL)
		client->deadline = nsec_earlier(
		    client->deadline, nsec_after(now, CLIENT_LINE_TIME));
	if (!client->is_gone && has_unsent(client))
		readiness = READY_TO_WRITE;
	else if (!client->is_gone && !client->at_end && !client->is_delayed)
		readiness = READY_TO_READ;
	watch_set_fd(client->ready, client->fd, readiness);
}

void
client_cut_off(struct client *client)
{
	client->counters->cut_off++;
	client->counters->unread++;
	client->counters->unread_uid = client->peer.uid;
	client->is_gone = true;
}

/* The client no longer watches or waits: now it may be idle for a minute. */
static void
end_pending(struct client *client)
{
	view_note_given(client->view, client->pending.sent);
	client->pending = (struct pending_request){ .kind = PENDING_NONE };
	client->deadline =
	    nsec_after(view_wake(client->view), CLIENT_IDLE_TIME);
}

static void
send_event(struct client *client, const char *line, size_t size)
{
	if (evbuffer_get_length(client->out) + size > CLIENT_BACKLOG_MAX) {
		client_cut_off(client);
		return;
	}
	send_line(client, line, size);
	client->pending.left--;
	if (client->pending.left == 0)
		end_pending(client);
}

/* Sends a watcher the next deadline when it is due, but not while the watcher
 * leaves something unread. */
static void
send_deadline(struct client *client)
{
	struct pending_request *pending = &client->pending;
	json_t *event;
	char *line;

	if (!pending->has_deadlines || has_unsent(client))
		return;
	event = answer_deadline(client->view, pending->holds, &pending->sent);
	if (event == NULL)
		return;
	line = json_dumps(event, JSON_COMPACT | JSON_REAL_PRECISION(15));
	if (line == NULL)
		client->is_gone = true;
	else
		send_event(client, line, strlen(line));
	free(line);
	json_decref(event);
}

void
client_look(struct client *client)
{
	json_t *answer = NULL;

	if (client->is_gone)
		return;
	if (client->pending.kind == PENDING_WATCH) {
		send_deadline(client);
	} else if (pending_request_is_over(
		       &client->pending, client->view, &answer)) {
		end_pending(client);
		send_answer(client, answer);
	}
}

/* `now` is only for the client's limits: each answer reads the clock itself. */
static void
serve(struct client *client, nsec_t now)
{
	bool answered = false;

	flush(client);
	while (is_ready(client, now)) {
		if (take_line(client, now)) {
			answered = true;
			break;
		}
		if (!fill(client, now))
			break;
	}
	client_look(client);
	settle(client, now);
	/* One answer in each turn of the loop: the node comes in between. */
	if (answered && client->in_size > 0 && is_ready(client, now))
		watch_call(client->ready);
}

void
client_serve(struct client *client)
{
	serve(client, view_wake(client->view));
}

bool
client_watches(const struct client *client)
{
	return !client->is_gone && client->pending.kind == PENDING_WATCH;
}

void
client_notify(struct client *client, const char *line, size_t size)
{
	if (client->is_gone || client->pending.kind == PENDING_NONE)
		return;
	if (client->pending.kind == PENDING_WATCH && line != NULL)
		send_event(client, line, size);
	watch_call(client->ready);
}

static void
overdue(struct client *client, nsec_t now)
{
	/* The client was refused, or idle for a minute: free its place. */
	if (client->is_closing || (client->has_asked && client->in_size == 0)) {
		client->is_gone = true;
		return;
	}
	client->counters->cut_off++;
	refuse(client, now, "a request must be complete within 5 s");
}

void
client_sweep(struct client *client)
{
	nsec_t now = view_wake(client->view);

	if (!client->is_gone && now >= client->deadline)
		overdue(client, now);
	/* Each client in a turn of its own: the node comes in between. */
	if (!client->is_gone)
		watch_call(client->ready);
	else if (client->ended == 0)
		client->ended = now;
}

nsec_t
client_sweep_within(const struct client *client)
{
	nsec_t within = NSEC_NEVER;

	if (client->is_gone)
		return SWEEP_LATE;
	if (client->pending.kind == PENDING_WATCH &&
	    client->pending.has_deadlines)
		within = answer_deadline_within(client->view);
	if (client->is_delayed)
		return nsec_earlier(within, SWEEP_SOON);
	if (client->deadline != NSEC_NEVER || client->at_end)
		return nsec_earlier(within, SWEEP_LATE);
	return within;
}
