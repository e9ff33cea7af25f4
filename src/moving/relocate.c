#include "moving/relocate.h"

#include "base/hex.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "etcd/etcd_move.h"
#include "moving/tally.h"
#include "sqlite/sqlite_move.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RELOCATE_ARRIVING "store.db-arriving"
#define RELOCATE_KEPT     "store.before-restore"

/* Reports a step. In tests, the process is killed before the step with this name. */
static void relocate_step(const struct relocate_options *options, const char *name,
                          struct text line)
{
    const char *end = getenv("REEVE_MOVE_END");

    if (end != NULL && strcmp(end, name) == 0) {
        raise(SIGKILL);
    }
    if (line.length > 0) {
        options->report(options->arg, line);
    }
}

static const char *relocate_path(struct arena *arena, const char *folder, const char *name)
{
    return arena_printf(arena, "%s/%s", folder, name).data;
}

/* Describes the place of a store in etcd for operators. */
static struct text relocate_etcd_place(struct arena *arena, const struct etcd_options *etcd)
{
    struct buf buf;

    buf_init(&buf, arena);
    if (etcd->ca_file == NULL ||
        text_has_prefix(text_from(etcd->endpoints[0]), TEXT(ETCD_LOCAL_SCHEME))) {
        return TEXT("the managed store");
    }
    buf_add_string(&buf, "etcd");
    for (size_t i = 0; i < etcd->endpoint_count && i < 3; i++) {
        buf_printf(&buf, "%s%s", i == 0 ? " " : ", ", etcd->endpoints[i]);
    }
    buf_printf(&buf, " below %s", etcd->prefix);
    return buf_text(&buf);
}

static struct text relocate_folder_place(struct arena *arena, const char *folder)
{
    char host[HOST_NAME_MAX + 1] = "";
    char absolute[PATH_MAX];

    (void)!gethostname(host, sizeof(host) - 1);
    return arena_printf(arena, "the folder %s of host %s",
                        realpath(folder, absolute) == NULL ? folder : absolute, host);
}

static struct text relocate_counts(struct arena *arena, const char *what, const struct tally *tally)
{
    return arena_printf(arena, "%s: %llu objects, %llu events", what,
                        (unsigned long long)tally_objects(tally),
                        (unsigned long long)tally_events(tally));
}

static void relocate_result_set(struct relocate_result *out, const struct tally *tally,
                                const struct store_dump_head *head)
{
    *out = (struct relocate_result){ .objects = tally_objects(tally),
                                     .events = tally_events(tally),
                                     .revision = head->revision };
}

/* ---- to etcd ---- */

/* Reads the copy in etcd and compares it with the source. */
MUST_CHECK static bool relocate_etcd_check(struct etcd_move *move, const struct tally *store,
                                           struct err *err)
{
    struct tally *copy = tally_new(NULL);
    struct store_dump_sink sink = tally_sink(copy);
    struct store_dump_head head;
    bool is_good = etcd_move_dump(move, &sink, &head, err) && tally_compare(store, copy, err);

    tally_free(copy);
    return is_good;
}

/* Copies a source to etcd and checks the copy, which cannot be opened as a store yet. */
MUST_CHECK static bool relocate_etcd_copy(const struct relocate_options *options,
                                          struct sqlite_source *source, struct etcd_move *move,
                                          const struct store_dump_head *head,
                                          struct relocate_result *out, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct store_dump_sink target = etcd_move_sink(move);
    struct tally *store = tally_new(&target);
    struct store_dump_sink sink = tally_sink(store);
    struct store_dump_head again;
    bool is_good;

    relocate_step(options, "copy", TEXT("copying the store"));
    is_good = sqlite_source_dump(source, &sink, &again, err);
    if (is_good) {
        relocate_step(options, "arrived", relocate_counts(arena, "copied", store));
    }
    is_good = is_good && etcd_move_arrived(move, err);
    if (is_good) {
        relocate_step(options, "check", TEXT("reading the copy, and comparing counts and digests"));
    }
    is_good = is_good && relocate_etcd_check(move, store, err);
    relocate_result_set(out, store, head);
    tally_free(store);
    return is_good;
}

