"""The checks of docs/spec/LANGUAGE.md: rejected words, unique static names, sizes of folders, subjects of commits.

Text from before the rules may keep its rejected words: tools/lint-allow/language.txt limits their number for each
folder, and a limit may only be lowered.
"""

import re
import subprocess

from .checks import Finding

IDENTIFIERS = re.compile(r"\b(?:(?:tend|keep|word|said|told)_\w+|(?:\w*_)?(?:keeper|tended|tending|wish)(?:e?s)?(?:_\w*)?)\b")
# Names of the plugin interface, which never change (include/reeve/plugin.h).
KEPT_IDENTIFIERS = {"reeve_wish_v1"}
TEXTS = re.compile(
    r"\b(?:whoever|keepers?|tended|tending|told|tells?|wish(?:es)?|troubles?|knocks?|sick|taken back|left in peace|"
    r"what stands|mends?|at its place|of late)\b", re.IGNORECASE)
COMMENT = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
QUOTED = re.compile(r'"[^"\n]*"')
# Parts of a document that are code or quotations: fenced blocks, backticks and quotation marks within one paragraph.
SHOWN = re.compile(r"^ *```.*?^ *```|`(?:[^`\n]|\n(?!\n))*`|\"(?:[^\"\n]|\n(?!\n))*\"", re.DOTALL | re.MULTILINE)
STATIC = re.compile(r"^(?:[A-Z_]+(?:\([^)]*\))? )*static [^;={\n]*?\b(\w+)\(", re.MULTILINE)
STRING = re.compile(r'//[^\n]*|/\*.*?\*/|(?P<string>"(?:\\.|[^"\\\n])*")', re.DOTALL)
# Strings with names that older versions have stored.
FORMER_NAMES = {"src/state/migrate.c"}
FOLDERS = ("src", "sim", "plugins", "include")
DOCUMENTS = ("docs", "src", "plugins", "tests", "bench", "sim", "man", "tools")
# The glossary contains the rejected words; the other files quote texts of other projects.
NOT_OURS = ("docs/spec/LANGUAGE.md", "docs/spec/peers", "docs/spec/seeds")
# For the page: whole words in code and comments, and variables and functions that contain such a
# word in camel case.
PAGE = re.compile(r"\b(?:told|tells?|wish(?:es)?|trouble|keeper|sick|whoever|mends?)(?:[A-Z]\w*)?\b")
SUBJECT = re.compile(r"^[a-z0-9_]+(?:/[a-z0-9_]+)?(?:, [a-z0-9_]+(?:/[a-z0-9_]+)?)*: [a-z]\S*(?: \S+)*$")
SUBJECT_LENGTH = 72
# Commits before this one were written before the rules.
FIRST_CHECKED = "c41f21cecdc7588be0f3c3d0918763a707c3d7d7"
STATICS_SHARED = 30
FOLDER_FILES = 45
LINE_COLUMNS = 100
FOLDER_LINES = 9000


def allowed(tree, name):
    """Returns the file tools/lint-allow/NAME.txt as {folder: limit}. In the file, a reason follows the limit."""
    bounds = {}
    path = tree.root / f"tools/lint-allow/{name}.txt"
    for line in path.read_text().splitlines() if path.exists() else []:
        words = line.split("#")[0].split()
        if words:
            bounds[words[0]] = int(words[1])
    return bounds


def folder_of(tree, name):
    """Returns the folder whose limit applies to a file: src/base, src/cli/term, or else the first part of its name."""
    module = tree.source_folder(name)
    return f"src/{module}" if module else "/".join(name.split("/")[:1])


def check_language(tree):
    """no rejected words of LANGUAGE in identifiers and documents, and in comments no more than the bounds allow"""
    yield from document_findings(tree)
    bounds, found = allowed(tree, "language"), {}
    for source in tree.sources(*(name for name in FOLDERS if (tree.root / name).is_dir()), suffixes=(".c", ".h", ".def")):
        code = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source.text)
        for match in IDENTIFIERS.finditer(code):
            if match[0] in KEPT_IDENTIFIERS:
                continue
            yield Finding(source.name, source.line_at(match.start()), f"'{match[0]}' has a word that LANGUAGE rejects")
        for comment in COMMENT.finditer(source.text):
            # A quoted word is a name: a former state, an event, or a term of another tool.
            text = QUOTED.sub(lambda quoted: " " * len(quoted[0]), comment["comment"] or "")
            for match in TEXTS.finditer(text):
                line = source.line_at(comment.start() + match.start())
                found.setdefault(folder_of(tree, source.name), []).append((source.name, line, match[0]))
    for source in tree.sources("web", suffixes=(".js",)) if (tree.root / "web").is_dir() else ():
        for match in PAGE.finditer(source.text):
            yield Finding(source.name, source.line_at(match.start()), f"LANGUAGE rejects '{match[0]}'")
    for folder, places in sorted(found.items()):
        bound = bounds.get(folder, 0)
        if len(places) > bound:
            for name, line, word in places if bound == 0 else places[-1:]:
                more = f"; {folder} has {len(places)} such words, at most {bound} are allowed" if bound else ""
                yield Finding(name, line, f"LANGUAGE rejects '{word}' in comments{more}")


