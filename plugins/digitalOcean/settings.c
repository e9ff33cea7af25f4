#include "ocean.h"

#include "codec/doc_child.h"
#include "codec/json.h"

enum { OCEAN_REQUESTS_LEAST = 60, OCEAN_REQUESTS_DEFAULT = 3600, OCEAN_REQUESTS_MOST = 3600000 };

bool ocean_settings_read(struct arena *arena, struct text json, struct ocean_settings *out,
                         const char **out_why)
{
    static const char *const names[] = { "endpoint",        "region", "proxy", "ca",
                                         "requestsPerHour", "lagMs",  "lateMs" };
    struct doc doc;
    struct err err;

    *out = (struct ocean_settings){ .endpoint = TEXT("https://api.digitalocean.com"),
                                    .requests_per_hour = OCEAN_REQUESTS_DEFAULT,
                                    .lag_ms = OCEAN_LAG_MS,
                                    .late_ms = OCEAN_LATE_MS };
    if (!json_parse(arena, arena_text(arena, json), NULL, &doc, &err) || !doc_is_map(&doc)) {
        *out_why = "settings must be a map";
        return false;
    }
    for (size_t i = 0; i < doc.entry_count; i++) {
        bool is_known = false;

        for (size_t k = 0; k < ARRAY_COUNT(names); k++) {
            is_known |= text_is(doc.entries[i].key, names[k]);
        }
        if (!is_known || !doc_is_scalar(&doc.entries[i].value)) {
            *out_why = arena_printf(arena,
                                    "settings: '%.*s' is not valid here: there are endpoint, "
                                    "region, proxy, ca and requestsPerHour",
                                    TEXT_ARG(doc.entries[i].key))
                           .data;
            return false;
        }
    }
    if (doc_child(&doc, "endpoint") != NULL) {
        out->endpoint = doc_child_text(&doc, "endpoint");
    }
    while (text_has_suffix(out->endpoint, TEXT("/"))) {
        out->endpoint.length--;
    }
    out->region = doc_child_text(&doc, "region");
    out->proxy = doc_child_text(&doc, "proxy");
    out->ca = doc_child_text(&doc, "ca");
    if (doc_child(&doc, "requestsPerHour") != NULL) {
        out->requests_per_hour = doc_child_number(&doc, "requestsPerHour");
    }
    if (doc_child(&doc, "lagMs") != NULL) {
        out->lag_ms = (uint64_t)doc_child_number(&doc, "lagMs");
    }
    if (doc_child(&doc, "lateMs") != NULL) {
        out->late_ms = (uint64_t)doc_child_number(&doc, "lateMs");
    }
    if (out->lag_ms > OCEAN_LAG_MS || out->late_ms > OCEAN_LATE_MS) {
        *out_why = "settings: lagMs and lateMs are for tests: at most 60000 and 180000";
        return false;
    }
    if (out->requests_per_hour < OCEAN_REQUESTS_LEAST ||
        out->requests_per_hour > OCEAN_REQUESTS_MOST) {
        *out_why = "settings: requestsPerHour must be a number from 60 to 3600000";
        return false;
    }
    if (!http_url_is_allowed(out->endpoint)) {
        *out_why =
            "settings: endpoint must be a URL with https, or with http of a loopback address";
        return false;
    }
    return true;
}
