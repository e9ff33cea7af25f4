#include "base/limits.h"
#include "codec/json.h"
#include "query/query_parts.h"
#include "query/service_rows.h"

#include <assert.h>

/* Lists of objects, and lookup of the names of objects. */

/* Return the prefix of the keys of a list. Empty if the cluster does not exist. */
static struct text list_prefix(struct service *service, struct arena *arena,
                               const struct service_actor *actor, const struct service_list *list,
                               struct err *err)
{
    const struct cache_object *cluster;

    if (list->cluster.length == 0) {
        return arena_printf(arena, "/%.*s/%s/", TEXT_ARG(actor->tenant), list->kind->name);
    }
    cluster = objects_find(service->cache, actor->tenant, objects_kind("Cluster"), list->cluster);
    if (cluster == NULL) {
        (void)!service_unfound(objects_kind("Cluster"), list->cluster, err);
        return TEXT("");
    }
    return objects_group_prefix(arena, actor->tenant, cache_id(cluster));
}

/* ---- rows ---- */

struct listing {
    const struct service_list *list;
    const struct cache *cache;
    struct service_rows *rows; /* rows of whole objects; NULL: the request selects fields */
    struct arena *scratch;     /* temporary data of one row */
    struct buf *out;           /* output of rows with selected fields */
    size_t count;
};

/* Copies the part of a tree at `path` into the tree `kept`, which collects the requested fields. */
static struct doc branch_keep(struct arena *arena, const struct doc *kept, const struct doc *from,
                              struct text path)
{
    struct text key = text_slice(path, 0, text_find_byte(path, '.'));
    struct text rest = text_slice(path, key.length + 1, path.length);
    const struct doc *value = doc_find(from, key);
    struct doc_builder builder;
    struct doc_entry entry = { .key = key };

    if (value == NULL) {
        return *kept;
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < kept->entry_count; i++) {
        doc_builder_add(&builder, &kept->entries[i]);
    }
    entry.value = *value;
    if (rest.length > 0) {
        const struct doc *below = doc_find(kept, key);
        struct doc none = doc_map(NULL, 0, NULL);

        entry.value = branch_keep(arena, doc_is_map(below) ? below : &none, value, rest);
    }
    doc_builder_add(&builder, &entry);
    return doc_builder_map(&builder, NULL);
}

void service_row_trim(struct arena *arena, struct buf *out, struct text fields, struct text row)
{
    struct doc kept = doc_map(NULL, 0, NULL);
    struct doc whole;
    struct err err;

    if (fields.length == 0 || !json_parse(arena, row, NULL, &whole, &err)) {
        buf_add(out, row);
        return;
    }
    while (fields.length > 0) {
        struct text path = text_slice(fields, 0, text_find_byte(fields, ','));

        kept = branch_keep(arena, &kept, &whole, text_trim(path));
        fields = text_slice(fields, path.length + 1, fields.length);
    }
    json_format(out, &kept);
}

/* Return the text between two rows. */
static struct text gap_of(const struct service_list *list)
{
    return list->is_lines ? TEXT("\n") : TEXT(",");
}

static void list_row_add(void *arg, const struct cache_object *object)
{
    struct listing *listing = arg;
    struct arena_mark mark;
    struct buf row;

    if (object->parts[CACHE_SPEC].bytes == NULL) {
        return; /* an object without a spec: only a marker or a status exists */
    }
    if (listing->rows != NULL) {
        service_rows_add(listing->rows, object);
        listing->count++;
        return;
    }
    mark = arena_mark(listing->scratch);
    buf_add(listing->out, listing->count++ > 0 ? gap_of(listing->list) : TEXT(""));
    buf_init(&row, listing->scratch);
    show_object(&row, listing->cache, object, true);
    service_row_trim(listing->scratch, listing->out, listing->list->fields, buf_text(&row));
    arena_rewind(listing->scratch, mark);
}

/* ---- the list ---- */

MUST_CHECK static bool list_make(struct service *service, struct arena *arena,
                                 const struct service_actor *actor, struct listing *listing,
                                 struct cache_page *page, struct err *err)
{
    const struct service_list *list = listing->list;
    size_t limit = list->limit == 0 || list->limit > LIMIT_PAGE ? LIMIT_PAGE : list->limit;
    struct cache_scope scope = { .prefix = list_prefix(service, arena, actor, list, err) };
    struct selector selector;

