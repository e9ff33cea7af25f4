#include "client/settings.h"

#include "unit.h"

#include <sys/stat.h>

/* A folder with the files of a user, of the system and of a project. */
struct world {
    struct arena *arena;
    char folder[64];
    char user[96];
    char system[96];
    char project[96];
    char inner[96];
};

static void file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    struct world *world = calloc(1, sizeof(*world));

    strcpy(world->folder, "/tmp/reeve-settings-XXXXXX");
    assert_non_null(mkdtemp(world->folder));
    snprintf(world->user, sizeof(world->user), "%s/user", world->folder);
    snprintf(world->system, sizeof(world->system), "%s/system", world->folder);
    snprintf(world->project, sizeof(world->project), "%s/.reeve.yaml", world->folder);
    snprintf(world->inner, sizeof(world->inner), "%s/a", world->folder);
    assert_int_equal(mkdir(world->inner, 0700), 0);
    file_write(world->user,
               "context: u\ncontexts: {u: {url: 'unix:/u', tenant: t}, p: {url: 'unix:/p'}}\n");
    file_write(world->system,
               "context: s\ncontexts: {s: {url: 'unix:/s'}, u: {url: 'unix:/wrong'}}\n");
    world->arena = arena_new((size_t)16 << 20);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    unlink(world->user);
    unlink(world->system);
    unlink(world->project);
    rmdir(world->inner);
    rmdir(world->folder);
    arena_free(world->arena);
    free(world);
    return 0;
}

static struct settings settings_of(struct world *world, struct settings_facts facts)
{
    struct settings settings;
    struct err err;

    facts.user_file = facts.user_file == NULL ? world->user : facts.user_file;
    facts.system_file = world->system;
    facts.folder = world->inner;
    if (!settings_read(world->arena, &facts, &settings, &err)) {
        fail_msg("%s", err.text);
    }
    return settings;
}

/* The order of precedence (UX 3.10): flag, environment, project, user, system. */
static void test_precedence(void **state)
{
    struct world *world = *state;
    struct settings got =
        settings_of(world, (struct settings_facts){ .user_file = "/nonexistent" });

    assert_text(got.url.value, "unix:/s");
    got = settings_of(world, (struct settings_facts){ 0 });
    assert_text(got.url.value, "unix:/u");
    assert_text(got.tenant.value, "t");
    file_write(world->project, "context: p\ntenant: x\n");
    got = settings_of(world, (struct settings_facts){ 0 });
    assert_text(got.url.value, "unix:/p");
    assert_text(got.tenant.value, "x");
    got = settings_of(world, (struct settings_facts){ .context = "s" });
    assert_text(got.url.value, "unix:/s");
    got = settings_of(world, (struct settings_facts){ .url = "unix:/e", .context = "s" });
    assert_text(got.url.value, "unix:/e");
    assert_text(got.url.source, "environment REEVE_URL");
    got = settings_of(world, (struct settings_facts){ .url = "unix:/e", .context_flag = "u" });
    assert_text(got.url.value, "unix:/u");
    assert_text(got.context.source, "flag --context");
}

/* The token of a context is not used if REEVE_URL is another address. */
static void test_a_token_stays_with_its_address(void **state)
{
    struct world *world = *state;
    char token[128];
    struct settings got;

    snprintf(token, sizeof(token), "%s/u", world->inner);
    file_write(token, "secret\n");
    got = settings_of(world, (struct settings_facts){ .token_folder = world->inner });
    assert_text(got.token_file.value, token);
    got = settings_of(world,
                      (struct settings_facts){ .token_folder = world->inner, .url = "unix:/e" });
    assert_int_equal(got.token_file.value.length, 0);
    unlink(token);
}

/* A project file may name a context that this user does not have, because REEVE_URL takes
 * precedence. */
static void test_an_address_needs_no_context_of_a_file(void **state)
{
    struct world *world = *state;
    struct settings_facts facts = { .user_file = world->user,
                                    .folder = world->inner,
                                    .url = "unix:/e" };
    struct settings settings;
    struct err err;

    file_write(world->user, "");
    file_write(world->project, "context: nowhere\n");
    assert_true(settings_read(world->arena, &facts, &settings, &err));
    assert_text(settings.url.value, "unix:/e");
    assert_int_equal(settings.context.value.length, 0);
    facts.context = "nowhere"; /* an explicit context that does not exist is an error */
    assert_false(settings_read(world->arena, &facts, &settings, &err));
    assert_int_equal(err.code, CODE_R0026);
}

static void test_what_is_wrong_is_reported(void **state)
{
    static const struct {
        const char *user;
        const char *project;
        enum code code;
    } cases[] = {
        { "contexts: [a]\n", "", CODE_R0021 }, { "contexts: {a: {uri: x}}\n", "", CODE_R0021 },
        { "token: x\n", "", CODE_R0021 },      { "context: nowhere\n", "", CODE_R0026 },
        { "context: [\n", "", CODE_R0021 },    { "", "url: https://elsewhere\n", CODE_R0022 },
        { "", "token: x\n", CODE_R0022 },      { "", "context: nowhere\n", CODE_R0026 },
    };
    struct world *world = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct settings_facts facts = { .user_file = world->user, .folder = world->inner };
        struct settings settings;
        struct err err;

        file_write(world->user, cases[i].user);
        file_write(world->project, cases[i].project);
        assert_false(settings_read(world->arena, &facts, &settings, &err));
        assert_int_equal(err.code, cases[i].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_precedence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_token_stays_with_its_address, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_address_needs_no_context_of_a_file, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_wrong_is_reported, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("client/settings", tests, NULL, NULL);
}
