#include "api/request/call.h"
#include "api/request/handlers.h"
#include "page/disk.h"
#include "page/page.h"

#include <assert.h>
#include <string.h>

/* Serves the web page. Its files are in a folder whose name changes with every build, so that a
 * browser may cache them for any time. Every other address below /ui/ returns the page itself,
 * which selects a view by the address. With --ui-dir the files are read from a folder on the disk
 * and are not cached. */

/* Content security policy: no inline scripts, nothing from other origins, no framing, and no markup
 * created from text. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types reeve";

/* Answers with a file: adds the headers of every file, and those for its caching and encoding. */
static void file_answer(struct call *call, struct http_answer *answer, const char *archiving,
                        const struct http_field *more, size_t more_count)
{
    struct http_field fields[8] = {
        { "Cache-Control", archiving },
        { "Content-Security-Policy", policy },
        { "Cross-Origin-Opener-Policy", "same-origin" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
        { "Referrer-Policy", "no-referrer" },
    };

    assert(more_count <= 3);
    for (size_t i = 0; i < more_count; i++) {
        fields[5 + i] = more[i];
    }
    answer->fields = fields;
    answer->field_count = 5 + more_count;
    call_answer_fields(call, answer);
}

static void file_give(struct call *call, const struct page_file *file, const char *archiving)
{
    const struct http_field fields[] = { { "Content-Encoding", "gzip" }, { "ETag", file->etag } };
    struct http_answer answer = { .status = 200, .content_type = file->type, .body = file->gzip };

    if (text_is(call_header(call, HTTP_IF_NONE_MATCH), file->etag)) {
        answer.status = 304;
        answer.body = TEXT("");
        answer.content_type = NULL;
    }
    file_answer(call, &answer, archiving, fields, 2);
}

/* ---- from a folder on the disk ---- */

static void disk_give(struct call *call, const struct page_disk_file *file)
{
    const struct http_field packed = { "Content-Encoding", "gzip" };
    struct http_answer answer = { .status = 200, .content_type = file->type, .body = file->bytes };

    file_answer(call, &answer, "no-store", &packed, file->is_gzip ? 1 : 0);
}

/* Serves an address below /ui/: a file (in the folder of this build or of an earlier one) or the
 * page. */
static void disk_serve(struct call *call, struct text folder, struct text rest)
{
    const struct page_disk *disk = call->api->options.page_disk;
    struct page_disk_file file;
    struct err err;
    bool is_found = rest.length > 0 && page_disk_is_folder(folder)
                        ? page_disk_read(disk, call->arena, rest, &file, &err)
                        : page_disk_start(disk, call->arena, &file, &err);

    if (is_found) {
        disk_give(call, &file);
    } else {
        call_refuse(call, &err);
    }
}

/* ---- the built-in page ---- */

static bool is_page_hex(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (strchr("0123456789abcdef", text.data[i]) == NULL) {
            return false;
        }
    }
    return true;
}

void api_page(struct call *call)
{
    struct text folder = text_slice(call->name, 0, text_find_byte(call->name, '/'));
    struct text rest = text_slice(call->name, folder.length + 1, call->name.length);
    bool is_file = folder.length == strlen(page_folder()) && is_page_hex(folder) && rest.length > 0;
    const struct page_file *file = NULL;
    struct err err;

    if (call->api->options.page_disk != NULL) {
        disk_serve(call, folder, rest);
        return;
    }
    if (!is_file) {
        file_give(call, page_start(), "no-cache");
        return;
    }
    if (text_is(folder, page_folder())) {
        file = page_find(rest);
    }
    if (file != NULL) {
        file_give(call, file, "public, max-age=31536000, immutable");
        return;
    }
    err_set(&err, CODE_R0423, "this manager's page has no file '%.*s'", TEXT_ARG(call->name));
    (void)!err_hint(&err, "it was replaced by a newer one: load the page again");
    call_refuse(call, &err);
}

void api_page_home(struct call *call)
{
    call_answer_fields(call,
                       &(struct http_answer){ .status = 307,
                                              .fields = &(struct http_field){ "Location", "/ui/" },
                                              .field_count = 1 });
}

/* Serves the icon, which browsers request without a link to it. */
void api_page_icon(struct call *call)
{
    const struct page_disk *disk = call->api->options.page_disk;
    const struct page_file *file = page_find(TEXT("icon.svg"));
    struct page_disk_file read;
    struct err err;

    if (disk != NULL && page_disk_read(disk, call->arena, TEXT("icon.svg"), &read, &err)) {
        disk_give(call, &read);
        return;
    }
    file_give(call, file == NULL ? page_start() : file, "no-cache");
}
