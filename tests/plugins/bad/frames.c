/* Plugins that write directly to the socket of the process that runs them. */
#include "bad.h"

#include "codec/msgpack.h"
#include "wire/wire.h"

enum { MANAGER_SOCKET = 3 };

static void raw_write(const void *bytes, size_t length)
{
    (void)!write(MANAGER_SOCKET, bytes, length);
}

static void frame_write(const struct wire_message *message)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct buf buf;

    buf_init(&buf, arena);
    wire_format(&buf, message);
    raw_write(buf.data, buf.length);
    arena_free(arena);
}

/* Returns the id of the call. The plugin does not receive it, so it reads it from the host's
 * memory. */
static uint64_t id_of(const struct reeve_call *call)
{
    return **(const uint64_t *const *)(const void *)((const char *)call + sizeof(void *));
}

static void answer_write(uint64_t id, struct text machine)
{
    struct wire_message message = { .type = WIRE_ANSWER };

    message.answer = (struct wire_answer){ .call = id, .machine = machine };
    frame_write(&message);
}

static void row_write(uint64_t id, struct text machine)
{
    struct wire_row row = { .id = machine, .state = REEVE_RUNNING };
    struct wire_message message = { .type = WIRE_PAGE, .page = { id, { &row, 1 } } };

    frame_write(&message);
}

static void frames_write(uint64_t id)
{
    static const char garbage[100] = { [0] = 'g', [40] = (char)0xff };
    const struct wire_message open = { .type = WIRE_OPEN };

    if (is_bad("garbage")) {
        raw_write(garbage, sizeof(garbage));
    } else if (is_bad("wrong-id")) {
        answer_write(id + 1000, TEXT("file-x"));
    } else if (is_bad("twice")) {
        answer_write(id, TEXT("file-x"));
    } else if (is_bad("nameless")) {
        answer_write(id, TEXT(""));
    } else if (is_bad("manager-words")) {
        frame_write(&open);
    } else if (is_bad("unasked-rows")) {
        row_write(id, TEXT("file-x"));
    }
}

/* The first create makes its machine, and writes to the socket. */
static int32_t create(void *self, struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    int32_t result = file_create(self, call, request);
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%.*s/once", (int)own(self)->folder.length,
             own(self)->folder.bytes);
    if (mkdir(path, 0700) != 0) {
        return result;
    }
    if (is_bad("cut-short")) {
        raw_write("\x40\x00\x00\x00\x93", 5);
        _exit(0);
    } else if (is_bad("closes")) {
        close(MANAGER_SOCKET);
    }
    frames_write(id_of(call));
    return result;
}

static int32_t describe(void *self, struct reeve_call *call, const struct reeve_query_v1 *query)
{
    if (is_bad("raw-row")) {
        row_write(id_of(call), TEXT(""));
    }
    return file_describe(self, call, query);
}

/* Sends the description of another plugin before the plugin was queried. */
__attribute__((constructor)) static void loaded(void)
{
    struct wire_message hello = { .type = WIRE_HELLO };

    if (is_bad("other-name")) {
        hello.hello.name = TEXT("file");
        frame_write(&hello);
    }
}

#define BAD_CREATE   create
#define BAD_DESCRIBE describe
#include "bad_table.h"
