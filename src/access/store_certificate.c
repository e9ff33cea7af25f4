#include "access/store_certificate.h"

#include "codec/doc_child.h"
#include "codec/json.h"
#include "signer/ring.h"
#include "signer/x509.h"
#include "state/objects.h"
#include "wire/sign.h"

/* public names start with: store_certificate_ */

/* Clocks of hosts differ: a certificate is valid this time before it was made. */
enum { STORE_CERTIFICATE_SLACK_S = 300 };

struct text store_certificate_authority_key(struct arena *arena)
{
    struct text name = TEXT(SIGN_MANAGERS);
    size_t slash = text_find_byte(name, '/');

    return objects_key(arena, text_slice(name, 0, slash), TEXT("Authority"),
                       text_slice(name, slash + 1, name.length), CACHE_BASE);
}

/* Returns the certificates of the authority: two while it is rotated. */
static struct text store_certificate_authorities(struct arena *arena, const struct ring *ring)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (unsigned slot = 0; slot < (ring->phase == ROTATION_STEADY ? 1 : RING_SLOTS); slot++) {
        buf_add(&buf, x509_authority(arena, ring->secrets[RING_USERS][slot]));
    }
    return buf_text(&buf);
}

static void store_certificate_sign(struct arena *arena,
                                   const struct store_certificate_options *options,
                                   const struct ring *ring, struct store_certificate *out)
{
    unsigned char seed[SSH_SEED_BYTES];
    unsigned char secret[SSH_SECRET_BYTES];
    struct x509_leaf leaf = {
        .name = options->name,
        .others = options->addresses,
        .other_count = options->address_count,
        .has_no_names = options->address_count == 0,
        .after_s = options->now_s - STORE_CERTIFICATE_SLACK_S,
        .before_s = options->now_s + options->ttl_s,
    };

    random_fill(options->random, seed, sizeof(seed));
    random_fill(options->random, leaf.serial, sizeof(leaf.serial));
    ssh_key_make(seed, &leaf.key, secret);
    out->authority = store_certificate_authorities(arena, ring);
    out->certificate = x509_sign(arena, &leaf, ring_secret(ring, SSH_CERT_USER));
    out->key = secret_from(x509_private(arena, secret));
    secret_wipe(seed, sizeof(seed));
    secret_wipe(secret, sizeof(secret));
}

bool store_certificate_issue(struct arena *arena, const struct store_certificate_options *options,
                             struct store_certificate *out, struct err *err)
{
    struct doc authority;
    struct ring ring;
    bool is_open;

    if (!json_parse(arena, options->authority, NULL, &authority, err)) {
        return err_set(err, CODE_R0749, "the managers' authority in the store is damaged");
    }
    is_open = ring_open(options->key, TEXT(SIGN_MANAGERS), doc_child_text(&authority, "sealed"),
                        &ring, err);
    if (is_open) {
        store_certificate_sign(arena, options, &ring, out);
    }
    secret_wipe(&ring, sizeof(ring));
    return is_open;
}
