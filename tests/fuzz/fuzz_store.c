/* The files of a store with arbitrary bytes, on a disk in memory: the store is opened and read
 * completely. Nothing breaks, a refusal has a reason, and all returned data matches its checksum.
 *
 * The first two bytes of the input determine which share of it is for the WAL and for the note, in
 * 1/255 of the rest. The rest is XORed over the files of a valid store, so that most of the content
 * is valid. The files keep their lengths. Checksums of the WAL's header and frames are corrected,
 * because otherwise only the checksum check would be tested. */

#include "disk.h"
#include "fuzz.h"
#include "sqlite/sqlite_check.h"
#include "sqlite/sqlite_db.h"
#include "sqlite/sqlite_wal.h"

#include <string.h>

enum { HEADER_BYTES = 32, FRAME_BYTES = 24, FILE_MAX = 65536, WRITES = 24 };

static const unsigned char incarnation[17] = "fuzzed store 16.";
static const char *const files[] = { "store.db", "store.db-wal", "store.db-note",
                                     "store.db-audit" };

struct bytes {
    unsigned char data[FILE_MAX];
    size_t length;
};

/* Writes a few revisions, and copies the files before the store is closed. */
static void model_make(struct disk *disk, struct bytes models[3])
{
    struct sqlite_opening opening = { "store.db", "fuzz", incarnation };
    struct store_answer answer = { 0 };
    struct sqlite_db *db;
    struct err err;

    FUZZ_CHECK(sqlite_db_open(&opening, &db, &err));
    for (unsigned i = 0; i < WRITES; i++) {
        struct store_op op = { .key = i % 3 == 0 ? TEXT("/t/k/a/spec") : TEXT("/t/k/b/status"),
                               .value = TEXT("some value"),
                               .is_delete = i % 8 == 7 };
        struct store_event event = { .cluster = TEXT("t/c"), .body = TEXT("body") };
        struct store_txn txn = { NULL, 0, &op, 1, &event, 1 };
        struct sqlite_result result = { 0 };
        struct sqlite_write write = { &txn, &result, &answer };

        sqlite_db_write(db, &write, 1);
        FUZZ_CHECK(result.outcome == OUTCOME_OK);
        if (i == WRITES / 2) {
            sqlite_db_close(db);
            FUZZ_CHECK(sqlite_db_open(&opening, &db, &err));
        }
    }
    for (size_t i = 0; i < 3; i++) {
        const unsigned char *file = disk_file(disk, files[i], &models[i].length);

        models[i].length = models[i].length < FILE_MAX ? models[i].length : FILE_MAX;
        memcpy(models[i].data, file, models[i].length);
    }
    sqlite_db_close(db);
}

static void sum_repair(unsigned char sums[8], const unsigned char *data, size_t bytes)
{
    uint32_t a =
        (uint32_t)sums[0] << 24 | (uint32_t)sums[1] << 16 | (uint32_t)sums[2] << 8 | sums[3];
    uint32_t b =
        (uint32_t)sums[4] << 24 | (uint32_t)sums[5] << 16 | (uint32_t)sums[6] << 8 | sums[7];

    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint32_t words[2];

        /* checksums are little-endian on the machines that run the fuzzers */
        memcpy(words, data + i, 8);
        a += words[0] + b;
        b += words[1] + a;
    }
    for (unsigned i = 0; i < 4; i++) {
        sums[i] = (unsigned char)(a >> (24 - 8 * i));
        sums[4 + i] = (unsigned char)(b >> (24 - 8 * i));
    }
}

/* Corrects the checksums of a WAL. */
static void wal_repair(struct bytes *wal)
{
    static const unsigned char magic[4] = { 0x37, 0x7f, 0x06, 0x82 };
    unsigned char sums[8] = { 0 };
    size_t page = 4096;

    memcpy(wal->data, magic, 4);
    sum_repair(sums, wal->data, 24);
    memcpy(wal->data + 24, sums, 8);
    for (size_t at = HEADER_BYTES; at + FRAME_BYTES + page <= wal->length;
         at += FRAME_BYTES + page) {
        memcpy(wal->data + at + 8, wal->data + 16, 8);
        sum_repair(sums, wal->data + at, 8);
        sum_repair(sums, wal->data + at + FRAME_BYTES, page);
        memcpy(wal->data + at + 16, sums, 8);
    }
}

static void read_all(struct sqlite_db *db)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct sqlite_result result = { 0 };
    struct store_answer answer = { 0 };
    struct sqlite_changes changes;
    struct sqlite_figures figures;
    struct err err;

    (void)!sqlite_db_figures(db, &figures, &err);
    sqlite_db_list(db, arena, &(struct store_range){ .prefix = TEXT("/") }, &result, &answer);
    for (size_t i = 0; result.outcome == OUTCOME_OK && i < answer.count; i++) {
        FUZZ_CHECK(text_has_prefix(answer.items[i].key, TEXT("/")));
    }
    sqlite_db_history(db, arena, TEXT("/t/k/a/spec"), &result, &answer);
    sqlite_db_events(db, arena, TEXT(""), 0, 0, &result, &answer);
    sqlite_db_changes(db, arena, TEXT("/"), 1, &result, &changes);
}

static void store_try(void)
{
    struct sqlite_opening opening = { "store.db", "fuzz", incarnation };
    struct sqlite_db *db = NULL;
    struct err err = { 0 };

    if (sqlite_db_open(&opening, &db, &err)) {
        read_all(db);
        while (sqlite_db_sweep(db)) {
        }
        sqlite_db_close(db);
        return;
    }
    FUZZ_CHECK(err.code != CODE_NONE && err.text[0] != '\0');
    if (sqlite_db_open_still(&opening, &db, &err)) {
        read_all(db);
        sqlite_db_close(db);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bytes originals[3]; /* created once */
    static struct bytes models[3];
    struct disk *disk;
    size_t at = 2;
    size_t shares[3];

    if (size < 8) {
        return 0;
    }
    disk = disk_new("fuzz");
    if (originals[0].length == 0) {
        model_make(disk, originals);
    }
    memcpy(models, originals, sizeof(models));
    shares[1] = (size - 2) * data[0] / 255;
    shares[2] = (size - 2 - shares[1]) * data[1] / 255;
    shares[0] = size - 2 - shares[1] - shares[2];
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < shares[i]; k++, at++) {
            if (k < models[i].length) {
                models[i].data[k * 31 % models[i].length] ^= data[at];
            }
        }
        if (i == 1 && models[i].length > HEADER_BYTES && size % 2 == 0) {
            wal_repair(&models[i]);
        }
        disk_file_set(disk, files[i], models[i].data, models[i].length);
    }
    store_try();
    disk_free(disk);
    return 0;
}
