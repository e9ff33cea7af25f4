/* reeve completion SHELL prints a script. The script calls `reeve completion --words N -- WORDS...`
 * for the candidates of the N-th word (from 0): one per line, optionally with a tab and a remark.
 * The line ":files" asks the shell to add file names. All candidates come from the tables that the
 * parser and the checks use, so every candidate is valid. */
#include "base/set.h"
#include "cli/args/completion.h"
#include "cli/args/embed.h"
#include "cli/args/subject.h"
#include "cli/manager/nodes.h"
#include "cli/manager/session.h"
#include "cli/manager/wait_set.h"
#include "cli/term/get_views.h"

#include <ctype.h>
#include <string.h>

/* ---- candidates ---- */

static void verbs_offer(struct candidates *candidates)
{
    for (size_t i = 0; i < verbs_count; i++) {
        if (!verb_is_hidden(&verbs_table[i])) {
            completion_add(candidates, text_from(verbs_table[i].name), verbs_table[i].summary);
        }
    }
}

static void flags_offer(struct candidates *candidates, enum verb_id verb)
{
    for (size_t i = 0; i < flags_count; i++) {
        const struct flag *flag = &flags_table[i];

        if (flag_is_of(flag, verb) && flag->help[0] != '\0' &&
            (flag->is_repeated || !args_has(&candidates->args, flag->id))) {
            completion_add(candidates, arena_printf(candidates->command->arena, "--%s", flag->name),
                           flag->help);
        }
    }
}

static void examples_offer(struct candidates *candidates)
{
    for (size_t i = 0; i < embed_example_count; i++) {
        struct text summary = embed_summary(&embed_examples[i]);

        completion_add(candidates, text_from(embed_examples[i].name),
                       arena_string(candidates->command->arena, summary));
    }
}

static void files_offer(struct candidates *candidates)
{
    buf_add_string(&candidates->command->out, ":files\n");
}

/* Start completion after the last comma of a list. True: there is no comma. */
static bool completion_list_begin(struct candidates *candidates)
{
    struct text current = candidates->current;
    size_t start = current.length;

    while (start > 0 && current.data[start - 1] != ',') {
        start--;
    }
    candidates->front = arena_printf(candidates->command->arena, "%.*s%.*s",
                                     TEXT_ARG(candidates->front), (int)start, current.data);
    candidates->current = text_slice(current, start, current.length);
    return start == 0;
}

/* Offer states, also after a comma: ready,unhealthy. */
static void states_offer(struct candidates *candidates)
{
    const char *word;

    (void)completion_list_begin(candidates);
    for (size_t i = 0; (word = nodes_state_word(i)) != NULL; i++) {
        completion_add(candidates, text_from(word), "");
    }
}

/* Offer the columns of the listed table in lower case; any case is accepted. A column may have a
 * leading '-' for the reverse order. */
static void order_offer(struct candidates *candidates)
{
    struct arena *arena = candidates->command->arena;
    const struct args *args = &candidates->args;
    bool is_turned = text_has_prefix(candidates->current, TEXT("-"));
    const struct schema_kind *kind = NULL;

    if (args->argument_count > 0) {
        struct text word = text_from(args->words[0]);

        kind = schema_kind_of_word(text_slice(word, 0, text_find_byte(word, '/')));
    }
    for (size_t i = 0; kind != NULL && i < get_view_of(kind)->column_count; i++) {
        struct text title = text_from(get_view_of(kind)->columns[i].title);
        struct buf buf;

        buf_init(&buf, arena);
        buf_add_string(&buf, is_turned ? "-" : "");
        for (size_t j = 0; j < title.length; j++) {
            buf_add_bytes(&buf, (char)tolower((unsigned char)title.data[j]), 1);
        }
        /* a title with a blank is not offered, because it would need quotes */
        if (text_find_byte(title, ' ') == SIZE_MAX) {
            completion_add(candidates, buf_text(&buf), "");
        }
    }
}

/* Offer conditions, also after a comma: exists,revision=7. */
static void conditions_offer(struct candidates *candidates)
{
    bool is_first = completion_list_begin(candidates);

    for (size_t i = 0; i < wait_set_condition_count; i++) {
        completion_add(candidates, text_from(wait_set_conditions[i]), "");
    }
    if (is_first) {
        completion_add(candidates, TEXT("job=done"), "of a job");
    }
}

static void contexts_offer(struct candidates *candidates)
{
    struct settings_facts facts = session_facts(candidates->command);
    struct settings settings;
    const struct doc *contexts;
    struct err err;

    if (!settings_read(candidates->command->arena, &facts, &settings, &err)) {
        return;
    }
    contexts = doc_child(&settings.user, "contexts");
    for (size_t i = 0; doc_is_map(contexts) && i < contexts->entry_count; i++) {
        completion_add(candidates, contexts->entries[i].key, "");
    }
}

