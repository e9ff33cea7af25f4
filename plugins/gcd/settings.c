#include "gce.h"

#include "codec/doc_child.h"
#include "codec/json.h"

#define GCE_ENDPOINT "https://compute.googleapis.com"

static bool gce_settings_zones(const struct doc *list, struct gce_settings *out)
{
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        if (!doc_is_scalar(&list->items[i]) || out->zone_count == GCE_ZONES_MAX) {
            return false;
        }
        out->zones[out->zone_count++] = list->items[i].text;
    }
    return list == NULL || doc_is_list(list);
}

/* Reads a URL, and removes slashes at its end. */
static bool gce_settings_url(const struct doc *doc, const char *name, struct text *inout)
{
    if (doc_child(doc, name) == NULL) {
        return true;
    }
    *inout = doc_child_text(doc, name);
    while (text_has_suffix(*inout, TEXT("/"))) {
        inout->length--;
    }
    return http_url_is_allowed(*inout);
}

bool gce_settings_read(struct arena *arena, struct text json, struct gce_settings *out,
                       const char **out_why)
{
    static const char *const names[] = { "endpoint", "resourceManager", "metadata",
                                         "project",  "proxy",           "ca",
                                         "zones" };
    struct doc doc;
    struct err err;

    *out = (struct gce_settings){ .endpoint = TEXT(GCE_ENDPOINT),
                                  .resource_manager =
                                      TEXT("https://cloudresourcemanager.googleapis.com"),
                                  .metadata = TEXT("http://169.254.169.254") };
    if (!json_parse(arena, arena_text(arena, json), NULL, &doc, &err) || !doc_is_map(&doc)) {
        *out_why = "settings must be a map";
        return false;
    }
    for (size_t i = 0; i < doc.entry_count; i++) {
        bool is_known = false;

        for (size_t k = 0; k < ARRAY_COUNT(names); k++) {
            is_known |= text_is(doc.entries[i].key, names[k]);
        }
        if (!is_known) {
            *out_why = arena_printf(arena,
                                    "settings: '%.*s' is not valid here: there are project, zones, "
                                    "proxy, ca, endpoint, resourceManager and metadata",
                                    TEXT_ARG(doc.entries[i].key))
                           .data;
            return false;
        }
    }
    if (doc_child(&doc, "endpoint") != NULL) {
        out->resource_manager = doc_child_text(&doc, "endpoint");
        out->metadata = doc_child_text(&doc, "endpoint");
    }
    if (!gce_settings_url(&doc, "endpoint", &out->endpoint) ||
        !gce_settings_url(&doc, "resourceManager", &out->resource_manager)) {
        *out_why = "settings: endpoint and resourceManager are URLs with https, or with http of a "
                   "loopback address";
        return false;
    }
    if (doc_child(&doc, "metadata") != NULL) {
        out->metadata = doc_child_text(&doc, "metadata");
    }
    out->project = doc_child_text(&doc, "project");
    out->proxy = doc_child_text(&doc, "proxy");
    out->ca = doc_child_text(&doc, "ca");
    if (!gce_settings_zones(doc_child(&doc, "zones"), out)) {
        *out_why = "settings: zones must be a list of zones";
        return false;
    }
    return true;
}
