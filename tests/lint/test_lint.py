"""Each check of make lint: green on a clean tree, red at the right place on a planted violation.

Requirements: N15.
"""

import os
import shutil
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from pylib import language, order  # noqa: E402

needs_clang_format = pytest.mark.skipif(
    not shutil.which("clang-format-14"), reason="needs clang-format 14 (Debian 12)")


# --- the front ----------------------------------------------------------------------------------


def test_clean_tree_is_green(tree):
    tree.compile()
    tree.assert_green()


def test_unknown_check_is_named(tree):
    code, lines = tree.lint("layer")
    assert code == 2
    assert lines[0].startswith("lint: no check 'layer'; there are: layers quiet")


def test_list_names_every_check(tree):
    code, lines = tree.lint("--list")
    assert code == 0
    assert [line.split()[0] for line in lines] == [
        "layers", "quiet", "headers", "includes", "format", "readme", "debt", "names", "errors",
        "memory", "state", "shell", "citations", "requirements", "decisions", "language", "messages", "statics", "folders",
        "private", "subjects", "width"]


def test_every_finding_is_counted(tree):
    tree.replace("src/base/mem.h", "#include <stddef.h>", '#include "codec/json.h"')
    tree.write("src/codec/README.md", "")
    code, lines = tree.lint("layers", "readme")
    assert code == 1
    assert lines[-1] == f"lint: 2 checks, {len(lines) - 1} findings"


# --- layers -------------------------------------------------------------------------------------


def test_layers_include_from_above(tree):
    tree.replace("src/base/mem.c", "#include <stdlib.h>",
                 '#include <stdlib.h>\n#include "codec/json.h"')
    tree.assert_red("layers", "src/base/mem.c:5", "base includes codec, which is above it")


def test_layers_include_from_neighbour(tree):
    tree.write("src/extra/extra.h", '#include "codec/json.h"\n')
    tree.assert_red("layers", "src/extra/extra.h:1", "extra includes its neighbour codec")


def test_layers_unknown_folder(tree):
    tree.replace("src/codec/json.c", '"base/mem.h"', '"bsae/mem.h"')
    tree.assert_red("layers", "src/codec/json.c:3", "folder 'bsae' is not in src/LAYERS")


def test_layers_folder_without_line(tree):
    tree.write("src/stray/stray.c", "int stray_x(void);\n")
    tree.assert_red("layers", "src/LAYERS:1", "src/stray has no line here")


def test_layers_include_without_folder(tree):
    tree.replace("src/codec/json.c", '"codec/json.h"', '"json.h"')
    tree.assert_red("layers", "src/codec/json.c:1", 'written with its folder, "codec/json.h"')


def test_layers_source_outside_of_folders(tree):
    tree.write("src/main.c", "int main(void);\n")
    tree.assert_red("layers", "src/main.c:1", "directly in src/")


def test_layers_cycle_inside_a_folder(tree):
    tree.write("src/codec/a.h", '\n#include "codec/b.h"\n')
    tree.write("src/codec/b.h", '#include "codec/a.h"\n')
    tree.assert_red("layers", "src/codec/a.h:2",
                    "include cycle: src/codec/a.h -> src/codec/b.h -> src/codec/a.h")


def test_layers_include_in_a_comment_is_none(tree):
    tree.replace("src/base/mem.c", "#include <assert.h>",
                 '/*\n#include "codec/json.h"\n*/\n#include <assert.h>')
    tree.assert_green("layers")


# --- objects ------------------------------------------------------------------------------------


@pytest.mark.parametrize("call, symbol", [
    ('open("/etc/passwd", 0)', "open"),
    ('(int)(long)getenv("HOME")', "getenv"),
    ("(int)time(0)", "time"),
    ("rand()", "rand"),
    ("puts(text)", "puts"),
])
def test_quiet_call_of_the_system(tree, call, symbol):
    tree.replace("src/codec/json.c", "    err->code = 1;", f"    err->code = {call};")
    tree.compile()
    tree.assert_red("quiet", "src/codec/json.c:17", f"'{symbol}' is not allowed in the quiet half")