static void value_offer(struct candidates *candidates, const struct flag *flag)
{
    struct text words = text_from(flag->words);

    while (words.length > 0) {
        completion_add(candidates, flag_word_next(&words), "");
    }
    if (flag->sort == FLAG_EXAMPLE) {
        examples_offer(candidates);
    } else if (flag->sort == FLAG_FILE) {
        files_offer(candidates);
    } else if (flag->sort == FLAG_TARGET) {
        /* the value does not depend on the kind of the created object */
        candidates->args.argument_count = 0;
        completion_targets(candidates);
    } else if (flag->sort == FLAG_JOB) {
        completion_names(candidates, "Job", TEXT(""));
    } else if (flag->sort == FLAG_CLUSTER) {
        completion_names(candidates, "Cluster", TEXT(""));
    } else if (flag->sort == FLAG_GROUP) {
        completion_names(candidates, "NodeGroup", TEXT(""));
    } else if (flag->sort == FLAG_NODE) {
        completion_names(candidates, "Node", TEXT(""));
    } else if (flag->sort == FLAG_CONTEXT) {
        contexts_offer(candidates);
    } else if (flag->sort == FLAG_CONDITION) {
        conditions_offer(candidates);
    } else if (flag->sort == FLAG_STATE) {
        states_offer(candidates);
    } else if (flag->sort == FLAG_ORDER) {
        order_offer(candidates);
    }
}

/* Offer the fields below the typed path up to its last dot. */
static void fields_offer(struct candidates *candidates)
{
    struct text current = candidates->current;
    size_t length = current.length;
    struct subject subject;
    struct err err;
    size_t count;
    const struct schema_field *fields = schema_fields(&count);

    while (length > 0 && current.data[length - 1] != '.') {
        length--;
    }
    if (length == 0 || !subject_find(candidates->command->arena, text_slice(current, 0, length - 1),
                                     &subject, &err)) {
        return;
    }
    for (size_t i = 0; i < count && subject.owner != OWNER_COUNT; i++) {
        if (schema_has_owner(&fields[i], subject.owner)) {
            completion_add(candidates,
                           arena_printf(candidates->command->arena, "%.*s%s", (int)length,
                                        current.data, fields[i].name),
                           fields[i].help);
        }
    }
}

static void subjects_offer(struct candidates *candidates)
{
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);

    for (size_t i = 0; i < count; i++) {
        completion_add(candidates, text_from(kinds[i].singular), kinds[i].help);
    }
    for (int code = CODE_NONE + 1; code < CODE_COUNT && candidates->current.length > 0; code++) {
        completion_add(candidates, text_from(code_get((enum code)code)->name),
                       code_get((enum code)code)->title);
    }
    fields_offer(candidates);
}

/* Offer the subcommands, then the contexts in the user's file. */
static void context_words_offer(struct candidates *candidates)
{
    static const char *const words[] = { "list", "login", "logout", "rm", "show", "use" };

    if (candidates->args.argument_count > 0) {
        if (strcmp(candidates->args.words[0], "login") != 0) {
            contexts_offer(candidates);
        }
        return;
    }
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        completion_add(candidates, text_from(words[i]), "");
    }
}

/* Offer the subcommands, then folders or configurations. */
static void config_offer(struct candidates *candidates)
{
    static const char *const words[] = { "check", "diff", "gc", "pin", "push", "show" };
    const struct args *args = &candidates->args;

    for (size_t i = 0; i < ARRAY_COUNT(words) && args->argument_count == 0; i++) {
        completion_add(candidates, text_from(words[i]), "");
    }
    if (args->argument_count > 0 &&
        (strcmp(args->words[0], "check") == 0 || strcmp(args->words[0], "push") == 0)) {
        files_offer(candidates);
    } else if (args->argument_count > 0) {
        completion_names(candidates, "Config", TEXT(""));
    }
}

/* Offer the subcommands, then files or images. */
static void image_offer(struct candidates *candidates)
{
    static const char *const words[] = { "gc", "push", "tag", "verify" };
    const struct args *args = &candidates->args;

    for (size_t i = 0; i < ARRAY_COUNT(words) && args->argument_count == 0; i++) {
        completion_add(candidates, text_from(words[i]), "");
    }
    if (args->argument_count > 0 && strcmp(args->words[0], "push") == 0) {
        files_offer(candidates);
    } else if (args->argument_count == 1) {
        completion_names(candidates, "Image", TEXT(""));
    }
}

