#ifndef REEVE_CLIENT_SETTINGS_H
#define REEVE_CLIENT_SETTINGS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* The settings that select a manager, and their sources (UX.md 3.10). From highest to lowest
 * priority: flag, environment, project file `.reeve.yaml` (searched upwards),
 * `$XDG_CONFIG_HOME/reeve/config.yaml`, `/etc/reeve/client.yaml`. Example of a user's or the
 * system's file:
 *
 *     context: prod
 *     contexts:
 *       prod: {url: https://reeve.example.org, tenant: ops, ca: /etc/ssl/ours.pem}
 *       many: {urls: [https://a.example.org, https://b.example.org]}
 *
 * A project file may set only `context` and `tenant`: a file in a foreign repository must not send
 * a stored token elsewhere. */

/* A value and its source; empty if no source sets it. */
struct setting {
    struct text value;
    struct text source; /* "flag --context", "environment REEVE_URL", a path, "default" */
};

/* The inputs: flags, environment and paths. NULL: unset. The caller owns the strings. */
struct settings_facts {
    const char *context_flag;
    const char *timeout_flag;
    const char *url;        /* value of $REEVE_URL */
    const char *context;    /* value of $REEVE_CONTEXT */
    const char *tenant;     /* value of $REEVE_TENANT */
    const char *token_file; /* value of $REEVE_TOKEN_FILE */
    const char *timeout;    /* value of $REEVE_TIMEOUT */
    const char *folder;     /* folder at which the search for a project file begins */
    const char *user_file;
    const char *system_file;
    const char *token_folder; /* tokens of contexts: TOKEN_FOLDER/NAME */
};

struct settings {
    struct setting context; /* name of the context; empty: none is in use */
    struct setting url;     /* the first address */
    /* The addresses of managers that share a store, in the order in which they are tried. */
    const struct text *urls;
    size_t url_count;
    struct setting tenant;
    struct setting ca;
    struct setting timeout;
    struct setting token_file;
    struct doc user; /* content of the user's file; absent if it does not exist */
    struct doc system;
};

/* Determines the settings. Fails with R0020, R0021 or R0022 if a context does not exist, a file is
 * invalid, or a project file sets a member that it may not set. Texts are in the arena or point
 * into the facts. */
MUST_CHECK bool settings_read(struct arena *arena, const struct settings_facts *facts,
                              struct settings *out, struct err *err);

/* Returns a context of the user's or the system's file; NULL: there is none of this name. */
const struct doc *settings_context(const struct settings *settings, struct text name);

#endif
