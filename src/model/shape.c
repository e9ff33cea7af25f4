#include "model/shape.h"

#include "base/limits.h"
#include "base/suggest.h"
#include "model/check.h"
#include "model/shape_value.h"

#include <assert.h>
#include <string.h>

void shape_path(struct err *err, const struct shape_step *step)
{
    for (; step != NULL; step = step->outer) {
        if (step->key.data == NULL) {
            err_at_index(err, step->index);
        } else {
            err_at(err, step->key);
        }
    }
}

struct err *shape_fault(struct shape *shape, const struct shape_step *step, struct place place,
                        enum code code, struct text text)
{
    struct err *err = err_list_set(shape->errors, place, code, "%.*s", TEXT_ARG(text));

    shape_path(err, step);
    return err;
}

/* ---- the kind ---- */

static const struct schema_kind *kind_read(struct shape *shape, const struct doc *document)
{
    const struct doc *word = doc_child(document, "kind");
    const struct schema_kind *kind;
    struct err *err;

    if (word == NULL) {
        return schema_kind_find(TEXT("Cluster"));
    }
    kind = doc_is_scalar(word) ? schema_kind_find(word->text) : NULL;
    if (kind != NULL && kind->is_in_files && schema_is_usable(kind->since)) {
        return kind;
    }
    if (kind != NULL && !kind->is_in_files) {
        err = shape_fault(
            shape, NULL, doc_place(word), CODE_R0331,
            arena_printf(shape->arena, "kind '%s' is made by verbs, not by files", kind->name));
    } else if (kind != NULL) {
        err = shape_fault(shape, NULL, doc_place(word), CODE_R0304,
                          arena_printf(shape->arena, "kind '%s' needs %s", kind->name,
                                       schema_since_words(kind->since)));
        err_hint(err, "this version of reeve does not support that yet; leave the document out");
    } else {
        struct suggest suggest = suggest_start(doc_is_scalar(word) ? word->text : TEXT(""));
        struct text best;

        schema_suggest_kinds(&suggest);
        best = suggest_best(&suggest);
        err = shape_fault(shape, NULL, doc_place(word), CODE_R0331,
                          doc_is_scalar(word) ? arena_printf(shape->arena, "unknown kind '%.*s'",
                                                             TEXT_ARG(word->text))
                                              : TEXT("kind must be a word"));
        if (best.length > 0) {
            err_hint(err, "did you mean '%.*s'?", TEXT_ARG(best));
        } else {
            err_hint(err, "a document without kind: is a Cluster; reeve explain lists the kinds");
        }
    }
    return NULL;
}

/* ---- the envelope ---- */

static bool is_envelope_key(struct text key)
{
    return text_is(key, "kind") || text_is(key, "metadata") || text_is(key, "spec") ||
           text_is(key, "status");
}

/* Report faults of the envelope itself, and read the revision that the object must still have. */
static void envelope_check(struct shape *shape, const struct doc *document,
                           struct shape_object *object)
{
    static const char *const parts[] = { "metadata", "spec" };
    const struct doc *revision = doc_child(doc_child(document, "metadata"), "revision");
    int64_t number = 0;

    for (size_t i = 0; i < document->entry_count; i++) {
        const struct doc_entry *entry = &document->entries[i];

        if (!is_envelope_key(entry->key)) {
            struct err *err = shape_fault(
                shape, NULL, doc_key_place(entry), CODE_R0343,
                arena_printf(shape->arena, "'%.*s' is not allowed beside metadata and spec",
                             TEXT_ARG(entry->key)));

            err_hint(err, "%s",
                     text_is(entry->key, "apiVersion")
                         ? SHAPE_HINT_API_VERSION
                         : "move it below spec, or write the flat form");
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        const struct doc *part = doc_child(document, parts[i]);

        if (!doc_is_map(part)) {
            shape_fault(shape, &(struct shape_step){ .key = text_from(parts[i]) }, doc_place(part),
                        CODE_R0302, arena_printf(shape->arena, "'%s' must be a map", parts[i]));
        }
    }
    if (revision == NULL) {
        return;
    }
    if (!doc_is_scalar(revision) || !text_parse_int64(revision->text, &number) || number < 1) {
        struct shape_step metadata = { .key = TEXT("metadata") };
        struct shape_step step = { .outer = &metadata, .key = TEXT("revision") };

        err_hint(shape_fault(shape, &step, doc_place(revision), CODE_R0302,
                             TEXT("'revision' must be an integer of 1 or more")),
                 "leave it out to apply the document regardless of later changes");
        return;
    }
    object->revision = (uint64_t)number;
}

/* Check a value that is given twice. Two equal values are valid, because `get -o yaml` prints
 * labels twice; different values are a fault. */
static void shape_twice_check(struct shape *shape, const struct doc_entry *first,
                              const struct doc_entry *second)
{
    struct err *err;

    if (doc_is_equal(&first->value, &second->value)) {
        return;
    }
    err = shape_fault(shape, &(struct shape_step){ .key = TEXT("spec") }, doc_key_place(second),
                      CODE_R0306,
                      arena_printf(shape->arena, "'%.*s' differs between metadata and spec",
                                   TEXT_ARG(first->key)));
    err_note(err, "set in metadata here");
    err->note_place = doc_key_place(first);
}

/* True if the kind has an id apart from its name. Otherwise the id is not written. */
static bool has_id(const struct schema_kind *kind)
{
    return kind != NULL && schema_field_find(kind->owner, TEXT("id")) != NULL;
}

/* Convert the output of `get -o yaml` to the flat form: spec, with the name, position and labels of
 * metadata. */
static struct doc envelope_open(struct shape *shape, const struct doc *document,
                                struct shape_object *object)
{
    static const char *const carried[] = { "cluster", "labels", "name", "id" };
    const struct doc *metadata = doc_child(document, "metadata");
    const struct doc *spec = doc_child(document, "spec");
    struct doc_builder builder;

