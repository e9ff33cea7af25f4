/* reeve commission, reeve adopt: take machines of the inventory into a group. */
#include "base/sort.h"
#include "cli/args/fields.h"
#include "cli/change/commission.h"
#include "cli/manager/batching.h"
#include "codec/doc_child.h"
#include "selector/ranges.h"
#include "sys/clock.h"

/* public names start with: commission_ verb_ */

/* ---- batches ---- */

/* Batch flags that do not apply to commission and adopt. All other batch flags work as with every
 * verb. */
static const struct batching_refusal refusals[] = {
    { "surge", "commission has no --surge: the machines exist",
      "--batch sets how many run their stages at once" },
    { "unavailable", "commission has no --unavailable: the machines are not in service yet",
      "--batch sets how many run their stages at once" },
    { "spread", "commission has no --spread: machines of the inventory have no zone",
      "name the machines of one zone at a time" },
};

/* A machine to commission, with the keys by which machines are ordered. */
struct commission_place {
    struct text word; /* the name as the user gave it */
    struct text name; /* the name of its row */
    uint64_t draw;    /* random number that determines the order; 0: order by name */
};

static int commission_place_compare(const void *a, const void *b, void *arg)
{
    const struct commission_place *left = a;
    const struct commission_place *right = b;

    (void)arg;
    if (left->draw != right->draw) {
        return left->draw < right->draw ? -1 : 1;
    }
    return ranges_compare(left->name, right->name);
}

/* Return the name of the row that matches an argument, or the argument itself if no row matches. */
static struct text commission_name_of(const struct doc *rows, struct text word)
{
    const struct doc *items = doc_child(rows, "items");

    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        if (text_is_equal(doc_child_text(&items->items[i], "id"), word)) {
            return doc_child_text(&items->items[i], "name");
        }
    }
    return word;
}

/* Sort the machines: by name, or at random with the seed. */
static void commission_sort(struct command *command, struct batching *batching,
                            const struct doc *rows, struct text *names, size_t count)
{
    bool is_random = text_is(text_from(args_named(&command->args, "order")), "random");
    struct commission_place *places = arena_array(command->arena, struct commission_place, count);

    if (is_random) {
        enum { SEEDS = 1000000000 };

        batching_seed(command, batching, clock_wall_ms(clock_system()) % SEEDS + 1);
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct commission_place){ .word = names[i],
                                               .name = commission_name_of(rows, names[i]) };
        if (is_random) {
            places[i].draw = text_hash(places[i].name, text_hash(places[i].name, batching->seed));
        }
    }
    sort_stable(command->arena, places, count, sizeof(*places), commission_place_compare, NULL);
    for (size_t i = 0; i < count; i++) {
        names[i] = places[i].word;
    }
}

/* Print with the plan in which batches the machines start. */
static void commission_batches_report(struct command *command)
{
    const struct args *args = &command->args;
    const char *canary = args_named(args, "canary");
    const char *batch = args_named(args, "batch");

    command_say(command, arena_printf(command->arena, "  stages begin in batches: %s%s%s at a time",
                                      canary != NULL ? canary : "",
                                      canary == NULL                    ? ""
                                      : text_is(text_from(canary), "1") ? " canary, then "
                                                                        : " canaries, then ",
                                      batch != NULL ? batch : "10%"));
}

/* Read the batch flags, and sort the machines. False: an error was added. */
static bool commission_flags_put(struct command *command, struct commission *commission,
                                 struct text *names, struct batching *batching)
{
    struct batching_body body;

    if (!batching_is_given(command)) {
        return true;
    }
    commission_sort(command, batching, commission->rows, names, commission->count);
    batching_body_init(&body, command);
    if (!batching_sizes_put(&body, batching)) {
        return false;
    }
    commission->batching = batching_body_format(&body);
    commission_batches_report(command);
    return true;
}

/* Reject flags that have no meaning for machines of the inventory. */
static bool commission_flags_read(struct command *command, struct batching *out)
{
    if (text_is(text_from(args_named(&command->args, "order")), "zone")) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0794,
                                     "machines of the inventory have no zone"),
                        "use --order name or --order random");
    }
    return batching_read(command, refusals, ARRAY_COUNT(refusals), out);
}

