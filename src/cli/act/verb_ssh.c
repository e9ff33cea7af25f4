/* reeve ssh: logs in to a machine with OpenSSH, with a key that exists only while this command runs
 * and a certificate that is valid for minutes. */
#include "cli/manager/entry.h"
#include "cli/manager/nodes.h"
#include "sys/foreground.h"

/* Run ssh with its configuration file, the machine, and the arguments of the command, which ssh
 * joins with spaces. */
MUST_CHECK static bool ssh_run(const struct entry *entry, int *out_code, struct err *err)
{
    const struct args *args = &entry->command->args;
    const char **argv = arena_array(entry->command->arena, const char *, args->argument_count + 8);
    size_t count = 0;

    argv[count++] = "ssh";
    argv[count++] = "-F";
    argv[count++] = entry_config(entry);
    argv[count++] = "--";
    argv[count++] = entry_host(entry);
    for (size_t i = 1; i < args->argument_count; i++) {
        argv[count++] = args->words[i];
    }
    argv[count] = NULL;
    return foreground_command(argv, out_code, err);
}

enum exit_code verb_ssh(struct command *command)
{
    struct entry entry;
    struct text cluster;
    struct text node;
    struct err err;
    int code = 0;
    bool is_run;

    if (!nodes_word_read(command, command->args.words[0], "reeve ssh shop/web-0", &cluster,
                         &node)) {
        return EXIT_CODE_USAGE;
    }
    if (!entry_open(command, cluster, node, &entry)) {
        return EXIT_CODE_FAILED;
    }
    is_run = ssh_run(&entry, &code, &err);
    entry_close(&entry);
    if (!is_run) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    return (enum exit_code)code;
}
