/* ansible-playbook is needed only where configurations have playbooks. */
#include "installation/installation.h"

#include <unistd.h>

enum { MAJOR = 2, MINOR = 14 };

/* Reads the version from output such as `ansible-playbook [core 2.14.18]`. Returns an empty text if
 * there is none. */
static struct text ansible_version(struct text out)
{
    static const struct text mark = { "[core ", 6 };

    for (size_t i = 0; i + mark.length < out.length && out.data[i] != '\n'; i++) {
        if (text_has_prefix(text_slice(out, i, SIZE_MAX), mark)) {
            struct text rest = text_slice(out, i + mark.length, SIZE_MAX);

            return text_slice(rest, 0, text_find_byte(rest, ']'));
        }
    }
    return TEXT("");
}

static bool is_new_enough(struct text version)
{
    struct text rest = text_slice(version, text_find_byte(version, '.') + 1, SIZE_MAX);
    int64_t major = 0;
    int64_t minor = 0;

    return text_parse_int64(text_slice(version, 0, text_find_byte(version, '.')), &major) &&
           text_parse_int64(text_slice(rest, 0, text_find_byte(rest, '.')), &minor) &&
           (major > MAJOR || (major == MAJOR && minor >= MINOR));
}

void installation_ansible_check(struct installation_report *report,
                                const struct installation_facts *facts)
{
    const char *const argv[] = { facts->ansible, "--version", NULL };
    struct arena *arena = report->arena;
    struct text version;
    struct text out = TEXT("");
    struct err err;
    int code;

    if (facts->ansible == NULL) {
        return;
    }
    if (access(facts->ansible, X_OK) != 0) {
        installation_add(report, false,
                         arena_printf(arena,
                                      "there is no %s: configurations with playbooks cannot run "
                                      "here (apt-get install ansible-core)",
                                      facts->ansible),
                         TEXT(""));
        return;
    }
    version = installation_run(arena, argv, &out, &code, &err) && code == 0 ? ansible_version(out)
                                                                            : TEXT("");
    if (is_new_enough(version)) {
        installation_add(
            report, false,
            arena_printf(arena, "%s is of ansible-core %.*s", facts->ansible, TEXT_ARG(version)),
            TEXT(""));
        return;
    }
    installation_add(
        report, true,
        arena_printf(arena, "%s is of ansible-core %.*s, and playbooks need %d.%d or later",
                     facts->ansible, TEXT_ARG(version.length == 0 ? TEXT("unknown") : version),
                     MAJOR, MINOR),
        TEXT(
            "apt-get install ansible-core, or name another program in reeved.yaml: playbook: {ansible: PATH}"));
}
