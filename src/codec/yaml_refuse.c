#include "codec/source.h"
#include "codec/yaml_fault.h"
#include "codec/yaml_scan.h"

#include <assert.h>

/* Rejects input that YAML permits and reeve does not read. (yaml_fault.c reports input that YAML
 * itself does not permit.) */

#define TAG_BYTES ((size_t)40) /* bytes of a tag that are shown */

bool yaml_fault_tag(const struct tree *tree, struct text bytes, size_t start, struct err *err)
{
    size_t offset = yaml_find_tag(bytes, start);
    size_t length = 0;
    struct text tag = text_slice(bytes, offset, TAG_BYTES);

    assert(tag.length > 0);
    while (length < tag.length && (unsigned char)tag.data[length] > ' ' &&
           (unsigned char)tag.data[length] < 0x7f) {
        length++;
    }
    tag = text_slice(tag, 0, length);
    err_set(err, CODE_R0110, "expected a value without a tag, found '%.*s'", TEXT_ARG(tag));
    err_hint(err, "remove it: the schema decides the type; quotes make a text");
    err_place(err, source_place(bytes, offset, length == 0 ? 1 : length, tree->origin));
    return tree_locate(tree, err);
}

bool yaml_fault_alias(const struct tree *tree, enum code code, struct text name, struct place place,
                      struct err *err)
{
    assert(name.data != NULL);
    assert(code == CODE_R0109 || code == CODE_R0112 || code == CODE_R0113);
    if (code == CODE_R0113) {
        err_set(err, CODE_R0113, "expected an end to the value of '&%.*s', found '*%.*s' inside it",
                TEXT_ARG(name), TEXT_ARG(name));
        err_hint(err, "name another value, or write it out");
    } else if (code == CODE_R0109) {
        err_set(err, CODE_R0109, "expected at most %d aliases in one text, found more",
                LIMIT_ALIAS_EXPANSIONS);
        err_hint(err,
                 "put the value once into 'defaults', or into a template that 'from' refers to");
    } else {
        err_set(err, CODE_R0112, "expected '&%.*s' above the alias '*%.*s', found none",
                TEXT_ARG(name), TEXT_ARG(name));
        err_hint(err, "put it in quotes if a text that begins with '*' is meant");
    }
    err_place(err, place);
    return tree_locate(tree, err);
}

bool yaml_fault_key(const struct tree *tree, const char *found, struct place place, struct err *err)
{
    assert(found != NULL);
    err_set(err, CODE_R0114, "expected a word as key, found %s", found);
    err_hint(err, "put the key in quotes if it begins with a bracket, a star or a colon");
    err_place(err, place);
    return tree_locate(tree, err);
}

bool yaml_fault_indent(const struct tree *tree, struct place place, struct err *err)
{
    const struct tree_frame *top = tree_top(tree);
    const struct doc_entry *key = tree_key_now(tree);

    assert(place.line > 0);
    assert(top != NULL);
    if (key != NULL) {
        err_set(err, CODE_R0120, "expected a value that is indented deeper than its key '%.*s'",
                TEXT_ARG(key->key));
        err->note_place = (struct place){ key->line, key->column, key->length, place.source };
    } else {
        err_set(err, CODE_R0120, "expected a value that is indented deeper than the '-' before it");
        err->note_place = (struct place){ top->doc.line, top->doc.column, 1, place.source };
    }
    err_note(err, "%s in line %u has no value before that", key != NULL ? "the key" : "the list",
             err->note_place.line);
    err_hint(err, "indent it, or write '' for an empty text");
    err_place(err, place);
    return tree_locate(tree, err);
}

bool yaml_fault_header(const struct tree *tree, struct place place, struct err *err)
{
    err_set(err, CODE_R0101, "expected the end of the line after '|' or '>', found something else");
    err_hint(err, "begin the text in the next line");
    err_place(err, place);
    return tree_locate(tree, err);
}

bool yaml_fault_documents(const struct tree *tree, struct place place, struct err *err)
{
    assert(tree->depth == 0);
    err_set(err, CODE_R0013, "expected at most %d documents in one text, found more",
            LIMIT_DOCUMENTS_PER_SET);
    err_hint(err, "split it into several files");
    return err_place(err, place);
}

bool yaml_fault_merge(const struct tree *tree, struct place place, struct err *err)
{
    assert(tree_wants_key(tree));
    err_set(err, CODE_R0111, "expected a key, found the merge key '<<' of YAML 1.1");
    err_hint(err, "put the common part into 'defaults', or into a template that 'from' refers to");
    err_place(err, place);
    return tree_locate(tree, err);
}

bool yaml_fault_nul(const struct tree *tree, struct place place, struct err *err)
{
    err_set(err, CODE_R0104, "expected text, found the escape of a NUL character");
    err_hint(err, "remove it");
    err_place(err, place);
    return tree_locate(tree, err);
}

bool yaml_fault_integer(const struct tree *tree, const struct doc *doc, struct err *err)
{
    assert(doc->style == DOC_STYLE_PLAIN);
    assert(doc_is_scalar(doc));
    err_set(err, CODE_R0105, "expected an integer of 64 bits, found '%.*s'", TEXT_ARG(doc->text));
    err_hint(err, "put it in quotes if it is not a quantity");
    err_place(err, doc_place(doc));
    return tree_locate(tree, err);
}
