"""Reads the specification in docs/spec/: its documents, sections and numbered statements, and the citations of them in
the tree."""

import functools
import itertools
import re

FOLDER = "docs/spec"
# K1, I16, G25, U31: the first cell of a row, the head of an item, or bold text.
NUMBER = re.compile(r"^(?:\| |- |)(?:\*\*)?([A-Z]\d{1,3})\b", re.MULTILINE)
BOLD_NUMBER = re.compile(r"\*\*([A-Z]\d{1,3})\*\*")
HEADING = re.compile(r"^#+ (?:Appendix )?([A-Z](?:\.\d+)?|\d+(?:\.\d+)*)[. ]")
ITEM = re.compile(r"^(\d+)\. ")
ROW = re.compile(r"^\| (\d+\.\d+) \|")
STATE = re.compile(r"^- \*\*([A-Z]\d+)\*\* \[(done|partial|absent|dropped)\] (.*)$", re.MULTILINE)

SUFFIXES = {".c", ".h", ".def", ".py", ".js", ".mjs", ".sh", ".md", ".build", ".case", ""}
# A document of docs/spec, and optionally a section of it: "FILE.md 6.8", "SAFETY section 5".
CITED_SECTION = re.compile(r"\b([A-Z]{2,})(\.md)?`?,?(?: sections?)? (\d+(?:\.\d+)*)\b")
CITED_DOCUMENT = re.compile(r"(?<![\w/-])([A-Z]{2,})\.md\b")
CITED_NUMBER = re.compile(r"(?<![\w./#%-])([KEMCXNIFGU])(\d{1,2})(?: to \1(\d{1,2}))?(?![\w%=-])")
TEST_NUMBER = re.compile(r"(?:(?<=test_)|(?<=\d_))([KEMCXNIFGU])(\d{1,2})()(?=_)")  # test_M11_N12_a_template
QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
COMMENTS_ONLY = {".c", ".h", ".js", ".mjs"}


class Spec:
    """The citable parts of docs/spec."""

    def __init__(self, root):
        self.texts = {path.stem: path.read_text() for path in sorted((root / FOLDER).glob("*.md"))}
        self.sections = {name: set(sections_of(text)) for name, text in self.texts.items()}
        self.numbers = set()
        for text in self.texts.values():
            self.numbers |= set(NUMBER.findall(text)) | set(BOLD_NUMBER.findall(text))

    @functools.cached_property
    def requirements(self):
        """Returns {number: (state, first line)} in the order of the document."""
        return {match[1]: (match[2], match[3]) for match in STATE.finditer(self.texts.get("REQUIREMENTS", ""))}


def sections_of(text):
    """Returns the numbers of headings, and of items and rows below them ("6.8" is item 8 of section 6)."""
    above = ""
    for line in text.splitlines():
        if match := HEADING.match(line):
            above = match[1]
            yield above
        elif match := ITEM.match(line):
            yield f"{above}.{match[1]}"
        elif match := ROW.match(line):
            yield match[1]


def cited_numbers(name, text):
    """Yields (line, number) of every statement that a file cites: K11, M10 to M17."""
    for line_number, line in enumerate(text.splitlines(), 1):
        if "noqa" in line or line.lstrip().startswith("#define"):
            continue
        if name.suffix in COMMENTS_ONLY or (name.suffix == ".py" and '"""' not in line):
            line = QUOTED.sub("", line)
        for match in itertools.chain(CITED_NUMBER.finditer(line), TEST_NUMBER.finditer(line)):
            for number in range(int(match[2]), int(match[3] or match[2]) + 1):
                yield line_number, f"{match[1]}{number}"


def tests_of(tree):
    """Returns {number: names of the tests that cite it}, for tests/ and sim/."""
    found = {}
    for name in tree.files("tests", "sim"):
        if name.suffix not in SUFFIXES - {".md"}:
            continue
        for _, number in cited_numbers(name, (tree.root / name).read_text(errors="replace")):
            found.setdefault(number, set()).add(str(name))
    return found
