#include "cli/bootstrap_run.h"

#include "cli/again.h"
#include "cli/nodes.h"
#include "cli/say.h"
#include "cli/selected.h"
#include "cli/stages.h"
#include "model/ranges.h"

#include <string.h>

#define RUN_USE "reeve bootstrap run shop/web-0, or -g shop/web, or --failed-of 912"

/* What was read of one cluster. */
struct home {
    struct nodes nodes;
    struct doc values; /* where stages are said by their names */
};

/* One machine, and from which of its stages on; empty: those that did not end well. */
struct chosen {
    struct text cluster;
    struct text name;
    struct text from;
};

/* Machines of one cluster that run from one stage on, for the line that says so. */
struct told {
    struct text cluster;
    struct text from;
    struct text *names;
    size_t count;
};

struct running {
    struct command *command;
    struct session session;
    struct text from; /* as it was said; empty: what did not end well */
    struct selected_node *nodes;
    size_t count;
    struct chosen *all_chosen;
    size_t chosen_count;
    struct map homes; /* cluster to struct home */
    struct map told;  /* stage and cluster to struct told */
    struct again again;
    bool is_again; /* it was agreed to stages that are not idempotent */
};

/* ---- what is to be done ---- */

static bool is_by_name(const struct running *running)
{
    int64_t number;

    return running->from.length > 0 && !text_parse_int64(running->from, &number);
}

/* NULL: an error was added. */
static const struct home *home_have(struct running *running, struct text cluster)
{
    struct command *command = running->command;
    struct home *home = map_find(&running->homes, cluster);

    if (home != NULL) {
        return home;
    }
    home = arena_one(command->arena, struct home);
    *home = (struct home){ 0 };
    if (!nodes_get(command, &running->session, cluster, &home->nodes) ||
        (is_by_name(running) && !stages_get(command, &running->session, cluster, &home->values))) {
        return NULL;
    }
    map_put(&running->homes, cluster, home);
    return home;
}

/* One that is not there yet, or not for long, runs nothing again. */
static bool is_there(const struct doc *node)
{
    const char *state = nodes_state(node);

    return strcmp(state, "creating") != 0 && strcmp(state, "refused") != 0 &&
           strcmp(state, "leaving") != 0;
}

/* Which of its stages are not to run twice is noted. */
static bool node_look(struct running *running, const struct selected_node *node)
{
    struct command *command = running->command;
    const struct home *home = home_have(running, node->cluster);
    struct chosen chosen = { node->cluster, node->name, running->from };
    const struct doc *found = home == NULL ? NULL : nodes_find(&home->nodes, node->name);
    int64_t from = 0;

    if (home == NULL) {
        return false;
    }
    if (found == NULL || !is_there(found)) {
        buf_printf(&command->notes, "%.*s/%.*s is %s: left out\n", TEXT_ARG(node->cluster),
                   TEXT_ARG(node->name), found == NULL ? "gone" : nodes_state(found));
        return true;
    }
    if (is_by_name(running) &&
        !stages_find(command, &home->values, listing_text(found, "metadata", "group"),
                     arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(node->cluster),
                                  TEXT_ARG(node->name)),
                     running->from, "--from-stage", &chosen.from)) {
        return false;
    }
    (void)!text_parse_int64(chosen.from, &from);
    again_add(&running->again, node->cluster, found, chosen.from.length == 0, from);
    running->all_chosen[running->chosen_count++] = chosen;
    return true;
}

/* ---- saying it ---- */

static void told_note(struct running *running, const struct chosen *chosen)
{
    struct arena *arena = running->command->arena;
    struct text key =
        arena_printf(arena, "%.*s %.*s", TEXT_ARG(chosen->cluster), TEXT_ARG(chosen->from));
    struct told *told = map_find(&running->told, key);

    if (told == NULL) {
        told = arena_one(arena, struct told);
        *told = (struct told){ .cluster = chosen->cluster,
                               .from = chosen->from,
                               .names = arena_array(arena, struct text, running->chosen_count) };
        map_put(&running->told, key, told);
    }
    told->names[told->count++] = chosen->name;
}

