#include "base/time.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "discovery/discover_parts.h"
#include "state/objects.h"

/* public names start with: boot_ service_ */

/* Machines that report their first boot (decision 0152).
 *
 * Normal case: an operator creates a token with a number of uses and an expiry time. A machine that
 * boots with the token reports its host keys. One transaction creates its row, which is not
 * approved, and consumes one use of the token. The address is that of the connection: a report
 * cannot state an address.
 *
 * Failures: for a token that does not exist, has expired or has no use left, the answer is R0846.
 * It does not state which of these is the reason. A repeated report consumes no use. A report that
 * contradicts a known machine changes nothing, and only causes an event. */

#define BOOT_TOKEN_KIND "BootToken"

enum {
    BOOT_TOKENS_MAX = 100, /* maximum number of tokens of a tenant */
    /* maximum number of expired tokens that are deleted when a token is created */
    BOOT_SWEEP = 20,
    BOOT_REPORTS = 50, /* maximum number of reports in a second, from all machines */
};

struct boot_token {
    struct text name;
    struct text by;
    struct text note;
    int64_t end_ms;
    int64_t uses; /* number of remaining uses */
    uint64_t revision;
};

/* ---- tokens ---- */

static struct text boot_key(struct arena *arena, struct text tenant, struct text name)
{
    return objects_key(arena, tenant, TEXT(BOOT_TOKEN_KIND), name, CACHE_BASE);
}

static struct doc boot_doc(struct arena *arena, const struct boot_token *token)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "by", doc_text(token->by, NULL));
    doc_builder_put(&builder, "expires", doc_int(arena, token->end_ms, NULL));
    if (token->note.length > 0) {
        doc_builder_put(&builder, "note", doc_text(token->note, NULL));
    }
    doc_builder_put(&builder, "uses", doc_int(arena, token->uses, NULL));
    return doc_builder_map(&builder, NULL);
}

static struct text boot_format(struct arena *arena, const struct boot_token *token)
{
    struct doc doc = boot_doc(arena, token);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static bool boot_read(struct arena *arena, const struct cache_object *object,
                      struct boot_token *out)
{
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), NULL,
                    &doc, &err)) {
        return false;
    }
    *out = (struct boot_token){
        .name = arena_text(arena, cache_id(object)),
        .by = doc_child_text(&doc, "by"),
        .note = doc_child_text(&doc, "note"),
        .end_ms = doc_child_number(&doc, "expires"),
        .uses = doc_child_number(&doc, "uses"),
        .revision = object->parts[CACHE_BASE].revision,
    };
    return true;
}

struct boot_change {
    struct service *service;
    struct arena *arena;
    struct doc answer;
    service_done *done;
    void *arg;
};

static void boot_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    const struct boot_change *change = arg;

    if (outcome != OUTCOME_OK) {
        service_refuse(change->service, change->arena, &answer->err, change->done, change->arg);
        return;
    }
    service_report(change->service, change->arena, &change->answer, change->done, change->arg);
}

static void boot_write(const struct boot_change *change, const struct service_actor *actor,
                       const char *type, const struct boot_token *token, const struct store_op *ops,
                       size_t op_count)
{
    struct boot_change *kept = arena_one(change->arena, struct boot_change);
    struct store_compare compare = { .key = ops[0].key, .revision = token->revision };
    struct store_event event =
        service_event(change->service, change->arena, actor,
                      &(struct service_event){
                          .type = type,
                          .fact = arena_printf(change->arena, "token %.*s, %lld uses",
                                               TEXT_ARG(token->name), (long long)token->uses) });

    *kept = *change;
    service_txn(change->service, change->arena, actor,
                &(struct store_txn){ &compare, 1, ops, op_count, &event, 1 }, boot_written, kept);
}

/* Deletes expired tokens. Returns false if the tenant has too many other tokens. */
static bool boot_sweep(const struct boot_change *change, struct text tenant, int64_t now_ms,
                       struct store_op *ops, size_t *op_count)
{
    const struct cache *cache = change->service->cache;
    struct text prefix =
        arena_printf(change->arena, "/%.*s/" BOOT_TOKEN_KIND "/", TEXT_ARG(tenant));
    size_t left = 0;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct boot_token token;

