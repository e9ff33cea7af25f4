#include "base/map.h"
#include "base/sort.h"
#include "plan/compute_parts.h"

#include <assert.h>

/* Matches rows to records by token. If two rows have the same token, the record's machine is the
 * row with the record's id; if the record has no id, it is the row with the lower id. The other row
 * is a clone: it is reported, never destroyed (docs/decisions/0027). The exception is a late create
 * call: if it may have made the other row after the record's machine was destroyed, that row is the
 * record's machine (docs/decisions/0030). A machine that is to be destroyed but was never requested
 * has a record with a separate token; such a record and its row match by id. */

static int record_compare(const void *a, const void *b, void *arg)
{
    const struct plan_record *first = ((const struct plan_case *)a)->record;
    const struct plan_record *second = ((const struct plan_case *)b)->record;
    int order =
        text_compare(((const struct plan_case *)a)->path, ((const struct plan_case *)b)->path);

    if (order == 0) {
        order = plan_is_away(arg, first) - plan_is_away(arg, second);
    }
    if (order == 0) {
        order = (first->slot > second->slot) - (first->slot < second->slot);
    }
    return order != 0 ? order : text_compare(first->token, second->token);
}

static int compute_match_row_compare(const void *a, const void *b, void *arg)
{
    const struct plan_world *world = arg;
    const struct plan_row *first = &world->rows[*(const size_t *)a];
    const struct plan_row *second = &world->rows[*(const size_t *)b];
    int order = text_compare(first->token, second->token);

    return order != 0 ? order : text_compare(first->id, second->id);
}

static int compute_match_row_id_compare(const void *a, const void *b, void *arg)
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
    sort_stable(work->arena, rows, world->row_count, sizeof(*rows), compute_match_row_compare,
                (void *)(uintptr_t)world);
    return rows;
}

static bool is_machine_of(const struct plan_record *record, const struct plan_row *row)
{
    return record->source == row->source && record->id.length > 0 &&
           text_is_equal(record->id, row->id);
}

/* True if the machine of the row has ended. It no longer exists, so it can only be the machine of
 * the record that has its id. */
static bool has_row_ended(const struct plan_work *work, size_t row)
{
    return work->world->rows[row].state == PLAN_ROW_ENDED;
}

static bool is_spared(const struct plan_work *work, const struct plan_row *row)
{
    const struct plan_quarantine *known = plan_quarantine_find(work, row->id);

    return known != NULL && known->is_spared;
}

/* True if a late create call may have made the row's machine. False if an operator decided to keep
 * the machine, or if it was first seen so late that it cannot be the result of such a call. */
static bool may_have_come(const struct plan_work *work, const struct plan_record *record,
                          const struct plan_row *row)
{
    const struct plan_quarantine *known = plan_quarantine_find(work, row->id);

    return (known == NULL || !known->is_spared) &&
           plan_may_come_again(work, record,
                               known == NULL ? work->world->now_ms : known->seen.first_ms);
}

/* Returns the first row that a late create call may have made after the record's machine was
 * confirmed as destroyed; `count` if there is none. */
static size_t row_come_again(const struct plan_work *work, const struct plan_record *record,
                             const size_t *rows, size_t count)
{
    if (record->state != PLAN_RECORD_DELETE || !record->is_answered) {
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        const struct plan_row *row = &work->world->rows[rows[i]];

        if (row->source == record->source && row->state != PLAN_ROW_ENDED &&
            may_have_come(work, record, row)) {
            return i;
        }
    }
    return count;
}

/* True if the row is on another host than the record's machine. It is then another machine, even if
 * it has the same token. */
static bool is_row_elsewhere(const struct plan_work *work, const struct plan_record *record,
                             const struct plan_row *row)
{
    const struct plan_source *sources = work->world->sources;

    return record->source != row->source &&
           (sources[record->source].host.length > 0 || sources[row->source].host.length > 0);
}

/* Returns the row of the record's machine among the rows with its token; `count` if there is none.
 * A clone is not chosen in place of a machine that is no longer listed. */
static size_t row_choose(const struct plan_work *work, const struct plan_record *record,
                         const size_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_machine_of(record, &work->world->rows[rows[i]])) {
            return i;
        }
    }
    if (record->id.length > 0) {
        return row_come_again(work, record, rows, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!has_row_ended(work, rows[i]) &&
            !is_row_elsewhere(work, record, &work->world->rows[rows[i]])) {
            return i;
        }
    }
    return record->state == PLAN_RECORD_CREATE &&
                   !is_row_elsewhere(work, record, &work->world->rows[rows[0]])
               ? 0
               : count;
}

/* Match the rows with one token to its record; NULL: no record has the token. */
static void token_join(struct plan_work *work, struct plan_case *one, const size_t *rows,
                       size_t count)
{
    size_t chosen = one == NULL ? count : row_choose(work, one->record, rows, count);

    if (chosen < count) {
        one->row = &work->world->rows[rows[chosen]];
        one->row_index = rows[chosen];
    }
    for (size_t i = 0; i < count; i++) {
        if (i != chosen && !has_row_ended(work, rows[i])) {
            if (one != NULL) {
                one->has_rival |= !is_spared(work, &work->world->rows[rows[i]]);
            }
            work->is_copy[rows[i]] = one != NULL;
            work->is_open[rows[i]] = one != NULL && chosen == count &&
                                     may_have_come(work, one->record, &work->world->rows[rows[i]]);
            work->unknown[work->unknown_count++] = rows[i];
        }
    }
}

