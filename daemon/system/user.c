/* SPDX-License-Identifier: ISC */
#include "daemon/system/user.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

const char *
user_text(uid_t uid, char text[USER_TEXT_MAX])
{
	const struct passwd *user = getpwuid(uid);

	if (user != NULL && strlen(user->pw_name) < USER_TEXT_MAX)
		return strcpy(text, user->pw_name);
	snprintf(text, USER_TEXT_MAX, "%u", (unsigned)uid);
	return text;
}
