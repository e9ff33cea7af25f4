"""reeve plugin check, schema and test: a plugin that is right passes, and each broken promise is said in words (N4)."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
import plugin  # noqa: E402  pylint: disable=wrong-import-position
from manager import until  # noqa: E402  pylint: disable=wrong-import-position
from pylib.containers import census, ground  # noqa: E402  pylint: disable=wrong-import-position
from pylib.proc import fields_of, named, processes  # noqa: E402  pylint: disable=wrong-import-position
from conftest import ENVIRONMENT, REEVE  # noqa: E402  pylint: disable=wrong-import-position

BAD = (ROOT / "tests/plugins/bad/promises.c", ROOT / "plugins/file/machine.c")
FILE = REEVE.parent / "plugins/file.so"

# What breaks which rule, and what is said of it there.
BROKEN = {
    "double-create": ("same-token", "create made two"),
    "double-hidden": ("same-token", "two machines with one token"),
    "racy-create": ("same-token-at-once", "two threads may hold the same token"),
    "forgetful": ("killed-create", "two"),
    "half-made": ("killed-create", "machines are listed"),
    "lost-tag": ("tags", "lost the tag reeve.mac"),
    "other-tag": ("tags", "gives the tag reeve.mac as"),
    "slow-create": ("same-token", "has not answered in time"),
    "undead": ("goes", "the machine still exists"),
    "wrong-gone": ("destroy-twice", "destroy was refused (gone): no such machine"),
    "neighbour": ("destroy-one", "destroy must end only the requested machine"),
    "anywhere": ("other-cluster", "destroy, for another cluster"),
    "new-id": ("id-stays", "an id must never change"),
    "blind": ("listed", "a listing that is reported as complete lacks machine"),
    "double-rows": ("whole", "twice: return one row for each machine"),
    "never-whole": ("listed", "every listing as incomplete"),
    "stale-mark": ("mark", "reports that nothing has changed"),
    "leak-descriptors": ("growth", "descriptors more"),
    "leak-memory": ("growth", "KiB more memory"),
    "takes-all": ("refuses", "'count', which the plugin's own table refuses"),
    "takes-none": ("takes", "validate was refused (invalid): /count: count is 1 to 9"),
    "mute": ("refuses", "without a message"),
    "lost-reboot": ("reboot", "after reboot, machine"),
    "crash-create": ("same-token", "create gave no definite answer: the process was ended by signal 11"),
    "crash-destroy": ("goes", "destroy gave no definite answer: the process was ended by signal 11"),
    "crash-describe": ("listed", "describe gave no definite answer: the process was ended by signal 11"),
    "crash-validate": ("takes", "validate gave no definite answer: the process was ended by signal 11"),
    "crash-label": ("label", "label gave no definite answer: the process was ended by signal 11"),
    "crash-reboot": ("reboot", "reboot gave no definite answer: the process was ended by signal 11"),
    "odd-table": ("table", "the example of 'color' breaks the rules of its own property"),
}
MORE = {"slow-create": {"CREATE_MS": "150"}, "odd-table": {"PROPERTIES": "2"}}
SLOW = 240
AT_ONCE = 4


def run(folder, *arguments):
    """reeve plugin, without a manager; nothing of it stays behind."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    done = subprocess.run([REEVE, "plugin", *map(str, arguments)], text=True, capture_output=True, check=False,
                          env={**ENVIRONMENT, "TMPDIR": str(scratch), "HOME": str(folder)}, timeout=SLOW)
    assert list(scratch.iterdir()) == []
    return done


def tried(folder, path, *arguments):
    """The test's findings by rule, and its exit code."""
    done = run(folder, "test", path, "-o", "json", *arguments)
    assert done.stderr == "", done.stderr
    [result] = json.loads(done.stdout)
    assert result["ok"] == (done.returncode == 0)
    return {rule["rule"]: rule for rule in result["rules"]}, done.returncode


def bad(folder, name, **defines):
    return plugin.build(folder, name, BAD, BAD=f'"{name}"', **defines)


def test_a_plugin_that_is_right_passes(tmp_path):
    for path in (FILE, bad(tmp_path, "right")):
        rules, code = tried(tmp_path, path)
        assert code == 0, [rule for rule in rules.values() if rule["verdict"] == "broken"]
        assert rules["same-token"]["verdict"] == "kept"
    left_out = {name for name, rule in rules.items() if rule["verdict"] == "notTried"}
    assert left_out == {"mark", "resources-left", "preflight-all", "pinned"}  # the second one has every call of 1.0, and gives no mark


