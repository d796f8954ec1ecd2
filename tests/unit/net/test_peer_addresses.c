/* SPDX-License-Identifier: ISC */
/*
 * The addresses of the peers, by number or by name. A name that does not
 * resolve keeps no other peer away; the log says so.
 */
#include "tests/unit/group.h"

#include "daemon/net/peer_addresses.h"

#include <sched.h>
#include <string.h>

#include "daemon/system/clock.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"
#include "tests/lib/names.h"

#define PATIENCE (20 * SEC)

enum {
	BY_NUMBER, /* web1 */
	BY_NAME    /* web3; node 2 is ours */
};

static struct config_node nodes[3];
static struct settings settings = { .shared.nodes = nodes,
	.shared.nodes_count = 3 };
static struct peer_addresses *addresses;

static void
name_node(unsigned i, const char *address)
{
	nodes[i].id = i + 1;
	snprintf(nodes[i].name, sizeof(nodes[i].name), "web%u", i + 1);
	snprintf(nodes[i].address, sizeof(nodes[i].address), "%s", address);
}

static int
enter(void **state)
{
	(void)state;
	names_set(NULL, NULL, NULL);
	name_node(0, "192.0.2.11:7420");
	name_node(1, "192.0.2.12:7420");
	name_node(2, "three.example:7420");
	log_set_level(LOG_LEVEL_INFO);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	peer_addresses_free(addresses);
	addresses = NULL;
	return 0;
}

static struct address
at(const char *text)
{
	struct address address;

	assert_true(address_read(text, &address));
	return address;
}

static unsigned
who_is_at(const char *text)
{
	struct address address = at(text);

	return peer_addresses_find(addresses, &address);
}

/* Waits until the look-up has found this address. */
static void
await_place(const char *text, unsigned peer)
{
	nsec_t until = clock_now() + PATIENCE;

	while (who_is_at(text) != peer) {
		assert_true(clock_now() < until);
		peer_addresses_update(addresses);
		sched_yield();
	}
}

/* Waits for two more look-ups: the second comes after the result of the first.
 */
static void
await_second_look(unsigned asked)
{
	nsec_t until = clock_now() + PATIENCE;

	while (names_asked() < asked + 2) {
		assert_true(clock_now() < until);
		peer_addresses_update(addresses);
		sched_yield();
	}
}

#define CASE(name) TEST(name, enter, leave)

CASE(name_that_does_not_resolve_keeps_no_other_peer_away)
{
	names_hold(true);
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	assert_non_null(addresses);
	assert_int_equal(who_is_at("192.0.2.11:7420"), BY_NUMBER);
	assert_int_equal(who_is_at("192.0.2.12:7420"), PEER_NONE);
	assert_int_equal(who_is_at("192.0.2.11:7421"), PEER_NONE);
	assert_non_null(peer_addresses_get(addresses, BY_NUMBER));
	assert_null(peer_addresses_get(addresses, BY_NAME));
	assert_true(peer_addresses_has(addresses, 1));
	assert_true(peer_addresses_has(addresses, 2));
	assert_false(peer_addresses_has(addresses, 3));
	names_hold(false);
}

/* Else this peer's datagrams would count as the other's. */
CASE(name_that_leads_to_another_peer_is_ignored)
{
	static const char wanted[] =
	    "<4>web3: three.example:7420 resolves to 192.0.2.11:7420, which is the address of web1; ignoring it; check DNS and /etc/hosts\n";
	unsigned asked = names_asked();

	capture_as_journal();
	names_set("three.example", "192.0.2.11", NULL);
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	await_second_look(asked);
	assert_string_equal(captured(), wanted);
	assert_int_equal(who_is_at("192.0.2.11:7420"), BY_NUMBER);
	assert_null(peer_addresses_get(addresses, BY_NAME));
}

