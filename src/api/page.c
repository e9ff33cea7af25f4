#include "api/call.h"
#include "api/handlers.h"
#include "page/page.h"

#include <assert.h>
#include <string.h>

/* The web page. Its files lie in a folder that has another name with every build, so that a browser may keep them for ever;
 * every other address below /ui/ is a view of the page, which finds out by itself what to show. */

/* Nothing inline, nothing from elsewhere, nobody may frame it, and text does not become markup. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types reeve";

static void file_give(struct call *call, const struct page_file *file, const char *keeping)
{
    const struct http_field fields[] = {
        { "Cache-Control", keeping },
        { "Content-Encoding", "gzip" },
        { "Content-Security-Policy", policy },
        { "Cross-Origin-Opener-Policy", "same-origin" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
        { "ETag", file->etag },
        { "Referrer-Policy", "no-referrer" },
    };
    struct http_answer answer = {
        .status = 200,
        .content_type = file->type,
        .body = file->gzip,
        .fields = fields,
        .field_count = sizeof(fields) / sizeof(fields[0]),
    };

    if (text_is(call_header(call, HTTP_IF_NONE_MATCH), file->etag)) {
        answer.status = 304;
        answer.body = TEXT("");
        answer.content_type = NULL;
    }
    call_answer_fields(call, &answer);
}

static bool is_hex(struct text text)
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
    bool is_file = folder.length == strlen(page_folder()) && is_hex(folder) && rest.length > 0;
    const struct page_file *file = NULL;
    struct err err;

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

/* Browsers ask for it by themselves. */
void api_page_icon(struct call *call)
{
    const struct page_file *file = page_find(TEXT("icon.svg"));

    file_give(call, file == NULL ? page_start() : file, "no-cache");
}
