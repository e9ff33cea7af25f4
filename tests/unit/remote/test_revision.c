/* Revisions of configuration repositories: an archive and its manifest, and the resulting stages.
 * Requirements: C6. */
#include "unit.h"

#include "base/limits.h"
#include "codec/json.h"
#include "remote/archive.h"
#include "remote/bounds.h"
#include "remote/revision.h"

enum { SOURCE = 7, NAME_ROOM = 40 };

struct repository {
    struct arena *arena;
    struct buf tar;
    struct err_list errors;
    struct revision revision;
    bool is_good;
};

static void repository_start(struct repository *repository)
{
    *repository = (struct repository){ .arena = arena_new(LIMIT_WORK_ARENA_BYTES) };
    buf_init(&repository->tar, repository->arena);
    err_list_init(&repository->errors, repository->arena);
}

static void repository_end(struct repository *repository)
{
    arena_free(repository->arena);
}

static void file_put(struct repository *repository, const char *name, const char *content)
{
    struct archive_member member = {
        .kind = ARCHIVE_FILE, .name = text_from(name), .mode = 0644, .bytes = strlen(content)
    };

    archive_add(&repository->tar, &member, text_from(content));
}

static void link_put(struct repository *repository, const char *name, const char *target)
{
    struct archive_member member = {
        .kind = ARCHIVE_LINK, .name = text_from(name), .link = text_from(target), .mode = 0777
    };

    archive_add(&repository->tar, &member, TEXT(""));
}

static void folder_put(struct repository *repository, const char *name)
{
    struct archive_member member = { .kind = ARCHIVE_FOLDER,
                                     .name = text_from(name),
                                     .mode = 0755 };

    archive_add(&repository->tar, &member, TEXT(""));
}

/* Makes the archive canonical, as the command line does before it sends it. */
static struct text archive_canonical(struct repository *repository)
{
    struct bundle bundle;
    struct err err;

    archive_finish(&repository->tar);
    assert_true(bundle_from_archive(repository->arena, BUNDLE_CONFIGURATION,
                                    buf_text(&repository->tar), &bundle, &err));
    return bundle.bytes;
}

static void repository_read(struct repository *repository)
{
    static const struct origin origin = { .kind = ORIGIN_FILE, .source = SOURCE };

    repository->is_good = revision_read(repository->arena, archive_canonical(repository), &origin,
                                        &repository->revision, &repository->errors);
    assert_int_equal(repository->is_good, repository->errors.errors == 0);
}

/* Reads a repository with this manifest and the folders base, deep/er and web. */
static void manifest_try(struct repository *repository, const char *manifest)
{
    repository_start(repository);
    file_put(repository, REVISION_MANIFEST, manifest);
    file_put(repository, "web/bootstrap.sh", "echo web\n");
    file_put(repository, "deep/er/bootstrap.sh", "echo deep\n");
    file_put(repository, "base/bootstrap.sh", "echo base\n");
    file_put(repository, "notes/README", "not a bundle\n");
    repository_read(repository);
}

/* Asserts that the stages equal this JSON, without their digests. */
static void assert_stages(const struct repository *repository, const char *expected)
{
    struct buf json;
    struct buf shown;
    struct text rest;

    assert_true(repository->is_good);
    assert_int_equal(repository->revision.stages.item_count, repository->revision.bundle_count);
    buf_init(&json, repository->arena);
    buf_init(&shown, repository->arena);
    json_format(&json, &repository->revision.stages);
    for (rest = buf_text(&json); rest.length > 0;) {
        size_t at = text_find_byte(rest, '@');

        buf_add(&shown, text_slice(rest, 0, at));
        rest = at == SIZE_MAX ? TEXT("") : text_slice(rest, at + strlen("@sha256:") + 64, SIZE_MAX);
    }
    assert_text(buf_text(&shown), expected);
}

