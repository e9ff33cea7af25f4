"""Makes one-line mutants of C code, from the tokens of a file: errors that an engineer could make in a decision."""

import hashlib
import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*|\s+)"""
    r"""|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\w.]*)"""
    r"""|(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.MULTILINE | re.DOTALL | re.VERBOSE)

# Messages, and code that exists only in test builds, have no influence on decisions.
WORDS = re.compile(r"^(assert|buf_\w+|arena_printf|arena_string|plan_count|duration_text|snprintf|printf|err_set\w*|"
                   r"TEXT|TEXT_ARG|sizeof|control_event|record_event|GUARD|BUG|PRINTF_LIKE|\w*_event|\w*_tell|"
                   r"json_format|doc_builder_put)$")
# No decision depends on these calls, because they only free memory.
RELEASES = re.compile(r"^(arena_free|arena_rewind|free|map_free|heap_clear|\w+_free|memset|memcpy)$")
RELATIONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
OTHERS = {"+": "-", "-": "+", "+=": "-=", "-=": "+=", "|=": "="}
OPEN, CLOSE = "([{", ")]}"
KEYWORDS = {"return", "case", "else", "if", "while", "for", "do", "goto", "switch"}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    at: int

    @property
    def end(self):
        return self.at + len(self.text)


@dataclass(frozen=True)
class Mutant:
    file: str
    at: int
    end: int
    put: str
    what: str
    line: int
    key: str

    def apply(self, text):
        return text[:self.at] + self.put + text[self.end:]

    def lines(self, text):
        """Returns the line before and after the mutation."""
        first = text.rfind("\n", 0, self.at) + 1
        last = text.find("\n", self.end)
        return (" ".join(text[first:last].split()),
                " ".join((text[first:self.at] + self.put + text[self.end:last]).split()))