        if (boot_read(change->arena, object, &token) && token.end_ms > now_ms) {
            left++;
        } else if (*op_count < BOOT_SWEEP) {
            ops[(*op_count)++] =
                (struct store_op){ .key = boot_key(change->arena, tenant,
                                                   arena_text(change->arena, cache_id(object))),
                                   .is_delete = true };
        }
    }
    return left < BOOT_TOKENS_MAX;
}

void service_boot_token_make(struct service *service, struct arena *arena,
                             const struct service_actor *actor,
                             const struct service_boot_token *request, service_done *done,
                             void *arg)
{
    int64_t now_ms = service->ports.wall_ms(service->ports.arg);
    struct boot_token token = { .name = request->name,
                                .by = actor->user,
                                .note = request->note,
                                .end_ms = now_ms + (int64_t)request->for_ms,
                                .uses = (int64_t)request->uses };
    struct boot_change change = { service, arena, doc_map(NULL, 0, NULL), done, arg };
    struct store_op ops[BOOT_SWEEP + 1];
    struct doc_builder builder;
    size_t op_count = 1;
    struct err err;

    if (!boot_sweep(&change, actor->tenant, now_ms, ops, &op_count)) {
        err_set(&err, CODE_R0847, "tenant '%.*s' already has %d tokens for boot reports",
                TEXT_ARG(actor->tenant), BOOT_TOKENS_MAX);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    ops[0] = (struct store_op){ .key = boot_key(arena, actor->tenant, token.name),
                                .value = boot_format(arena, &token) };
    change.answer = boot_doc(arena, &token);
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < change.answer.entry_count; i++) {
        doc_builder_add(&builder, &change.answer.entries[i]);
    }
    doc_builder_put(&builder, "name", doc_text(token.name, NULL));
    doc_builder_put(
        &builder, "path",
        doc_text(arena_printf(arena, "/n/%.*s/phone-home", TEXT_ARG(request->secret)), NULL));
    change.answer = doc_builder_map(&builder, NULL);
    boot_write(&change, actor, "boot_token.created", &token, ops, op_count);
}

