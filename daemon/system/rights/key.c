/* SPDX-License-Identifier: ISC */
#include "daemon/system/rights/key.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/system/rights/user.h"

#define FILE_MAX     64 /* bytes of a key file: the key and a newline */
#define VARIANT      sodium_base64_VARIANT_ORIGINAL
#define OTHERS_MODES 077

_Static_assert(sodium_base64_ENCODED_LEN(KEY_BYTES, VARIANT) <= KEY_TEXT_MAX,
    "a key's text fits");

static bool
key_refuse(FILE *errors, const char *path, const char *what)
{
	fprintf(errors, "%s: %s\n", path, what);
	return false;
}

/*
 * Says what to do about a key that is another user's. If root has started
 * electd by hand, the advice must not be to take the key from the service's
 * user.
 */
static bool
key_refuse_user(FILE *errors, const char *path, uid_t owner, const char *what)
{
	char user[USER_TEXT_MAX], as_owner[USER_TEXT_MAX];

	if (geteuid() == 0 && owner != 0)
		fprintf(errors,
		    "%s: belongs to %s, but this electd runs as root; start electd as %s, for example by systemctl start electd\n",
		    path, user_text(owner, user), user);
	else
		fprintf(errors,
		    "%s: %s; it must belong to %s, the user that electd runs as: chown %s %s\n",
		    path, what, user_text(geteuid(), user),
		    user_as_owner(geteuid(), as_owner), path);
	return false;
}

static bool
key_refuse_modes(FILE *errors, const char *path)
{
	fprintf(errors, "%s: is open to group or others: chmod 600 %s\n", path,
	    path);
	return false;
}

/* Checks that only the owner can have read and written the open file. */
static bool
key_check_file(int fd, const char *path, FILE *errors)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return key_refuse(errors, path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return key_refuse(
		    errors, path, "is not a regular file; put the key in one");
	if (status.st_nlink != 1)
		return key_refuse(
		    errors, path, "has more than one link; remove the others");
	if (status.st_uid != 0 && status.st_uid != geteuid())
		return key_refuse_user(
		    errors, path, status.st_uid, "belongs to another user");
	if ((status.st_mode & OTHERS_MODES) != 0)
		return key_refuse_modes(errors, path);
	return true;
}

/* Decodes a key's text; whitespace may follow it. */
static bool
key_decode(const char *text, size_t size, uint8_t key[KEY_BYTES])
{
	const char *end;
	size_t key_size;

	while (size > 0 && memchr(" \t\r\n", text[size - 1], 4) != NULL)
		size--;
	return sodium_base642bin(key, KEY_BYTES, text, size, NULL, &key_size,
		   &end, VARIANT) == 0 &&
	       key_size == KEY_BYTES && end == text + size;
}

static bool
key_read_text(int fd, const char *path, uint8_t key[KEY_BYTES], FILE *errors)
{
	uint8_t decoded[KEY_BYTES];
	char text[FILE_MAX + 1];
	ssize_t size = read(fd, text, sizeof(text));
	bool good = false;

	if (size < 0)
		key_refuse(errors, path, strerror(errno));
	else if (size > FILE_MAX || !key_decode(text, (size_t)size, decoded))
		key_refuse(
		    errors, path, "holds no key; electctl keygen makes one");
	else
		good = true;
	if (good)
		memcpy(key, decoded, sizeof(decoded));
	sodium_memzero(decoded, sizeof(decoded));
	sodium_memzero(text, sizeof(text));
	return good;
}

bool
key_read(const char *path, uint8_t key[KEY_BYTES], FILE *errors)
{
	int fd = open(
	    path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat status;
	bool good;

	if (fd < 0 && errno == ELOOP)
		return key_refuse(errors, path,
		    "is a symbolic link; give the path of the file itself");
	if (fd < 0 && errno == ENOENT)
		return key_refuse(errors, path,
		    "No such file or directory; electctl keygen prints a new key, and every host needs the same one");
	if (fd < 0 && errno == EACCES && stat(path, &status) == 0)
		return key_refuse_user(
		    errors, path, status.st_uid, strerror(EACCES));
	if (fd < 0)
		return key_refuse(errors, path, strerror(errno));
	good = key_check_file(fd, path, errors) &&
	       key_read_text(fd, path, key, errors);
	close(fd);
	return good;
}

/* The text of a key file, without a newline. Returns its size. */
static size_t
key_text(const uint8_t key[KEY_BYTES], char text[KEY_TEXT_MAX])
{
	sodium_bin2base64(text, KEY_TEXT_MAX, key, KEY_BYTES, VARIANT);
	return strlen(text);
}

void
key_fingerprint(const uint8_t key[KEY_BYTES], char text[FINGERPRINT_MAX])
{
	uint8_t sum[crypto_hash_sha256_BYTES];
	char file[KEY_TEXT_MAX + 1];
	size_t size = key_text(key, file);

	file[size] = '\n';
	crypto_hash_sha256(sum, (const uint8_t *)file, size + 1);
	sodium_memzero(file, sizeof(file));
	sodium_bin2hex(text, FINGERPRINT_MAX, sum, sizeof(sum));
}

void
key_generate(char text[KEY_TEXT_MAX])
{
	uint8_t key[KEY_BYTES];

	randombytes_buf(key, sizeof(key));
	key_text(key, text);
	sodium_memzero(key, sizeof(key));
}
