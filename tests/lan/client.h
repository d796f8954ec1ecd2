/* SPDX-License-Identifier: ISC */
/*
 * The client modes of the program that need more than a request and its
 * reply. Each returns the exit status, and has said on stderr what is wrong.
 */
#ifndef ELECTD_TESTS_LAN_CLIENT_H
#define ELECTD_TESTS_LAN_CLIENT_H

#define EXIT_CLIENT 125 /* exec itself failed, not the program it was to run */

/* Has the LAN carry out a command; its output to stdout. */
int client_command(const char *directory, char **words);

/* Until the LAN is up, or has gone; at most `seconds`. */
int client_wait(const char *directory, unsigned seconds);
int client_gone(const char *directory, unsigned seconds);

/*
 * Runs a program on a host: its exit status, or 128 plus the signal it ended
 * by. Signals sent to this process are passed on, TSTP as STOP.
 */
int client_exec(const char *directory, const char *host, char **argv);

/* Prints "up" or "down": the carrier of the host's own interface. */
int client_link(const char *directory, const char *host);

/*
 * The descriptor of a host's network namespace, or -1; that of another's too
 * when `other` is not NULL. The process has then entered the LAN's user
 * namespace, its children will be in the PID namespace, and it can no more
 * ask the LAN for anything.
 */
int client_join(
    const char *directory, const char *host, const char *other, int *other_fd);

/* Puts the process on the network of a host, and closes the descriptor. */
int client_enter_network(int net_fd);

#endif
