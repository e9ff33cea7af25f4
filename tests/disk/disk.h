#ifndef REEVE_TESTS_FAULT_DISK_H
#define REEVE_TESTS_FAULT_DISK_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A disk in memory for SQLite that fails on demand, and that loses unsynced data when its power is
 * cut.
 *
 * Every file has two sides: what programs see, and what is durable. Writing, truncating, creating
 * and deleting change the first side. A sync makes the sectors of a file durable. The first sync of
 * a new journal or WAL also makes the folder's entries durable, as SQLite's Unix layer does. After
 * a failed sync, the written data is neither durable nor waiting to be written: Linux marks such
 * pages as clean, and no later sync writes them.
 *
 * All functions may be called from several threads at the same time. */
struct disk;

/* The planned faults; all zero: none. Calls are counted from 1, since the plan was set. */
struct disk_plan {
    uint64_t fail_at;  /* this call fails with an I/O error, or as the next two members state */
    bool is_full;      /* a writing call fails with "disk full" instead */
    bool is_short;     /* a reading call returns as if the file ended there */
    bool lasts;        /* all later calls of the same kind fail as well */
    uint64_t cut_at;   /* from this call on, the power is off */
    bool ignores_sync; /* syncs have no effect; shows that the power cut test can fail */
};

/* Creates a disk, and registers it with SQLite under this name. The name must outlive the disk. */
struct disk *disk_new(const char *name);

/* Frees the disk. All its files must be closed. */
void disk_free(struct disk *disk);

/* Sets a plan, and restarts the count of calls. */
void disk_plan_set(struct disk *disk, const struct disk_plan *plan);

/* Return the number of calls since then, and whether the planned fault has happened. */
uint64_t disk_calls(struct disk *disk);
bool disk_has_struck(struct disk *disk);

/* Cuts the power and switches it on again. Each sector that was not durable is kept or lost at
 * random. Of the folder's entries that were not durable, a random number of the first ones is
 * kept. */
void disk_power_cycle(struct disk *disk, uint64_t seed);

/* Simulates the death of the programs only: all written data is still visible, and is no more
 * durable than before. */
void disk_revive(struct disk *disk);

/* disk_file returns the bytes of a file as programs see them, valid until the next call. NULL:
 * there is no such file. disk_file_put replaces the bytes of a file, and makes them durable
 * immediately. */
const unsigned char *disk_file(struct disk *disk, const char *path, size_t *out_bytes);
void disk_file_set(struct disk *disk, const char *path, const void *data, size_t bytes);

/* ---- for disk_vfs.c alone ---- */

struct inode;

/* Kind of a call, which determines how it can fail. */
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

/* disk_begin begins a call and takes the disk's lock. It returns SQLITE_OK, or the error with which
 * the call must end. disk_end releases the lock and returns `code`. */
int disk_begin(struct disk *disk, enum disk_call call);
int disk_end(struct disk *disk, int code);

/* For use within a call: return whether the power is off, and whether syncs have no effect. */
bool disk_is_dead(struct disk *disk);
bool disk_ignores_sync(struct disk *disk);

struct inode *disk_find(struct disk *disk, const char *path);
/* with path NULL, the file is in no folder */
struct inode *disk_create(struct disk *disk, const char *path);
void disk_remove(struct disk *disk, const char *path);
void disk_folder_sync(struct disk *disk);

size_t inode_bytes(const struct inode *inode);
size_t inode_read(const struct inode *inode, void *out, size_t bytes, uint64_t offset);
void inode_write(struct inode *inode, const void *data, size_t bytes, uint64_t offset);
void inode_truncate(struct inode *inode, uint64_t bytes);
void inode_sync(struct inode *inode, bool fails);

/* The state of a file that connections share: locks, and the index of the WAL. */
enum { DISK_MAPS_MAX = 64, DISK_MAP_LOCKS = 8 };
struct inode_shared {
    unsigned readers;
    const void *reserved; /* holder of the lock; NULL: none */
    const void *pending;
    void *maps[DISK_MAPS_MAX];
    unsigned map_users;
    unsigned map_readers[DISK_MAP_LOCKS];
    const void *map_owners[DISK_MAP_LOCKS];
};
struct inode_shared *inode_shared(struct inode *inode);

/* Fills the functions that SQLite calls; disk.c registers them. */
void disk_vfs_init(sqlite3_vfs *vfs, const char *name, struct disk *disk);

#endif
