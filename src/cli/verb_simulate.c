/* reeve simulate: applies the user's files to simulated machines, with the faults that the user
 * specifies. */
#include "cli/args/command.h"
#include "cli/change/load.h"
#include "cli/manager/session.h"
#include "cli/simulate.h"
#include "cli/term/output.h"
#include "sys/interrupt.h"

static const struct output_view simulate_view = { "{event}", NULL, 0 };

static bool simulate_duration_read(struct command *command, uint64_t *out_ms)
{
    const uint64_t most_ms = LIMIT_SIMULATION_DAYS * UINT64_C(24) * 60 * 60 * 1000;
    const char *word = args_value(&command->args, FLAG_SIMULATE_DURATION);
    struct err *err;

    if (!session_duration(command, text_from(word == NULL ? "1h" : word), "--duration", out_ms)) {
        return false;
    }
    if (*out_ms <= most_ms) {
        return true;
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                       "--duration is at most %dd, got '%s'", LIMIT_SIMULATION_DAYS, word);
    return err_hint(err, "use at most a day, for example --duration 6h");
}

static bool simulate_seed_read(struct command *command, uint64_t *out)
{
    const char *word = args_value(&command->args, FLAG_SIMULATE_SEED);
    int64_t number = 1;

    if (word != NULL && (!text_parse_int64(text_from(word), &number) || number < 0)) {
        struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                       "--seed is a number, 0 or more, got '%s'", word);

        return err_hint(err, "for example --seed 7");
    }
    *out = (uint64_t)number;
    return true;
}

/* Read all faults, so that all errors are reported in one run. */
static bool faults_read(struct command *command, struct simulation_options *options)
{
    struct simulation_fault *faults =
        arena_array(command->arena, struct simulation_fault, command->args.flag_count);
    bool is_good = true;
    const char *word;

    for (size_t i = 0; (word = args_value_at(&command->args, FLAG_SIMULATE_FAULT, i)) != NULL;
         i++) {
        struct err err;

        if (!simulation_fault_parse(text_from(word), options->duration_ms,
                                    &faults[options->fault_count], &err)) {
            err_list_add(&command->errors, &err);
            is_good = false;
            continue;
        }
        options->fault_count++;
    }
    options->faults = faults;
    return is_good;
}

static bool has_simulate_machines(const struct model_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct model_object *object = &set->objects[i];

        if (object->kind != NULL && text_is(text_from(object->kind->name), "Cluster") &&
            object->node_count > 0) {
            return true;
        }
    }
    return false;
}

/* Check that each fault applies to an object in the files. A fault without an object would have no
 * effect, and the result would be misleadingly good. */
static bool faults_check(struct command *command, const struct simulation_options *options)
{
    bool is_good = true;

    for (size_t i = 0; i < options->fault_count; i++) {
        struct err err;

        if (!simulation_fault_meets(command->arena, &options->faults[i], options->set, &err)) {
            err_list_add(&command->errors, &err);
            is_good = false;
        }
    }
    return is_good;
}

static void simulate_result_write(struct command *command, struct output *output,
                                  const struct simulate *simulate)
{
    struct doc all = simulate_doc(command->arena, simulate);
    struct doc events = simulate_events_doc(command->arena, simulate);
    struct output_data data = { &all, 1, NULL, 0 };

    if (output->format == OUTPUT_JSONL) {
        output_write(command->arena, output, &command->out_style,
                     &(struct output_data){ events.items, events.item_count, NULL, 0 },
                     &command->out);
    } else {
        struct doc_builder builder;

        doc_builder_init(&builder, command->arena);
        for (size_t i = 0; i < all.entry_count; i++) {
            doc_builder_add(&builder, &all.entries[i]);
        }
        doc_builder_put(&builder, "events", events);
        all = doc_builder_map(&builder, NULL);
    }
    output_write(command->arena, output, &command->out_style, &data, &command->out);
}

static enum exit_code files_simulate(struct command *command, struct simulation_options *options,
                                     struct output *output)
{
    struct simulation_result result;
    struct simulate simulate = { options, &result, args_has(&command->args, FLAG_SIMULATE_FULL) };
    struct model_set set;

    load_overlaid(command, FLAG_SIMULATE_FILE, FLAG_SIMULATE_OVERLAY, &set);
    if (command->errors.errors > 0 || (command->is_strict && command->errors.warnings > 0)) {
        return EXIT_CODE_INVALID;
    }
    if (!has_simulate_machines(&set)) {
        struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0560,
                                       "no cluster in the files has a machine");

        (void)!err_hint(err, "reeve init writes a file to start from");
        return EXIT_CODE_INVALID;
    }
    options->set = &set;
    if (!faults_check(command, options)) {
        return EXIT_CODE_USAGE;
    }
    /* a simulation changes nothing, so an interrupt needs no report */
    interrupt_expect(INTERRUPT_READING);
    if (!simulation_run(command->arena, options, &result, &command->errors)) {
        return EXIT_CODE_INVALID;
    }
    if (output->format == OUTPUT_TEXT) {
        simulate_text_write(command, &simulate);
    } else {
        simulate_result_write(command, output, &simulate);
    }
    return result.is_whole ? EXIT_CODE_DONE : EXIT_CODE_PARTIAL;
}

enum exit_code verb_simulate(struct command *command)
{
    struct simulation_options options = { 0 };
    struct output output;
    struct err err;

    if (!command_needs_files(command, FLAG_SIMULATE_FILE)) {
        return EXIT_CODE_USAGE;
    }
    if (!output_parse(command->arena, args_value(&command->args, FLAG_SIMULATE_OUTPUT), NULL,
                      OUTPUT_TEXT, &simulate_view, &command->sources, &output, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_USAGE;
    }
    if (!simulate_duration_read(command, &options.duration_ms) ||
        !simulate_seed_read(command, &options.seed) || !faults_read(command, &options)) {
        return EXIT_CODE_USAGE;
    }
    command->is_strict = args_has(&command->args, FLAG_SIMULATE_STRICT);
    return files_simulate(command, &options, &output);
}
