"""The checks of make lint. Each check is a function that gets a Tree and yields Findings.

A check that cannot be made on this machine raises Skip; it is then reported and counted.
"""

import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from .source import matching_brace
from .spec import CITED_DOCUMENT, CITED_SECTION, Spec, cited_numbers, tests_of
from .spec import SUFFIXES as SPEC_SUFFIXES

CODE_FOLDERS = ("src", "include", "tests", "bench", "sim", "plugins")


@dataclass
class Finding:
    """One finding, with its file and line."""

    file: str
    line: int
    message: str


class Skip(Exception):
    """Raised if this machine cannot make the check."""


# --- layers -------------------------------------------------------------------------------------


def check_layers(tree):
    """a folder of src/ includes its own headers and those of lower lines of src/LAYERS"""
    folders = {str(path.relative_to(tree.root / "src")) for path in (tree.root / "src").iterdir() if path.is_dir()}
    folders |= {str(path.parent.relative_to(tree.root / "src")) for path in (tree.root / "src").glob("*/*/meson.build")}
    for folder in sorted(folders):
        if folder not in tree.layers:
            yield Finding("src/LAYERS", 1, f"src/{folder} has no line here")
    graph = {}
    for source in tree.sources("src", suffixes=(".c", ".h", ".def")):
        own = tree.source_folder(source.name)
        if own is None:
            yield Finding(source.name, 1, "a source lies directly in src/; put it into a folder")
            continue
        for include in source.includes:
            if include.is_system:
                continue
            other = tree.module(include.name.rsplit("/", 1)[0]) if "/" in include.name else None
            graph.setdefault(source.name, {})[f"src/{include.name}"] = include.line
            problem = layer_problem(tree, own, other, include.name)
            if problem:
                yield Finding(source.name, include.line, problem)
    cycle = find_cycle(graph)
    if cycle:
        yield Finding(cycle[0], graph[cycle[0]][cycle[1]], f"include cycle: {' -> '.join(cycle)}")


def layer_problem(tree, own, other, name):
    """Returns why src/own may not include "other/...", or None."""
    if other is None:
        return f'"{name}" must be written with its folder, "{own}/{name}"'
    if other == own or other == "reeve":
        return None
    if other not in tree.layers:
        return f"folder '{other}' is not in src/LAYERS"
    if own not in tree.layers:
        return None
    if tree.layers[other].level == tree.layers[own].level:
        return f"{own} includes its neighbour {other}"
    if tree.layers[other].level > tree.layers[own].level:
        return f"{own} includes {other}, which is above it"
    return None


def find_cycle(graph):
    """Returns the first cycle of a graph {node: iterable of nodes} as a list that ends with its first node."""
    done = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        done.add(node)
        for other in graph.get(node, ()):
            cycle = visit(other, path + [node])
            if cycle:
                return cycle
        return None

    for node in sorted(graph):
        cycle = visit(node, [])
        if cycle:
            return cycle
    return None


# --- what is in the objects ---------------------------------------------------------------------


def stale_objects(tree, folders):
    """Yields a finding for each source whose release object is missing or older than the source."""
    for source in tree.sources(*(f"src/{folder}" for folder in folders), suffixes=(".c",)):
        path = tree.object_of(source)
        if path is None:
            yield Finding(source.name, 1,
                          "no release object; add it to its meson.build and run: make")
        elif path.stat().st_mtime < source.path.stat().st_mtime:
            yield Finding(source.name, 1, "release object is older than the source; run: make")


def find_word(tree, name, word):
    """Returns the first line of a source that has a word in its code, or 1."""
    source = tree.source(name)
    match = re.search(rf"\b{re.escape(word)}\b", source.code)
    return source.line_at(match.start()) if match else 1


