#include "cli/export_text.h"

#include "codec/yaml.h"

static void map_write(struct buf *out, const struct doc *map, enum schema_owner owner,
                      size_t indent);

/* Lines of YAML, each moved to the right. Lines of a text in quotes may be: blanks at their beginning do
 * not count there, and in a block all are moved alike. */
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

/* The key alone; what is below it follows. */
static void key_write(struct buf *out, struct text key, size_t indent)
{
    struct doc_entry entry = { .key = key, .value = doc_map(NULL, 0, NULL) };
    struct doc one = doc_map(&entry, 1, NULL);
    struct buf yaml;
    struct text line;

    buf_init(&yaml, out->arena);
    yaml_format(&yaml, &one); /* KEY: {} */
    line = text_trim(buf_text(&yaml));
    buf_add_bytes(out, ' ', indent);
    buf_add(out, text_slice(line, 0, line.length - 3));
    buf_add_string(out, "\n");
}

static void groups_write(struct buf *out, const struct doc *groups, enum schema_owner owner,
                         size_t indent)
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
        groups_write(out, &entry->value, OWNER_GROUP, indent + 2);
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

    for (size_t i = 0; i < map->entry_count; i++) { /* what the schema does not know leads: kind */
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
