#include "nodes/stage_secrets.h"

#include "base/limits.h"
#include "base/secret.h"
#include "codec/json.h"
#include "model/nest.h"
#include "records/nodes.h"

#include <string.h>

/* public names start with: stage_secrets_ */

/* Put one value into the variables. */
MUST_CHECK static bool stage_secrets_put(const struct stage_secrets *secrets, struct arena *arena,
                                         struct text tenant, const struct doc_entry *entry,
                                         struct doc *inout, struct err *err)
{
    struct text word = doc_is_scalar(&entry->value) ? entry->value.text : TEXT("");
    struct text name = text_slice(word, 0, text_find_byte(word, ' '));
    char value[LIMIT_SECRET_BYTES];
    size_t length = 0;
    bool is_text;

    if (secrets->reveal == NULL) {
        return err_set(err, CODE_R0667, "this manager has no secrets");
    }
    if (!secrets->reveal(secrets->arg, tenant, name, value, &length, err)) {
        return false;
    }
    while (length > 0 && value[length - 1] == '\n') {
        length--; /* the files of secrets end with a newline */
    }
    is_text = text_find_bad_utf8((struct text){ value, length }) == SIZE_MAX &&
              memchr(value, '\0', length) == NULL;
    if (is_text) {
        *inout = nest_put(arena, inout, arena_string(arena, entry->key),
                          doc_text(arena_text(arena, (struct text){ value, length }), NULL));
    }
    secret_wipe(value, sizeof(value));
    return is_text || err_set(err, CODE_R0720, "secret '%.*s' is not a text", TEXT_ARG(name));
}

bool stage_secrets_fill(const struct stage_secrets *secrets, struct arena *arena,
                        struct text cluster, struct text vars, struct text *out, struct err *err)
{
    static const char member[] = "\"" NODES_SECRETS "\":";
    const struct doc *named;
    struct doc filled;
    struct doc doc;
    struct buf buf;

    *out = vars;
    if (memmem(vars.data, vars.length, member, sizeof(member) - 1) == NULL) {
        return true;
    }
    if (!json_parse(arena, vars, NULL, &doc, err)) {
        return false;
    }
    named = doc_child(&doc, NODES_SECRETS);
    filled = nest_put(arena, &doc, NODES_SECRETS, (struct doc){ 0 });
    for (size_t i = 0; doc_is_map(named) && i < named->entry_count; i++) {
        if (!stage_secrets_put(secrets, arena, text_slice(cluster, 0, text_find_byte(cluster, '/')),
                               &named->entries[i], &filled, err)) {
            return false;
        }
    }
    buf_init(&buf, arena);
    json_format(&buf, &filled);
    *out = buf_text(&buf);
    return out->length <= LIMIT_VARIABLES_BYTES ||
           err_set(err, CODE_R0720, "the variables with their secrets have more than %d bytes",
                   LIMIT_VARIABLES_BYTES);
}
