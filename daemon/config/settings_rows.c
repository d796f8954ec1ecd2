/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_rows.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/config_value.h"
#include "daemon/config/settings.h"

#define AT(member)           .at = offsetof(struct settings, member)
#define AT_CHECK(member)     .at = offsetof(struct settings_check, member)
#define AT_NEIGHBOUR(member) .at = offsetof(struct neighbour, member)
#define LIST(count, what)                                                      \
	.count_at = offsetof(struct settings, count), .rows = (what)
#define ADDRESS        .size = ADDRESS_MAX_BYTES
#define NAME           .fault = name_fault, .size = NAME_MAX_BYTES
#define PATH           .fault = path_fault, .size = PATH_MAX_BYTES
#define NSEC(duration) ((int64_t)(duration))
#define LETTERS        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define HOUR           (3600 * SEC)

_Static_assert(offsetof(struct settings, shared) == 0,
    "a row of struct config is one of struct settings");

const char *const side_words[] = { "left", "right", NULL };

static const char *
path_fault(const char *text)
{
	if (text[0] != '/' && strncmp(text, "./", 2) != 0)
		return "is not a path; begin it with \"/\", or with \"./\" for the directory that electd starts in";
	if (strlen(text) >= PATH_MAX_BYTES)
		return "is too long; a path has at most 1023 bytes";
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < ' ' || *text == '\x7f')
			return "has control characters; remove them";
	}
	return NULL;
}

static const char *
socket_fault(const char *path)
{
	const char *fault = path_fault(path), *base;
	size_t size;

	if (fault != NULL)
		return fault;
	base = strrchr(path, '/') + 1;
	size = strlen(base);
	if (size <= 5 || strcmp(base + size - 5, ".sock") != 0)
		return "is not a path to NAME.sock; electd makes NAME.admin.sock beside it";
	for (; *path != '\0'; path++) {
		if (path[0] == '%' && path[1] != 'i')
			return "has a \"%\" without \"i\"; \"%i\" stands for this node's id";
	}
	return NULL;
}

static const char *
check_name_fault(const char *text)
{
	const char *fault = name_fault(text);

	if (fault == NULL && strlen(text) >= CHECK_NAME_BYTES)
		fault =
		    "is too long; the name of a check has at most 20 characters";
	return fault;
}

/* What the names of systemd's units end with. */
static const char *const unit_types[] = { ".service", ".socket", ".target",
	".mount", ".automount", ".path", ".timer", ".device", ".swap", ".slice",
	".scope", NULL };

static const char *
unit_fault(const char *name)
{
	size_t size = strlen(name);

	if (size >= UNIT_MAX_BYTES)
		return "is too long; a unit's name has at most 255 characters";
	if (size == 0 || *name == '-' || *name == '.' ||
	    strspn(name, LETTERS "0123456789:_.\\@-") != size)
		return "is not the name of a unit; write it as in \"nginx.service\"";
	for (size_t i = 0; unit_types[i] != NULL; i++) {
		size_t type = strlen(unit_types[i]);

		if (size > type &&
		    strcmp(name + size - type, unit_types[i]) == 0)
			return NULL;
	}
	return "has no type; write it as in \"nginx.service\"";
}

static const char *
disk_fault(const char *path)
{
	return path[0] != '/' ? "is not a directory; begin it with \"/\""
			      : path_fault(path);
}

static const char *
pressure_fault(const char *resource)
{
	return strcmp(resource, "cpu") != 0 && strcmp(resource, "io") != 0 &&
		       strcmp(resource, "memory") != 0
		   ? "is unknown; must be \"cpu\", \"io\" or \"memory\""
		   : NULL;
}

/* Reads "host:port" or "[host]:port". Returns false if it does not fit. */
static bool
group_split(const char *text, char host[ADDRESS_MAX_BYTES], long *port)
{
	const char *colon = strrchr(text, ':');
	size_t size;
	char *end;

	if (colon == NULL || colon[1] < '0' || colon[1] > '9')
		return false;
	*port = strtol(colon + 1, &end, 10);
	size = (size_t)(colon - text);
	if (*end != '\0' || size == 0 || strlen(text) >= ADDRESS_MAX_BYTES)
		return false;
	if (text[0] == '[' && text[size - 1] == ']' && size > 2) {
		text++;
		size -= 2;
	}
	memcpy(host, text, size);
	host[size] = '\0';
	return true;
}

