"""What a manager keeps of what stages write: a beginning and an end of each, and so many bytes of all (decision 0060)."""

import itertools
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import REEVED, until  # noqa: E402
from test_bootstrap import world  # noqa: E402, F401  (a fixture is found by its name)
from test_stages_fail import run, write  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

LINE = 1000  # bytes, of which the first say which it is
MIB = 1 << 20
# In two parts, so that the manager can be killed amid it.
LONG = f"""lines() {{ seq -f "%06.0f $(head -c {LINE - 8} /dev/zero | tr '\\0' x)" $1 $2; }}
lines 1 7000
touch /srv/half
until [ -e /srv/go ]; do sleep 0.1; done
lines 7001 14000
echo 'E: it ends here'
"""
SHORT = f"""seq -f "%06.0f $(head -c {LINE - 8} /dev/zero | tr '\\0' x)" 1 1000\n"""


def configure(world, text):
    """The manager with this configuration."""
    assert world.manager.stop() == 0, world.manager.log.read_text()
    (world.folder / "config.yaml").write_text(text)
    world.manager.flags = (*world.manager.flags, "--config", str(world.folder / "config.yaml"))
    world.manager.start()


def kept(world):
    """Bytes of output in the manager's folder."""
    return sum(path.stat().st_size for path in (world.folder / "data/logs").rglob("*")
               if path.is_file() and not path.name.startswith("."))


def logs(world, node):
    """What `reeve logs` says of stage 0 of a node."""
    done = run(world, "logs", node, "--stage", "0")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def stretches(lines):
    """[(bytes that are missing before, numbers of the whole lines, bytes of cut ones before them and behind them)]."""
    found = [[0, [], 0, 0]]
    for line in lines:
        stretch = found[-1]
        if match := re.fullmatch(r"\((\d+) bytes are missing: the output exceeded its limit\)", line):
            found.append([int(match[1]), [], 0, 0])
        elif len(line) == LINE - 1 and line[:6].isdigit():
            stretch[1].append(int(line[:6]))
        elif stretch[1]:
            stretch[3] += len(line)
        else:
            stretch[2] += len(line) + 1  # this one has its end
    return joined(found)


def joined(found):
    """The stretches with whole lines. What is left of one without, on a slow computer, counts as missing."""
    whole = []
    missing = 0
    for stretch in found:
        missing += stretch[0]
        if stretch[1]:
            whole.append([missing, *stretch[1:]])
            missing = 0
        else:
            missing += stretch[2] + stretch[3]
    assert missing == 0, found[-1][0]
    return whole


def test_the_beginning_and_the_end_of_what_was_too_much(world):
    """Also where the manager was killed amid it; what is missing is said where it was."""
    world.bundle("long", LONG)
    write(world, 1, "long")
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    until(lambda: world.by_name() and world.peek(world.by_name()["web-0"], "srv/half") == "" and
          (world.by_name()["web-0"].folder / "upper/srv/half").exists(), world.why, 60)
    world.manager.kill()
    world.manager.start()
    world.on("web-0", "sudo", "-n", "touch", "/srv/go")
    world.wait_ready(1)
    lines = logs(world, "shop/web-0")
    assert lines.pop() == "E: it ends here"
    told = stretches(lines)
    # the manager drops a middle, and where it was away or slow for long, the node has dropped some before
    assert len(told) in (2, 3), [(missing, len(numbers)) for missing, numbers, *_ in told]
    assert told[0][1][0] == 1 and told[-1][1][-1] == 14000
    for (_, before, _, head), (missing, after, tail, _) in itertools.pairwise(told):
        # A stretch without whole lines may lack the end of its last line, which is one byte.
        lost = (after[0] - before[-1] - 1) * LINE - (missing + head + tail)
        assert abs(lost) <= sum("bytes are missing" in line for line in lines) + 1 - len(told), (before[-1], head, missing, tail, after[0])
    assert all(numbers == list(range(numbers[0], numbers[-1] + 1)) for _, numbers, *_ in told)
    assert MIB < len(told[0][1]) * LINE < 3 * MIB < len(told[-1][1]) * LINE and kept(world) <= 8 * MIB
    assert run(world, "logs", "shop/web-0", "--tail", "1").stdout.strip() == "stage-0  E: it ends here"


def test_all_that_is_kept_has_a_bound(world):
    """Nodes that are gone make room first; whoever asks for what went is told so, by the name that it had."""
    configure(world, "logsSize: 2MiB\n")
    world.bundle("short", SHORT)
    write(world, 2, "short")
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    world.wait_ready(2)
    write(world, 1, "short")
    world.reeve("apply", "--yes", "--allow", "destroy=1", "--detach", "-f", "shop.yaml")
    until(lambda: len(world.by_name()) == 1, world.why, 60)
    assert len(logs(world, "shop/web-1")) == len(logs(world, "shop/web-0")) == 1000
    world.manager.kill()  # what there is is counted anew
    world.manager.start()
    world.reeve("bootstrap", "run", "shop/web-0", "--rerun", "--yes", "--detach")
    until(lambda: len(world.events("node.bootstrapped")) == 3, world.why, 60)
    world.reeve("bootstrap", "run", "shop/web-0", "--rerun", "--yes", "--detach")
    until(lambda: len(world.events("node.bootstrapped")) == 4, world.why, 60)
    assert logs(world, "shop/web-1") == [f"({LINE * 1000} bytes were removed to make room for newer output)"]
    assert len(logs(world, "shop/web-0")) == 1000
    first = run(world, "logs", "shop/web-0", "--stage", "0", "--attempt", "1").stdout.splitlines()
    assert first == [f"({LINE * 1000} bytes were removed to make room for newer output)"]
    assert kept(world) <= 2 * MIB


def test_what_was_heard_to_its_end_is_not_asked_for_again(world):
    """Of a stage that is complete nothing more is read, though its node has more by now; also behind another start of the manager."""
    world.bundle("base", "echo told\n"), world.bundle("last", "echo last $*\n")
    write(world, 1, "base", "last")
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    world.wait_ready(1)
    world.on("web-0", "sudo", "-n", "sh", "-c", "'echo more >>/var/lib/reeve-node/stage-0/output'")
    for count, argument in ((2, "a"), (3, "b")):
        write(world, 1, "base", {"tar": "last", "args": [argument]})
        world.reeve("apply", "--yes", "--allow", "rerun=1", "--detach", "-f", "shop.yaml")
        until(lambda: len(world.events("node.bootstrapped")) == count, world.why, 60)  # noqa: B023
        assert logs(world, "shop/web-0") == ["told"]
        world.look_again()
    assert run(world, "logs", "shop/web-0", "--stage", "1").stdout.split() == ["last", "b"]


@pytest.mark.parametrize("size", ["1", "999kB", "2PiB", "much", "[1]"])
def test_a_size_that_is_none_is_said(tmp_path, size):
    """With its place."""
    (tmp_path / "config.yaml").write_text(f"logsSize: {size}\n")
    done = subprocess.run([REEVED, "--check-config", "--config", tmp_path / "config.yaml"], capture_output=True, text=True,
                          check=False, timeout=240)
    assert done.returncode == 3 and "config.yaml:1:11: error[R0307]: logs of stages must have a size from 1MiB to 1024TiB" in done.stderr
