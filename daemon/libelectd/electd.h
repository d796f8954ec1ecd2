/* SPDX-License-Identifier: ISC */
/*
 * libelectd: asks electd(8) on its query socket, and follows it, also for a
 * program that acts as the leader. electd(3) is the manual; electd-protocol(7)
 * has the requests and the answers.
 *
 * One thread at a time uses a handle; only electd_holds() and electd_left() may
 * be called by others meanwhile. The library prints nothing, ends no process,
 * starts no thread, and changes neither signals nor the locale. All descriptors
 * close on exec. After fork() only one of the two processes may use the handle.
 *
 * Durations are in nanoseconds; points in time are nanoseconds of
 * CLOCK_BOOTTIME. Errors are values of errno. Texts that a function gives
 * belong to the handle, and are valid until the next call with it.
 */
#ifndef ELECTD_DAEMON_LIBELECTD_ELECTD_H
#define ELECTD_DAEMON_LIBELECTD_ELECTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define ELECTD_NEVER    UINT64_MAX /* no time limit; no deadline */
#define ELECTD_MS       UINT64_C(1000000)
#define ELECTD_PATH_MAX 108 /* bytes of a socket's path, and its end */
#define ELECTD_NAME_MAX 64  /* bytes of a node's name, and its end */

struct electd;

enum electd_mode {
	ELECTD_ASK,   /* sends requests, and receives answers */
	ELECTD_WATCH, /* follows the events; they promise nothing */

	/* Follows the lead of this node. Under the guarantee "quorum" the
	 * handle holds deadlines, before which no other node leads. Refuses a
	 * cluster with the guarantee "component". */
	ELECTD_LEAD,

	/* The same, but a cluster with the guarantee "component" will do, where
	 * two nodes may lead at once. */
	ELECTD_LEAD_EVEN_IF_TWO,
};

/*
 * Makes a handle, which does not connect yet. `socket`: the path of the query
 * socket; NULL: the one that electd_find() finds, at each attempt to connect.
 * NULL with errno: no memory or descriptor, or the path is too long.
 */
struct electd *electd_new(const char *socket, enum electd_mode mode);

/* Disconnects and frees; NULL has no effect. electd waits for deadlines that
 * were not given back. */
void electd_free(struct electd *e);

/* Why the last call failed, or what the last ELECTD_REFUSED means. */
const char *electd_why(const struct electd *e);

/* To follow: ELECTD_WATCH, ELECTD_LEAD and ELECTD_LEAD_EVEN_IF_TWO. */

enum electd_kind {
	ELECTD_MET,     /* a daemon has answered; `line` is its status */
	ELECTD_EVENT,   /* `line` is an event. To lead only those that concern
	                 * the lead: state, leader, no-leader, deadline and
	                 * handover */
	ELECTD_LATE,    /* the deadline is near, and no later one has come */
	ELECTD_GONE,    /* the daemon has gone; deadlines that it gave stand */
	ELECTD_REFUSED, /* connecting fails, or the daemon refuses: see `error`
	                 * and electd_why(). Told once, and tried again */
};

/* What is known from electd. Later releases may add members at the end. */
struct electd_news {
	enum electd_kind kind;
	int error; /* of the last attempt to connect: an errno; EAGAIN: electd
	            * does not answer; ENOTSUP: the guarantee is "component";
	            * EPROTO: electd refuses; 0: it succeeded */
	const char *line; /* JSON, as electd sent it; NULL: none */

	bool is_connected;
	bool is_quorum;  /* the guarantee is "quorum", not "component" */
	bool is_leader;  /* this node leads, and the program may act */
	bool hands_over; /* this leader wants to give up the lead */
	uint64_t until;  /* this node leads at least until then; ELECTD_NEVER:
	                 * without a deadline; 0: it does not lead, or has given
	                 * no deadline yet */
	uint64_t span;   /* from when electd gave the deadline to its end */
	uint64_t term;   /* of the present election; 0: none yet */
	uint64_t token;  /* the term in which the lead began; 0: no leader */
	const char *cluster; /* "": no daemon has answered yet */
	const char *node;    /* the name of this node */
	const char *leader;  /* the name of the leader, by its id if that is not
	                      * known; "": none */
};

/* Readable when electd_next() has something to do; the same descriptor for the
 * life of the handle. */
int electd_fd(const struct electd *e);

/*
 * Takes what has come, connects, and connects again, without waiting. Gives the
 * next piece of news, valid until the next call; NULL: there is none. Call it
 * until it gives NULL.
 */
