#include "base/limits.h"
#include "base/macros.h"
#include "base/sort.h"
#include "codec/json.h"
#include "records/record.h"

#include <assert.h>

/* public names start with: counter_ counters_ */

/* {"absent":{TOKEN:[COUNT,FIRST,LAST]},"believed":{TOKEN:[COUNT,FIRST,LAST]},
 *  "failed":{GENERATION:[COUNT,FIRST,LAST]},"held":true,"incarnation":"..","incarnationSince":N,
 *  "lookups":{TOKEN:[COUNT,FIRST,LAST,WORD]},"missed":{ID:[..]},
 *  "series":{SERIES:[NUMBER,FIRST,LAST]},"sighted":{ID:[COUNT,FIRST,LAST,SPARED]},
 *  "spent":[[COUNT,MS]],"unheard":{PLUGIN:[COUNT,FIRST,LAST]}} */

static const char *const lookup_names[] = {
    [PLAN_LOOKUP_NONE] = "none",       [PLAN_LOOKUP_RUNNING] = "running",
    [PLAN_LOOKUP_STOPPED] = "stopped", [PLAN_LOOKUP_GONE] = "gone",
    [PLAN_LOOKUP_ENDED] = "ended",
};

static int key_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct counter *)a)->key, ((const struct counter *)b)->key);
}

struct counter *counter_find(struct counter *counters, size_t count, struct text key)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;
        int order = text_compare(counters[middle].key, key);

        if (order == 0) {
            return &counters[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            count = middle;
        }
    }
    return NULL;
}

struct counter *counters_sighting(struct arena *arena, struct counters *counters, struct text id)
{
    struct counter *grown;

    for (size_t i = 0; i < counters->sighted_count; i++) {
        if (text_is_equal(counters->sighted[i].key, id)) {
            return &counters->sighted[i];
        }
    }
    if (counters->sighted_count >= LIMIT_CONTROL_ABSENCES) {
        return NULL;
    }
    grown = arena_array(arena, struct counter, counters->sighted_count + 1);
    for (size_t i = 0; i < counters->sighted_count; i++) {
        grown[i] = counters->sighted[i];
    }
    grown[counters->sighted_count].key = id;
    counters->sighted = grown;
    return &grown[counters->sighted_count++];
}

/* ---- writing ---- */

static void counter_add(struct buf *buf, const struct counter *counter, bool is_first)
{
    assert(record_is_plain(counter->key));
    buf_printf(buf, "%s\"%.*s\":[%u,%llu,%llu", is_first ? "" : ",", TEXT_ARG(counter->key),
               counter->seen.count, (unsigned long long)counter->seen.first_ms,
               (unsigned long long)counter->seen.last_ms);
    if (counter->lookup != PLAN_LOOKUP_NONE) {
        buf_printf(buf, ",\"%s\"", lookup_names[counter->lookup]);
    } else if (counter->is_spared) {
        buf_add_string(buf, ",\"spared\"");
    }
    buf_add_string(buf, "]");
}

static void counters_add(struct buf *buf, const char *name, struct counter *counters, size_t count)
{
    if (count == 0) {
        return;
    }
    sort_stable(buf->arena, counters, count, sizeof(*counters), key_compare, NULL);
    buf_printf(buf, ",\"%s\":{", name);
    for (size_t i = 0; i < count; i++) {
        counter_add(buf, &counters[i], i == 0);
    }
    buf_add_string(buf, "}");
}

struct text counters_format(struct arena *arena, const struct counters *counters)
{
    struct buf buf;

    buf_init(&buf, arena);
    counters_add(&buf, "absent", counters->absent, counters->absent_count);
    counters_add(&buf, "believed", counters->believed, counters->believed_count);
    counters_add(&buf, "failed", counters->failed, counters->failed_count);
    if (counters->is_life_held) {
        buf_add_string(&buf, ",\"held\":true");
    }
    if (counters->life.length > 0) {
        buf_printf(&buf, ",\"incarnation\":\"%.*s\"", TEXT_ARG(counters->life));
    }
    if (counters->life_since > 0) {
        buf_printf(&buf, ",\"incarnationSince\":%llu", (unsigned long long)counters->life_since);
    }
    counters_add(&buf, "lookups", counters->said, counters->lookup_count);
    counters_add(&buf, "missed", counters->missed, counters->missed_count);
    counters_add(&buf, "series", counters->series, counters->series_count);
    counters_add(&buf, "sighted", counters->sighted, counters->sighted_count);
    for (size_t i = 0; i < counters->spent_count; i++) {
        buf_printf(&buf, "%s[%u,%llu]%s", i == 0 ? ",\"spent\":[" : ",",
                   counters->spent[i].seen.count,
                   (unsigned long long)counters->spent[i].seen.last_ms,
                   i + 1 == counters->spent_count ? "]" : "");
    }
    counters_add(&buf, "unheard", counters->unheard, counters->unheard_count);
    if (buf.length == 0) {
        return TEXT("{}");
    }
    buf_add_string(&buf, "}");
    buf.data[0] = '{'; /* replaces the first comma */
    return buf_text(&buf);
}

/* ---- parsing ---- */

