#include "virt.h"

#include "codec/doc_child.h"
#include "codec/json.h"

/* Checks that libvirt can connect to the URI without starting a program, and without sending data
 * in clear text. */
static bool virt_uri_check(struct arena *arena, struct text uri, const char **out_why)
{
    size_t end = text_find_byte(uri, ':');
    struct text scheme = text_slice(uri, 0, end == SIZE_MAX ? 0 : end);
    size_t plus = text_find_byte(scheme, '+');
    struct text driver = text_slice(scheme, 0, plus);
    struct text transport =
        plus == SIZE_MAX ? TEXT("") : text_slice(scheme, plus + 1, scheme.length);

    if (text_is(transport, "ssh") || text_is(transport, "libssh") ||
        text_is(transport, "libssh2") || text_is(transport, "ext")) {
        *out_why = arena_printf(arena,
                                "settings: uri is %.*s: '%.*s' is not possible, because a plugin "
                                "may not start programs or read keys: use qemu+tls, or "
                                "qemu:///system on the hypervisor itself",
                                TEXT_ARG(uri), TEXT_ARG(transport))
                       .data;
        return false;
    }
    if (text_is(transport, "tcp")) {
        *out_why = "settings: uri: tcp is not encrypted: use qemu+tls";
        return false;
    }
    if (!text_is_visible(uri) || (!text_is(driver, "qemu") && !text_is(driver, "test")) ||
        (transport.length > 0 && !text_is(transport, "unix") && !text_is(transport, "tls")) ||
        !text_has_prefix(text_slice(uri, scheme.length, uri.length), TEXT("://")) ||
        text_has_prefix(text_slice(uri, scheme.length, uri.length), TEXT(":///embed"))) {
        *out_why = arena_printf(arena,
                                "settings: uri is like qemu:///system or "
                                "qemu+tls://HOST/system, and not '%.*s'",
                                TEXT_ARG(uri))
                       .data;
        return false;
    }
    return true;
}

static bool virt_settings_names(struct arena *arena, const struct doc *doc, const char **out_why)
{
    static const char *const names[] = { "uri", "pool", "imagePool", "network", "seedUpload" };

    for (size_t i = 0; i < doc->entry_count; i++) {
        bool is_known = false;

        for (size_t k = 0; k < ARRAY_COUNT(names); k++) {
            is_known |= text_is(doc->entries[i].key, names[k]);
        }
        if (!is_known || !doc_is_scalar(&doc->entries[i].value) ||
            doc->entries[i].value.text.length == 0) {
            *out_why = arena_printf(arena,
                                    "settings: '%.*s' is not valid here: there are the texts uri, "
                                    "pool, imagePool and network",
                                    TEXT_ARG(doc->entries[i].key))
                           .data;
            return false;
        }
    }
    return true;
}

static const char *virt_setting(struct arena *arena, const struct doc *doc, const char *name,
                                const char *initial)
{
    return doc_child(doc, name) == NULL ? initial : arena_string(arena, doc_child_text(doc, name));
}

bool virt_settings_read(struct arena *arena, struct text json, struct virt_settings *out,
                        const char **out_why)
{
    struct doc doc;
    struct err err;

    if (!json_parse(arena, arena_text(arena, json), NULL, &doc, &err) || !doc_is_map(&doc)) {
        *out_why = "settings must be a map";
        return false;
    }
    if (!virt_settings_names(arena, &doc, out_why)) {
        return false;
    }
    out->uri = virt_setting(arena, &doc, "uri", "qemu:///system");
    out->pool = virt_setting(arena, &doc, "pool", "default");
    out->image_pool = virt_setting(arena, &doc, "imagePool", out->pool);
    out->network = virt_setting(arena, &doc, "network", "default");
    out->uploads_seed = !text_is(doc_child_text(&doc, "seedUpload"), "false");
    if (!virt_uri_check(arena, text_from(out->uri), out_why)) {
        return false;
    }
    if (!out->uploads_seed && !text_has_prefix(text_from(out->uri), TEXT("test"))) {
        *out_why = "settings: seedUpload: false is for libvirt's test driver: a machine without a "
                   "seed disk accepts no logins";
        return false;
    }
    return true;
}
