#!/usr/bin/env python3
"""Write reeve-node as C: embed.py OUT.c PROGRAM MACHINE"""
import hashlib
import sys

LINE_BYTES = 24


def main():
    with open(sys.argv[2], "rb") as file:
        data = file.read()
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write('/* Made by embed.py. */\n#include "remote/native.h"\n\nstatic const unsigned char bytes[] = {\n')
        for at in range(0, len(data), LINE_BYTES):
            out.write("    " + "".join(f"{byte}," for byte in data[at:at + LINE_BYTES]) + "\n")
        out.write("};\n\nconst struct native *native_own(void)\n{\n")
        out.write(f'    static const struct native own = {{ "{sys.argv[3]}", "{hashlib.sha256(data).hexdigest()}",\n'
                  "                                       { (const char *)bytes, sizeof(bytes) } };\n\n    return &own;\n}\n")


main()
