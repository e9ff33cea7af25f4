#include "base/limits.h"
#include "base/macros.h"
#include "base/sort.h"
#include "codec/json.h"
#include "engine/record.h"

#include <assert.h>

/* names: tally_ tallies_ */

/* {"absent":{TOKEN:[COUNT,FIRST,LAST]},"believed":{TOKEN:[COUNT,FIRST,LAST]},"failed":{GENERATION:[COUNT,FIRST,LAST]},"held":true,"life":"..","lifeSince":N,"missed":{ID:[..]},
 *  "said":{TOKEN:[COUNT,FIRST,LAST,WORD]},"series":{SERIES:[NUMBER,FIRST,LAST]},"sighted":{ID:[COUNT,FIRST,LAST,SPARED]},
 *  "spent":[[COUNT,MS]],"unheard":{PLUGIN:[COUNT,FIRST,LAST]}} */

static const char *const witness_names[] = {
    [PLAN_WITNESS_NONE] = "none",
    [PLAN_WITNESS_RUNNING] = "running",
    [PLAN_WITNESS_STOPPED] = "stopped",
    [PLAN_WITNESS_GONE] = "gone",
};

static int key_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct tally *)a)->key, ((const struct tally *)b)->key);
}

struct tally *tally_find(struct tally *tallies, size_t count, struct text key)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;
        int order = text_compare(tallies[middle].key, key);

        if (order == 0) {
            return &tallies[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            count = middle;
        }
    }
    return NULL;
}

struct tally *tallies_sighting(struct arena *arena, struct tallies *tallies, struct text id)
{
    struct tally *grown;

    for (size_t i = 0; i < tallies->sighted_count; i++) {
        if (text_is_equal(tallies->sighted[i].key, id)) {
            return &tallies->sighted[i];
        }
    }
    if (tallies->sighted_count >= LIMIT_CONTROL_ABSENCES) {
        return NULL;
    }
    grown = arena_array(arena, struct tally, tallies->sighted_count + 1);
    for (size_t i = 0; i < tallies->sighted_count; i++) {
        grown[i] = tallies->sighted[i];
    }
    grown[tallies->sighted_count].key = id;
    tallies->sighted = grown;
    return &grown[tallies->sighted_count++];
}

/* ---- writing ---- */

static void tally_add(struct buf *buf, const struct tally *tally, bool is_first)
{
    assert(record_is_plain(tally->key));
    buf_printf(buf, "%s\"%.*s\":[%u,%llu,%llu", is_first ? "" : ",", TEXT_ARG(tally->key),
               tally->seen.count, (unsigned long long)tally->seen.first_ms,
               (unsigned long long)tally->seen.last_ms);
    if (tally->witness != PLAN_WITNESS_NONE) {
        buf_printf(buf, ",\"%s\"", witness_names[tally->witness]);
    } else if (tally->is_spared) {
        buf_add_string(buf, ",\"spared\"");
    }
    buf_add_string(buf, "]");
}

static void tallies_add(struct buf *buf, const char *name, struct tally *tallies, size_t count)
{
    if (count == 0) {
        return;
    }
    sort_stable(buf->arena, tallies, count, sizeof(*tallies), key_compare, NULL);
    buf_printf(buf, ",\"%s\":{", name);
    for (size_t i = 0; i < count; i++) {
        tally_add(buf, &tallies[i], i == 0);
    }
    buf_add_string(buf, "}");
}

struct text tallies_format(struct arena *arena, const struct tallies *tallies)
{
    struct buf buf;

    buf_init(&buf, arena);
    tallies_add(&buf, "absent", tallies->absent, tallies->absent_count);
    tallies_add(&buf, "believed", tallies->believed, tallies->believed_count);
    tallies_add(&buf, "failed", tallies->failed, tallies->failed_count);
    if (tallies->is_life_held) {
        buf_add_string(&buf, ",\"held\":true");
    }
    if (tallies->life.length > 0) {
        buf_printf(&buf, ",\"life\":\"%.*s\"", TEXT_ARG(tallies->life));
    }
    if (tallies->life_since > 0) {
        buf_printf(&buf, ",\"lifeSince\":%llu", (unsigned long long)tallies->life_since);
    }
    tallies_add(&buf, "missed", tallies->missed, tallies->missed_count);
    tallies_add(&buf, "said", tallies->said, tallies->said_count);
    tallies_add(&buf, "series", tallies->series, tallies->series_count);
    tallies_add(&buf, "sighted", tallies->sighted, tallies->sighted_count);
    for (size_t i = 0; i < tallies->spent_count; i++) {
        buf_printf(&buf, "%s[%u,%llu]%s", i == 0 ? ",\"spent\":[" : ",",
                   tallies->spent[i].seen.count, (unsigned long long)tallies->spent[i].seen.last_ms,
                   i + 1 == tallies->spent_count ? "]" : "");
    }
    tallies_add(&buf, "unheard", tallies->unheard, tallies->unheard_count);
    if (buf.length == 0) {
        return TEXT("{}");
    }
    buf_add_string(&buf, "}");
    buf.data[0] = '{'; /* in place of the first comma */
    return buf_text(&buf);
}