/* A new look-up comes a second after the link was lost. */
CASE(name_is_reported_when_it_fails_comes_and_moves)
{
	const char *text;

	capture_as_journal();
	names_set("three.example", "192.0.2.13", NULL);
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	await_place("192.0.2.13:7420", BY_NAME);
	assert_true(peer_addresses_has(addresses, 3));
	names_set("three.example", "192.0.2.23", NULL);
	peer_addresses_set_linked(addresses, 3, true);
	peer_addresses_set_linked(addresses, 3, false);
	await_place("192.0.2.23:7420", BY_NAME);
	assert_int_equal(who_is_at("192.0.2.13:7420"), PEER_NONE);
	text = captured();
	assert_string_equal(text,
	    "<5>web3: three.example:7420 resolves to 192.0.2.13:7420\n"
	    "<5>web3: three.example:7420 has moved from 192.0.2.13:7420 to 192.0.2.23:7420\n");
}

CASE(name_that_does_not_resolve_is_a_warning)
{
	static const char wanted[] =
	    "<4>web3: cannot resolve three.example:7420: Name or service not known; trying again, until then web3 counts as down\n";
	unsigned asked = names_asked();

	capture_as_journal();
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	await_second_look(asked);
	assert_string_equal(captured(), wanted);
}

CASE(number_of_another_family_is_refused)
{
	name_node(2, "192.0.2.13:7420");
	capture_as_journal();
	assert_null(peer_addresses_new(&settings, 2, AF_INET6));
	assert_non_null(strstr(captured(), "is not an IPv6 address"));
}

/* Changes the settings. */
static void
change(const struct settings *other)
{
	struct peer_addresses *changed =
	    peer_addresses_change(addresses, other);

	assert_non_null(changed);
	peer_addresses_free(addresses);
	addresses = changed;
}

/* Resolves web3, and copies the nodes for other settings. */
static void
resolve_and_copy(struct config_node *other)
{
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	await_place("192.0.2.13:7420", BY_NAME);
	memcpy(other, nodes, sizeof(nodes));
}

/* A name that has changed leads to where it did until it resolves. */
CASE(addresses_change_and_names_lead_on_until_they_resolve)
{
	struct config_node other_nodes[3], next_nodes[3];
	struct settings other = { .shared.nodes = other_nodes,
		.shared.nodes_count = 3 };
	struct settings next = { .shared.nodes = next_nodes,
		.shared.nodes_count = 3 };

	names_set("three.example", "192.0.2.13", NULL);
	resolve_and_copy(other_nodes);
	names_hold(true);
	strcpy(other_nodes[0].address, "192.0.2.21:7420");
	strcpy(other_nodes[2].address, "four.example:7420");
	change(&other);
	assert_int_equal(who_is_at("192.0.2.21:7420"), BY_NUMBER);
	assert_int_equal(who_is_at("192.0.2.11:7420"), PEER_NONE);
	assert_int_equal(who_is_at("192.0.2.13:7420"), BY_NAME);
	names_set("four.example", "192.0.2.14", NULL);
	names_hold(false);
	await_place("192.0.2.14:7420", BY_NAME);
	assert_int_equal(who_is_at("192.0.2.13:7420"), PEER_NONE);
	/* From a name to a number, and all back. */
	memcpy(next_nodes, other_nodes, sizeof(nodes));
	strcpy(next_nodes[2].address, "192.0.2.33:7420");
	change(&next);
	assert_int_equal(who_is_at("192.0.2.33:7420"), BY_NAME);
	names_set("three.example", "192.0.2.13", NULL);
	change(&settings);
	await_place("192.0.2.13:7420", BY_NAME);
	assert_int_equal(who_is_at("192.0.2.11:7420"), BY_NUMBER);
}

CASE(address_that_another_peer_now_has_is_given_up)
{
	struct config_node other_nodes[3];
	struct settings other = { .shared.nodes = other_nodes,
		.shared.nodes_count = 3 };

	names_set("three.example", "192.0.2.13", NULL);
	resolve_and_copy(other_nodes);
	names_hold(true);
	strcpy(other_nodes[0].address, "192.0.2.13:7420");
	strcpy(other_nodes[2].address, "four.example:7420");
	change(&other);
	assert_int_equal(who_is_at("192.0.2.13:7420"), BY_NUMBER);
	assert_false(peer_addresses_has(addresses, 3));
	names_hold(false);
}

