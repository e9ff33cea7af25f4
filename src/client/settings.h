#ifndef REEVE_CLIENT_SETTINGS_H
#define REEVE_CLIENT_SETTINGS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Which manager is talked to, and how that came about (UX.md 3.10). From high to low: flag,
 * environment, project file `.reeve.yaml` (searched upwards), `$XDG_CONFIG_HOME/reeve/config.yaml`,
 * `/etc/reeve/client.yaml`. A file of user or system:
 *
 *     context: prod
 *     contexts:
 *       prod: {url: https://reeve.example.org, tenant: ops, ca: /etc/ssl/ours.pem}
 *
 * A project file may say `context` and `tenant`, nothing else: a file that came with somebody's
 * repository must not send a stored token elsewhere. */

/* A value and its source; empty if no source sets it. */
struct setting {
    struct text value;
    struct text source; /* "flag --context", "environment REEVE_URL", a path, "default" */
};

/* What is known from outside. NULL: unset. Borrowed. */
struct settings_facts {
    const char *context_flag;
    const char *timeout_flag;
    const char *url;        /* REEVE_URL */
    const char *context;    /* REEVE_CONTEXT */
    const char *tenant;     /* REEVE_TENANT */
    const char *token_file; /* REEVE_TOKEN_FILE */
    const char *timeout;    /* REEVE_TIMEOUT */
    const char *folder;     /* where the search for a project file begins */
    const char *user_file;
    const char *system_file;
    const char *token_folder; /* tokens of contexts: TOKEN_FOLDER/NAME */
};

struct settings {
    struct setting context; /* empty: none is in use */
    struct setting url;
    struct setting tenant;
    struct setting ca;
    struct setting timeout;
    struct setting token_file;
    struct doc user; /* the user file; absent where there is none */
    struct doc system;
};

/* Find out. R0020, R0021, R0022: a context that is not there, a file that is wrong, a project file
 * that says what it may not. Texts live in the arena or are those of the facts. */
MUST_CHECK bool settings_read(struct arena *arena, const struct settings_facts *facts,
                              struct settings *out, struct err *err);

/* A context of the user's or the system's file, NULL where there is none. */
const struct doc *settings_context(const struct settings *settings, struct text name);

#endif
