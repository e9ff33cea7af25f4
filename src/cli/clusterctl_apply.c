#include "base/limits.h"
#include "cli/hosts/program.h"
#include "cli/args/consent.h"
#include "cli/clusterctl.h"
#include "codec/doc_child.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* public names start with: clusterctl_ */

/* reeve clusterctl import --apply: runs the commands that import prints without it. Each is this
 * program with other arguments, so plans, checks and messages are the same. */

enum {
    APPLY_MS = 60 * 60 * 1000,
    APPLY_MACHINES = 30, /* machines of one request */
    APPLY_WORDS = 60,
    APPLY_CONFIG_BYTES = 1024 * 1024,
};

struct apply {
    const struct clusterctl_found *found;
    struct command *command;
    struct session session;
    const struct doc *rows; /* machines of the inventory, a list */
};

static bool apply_failed(const struct apply *apply, const char *step, struct text line)
{
    return err_hint(err_list_set(&apply->command->errors, (struct place){ 0 }, CODE_R0852,
                                 "reeve %s failed: %.*s", step, TEXT_ARG(line)),
                    "fix the cause and run the same command again: what is done already is left "
                    "as it is");
}

/* Run this program against the same manager, and print what it prints. `words` ends with NULL. */
static bool apply_run(struct apply *apply, const char *const *words, struct text input)
{
    static const char *const passed[] = { "context", "tenant", "timeout" };
    struct command *command = apply->command;
    const char *argv[APPLY_WORDS];
    struct program_answer answer;
    size_t count = 0;
    struct err err;

    for (; words[count] != NULL; count++) {
        argv[count] = words[count];
    }
    for (size_t i = 0; i < ARRAY_COUNT(passed); i++) {
        const char *value = args_named(&command->args, passed[i]);

        if (value != NULL) {
            argv[count++] = arena_printf(command->arena, "--%s", passed[i]).data;
            argv[count++] = value;
        }
    }
    argv[count] = NULL;
    command_say(command, arena_printf(command->arena, "reeve %s %s\n", words[0], words[1]));
    if (!program_run_self(command, argv, input, APPLY_MS, &answer, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    command_say(command, answer.out);
    command_say(command, answer.said);
    return answer.code == 0 ||
           apply_failed(apply, arena_printf(command->arena, "%s %s", words[0], words[1]).data,
                        arena_printf(command->arena, "exit code %d", answer.code));
}

/* ---- steps ---- */

static bool apply_secret(struct apply *apply)
{
    struct command *command = apply->command;
    struct client_request request = { .method = "GET", .path = TEXT("/v1/secrets/contiv") };
    struct client_answer answer;
    const char *words[] = { "create", "secret", "contiv", NULL, "--yes", NULL };

    if (apply->found->key_file.length == 0) {
        return true;
    }
    if (!session_call(command, &apply->session, &request, &answer)) {
        return false;
    }
    if (session_is_done(&answer)) {
        command_say(command, TEXT("the secret contiv exists\n"));
        return true;
    }
    words[3] = arena_printf(command->arena, "@%.*s", TEXT_ARG(apply->found->key_file)).data;
    return apply_run(apply, words, TEXT(""));
}

static bool apply_configuration(struct apply *apply)
{
    const char *words[] = { "config", "push", NULL, "--name", "contiv", NULL };

    words[2] = arena_string(apply->command->arena, apply->found->location);
    return apply->found->location.length == 0 || apply_run(apply, words, TEXT(""));
}

/* The row of the inventory with this address, which may have a port; NULL if there is none. */
static const struct doc *apply_row_find(const struct apply *apply, struct text address)
{
    for (size_t i = 0; doc_is_list(apply->rows) && i < apply->rows->item_count; i++) {
        const struct doc *row = &apply->rows->items[i];
        struct text own = doc_child_text(row, "address");
        int64_t port = doc_child_number(row, "port");

        if (text_is_equal(own, address) ||
            text_is_equal(
                arena_printf(apply->command->arena, "%.*s:%lld", TEXT_ARG(own), (long long)port),
                address)) {
            return row;
        }
    }
    return NULL;
}

static bool apply_rows_get(struct apply *apply)
{
    struct doc *answer = arena_one(apply->command->arena, struct doc);

    if (!session_get(apply->command, &apply->session, TEXT("/v1/nodes?discovered=1&limit=1000"),
                     answer)) {
        return false;
    }
    apply->rows = doc_child(answer, "items");
    return true;
}

/* Discover the machines of a group that have no row yet, a part at a time. */
static bool apply_discover(struct apply *apply, const struct clusterctl_group *group)
{
    struct arena *arena = apply->command->arena;
    const struct clusterctl_found *found = apply->found;
    size_t at = 0;

    while (at < group->count) {
        const char *words[APPLY_WORDS] = { "discover" };
        size_t count = 1;

        for (; at < group->count && count <= APPLY_MACHINES; at++) {
            if (apply_row_find(apply, group->addresses[at]) == NULL) {
                words[count++] = arena_string(arena, group->addresses[at]);
            }
        }
        if (count == 1) {
            continue;
        }
        if (found->user.length > 0) {
            words[count++] = "--user";
            words[count++] = arena_string(arena, found->user);
        }
        if (found->key_file.length > 0) {
            words[count++] = "--key";
            words[count++] = arena_string(arena, found->key_file);
        }
        if (!apply_run(apply, words, TEXT(""))) {
            return false;
        }
    }
    return true;
}

/* Commission the machines of a group that no group has, a part at a time. */
static bool apply_commission(struct apply *apply, const struct clusterctl_group *group)
{
    struct arena *arena = apply->command->arena;
    size_t at = 0;

    while (at < group->count) {
        const char *words[APPLY_WORDS] = { "commission" };
        size_t count = 1;

        for (; at < group->count && count <= APPLY_MACHINES; at++) {
            const struct doc *row = apply_row_find(apply, group->addresses[at]);

            if (row != NULL && !doc_is_present(doc_child(row, "claim"))) {
                words[count++] = arena_string(arena, doc_child_text(row, "id"));
            }
        }
        if (count == 1) {
            continue;
        }
        words[count++] = "-g";
        words[count++] = arena_printf(arena, "contiv/%.*s", TEXT_ARG(group->name)).data;
        words[count++] = "--yes";
        if (!apply_run(apply, words, TEXT(""))) {
            return false;
        }
    }
    return true;
}

/* ---- settings of the manager ---- */

/* True if a line of the text begins with this key. */
static bool apply_config_has(struct text text, const char *key)
{
    while (text.length > 0) {
        size_t end = text_find_byte(text, '\n');

        if (text_has_prefix(text, text_from(key))) {
            return true;
        }
        text = end == SIZE_MAX ? TEXT("") : text_slice(text, end + 1, SIZE_MAX);
    }
    return false;
}

/* Add the settings to the configuration of the manager on this computer. The manager checks the
 * result before the file is replaced. */
static bool apply_settings(struct apply *apply)
{
    struct command *command = apply->command;
    const char *path = args_value(&command->args, FLAG_CLUSTERCTL_CONFIG);
    const char *reeved = program_find(command->arena, "reeved");
    const char *argv[] = { reeved, "--check-config", "--config", NULL, NULL };
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    AUTO(fd) folder = FD_NONE;
    struct program_answer answer;
    struct text text;
    struct err err;
    struct buf buf;

    if (path == NULL) {
        return true;
    }
    if (!file_read(command->arena, path, APPLY_CONFIG_BYTES, &text, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (apply_config_has(text, "inventory:") || apply_config_has(text, "contiv:")) {
        command_say(command, arena_printf(command->arena,
                                          "%s has its own settings inventory or contiv, and stays "
                                          "as it is\n",
                                          path));
        return true;
    }
    buf_init(&buf, command->arena);
    buf_printf(&buf, "%.*s%s# Added by reeve clusterctl import.\n%.*s", TEXT_ARG(text),
               text.length > 0 && text.data[text.length - 1] != '\n' ? "\n" : "",
               TEXT_ARG(apply->found->settings));
    argv[3] = arena_printf(command->arena, "%s.new", path).data;
    if (!folder_open(slash == NULL
                         ? "."
                         : arena_string(command->arena,
                                        text_slice(text_from(path), 0, (size_t)(slash - path) + 1)),
                     &folder, &err) ||
        !file_replace(folder,
                      arena_printf(command->arena, "%s.new", slash == NULL ? path : slash + 1).data,
                      buf_text(&buf), 0644, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (reeved != NULL) {
        if (!program_run(command, argv, TEXT(""), APPLY_MS, &answer, &err)) {
            err_list_add(&command->errors, &err);
            return false;
        }
        if (answer.code != 0) {
            (void)!unlink(argv[3]);
            command_say(command, answer.said);
            return apply_failed(apply, "clusterctl import --config",
                                TEXT("the file and these settings are no valid configuration"));
        }
    }
    if (rename(argv[3], path) != 0) {
        return apply_failed(apply, "clusterctl import --config", text_from(strerror(errno)));
    }
    command_say(command,
                arena_printf(command->arena,
                             "%s has the settings; next: sudo systemctl restart reeved\n", path));
    return true;
}

/* ---- all of it ---- */

static size_t apply_count(const struct clusterctl_found *found)
{
    size_t count = 0;

    for (size_t i = 0; i < found->group_count; i++) {
        count += found->groups[i].count;
    }
    return count;
}

static bool apply_groups(struct apply *apply)
{
    const struct clusterctl_found *found = apply->found;

    for (size_t i = 0; i < found->group_count; i++) {
        if (found->groups[i].count > 0 &&
            (!apply_rows_get(apply) || !apply_discover(apply, &found->groups[i]) ||
             !apply_rows_get(apply) || !apply_commission(apply, &found->groups[i]))) {
            return false;
        }
    }
    return true;
}

enum exit_code clusterctl_apply(const struct clusterctl_found *found)
{
    static const char *const file[] = { "apply", "-f", "-", "--yes", NULL };
    struct command *command = found->command;
    struct apply apply = { .found = found, .command = command };
    struct consent_needs needs = { .is_change = true };

    if (!session_open(command, &apply.session)) {
        return EXIT_CODE_USAGE;
    }
    buf_add(&command->notes, found->file);
    buf_printf(&command->notes,
               "this cluster is applied%s%s; %zu machines are discovered and commissioned: their "
               "host keys are trusted as they are shown, and the configuration runs on them\n",
               found->key_file.length > 0 ? ", the private key becomes the secret contiv" : "",
               found->location.length > 0 ? ", the playbooks become the configuration contiv" : "",
               apply_count(found));
    command_flush(command);
    if (!consent_get(command, &needs, session_words(command, &apply.session), NULL, NULL)) {
        return EXIT_CODE_DECLINED;
    }
    if (!apply_secret(&apply) || !apply_configuration(&apply) ||
        !apply_run(&apply, file, found->file) || !apply_settings(&apply) || !apply_groups(&apply)) {
        return EXIT_CODE_FAILED;
    }
    return EXIT_CODE_DONE;
}
