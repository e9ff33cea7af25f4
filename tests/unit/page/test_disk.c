/* The page from a folder: how imports are rewritten, which host names are accepted, and a program
 * without the libraries. tests/web/test_ui_dir.py tests the rest: the bytes equal those of
 * embed.py, and a browser loads them. */
#include "unit.h"

#include "page/disk.h"
#include "page/imports.h"
#include "page/table.h"

const struct page_file page_table[] = { { "index.html", "text/html", "\"1\"", TEXT("x"), false } };
const size_t page_table_count = 1;
const char *const page_table_folder = "0123456789abcdef";
const bool page_table_is_whole = false;
const struct page_pair page_table_types[] = { { ".js", "text/javascript" } };
const size_t page_table_type_count = 1;
const struct page_pair page_table_libraries[] = { { "preact", "lib/preact.js" },
                                                  { "preact/hooks", "lib/preact-hooks.js" } };
const size_t page_table_library_count = 2;

static void names_of_libraries_become_paths(void **state)
{
    static const struct {
        const char *name, *module, *resolved;
    } rows[] = {
        { "main.js", "import { h } from \"preact\";", "import { h } from \"./lib/preact.js\";" },
        { "app/a.js", "import 'preact/hooks'", "import '../lib/preact-hooks.js'" },
        { "a/b/c.js", "export * from\t\"preact\"", "export * from\t\"../../lib/preact.js\"" },
        { "a.js", "import {a}from\"preact\";import b from\"preact\"",
          "import {a}from\"./lib/preact.js\";import b from\"./lib/preact.js\"" },
        /* local imports, other packages, and names with a suffix */
        { "a.js", "from \"./preact\"", "from \"./preact\"" },
        { "a.js", "from \"preact2\"", "from \"preact2\"" },
        { "a.js", "from \"preac\"", "from \"preac\"" },
        { "a.js", "from \"htm\"", "from \"htm\"" },
        /* not imports: a text, a word with the same end, quotes that do not match, a call */
        { "a.js", "says = \"preact\"", "says = \"preact\"" },
        { "a.js", "wherefrom \"preact\"", "wherefrom \"preact\"" },
        { "a.js", "x.from \"preact\"", "x.from \"preact\"" },
        { "a.js", "from \"preact'", "from \"preact'" },
        { "a.js", "from \"preact", "from \"preact" },
        { "a.js", "import(\"preact\")", "import(\"preact\")" },
        { "a.js", "\"preact\"", "\"preact\"" },
        { "a.js", "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO(arena) arena = arena_new(1 << 20);

        assert_text(page_imports_resolve(arena, text_from(rows[i].name), text_from(rows[i].module)),
                    rows[i].resolved);
    }
}

static void folders_have_sixteen_digits(void **state)
{
    (void)state;
    assert_true(page_disk_is_folder(TEXT("0123456789abcdef")));
    assert_false(page_disk_is_folder(TEXT("0123456789abcde")));
    assert_false(page_disk_is_folder(TEXT("0123456789abcdef0")));
    assert_false(page_disk_is_folder(TEXT("0123456789abcdeF")));
    assert_false(page_disk_is_folder(TEXT("clusters")));
    assert_false(page_disk_is_folder(TEXT("")));
}

static void a_program_without_libraries_takes_no_folder(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct page_disk *disk = NULL;
    struct err err;

    (void)state;
    assert_false(page_disk_open(arena, "/", &disk, &err));
    assert_int_equal(err.code, CODE_R0793);
    assert_null(disk);
    page_disk_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_libraries_become_paths),
        cmocka_unit_test(folders_have_sixteen_digits),
        cmocka_unit_test(a_program_without_libraries_takes_no_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
