#include "api/request/body_yaml.h"

#include "api/request/body.h"
#include "codec/yaml.h"
#include "model/set.h"

#include <string.h>

bool body_is_yaml(const struct call *call)
{
    return text_has_prefix(call_header(call, HTTP_CONTENT_TYPE), TEXT("application/yaml"));
}

static const struct origin *body_yaml_origin_give(const struct origin *origin, void *arg)
{
    (void)origin;
    return arg;
}

/* Numbers the documents, as in a JSON body, so that errors can refer to the document. */
static void documents_number(struct call *call, const struct yaml_docs *docs,
                             struct service_change *out)
{
    struct doc *items = arena_array(call->arena, struct doc, docs->count);

    for (size_t i = 0; i < docs->count; i++) {
        struct origin *origin = arena_one(call->arena, struct origin);

        *origin = (struct origin){ .kind = ORIGIN_FILE, .source = (uint16_t)(i + 1) };
        items[i] = doc_with_origins(call->arena, &docs->items[i], body_yaml_origin_give, origin);
    }
    out->documents = items;
    out->document_count = docs->count;
    out->is_file = true;
}

/* Reads a parameter such as take=groups.web.size,labels.tier. */
static void takes_read(struct call *call, struct service_change *out)
{
    struct text rest = call_parameter(call, "take");
    size_t count = rest.length > 0 ? 1 : 0;
    struct text *takes;

    for (size_t i = 0; i < rest.length; i++) {
        count += rest.data[i] == ',' ? 1 : 0;
    }
    takes = arena_array(call->arena, struct text, count);
    for (size_t i = 0; i < count; i++) {
        takes[i] = text_slice(rest, 0, text_find_byte(rest, ','));
        rest = text_slice(rest, takes[i].length + 1, rest.length);
    }
    out->takes = takes;
    out->take_count = count;
}

/* Returns whether reeve does not interpret the content of this field. Then a name inside it, such
 * as "stages", has no meaning. */
static bool is_body_yaml_opaque(struct text key)
{
    return text_is(key, "vars") || text_is(key, "properties") || text_is(key, "labels");
}

/* Rejects `tar: FOLDER`: the folder is on the client's computer, so only the command line can read
 * it. */
static void stages_check(const struct doc *stages, struct err_list *errors)
{
    for (size_t i = 0; doc_is_list(stages) && i < stages->item_count; i++) {
        const struct doc *tar = doc_child(&stages->items[i], "tar");

        if (tar != NULL) {
            struct err *err = err_list_set(errors, doc_place(tar), CODE_R0429,
                                           "'tar' names a folder next to the file, which the "
                                           "manager cannot read");

            err_hint(err, "reeve apply -f FILE uploads it; an uploaded bundle is written as "
                          "bundle: NAME@sha256:DIGEST");
        }
    }
}

static void tars_check(const struct doc *doc, struct err_list *errors)
{
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];

        if (text_is(entry->key, "bootstrap")) {
            stages_check(&entry->value, errors);
        } else if (!is_body_yaml_opaque(entry->key)) {
            tars_check(&entry->value, errors);
        }
    }
    for (size_t i = 0; doc_is_list(doc) && i < doc->item_count; i++) {
        tars_check(&doc->items[i], errors);
    }
}

/* Checks the documents although an error was found already, so that all errors are reported
 * together. */
static void rest_check(struct call *call, const struct service_change *change,
                       struct err_list *errors)
{
    struct model_set set;

    model_set_init(&set, call->arena, errors);
    for (size_t i = 0; i < change->document_count; i++) {
        model_set_add(&set, &change->documents[i]);
    }
    model_set_resolve(&set);
}

bool body_apply_yaml(struct call *call, struct service_change *out, struct err_list *errors)
{
    const struct origin origin = { .kind = ORIGIN_FILE, .source = 1 };
    struct yaml_docs docs;
    struct err err;

    if (!body_requests(call, out, &err) || !body_supersede(call, NULL, out, &err) ||
        !yaml_parse_tolerant(call->arena, call->request->body, &origin, &docs, errors, &err)) {
        err_list_add(errors, &err);
        return false;
    }
    if (docs.count == 0) {
        err_list_set(errors, (struct place){ 1, 1, 1, 1 }, CODE_R0117,
                     "the file contains no document");
    } else if (docs.count > LIMIT_DOCUMENTS_PER_SET) {
        err_list_set(errors, (struct place){ 0 }, CODE_R0013,
                     "the file has more than %d documents, the maximum for a set",
                     LIMIT_DOCUMENTS_PER_SET);
        return false;
    }
    documents_number(call, &docs, out);
    takes_read(call, out);
    for (size_t i = 0; i < out->document_count; i++) {
        tars_check(&out->documents[i], errors);
    }
    if (errors->errors > 0) {
        rest_check(call, out, errors);
        return false;
    }
    return true;
}