def test_quiet_malloc_outside_of_mem(tree):
    tree.replace("src/codec/json.c", "    err->code = 1;", "    err->code = malloc(9) != 0;")
    tree.compile()
    tree.assert_red("quiet", "src/codec/json.c:17", "only base/mem.c may")


def test_quiet_libfyaml_outside_of_yaml(tree):
    tree.replace("src/codec/json.c", "    err->code = 1;", "    err->code = fy_parse_x();")
    tree.compile()
    tree.assert_red("quiet", "src/codec/json.c:17", "only codec/yaml.c may")


def test_quiet_call_of_a_loud_folder(tree):
    tree.write("src/sys/clock.c", "int sys_now(void)\n{\n    return 1;\n}\n")
    tree.replace("src/codec/json.c", "    err->code = 1;", "    err->code = sys_now();")
    tree.compile()
    tree.assert_red("quiet", "src/codec/json.c:17", "'sys_now'")


def test_quiet_loud_folders_may(tree):
    tree.write("src/sys/clock.c", "long sys_now(void)\n{\n    return time(0);\n}\n")
    tree.compile()
    tree.assert_green("quiet", "names", "state")


def test_quiet_without_object(tree):
    tree.compile()
    (tree.root / "build/src/codec/libcodec.a.p/json.c.o").unlink()
    tree.assert_red("quiet", "src/codec/json.c:1", "run: make")


def test_missing_object_is_said_once(tree):
    tree.compile()
    (tree.root / "build/src/codec/libcodec.a.p/json.c.o").unlink()
    code, lines = tree.lint("quiet", "names", "state")
    assert code == 1
    assert len(lines) == 2 and lines[1] == "lint: 3 checks, 1 findings"


def test_object_of_a_program_in_build_itself(tree):
    tree.write("src/sys/main.c", "int bad_name(void)\n{\n    return 1;\n}\n")
    tree.compile()
    (tree.root / "build/reeve.p").mkdir()
    (tree.root / "build/src/sys/libsys.a.p/main.c.o").rename(
        tree.root / "build/reeve.p/src_sys_main.c.o")
    tree.assert_red("names", "src/sys/main.c:1", "'bad_name'")


def test_quiet_with_old_object(tree):
    tree.compile()
    path = tree.root / "build/src/codec/libcodec.a.p/json.c.o"
    os.utime(path, (1, 1))
    tree.assert_red("quiet", "src/codec/json.c:1", "older than the source")


def test_state_variable(tree):
    tree.replace("src/codec/json.c", "    err->code = 1;",
                 "    static int calls;\n    err->code = ++calls;")
    tree.compile()
    tree.assert_red("state", "src/codec/json.c:17", "'calls' is state of the whole process")


def test_state_initialised_variable(tree):
    tree.replace("src/base/mem.c", "void *arena_alloc", "int arena_count = 3;\n\nvoid *arena_alloc")
    tree.compile()
    tree.assert_red("state", "src/base/mem.c:6", "'arena_count'")


def test_names_foreign_prefix(tree):
    tree.replace("src/base/mem.c", "void *arena_alloc",
                 "int heap_size(void)\n{\n    return 1;\n}\n\nvoid *arena_alloc")
    tree.compile()
    tree.assert_red("names", "src/base/mem.c:6",
                    "'heap_size' should start with arena or base or mem_")


def test_names_of_file_and_folder(tree):
    tree.write("src/base/texts.c", "".join(
        f"int {name}(void)\n{{\n    return 1;\n}}\n" for name in ("base_x", "texts_y", "text_z",
                                                                  "texts")))
    tree.compile()
    tree.assert_green("names")


def test_names_of_a_module_in_several_files(tree):
    tree.write("src/model/shape_group.c", "int shape_groups(void)\n{\n    return 1;\n}\n")
    tree.compile()
    tree.assert_green("names")


# --- headers and includes -----------------------------------------------------------------------


def test_headers_need_what_came_before(tree):
    tree.replace("src/base/mem.h", "#include <stddef.h>\n", "")
    tree.assert_red("headers", "src/base/mem.h:7", "unknown type name")


def test_headers_without_guard(tree):
    tree.write("src/base/open.h", "/* Twice. */\nstruct base_open {\n    int x;\n};\n")
    tree.assert_red("headers", "src/base/open.h:2", "redefinition")


