/* SPDX-License-Identifier: ISC */
#include "daemon/system/rights/user.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/system/rights/capabilities.h"

const char *
user_text(uid_t uid, char text[USER_TEXT_MAX])
{
	const struct passwd *user = getpwuid(uid);

	if (user != NULL && strlen(user->pw_name) < USER_TEXT_MAX)
		return strcpy(text, user->pw_name);
	snprintf(text, USER_TEXT_MAX, "%u", (unsigned)uid);
	return text;
}

const char *
user_as_owner(uid_t uid, char text[USER_TEXT_MAX])
{
	size_t size = strlen(user_text(uid, text));

	if (getpwnam(text) != NULL && size + 1 < USER_TEXT_MAX)
		strcpy(text + size, ":");
	return text;
}

const char *
group_text(gid_t gid, char text[USER_TEXT_MAX])
{
	const struct group *group = getgrgid(gid);

	if (group != NULL && strlen(group->gr_name) < USER_TEXT_MAX)
		return strcpy(text, group->gr_name);
	snprintf(text, USER_TEXT_MAX, "%u", (unsigned)gid);
	return text;
}

bool
user_named(const char *name, uid_t *user)
{
	const struct passwd *entry = getpwnam(name);

	if (entry != NULL)
		*user = entry->pw_uid;
	return entry != NULL;
}

bool
group_named(const char *name, gid_t *group)
{
	const struct group *entry = getgrnam(name);

	if (entry != NULL)
		*group = entry->gr_gid;
	return entry != NULL;
}

bool
user_may_give(gid_t group)
{
	return group == getegid() || group_member(group) != 0 ||
	       capabilities_has(CAP_CHOWN);
}