/* A link that is up proves the address: it stays where it is one of those that
 * the new name has, and no other peer takes it. */
CASE(linked_peer_keeps_its_address_under_another_name)
{
	struct config_node other_nodes[3];
	struct settings other = { .shared.nodes = other_nodes,
		.shared.nodes_count = 3 };
	unsigned asked;

	names_set("three.example", "192.0.2.13", NULL);
	resolve_and_copy(other_nodes);
	peer_addresses_set_linked(addresses, 3, true);
	strcpy(other_nodes[2].address, "four.example:7420");
	names_set("four.example", "192.0.2.99", "192.0.2.13");
	asked = names_asked();
	change(&other);
	while (names_asked() == asked)
		sched_yield();
	names_set("four.example", "192.0.2.99", NULL);
	peer_addresses_update(addresses);
	assert_int_equal(who_is_at("192.0.2.13:7420"), BY_NAME);
	assert_int_equal(who_is_at("192.0.2.99:7420"), PEER_NONE);
}

CASE(change_to_another_family_changes_nothing)
{
	struct config_node other_nodes[3];
	struct settings other = { .shared.nodes = other_nodes,
		.shared.nodes_count = 3 };
	const char *log;

	addresses = peer_addresses_new(&settings, 2, AF_INET);
	memcpy(other_nodes, nodes, sizeof(nodes));
	strcpy(other_nodes[0].address, "[2001:db8::1]:7420");
	strcpy(other_nodes[2].address, "192.0.2.33:7420");
	capture();
	assert_null(peer_addresses_change(addresses, &other));
	log = captured();
	assert_non_null(strstr(log, "web1: [2001:db8::1]:7420 is not an IPv4"));
	assert_int_equal(who_is_at("192.0.2.11:7420"), BY_NUMBER);
	assert_int_equal(who_is_at("192.0.2.33:7420"), PEER_NONE);
}

/* The peer speaks from there. */
static void
find(unsigned peer, const char *text)
{
	const struct address address = at(text);

	peer_addresses_find_at(addresses, peer, &address);
}

static void
assert_at(const struct address *address, const char *text)
{
	const struct address wanted = at(text);

	assert_non_null(address);
	assert_int_equal(address_order(address, &wanted), 0);
}

CASE(peer_is_where_it_was_found_and_perhaps_at_home)
{
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	assert_null(peer_addresses_other(addresses, BY_NUMBER));
	capture_as_journal();
	find(BY_NUMBER, "192.0.2.11:7420");
	assert_string_equal(captured(), "");
	assert_null(peer_addresses_other(addresses, BY_NUMBER));
	capture_as_journal();
	find(BY_NUMBER, "192.0.2.21:7420");
	find(BY_NUMBER, "192.0.2.21:7420");
	assert_string_equal(captured(),
	    "<4>web1 is at 192.0.2.21:7420, not at 192.0.2.11:7420; electd reaches it there, but correct its address in the settings\n");
	assert_at(peer_addresses_get(addresses, BY_NUMBER), "192.0.2.21:7420");
	assert_at(
	    peer_addresses_other(addresses, BY_NUMBER), "192.0.2.11:7420");
	assert_int_equal(who_is_at("192.0.2.21:7420"), BY_NUMBER);
	assert_int_equal(who_is_at("192.0.2.11:7420"), PEER_NONE);
	find(BY_NUMBER, "192.0.2.11:7420");
	assert_at(peer_addresses_get(addresses, BY_NUMBER), "192.0.2.11:7420");
	assert_null(peer_addresses_other(addresses, BY_NUMBER));
	assert_int_equal(who_is_at("192.0.2.21:7420"), PEER_NONE);
}

/* A broken member could fill the log with its moves. */
CASE(moves_of_a_peer_fill_no_log)
{
	unsigned lines = 0;

	addresses = peer_addresses_new(&settings, 2, AF_INET);
	capture_as_journal();
	for (unsigned i = 0; i < 50; i++) {
		find(BY_NUMBER, "192.0.2.21:7420");
		find(BY_NUMBER, "192.0.2.22:7420");
	}
	for (const char *c = captured(); *c != '\0'; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 5);
	assert_int_equal(who_is_at("192.0.2.22:7420"), BY_NUMBER);
}

