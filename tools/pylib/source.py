"""A minimal parser of C: it blanks comments and strings, and finds declarations and functions.

It is not a compiler. It relies on the format of this tree: a construct at file scope ends with ";" or with a block.
"""

import bisect
import functools
import re
from dataclasses import dataclass

BLANKED = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)


def blank(text):
    """Replaces a text by spaces, keeping the number of lines and characters."""
    return re.sub(r"[^\n]", " ", text)


@dataclass
class Include:
    """One #include line."""

    line: int
    is_system: bool  # <...>
    name: str


@dataclass
class Chunk:
    """A construct at file scope: a declaration, a definition, or a function."""

    head: str       # its text up to ";" or "{", in one line with single spaces
    line: int       # where the head starts
    end_line: int   # where it ends, including its block
    body: str       # the text between its braces, or "" if there are none
    has_body: bool

    def is_function(self):
        """Returns whether this is a function with a body."""
        return self.has_body and ")" in self.head and "=" not in self.head.split("(")[0] \
            and not re.match(r"(typedef |static |extern )*(struct|union|enum) \w+ ?$", self.head)

    def name(self):
        """Returns the name before the first parenthesis that is not an attribute."""
        head = re.sub(r"\b(__attribute__|PRINTF_LIKE|_Alignas|alignas) ?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)",
                      " ", self.head)
        match = re.search(r"(\w+) ?\(", head)
        return match[1] if match else ""


class Source:
    """One C file."""

    def __init__(self, path, name):
        self.path = path
        self.name = name  # relative to the root
        self.text = path.read_text(errors="replace")
        self.line_starts = [0] + [match.end() for match in re.finditer("\n", self.text)]

    def line_at(self, offset):
        """Returns the line number of a character."""
        return bisect.bisect_right(self.line_starts, offset)

    @functools.cached_property
    def lines(self):
        """Returns the text as lines."""
        return self.text.splitlines()

    @functools.cached_property
    def code(self):
        """Returns the text with comments and the content of strings blanked."""
        def replace(match):
            found = match[0]
            if found[0] in "\"'":
                return found[0] + blank(found[1:-1]) + found[-1]
            return blank(found)
        return BLANKED.sub(replace, self.text)

    @functools.cached_property
    def plain(self):
        """Returns the code with preprocessor lines blanked too."""
        return PREPROCESSOR.sub(lambda match: blank(match[0]), self.code)

    @functools.cached_property
    def uncommented(self):
        """Returns the text with comments blanked and strings kept."""
        return BLANKED.sub(
            lambda match: blank(match[0]) if match[0].startswith(("//", "/*")) else match[0],
            self.text)

    @functools.cached_property
    def includes(self):
        """Returns every #include."""
        return [Include(self.line_at(match.start(1)), match[1] == "<", match[2])
                for match in INCLUDE.finditer(self.uncommented)]

    @functools.cached_property
    def chunks(self):
        """Returns all constructs at file scope, without preprocessor lines."""
        text = self.plain
        text = text.replace('extern "C" {', " " * 12)
        chunks, start, position, end = [], 0, 0, len(text)
        while position < end:
            character = text[position]
            if character == ";":
                self._add_chunk(chunks, text, start, position, position, None)
                start = position + 1
            elif character == "{":
                close = matching_brace(text, position)
                head = text[start:position]
                if "=" in head or is_type(head):
                    # An initialiser or a type continues up to its semicolon.
                    semicolon = text.find(";", close)
                    semicolon = end if semicolon < 0 else semicolon
                    self._add_chunk(chunks, text, start, position, semicolon, (position, close))
                    close = semicolon
                else:
                    self._add_chunk(chunks, text, start, position, close, (position, close))
                start = position = close + 1
                continue
            position += 1
        return chunks

    def _add_chunk(self, chunks, text, start, head_end, end, braces):
        head = text[start:head_end]
        if not head.strip():
            return
        first = start + len(head) - len(head.lstrip())
        chunks.append(Chunk(" ".join(head.split()), self.line_at(first),
                            self.line_at(min(end, len(text) - 1)),
                            text[braces[0] + 1:braces[1]] if braces else "", bool(braces)))

    @functools.cached_property
    def functions(self):
        """Returns every function with a body."""
        return [chunk for chunk in self.chunks if chunk.is_function()]


def is_type(head):
    """Returns whether this text before a brace starts a struct, union or enum."""
    return re.search(r"\b(struct|union|enum)\b(\s+__attribute__\s*\(\(.*\)\))?(\s+\w+)?\s*$", head,
                     re.DOTALL) and ")" not in re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head)


def matching_brace(text, position, pair="{}"):
    """Returns the position at which the block (or another pair) that opens at `position` closes."""
    depth = 0
    for match in re.compile(f"[{re.escape(pair)}]").finditer(text, position):
        depth += 1 if match[0] == pair[0] else -1
        if depth == 0:
            return match.start()
    return len(text)
