#include "stack.h"

#include "codec/doc_child.h"
#include "codec/json.h"

static bool stack_settings_regions(const struct doc *list, struct stack_settings *out)
{
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        if (!doc_is_scalar(&list->items[i]) || list->items[i].text.length == 0 ||
            out->region_count == STACK_REGIONS_MAX ||
            text_find_byte(list->items[i].text, '/') != SIZE_MAX) {
            return false;
        }
        out->regions[out->region_count++] = list->items[i].text;
    }
    return list == NULL || doc_is_list(list);
}

static bool stack_settings_known(struct arena *arena, const struct doc *doc, const char **out_why)
{
    static const char *const names[] = { "endpoint", "regions", "interface", "proxy",
                                         "ca",       "lagMs",   "lateMs" };

    for (size_t i = 0; i < doc->entry_count; i++) {
        bool is_known = false;

        for (size_t k = 0; k < ARRAY_COUNT(names); k++) {
            is_known |= text_is(doc->entries[i].key, names[k]);
        }
        if (!is_known) {
            *out_why = arena_printf(arena,
                                    "settings: '%.*s' is not valid here: there are regions, "
                                    "interface, endpoint, proxy and ca",
                                    TEXT_ARG(doc->entries[i].key))
                           .data;
            return false;
        }
    }
    return true;
}

bool stack_settings_read(struct arena *arena, struct text json, struct stack_settings *out,
                         const char **out_why)
{
    struct doc doc;
    struct err err;

    *out = (struct stack_settings){ .lag_ms = STACK_LAG_MS, .late_ms = STACK_LATE_MS };
    if (!json_parse(arena, arena_text(arena, json), NULL, &doc, &err) || !doc_is_map(&doc)) {
        *out_why = "settings must be a map";
        return false;
    }
    if (!stack_settings_known(arena, &doc, out_why)) {
        return false;
    }
    out->endpoint = doc_child_text(&doc, "endpoint");
    out->interface = doc_child_text(&doc, "interface");
    out->proxy = doc_child_text(&doc, "proxy");
    out->ca = doc_child_text(&doc, "ca");
    if (doc_child(&doc, "lagMs") != NULL) {
        out->lag_ms = (uint64_t)doc_child_number(&doc, "lagMs");
    }
    if (doc_child(&doc, "lateMs") != NULL) {
        out->late_ms = (uint64_t)doc_child_number(&doc, "lateMs");
    }
    if (!stack_settings_regions(doc_child(&doc, "regions"), out)) {
        *out_why = "settings: regions must be a list of regions, as the catalog names them";
    } else if (out->interface.length > 0 && !text_is(out->interface, "public") &&
               !text_is(out->interface, "internal") && !text_is(out->interface, "admin")) {
        *out_why = "settings: interface is public, internal or admin";
    } else if (out->endpoint.length > 0 && !http_url_is_allowed(out->endpoint)) {
        *out_why =
            "settings: endpoint must be a URL with https, or with http of a loopback address";
    } else if (out->lag_ms > STACK_LAG_MS || out->late_ms > STACK_LATE_MS) {
        *out_why = "settings: lagMs and lateMs are for tests: at most 30000 and 300000";
    } else {
        return true;
    }
    return false;
}
