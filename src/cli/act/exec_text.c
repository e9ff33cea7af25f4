#include "base/sort.h"
#include "cli/act/exec_parts.h"
#include "cli/term/glyph.h"
#include "codec/doc.h"
#include "selector/ranges.h"
#include "ssh/bytes.h"

#include <assert.h>

/* public names start with: exec_ */

struct exec_fold {
    struct arena *arena;
    struct map groups; /* map from the full output to its struct group */
    size_t nodes;
    struct text cluster; /* the cluster of all machines; empty: several */
};

struct group {
    struct exec_answer answer; /* the result of the first machine of the group */
    struct text *names;
    size_t count;
    size_t room;
};

bool exec_answer_is_well(const struct exec_answer *answer)
{
    return answer->fault.length == 0 && answer->signal.length == 0 && answer->code == 0;
}

struct exec_fold *exec_fold_new(struct arena *arena)
{
    struct exec_fold *fold = arena_one(arena, struct exec_fold);

    *fold = (struct exec_fold){ .arena = arena };
    map_init(&fold->groups, arena);
    return fold;
}

static struct text exec_text_cluster_of(struct text node)
{
    return text_slice(node, 0, text_find_byte(node, '/'));
}

/* Return a key made of all properties that distinguish results. It contains lengths, so that
 * adjacent texts cannot be confused. */
static struct text exec_text_key_make(struct arena *arena, const struct exec_answer *answer)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_printf(&buf, "%lld %d %zu %zu %zu %zu %d ", (long long)answer->code, answer->can_have_run,
               answer->signal.length, answer->fault.length, answer->why.length, answer->out.length,
               answer->dropped > 0);
    buf_add(&buf, answer->signal);
    buf_add(&buf, answer->fault);
    buf_add(&buf, answer->why);
    buf_add(&buf, answer->out);
    buf_add(&buf, answer->error);
    return buf_text(&buf);
}

static struct group *exec_text_group_new(struct exec_fold *fold, const struct exec_answer *answer)
{
    struct group *group = arena_one(fold->arena, struct group);

    *group = (struct group){ .answer = *answer };
    group->answer.out = arena_text(fold->arena, answer->out);
    group->answer.error = arena_text(fold->arena, answer->error);
    group->answer.fault = arena_text(fold->arena, answer->fault);
    group->answer.why = arena_text(fold->arena, answer->why);
    group->answer.signal = arena_text(fold->arena, answer->signal);
    return group;
}

void exec_fold_add(struct exec_fold *fold, const struct exec_answer *answer)
{
    struct arena_mark mark = arena_mark(fold->arena);
    struct text key = exec_text_key_make(fold->arena, answer);
    struct group *group = map_find(&fold->groups, key);
    struct text cluster = exec_text_cluster_of(answer->node);

    if (group == NULL) {
        group = exec_text_group_new(fold, answer);
        map_put(&fold->groups, key, group);
    } else {
        arena_rewind(fold->arena, mark);
    }
    if (group->count == group->room) {
        size_t room = group->room == 0 ? 4 : group->room * 2;

        group->names = arena_grow(fold->arena, group->names, group->room * sizeof(*group->names),
                                  room * sizeof(*group->names));
        group->room = room;
    }
    group->names[group->count++] = arena_text(fold->arena, answer->node);
    fold->cluster = fold->nodes == 0                        ? arena_text(fold->arena, cluster)
                    : text_is_equal(fold->cluster, cluster) ? fold->cluster
                                                            : TEXT("");
    fold->nodes++;
}

/* ---- writing ---- */

static int exec_text_name_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

/* Order of groups: successful groups first, then larger groups, then by the first machine's
 * name. */
static int group_compare(const void *a, const void *b, void *arg)
{
    const struct group *left = *(struct group *const *)a;
    const struct group *right = *(struct group *const *)b;
    int order = (int)exec_answer_is_well(&right->answer) - (int)exec_answer_is_well(&left->answer);

    (void)arg;
    if (order == 0) {
        order = (left->count < right->count) - (left->count > right->count);
    }
    return order != 0 ? order : ranges_compare(left->names[0], right->names[0]);
}

/* Write "37 nodes" or "3 nodes, web-[1-2,7]": names are listed if not all machines gave the same
 * result. Names are short if all machines belong to one cluster. */
static void who_write(struct buf *buf, const struct exec_fold *fold, const struct group *group)
{
    struct text *names = arena_array(fold->arena, struct text, group->count);

    buf_printf(buf, "%zu node%s", group->count, group->count == 1 ? "" : "s");
    if (group->count == fold->nodes && group->count > 1) {
        return;
    }
    for (size_t i = 0; i < group->count; i++) {
        names[i] = fold->cluster.length == 0 ? group->names[i]
                                             : text_slice(group->names[i], fold->cluster.length + 1,
                                                          group->names[i].length);
    }
    buf_add_string(buf, ", ");
    ranges_format(buf, names, group->count);
}

