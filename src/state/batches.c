#include "state/batches.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/sort.h"
#include "codec/json.h"
#include "selector/ranges.h"
#include "state/objects.h"

/* public names start with: batches_ */

static const char *const cut_words[BOOTSTRAP_CUT_COUNT] = {
    [BOOTSTRAP_CUT_NONE] = "",
    [BOOTSTRAP_CUT_CANARY] = "canary",
    [BOOTSTRAP_CUT_FAILED] = "failed",
    [BOOTSTRAP_CUT_DEADLINE] = "deadline",
    [BOOTSTRAP_CUT_CANCELLED] = "cancelled",
};

const char *batches_cut_word(enum bootstrap_cut cut)
{
    return cut_words[cut];
}

const char *batches_cut_sentence(enum bootstrap_cut cut)
{
    static const char *const sentences[BOOTSTRAP_CUT_COUNT] = {
        [BOOTSTRAP_CUT_NONE] = "",
        [BOOTSTRAP_CUT_CANARY] = "a canary has failed",
        [BOOTSTRAP_CUT_FAILED] = "the allowed number of machines have failed",
        [BOOTSTRAP_CUT_DEADLINE] = "the deadline has passed",
        [BOOTSTRAP_CUT_CANCELLED] = "the job is cancelled",
    };

    return sentences[cut];
}

const char *batches_done_sentence(const struct batches *batches)
{
    static const char *const sentences[BATCHES_VERB_COUNT] = {
        [BATCHES_VERB_BOOTSTRAP] = "stages have succeeded on",
        [BATCHES_VERB_VERIFY] = "there is a verdict for",
        [BATCHES_VERB_CORRECT] = "the files are those of the baseline again on",
        [BATCHES_VERB_DRAIN] = "out of service are",
        [BATCHES_VERB_UNDRAIN] = "in service again are",
        [BATCHES_VERB_COMMISSION] = "in service are",
        [BATCHES_VERB_DECOMMISSION] = "out of their groups are",
    };

    return sentences[batches->verb];
}

static struct text batches_word_of(const struct doc *doc, const char *name)
{
    const struct doc *value = doc_child(doc, name);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

/* Read a number. All written numbers are at least 0. */
static uint64_t batches_number_of(const struct doc *doc, const char *name)
{
    int64_t number = 0;

    return text_parse_int64(batches_word_of(doc, name), &number) && number > 0 ? (uint64_t)number
                                                                               : 0;
}

static void batches_number_put(struct doc_builder *builder, const char *name, uint64_t value)
{
    if (value > 0) {
        doc_builder_put(builder, name, doc_int(builder->arena, (int64_t)value, NULL));
    }
}

static void batches_text_put(struct doc_builder *builder, const char *name, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, name, doc_text(value, NULL));
    }
}

bool batches_is_rollout(const struct batches *batches)
{
    return batches->chain.length > 0;
}

bool batches_keeps_service(const struct batches *batches)
{
    return batches_is_rollout(batches) ||
           (batches->verb == BATCHES_VERB_CORRECT && batches->group.length > 0);
}

static const char *const verb_names[BATCHES_VERB_COUNT] = {
    [BATCHES_VERB_BOOTSTRAP] = BATCHES_BOOTSTRAP,
    [BATCHES_VERB_VERIFY] = BATCHES_VERIFY,
    [BATCHES_VERB_CORRECT] = BATCHES_CORRECT,
    [BATCHES_VERB_DRAIN] = BATCHES_DRAIN,
    [BATCHES_VERB_UNDRAIN] = BATCHES_UNDRAIN,
    [BATCHES_VERB_COMMISSION] = BATCHES_COMMISSION,
    [BATCHES_VERB_DECOMMISSION] = BATCHES_DECOMMISSION,
};

const char *batches_verb_name(const struct batches *batches)
{
    return batches_is_rollout(batches) ? BATCHES_ROLLOUT : verb_names[batches->verb];
}

bool batches_is_drain(const struct batches *batches)
{
    return batches->verb == BATCHES_VERB_DRAIN || batches->verb == BATCHES_VERB_UNDRAIN;
}

bool batches_verb_find(struct text name, enum batches_verb *out)
{
    for (*out = BATCHES_VERB_BOOTSTRAP; *out < BATCHES_VERB_COUNT; (*out)++) {
        if (text_is(name, verb_names[*out])) {
            return true;
        }
    }
    *out = BATCHES_VERB_BOOTSTRAP;
    return false;
}

/* Parses the verb. A request without a verb comes from an older version. */
MUST_CHECK static bool batches_verb_parse(struct text word, enum batches_verb *out)
{
    return batches_verb_find(word, out) || word.length == 0;
}

/* ---- the request ---- */

static struct doc ends_format(struct arena *arena, const struct batches *batches)
{
    struct doc *items = arena_array(arena, struct doc, batches->batch_count);

    for (size_t i = 0; i < batches->batch_count; i++) {
        items[i] = doc_int(arena, (int64_t)batches->ends[i], NULL);
    }
    return doc_list(items, batches->batch_count, NULL);
}

/* Tokens are formatted as one text, because a list of thousands of texts would take twice the
 * space. */
