"""What a stage writes: how much of it the node keeps, and that whoever follows it misses nothing that is kept."""
import re
import time

from conftest import COUNT, STATE, bundle, needs_root, wait

pytestmark = needs_root
MIB = 1 << 20
MOST = 16 * MIB  # docs/reference/bootstrap.md
HEAD, TAIL = 2 * MIB, 4 * MIB
GAP = re.compile(r"\((\d+) bytes are missing: the output exceeded its limit\)")
# Lines of sixteen bytes that say which they are: what is missing, doubled or out of order is seen.
LINES = "seq -f 'line %010.0f' 1 {0}\n"


def kept(node, stage=0):
    """Bytes of output on the node's disk, and its pieces in order."""
    pieces, size = sorted(node.stage(stage).glob("output*")), 0
    for path in pieces:
        try:
            size += path.stat().st_size
        except FileNotFoundError:  # dropped meanwhile
            pass
    return size, pieces


def numbers(lines):
    """Of the lines; and how many bytes were said to be missing before each of them."""
    found, gaps, missing = [], {}, 0
    for line in lines:
        if match := GAP.search(line):
            missing += int(match[1])
            continue
        match = re.fullmatch(r"line (\d{10})", line)
        if match:
            found.append(int(match[1]))
            if missing:
                gaps[found[-1]] = missing
            missing = 0
    return found, gaps