/* Offer the subcommands, then bundles or machines. */
static void bootstrap_offer(struct candidates *candidates)
{
    static const char *const words[] = { "check", "run", "try" };

    for (size_t i = 0; i < ARRAY_COUNT(words) && candidates->args.argument_count == 0; i++) {
        completion_add(candidates, text_from(words[i]), "");
    }
    if (candidates->args.argument_count > 0 && strcmp(candidates->args.words[0], "run") == 0) {
        completion_targets(candidates);
    } else if (candidates->args.argument_count > 0) {
        files_offer(candidates);
    }
}

/* Offer the subcommands, then a job by its number, or a group. */
static void words_then_names(struct candidates *candidates, const char *const *words, size_t count,
                             const char *kind)
{
    const struct args *args = &candidates->args;
    bool is_behind_kind =
        args->argument_count == 2 &&
        schema_kind_of_word(text_from(args->words[1])) == schema_kind_find(text_from(kind));

    for (size_t i = 0; i < count && args->argument_count == 0; i++) {
        completion_add(candidates, text_from(words[i]), "");
    }
    if (args->argument_count == 1 || is_behind_kind) {
        completion_names(candidates, kind, TEXT(""));
    }
}

/* Offer the first argument for verbs that have a subcommand followed by names. False: the verb has
 * no subcommand, or the subcommand is already complete. */
static bool first_offer(struct candidates *candidates, enum verb_id verb)
{
    static const struct {
        enum verb_id verb;
        const char *word;
    } words[] = {
        { VERB_CA, "accept" },
        { VERB_CA, "revoke" },
        { VERB_CA, "rotate" },
        { VERB_CA, "show" },
    };
    bool is_one = false;

    for (size_t i = 0; i < ARRAY_COUNT(words) && candidates->args.argument_count == 0; i++) {
        if (words[i].verb == verb) {
            completion_add(candidates, text_from(words[i].word), "");
            is_one = true;
        }
    }
    return is_one;
}

static void targets_offer(struct candidates *candidates, enum verb_id verb)
{
    if (verb == VERB_CP) {
        completion_sides(candidates);
        files_offer(candidates);
    } else if (!first_offer(candidates, verb)) {
        completion_targets(candidates);
    }
}

static void argument_offer(struct candidates *candidates, const struct verb *verb)
{
    static const char *const shells[] = { "bash", "zsh", "fish" };
    static const char *const hold_words[] = { "approve", "reject" };
    static const char *const job_commands[] = { "cancel", "pause", "resume", "retry", "watch" };
    static const char *const roll_words[] = { "abort",   "pause",  "promote",
                                              "restart", "resume", "status" };
    static const char *const manager_words[] = { "drain",   "forget", "leave", "status",
                                                 "undrain", "token",  "join",  "move-store" };
    static const char *const power_words[] = { "cycle", "netboot", "off",  "on",
                                               "set",   "status",  "unset" };
    static const char *const plugin_words[] = { "check", "install", "schema", "test", "upgrade" };

    switch (verb->argument) {
    case ARGUMENT_NONE:
        flags_offer(candidates, verb->id);
        return;
    case ARGUMENT_FILE:
        files_offer(candidates);
        return;
    case ARGUMENT_SUBJECT:
        subjects_offer(candidates);
        return;
    case ARGUMENT_SHELL:
        for (size_t i = 0; i < ARRAY_COUNT(shells); i++) {
            completion_add(candidates, text_from(shells[i]), "");
        }
        return;
    case ARGUMENT_TARGET:
        targets_offer(candidates, verb->id);
        return;
    case ARGUMENT_HOLD:
        for (size_t i = 0; i < ARRAY_COUNT(hold_words) && candidates->args.argument_count == 0;
             i++) {
            completion_add(candidates, text_from(hold_words[i]), "");
        }
        if (candidates->args.argument_count > 0) {
            bool has_kind = text_has_prefix(candidates->current, TEXT("hold/"));

            completion_names(candidates, "Hold", has_kind ? TEXT("hold/") : TEXT(""));
        }
        return;
    case ARGUMENT_JOB:
        words_then_names(candidates, job_commands, ARRAY_COUNT(job_commands), "Job");
        return;
    case ARGUMENT_ROLLOUT:
        words_then_names(candidates, roll_words, ARRAY_COUNT(roll_words), "NodeGroup");
        return;
    case ARGUMENT_CONTEXT:
        context_words_offer(candidates);
        return;
    case ARGUMENT_MANAGER:
        for (size_t i = 0; i < ARRAY_COUNT(manager_words) && candidates->args.argument_count == 0;
             i++) {
            completion_add(candidates, text_from(manager_words[i]), "");
        }
        return;
    case ARGUMENT_BOOTSTRAP:
        bootstrap_offer(candidates);
        return;
    case ARGUMENT_CONFIG:
        config_offer(candidates);
        return;
    case ARGUMENT_IMAGE:
        image_offer(candidates);
        return;
    case ARGUMENT_POWER:
        for (size_t i = 0; i < ARRAY_COUNT(power_words) && candidates->args.argument_count == 0;
             i++) {
            completion_add(candidates, text_from(power_words[i]), "");
        }
        return;
    case ARGUMENT_PLUGIN:
        for (size_t i = 0; i < ARRAY_COUNT(plugin_words) && candidates->args.argument_count == 0;
             i++) {
            completion_add(candidates, text_from(plugin_words[i]), "");
        }
        if (candidates->args.argument_count > 0) {
            files_offer(candidates);
        }
        return;
    case ARGUMENT_TOPIC:
        for (size_t i = 0; i < verbs_topic_count; i++) {
            completion_add(candidates, text_from(verbs_topics[i].name), verbs_topics[i].summary);
        }
        verbs_offer(candidates);
        return;
    }
}