def test_includes_own_header_first(tree):
    tree.replace("src/codec/json.c", '#include "codec/json.h"\n\n#include "base/mem.h"',
                 '#include "base/mem.h"\n#include "codec/json.h"')
    tree.assert_red("includes", "src/codec/json.c:1", '"codec/json.h" comes first')


def test_includes_own_header_missing(tree):
    tree.write("src/base/mem.c", "int mem_x;\n")
    tree.assert_red("includes", "src/base/mem.c:1", 'does not include its own header "base/mem.h"')


def test_includes_system_before_ours(tree):
    tree.replace("src/codec/json.c", '#include "base/mem.h"\n\n#include <string.h>',
                 '#include <string.h>\n#include "base/mem.h"')
    tree.assert_red("includes", "src/codec/json.c:4", "below a header of the system")


def test_format_puts_includes_in_order(tree):
    before = ('/* Why. */\n#include "codec/json.h"\n\n#include <string.h>\n#include "base/text.h"\n\n'
              '#include "base/mem.h"\n\n#define X 1\n#include "model/schema.def"\n')
    after = ('/* Why. */\n#include "codec/json.h"\n\n#include "base/mem.h"\n#include "base/text.h"\n\n'
             '#include <string.h>\n\n#define X 1\n#include "model/schema.def"\n')
    tree.write("src/codec/json.c", before)
    order.order_all(tree.root)
    assert (tree.root / "src/codec/json.c").read_text() == after
    order.order_all(tree.root)
    assert (tree.root / "src/codec/json.c").read_text() == after
    tree.assert_green("includes")


@pytest.mark.parametrize("text", [
    "int x;\n", "", '#ifdef A\n#include <a.h>\n#endif\n#include "base/mem.h"\n',
    '#include "codec/json.h"\n\nint x;\n',
])
def test_format_leaves_other_includes_alone(text):
    assert order.order_includes(text, "codec/json.h").split() == text.split()


# --- programs of nodes --------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="needs shellcheck")
def test_shell(tree):
    tree.write("src/codec/x.sh", "# shellcheck shell=sh\ncp \"$1\" \"$2\"\n")
    tree.assert_green("shell")
    tree.write("src/codec/x.sh", "# shellcheck shell=sh\ncp $1 \"$2\"\n")
    tree.assert_red("shell", "src/codec/x.sh:2", "Double quote")


# --- text ---------------------------------------------------------------------------------------


@needs_clang_format
def test_format(tree):
    tree.replace("src/codec/json.c", "    err->code = 1;", "    err->code=1;")
    tree.assert_red("format", "src/codec/json.c:17", "make format")


@pytest.mark.parametrize("code, word", [
    ("if (copy)\n        err->code = 1;", "if"),
    ("if (copy) {\n        err->code = 1;\n    } else\n        err->code = 2;", "else"),
    ("for (; (copy);)\n        err->code = 1;", "for"),
    ("while (copy)\n        err->code = 1;", "while"),
    ("do\n        err->code = 1;\n    while (copy);", "do"),
])
def test_format_body_without_braces(tree, code, word):
    tree.replace("src/codec/json.c", "    err->code = 1;", f"    {code}")
    exit_code, lines = tree.lint("format")
    assert exit_code == 1
    place = 19 if word == "else" else 17
    assert lines[0] == f"src/codec/json.c:{place}: format: the body of this '{word}' has no braces"


def test_format_knows_do_while_and_else_if(tree):
    tree.replace("src/codec/json.c", "    err->code = 1;",
                 "    do {\n        err->code = 1;\n    } while (copy);\n    if (copy) {\n"
                 "        err->code = 1;\n    } else if (err) {\n        err->code = 1;\n    }")
    tree.assert_green("format")


def test_format_says_when_it_cannot(tree, monkeypatch, tmp_path):
    tools = tmp_path / "no-clang"
    tools.mkdir()
    monkeypatch.setenv("PATH", str(tools))
    code, lines = tree.lint("format")
    assert code == 0
    assert lines[0].startswith("lint: skipped format: needs clang-format 14")
    assert lines[1] == "lint: 0 checks, 0 findings, 1 skipped"