def read_allowed(tree):
    """Returns tools/lint-allow/quiet.txt as [(symbol pattern, file or None)]."""
    allowed = []
    for line in (tree.root / "tools/lint-allow/quiet.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            allowed.append((words[0], words[1] if len(words) > 1 else None))
    return allowed


def check_quiet(tree):
    """the quiet half needs nothing of the system: undefined symbols against the allow list"""
    yield from stale_objects(tree, tree.quiet_folders)
    allowed = read_allowed(tree)
    symbols = [symbol for symbol in tree.symbols() if symbol.folder in tree.quiet_folders]
    ours = {symbol.name for symbol in symbols if not symbol.is_undefined()}
    for symbol in symbols:
        if not symbol.is_undefined() or symbol.name in ours:
            continue
        places = [file for pattern, file in allowed if fnmatchcase(symbol.name, pattern)]
        if None in places or symbol.file in places:
            continue
        only = f"; only {' and '.join(places)} may" if places else ""
        name = re.sub(r"^__(\w+)_chk$", r"\1", symbol.name)
        name = re.sub(r"^__isoc(99|23)_", "", name)
        yield Finding(f"src/{symbol.file}", find_word(tree, f"src/{symbol.file}", name),
                      f"'{symbol.name}' is not allowed in the quiet half{only}"
                      " (tools/lint-allow/quiet.txt)")


def check_state(tree):
    """no variable that changes at file scope in the quiet half"""
    yield from stale_objects(tree, tree.quiet_folders)
    for symbol in mutable_symbols(tree):
        name = symbol.name.split(".")[0]
        yield Finding(f"src/{symbol.file}", find_word(tree, f"src/{symbol.file}", name),
                      f"'{name}' is state of the whole process; pass it in, or make it const")


def mutable_symbols(tree):
    """Returns the writable variables of the pure core (the quiet half). Pointers that only the loader writes are constants."""
    return [symbol for symbol in tree.symbols()
            if symbol.folder in tree.quiet_folders and symbol.kind in "bBdDCsSgG"
            and not symbol.section.startswith((".data.rel.ro", ".rodata", "*UND*"))
            and not symbol.name.startswith(("__gcov", "__asan", "__ubsan", "."))]


def check_names(tree):
    """public functions and data start with the name of their folder or file"""
    yield from stale_objects(tree, [name for name in tree.layers
                                    if (tree.root / "src" / name).is_dir()])
    for symbol in tree.symbols():
        if symbol.is_undefined() or not symbol.kind.isupper() or symbol.name == "main":
            continue
        prefixes = allowed_prefixes(tree, symbol)
        if not any(symbol.name == prefix or symbol.name.startswith(prefix + "_")
                   for prefix in prefixes):
            yield Finding(f"src/{symbol.file}", find_word(tree, f"src/{symbol.file}", symbol.name),
                          f"'{symbol.name}' should start with {' or '.join(sorted(prefixes))}_, or"
                          " its header with /* public names start with: PREFIX_ */")


def allowed_prefixes(tree, symbol):
    """Returns the permitted prefixes of a file's public names, without the underscore."""
    stem = symbol.file.rsplit("/", 1)[1].removesuffix(".c").replace("-", "_")
    prefixes = {*symbol.folder.split("/"), stem, stem.removesuffix("s")}
    # shape_group.c may contain a part of the module shape.
    words = stem.split("_")
    prefixes |= {"_".join(words[:end]) for end in range(1, len(words))}
    for name in (f"src/{symbol.file}", f"src/{symbol.file[:-2]}.h"):
        if (tree.root / name).exists():
            for match in re.finditer(r"^/\* public names start with: ([\w ]+?) *\*/", tree.source(name).text,
                                     re.MULTILINE):
                prefixes |= {prefix.removesuffix("_") for prefix in match[1].split()}
    return prefixes


# --- headers and includes -----------------------------------------------------------------------


def check_headers(tree):
    """each header compiles alone, and twice"""
    headers = [source.name for source in tree.sources("src", "include", suffixes=(".h",))]
    jobs = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        units = []
        for index, name in enumerate(headers):
            unit = Path(folder) / f"{index}.c"
            unit.write_text(f'#include "{tree.root / name}"\n' * 2)
            units.append(str(unit))
        with ThreadPoolExecutor(jobs) as pool:
            outputs = list(pool.map(lambda some: compile_headers(tree, some),
                                    [units[start::jobs] for start in range(jobs)]))
    seen = set()
    for match in re.finditer(r"^(\S+?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$",
                             "\n".join(outputs), re.MULTILINE):
        path = Path(match[1])
        file = tree.relative(path) if path.is_relative_to(tree.root) else match[1]
        finding = (file, int(match[2]), f"header does not compile alone: {match[3]}")
        if finding not in seen:
            seen.add(finding)
            yield Finding(*finding)


def compile_headers(tree, units):
    """Returns the warnings of gcc about some sources."""
    if not units:
        return ""
    command = ["gcc", "-fsyntax-only", "-std=gnu17", "-D_GNU_SOURCE", '-DREEVE_VERSION="0"',
               f"-I{tree.root / 'src'}", f"-I{tree.root / 'include'}", "-Wall", "-Wextra",
               "-Werror", *units]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env={**os.environ, "LC_ALL": "C"}).stdout


