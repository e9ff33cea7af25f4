#!/usr/bin/env python3
"""Write files as C: embed.py OUT.c HEADER PREFIX TABLE=FILE...

HEADER declares `struct PREFIX_file` and, for each TABLE (a word that ends in s), PREFIX_TABLE and the number of its rows. Shell
programs (.sh) are sent to each node with each call. So their comment lines, empty lines and indentation are removed, and they are
quoted as one shell word. No program may contain a text of several lines that depends on these."""
import os
import sys


def literal(data):
    """C string literals, one line of the file each; octal escapes cannot run into what follows."""
    lines = []
    for line in data.splitlines(keepends=True) or [b""]:
        out = ""
        for byte in line:
            char = chr(byte)
            if char == "\n":
                out += "\\n"
            elif char in '"\\' or char == "?":
                out += "\\" + char
            elif 32 <= byte < 127:
                out += char
            else:
                out += "\\%03o" % byte
        lines.append('      "%s"' % out)
    return "\n".join(lines)


def main():
    header, prefix = sys.argv[2:4]
    files = {}
    for argument in sys.argv[4:]:
        table, path = argument.split("=", 1)
        files.setdefault(table, []).append(path)
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("/* Made by embed.py. */\n#include \"%s\"\n" % header)
        for table, paths in files.items():
            out.write("\nconst struct %s_file %s_%s[] = {\n" % (prefix, prefix, table))
            for path in paths:
                with open(path, "rb") as file:
                    data = file.read()
                if path.endswith(".sh"):
                    lines = (line.lstrip() for line in data.splitlines(keepends=True))
                    data = b"".join(line for line in lines if line and not line.startswith(b"#"))
                    data = b"'" + data.replace(b"'", b"'\\''") + b"'"
                name = os.path.splitext(os.path.basename(path))[0]
                out.write('    { "%s",\n      {\n%s,\n      %d } },\n'
                          % (name, literal(data), len(data)))
            out.write("};\nconst size_t %s_%s_count = %d;\n" % (prefix, table[:-1], len(paths)))


main()