/* Asserts that the only error has this code and this text, in this line of the manifest (0: no
 * place), and a hint with this text (NULL: no hint). */
static void assert_refused(struct repository *repository, enum code code, uint32_t line,
                           const char *words, const char *hint)
{
    const struct err *err = &repository->errors.items[0];

    assert_false(repository->is_good);
    assert_int_equal(repository->errors.errors, 1);
    assert_int_equal(err->code, code);
    assert_non_null(strstr(err->text, words));
    assert_int_equal(err->place.line, line);
    assert_int_equal(err->place.source, line == 0 ? 0 : SOURCE);
    if (hint == NULL) {
        assert_string_equal(err->hint, "");
    } else {
        assert_non_null(strstr(err->hint, hint));
    }
    repository_end(repository);
}

/* ---- stages ---- */

static void folders_run_in_order_of_name(void **state)
{
    struct repository repository;

    (void)state;
    repository_start(&repository);
    file_put(&repository, "web/bootstrap.sh", "echo web\n");
    file_put(&repository, "base/bootstrap.sh", "echo base\n");
    file_put(&repository, "base-10/bootstrap.sh", "echo ten\n");
    file_put(&repository, "notes/README", "no script\n");
    file_put(&repository, "deep/er/bootstrap.sh", "not at the top of a folder at the top\n");
    link_put(&repository, "linked/bootstrap.sh", "other.sh");
    file_put(&repository, "linked/other.sh", "echo linked\n");
    repository_read(&repository);
    assert_stages(&repository,
                  "[{\"bundle\":\"base\"},{\"bundle\":\"base-10\"},{\"bundle\":\"web\"}]");
    assert_int_equal(repository.revision.bundles[0].members, 1);
    repository_end(&repository);
}

static void a_script_at_the_top_makes_the_whole_one_bundle(void **state)
{
    struct repository repository;

    (void)state;
    repository_start(&repository);
    file_put(&repository, "bootstrap.sh", "echo top\n");
    file_put(&repository, "web/bootstrap.sh", "echo web\n");
    repository_read(&repository);
    assert_stages(&repository, "[{\"bundle\":\"configuration\"}]");
    assert_int_equal(repository.revision.bundles[0].members, 3);
    repository_end(&repository);
}

static void the_manifest_gives_order_and_arguments(void **state)
{
    struct repository repository;

    (void)state;
    manifest_try(&repository,
                 "runner: bundles\n"
                 "bundles:\n"
                 "- {tar: web/, args: [--port, \"80\"], idempotent: true, timeout: 300s}\n"
                 "- {tar: ./base, tries: 2, onFailure: continue}\n"
                 "- tar: deep/er\n");
    assert_stages(
        &repository,
        "[{\"args\":[\"--port\",\"80\"],\"bundle\":\"web\",\"idempotent\":true,"
        "\"timeout\":\"300s\"},{\"bundle\":\"base\",\"onFailure\":\"continue\",\"tries\":2},"
        "{\"bundle\":\"er\"}]");
    repository_end(&repository);
}

static void an_empty_manifest_is_none(void **state)
{
    static const char *const empty[] = { "", "# nothing\n", "{}\n", "bundles: null\n",
                                         "runner: null\n" };

    (void)state;
    for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
        struct repository repository;

        manifest_try(&repository, empty[i]);
        assert_stages(&repository, "[{\"bundle\":\"base\"},{\"bundle\":\"web\"}]");
        repository_end(&repository);
    }
}

static void a_folder_may_run_twice(void **state)
{
    struct repository repository;

    (void)state;
    manifest_try(&repository,
                 "bundles: [{tar: web, args: [a]}, {tar: web, args: [b]}, {tar: .}]\n");
    assert_refused(&repository, CODE_R0722, 1, "the bundle has no bootstrap.sh", "at its top");
    manifest_try(&repository, "bundles: [{tar: web, args: [a]}, {tar: web, args: [b]}]\n");
    assert_stages(&repository,
                  "[{\"args\":[\"a\"],\"bundle\":\"web\"},{\"args\":[\"b\"],\"bundle\":\"web\"}]");
    assert_string_equal(repository.revision.bundles[0].digest,
                        repository.revision.bundles[1].digest);
    repository_end(&repository);
}

