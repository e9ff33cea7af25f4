#include "host/sandbox.h"

#include <assert.h>

/* Names of the parts. They are in a separate file, so that programs that only display them need not
 * link the sandbox. */

static const struct {
    const char *name;
    const char *about;
} parts[SANDBOX_PART_COUNT] = {
    [SANDBOX_USER] = { "userNamespace", "runs as a user without rights (user namespace)" },
    [SANDBOX_PROCESSES] = { "pidNamespace", "sees no other processes" },
    [SANDBOX_FILES] = { "mountNamespace",
                        "sees only the system's files, read-only, and its own folder" },
    [SANDBOX_MESSAGES] = { "ipcNamespace", "shares no memory and no message queues with other "
                                           "processes" },
    [SANDBOX_NAME] = { "utsNamespace", "does not see the host name of this machine" },
    [SANDBOX_NETWORK] = { "netNamespace", "has a separate network; only a relay leads out of it" },
    [SANDBOX_IDENTITY] = { "user", "runs as a separate user of this machine, not as root" },
    [SANDBOX_CAPABILITIES] = { "capabilities", "has no capabilities" },
    [SANDBOX_PRIVILEGES] = { "noNewPrivileges", "cannot gain privileges by running a program" },
    [SANDBOX_LANDLOCK] = { "landlock", "reads and writes only listed files" },
    [SANDBOX_SCOPES] = { "landlockScopes", "sends no signals and opens no abstract sockets "
                                           "outside of the sandbox" },
    [SANDBOX_CALLS] = { "seccomp", "makes only listed system calls, and starts no program" },
    [SANDBOX_LIMITS] = { "limits", "memory, descriptors and files are limited" },
    [SANDBOX_THREADS] = { "threadLimit", "the number of threads is limited" },
    [SANDBOX_DUMPS] = { "noDumps", "its memory is neither dumped nor readable by other processes" },
    [SANDBOX_DEATH] = { "endsWithManager", "ends with its manager" },
};

const char *sandbox_profile_name(enum sandbox_profile profile)
{
    static const char *const names[SANDBOX_PROFILE_COUNT] = {
        [SANDBOX_CLOUD] = "cloud",
        [SANDBOX_HOST] = "host",
        [SANDBOX_KEYS] = "keys",
    };

    assert(profile < SANDBOX_PROFILE_COUNT);
    return names[profile];
}

const char *sandbox_part_name(enum sandbox_part part)
{
    assert(part < SANDBOX_PART_COUNT);
    return parts[part].name;
}

const char *sandbox_part_about(enum sandbox_part part)
{
    assert(part < SANDBOX_PART_COUNT);
    return parts[part].about;
}

struct text sandbox_part_words(struct arena *arena, const struct sandbox_report *report,
                               enum sandbox_part part)
{
    const char *why = report->parts[part].why;

    assert(part < SANDBOX_PART_COUNT);
    switch (report->parts[part].state) {
    case SANDBOX_IN_FORCE:
        return why[0] == '\0' ? TEXT("in force") : arena_printf(arena, "in force: %s", why);
    case SANDBOX_MISSING:
        return arena_printf(arena, "missing: %s", why);
    case SANDBOX_NOT_MEANT:
    default:
        return TEXT("not used");
    }
}

struct wire_list sandbox_report_pairs(struct arena *arena, const struct sandbox_report *report,
                                      const struct wire_pair *beside)
{
    struct wire_pair *pairs = arena_array(arena, struct wire_pair, SANDBOX_PART_COUNT + 1);
    size_t count = 0;

    for (int part = 0; part < SANDBOX_PART_COUNT; part++) {
        if (report->parts[part].state != SANDBOX_NOT_MEANT) {
            pairs[count++] = (struct wire_pair){
                text_from(sandbox_part_name((enum sandbox_part)part)),
                sandbox_part_words(arena, report, (enum sandbox_part)part),
            };
        }
    }
    if (beside != NULL) {
        pairs[count++] = *beside;
    }
    return (struct wire_list){ pairs, count };
}
