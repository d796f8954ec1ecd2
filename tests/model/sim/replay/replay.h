/* SPDX-License-Identifier: ISC */
/*
 * The tapes of several nodes (daemon/tape/tape_file.h), played by the core, and
 * what the nodes then do: as text, side by side, and as histories.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_REPLAY_REPLAY_H
#define ELECTD_TESTS_MODEL_SIM_REPLAY_REPLAY_H

#include <stdio.h>

#include "daemon/history/history.h"
#include "daemon/tape/tape_file.h"

#define REPLAY_FILES_MAX 64 /* of one incident; a diagram shows as many */

/* One datagram, by a digest of what is in it, which is the same at its sender
 * and its receiver. */
struct letter {
	uint64_t digest;
	bool is_sent; /* for replay_print() */
};

/* An input of a node, and what followed. */
struct episode {
	uint64_t number; /* of the input; 0: before the first */
	int64_t at;      /* by the clock of its host, since 1970 */
	char *text;      /* lines; allocated */
	size_t text_size;
	size_t text_room;
	bool has_received;
	struct letter received;
	struct letter *sent; /* allocated */
	size_t sent_count;
	size_t sent_room;
};

/* What a file leads to. */
struct replay {
	const char *path;
	const struct tape_file *file;
	struct playback_result result; /* of the last reel that was played */
	uint64_t inputs;               /* that were played */
	uint64_t number;               /* of the present one */
	bool wants_text;
	bool is_short; /* there was no memory for the text, or the history */
	struct episode *episodes; /* allocated */
	size_t episodes_count;
	size_t episodes_room;
	struct history history;
	/* The node that is played. */
	struct node *node;
	const struct algorithm *algorithm;
};

/* Plays the file, and collects. What *r has is freed by replay_free(). */
void replay_run(struct replay *r, const char *path,
    const struct tape_file *file, uint64_t until, bool wants_text);
void replay_free(struct replay *r);

/* "SESSION 4 from 3", and "sends SESSION 9 to 2" (words.c). `letter` is
 * the datagram, NULL if it was not opened. */
#define REPLAY_WORDS_MAX 240 /* bytes, and the end */
void replay_input_words(char text[REPLAY_WORDS_MAX], const struct entry *in,
    const struct letter *letter);
void replay_action_words(char text[REPLAY_WORDS_MAX],
    const struct action *action, const struct node *node,
    const struct algorithm *algorithm);

/* The letter of a datagram with this head that holds these bytes. */
struct letter replay_letter(
    const uint8_t *clear, const uint8_t *plain, size_t size);

/* The letter of what is sent; false if that is nothing. */
bool replay_sent(struct letter *l, const struct action *action);

/* Prints the text of all of them, each input after what happened before it, and
 * else in the order of time. False without memory. */
bool replay_print(FILE *out, struct replay *replays, unsigned count);

/* "2026-11-26 19:35:16.123456": the time of the input. */
#define REPLAY_TIME_MAX 40
void replay_time_words(char text[REPLAY_TIME_MAX], int64_t at);

/* Gives up all system calls but those by which a program computes, writes to
 * what it has open, and ends; another one kills it. False if the kernel does
 * not permit that. Where no filter is written for a machine's system calls,
 * replay_is_confined() is false, and nothing is given up. */
bool replay_confine(void);
bool replay_is_confined(void);

#endif
