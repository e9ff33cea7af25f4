#include "api/request/call.h"
#include "api/request/handlers.h"
#include "codec/doc.h"

/* public names start with: api_ */

/* Creates, lists and downloads backups of the store. They contain all data of all tenants, so these
 * routes require an owner. */

MUST_CHECK static bool backups_are_there(struct call *call)
{
    struct err err;

    if (call->api->options.backups.make != NULL) {
        return true;
    }
    err_set(&err, CODE_R0522,
            "this manager cannot make backups: its store is not an embedded store (SQLite)");
    call_refuse(call, &err);
    return false;
}

static void backup_made(void *arg, const struct doc *doc, const struct err *err)
{
    struct call *call = arg;

    if (err != NULL) {
        call_refuse(call, err);
    } else {
        call_report(call, 201, doc);
    }
}

void api_backup_make(struct call *call)
{
    const struct api_backups *backups = &call->api->options.backups;

    if (backups_are_there(call)) {
        backups->make(backups->arg, backup_made, call);
    }
}

void api_backup_list(struct call *call)
{
    const struct api_backups *backups = &call->api->options.backups;
    struct doc_builder builder;
    struct doc doc;

    if (!backups_are_there(call)) {
        return;
    }
    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "items", backups->list(backups->arg, call->arena));
    doc = doc_builder_map(&builder, NULL);
    call_report(call, 200, &doc);
}

void api_backup_read(struct call *call)
{
    const struct api_backups *backups = &call->api->options.backups;
    uint64_t offset = 0;
    struct text bytes;
    struct err err;

    if (!backups_are_there(call)) {
        return;
    }
    if (!call_number(call, "offset", &offset, &err) ||
        !backups->read(backups->arg, call->arena, call->name, offset, &bytes, &err)) {
        call_refuse(call, &err);
        return;
    }
    call_answer(call, 200, "application/octet-stream", bytes);
}
