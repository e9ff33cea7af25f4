#include "api/request/call.h"
#include "api/request/handlers.h"
#include "api/streams/streams.h"
#include "base/macros.h"
#include "base/time.h"
#include "query/service_rows.h"
#include "service/service_change.h"
#include "service/service_read.h"

#include <string.h>

/* Routes that read lists, objects and events. */

/* Returns whether the client prefers one object per line: the first supported type of its Accept
 * header decides. */
static bool is_lines_wanted(const struct call *call)
{
    struct text rest = call_header(call, HTTP_ACCEPT);

    while (rest.length > 0) {
        struct text one = text_slice(rest, 0, text_find_byte(rest, ','));
        struct text type = text_trim(text_slice(one, 0, text_find_byte(one, ';')));

        if (text_is(type, "application/jsonl") || text_is(type, "application/x-ndjson")) {
            return true;
        }
        if (text_is(type, "application/json") || text_is(type, "*/*")) {
            return false;
        }
        rest = text_slice(rest, one.length + 1, rest.length);
    }
    return false;
}

static size_t read_rows_read(void *arg, char *out, size_t room, bool *is_end)
{
    size_t bytes = service_rows_read(arg, out, room);

    *is_end = bytes == 0;
    return bytes;
}

static void read_rows_closed(void *arg)
{
    service_rows_end(arg);
}

static void list_answered(void *arg, const struct service_answer *answer)
{
    struct call *call = arg;
    struct http_stream stream = { .read = read_rows_read,
                                  .closed = read_rows_closed,
                                  .arg = answer->rows };
    bool is_lines = is_lines_wanted(call);
    struct http_field field = { "Reeve-Next", arena_string(call->arena, answer->next) };

    if (answer->errors->errors > 0) {
        call_answered(call, answer);
        return;
    }
    stream.bytes = answer->rows == NULL ? 0 : service_rows_bytes(answer->rows);
    call_answer_fields(call,
                       &(struct http_answer){
                           .status = 200,
                           .content_type = is_lines ? "application/jsonl" : "application/json",
                           .body = answer->body,
                           .stream = answer->rows == NULL ? NULL : &stream,
                           .fields = &field,
                           .field_count = is_lines && answer->next.length > 0,
                       });
}

/* Reads the parameter `at` or `since`: a revision or a time. */
MUST_CHECK static bool moment_read(const struct call *call, const char *name,
                                   uint64_t *out_revision, uint64_t *out_ms, struct err *err)
{
    struct text at = call_parameter(call, name);
    int64_t number = 0;

    *out_revision = 0;
    *out_ms = 0;
    if (at.length == 0 || (text_parse_int64(at, &number) && number > 0)) {
        *out_revision = (uint64_t)number;
        return true;
    }
    if (time_parse(at, &number) && number > 0) {
        *out_ms = (uint64_t)number;
        return true;
    }
    err_set(err, CODE_R0426, "%s must be a revision or a time, not '%.*s'", name, TEXT_ARG(at));
    return err_hint(err,
                    "write %s=812 or %s=2026-01-31T12:00:00Z; write the + of an offset as %%2B",
                    name, name);
}

void api_list(struct call *call)
{
    struct service_list list = {
        .kind = call->kind,
        .cluster = call_parameter(call, "cluster"),
        .selector = call_parameter(call, "selector"),
        .next = call_parameter(call, "next"),
        .fields = call_parameter(call, "fields"),
        .is_lines = is_lines_wanted(call),
        .can_take_rows = true,
    };
    uint64_t limit = 0;
    struct err err;

    if (poll_begin(call)) {
        return;
    }
    if (!call_number(call, "limit", &limit, &err) ||
        !moment_read(call, "at", &list.at_revision, &list.at_ms, &err)) {
        call_refuse(call, &err);
        return;
    }
    list.limit = limit > LIMIT_PAGE ? LIMIT_PAGE : (size_t)limit;
    service_list(call->api->options.service, call->arena, &call->actor, &list, list_answered, call);
}

MUST_CHECK static bool view_find(struct text name, enum service_view *out, struct err *err)
{
    static const struct {
        const char *name;
        enum service_view view;
    } views[] = {
        { "", SERVICE_VIEW_OBJECT },         { "object", SERVICE_VIEW_OBJECT },
        { "export", SERVICE_VIEW_EXPORT },   { "effective", SERVICE_VIEW_EFFECTIVE },
        { "history", SERVICE_VIEW_HISTORY },
    };

    for (size_t i = 0; i < ARRAY_COUNT(views); i++) {
        if (text_is(name, views[i].name)) {
            *out = views[i].view;
            return true;
        }
    }
    return err_set(err, CODE_R0426, "view must be object, export, effective or history, not '%.*s'",
                   TEXT_ARG(name));
}

void api_get(struct call *call)
{
    struct service_get get = { .kind = call->kind, .name = call->name };
    struct err err;

    if (poll_begin(call)) {
        return;
    }
    if (!view_find(call_parameter(call, "view"), &get.view, &err) ||
        !moment_read(call, "at", &get.at_revision, &get.at_ms, &err)) {
        call_refuse(call, &err);
        return;
    }
    if ((get.at_revision > 0 || get.at_ms > 0) && get.view != SERVICE_VIEW_OBJECT) {
        err_set(&err, CODE_R0426, "at= works only with view=object");
        call_refuse(call, &err);
        return;
    }
    service_get(call->api->options.service, call->arena, &call->actor, &get, call_answered, call);
}

