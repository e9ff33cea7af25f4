#include "remote/logs_parts.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds the output of a node without a record. A file in the node's folder contains the owner. In
 * the folder `.owners`, the file whose name is the digest of the owner contains the owner's last
 * node. Neither file is synced: after a power loss it may be missing, and the next run writes it
 * again. */

#define OWNER_FILE    ".owner"
#define OWNERS_FOLDER ".owners"

enum { OWNER_BYTES = 512, TOKEN_BYTES = 128 };

/* Writes a small file atomically. */
static bool small_put(int folder, const char *name, struct text bytes)
{
    char part[DIGEST_TEXT_BYTES + 8];
    AUTO(fd) file = FD_NONE;

    snprintf(part, sizeof(part), "%s.new", name);
    file = openat(folder, part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    return file >= 0 && write(file, bytes.data, bytes.length) == (ssize_t)bytes.length &&
           renameat(folder, part, folder, name) == 0;
}

static bool is_logs_owner_same(int folder, const char *name, struct text bytes)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text there;
    struct err err;

    return file_read_beneath(arena, folder, name, OWNER_BYTES, &there, &err) &&
           text_is_equal(there, bytes);
}

bool logs_own(struct logs *logs, struct text node, struct text owner, struct err *err)
{
    char name[TOKEN_BYTES];
    char digest[DIGEST_TEXT_BYTES];
    AUTO(fd) folder = FD_NONE;
    AUTO(fd) owners = FD_NONE;

    if (!logs_is_node(node) || owner.length >= OWNER_BYTES) {
        return err_set(err, CODE_R0729, "'%.*s' is not a valid name of a node", TEXT_ARG(node));
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(node));
    if (!logs_node_open(logs, name, &folder, err) ||
        !folder_make_beneath(logs->folder, OWNERS_FOLDER, 0700, &owners, err)) {
        return false;
    }
    digest_sha256(owner, digest);
    return (is_logs_owner_same(folder, OWNER_FILE, owner) &&
            is_logs_owner_same(owners, digest, node)) ||
           (small_put(folder, OWNER_FILE, owner) && small_put(owners, digest, node)) ||
           err_set(err, CODE_R0729, "cannot write the owner of the logs of node '%.*s'",
                   TEXT_ARG(node));
}

bool logs_owner_find(struct logs *logs, struct arena *arena, struct text owner, struct text *out)
{
    char path[sizeof(OWNERS_FOLDER) + 1 + DIGEST_TEXT_BYTES];
    char digest[DIGEST_TEXT_BYTES];
    char file[TOKEN_BYTES + sizeof(OWNER_FILE) + 1];
    struct text node;
    struct text known;
    struct err err;

    digest_sha256(owner, digest);
    snprintf(path, sizeof(path), OWNERS_FOLDER "/%s", digest);
    if (!file_read_beneath(arena, logs->folder, path, TOKEN_BYTES, &node, &err) ||
        !logs_is_node(node)) {
        return false;
    }
    snprintf(file, sizeof(file), "%.*s/" OWNER_FILE, TEXT_ARG(node));
    if (!file_read_beneath(arena, logs->folder, file, OWNER_BYTES, &known, &err) ||
        !text_is_equal(known, owner)) {
        return false;
    }
    *out = node;
    return true;
}

void logs_owner_forget(int folder, const char *node)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    char path[sizeof(OWNERS_FOLDER) + 1 + DIGEST_TEXT_BYTES];
    char file[TOKEN_BYTES + sizeof(OWNER_FILE) + 1];
    char digest[DIGEST_TEXT_BYTES];
    struct text owner;
    struct err err;

    snprintf(file, sizeof(file), "%s/" OWNER_FILE, node);
    if (!file_read_beneath(arena, folder, file, OWNER_BYTES, &owner, &err)) {
        return;
    }
    digest_sha256(owner, digest);
    snprintf(path, sizeof(path), OWNERS_FOLDER "/%s", digest);
    /* not if the owner has another node now */
    if (is_logs_owner_same(folder, path, text_from(node))) {
        (void)unlinkat(folder, path, 0);
    }
    (void)unlinkat(folder, file, 0);
}