static struct text tokens_format(struct arena *arena, const struct batches *batches)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < batches->count; i++) {
        buf_add_string(&buf, i == 0 ? "" : ",");
        buf_add(&buf, batches->tokens[i]);
    }
    return buf_text(&buf);
}

struct text batches_format(struct arena *arena, const struct batches *batches)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at", doc_int(arena, batches->at_ms, NULL));
    batches_number_put(&builder, "bake", batches->bake_ms);
    doc_builder_put(&builder, "batches", ends_format(arena, batches));
    batches_text_put(&builder, "by", batches->by);
    batches_number_put(&builder, "canaries", batches->canaries);
    batches_text_put(&builder, "chain", batches->chain);
    if (batches->chains.entry_count > 0) {
        doc_builder_put(&builder, "chains", batches->chains);
    }
    batches_number_put(&builder, "deadline", batches->deadline_ms);
    batches_number_put(&builder, "deep", batches->is_deep ? 1 : 0);
    if (!batches->is_failed) {
        doc_builder_put(&builder, "from", batches->from);
    }
    batches_text_put(&builder, "group", batches->group);
    batches_number_put(&builder, "hook", batches->is_hook ? 1 : 0);
    batches_number_put(&builder, "maxFail", batches->max_fail);
    doc_builder_put(&builder, "nodes", doc_text(tokens_format(arena, batches), NULL));
    batches_number_put(&builder, "pause", batches->pause_ms);
    if (batches->verb != BATCHES_VERB_BOOTSTRAP) {
        batches_text_put(&builder, "verb", text_from(verb_names[batches->verb]));
    }
    batches_text_put(&builder, "why", batches->why);
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static size_t tokens_parse(struct arena *arena, struct text all, const struct text **out)
{
    struct text *tokens = arena_array(arena, struct text, LIMIT_BATCHES_NODES);
    size_t count = 0;

    while (all.length > 0 && count < LIMIT_BATCHES_NODES) {
        size_t comma = text_find_byte(all, ',');

        if (comma == 0) {
            return 0; /* no machine has an empty token */
        }
        tokens[count++] = text_slice(all, 0, comma);
        all = comma == SIZE_MAX ? TEXT("") : text_slice(all, comma + 1, SIZE_MAX);
    }
    *out = tokens;
    return all.length == 0 ? count : 0;
}

/* Check that no batch is empty, and that the last batch ends with the last machine. */
MUST_CHECK static bool ends_parse(struct arena *arena, const struct doc *list, struct batches *out)
{
    uint32_t *ends;
    uint64_t before = 0;

    if (!doc_is_list(list) || list->item_count == 0 || list->item_count > out->count) {
        return false;
    }
    ends = arena_array(arena, uint32_t, list->item_count);
    for (size_t i = 0; i < list->item_count; i++) {
        int64_t end = 0;

        if (!doc_is_scalar(&list->items[i]) || !text_parse_int64(list->items[i].text, &end) ||
            end <= (int64_t)before || end > (int64_t)out->count) {
            return false;
        }
        ends[i] = (uint32_t)end;
        before = (uint64_t)end;
    }
    out->ends = ends;
    out->batch_count = list->item_count;
    return before == out->count;
}

bool batches_parse(struct arena *arena, struct text bytes, struct batches *out, struct err *err)
{
    const struct doc *from;
    struct doc doc;

    if (!json_parse(arena, bytes, NULL, &doc, err) || !doc_is_map(&doc)) {
        return err_set(err, CODE_R0755, "a request to run stages in batches cannot be read");
    }
    from = doc_child(&doc, "from");
    *out = (struct batches){
        .at_ms = (int64_t)batches_number_of(&doc, "at"),
        .by = batches_word_of(&doc, "by"),
        .why = batches_word_of(&doc, "why"),
        .is_failed = from == NULL,
        .canaries = batches_number_of(&doc, "canaries"),
        .max_fail = batches_number_of(&doc, "maxFail"),
        .pause_ms = batches_number_of(&doc, "pause"),
        .bake_ms = batches_number_of(&doc, "bake"),
        .deadline_ms = batches_number_of(&doc, "deadline"),
        .group = batches_word_of(&doc, "group"),
        .chain = batches_word_of(&doc, "chain"),
        .is_hook = batches_number_of(&doc, "hook") > 0,
        .is_deep = batches_number_of(&doc, "deep") > 0,
    };
    if (doc_is_map(doc_child(&doc, "chains"))) {
        out->chains = *doc_child(&doc, "chains");
    }
    out->from = from == NULL ? doc_map(NULL, 0, NULL) : *from;
    out->count = tokens_parse(arena, batches_word_of(&doc, "nodes"), &out->tokens);
    if (!batches_verb_parse(batches_word_of(&doc, "verb"), &out->verb) || !doc_is_map(&out->from) ||
        !ends_parse(arena, doc_child(&doc, "batches"), out) || out->canaries > out->batch_count) {
        return err_set(err, CODE_R0755, "a request to run stages in batches is incomplete");
    }
    return true;
}

