#include "fetch/ipmi.h"

#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "host/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* public names start with: ipmi_ */

#define IPMI_TOOL "/usr/bin/ipmitool"

/* The words of a call, after `chassis`. */
static const struct {
    const char *call;
    const char *words[2];
} ipmi_calls[] = {
    { "status", { "power", "status" } },
    { "boot", { "bootdev", "pxe" } },
    { "off", { "power", "off" } },
    { "on", { "power", "on" } },
};

/* Becomes a user that owns nothing, if this process is root. */
MUST_CHECK static bool ipmi_privileges_drop(struct err *err)
{
    uid_t own = geteuid() == 0 ? sandbox_user_of("reeve-ipmi") : 0;

    if ((own != 0 && (setgroups(0, NULL) != 0 || setresgid(own, own, own) != 0 ||
                      setresuid(own, own, own) != 0)) ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return err_set(err, CODE_R0650, "reeve-fetch cannot give up its privileges: %s",
                       strerror(errno));
    }
    return true;
}

void ipmi_exec(struct arena *arena, struct text order, struct err *err)
{
    static char *const none[] = { NULL };
    const char *const *words = NULL;
    struct doc doc;

    if (!json_parse(arena, order, NULL, &doc, err)) {
        return;
    }
    for (size_t i = 0; i < sizeof(ipmi_calls) / sizeof(ipmi_calls[0]); i++) {
        if (text_is(doc_child_text(&doc, "call"), ipmi_calls[i].call)) {
            words = ipmi_calls[i].words;
        }
    }
    if (words == NULL) {
        err_set(err, CODE_R0650, "an order for a BMC is not complete");
        return;
    }
    if (ipmi_privileges_drop(err)) {
        bool is_efi =
            strcmp(words[0], "bootdev") == 0 && text_is(doc_child_text(&doc, "uefi"), "true");
        const char *const argv[] = {
            "ipmitool", "-v",
            "-I",       "lanplus",
            "-H",       arena_string(arena, doc_child_text(&doc, "address")),
            "-p",       arena_string(arena, doc_child_text(&doc, "port")),
            "-U",       arena_string(arena, doc_child_text(&doc, "user")),
            "-L",       "OPERATOR",
            "-N",       "3",
            "-R",       "2",
            "-f",       "/proc/self/fd/3",
            "chassis",  words[0],
            words[1],   is_efi ? "options=efiboot" : NULL,
            NULL
        };

        execve(IPMI_TOOL, (char *const *)argv, none);
        err_set(err, CODE_R0650, "%s: %s", IPMI_TOOL, strerror(errno));
    }
}
