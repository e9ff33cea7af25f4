#include "etcd_member/member_record.h"

#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <stddef.h>
#include <string.h>

#define MEMBER_RECORD_FILE "member.json"

enum { MEMBER_RECORD_BYTES = 256 * 1024 };

/* The text fields of the arguments and their names in the file. */
static const struct {
    const char *name;
    size_t offset;
    bool is_url;
} member_fields[] = {
    { "manager", offsetof(struct member_ipc_arguments, manager), false },
    { "name", offsetof(struct member_ipc_arguments, name), false },
    { "token", offsetof(struct member_ipc_arguments, token), false },
    { "cluster", offsetof(struct member_ipc_arguments, cluster), false },
    { "peerListen", offsetof(struct member_ipc_arguments, peer_listen), true },
    { "peerAdvertise", offsetof(struct member_ipc_arguments, peer_advertise), true },
    { "clientListen", offsetof(struct member_ipc_arguments, client_listen), true },
    { "clientAdvertise", offsetof(struct member_ipc_arguments, client_advertise), true },
    { "ca", offsetof(struct member_ipc_arguments, ca), false },
    { "certificate", offsetof(struct member_ipc_arguments, certificate), false },
    { "key", offsetof(struct member_ipc_arguments, key), false },
};

static struct text member_field(const struct member_ipc_arguments *arguments, size_t i)
{
    return *(const struct text *)((const char *)arguments + member_fields[i].offset);
}

static void member_field_set(struct member_ipc_arguments *arguments, size_t i, struct text value)
{
    *(struct text *)((char *)arguments + member_fields[i].offset) = value;
}

bool member_record_is_equal(const struct member_ipc_arguments *a,
                            const struct member_ipc_arguments *b)
{
    for (size_t i = 0; i < ARRAY_COUNT(member_fields); i++) {
        if (!text_is_equal(member_field(a, i), member_field(b, i))) {
            return false;
        }
    }
    return a->is_joining == b->is_joining;
}

struct member_ipc_arguments member_record_copy(struct arena *arena,
                                               const struct member_ipc_arguments *arguments)
{
    struct member_ipc_arguments copy = { .is_joining = arguments->is_joining };

    for (size_t i = 0; i < ARRAY_COUNT(member_fields); i++) {
        member_field_set(&copy, i, arena_text(arena, member_field(arguments, i)));
    }
    return copy;
}

/* ---- checks ---- */

static bool member_text_is_clean(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if ((unsigned char)text.data[i] <= ' ' || text.data[i] == 0x7f) {
            return false;
        }
    }
    return text.length <= LIMIT_MEMBER_FIELD_BYTES;
}

static bool member_url_is(struct text text)
{
    struct text prefix = TEXT("https://");
    struct text rest = text_slice(text, prefix.length, SIZE_MAX);

    return text_has_prefix(text, prefix) && text_find_byte(rest, ':') != SIZE_MAX &&
           text_find_byte(rest, ':') > 0 && text_find_byte(rest, '/') == SIZE_MAX &&
           text_find_byte(rest, ',') == SIZE_MAX;
}

bool member_record_check(const struct member_ipc_arguments *arguments, struct err *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(member_fields); i++) {
        struct text value = member_field(arguments, i);

        if (!member_text_is_clean(value) || text_has_prefix(value, TEXT("-")) ||
            (member_fields[i].is_url && value.length > 0 && !member_url_is(value))) {
            return err_set(err, CODE_R0596, "the argument %s of the member is invalid",
                           member_fields[i].name);
        }
    }
    if (arguments->manager.length == 0 || arguments->name.length == 0 ||
        arguments->token.length == 0 || text_find_byte(arguments->name, '=') != SIZE_MAX ||
        text_find_byte(arguments->name, '/') != SIZE_MAX) {
        return err_set(err, CODE_R0596, "a member needs a manager, a name and a token");
    }
    if ((arguments->peer_listen.length > 0 || arguments->client_listen.length > 0) &&
        (arguments->ca.length == 0 || arguments->certificate.length == 0 ||
         arguments->key.length == 0)) {
        return err_set(err, CODE_R0596,
                       "a member that listens for other hosts needs ca, certificate and key");
    }
    return true;
}