def test_words_for_people(tmp_path):
    done = run(tmp_path, "test", FILE, "--seed", "3", "--set", "address=127.0.1.{n}")
    assert done.returncode == 0
    assert "file 1.0.0, sha256 " in done.stdout and ", seed 3" in done.stdout
    assert "\nok    same-token " in done.stdout and "the same token is the same machine" in done.stdout
    assert 'tested with {"address":"127.0.1.{n}"}' in done.stdout


@pytest.fixture(scope="module", name="broken")
def all_broken(tmp_path_factory):
    """What the kit says of each of them; several at once, for each waits most of its time."""
    def one(name):
        folder = tmp_path_factory.mktemp(name)
        return tried(folder, bad(folder, name, **MORE.get(name, {})), "--patience", "3s")
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as workers:
        yield {name: workers.submit(one, name) for name in BROKEN}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_promise_is_said(broken, name):
    rule, words = BROKEN[name]
    rules, code = broken[name].result()
    assert code == 1
    assert rules[rule]["verdict"] == "broken", rules[rule]
    assert words in rules[rule]["words"]


def test_properties_to_make_machines_with(tmp_path):
    (tmp_path / "p.yaml").write_text("count: 12\n")
    path = bad(tmp_path, "right")
    done = run(tmp_path, "test", path, "--properties", tmp_path / "p.yaml")
    assert done.returncode == 3 and "error[R0621]" in done.stderr and "must be from 1 to 9" in done.stderr
    done = run(tmp_path, "test", path, "--properties", tmp_path / "p.yaml", "--set", "count=7", "-o", "json")
    assert done.returncode == 0 and json.loads(done.stdout)[0]["properties"] == '{"count":7}'
    done = run(tmp_path, "test", path, "--set", "colour=red")
    assert done.returncode == 3 and "unknown field 'colour'" in done.stderr


# ---- a plugin of a cloud ----

ACCOUNT = (ROOT / "tests/plugins/bad/account.c", ROOT / "plugins/file/machine.c")


@pytest.fixture(name="account")
def files_of_an_account(tmp_path):
    """The options for settings and credential, as the plugin `account` needs them."""
    (tmp_path / "settings.yaml").write_text("region: here\nzones: [a]\n")
    (tmp_path / "key").write_text("key\nword\n")
    (tmp_path / "key").chmod(0o600)
    return {"--settings": tmp_path / "settings.yaml", "--credential": tmp_path / "key"}


def flat(options):
    return [word for pair in options.items() for word in pair]


def account_plugin(folder, **defines):
    return plugin.build(folder, "account", ACCOUNT, BAD='"account"', **defines)


def test_an_account_is_read_from_files(tmp_path, account):
    path = account_plugin(tmp_path)
    rules, code = tried(tmp_path, path, *flat(account))
    assert code == 0, [rule for rule in rules.values() if rule["verdict"] == "broken"]
    done = run(tmp_path, "test", path, *flat({"--settings": account["--settings"]}), "--patience", "3s")
    assert done.returncode == 1 and "the key is not that of the account" in done.stdout
    done = run(tmp_path, "test", path, *flat({"--credential": account["--credential"]}), "--patience", "3s")
    assert done.returncode == 1 and "the start of the plugin failed" in done.stdout


def test_a_credential_is_refused_if_others_can_read_it(tmp_path, account):
    path = account_plugin(tmp_path)
    account["--credential"].chmod(0o640)
    done = run(tmp_path, "test", path, *flat(account))
    assert done.returncode != 0 and "error[R0668]" in done.stderr and "chmod 600" in done.stderr
    assert done.stdout == "" and "word" not in done.stderr
    account["--credential"].write_text("")
    account["--credential"].chmod(0o600)
    assert "error[R0663]" in run(tmp_path, "test", path, *flat(account)).stderr
    (tmp_path / "list.yaml").write_text("[a]\n")
    done = run(tmp_path, "test", path, "--settings", tmp_path / "list.yaml")
    assert "error[R0005]" in done.stderr and "does not contain a mapping" in done.stderr


def test_an_endpoint_of_this_computer_is_reached_only_if_given(tmp_path, account):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        path = account_plugin(tmp_path, PORT=port)
        rules, code = tried(tmp_path, path, *flat(account), "--endpoint", f"127.0.0.1:{port}")
        assert code == 0, [rule for rule in rules.values() if rule["verdict"] == "broken"]
        rules, code = tried(tmp_path, path, *flat(account), "--patience", "3s")
        assert code == 1 and "403 not an endpoint" in rules["same-token"]["words"]


