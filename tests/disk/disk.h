#ifndef REEVE_TESTS_FAULT_DISK_H
#define REEVE_TESTS_FAULT_DISK_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A disk in memory for SQLite, that fails on demand and forgets what was not synced when its power
 * is cut.
 *
 * Every file has two sides: what programs see, and what is safe. Writing, cutting short, making and
 * deleting change the first; a sync makes a file's sectors safe, and the folder's entries where it
 * is the first of a new journal or WAL, as SQLite's own layer has it. A sync that fails leaves what
 * was written neither safe nor waiting: Linux takes such pages for clean, and no later sync writes
 * them.
 *
 * All calls may come from several threads at once. */
struct disk;

/* What is to go wrong; all zero = nothing. Calls are counted from 1 on since the plan was made. */
struct disk_plan {
    uint64_t fail_at;  /* this call fails, with an I/O error ... */
    bool is_full;      /* ... or, where it writes, for want of room ... */
    bool is_short;     /* ... or, where it reads, as if the file ended there */
    bool lasts;        /* and all calls after it, of the sorts that is_full or is_short name */
    uint64_t cut_at;   /* from this call on nothing happens any more */
    bool ignores_sync; /* the switch that turns the power cut test red */
};

/* Make a disk, known to SQLite by this name, which must outlive it. */
struct disk *disk_new(const char *name);

/* Free it when all its files are closed. */
void disk_free(struct disk *disk);

/* Take a plan, and count from 1 again. */
void disk_plan_set(struct disk *disk, const struct disk_plan *plan);

/* Calls since then; did what was planned happen? */
uint64_t disk_calls(struct disk *disk);
bool disk_has_struck(struct disk *disk);

/* Cut the power, and switch it on again: of what was not safe each sector is there or not, as the
 * dice fall; entries of the folder came into being in their order, up to some point. */
void disk_power_cycle(struct disk *disk, uint64_t seed);

/* Only the programs died: all that they wrote is still seen, and no safer than before. */
void disk_revive(struct disk *disk);

/* Bytes of a file as programs see them, borrowed until the next call; NULL where there is none. The
 * second gives a file new bytes, safe at once. */
const unsigned char *disk_file(struct disk *disk, const char *path, size_t *out_bytes);
void disk_file_set(struct disk *disk, const char *path, const void *data, size_t bytes);

/* ---- for disk_vfs.c alone ---- */

struct inode;

/* What a call does: decides how it can fail. */
enum disk_call {
    DISK_OPEN,
    DISK_READ,
    DISK_WRITE,
    DISK_TRUNCATE,
    DISK_SYNC,
    DISK_SIZE,
    DISK_DELETE,
    DISK_ACCESS,
    DISK_LOCK,
    DISK_MAP,
    DISK_MAP_LOCK,
};

/* Begin a call: takes the disk's lock. SQLITE_OK, or the error it is to end with. disk_end gives
 * the lock back and the code on. */
int disk_begin(struct disk *disk, enum disk_call call);
int disk_end(struct disk *disk, int code);

/* Within a call: is the power off? Shall syncs do nothing? */
bool disk_is_dead(struct disk *disk);
bool disk_ignores_sync(struct disk *disk);

struct inode *disk_find(struct disk *disk, const char *path);
struct inode *disk_create(struct disk *disk, const char *path); /* path NULL: in no folder */
void disk_remove(struct disk *disk, const char *path);
void disk_folder_sync(struct disk *disk);

size_t inode_bytes(const struct inode *inode);
size_t inode_read(const struct inode *inode, void *out, size_t bytes, uint64_t offset);
void inode_write(struct inode *inode, const void *data, size_t bytes, uint64_t offset);
void inode_truncate(struct inode *inode, uint64_t bytes);
void inode_sync(struct inode *inode, bool fails);

/* What connections share of a file: locks, and the index of the WAL. */
enum { DISK_MAPS_MAX = 64, DISK_MAP_LOCKS = 8 };
struct inode_shared {
    unsigned readers;
    const void *reserved; /* the holder */
    const void *pending;
    void *maps[DISK_MAPS_MAX];
    unsigned map_users;
    unsigned map_readers[DISK_MAP_LOCKS];
    const void *map_owners[DISK_MAP_LOCKS];
};
struct inode_shared *inode_shared(struct inode *inode);

/* Make what SQLite calls; disk.c registers it. */
void disk_vfs_init(sqlite3_vfs *vfs, const char *name, struct disk *disk);

#endif
