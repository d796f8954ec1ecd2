/* SPDX-License-Identifier: ISC */
/*
 * The client modes of the program that need more than a request and its reply.
 * Each returns the exit status, after a complaint on stderr if it failed.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_CLIENT_H
#define ELECTD_TESTS_SYSTEM_LAN_CLIENT_H

#define EXIT_CLIENT 125 /* exec itself failed, not the program */

/* Lets the LAN carry out a command; its output goes to stdout. */
int client_command(const char *directory, char **words);

/* Waits until the LAN is up, or has gone, for at most `seconds`. */
int client_wait(const char *directory, unsigned seconds);
int client_gone(const char *directory, unsigned seconds);

/*
 * Runs a program on a host. Gives its exit status, or 128 plus the signal that
 * ended it. Passes on signals that come to this process, TSTP as STOP.
 */
int client_exec(const char *directory, const char *host, char **argv);

/* Prints "up" or "down", the carrier of the host's own interface. */
int client_link(const char *directory, const char *host);

/*
 * Gives the descriptor of a host's network namespace, or -1, and that of
 * another's when `other` is not NULL. Afterwards this process is in the LAN's
 * user namespace, its children will be in the PID namespace, and it can no
 * longer ask the LAN for anything.
 */
int client_join(
    const char *directory, const char *host, const char *other, int *other_fd);

/* Puts the process on the network of a host, and closes the descriptor. */
int client_enter_network(int net_fd);

#endif
