#include "codec/json.h"
#include "provider/hosted_parts.h"

#include <string.h>

/* public names start with: hosted_ */

/* Settings of an account. A process receives them when it starts. */

void hosted_renew(struct hosted *self)
{
    if (self->is_renewing && self->under_way == 0) {
        self->is_renewing = false;
        link_close(self->link);
        self->link = NULL;
        self->is_greeted = false;
    }
}

void hosted_settings(struct provider *provider, struct text settings)
{
    struct hosted *self = (struct hosted *)provider;
    struct text current = self->settings == NULL ? TEXT("") : text_from(self->settings);

    if (text_is_equal(current, settings)) {
        return;
    }
    self->settings = rows_resize(self->settings, settings.length + 1);
    memcpy(self->settings, settings.data, settings.length);
    self->settings[settings.length] = '\0';
    self->is_renewing = self->link != NULL;
    hosted_renew(self);
}

struct text hosted_settings_merged(const struct hosted *self, struct arena *arena)
{
    struct text common = self->options.facts->open.settings;
    struct doc_builder builder;
    struct doc base = { 0 };
    struct doc own = { 0 };
    struct doc merged;
    struct err err;
    struct buf buf;

    if (self->settings == NULL || self->settings[0] == '\0' ||
        !json_parse(arena, text_from(self->settings), NULL, &own, &err)) {
        return common;
    }
    if (common.length > 0) {
        (void)!json_parse(arena, common, NULL, &base, &err);
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; doc_is_map(&base) && i < base.entry_count; i++) {
        if (doc_find(&own, base.entries[i].key) == NULL) {
            doc_builder_add(&builder, &base.entries[i]);
        }
    }
    for (size_t i = 0; doc_is_map(&own) && i < own.entry_count; i++) {
        doc_builder_add(&builder, &own.entries[i]);
    }
    merged = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &merged);
    return buf_text(&buf);
}