/* True if this is the address of a multicast group, with a port. */
static bool
is_group(const char *text)
{
	char host[ADDRESS_MAX_BYTES];
	struct in6_addr ipv6;
	struct in_addr ipv4;
	long port;

	if (!group_split(text, host, &port) || port < 1 || port > 65535)
		return false;
	if (inet_pton(AF_INET, host, &ipv4) == 1)
		return text[0] != '[' && IN_MULTICAST(ntohl(ipv4.s_addr));
	return text[0] == '[' && inet_pton(AF_INET6, host, &ipv6) == 1 &&
	       IN6_IS_ADDR_MULTICAST(&ipv6);
}

static const char *
multicast_fault(const char *text)
{
	return is_group(text)
		   ? NULL
		   : "is no multicast group with a port; write it as in \"239.192.74.20:7421\"";
}

static const char *
interface_fault(const char *name)
{
	return strlen(name) < INTERFACE_MAX_BYTES
		   ? NULL
		   : "is too long for an interface; give a name as in \"eth0\"";
}

static const struct config_row neighbour_rows[] = {
	{ "id", CONFIG_NUMBER, AT_NEIGHBOUR(id), .low = 1, .high = NODE_ID_MAX,
	    .required = "give the neighbour's id" },
	{ "address", CONFIG_ADDRESS, AT_NEIGHBOUR(address), ADDRESS,
	    .required = "give it as in \"192.0.2.11:7420\"" },
	{ "side", CONFIG_WORD, AT_NEIGHBOUR(side), .words = side_words },
	{ 0 },
};

static const struct config_row check_rows[] = {
	{ "name", CONFIG_TEXT, AT_CHECK(name), .fault = check_name_fault,
	    .size = CHECK_NAME_BYTES,
	    .required = "give each check a name, as in \"nginx\"" },
	{ "command", CONFIG_COMMAND, AT_CHECK(command),
	    .most = CHECK_WORDS_MAX },
	{ "unit", CONFIG_TEXT, AT_CHECK(unit), .fault = unit_fault,
	    .size = UNIT_MAX_BYTES },
	{ "disk", CONFIG_TEXT, AT_CHECK(disk), .fault = disk_fault,
	    .size = PATH_MAX_BYTES },
	{ "pressure", CONFIG_TEXT, AT_CHECK(pressure), .fault = pressure_fault,
	    .size = RESOURCE_MAX_BYTES },
	{ "limit", CONFIG_NUMBER, AT_CHECK(limit), .low = 1, .high = 100,
	    .is_optional = true },
	{ "interval", CONFIG_DURATION, AT_CHECK(interval),
	    .low = NSEC(50 * MSEC), .high = NSEC(HOUR), .initial = "2s" },
	{ "timeout", CONFIG_DURATION, AT_CHECK(timeout), .low = NSEC(10 * MSEC),
	    .high = NSEC(HOUR) },
	{ "rise", CONFIG_NUMBER, AT_CHECK(rise), .low = 1, .high = 100,
	    .initial = "2" },
	{ "fall", CONFIG_NUMBER, AT_CHECK(fall), .low = 1, .high = 100,
	    .initial = "3" },
	{ 0 },
};

static const struct config_row address_rows[] = {
	{ "address", .kind = CONFIG_ADDRESS, ADDRESS },
	{ 0 },
};

static const struct config_row name_rows[] = {
	{ "name", .kind = CONFIG_TEXT, NAME },
	{ 0 },
};

