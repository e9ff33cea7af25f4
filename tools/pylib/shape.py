"""Measures the shape of the tree: the figures of the last table of the style guide."""

import math
import re

from . import checks

FUNCTION_LINES_MAX = 60
FILE_LINES_MAX = 800
STRUCT_MEMBERS_MANY = 20
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
DECLARATION = re.compile(r"^(?!static|typedef|#)(?:[\w*]+[ \n*]+)+?(\w+)\([^;{}]*\)[^;{}]*;", re.MULTILINE)
STRUCT = re.compile(r"^(?:typedef )?struct (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)


def measure(tree):
    """Returns the rows of the table: (point, best value of other projects, target, value of this tree)."""
    sources = tree.sources("src")
    quiet = [source for source in sources
             if tree.source_folder(source.name) in tree.quiet_folders]
    quiet_lines = sum(len(source.lines) for source in quiet) or 1
    return [
        ("functions of 60 lines or less", "wlroots 95.9 %; longest raft 172", "all",
         function_sizes(sources)),
        ("file p90 / largest", "s6 224 / raft 1789", "500 / 800", file_sizes(sources)),
        ("header declarations with a comment", "raft 85 %, dqlite 83 %", "all",
         header_comments(sources)),
        ("assertions per function, quiet half", "varnish 2.37", "2", assertions(quiet)),
        ("goto per 1,000 lines, quiet half", "varnish 0.1", "0",
         per_thousand(count(r"\bgoto\b", quiet), quiet_lines)),
        ("mutable variables per 1,000 lines, quiet", "raft 0.2", "0",
         per_thousand(len(checks.mutable_symbols(tree)), quiet_lines)),
        ("folders in an include cycle", "systemd 0 of 20", "0", folder_cycle(tree, sources)),
        ("files in src; of them headers", "", "650; 260", file_counts(sources)),
        ("lines of code; share of comment lines", "raft 13 %, varnish 15 %", "150k; 9 %", line_counts(sources)),
        ("public functions", "", "2,200", str(public_functions(sources))),
        ("structs with 20 or more members", "", "15", str(len(large_structs(sources)))),
        ("files above 800 lines; lines above 100", "", "0; 0", long_counts(sources)),
        ("planner free of system calls, proven", "none", "checked", quiet_proof(tree)),
        ("golden planner cases", "pacemaker 855", "grows", str(golden_cases(tree))),
        ("test lines per code line", "dqlite 0.95", "1.0", test_share(tree)),
    ]


def file_counts(sources):
    """Returns the number of .c and .h files, and of headers."""
    return f"{len(sources)}; {sum(source.name.endswith('.h') for source in sources)}"


def without_comments(source):
    """Returns the lines of a source with comments replaced by blanks."""
    blank = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]) if match[0].startswith("/") else match[0], source.text)
    return blank.splitlines()


def line_counts(sources):
    """Returns the number of lines with code, and the share of lines with only a comment."""
    code = comments = 0
    for source in sources:
        for line, blank in zip(source.lines, without_comments(source)):
            code += bool(blank.strip())
            comments += bool(line.strip()) and not blank.strip()
    return f"{code:,}; {100 * comments / max(code + comments, 1):.1f} %"


def public_functions(sources):
    """Returns the number of functions that headers declare."""
    names = set()
    for source in sources:
        if source.name.endswith(".h"):
            names |= {match[1] for match in DECLARATION.finditer("\n".join(without_comments(source)))}
    return len(names)


def large_structs(sources):
    """Returns the number of structs with many members. The members of an inner struct count once."""
    found = []
    for source in sources:
        for match in STRUCT.finditer("\n".join(without_comments(source))):
            flat, before = match[2], None
            while flat != before:
                flat, before = re.sub(r"\{[^{}]*\}", "", flat), flat
            if flat.count(";") >= STRUCT_MEMBERS_MANY:
                found.append((flat.count(";"), match[1], source.name))
    return sorted(found, reverse=True)


def long_counts(sources):
    """Returns the number of files above the limit, and of lines that are too wide."""
    return (f"{sum(len(source.lines) > FILE_LINES_MAX for source in sources)}; "
            f"{sum(len(line) > 100 for source in sources for line in source.lines)}")


def function_length(function):
    """Returns the number of lines of a function, from its head to the closing brace."""
    return function.end_line - function.line + 1


