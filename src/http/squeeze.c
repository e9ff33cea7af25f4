#include "http/squeeze.h"

#include <assert.h>
#include <strings.h>
#include <zlib.h>

/* Compression of answers. The compressor's memory comes from the arena and is freed with the
 * answer; zlib allocates all of it at the start. Level 1 is used: columns of machines, which are
 * mostly random ids, shrink to 41 %. Level 6 reaches 40 % in three times the time. */

enum {
    SQUEEZE_LEVEL = 1,
    SQUEEZE_WINDOW_BITS = 15 + 16, /* the added 16 selects the gzip format */
    SQUEEZE_MEMORY = 8,
    SQUEEZE_PIECE_BYTES = 32 * 1024, /* bytes of input per piece of output */
};

struct squeeze {
    struct http_stream inner;
    z_stream z;
    bool is_input_over;
    bool is_over;
    char piece[SQUEEZE_PIECE_BYTES];
};

/* Compares the name of a content coding, ignoring case. */
static bool is_squeeze_word(struct text text, struct text word)
{
    return text.length == word.length && strncasecmp(text.data, word.data, word.length) == 0;
}

/* True if this entry of Accept-Encoding is gzip, x-gzip or * with a weight above 0. */
static bool is_gzip(struct text one)
{
    size_t semicolon = text_find_byte(one, ';');
    struct text name = text_trim(text_slice(one, 0, semicolon));
    struct text rest = text_trim(text_slice(one, semicolon, one.length));
    struct text weight;

    if (!is_squeeze_word(name, TEXT("gzip")) && !is_squeeze_word(name, TEXT("x-gzip")) &&
        !text_is(name, "*")) {
        return false;
    }
    weight = text_trim(text_slice(rest, rest.length == 0 ? 0 : 1, rest.length));
    if (!text_has_prefix(weight, TEXT("q=0"))) {
        return true;
    }
    for (size_t i = 3; i < weight.length; i++) {
        if (weight.data[i] >= '1' && weight.data[i] <= '9') {
            return true;
        }
    }
    return false;
}

bool squeeze_is_wanted(const struct http_request *request)
{
    struct text rest = request->headers[HTTP_ACCEPT_ENCODING];

    while (rest.length > 0) {
        struct text one = text_slice(rest, 0, text_find_byte(rest, ','));

        if (is_gzip(one)) {
            return true;
        }
        rest = text_slice(rest, one.length + 1, rest.length);
    }
    return false;
}

static void *memory_take(void *arg, unsigned count, unsigned bytes)
{
    return arena_room(arg, (size_t)count * bytes);
}

static void memory_give(void *arg, void *data)
{
    (void)arg;
    (void)data; /* the arena frees this memory */
}

/* Reads the next piece of input if the previous one is consumed. */
static void squeeze_piece_take(struct squeeze *squeeze)
{
    if (squeeze->z.avail_in == 0 && !squeeze->is_input_over) {
        squeeze->z.next_in = (unsigned char *)squeeze->piece;
        squeeze->z.avail_in = (unsigned)squeeze->inner.read(
            squeeze->inner.arg, squeeze->piece, sizeof(squeeze->piece), &squeeze->is_input_over);
    }
}

static size_t squeeze_read(void *arg, char *out, size_t room, bool *is_end)
{
    struct squeeze *squeeze = arg;
    z_stream *z = &squeeze->z;

    z->next_out = (unsigned char *)out;
    z->avail_out = room > UINT32_MAX ? UINT32_MAX : (unsigned)room;
    room = z->avail_out;
    while (!squeeze->is_over &&
           z->avail_out == room) { /* at first a whole piece of input may produce no output:
                                    * continue */
        int result;

        squeeze_piece_take(squeeze);
        assert((z->avail_in > 0 || squeeze->is_input_over) && "all of it is there to be read");
        result = deflate(z, squeeze->is_input_over ? Z_FINISH : Z_NO_FLUSH);
        assert(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR);
        squeeze->is_over = result == Z_STREAM_END;
    }
    *is_end = squeeze->is_over && z->avail_out == room;
    return room - z->avail_out;
}

static void squeeze_closed(void *arg)
{
    struct squeeze *squeeze = arg;

    (void)deflateEnd(&squeeze->z);
    squeeze->inner.closed(squeeze->inner.arg);
}

struct http_stream squeeze_stream(struct arena *arena, const struct http_stream *inner)
{
    struct squeeze *squeeze = arena_one(arena, struct squeeze);
    int result;

    squeeze->inner = *inner;
    squeeze->z.zalloc = memory_take;
    squeeze->z.zfree = memory_give;
    squeeze->z.opaque = arena;
    result = deflateInit2(&squeeze->z, SQUEEZE_LEVEL, Z_DEFLATED, SQUEEZE_WINDOW_BITS,
                          SQUEEZE_MEMORY, Z_DEFAULT_STRATEGY);
    assert(result == Z_OK && "the arena gives what it is asked for");
    (void)result;
    return (struct http_stream){
        .read = squeeze_read, .closed = squeeze_closed, .arg = squeeze, .has_end = true
    };
}