/* ---- the verbs ---- */

/* Check that machines are named, or selected by -l. */
static bool commission_selection_check(struct command *command)
{
    const struct args *args = &command->args;
    bool is_selected = args_has(args, FLAG_COMMISSION_SELECTOR);

    if (is_selected == (args->argument_count > 0)) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     is_selected ? "-l and names of machines exclude each other"
                                                 : "no machines are selected"),
                        "%s commission NODE... -g CLUSTER/GROUP, or -l SELECTOR in place of NODE",
                        command->program);
    }
    return is_selected || !args_has(args, FLAG_COMMISSION_COUNT) ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                 "--count belongs to -l"),
                    "leave out --count, or select the machines with -l");
}

/* Read the names of the arguments, or find the machines that -l selects. */
static bool commission_names_read(struct commission *commission, struct text **out_names)
{
    struct command *command = commission->command;
    const struct args *args = &command->args;
    const char *word = args_named(args, "count");
    int64_t most = INT64_MAX;

    if (args->argument_count == 0) {
        return (word == NULL || text_parse_int64(text_from(word), &most)) &&
               commission_select(command, commission->session, args_named(args, "selector"),
                                 (size_t)most, out_names, &commission->count);
    }
    *out_names = arena_array(command->arena, struct text, args->argument_count);
    for (size_t i = 0; i < args->argument_count; i++) {
        (*out_names)[i] = text_from(args->words[i]);
    }
    commission->count = args->argument_count;
    return true;
}

static enum exit_code commission_run(struct command *command, const char *group,
                                     struct commission commission)
{
    struct text *names;
    struct change_call *calls;
    struct change_set set;
    const char *word = commission.is_adoption ? "adopt" : "commission";
    struct batching batching = { 0 };
    struct session session;
    struct doc vars = doc_map(NULL, 0, NULL);
    struct doc rows;

    if (!commission.is_adoption && !commission_selection_check(command)) {
        return EXIT_CODE_USAGE;
    }
    if (group == NULL || text_find_byte(text_from(group), '/') == SIZE_MAX) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "%s needs the group that gets the machines", word),
                 "%s %s NODE -g CLUSTER/GROUP", command->program, word);
        return EXIT_CODE_USAGE;
    }
    commission.command = command;
    commission.session = &session;
    commission.group = (struct target){ schema_kind_find(TEXT("NodeGroup")), text_from(group) };
    commission.rows = &rows;
    if (!commission.is_adoption &&
        !fields_set_vars(command, FLAG_COMMISSION_VAR, "commission node4 -g dc/workers", TEXT(""),
                         &vars)) {
        return EXIT_CODE_USAGE;
    }
    if (!commission.is_adoption && !commission_flags_read(command, &batching)) {
        return EXIT_CODE_USAGE;
    }
    if (vars.entry_count > 0) {
        commission.vars = change_body(command, doc_child(&vars, "vars"));
    }
    if (!session_open(command, &session) ||
        !session_get(command, &session, TEXT("/v1/nodes?discovered=1"), &rows) ||
        !commission_names_read(&commission, &names)) {
        return EXIT_CODE_FAILED;
    }
    commission.names = names;
    calls = arena_array(command->arena, struct change_call, commission.count + 1);
    set = (struct change_set){ .calls = calls };
    if (!commission_flags_put(command, &commission, names, &batching) ||
        (commission.is_move && !commission_leaves_make(&commission, calls + 1, &set.count)) ||
        !commission_call_make(&commission, &calls[0])) {
        return EXIT_CODE_FAILED;
    }
    /* The request for the new group is sent first. If a machine cannot join it, no machine has left
     * its previous group yet. */
    set.count++;
    return change_run(command, &session, &set);
}

enum exit_code verb_commission(struct command *command)
{
    return commission_run(
        command, args_value(&command->args, FLAG_COMMISSION_GROUP),
        (struct commission){ .is_move = args_has(&command->args, FLAG_COMMISSION_MOVE) });
}

enum exit_code verb_adopt(struct command *command)
{
    return commission_run(command, args_value(&command->args, FLAG_ADOPT_GROUP),
                          (struct commission){ .is_adoption = true });
}
