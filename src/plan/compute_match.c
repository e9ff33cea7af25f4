#include "base/map.h"
#include "base/sort.h"
#include "plan/compute_parts.h"

#include <assert.h>

/* Rows and records meet by token. A token that two rows carry belongs to the one with the lower id; the
 * other is a machine nobody asked for. */

static int record_compare(const void *a, const void *b, void *arg)
{
    const struct plan_record *first = ((const struct plan_case *)a)->record;
    const struct plan_record *second = ((const struct plan_case *)b)->record;
    int order =
        text_compare(((const struct plan_case *)a)->path, ((const struct plan_case *)b)->path);

    (void)arg;
    if (order == 0) {
        order = (first->slot > second->slot) - (first->slot < second->slot);
    }
    return order != 0 ? order : text_compare(first->token, second->token);
}

static int row_compare(const void *a, const void *b, void *arg)
{
    const struct plan_world *world = arg;
    const struct plan_row *first = &world->rows[*(const size_t *)a];
    const struct plan_row *second = &world->rows[*(const size_t *)b];
    int order = text_compare(first->token, second->token);

    return order != 0 ? order : text_compare(first->id, second->id);
}

static int row_id_compare(const void *a, const void *b, void *arg)
{
    const struct plan_world *world = arg;

    return text_compare(world->rows[*(const size_t *)a].id, world->rows[*(const size_t *)b].id);
}

static int token_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare((*(struct plan_case *const *)a)->record->token,
                        (*(struct plan_case *const *)b)->record->token);
}

static size_t *rows_sorted(struct plan_work *work)
{
    const struct plan_world *world = work->world;
    size_t *rows = arena_array(work->arena, size_t, world->row_count);

    for (size_t i = 0; i < world->row_count; i++) {
        rows[i] = i;
    }
    sort_stable(work->arena, rows, world->row_count, sizeof(*rows), row_compare,
                (void *)(uintptr_t)world);
    return rows;
}

/* Walk rows and records, both by token, side by side. */
static void tokens_join(struct plan_work *work)
{
    const struct plan_world *world = work->world;
    struct plan_case **cases = arena_array(work->arena, struct plan_case *, world->record_count);
    size_t *rows = rows_sorted(work);
    size_t at = 0;

    for (size_t i = 0; i < world->record_count; i++) {
        cases[i] = &work->cases[i];
    }
    sort_stable(work->arena, cases, world->record_count, sizeof(struct plan_case *), token_compare,
                NULL);
    work->unknown = arena_array(work->arena, size_t, world->row_count);
    for (size_t i = 0; i < world->row_count; i++) {
        const struct plan_row *row = &world->rows[rows[i]];

        while (at < world->record_count && text_compare(cases[at]->record->token, row->token) < 0) {
            at++;
        }
        if (at < world->record_count && row->token.length > 0 && cases[at]->row == NULL &&
            text_is_equal(cases[at]->record->token, row->token)) {
            cases[at]->row = row;
            cases[at]->row_index = rows[i];
        } else {
            work->unknown[work->unknown_count++] = rows[i];
        }
    }
    sort_stable(work->arena, work->unknown, work->unknown_count, sizeof(*work->unknown),
                row_id_compare, (void *)(uintptr_t)world);
}

static int standing_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct plan_standing *)a)->path,
                        ((const struct plan_standing *)b)->path);
}

/* A standing for each group that is wanted, and for each that records name. */
static void standings_make(struct plan_work *work)
{
    const struct plan_world *world = work->world;
    struct plan_standing *all =
        arena_array(work->arena, struct plan_standing, world->group_count + world->record_count);
    size_t count = 0;
    size_t kept = 0;

    for (size_t i = 0; i < world->group_count; i++) {
        all[count++] =
            (struct plan_standing){ .group = &world->groups[i], .path = world->groups[i].path };
    }
    for (size_t i = 0, end; i < world->record_count; i = end) {
        struct text path = work->cases[i].path;

        for (end = i; end < world->record_count && text_is_equal(work->cases[end].path, path);) {
            end++;
        }
        all[count++] =
            (struct plan_standing){ .path = path, .cases = &work->cases[i], .count = end - i };
    }
    sort_stable(work->arena, all, count, sizeof(*all), standing_compare, NULL);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && text_is_equal(all[kept - 1].path, all[i].path)) {
            assert(all[i].group == NULL && "no group stands twice");
            all[kept - 1].cases = all[i].cases;
            all[kept - 1].count = all[i].count;
        } else {
            all[kept++] = all[i];
        }
    }
    work->standings = all;
    work->standing_count = kept;
}

/* Records of the path that a group had before are its own, unless there is a group with that path (K7). */
struct renaming {
    struct map by_path;
    struct map by_former;
    bool is_any;
};

static void renaming_make(struct plan_work *work, struct renaming *renaming)
{
    const struct plan_world *world = work->world;

    for (size_t i = 0; i < world->group_count; i++) {
        renaming->is_any |= world->groups[i].renamed_from.length > 0;
    }
    if (!renaming->is_any) {
        return;
    }
    map_init(&renaming->by_path, work->arena);
    map_init(&renaming->by_former, work->arena);
    for (size_t i = 0; i < world->group_count; i++) {
        struct plan_group *group = (struct plan_group *)(uintptr_t)&world->groups[i];
        const struct plan_group *other = map_find(&renaming->by_former, group->renamed_from);

        map_put(&renaming->by_path, group->path, group);
        if (group->renamed_from.length > 0 &&
            (other == NULL || text_compare(group->path, other->path) < 0)) {
            map_put(&renaming->by_former, group->renamed_from, group);
        }
    }
}

static struct text path_now(const struct renaming *renaming, struct text path)
{
    const struct plan_group *now;

    if (!renaming->is_any || map_find(&renaming->by_path, path) != NULL) {
        return path;
    }
    now = map_find(&renaming->by_former, path);
    return now == NULL ? path : now->path;
}

static void moves_make(struct plan_work *work)
{
    for (size_t i = 0; i < work->standing_count; i++) {
        const struct plan_standing *standing = &work->standings[i];

        for (size_t j = 0; j < standing->count; j++) {
            const struct plan_record *record = standing->cases[j].record;

            if (!text_is_equal(record->group, standing->path)) {
                plan_act_case(work, standing, &standing->cases[j], PLAN_ACT_MOVE, PLAN_RULE_renamed,
                              arena_printf(work->arena, "it was %.*s", TEXT_ARG(record->group)));
            }
        }
    }
}

void plan_match(struct plan_work *work)
{
    const struct plan_world *world = work->world;
    struct renaming renaming = { 0 };

    renaming_make(work, &renaming);
    work->cases = arena_array(work->arena, struct plan_case, world->record_count);
    for (size_t i = 0; i < world->record_count; i++) {
        work->cases[i] = (struct plan_case){ .record = &world->records[i],
                                             .path = path_now(&renaming, world->records[i].group),
                                             .record_index = i,
                                             .row_index = PLAN_NONE };
    }
    sort_stable(work->arena, work->cases, world->record_count, sizeof(*work->cases), record_compare,
                NULL);
    tokens_join(work);
    standings_make(work);
    moves_make(work);
}