const struct electd_news *electd_next(struct electd *e);

/* What the last piece of news said, and what has become of it; never NULL. */
const struct electd_news *electd_state(const struct electd *e);

/* To lead. */

/* From now on `is_leader` ends, and ELECTD_LATE comes, so long before the
 * deadline; at first 100 ms. */
void electd_stop_early(struct electd *e, uint64_t early);

/*
 * Waits until this node leads, and `left` or more remain of its deadline. Gives
 * 0; ETIMEDOUT; or the error of ELECTD_REFUSED. The program then acts as the
 * leader until electd_leads() is false.
 */
int electd_lead(struct electd *e, uint64_t left, uint64_t timeout);

/* Takes all that has come. True if the program may go on as the leader; false
 * also if this node has lost the lead and leads again. */
bool electd_leads(struct electd *e);

/* True if no other node leads now: electd has given a deadline, which is not
 * over, and was not given back. Compares it with the clock. Without deadlines
 * it is what electd_next() said last. */
bool electd_holds(const struct electd *e);

/* How long that lasts; ELECTD_NEVER: without a deadline. */
uint64_t electd_left(const struct electd *e);

/* The program has stopped what it does as the leader. If this node hands over,
 * electd gets its deadline back, and does not wait for it. */
void electd_give_back(struct electd *e);

/* The program has stopped, and wants to lead no more: electd gets all deadlines
 * back, and the handle is disconnected. Waits for that, 0.2 s at most. */
void electd_leave(struct electd *e);

/* To ask: ELECTD_ASK. These wait. */

/*
 * Connects. `timeout` (not 0) limits this, and from now on what is sent and
 * received. Gives 0, or an error; EAGAIN: the time is over.
 */
int electd_connect(struct electd *e, uint64_t timeout);

/* Sets the limit for what is received, from now on; 0: what has not come is too
 * late, so that nothing waits. False with errno if that fails. */
bool electd_limit(struct electd *e, uint64_t timeout);

/* True if the time limit is over. electd_receive() still gives lines that are
 * there. */
bool electd_is_late(const struct electd *e);

/* From now on electd_receive() also ends when nobody reads what this process
 * writes to this descriptor any more; -1: it does not. */
void electd_set_output(struct electd *e, int fd);

/* Sends a line, without its newline. False if the daemon has disconnected; a
 * line with the reason may still be there. */
bool electd_send(struct electd *e, const char *line);

enum electd_received {
	ELECTD_LINE,
	ELECTD_END,       /* the daemon has gone */
	ELECTD_TOO_LATE,  /* the time limit is over */
	ELECTD_NO_READER, /* see electd_set_output() */
};

/* Receives the next line, without its newline, valid until the next call. */
enum electd_received electd_receive(struct electd *e, const char **line);

/* The descriptor that came with an answer, which belongs to the handle; -1:
 * none. */
int electd_file(const struct electd *e);

/* Disconnects. */
void electd_disconnect(struct electd *e);

/*
 * Asks once: connects, sends the request, and receives a line, all within
 * `timeout`. Gives 0 with a text to be freed; or an error: ETIMEDOUT,
 * ECONNRESET, one of electd_find() or of connect(2).
 */
int electd_ask(
    const char *socket, const char *request, uint64_t timeout, char **answer);

struct electd_leader {
	char name[ELECTD_NAME_MAX]; /* "": there is no leader */
	uint64_t term, token;       /* as in struct electd_news */
	bool is_self;               /* this node leads */
};

/* Asks once who leads, which promises nothing. Gives 0, or an error as
 * electd_ask() does; EPROTO: the answer is an error, or makes no sense. */
int electd_leader(
    const char *socket, uint64_t timeout, struct electd_leader *leader);

/* To find a daemon. */

/*
 * Gives the path of the query socket: the one that is named; that of the named
 * cluster; if both are NULL that of ELECTD_SOCKET in the environment, else the
 * only one in /run/electd, of several the only one whose daemon is alive. Gives
 * 0 or an error: ENOENT: there is none; ENOTUNIQ: several daemons are alive;
 * ENAMETOOLONG; EINVAL: no cluster has such a name.
 */
int electd_find(
    const char *socket, const char *cluster, char path[ELECTD_PATH_MAX]);

/* Writes the clusters that have a socket in /run/electd, as "mail, web"; if
 * `alive`, only those whose daemons are. Gives how many. */
size_t electd_clusters(bool alive, char *text, size_t size);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
