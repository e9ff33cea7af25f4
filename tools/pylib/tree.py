"""The tree for the checks: folders and layers, files, and the content of the release objects."""

import functools
import os
import re
import subprocess
from dataclasses import dataclass

from .source import Source

IGNORED_FOLDERS = {".git", "build", "__pycache__", ".pytest_cache", ".cache", "node_modules"}


@dataclass
class Layer:
    """One folder named in src/LAYERS."""

    folder: str
    level: int
    is_quiet: bool
    line: int


@dataclass
class Symbol:
    """One symbol of a release object."""

    folder: str
    file: str      # name of the source relative to src/, "base/mem.c"
    name: str
    kind: str      # letter of nm: U undefined, T code, D data, B zeroed data, ...
    section: str

    def is_undefined(self):
        """Returns True if another object must define the symbol."""
        return self.kind in "Uw" and self.section == "*UND*"


class Tree:
    """A checkout and its release build."""

    def __init__(self, root, build=None):
        self.root = root
        self.build = build or root / "build"

    def relative(self, path):
        """Returns the path relative to the root, for messages."""
        return str(path.relative_to(self.root))

    def files(self, *folders):
        """Returns every file below these folders (or the root), sorted, without files that builds make."""
        found = []
        for folder in folders or (".",):
            for where, names, files in os.walk(self.root / folder):
                names[:] = sorted(set(names) - IGNORED_FOLDERS)
                found += [self.root.__class__(where) / name for name in files]
        return sorted(path.relative_to(self.root) for path in found if path.is_file())

    @functools.lru_cache(maxsize=None)
    def source(self, name):
        """Returns one C file, which is read only once."""
        return Source(self.root / name, str(name))

    def sources(self, *folders, suffixes=(".c", ".h")):
        """Returns the C files below these folders."""
        return [self.source(str(name)) for name in self.files(*folders)
                if name.suffix in suffixes]

    @functools.cached_property
    def layers(self):
        """Returns src/LAYERS as {folder: Layer}. A line is one level; its words are folders of this level."""
        layers = {}
        text = (self.root / "src/LAYERS").read_text()
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split("#")[0].split()
            is_quiet = words[:1] == ["quiet"]
            for folder in words[is_quiet:]:
                layers[folder] = Layer(folder, number, is_quiet, number)
        return layers

    @functools.cached_property
    def quiet_folders(self):
        """Returns the existing folders of the pure core (the quiet half)."""
        return [name for name, layer in self.layers.items()
                if layer.is_quiet and (self.root / "src" / name).is_dir()]

    def source_folder(self, name):
        """Returns the folder of src/ that has a file such as "src/base/mem.c", or None: "base", "cli/term"."""
        parts = str(name).split("/")
        return self.module("/".join(parts[1:-1])) if len(parts) > 2 and parts[0] == "src" else None

    def module(self, folder):
        """Returns the longest prefix of "cli/term/x" that has a line in src/LAYERS, or else its first part."""
        parts = folder.split("/")
        names = ("/".join(parts[:end]) for end in range(len(parts), 0, -1))
        return next((name for name in names if name in self.layers), parts[0])

    def object_of(self, source):
        """Returns the release object of a .c file of src/, or None if there is none."""
        folder = self.source_folder(source.name)
        inner = source.name[len(f"src/{folder}/"):].replace("/", "_")
        found = sorted((self.build / "src" / folder).glob(f"*.p/{inner}.o"))
        # The program is defined in the top meson.build, so its objects are directly in build/.
        found += sorted(self.build.glob(f"*.p/src_{folder.replace('/', '_')}_{inner}.o"))
        # A source that is compiled for a library and again for a test counts once, for the library.
        return next((path for path in found if path.parent.name.startswith("lib")),
                    found[0] if found else None)

    @functools.lru_cache(maxsize=None)
    def symbols(self):
        """Returns every symbol of the objects of src/, with one call of nm."""
        owners = {}
        for source in self.sources("src", suffixes=(".c",)):
            path = self.object_of(source) if self.source_folder(source.name) else None
            if path:
                owners[str(path)] = source
        if not owners:
            return []
        command = ["nm", "--format=sysv", *owners]
        output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                text=True, check=True).stdout
        symbols = []
        source = next(iter(owners.values()))
        for line in output.splitlines():
            heading = re.match(r"(?:Symbols|Undefined symbols) from (.*):$", line)
            if heading:
                source = owners[heading[1]]
                continue
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) == 7 and cells[0] != "Name":
                symbols.append(Symbol(self.source_folder(source.name), source.name[len("src/"):],
                                      cells[0], cells[2], cells[6]))
        return symbols
