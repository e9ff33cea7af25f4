#include "api/request/call.h"
#include "api/request/handlers.h"
#include "codec/json.h"
#include "model/json_schema.h"

#include <assert.h>
#include <string.h>

/* Generates OpenAPI 3.1. Its only sources are the route table and the schema of files. */

static struct doc openapi_text_doc(const char *text)
{
    return doc_text(text_from(text), NULL);
}

/* Returns a map with one text, such as {"$ref": ...}. */
static struct doc pair(struct arena *arena, const char *key, const char *value)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, key, openapi_text_doc(value));
    return doc_builder_map(&builder, NULL);
}

static struct doc parameter_doc(struct arena *arena, struct text name, const char *in)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "in", openapi_text_doc(in));
    doc_builder_put(&builder, "name", doc_text(name, NULL));
    if (strcmp(in, "path") == 0) {
        doc_builder_put(&builder, "required", doc_bool(true, NULL));
    }
    doc_builder_put(&builder, "schema", pair(arena, "type", "string"));
    return doc_builder_map(&builder, NULL);
}

enum { PARAMETERS_MAX = 16 };

static struct doc parameters_doc(struct arena *arena, const struct route *route)
{
    struct text words = arena_printf(arena, "%s tenant min-revision", route->parameters);
    struct doc *items = arena_array(arena, struct doc, PARAMETERS_MAX);
    size_t count = 0;

    if (strstr(route->path, "{kinds}") != NULL) {
        items[count++] = parameter_doc(arena, TEXT("kinds"), "path");
    }
    if (strstr(route->path, "{name") != NULL) {
        items[count++] = parameter_doc(arena, TEXT("name"), "path");
    }
    while (words.length > 0 && count < PARAMETERS_MAX) {
        struct text one = text_slice(words, 0, text_find_byte(words, ' '));

        if (one.length > 0) {
            items[count++] = parameter_doc(arena, one, "query");
        }
        words = text_slice(words, one.length + 1, words.length);
    }
    return doc_list(items, count, NULL);
}

/* An example of a valid request. */
struct example {
    const char *method;
    const char *path; /* path in the spelling of the OpenAPI document */
    const char *type;
    const char *target;
    const char *schema;
    const char *body;
};

static const struct example examples[] = {
#define EXAMPLE(method, path, type, target, schema, body) \
    { method, path, type, target, schema, body },
#include "api/routes/examples.def"
#undef EXAMPLE
};

/* Parses JSON that comes from tables of this program, so it is valid. */
static struct doc own_json(struct arena *arena, const char *text)
{
    struct doc doc;
    struct err err;
    bool is_good = json_parse(arena, text_from(text), NULL, &doc, &err);

    assert(is_good);
    (void)is_good;
    return doc;
}

static struct doc reference_doc(struct arena *arena, const char *schema)
{
    return pair(arena, "$ref",
                arena_string(arena, arena_printf(arena, "#/components/schemas/%s", schema)));
}

/* Returns {"examples":{"NAME":{"value":..., "x-reeve-path":...}}, "schema":...} for one type of
 * body. */
static struct doc content_doc(struct arena *arena, const struct route *route, struct text path,
                              struct text type)
{
    struct doc_builder found;
    struct doc_builder content;
    const char *schema = "Any";

    doc_builder_init(&found, arena);
    for (size_t i = 0; i < ARRAY_COUNT(examples); i++) {
        struct doc_builder example;

        if (strcmp(examples[i].method, route->method) != 0 || !text_is(path, examples[i].path) ||
            !text_is(type, examples[i].type)) {
            continue;
        }
        schema = examples[i].schema;
        if (examples[i].target == NULL) {
            continue;
        }
        doc_builder_init(&example, arena);
        doc_builder_put(&example, "value", own_json(arena, examples[i].body));
        doc_builder_put(&example, "x-reeve-path", openapi_text_doc(examples[i].target));
        doc_builder_put(&found, arena_string(arena, arena_printf(arena, "example%02zu", i)),
                        doc_builder_map(&example, NULL));
    }
    doc_builder_init(&content, arena);
    if (found.count > 0) {
        doc_builder_put(&content, "examples", doc_builder_map(&found, NULL));
    }
    doc_builder_put(&content, "schema", reference_doc(arena, schema));
    return doc_builder_map(&content, NULL);
}

