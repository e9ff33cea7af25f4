#include "records/nodes.h"

#include <assert.h>

const char *nodes_end_name(enum nodes_end end)
{
    static const char *const names[NODES_END_COUNT] = {
        [NODES_END_DONE] = "done",
        [NODES_END_CONTINUED] = "stage failed, and the later stages were run",
        [NODES_END_FAILED] = "stage failed",
        [NODES_END_TIMEOUT] = "stage timed out",
        [NODES_END_INTERRUPTED] = "stage was interrupted",
        [NODES_END_UNREACHABLE] = "unreachable",
        [NODES_END_REFUSED] = "refused",
        [NODES_END_CANCELLED] = "cancelled",
    };

    assert(end < NODES_END_COUNT);
    return names[end];
}

static const char *const cause_names[NODES_CAUSE_COUNT] = {
    [NODES_CAUSE_NONE] = "",
    [NODES_CAUSE_NO_ROOT] = "no-root",
    [NODES_CAUSE_KEY_UNKNOWN] = "host-key-unknown",
    [NODES_CAUSE_KEY_AWAITED] = "host-key-awaited",
    [NODES_CAUSE_KEY_OTHER] = "host-key-changed",
    [NODES_CAUSE_LOGIN] = "login-refused",
    [NODES_CAUSE_LOGIN_KEY] = "key-refused",
    [NODES_CAUSE_NO_SPACE] = "disk-full",
    [NODES_CAUSE_UNREACHABLE] = "unreachable",
    [NODES_CAUSE_OTHER] = "other",
};

const char *nodes_cause_name(enum nodes_cause cause)
{
    assert(cause < NODES_CAUSE_COUNT);
    return cause_names[cause];
}

enum nodes_cause nodes_cause_find(struct text name)
{
    for (enum nodes_cause cause = NODES_CAUSE_NO_ROOT; cause < NODES_CAUSE_COUNT; cause++) {
        if (text_is(name, cause_names[cause])) {
            return cause;
        }
    }
    return NODES_CAUSE_NONE;
}

bool nodes_cause_is_login(enum nodes_cause cause)
{
    return cause != NODES_CAUSE_NONE && cause != NODES_CAUSE_NO_SPACE && cause != NODES_CAUSE_OTHER;
}

struct text nodes_cause_hint(struct arena *arena, enum nodes_cause cause, struct text cluster,
                             struct text node, struct text user)
{
    switch (cause) {
    case NODES_CAUSE_NO_ROOT:
        return arena_printf(arena,
                            "on the node, install sudo and write \"%.*s ALL=(ALL) NOPASSWD: ALL\" "
                            "to /etc/sudoers.d/reeve; or log in as root",
                            TEXT_ARG(user));
    case NODES_CAUSE_KEY_UNKNOWN:
        return arena_printf(arena,
                            "reeve ca accept %.*s/%.*s KEY, with the line of "
                            "/etc/ssh/ssh_host_ed25519_key.pub on the node; or set ssh: "
                            "{firstUse: true} in its group",
                            TEXT_ARG(cluster), TEXT_ARG(node));
    case NODES_CAUSE_KEY_AWAITED:
        return arena_printf(arena, "reeve console %.*s/%.*s shows how far the machine is",
                            TEXT_ARG(cluster), TEXT_ARG(node));
    case NODES_CAUSE_KEY_OTHER:
        return arena_printf(
            arena,
            "if the node was reinstalled: reeve ca accept %.*s/%.*s SHA256:...; otherwise a different machine has this address",
            TEXT_ARG(cluster), TEXT_ARG(node));
    case NODES_CAUSE_LOGIN:
        return arena_printf(arena,
                            "add the line of reeve ca show %.*s to ~%.*s/.ssh/authorized_keys on "
                            "the node, and check its clock (date): certificates are valid for a "
                            "limited time",
                            TEXT_ARG(cluster), TEXT_ARG(user.length > 0 ? user : TEXT("root")));
    case NODES_CAUSE_LOGIN_KEY:
        return arena_printf(arena,
                            "add the public half of the group's key to ~%.*s/.ssh/authorized_keys "
                            "on the node; or apply the file with the right privateKeyFile, or "
                            "reeve set secret/NAME value=@FILE with the name in sshKeySecret",
                            TEXT_ARG(user.length > 0 ? user : TEXT("root")));
    case NODES_CAUSE_NO_SPACE:
        return arena_printf(arena, "free space on the node: reeve ssh %.*s/%.*s -- df -h",
                            TEXT_ARG(cluster), TEXT_ARG(node));
    case NODES_CAUSE_NONE:
    case NODES_CAUSE_UNREACHABLE:
    case NODES_CAUSE_OTHER:
    case NODES_CAUSE_COUNT:
        break;
    }
    return TEXT("");
}
