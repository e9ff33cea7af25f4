#include "remote/revision.h"

#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "model/check.h"
#include "model/shape.h"
#include "remote/bounds.h"
#include "remote/bundle_parts.h"
#include "sys/digest.h"

#include <string.h>

#define SCRIPT "bootstrap.sh"

/* Name of the bundle in a repository with bootstrap.sh in its root folder, which has no other
 * bundles. */
#define TOP_NAME "configuration"

struct reading {
    struct arena *arena;
    struct bundle_list list; /* the members of the archive, in canonical order */
    struct err_list *errors;
    struct bundle *bundles;
    struct doc *stages;
    struct text archive;
    struct doc hooks;     /* with the runner ansible: the hooks */
    bool is_playbook;     /* true: the only stage is a playbook */
    struct text *folders; /* folder of each bundle */
    size_t count;
    uint64_t bytes; /* total bytes of the bundles */
};

struct taking {
    struct bundle_list *list;
    struct text bytes;
};

MUST_CHECK static bool revision_member_take(void *arg, const struct archive_member *member,
                                            struct err *err)
{
    struct taking *taking = arg;
    struct bundle_item *item;

    if (!bundle_list_add(taking->list, member, &item, err)) {
        return false;
    }
    if (item != NULL && item->kind == ARCHIVE_FILE) {
        item->content = text_slice(taking->bytes, (size_t)member->offset, (size_t)member->bytes);
    }
    return true;
}

MUST_CHECK static bool members_read(struct arena *arena, struct text bytes,
                                    struct bundle_list *list, struct err *err)
{
    struct taking taking = { list, bytes };
    struct archive *archive = archive_new(revision_member_take, &taking);
    bool is_good;

    *list = (struct bundle_list){ .arena = arena, .kind = BUNDLE_CONFIGURATION };
    is_good = archive_feed(archive, bytes, err) && archive_end(archive, err);
    archive_free(archive);
    return is_good && bundle_list_check(list, err);
}

static const struct bundle_item *revision_item_find(const struct bundle_list *list,
                                                    struct text name)
{
    size_t low = 0;
    size_t high = list->count;

