#!/usr/bin/python3 -B
"""Write the list of the plugins that may run in the profile `host`, as C: trust.py OUT FILE...

Each has two rows: the file as it was built, and as a package contains it, without symbols."""

import hashlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from pylib.stripped import stripped_bytes  # noqa: E402

target, *files = [pathlib.Path(argument) for argument in sys.argv[1:]]
rows = [f'    {{ "{file.stem}", "{hashlib.sha256(content).hexdigest()}" }},\n'
        for file in files for content in (file.read_bytes(), stripped_bytes(file))]
target.write_text('#include "host/trusted.h"\n\n'
                  "const struct plugins_trusted plugins_trusted_here[] = {\n" + "".join(rows)
                  + "    { NULL, NULL },\n};\n")