def test_a_replaced_lag_or_rate_is_part_of_the_report(tmp_path, account):
    """It also loses two creates, which the suite asks for again when the replaced times have passed, as a manager does."""
    path = account_plugin(tmp_path, LAG_MS=300000, LATE_MS=120000, RATE=1, IS_DOUBTFUL=1)
    done = run(tmp_path, "test", path, *flat(account), "--lag", "100ms", "--late", "200ms", "--rate", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "with lag 100 ms, instead of the declared 300000 ms\n" in done.stdout
    assert "with late 200 ms, instead of the declared 120000 ms\n" in done.stdout
    assert "with 0 calls/s, instead of the declared 1; 0: no limit\n" in done.stdout  # at one a second it would not be in time
    done = run(tmp_path, "test", path, *flat(account), "--lag", "soon")
    assert done.returncode == 2 and "--lag must be a duration" in done.stderr


# ---- what a file is ----


def test_what_check_says(tmp_path):
    done = run(tmp_path, "check", FILE)
    assert done.returncode == 0 and "can        dispose, label, reboot, strong, token" in done.stdout
    assert "lacks      validate: properties in files" in done.stdout
    [about] = json.loads(run(tmp_path, "check", FILE, "-o", "json").stdout)
    assert about["name"] == "file" and len(about["digest"]) == 64 and about["faults"] == []
    done = run(tmp_path, "check", bad(tmp_path, "odd-table", PROPERTIES="2"))
    assert done.returncode == 1 and "FAIL  the example of 'color'" in done.stdout


def test_what_schema_shows(tmp_path):
    path = bad(tmp_path, "right")
    done = run(tmp_path, "schema", path)
    assert done.returncode == 0 and "PROPERTY" in done.stdout and "1..9" in done.stdout
    [[row]] = [about["properties"] for about in json.loads(run(tmp_path, "schema", path, "-o", "json").stdout)]
    assert row["name"] == "count" and row["required"] is True and row["most"] == 9


def compiled(folder, text, *flags):
    (folder / "x.c").write_text(text)
    subprocess.run(["cc", f"-I{ROOT}/include", *flags, "-o", folder / "x.so", folder / "x.c"], check=True, timeout=240)
    return folder / "x.so"


TABLE = """#include <reeve/plugin.h>
static int32_t create(void *s, struct reeve_call *c, const struct reeve_wish_v1 *w) { (void)s; (void)c; (void)w; return 0; }
const struct reeve_plugin_v1 reeve_plugin = {
    .magic = MAGIC, .abi_major = MAJOR, .struct_size = sizeof(struct reeve_plugin_v1),
    .name = REEVE_STATIC("x"), .create = create };
"""


def table(folder, magic="REEVE_PLUGIN_MAGIC", major="1"):
    return compiled(folder, TABLE, "-shared", "-fPIC", f"-DMAGIC={magic}", f"-DMAJOR={major}")


def go_like(folder):
    """What the loader of a plugin in Go looks for."""
    return compiled(folder, "char runtime_main __asm__(\"runtime.main\"); char _cgo_topofstack;", "-shared", "-fPIC")


def other_machine(folder):
    path = shutil.copy(FILE, folder / "x.so")
    data = bytearray(path.read_bytes())
    data[18:20] = (243).to_bytes(2, "little")
    path.write_bytes(data)
    return path


def cut(folder):
    (folder / "x.so").write_bytes(FILE.read_bytes()[:30])
    return folder / "x.so"


def text(folder):
    (folder / "x.so").write_text("#!/bin/sh\n")
    return folder / "x.so"


NO_PLUGIN = {
    "go": (go_like, "a plugin in Go"),
    "go-build": (lambda folder: compiled(
        folder, "__attribute__((section(\".go.buildinfo\"))) char x[] = \"go\";", "-shared", "-fPIC"), "a plugin in Go"),
    "text": (text, "not a shared object"),
    "cut": (cut, "the beginning of an ELF file"),
    "machine": (other_machine, "compiled for RISC-V"),
    "object": (lambda folder: compiled(folder, "int x;", "-c"), "not linked"),
    "program": (lambda folder: compiled(folder, "int main(void) { return 0; }", "-static"), "a program"),
    "no-symbol": (lambda folder: compiled(folder, "int x;", "-shared", "-fPIC"), "does not export reeve_plugin"),
    "other-major": (lambda folder: table(folder, major="2"), "made for interface 2.0"),
    "no-magic": (lambda folder: table(folder, magic="1"), "REEVE_PLUGIN_MAGIC"),
    "no-destroy": (table, "the plugin does not implement create, destroy or describe"),
}


@pytest.mark.parametrize("name", NO_PLUGIN)
def test_what_is_no_plugin_is_said(tmp_path, name):
    make, words = NO_PLUGIN[name]
    for verb in ("check", "test", "schema"):
        file = make(tmp_path)
        done = run(tmp_path, verb, file)
        assert done.returncode == 3, done
        assert f"error[R0620]: {file}: " in done.stderr and words in done.stderr and "hint: " in done.stderr


def test_any_bytes_are_answered(tmp_path):
    """The file is read by who looks: nothing in it leads astray."""
    whole = FILE.read_bytes()
    for at in (24, 32, 40, 52, 58, 60, 62):  # the head's offsets and counts
        data = bytearray(whole)
        data[at:at + 2] = b"\xff\xff"
        (tmp_path / "x.so").write_bytes(data)
        done = run(tmp_path, "check", tmp_path / "x.so")
        assert done.returncode in (0, 3), done
        assert "AddressSanitizer" not in done.stderr
    missing = run(tmp_path, "check", tmp_path / "nothing.so")
    assert missing.returncode in (1, 3) and "No such file" in missing.stderr


# ---- machines of this computer ----

LOCAL = REEVE.parent / "plugins/local.so"


@pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")
def test_machines_of_this_computer_are_tried_apart(tmp_path):
    """`local` keeps every promise, in its real profile; nobody sees a link, a mount, a group or a process of it afterwards."""
    with ground(tmp_path, is_alone=True) as folder:
        before = around_at_rest(folder)
        done = run(folder, "test", LOCAL, "--set", "image=host", "--patience", "5s")
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines()[-1].startswith("31 rules passed, 0 failed, 4 not tested"), done.stdout
        until(lambda: around(folder) == before, lambda: (around(folder), before))


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root is only made by root")
def test_machines_of_this_computer_are_for_root(tmp_path):
    """Who is not root is told so in one line, before anything is made."""
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(REEVE), "plugin", "test", str(LOCAL)],
                          text=True, capture_output=True, check=False, env=ENVIRONMENT, cwd="/", timeout=240)
    assert done.returncode == 1 and "error[R0622]: this plugin makes machines on this computer, which only root may do" in done.stderr, done
    assert done.stdout == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")
