#include "change/change_work.h"

/* Rejects fields that only the command line reads. They are not part of a specification, so
 * requests to a manager do not contain them. */

static bool is_read_by_client(struct text key)
{
    return text_is(key, "privateKeyFile") || text_is(key, "private_key_file");
}

/* True if the keys below the field may be any names: labels, and the plugin's own fields. */
static bool is_change_fields_opaque(struct text key)
{
    return text_is(key, "resourceProperties") || text_is(key, "vars") || text_is(key, "labels");
}

static void fields_walk(struct err_list *errors, const struct doc *doc)
{
    for (size_t i = 0; doc_is_list(doc) && i < doc->item_count; i++) {
        fields_walk(errors, &doc->items[i]);
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];

        if (is_read_by_client(entry->key) && !doc_is_null(&entry->value)) {
            struct err *err =
                err_list_set(errors, (struct place){ 0 }, CODE_R0304,
                             "'privateKeyFile' is read by the command line, and is not stored");

            err_hint(err, "reeve apply -f FILE stores the key as a secret; else send an object of "
                          "the kind Secret, and its name as sshKeySecret in place of this field");
            model_blame(err, &entry->value);
        } else if (!is_change_fields_opaque(entry->key)) {
            fields_walk(errors, &entry->value);
        }
    }
}

void change_fields_check(struct change_work *work)
{
    const struct change_request *request = work->request;

    for (size_t i = 0; request->mode != CHANGE_DELETE && i < request->document_count; i++) {
        fields_walk(work->errors, &request->documents[i]);
    }
}