struct text batches_refusal(const struct doc *commands, struct text token)
{
    const struct doc *refused = doc_child(commands, "refused");
    const struct doc *why = doc_is_map(refused) ? doc_find(refused, token) : NULL;

    return doc_is_scalar(why) ? why->text : TEXT("");
}

struct text batches_chain(const struct batches *batches, struct text token)
{
    size_t low = 0;
    size_t high = batches->chains.entry_count;

    /* the entries of a map are sorted */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct doc_entry *entry = &batches->chains.entries[middle];
        int order = text_compare(entry->key, token);

        if (order == 0) {
            return doc_is_scalar(&entry->value) ? entry->value.text : batches->chain;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return batches->chain;
}

bool batches_from(const struct batches *batches, struct text group, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < batches->from.entry_count; i++) {
        const struct doc_entry *entry = &batches->from.entries[i];
        int64_t from = 0;

        if (text_is_equal(entry->key, group) && doc_is_scalar(&entry->value) &&
            text_parse_int64(entry->value.text, &from) && from >= 0) {
            *out = (uint64_t)from;
            return true;
        }
    }
    return batches->is_failed;
}

/* ---- progress ---- */

void batches_progress_put(struct doc_builder *builder, const struct batches_progress *progress)
{
    struct doc_builder map;

    doc_builder_init(&map, builder->arena);
    batches_text_put(&map, "cut", text_from(cut_words[progress->cut]));
    batches_number_put(&map, "deadline", progress->deadline_ms);
    doc_builder_put(&map, "marks", doc_text(progress->marks, NULL));
    batches_text_put(&map, "promotedMarks", progress->approved);
    batches_number_put(&map, "rest", progress->rest_ms);
    batches_text_put(&map, "resumed", progress->resumed);
    batches_number_put(&map, "seen", progress->seen_ms);
    doc_builder_put(&map, "request", doc_text(progress->request, NULL));
    doc_builder_put(builder, "progress", doc_builder_map(&map, NULL));
}

bool batches_progress_read(const struct doc *row, struct batches_progress *out)
{
    const struct doc *map = doc_child(row, "progress");
    struct text cut = batches_word_of(map, "cut");

    *out = (struct batches_progress){
        .request = batches_word_of(map, "request"),
        .marks = batches_word_of(map, "marks"),
        .rest_ms = batches_number_of(map, "rest"),
        .deadline_ms = batches_number_of(map, "deadline"),
        .seen_ms = batches_number_of(map, "seen"),
        .is_over = doc_is_present(doc_child(row, "ended")),
        .resumed = batches_word_of(map, "resumed"),
        .approved = batches_word_of(map, "promotedMarks"),
    };
    for (size_t i = 0; i < ARRAY_COUNT(cut_words); i++) {
        out->cut = text_is(cut, cut_words[i]) ? (enum bootstrap_cut)i : out->cut;
    }
    return out->request.length > 0;
}

/* A completed job. */
struct batches_over {
    int64_t ended_ms;
    struct text id;
};

static int batches_over_compare(const void *a, const void *b, void *arg)
{
    const struct batches_over *left = a;
    const struct batches_over *right = b;

    (void)arg;
    return (left->ended_ms > right->ended_ms) - (left->ended_ms < right->ended_ms);
}

struct text *batches_over_find(struct arena *arena, const struct cache *cache, struct text prefix,
                               size_t *out_count)
{
    struct batches_over *over;
    struct text *ids;
    size_t count = 0;

    for (const struct cache_object *row = cache_first(cache, prefix); row != NULL;
         row = cache_next(cache, prefix, row)) {
        count++;
    }
    over = arena_array(arena, struct batches_over, count + 1);
    ids = arena_array(arena, struct text, count + 1);
    count = 0;
    for (const struct cache_object *row = cache_first(cache, prefix); row != NULL;
         row = cache_next(cache, prefix, row)) {
        struct text id = text_slice(blob_text(row->key), prefix.length, SIZE_MAX);
        int64_t ended_ms = objects_is_change(row) ? 0 : objects_job_ended(row);

        if (ended_ms > 0) {
            over[count++] = (struct batches_over){ ended_ms, arena_text(arena, id) };
        }
    }
    sort_stable(arena, over, count, sizeof(*over), batches_over_compare, NULL);
    for (size_t i = 0; i < count; i++) {
        ids[i] = over[i].id;
    }
    *out_count = count;
    return ids;
}

static int batches_name_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

void batches_names_put(struct doc_builder *builder, const char *what, struct text *names,
                       size_t count, size_t more)
{
    struct arena *arena = builder->arena;
    struct buf buf;

    if (count == 0) {
        return;
    }
    sort_stable(arena, names, count, sizeof(*names), batches_name_compare, NULL);
    buf_init(&buf, arena);
    ranges_format(&buf, names, count);
    if (more > 0) {
        doc_builder_put(builder, arena_string(arena, arena_printf(arena, "%sMore", what)),
                        doc_int(arena, (int64_t)more, NULL));
    }
    doc_builder_put(builder, arena_string(arena, arena_printf(arena, "%sNodes", what)),
                    doc_text(buf_text(&buf), NULL));
}