@pytest.mark.parametrize("file, folder", [
    ("src/model/x.c", "src/model"), ("tests/unit/x.c", "tests/unit"), ("bench/x.c", "bench"),
])
def test_readme_missing(tree, file, folder):
    tree.write("tests/README.md", "# tests\n")
    tree.write(file, "\n")
    tree.assert_red("readme", f"{folder}/README.md:1", "has no README.md")


def test_readme_empty(tree):
    tree.write("src/base/README.md", "\n")
    tree.assert_red("readme", "src/base/README.md:1", "is empty")


@pytest.mark.parametrize("word", ["TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK"])
def test_debt_without_issue(tree, word):
    tree.replace("src/base/mem.c", "    return memory;", f"    return memory; /* {word}: later */")
    tree.assert_red("debt", "src/base/mem.c:11", f"{word} without an issue number")


def test_debt_in_a_script_without_suffix(tree):
    tree.write("tools/run", "#!/bin/sh\n# FIX" "ME\n")
    tree.assert_red("debt", "tools/run:2", "FIX" "ME")


def test_debt_with_issue_or_quoted(tree):
    tree.write("src/base/README.md", "Write `TO" "DO(#12)`, never `TO" "DO`.\nTO" "DO(#3): this.\n")
    tree.assert_green("debt")


# --- specification ------------------------------------------------------------------------------


# Spelled apart, so that the check does not find this file.
FILE, K = "FI" "LE", "K"


def specify(tree, state="done"):
    tree.write("docs/README.md", "# docs\n")
    tree.write("docs/spec/FILE.md", "# file\n\n## 1. Documents\n1. A list\n2. of two.\n\n### 1.1 More\n")
    tree.write("docs/spec/REQUIREMENTS.md", f"- **{K}1** [{state}] Everything.\n- **{K}2** [absent] Nothing.\n")


@pytest.mark.parametrize("cited", [f"{FILE}.md 1", f"{FILE}.md section 1.2", f"{FILE} 1.1", f"{K}1, {K}2", f"{K}1 to {K}2", "UTF-8 K22x"])
def test_citations_that_are_there(tree, cited):
    specify(tree)
    tree.replace("src/base/mem.c", "    return memory;", f"    return memory; /* {cited} */")
    tree.assert_green("citations")


@pytest.mark.parametrize("cited, words", [
    (f"{FILE}.md 2", "FILE.md has no section 2"), (f"{FILE}.md 1.3", f"{FILE}.md has no section 1.3"),
    ("UX.md 3", "there is no document UX.md"), (f"{K}3", f"has a number {K}3"), (f"{K}1 to {K}3", f"has a number {K}3"),
])
def test_citations_that_are_not(tree, cited, words):
    specify(tree)
    tree.replace("src/base/mem.c", "    return memory;", f"    return memory; /* {cited} */")
    tree.assert_red("citations", "src/base/mem.c:11", words)


def test_requirements_without_a_test(tree):
    specify(tree)
    tree.assert_red("requirements", "docs/spec/REQUIREMENTS.md:1", f"{K}1 is done, and no test cites it")
    specify(tree, "partial")
    tree.assert_green("requirements")


@pytest.mark.parametrize("text", [f"def test_{K}1_it_is():", f"# {K}1: it is", f"# M3, {K}1 to {K}2"])
def test_requirements_with_a_test(tree, text):
    specify(tree)
    tree.write("tests/e2e/test_it.py", text + "\n")
    tree.assert_green("requirements")


# --- decisions ----------------------------------------------------------------------------------


CITED = "deci" "sion"
RECORD = f"docs/{CITED}s/0100-it-is-so.md"


def decide(tree, text="# 0100. It is so\nStatus: accepted\n\n## Context\n\n## Decision\n\n## Consequences\n",
           row="| [0100](0100-it-is-so.md) | It is so | accepted |", former="| 0099 (so) | 0100 |"):
    tree.write("docs/README.md", "# docs\n")
    tree.write(RECORD, text)
    tree.write("docs/decisions/README.md", f"# Decisions\n\n{row}\n\n{former}\n")


