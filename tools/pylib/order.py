"""Puts the includes at the top of a .c file into the order that `make lint` requires."""

import re

BLOCK = re.compile(r'(?:[ \t]*#[ \t]*include[ \t]*(?:"[^"\n]+\.h"|<[^>\n]+>)[ \t]*\n|[ \t]*\n)+')


def order_includes(text, own):
    """Returns the text with its first block of plain includes ordered: own, ours, the system's.

    A comment or a condition ends the block, so special includes keep their place. An ordered text is returned
    unchanged.
    """
    first = re.search(r'^[ \t]*#[ \t]*include[ \t]*["<]', text, re.MULTILINE)
    if not first:
        return text
    block = BLOCK.match(text, first.start())
    if not block:
        return text
    lines = [line.strip() for line in block[0].splitlines() if line.strip()]
    own_line = f'#include "{own}"'
    groups = [
        [line for line in lines if line == own_line],
        sorted({line for line in lines if '"' in line and line != own_line}),
        sorted({line for line in lines if "<" in line}),
    ]
    ordered = "\n\n".join("\n".join(group) for group in groups if group)
    return text[:first.start()] + ordered + "\n\n" + text[block.end():].lstrip("\n")


def order_all(root):
    """Orders every .c file of src/, and rewrites only files that change."""
    for path in sorted((root / "src").rglob("*.c")):
        text = path.read_text()
        own = str(path.relative_to(root / "src").with_suffix(".h"))
        ordered = order_includes(text, own)
        if ordered != text:
            path.write_text(ordered)