/* ---- the file ---- */

static struct doc member_arguments_doc(struct arena *arena,
                                       const struct member_ipc_arguments *arguments)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < ARRAY_COUNT(member_fields); i++) {
        doc_builder_put(&builder, member_fields[i].name,
                        doc_text(member_field(arguments, i), NULL));
    }
    doc_builder_put(&builder, "isJoining", doc_bool(arguments->is_joining != 0, NULL));
    return doc_builder_map(&builder, NULL);
}

static bool member_doc_is_true(const struct doc *doc, const char *name)
{
    const struct doc *value = doc_child(doc, name);

    return doc_is_scalar(value) && text_is(value->text, "true");
}

static void member_arguments_read(struct arena *arena, const struct doc *doc,
                                  struct member_ipc_arguments *out)
{
    *out = (struct member_ipc_arguments){ .is_joining = member_doc_is_true(doc, "isJoining") };
    for (size_t i = 0; i < ARRAY_COUNT(member_fields); i++) {
        const struct doc *value = doc_child(doc, member_fields[i].name);

        if (doc_is_scalar(value)) {
            member_field_set(out, i, arena_text(arena, value->text));
        }
    }
}

bool member_record_read(int folder, struct member_record *out, struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const struct doc *phase;
    struct text bytes;
    struct doc doc;
    int64_t number = 0;
    AUTO(fd) file = FD_NONE;

    *out = (struct member_record){ .memory = arena_new_small(LIMIT_WORK_ARENA_BYTES) };
    if (!file_open_beneath(folder, MEMBER_RECORD_FILE, &file, err)) {
        return true; /* the folder has no member yet */
    }
    if (!file_read_beneath(arena, folder, MEMBER_RECORD_FILE, MEMBER_RECORD_BYTES, &bytes, err) ||
        !json_parse(arena, bytes, NULL, &doc, err)) {
        member_record_free(out);
        return err_set(err, CODE_R0596, "the file " MEMBER_RECORD_FILE " cannot be read");
    }
    out->has_member = member_doc_is_true(&doc, "hasMember");
    out->shall_run = member_doc_is_true(&doc, "shallRun");
    out->has_begun = member_doc_is_true(&doc, "hasBegun");
    member_arguments_read(out->memory, doc_child(&doc, "arguments"), &out->arguments);
    member_arguments_read(out->memory, doc_child(&doc, "next"), &out->next);
    phase = doc_child(&doc, "phase");
    if (doc_is_scalar(phase) && text_parse_int64(phase->text, &number) && number > 0 &&
        number < MEMBER_PHASE_COUNT) {
        out->phase = (enum member_phase)number;
    }
    return true;
}

bool member_record_write(int folder, const struct member_record *record, struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc_builder builder;
    struct buf buf;
    struct doc doc;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "hasMember", doc_bool(record->has_member, NULL));
    doc_builder_put(&builder, "shallRun", doc_bool(record->shall_run, NULL));
    doc_builder_put(&builder, "hasBegun", doc_bool(record->has_begun, NULL));
    doc_builder_put(&builder, "arguments", member_arguments_doc(arena, &record->arguments));
    doc_builder_put(&builder, "next", member_arguments_doc(arena, &record->next));
    doc_builder_put(&builder, "phase", doc_int(arena, record->phase, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format_pretty(&buf, &doc);
    return file_replace(folder, MEMBER_RECORD_FILE, buf_text(&buf), 0600, err);
}

void member_record_free(struct member_record *record)
{
    arena_free(record->memory);
    record->memory = NULL;
}
