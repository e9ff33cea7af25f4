/* HTTP answers: no input breaks the parser, its limits hold, and the result does not depend on how
 * the bytes are divided into pieces. */
#include "client/answer_reader.h"
#include "fuzz.h"

#include <string.h>

#define BODY_MAX 4096

struct got {
    struct answer_reader reader;
    char body[BODY_MAX];
    size_t length;
    struct err err;
    bool is_read;
};

static bool body_take(void *arg, struct text piece)
{
    struct got *got = arg;

    FUZZ_CHECK(got->reader.head.status >= 200 && got->reader.head.status <= 599);
    FUZZ_CHECK(piece.length <= sizeof(got->body) - got->length);
    memcpy(got->body + got->length, piece.data, piece.length);
    got->length += piece.length;
    return true;
}

static void answer_read(struct got *got, struct text bytes, size_t step)
{
    memset(got, 0, sizeof(*got));
    answer_reader_init(&got->reader, BODY_MAX, body_take, got);
    got->is_read = true;
    while (got->is_read && bytes.length > 0) {
        struct text piece = text_slice(bytes, 0, step);

        got->is_read = answer_reader_feed(&got->reader, piece, &got->err);
        bytes = text_slice(bytes, piece.length, bytes.length);
    }
    got->is_read = got->is_read && answer_reader_end(&got->reader, &got->err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct got whole;
    static struct got pieces;
    struct text bytes = { (const char *)data, size };

    answer_read(&whole, bytes, size == 0 ? 1 : size);
    FUZZ_CHECK(whole.is_read == answer_reader_is_done(&whole.reader) || !whole.is_read);
    FUZZ_CHECK(whole.is_read || whole.err.text[0] != '\0');
    for (size_t step = 1; step <= 7; step += 3) {
        answer_read(&pieces, bytes, step);
        FUZZ_CHECK(pieces.is_read == whole.is_read);
        if (whole.is_read) {
            FUZZ_CHECK(pieces.length == whole.length &&
                       memcmp(pieces.body, whole.body, whole.length) == 0);
            FUZZ_CHECK(pieces.reader.head.status == whole.reader.head.status);
        }
    }
    return 0;
}
