/* reeve backup, reeve restore: make and restore copies of a manager's store. */
#include "cli/manager/session.h"
#include "cli/offline.h"
#include "codec/doc_child.h"
#include "sys/fd.h"
#include "sys/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- backup ---- */

static bool write_refuse(struct command *command, const char *path)
{
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0012, "%s: %s", path,
                          strerror(errno)),
             "name a file that does not exist, in a folder with room for the whole store");
    return false;
}

MUST_CHECK static bool backup_piece_write(struct command *command, const char *path, int file,
                                          struct text bytes)
{
    while (bytes.length > 0) {
        ssize_t count = write(file, bytes.data, bytes.length);

        if (count < 0 && errno != EINTR) {
            return write_refuse(command, path);
        }
        bytes = count < 0 ? bytes : text_slice(bytes, (size_t)count, SIZE_MAX);
    }
    return true;
}

/* Fetch the backup piece by piece. */
MUST_CHECK static bool backup_fetch(struct command *command, const struct session *session,
                                    struct text name, uint64_t bytes, const char *path, int file)
{
    uint64_t have = 0;

    while (have < bytes) {
        struct arena_mark mark = arena_mark(command->arena);
        struct client_request request = { .method = "GET",
                                          .path = arena_printf(
                                              command->arena, "/v1/backups/%.*s?offset=%llu",
                                              TEXT_ARG(name), (unsigned long long)have) };
        struct client_answer answer;

        if (!session_call(command, session, &request, &answer)) {
            return false;
        }
        if (!session_is_done(&answer)) {
            session_refused(command, &answer);
            return false;
        }
        if (answer.body.length == 0) {
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0522,
                         "backup '%.*s' ended after %llu of %llu bytes", TEXT_ARG(name),
                         (unsigned long long)have, (unsigned long long)bytes);
            return false;
        }
        if (!backup_piece_write(command, path, file, answer.body)) {
            return false;
        }
        have += answer.body.length;
        arena_rewind(command->arena, mark);
    }
    return true;
}

enum exit_code verb_backup(struct command *command)
{
    const char *path = command->args.words[0];
    struct client_request request = { .method = "POST", .path = TEXT("/v1/backups") };
    const char *part = arena_printf(command->arena, "%s.part", path).data;
    AUTO(fd) file = FD_NONE;
    struct session session;
    struct text name;
    struct doc answer;
    uint64_t bytes;

    if (access(path, F_OK) == 0) {
        errno = EEXIST;
        (void)write_refuse(command, path);
        return EXIT_CODE_FAILED;
    }
    if (!session_open(command, &session) || !session_ask(command, &session, &request, &answer)) {
        return EXIT_CODE_FAILED;
    }
    name = doc_child_text(&answer, "name");
    bytes = (uint64_t)doc_child_number(&answer, "bytes");
    unlink(part); /* remove the partial file of a backup that was killed */
    file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        (void)write_refuse(command, path);
        return EXIT_CODE_FAILED;
    }
    if (!backup_fetch(command, &session, name, bytes, path, file)) {
        unlink(part);
        return EXIT_CODE_FAILED;
    }
    if (fsync(file) != 0 || renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE) != 0) {
        (void)write_refuse(command, path);
        unlink(part);
        return EXIT_CODE_FAILED;
    }
    buf_printf(&command->out, "%s: %llu bytes, revision %lld\nsha256 of the store in it: %.*s\n",
               path, (unsigned long long)bytes, (long long)doc_child_number(&answer, "revision"),
               TEXT_ARG(doc_child_text(&answer, "sha256")));
    buf_add_string(
        &command->notes,
        "the backup does not contain the keys of secrets and SSH authorities: keep copies of DATA.key and DATA.signer.key of the manager\n");
    return EXIT_CODE_DONE;
}

/* ---- restore ---- */

/* Adds an error, because the folder of this manager's store is not known. */
static enum exit_code restore_refuse(struct command *command, const char *why)
{
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                          "restore needs --data-dir: %s", why),
             "name the folder of the store, which is --data of reeved: reeve restore %s --data-dir "
             "DIR, on the machine of the manager",
             command->args.words[0]);
    return EXIT_CODE_USAGE;
}

/* The store belongs to the manager, so reeved restores it; reeved replaces this process. */
enum exit_code verb_restore(struct command *command)
{
    const char *data = args_value(&command->args, FLAG_RESTORE_DATA_DIR);
    const char *config = args_value(&command->args, FLAG_RESTORE_CONFIG);
    const char *arguments[OFFLINE_ARGUMENTS];
    const char *why = "";
    size_t count = 0;

    if (data == NULL && config == NULL) {
        config = offline_config_find(command, &why);
        if (config == NULL) {
            return restore_refuse(command, why);
        }
    }
    if (config != NULL) {
        arguments[count++] = "--config";
        arguments[count++] = config;
    }
    if (data != NULL) {
        arguments[count++] = "--data";
        arguments[count++] = data;
    }
    arguments[count++] = "--restore";
    arguments[count++] = command->args.words[0];
    if (args_has(&command->args, FLAG_RESTORE_REPLACE)) {
        arguments[count++] = "--replace";
    }
    return offline_run(command, arguments, count);
}