    envelope_check(shape, document, object);
    doc_builder_init(&builder, shape->arena);
    for (size_t i = 0; i < ARRAY_COUNT(carried); i++) {
        const struct doc_entry *entry = doc_entry_find(metadata, text_from(carried[i]));
        const struct doc_entry *again = doc_entry_find(spec, text_from(carried[i]));

        if (entry != NULL && again != NULL) {
            shape_twice_check(shape, entry, again);
        } else if (entry != NULL && (!text_is(entry->key, "id") || has_id(object->kind))) {
            doc_builder_add(&builder, entry);
        }
    }
    for (size_t i = 0; doc_is_map(spec) && i < spec->entry_count; i++) {
        doc_builder_add(&builder, &spec->entries[i]);
    }
    return doc_builder_map(&builder, document);
}

/* ---- the flat form ---- */

/* Return the document without the keys that are not fields of the object. */
static struct doc shape_fields_of(struct shape *shape, const struct doc *document)
{
    struct doc_entry *entries = arena_array(shape->arena, struct doc_entry, document->entry_count);
    size_t count = 0;

    for (size_t i = 0; i < document->entry_count; i++) {
        if (!text_is(document->entries[i].key, "kind")) {
            entries[count++] = document->entries[i];
        }
    }
    return doc_map(entries, count, document);
}

/* ---- words of an older format ---- */

/* True for a word of an older name format that numbers members from 1 (REQUIREMENTS 0.10). */
static bool is_second_seed_word(struct text key)
{
    static const struct text words[] = { TEXT("bootstrap_sequence"), TEXT("ec2_size"),
                                         TEXT("instance_size"), TEXT("pool_name"),
                                         TEXT("pool_size") };

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (text_is_equal(key, words[i])) {
            return true;
        }
    }
    return false;
}

struct seed_words {
    const struct doc_entry *first; /* the first of these words in the text; NULL: none */
    bool has_first_number;
};

static void seed_words_find(const struct doc *doc, struct seed_words *found)
{
    for (size_t i = 0; doc_is_list(doc) && i < doc->item_count; i++) {
        seed_words_find(&doc->items[i], found);
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];

        if (text_is(entry->key, "resourceProperties")) {
            continue;
        }
        found->has_first_number = found->has_first_number || text_is(entry->key, "firstNumber");
        if (is_second_seed_word(entry->key) &&
            (found->first == NULL ||
             place_compare(doc_key_place(entry), doc_key_place(found->first)) < 0)) {
            found->first = entry;
        }
        seed_words_find(&entry->value, found);
    }
}

/* Warn about the first number: the author of such words expects the first member to have number
 * 1. */
static void numbering_warn(struct shape *shape, const struct doc *document)
{
    struct seed_words found = { 0 };
    struct err *err;

    seed_words_find(document, &found);
    if (found.first == NULL || found.has_first_number) {
        return;
    }
    err =
        err_list_warn(shape->errors, doc_key_place(found.first), CODE_R0344,
                      "members are numbered from 0, where files with '%.*s' used to number from 1",
                      TEXT_ARG(found.first->key));
    err_hint(err, "firstNumber: 1 in a group or in defaults keeps the old names; firstNumber: 0 "
                  "says that the new ones are meant");
}

struct shape_object shape_read(struct arena *arena, const struct doc *document,
                               const struct doc *current, struct err_list *errors)
{
    struct shape shape = { .arena = arena, .errors = errors, .current = current };
    struct shape_object object = { .place = doc_place(document) };
    struct doc flat;

    assert(doc_is_present(document));
    if (!doc_is_map(document)) {
        struct err *err =
            shape_fault(&shape, NULL, doc_place(document), CODE_R0302,
                        TEXT("a document must be a map of fields, not a list or a single value"));

        err_hint(err, "reeve init writes one to start from");
        return object;
    }
    shape_origins(&shape, document->origin);
    object.kind = kind_read(&shape, document);
    flat = doc_child(document, "spec") != NULL && doc_child(document, "metadata") != NULL
               ? envelope_open(&shape, document, &object)
               : shape_fields_of(&shape, document);
    if (object.kind != NULL) {
        if (object.kind->owner == OWNER_NODEGROUP ||
            object.kind->owner == OWNER_NODEGROUP_TEMPLATE) {
            shape.now = shape.group;
        }
        object.doc = shape_fields(&shape, object.kind->owner, &flat, NULL);
        numbering_warn(&shape, &flat);
    }
    return object;
}

struct doc shape_read_manifest(struct arena *arena, const struct doc *document,
                               struct err_list *errors)
{
    struct shape shape = { .arena = arena, .errors = errors };

    if (!doc_is_map(document)) {
        shape_fault(&shape, NULL, doc_place(document), CODE_R0302,
                    TEXT("a manifest must be a map of fields, not a list or a single value"));
        return doc_map(NULL, 0, document);
    }
    shape_origins(&shape, document->origin);
    return shape_fields(&shape, OWNER_CONFIG, document, NULL);
}
