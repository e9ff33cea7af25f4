#include "codec/json.h"
#include "plan/superseded.h"
#include "service/service_parts.h"
#include "state/fault.h"

#include <assert.h>

/* The answer about a change, for display and for clients. */

const char *mutation_word(const struct change_object *object)
{
    if (object->is_deleted) {
        return "delete";
    }
    if (object->revision == 0) {
        return "create";
    }
    return object->is_changed ? "change" : "none";
}

static struct doc mutation_answer_text_doc(struct text text)
{
    return doc_text(text, NULL);
}

static struct doc number_doc(struct arena *arena, uint64_t number)
{
    return doc_int(arena, (int64_t)number, NULL);
}

static struct doc mutation_answer_object_doc(struct arena *arena,
                                             const struct change_object *object)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "change", mutation_answer_text_doc(text_from(mutation_word(object))));
    doc_builder_put(&builder, "id", mutation_answer_text_doc(object->id));
    doc_builder_put(&builder, "kind", mutation_answer_text_doc(text_from(object->kind->name)));
    doc_builder_put(&builder, "name", mutation_answer_text_doc(object->name));
    return doc_builder_map(&builder, NULL);
}

/* Return the marker with author and time of a kept value: the nearest one at or above its path. */
static const struct doc *mark_find(const struct stored_object *stored, struct text path)
{
    const struct doc *mark = doc_find(&stored->part.live, path);

    for (size_t i = 0; mark == NULL && i < stored->group_count; i++) {
        const struct stored_group *group = &stored->groups[i];
        struct text prefix = TEXT("groups.");
        struct text rest = text_slice(path, prefix.length, path.length);

        if (text_has_prefix(path, prefix) && text_has_prefix(rest, group->path) &&
            rest.length > group->path.length && rest.data[group->path.length] == '.') {
            mark =
                doc_find(&group->part.live, text_slice(rest, group->path.length + 1, rest.length));
        }
    }
    return mark;
}

static struct doc kept_doc(struct arena *arena, const struct change_object *object,
                           const struct apply_kept *kept)
{
    const struct doc *mark = mark_find(&object->old_stored, kept->path);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    if (mark != NULL && doc_child(mark, "at") != NULL && doc_child(mark, "by") != NULL) {
        doc_builder_put(&builder, "at", *doc_child(mark, "at"));
        doc_builder_put(&builder, "by", *doc_child(mark, "by"));
    }
    doc_builder_put(&builder, "file", *kept->file);
    doc_builder_put(&builder, "kind", mutation_answer_text_doc(text_from(object->kind->name)));
    if (kept->live != NULL) {
        doc_builder_put(&builder, "live", *kept->live);
    }
    doc_builder_put(&builder, "name", mutation_answer_text_doc(object->name));
    doc_builder_put(&builder, "path", mutation_answer_text_doc(kept->path));
    return doc_builder_map(&builder, NULL);
}

static struct doc kept_list(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    struct doc *items;
    size_t count = 0;

    for (size_t i = 0; i < change->object_count; i++) {
        count += change->objects[i].apply.kept_count;
    }
    items = arena_array(mutation->work, struct doc, count);
    count = 0;
    for (size_t i = 0; i < change->object_count; i++) {
        for (size_t j = 0; j < change->objects[i].apply.kept_count; j++) {
            items[count++] =
                kept_doc(mutation->work, &change->objects[i], &change->objects[i].apply.kept[j]);
        }
    }
    return doc_list(items, count, NULL);
}

struct doc mutation_sums(struct arena *arena, const struct change *change)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "change", number_doc(arena, change->summary.changes));
    doc_builder_put(&builder, "create", number_doc(arena, change->summary.creates));
    doc_builder_put(&builder, "destroy", number_doc(arena, change->summary.destroys));
    doc_builder_put(&builder, "groups", number_doc(arena, change->summary.groups));
    doc_builder_put(&builder, "nodes", number_doc(arena, change->summary.nodes));
    doc_builder_put(&builder, "reboot", number_doc(arena, change->needs.reboot));
    doc_builder_put(&builder, "replace", number_doc(arena, change->needs.replace));
    if (doc_is_present(&change->volumes)) {
        doc_builder_put(&builder, "volumes", change->volumes);
    }
    return doc_builder_map(&builder, NULL);
}

/* Count the rollouts that the change supersedes. A file needs consent for each of them (decision
 * 0092). */
static uint64_t rollouts_count(const struct mutation *mutation)
{
    return mutation->request.mode == CHANGE_APPLY ? superseded_count(&mutation->change.plan) : 0;
}

static struct doc needs_doc(struct mutation *mutation)
{
    const struct change_needs *needs = &mutation->change.needs;
    struct arena *arena = mutation->work;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "destroy", number_doc(arena, needs->destroy));
    doc_builder_put(&builder, "lift", number_doc(arena, needs->lift));
    doc_builder_put(&builder, "reboot", number_doc(arena, needs->reboot));
    doc_builder_put(&builder, "rename", number_doc(arena, needs->rename));
    doc_builder_put(&builder, "replace", number_doc(arena, needs->replace));
    doc_builder_put(&builder, "rerun", number_doc(arena, needs->rerun));
    doc_builder_put(&builder, "supersede", number_doc(arena, rollouts_count(mutation)));
    return doc_builder_map(&builder, NULL);
}

