#include "cli/manager/entry.h"

#include "base/secret.h"
#include "cli/manager/nodes.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "sys/foreground.h"
#include "sys/random.h"

static void key_draw(struct entry *entry)
{
    unsigned char seed[SSH_SEED_BYTES];
    unsigned char secret[SSH_SECRET_BYTES];
    struct ssh_key key;
    uint32_t check;

    random_fill(random_system(), seed, sizeof(seed));
    random_fill(random_system(), &check, sizeof(check));
    ssh_key_make(seed, &key, secret);
    entry->key_bytes = ssh_key_format_private(secret, check, TEXT("reeve"), entry->key);
    entry->line = ssh_key_format(entry->command->arena, &key, TEXT(""));
    secret_wipe(seed, sizeof(seed));
    secret_wipe(secret, sizeof(secret));
}

static bool certificate_ask(struct entry *entry)
{
    struct command *command = entry->command;
    struct client_request request = { .method = "POST", .content_type = "application/json" };
    struct doc_builder builder;
    struct session session;
    struct doc body;
    struct buf buf;

    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "key", doc_text(entry->line, NULL));
    doc_builder_put(&builder, "node", doc_text(entry->node, NULL));
    body = doc_builder_map(&builder, NULL);
    buf_init(&buf, command->arena);
    json_format(&buf, &body);
    request.body = buf_text(&buf);
    if (!session_open(command, &session) ||
        !nodes_memory_ask(command, &session, entry->node, &entry->cluster)) {
        return false;
    }
    request.path = arena_printf(
        command->arena, "%.*s/enter",
        TEXT_ARG(session_path(command, schema_kind_find(TEXT("Cluster")), entry->cluster)));
    return session_ask(command, &session, &request, &entry->reported);
}

static struct text entry_reported(const struct entry *entry, const char *name)
{
    return doc_child_text(&entry->reported, name);
}

/* Values from the manager are written to a configuration file of ssh. Values with a special meaning
 * there are refused. */
MUST_CHECK static bool entry_answer_check(const struct entry *entry, struct err *err)
{
    static const char *const words[] = { "address", "node", "port", "user" };

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        struct text word = entry_reported(entry, words[i]);

        if (!ssh_is_principal(word) || text_find_byte(word, '%') != SIZE_MAX) {
            return err_set(err, CODE_R0744,
                           "the manager sent a %s that is not safe in an ssh configuration: '%.*s'",
                           words[i], TEXT_ARG(word));
        }
    }
    return true;
}

static struct text config_format(const struct entry *entry)
{
    return arena_printf(
        entry->command->arena,
        "Host *\nHostName %.*s\nPort %.*s\nUser %.*s\nHostKeyAlias %.*s\nIdentityFile %s\n"
        "CertificateFile %s\nUserKnownHostsFile %s\nGlobalKnownHostsFile none\n"
        "StrictHostKeyChecking yes\nUpdateHostKeys no\nIdentitiesOnly yes\nIdentityAgent none\n"
        "PreferredAuthentications publickey\nBatchMode yes\nConnectTimeout 20\nConnectionAttempts 3\n"
        "ServerAliveInterval 30\nLogLevel ERROR\n",
        TEXT_ARG(entry_reported(entry, "address")), TEXT_ARG(entry_reported(entry, "port")),
        TEXT_ARG(entry_reported(entry, "user")), TEXT_ARG(entry_reported(entry, "node")),
        entry->paths[ENTRY_FILE_KEY], entry->paths[ENTRY_FILE_CERTIFICATE],
        entry->paths[ENTRY_FILE_KNOWN]);
}

MUST_CHECK static bool entry_files_write(struct entry *entry, struct err *err)
{
    struct arena *arena = entry->command->arena;
    struct text certificate =
        arena_printf(arena, "%.*s\n", TEXT_ARG(entry_reported(entry, "certificate")));
    struct text known = arena_printf(arena, "%.*s %.*s\n", TEXT_ARG(entry_reported(entry, "node")),
                                     TEXT_ARG(entry_reported(entry, "hostKey")));
    bool is_written =
        foreground_file_make(arena, ".key", (struct text){ entry->key, entry->key_bytes },
                             &entry->paths[ENTRY_FILE_KEY], err) &&
        foreground_file_make(arena, ".pub", certificate, &entry->paths[ENTRY_FILE_CERTIFICATE],
                             err) &&
        foreground_file_make(arena, ".known", known, &entry->paths[ENTRY_FILE_KNOWN], err);

    secret_wipe(entry->key, sizeof(entry->key));
    return is_written && foreground_file_make(arena, ".config", config_format(entry),
                                              &entry->paths[ENTRY_FILE_CONFIG], err);
}

void entry_close(const struct entry *entry)
{
    for (size_t i = 0; i < ENTRY_FILE_COUNT; i++) {
        if (entry->paths[i] != NULL) {
            foreground_file_remove(entry->paths[i]);
        }
    }
}

bool entry_open(struct command *command, struct text cluster, struct text node, struct entry *out)
{
    struct err err;

    *out = (struct entry){ .command = command, .cluster = cluster, .node = node };
    key_draw(out);
    if (!certificate_ask(out)) {
        secret_wipe(out->key, sizeof(out->key));
        return false;
    }
    if (entry_answer_check(out, &err) && entry_files_write(out, &err)) {
        return true;
    }
    secret_wipe(out->key, sizeof(out->key));
    entry_close(out);
    err_list_add(&command->errors, &err);
    return false;
}

const char *entry_config(const struct entry *entry)
{
    return entry->paths[ENTRY_FILE_CONFIG];
}

const char *entry_host(const struct entry *entry)
{
    return arena_string(entry->command->arena, entry_reported(entry, "node"));
}
