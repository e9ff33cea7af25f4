#ifndef COMMON_TAG_CODEC_H
#define COMMON_TAG_CODEC_H

#include "base/buf.h"
#include "base/macros.h"
#include "base/mem.h"
#include "reeve/plugin.h"

#include <stdbool.h>

/* public names start with: tag_codec_ */

/* Converts the tags of a machine to the alphabets of providers, and back to exactly the same bytes.
 * A provider may fold cases, cut long values or permit few characters. None of this may change the
 * tags, because reeve checks them by a MAC. All results live in the arena of the caller. */

/* A list of tags, or of words. */
struct tag_codec_tags {
    struct reeve_tag *items;
    uint32_t count;
};
struct tag_codec_words {
    struct text *items;
    uint32_t count;
};

enum { TAG_CODEC_HASH_LETTERS = 32, TAG_CODEC_PIECES_MAX = 64 };

/* Returns the value of the tag with this name. Empty: there is none. */
struct text tag_codec_value(const struct reeve_tag *tags, uint32_t count, const char *name);

/* Returns 32 lower-case base32 letters of SHA-256, as a name for a cluster in every provider's
 * alphabet. */
struct text tag_codec_hash(struct arena *arena, struct text cluster);

/* Appends the value with each byte outside [a-z0-9-] as `_` and two hex digits. */
void tag_codec_escape(struct buf *out, struct text value);

/* The inverse of tag_codec_escape(). Upper-case letters are read as lower-case letters, because
 * providers may have changed them. Returns false for any text that tag_codec_escape() cannot have
 * written. */
MUST_CHECK bool tag_codec_unescape(struct arena *arena, struct text value, struct text *out);

/* ---- names and values with a limit of length: EC2, OpenStack, labels of GCE ---- */

/* Appends a tag to the list. A value of more than limit_bytes continues in NAME.1, NAME.2 and so
 * on, with `separator` as the dot, and is divided only between two code points. limit_bytes >= 4.
 * The name and the pieces of the value are not copied. */
void tag_codec_split(struct arena *arena, struct tag_codec_tags *list, struct text name,
                     char separator, struct text value, size_t limit_bytes);

/* Joins the value of a tag that tag_codec_split() wrote. Returns false if there is no such tag. */
MUST_CHECK bool tag_codec_join(struct arena *arena, const struct tag_codec_tags *list,
                               struct text name, char separator, struct text *out);

/* ---- words without a value: DigitalOcean ----
 *
 * reeve:KEY:VALUE in [a-z0-9_:-], at most 255 bytes each. The token is reeve:t:TOKEN. The other
 * five tags of a machine share one word,
 * reeve:gilmn:GROUP:CLUSTER_ID:LOGICAL_ID:MAC:INCARNATION, so that no two machines have the same
 * words: those of a machine that is gone can be deleted without looking at others. If that word
 * would be too long, each tag has its own, reeve:g:VALUE and so on. Tags with other names are
 * reeve:x:NAME:VALUE. Values that do not fit continue in reeve:g1:..., reeve:g2:... */

enum { TAG_CODEC_WORD_BYTES = 255 };

/* Converts tags to words in the alphabet [a-z0-9-_:]. */
struct tag_codec_words tag_codec_to_words(struct arena *arena, const struct reeve_tag *tags,
                                          uint32_t count);

/* Converts words back to tags, in byte order of their names. Other words, and tags with a missing
 * or damaged piece, are skipped. */
struct tag_codec_tags tag_codec_from_words(struct arena *arena, const struct text *words,
                                           uint32_t count);

/* ---- one text: the description of GCE, metadata of libvirt ---- */

/* Formats the tags as canonical JSON: {"reeve.cluster_id":"acme/shop",...}. */
struct text tag_codec_to_json(struct arena *arena, const struct reeve_tag *tags, uint32_t count);

/* Reads the tags from canonical JSON. Returns false if the text has another form. */
MUST_CHECK bool tag_codec_from_json(struct arena *arena, struct text json,
                                    struct tag_codec_tags *out);

#endif
