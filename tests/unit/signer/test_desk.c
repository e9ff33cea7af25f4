#include "signer/desk.h"

#include "base/limits.h"
#include "signer/ring.h"
#include "unit.h"

#include <fcntl.h>
#include <sys/mman.h>

/* Properties of the signer server that depend on the time, and properties that the process cannot
 * show. tests/ssh/test_signer.py tests the rest. */

#define ROOT "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBNRAttEKJO19avnRdF+5KDY0In1zS7vmp05ZQC38tkw"

enum { NOW_S = 1800000000 };

struct world {
    struct arena *arena;
    struct clock_fake clock;
    struct book book;
    struct seal_key *key;
    struct desk *desk;
};

static char folder[] = "/tmp/reeve-desk-XXXXXX";

static struct seal_key *key_make(void)
{
    struct seal_key *key = NULL;
    char path[64];
    struct err err;

    snprintf(path, sizeof(path), "%s/key", folder);
    unlink(path);
    assert_true(seal_key_make(path, &key, &err));
    unlink(path);
    return key;
}

static struct sign_reply ask(struct world *world, struct sign_ask question)
{
    struct sign_reply reported;

    question.authority = question.authority.length == 0 ? TEXT("acme/a") : question.authority;
    question.who = TEXT("tester");
    desk_answer(world->desk, world->arena, &question, &reported);
    assert_true((reported.code == CODE_NONE) == (reported.message.length == 0));
    return reported;
}

static struct sign_reply certify(struct world *world)
{
    static struct text principal = { "cluster:acme/a", 14 };
    struct sign_ask question = { .method = SIGN_CERTIFY,
                                 .kind = SSH_CERT_USER,
                                 .key = TEXT(ROOT),
                                 .name = TEXT("root"),
                                 .principals = { &principal, 1 } };

    return ask(world, question);
}

static void world_make(struct world *world)
{
    struct sign_reply reported;

    *world = (struct world){ .arena = arena_new(LIMIT_WORK_ARENA_BYTES),
                             .clock = { .monotonic_ns = 1000000000, .wall_ms = NOW_S * 1000LL },
                             .book = { .fd = memfd_create("book", MFD_CLOEXEC) },
                             .key = key_make() };
    world->desk = desk_new(world->key, &world->book, clock_fake_port(&world->clock));
    reported = ask(world, (struct sign_ask){ .method = SIGN_MAKE });
    assert_true(reported.code == CODE_NONE);
    reported = ask(world, (struct sign_ask){ .method = SIGN_LOAD, .sealed = reported.sealed });
    assert_true(reported.code == CODE_NONE);
}

static void world_end(struct world *world)
{
    desk_free(world->desk);
    seal_key_close(world->key);
    close(world->book.fd);
    arena_free(world->arena);
}

static void test_times_are_of_the_clock_and_backdated(void **state)
{
    struct world world;
    struct sign_reply reported;
    struct ssh_cert cert;
    struct err err;

    (void)state;
    world_make(&world);
    reported = certify(&world);
    assert_true(ssh_cert_parse(world.arena, reported.certificate, &cert, &err));
    assert_true(cert.after_s == NOW_S - 300 && cert.before_s == NOW_S + 7 * 24 * 3600);
    assert_true(reported.before_s == cert.before_s && reported.serial == cert.serial &&
                cert.serial != 0);
    world_end(&world);
}

static void test_the_rate_fills_up_again_and_not_beyond(void **state)
{
    struct world world;

    (void)state;
    world_make(&world);
    for (size_t i = 0; i < LIMIT_SIGNER_BURST; i++) {
        assert_true(certify(&world).code == CODE_NONE);
    }
    assert_true(certify(&world).code == CODE_R0747);
    clock_fake_advance(&world.clock, 9);
    assert_true(certify(&world).code == CODE_R0747);
    clock_fake_advance(&world.clock, 1); /* one signature per hundredth of a second is permitted */
    assert_true(certify(&world).code == CODE_NONE);
    assert_true(certify(&world).code == CODE_R0747);
    clock_fake_advance(&world.clock, UINT64_C(400) * 24 * 3600 * 1000);
    for (size_t i = 0; i < LIMIT_SIGNER_BURST; i++) {
        assert_true(certify(&world).code == CODE_NONE);
    }
    assert_true(certify(&world).code == CODE_R0747);
    world_end(&world);
}

