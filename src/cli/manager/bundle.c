#include "cli/manager/bundle.h"

#include "codec/json.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/stream.h"

#include <stdlib.h>
#include <string.h>

/* The number of newest events in the archive. */
#define BUNDLE_EVENTS "1000"

/* The requests to the manager. An error answer is put into the archive unchanged. */
static const struct {
    const char *path;
    const char *name;
} questions[] = {
    { "/readyz", "manager/readyz.txt" },
    { "/v1/whoami", "manager/whoami.json" },
    { "/v1/limits", "manager/limits.json" },
    { "/metrics", "manager/metrics.txt" },
    { "/v1/plans", "manager/plans.json" },
    { "/v1/clusters?limit=1000&fields=metadata", "manager/clusters.json" },
    { "/v1/nodegroups?limit=1000&fields=metadata", "manager/nodegroups.json" },
    { "/v1/clustertemplates?limit=1000&fields=metadata", "manager/clustertemplates.json" },
    { "/v1/nodegrouptemplates?limit=1000&fields=metadata", "manager/nodegrouptemplates.json" },
    { "/v1/events?limit=" BUNDLE_EVENTS, "manager/events.json" },
};

/* Environment variables that configure this command. None of them holds a secret: tokens are in
 * files. */
static const char *const variables[] = {
    "REEVE_URL",     "REEVE_CONTEXT",   "REEVE_TENANT",   "REEVE_TOKEN_FILE",
    "REEVE_TIMEOUT", "REEVE_PLAIN",     "LANG",           "LC_ALL",
    "TERM",          "XDG_CONFIG_HOME", "XDG_STATE_HOME",
};

struct bundle {
    struct command *command;
    struct buf tar;
    int64_t time_s;
    size_t count;
};

static void bundle_part_add(struct bundle *bundle, const char *name, struct text bytes)
{
    tar_add(&bundle->tar, name, bytes, bundle->time_s);
    bundle->count++;
}

static struct text setup_text(struct command *command, const struct session *session)
{
    struct buf out;

    buf_init(&out, command->arena);
    buf_add_string(&out, "reeve " REEVE_VERSION "\n");
    for (size_t i = 0; i < ARRAY_COUNT(variables); i++) {
        const char *value = getenv(variables[i]);

        if (value != NULL) {
            buf_printf(&out, "%s=%s\n", variables[i], value);
        }
    }
    if (session != NULL) {
        const struct settings *settings = &session->settings;

        buf_printf(&out, "context %.*s (%.*s)\nurl %.*s (%.*s)\ntenant %.*s\ntoken %s\n",
                   TEXT_ARG(settings->context.value), TEXT_ARG(settings->context.source),
                   TEXT_ARG(settings->url.value), TEXT_ARG(settings->url.source),
                   TEXT_ARG(settings->tenant.value),
                   session->client.token.length > 0 ? "is set" : "is not set");
    }
    return buf_text(&out);
}

static void question_ask(struct bundle *bundle, const struct session *session, const char *path,
                         const char *name)
{
    struct client_request request = { .method = "GET", .path = text_from(path), .accept = "*/*" };
    struct client_answer answer;
    struct err err;

    if (client_call(bundle->command->arena, &session->client, &request, &answer, &err)) {
        bundle_part_add(bundle, name, answer.body);
    } else {
        bundle_part_add(bundle, name,
                        arena_printf(bundle->command->arena, "no answer: %s\n", err.text));
    }
}

bool bundle_write(struct command *command, const struct session *session, const char *path,
                  struct text findings)
{
    struct bundle bundle = { .command = command, .time_s = clock_wall_ms(clock_system()) / 1000 };
    struct err err;
    bool is_written;

    buf_init(&bundle.tar, command->arena);
    bundle_part_add(&bundle, "findings.json", findings);
    bundle_part_add(&bundle, "setup.txt", setup_text(command, session));
    for (size_t i = 0; session != NULL && i < ARRAY_COUNT(questions); i++) {
        question_ask(&bundle, session, questions[i].path, questions[i].name);
    }
    tar_end(&bundle.tar);
    is_written = strcmp(path, "-") == 0 ? stream_write_out(buf_text(&bundle.tar), &err)
                                        : file_create(path, buf_text(&bundle.tar), &err);
    if (!is_written) {
        err_list_add(&command->errors, &err);
        return false;
    }
    buf_printf(&command->notes,
               "%zu files in %s; check its content before you share it: tar -tvf %s\n",
               bundle.count, path, path);
    return true;
}
