#include "session/script.h"

#include "base/buf.h"
#include "base/limits.h"
#include "sys/digest.h"

#include <assert.h>
#include <inttypes.h>

/* Exit codes of the scripts. The shell itself uses other exit codes. */
enum { EXIT_NODE = 81, EXIT_DIGEST = 83, EXIT_LIMIT = 85 };

size_t script_quoted_bytes(struct text word)
{
    size_t bytes = word.length + 2;

    for (size_t i = 0; i < word.length; i++) {
        bytes += word.data[i] == '\'' ? 3 : 0;
    }
    return bytes;
}

void script_quote_add(struct buf *buf, struct text word)
{
    /* reserved at once, because growing the buffer would leave unused blocks in the arena */
    (void)buf_reserve(buf, script_quoted_bytes(word));
    buf_add_byte(buf, '\'');
    for (size_t i = 0; i < word.length; i++) {
        if (word.data[i] == '\'') {
            buf_add_string(buf, "'\\''");
        } else {
            buf_add_byte(buf, word.data[i]);
        }
    }
    buf_add_byte(buf, '\'');
}

struct text script_quote(struct arena *arena, struct text word)
{
    struct buf buf;

    buf_init(&buf, arena);
    script_quote_add(&buf, word);
    return buf_text(&buf);
}

/* Wraps a script in `sh -c`, because every login shell can start another shell. */
static struct text for_shell(struct arena *arena, struct text script, struct text path)
{
    struct text quoted = script_quote(arena, script);
    struct text word = script_quote(arena, path);

    return arena_printf(arena, "exec sh -c %.*s %.*s", TEXT_ARG(quoted), TEXT_ARG(word));
}

struct text script_put(struct arena *arena, struct text path, unsigned mode, struct text digest)
{
    struct text script;

    assert(digest.length == DIGEST_TEXT_BYTES - 1);
    script = arena_printf(
        arena,
        "p=$0 t=$0.part; trap 'rm -f \"$t\"' EXIT; umask 077; LC_ALL=C; export LC_ALL\n"
        "rm -f \"$t\"; cat >\"$t\" || exit %d\n"
        "s=$(sha256sum <\"$t\") || exit %d\n"
        "[ \"${s%%%% *}\" = %.*s ] || exit %d\n"
        "chmod %o \"$t\" && sync \"$t\" && mv -f \"$t\" \"$p\" && sync \"${p%%/*}/\" || exit %d\n",
        EXIT_NODE, EXIT_NODE, TEXT_ARG(digest), EXIT_DIGEST, mode, EXIT_NODE);
    return for_shell(arena, script, path);
}

enum transport_fault script_put_fault(int code)
{
    return code == 0             ? TRANSPORT_FAULT_NONE
           : code == EXIT_DIGEST ? TRANSPORT_FAULT_DIGEST
                                 : TRANSPORT_FAULT_NODE;
}

struct text script_get(struct arena *arena, struct text path, uint64_t limit_bytes)
{
    struct text script =
        arena_printf(arena,
                     "p=$0; LC_ALL=C; export LC_ALL\n"
                     "[ -f \"$p\" ] || { echo 'there is no such file' >&2; exit %d; }\n"
                     "n=$(wc -c <\"$p\") && s=$(sha256sum <\"$p\") || exit %d\n"
                     "[ \"$n\" -le %" PRIu64 " ] || exit %d\n"
                     "echo \"${s%%%% *}\" && exec head -c %" PRIu64 " \"$p\"\n",
                     EXIT_NODE, EXIT_NODE, limit_bytes, EXIT_LIMIT, limit_bytes + 1);

    return for_shell(arena, script, path);
}

enum transport_fault script_get_read(int code, struct text output, uint64_t limit_bytes,
                                     struct text *out)
{
    size_t end = text_find_byte(output, '\n');
    char digest[DIGEST_TEXT_BYTES];

    if (code != 0) {
        return code == EXIT_LIMIT ? TRANSPORT_FAULT_LIMIT : TRANSPORT_FAULT_NODE;
    }
    if (end != DIGEST_TEXT_BYTES - 1) {
        return TRANSPORT_FAULT_DIGEST;
    }
    *out = text_slice(output, end + 1, output.length);
    if (out->length > limit_bytes) {
        return TRANSPORT_FAULT_LIMIT; /* the file has grown since its size was checked */
    }
    digest_sha256(*out, digest);
    return text_is_equal(text_slice(output, 0, end), text_from(digest)) ? TRANSPORT_FAULT_NONE
                                                                        : TRANSPORT_FAULT_DIGEST;
}

struct text script_plain(struct arena *arena, struct text text)
{
    struct buf buf;

    text = text_slice(text_trim(text), 0, LIMIT_SESSION_WHY_BYTES);
    buf_init(&buf, arena);
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        buf_add_byte(&buf, byte == '\n' || byte == '\r' || byte == '\t' ? ' '
                           : byte < 0x20 || byte >= 0x7f                ? '?'
                                                                        : (char)byte);
    }
    return buf_text(&buf);
}
