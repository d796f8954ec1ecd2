/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/lan.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/system/lan/netlink.h"

#define BRIDGE_IFINDEX 99 /* below all ports */
#define PREFIX_BITS    24

static int
file_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int
file_write(const char *path, const char *text)
{
	int error = 0, fd = file_open(path, O_WRONLY);

	if (fd < 0)
		return fd;
	if (write(fd, text, strlen(text)) < 0)
		error = -errno;
	close(fd);
	return error;
}

/* The caller becomes root in there, and is no other user. */
static int
lan_map_user(uid_t uid, gid_t gid)
{
	char map[32];
	int error;

	error = file_write("/proc/self/setgroups", "deny");
	if (error < 0)
		return error;
	snprintf(map, sizeof(map), "0 %u 1\n", (unsigned)uid);
	error = file_write("/proc/self/uid_map", map);
	if (error < 0)
		return error;
	snprintf(map, sizeof(map), "0 %u 1\n", (unsigned)gid);
	return file_write("/proc/self/gid_map", map);
}

int
lan_isolate(bool *has_user_namespace, const char **what)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	*has_user_namespace = false;
	*what = "network and PID namespaces";
	if (unshare(CLONE_NEWNET | CLONE_NEWPID) == 0)
		return 0;
	if (errno != EPERM)
		return -errno;
	*has_user_namespace = true;
	*what = "user namespaces for an ordinary user";
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID) < 0)
		return -errno;
	*what = "the user map of a user namespace";
	return lan_map_user(uid, gid);
}

/* In the host's namespace: sets up its side of the cable. */
static int
lan_set_up_host(int fd, unsigned host)
{
	int error;

	error = netlink_set_up(fd, LOOPBACK_IFINDEX, true);
	if (error < 0)
		return error;
	error = ethtool_disable_checksums(HOST_INTERFACE);
	if (error < 0)
		return error;
	netlink_set_silent(fd, HOST_IFINDEX);
	error = netlink_add_address(
	    fd, HOST_IFINDEX, HOST_ADDRESS + host, PREFIX_BITS);
	if (error < 0)
		return error;
	return netlink_set_up(fd, HOST_IFINDEX, true);
}

/* In the switch's namespace: makes the cable, and sets up its end here. */
static int
lan_plug(struct lan *lan, unsigned host)
{
	int error, port = (int)(PORT_IFINDEX + host);
	struct veth_end here = {
		.ifindex = port,
		.address = { 0x02, 0, 0, 0, 1, (unsigned char)host },
	};
	struct veth_end there = {
		.ifindex = HOST_IFINDEX,
		.name = HOST_INTERFACE,
		.address = { 0x02, 0, 0, 0, 0, (unsigned char)host },
	};
	char name[16];

	snprintf(name, sizeof(name), "port%u", host);
	here.name = name;
	error =
	    netlink_add_veth(lan->netlink_fd, &here, &there, lan->net_fd[host]);
	if (error < 0)
		return error;
	netlink_set_silent(lan->netlink_fd, port);
	if (lan->fabric == NULL)
		error =
		    netlink_set_bridge(lan->netlink_fd, port, BRIDGE_IFINDEX);
	if (error < 0)
		return error;
	return netlink_set_up(lan->netlink_fd, port, true);
}

/* Makes a host; the process is in the host's namespace when this returns. */
static int
lan_add_host(struct lan *lan, unsigned host)
{
	int fd, error;

	if (unshare(CLONE_NEWNET) < 0)
		return -errno;
	lan->net_fd[host] = file_open("/proc/self/ns/net", O_RDONLY);
	if (lan->net_fd[host] < 0)
		return lan->net_fd[host];
	error = lan_plug(lan, host);
	if (error < 0)
		return error;
	fd = netlink_open();
	if (fd < 0)
		return fd;
	error = lan_set_up_host(fd, host);
	close(fd);
	return error;
}

static int
lan_add_bridge(int fd)
{
	int error;

	error = netlink_add_bridge(fd, "switch", BRIDGE_IFINDEX);
	if (error < 0)
		return error;
	netlink_set_silent(fd, BRIDGE_IFINDEX);
	return netlink_set_up(fd, BRIDGE_IFINDEX, true);
}

static int
lan_add_switch(struct lan *lan, bool is_bridge, uint64_t seed)
{
	lan->netlink_fd = netlink_open();
	if (lan->netlink_fd < 0)
		return lan->netlink_fd;
	if (is_bridge)
		return lan_add_bridge(lan->netlink_fd);
	lan->fabric = fabric_new(lan->hosts, seed);
	return lan->fabric == NULL ? -errno : 0;
}

/* Gives the other namespaces that a process needs to join a host. */
static int
lan_open_namespaces(struct lan *lan, bool has_user_namespace)
{
	lan->pid_fd = file_open("/proc/self/ns/pid", O_RDONLY);
	if (lan->pid_fd < 0)
		return lan->pid_fd;
	lan->user_fd = -1;
	if (!has_user_namespace)
		return 0;
	lan->user_fd = file_open("/proc/self/ns/user", O_RDONLY);
	return lan->user_fd < 0 ? lan->user_fd : 0;
}

static int
lan_add_hosts(struct lan *lan)
{
	int error = 0, own_fd;

	own_fd = file_open("/proc/self/ns/net", O_RDONLY);
	if (own_fd < 0)
		return own_fd;
	for (unsigned host = 1; host <= lan->hosts && error == 0; host++)
		error = lan_add_host(lan, host);
	if (error == 0 && setns(own_fd, CLONE_NEWNET) < 0)
		error = -errno;
	close(own_fd);
	return error;
}

int
lan_build(struct lan *lan, unsigned hosts, bool is_bridge, uint64_t seed,
    bool has_user_namespace, const char **what)
{
	int error;

	assert(hosts > 0);
	assert(hosts <= HOSTS_MAX);
	*lan = (struct lan){ .hosts = hosts };
	*what = "/proc";
	error = lan_open_namespaces(lan, has_user_namespace);
	if (error < 0)
		return error;
	*what = is_bridge ? "a bridge" : "packet sockets";
	error = lan_add_switch(lan, is_bridge, seed);
	if (error < 0)
		return error;
	*what = "hosts with veth pairs";
	return lan_add_hosts(lan);
}

int
lan_set_carrier(struct lan *lan, unsigned host, bool is_up)
{
	return netlink_set_up(
	    lan->netlink_fd, (int)(PORT_IFINDEX + host), is_up);
}