MUST_CHECK static bool tallies_number_read(const struct doc *list, size_t index, uint64_t *out,
                                           struct err *err)
{
    int64_t number = 0;

    if (!doc_is_list(list) || list->item_count <= index ||
        !text_parse_int64(list->items[index].text, &number) || number < 0) {
        return err_set(err, CODE_R0554, "a row of counters has an invalid entry");
    }
    *out = (uint64_t)number;
    return true;
}

static void tallies_word_read(const struct doc *list, struct counter *out)
{
    struct text word = list->item_count > 3 ? list->items[3].text : TEXT("");

    out->is_spared = text_is(word, "spared");
    for (size_t i = 0; i < ARRAY_COUNT(lookup_names); i++) {
        if (text_is(word, lookup_names[i])) {
            out->lookup = (enum plan_lookup)i;
        }
    }
}

MUST_CHECK static bool tallies_map_read(struct arena *arena, const struct doc *map,
                                        struct counter **out, size_t *out_count, struct err *err)
{
    size_t count = doc_is_map(map) ? map->entry_count : 0;
    struct counter *counters = arena_array(arena, struct counter, count);

    for (size_t i = 0; i < count; i++) {
        const struct doc *list = &map->entries[i].value;
        uint64_t times = 0;

        counters[i].key = arena_text(arena, map->entries[i].key);
        if (!tallies_number_read(list, 0, &times, err) ||
            !tallies_number_read(list, 1, &counters[i].seen.first_ms, err) ||
            !tallies_number_read(list, 2, &counters[i].seen.last_ms, err)) {
            return false;
        }
        counters[i].seen.count = (uint32_t)times;
        tallies_word_read(list, &counters[i]);
    }
    *out = counters;
    *out_count = count;
    return true;
}

MUST_CHECK static bool spent_read(struct arena *arena, const struct doc *list, struct counters *out,
                                  struct err *err)
{
    size_t count = doc_is_list(list) ? list->item_count : 0;

    out->spent = arena_array(arena, struct counter, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t times = 0;

        if (!tallies_number_read(&list->items[i], 0, &times, err) ||
            !tallies_number_read(&list->items[i], 1, &out->spent[i].seen.last_ms, err)) {
            return false;
        }
        out->spent[i].seen.count = (uint32_t)times;
    }
    out->spent_count = count;
    return true;
}

bool counters_parse(struct arena *arena, struct text bytes, struct counters *out, struct err *err)
{
    struct doc doc;
    const struct doc *since;
    int64_t number = 0;

    *out = (struct counters){ 0 };
    if (!json_parse(arena, arena_text(arena, bytes), NULL, &doc, err)) {
        return false;
    }
    since = doc_child(&doc, "incarnationSince");
    if (doc_is_scalar(since) && text_parse_int64(since->text, &number) && number > 0) {
        out->life_since = (uint64_t)number;
    }
    out->is_life_held =
        doc_is_scalar(doc_child(&doc, "held")) && text_is(doc_child(&doc, "held")->text, "true");
    out->life = doc_is_scalar(doc_child(&doc, "incarnation")) ? doc_child(&doc, "incarnation")->text
                                                              : TEXT("");
    return tallies_map_read(arena, doc_child(&doc, "absent"), &out->absent, &out->absent_count,
                            err) &&
           tallies_map_read(arena, doc_child(&doc, "believed"), &out->believed,
                            &out->believed_count, err) &&
           tallies_map_read(arena, doc_child(&doc, "failed"), &out->failed, &out->failed_count,
                            err) &&
           tallies_map_read(arena, doc_child(&doc, "missed"), &out->missed, &out->missed_count,
                            err) &&
           tallies_map_read(arena, doc_child(&doc, "lookups"), &out->said, &out->lookup_count,
                            err) &&
           tallies_map_read(arena, doc_child(&doc, "series"), &out->series, &out->series_count,
                            err) &&
           tallies_map_read(arena, doc_child(&doc, "sighted"), &out->sighted, &out->sighted_count,
                            err) &&
           tallies_map_read(arena, doc_child(&doc, "unheard"), &out->unheard, &out->unheard_count,
                            err) &&
           spent_read(arena, doc_child(&doc, "spent"), out, err);
}

static uint64_t tallies_latest_of(const struct counter *counters, size_t count, uint64_t latest)
{
    for (size_t i = 0; i < count; i++) {
        latest = counters[i].seen.last_ms > latest ? counters[i].seen.last_ms : latest;
    }
    return latest;
}

uint64_t counters_latest(const struct counters *counters)
{
    uint64_t latest = counters->life_since;

    latest = tallies_latest_of(counters->absent, counters->absent_count, latest);
    latest = tallies_latest_of(counters->believed, counters->believed_count, latest);
    latest = tallies_latest_of(counters->failed, counters->failed_count, latest);
    latest = tallies_latest_of(counters->missed, counters->missed_count, latest);
    latest = tallies_latest_of(counters->said, counters->lookup_count, latest);
    latest = tallies_latest_of(counters->series, counters->series_count, latest);
    latest = tallies_latest_of(counters->sighted, counters->sighted_count, latest);
    latest = tallies_latest_of(counters->unheard, counters->unheard_count, latest);
    return tallies_latest_of(counters->spent, counters->spent_count, latest);
}
