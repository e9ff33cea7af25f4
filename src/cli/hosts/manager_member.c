#include "cli/hosts/manager_setup.h"
#include "codec/json.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

/* public names start with: manager_ */

enum { MEMBER_STEP_MS = 60 * 1000 };

/* Find the numeric address of the host, as the manager there reaches it. */
static bool member_address_find(const struct ssh_host *host, const char **out)
{
    struct command *command = host->command;
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    char address[NI_MAXHOST];
    int code = getaddrinfo(host->name, NULL, &hints, &found);

    if (code == 0) {
        code = getnameinfo(found->ai_addr, found->ai_addrlen, address, sizeof(address), NULL, 0,
                           NI_NUMERICHOST);
        freeaddrinfo(found);
    }
    if (code != 0) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0852,
                                     "the address of %s is not known: %s", host->name,
                                     gai_strerror(code)),
                        "name the host by its address");
    }
    *out = host->port == NULL ? arena_string(command->arena, text_from(address))
           : strchr(address, ':') != NULL
               ? arena_printf(command->arena, "[%s]:%s", address, host->port).data
               : arena_printf(command->arena, "%s:%s", address, host->port).data;
    return true;
}

bool manager_member_read(const struct ssh_host *host, struct manager_member *out)
{
    struct command *command = host->command;
    size_t slash;

    *out = (struct manager_member){ .group = args_value(&command->args, FLAG_BOOTSTRAP_AS) };
    if (out->group == NULL) {
        return true;
    }
    slash = text_find_byte(text_from(out->group), '/');
    out->cluster = text_slice(text_from(out->group), 0, slash);
    out->path =
        slash == SIZE_MAX ? TEXT("") : text_slice(text_from(out->group), slash + 1, SIZE_MAX);
    if (out->cluster.length == 0 || out->path.length == 0) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "'%s' is not the name of a group", out->group),
                        "--as CLUSTER/GROUP");
    }
    if (host->key == NULL) {
        return err_hint(
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0023, "--as needs --key"),
            "the manager logs in to its host with this key until the host trusts the "
            "authority of the cluster");
    }
    return member_address_find(host, &out->address);
}

/* The cluster with the group, which has no machine yet. */
static struct text member_file(const struct ssh_host *host, const struct manager_member *member)
{
    struct arena *arena = host->command->arena;
    struct doc_builder builder;
    struct doc_builder groups;
    struct doc_builder group;
    struct doc_builder plugin;
    struct doc whole;
    struct buf buf;

    doc_builder_init(&plugin, arena);
    doc_builder_put(&plugin, "name", doc_text(TEXT("inventory"), NULL));
    doc_builder_init(&group, arena);
    doc_builder_put(&group, "resourcePlugin", doc_builder_map(&plugin, NULL));
    doc_builder_put(&group, "size", doc_int(arena, 0, NULL));
    if (host->user != NULL) {
        doc_builder_put(&group, "user", doc_text(text_from(host->user), NULL));
    }
    doc_builder_init(&groups, arena);
    doc_builder_put(&groups, arena_string(arena, member->path), doc_builder_map(&group, NULL));
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "groups", doc_builder_map(&groups, NULL));
    doc_builder_put(&builder, "name", doc_text(member->cluster, NULL));
    doc_builder_put(&builder, "version", doc_text(TEXT("1"), NULL));
    whole = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &whole);
    return buf_text(&buf);
}

/* Make the cluster with the group if there is no such cluster. */
static bool member_group_make(const struct ssh_host *host, const struct manager_member *member,
                              const char *context)
{
    struct command *command = host->command;
    const char *path =
        arena_printf(command->arena, "/v1/clusters/%.*s", TEXT_ARG(member->cluster)).data;
    const char *const look[] = { "api", "GET", path, "--context", context, NULL };
    const char *const apply[] = { "apply", "-f", "-", "--yes", "--context", context, NULL };
    struct program_answer answer;
    struct err err;

    if (!program_run_self(command, look, TEXT(""), MEMBER_STEP_MS, &answer, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    return answer.code == 0 ||
           manager_self_run(command, apply, member_file(host, member), "member");
}

bool manager_member_adopt(const struct ssh_host *host, const struct manager_member *member,
                          const char *context, const struct program_answer *look)
{
    struct command *command = host->command;
    const char *user = host->user == NULL ? "root" : host->user;
    const char *const discover[] = { "discover", member->address, "--user",    user,    "--key",
                                     host->key,  "--approve",     "--context", context, NULL };
    const char *const adopt[] = { "adopt", member->address, "-g",    member->group,
                                  "--yes", "--context",     context, NULL };
    const char *const mark[] = { "member", member->group, NULL };
    struct program_answer answer;

    if (member->group == NULL) {
        return true;
    }
    if (manager_value(look, "member_done").length > 0) {
        manager_say(host, "member",
                    arena_printf(command->arena, "is a member of %.*s",
                                 TEXT_ARG(manager_value(look, "member_done"))));
        return true;
    }
    if (!member_group_make(host, member, context) ||
        !manager_self_run(command, discover, TEXT(""), "member") ||
        !manager_self_run(command, adopt, TEXT(""), "member") ||
        !manager_step(host, mark, MEMBER_STEP_MS, &answer)) {
        return false;
    }
    manager_say(host, "member", arena_printf(command->arena, "is adopted into %s", member->group));
    return true;
}
