#include "api/call.h"
#include "api/handlers.h"
#include "model/json_schema.h"

#include <string.h>

/* OpenAPI 3.1 from the route table and the schema of files: what is not in them is not in here. */

static struct doc text_doc(const char *text)
{
    return doc_text(text_from(text), NULL);
}

/* {"$ref": ...} and other maps of one text. */
static struct doc pair(struct arena *arena, const char *key, const char *value)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, key, text_doc(value));
    return doc_builder_map(&builder, NULL);
}

static struct doc parameter_doc(struct arena *arena, struct text name, const char *in)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "in", text_doc(in));
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

static struct doc body_doc(struct arena *arena, const struct route *route)
{
    struct text words = text_from(route->consumes);
    struct doc_builder content;
    struct doc_builder body;

    doc_builder_init(&content, arena);
    while (words.length > 0) {
        struct text one = text_slice(words, 0, text_find_byte(words, ' '));

        doc_builder_put(&content, arena_string(arena, one), doc_map(NULL, 0, NULL));
        words = text_slice(words, one.length + 1, words.length);
    }
    doc_builder_init(&body, arena);
    doc_builder_put(&body, "content", doc_builder_map(&content, NULL));
    return doc_builder_map(&body, NULL);
}

static struct doc responses_doc(struct arena *arena)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "2XX", pair(arena, "description", "done"));
    doc_builder_put(&builder, "default", pair(arena, "$ref", "#/components/responses/problem"));
    return doc_builder_map(&builder, NULL);
}

static struct doc operation_doc(struct arena *arena, const struct route *route)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "parameters", parameters_doc(arena, route));
    if (route->consumes[0] != '\0') {
        doc_builder_put(&builder, "requestBody", body_doc(arena, route));
    }
    doc_builder_put(&builder, "responses", responses_doc(arena));
    doc_builder_put(&builder, "summary", text_doc(route->help));
    doc_builder_put(&builder, "x-reeve-role", text_doc(route_who_name(route->who)));
    return doc_builder_map(&builder, NULL);
}

/* Methods of one path are one object, and {name...} is a {name} to others. */
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
                    doc_builder_put(&item, methods[k + 1], operation_doc(arena, &table[j]));
                }
            }
        }
        if (i == 0 || strcmp(table[i].path, table[i - 1].path) != 0) {
            doc_builder_put(&paths, arena_string(arena, path), doc_builder_map(&item, NULL));
        }
    }
    return doc_builder_map(&paths, NULL);
}

static struct doc components_doc(struct arena *arena)
{
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);
    struct doc_builder all;
    struct doc_builder schemas;
    struct doc_builder responses;

    doc_builder_init(&schemas, arena);
    for (size_t i = 0; i < count; i++) {
        if (kinds[i].is_in_files && schema_is_usable(kinds[i].since)) {
            doc_builder_put(&schemas, kinds[i].name, json_schema_make(arena, &kinds[i]));
        }
    }
    doc_builder_init(&responses, arena);
    doc_builder_put(&responses, "problem",
                    pair(arena, "description", "application/problem+json, RFC 9457"));
    doc_builder_init(&all, arena);
    doc_builder_put(&all, "responses", doc_builder_map(&responses, NULL));
    doc_builder_put(&all, "schemas", doc_builder_map(&schemas, NULL));
    return doc_builder_map(&all, NULL);
}

void api_openapi(struct call *call)
{
    struct arena *arena = call->arena;
    struct doc_builder info;
    struct doc_builder whole;
    struct doc body;

    doc_builder_init(&info, arena);
    doc_builder_put(&info, "title", text_doc("reeve"));
    doc_builder_put(&info, "version", text_doc(call->api->options.version));
    doc_builder_init(&whole, arena);
    doc_builder_put(&whole, "components", components_doc(arena));
    doc_builder_put(&whole, "info", doc_builder_map(&info, NULL));
    doc_builder_put(&whole, "openapi", text_doc("3.1.0"));
    doc_builder_put(&whole, "paths", paths_doc(arena));
    body = doc_builder_map(&whole, NULL);
    call_tell(call, 200, &body);
}