/* Gives the manager the id that it had when its store was in etcd before. */
MUST_CHECK static bool relocate_id_return(const struct relocate_options *options, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const char *path = relocate_path(arena, options->folder, options->id_file);
    const char *former = arena_printf(arena, "%s.former", path).data;

    return rename(former, path) == 0 || errno == ENOENT ||
           err_set(err, CODE_R0534, "%s: %s", former, strerror(errno));
}

/* Completes a move to etcd whose commit is in the folder. */
MUST_CHECK static bool relocate_etcd_complete(const struct relocate_options *options,
                                              const struct sqlite_moved *moved,
                                              struct relocate_result *out, struct err *err)
{
    struct etcd_move_found found;
    struct etcd_move *move;
    bool is_good;

    *out = (struct relocate_result){ .objects = 0 };
    if (!etcd_move_open(options->etcd, &move, &found, err)) {
        return false;
    }
    if (memcmp(found.id.bytes, moved->move, sizeof(moved->move)) != 0 ||
        (found.state != ETCD_MOVE_ARRIVING && found.state != ETCD_MOVE_ACTIVE)) {
        etcd_move_close(move);
        err_set(err, CODE_R0591, "the store of '%s' was moved to %s", options->folder,
                moved->place);
        return err_hint(err, "set store in reeved.yaml to that place");
    }
    is_good = relocate_id_return(options, err) &&
              (found.state == ETCD_MOVE_ACTIVE || etcd_move_activate(move, err));
    etcd_move_close(move);
    return is_good;
}

MUST_CHECK static bool relocate_etcd_commit(const struct relocate_options *options,
                                            struct sqlite_source *source, struct etcd_move *move,
                                            const struct etcd_move_id *id,
                                            struct relocate_result *out, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct err ignored;

    relocate_step(options, "commit", TEXT("the copy is complete; closing the old store"));
    if (!sqlite_source_mark(source, id->bytes, relocate_etcd_place(arena, options->etcd), err)) {
        return false;
    }
    relocate_step(options, "activate", TEXT(""));
    if (!relocate_id_return(options, err)) {
        return false;
    }
    out->is_completed_later = !etcd_move_activate(move, &ignored);
    return true;
}

bool relocate_to_etcd(const struct relocate_options *options, struct relocate_result *out,
                      struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct sqlite_source *source = NULL;
    struct etcd_move *move = NULL;
    struct etcd_move_found found;
    struct store_dump_head head;
    struct sqlite_moved moved;
    struct etcd_move_id id;
    bool is_good;

    sqlite_moved_read(options->folder, &moved);
    if (moved.is_moved) {
        return relocate_etcd_complete(options, &moved, out, err);
    }
    random_fill(options->random, id.bytes, sizeof(id.bytes));
    relocate_step(options, "open", TEXT("checking the store"));
    if (!sqlite_source_open(options->folder, &source, err)) {
        return false;
    }
    is_good = sqlite_source_dump(source, NULL, &head, err) &&
              etcd_move_open(options->etcd, &move, &found, err);
    if (is_good) {
        relocate_step(options, "arrive", TEXT(""));
    }
    is_good = is_good &&
              etcd_move_arrive(move, &head, &id, relocate_folder_place(arena, options->folder),
                               false, err) &&
              relocate_etcd_copy(options, source, move, &head, out, err) &&
              relocate_etcd_commit(options, source, move, &id, out, err);
    etcd_move_close(move);
    sqlite_source_close(source);
    return is_good;
}

/* ---- the journal of a move from etcd ---- */

static void relocate_put(struct doc_builder *builder, const char *name, const char *value)
{
    if (value != NULL) {
        doc_builder_put(builder, name, doc_text(text_from(value), NULL));
    }
}

MUST_CHECK static bool relocate_journal_write(const struct relocate_options *options,
                                              const struct etcd_move_id *id, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    AUTO(fd) folder = FD_NONE;
    const struct etcd_options *etcd = options->etcd;
    struct doc *endpoints = arena_array(arena, struct doc, etcd->endpoint_count);
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    for (size_t i = 0; i < etcd->endpoint_count; i++) {
        endpoints[i] = doc_text(text_from(etcd->endpoints[i]), NULL);
    }
    doc_builder_init(&builder, arena);
    relocate_put(&builder, "ca", etcd->ca_file);
    relocate_put(&builder, "certificate", etcd->certificate_file);
    doc_builder_put(&builder, "endpoints", doc_list(endpoints, etcd->endpoint_count, NULL));
    doc_builder_put(
        &builder, "id",
        doc_text(hex_format(arena, (struct text){ (const char *)id->bytes, sizeof(id->bytes) }),
                 NULL));
    relocate_put(&builder, "key", etcd->key_file);
    relocate_put(&builder, "prefix", etcd->prefix);
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return folder_open(options->folder, &folder, err) &&
           file_replace(folder, RELOCATE_JOURNAL, buf_text(&buf), 0600, err);
}