void api_events(struct call *call)
{
    struct service_events events = { .cluster = call_parameter(call, "cluster") };
    uint64_t limit = 0;
    uint64_t last = 0;
    struct err err;

    if (!call_number(call, "after", &events.after, &err) ||
        !call_number(call, "before", &events.before, &err) ||
        !call_number(call, "limit", &limit, &err) || !call_number(call, "last", &last, &err) ||
        !moment_read(call, "since", &events.since_revision, &events.since_ms, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (last > 0 && limit > 0) {
        err_set(&err, CODE_R0426, "last= and limit= exclude each other");
        (void)!err_hint(&err, "last=N is the newest N events, limit=N the oldest N");
        call_refuse(call, &err);
        return;
    }
    events.is_newest = last > 0 || events.before > 0;
    limit = last > 0 ? last : limit;
    events.limit = limit > LIMIT_EVENTS_PAGE ? LIMIT_EVENTS_PAGE : (size_t)limit;
    service_events(call->api->options.service, call->arena, &call->actor, &events, call_answered,
                   call);
}

MUST_CHECK static bool read_kept_read(struct call *call, struct service_kept *out, struct err *err)
{
    uint64_t limit = 0;

    if (!call_number(call, "limit", &limit, err)) {
        return false;
    }
    *out = (struct service_kept){ .cluster = call_parameter(call, "cluster"),
                                  .next = call_parameter(call, "next"),
                                  .limit = limit > LIMIT_PAGE ? LIMIT_PAGE : (size_t)limit };
    return true;
}

static void kept_report(struct call *call, const char *kind)
{
    struct service_kept kept;
    struct err err;

    if (!read_kept_read(call, &kept, &err)) {
        call_refuse(call, &err);
        return;
    }
    kept.group =
        route_has_parameter(call->route, TEXT("group")) ? call_parameter(call, "group") : TEXT("");
    kept.names =
        route_has_parameter(call->route, TEXT("nodes")) ? call_parameter(call, "nodes") : TEXT("");
    if (kept.names.length > 0 && kept.cluster.length == 0) {
        err_set(&err, CODE_R0426, "nodes= needs cluster=: names are those of one cluster");
        call_refuse(call, &err);
        return;
    }
    kept.kind = schema_kind_find(text_from(kind));
    service_kept(call->api->options.service, call->arena, &call->actor, &kept, call_answered, call);
}

void api_resources(struct call *call)
{
    kept_report(call, "Resource");
}

void api_holds(struct call *call)
{
    kept_report(call, "Hold");
}

void api_volumes(struct call *call)
{
    kept_report(call, "Volume");
}

void api_jobs(struct call *call)
{
    kept_report(call, "Job");
}

void api_job(struct call *call)
{
    service_job(call->api->options.service, call->arena, &call->actor, call->name, call_answered,
                call);
}

/* Checks that the request has a cluster. Otherwise rejects the request and returns false. */
static bool has_cluster(struct call *call)
{
    struct err err;

    if (call_parameter(call, "cluster").length > 0) {
        return true;
    }
    err_set(&err, CODE_R0426, "cluster= is missing");
    (void)!err_hint(&err, "add cluster=NAME");
    call_refuse(call, &err);
    return false;
}

void api_why(struct call *call)
{
    struct service_why why = { .cluster = call_parameter(call, "cluster"),
                               .name = call_parameter(call, "name"),
                               .hold = call_parameter(call, "hold"),
                               .is_previous = call_parameter(call, "previous").length > 0 };
    struct err err;

    if (!has_cluster(call)) {
        return;
    }
    if (!call_number(call, "event", &why.event, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_why(call->api->options.service, call->arena, &call->actor, &why, call_answered, call);
}

void api_passes(struct call *call)
{
    if (has_cluster(call)) {
        service_passes(call->api->options.service, call->arena, &call->actor,
                       call_parameter(call, "cluster"), call_answered, call);
    }
}

void api_pass_get(struct call *call)
{
    struct text view = call_parameter(call, "view");
    struct service_pass pass = { .cluster = call_parameter(call, "cluster"),
                                 .is_record = text_is(view, "record") };
    int64_t number = 0;
    struct err err;

    if (!has_cluster(call)) {
        return;
    }
    if (view.length > 0 && !pass.is_record) {
        err_set(&err, CODE_R0426, "view must be record, not '%.*s'", TEXT_ARG(view));
        call_refuse(call, &err);
        return;
    }
    if (!text_parse_int64(call->name, &number) || number <= 0) {
        err_set(&err, CODE_R0435, "a pass is given by its number, not '%.*s'",
                TEXT_ARG(call->name));
        call_refuse(call, &err);
        return;
    }
    pass.number = (uint64_t)number;
    service_pass_get(call->api->options.service, call->arena, &call->actor, &pass, call_answered,
                     call);
}

void api_plans(struct call *call)
{
    service_plan_list(call->api->options.service, call->arena, &call->actor, call_answered, call);
}

void api_plan_get(struct call *call)
{
    service_plan_get(call->api->options.service, call->arena, &call->actor, call->name,
                     call_answered, call);
}