def function_sizes(sources):
    """Returns the share of functions within the limit, and the longest function."""
    lengths = [(function_length(function), function.name(), source.name)
               for source in sources for function in source.functions]
    if not lengths:
        return "no functions"
    fitting = sum(1 for length, _, _ in lengths if length <= FUNCTION_LINES_MAX)
    longest, name, file = max(lengths)
    return (f"{share(fitting, len(lengths))} of {len(lengths)}; longest {longest}: {name}"
            f" ({file})")


def file_sizes(sources):
    """Returns the 90th percentile of file sizes, and the largest file."""
    lengths = sorted((len(source.lines), source.name) for source in sources)
    if not lengths:
        return "no files"
    p90 = lengths[max(0, math.ceil(0.9 * len(lengths)) - 1)][0]
    return f"{p90} / {lengths[-1][0]} ({lengths[-1][1]})"


def declarations(source):
    """Returns the declarations of a header that need a comment: functions, and types with members."""
    for chunk in source.chunks:
        is_type = chunk.has_body and re.search(r"\b(struct|union|enum)\b[^()]*$", chunk.head)
        is_function = "(" in chunk.head and not chunk.head.startswith(("typedef ", "_Static"))
        if is_type or is_function or re.match(r"(typedef|extern)\b", chunk.head):
            yield chunk


def has_comment(source, line):
    """Returns whether a comment ends directly above the line, or above its group of lines."""
    comment_lines = {index for index, (text, code) in enumerate(
        zip(source.lines, source.code.splitlines()), 1) if text.strip() and not code.strip()}
    above = line - 1
    while above > 0 and above not in comment_lines and source.lines[above - 1].strip():
        above -= 1
    return above in comment_lines


def header_comments(sources):
    """Returns the share of declarations with a comment, and the first declaration without one."""
    total, missing = 0, []
    for source in sources:
        if not source.name.endswith(".h"):
            continue
        for chunk in declarations(source):
            total += 1
            if not has_comment(source, chunk.line):
                missing.append(f"{source.name}:{chunk.line}")
    first = f"; first without: {missing[0]}" if missing else ""
    return f"{share(total - len(missing), total)} of {total}{first}"


def assertions(sources):
    """Returns the number of assert() per function."""
    functions = sum(len(source.functions) for source in sources)
    return f"{count(r'(?<![_A-Za-z])assert ?[(]', sources) / (functions or 1):.2f}"


def count(pattern, sources):
    """Returns how often a pattern occurs in the code."""
    return sum(len(re.findall(pattern, source.plain)) for source in sources)


def per_thousand(number, lines):
    """Formats a number per 1,000 lines."""
    return f"{1000 * number / lines:.1f} ({number})"


def share(part, whole):
    """Formats a percentage that is 100 only if the part is the whole."""
    if part == whole:
        return "100 %"
    return f"{math.floor(1000 * part / whole) / 10:.1f} %"


def folder_cycle(tree, sources):
    """Returns folders of src/ that include each other in a cycle."""
    graph = {}
    for source in sources:
        own = tree.source_folder(source.name)
        graph.setdefault(own, set()).update(
            tree.module(include.name.rsplit("/", 1)[0]) for include in source.includes
            if not include.is_system and "/" in include.name
            and tree.module(include.name.rsplit("/", 1)[0]) != own)
    graph = {own: others for own, others in graph.items() if own}
    cycle = checks.find_cycle(graph)
    return f"{len(set(cycle))}: {' -> '.join(cycle)}" if cycle else f"0 of {len(graph)}"


def quiet_proof(tree):
    """Returns whether the check of the pure core (the quiet half) by `make lint` passes."""
    findings = list(checks.check_quiet(tree))
    if findings:
        return f"NOT PROVEN, {len(findings)} findings: tools/lint quiet"
    return f"proven for {' '.join(tree.quiet_folders)}"


def golden_cases(tree):
    """Returns the number of case files of tests/plan/."""
    return sum(1 for name in tree.files("tests/plan")
               if name.suffix in (".case", ".yaml", ".txt"))


def test_share(tree):
    """Returns the lines of tests per line of src/, without blank lines."""
    def lines(folder, suffixes):
        total = 0
        for name in tree.files(folder):
            if name.suffix in suffixes and "corpus" not in name.parts:
                text = (tree.root / name).read_text(errors="replace")
                total += sum(1 for line in text.splitlines() if line.strip())
        return total
    code, tests = lines("src", {".c", ".h", ".def"}), lines("tests", {".c", ".h", ".def", ".py"})
    return f"{tests / (code or 1):.2f} ({tests} / {code})"
