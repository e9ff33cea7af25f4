#include "simulation/fault.h"

#include "base/buf.h"
#include "base/macros.h"
#include "base/set.h"
#include "base/suggest.h"
#include "model/scalar.h"

#include <assert.h>
#include <string.h>

const struct simulation_fault_page *simulation_fault_page(enum simulation_fault_kind kind)
{
    static const struct simulation_fault_page pages[] = {
#define SIMULATION_FAULT_PAGE(id, word, argument, standard, span_ms, text) \
    [SIMULATION_FAULT_##id] = { word, SIMULATION_ARGUMENT_##argument, standard, span_ms, text },
        SIMULATION_FAULTS(SIMULATION_FAULT_PAGE)
#undef SIMULATION_FAULT_PAGE
    };

    assert((size_t)kind < ARRAY_COUNT(pages));
    return &pages[kind];
}

bool simulation_fault_is_on(const struct simulation_fault *fault, uint64_t now_ms)
{
    return now_ms >= fault->at_ms && now_ms - fault->at_ms < fault->span_ms;
}

/* The parts of a fault's text. */
struct parts {
    struct text kind;
    struct text at;
    struct text span;
    struct text argument;
    bool has_at;
    bool has_span;
    bool has_argument;
};

/* Splits the text at a byte and returns the part after it. */
static bool fault_part_cut(struct text *rest, char byte, struct text *out)
{
    size_t place = text_find_byte(*rest, byte);

    if (place == SIZE_MAX) {
        return false;
    }
    *out = text_slice(*rest, place + 1, SIZE_MAX);
    *rest = text_slice(*rest, 0, place);
    return true;
}

static struct parts fault_parts_of(struct text word)
{
    struct parts parts = { .kind = word };

    parts.has_argument = fault_part_cut(&parts.kind, '=', &parts.argument);
    parts.has_span = fault_part_cut(&parts.kind, '+', &parts.span);
    parts.has_at = fault_part_cut(&parts.kind, '@', &parts.at);
    return parts;
}

MUST_CHECK static bool fault_kind_find(struct text word, enum simulation_fault_kind *out,
                                       struct err *err)
{
    struct suggest suggest = suggest_start(word);
    char list[LIMIT_ERROR_TEXT_BYTES];
    size_t used = 0;

    for (int i = 0; i < SIMULATION_FAULT_COUNT; i++) {
        struct text known = text_from(simulation_fault_page((enum simulation_fault_kind)i)->word);

        if (text_is_equal(word, known)) {
            *out = (enum simulation_fault_kind)i;
            return true;
        }
        suggest_offer(&suggest, known);
        assert(used + known.length + 2 < sizeof(list));
        memcpy(list + used, known.data, known.length);
        used += known.length;
        memcpy(list + used, ", ", 2);
        used += 2;
    }
    err_set(err, CODE_R0556, "'%.*s' is not a fault; there are: %.*s", TEXT_ARG(word),
            (int)used - 2, list);
    if (suggest_best(&suggest).length > 0) {
        return err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    }
    return err_hint(err, "reeve simulate --help describes each fault");
}

/* Returns the syntax of an argument. */
static const char *fault_form_of(enum simulation_argument argument)
{
    static const char *const forms[] = {
        [SIMULATION_ARGUMENT_NONE] = SIMULATION_FORM_NONE,
        [SIMULATION_ARGUMENT_COUNT] = SIMULATION_FORM_COUNT,
        [SIMULATION_ARGUMENT_PERCENT] = SIMULATION_FORM_PERCENT,
        [SIMULATION_ARGUMENT_ZONE] = SIMULATION_FORM_ZONE,
        [SIMULATION_ARGUMENT_PLUGIN] = SIMULATION_FORM_PLUGIN,
    };

    assert((size_t)argument < ARRAY_COUNT(forms));
    return forms[argument];
}

MUST_CHECK static bool form_refuse(const struct simulation_fault *fault, const char *why,
                                   struct err *err)
{
    const struct simulation_fault_page *page = simulation_fault_page(fault->kind);

    err_set(err, CODE_R0557, "fault '%.*s': %s", TEXT_ARG(fault->word), why);
    return err_hint(err, "write %s[@TIME]%s%s, for example %s@15m%s", page->word,
                    page->span_ms > 0 ? "[+LENGTH]" : "", fault_form_of(page->argument), page->word,
                    page->argument == SIMULATION_ARGUMENT_ZONE ? "=a" : "");
}

MUST_CHECK static bool argument_read(const struct parts *parts, struct simulation_fault *fault,
                                     struct err *err)
{
    const struct simulation_fault_page *page = simulation_fault_page(fault->kind);
    int64_t most = page->argument == SIMULATION_ARGUMENT_PERCENT ? 100 : LIMIT_CLUSTER_NODES;
    int64_t number = 0;

    fault->number = page->standard;
    if (page->argument == SIMULATION_ARGUMENT_ZONE && parts->argument.length == 0) {
        return form_refuse(fault, "the fault needs the name of a zone", err);
    }
    if (!parts->has_argument) {
        return true;
    }
    if (page->argument == SIMULATION_ARGUMENT_NONE) {
        return form_refuse(fault, "the fault takes no value", err);
    }
    if (page->argument == SIMULATION_ARGUMENT_ZONE ||
        page->argument == SIMULATION_ARGUMENT_PLUGIN) {
        fault->name = parts->argument;
        return parts->argument.length > 0 || form_refuse(fault, "the value is empty", err);
    }
    if (!text_parse_int64(parts->argument, &number) || number < 1 || number > most) {
        return form_refuse(fault,
                           page->argument == SIMULATION_ARGUMENT_PERCENT
                               ? "the value is a share in percent, 1 to 100"
                               : "the value is a number of machines, 1 or more",
                           err);
    }
    fault->number = (uint64_t)number;
    return true;
}

MUST_CHECK bool simulation_fault_parse(struct text word, uint64_t duration_ms,
                                       struct simulation_fault *out, struct err *err)
{
    struct simulation_fault fault = { .word = word, .at_ms = duration_ms / 3 };
    struct parts parts = fault_parts_of(word);

    if (!fault_kind_find(parts.kind, &fault.kind, err)) {
        return false;
    }
    fault.span_ms = simulation_fault_page(fault.kind)->span_ms;
    if (parts.has_span && fault.span_ms == 0) {
        return form_refuse(&fault, "this fault happens at one moment and has no duration", err);
    }
    if (parts.has_at && !scalar_parse_duration(parts.at, &fault.at_ms)) {
        return form_refuse(&fault, "the time is a length of time since the start", err);
    }
    if (parts.has_span &&
        (!scalar_parse_duration(parts.span, &fault.span_ms) || fault.span_ms == 0)) {
        return form_refuse(&fault, "the duration must be one like 30s, 5m or 1h30m", err);
    }
    if (fault.at_ms >= duration_ms) {
        return form_refuse(
            &fault, "the fault begins after the end of the simulation; --duration is shorter", err);
    }
    if (!argument_read(&parts, &fault, err)) {
        return false;
    }
    *out = fault;
    return true;
}

/* ---- existing zones and plugins ---- */

/* The zones or plugins that the files use. */
struct places {
    enum simulation_argument argument;
    struct set names;
};

static void fault_place_add(struct places *places, const struct doc *name)
{
    if (doc_is_scalar(name) && name->text.length > 0) {
        (void)set_add(&places->names, name->text);
    }
}

/* Adds the zones or plugins of a group or of an alternative, which may override those of its
 * group. */
static void maker_take(struct places *places, const struct doc *maker)
{
    const struct doc *zones = doc_child(maker, "zones");
    const struct doc *plugin = doc_child(maker, "resourcePlugin");

    for (size_t i = 0; places->argument == SIMULATION_ARGUMENT_ZONE && doc_is_list(zones) &&
                       i < zones->item_count;
         i++) {
        fault_place_add(places, &zones->items[i]);
    }
    if (places->argument == SIMULATION_ARGUMENT_PLUGIN) {
        fault_place_add(places, doc_is_map(plugin) ? doc_child(plugin, "name") : plugin);
    }
}

static void leaf_take(struct places *places, const struct doc *leaf)
{
    const struct doc *others = doc_child(leaf, "alternatives");

    maker_take(places, leaf);
    for (size_t i = 0; doc_is_list(others) && i < others->item_count; i++) {
        maker_take(places, &others->items[i]);
    }
}

static struct places places_find(struct arena *arena, const struct model_set *set,
                                 enum simulation_argument argument)
{
    struct places places = { .argument = argument };

    set_init(&places.names, arena);
    for (size_t i = 0; i < set->count; i++) {
        const struct model_object *object = &set->objects[i];

        for (size_t j = 0;
             object->kind != NULL && object->kind->owner == OWNER_CLUSTER && j < object->leaf_count;
             j++) {
            leaf_take(&places, &object->leaves[j].doc);
        }
    }
    return places;
}

bool simulation_fault_meets(struct arena *arena, const struct simulation_fault *fault,
                            const struct model_set *set, struct err *err)
{
    enum simulation_argument argument = simulation_fault_page(fault->kind)->argument;
    const char *what = argument == SIMULATION_ARGUMENT_ZONE ? "zone" : "plugin";
    struct places places;
    struct buf names;

    if (fault->name.length == 0) {
        return true;
    }
    places = places_find(arena, set, argument);
    if (set_has(&places.names, fault->name)) {
        return true;
    }
    buf_init(&names, arena);
    for (const struct map_node *one = map_first(&places.names.map, TEXT("")); one != NULL;
         one = map_after(&places.names.map, one->key)) {
        buf_printf(&names, "%s%.*s", names.length > 0 ? ", " : "", TEXT_ARG(one->key));
    }
    err_set(err, CODE_R0557, "fault '%.*s': no group of the files has %s '%.*s'",
            TEXT_ARG(fault->word), what, TEXT_ARG(fault->name));
    return names.length == 0
               ? err_hint(err, "the files name no %s", what)
               : err_hint(err, "%ss of the files: %.*s", what, TEXT_ARG(buf_text(&names)));
}
