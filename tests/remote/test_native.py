"""reeve-node does what the programs of the shell do: the same trees, the same words, on whatever is there."""
import hashlib
import io
import os
import pathlib
import random
import stat
import subprocess
import tarfile

import pytest
from conftest import NATIVE, PROGRAMS, STATE, USER, bundle, needs_root, wait
from stages import Stages

CHAINS = ["ab" * 32, "cd" * 32, "-"]


def native_note(node):
    """What is in the node's folder of reeve-node."""
    folder = node.folder / STATE / "native"
    return sorted(path.suffix for path in folder.iterdir()) if folder.is_dir() else []


# ---- the same words ----

def mark_line(luck, *words):
    """A line of a mark: whole, cut, or of somebody else."""
    line = " ".join(map(str, words)) + "\n"
    kind = luck.randrange(12)
    if kind == 0:
        return line[:luck.randrange(len(line))]
    if kind == 1:
        return luck.choice(["", "\n", "x y z\n", "-1 a b\n", "1\n", " 2  " + CHAINS[0] + " 1\n", "1 2 3"])
    return line


def marks_write(luck, folder):
    """Marks of two stages, as a kill, an older manager or a bored administrator may have left them."""
    for number in range(2):
        attempt = luck.randrange(4)
        if luck.random() < 0.8:
            (folder / f"marks/{number}.attempt").write_text(mark_line(luck, attempt, luck.choice(CHAINS), luck.randrange(3), "ef" * 32))
        if luck.random() < 0.6:
            end = mark_line(luck, luck.randrange(4), luck.choice([0, 1, 124, 137, 255]), luck.choice(["exit", "timeout"]))
            (folder / f"marks/{number}.end").write_text(end)
        if luck.random() < 0.6:
            (folder / f"stage-{number}").mkdir()
            by = luck.choice([0, 1, "0 /root/stage-0/stage-complete"])
            complete = mark_line(luck, "reeve1", luck.choice(CHAINS), "ef" * 32, by)
            (folder / f"stage-{number}/stage-complete").write_text(complete)


def bundles_write(luck, folder, digest):
    """Those that are wanted, and others."""
    for name in (digest, f"{digest}.part", "aa" * 32, f"{'aa' * 32}.part", "lock", "pid", f"{digest}.other"):
        if luck.random() < 0.5:
            (folder / "bundles" / name).write_bytes(b"x" * luck.randrange(3))


def test_a_look_says_the_same(tmp_path):
    """Of whatever is there; and what it removes is the same."""
    luck = random.Random(7)
    for turn in range(25):
        seen = []
        seed = luck.random()
        for native in (False, True):
            one = Stages(tmp_path / f"{turn}-{native}", PROGRAMS, NATIVE)
            one.native = native
            one.bundle("true\n")
            for part in ("marks", "bundles"):
                (one.folder / part).mkdir(parents=True)
            marks_write(random.Random(seed), one.folder)
            bundles_write(random.Random(seed), one.folder, one.digest())
            lines = sorted(line for line in one.look(stages=1) if not line.startswith(("native ", "left ")))
            seen.append((lines, sorted(path.name for path in (one.folder / "bundles").iterdir()),
                         (one.folder / "marks/clean").exists()))
        # where the mark of an attempt is none of ours, nobody counts on its other words
        assert seen[0] == seen[1], (turn, seed)


# ---- the same trees ----

