"""Checks the decision records in docs/decisions/: their format, the index, and citations of them in the tree."""

import re

from .checks import Finding, is_script

FOLDER = "docs/decisions"
INDEX = f"{FOLDER}/README.md"
SUFFIXES = {".c", ".h", ".def", ".py", ".js", ".mjs", ".css", ".sh", ".md", ".build", ".case", ".story", ""}
FILE_NAME = re.compile(r"^(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.md$")
HEADING = re.compile(r"^# (\d{4})\. (\S.*[^.])$")
STATUS = re.compile(r"^Status: (proposed|accepted|rejected|superseded by (\d{4}))$")
SECTIONS = ("Context", "Decision", "Consequences")
ROW = re.compile(r"^\| \[(\d{4})\]\(([^)]+)\) \| (.*) \| ([^|]*) \|$")
FORMER_ROW = re.compile(r"^\| (\d{4})(?: \([^)]*\))? \| (.*) \|$")
# "decisions 0053, 0058 and 0107"; "(0053, 0058)"; "docs/decisions/0053". No record has a number
# from 0200 on yet, so a file mode in parentheses is not a citation.
LIST = r"\d{4}(?:(?:, and |, | and | to )\d{4})*"
CITED = re.compile(rf"\bdecisions/(\d{{4}})|\b[Dd]ecisions? ({LIST})|(?<!\w)\((0[01]\d\d(?:, 0[01]\d\d)*)\)")


def check_decisions(tree):
    """each decision has a status and a row in the index, and each citation of one has a record"""
    names = [name for name in tree.files() if str(name.parent) == FOLDER and name.name != "README.md"]
    if not names:
        return
    records = {}
    for name in names:
        match = FILE_NAME.match(name.name)
        if not match:
            yield Finding(str(name), 1, "a record is named NNNN-what-was-decided.md")
        elif match[1] in records:
            yield Finding(str(name), 1, f"{records[match[1]].name} has the same number")
        else:
            records[match[1]] = name
    for number, name in sorted(records.items()):
        yield from record_findings(tree, number, name, records)
    yield from index_findings(tree, records)
    yield from citation_findings(tree, records)


def record_findings(tree, number, name, records):
    """Yields findings about the heading, the status and the sections of one record."""
    lines = (tree.root / name).read_text().splitlines() + ["", ""]
    heading, status = HEADING.match(lines[0]), STATUS.match(lines[1])
    if not heading or heading[1] != number:
        yield Finding(str(name), 1, f"begins with '# {number}. ' and the decision in one sentence, without a full stop")
    if not status:
        yield Finding(str(name), 2, "the second line is 'Status: accepted', or proposed, rejected, superseded by NNNN")
    elif status[2] and status[2] not in records:
        yield Finding(str(name), 2, f"there is no decision {status[2]}")
    for section in SECTIONS:
        if f"## {section}" not in lines:
            yield Finding(str(name), 1, f"has no section '## {section}'")


def index_findings(tree, records):
    """Yields findings about the index: each record must occur once, with its title and status, and no former number may
    be used again."""
    path, rows = tree.root / INDEX, {}
    for line_number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if match := ROW.match(line):
            rows.setdefault(match[1], (line_number, match))
            name = records.get(match[1])
            lines = (tree.root / name).read_text().splitlines() + ["", ""] if name else []
            if not name or name.name != match[2]:
                yield Finding(INDEX, line_number, f"there is no record {match[2]}")
            elif lines[0] != f"# {match[1]}. {match[3]}" or lines[1] != f"Status: {match[4]}":
                yield Finding(INDEX, line_number, f"title and status of {match[1]} differ from those of its record")
        elif match := FORMER_ROW.match(line):
            if match[1] in records:
                yield Finding(INDEX, line_number, f"{match[1]} is a former number, and a record has it")
            for number in re.findall(r"\b\d{4}\b", match[2]):
                if number not in records:
                    yield Finding(INDEX, line_number, f"there is no decision {number}")
    for number, name in sorted(records.items()):
        if number not in rows:
            yield Finding(str(name), 1, f"has no row in {INDEX}")


def citation_findings(tree, records):
    """Yields citations of numbers that no record has."""
    for name in tree.files():
        path = tree.root / name
        if str(name) == INDEX or name.suffix not in SUFFIXES or (not name.suffix and not is_script(path)):
            continue
        for line_number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for match in CITED.finditer(line):
                for number in re.findall(r"\d{4}", "".join(filter(None, match.groups()))):
                    if number not in records:
                        yield Finding(str(name), line_number, f"there is no decision {number}; {INDEX} says where it is now")
