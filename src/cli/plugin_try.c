#include "cli/plugin_try.h"

#include "base/secret.h"
#include "cli/args/fields.h"
#include "cli/manager/session.h"
#include "cli/plugin_parts.h"
#include "codec/json.h"
#include "sys/file.h"

#include <sys/stat.h>

/* reeve plugin test: runs the conformance suite and prints a line for each rule as soon as it has
 * been tried. */

struct
try {
    struct command *command;
    struct conformance_options options;
    struct conformance_result result;
    struct output output;
};

/* Read a number from a flag. Without the flag, *out is not changed. */
static bool plugin_try_number_read(struct command *command, enum flag_id flag, const char *name,
                                   uint64_t *out)
{
    const char *word = args_value(&command->args, flag);
    int64_t number;

    if (word == NULL) {
        return true;
    }
    if (!text_parse_int64(text_from(word), &number) || number < 0) {
        struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                       "%s is a number, 0 or more, got '%s'", name, word);

        return err_hint(err, "for example %s 7", name);
    }
    *out = (uint64_t)number;
    return true;
}

/* Read a time from a flag. Without the flag, *out is not changed. */
static bool plugin_try_time_read(struct command *command, enum flag_id flag, const char *name,
                                 uint64_t *out)
{
    const char *word = args_value(&command->args, flag);

    return word == NULL || session_duration(command, text_from(word), name, out);
}

/* Read --settings: a mapping, as canonical JSON. */
static bool settings_file_read(struct command *command, struct text *out)
{
    const char *path = args_value(&command->args, FLAG_PLUGIN_SETTINGS);
    struct doc settings;
    struct buf buf;

    if (path == NULL) {
        return true;
    }
    if (!fields_read_file(command, path, &settings)) {
        return false;
    }
    if (!doc_is_map(&settings)) {
        return err_hint(err_list_set(&command->errors, doc_place(&settings), CODE_R0005,
                                     "'%s' does not contain a mapping", path),
                        "write NAME: VALUE, a line for each setting, or JSON");
    }
    buf_init(&buf, command->arena);
    json_format(&buf, &settings);
    *out = buf_text(&buf);
    return true;
}

/* Read --credential. Like ssh, refuse a file that other users can read. */
static bool credential_file_read(struct command *command, struct text *out)
{
    const char *path = args_value(&command->args, FLAG_PLUGIN_CREDENTIAL);
    struct stat status;
    struct err err;

    if (path == NULL) {
        return true;
    }
    if (!file_read(command->arena, path, LIMIT_SECRET_BYTES, out, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (stat(path, &status) != 0 || (status.st_mode & 077) != 0) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0668,
                                     "'%s' can be read by other users of this machine", path),
                        "chmod 600 %s", path);
    }
    if (out->length == 0) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0663,
                                     "'%s' does not contain a valid secret: it is empty", path),
                        "leave out --credential if the plugin needs no account");
    }
    return true;
}

static void endpoints_take(struct command *command, struct conformance_options *options)
{
    struct text *endpoints;
    size_t count = 0;

    while (args_value_at(&command->args, FLAG_PLUGIN_ENDPOINT, count) != NULL) {
        count++;
    }
    endpoints = arena_array(command->arena, struct text, count + 1);
    for (size_t i = 0; i < count; i++) {
        endpoints[i] = text_from(args_value_at(&command->args, FLAG_PLUGIN_ENDPOINT, i));
    }
    options->endpoints = endpoints;
    options->endpoint_count = count;
}

/* Read the options about the account and its provider. */
static bool account_read(struct command *command, struct conformance_options *options)
{
    endpoints_take(command, options);
    return plugin_try_time_read(command, FLAG_PLUGIN_LAG, "--lag", &options->lag_ms) &&
           plugin_try_time_read(command, FLAG_PLUGIN_LATE, "--late", &options->late_ms) &&
           plugin_try_number_read(command, FLAG_PLUGIN_RATE, "--rate", &options->calls_per_s) &&
           settings_file_read(command, &options->settings) &&
           credential_file_read(command, &options->credential);
}

/* Read --properties, and merge each --set over the result. */
static bool properties_read(struct command *command, struct doc *out)
{
    const char *path = args_value(&command->args, FLAG_PLUGIN_PROPERTIES);
    const char *word;

    *out = doc_map(NULL, 0, NULL);
    if (path != NULL && !fields_read_file(command, path, out)) {
        return false;
    }
    if (!doc_is_map(out)) {
        struct err *err = err_list_set(&command->errors, doc_place(out), CODE_R0005,
                                       "'%s' does not contain a mapping", path);

        return err_hint(err,
                        "write NAME: VALUE, a line for each property, as in resourceProperties");
    }
    for (size_t i = 0; (word = args_value_at(&command->args, FLAG_PLUGIN_SET, i)) != NULL; i++) {
        if (!fields_set(command, out, word)) {
            return false;
        }
    }
    return true;
}

/* Show each result immediately, because a slow provider takes minutes. */
static void rule_reported(void *arg, size_t rule)
{
    struct try *try = arg;

    if (try->output.format == OUTPUT_TEXT) {
        plugin_finding_text(try->command, &try->result.findings[rule]);
        command_flush(try->command);
    }
}

static void plugin_try_result_write(struct try *try, const struct conformance_about *about)
{
    struct command *command = try->command;
    struct doc doc;

    if (try->output.format == OUTPUT_TEXT) {
        plugin_result_text(command, &try->result);
        return;
    }
    doc = plugin_result_doc(command->arena, about, &try->options, &try->result);
    output_write(
        command->arena, &try->output, &command->out_style,
        &(struct output_data){ &doc, 1, doc_child(&doc, "rules")->items, try->result.count },
        &command->out);
}

/* Run the rules and report them. */
static enum exit_code rules_try(struct try *try, const struct conformance_about *about)
{
    struct command *command = try->command;
    struct err err;

    try->options.reported = rule_reported;
    try->options.arg = try;
    if (try->output.format == OUTPUT_TEXT) {
        plugin_head_text(command, about, &try->options);
        command_flush(command);
    }
    if (!conformance_test(command->arena, &try->options, about, &try->result, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    plugin_try_result_write(try, about);
    return try->result.broken > 0 ? EXIT_CODE_FAILED : EXIT_CODE_DONE;
}

enum exit_code plugin_try(struct command *command, const char *path)
{
    struct try try = { .command = command, .options = plugin_conformance_options(command, path) };
    struct conformance_about about;
    enum exit_code exit_code;
    bool is_over;
    struct err err;
    int code;

    if (!plugin_output(command, plugin_rules_view(), &try.output) ||
        !plugin_try_number_read(command, FLAG_PLUGIN_SEED, "--seed", &try.options.seed) ||
        !plugin_try_time_read(command, FLAG_PLUGIN_PATIENCE, "--patience",
                              &try.options.patience_ms) ||
        !account_read(command, &try.options) ||
        !properties_read(command, &try.options.properties)) {
        return EXIT_CODE_USAGE;
    }
    if (!plugin_look(command, path, &about)) {
        return EXIT_CODE_INVALID;
    }
    if (!conformance_apart(command->arena, &about, &is_over, &code, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    if (is_over) {
        return (enum exit_code)code;
    }
    exit_code = rules_try(&try, &about);
    secret_wipe((char *)(uintptr_t)try.options.credential.data, try.options.credential.length);
    return exit_code;
}