def test_nothing_outlives_a_test_that_is_ended(tmp_path):
    """kill -9 in the midst: its machines go with it."""
    with ground(tmp_path, is_alone=True) as folder:
        before, groups = around_at_rest(folder), set(census()["groups"])
        with subprocess.Popen([str(REEVE), "plugin", "test", str(LOCAL), "--set", "image=host"], stdout=subprocess.PIPE,
                              env={**ENVIRONMENT, "TMPDIR": str(folder)}, text=True) as kit:
            try:
                until(lambda: around(folder) != before)  # machines are there
            finally:
                kit.kill()
        until(lambda: around(folder) == before, lambda: (around(folder), before))
        until(lambda: groups_end(groups), lambda: census()["groups"])


def groups_end(before):
    """Control groups of who was killed stay, some of them half-made: who counts them next would see these go. Are there none?"""
    left = sorted(set(census()["groups"]) - before, reverse=True)
    for path in left:  # the innermost first
        with contextlib.suppress(OSError):
            os.rmdir(path)
    return not left


def around_at_rest(folder):
    """The same, once it stays: the kernel removes the links of containers that tests before have ended a while after them."""
    looks = []

    def is_at_rest():
        looks.append(around(folder))
        time.sleep(1)  # longer than a namespace takes to end
        return around(folder) == looks[-1]

    until(is_at_rest, lambda: looks[-3:])
    return looks[-1]


def around(folder):
    """What somebody of this computer sees of machines that are tried in a folder: links, mounts, and processes by the first one of
    theirs. Other suites run meanwhile, and have disks in folders of theirs."""
    def is_of_others(line):
        return line.split()[4].startswith(f"{tempfile.gettempdir()}/") and str(folder) not in line

    inits = [pid for pid in processes() if named(pid) == "reeve-init" and fields_of(pid)[:1] not in ([], ["Z"])]  # one that has ended is none
    mounts = [line for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines() if not is_of_others(line)]
    return sorted(os.listdir("/sys/class/net")), mounts, sorted(inits)