def tokens_of(text):
    return [Token(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(text) if m.lastgroup != "skip"]


def partners_of(tokens):
    """Returns the index of the matching bracket for each bracket."""
    partners, stack = {}, []
    for i, token in enumerate(tokens):
        if token.kind == "sign" and token.text in OPEN:
            stack.append(i)
        elif token.kind == "sign" and token.text in CLOSE and stack:
            first = stack.pop()
            partners[first], partners[i] = i, first
    return partners


def functions_of(tokens, partners):
    """Returns (index of the opening brace, index of the closing brace, whether it returns bool) of each function."""
    i = begin = 0
    while i < len(tokens):
        text = tokens[i].text
        if text in OPEN and i in partners:
            if text == "{":
                if i > 0 and tokens[i - 1].text == ")":
                    head = tokens[begin:partners[i - 1]]
                    yield i, partners[i], ("bool" in [one.text for one in head[:-1]]
                                           and "*" not in [one.text for one in head[:-1]])
                begin = partners[i] + 1
            i = partners[i]
        elif text == ";":
            begin = i + 1
        i += 1


class Finder:
    """Finds the mutants of one file."""

    def __init__(self, file, text):
        self.file, self.text = file, text
        self.tokens = tokens_of(text)
        self.partners = partners_of(self.tokens)
        self.found = []
        self.counts = {}
        self.silent = set()
        for i, token in enumerate(self.tokens[:-1]):
            if token.kind == "name" and WORDS.match(token.text) and self.tokens[i + 1].text == "(" \
                    and i + 1 in self.partners:
                self.silent.update(range(i, self.partners[i + 1] + 1))

    def add(self, first, last, put, what):
        """Adds a mutant that replaces the tokens from `first` to `last`."""
        at, end = self.tokens[first].at, self.tokens[last].end
        old = self.text[at:end]
        if "GUARD(" in old or "BUG(" in old or any(i in self.silent for i in range(first, last + 1)
                                                    if first == last):
            return
        line = self.text[self.text.rfind("\n", 0, at) + 1:self.text.find("\n", at)].strip()
        name = f"{self.file}|{line}|{old}|{put}|{what}"
        self.counts[name] = self.counts.get(name, 0) + 1
        key = hashlib.sha256(f"{name}|{self.counts[name]}".encode()).hexdigest()[:16]
        self.found.append(Mutant(self.file, at, end, put, what, self.text.count("\n", 0, at) + 1, key))

    def bound(self, i, step, stops):
        """Returns the end of the operand of the operator at `i`, in the direction of `step`."""
        j = i + step
        while 0 <= j < len(self.tokens):
            text = self.tokens[j].text
            if self.tokens[j].kind == "sign" and text in (CLOSE if step < 0 else OPEN):
                j = self.partners[j] + step
                continue
            if self.tokens[j].kind == "sign" and (text in OPEN or text in CLOSE):
                break
            if text in stops or text in KEYWORDS:
                break
            j += step
        return j - step

    def is_binary(self, i):
        before = self.tokens[i - 1]
        return (before.kind in ("name", "number") and before.text not in KEYWORDS) or before.text in (")", "]")

    def logic(self, i):
        token = self.tokens[i]
        stops = {";", ",", "=", "?", ":", "|=", "&=", "+=", "-="} | ({"||", "&&"} if token.text == "&&" else {"||"})
        left_stops = stops - {token.text}
        left, right = self.bound(i, -1, left_stops), self.bound(i, 1, stops)
        other = "||" if token.text == "&&" else "&&"
        text = self.text
        a = text[self.tokens[left].at:self.tokens[i - 1].end]
        b = text[self.tokens[i + 1].at:self.tokens[right].end]
        if "GUARD(" in a + b or "BUG(" in a + b:
            return
        self.add(left, right, f"(({a}) {other} ({b}))", f"{token.text} for {other}")
        self.add(left, right, a, "second condition dropped")
        if not any(one.text in ("&&", "||") for one in self.tokens[left:i]):
            self.add(left, right, b, "first condition dropped")

    def number(self, i):
        token = self.tokens[i]
        before, after = self.tokens[i - 1].text, self.tokens[i + 1].text
        if not token.text.isdigit() or (before == "{" and after == "}") or before in ("<<", ">>", "["):
            return
        self.add(i, i, {"0": "1", "1": "0"}.get(token.text, str(int(token.text) + 1)), "another number")
        if token.text == "1":
            self.add(i, i, "2", "another number")

    def call(self, i):
        """Adds a mutant that leaves out a statement that is a call."""
        last = self.partners.get(i + 1)
        name = self.tokens[i].text
        if (last is None or self.tokens[last + 1].text != ";" or self.tokens[i - 1].text not in (";", "{", "}", ")")
                or name in KEYWORDS or WORDS.match(name) or RELEASES.match(name)):
            return
        if self.tokens[i - 1].text == ")" and self.tokens[self.partners[i - 1] - 1].text not in ("if", "for", "while"):
            return
        self.add(i, last, "(void)0", "call left out")

    def condition(self, i):
        first, last = i + 1, self.partners[i + 1]
        inner = self.text[self.tokens[first].end:self.tokens[last].at]
        if "GUARD(" not in inner and "BUG(" not in inner:
            self.add(first, last, f"(({inner}) && false)", "never")
            self.add(first, last, f"(({inner}) || true)", "always")

    def answer(self, i):
        last = i + 1
        while self.tokens[last].text != ";":
            last = self.partners[last] + 1 if self.tokens[last].text in OPEN else last + 1
        inner = self.text[self.tokens[i + 1].at:self.tokens[last - 1].end]
        if inner not in ("true", "false"):
            self.add(i, last - 1, f"return !({inner})", "answer negated")

    def one(self, i, is_bool):
        token, after = self.tokens[i], self.tokens[i + 1].text
        if i in self.silent:
            return
        if token.kind == "sign":
            if token.text in RELATIONS:
                for put in RELATIONS[token.text]:
                    self.add(i, i, put, f"{token.text} for {put}")
            elif token.text in ("&&", "||"):
                self.logic(i)
            elif token.text in OTHERS and self.is_binary(i):
                self.add(i, i, OTHERS[token.text], f"{token.text} for {OTHERS[token.text]}")
            elif token.text == "!":
                self.add(i, i, "", "not left out")
        elif token.kind == "number":
            self.number(i)
        elif token.text in ("true", "false"):
            self.add(i, i, "false" if token.text == "true" else "true", "the other value")
        elif token.text == "return" and is_bool:
            self.answer(i)
        elif token.text == "if":
            self.condition(i)
        elif token.kind == "name" and after == "(":
            self.call(i)

    def find(self):
        for first, last, is_bool in functions_of(self.tokens, self.partners):
            for i in range(first + 1, last):
                self.one(i, is_bool)
        return self.found


def mutants_of(file, text):
    return Finder(file, text).find()
