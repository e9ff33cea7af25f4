#!/usr/bin/python3 -B
"""Write the list of the plugins that may run in the profile `host`, as C: trust.py OUT FILE..."""

import hashlib
import pathlib
import sys

target, *files = [pathlib.Path(argument) for argument in sys.argv[1:]]
rows = [f'    {{ "{file.stem}", "{hashlib.sha256(file.read_bytes()).hexdigest()}" }},\n' for file in files]
target.write_text('#include "host/trusted.h"\n\n'
                  "const struct plugins_trusted plugins_trusted_here[] = {\n" + "".join(rows)
                  + "    { NULL, NULL },\n};\n")
