#!/usr/bin/env python3
"""Write files as C: embed.py OUT.c table=FILE... where table is examples, topics or completions."""
import os
import sys

TABLES = {"examples": "embed_example_count", "topics": "embed_topic_count",
          "completions": "embed_completion_count"}


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
    files = {table: [] for table in TABLES}
    for argument in sys.argv[2:]:
        table, path = argument.split("=", 1)
        files[table].append(path)
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("/* Made by embed.py. */\n#include \"cli/embed.h\"\n")
        for table, count_name in TABLES.items():
            out.write("\nconst struct embed_file embed_%s[] = {\n" % table)
            for path in files[table]:
                with open(path, "rb") as file:
                    data = file.read()
                name = os.path.splitext(os.path.basename(path))[0]
                out.write('    { "%s",\n      {\n%s,\n      %d } },\n'
                          % (name, literal(data), len(data)))
            out.write("};\nconst size_t %s = %d;\n" % (count_name, len(files[table])))


main()
