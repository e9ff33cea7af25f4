#include "cli/args/consent.h"

#include "sys/stream.h"

#include <string.h>

/* The classes of effects, in the order of the questions: worst first. */
static const char *const classes[] = { "destroy", "replace", "reboot", "rename", "rerun" };

static uint64_t *class_at(struct consent_needs *needs, size_t index)
{
    uint64_t *const all[] = { &needs->destroy, &needs->replace, &needs->reboot, &needs->rename,
                              &needs->rerun };

    return all[index];
}

/* ---- --allow ---- */

static bool allow_refuse(struct command *command, struct text part)
{
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                   "--allow does not accept '%.*s'", TEXT_ARG(part));

    return err_hint(
        err,
        "write the highest counts to allow: --allow destroy=4,replace=2,reboot=12,rename,rerun=4");
}

static bool allow_part(struct command *command, struct text part, struct consent_needs *out)
{
    size_t equals = text_find_byte(part, '=');
    struct text name = text_slice(part, 0, equals);
    int64_t number = 1;

    if (equals == SIZE_MAX
            ? !text_is(name, "rename")
            : (!text_parse_int64(text_slice(part, equals + 1, part.length), &number) ||
               number < 0)) {
        return allow_refuse(command, part);
    }
    for (size_t i = 0; i < ARRAY_COUNT(classes); i++) {
        if (text_is(name, classes[i])) {
            *class_at(out, i) = (uint64_t)number;
            return true;
        }
    }
    return allow_refuse(command, part);
}

bool consent_allow_read(struct command *command, struct consent_needs *out)
{
    const char *value;

    *out = (struct consent_needs){ 0 };
    for (size_t i = 0; (value = args_named_at(&command->args, "allow", i)) != NULL; i++) {
        struct text rest = text_from(value);

        do {
            size_t comma = text_find_byte(rest, ',');

            if (!allow_part(command, text_slice(rest, 0, comma), out)) {
                return false;
            }
            rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, rest.length);
        } while (rest.length > 0);
    }
    return true;
}

/* ---- the question ---- */

static bool is_destructive(struct consent_needs *needs)
{
    return needs->destroy + needs->replace + needs->reboot + needs->rename + needs->rerun > 0;
}

static bool is_consent_within(struct consent_needs *needs, struct consent_needs *allowed)
{
    for (size_t i = 0; i < ARRAY_COUNT(classes); i++) {
        if (*class_at(needs, i) > *class_at(allowed, i)) {
            return false;
        }
    }
    return true;
}

/* Format the value of --allow that would be sufficient: "destroy=4,rename=1". */
static struct text consent_allow_format(struct arena *arena, struct consent_needs *needs)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < ARRAY_COUNT(classes); i++) {
        if (*class_at(needs, i) > 0) {
            buf_printf(&buf, "%s%s=%llu", buf.length == 0 ? "" : ",", classes[i],
                       (unsigned long long)*class_at(needs, i));
        }
    }
    return buf_text(&buf);
}

/* Return the answer that the user must type: a name, the counts of lost machines, or yes. */
static struct text wanted_answer(struct arena *arena, struct consent_needs *needs)
{
    struct buf buf;

    if (needs->to_type.length > 0) {
        return needs->to_type;
    }
    if (!is_destructive(needs)) {
        return TEXT("yes");
    }
    buf_init(&buf, arena);
    for (size_t i = 0; i < ARRAY_COUNT(classes); i++) {
        if (*class_at(needs, i) > 0) {
            buf_printf(&buf, "%s%s %llu", buf.length == 0 ? "" : " ", classes[i],
                       (unsigned long long)*class_at(needs, i));
        }
    }
    return buf_text(&buf);
}

/* Return a text such as "2 volumes are deleted with their data". Empty: no volume is deleted. */
static struct text lost_words(struct arena *arena, const struct consent_needs *needs)
{
    return needs->volumes == 0 ? TEXT("")
                               : arena_printf(arena, "%llu volume%s deleted with %s data",
                                              (unsigned long long)needs->volumes,
                                              needs->volumes == 1 ? " is" : "s are",
                                              needs->volumes == 1 ? "its" : "their");
}

static bool decline_unasked(struct command *command, struct consent_needs *needs)
{
    bool has_yes = args_named(&command->args, "yes") != NULL;
    struct err *err;

    if (is_destructive(needs)) {
        struct text allow = consent_allow_format(command->arena, needs);

        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0024,
                           "the change needs --allow %.*s%s; nothing was changed", TEXT_ARG(allow),
                           needs->is_change && !has_yes ? " --yes" : "");
        if (needs->volumes > 0) {
            err_note(err, "%.*s", TEXT_ARG(lost_words(command->arena, needs)));
        }
        return err_hint(err,
                        "give the flag on the command line, or answer the question on a terminal");
    }
    err = err_list_set(
        &command->errors, (struct place){ 0 }, CODE_R0024,
        "the change needs --yes, because there is no terminal to ask on; nothing was changed");
    return err_hint(err, "add --yes, or run it on a terminal");
}

static bool consent_ask(struct command *command, struct consent_needs *needs, struct text words,
                        consent_detail_fn *detail, void *arg)
{
    struct text wanted = wanted_answer(command->arena, needs);
    struct text lost = lost_words(command->arena, needs);
    char answer[LIMIT_CLUSTER_NAME_BYTES + 64];

    for (;;) {
        struct text typed;

        command_say(command, arena_printf(command->arena, "%.*s%sC%.*s. Apply? type \"%.*s\"%s: ",
                                          TEXT_ARG(lost), lost.length > 0 ? ". " : "",
                                          (int)words.length - 1, words.data + 1, TEXT_ARG(wanted),
                                          detail == NULL ? "" : ", or \"d\" for the full diff"));
        if (!stream_read_line(answer, sizeof(answer))) {
            command_say(command, TEXT("\n"));
            break;
        }
        typed = text_trim(text_from(answer));
        if (text_is_equal(typed, wanted)) {
            return true;
        }
        if (detail == NULL || !text_is(typed, "d")) {
            break;
        }
        detail(arg);
        command_flush(command);
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0024,
                          "declined; nothing was changed"),
             "to continue, answer: %.*s", TEXT_ARG(wanted));
    return false;
}

/* Reports the actual counts if --allow permits more than the change requires. */
static void excess_report(struct command *command, struct consent_needs *needs,
                          struct consent_needs *allowed)
{
    for (size_t i = 0; i < ARRAY_COUNT(classes); i++) {
        if (*class_at(needs, i) < *class_at(allowed, i)) {
            buf_printf(&command->notes,
                       "--allow %s=%llu permits more than the change needs: %s=%llu\n", classes[i],
                       (unsigned long long)*class_at(allowed, i), classes[i],
                       (unsigned long long)*class_at(needs, i));
        }
    }
}

bool consent_get(struct command *command, const struct consent_needs *needs, struct text words,
                 consent_detail_fn *detail, void *arg)
{
    bool has_yes = args_named(&command->args, "yes") != NULL;
    struct consent_needs wanted = *needs;
    struct consent_needs allowed;

    if (!consent_allow_read(command, &allowed)) {
        return false;
    }
    /* --allow covers these classes; other changes need --yes, if there are any */
    if (is_consent_within(&wanted, &allowed) &&
        (has_yes || ((is_destructive(&wanted) || is_destructive(&allowed)) && !wanted.is_change))) {
        excess_report(command, &wanted, &allowed);
        return true;
    }
    if (!stream_is_terminal_in() || !stream_is_terminal_error()) {
        return decline_unasked(command, &wanted);
    }
    return consent_ask(command, &wanted, words, detail, arg);
}