/* ---- the position of the cursor ---- */

/* Return the flag whose value the user types as a separate word. NULL: there is none. */
static const struct flag *flag_before(enum verb_id verb, const char *word)
{
    struct text text = text_from(word);
    const struct flag *flag = NULL;

    if (text_has_prefix(text, TEXT("--"))) {
        flag = flag_find(verb, text_slice(text, 2, text.length));
    } else if (text.length >= 2 && text.data[0] == '-') {
        flag = flag_find_letter(verb, text.data[text.length - 1]);
    }
    return flag != NULL && flag->sort != FLAG_NONE ? flag : NULL;
}

/* Complete the value in --name=VALUE. False: the word has another form. */
static bool attached_offer(struct candidates *candidates, enum verb_id verb)
{
    size_t equals = text_find_byte(candidates->current, '=');
    const struct flag *flag;

    if (!text_has_prefix(candidates->current, TEXT("--")) || equals == SIZE_MAX) {
        return false;
    }
    flag = flag_find(verb, text_slice(candidates->current, 2, equals - 2));
    candidates->front = text_slice(candidates->current, 0, equals + 1);
    candidates->current = text_slice(candidates->current, equals + 1, candidates->current.length);
    if (flag != NULL) {
        value_offer(candidates, flag);
    }
    return true;
}

static void candidates_write(struct command *command, size_t at)
{
    const struct args *args = &command->args;
    struct candidates candidates = { .command = command };
    const struct flag *flag = NULL;
    struct err_list ignored;
    enum verb_id verb = VERB_TOP;
    bool is_over = false;

    at = at > args->argument_count ? args->argument_count : at;
    candidates.current = at < args->argument_count ? text_from(args->words[at]) : TEXT("");
    err_list_init(&ignored, command->arena);
    args_parse(command->arena, at, (char *const *)args->words, &candidates.args, &ignored);
    if (candidates.args.verb != NULL) {
        verb = candidates.args.verb->id;
    }
    for (size_t i = 0; i < at; i++) {
        is_over = is_over || strcmp(args->words[i], "--") == 0;
    }
    if (at > 0 && !is_over) {
        flag = flag_before(verb, args->words[at - 1]);
    }
    if (flag != NULL) {
        value_offer(&candidates, flag);
    } else if (!is_over && attached_offer(&candidates, verb)) {
        return;
    } else if (!is_over && text_has_prefix(candidates.current, TEXT("-"))) {
        flags_offer(&candidates, verb);
    } else if (candidates.args.verb == NULL) {
        verbs_offer(&candidates);
    } else if (candidates.args.argument_count < candidates.args.verb->most ||
               candidates.args.verb->most == 0) {
        argument_offer(&candidates, candidates.args.verb);
    }
}

/* ---- the verb ---- */

static void shell_unknown(struct command *command, const char *shell)
{
    struct suggest suggest = suggest_start(text_from(shell));
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                   "there is no completion for '%s'", shell);

    for (size_t i = 0; i < embed_completion_count; i++) {
        suggest_offer(&suggest, text_from(embed_completions[i].name));
    }
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "shells: bash, zsh, fish");
    }
}

enum exit_code verb_completion(struct command *command)
{
    const char *words = args_value(&command->args, FLAG_COMPLETION_WORDS);
    const struct embed_file *script;
    int64_t at = 0;

    if (words != NULL && text_parse_int64(text_from(words), &at)) {
        candidates_write(command, (size_t)at);
        return EXIT_CODE_DONE;
    }
    script =
        embed_find(embed_completions, embed_completion_count, text_from(command->args.words[0]));
    if (script == NULL) {
        shell_unknown(command, command->args.words[0]);
        return EXIT_CODE_USAGE;
    }
    buf_add(&command->out, script->bytes);
    return EXIT_CODE_DONE;
}