static struct doc body_doc(struct arena *arena, const struct route *route, struct text path)
{
    struct text words = text_from(route->consumes);
    struct doc_builder content;
    struct doc_builder body;

    doc_builder_init(&content, arena);
    while (words.length > 0) {
        struct text one = text_slice(words, 0, text_find_byte(words, ' '));

        doc_builder_put(&content, arena_string(arena, one), content_doc(arena, route, path, one));
        words = text_slice(words, one.length + 1, words.length);
    }
    doc_builder_init(&body, arena);
    doc_builder_put(&body, "content", doc_builder_map(&content, NULL));
    return doc_builder_map(&body, NULL);
}

static struct doc responses_doc(struct arena *arena, const struct route *route)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "2XX", pair(arena, "description", "done"));
    doc_builder_put(&builder, "default",
                    pair(arena, "$ref",
                         text_has_prefix(text_from(route->path), TEXT(CONTIV_PREFIX "/"))
                             ? "#/components/responses/line"
                             : "#/components/responses/problem"));
    return doc_builder_map(&builder, NULL);
}

static struct doc operation_doc(struct arena *arena, const struct route *route, struct text path)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "parameters", parameters_doc(arena, route));
    if (route->consumes[0] != '\0') {
        doc_builder_put(&builder, "requestBody", body_doc(arena, route, path));
    }
    doc_builder_put(&builder, "responses", responses_doc(arena, route));
    doc_builder_put(&builder, "summary", openapi_text_doc(route->help));
    doc_builder_put(&builder, "x-reeve-role", openapi_text_doc(route_who_name(route->who)));
    return doc_builder_map(&builder, NULL);
}

/* Returns the paths. All methods of a path are in one object; {name...} is written as {name}. */
static struct doc paths_doc(struct arena *arena)
{
    static const char *const methods[] = { "GET",   "get",   "POST",   "post",   "PUT", "put",
                                           "PATCH", "patch", "DELETE", "delete", NULL };
    size_t count;
    const struct route *table = route_table(&count);
    struct doc_builder paths;

    doc_builder_init(&paths, arena);
    for (size_t i = 0; i < count; i++) {
        const char *dots = strstr(table[i].path, "...");
        struct text path = dots == NULL ? text_from(table[i].path)
                                        : arena_printf(arena, "%.*s%s", (int)(dots - table[i].path),
                                                       table[i].path, dots + 3);
        struct doc_builder item;

        doc_builder_init(&item, arena);
        for (size_t j = i; j < count; j++) {
            for (size_t k = 0; strcmp(table[j].path, table[i].path) == 0 && methods[k] != NULL;
                 k += 2) {
                if (strcmp(methods[k], table[j].method) == 0) {
                    doc_builder_put(&item, methods[k + 1], operation_doc(arena, &table[j], path));
                }
            }
        }
        if (i == 0 || strcmp(table[i].path, table[i - 1].path) != 0) {
            doc_builder_put(&paths, arena_string(arena, path), doc_builder_map(&item, NULL));
        }
    }
    return doc_builder_map(&paths, NULL);
}

/* Rewrites references, because OpenAPI keeps definitions in the components: #/$defs/X becomes
 * #/components/schemas/X. */
static struct doc references_move(struct arena *arena, const struct doc *doc)
{
    struct text old = TEXT("#/$defs/");
    struct doc moved = *doc;

    if (doc_is_scalar(doc) && doc->style == DOC_STYLE_QUOTED && text_has_prefix(doc->text, old)) {
        moved.text = arena_printf(arena, "#/components/schemas/%.*s",
                                  TEXT_ARG(text_slice(doc->text, old.length, doc->text.length)));
    } else if (doc_is_list(doc)) {
        struct doc *items = arena_array(arena, struct doc, doc->item_count);

        for (size_t i = 0; i < doc->item_count; i++) {
            items[i] = references_move(arena, &doc->items[i]);
        }
        moved.items = items;
    } else if (doc_is_map(doc)) {
        struct doc_entry *entries = arena_array(arena, struct doc_entry, doc->entry_count);

        for (size_t i = 0; i < doc->entry_count; i++) {
            entries[i] = doc->entries[i];
            entries[i].value = references_move(arena, &doc->entries[i].value);
        }
        moved.entries = entries;
    }
    return moved;
}