static const char *relocate_member(struct arena *arena, const struct doc *doc, const char *name)
{
    const struct doc *member = doc_child(doc, name);

    return doc_is_scalar(member) ? arena_string(arena, member->text) : NULL;
}

MUST_CHECK static bool relocate_journal_parse(struct arena *arena, struct text text,
                                              struct etcd_options *out, struct etcd_move_id *id,
                                              struct err *err)
{
    const struct doc *list;
    const char **endpoints;
    const char *digits;
    struct doc doc;

    if (!json_parse(arena, text, NULL, &doc, err) || !doc_is_map(&doc)) {
        return err_set(err, CODE_R0534, RELOCATE_JOURNAL " is not what reeve wrote");
    }
    list = doc_child(&doc, "endpoints");
    digits = relocate_member(arena, &doc, "id");
    *out = (struct etcd_options){ .ca_file = relocate_member(arena, &doc, "ca"),
                                  .certificate_file = relocate_member(arena, &doc, "certificate"),
                                  .key_file = relocate_member(arena, &doc, "key"),
                                  .prefix = relocate_member(arena, &doc, "prefix") };
    if (!doc_is_list(list) || digits == NULL || strlen(digits) != 2 * sizeof(id->bytes) ||
        !hex_is(text_from(digits)) || out->prefix == NULL) {
        return err_set(err, CODE_R0534, RELOCATE_JOURNAL " is not what reeve wrote");
    }
    hex_parse(text_from(digits), (char *)id->bytes);
    endpoints = arena_array(arena, const char *, list->item_count);
    for (size_t i = 0; i < list->item_count; i++) {
        endpoints[i] = arena_string(arena, list->items[i].text);
    }
    out->endpoints = endpoints;
    out->endpoint_count = list->item_count;
    return true;
}

/* ---- from etcd ---- */

/* Makes the store that was copied from etcd usable. The move is already committed. */
MUST_CHECK static bool relocate_sqlite_complete(const char *folder, const char *id_file,
                                                struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const char *arriving = relocate_path(arena, folder, RELOCATE_ARRIVING);
    const char *id_path = relocate_path(arena, folder, id_file);
    const char *former = arena_printf(arena, "%s.former", id_path).data;

    if (access(arriving, F_OK) == 0 && !sqlite_arrive(folder, arriving, err)) {
        return false;
    }
    if (rename(id_path, former) != 0 && errno != ENOENT) {
        return err_set(err, CODE_R0534, "%s: %s", id_path, strerror(errno));
    }
    return unlink(relocate_path(arena, folder, RELOCATE_JOURNAL)) == 0 || errno == ENOENT ||
           err_set(err, CODE_R0534, RELOCATE_JOURNAL ": %s", strerror(errno));
}

/* Reads the file and compares it with the store. */
MUST_CHECK static bool relocate_file_check(const char *path, const struct tally *store,
                                           struct err *err)
{
    struct tally *copy = tally_new(NULL);
    struct store_dump_sink sink = tally_sink(copy);
    struct sqlite_source *source = NULL;
    struct store_dump_head head;
    bool is_good = sqlite_source_open_backup(path, &source, err) &&
                   sqlite_source_dump(source, &sink, &head, err) && tally_compare(store, copy, err);

    sqlite_source_close(source);
    tally_free(copy);
    return is_good;
}

