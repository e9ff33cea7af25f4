#ifndef REEVE_DAEMON_CONFIGURATIONS_H
#define REEVE_DAEMON_CONFIGURATIONS_H

#include "codec/doc.h"
#include "remote/depot.h"

/* Stored archives of configurations. Their bundles are stored in the depot of bundles. */
struct configurations {
    struct depot *archives; /* NULL: this manager stores no archives */
    struct depot *bundles;  /* NULL: this manager stores no bundles */
};

/* Checks a stored archive and stores its bundles. *out is {bundles, bytes}. Errors are added to
 * `errors`. */
MUST_CHECK bool configurations_read(const struct configurations *configurations, struct text digest,
                                    struct arena *arena, struct doc *out, struct err_list *errors);

/* Lists the files of a stored archive (revision_files). */
MUST_CHECK bool configurations_files(const struct configurations *configurations,
                                     struct text digest, struct arena *arena, struct doc *out,
                                     struct err *err);

#endif
