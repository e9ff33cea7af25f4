#include "host/sandbox.h"

#include <assert.h>

/* Names of the parts. They have a file of their own, so that programs that only display them link
 * no sandbox code. */

static const struct {
    const char *name;
    const char *about;
} parts[SANDBOX_PART_COUNT] = {
    [SANDBOX_USER] = { "userNamespace", "it is nobody" },
    [SANDBOX_PROCESSES] = { "pidNamespace", "it sees no other process" },
    [SANDBOX_FILES] = { "mountNamespace",
                        "it sees the system's files, read-only, and its own folder" },
    [SANDBOX_MESSAGES] = { "ipcNamespace", "it shares no memory and no queues" },
    [SANDBOX_NAME] = { "utsNamespace", "it does not know the name of this machine" },
    [SANDBOX_NETWORK] = { "netNamespace",
                          "it has a network of its own, and at most a relay leads out" },
    [SANDBOX_IDENTITY] = { "user", "outside it is a user of its own, not root" },
    [SANDBOX_CAPABILITIES] = { "capabilities", "it has none" },
    [SANDBOX_PRIVILEGES] = { "noNewPrivileges", "no program gives it any" },
    [SANDBOX_LANDLOCK] = { "landlock", "it reads and writes listed files only" },
    [SANDBOX_SCOPES] = { "landlockScopes", "no signals and abstract sockets to the outside" },
    [SANDBOX_CALLS] = { "seccomp", "it makes listed system calls only, and starts no program" },
    [SANDBOX_LIMITS] = { "limits", "memory, descriptors and files have bounds" },
    [SANDBOX_THREADS] = { "threadLimit", "threads have a bound" },
    [SANDBOX_DUMPS] = { "noDumps", "its memory is not written out, nor shown to others" },
    [SANDBOX_DEATH] = { "endsWithManager", "it does not outlive its manager" },
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
        return TEXT("not meant");
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
