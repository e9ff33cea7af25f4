"""Ours against python3-msgpack: what it writes, ours reads and writes again as the same bytes. Prints TAP.

msgpack_oracle.py PROGRAM, which is test_codec_msgpack."""

import random
import subprocess
import sys

try:
    import msgpack
except ImportError:
    print("1..0 # SKIP python3-msgpack is not there (tools/install-packages test)")
    sys.exit(0)

EDGES = [0, 1, 31, 32, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1]


def value(luck, depth):
    """Anything, no deeper than that."""
    kind = luck.randrange(8 if depth > 0 else 6)
    if kind == 0:
        return luck.choice([None, True, False])
    if kind == 1:
        return luck.choice(EDGES) if luck.random() < 0.7 else 2**64 - 1 - luck.randrange(2**32)
    if kind == 2:
        return -luck.choice(EDGES) - 1
    if kind == 3:
        return "ä" * luck.choice([0, 1, 15, 16, 127, 128, 200])
    if kind == 4:
        return bytes(luck.randrange(256) for _ in range(luck.choice([0, 1, 255, 256])))
    if kind == 5:
        return luck.randrange(1000)
    if kind == 6:
        return [value(luck, depth - 1) for _ in range(luck.choice([0, 1, 15, 16, 20]))]
    return {f"k{i}": value(luck, depth - 1) for i in range(luck.choice([0, 1, 15, 16]))}


def main():
    """Two hundred values of one seed, and long ones."""
    luck = random.Random(20)
    values = [value(luck, 3) for _ in range(200)]
    values += ["x" * 65535, "x" * 65536, b"y" * 65536, list(range(65536))]
    print(f"1..{len(values)}")
    bad = 0
    for number, one in enumerate(values, 1):
        written = msgpack.packb(one, use_bin_type=True)
        if len(written) > 1000000:
            print(f"ok {number} # longer than is looked at")
            continue
        again = subprocess.run([sys.argv[1], "again"], input=written, capture_output=True, check=False, timeout=120)
        good = again.returncode == 0 and again.stdout == written
        bad += not good
        print(f"{'' if good else 'not '}ok {number}")
    return bad > 0


sys.exit(main())
