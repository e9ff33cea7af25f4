#include "host/sandbox.h"

#include "base/limits.h"
#include "host/sandbox_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why the parts are applied in this order:
 * - Descriptors are closed first, so that no process inside the sandbox ever has them.
 * - The file tree is created while the process has the capabilities for it, and before it switches
 *   to a user without access to the original files.
 * - The limit of processes is set after the last process was created.
 * - no_new_privs is set before Landlock and seccomp, which require it.
 * - The system call filter comes last, because it rejects most calls that the other parts need. */

void sandbox_note(struct sandbox_report *report, enum sandbox_part part)
{
    assert(part < SANDBOX_PART_COUNT);
    report->parts[part].state = SANDBOX_IN_FORCE;
    report->parts[part].why[0] = '\0';
}

void sandbox_miss(struct sandbox_report *report, enum sandbox_part part, const char *tried,
                  int number)
{
    assert(part < SANDBOX_PART_COUNT);
    report->parts[part].state = SANDBOX_MISSING;
    snprintf(report->parts[part].why, SANDBOX_WHY_BYTES, "%s%s%s", tried, number == 0 ? "" : ": ",
             number == 0 ? "" : strerror(number));
}

bool sandbox_has(const struct sandbox_report *report, enum sandbox_part part)
{
    return report->parts[part].state == SANDBOX_IN_FORCE;
}

struct sandbox_options sandbox_options_of(enum sandbox_profile profile)
{
    return (struct sandbox_options)
    {
        .profile = profile,
#if !defined(__SANITIZE_ADDRESS__) /* not with the address sanitizer, whose shadow memory exceeds
                                    * any limit */
        .address_bytes = LIMIT_SANDBOX_ADDRESS_BYTES, .data_bytes = LIMIT_SANDBOX_DATA_BYTES,
#endif
        .file_bytes = profile == SANDBOX_KEYS ? 0 : LIMIT_SANDBOX_FILE_BYTES,
        .descriptors_max = LIMIT_SANDBOX_OPEN, .threads_max = LIMIT_SANDBOX_THREADS,
    };
}

MUST_CHECK static bool shut_enter(const struct sandbox_options *options,
                                  struct sandbox_report *report, struct err *err)
{
    struct sandbox_identity identity;

    sandbox_identify(options, &identity, report);
    if (!sandbox_leave(options, &identity, report, err)) {
        return false;
    }
    sandbox_plant(options, report);
    sandbox_become(options, &identity, report);
    sandbox_limit(options, &identity, report);
    sandbox_strip(options, report);
    sandbox_bind(options, &identity, report);
    sandbox_hide(options, report);
    if (!options->without[SANDBOX_LANDLOCK]) {
        sandbox_rule(options, report);
    }
    sandbox_filter(options, report);
    return true;
}

static void host_enter(const struct sandbox_options *options, struct sandbox_report *report)
{
    struct sandbox_identity identity;

    sandbox_identify(options, &identity, report);
    sandbox_limit(options, &identity, report);
    sandbox_bind(options, &identity, report);
    sandbox_hide(options, report);
    sandbox_filter(options, report);
}

bool sandbox_enter(const struct sandbox_options *options, struct sandbox_report *report,
                   struct err *err)
{
    assert(options->profile < SANDBOX_PROFILE_COUNT);
    assert(options->folder == NULL || options->folder[0] == '/');
    assert(options->descriptor_count <= LIMIT_SANDBOX_DESCRIPTORS);
    *report = (struct sandbox_report){ 0 };
    if (!sandbox_close(options, err)) {
        return false;
    }
    clearenv();
    if (options->profile == SANDBOX_HOST) {
        host_enter(options, report);
    } else if (!shut_enter(options, report, err)) {
        return false;
    }
    return true;
}