/* Nobody has to wait for the name. */
CASE(peer_whose_name_is_unknown_is_found)
{
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	capture_as_journal();
	find(BY_NAME, "192.0.2.13:7420");
	assert_string_equal(captured(),
	    "<5>web3 is at 192.0.2.13:7420; three.example:7420 does not resolve to that yet\n");
	assert_true(peer_addresses_has(addresses, 3));
	assert_at(peer_addresses_get(addresses, BY_NAME), "192.0.2.13:7420");
	assert_null(peer_addresses_other(addresses, BY_NAME));
}

/* Two hosts have changed places. */
CASE(address_is_that_of_the_peer_that_was_found_there)
{
	names_set("three.example", "192.0.2.13", NULL);
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	await_place("192.0.2.13:7420", BY_NAME);
	find(BY_NUMBER, "192.0.2.13:7420");
	assert_int_equal(who_is_at("192.0.2.13:7420"), BY_NUMBER);
	find(BY_NAME, "192.0.2.11:7420");
	assert_int_equal(who_is_at("192.0.2.11:7420"), BY_NAME);
	assert_at(peer_addresses_get(addresses, BY_NAME), "192.0.2.11:7420");
	/* One of the hosts changes once more: the other is no longer there. */
	find(BY_NAME, "192.0.2.13:7420");
	assert_int_equal(who_is_at("192.0.2.13:7420"), BY_NAME);
	assert_at(peer_addresses_get(addresses, BY_NUMBER), "192.0.2.11:7420");
}

/* The host moves after the settings have changed, or before. */
CASE(linked_peer_stays_where_it_is_when_its_address_changes)
{
	struct config_node moved[3];
	struct settings other = { .shared.nodes = moved,
		.shared.nodes_count = 3 };

	addresses = peer_addresses_new(&settings, 2, AF_INET);
	memcpy(moved, nodes, sizeof(nodes));
	strcpy(moved[0].address, "192.0.2.31:7420");
	peer_addresses_set_linked(addresses, 1, true);
	change(&other);
	assert_at(peer_addresses_get(addresses, BY_NUMBER), "192.0.2.11:7420");
	assert_at(
	    peer_addresses_other(addresses, BY_NUMBER), "192.0.2.31:7420");
	find(BY_NUMBER, "192.0.2.31:7420");
	assert_null(peer_addresses_other(addresses, BY_NUMBER));
	peer_addresses_set_linked(addresses, 1, false);
	change(&settings);
	assert_at(peer_addresses_get(addresses, BY_NUMBER), "192.0.2.11:7420");
	assert_null(peer_addresses_other(addresses, BY_NUMBER));
	find(BY_NUMBER, "192.0.2.31:7420");
	capture_as_journal();
	change(&other);
	assert_string_equal(captured(), "");
	assert_null(peer_addresses_other(addresses, BY_NUMBER));
}

/* Makes nodes 1 to 4: 2 is ours, and all but node 1 have names. */
static void
four_nodes(struct config_node to[4])
{
	memcpy(to, nodes, sizeof(nodes));
	to[3] = nodes[2];
	to[3].id = 4;
	strcpy(to[3].name, "web4");
	strcpy(to[3].address, "four.example:7420");
}

