#include "inventory/traits.h"

#include "codec/json.h"

/* public names start with: traits_ */

enum { TRAITS_FACT_BYTES = 128, TRAITS_KIB_PER_MIB = 1024 };

/* ---- facts ---- */

/* The facts of a row, with the names under which a machine reports them. The last entries are
 * hardware facts, which only the program `machine` reports. */
static const struct {
    const char *reported;
    const char *kept;
    bool is_kib; /* reported as a number of KiB, stored as a size in MiB */
} facts_known[] = {
    { "architecture", "arch", false },
    { "cpus", "cpu", false },
    { "kernel", "kernel", false },
    { "os", "os", false },
    { "memory_kib", "memory", true },
    { "disks", "disks", false },
    { "storage_kib", "storage", true },
    { "gpus", "gpu", false },
    { "gpu_model", "gpuModel", false },
    { "firmware", "firmware", false },
    { "firmware_version", "firmwareVersion", false },
};

/* Get the value to store for one reported fact. Returns false if there is none. A machine without a
 * GPU gets no fact `gpu`, so that the selector `!gpu` matches. */
static bool traits_fact_make(struct arena *arena, size_t i, const struct doc *reported,
                             struct doc *out)
{
    int64_t number = 0;

    if (!doc_is_scalar(reported) || reported->text.length == 0 ||
        reported->text.length > TRAITS_FACT_BYTES) {
        return false;
    }
    *out = *reported;
    if (facts_known[i].is_kib) {
        if (!text_parse_int64(reported->text, &number) || number <= 0) {
            return false;
        }
        *out =
            doc_text(arena_printf(arena, "%lldMiB", (long long)number / TRAITS_KIB_PER_MIB), NULL);
    }
    return !text_is(text_from(facts_known[i].kept), "gpu") || !text_is(reported->text, "0");
}

struct text traits_facts_make(struct arena *arena, struct text reported, struct text former)
{
    struct doc_builder builder;
    struct doc facts;
    struct doc kept;
    struct err err;
    struct buf buf;
    struct doc old = doc_map(NULL, 0, NULL);

    if (reported.length == 0 || !json_parse(arena, reported, NULL, &facts, &err)) {
        return TEXT("");
    }
    if (former.length > 0 && !json_parse(arena, former, NULL, &old, &err)) {
        old = doc_map(NULL, 0, NULL);
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < ARRAY_COUNT(facts_known); i++) {
        const struct doc *value =
            doc_is_map(&facts) ? doc_find(&facts, text_from(facts_known[i].reported)) : NULL;
        const struct doc *was = doc_find(&old, text_from(facts_known[i].kept));
        struct doc own;

        if (value != NULL ? traits_fact_make(arena, i, value, &own) : doc_is_scalar(was)) {
            doc_builder_put(&builder, facts_known[i].kept, value != NULL ? own : *was);
        }
    }
    if (builder.count == 0) {
        return TEXT("");
    }
    kept = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &kept);
    return buf_text(&buf);
}

bool traits_value_find(const struct doc *map, struct text key, struct text *out)
{
    const struct doc *value = doc_is_map(map) ? doc_find(map, key) : NULL;

    if (!doc_is_scalar(value)) {
        return false;
    }
    *out = value->text;
    return true;
}

bool traits_fact_find(struct arena *arena, const struct doc *facts, struct text key,
                      struct text *out)
{
    if (traits_value_find(facts, key, out)) {
        return true;
    }
    if (text_is(key, "mem")) {
        key = TEXT("memory");
    }
    for (size_t i = 0; i < ARRAY_COUNT(facts_known); i++) {
        if (text_is(key, facts_known[i].kept)) {
            if (traits_value_find(facts, text_from(facts_known[i].reported), out)) {
                *out =
                    facts_known[i].is_kib ? arena_printf(arena, "%.*sKiB", TEXT_ARG(*out)) : *out;
                return true;
            }
            return traits_value_find(facts, key, out);
        }
    }
    return false;
}

/* ---- rows ---- */

struct traits {
    struct arena *arena;
    const struct discovered *row;
    struct doc facts;
    struct doc tags[DISCOVERED_SOURCES];
    size_t tag_count;
};

static bool traits_find(void *arg, struct text key, struct text *out)
{
    const struct traits *traits = arg;
    const struct discovered *row = traits->row;
    const struct {
        const char *key;
        struct text value;
    } own[] = {
        { "address", row->address },
        { "id", row->id },
        { "name", row->name },
        { "serial", row->serial },
        { "state", text_from(lifecycle_state_name(row->state)) },
        { "status", text_from(lifecycle_status_name(row->status)) },
    };

    for (size_t i = 0; i < ARRAY_COUNT(own); i++) {
        if (text_is(key, own[i].key) && own[i].value.length > 0) {
            *out = own[i].value;
            return true;
        }
    }
    if (traits_fact_find(traits->arena, &traits->facts, key, out)) {
        return true;
    }
    for (size_t i = 0; i < traits->tag_count; i++) {
        if (traits_value_find(&traits->tags[i], key, out)) {
            return true;
        }
    }
    return false;
}

bool traits_row_matches(struct arena *arena, const struct discovered *row,
                        const struct selector *selector)
{
    struct traits traits = { .arena = arena, .row = row };
    struct err err;

    if (row->facts.length == 0 || !json_parse(arena, row->facts, NULL, &traits.facts, &err)) {
        traits.facts = doc_map(NULL, 0, NULL);
    }
    for (size_t i = 0; i < row->source_count; i++) {
        traits.tag_count +=
            row->sources[i].tags.length > 0 &&
            json_parse(arena, row->sources[i].tags, NULL, &traits.tags[traits.tag_count], &err);
    }
    return selector_matches(selector, traits_find, &traits);
}
