#include "client/token.h"

#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

MUST_CHECK static bool mode_check(const char *path, struct err *err)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        err_set(err, CODE_R0022, "the token file '%s' cannot be read: %s", path, strerror(errno));
        return err_hint(err, "reeve context login URL writes one; REEVE_TOKEN_FILE names another");
    }
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0 ||
        (status.st_uid != geteuid() && status.st_uid != 0)) {
        err_set(err, CODE_R0022, "other users can read the token file '%s'", path);
        return err_hint(err, "chmod 600 %s", path);
    }
    return true;
}

static bool token_is_for(struct text made_for, const struct text *urls, size_t url_count)
{
    for (size_t i = 0; i < url_count; i++) {
        if (text_is_equal(made_for, urls[i])) {
            return true;
        }
    }
    return made_for.length == 0;
}

bool token_read(struct arena *arena, const char *path, const struct text *urls, size_t url_count,
                struct secret *out, struct err *err)
{
    struct text bytes;
    struct text token;
    struct text made_for;

    if (!mode_check(path, err) || !file_read(arena, path, LIMIT_SETTINGS_BYTES, &bytes, err)) {
        return false;
    }
    token = text_trim(text_slice(bytes, 0, text_find_byte(bytes, '\n')));
    made_for = text_find_byte(bytes, '\n') == SIZE_MAX
                   ? TEXT("")
                   : text_trim(text_slice(bytes, text_find_byte(bytes, '\n') + 1, bytes.length));
    if (token.length == 0) {
        err_set(err, CODE_R0022, "the token file '%s' is empty", path);
        return err_hint(err, "reeve context login URL writes a new one");
    }
    if (!token_is_for(made_for, urls, url_count)) {
        err_set(err, CODE_R0022, "the token in '%s' was issued for %.*s, not for %.*s", path,
                TEXT_ARG(made_for), TEXT_ARG(urls[0]));
        return err_hint(err, "log in there: reeve context login %.*s", TEXT_ARG(urls[0]));
    }
    *out = secret_from(token);
    return true;
}

bool token_folder_make(struct arena *arena, const char *folder, struct err *err)
{
    char *path = arena_string(arena, text_from(folder));

    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash != NULL) {
            *slash = '\0';
        }
        if (mkdir(path, 0700) != 0 && errno != EEXIST) {
            err_set(err, CODE_R0012, "the folder '%s' cannot be created: %s", path,
                    strerror(errno));
            return false;
        }
        if (slash == NULL) {
            return true;
        }
        *slash = '/';
    }
}

bool token_keep(struct arena *arena, const char *folder, const char *name, struct secret token,
                struct text url, struct err *err)
{
    AUTO(fd) fd = FD_NONE;
    struct text text = secret_reveal(token);

    return token_folder_make(arena, folder, err) && folder_open(folder, &fd, err) &&
           file_replace(fd, name,
                        arena_printf(arena, "%.*s\n%.*s\n", TEXT_ARG(text), TEXT_ARG(url)), 0600,
                        err);
}