CASE(nodes_come_and_go_and_the_others_keep_their_addresses)
{
	struct config_node four[4], last[2];
	struct settings more = { .shared.nodes = four,
		.shared.nodes_count = 4 };
	struct settings less = { .shared.nodes = last,
		.shared.nodes_count = 2 };

	names_set("three.example", "192.0.2.13", NULL);
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	await_place("192.0.2.13:7420", BY_NAME);
	four_nodes(four);
	names_set("four.example", "192.0.2.14", NULL);
	change(&more);
	assert_int_equal(who_is_at("192.0.2.13:7420"), BY_NAME);
	await_place("192.0.2.14:7420", BY_NAME + 1);
	assert_int_equal(peer_addresses_number(addresses, 4), BY_NAME + 1);
	names_hold(true);
	last[0] = four[1]; /* ours */
	last[1] = four[3];
	change(&less);
	assert_int_equal(who_is_at("192.0.2.14:7420"), 0);
	assert_int_equal(peer_addresses_number(addresses, 4), 0);
	assert_int_equal(peer_addresses_number(addresses, 1), PEER_NONE);
	assert_int_equal(who_is_at("192.0.2.11:7420"), PEER_NONE);
	assert_int_equal(who_is_at("192.0.2.13:7420"), PEER_NONE);
	peer_addresses_set_linked(addresses, 1, true);
	names_hold(false);
}

CASE(node_that_returns_is_resolved_anew)
{
	struct settings less = { .shared.nodes = nodes,
		.shared.nodes_count = 2 };

	names_set("three.example", "192.0.2.13", NULL);
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	await_place("192.0.2.13:7420", BY_NAME);
	peer_addresses_set_linked(addresses, 3, true);
	change(&less);
	names_set("three.example", "192.0.2.23", NULL);
	change(&settings);
	assert_false(peer_addresses_has(addresses, 3));
	await_place("192.0.2.23:7420", BY_NAME);
}

/* Each change makes a new look-up. It would resolve web3 before web4, and web3's
 * name is unknown by then. */
CASE(linked_name_is_not_resolved_again)
{
	struct config_node four[4];
	struct settings more = { .shared.nodes = four,
		.shared.nodes_count = 4 };

	names_set("three.example", "192.0.2.13", NULL);
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	await_place("192.0.2.13:7420", BY_NAME);
	peer_addresses_set_linked(addresses, 3, true);
	four_nodes(four);
	names_set("four.example", "192.0.2.14", NULL);
	capture_as_journal();
	change(&more);
	await_place("192.0.2.14:7420", BY_NAME + 1);
	assert_string_equal(captured(),
	    "<5>web4: four.example:7420 resolves to 192.0.2.14:7420\n");
	assert_int_equal(who_is_at("192.0.2.13:7420"), BY_NAME);
}

/* web4 has the address that web3 had, as a session shows, and then its name. */
CASE(address_of_a_found_peer_is_not_that_of_the_peer_before_it)
{
	struct config_node four[4];
	struct settings more = { .shared.nodes = four,
		.shared.nodes_count = 4 };
	nsec_t until = clock_now() + PATIENCE;

	names_set("three.example", "192.0.2.13", NULL);
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	await_place("192.0.2.13:7420", BY_NAME);
	four_nodes(four);
	names_set("four.example", "192.0.2.13", NULL);
	change(&more);
	find(BY_NAME + 1, "192.0.2.13:7420");
	while (peer_addresses_has(addresses, 3)) {
		assert_true(clock_now() < until);
		peer_addresses_update(addresses);
		sched_yield();
	}
	assert_int_equal(who_is_at("192.0.2.13:7420"), BY_NAME + 1);
	assert_at(
	    peer_addresses_get(addresses, BY_NAME + 1), "192.0.2.13:7420");
}

/* The peer's name leads to where it was, and its link shows that it is
 * elsewhere. */
CASE(address_that_a_linked_peer_has_left_is_free)
{
	struct config_node four[4];
	struct settings more = { .shared.nodes = four,
		.shared.nodes_count = 4 };

	names_set("three.example", "192.0.2.13", NULL);
	addresses = peer_addresses_new(&settings, 2, AF_INET);
	await_place("192.0.2.13:7420", BY_NAME);
	find(BY_NAME, "192.0.2.23:7420");
	peer_addresses_set_linked(addresses, 3, true);
	four_nodes(four);
	names_set("four.example", "192.0.2.13", NULL);
	change(&more);
	await_place("192.0.2.13:7420", BY_NAME + 1);
	assert_at(peer_addresses_get(addresses, BY_NAME), "192.0.2.23:7420");
	assert_null(peer_addresses_other(addresses, BY_NAME));
}