    if (scope.prefix.length == 0) {
        return false;
    }
    if (list->selector.length > 0) {
        if (!selector_parse(arena, list->selector, &selector, err)) {
            return false;
        }
        scope.selector = &selector;
    }
    page->token = list->next;
    return cache_list(service->cache, arena, &scope, page, limit, list_row_add, listing, err);
}

static struct text list_head_of(const struct service_list *list)
{
    return list->is_lines ? TEXT("") : TEXT("{\"items\":[");
}

/* Build the text after the last row. */
static struct text tail_make(struct arena *arena, const struct listing *listing,
                             const struct cache_page *page)
{
    struct buf buf;

    if (listing->list->is_lines) {
        return listing->count > 0 ? TEXT("\n") : TEXT("");
    }
    buf_init(&buf, arena);
    buf_add_string(&buf, "]");
    if (page->token.length > 0) {
        struct doc token = doc_text(page->token, NULL);

        buf_add_string(&buf, ",\"next\":");
        json_format(&buf, &token);
    }
    buf_printf(&buf, ",\"revision\":%llu}", (unsigned long long)page->revision);
    return buf_text(&buf);
}

/* Joins the rows into one text and frees them. */
static struct text rows_join(struct arena *arena, struct service_rows *rows)
{
    size_t bytes = service_rows_bytes(rows);
    char *data = arena_alloc(arena, bytes + 1);
    size_t read = service_rows_read(rows, data, bytes);

    assert(read == bytes);
    service_rows_end(rows);
    return (struct text){ data, bytes };
}

/* Fills the answer with the rows themselves if the list is long and the sender accepts that,
 * otherwise with one text. */
static void answer_fill(struct service_answer *answer, struct arena *arena,
                        const struct listing *listing, const struct cache_page *page)
{
    struct text tail = tail_make(arena, listing, page);

    answer->next = page->token;
    if (listing->rows == NULL) {
        buf_add(listing->out, tail);
        answer->body = buf_text(listing->out);
        return;
    }
    service_rows_frame(listing->rows, list_head_of(listing->list), tail);
    if (listing->list->can_take_rows && service_rows_bytes(listing->rows) > LIMIT_LIST_BODY_BYTES) {
        answer->rows = listing->rows;
    } else {
        answer->body = rows_join(arena, listing->rows);
    }
}

void service_list(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_list *list, service_done *done, void *arg)
{
    struct listing listing = { .list = list, .cache = service->cache };
    struct service_answer answer = { .revision = cache_revision(service->cache) };
    struct cache_page page = { 0 };
    struct err_list errors;
    struct buf buf;
    struct err err;
    bool is_made;

    if (list->cluster.length > 0 && list->kind->owner != OWNER_NODEGROUP) {
        /* a sender with access to one cluster may name it in the request, and must not see other
         * clusters */
        err_set(&err, CODE_R0426, "cluster= selects only nodegroups, not %s", list->kind->plural);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (list->at_revision > 0 || list->at_ms > 0) {
        service_past_list(service, arena, actor, list, done, arg);
        return;
    }
    listing.scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    buf_init(&buf, arena);
    listing.out = &buf;
    buf_add(&buf, list_head_of(list));
    if (list->fields.length == 0) {
        listing.rows = service_rows_new(arena, list->kind, gap_of(list));
    }
    is_made = list_make(service, arena, actor, &listing, &page, &err);
    arena_free(listing.scratch);
    if (!is_made) {
        if (listing.rows != NULL) {
            service_rows_end(listing.rows);
        }
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    err_list_init(&errors, arena);
    answer.errors = &errors;
    answer_fill(&answer, arena, &listing, &page);
    done(arg, &answer);
}

/* ---- names ---- */

struct text service_name_find(struct service *service, struct arena *arena,
                              const struct service_actor *actor, const struct schema_kind *kind,
                              struct text name)
{
    const struct cache_object *object = objects_find(service->cache, actor->tenant, kind, name);
    struct stored_part part;
    struct err err;

    if (object == NULL ||
        !stored_part_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_SPEC].bytes)),
                           TEXT(""), NULL, &part, &err)) {
        return TEXT("");
    }
    return kind->owner != OWNER_NODEGROUP
               ? part.meta.name
               : arena_printf(arena, "%.*s/%.*s", TEXT_ARG(part.meta.cluster),
                              TEXT_ARG(part.meta.name));
}
