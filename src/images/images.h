#ifndef REEVE_IMAGES_IMAGES_H
#define REEVE_IMAGES_IMAGES_H

#include "base/err.h"
#include "state/cache.h"

/* public names start with: image_ images_ */

/* The image repository (C3): bootable base systems, named by the digest of their bytes.
 *
 *     /TENANT/Image/NAME/base    {"tags":{TAG: DIGEST},"versions":[{at, by, bytes, digest, format}]}
 *
 * A name has versions, in the order in which they were pushed, and tags that name one each. The tag
 * `latest` is moved by each push. The bytes are files of managers (image_files/image_files.h). */
#define IMAGE_KIND   "Image"
#define IMAGE_LATEST "latest"

enum {
    IMAGE_NAMES_MAX = 200, /* of a tenant */
    IMAGE_VERSIONS_MAX = 32,
    IMAGE_TAGS_MAX = 32,
    IMAGE_DIGEST_BYTES = 64,     /* digits of a digest */
    IMAGE_DIGEST_BYTES_MIN = 12, /* the shortest beginning of a digest that a reference may have */
};

struct image_version {
    struct text digest;
    uint64_t bytes;
    struct text format; /* tar.zst or tar.gz */
    struct text at;     /* RFC 3339 */
    struct text by;
};

struct image_tag {
    struct text name;
    struct text digest;
};

struct image {
    struct text name;
    struct image_version versions[IMAGE_VERSIONS_MAX]; /* oldest first */
    size_t version_count;
    struct image_tag tags[IMAGE_TAGS_MAX]; /* in the order of names */
    size_t tag_count;
    uint64_t revision; /* revision of the store; 0: not stored */
};

/* NAME, NAME:TAG or NAME@sha256:DIGEST, as a file or a command writes it. */
struct image_reference {
    struct text name;
    struct text tag;    /* empty: latest, unless there is a digest */
    struct text digest; /* its first digits; empty: none */
};

/* Parses a reference. R0853 with the form of references. */
MUST_CHECK bool image_reference_parse(struct text value, struct image_reference *out,
                                      struct err *err);

/* True for a word that a tag may be: letters, digits and -_. with at most 63 characters. */
bool image_is_tag(struct text value);

/* Reads the image of this name. False: there is none. Texts live in the arena. */
bool image_read(struct arena *arena, const struct cache *cache, struct text tenant,
                struct text name, struct image *out);

/* Reads the image of an object of the cache. */
bool image_object_read(struct arena *arena, const struct cache_object *object, struct image *out);

struct text image_key(struct arena *arena, struct text tenant, struct text name);
struct text image_format(struct arena *arena, const struct image *image);

/* Finds the version that a reference names. R0853: there is no such image or version; the hint
 * names those that exist. */
MUST_CHECK bool image_resolve(struct arena *arena, const struct cache *cache, struct text tenant,
                              struct text reference, struct image_version *out, struct err *err);
MUST_CHECK bool image_version_find(const struct image *image,
                                   const struct image_reference *reference,
                                   struct image_version *out, struct err *err);

/* True if an image of any tenant has a version with this digest. */
bool images_have(const struct cache *cache, struct text digest);

/* The number of images of a tenant. */
size_t images_count(const struct cache *cache, struct arena *arena, struct text tenant);

#endif
