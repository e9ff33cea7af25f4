#include "cli/change/wanted.h"

#include "cli/args/secret_file.h"
#include "cli/change/load.h"

#include <string.h>

/* True for an error about a reference to an object outside the files, because the manager may have
 * that object. */
static bool is_for_manager(const struct err *err)
{
    return err_kind(err) == ERR_KIND_NOT_FOUND || err->severity == ERR_SEVERITY_WARNING;
}

/* Convert private keys that the files refer to into secrets. */
static bool wanted_keys_take(struct command *command, struct wanted *out, struct doc *documents,
                             struct target *objects, const struct target *as)
{
    size_t count = out->sent.count;

    if (!secret_file_keys_take(command, documents, &count, as)) {
        return false;
    }
    for (size_t i = out->sent.count; i < count; i++) {
        objects[i] = (struct target){ schema_kind_find(TEXT("Secret")),
                                      doc_child(&documents[i], "name")->text };
    }
    out->key_count = count - out->sent.count;
    out->sent.count = count;
    return true;
}

static bool read(struct command *command, enum flag_id flag, enum flag_id over_flag,
                 const struct target *as, struct wanted *out)
{
    struct err_list before = command->errors;
    struct model_set set;
    struct target *objects;
    struct doc *documents;

    *out = (struct wanted){ 0 };
    err_list_init(&out->local, command->arena);
    command->errors = out->local;
    load_overlaid(command, flag, over_flag, &set);
    load_bundles(command, &set, &out->bundles);
    out->local = command->errors;
    command->errors = before;
    documents = arena_array(command->arena, struct doc, set.count + SECRET_FILE_KEYS);
    objects = arena_array(command->arena, struct target, set.count + SECRET_FILE_KEYS);
    for (size_t i = 0; i < set.count; i++) {
        documents[i] = *set.objects[i].document;
        objects[i] = (struct target){ set.objects[i].kind, set.objects[i].name };
    }
    out->objects = objects;
    out->sent = (struct sent){ documents, set.count, &out->local };
    for (size_t i = 0; i < out->local.count; i++) {
        out->has_faults = out->has_faults || !is_for_manager(&out->local.items[i]);
        if (out->local.items[i].severity == ERR_SEVERITY_WARNING) {
            err_list_add(&command->errors, &out->local.items[i]);
        }
    }
    out->has_faults = out->has_faults || (command->is_strict && command->errors.warnings > 0);
    if (command->has_unread || set.count == 0) {
        for (size_t i = 0; i < out->local.count; i++) {
            err_list_add(&command->errors, &out->local.items[i]);
        }
        return false;
    }
    return wanted_keys_take(command, out, documents, objects, as) &&
           secret_file_lay(command, documents, out->sent.count);
}

bool wanted_read_overlaid(struct command *command, enum flag_id flag, enum flag_id over_flag,
                          struct wanted *out)
{
    return read(command, flag, over_flag, NULL, out);
}

bool wanted_read_as(struct command *command, enum flag_id flag, const struct target *as,
                    struct wanted *out)
{
    return read(command, flag, FLAG_COUNT, as, out); /* FLAG_COUNT: a flag that is never given */
}

/* Return the digests of the bundles that are sent after the user's consent. A dry run treats these
 * bundles as present. */
static struct doc digests_doc(struct command *command, const struct wanted *wanted)
{
    const struct load_bundle *bundle;
    struct doc *items;
    size_t count = 0;

    for (bundle = wanted->bundles; bundle != NULL; bundle = bundle->next) {
        count++;
    }
    items = arena_array(command->arena, struct doc, count);
    count = 0;
    for (bundle = wanted->bundles; bundle != NULL; bundle = bundle->next) {
        items[count++] = doc_text(text_from(bundle->digest), NULL);
    }
    return doc_list(items, count, NULL);
}

struct text wanted_body(struct command *command, const struct wanted *wanted)
{
    const char *why = args_named(&command->args, "message");
    struct doc *takes = arena_array(command->arena, struct doc, command->args.flag_count);
    struct doc_builder builder;
    size_t take_count = 0;
    const char *path;
    struct doc body;

    while ((path = args_named_at(&command->args, "take", take_count)) != NULL) {
        takes[take_count++] = doc_text(text_from(path), NULL);
    }
    doc_builder_init(&builder, command->arena);
    if (wanted->bundles != NULL) {
        doc_builder_put(&builder, "bundles", digests_doc(command, wanted));
    }
    doc_builder_put(&builder, "documents",
                    doc_list(wanted->sent.documents, wanted->sent.count, NULL));
    if (take_count > 0) {
        doc_builder_put(&builder, "take", doc_list(takes, take_count, NULL));
    }
    if (args_named(&command->args, "refresh-from") != NULL) {
        doc_builder_put(&builder, "refreshFrom", doc_bool(true, NULL));
    }
    if (why != NULL) {
        doc_builder_put(&builder, "why", doc_text(text_from(why), NULL));
    }
    body = doc_builder_map(&builder, NULL);
    return change_body(command, &body);
}

static bool is_wanted_reported(const struct err_list *list, const struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].code == err->code &&
            place_compare(list->items[i].place, err->place) == 0) {
            return true;
        }
    }
    return false;
}

/* Get the manager's errors for the same documents. There are none if the manager is unreachable. */
static bool manager_ask(struct command *command, const struct session *session,
                        const struct wanted *wanted, struct err_list *out)
{
    struct client_request request = { .method = "POST",
                                      .path = TEXT("/v1/plans?dry-run=1"),
                                      .accept = "application/json",
                                      .content_type = "application/json",
                                      .body = wanted_body(command, wanted) };
    struct err_list before = command->errors;
    struct client_answer answer;
    struct doc plan;
    struct err err;

    if (!client_call(command->arena, &session->client, &request, &answer, &err)) {
        return false;
    }
    err_list_init(out, command->arena);
    if (answer.head.status >= 400) {
        command->errors = *out;
        sent_refused(command, &wanted->sent, &answer, &plan);
        *out = command->errors;
        command->errors = before;
    }
    return true;
}

void wanted_refuse(struct command *command, const struct session *session,
                   const struct wanted *wanted)
{
    struct err_list reported;
    bool is_asked = manager_ask(command, session, wanted, &reported);

    for (size_t i = 0; i < wanted->local.count; i++) {
        const struct err *err = &wanted->local.items[i];

        if (err->severity != ERR_SEVERITY_WARNING &&
            (!is_asked || !is_for_manager(err) || is_wanted_reported(&reported, err))) {
            err_list_add(&command->errors, err);
        }
    }
    for (size_t i = 0; is_asked && i < reported.count; i++) {
        if (place_is_known(reported.items[i].place) &&
            !is_wanted_reported(&command->errors, &reported.items[i])) {
            err_list_add(&command->errors, &reported.items[i]);
        }
    }
}