@pytest.mark.parametrize("cited", ["", f"{CITED} 0100", "(" "0100)", f"docs/{CITED}s/0100", "chmod(0144)", "(0755)", "0099"])
def test_decisions_that_are_there(tree, cited):
    decide(tree)
    tree.replace("src/base/mem.c", "    return memory;", f"    return memory; /* {cited} */")
    tree.assert_green("decisions")


@pytest.mark.parametrize("cited", [f"{CITED} 0099", f"{CITED}s 0100 and 0099", "(" "0099)", "(0100, " "0099)", f"docs/{CITED}s/0099"])
def test_decisions_that_are_not(tree, cited):
    decide(tree)
    tree.replace("src/base/mem.c", "    return memory;", f"    return memory; /* {cited} */")
    tree.assert_red("decisions", "src/base/mem.c:11", f"there is no {CITED} 0099")


@pytest.mark.parametrize("change, place, words", [
    ({"text": "# 0100. It is so\n\n## Context\n## Decision\n## Consequences\n"}, f"{RECORD}:2", "the second line is 'Status: accepted'"),
    ({"text": "# 0101. It is so\nStatus: accepted\n\n## Context\n## Decision\n## Consequences\n"}, f"{RECORD}:1", "begins with '# 0100. '"),
    ({"text": "# 0100. It is so\nStatus: superseded by 0101\n\n## Context\n## Decision\n## Consequences\n"}, f"{RECORD}:2",
     f"there is no {CITED} 0101"),
    ({"text": "# 0100. It is so\nStatus: accepted\n\n## Context\n## Decision\n"}, f"{RECORD}:1", "has no section '## Consequences'"),
    ({"row": ""}, f"{RECORD}:1", "has no row in docs/decisions/README.md"),
    ({"row": "| [0100](0100-it-is-so.md) | It is not | accepted |"}, "docs/decisions/README.md:3", "title and status of 0100 differ"),
    ({"row": "| [0101](0101-it-is-so.md) | It is so | accepted |"}, "docs/decisions/README.md:3", "there is no record 0101-it-is-so.md"),
    ({"former": "| 0100 | 0100 |"}, "docs/decisions/README.md:5", "0100 is a former number, and a record has it"),
    ({"former": "| 0099 | 0101 |"}, "docs/decisions/README.md:5", f"there is no {CITED} 0101"),
])
def test_decisions_without_form(tree, change, place, words):
    decide(tree, **change)
    code, lines = tree.lint("decisions")
    assert code == 1 and any(line.startswith(f"{place}: decisions: ") and words in line for line in lines), lines


# --- habits -------------------------------------------------------------------------------------


def test_errors_without_must_check(tree):
    tree.replace("src/codec/json.h", "MUST_CHECK bool", "bool")
    code, lines = tree.lint("errors")
    assert code == 1
    assert lines[0].startswith("src/codec/json.c:9: errors: json_parse fills an err")
    assert lines[1].startswith("src/codec/json.h:8: errors: json_parse fills an err")


def test_errors_static_without_must_check(tree):
    tree.replace("src/codec/json.c", "bool json_parse",
                 "static bool word_parse(int a,\n                       struct err *err)\n"
                 "{\n    return err->code == a;\n}\n\nbool json_parse")
    tree.assert_red("errors", "src/codec/json.c:9", "word_parse fills an err")


def test_errors_not_last(tree):
    tree.replace("src/codec/json.h", "#endif",
                 "/* Odd. */\nMUST_CHECK bool json_odd(struct err *err, int base);\n#endif")
    tree.assert_red("errors", "src/codec/json.h:11", "must be the last parameter")


def test_errors_other_name(tree):
    tree.replace("src/codec/json.h", "#endif",
                 "/* Odd. */\nMUST_CHECK bool json_odd(int base, struct err *error);\n#endif")
    tree.assert_red("errors", "src/codec/json.h:11", "by that name")


def test_errors_own_functions_may(tree):
    tree.replace("src/codec/json.h", "#endif",
                 "/* Its subject. */\nbool err_set(struct err *err, const char *format, ...)\n"
                 "    __attribute__((format(printf, 2, 3)));\n"
                 "/* No answer. */\nvoid json_note(const struct err *err);\n"
                 "/* Adds to it. */\nvoid json_path(struct err *err, int step);\n#endif")
    tree.assert_green("errors")


