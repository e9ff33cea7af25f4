#include "signer/ring.h"

#include "base/secret.h"
#include "ssh/bytes.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

/* The content before it is sealed: head, phase, generation, and the seeds in the order of kinds and
 * slots. */
#define RING_HEAD "reeve-ring-1"

enum {
    HEAD_BYTES = sizeof(RING_HEAD) - 1,
    NUMBERS_BYTES = 1 + 8,
    PLAIN_BYTES = HEAD_BYTES + NUMBERS_BYTES + RING_KINDS * RING_SLOTS * SSH_SEED_BYTES,
};

static const char *const phase_names[ROTATION_PHASE_COUNT] = { "steady", "made", "trusted",
                                                               "signs" };

static unsigned kind_index(enum ssh_cert_kind kind)
{
    assert(kind == SSH_CERT_USER || kind == SSH_CERT_HOST);
    return kind == SSH_CERT_USER ? 0 : 1;
}

static void slot_draw(struct ring *ring, unsigned slot)
{
    for (unsigned kind = 0; kind < RING_KINDS; kind++) {
        unsigned char seed[SSH_SEED_BYTES];
        struct ssh_key key;

        randombytes_buf(seed, sizeof(seed));
        ssh_key_make(seed, &key, ring->secrets[kind][slot]);
        secret_wipe(seed, sizeof(seed));
    }
}

void ring_draw(struct ring *out)
{
    secret_wipe(out, sizeof(*out));
    out->generation = 1;
    slot_draw(out, RING_NOW);
}

static void next_adopt(struct ring *ring)
{
    for (unsigned kind = 0; kind < RING_KINDS; kind++) {
        memcpy(ring->secrets[kind][RING_NOW], ring->secrets[kind][RING_NEXT], SSH_SECRET_BYTES);
        secret_wipe(ring->secrets[kind][RING_NEXT], SSH_SECRET_BYTES);
    }
}

bool ring_step(struct ring *ring, uint64_t to, struct err *err)
{
    enum rotation_phase next = rotation_phase_next(ring->phase);

    if (to != next) {
        return err_set(err, CODE_R0750,
                       "the authority is in the phase '%s'; the only possible next phase is '%s'",
                       phase_names[ring->phase], phase_names[next]);
    }
    if (next == ROTATION_MADE) {
        slot_draw(ring, RING_NEXT);
    }
    if (next == ROTATION_STEADY) {
        next_adopt(ring);
    }
    ring->phase = next;
    ring->generation++;
    return true;
}

/* ---- storage ---- */

struct text ring_seal(struct arena *arena, const struct seal_key *key, struct text name,
                      const struct ring *ring)
{
    char plain[PLAIN_BYTES];
    char *at = plain + HEAD_BYTES;
    struct text sealed;

    memcpy(plain, RING_HEAD, HEAD_BYTES);
    *at++ = (char)ring->phase;
    for (int shift = 56; shift >= 0; shift -= 8) {
        *at++ = (char)(ring->generation >> shift & 0xffU);
    }
    for (unsigned i = 0; i < RING_KINDS * RING_SLOTS; i++) {
        memcpy(at, ring->secrets[i / RING_SLOTS][i % RING_SLOTS], SSH_SEED_BYTES);
        at += SSH_SEED_BYTES;
    }
    sealed = seal_close(arena, key, arena_printf(arena, "authority/%.*s", TEXT_ARG(name)),
                        secret_from((struct text){ plain, sizeof(plain) }));
    secret_wipe(plain, sizeof(plain));
    return sealed;
}

/* Restores the key pairs from the seeds. Between MADE and the end of a rotation there is a next
 * key. */
static void seeds_take(struct ring *ring, const char *at)
{
    for (unsigned i = 0; i < RING_KINDS * RING_SLOTS; i++) {
        struct ssh_key key;

        if (i % RING_SLOTS == RING_NOW || ring->phase != ROTATION_STEADY) {
            ssh_key_make((const unsigned char *)at, &key,
                         ring->secrets[i / RING_SLOTS][i % RING_SLOTS]);
        }
        at += SSH_SEED_BYTES;
    }
}

MUST_CHECK static bool plain_parse(struct text plain, struct ring *out)
{
    struct text rest = text_slice(plain, HEAD_BYTES, plain.length);
    uint8_t phase;

    if (plain.length != PLAIN_BYTES || !text_has_prefix(plain, TEXT(RING_HEAD)) ||
        !ssh_take_byte(&rest, &phase) || !rotation_phase_parse(phase, &out->phase) ||
        !ssh_take_u64(&rest, &out->generation)) {
        return false;
    }
    seeds_take(out, rest.data);
    return true;
}

bool ring_open(const struct seal_key *key, struct text name, struct text sealed, struct ring *out,
               struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_SSH_ARENA_BYTES);
    char plain[PLAIN_BYTES];
    struct err why = { 0 };
    size_t length = 0;
    bool is_good;

    secret_wipe(out, sizeof(*out));
    is_good = seal_open(key, arena_printf(arena, "authority/%.*s", TEXT_ARG(name)), sealed, plain,
                        sizeof(plain), &length, &why) &&
              plain_parse((struct text){ plain, length }, out);
    secret_wipe(plain, sizeof(plain));
    if (is_good) {
        return true;
    }
    secret_wipe(out, sizeof(*out));
    return err_set(err, CODE_R0749, "the keys of authority '%.*s' cannot be opened: %s",
                   TEXT_ARG(name),
                   why.code == CODE_NONE ? "the content is not a set of keys" : why.text);
}

/* ---- queries ---- */

static bool next_signs(const struct ring *ring)
{
    return ring->phase == ROTATION_SIGNS;
}

const unsigned char *ring_secret(const struct ring *ring, enum ssh_cert_kind kind)
{
    return ring->secrets[kind_index(kind)][next_signs(ring) ? RING_NEXT : RING_NOW];
}

static struct ssh_key public_of(const unsigned char *secret)
{
    struct ssh_key key;

    memcpy(key.bytes, secret + SSH_SEED_BYTES, SSH_KEY_BYTES);
    return key;
}

size_t ring_trusted(const struct ring *ring, enum ssh_cert_kind kind,
                    struct ssh_key out[static RING_SLOTS])
{
    unsigned other = next_signs(ring) ? RING_NOW : RING_NEXT;

    out[0] = public_of(ring_secret(ring, kind));
    if (ring->phase != ROTATION_TRUSTED && ring->phase != ROTATION_SIGNS) {
        return 1;
    }
    out[1] = public_of(ring->secrets[kind_index(kind)][other]);
    return 2;
}