def document_findings(tree):
    """Yields the rejected words of documents (*.md, *.txt) outside of code and quotations; none are permitted."""
    documents = [str(path) for path in tree.files(*DOCUMENTS) if path.suffix in (".md", ".txt")]
    for name in ["README.md"] * (tree.root / "README.md").exists() + documents:
        if name.startswith(NOT_OURS):
            continue
        source = tree.source(name)
        text = SHOWN.sub(lambda shown: re.sub(r"[^\n]", " ", shown[0]), source.text)
        for match in TEXTS.finditer(text):
            yield Finding(source.name, source.line_at(match.start()), f"LANGUAGE rejects '{match[0]}' in documents")


def check_messages(tree):
    """no rejected words of LANGUAGE in string literals: errors, hints, help, logs and names of data"""
    for source in tree.sources(*(name for name in FOLDERS if (tree.root / name).is_dir()), suffixes=(".c", ".h", ".def")):
        for match in STRING.finditer(source.text) if source.name not in FORMER_NAMES else []:
            if word := TEXTS.search(match["string"] or ""):
                yield Finding(source.name, source.line_at(match.start() + word.start()), f"LANGUAGE rejects '{word[0]}' in a text")


def check_width(tree):
    """no line of C code or of its comments is longer than 100 columns, except for a string literal"""
    for source in tree.sources(*(name for name in FOLDERS if (tree.root / name).is_dir()), suffixes=(".c", ".h")):
        for number, line in enumerate(source.lines, 1):
            if len(line) > LINE_COLUMNS and '"' not in line:
                yield Finding(source.name, number, f"{len(line)} columns, at most {LINE_COLUMNS}")


def check_statics(tree):
    """fewer than 30 names of static functions occur in more than one file"""
    places = {}
    for source in tree.sources("src", suffixes=(".c",)):
        for match in STATIC.finditer(source.text):
            places.setdefault(match[1], {})[source.name] = source.line_at(match.start(1))
    shared = {name: files for name, files in places.items() if len(files) > 1}
    if len(shared) >= STATICS_SHARED:
        for name, files in sorted(shared.items()):
            file, line = sorted(files.items())[0]
            yield Finding(file, line, f"static '{name}' is in {len(files)} files; {len(shared)} such names are too many")


def check_folders(tree):
    """a folder of src/ has at most 45 source files and 9,000 lines"""
    files, lines = {}, {}
    for source in tree.sources("src"):
        folder = folder_of(tree, source.name)
        files[folder] = files.get(folder, 0) + 1
        lines[folder] = lines.get(folder, 0) + source.text.count("\n")
    for folder in sorted(files):
        if files[folder] > FOLDER_FILES or lines[folder] > FOLDER_LINES:
            yield Finding(f"{folder}/README.md", 1, f"{files[folder]} source files and {lines[folder]} lines; "
                          f"at most {FOLDER_FILES} and {FOLDER_LINES}: divide it")


def subject_problem(subject):
    """Returns the problem of the subject of a commit message, or None."""
    if len(subject) > SUBJECT_LENGTH:
        return f"{len(subject)} characters, at most {SUBJECT_LENGTH}"
    if not SUBJECT.match(subject) or subject.endswith("."):
        return "must read 'area: imperative verb ...', in lower case after the colon, without a full stop"
    if match := TEXTS.search(subject):
        return f"LANGUAGE rejects '{match[0]}'"
    return None


def check_subjects(tree):
    """subjects of commits since the rules: 'area: imperative verb ...', at most 72 characters"""
    command = ["git", "log", "--format=%h %s", f"{FIRST_CHECKED}..HEAD"]
    run = subprocess.run(command, cwd=tree.root, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    for line in run.stdout.splitlines() if run.returncode == 0 else []:
        name, _, subject = line.partition(" ")
        if problem := subject_problem(subject):
            yield Finding("commit", 0, f"{name} '{subject}': {problem}")