@pytest.mark.parametrize("call, hint", [
    ("free(0)", "an arena or a pool"), ("strdup(text)", "an arena or a pool"),
    ("qsort(0, 0, 0, 0)", "sort_stable"),
])
def test_memory_call(tree, call, hint):
    tree.replace("src/codec/json.c", "    err->code = 1;", f"    {call};\n    err->code = 1;")
    tree.assert_red("memory", "src/codec/json.c:17", hint)


def test_memory_words_and_members_are_no_calls(tree):
    tree.replace("src/codec/json.c", "    err->code = 1;",
                 "    /* free(x) */\n    err->code = vtable->free(x) + my_free(y) + v.free(x);")
    tree.assert_green("memory")


# --- language -----------------------------------------------------------------------------------


@pytest.fixture
def plain(tree):
    """A tree whose folders may have no rejected word."""
    tree.write("tools/lint-allow/language.txt", "")
    return tree


@pytest.mark.parametrize("name", ["keeper_run", "node_tended", "wishes", "keep_fetch", "told_arg", "word_next"])
def test_language_identifier(plain, name):
    plain.replace("src/codec/json.c", "char *copy", f"char *{name} = NULL;\n    char *copy")
    plain.assert_red("language", "src/codec/json.c:11", f"'{name}' has a word that LANGUAGE rejects")


@pytest.mark.parametrize("word", ["whoever", "Tells", "wish", "what stands", "left in peace"])
def test_language_comment(plain, word):
    plain.replace("src/codec/json.h", "Read text;", f"Read text {word};")
    plain.assert_red("language", "src/codec/json.h:7", f"LANGUAGE rejects '{word}'")


def test_language_leaves_strings_and_ordinary_words(plain):
    plain.replace("src/codec/json.c", "    err->code = 1;",
                  '    /* keep the words: storytellers foretell nothing */\n    err->code = strcmp(text, "whoever is told") + 1;')
    plain.assert_green("language")


@pytest.mark.parametrize("name", ["README.md", "docs/reference/api.md", "src/base/README.md", "tests/words.txt", "bench/README.md"])
def test_language_document(plain, name):
    plain.write(name, "# base\n\nThe client\nis told of it.\n")
    plain.assert_red("language", f"{name}:4", "LANGUAGE rejects 'told' in documents")


def test_language_leaves_code_and_quotations_of_documents(plain):
    shown = '# base\n\nA `wish`, "left in\npeace", and:\n\n```c\ntold();\n```\n'
    plain.write("docs/one.md", shown)
    plain.write("docs/spec/LANGUAGE.md", "| keeper | reconciler |\n")
    plain.write("docs/spec/peers/one.md", "whoever\n")
    plain.assert_green("language")
    plain.write("docs/one.md", shown + 'An open " quotation ends with its paragraph.\n\nIt is told "again".\n')
    plain.assert_red("language", "docs/one.md:11", "LANGUAGE rejects 'told' in documents")


@pytest.mark.parametrize("word", ["whoever", "told", "troubles"])
def test_messages(plain, word):
    plain.replace("src/codec/json.c", "    err->code = 1;", f'    err->text = "{word} \\"x\\"";\n    err->code = 1;')
    plain.assert_red("messages", "src/codec/json.c:17", f"LANGUAGE rejects '{word}' in a text")


def test_messages_leave_comments(plain):
    plain.replace("src/codec/json.h", "Read text;", 'Read text, "whoever" told;')
    plain.assert_green("messages")


@pytest.mark.parametrize("word", ["told", "toldSet", "wish", "trouble"])
def test_language_page(plain, word):
    plain.write("web/data/one.js", "export const kept = 1;\n")
    plain.assert_green("language")
    plain.write("web/data/one.js", f"export const {word} = 1;\n")
    plain.assert_red("language", "web/data/one.js:1", f"LANGUAGE rejects '{word}'")