/* shop/web-0, shop/web-[1-3]: ... */
static void told_write(struct running *running)
{
    struct buf *notes = &running->command->notes;

    for (const struct map_node *at = map_first(&running->told, TEXT("")); at != NULL;
         at = map_after(&running->told, at->key)) {
        const struct told *told = at->value;

        buf_printf(notes, "%.*s/", TEXT_ARG(told->cluster));
        ranges_format(notes, told->names, told->count);
        if (told->from.length == 0) {
            buf_add_string(notes, ": stages that did not end well run again\n");
        } else {
            buf_printf(notes, ": all stages from stage-%.*s on run again\n", TEXT_ARG(told->from));
        }
    }
}

static bool node_run(struct running *running, const struct chosen *chosen)
{
    struct command *command = running->command;
    struct target target = { schema_kind_find(TEXT("Cluster")), chosen->cluster };
    struct say say = { .word = "bootstrap",
                       .node = chosen->name,
                       .from = chosen->from.length == 0
                                   ? NULL
                                   : arena_string(command->arena, chosen->from),
                       .is_again = running->is_again,
                       .why = args_value(&command->args, FLAG_BOOTSTRAP_MESSAGE) };

    if (!say_it(command, &running->session, &target, &say, NULL)) {
        return false;
    }
    told_note(running, chosen);
    return true;
}

/* One that cannot be told stops no other. */
static enum exit_code all_run(struct running *running)
{
    size_t done = 0;

    for (size_t i = 0; i < running->chosen_count; i++) {
        size_t before = running->command->errors.count;

        if (node_run(running, &running->all_chosen[i])) {
            done++;
        } else if (running->chosen_count > 1 && running->command->errors.count > before) {
            (void)err_note(&running->command->errors.items[before], "this is about %.*s/%.*s",
                           TEXT_ARG(running->all_chosen[i].cluster),
                           TEXT_ARG(running->all_chosen[i].name));
        }
    }
    told_write(running);
    return done == running->chosen_count ? EXIT_CODE_DONE
           : done > 0                    ? EXIT_CODE_PARTIAL
                                         : EXIT_CODE_FAILED;
}

/* ---- the verb ---- */

static bool from_read(struct running *running)
{
    const struct args *args = &running->command->args;
    const char *from = args_value(args, FLAG_BOOTSTRAP_FROM);
    bool is_of_all = args_has(args, FLAG_BOOTSTRAP_RERUN);

    running->from = is_of_all ? TEXT("0") : text_from(from);
    return !is_of_all || from == NULL ||
           err_hint(err_list_set(&running->command->errors, (struct place){ 0 }, CODE_R0005,
                                 "--rerun runs all stages again, --from-stage those from one on"),
                    "say one of the two");
}

static bool nodes_look(struct running *running)
{
    struct command *command = running->command;
    struct selected selected;

    if (!session_open(command, &running->session) ||
        !selected_read(command, &running->session, command->args.words + 1,
                       command->args.word_count - 1, RUN_USE, &selected) ||
        !selected_find(command, &running->session, &selected, &running->nodes, &running->count)) {
        return false;
    }
    running->all_chosen = arena_array(command->arena, struct chosen, running->count);
    for (size_t i = 0; i < running->count; i++) {
        if (!node_look(running, &running->nodes[i])) {
            return false;
        }
    }
    return running->chosen_count > 0 ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0780,
                                 "none of the machines that are meant is there"),
                    "reeve tree shows what there is");
}

enum exit_code bootstrap_run(struct command *command)
{
    struct running running = { .command = command };

    if (!from_read(&running)) {
        return EXIT_CODE_USAGE;
    }
    again_init(&running.again, command);
    map_init(&running.homes, command->arena);
    map_init(&running.told, command->arena);
    if (!nodes_look(&running)) {
        return EXIT_CODE_FAILED;
    }
    if (!again_ask(&running.again, &running.session, &running.is_again)) {
        return EXIT_CODE_DECLINED;
    }
    return all_run(&running);
}
