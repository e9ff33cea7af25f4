"""A small tree that is clean in every check, to plant violations in."""

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

FILES = {
    "src/LAYERS": "# low to high\nquiet base\nquiet codec extra\nquiet model\n      sys\n",
    "src/base/README.md": "# base\n",
    "src/codec/README.md": "# codec\n",
    "src/base/macros.h": """\
#ifndef MACROS_H
#define MACROS_H
#define MUST_CHECK __attribute__((warn_unused_result))
struct err {
    int code;
};
#endif
""",
    "src/base/mem.h": """\
#ifndef MEM_H
#define MEM_H
#include <stddef.h>

/* public names start with: arena_ */

/* Zeroed memory. */
void *arena_alloc(size_t bytes);

#endif
""",
    "src/base/mem.c": """\
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

void *arena_alloc(size_t bytes)
{
    void *memory = calloc(1, bytes);

    assert(memory != NULL);
    return memory;
}
""",
    "src/codec/json.h": """\
#ifndef JSON_H
#define JSON_H
#include <stdbool.h>

#include "base/macros.h"

/* Read text; false: it is wrong, and err says why. */
MUST_CHECK bool json_parse(const char *text, struct err *err);

#endif
""",
    "src/codec/json.c": """\
#include "codec/json.h"

#include "base/mem.h"

#include <string.h>

static const char *const words[] = { "true", "false" };

bool json_parse(const char *text, struct err *err)
{
    char *copy = arena_alloc(strlen(text) + 1);

    memcpy(copy, text, strlen(text)); /* free(copy), malloc and TO-DO are only words here */
    if (strcmp(copy, words[0]) == 0 || strcmp(copy, "malloc(") == 0) {
        return true;
    }
    err->code = 1;
    return false;
}
""",
}


class FakeTree:
    """A tree in a temporary folder, with objects where the release build would put them."""

    def __init__(self, root):
        self.root = root
        for name, text in FILES.items():
            self.write(name, text)
        shutil.copytree(ROOT / "tools/lint-allow", root / "tools/lint-allow")
        shutil.copy(ROOT / ".clang-format", root)
        self.write("tools/README.md", "# tools\n")

    def write(self, name, text):
        """Make or replace a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def replace(self, name, old, new):
        """Plant something; old must be there."""
        text = (self.root / name).read_text()
        assert old in text
        self.write(name, text.replace(old, new))

    def compile(self):
        """The release objects of all sources, those of one folder in one call."""
        for folder in sorted((self.root / "src").iterdir()):
            sources = sorted(folder.glob("*.c")) if folder.is_dir() else []
            if not sources:
                continue
            objects = self.root / f"build/src/{folder.name}/lib{folder.name}.a.p"
            objects.mkdir(parents=True, exist_ok=True)
            subprocess.run(["gcc", "-O1", "-fPIE", "-w",
                            "-Wno-implicit-function-declaration", f"-I{self.root}/src", "-c", *sources],
                           cwd=objects, check=True)
            for source in sources:
                (objects / f"{source.stem}.o").rename(objects / f"{source.name}.o")

    def lint(self, *checks):
        """Run tools/lint here. Returns (exit code, lines)."""
        run = subprocess.run([sys.executable, "-B", ROOT / "tools/lint", "--root", self.root,
                              *checks], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, check=False)
        return run.returncode, run.stdout.splitlines()

    def assert_red(self, check, place, words):
        """The check fails with exactly one finding, at place, that says words."""
        code, lines = self.lint(check)
        assert code == 1, lines
        assert len(lines) == 2, lines
        assert lines[0].startswith(f"{place}: {check}: "), lines
        assert words in lines[0], lines
        assert lines[1] == "lint: 1 checks, 1 findings"

    def assert_green(self, *checks):
        """The checks find nothing."""
        code, lines = self.lint(*checks)
        assert code == 0, lines
        assert " 0 findings" in lines[-1], lines


@pytest.fixture
def tree(tmp_path):
    """A clean tree without objects."""
    return FakeTree(tmp_path)