def test_language_bound_of_a_folder(plain):
    plain.write("tools/lint-allow/language.txt", "src/codec 1\n")
    plain.replace("src/codec/json.h", "Read text;", "Read text, whoever;")
    plain.assert_green("language")
    plain.replace("src/codec/json.h", "whoever;", "whoever, whoever;")
    plain.assert_red("language", "src/codec/json.h:7", "src/codec has 2 such words, at most 1 are allowed")


def test_width_of_a_comment_and_of_code(plain):
    plain.replace("src/codec/json.h", "Read text;", "Read text " + "x" * 90 + ";")
    plain.assert_red("width", "src/codec/json.h:7", "columns, at most 100")


def test_width_leaves_string_literals(plain):
    plain.replace("src/codec/json.c", "    err->code = 1;", f'    err->text = "{"x" * 100}";\n    err->code = 1;')
    plain.assert_green("width")


def test_statics_in_two_files(plain):
    names = [f"shared_{number}" for number in range(30)]
    text = "".join(f"\nstatic int {name}(void)\n{{\n    return 1;\n}}\n" for name in names)
    plain.write("src/base/one.c", text)
    plain.assert_green("statics")
    plain.write("src/codec/two.c", text)
    code, lines = plain.lint("statics")
    assert code == 1 and lines[-1] == "lint: 1 checks, 30 findings"
    assert "static 'shared_0' is in 2 files; 30 such names are too many" in lines[0]


def test_folders_above_their_bound(plain):
    for number in range(45):
        plain.write(f"src/sys/file_{number}.h", "")
    plain.assert_green("folders")
    plain.write("src/sys/file_45.h", "")
    plain.assert_red("folders", "src/sys/README.md:1", "46 source files and 0 lines")
    plain.write("src/sys/part/file_46.h", "")
    (plain.root / "src/sys/file_45.h").unlink()
    plain.write("src/LAYERS", (plain.root / "src/LAYERS").read_text() + "      sys/part\n")
    plain.assert_green("folders")


def test_folders_with_too_many_lines(plain):
    plain.write("src/sys/long.h", "\n" * 9001)
    plain.assert_red("folders", "src/sys/README.md:1", "1 source files and 9001 lines")


def test_private_header(plain):
    plain.write("src/codec/json_parts.h", "/* private to src/codec */\n")
    plain.replace("src/codec/json.c", '#include "base/mem.h"', '#include "base/mem.h"\n#include "codec/json_parts.h"')
    plain.write("tests/unit/codec/test_json.c", '#include "codec/json_parts.h"\n')
    plain.assert_green("private")
    plain.write("src/model/model.c", '\n#include "codec/json_parts.h"\n')
    plain.assert_red("private", "src/model/model.c:2", '"codec/json_parts.h" is private to src/codec')
    plain.write("src/codec/json_parts.h", "/* private to src/codec src/model */\n")
    plain.assert_green("private")


def test_private_header_of_the_simulator(plain):
    plain.write("src/codec/json_parts.h", "/* private to src/codec */\n")
    plain.write("sim/sim.c", '#include "codec/json_parts.h"\n')
    plain.assert_red("private", "sim/sim.c:1", "is private to src/codec")


def test_private_header_without_mark(plain):
    plain.write("src/codec/json_parts.h", "/* Parts of json.c. */\n")
    plain.assert_red("private", "src/codec/json_parts.h:1", "add /* private to src/codec */")


def test_private_to_an_unknown_module(plain):
    plain.write("src/codec/json_parts.h", "\n/* private to src/codex */\n")
    plain.assert_red("private", "src/codec/json_parts.h:2", "src/codex is no module of src/LAYERS")


@pytest.mark.parametrize("subject, problem", [
    ("store: verify pages and rows in parallel at startup", None),
    ("plan, sim: find the victim of a scale-in", None),
    ("Store: verify pages", "must read"),
    ("store: Verify pages", "must read"),
    ("store: verify pages.", "must read"),
    ("verify pages", "must read"),
    ("store: verify what stands in a page", "LANGUAGE rejects 'what stands'"),
    ("store: " + "x" * 66, "73 characters"),
])
def test_subjects_of_commits(subject, problem):
    found = language.subject_problem(subject)
    assert found is None if problem is None else problem in found
