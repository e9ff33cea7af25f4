#include "base/limits.h"
#include "codec/json.h"
#include "plugin_fetch/plugin_fetch_parts.h"
#include "state/objects.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: want_ news_ */

/* Writes the records of fetched plugins and notifies the clusters that use them. */

/* ---- notifications ---- */

void want_wake(struct want *want)
{
    const struct plugin_fetch_options *options = &want->fetch->options;
    struct want_cluster *cluster = want->clusters;
    struct arena *reported = want->reported;

    /* clusters that still need the plugin register again in their next pass */
    want->clusters = NULL;
    want->reported = arena_new_small(SIZE_MAX);
    for (; cluster != NULL && !want->fetch->is_closed; cluster = cluster->next) {
        options->look(options->arg, cluster->key);
    }
    arena_free(reported);
}

void want_answer(struct want *want, const struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    plugin_fetch_done *done = want->done;
    struct doc_builder builder;
    struct kept kept;
    struct doc doc;

    want->done = NULL;
    if (done == NULL) {
        return;
    }
    if (err != NULL) {
        done(want->arg, NULL, err);
        return;
    }
    kept = kept_read(arena, want->fetch->options.cache, want->tenant, want->origin.name);
    doc_builder_init(&builder, arena);
    kept_put(&builder, arena, kept.next.digest.length > 0 ? &kept.next : &kept.now);
    doc_builder_put(&builder, "name", doc_text(want->origin.name, NULL));
    doc_builder_put(&builder, "state", doc_text(text_from(want->state), NULL));
    doc = doc_builder_map(&builder, NULL);
    done(want->arg, &doc, NULL);
}

/* ---- events ---- */

static struct text news_body(struct arena *arena, const struct plugin_report *reports)
{
    const struct kept_bytes *bytes = reports->bytes;
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "actor", doc_text(reports->actor, NULL));
    if (reports->err != NULL) {
        doc_builder_put(&builder, "code",
                        doc_text(text_from(code_get(reports->err->code)->name), NULL));
        doc_builder_put(&builder, "fact", doc_text(text_from(reports->err->text), NULL));
    } else {
        doc_builder_put(
            &builder, "fact",
            doc_text(arena_printf(arena, "version %.*s%s%.*s, sha256 %.*s",
                                  TEXT_ARG(bytes->version), bytes->url.length == 0 ? "" : " from ",
                                  TEXT_ARG(bytes->url), TEXT_ARG(bytes->digest)),
                     NULL));
        doc_builder_put(&builder, "digest", doc_text(bytes->digest, NULL));
    }
    doc_builder_put(&builder, "kind", doc_text(TEXT("Plugin"), NULL));
    doc_builder_put(&builder, "name", doc_text(reports->name, NULL));
    doc_builder_put(&builder, "type", doc_text(text_from(reports->type), NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

struct store_event news_event(struct arena *arena, const struct plugin_fetch *fetch,
                              const struct plugin_report *reports)
{
    return (struct store_event){
        .cluster = arena_printf(arena, "%.*s/", TEXT_ARG(reports->tenant)),
        .body = news_body(arena, reports),
        .time_ms = (uint64_t)clock_wall_ms(fetch->options.clock),
    };
}

static struct store_event event_of(struct arena *arena, const struct want *want, const char *type,
                                   const struct kept_bytes *bytes, const struct err *err)
{
    return news_event(arena, want->fetch,
                      &(struct plugin_report){ want->tenant, want->origin.name, TEXT("reeve"), type,
                                               bytes, err });
}

/* ---- writing ---- */

/* The reason why a plugin is unavailable has a separate key next to the record. An event alone
 * changes no key, so readers of the cache would get no new revision. */
struct text news_problem_key(struct arena *arena, struct text tenant, struct text name)
{
    return objects_key(arena, tenant, TEXT("Plugin"), name, CACHE_STATUS);
}

static struct text plugin_fetch_write_problem_key(struct arena *arena, const struct want *want)
{
    return news_problem_key(arena, want->tenant, want->origin.name);
}

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct want *want = arg;

    want->is_busy = false;
    if (outcome !=
        OUTCOME_OK) { /* another manager has written: read its record, and continue from it */
        log_warn(want->fetch->options.log, "fetch", "not_written",
                 log_text("plugin", want->origin.name), log_string("reason", answer->err.text));
        want_answer(want, &answer->err);
        want_wake(want);
        return;
    }
    /* plugin_fetch_run continues when the cache has this revision */
    want->written_revision = answer->revision;
}

void want_write(struct want *want, const struct kept *kept, const char *type,
                const struct kept_bytes *bytes)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text key = kept_key(arena, want->tenant, want->origin.name);
    struct store_compare compare = { .key = key, .revision = kept->revision };
    struct store_op ops[] = {
        { .key = key, .value = kept_format(arena, kept) },
        { .key = plugin_fetch_write_problem_key(arena, want), .is_delete = true },
    };
    struct store_event event = event_of(arena, want, type, bytes, NULL);
    struct store_txn txn = { .compares = &compare,
                             .compare_count = 1,
                             .ops = ops,
                             .op_count = ARRAY_COUNT(ops),
                             .events = &event,
                             .event_count = 1 };

    assert(!want->is_busy);
    want->is_busy = true;
    want->failures = 0;
    want->problem[0] = '\0';
    log_info(want->fetch->options.log, "fetch", "kept", log_text("plugin", want->origin.name),
             log_string("as", type), log_text("digest", bytes->digest),
             log_text("url", bytes->url));
    store_txn(want->fetch->options.store, &txn, written, want);
}

static void failure_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome; /* the log has the event as well */
    (void)answer;
}

static uint64_t plugin_fetch_write_pause_of(const struct want *want)
{
    const struct plugin_fetch_options *options = &want->fetch->options;
    uint64_t pause = LIMIT_FETCH_PAUSE_MS;

    for (unsigned i = 1; i < want->failures && pause < LIMIT_FETCH_PAUSE_MAX_MS; i++) {
        pause *= 2;
    }
    pause =
        (pause < LIMIT_FETCH_PAUSE_MAX_MS ? pause : LIMIT_FETCH_PAUSE_MAX_MS) / options->time_scale;
    return pause + random_below(options->random, (size_t)(pause / 4 + 1));
}

void want_fail(struct want *want, const struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct plugin_fetch *fetch = want->fetch;
    bool is_new = strcmp(want->problem, err->text) != 0;
    struct store_event event = event_of(arena, want, "plugin.refused", NULL, err);
    struct store_op op = { .key = plugin_fetch_write_problem_key(arena, want),
                           .value = event.body };
    struct store_txn txn = { .ops = &op, .op_count = 1, .events = &event, .event_count = 1 };

    want->failures++;
    want->due_ms = clock_monotonic_ms(fetch->options.clock) + plugin_fetch_write_pause_of(want);
    snprintf(want->problem, sizeof(want->problem), "%s", err->text);
    if (is_new) {
        log_warn(fetch->options.log, "fetch", "refused", log_text("plugin", want->origin.name),
                 log_string("code", code_get(err->code)->name), log_string("reason", err->text));
        store_txn(fetch->options.store, &txn, failure_written, want);
    }
    want_answer(want, err);
    want_wake(want);
}