def check_includes(tree):
    """a source includes its own header first, then ours, then the system's"""
    for source in tree.sources("src"):
        own = source.name[len("src/"):-2] + ".h"
        headers = [include for include in source.includes if include.name.endswith(".h")]
        has_own = source.name.endswith(".c") and (tree.root / "src" / own).exists()
        if has_own and headers and (headers[0].name != own or headers[0].is_system):
            yield Finding(source.name, headers[0].line, f'the own header "{own}" comes first')
        if has_own and not headers:
            yield Finding(source.name, 1, f'does not include its own header "{own}"')
        system_seen = False
        for include in headers if source.name.endswith(".c") else ():
            if not include.is_system and system_seen:
                yield Finding(source.name, include.line, f'"{include.name}" stands below a header'
                                                         " of the system; run: make format")
                break
            system_seen |= include.is_system


# --- text ---------------------------------------------------------------------------------------


def check_format(tree):
    """clang-format 14 would change nothing, and every body has braces"""
    for source in tree.sources(*CODE_FOLDERS):
        for line, word in bare_bodies(source):
            yield Finding(source.name, line, f"the body of this '{word}' has no braces")
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    version = subprocess.run([tool, "--version"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.strip() if tool else "none"
    if " version 14." not in version:
        raise Skip(f"needs clang-format 14 (Debian 12), there is {version}")
    names = [source.name for source in tree.sources(*CODE_FOLDERS)]
    if not names:
        return
    jobs = os.cpu_count() or 1

    def run(some):
        command = [tool, "--dry-run", "--Werror", *some]
        return subprocess.run(command, cwd=tree.root, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, check=False).stdout if some else ""

    with ThreadPoolExecutor(jobs) as pool:
        output = "\n".join(pool.map(run, [names[start::jobs] for start in range(jobs)]))
    seen = set()
    for match in re.finditer(r"^(\S+?):(\d+):\d+: error: code should be clang-formatted", output,
                             re.MULTILINE):
        if match[1] not in seen:
            seen.add(match[1])
            yield Finding(match[1], int(match[2]), "not formatted from here on; run: make format")


def bare_bodies(source):
    """Yields (line, word) of each if, else, for, while and do without braces, because clang-format 14 adds no braces."""
    text = source.plain
    for match in re.finditer(r"(?<![\w.])(if|else|for|while|do)\b", text):
        after = match.end()
        opened = re.compile(r"\s*\(").match(text, after)
        if match[1] in ("if", "for", "while"):
            if not opened:
                continue
            after = matching_brace(text, opened.end() - 1, "()") + 1
        rest = text[after:after + 200].lstrip()
        if rest.startswith("{") or (match[1] == "else" and re.match(r"if\b", rest)):
            continue
        if match[1] == "while" and re.search(r"\}\s*$", text[:match.start()]) and rest[:1] == ";":
            continue  # the end of do { } while (x);
        yield source.line_at(match.start()), match[1]


def check_readme(tree):
    """every top-level folder, folder of src/ and folder of tests/ with files has a README.md"""
    folders = set()
    for name in tree.files():
        parts = name.parts
        if len(parts) < 2 or parts[0].startswith("."):
            continue
        folders.add(parts[0])
        if parts[0] in ("src", "tests", "plugins", "sim") and len(parts) > 2:
            folders.add(f"{parts[0]}/{parts[1]}")
    for folder in sorted(folders - {"src", "include"}):
        path = tree.root / folder / "README.md"
        if not path.exists():
            yield Finding(f"{folder}/README.md", 1, "this folder has no README.md")
        elif not path.read_text().strip():
            yield Finding(f"{folder}/README.md", 1, "this README.md is empty")


TEXT_SUFFIXES = {".c", ".h", ".def", ".py", ".sh", ".md", ".txt", ".build", ".js", ".mjs", ".css",
                 ".html", ".yml", ".map"}
# The words are split, so that the check does not find this file.
DEBT = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b(?!\(#\d+\))")
QUOTED = re.compile(r"`[^`\n]*`")


def check_debt(tree):
    """a note of debt carries the number of its issue: TO-DO(#12)"""
    for name in tree.files():
        path = tree.root / name
        if name.suffix not in TEXT_SUFFIXES and (name.suffix or not is_script(path)):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = DEBT.search(QUOTED.sub("", line))
            if match:
                yield Finding(str(name), number, f"{match[1]} without an issue number, as in"
                                                 f" {match[1]}(#12)")


def check_citations(tree):
    """every section and number of docs/spec that the tree cites is there"""
    spec = Spec(tree.root)
    if not spec.texts:
        return
    others = {name.stem for name in tree.files() if name.suffix == ".md"}
    for name in tree.files():
        path = tree.root / name
        if name.suffix not in SPEC_SUFFIXES or (not name.suffix and not is_script(path)):
            continue
        text = path.read_text(errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            for match in CITED_SECTION.finditer(line):
                if match[1] in spec.sections and match[3] not in spec.sections[match[1]]:
                    yield Finding(str(name), number, f"{match[1]}.md has no section {match[3]}")
            for match in CITED_DOCUMENT.finditer(line):
                if match[1] not in others:
                    yield Finding(str(name), number, f"there is no document {match[1]}.md")
        for number, cited in cited_numbers(name, text):
            if cited not in spec.numbers:
                yield Finding(str(name), number, f"no document of docs/spec has a number {cited}")


def check_requirements(tree):
    """a requirement that is done is carried by a test, which cites its number"""
    tests = tests_of(tree)
    for number, (state, _) in Spec(tree.root).requirements.items():
        if state == "done" and number not in tests:
            yield Finding("docs/spec/REQUIREMENTS.md", 1, f"{number} is done, and no test cites it")


def is_script(path):
    """Returns whether a file without a suffix is a script or a Makefile."""
    with path.open("rb") as file:
        return file.read(2) == b"#!" or path.name == "Makefile"


# --- habits of the code -------------------------------------------------------------------------

ERR_PARAMETER = re.compile(r"\bstruct err \*")


def check_errors(tree):
    """a function that returns bool and fills a struct err takes it last and is MUST_CHECK"""
    declared = set()
    chunks = []
    for source in tree.sources("src"):
        for chunk in source.chunks:
            name, parameters = err_parameters(chunk)
            if not parameters:
                continue
            # Static names may repeat in several files; a public function is declared in its header.
            scope = source.name if "static" in chunk.head.split("(")[0].split() else ""
            chunks.append((source, chunk, name, parameters, scope))
            if re.search(r"\bMUST_CHECK\b", chunk.head):
                declared.add((name, scope))
    for source, chunk, name, parameters, scope in chunks:
        if name.startswith("err_"):
            continue  # here the error is the subject of the function, not its result
        if not re.search(r"\bbool\b(?! ?\*)", chunk.head.split(name)[0]):
            continue  # the function adds to an error of its caller
        if not re.fullmatch(r"struct err \*err", parameters[-1]):
            if any(re.fullmatch(r"struct err \*\w+", one) for one in parameters):
                yield Finding(source.name, chunk.line,
                              f"{name}: 'struct err *err' must be the last parameter, by that name")
        elif (name, scope) not in declared:
            yield Finding(source.name, chunk.line, f"{name} fills an err and must be MUST_CHECK")


def err_parameters(chunk):
    """Returns (name, parameters) of a function declaration that takes a struct err, otherwise ("", [])."""
    if not ERR_PARAMETER.search(chunk.head) or chunk.head.startswith("typedef "):
        return "", []
    for match in re.finditer(r"(\w+) ?\(", chunk.head):
        depth, position = 1, match.end()
        while position < len(chunk.head) and depth:
            depth += {"(": 1, ")": -1}.get(chunk.head[position], 0)
            position += 1
        inside = chunk.head[match.end():position - 1]
        if ERR_PARAMETER.search(inside) and match[1] != "__attribute__":
            return match[1], [one.strip() for one in split_top(inside)]
    return "", []


def split_top(text):
    """Splits a text at the commas that are outside of parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


MEMORY_CALL = re.compile(
    r"(?<![\w.>])(malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf|vasprintf"
    r"|aligned_alloc|posix_memalign|qsort|qsort_r) ?\(")
MEMORY_FILE = "src/base/mem.c"


def check_memory(tree):
    """malloc and its kin, and qsort, are called in base/mem.c only"""
    for source in tree.sources("src"):
        if source.name == MEMORY_FILE:
            continue
        for match in MEMORY_CALL.finditer(source.code):
            better = "sort_stable" if match[1].startswith("qsort") else "an arena or a pool"
            yield Finding(source.name, source.line_at(match.start(1)),
                          f"{match[1]} is called here; use {better} of base")


def check_shell(tree):
    """shellcheck has no findings in the programs that run on nodes (src/**/*.sh)"""
    names = sorted(str(path.relative_to(tree.root)) for path in (tree.root / "src").rglob("*.sh"))
    if not names:
        return
    if shutil.which("shellcheck") is None:
        raise Skip("needs shellcheck")
    output = subprocess.run(["shellcheck", "-f", "gcc", *names], cwd=tree.root, text=True,
                            stdout=subprocess.PIPE, check=False).stdout
    for match in re.finditer(r"^(\S+?):(\d+):\d+: (.*)$", output, re.MULTILINE):
        yield Finding(match[1], int(match[2]), match[3])


CHECKS = {
    "layers": check_layers,
    "quiet": check_quiet,
    "headers": check_headers,
    "includes": check_includes,
    "format": check_format,
    "readme": check_readme,
    "debt": check_debt,
    "names": check_names,
    "errors": check_errors,
    "memory": check_memory,
    "state": check_state,
    "shell": check_shell,
    "citations": check_citations,
    "requirements": check_requirements,
}