/* Writes the store in etcd to a new file, and compares both. */
MUST_CHECK static bool relocate_file_make(const struct relocate_options *options,
                                          struct etcd_move *move, const char *path,
                                          const struct etcd_move_found *found,
                                          struct relocate_result *out, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct store_dump_head head = { .revision = 0 };
    struct sqlite_build *build = NULL;
    struct store_dump_sink target;
    struct store_dump_sink sink;
    struct tally *store;
    bool is_good;

    if (!sqlite_build_open(path, found->incarnation, &build, err)) {
        return false;
    }
    target = sqlite_build_sink(build);
    store = tally_new(&target);
    sink = tally_sink(store);
    relocate_step(options, "copy", TEXT("copying the store"));
    is_good = etcd_move_dump(move, &sink, &head, err);
    if (is_good) {
        relocate_step(options, "arrived", relocate_counts(arena, "copied", store));
    }
    is_good = is_good && sqlite_build_end(build, head.revision, err);
    sqlite_build_close(build);
    if (is_good) {
        relocate_step(options, "check", TEXT("reading the copy, and comparing counts and digests"));
    }
    is_good = is_good && relocate_file_check(path, store, err);
    relocate_result_set(out, store, &head);
    tally_free(store);
    return is_good;
}

/* Fails if the store cannot be moved to the folder. */
MUST_CHECK static bool relocate_sqlite_check(const struct relocate_options *options,
                                             struct etcd_move *move,
                                             const struct etcd_move_found *found, struct err *err)
{
    size_t others = 0;

    if (found->state == ETCD_MOVE_MOVED) {
        return err_set(err, CODE_R0591, "the store below '%s' was moved to %s",
                       options->etcd->prefix, found->place);
    }
    if (found->state == ETCD_MOVE_NONE || found->state == ETCD_MOVE_ARRIVING) {
        return err_set(err, CODE_R0593, "there is no store below '%s' in etcd that managers use",
                       options->etcd->prefix);
    }
    relocate_step(options, "open", TEXT("checking that no manager runs"));
    if (!etcd_move_check(move, options->manager, &others, err)) {
        return false;
    }
    if (others > 0) {
        err_set(err, CODE_R0593, "the store has %zu other manager%s, which could no longer use it",
                others, others == 1 ? "" : "s");
        return err_hint(err, "start the managers, let the others leave (reeve manager leave NAME), "
                             "stop this one, and repeat the command");
    }
    return true;
}

MUST_CHECK static bool relocate_sqlite_copy(const struct relocate_options *options,
                                            struct etcd_move *move,
                                            const struct etcd_move_found *found,
                                            const struct etcd_move_id *id,
                                            struct relocate_result *out, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const char *arriving = relocate_path(arena, options->folder, RELOCATE_ARRIVING);
    struct err ignored;

    if (!etcd_move_freeze(move, id, relocate_folder_place(arena, options->folder), err)) {
        return false;
    }
    relocate_step(options, "frozen", TEXT(""));
    if (!relocate_file_make(options, move, arriving, found, out, err)) {
        unlink(arriving);
        /* if this fails, the next start of a manager does it */
        (void)!etcd_move_activate(move, &ignored);
        return false;
    }
    relocate_step(options, "commit", TEXT("the copy is complete; closing the old store"));
    if (!etcd_move_leave(move, err)) {
        err_note(err, "if the store in etcd does not open, the move is complete: start the manager "
                      "with store: sqlite");
        return false;
    }
    relocate_step(options, "activate", TEXT(""));
    return relocate_sqlite_complete(options->folder, options->id_file, err);
}

bool relocate_to_sqlite(const struct relocate_options *options, struct relocate_result *out,
                        struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct etcd_move_found found;
    struct etcd_move *move;
    struct etcd_move_id id;
    bool is_good;

    random_fill(options->random, id.bytes, sizeof(id.bytes));
    if (!etcd_move_open(options->etcd, &move, &found, err)) {
        return false;
    }
    is_good = relocate_sqlite_check(options, move, &found, err);
    unlink(relocate_path(arena, options->folder, RELOCATE_ARRIVING));
    is_good = is_good && relocate_journal_write(options, &id, err) &&
              relocate_sqlite_copy(options, move, &found, &id, out, err);
    etcd_move_close(move);
    return is_good;
}

