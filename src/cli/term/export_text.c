#include "cli/term/export_text.h"

#include "base/limits.h"
#include "cli/term/glyph.h"
#include "codec/yaml.h"

static void map_write(struct buf *out, const struct doc *map, enum schema_owner owner,
                      size_t indent);

/* Write lines of YAML with more indentation. This does not change values: leading spaces have no
 * meaning in quoted text, and all lines of block text get the same additional indentation. */
static void moved_write(struct buf *out, struct text yaml, size_t indent)
{
    while (yaml.length > 0) {
        size_t end = text_find_byte(yaml, '\n');
        struct text line = text_slice(yaml, 0, end);

        buf_add_bytes(out, ' ', line.length > 0 ? indent : 0);
        buf_add(out, line);
        buf_add_string(out, "\n");
        yaml = end == SIZE_MAX ? TEXT("") : text_slice(yaml, end + 1, yaml.length);
    }
}

static void entry_plain_write(struct buf *out, const struct doc_entry *entry, size_t indent)
{
    struct doc one = doc_map(entry, 1, NULL);
    struct buf yaml;

    buf_init(&yaml, out->arena);
    yaml_format(&yaml, &one);
    moved_write(out, buf_text(&yaml), indent);
}

/* Write the key alone; its value follows below. */
static void key_write(struct buf *out, struct text key, size_t indent)
{
    struct doc_entry entry = { .key = key, .value = doc_map(NULL, 0, NULL) };
    struct doc one = doc_map(&entry, 1, NULL);
    struct buf yaml;
    struct text line;

    buf_init(&yaml, out->arena);
    yaml_format(&yaml, &one); /* writes "KEY: {}" */
    line = text_trim(buf_text(&yaml));
    buf_add_bytes(out, ' ', indent);
    buf_add(out, text_slice(line, 0, line.length - 3));
    buf_add_string(out, "\n");
}

static void export_text_groups_write(struct buf *out, const struct doc *groups,
                                     enum schema_owner owner, size_t indent)
{
    for (size_t i = 0; i < groups->entry_count; i++) {
        const struct doc_entry *entry = &groups->entries[i];

        if (doc_is_map(&entry->value) && entry->value.entry_count > 0) {
            key_write(out, entry->key, indent);
            map_write(out, &entry->value, owner, indent + 2);
        } else {
            entry_plain_write(out, entry, indent);
        }
    }
}

static void entry_write(struct buf *out, const struct doc_entry *entry,
                        const struct schema_field *field, size_t indent)
{
    bool is_map = doc_is_map(&entry->value) && entry->value.entry_count > 0;

    if (is_map && field != NULL && field->type.kind == TYPE_GROUPS) {
        key_write(out, entry->key, indent);
        export_text_groups_write(out, &entry->value, OWNER_GROUP, indent + 2);
    } else if (is_map && field != NULL && field->type.kind == TYPE_OBJECT &&
               field->type.shape == SHAPE_ONE) {
        key_write(out, entry->key, indent);
        map_write(out, &entry->value, field->type.owner, indent + 2);
    } else {
        entry_plain_write(out, entry, indent);
    }
}

static void map_write(struct buf *out, const struct doc *map, enum schema_owner owner,
                      size_t indent)
{
    size_t count;
    const struct schema_field *fields = schema_fields(&count);

    /* keys that are not in the schema, such as `kind`, come first */
    for (size_t i = 0; i < map->entry_count; i++) {
        if (schema_field_find(owner, map->entries[i].key) == NULL) {
            entry_write(out, &map->entries[i], NULL, indent);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct doc_entry *entry = schema_has_owner(&fields[i], owner)
                                            ? doc_entry_find(map, text_from(fields[i].name))
                                            : NULL;

        if (entry != NULL) {
            entry_write(out, entry, &fields[i], indent);
        }
    }
}

void export_text_write(struct buf *out, const struct doc *flat, enum schema_owner owner)
{
    map_write(out, flat, owner, 0);
}

/* ---- sources ---- */

/* Write a source as a reference: {template: ml-std} as clustertemplate/ml-std. A source has one
 * key. */
static void source_write(struct buf *out, const struct doc *from)
{
    const struct doc_entry *entry = &from->entries[0];
    bool is_template = text_is(entry->key, "template");

    buf_add_string(out, "from ");
    if (is_template) {
        buf_add_string(out, "clustertemplate");
    } else {
        glyph_write_text(out, entry->key);
    }
    buf_add_string(out, "/");
    glyph_write_text(out, doc_is_scalar(&entry->value) ? entry->value.text : TEXT("?"));
    buf_add_string(out, "; its values are written out\n");
}

static bool has_source(const struct doc *from)
{
    return doc_is_map(from) && from->entry_count > 0;
}

static void groups_sources(struct buf *out, const struct doc *groups, struct text above,
                           unsigned depth)
{
    for (size_t i = 0;
         doc_is_map(groups) && depth < LIMIT_DOCUMENT_DEPTH && i < groups->entry_count; i++) {
        const struct doc *group = &groups->entries[i].value;
        struct text path =
            arena_printf(out->arena, "%.*s%s%.*s", TEXT_ARG(above), above.length > 0 ? "/" : "",
                         TEXT_ARG(groups->entries[i].key));

        if (has_source(doc_child(group, "from"))) {
            buf_add_string(out, "# group ");
            glyph_write_text(out, path);
            buf_add_string(out, ": ");
            source_write(out, doc_child(group, "from"));
        }
        groups_sources(out, doc_child(group, "groups"), path, depth + 1);
    }
}

void export_text_sources(struct buf *out, const struct doc *spec)
{
    if (has_source(doc_child(spec, "from"))) {
        buf_add_string(out, "# ");
        source_write(out, doc_child(spec, "from"));
    }
    groups_sources(out, doc_child(spec, "groups"), TEXT(""), 0);
}
