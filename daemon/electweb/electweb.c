/* SPDX-License-Identifier: ISC */
/*
 * electweb: tells by HTTP what electd knows, to load balancers and to
 * Prometheus. A process of its own, without rights: electd has no port.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemon/electweb/options.h"
#include "daemon/electweb/web.h"

/* The descriptor is readable when we are told to end. -1 with errno. */
static int
take_signals(void)
{
	sigset_t taken;

	(void)signal(SIGPIPE, SIG_IGN);
	sigemptyset(&taken);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &taken, NULL) != 0)
		return -1;
	return signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC);
}

int
main(int argc, char **argv)
{
	struct web_options options;
	struct signalfd_siginfo signal;
	enum control_code code;
	struct web *web;
	int signals;

	complain_as("electweb");
	if (!web_options_parse(&options, argc, argv, &code))
		return (int)code;
	signals = take_signals();
	web = signals >= 0 ? web_new(options.listener, options.socket) : NULL;
	if (web == NULL) {
		complain("cannot begin: %s", strerror(errno));
		return CODE_UNKNOWN;
	}
	while (read(signals, &signal, sizeof(signal)) < 0)
		web_run(web, NSEC_NEVER, signals);
	web_free(web);
	return 0;
}
