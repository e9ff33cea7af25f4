"""Sessions in documents.

A block marked `console` is a session, and one marked `console KIND` is one for a place of its own: lines with `$ ` are typed,
what follows is the output (both streams). A line `...` stands for any number of lines, `...` in a line for any text.
"""

import re


def sessions(path, kind=""):
    """Steps of a page: (command, expected lines), in order."""
    steps = []
    mark = f"console {kind}".rstrip()
    for block in re.findall(rf"^```{mark}\n(.*?)^```", path.read_text(), re.S | re.M):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


def matches(expected, got):
    """Do the lines match?"""
    pattern = "".join("(?:.*\n)*" if line == "..." else
                      ".*".join(re.escape(part) for part in line.split("...")) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None