def end_of(path):
    """The last lines of a file that grows."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - 4096, 0))
        return file.read().decode()


def check(lines, count):
    """They begin with the first and end with the last one, in order; what is not there was said to be missing."""
    found, gaps = numbers(lines)
    assert found[0] == 1 and found[-1] == count
    for one, other in zip(found, found[1:]):
        absent = (other - one - 1) * 16
        assert other > one and abs(absent - gaps.get(other, 0)) <= 32, (one, other, gaps.get(other))  # lines cut in two
    return gaps


def test_a_stage_that_writes_without_end_does_not_fill_the_disk(nodes, run, tmp_path):
    """On a disk of 48 MiB, of which it could fill all within a moment."""
    node = nodes(disk_kib=48 * 1024)
    stage = {"tar": bundle(tmp_path / "a.tar", COUNT + "yes 'this is too much'\n"), "timeout": 5}
    one = run(node, [stage])
    most = 0
    while one.process.poll() is None:
        most = max(most, kept(node)[0])
        time.sleep(0.02)
    assert one.wait() == "timeout", one.lines()[-3:]
    assert HEAD + TAIL <= kept(node)[0] <= MOST
    assert HEAD + TAIL <= most <= MOST + 64 * 1024
    assert "stage-complete" not in [path.name for path in node.stage(0).iterdir()]


def test_beginning_and_end_are_kept_for_who_comes_later(node, run, tmp_path):
    """Nobody follows while it writes; then all that is kept is told, with what is missing said where it is."""
    count = 4_000_000  # 61 MiB
    stage = {"tar": bundle(tmp_path / "a.tar", COUNT + LINES.format(count) + "echo E: the end >&2; exit 3\n")}
    first = run(node, [stage])
    wait(lambda: node.read("root/starts") == "0\n")
    first.kill()
    wait(lambda: node.read(f"{STATE}/marks/0.end").startswith("1 3 "))
    bytes_kept, pieces = kept(node)
    assert HEAD + TAIL <= bytes_kept <= MOST and len(pieces) == 4
    second = run(node, [stage])
    assert second.wait() == "failed"
    assert second.output(0)[-1] == "E: the end" and second.lines()[-1] == "end stage failed: : E: the end"
    gaps = check(second.output(0)[:-1], count)
    assert len(gaps) == 1 and sum(gaps.values()) + bytes_kept == 16 * count + len("E: the end\n")
    assert node.read("root/starts") == "0\n"


def test_who_goes_on_at_a_byte_goes_on_there(node, run, tmp_path):
    """In the beginning, in what is missing, in the newest pieces, and at the very end."""
    count = 1_500_000
    stage = {"tar": bundle(tmp_path / "a.tar", LINES.format(count))}
    first = run(node, [stage])
    assert first.wait() == "done"
    pieces = kept(node)[1]
    at = [0] + [int(path.name.split("-")[-1]) for path in pieces[1:]]
    ends = [begin + path.stat().st_size for begin, path in zip(at, pieces)]
    assert ends[-1] == 16 * count and at[1] > ends[0] and at[2:] == ends[1:-1]
    for seen in (16, ends[0] - 16, ends[0], ends[0] + 16, at[1] - 16, at[1], at[2] - 1, at[2], at[2] + 1, at[3],
                 ends[-1] - 16, ends[-1]):
        again = run(node, [{**stage, "seen": f"1:{seen}"}])
        assert again.wait() == "done"
        told = [line.split(" ", 4)[3:] for line in again.lines() if line.startswith("line 0 1 ")]
        text = "".join(line + "\n" for _, line in told if not GAP.search(line))
        missing = sum(int(match[1]) for _, line in told if (match := GAP.search(line)))
        assert seen + len(text) + missing == 16 * count, seen
        assert missing == (at[1] - max(seen, ends[0]) if seen < at[1] else 0), seen
        assert not told or int(told[-1][0]) == 16 * count


def test_who_follows_misses_nothing_of_what_comes_slowly(node, run, tmp_path):
    """Over several pieces: 12 MiB, of which each half of a piece comes when the one before it was told, however slow this machine is."""
    step = 1 << 16
    script = (f"for i in 0 1 2 3 4 5 6 7 8 9 10 11; do seq -f 'line %010.0f' $((i * {step} + 1)) $(((i + 1) * {step})); "
              "until [ -e /root/told-$i ]; do sleep 0.05; done; done\n")
    stage = {"tar": bundle(tmp_path / "a.tar", script)}
    one = run(node, [stage])
    for i in range(12):
        wait(lambda i=i: f" line {(i + 1) * step:010}\n" in end_of(one.log), 60, lambda: end_of(one.log))
        (node.folder / f"root/told-{i}").touch()
    assert one.wait() == "done"
    assert not check(one.output(0), 12 * step)


def test_connections_that_are_cut_while_too_much_is_written(node, run, proxy, tmp_path):
    """What is told is what was written, in order, and what is not is said."""
    count = 3_000_000
    way = proxy(node.port)
    way.cuts = [40_000 + 300_000 * i for i in range(8)]
    stage = {"tar": bundle(tmp_path / "a.tar", COUNT + LINES.format(count))}
    one = run(node, [stage], port=way.port)
    assert one.wait() == "done", one.lines()[-3:]
    check(one.output(0), count)
    assert node.read("root/starts") == "0\n" and not way.cuts


def test_what_a_stage_leaves_running_writes_on_and_is_bounded(node, run, tmp_path):
    """It does not hold up the end, nothing that the stage wrote is lost by it, and it can write when the stage is over."""
    script = ("(until test -e /root/go; do sleep 0.05; done; echo it writes on; " + LINES.format(2_000_000).strip() +
              "; touch /root/gone) & " + LINES.format(10_000) + "echo the last line\n")
    stage = {"tar": bundle(tmp_path / "a.tar", script)}
    one = run(node, [stage])
    assert one.wait() == "done"
    assert one.output(0)[-1] == "the last line" and not check(one.output(0)[:-1], 10_000)
    assert "line 0002000000" not in one.output(0)
    (node.folder / "root/go").touch()
    wait(lambda: (node.folder / "root/gone").exists())
    assert "it writes on" in node.read(f"{STATE}/stage-0/output")
    assert HEAD + TAIL <= kept(node)[0] <= MOST


def test_what_is_on_its_way_when_a_stage_ends_is_waited_for(node, run, tmp_path):
    """Whoever writes its output down is stopped when the last line comes, and somebody else can still write."""
    script = ("echo first; sleep 0.3; writer=$(pgrep -x dd || cat ../marks/0.pid); kill -STOP $writer; echo the last line\n"
              "(sleep 2; kill -CONT $writer; sleep 300) &\n")
    one = run(node, [{"tar": bundle(tmp_path / "a.tar", script)}])
    assert one.wait() == "done"
    assert one.output(0) == ["first", "the last line"]


def test_of_earlier_attempts_one_stays(node, run, tmp_path):
    """By its beginning; and what an earlier attempt has left running writes to nobody."""
    script = (COUNT + "echo attempt $REEVE_ATTEMPT; " + LINES.format(600_000) +
              "(until test -e /root/go; do sleep 0.05; done; yes straggler | head -c 6000000; echo >>/root/gone) & exit 1\n")
    stage = {"tar": bundle(tmp_path / "a.tar", script)}
    for attempt in range(1, 4):
        assert run(node, [stage], request=f"w-{attempt}", **{"from": "failed"}).wait() == "failed"
    (node.folder / "root/go").touch()
    wait(lambda: len(node.read("root/gone").split("\n")) == 4)
    names = [path.name for path in kept(node)[1]]
    assert "output.2" in names and "output.1" not in names
    assert not any(name.startswith(("output.1.", "output.2.")) for name in names), names
    assert node.read(f"{STATE}/stage-0/output").startswith("attempt 3\n")
    assert kept(node)[0] <= MOST + TAIL