void service_boot_tokens(struct service *service, struct arena *arena,
                         const struct service_actor *actor, service_done *done, void *arg)
{
    struct text prefix = arena_printf(arena, "/%.*s/" BOOT_TOKEN_KIND "/", TEXT_ARG(actor->tenant));
    struct doc *items = arena_array(arena, struct doc, BOOT_TOKENS_MAX + BOOT_SWEEP);
    struct doc_builder builder;
    size_t count = 0;
    struct doc body;

    for (const struct cache_object *object = cache_first(service->cache, prefix);
         object != NULL && count < BOOT_TOKENS_MAX + BOOT_SWEEP;
         object = cache_next(service->cache, prefix, object)) {
        struct boot_token token;
        struct doc shown;

        if (!boot_read(arena, object, &token)) {
            continue;
        }
        shown = boot_doc(arena, &token);
        doc_builder_init(&builder, arena);
        for (size_t i = 0; i < shown.entry_count; i++) {
            doc_builder_add(&builder, &shown.entries[i]);
        }
        doc_builder_put(&builder, "name", doc_text(token.name, NULL));
        items[count++] = doc_builder_map(&builder, NULL);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "items", doc_list(items, count, NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(service, arena, &body, done, arg);
}

void service_boot_token_delete(struct service *service, struct arena *arena,
                               const struct service_actor *actor, struct text name,
                               service_done *done, void *arg)
{
    struct boot_change change = { service, arena, doc_map(NULL, 0, NULL), done, arg };
    struct boot_token token;
    struct store_op op;
    struct err err;

    if (!boot_read(arena, cache_find(service->cache, actor->tenant, TEXT(BOOT_TOKEN_KIND), name),
                   &token)) {
        err_set(&err, CODE_R0403, "there is no token '%.*s' for boot reports", TEXT_ARG(name));
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    op = (struct store_op){ .key = boot_key(arena, actor->tenant, token.name), .is_delete = true };
    boot_write(&change, actor, "boot_token.deleted", &token, &op, 1);
}

/* ---- reports ---- */

struct boot_report {
    struct discover discover;
    struct discover_target target;
    service_done *done;
    void *arg;
};

/* The answer contains no data about known machines, because a stolen token could otherwise list
 * them. */
static void boot_reported(void *arg, const struct service_answer *answer)
{
    struct boot_report *report = arg;
    struct discover *discover = &report->discover;
    struct doc_builder builder;
    struct doc body;
    struct err err;

    if (answer->errors->errors > 0) {
        report->done(report->arg, answer);
        return;
    }
    if (report->target.host_key.length == 0) {
        err_set(&err, CODE_R0826,
                "a different machine is known by this address or by this host key");
        service_refuse(discover->service, discover->arena, &err, report->done, report->arg);
        return;
    }
    doc_builder_init(&builder, discover->arena);
    doc_builder_put(&builder, "noted", doc_bool(true, NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(discover->service, discover->arena, &body, report->done, report->arg);
}

/* True if this second has room for another report. */
static bool boot_has_room(struct service *service)
{
    int64_t second = service->ports.wall_ms(service->ports.arg) / 1000;

    if (second != service->boot_second) {
        service->boot_second = second;
        service->boot_reports = 0;
    }
    return service->boot_reports++ < BOOT_REPORTS;
}

bool service_boot_token_has(const struct service *service, struct arena *arena, struct text tenant,
                            struct text name)
{
    struct boot_token token;

    return boot_read(arena, cache_find(service->cache, tenant, TEXT(BOOT_TOKEN_KIND), name),
                     &token) &&
           token.end_ms > service->ports.wall_ms(service->ports.arg);
}

void service_boot_report(struct service *service, struct arena *arena,
                         const struct service_boot_report *request, service_done *done, void *arg)
{
    struct boot_report *report = arena_one(arena, struct boot_report);
    struct discover *discover = &report->discover;
    struct boot_token token;
    struct discovered row;
    struct text name;
    struct err err;

    *report = (struct boot_report){ .done = done, .arg = arg };
    *discover = (struct discover){
        .service = service,
        .arena = arena,
        .actor = { .tenant = request->tenant, .user = TEXT("reeve") },
        .source = TEXT("boot"),
        .why = "reported its first boot",
        .targets = &report->target,
        .target_count = 1,
        .done = boot_reported,
        .arg = report,
    };
    report->target = (struct discover_target){ .discover = discover,
                                               .address = request->address,
                                               .host = request->address,
                                               .port = DISCOVER_PORT,
                                               .name = request->host_name,
                                               .host_key = request->host_key };
    if (!boot_has_room(service)) {
        err_set(&err, CODE_R0422, "the manager accepts at most %d boot reports a second",
                BOOT_REPORTS);
    } else if (!service_boot_token_has(service, arena, request->tenant, request->token) ||
               !boot_read(arena,
                          cache_find(service->cache, request->tenant, TEXT(BOOT_TOKEN_KIND),
                                     request->token),
                          &token) ||
               (token.uses <= 0 && !discover_row_has(discover, &report->target, &row))) {
        err_set(&err, CODE_R0846, "this token for boot reports is not valid");
    } else if (discover_record_has(discover, &report->target, &name)) {
        err_set(&err, CODE_R0826,
                "a different machine is known by this address or by this host key");
    } else {
        if (token.uses > 0) {
            token.uses--;
            discover->use = (struct store_op){ .key = boot_key(arena, request->tenant, token.name),
                                               .value = boot_format(arena, &token) };
            discover->use_revision = token.revision;
        }
        discover_write(discover);
        return;
    }
    service_refuse(service, arena, &err, done, arg);
}