/* ---- reading ---- */

MUST_CHECK static bool number_read(const struct doc *list, size_t index, uint64_t *out,
                                   struct err *err)
{
    int64_t number = 0;

    if (!doc_is_list(list) || list->item_count <= index ||
        !text_parse_int64(list->items[index].text, &number) || number < 0) {
        return err_set(err, CODE_R0554, "a row of counts has a wrong entry");
    }
    *out = (uint64_t)number;
    return true;
}

static void word_read(const struct doc *list, struct tally *out)
{
    struct text word = list->item_count > 3 ? list->items[3].text : TEXT("");

    out->is_spared = text_is(word, "spared");
    for (size_t i = 0; i < ARRAY_COUNT(witness_names); i++) {
        if (text_is(word, witness_names[i])) {
            out->witness = (enum plan_witness)i;
        }
    }
}

MUST_CHECK static bool map_read(struct arena *arena, const struct doc *map, struct tally **out,
                                size_t *out_count, struct err *err)
{
    size_t count = doc_is_map(map) ? map->entry_count : 0;
    struct tally *tallies = arena_array(arena, struct tally, count);

    for (size_t i = 0; i < count; i++) {
        const struct doc *list = &map->entries[i].value;
        uint64_t times = 0;

        tallies[i].key = arena_text(arena, map->entries[i].key);
        if (!number_read(list, 0, &times, err) ||
            !number_read(list, 1, &tallies[i].seen.first_ms, err) ||
            !number_read(list, 2, &tallies[i].seen.last_ms, err)) {
            return false;
        }
        tallies[i].seen.count = (uint32_t)times;
        word_read(list, &tallies[i]);
    }
    *out = tallies;
    *out_count = count;
    return true;
}

MUST_CHECK static bool spent_read(struct arena *arena, const struct doc *list, struct tallies *out,
                                  struct err *err)
{
    size_t count = doc_is_list(list) ? list->item_count : 0;

    out->spent = arena_array(arena, struct tally, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t times = 0;

        if (!number_read(&list->items[i], 0, &times, err) ||
            !number_read(&list->items[i], 1, &out->spent[i].seen.last_ms, err)) {
            return false;
        }
        out->spent[i].seen.count = (uint32_t)times;
    }
    out->spent_count = count;
    return true;
}

bool tallies_parse(struct arena *arena, struct text bytes, struct tallies *out, struct err *err)
{
    struct doc doc;
    const struct doc *since;
    int64_t number = 0;

    *out = (struct tallies){ 0 };
    if (!json_parse(arena, arena_text(arena, bytes), NULL, &doc, err)) {
        return false;
    }
    since = doc_child(&doc, "lifeSince");
    if (doc_is_scalar(since) && text_parse_int64(since->text, &number) && number > 0) {
        out->life_since = (uint64_t)number;
    }
    out->is_life_held =
        doc_is_scalar(doc_child(&doc, "held")) && text_is(doc_child(&doc, "held")->text, "true");
    out->life = doc_is_scalar(doc_child(&doc, "life")) ? doc_child(&doc, "life")->text : TEXT("");
    return map_read(arena, doc_child(&doc, "absent"), &out->absent, &out->absent_count, err) &&
           map_read(arena, doc_child(&doc, "believed"), &out->believed, &out->believed_count,
                    err) &&
           map_read(arena, doc_child(&doc, "failed"), &out->failed, &out->failed_count, err) &&
           map_read(arena, doc_child(&doc, "missed"), &out->missed, &out->missed_count, err) &&
           map_read(arena, doc_child(&doc, "said"), &out->said, &out->said_count, err) &&
           map_read(arena, doc_child(&doc, "series"), &out->series, &out->series_count, err) &&
           map_read(arena, doc_child(&doc, "sighted"), &out->sighted, &out->sighted_count, err) &&
           map_read(arena, doc_child(&doc, "unheard"), &out->unheard, &out->unheard_count, err) &&
           spent_read(arena, doc_child(&doc, "spent"), out, err);
}

static uint64_t latest_of(const struct tally *tallies, size_t count, uint64_t latest)
{
    for (size_t i = 0; i < count; i++) {
        latest = tallies[i].seen.last_ms > latest ? tallies[i].seen.last_ms : latest;
    }
    return latest;
}

uint64_t tallies_latest(const struct tallies *tallies)
{
    uint64_t latest = tallies->life_since;

    latest = latest_of(tallies->absent, tallies->absent_count, latest);
    latest = latest_of(tallies->believed, tallies->believed_count, latest);
    latest = latest_of(tallies->failed, tallies->failed_count, latest);
    latest = latest_of(tallies->missed, tallies->missed_count, latest);
    latest = latest_of(tallies->said, tallies->said_count, latest);
    latest = latest_of(tallies->series, tallies->series_count, latest);
    latest = latest_of(tallies->sighted, tallies->sighted_count, latest);
    latest = latest_of(tallies->unheard, tallies->unheard_count, latest);
    return latest_of(tallies->spent, tallies->spent_count, latest);
}