static void the_digest_of_a_folder_is_its_own(void **state)
{
    struct repository before;
    struct repository after;
    struct repository alone;
    struct bundle bundle;
    struct err err;

    (void)state;
    repository_start(&before);
    file_put(&before, "base/bootstrap.sh", "echo base\n");
    file_put(&before, "base/more/motd", "hello\n");
    file_put(&before, "web/bootstrap.sh", "echo 1\n");
    repository_read(&before);
    repository_start(&after);
    file_put(&after, "web/bootstrap.sh", "echo 2\n");
    file_put(&after, "base/bootstrap.sh", "echo base\n");
    folder_put(&after, "base/more");
    file_put(&after, "base/more/motd", "hello\n");
    repository_read(&after);
    assert_true(before.is_good && after.is_good);
    assert_string_equal(before.revision.bundles[0].digest, after.revision.bundles[0].digest);
    assert_string_not_equal(before.revision.bundles[1].digest, after.revision.bundles[1].digest);
    /* `tar: base` in the bootstrap of a group gives the same digest */
    repository_start(&alone);
    file_put(&alone, "bootstrap.sh", "echo base\n");
    file_put(&alone, "more/motd", "hello\n");
    archive_finish(&alone.tar);
    assert_true(
        bundle_from_archive(alone.arena, BUNDLE_STAGE, buf_text(&alone.tar), &bundle, &err));
    assert_string_equal(bundle.digest, before.revision.bundles[0].digest);
    repository_end(&before);
    repository_end(&after);
    repository_end(&alone);
}

/* ---- refusals ---- */