static void test_without_a_book_nothing_is_done(void **state)
{
    struct world world;
    struct sign_reply reported;

    (void)state;
    world_make(&world);
    close(world.book.fd);
    world.book.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    reported = certify(&world);
    assert_true(reported.code == CODE_R0748 && reported.certificate.length == 0);
    reported = ask(&world, (struct sign_ask){ .method = SIGN_ROTATE, .phase = ROTATION_MADE });
    assert_true(reported.code == CODE_R0748 && reported.sealed.length == 0);
    reported = ask(&world, (struct sign_ask){ .method = SIGN_REVOKE, .version = 1 });
    assert_true(reported.code == CODE_R0748 && reported.krl.length == 0);
    reported = ask(&world, (struct sign_ask){ .method = SIGN_MAKE, .authority = TEXT("acme/b") });
    assert_true(reported.code == CODE_R0748 && reported.sealed.length == 0);
    world_end(&world);
}

static void test_authorities_have_a_bound_and_are_forgotten(void **state)
{
    struct world world;
    struct sign_reply made;
    struct sign_reply reported;

    (void)state;
    world_make(&world);
    for (size_t i = 1; i <= LIMIT_SIGNER_AUTHORITIES; i++) {
        struct text name = arena_printf(world.arena, "acme/%zu", i);

        made = ask(&world, (struct sign_ask){ .method = SIGN_MAKE, .authority = name });
        reported =
            ask(&world,
                (struct sign_ask){ .method = SIGN_LOAD, .authority = name, .sealed = made.sealed });
        assert_true(reported.code == (i < LIMIT_SIGNER_AUTHORITIES ? CODE_NONE : CODE_R0747));
    }
    reported = ask(&world, (struct sign_ask){ .method = SIGN_FORGET });
    assert_true(reported.code == CODE_NONE);
    assert_true(certify(&world).code == CODE_R0749);
    reported = ask(&world, (struct sign_ask){ .method = SIGN_LOAD,
                                              .authority = arena_printf(world.arena, "acme/%d",
                                                                        LIMIT_SIGNER_AUTHORITIES),
                                              .sealed = made.sealed });
    assert_true(reported.code == CODE_NONE);
    reported =
        ask(&world, (struct sign_ask){ .method = SIGN_MAKE,
                                       .authority = arena_printf(world.arena, "acme/%d",
                                                                 LIMIT_SIGNER_AUTHORITIES) });
    assert_true(reported.code == CODE_R0749); /* the authority exists already */
    world_end(&world);
}

/* A keyring that is sealed in any phase is the same after it is opened. */
static void test_a_ring_is_the_same_after_it_was_sealed(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct seal_key *key = key_make();
    struct ring ring;
    struct ring opened;
    struct err err = { 0 };

    (void)state;
    ring_draw(&ring);
    for (uint64_t step = 1; step <= 2 * ROTATION_PHASE_COUNT; step++) {
        struct text sealed = ring_seal(arena, key, TEXT("acme/a"), &ring);

        assert_true(ring_open(key, TEXT("acme/a"), sealed, &opened, &err));
        assert_memory_equal(ring.secrets, opened.secrets, sizeof(ring.secrets));
        assert_true(opened.phase == ring.phase && opened.generation == ring.generation &&
                    ring.generation == step);
        assert_false(ring_open(key, TEXT("acme/b"), sealed, &opened, &err));
        assert_int_equal(err.code, CODE_R0749);
        assert_true(ring_step(&ring, step % ROTATION_PHASE_COUNT, &err));
    }
    seal_key_close(key);
}

static int folder_up(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int folder_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_times_are_of_the_clock_and_backdated),
        cmocka_unit_test(test_the_rate_fills_up_again_and_not_beyond),
        cmocka_unit_test(test_without_a_book_nothing_is_done),
        cmocka_unit_test(test_authorities_have_a_bound_and_are_forgotten),
        cmocka_unit_test(test_a_ring_is_the_same_after_it_was_sealed),
    };

    return cmocka_run_group_tests_name("signer/desk", cases, folder_up, folder_down);
}