static void exec_text_lines_write(struct buf *buf, struct text text, const char *before)
{
    while (text.length > 0) {
        size_t end = text_find_byte(text, '\n');

        buf_add_string(buf, before);
        glyph_write_text(buf, text_slice(text, 0, end));
        buf_add_string(buf, "\n");
        text = end == SIZE_MAX ? TEXT("") : text_slice(text, end + 1, text.length);
    }
}

/* True if the text is at most one line, with or without its end. */
static bool is_line(struct text text)
{
    size_t end = text_find_byte(text, '\n');

    return end == SIZE_MAX || end + 1 == text.length;
}

static void ran_write(struct command *command, const struct exec_fold *fold,
                      const struct group *group)
{
    const struct exec_answer *answer = &group->answer;
    struct buf *buf = &command->out;

    who_write(buf, fold, group);
    if (answer->signal.length > 0) {
        buf_add_string(buf, ", ended by signal ");
        glyph_write_text(buf, answer->signal);
    } else if (answer->code != 0) {
        buf_printf(buf, ", exit %lld", (long long)answer->code);
    }
    if (answer->out.length > 0 && answer->error.length == 0 && is_line(answer->out)) {
        buf_add_string(buf, ": ");
        glyph_write_text(buf, text_slice(answer->out, 0, text_find_byte(answer->out, '\n')));
        buf_add_string(buf, "\n");
    } else {
        buf_add_string(buf, answer->out.length + answer->error.length > 0 ? ":\n" : "\n");
        exec_text_lines_write(buf, answer->out, "  ");
        exec_text_lines_write(buf, answer->error, "  ! ");
    }
    if (answer->dropped > 0) {
        buf_printf(
            buf, "  !! output truncated: %lld more bytes are not shown; --output-max shows more\n",
            (long long)answer->dropped);
    }
}

static void lost_write(struct buf *buf, const struct exec_fold *fold, const struct group *group)
{
    const struct exec_answer *answer = &group->answer;

    who_write(buf, fold, group);
    buf_add_string(buf, ", ");
    buf_add_string(buf, answer->can_have_run ? "the command may have run, " : "not run, ");
    glyph_write_text(buf, answer->fault);
    buf_add_string(buf, ": ");
    glyph_write_text(buf, answer->why);
    buf_add_string(buf, "\n");
    if (answer->can_have_run) { /* print the output so far */
        exec_text_lines_write(buf, answer->out, "  ");
        exec_text_lines_write(buf, answer->error, "  ! ");
    }
}

void exec_fold_write(struct command *command, struct exec_fold *fold)
{
    struct group **groups = arena_array(fold->arena, struct group *, fold->groups.count + 1);
    size_t count = 0;
    struct buf lost;

    for (const struct map_node *at = map_first(&fold->groups, TEXT("")); at != NULL;
         at = map_after(&fold->groups, at->key)) {
        groups[count] = at->value;
        sort_stable(fold->arena, groups[count]->names, groups[count]->count, sizeof(struct text),
                    exec_text_name_compare, NULL);
        count++;
    }
    sort_stable(fold->arena, groups, count, sizeof(*groups), group_compare, NULL);
    buf_init(&lost, fold->arena);
    for (size_t i = 0; i < count; i++) {
        if (groups[i]->answer.fault.length == 0) {
            ran_write(command, fold, groups[i]);
        } else {
            lost_write(&lost, fold, groups[i]);
        }
    }
    if (lost.length > 0) {
        command_say(command, buf_text(&lost));
    }
}

/* ---- for programs ---- */

static void exec_text_bytes_put(struct doc_builder *builder, struct arena *arena, const char *name,
                                const char *coded, struct text bytes)
{
    struct buf buf;

    if (text_find_bad_utf8(bytes) == SIZE_MAX) {
        doc_builder_put(builder, name, doc_text(bytes, NULL));
        return;
    }
    buf_init(&buf, arena);
    ssh_add_base64(&buf, bytes);
    doc_builder_put(builder, coded, doc_text(buf_text(&buf), NULL));
}

struct doc exec_answer_doc(struct arena *arena, const struct exec_answer *answer)
{
    bool has_run = answer->fault.length == 0;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    if (has_run && answer->signal.length == 0) {
        doc_builder_put(&builder, "code", doc_int(arena, answer->code, NULL));
    }
    if (answer->dropped > 0) {
        doc_builder_put(&builder, "dropped", doc_int(arena, answer->dropped, NULL));
    }
    exec_text_bytes_put(&builder, arena, "err", "errBase64", answer->error);
    if (!has_run) {
        doc_builder_put(&builder, "fault", doc_text(answer->fault, NULL));
        doc_builder_put(&builder, "mayHaveRun", doc_bool(answer->can_have_run, NULL));
    }
    doc_builder_put(&builder, "ms", doc_int(arena, answer->took_ms, NULL));
    doc_builder_put(&builder, "node", doc_text(answer->node, NULL));
    exec_text_bytes_put(&builder, arena, "out", "outBase64", answer->out);
    if (answer->signal.length > 0) {
        doc_builder_put(&builder, "signal", doc_text(answer->signal, NULL));
    }
    if (!has_run) {
        doc_builder_put(&builder, "why", doc_text(answer->why, NULL));
    }
    return doc_builder_map(&builder, NULL);
}
