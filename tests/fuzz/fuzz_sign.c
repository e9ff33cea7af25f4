/* Requests to the signer, and its answers: no input breaks either end, and formatting parsed data
 * gives an equal message. The signer server answers every request, and never signs beyond its
 * limits. */
#include "base/limits.h"
#include "fuzz.h"
#include "signer/desk.h"
#include "ssh/cert.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOW_S = 1800000000, FULL_BYTES = 1024 * 1024 };

/* The signer server of the whole run; its authority is loaded again for each input. */
struct world {
    struct seal_key *key;
    struct book book;
    struct clock_fake clock;
    struct desk *desk;
    struct text sealed;
    struct arena *memory;
};

static struct seal_key *key_make(void)
{
    char folder[] = "/tmp/reeve-fuzz-XXXXXX";
    struct seal_key *key = NULL;
    char path[64];
    struct err err;

    FUZZ_CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/key", folder);
    FUZZ_CHECK(seal_key_make(path, &key, &err));
    unlink(path);
    rmdir(folder);
    return key;
}

static struct world *world_get(void)
{
    static struct world world;
    struct sign_ask make = { .method = SIGN_MAKE, .authority = TEXT("acme/a"), .who = TEXT("me") };
    struct sign_reply reported;

    if (world.desk == NULL) {
        world.memory = arena_new(LIMIT_WORK_ARENA_BYTES);
        world.key = key_make();
        world.book.fd = memfd_create("book", MFD_CLOEXEC);
        world.clock = (struct clock_fake){ .wall_ms = NOW_S * 1000LL };
        world.desk = desk_new(world.key, &world.book, clock_fake_port(&world.clock));
        desk_answer(world.desk, world.memory, &make, &reported);
        FUZZ_CHECK(reported.code == CODE_NONE);
        world.sealed = reported.sealed;
    }
    if (lseek(world.book.fd, 0, SEEK_CUR) > FULL_BYTES) {
        FUZZ_CHECK(ftruncate(world.book.fd, 0) == 0 && lseek(world.book.fd, 0, SEEK_SET) == 0);
    }
    return &world;
}

static void certificate_check(struct arena *arena, const struct sign_reply *reported)
{
    struct ssh_cert cert;
    struct err err;

    FUZZ_CHECK(ssh_cert_parse(arena, reported->certificate, &cert, &err));
    FUZZ_CHECK(cert.after_s == NOW_S - LIMIT_SIGNER_BACKDATE_S);
    FUZZ_CHECK(cert.before_s >= NOW_S + LIMIT_SIGNER_TTL_MIN_S &&
               cert.before_s <= NOW_S + LIMIT_SIGNER_TTL_MAX_S);
    FUZZ_CHECK(cert.principal_count >= 1 && cert.must_count == 0);
    FUZZ_CHECK(cert.kind == SSH_CERT_HOST ||
               (cert.principal_count == 1 && text_is(cert.principals[0], "cluster:acme/a")));
}

static void question_answer(struct arena *arena, const struct sign_ask *ask)
{
    struct world *world = world_get();
    struct sign_ask load = {
        .method = SIGN_LOAD, .authority = TEXT("acme/a"), .who = TEXT("me"), .sealed = world->sealed
    };
    struct sign_ask forget = { .method = SIGN_FORGET,
                               .authority = TEXT("acme/a"),
                               .who = TEXT("me") };
    struct sign_reply reported;

    desk_answer(world->desk, arena, &load, &reported);
    FUZZ_CHECK(reported.code == CODE_NONE);
    desk_answer(world->desk, arena, ask, &reported);
    FUZZ_CHECK(reported.id == ask->id &&
               (reported.code == CODE_NONE) == (reported.message.length == 0));
    if (reported.certificate.length > 0) {
        FUZZ_CHECK(ask->method == SIGN_CERTIFY);
        certificate_check(arena, &reported);
    }
    desk_answer(world->desk, arena, &forget, &reported);
}

static struct text frame_write(struct arena *arena, const struct sign_message *message)
{
    struct buf buf;

    buf_init(&buf, arena);
    sign_format(&buf, message);
    return buf_text(&buf);
}

/* An input is a sequence of frames, as received from a socket. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text rest = { (const char *)data, size };
    struct err err = { 0 };
    size_t length;

    while (frame_measure(rest, CODE_R0752, &length, &err) && length > 0 && length <= rest.length) {
        AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
        AUTO(arena) scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct sign_message message;
        struct sign_message again;
        struct text frame;

        if (!sign_parse(arena, text_slice(rest, 0, length), &message, &err)) {
            FUZZ_CHECK(err.code == CODE_R0752 && err.text[0] != '\0');
            return 0;
        }
        frame = frame_write(scratch, &message);
        FUZZ_CHECK(sign_parse(scratch, frame, &again, &err));
        FUZZ_CHECK(text_is_equal(frame, frame_write(scratch, &again)));
        if (message.type == SIGN_ASK) {
            question_answer(scratch, &message.ask);
        }
        rest = text_slice(rest, length, rest.length);
    }
    return 0;
}
