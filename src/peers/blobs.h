#ifndef REEVE_PEERS_BLOBS_H
#define REEVE_PEERS_BLOBS_H

#include "peers/peers.h"

/* Blobs: bytes to which objects of the store refer by digest. Each manager keeps them in files of
 * its own. A manager that lacks a blob fetches it from a peer, in pieces. New bytes are copied to
 * another manager before they count as stored. All calls are on the loop thread. */
struct blobs;

enum blobs_kind { BLOBS_BUNDLE, BLOBS_CONFIGURATION, BLOBS_PLUGIN, BLOBS_IMAGE, BLOBS_KIND_COUNT };

/* The next bytes of a blob that is being received. A plugin is received as one piece. */
struct blobs_piece {
    enum blobs_kind kind;
    struct text digest; /* 64 hexadecimal digits */
    uint64_t size;      /* size of the whole blob in bytes */
    uint64_t offset;
    struct text bytes;
};

/* A part of a blob that was read; its bytes live in the arena. */
struct blobs_part {
    uint64_t size; /* size of the whole blob in bytes */
    struct text bytes;
};

struct blobs_options {
    struct peers *peers;
    struct loop *loop;
    struct log *log;
    /* The port to the files of this manager; `file_arg` is passed as `arg`. has: returns whether
     * this manager has the blob. */
    bool (*has)(void *arg, enum blobs_kind kind, struct text digest);
    /* Reads at most LIMIT_PEER_PIECE_BYTES bytes, from `offset` on. */
    bool (*read)(void *arg, struct arena *arena, enum blobs_kind kind, struct text digest,
                 uint64_t offset, uint64_t length, struct blobs_part *out, struct err *err);
    /* Stores a piece. *out_have is the number of bytes stored so far. After the last piece the
     * digest is checked. */
    bool (*put)(void *arg, const struct blobs_piece *piece, uint64_t *out_have, struct err *err);
    void *file_arg;
    /* Called when a blob of blobs_want has arrived, or when no peer has it. */
    void (*ended)(void *arg);
    void *arg;
};

struct blobs *blobs_new(const struct blobs_options *options);

/* Ends all transfers; their callers get an error. Call it before the server is freed. */
void blobs_close(struct blobs *blobs);

/* Frees the blobs after blobs_close. NULL is allowed. */
void blobs_free(struct blobs *blobs);

/* Returns whether a blob is being fetched from a peer. Starts the fetch if necessary, unless no
 * peer had the blob at a recent attempt. False if this manager has the blob, or has no links. */
bool blobs_want(struct blobs *blobs, enum blobs_kind kind, struct text digest);

/* Returns the kind of a blob on this manager; BLOBS_KIND_COUNT: it does not have the blob. */
enum blobs_kind blobs_kind_here(const struct blobs *blobs, struct text digest);

/* Reads a part of a blob on this manager, for a peer. R0403: this manager does not have the
 * blob. */
MUST_CHECK bool blobs_read(const struct blobs *blobs, struct arena *arena, struct text digest,
                           uint64_t offset, uint64_t length, struct blobs_part *out,
                           struct err *err);

/* Receives the end of a fetch or of a copy. `err` is NULL on success; `copies` is then the number
 * of managers that have the blob. */
typedef void blobs_done(void *arg, size_t copies, const struct err *err);

/* Fetches a blob, first from the peer that has requested this. `done` is called once, possibly
 * immediately. */
void blobs_take(struct blobs *blobs, enum blobs_kind kind, struct text digest, struct text peer,
                blobs_done *done, void *arg);

/* Requests that peers copy a blob of this manager, until `wanted` managers have it. `done` is
 * called once, possibly immediately. R0585: too few peers can be reached. */
void blobs_spread(struct blobs *blobs, enum blobs_kind kind, struct text digest, size_t wanted,
                  blobs_done *done, void *arg);

/* blobs_kind_name returns the word for a kind. blobs_kind_find returns the kind for a word;
 * BLOBS_KIND_COUNT: the word is unknown. */
const char *blobs_kind_name(enum blobs_kind kind);
enum blobs_kind blobs_kind_find(struct text word);

#endif