/* Iterate over rows and records in parallel, both in order of token. */
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
    work->is_copy = arena_array(work->arena, bool, world->row_count);
    work->is_open = arena_array(work->arena, bool, world->row_count);
    for (size_t i = 0, end; i < world->row_count; i = end) {
        struct text token = world->rows[rows[i]].token;
        bool has_record = false;

        for (end = i + 1;
             end < world->row_count && text_is_equal(world->rows[rows[end]].token, token); end++) {
        }
        while (at < world->record_count && text_compare(cases[at]->record->token, token) < 0) {
            at++;
        }
        has_record = token.length > 0 && at < world->record_count &&
                     text_is_equal(cases[at]->record->token, token);
        token_join(work, has_record ? cases[at] : NULL, &rows[i], end - i);
    }
    sort_stable(work->arena, work->unknown, work->unknown_count, sizeof(*work->unknown),
                compute_match_row_id_compare, (void *)(uintptr_t)world);
}

static size_t unknown_find(const struct plan_work *work, struct text id)
{
    size_t low = 0;
    size_t high = work->unknown_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (text_compare(work->world->rows[work->unknown[middle]].id, id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Matches the remaining records to the remaining rows by id. Their tokens appear either only in a
 * record or only in a row. */
static void compute_match_ids_join(struct plan_work *work)
{
    const struct plan_world *world = work->world;
    bool *is_met = arena_array(work->arena, bool, work->unknown_count);
    size_t kept = 0;

    for (size_t i = 0; i < world->record_count && work->unknown_count > 0; i++) {
        struct plan_case *one = &work->cases[i];

        for (size_t at = one->row != NULL || one->record->id.length == 0
                             ? work->unknown_count
                             : unknown_find(work, one->record->id);
             at < work->unknown_count && one->row == NULL &&
             text_is_equal(world->rows[work->unknown[at]].id, one->record->id);
             at++) {
            if (is_machine_of(one->record, &world->rows[work->unknown[at]]) && !is_met[at]) {
                is_met[at] = true;
                one->row = &world->rows[work->unknown[at]];
                one->row_index = work->unknown[at];
            }
        }
    }
    for (size_t i = 0; i < work->unknown_count; i++) {
        if (!is_met[i]) {
            work->unknown[kept++] = work->unknown[i];
        }
    }
    work->unknown_count = kept;
}

static int current_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct plan_group_state *)a)->path,
                        ((const struct plan_group_state *)b)->path);
}

/* Separates the records of unreachable hosts and puts them behind the others. */
static void away_split(const struct plan_work *work, struct plan_group_state *current)
{
    while (current->count > 0 && plan_is_away(work, current->cases[current->count - 1].record)) {
        current->count--;
        current->away_count++;
    }
    current->away = current->cases + current->count;
}

/* Makes one group state for each group of the specification and for each group that appears in
 * records. */
static void standings_make(struct plan_work *work)
{
    const struct plan_world *world = work->world;
    struct plan_group_state *all =
        arena_array(work->arena, struct plan_group_state, world->group_count + world->record_count);
    size_t count = 0;
    size_t kept = 0;

    for (size_t i = 0; i < world->group_count; i++) {
        all[count++] =
            (struct plan_group_state){ .group = &world->groups[i], .path = world->groups[i].path };
    }
    for (size_t i = 0, end; i < world->record_count; i = end) {
        struct text path = work->cases[i].path;

        for (end = i; end < world->record_count && text_is_equal(work->cases[end].path, path);) {
            end++;
        }
        all[count] =
            (struct plan_group_state){ .path = path, .cases = &work->cases[i], .count = end - i };
        away_split(work, &all[count++]);
    }
    sort_stable(work->arena, all, count, sizeof(*all), current_compare, NULL);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && text_is_equal(all[kept - 1].path, all[i].path)) {
            assert(all[i].group == NULL && "no group stands twice");
            all[kept - 1].cases = all[i].cases;
            all[kept - 1].count = all[i].count;
            all[kept - 1].away = all[i].away;
            all[kept - 1].away_count = all[i].away_count;
        } else {
            all[kept++] = all[i];
        }
    }
    work->standings = all;
    work->current_count = kept;
}

/* A record with a group's previous path belongs to that group, unless another group has that path
 * now (K7). */
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
    for (size_t i = 0; i < work->current_count; i++) {
        const struct plan_group_state *current = &work->standings[i];

        for (size_t j = 0; j < current->count + current->away_count; j++) {
            const struct plan_record *record = current->cases[j].record;

            if (!text_is_equal(record->group, current->path)) {
                plan_act_case(work, current, &current->cases[j], PLAN_ACT_MOVE, PLAN_RULE_renamed,
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
                work);
    tokens_join(work);
    compute_match_ids_join(work);
    standings_make(work);
    moves_make(work);
}