static void what_the_manifest_may_not_say(void **state)
{
    static const struct {
        const char *manifest;
        enum code code;
        uint32_t line;
        const char *words;
        const char *hint;
    } rows[] = {
        { "runner: bundles\nbundles: [{tar: absent}]\n", CODE_R0828, 2,
          "there is no folder 'absent' in the repository", "relative to the top" },
        { "bundles: [{tar: ../web}]\n", CODE_R0828, 1, "no folder '../web'", "relative" },
        { "bundles: [{tar: /web}]\n", CODE_R0828, 1, "no folder '/web'", "relative" },
        { "bundles: [{tar: web/bootstrap.sh}]\n", CODE_R0828, 1, "no folder 'web/bootstrap.sh'",
          "relative" },
        { "bundles: [{tar: notes}]\n", CODE_R0722, 1, "the bundle has no bootstrap.sh",
          "at its top" },
        { "bundles: [{bundle: \"web@sha256:"
          "0123456789012345678901234567890123456789012345678901234567890123\"}]\n",
          CODE_R0828, 1, "a bundle of a configuration is a folder", "{tar: FOLDER}" },
        { "bundles: []\n", CODE_R0828, 0, "the repository has nothing to run", "bootstrap.sh" },
        { "runner: ansible\n", CODE_R0828, 0, "no playbook site.yml", "hooks: {configure: FILE}" },
        { "runner: ansible\nbundles: [{tar: web}]\n", CODE_R0828, 2,
          "a configuration has playbooks and no bundles", "runner: bundles" },
        { "runner: ansible\nhooks: {configure: absent.yml}\n", CODE_R0828, 2,
          "the hook configure is not a file", "relative" },
        { "runner: ansible\nhooks: {clean: site.yml}\n", CODE_R0828, 2, "there is no hook 'clean'",
          "cleanup" },
        { "runner: ansible\nhooks: [site.yml]\n", CODE_R0302, 2, "must be a map", NULL },
        { "runner: puppet\n", CODE_R0307, 1, "must be bundles or ansible", NULL },
        { "bundels: [{tar: web}]\n", CODE_R0301, 1, "unknown field 'bundels'", "'bundles'" },
        { "bundles: web\n", CODE_R0302, 1, "bundles", "write [web]" },
        { "hooks: {verify: v.sh}\n", CODE_R0828, 1, "each bundle has its own hooks", "leave" },
        { "runner: bundles\n---\nrunner: bundles\n", CODE_R0828, 3, "has 2 documents", NULL },
        { "- web\n", CODE_R0302, 1, "must be a map", NULL },
        { "runner: [\n", CODE_R0122, 2, "found the end", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct repository repository;

        manifest_try(&repository, rows[i].manifest);
        if (repository.is_good || repository.errors.items[0].code != rows[i].code ||
            repository.errors.items[0].place.line != rows[i].line) {
            print_message("%s: %s, line %u, %s\n", rows[i].manifest,
                          code_get(repository.errors.items[0].code)->name,
                          repository.errors.items[0].place.line, repository.errors.items[0].text);
        }
        assert_refused(&repository, rows[i].code, rows[i].line, rows[i].words, rows[i].hint);
    }
}

static void several_errors_are_reported_together(void **state)
{
    struct repository repository;

    (void)state;
    manifest_try(&repository, "bundles:\n- {tar: absent}\n- {tar: web}\n- {tar: gone}\n");
    assert_false(repository.is_good);
    assert_int_equal(repository.errors.errors, 2);
    assert_int_equal(repository.errors.items[0].place.line, 2);
    assert_int_equal(repository.errors.items[1].place.line, 4);
    repository_end(&repository);
}

static void a_manifest_is_a_small_file(void **state)
{
    struct repository repository;
    char *large = malloc(LIMIT_MANIFEST_BYTES + 2);

    (void)state;
    assert_non_null(large);
    memset(large, '#', LIMIT_MANIFEST_BYTES + 1);
    large[LIMIT_MANIFEST_BYTES + 1] = '\0';
    manifest_try(&repository, large);
    assert_refused(&repository, CODE_R0828, 0, "has more than 65536 bytes", NULL);
    large[LIMIT_MANIFEST_BYTES] = '\0';
    manifest_try(&repository, large);
    assert_true(repository.is_good);
    repository_end(&repository);
    free(large);
    repository_start(&repository);
    file_put(&repository, "web/bootstrap.sh", "echo web\n");
    link_put(&repository, REVISION_MANIFEST, "web/manifest.yaml");
    repository_read(&repository);
    assert_refused(&repository, CODE_R0828, 0, "is not a file", NULL);
}

static void a_repository_without_bundles_has_nothing_to_run(void **state)
{
    struct repository repository;

    (void)state;
    repository_start(&repository);
    file_put(&repository, "README", "hello\n");
    repository_read(&repository);
    assert_refused(&repository, CODE_R0828, 0, "nothing to run", "add folders with bootstrap.sh");
}

/* Asserts the stage, without its digest, and the hooks of a repository with a playbook. */
static void assert_playbook(const struct repository *repository, const char *stage,
                            const char *hooks)
{
    struct text digest;
    struct buf json;
    struct buf shown;

    assert_true(repository->is_good);
    assert_int_equal(repository->revision.bundle_count, 0);
    assert_int_equal(repository->revision.stages.item_count, 1);
    buf_init(&json, repository->arena);
    json_format(&json, &repository->revision.stages);
    digest = text_slice(buf_text(&json), strlen("[{\"bundle\":\"configure@sha256:"), 64);
    assert_int_equal(text_find_byte(digest, '"'), SIZE_MAX);
    assert_text(
        text_slice(buf_text(&json), strlen("[{\"bundle\":\"configure@sha256:") + 64, SIZE_MAX),
        stage);
    buf_init(&shown, repository->arena);
    json_format(&shown, &repository->revision.hooks);
    assert_text(buf_text(&shown), hooks);
}

/* site.yml means that the runner is Ansible; playbooks with the names of hooks are used as these
 * hooks. */
static void a_playbook_is_one_stage(void **state)
{
    struct repository repository;

    (void)state;
    repository_start(&repository);
    file_put(&repository, "site.yml", "- hosts: all\n");
    file_put(&repository, "cleanup.yml", "- hosts: all\n");
    file_put(&repository, "web/bootstrap.sh", "echo web\n");
    repository_read(&repository);
    assert_playbook(&repository,
                    "\",\"idempotent\":true,\"playbook\":\"site.yml\",\"timeout\":\"1h\"}]",
                    "{\"cleanup\":\"cleanup.yml\",\"configure\":\"site.yml\"}");
    repository_end(&repository);
    repository_start(&repository);
    file_put(&repository, "plays/web.yml", "- hosts: all\n");
    file_put(
        &repository, REVISION_MANIFEST,
        "runner: ansible\nhooks: {configure: plays/web.yml}\ntimeout: 10m\nrepeatable: false\n");
    repository_read(&repository);
    assert_playbook(&repository,
                    "\",\"idempotent\":false,\"playbook\":\"plays/web.yml\",\"timeout\":\"10m\"}]",
                    "{\"configure\":\"plays/web.yml\"}");
    repository_end(&repository);
}

static void site_yml_counts_where_nothing_else_is_said(void **state)
{
    struct repository repository;

    (void)state;
    repository_start(&repository);
    file_put(&repository, "site.yml", "- hosts: all\n");
    file_put(&repository, "web/bootstrap.sh", "echo web\n");
    file_put(&repository, REVISION_MANIFEST, "runner: bundles\n");
    repository_read(&repository);
    assert_stages(&repository, "[{\"bundle\":\"web\"}]");
    repository_end(&repository);
}

/* One folder more than the limit of stages, with and without a list. */
static void there_are_at_most_so_many_bundles(void **state)
{
    (void)state;
    for (int is_listed = 0; is_listed < 2; is_listed++) {
        for (int more = 0; more < 2; more++) {
            struct repository repository;
            struct buf list;

            repository_start(&repository);
            buf_init(&list, repository.arena);
            buf_add_string(&list, "bundles:\n");
            for (int i = 0; i < REMOTE_STAGES + more; i++) {
                char name[NAME_ROOM];

                snprintf(name, sizeof(name), "s%02d/bootstrap.sh", i);
                file_put(&repository, name, "echo\n");
                buf_printf(&list, "- tar: s%02d\n", i);
            }
            if (is_listed) {
                file_put(&repository, REVISION_MANIFEST,
                         arena_string(repository.arena, buf_text(&list)));
            }
            repository_read(&repository);
            if (more == 0) {
                assert_true(repository.is_good);
                assert_int_equal(repository.revision.bundle_count, REMOTE_STAGES);
                repository_end(&repository);
            } else {
                assert_refused(&repository, is_listed ? CODE_R0320 : CODE_R0828, is_listed ? 2 : 0,
                               "at most 32", NULL);
            }
        }
    }
}

/* Links that stay within the repository may still lead out of a bundle's folder. */
static void a_bundle_may_not_lead_out_of_its_folder(void **state)
{
    struct repository repository;

    (void)state;
    repository_start(&repository);
    file_put(&repository, "common/motd", "hello\n");
    file_put(&repository, "web/bootstrap.sh", "cat motd\n");
    link_put(&repository, "web/motd", "../common/motd");
    repository_read(&repository);
    assert_false(repository.is_good);
    assert_int_equal(repository.errors.items[0].code, CODE_R0724);
    assert_non_null(strstr(repository.errors.items[0].note, "the folder 'web'"));
    repository_end(&repository);
    repository_start(&repository);
    file_put(&repository, "web/bootstrap.sh", "echo\r\n");
    repository_read(&repository);
    assert_false(repository.is_good);
    assert_int_equal(repository.errors.items[0].code, CODE_R0722);
    assert_non_null(strstr(repository.errors.items[0].note, "the folder 'web'"));
    repository_end(&repository);
}

static void bytes_that_are_no_archive_are_refused(void **state)
{
    struct repository repository;
    struct doc files;
    struct err err;

    (void)state;
    repository_start(&repository);
    assert_false(revision_read(repository.arena, TEXT("a text"), NULL, &repository.revision,
                               &repository.errors));
    assert_int_equal(repository.errors.items[0].code, CODE_R0721);
    assert_null(revision_manifest(repository.arena, TEXT("a text")).data);
    assert_false(revision_files(repository.arena, TEXT("a text"), &files, &err));
    assert_int_equal(err.code, CODE_R0721);
    repository_end(&repository);
}

/* ---- content ---- */

static void the_manifest_is_found(void **state)
{
    struct repository repository;

    (void)state;
    repository_start(&repository);
    file_put(&repository, "web/" REVISION_MANIFEST, "runner: puppet\n");
    file_put(&repository, REVISION_MANIFEST, "runner: bundles\n");
    assert_text(revision_manifest(repository.arena, archive_canonical(&repository)),
                "runner: bundles\n");
    repository_end(&repository);
    repository_start(&repository);
    file_put(&repository, "web/" REVISION_MANIFEST, "runner: puppet\n");
    assert_null(revision_manifest(repository.arena, archive_canonical(&repository)).data);
    repository_end(&repository);
}

static void files_and_links_are_listed(void **state)
{
    struct archive_member program = {
        .kind = ARCHIVE_FILE, .name = TEXT("web/run"), .mode = 0755, .bytes = 0
    };
    struct repository repository;
    struct doc files;
    struct buf json;
    struct err err;

    (void)state;
    repository_start(&repository);
    file_put(&repository, "web/abc", "abc");
    archive_add(&repository.tar, &program, TEXT(""));
    link_put(&repository, "web/motd", "abc");
    folder_put(&repository, "empty");
    assert_true(revision_files(repository.arena, archive_canonical(&repository), &files, &err));
    buf_init(&json, repository.arena);
    json_format(&json, &files);
    assert_text(buf_text(&json),
                "[{\"bytes\":3,\"name\":\"web/abc\",\"program\":false,\"sha256\":"
                "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"},"
                "{\"link\":\"abc\",\"name\":\"web/motd\"},"
                "{\"bytes\":0,\"name\":\"web/run\",\"program\":true,\"sha256\":"
                "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}]");
    repository_end(&repository);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_run_in_order_of_name),
        cmocka_unit_test(a_script_at_the_top_makes_the_whole_one_bundle),
        cmocka_unit_test(the_manifest_gives_order_and_arguments),
        cmocka_unit_test(an_empty_manifest_is_none),
        cmocka_unit_test(a_folder_may_run_twice),
        cmocka_unit_test(the_digest_of_a_folder_is_its_own),
        cmocka_unit_test(what_the_manifest_may_not_say),
        cmocka_unit_test(several_errors_are_reported_together),
        cmocka_unit_test(a_manifest_is_a_small_file),
        cmocka_unit_test(a_repository_without_bundles_has_nothing_to_run),
        cmocka_unit_test(a_playbook_is_one_stage),
        cmocka_unit_test(site_yml_counts_where_nothing_else_is_said),
        cmocka_unit_test(there_are_at_most_so_many_bundles),
        cmocka_unit_test(a_bundle_may_not_lead_out_of_its_folder),
        cmocka_unit_test(bytes_that_are_no_archive_are_refused),
        cmocka_unit_test(the_manifest_is_found),
        cmocka_unit_test(files_and_links_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
