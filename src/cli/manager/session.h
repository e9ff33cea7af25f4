#ifndef REEVE_CLI_MANAGER_SESSION_H
#define REEVE_CLI_MANAGER_SESSION_H

#include <stdbool.h>

#include "cli/args/command.h"
#include "client/client.h"
#include "client/settings.h"
#include "codec/doc.h"
#include "model/schema.h"

/* The manager that a command sends its requests to. */
struct session {
    struct settings settings;
    struct client client;
    /* file with the address that answered last; NULL: there is only one address */
    const char *memo;
};

/* Return the environment variables and flags that determine the manager. */
struct settings_facts session_facts(struct command *command);

/* Determine the manager and the token. Nothing is sent yet. False: an error was added. */
bool session_open(struct command *command, struct session *out);

/* Same as session_open(), from settings that were already read into out->settings. */
bool session_of_settings(struct command *command, struct session *out);

/* Send a request; *out is the answer with any status. False: no answer came, and an error was
 * added. */
bool session_call(struct command *command, const struct session *session,
                  const struct client_request *request, struct client_answer *out);

/* True if the answer is a success. */
bool session_is_done(const struct client_answer *answer);

/* Add the errors of an answer that is not a success. */
void session_refused(struct command *command, const struct client_answer *answer);

/* Return the time (clock_monotonic_ms) at which to stop waiting for the manager's work: after
 * --timeout, or without the flag never. */
uint64_t session_deadline(const struct command *command, const struct session *session);

/* Send a request and read its answer. False: it did not succeed, and an error was added. */
bool session_ask(struct command *command, const struct session *session,
                 const struct client_request *request, struct doc *out);

/* GET a document. False: an error was added. */
bool session_get(struct command *command, const struct session *session, struct text path,
                 struct doc *out);

/* Return this session for a request that every manager answers immediately. Its timeout is
 * LIMIT_PROBE_MS, unless the user set a timeout. */
struct session session_for_probe(const struct session *session);

/* Get the reason why the manager accepts no changes, for example because its store cannot be
 * written. Empty: it accepts changes. False: no answer came, and an error was added. */
bool session_problem(struct command *command, const struct session *session, struct text *out);

/* Parse the JSON of an answer. False: an error was added. */
bool session_parse(struct command *command, const struct client_answer *answer, struct doc *out);

/* Return the path of an object, encoded: "/v1/clusters/shop"; with an empty name, the path of the
 * list. */
struct text session_path(struct command *command, const struct schema_kind *kind, struct text name);

/* Return a unique key for the header Idempotency-Key. */
struct text session_key(struct command *command);

/* Format the context and the tenant for the first line of every question: "context prod, tenant
 * ops". */
struct text session_words(struct command *command, const struct session *session);

/* Parse a duration of the command line or of a setting, such as 30s, 2m or 1h30m, to milliseconds.
 * False: R0004 was added. */
bool session_duration(struct command *command, struct text text, const char *what,
                      uint64_t *out_ms);

#endif