    while (low < high) { /* binary search: the members are in canonical order */
        size_t middle = low + (high - low) / 2;
        int order = bundle_name_compare(list->items[middle].name, name);

        if (order == 0) {
            return &list->items[middle];
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

static bool has_file(const struct bundle_list *list, struct text name)
{
    const struct bundle_item *item = revision_item_find(list, name);

    return item != NULL && item->kind == ARCHIVE_FILE;
}

struct text revision_manifest(struct arena *arena, struct text archive)
{
    const struct bundle_item *item;
    struct bundle_list list;
    struct err err;

    if (!members_read(arena, archive, &list, &err)) {
        return (struct text){ 0 };
    }
    item = revision_item_find(&list, TEXT(REVISION_MANIFEST));
    return item == NULL || item->kind != ARCHIVE_FILE ? (struct text){ 0 } : item->content;
}

/* Returns the manifest in normal form; an empty map if there is no manifest. */
static struct doc manifest_read(struct reading *reading, const struct origin *origin)
{
    const struct bundle_item *item = revision_item_find(&reading->list, TEXT(REVISION_MANIFEST));
    struct doc none = doc_map(NULL, 0, NULL);
    struct yaml_docs docs;
    struct err err;

    if (item == NULL) {
        if (has_file(&reading->list, TEXT("configuration.yml"))) {
            err_hint(err_list_set(reading->errors, (struct place){ 0 }, CODE_R0828,
                                  "reeve does not read the file configuration.yml"),
                     "the manifest is named " REVISION_MANIFEST);
        }
        return none;
    }
    if (item->kind != ARCHIVE_FILE || item->bytes > LIMIT_MANIFEST_BYTES) {
        err_list_set(reading->errors, (struct place){ 0 }, CODE_R0828,
                     item->kind != ARCHIVE_FILE ? REVISION_MANIFEST " is not a file"
                                                : REVISION_MANIFEST " has more than %d bytes",
                     LIMIT_MANIFEST_BYTES);
        return none;
    }
    if (!yaml_parse(reading->arena, item->content, origin, &docs, &err)) {
        err_list_add(reading->errors, &err);
        return none;
    }
    if (docs.count > 1) {
        err_list_set(reading->errors, doc_place(&docs.items[1]), CODE_R0828,
                     REVISION_MANIFEST " has %zu documents, and may have one", docs.count);
    }
    return docs.count == 0 ? none
                           : shape_read_manifest(reading->arena, &docs.items[0], reading->errors);
}

/* ---- bundles ---- */

/* Makes the bundle of a folder. An empty folder name means the whole repository. */
MUST_CHECK static bool revision_bundle_make(struct reading *reading, struct text folder,
                                            struct bundle *out, struct err *err)
{
    struct bundle_list part = { .arena = reading->arena, .kind = BUNDLE_STAGE };
    size_t skip = folder.length == 0 ? 0 : folder.length + 1;

    for (size_t i = 0; i < reading->list.count; i++) {
        const struct bundle_item *item = &reading->list.items[i];
        struct archive_member member = bundle_member(item);
        struct bundle_item *added;

        if (folder.length > 0 && !bundle_is_beneath(item->name, folder)) {
            continue;
        }
        member.name = text_slice(item->name, skip, SIZE_MAX);
        if (!bundle_list_add(&part, &member, &added, err)) {
            return false;
        }
        added->content = item->content;
    }
    return bundle_list_finish(&part, out, err);
}

/* Returns the item of a stage from the manifest, with `bundle` in place of `tar`. */
static struct doc revision_stage_make(struct reading *reading, const struct doc *item,
                                      struct text name, const struct bundle *bundle)
{
    struct doc_builder builder;

    doc_builder_init(&builder, reading->arena);
    doc_builder_put(
        &builder, "bundle",
        doc_text(arena_printf(reading->arena, "%.*s@sha256:%s", TEXT_ARG(name), bundle->digest),
                 NULL));
    for (size_t i = 0; item != NULL && i < item->entry_count; i++) {
        if (!text_is(item->entries[i].key, "tar") && !doc_is_null(&item->entries[i].value)) {
            doc_builder_add(&builder, &item->entries[i]);
        }
    }
    return doc_builder_map(&builder, NULL);
}

/* Like revision_bundle_make, but if a folder is listed again, its existing bundle is used. The
 * total size of the bundles is limited, because folders may contain each other. */
MUST_CHECK static bool revision_bundle_have(struct reading *reading, struct text folder,
                                            struct bundle *out, struct err *err)
{
    for (size_t i = 0; i < reading->count; i++) {
        if (text_is_equal(reading->folders[i], folder)) {
            *out = reading->bundles[i];
            return true;
        }
    }
    if (!revision_bundle_make(reading, folder, out, err)) {
        return false;
    }
    reading->bytes += out->bytes.length;
    return reading->bytes <= REMOTE_BUNDLE_BYTES ||
           err_set(err, CODE_R0725, "the bundles of the repository have more than %d bytes",
                   REMOTE_BUNDLE_BYTES);
}

/* Adds one bundle as the next stage. `item` is its entry in the manifest; NULL: there is no
 * entry. */
static void stage_add(struct reading *reading, const struct doc *item, struct text folder)
{
    const struct doc *tar = item == NULL ? NULL : doc_child(item, "tar");
    struct place place = tar == NULL ? (struct place){ 0 } : doc_place(tar);
    struct bundle *bundle = &reading->bundles[reading->count];
    struct text name =
        folder.length == 0 ? TEXT(TOP_NAME) : bundle_path_name(reading->arena, folder);
    struct err err;

    if (!revision_bundle_have(reading, folder, bundle, &err)) {
        if (folder.length > 0) {
            err_note(&err, "this concerns the folder '%.*s'", TEXT_ARG(folder));
        }
        err_place(&err, place);
        err_list_add(reading->errors, &err);
        return;
    }
    reading->folders[reading->count] = folder;
    reading->stages[reading->count++] = revision_stage_make(reading, item, name, bundle);
}

/* Returns the folder in an item of the manifest, without a leading ./ and a trailing /. */
static struct text item_folder(const struct doc *tar)
{
    struct text folder = tar->text;

    while (text_has_prefix(folder, TEXT("./"))) {
        folder = text_slice(folder, 2, SIZE_MAX);
    }
    while (folder.length > 0 && folder.data[folder.length - 1] == '/') {
        folder.length--;
    }
    return text_is(folder, ".") ? TEXT("") : folder;
}

static void item_add(struct reading *reading, const struct doc *item)
{
    const struct doc *tar = doc_child(item, "tar");
    const struct doc *bundle = doc_child(item, "bundle");
    const struct bundle_item *found;
    struct text folder;

    if (doc_is_present(bundle) || !doc_is_scalar(tar) || doc_is_null(tar)) {
        struct err *err =
            err_list_set(reading->errors, doc_place(doc_is_present(bundle) ? bundle : item),
                         CODE_R0828, "a bundle of a configuration is a folder of its repository");

        err_hint(err, "write {tar: FOLDER}");
        return;
    }
    folder = item_folder(tar);
    found = revision_item_find(&reading->list, folder);
    if (folder.length > 0 && (found == NULL || found->kind != ARCHIVE_FOLDER)) {
        struct err *err =
            err_list_set(reading->errors, doc_place(tar), CODE_R0828,
                         "there is no folder '%.*s' in the repository", TEXT_ARG(folder));

        err_hint(err, "a path is relative to the top of the repository");
        return;
    }
    stage_add(reading, item, folder);
}

/* Returns whether one more bundle is permitted; otherwise adds an error. */
static bool has_room(struct reading *reading, struct place place)
{
    if (reading->count == REMOTE_STAGES) {
        err_list_set(reading->errors, place, CODE_R0828, "a configuration has at most %d bundles",
                     REMOTE_STAGES);
    }
    return reading->count < REMOTE_STAGES;
}

/* For a manifest without a list of bundles: uses the repository itself or, sorted by name, each
 * top-level folder with bootstrap.sh. */
static void folders_add(struct reading *reading)
{
    if (has_file(&reading->list, TEXT(SCRIPT))) {
        stage_add(reading, NULL, TEXT(""));
        return;
    }
    for (size_t i = 0; i < reading->list.count; i++) {
        const struct bundle_item *item = &reading->list.items[i];

        if (item->kind != ARCHIVE_FOLDER || text_find_byte(item->name, '/') != SIZE_MAX ||
            !has_file(&reading->list,
                      arena_printf(reading->arena, "%.*s/" SCRIPT, TEXT_ARG(item->name)))) {
            continue;
        }
        if (!has_room(reading, (struct place){ 0 })) {
            return;
        }
        stage_add(reading, NULL, item->name);
    }
}

/* ---- playbooks ---- */

static const char *const hook_names[] = { "configure", "cleanup", "upgrade",
                                          "verify",    "drain",   "undrain" };

/* Returns the playbook of a hook that the manifest does not list: NAME.yml, but site.yml for
 * `configure`. */
static struct text hook_default(struct arena *arena, const char *name)
{
    return strcmp(name, "configure") == 0 ? TEXT("site.yml") : arena_printf(arena, "%s.yml", name);
}

/* Adds an error for each entry of `hooks` that is not a playbook in the repository. */
static void hooks_check(struct reading *reading, const struct doc *hooks)
{
    for (size_t i = 0; i < hooks->entry_count; i++) {
        const struct doc_entry *entry = &hooks->entries[i];
        bool is_known = false;

        for (size_t n = 0; n < ARRAY_COUNT(hook_names); n++) {
            is_known = is_known || text_is(entry->key, hook_names[n]);
        }
        if (!is_known) {
            err_hint(err_list_set(reading->errors, doc_key_place(entry), CODE_R0828,
                                  "there is no hook '%.*s'", TEXT_ARG(entry->key)),
                     "the hooks are configure, cleanup, upgrade, verify, drain and undrain");
        } else if (!doc_is_scalar(&entry->value) || doc_is_null(&entry->value) ||
                   !has_file(&reading->list, entry->value.text)) {
            err_hint(err_list_set(reading->errors, doc_place(&entry->value), CODE_R0828,
                                  "the hook %.*s is not a file of the repository",
                                  TEXT_ARG(entry->key)),
                     "a path is relative to the top of the repository");
        }
    }
}

/* Returns the playbook of each hook: the one in the manifest, otherwise the default file of the
 * hook, if it exists. */
static struct doc hooks_make(struct reading *reading, const struct doc *listed)
{
    struct doc_builder builder;

    doc_builder_init(&builder, reading->arena);
    for (size_t i = 0; i < ARRAY_COUNT(hook_names); i++) {
        const struct doc *named = doc_is_map(listed) ? doc_child(listed, hook_names[i]) : NULL;
        struct text file =
            named != NULL ? named->text : hook_default(reading->arena, hook_names[i]);

        if (has_file(&reading->list, file)) {
            doc_builder_put(&builder, hook_names[i], doc_text(file, NULL));
        }
    }
    return doc_builder_map(&builder, NULL);
}

/* Returns the stage of a playbook. `archive` is the digest of the whole repository. */
static struct doc playbook_make(struct reading *reading, const struct doc *manifest,
                                struct text playbook)
{
    const struct doc *timeout = doc_child(manifest, "timeout");
    const struct doc *repeatable = doc_child(manifest, "repeatable");
    struct arena *arena = reading->arena;
    struct doc_builder builder;
    char digest[DIGEST_TEXT_BYTES];

    digest_sha256(reading->archive, digest);
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "bundle",
                    doc_text(arena_printf(arena, "configure@sha256:%s", digest), NULL));
    doc_builder_put(
        &builder, "idempotent",
        doc_bool(!doc_is_scalar(repeatable) || !text_is(repeatable->text, "false"), NULL));
    doc_builder_put(&builder, "timeout",
                    doc_is_scalar(timeout) && !doc_is_null(timeout) ? *timeout
                                                                    : doc_text(TEXT("1h"), NULL));
    doc_builder_put(&builder, "playbook", doc_text(playbook, NULL));
    return doc_builder_map(&builder, NULL);
}

static void playbooks_read(struct reading *reading, const struct doc *manifest)
{
    const struct doc *listed = doc_child(manifest, "hooks");
    const struct doc *bundles = doc_child(manifest, "bundles");
    const struct doc *configure;

    if (doc_is_list(bundles)) {
        err_hint(err_list_set(reading->errors, doc_place(bundles), CODE_R0828,
                              "with runner ansible a configuration has playbooks and no bundles"),
                 "write runner: bundles, or leave the field out");
        return;
    }
    if (doc_is_map(listed)) {
        hooks_check(reading, listed);
    }
    reading->hooks = hooks_make(reading, listed);
    configure = doc_child(&reading->hooks, "configure");
    if (configure == NULL) {
        if (reading->errors->count == 0) {
            err_hint(err_list_set(reading->errors, (struct place){ 0 }, CODE_R0828,
                                  "the repository has no playbook site.yml"),
                     "add site.yml, or name another playbook in " REVISION_MANIFEST
                     ": hooks: {configure: FILE}");
        }
        return;
    }
    reading->stages[0] = playbook_make(reading, manifest, configure->text);
    reading->is_playbook = true;
}

static bool is_ansible(const struct reading *reading, const struct doc *runner)
{
    return doc_is_scalar(runner) && !doc_is_null(runner)
               ? text_is(runner->text, "ansible")
               : has_file(&reading->list, TEXT("site.yml"));
}

static void revision_stages_read(struct reading *reading, const struct doc *manifest)
{
    const struct doc *runner = doc_child(manifest, "runner");
    const struct doc *bundles = doc_child(manifest, "bundles");
    struct err *err;

    if (is_ansible(reading, runner)) {
        playbooks_read(reading, manifest);
        return;
    }
    if (doc_is_map(doc_child(manifest, "hooks"))) {
        err = err_list_set(reading->errors, doc_place(doc_child(manifest, "hooks")), CODE_R0828,
                           "with runner bundles each bundle has its own hooks");
        err_hint(err, "leave the field out: a hook is a file of a bundle");
    }
    for (size_t i = 0; doc_is_list(bundles) && i < bundles->item_count; i++) {
        if (!has_room(reading, doc_place(&bundles->items[i]))) {
            return;
        }
        item_add(reading, &bundles->items[i]);
    }
    if (!doc_is_list(bundles)) {
        folders_add(reading);
    }
    if (reading->count == 0 && reading->errors->count == 0) {
        err = err_list_set(reading->errors, (struct place){ 0 }, CODE_R0828,
                           "the repository has nothing to run");
        err_hint(err, "add folders with " SCRIPT ", or list them in " REVISION_MANIFEST
                      ": bundles: [{tar: FOLDER}]");
    }
}

/* Checks the size of the variables as JSON, because that is how they are sent. They may be longer
 * than the manifest. */
static void variables_check(struct reading *reading, const struct doc *vars)
{
    struct buf buf;

    if (!doc_is_map(vars)) {
        return;
    }
    buf_init(&buf, reading->arena);
    json_format(&buf, vars);
    if (buf.length > LIMIT_VARIABLES_BYTES) {
        err_list_set(reading->errors, doc_place(vars), CODE_R0828,
                     "the variables have %zu bytes, at most %d are allowed", buf.length,
                     LIMIT_VARIABLES_BYTES);
    }
}

/* Checks the secrets of a manifest: a map from a variable to the name of a secret. */
static void secrets_check(struct reading *reading, const struct doc *secrets)
{
    struct text prefix = TEXT("secret://");

    for (size_t i = 0; doc_is_map(secrets) && i < secrets->entry_count; i++) {
        const struct doc *value = &secrets->entries[i].value;
        struct text word = doc_is_scalar(value) ? value->text : TEXT("");
        struct err name_err;

        if (!text_has_prefix(word, prefix) ||
            !check_object_name(text_slice(word, prefix.length, SIZE_MAX), &name_err)) {
            err_hint(err_list_set(reading->errors, doc_place(value), CODE_R0828,
                                  "'%.*s' is not a reference to a secret",
                                  TEXT_ARG(secrets->entries[i].key)),
                     "write secret://NAME; reeve create secret NAME @FILE stores its value");
        }
    }
    if (doc_is_present(secrets) && !doc_is_map(secrets)) {
        err_hint(err_list_set(reading->errors, doc_place(secrets), CODE_R0828,
                              "the secrets are not a map"),
                 "write secrets: {VARIABLE: secret://NAME}");
    }
}

bool revision_read(struct arena *arena, struct text archive, const struct origin *origin,
                   struct revision *out, struct err_list *errors)
{
    struct reading reading = { .arena = arena, .errors = errors, .archive = archive };
    size_t before = errors->count;
    const struct doc *files;
    const struct doc *vars;
    struct doc manifest;
    struct err err;

    if (!members_read(arena, archive, &reading.list, &err)) {
        err_list_add(errors, &err);
        return false;
    }
    reading.bundles = arena_array(arena, struct bundle, REMOTE_STAGES);
    reading.stages = arena_array(arena, struct doc, REMOTE_STAGES);
    reading.folders = arena_array(arena, struct text, REMOTE_STAGES);
    manifest = manifest_read(&reading, origin);
    if (errors->count == before) {
        revision_stages_read(&reading, &manifest);
    }
    files = doc_child(&manifest, "files");
    vars = doc_child(&manifest, "vars");
    variables_check(&reading, vars);
    secrets_check(&reading, doc_child(&manifest, "secrets"));
    *out = (struct revision){ .bundles = reading.bundles,
                              .bundle_count = reading.count,
                              .stages = doc_list(reading.stages,
                                                 reading.is_playbook ? 1 : reading.count, NULL),
                              .files = doc_is_list(files) ? *files : (struct doc){ 0 },
                              .hooks = reading.hooks,
                              .vars = doc_is_map(vars) ? *vars : (struct doc){ 0 } };
    if (doc_is_map(doc_child(&manifest, "secrets"))) {
        out->secrets = *doc_child(&manifest, "secrets");
    }
    return errors->count == before;
}

/* ---- files ---- */

static struct doc file_show(struct arena *arena, const struct bundle_item *item)
{
    struct doc_builder builder;
    char digest[DIGEST_TEXT_BYTES];

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "name", doc_text(item->name, NULL));
    if (item->kind == ARCHIVE_LINK) {
        doc_builder_put(&builder, "link", doc_text(item->link, NULL));
        return doc_builder_map(&builder, NULL);
    }
    digest_sha256(item->content, digest);
    doc_builder_put(&builder, "bytes", doc_int(arena, (int64_t)item->bytes, NULL));
    doc_builder_put(&builder, "program", doc_bool(item->is_program, NULL));
    doc_builder_put(&builder, "sha256", doc_text(arena_text(arena, text_from(digest)), NULL));
    return doc_builder_map(&builder, NULL);
}

bool revision_files(struct arena *arena, struct text archive, struct doc *out, struct err *err)
{
    struct bundle_list list;
    struct doc *rows;
    size_t count = 0;

    if (!members_read(arena, archive, &list, err)) {
        return false;
    }
    rows = arena_array(arena, struct doc, list.count);
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].kind != ARCHIVE_FOLDER) {
            rows[count++] = file_show(arena, &list.items[i]);
        }
    }
    *out = doc_list(rows, count, NULL);
    return true;
}
