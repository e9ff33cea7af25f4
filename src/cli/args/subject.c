#include "cli/args/subject.h"

#include "base/suggest.h"

/* Cut the next step from the front and drop a list index after it: volumes[0] becomes volumes. */
static struct text step_next(struct text *path)
{
    size_t dot = text_find_byte(*path, '.');
    struct text step = text_slice(*path, 0, dot);

    *path = dot == SIZE_MAX ? TEXT("") : text_slice(*path, dot + 1, path->length);
    return text_slice(step, 0, text_find_byte(step, '['));
}

static enum schema_owner subject_owner_below(const struct schema_field *field)
{
    if (field->type.kind == TYPE_GROUPS) {
        return OWNER_GROUP;
    }
    return field->type.kind == TYPE_OBJECT ? field->type.owner : OWNER_COUNT;
}

/* True if the keys below the field are names that the user chose: of groups or of members. */
static bool has_names_below(const struct schema_field *field)
{
    return field->type.kind == TYPE_GROUPS ||
           (field->type.kind == TYPE_OBJECT && field->type.shape == SHAPE_MAP);
}

struct text subject_suggest_kind(struct text wrong)
{
    struct suggest singular = suggest_start(wrong);
    struct suggest plural = suggest_start(wrong);
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);

    /* singular and plural names are compared separately, because otherwise `node` and `nodes` would
     * be equally similar */
    for (size_t i = 0; i < count; i++) {
        suggest_offer(&singular, text_from(kinds[i].singular));
        suggest_offer(&plural, text_from(kinds[i].plural));
    }
    return suggest_best(&singular).length > 0 ? suggest_best(&singular) : suggest_best(&plural);
}

MUST_CHECK static bool subject_kind_unknown(struct text word, struct err *err)
{
    struct text meant = subject_suggest_kind(word);

    err_set(err, CODE_R0006, "there is no kind '%.*s'", TEXT_ARG(word));
    if (meant.length > 0) {
        return err_hint(err, "did you mean '%.*s'?", TEXT_ARG(meant));
    }
    return err_hint(err, "reeve explain lists the kinds");
}

/* Add a hint for cluster.size and the like: the field is looked up in the groups of the cluster.
 * True if the hint was given. */
MUST_CHECK static bool group_field_hint(const struct subject *subject, struct text step,
                                        struct err *err)
{
    struct suggest suggest = suggest_start(step);

    if (subject->field != NULL || schema_field_find(subject->owner, TEXT("groups")) == NULL) {
        return false;
    }
    schema_suggest_fields(OWNER_GROUP, &suggest);
    if (suggest_best(&suggest).length == 0) {
        return false;
    }
    err_hint(err, "did you mean '%.*s.groups.%.*s'?", TEXT_ARG(subject->path),
             TEXT_ARG(suggest_best(&suggest)));
    return true;
}

MUST_CHECK static bool field_unknown(const struct subject *subject, struct text step,
                                     struct err *err)
{
    struct suggest suggest = suggest_start(step);

    err_set(err, CODE_R0006, "%.*s has no field '%.*s'", TEXT_ARG(subject->path), TEXT_ARG(step));
    if (subject->owner == OWNER_COUNT) {
        return err_hint(err, "reeve explain %.*s shows its type", TEXT_ARG(subject->path));
    }
    schema_suggest_fields(subject->owner, &suggest);
    if (suggest_best(&suggest).length > 0) {
        return err_hint(err, "did you mean '%.*s.%.*s'?", TEXT_ARG(subject->path),
                        TEXT_ARG(suggest_best(&suggest)));
    }
    if (group_field_hint(subject, step, err)) {
        return false;
    }
    return err_hint(err, "reeve explain %.*s lists its fields", TEXT_ARG(subject->path));
}

MUST_CHECK static bool subject_step_follow(struct arena *arena, struct text step, bool is_last,
                                           struct subject *subject, struct err *err)
{
    const struct schema_field *field = NULL;

    if (subject->owner != OWNER_COUNT) {
        field = schema_field_find(subject->owner, step);
        field = field != NULL ? field : schema_alias_find(subject->owner, step);
    }
    if (field == NULL && !is_last && subject->field != NULL && has_names_below(subject->field)) {
        return true; /* the step is a name that the user chose: `web` in groups.web.size */
    }
    if (field == NULL) {
        return field_unknown(subject, step, err);
    }
    subject->field = field;
    subject->owner = subject_owner_below(field);
    subject->path = arena_printf(arena, "%.*s.%s", TEXT_ARG(subject->path), field->name);
    return true;
}

bool subject_find(struct arena *arena, struct text path, struct subject *out, struct err *err)
{
    struct text rest = path;
    struct text word = step_next(&rest);
    struct subject subject = { .kind = schema_kind_of_word(word) };

    if (subject.kind == NULL) {
        subject.kind = schema_kind_find(word);
    }
    if (subject.kind == NULL) {
        return subject_kind_unknown(word, err);
    }
    subject.owner = subject.kind->owner;
    subject.path = text_from(subject.kind->singular);
    while (rest.length > 0) {
        struct text step = step_next(&rest);

        if (!subject_step_follow(arena, step, rest.length == 0, &subject, err)) {
            return false;
        }
    }
    *out = subject;
    return true;
}