/* True if the change creates a job. The number of the job is known in advance: it is the revision
 * of the change. */
static bool makes_job(const struct mutation *mutation)
{
    const struct file_plan_summary *sums = &mutation->change.summary;

    return mutation->service->reconciler.pass != NULL && !mutation->request.is_saved &&
           sums->changes + sums->creates + sums->destroys + sums->replaces + sums->unneeded +
                   mutation->change.needs.reboot >
               0;
}

/* These functions add the members in order, except the job and the revision: the head, middle and
 * tail of struct mutation_notice. */

static void head_put(struct mutation *mutation, struct doc_builder *builder)
{
    doc_builder_put(builder, "changed", doc_bool(mutation->change.op_count > 0, NULL));
    if (mutation->plan_id.length > 0) {
        doc_builder_put(builder, "id", mutation_answer_text_doc(mutation->plan_id));
    }
}

static void middle_put(struct mutation *mutation, struct doc_builder *builder)
{
    const struct change *change = &mutation->change;
    struct arena *arena = mutation->work;
    struct doc *objects = arena_array(arena, struct doc, change->object_count);

    for (size_t i = 0; i < change->object_count; i++) {
        objects[i] = mutation_answer_object_doc(arena, &change->objects[i]);
    }
    doc_builder_put(builder, "kept", kept_list(mutation));
    if (change->lifts.item_count > 0) {
        doc_builder_put(builder, "lifts", change->lifts);
    }
    doc_builder_put(builder, "needs", needs_doc(mutation));
    doc_builder_put(builder, "objects", doc_list(objects, change->object_count, NULL));
    if (doc_is_present(&change->plan)) {
        doc_builder_put(builder, "plan", change->plan);
    }
    if (mutation->preflights != NULL) {
        doc_builder_put(builder, "preflight", mutation_preflight_doc(mutation));
    }
}

static struct doc warnings_doc(struct mutation *mutation)
{
    const struct err_list *reported = &mutation->errors;
    struct doc *items = arena_array(mutation->work, struct doc, reported->count);
    size_t count = 0;

    for (size_t i = 0; i < reported->count; i++) {
        if (reported->items[i].severity == ERR_SEVERITY_WARNING) {
            items[count++] =
                fault_show(mutation->work, &reported->items[i], mutation->request.is_file);
        }
    }
    return doc_list(items, count, NULL);
}

static void tail_put(struct mutation *mutation, struct doc_builder *builder)
{
    doc_builder_put(builder, "sums", mutation_sums(mutation->work, &mutation->change));
    if (mutation->errors.warnings > 0) {
        doc_builder_put(builder, "warnings", warnings_doc(mutation));
    }
}

struct doc mutation_answer(struct mutation *mutation)
{
    struct arena *arena = mutation->work;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    head_put(mutation, &builder);
    if (mutation->is_written && makes_job(mutation)) {
        doc_builder_put(&builder, "job", number_doc(arena, mutation->wanted));
    }
    middle_put(mutation, &builder);
    doc_builder_put(&builder, "revision",
                    number_doc(arena, cache_revision(mutation->service->cache)));
    tail_put(mutation, &builder);
    return doc_builder_map(&builder, NULL);
}

typedef void members_put(struct mutation *mutation, struct doc_builder *builder);

/* Format some members as "{...}". */
static struct text members_format(struct mutation *mutation, members_put *put)
{
    struct doc_builder builder;
    struct doc members;
    struct buf buf;

    doc_builder_init(&builder, mutation->work);
    put(mutation, &builder);
    members = doc_builder_map(&builder, NULL);
    buf_init(&buf, mutation->work);
    json_format(&buf, &members);
    return arena_text(mutation->arena, buf_text(&buf));
}

struct mutation_notice mutation_notice_make(struct mutation *mutation)
{
    return (struct mutation_notice){ .head = members_format(mutation, head_put),
                                     .middle = members_format(mutation, middle_put),
                                     .tail = members_format(mutation, tail_put),
                                     .has_job = makes_job(mutation) };
}

/* Return the members of the JSON object without its braces; the text is not empty. */
static struct text members_of(struct text part)
{
    assert(part.length > 2);
    return text_slice(part, 1, part.length - 2);
}

struct text mutation_reported_text(const struct mutation *mutation)
{
    const struct mutation_notice *reported = &mutation->reported;
    struct arena *arena = mutation->arena;
    struct text revision = arena_number(arena, (int64_t)cache_revision(mutation->service->cache));
    struct text head = members_of(reported->head);
    struct text middle = members_of(reported->middle);
    struct text tail = members_of(reported->tail);
    struct text job = TEXT("");

    assert(mutation->is_written);
    if (reported->has_job) {
        job = arena_number(arena, (int64_t)mutation->wanted);
    }
    return arena_printf(arena, "{%.*s%s%.*s,%.*s,\"revision\":%.*s,%.*s}", TEXT_ARG(head),
                        reported->has_job ? ",\"job\":" : "", TEXT_ARG(job), TEXT_ARG(middle),
                        TEXT_ARG(revision), TEXT_ARG(tail));
}
