#include "cli/hosts/ssh_host.h"

#include "session/script.h"

#include <assert.h>

/* public names start with: ssh_host_ */

enum { SSH_FAILED = 255 }; /* the exit code of ssh for its own failures */

bool ssh_host_open(struct ssh_host *host)
{
    struct command *command = host->command;

    host->ssh = program_find(command->arena, "ssh");
    return host->ssh != NULL ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0714,
                                 "ssh is not installed on this computer"),
                    "apt install openssh-client");
}

bool ssh_host_run(const struct ssh_host *host, const char *line, struct text input,
                  uint64_t deadline_ms, struct program_answer *out, struct err *err)
{
    const char *argv[16];
    size_t count = 0;

    argv[count++] = host->ssh;
    argv[count++] = "-o";
    argv[count++] = "BatchMode=yes";
    argv[count++] = "-o";
    argv[count++] = "ConnectTimeout=20";
    if (host->port != NULL) {
        argv[count++] = "-p";
        argv[count++] = host->port;
    }
    if (host->key != NULL) {
        argv[count++] = "-i";
        argv[count++] = host->key;
    }
    if (host->user != NULL) {
        argv[count++] = "-l";
        argv[count++] = host->user;
    }
    argv[count++] = "--";
    argv[count++] = host->name;
    argv[count++] = line;
    argv[count] = NULL;
    assert(count < ARRAY_COUNT(argv));
    return program_run(host->command, argv, input, deadline_ms, out, err);
}

const char *ssh_host_root_line(struct arena *arena, struct text script)
{
    static const char enter[] =
        "if [ \"$(id -u)\" = 0 ]; then exec sh -c \"$1\"; fi; "
        "sudo -n true 2>/dev/null || { echo \"$(id -un) may not become root by sudo -n\" >&2; exit 77; }; "
        "exec sudo -n sh -c \"$1\"";
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, "exec sh -c ");
    script_quote_add(&buf, text_from(enter));
    buf_add_string(&buf, " reeve ");
    script_quote_add(&buf, script);
    return arena_string(arena, buf_text(&buf));
}

bool ssh_host_judge(const struct ssh_host *host, const char *step,
                    const struct program_answer *answer, struct err *err)
{
    struct text line = program_last_line(host->command->arena, answer->said);

    if (answer->code == 0) {
        return true;
    }
    if (answer->is_late) {
        return err_set(err, CODE_R0852, "%s: the step '%s' took too long", host->name, step);
    }
    err_set(err, CODE_R0852, "%s: the step '%s' failed: %.*s", host->name, step, TEXT_ARG(line));
    if (answer->code == SSH_FAILED) {
        return err_hint(
            err,
            "ssh must work without questions, and the host key must be known; test it: ssh %s%s%s true",
            host->user == NULL ? "" : host->user, host->user == NULL ? "" : "@", host->name);
    }
    return err_hint(err,
                    "fix the cause and run the same command again: it continues where it stopped");
}
