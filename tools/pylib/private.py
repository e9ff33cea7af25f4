"""Checks private headers: the comment /* private to src/FOLDER */ of a header states which module may include it."""

import re

from .checks import Finding

MARK = re.compile(r"^/\* private to ((?:src/[\w/]+)(?:(?: |\n \* )src/[\w/]+)*) \*/$", re.MULTILINE)
USERS = ("src", "sim", "bench", "plugins")


def check_private(tree):
    """a header marked /* private to src/FOLDER */ is included by that module and by tests only"""
    owners = {}
    for source in tree.sources("src", suffixes=(".h",)):
        mark = MARK.search(source.text)
        if mark:
            owners[source.name] = mark[1].replace("*", " ").split()
            for folder in owners[source.name]:
                if folder.removeprefix("src/") not in tree.layers:
                    yield Finding(source.name, source.line_at(mark.start()), f"{folder} is no module of src/LAYERS")
        elif source.name.endswith("_parts.h"):
            yield Finding(source.name, 1, f"a header of parts is private: add /* private to src/{tree.source_folder(source.name)} */")
    for source in tree.sources(*(name for name in USERS if (tree.root / name).is_dir()), suffixes=(".c", ".h", ".def")):
        module = f"src/{tree.source_folder(source.name)}"
        for include in source.includes:
            allowed = owners.get(f"src/{include.name}")
            if allowed and not include.is_system and module not in allowed:
                yield Finding(source.name, include.line, f'"{include.name}" is private to {" and ".join(allowed)}')