/* Adds the schema of each kind of object in files, by the name of the kind. */
static void kinds_add(struct arena *arena, struct doc_builder *schemas)
{
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);

    for (size_t i = 0; i < count; i++) {
        struct doc whole;
        struct doc_builder kind;

        if (!kinds[i].is_in_files || !schema_is_usable(kinds[i].since)) {
            continue;
        }
        whole = json_schema_make(arena, &kinds[i]);
        whole = references_move(arena, &whole);
        doc_builder_init(&kind, arena);
        /* only once, because all kinds share the same definitions */
        for (size_t j = 0; j < whole.entry_count; j++) {
            if (!text_has_prefix(whole.entries[j].key, TEXT("$")) ||
                text_is(whole.entries[j].key, "$ref")) {
                doc_builder_add(&kind, &whole.entries[j]);
            }
        }
        doc_builder_put(schemas, kinds[i].name, doc_builder_map(&kind, NULL));
    }
}

/* Returns the schemas of a file and of each of its parts, and of the bodies that are not documents
 * of files. */
static struct doc schemas_doc(struct arena *arena)
{
    static const struct {
        const char *name;
        const char *schema;
    } bodies[] = {
#define BODY(name, schema) { name, schema },
#include "api/routes/bodies.def"
#undef BODY
    };
    struct doc all = json_schema_make(arena, NULL);
    struct doc_builder document;
    struct doc_builder schemas;

    all = references_move(arena, &all);
    doc_builder_init(&document, arena);
    doc_builder_init(&schemas, arena);
    for (size_t i = 0; i < all.entry_count; i++) {
        const struct doc_entry *entry = &all.entries[i];

        for (size_t j = 0; text_is(entry->key, "$defs") && j < entry->value.entry_count; j++) {
            doc_builder_add(&schemas, &entry->value.entries[j]);
        }
        if (!text_has_prefix(entry->key, TEXT("$"))) {
            doc_builder_add(&document, entry);
        }
    }
    doc_builder_put(&schemas, "Document", doc_builder_map(&document, NULL));
    kinds_add(arena, &schemas);
    for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) {
        doc_builder_put(&schemas, bodies[i].name, own_json(arena, bodies[i].schema));
    }
    return doc_builder_map(&schemas, NULL);
}

static struct doc components_doc(struct arena *arena)
{
    struct doc problem =
        own_json(arena, "{\"description\":\"description of the problem (RFC 9457)\",\"content\":{"
                        "\"application/problem+json\":{\"schema\":{\"$ref\":"
                        "\"#/components/schemas/Problem\"}}}}");
    struct doc line =
        own_json(arena, "{\"description\":\"description of the problem, in one line\",\"content\":{"
                        "\"text/plain\":{\"schema\":{\"type\":\"string\"}}}}");
    struct doc_builder responses;
    struct doc_builder all;

    doc_builder_init(&responses, arena);
    doc_builder_put(&responses, "line", line);
    doc_builder_put(&responses, "problem", problem);
    doc_builder_init(&all, arena);
    doc_builder_put(&all, "responses", doc_builder_map(&responses, NULL));
    doc_builder_put(&all, "schemas", schemas_doc(arena));
    return doc_builder_map(&all, NULL);
}

void api_openapi(struct call *call)
{
    struct arena *arena = call->arena;
    struct doc_builder info;
    struct doc_builder whole;
    struct doc body;

    doc_builder_init(&info, arena);
    doc_builder_put(&info, "title", openapi_text_doc("reeve"));
    doc_builder_put(&info, "version", openapi_text_doc(call->api->options.version));
    doc_builder_init(&whole, arena);
    doc_builder_put(&whole, "components", components_doc(arena));
    doc_builder_put(&whole, "info", doc_builder_map(&info, NULL));
    doc_builder_put(&whole, "openapi", openapi_text_doc("3.1.0"));
    doc_builder_put(&whole, "paths", paths_doc(arena));
    body = doc_builder_map(&whole, NULL);
    call_report(call, 200, &body);
}
