/* reeve ca: rotates the certificate authorities of a cluster, revokes the keys of a machine, and
 * accepts the new host key of a machine. */
#include "base/macros.h"
#include "cli/manager/kept.h"
#include "cli/manager/say.h"
#include "codec/doc_child.h"

#include <string.h>

static enum exit_code cluster_refuse(struct command *command, const char *word, const char *form)
{
    (void)kept_refuse(command, word, form);
    return EXIT_CODE_USAGE;
}

static enum exit_code ca_show(struct command *command, const struct session *session,
                              struct text cluster)
{
    struct doc object;
    const struct doc *status;
    struct text rotation;

    if (!session_get(command, session,
                     session_path(command, schema_kind_find(TEXT("Cluster")), cluster), &object)) {
        return EXIT_CODE_FAILED;
    }
    status = doc_child(&object, "status");
    rotation = doc_child_text(status, "rotation");
    if (doc_child_text(status, "ssh").length == 0) {
        buf_printf(&command->notes,
                   "cluster/%.*s has no SSH authorities: reeve does not log in to its machines\n",
                   TEXT_ARG(cluster));
        return EXIT_CODE_DONE;
    }
    buf_printf(&command->out, "%.*s\n", TEXT_ARG(doc_child_text(status, "ssh")));
    if (rotation.length > 0) {
        buf_printf(&command->notes, "cluster/%.*s: the SSH authorities are being rotated: %.*s\n",
                   TEXT_ARG(cluster), TEXT_ARG(rotation));
    }
    return EXIT_CODE_DONE;
}

static enum exit_code rotate(struct command *command, const struct session *session,
                             struct text cluster, const char *why)
{
    struct target target = { schema_kind_find(TEXT("Cluster")), cluster };

    if (!say_word(command, session, &target, "rotate", TEXT(""), why)) {
        return EXIT_CODE_FAILED;
    }
    buf_printf(
        &command->notes,
        "cluster/%.*s: the rotation of the SSH authorities has started; reeve ca show %.*s shows the progress\n",
        TEXT_ARG(cluster), TEXT_ARG(cluster));
    return EXIT_CODE_DONE;
}

static enum exit_code revoke(struct command *command, const struct session *session,
                             struct text cluster, struct text node, const char *why)
{
    if (!say_of_node(command, session, cluster, node, "revoke", why)) {
        return EXIT_CODE_FAILED;
    }
    buf_printf(
        &command->notes,
        "%.*s/%.*s: the keys of the machine are revoked; it gets new keys only when it is replaced\n",
        TEXT_ARG(cluster), TEXT_ARG(node));
    return EXIT_CODE_DONE;
}

/* Join the arguments of a host key, because a key that the user typed without quotes consists of
 * several arguments. */
static const char *key_join(struct command *command)
{
    const struct args *args = &command->args;
    struct buf buf;

    buf_init(&buf, command->arena);
    for (size_t i = 2; i < args->argument_count; i++) {
        buf_printf(&buf, "%s%s", i == 2 ? "" : " ", args->words[i]);
    }
    return arena_string(command->arena, buf_text(&buf));
}

static enum exit_code accept(struct command *command, const struct session *session,
                             struct text cluster, struct text node, const char *why)
{
    struct target target = { schema_kind_find(TEXT("Cluster")), cluster };
    struct say say = { .word = "accept", .node = node, .key = key_join(command), .why = why };

    if (!say_it(command, session, &target, &say, NULL)) {
        return EXIT_CODE_FAILED;
    }
    buf_printf(
        &command->notes,
        "%.*s/%.*s: this host key is accepted from now on; waiting work continues automatically\n",
        TEXT_ARG(cluster), TEXT_ARG(node));
    return EXIT_CODE_DONE;
}

static enum exit_code key_miss(struct command *command)
{
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                   "the host key to accept is missing");

    (void)err_hint(
        err,
        "reeve describe node %s shows the key that the machine presents; compare it on the console of the machine: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub",
        command->args.words[1]);
    return EXIT_CODE_USAGE;
}

enum exit_code verb_ca(struct command *command)
{
    const char *verb = command->args.words[0];
    const char *why = args_value(&command->args, FLAG_CA_MESSAGE);
    struct text name = text_from(command->args.words[1]);
    size_t slash = text_find_byte(name, '/');
    bool accepts = strcmp(verb, "accept") == 0;
    bool is_of_node = accepts || strcmp(verb, "revoke") == 0;
    struct session session;

    if (!is_of_node && strcmp(verb, "show") != 0 && strcmp(verb, "rotate") != 0) {
        return cluster_refuse(command, verb, "show, rotate, revoke or accept");
    }
    if (!accepts && command->args.argument_count > 2) {
        return cluster_refuse(command, command->args.words[2], "one name");
    }
    if (is_of_node != (slash != SIZE_MAX)) {
        return cluster_refuse(command, command->args.words[1],
                              is_of_node ? "CLUSTER/NODE" : "CLUSTER");
    }
    if (accepts && command->args.argument_count < 3) {
        return key_miss(command);
    }
    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    if (is_of_node) {
        return (accepts ? accept : revoke)(command, &session, text_slice(name, 0, slash),
                                           text_slice(name, slash + 1, name.length), why);
    }
    return strcmp(verb, "show") == 0 ? ca_show(command, &session, name)
                                     : rotate(command, &session, name, why);
}