bool relocate_finish(const char *folder, const char *id_file, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    AUTO(fd) opened = FD_NONE;
    AUTO(fd) file = FD_NONE;
    struct etcd_options etcd;
    struct etcd_move_found found;
    struct etcd_move *move;
    struct etcd_move_id id;
    struct text text;
    bool is_committed;

    if (!folder_open(folder, &opened, err)) {
        return false;
    }
    if (!file_open_beneath(opened, RELOCATE_JOURNAL, &file, err)) {
        return true; /* there is no move in progress */
    }
    if (access(relocate_path(arena, folder, RELOCATE_ARRIVING), F_OK) != 0 &&
        access(relocate_path(arena, folder, id_file), F_OK) != 0) {
        return relocate_sqlite_complete(folder, id_file, err);
    }
    if (!file_read_beneath(arena, opened, RELOCATE_JOURNAL, 64 * 1024, &text, err) ||
        !relocate_journal_parse(arena, text, &etcd, &id, err) ||
        !etcd_move_open(&etcd, &move, &found, err)) {
        return err_note(err,
                        "a move of the store from etcd to '%s' was interrupted, and etcd must "
                        "answer whether it was completed",
                        folder);
    }
    is_committed =
        found.state == ETCD_MOVE_MOVED && memcmp(found.id.bytes, id.bytes, sizeof(id.bytes)) == 0;
    etcd_move_close(move);
    if (is_committed) {
        return relocate_sqlite_complete(folder, id_file, err);
    }
    err_set(err, CODE_R0593, "the move of the store from etcd to '%s' was not completed", folder);
    return err_hint(err, "the store is still in etcd: set store: {etcd: ...} in reeved.yaml, and "
                         "start the manager, or run reeve manager move-store --to sqlite again");
}

/* ---- backups ---- */

static void relocate_silent(void *arg, struct text line)
{
    (void)arg;
    (void)line;
}

bool relocate_snapshot(const struct etcd_options *etcd, const char *path, uint64_t *out_revision,
                       struct err *err)
{
    struct relocate_options options = { .etcd = etcd, .report = relocate_silent };
    struct relocate_result result;
    struct etcd_move_found found;
    struct etcd_move *move;
    bool is_good;

    if (!etcd_move_open(etcd, &move, &found, err)) {
        return false;
    }
    if (found.state != ETCD_MOVE_ACTIVE && found.state != ETCD_MOVE_FROZEN) {
        etcd_move_close(move);
        return err_set(err, CODE_R0522, "there is no store below '%s' in etcd", etcd->prefix);
    }
    is_good = relocate_file_make(&options, move, path, &found, &result, err);
    etcd_move_close(move);
    *out_revision = result.revision;
    return is_good;
}

/* Keeps a copy of the store that a restore replaces. */
MUST_CHECK static bool relocate_kept_make(const struct relocate_options *options,
                                          struct etcd_move *move,
                                          const struct etcd_move_found *found, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const char *kept = relocate_path(arena, options->folder, RELOCATE_KEPT);
    const char *path = relocate_path(arena, kept, "store.db");
    struct relocate_result unused;
    size_t others;

    if (found->state != ETCD_MOVE_ACTIVE && found->state != ETCD_MOVE_FROZEN) {
        return true;
    }
    if (mkdir(kept, 0700) != 0 && errno != EEXIST) {
        return err_set(err, CODE_R0534, "%s: %s", kept, strerror(errno));
    }
    unlink(path);
    return etcd_move_check(move, options->manager, &others, err) &&
           relocate_file_make(options, move, path, found, &unused, err);
}

bool relocate_restore(const struct relocate_options *options, const char *backup, bool replaces,
                      struct relocate_result *out, struct err *err)
{
    struct sqlite_source *source = NULL;
    struct etcd_move *move = NULL;
    struct etcd_move_found found;
    struct store_dump_head head;
    struct etcd_move_id id;
    bool is_good;

    random_fill(options->random, id.bytes, sizeof(id.bytes));
    is_good = sqlite_source_open_backup(backup, &source, err) &&
              sqlite_source_dump(source, NULL, &head, err) &&
              etcd_move_open(options->etcd, &move, &found, err);
    /* the restored store gets a new incarnation (I14) */
    random_fill(options->random, head.incarnation, sizeof(head.incarnation));
    if (is_good && found.state != ETCD_MOVE_NONE && !replaces) {
        err_set(err, CODE_R0523, "there is a store below '%s' in etcd", options->etcd->prefix);
        is_good =
            err_hint(err, "reeve restore --replace replaces it, and keeps it in " RELOCATE_KEPT);
    }
    is_good = is_good && relocate_kept_make(options, move, &found, err) &&
              etcd_move_arrive(move, &head, &id, text_from(backup), replaces, err) &&
              relocate_etcd_copy(options, source, move, &head, out, err) &&
              etcd_move_activate(move, err);
    etcd_move_close(move);
    sqlite_source_close(source);
    return is_good;
}