def archive(luck):
    """Members of all sorts that tar knows; most archives have none but those that reeve writes."""
    out = io.BytesIO()
    is_odd = luck.random() < 0.4
    with tarfile.open(fileobj=out, mode="w", format=luck.choice([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
                      if is_odd else tarfile.USTAR_FORMAT) as tar:
        names = ["bootstrap.sh"]
        for number in range(luck.randrange(12)):
            above = luck.choice(["", "", "./", "a/", "a/b/", f"{'d' * 60}/{'e' * 60}/"])
            names.append(f"{above}{luck.choice(['f', 'with blank ', 'ü'])}{number}")
        for name in names:
            member = tarfile.TarInfo(name)
            member.mode = luck.choice([0o644, 0o755, 0o600, 0o777, 0o400])
            member.mtime = luck.choice([0, 1, 1700000000])
            data = luck.randbytes(luck.choice([0, 1, 511, 512, 513, 70000]))
            kind = luck.randrange(5)
            if name == "bootstrap.sh":
                kind, data = 0, b"true\n"
            if kind == 3:
                member.type, data = tarfile.DIRTYPE, b""
                member.mode |= 0o700
            elif kind == 4:
                member.type, member.linkname, data = tarfile.SYMTYPE, luck.choice(["bootstrap.sh", "../x", "/nowhere"]), b""
            elif is_odd and kind == 2:
                member.type, member.linkname, data = tarfile.LNKTYPE, "bootstrap.sh", b""
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def tree(folder):
    """All that can be told of what was expanded."""
    told = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.split("/", 1)[0] in (".reeve", "output", "stage-complete"):
            continue
        kind = path.lstat()
        what = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        mode = None if path.is_symlink() else stat.S_IMODE(kind.st_mode)
        made = "now" if kind.st_mtime > 1750000000 else kind.st_mtime  # folders that no member names
        told[name] = (what, mode, made, kind.st_nlink if path.is_file() and not path.is_symlink() else 0)
    return told


def test_an_archive_becomes_the_same_tree(tmp_path):
    """As tar makes it: what is read here, and what is left to tar."""
    luck = random.Random(11)
    for turn in range(25):
        seen = []
        data = archive(luck)
        for native in (False, True):
            one = Stages(tmp_path / f"{turn}-{native}", PROGRAMS, NATIVE)
            one.native, one.tar = native, data
            one.run()
            seen.append(tree(one.folder / "stage-0"))
        assert seen[0] == seen[1], turn
        assert "bootstrap.sh" in seen[0]


@pytest.mark.parametrize("spoil", ["sum", "size", "cut", "up", "absolute", "nameless"])
def test_what_is_no_archive_of_ours_is_left_to_tar(both, spoil):
    """Which refuses it, or makes it harmless; nothing of it is outside of the stage's folder."""
    out = io.BytesIO()
    name = {"up": "../../outside", "absolute": f"{both.folder}/outside", "nameless": ""}.get(spoil, "bootstrap.sh")
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        member = tarfile.TarInfo(name)
        member.size = 600
        if spoil == "nameless":
            tar.addfile(tarfile.TarInfo("bootstrap.sh"))  # what is behind it is not left out
        tar.addfile(member, io.BytesIO(b"#" * 600))
    data = bytearray(out.getvalue())
    if spoil == "sum":
        data[148] ^= 1
    elif spoil == "size":
        data[124:136] = b"77777777777\0"
    elif spoil == "cut":
        data = data[:700]
    both.tar = bytes(data)
    lines, _ = both.run()
    assert not list(both.folder.glob("outside")) and not list(both.folder.parent.glob("outside"))
    if spoil in ("sum", "size", "cut", "nameless"):
        assert lines[-2] == "fault expand" and lines[-1].startswith("why tar: "), lines
        assert not (both.folder / "stage-0").exists()


# ---- on a node ----

def two(folder):
    """Two stages."""
    return [{"tar": bundle(folder / f"{name}.tar", f"echo {name}\n")} for name in ("one", "two")]


@needs_root
def test_it_is_sent_once(node, begin, tmp_path):
    """To a node that has stages to run; the next run finds it there, and runs without it where nothing is to be done."""
    stages = two(tmp_path)
    assert begin(node, stages, native=NATIVE).wait() == "done"
    assert native_note(node) == [""]
    path = next((node.folder / STATE / "native").iterdir())
    assert path.name == hashlib.sha256(NATIVE.read_bytes()).hexdigest() and path.stat().st_mode & 0o777 == 0o700
    made = path.stat().st_ino
    again = begin(node, [*stages, {"tar": bundle(tmp_path / "three.tar", "echo three\n")}], native=NATIVE)
    assert again.wait() == "done" and again.output(2) == ["three"]
    assert path.stat().st_ino == made


@needs_root
def test_a_node_without_work_is_sent_nothing(node, begin, tmp_path):
    """Nor one of another kind."""
    stages = two(tmp_path)
    assert begin(node, stages).wait() == "done"
    assert begin(node, stages, native=NATIVE).wait() == "done"
    assert native_note(node) == []
    assert begin(node, [*stages, stages[0]], native=NATIVE, machine="z80").wait() == "done"
    assert native_note(node) == []


@needs_root
@pytest.mark.parametrize("size, notes", [("64m", [".no"]), ("8m", [])])
def test_where_it_cannot_be_run(node, begin, tmp_path, size, notes):
    """A note says so: the programs of the shell do it, and nobody sends it again. Where it has no room, it is not for it to take the last."""
    mount = ["mount", "-t", "tmpfs", "-o", f"noexec,size={size}", "disk", "/var/lib"]
    subprocess.run(["nsenter", "--mount", "--target", str(node.init()), *mount], check=True, timeout=60)
    stages = two(tmp_path)
    assert begin(node, stages, native=NATIVE).wait() == "done"
    folder = pathlib.Path(f"/proc/{node.init()}/root/{STATE}/native")
    before = [(path.suffix, path.stat().st_ctime_ns) for path in folder.iterdir()]
    assert [suffix for suffix, _ in before] == notes
    assert begin(node, [*stages, stages[0]], native=NATIVE).wait() == "done"
    assert [(path.suffix, path.stat().st_ctime_ns) for path in folder.iterdir()] == before


@needs_root
@pytest.mark.parametrize("why", ["line", "program"])
def test_it_does_not_arrive(node, begin, proxy, tmp_path, why):
    """Over a line that is cut before it is through, or where the program that takes it gives no answer: nothing depends on it."""
    way = proxy(node.port)
    if why == "line":
        way.cuts = [60_000] * 100
    else:
        node.put_before("chmod", "#!/bin/sh\nkill -9 $PPID\n")
    one = begin(node, two(tmp_path), native=NATIVE, port=way.port, patience=30000)
    assert one.wait() == "done" and one.output(1) == ["two"], one.lines()
    assert (why == "line") == any(line.startswith("retry native") for line in one.lines()), one.lines()
    assert [suffix for suffix in native_note(node) if suffix != ".new"] == []


@needs_root
@pytest.mark.parametrize("user", ["root", USER])
def test_it_goes_while_it_is_counted_on(node, begin, tmp_path, user):
    """Somebody removes it between the look and a stage: the shell does the rest."""
    path = tmp_path / "gone.tar"
    bundle(path, f"rm -rf /{STATE}/native; echo gone\n")
    one = begin(node, [{"tar": path}, *two(tmp_path)], native=NATIVE, user=user)
    assert one.wait() == "done", one.lines()
    assert [one.output(i) for i in range(3)] == [["gone"], ["one"], ["two"]]
    assert not [line for line in one.lines() if line.startswith("retry")]


@needs_root
def test_a_stage_goes_on_in_the_other_s_hands(node, begin, tmp_path):
    """What one of them has begun the other one follows, to its last line."""
    go = node.folder / "root/go"
    stages = [{"tar": bundle(tmp_path / "a.tar", "echo first; until [ -e /root/go ]; do sleep 0.05; done; echo last\n")}]
    for first, then in ((None, NATIVE), (NATIVE, None)):
        go.unlink(missing_ok=True)
        words = [{"native": one} if one else {} for one in (first, then)]
        one = begin(node, stages, **words[0])
        wait(lambda one=one: one.output(0) == ["first"])
        one.kill()
        other = begin(node, stages, **words[1])
        wait(lambda other=other: other.output(0) == ["first"])
        go.touch()
        assert other.wait() == "done" and other.output(0) == ["first", "last"]
        stages = [{**stages[0], "args": ["again"]}]


@needs_root
@pytest.mark.parametrize("script", ["#!/nowhere\n", "#!/bin/sh\necho ouch >&2; kill -9 $$\n", "#!/bin/sh\nsleep 0.1\n"])
def test_it_is_there_and_cannot_be_run_any_more(node, begin, tmp_path, script):
    """Another policy, another machine behind the same disk: the run goes on by the programs of the shell."""
    stages = two(tmp_path)
    assert begin(node, stages, native=NATIVE).wait() == "done"
    path = next((node.folder / STATE / "native").iterdir())
    path.unlink()
    path.write_text(script)
    path.chmod(0o700)
    one = begin(node, [*stages, {"tar": bundle(tmp_path / "three.tar", "echo three\n")}], native=NATIVE, patience=30000)
    assert one.wait() == "done" and one.output(2) == ["three"], one.lines()
    assert len([line for line in one.lines() if line.startswith("retry")]) == 1


# ---- whatever it is started with ----

@pytest.fixture(name="native")
def make_native(stages):
    """A node's stages by reeve-node."""
    stages.native = True
    return stages


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_descriptors_that_are_closed(native, closed):
    """No lock takes the number of one: the stage has it until it has ended."""
    go = native.folder.parent / "go"
    native.bundle(f"echo here; until [ -e {go} ]; do sleep 0.05; done; echo there\n")
    (native.folder / "bundles").mkdir(parents=True)
    (native.folder / "bundles" / native.digest()).write_bytes(native.tar)
    one = native.begin(before=["sh", "-c", f'exec "$@" {closed}', "sh"])
    output = native.folder / "stage-0/output"
    wait(lambda: output.exists() and output.read_text() == "here\n")
    assert native.state()[0] == "running"
    go.touch()
    one.communicate(timeout=60)
    wait(lambda: native.state()[0] == "ended", why=native.state)
    assert output.read_text() == "here\nthere\n"


def test_descriptors_that_do_not_wait(native):
    """Of somebody who shares them: what is not there yet is waited for, and so is room for what is told."""
    native.bundle("seq 100000\n")
    ends = [os.pipe() for _ in range(2)]
    for fd in ends[0] + ends[1]:
        os.set_blocking(fd, False)
    one = native.begin(stdin=ends[0][0], stdout=ends[1][1])
    os.close(ends[0][0])
    os.close(ends[1][1])
    part = native.folder / f"bundles/{native.digest()}.part"
    os.write(ends[0][1], native.tar[:600])
    wait(lambda: part.exists() and part.stat().st_size == 600)
    os.write(ends[0][1], native.tar[600:])
    os.close(ends[0][1])
    wait(lambda: native.state()[0] == "ended")
    os.set_blocking(ends[1][0], True)
    with open(ends[1][0], "rb") as out:
        told = out.read().split(b"\nreeve1\n", 1)[1]
    assert one.communicate(timeout=60)[1].endswith(b"\nend\n")
    assert told.split() == [b"%d" % (i + 1) for i in range(100000)]


@pytest.mark.parametrize("make", [pathlib.Path.mkdir, os.mkfifo])
def test_a_lock_that_cannot_be_taken(native, make):
    """Is a fault with a name, not a stage that does not begin."""
    native.bundle("true\n")
    (native.folder / "marks").mkdir(parents=True)
    make(native.folder / "marks/0.lock")
    assert native.run()[0][-2] == "fault node"


def told(native, attempt):
    """All that is kept of an attempt's output, told by one of both, and how it stands then."""
    out, lines, at = "", ["more 0 0"], 0
    while lines[-1].startswith("more "):
        at = max(at, int(lines[-1].split()[2]))
        lines, more = native.run(attempt=attempt, start=0, offset=at)
        out, at = out + more, at + len(more)
    return out, lines[-1].split()[2:8]


@pytest.mark.parametrize("first", [False, True])
def test_attempts_in_turn(native, first):
    """One by each of them: the next one is the other's, which keeps what both keep, and whoever asks is told the same."""
    go = native.folder.parent / "go"
    native.bundle(f"(until [ -e {go} ]; do sleep 0.05; done; head -c 3000000 /dev/zero | tr '\\0' !; touch {go}.$REEVE_ATTEMPT) & "
                  "seq -f \"$REEVE_ATTEMPT %.0f\" 800000; exit $REEVE_ATTEMPT\n")
    for attempt in range(1, 5):
        native.native = first == (attempt % 2 == 1)
        native.run(attempt=attempt, idempotent=1)
        seen = []
        for native.native in (False, True):
            wait(lambda: native.state()[0] == "ended")
            seen.append(told(native, attempt))
        assert seen[0] == seen[1] and seen[0][1] == ["ended", str(attempt), native.chain, str(attempt), str(attempt), "exit"]
        assert seen[0][0].startswith(f"{attempt} 1\n{attempt} 2\n") and seen[0][0].endswith(f"\n{attempt} 800000\n")
    go.touch()
    wait(lambda: len(list(go.parent.glob("go.*"))) == 4)
    names = sorted(path.name.split(".at-")[0] for path in (native.folder / "stage-0").glob("output*"))
    assert names == ["output", "output.3"] + ["output.4"] * 3, names
    for name in ("output", "output.3"):
        assert (native.folder / "stage-0" / name).read_text().startswith("4 1\n" if name == "output" else "3 1\n")


def test_it_says_how_it_is_called():
    """To whoever tries it by hand."""
    done = subprocess.run([NATIVE], capture_output=True, timeout=60, check=False)
    assert done.returncode == 2 and done.stderr.startswith(b"usage: reeve-node ")
    assert subprocess.run([NATIVE, "check"], capture_output=True, timeout=60, check=True).stdout == b"\nreeve1\nend\n"