static const struct config_row own_rows[] = {
	{ "id", CONFIG_NUMBER, AT(id), CHANGE_RESTART, .low = 1,
	    .high = NODE_ID_MAX, .is_optional = true },
	{ "listen", CONFIG_ADDRESS, AT(listen), CHANGE_RESTART, ADDRESS },
	{ "neighbours", CONFIG_SECTIONS, .change = CHANGE_RESTART,
	    .rows = neighbour_rows, .size = sizeof(struct neighbour),
	    .most = NODES_MAX },
	{ "security", .kind = CONFIG_GROUP },
	{ "security.key_file", CONFIG_TEXT, AT(key_file), CHANGE_NOW, PATH },
	{ "security.old_key_file", CONFIG_TEXT, AT(old_key_file), CHANGE_NOW,
	    PATH, .is_optional = true },
	{ "control", .kind = CONFIG_GROUP },
	{ "control.socket", CONFIG_TEXT, AT(socket), CHANGE_RESTART,
	    .fault = socket_fault, .size = PATH_MAX_BYTES },
	{ "control.group", CONFIG_TEXT, AT(group), CHANGE_RESTART, NAME,
	    .is_optional = true },
	{ "control.deadlines", CONFIG_VALUES, AT(deadlines), CHANGE_RESTART,
	    LIST(deadlines_count, name_rows), .size = NAME_MAX_BYTES,
	    .most = DEADLINES_MAX },
	{ "state_dir", CONFIG_TEXT, AT(state_dir), CHANGE_RESTART, PATH,
	    .initial = "/var/lib/electd" },
	{ "realtime", CONFIG_TRUTH, AT(realtime), CHANGE_RESTART,
	    .initial = "false" },
	{ "record", CONFIG_TRUTH, AT(is_recorded), CHANGE_RESTART,
	    .initial = "true" },
	{ "watch_carrier", CONFIG_TRUTH, AT(watches_carrier), CHANGE_RESTART,
	    .initial = "true" },
	{ "expect", CONFIG_NUMBER, AT(expected), CHANGE_NOW, .high = NODES_MAX,
	    .is_optional = true },
	{ "checks", CONFIG_SECTIONS, AT(checks), CHANGE_NOW,
	    LIST(checks_count, check_rows),
	    .size = sizeof(struct settings_check), .most = CHECKS_MAX },
	{ "multicast", .kind = CONFIG_GROUP },
	{ "multicast.group", CONFIG_TEXT, AT(discovery.group), CHANGE_RESTART,
	    .fault = multicast_fault, .size = ADDRESS_MAX_BYTES,
	    .required = "give it as in \"239.192.74.20:7421\"" },
	{ "multicast.interface", CONFIG_TEXT, AT(discovery.interface),
	    CHANGE_RESTART, .fault = interface_fault,
	    .size = INTERFACE_MAX_BYTES },
	{ "multicast.ttl", CONFIG_NUMBER, AT(discovery.ttl), CHANGE_RESTART,
	    .low = 1, .high = 255, .initial = "1" },
	{ "join", CONFIG_VALUES, AT(discovery.join), CHANGE_RESTART,
	    LIST(discovery.join_count, address_rows), ADDRESS,
	    .most = JOIN_MAX },
	{ "self", .kind = CONFIG_GROUP },
	{ "self.name", CONFIG_TEXT, AT(discovery.name), CHANGE_NOW, NAME },
	{ "self.priority", CONFIG_INT32, AT(discovery.priority), CHANGE_NOW,
	    .low = INT32_MIN, .high = INT32_MAX, .initial = "0" },
	{ "self.role", CONFIG_WORD, AT(discovery.role), CHANGE_NOW,
	    .words = role_words, .initial = "candidate" },
};

const struct config_row *
settings_row(size_t i)
{
	size_t own = sizeof(own_rows) / sizeof(own_rows[0]);

	if (i < config_rows_count)
		return &config_rows[i];
	return i - config_rows_count < own ? &own_rows[i - config_rows_count]
					   : NULL;
}

bool
row_has_sections(const struct config_row *row)
{
	return row->kind == CONFIG_GROUP || row->kind == CONFIG_SECTIONS;
}

struct section
section_of_algorithm(const struct algorithm *algorithm)
{
	struct section section = { config_rows, algorithm };

	while (strcmp(section.owner->name, "*") != 0)
		section.owner++;
	return section;
}

const struct config_row *
section_row(const struct section *s, size_t i)
{
	if (s->owner == NULL || s->owner->rows == NULL)
		return settings_row(i);
	return s->owner->rows[i].name != NULL ? &s->owner->rows[i] : NULL;
}

const char *
section_name(const struct section *s, const struct config_row *row)
{
	const char *dot = strchr(row->name, '.');
	size_t size = s->owner != NULL ? strlen(s->owner->name) : 0;

	if (row->is_hidden || (s->algorithm != NULL && row->choice != 0 &&
				  (s->algorithm->choices & row->choice) == 0))
		return NULL;
	if (s->owner != NULL && s->owner->rows != NULL)
		return row->name;
	if (s->owner == NULL)
		return dot == NULL && row->name[0] != '*' ? row->name : NULL;
	return dot != NULL && size == (size_t)(dot - row->name) &&
		       strncmp(row->name, s->owner->name, size) == 0
		   ? dot + 1
		   : NULL;
}

const struct config_row *
section_find(const struct section *s, const char *member)
{
	const struct config_row *row;

	for (size_t i = 0; (row = section_row(s, i)) != NULL; i++) {
		const char *name = section_name(s, row);

		if (name != NULL && strcmp(name, member) == 0)
			return row;
	}
	return NULL;
}
