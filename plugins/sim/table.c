#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE_MARK UINT64_C(0x72656576652d726f)

enum { ROWS_FIRST = 1024, PATH_BYTES = 4096, KIND_BYTES = 16 * 1024, NONE = 0 };

struct known_kind {
    struct table_kind kind; /* its texts point into `bytes` */
    struct reeve_text bytes;
    uint32_t next; /* index + 1 of the next kind of the same cluster */
};

/* The table. Stored indexes are row numbers plus 1; 0 means none. The rows of a cluster form a
 * linked list, and so do the free rows. */
struct table {
    int rows_file;
    int kinds_file;
    struct table_row *rows;
    uint32_t *nexts; /* by row: the next row of its cluster or of the free list */
    uint32_t *backs;
    uint32_t *slots; /* hash table from tokens to rows */
    uint32_t room;   /* number of rows; the hash table has twice as many slots */
    uint32_t count;  /* number of rows that are machines */
    uint32_t free;
    struct known_kind *kinds;
    uint32_t kind_count;
    struct table_cluster **clusters; /* hash table of names */
    uint32_t cluster_room;
    uint32_t cluster_count;
};

static uint64_t hash_of(struct reeve_text text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (uint64_t i = 0; i < text.length; i++) {
        hash = (hash ^ (unsigned char)text.bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash ^ (hash >> 29);
}

static bool is_equal(struct reeve_text a, struct reeve_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static struct reeve_text text_of(const char *string)
{
    return (struct reeve_text){ string, strlen(string) };
}

/* ---- clusters ---- */

static bool clusters_grow(struct table *table)
{
    uint32_t room = table->cluster_room == 0 ? 64 : table->cluster_room * 2;
    struct table_cluster **clusters = calloc(room, sizeof(struct table_cluster *));

    if (clusters == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < table->cluster_room; i++) {
        if (table->clusters[i] != NULL) {
            uint64_t at = hash_of(table->clusters[i]->name);

            while (clusters[at & (room - 1)] != NULL) {
                at++;
            }
            clusters[at & (room - 1)] = table->clusters[i];
        }
    }
    free(table->clusters);
    table->clusters = clusters;
    table->cluster_room = room;
    return true;
}

struct table_cluster *table_cluster(struct table *table, struct reeve_text name, bool is_made)
{
    uint64_t at = hash_of(name);
    struct table_cluster *cluster;

    if (is_made && table->cluster_count * 2 >= table->cluster_room && !clusters_grow(table)) {
        return NULL;
    }
    while (table->cluster_room > 0 &&
           (cluster = table->clusters[at & (table->cluster_room - 1)]) != NULL) {
        if (is_equal(cluster->name, name)) {
            return cluster;
        }
        at++;
    }
    if (!is_made) {
        return NULL;
    }
    cluster = calloc(1, sizeof(*cluster) + name.length);
    if (cluster != NULL) {
        memcpy(cluster + 1, name.bytes, name.length);
        cluster->name = (struct reeve_text){ (char *)(cluster + 1), name.length };
        table->clusters[at & (table->cluster_room - 1)] = cluster;
        table->cluster_count++;
    }
    return cluster;
}

/* ---- kinds ---- */

/* Writes a text with its length, in the format of the file. In the file, a kind is its total
 * length, followed by its texts. */
static size_t text_write(char *out, size_t at, struct reeve_text text)
{
    uint32_t length = (uint32_t)text.length;

    if (at + sizeof(length) + length > KIND_BYTES) {
        return KIND_BYTES + 1;
    }
    memcpy(out + at, &length, sizeof(length));
    memcpy(out + at + sizeof(length), text.bytes, length);
    return at + sizeof(length) + length;
}

static bool text_read(struct reeve_text *from, struct reeve_text *out)
{
    uint32_t length;

    if (from->length < sizeof(length)) {
        return false;
    }
    memcpy(&length, from->bytes, sizeof(length));
    from->bytes += sizeof(length);
    from->length -= sizeof(length);
    if (length > from->length) {
        return false;
    }
    *out = (struct reeve_text){ from->bytes, length };
    from->bytes += length;
    from->length -= length;
    return true;
}

static size_t kind_write(const struct table_kind *kind, char *out)
{
    size_t at = text_write(out, sizeof(uint32_t), kind->cluster);
    uint32_t length;

    at = text_write(out, at, kind->zone);
    for (uint32_t i = 0; i < kind->tag_count; i++) {
        at = text_write(out, at, kind->tags[i].name);
        at = text_write(out, at, kind->tags[i].value);
    }
    length = (uint32_t)at;
    memcpy(out, &length, sizeof(length));
    return at;
}

/* Adds a kind from these bytes, which must remain valid. */
static bool kind_know(struct table *table, struct reeve_text bytes)
{
    struct reeve_text rest = { bytes.bytes + sizeof(uint32_t), bytes.length - sizeof(uint32_t) };
    struct known_kind *kinds = table->kinds;
    struct known_kind *known;
    struct table_cluster *cluster;
    struct table_kind *kind;

    if ((table->kind_count & (table->kind_count - 1)) == 0) {
        kinds = realloc(kinds, (table->kind_count == 0 ? 1 : (size_t)table->kind_count * 2) *
                                   sizeof(*kinds));
    }
    if (kinds == NULL) {
        return false;
    }
    table->kinds = kinds;
    known = &kinds[table->kind_count];
    *known = (struct known_kind){ .bytes = bytes };
    kind = &known->kind;
    if (!text_read(&rest, &kind->cluster) || !text_read(&rest, &kind->zone)) {
        return false;
    }
    while (kind->tag_count < TABLE_KIND_TAGS &&
           text_read(&rest, &kind->tags[kind->tag_count].name) &&
           text_read(&rest, &kind->tags[kind->tag_count].value)) {
        kind->tag_count++;
    }
    cluster = table_cluster(table, kind->cluster, true);
    if (cluster == NULL) {
        return false;
    }
    known->next = cluster->first_kind;
    cluster->first_kind = ++table->kind_count;
    return true;
}

bool table_kind_make(struct table *table, const struct table_kind *like, uint32_t *out)
{
    const struct table_cluster *cluster = table_cluster(table, like->cluster, true);
    char bytes[KIND_BYTES];
    size_t length = kind_write(like, bytes);
    char *kept;

    if (cluster == NULL || length > KIND_BYTES) {
        return false;
    }
    for (uint32_t number = cluster->first_kind; number > 0;
         number = table->kinds[number - 1].next) {
        if (is_equal(table->kinds[number - 1].bytes, (struct reeve_text){ bytes, length })) {
            *out = number;
            return true;
        }
    }
    kept = malloc(length);
    if (kept == NULL || write(table->kinds_file, bytes, length) != (ssize_t)length) {
        free(kept);
        return false;
    }
    memcpy(kept, bytes, length);
    *out = table->kind_count + 1;
    return kind_know(table, (struct reeve_text){ kept, length });
}

const struct table_kind *table_kind_at(const struct table *table, uint32_t number)
{
    return &table->kinds[number - 1].kind;
}

/* Loads the kinds. The last kind may be incomplete; in that case no row refers to it. */
static bool kinds_load(struct table *table)
{
    struct stat status;
    char *bytes;
    off_t at = 0;

    if (fstat(table->kinds_file, &status) != 0) {
        return false;
    }
    bytes = malloc((size_t)status.st_size + 1); /* kept until the process ends */
    if (bytes == NULL ||
        pread(table->kinds_file, bytes, (size_t)status.st_size, 0) != (ssize_t)status.st_size) {
        free(bytes);
        return false;
    }
    while (status.st_size - at >= (off_t)sizeof(uint32_t)) {
        uint32_t length;

        memcpy(&length, bytes + at, sizeof(length));
        if (length < sizeof(length) || length > status.st_size - at ||
            !kind_know(table, (struct reeve_text){ bytes + at, length })) {
            break;
        }
        at += (off_t)length;
    }
    return ftruncate(table->kinds_file, at) == 0 && lseek(table->kinds_file, at, SEEK_SET) == at;
}

/* ---- rows ---- */

static uint32_t *slot_find(const struct table *table, struct reeve_text cluster,
                           struct reeve_text token)
{
    uint64_t mask = (uint64_t)table->room * 2 - 1;
    uint64_t at = hash_of(token);

    for (;; at++) {
        uint32_t *slot = &table->slots[at & mask];
        const struct table_row *row = *slot == NONE ? NULL : &table->rows[*slot - 1];

        if (row == NULL || (is_equal(text_of(row->token), token) &&
                            is_equal(table->kinds[row->kind - 1].kind.cluster, cluster))) {
            return slot;
        }
    }
}

static struct table_cluster *cluster_of(struct table *table, const struct table_row *row)
{
    return table_cluster(table, table->kinds[row->kind - 1].kind.cluster, true);
}

/* Adds a row that became a machine to the indexes by token and cluster. */
static void row_link(struct table *table, uint32_t number)
{
    struct table_row *row = &table->rows[number - 1];
    struct table_cluster *cluster = cluster_of(table, row);

    *slot_find(table, cluster->name, text_of(row->token)) = number;
    table->nexts[number - 1] = cluster->first;
    table->backs[number - 1] = NONE;
    if (cluster->first != NONE) {
        table->backs[cluster->first - 1] = number;
    }
    cluster->first = number;
    cluster->settled_ms =
        row->running_ms > cluster->settled_ms ? row->running_ms : cluster->settled_ms;
    table->count++;
}

static bool is_good(const struct table *table, const struct table_row *row)
{
    return row->mark == TABLE_MARK && row->kind > 0 && row->kind <= table->kind_count &&
           memchr(row->token, '\0', sizeof(row->token)) != NULL &&
           memchr(row->mac, '\0', sizeof(row->mac)) != NULL;
}

/* Maps the file for `room` rows and rebuilds the indexes. Called on opening, and when the file
 * grows. */
static bool rows_map(struct table *table, uint32_t room)
{
    size_t bytes = (size_t)room * sizeof(struct table_row);
    void *rows;

    if (ftruncate(table->rows_file, (off_t)bytes) != 0) {
        return false;
    }
    rows = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, table->rows_file, 0);
    if (rows == MAP_FAILED) {
        return false;
    }
    if (table->rows != NULL) {
        munmap(table->rows, (size_t)table->room * sizeof(struct table_row));
    }
    free(table->nexts);
    free(table->backs);
    free(table->slots);
    table->rows = rows;
    table->room = room;
    table->nexts = calloc(room, sizeof(uint32_t));
    table->backs = calloc(room, sizeof(uint32_t));
    table->slots = calloc((size_t)room * 2, sizeof(uint32_t));
    return table->nexts != NULL && table->backs != NULL && table->slots != NULL;
}

static bool rows_load(struct table *table, uint32_t room)
{
    if (!rows_map(table, room)) {
        return false;
    }
    for (uint32_t i = 0; i < table->cluster_room; i++) {
        if (table->clusters[i] != NULL) {
            table->clusters[i]->first = NONE;
        }
    }
    table->free = NONE;
    table->count = 0;
    for (uint32_t number = room; number > 0; number--) {
        if (is_good(table, &table->rows[number - 1])) {
            row_link(table, number);
        } else {
            table->nexts[number - 1] = table->free;
            table->free = number;
        }
    }
    return true;
}

struct table_row *table_find(struct table *table, struct reeve_text cluster,
                             struct reeve_text token)
{
    uint32_t number = *slot_find(table, cluster, token);

    return number == NONE ? NULL : &table->rows[number - 1];
}

bool table_add(struct table *table, const struct table_row *from)
{
    struct table_row *row;
    uint32_t number;

    if (table->free == NONE && !rows_load(table, table->room * 2)) {
        return false;
    }
    number = table->free;
    table->free = table->nexts[number - 1];
    row = &table->rows[number - 1];
    *row = *from;
    row->mark = 0;
    /* from now on the row is a machine */
    __atomic_store_n(&row->mark, TABLE_MARK, __ATOMIC_RELEASE);
    row_link(table, number);
    cluster_of(table, row)->changes++;
    return true;
}

/* Closes the gap of a removed slot of the hash table: moves back later slots that this slot had
 * displaced. */
static void slots_close(struct table *table, uint32_t *slot)
{
    uint64_t mask = (uint64_t)table->room * 2 - 1;
    uint64_t at = (uint64_t)(slot - table->slots);

    *slot = NONE;
    for (at = (at + 1) & mask; table->slots[at] != NONE; at = (at + 1) & mask) {
        uint32_t number = table->slots[at];
        const struct table_row *row = &table->rows[number - 1];

        table->slots[at] = NONE;
        *slot_find(table, table->kinds[row->kind - 1].kind.cluster, text_of(row->token)) = number;
    }
}

void table_remove(struct table *table, struct table_row *row)
{
    uint32_t number = (uint32_t)(row - table->rows) + 1;
    struct table_cluster *cluster = cluster_of(table, row);
    uint32_t next = table->nexts[number - 1];
    uint32_t back = table->backs[number - 1];

    slots_close(table, slot_find(table, cluster->name, text_of(row->token)));
    if (next != NONE) {
        table->backs[next - 1] = back;
    }
    if (back != NONE) {
        table->nexts[back - 1] = next;
    } else {
        cluster->first = next;
    }
    __atomic_store_n(&row->mark, 0, __ATOMIC_RELEASE);
    table->nexts[number - 1] = table->free;
    table->free = number;
    table->count--;
    cluster->changes++;
}

struct table_row *table_first(struct table *table, const struct table_cluster *cluster)
{
    return cluster->first == NONE ? NULL : &table->rows[cluster->first - 1];
}

struct table_row *table_next(struct table *table, const struct table_row *row)
{
    uint32_t next = table->nexts[row - table->rows];

    return next == NONE ? NULL : &table->rows[next - 1];
}

/* ---- opening and closing ---- */

static int file_open(struct reeve_text folder, const char *name)
{
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof(path), "%.*s/%s", (int)folder.length, folder.bytes, name);

    return length < 0 || length >= PATH_BYTES ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

struct table *table_open(struct reeve_text folder, const char **why)
{
    struct table *table = calloc(1, sizeof(*table));
    uint64_t room = ROWS_FIRST;
    struct stat status;

    if (table == NULL) {
        *why = "there is no memory";
        return NULL;
    }
    table->rows_file = file_open(folder, "machines");
    table->kinds_file = file_open(folder, "kinds");
    if (table->rows_file < 0 || table->kinds_file < 0 || fstat(table->rows_file, &status) != 0) {
        *why = strerror(errno);
        table_close(table);
        return NULL;
    }
    while (room * sizeof(struct table_row) < (uint64_t)status.st_size) {
        room *= 2;
    }
    if (room > UINT32_MAX / 4 || !clusters_grow(table) || !kinds_load(table) ||
        !rows_load(table, (uint32_t)room)) {
        *why = "its files cannot be read";
        table_close(table);
        return NULL;
    }
    return table;
}

/* Closes the table. The texts of kinds are not freed, because the process ends afterwards. */
void table_close(struct table *table)
{
    if (table->rows != NULL) {
        munmap(table->rows, (size_t)table->room * sizeof(struct table_row));
    }
    if (table->rows_file >= 0) {
        close(table->rows_file);
    }
    if (table->kinds_file >= 0) {
        close(table->kinds_file);
    }
    for (uint32_t i = 0; i < table->cluster_room; i++) {
        free(table->clusters[i]);
    }
    free(table->clusters);
    free(table->kinds);
    free(table->nexts);
    free(table->backs);
    free(table->slots);
    free(table);
}
