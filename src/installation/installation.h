#ifndef REEVE_INSTALLATION_INSTALLATION_H
#define REEVE_INSTALLATION_INSTALLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* Checks of the machine and the files of a manager. The checks only read; they change nothing. */

/* The path at which packages install the configuration of the manager. */
#define INSTALLATION_CONFIG "/etc/reeve/reeved.yaml"

/* A certificate of a listener and its key, paths of files. */
struct installation_certificate {
    const char *certificate;
    const char *key;
};

/* The configuration to check. The strings must outlive the check. */
struct installation_facts {
    const char *config; /* path of the configuration; NULL: the defaults are used */
    const char *data;   /* folder of the store */
    const char *keys[3];
    size_t key_count; /* paths of keys of the manager; a missing one is not an error */
    const char *socket;
    const char *socket_group;
    const char *ansible; /* path of ansible-playbook; a missing one is not an error */
    const struct installation_certificate *certificates;
    size_t certificate_count;
};

/* One result. `fix` is a command or an edit, and empty if nothing is wrong. */
struct installation_finding {
    bool is_wrong;
    struct text what;
    struct text fix;
};

enum { INSTALLATION_FINDINGS_MAX = 64 };

/* The results, in the order of the checks. Their texts live in the arena. */
struct installation_report {
    struct arena *arena;
    struct installation_finding items[INSTALLATION_FINDINGS_MAX];
    size_t count;
    bool has_wrong;
};

/* Begin an empty report. */
void installation_report_init(struct installation_report *report, struct arena *arena);

/* Add one result, of this or of another module. When the report is full, a problem is only counted
 * and not stored. */
void installation_add(struct installation_report *report, bool is_wrong, struct text what,
                      struct text fix);

/* Add the results of all checks. */
void installation_check(struct installation_report *report, const struct installation_facts *facts);

/* Parts of installation_check(). installation_programs_check checks the versions of reeve's
 * programs in the folder of this program. The other functions check the dates of certificates and
 * the modes of keys. */
void installation_programs_check(struct installation_report *report);
void installation_certificates_check(struct installation_report *report,
                                     const struct installation_facts *facts);

/* Check the version of ansible-playbook, which runs the playbooks of configurations. */
void installation_ansible_check(struct installation_report *report,
                                const struct installation_facts *facts);

/* Check the mode of a key file: only its owner and its group may read it. */
void installation_key_check(struct installation_report *report, const char *path);

/* Run a program (absolute path) to its end, with nothing on its standard input, for at most
 * LIMIT_INSTALLATION_RUN_MS. *out is the start of its standard output, in the arena. *out_code is
 * its exit code, or -1 if a signal ended it. Fails with R0533 if it cannot be started. */
MUST_CHECK bool installation_run(struct arena *arena, const char *const *argv, struct text *out,
                                 int *out_code, struct err *err);

#endif
