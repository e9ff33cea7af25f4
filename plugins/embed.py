#!/usr/bin/python3 -B
"""Files that become part of a plugin.

  embed.py bytes FILE OUT   OUT is a list of numbers for an array in C: the bytes of FILE
  embed.py path FILE OUT    OUT defines REEVE_INIT_PATH as the path of FILE; it changes whenever FILE does
"""

import hashlib
import pathlib
import sys

kind, source, target = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
content = source.read_bytes()
if kind == "bytes":
    target.write_text(", ".join(str(byte) for byte in content) + "\n")
else:
    target.write_text(f"/* {hashlib.sha256(content).hexdigest()} */\n"
                      f'#define REEVE_INIT_PATH "{source.resolve()}"\n')
