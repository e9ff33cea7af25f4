"""Accounts and secrets (K9, E24, I23, F22): a credential reaches the plugin of its account with the call, and nothing else."""
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess

import pytest

import plugin
from pylib.proc import children, is_running, said_of
from manager import REEVED, ROOT, Manager, until

REEVE = REEVED.parent / "reeve"
FIXTURE = ROOT / "tests/e2e/fixtures/keyed.c"
MACHINE = ROOT / "plugins/file/machine.c"
TWO_LINES = "AKIAEXAMPLE0001\nwJalrXUtnFEMI/K7MDENG/bPx\"{}\\x\n"  # access key, secret key (E24), with what JSON escapes


def build(folder, name, **defines):
    """The plugin of fixtures/keyed.c under a name."""
    plugin.build(folder, name, sources=(FIXTURE, MACHINE), **defines)


def fnv(text):
    """As the plugin writes it down."""
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{len(text.encode())} {value:016x}"


NONE = fnv("")


@pytest.fixture(scope="module")
def plugins(tmp_path_factory):
    """Built once."""
    folder = tmp_path_factory.mktemp("plugins")
    build(folder, "keyed")
    build(folder, "other")
    build(folder, "snoop", SNOOP=1)
    build(folder, "refusing", REFUSES=1)
    return folder


@pytest.fixture
def ready(tmp_path, plugins):
    """A folder for a manager that has these plugins."""
    installed = tmp_path / "data/installed"
    installed.mkdir(parents=True, mode=0o700)
    (tmp_path / "data").chmod(0o700)
    for path in plugins.glob("*.so"):
        shutil.copy(path, installed)
    return tmp_path


@pytest.fixture
def manager(ready):
    """A manager with these plugins, that keeps clusters."""
    with Manager(ready, "--haste", "100", control=True).start() as one:
        yield one


def cluster(name, size=1, **uses):
    """A cluster of a group for each word: GROUP=PLUGIN or PLUGIN/ACCOUNT."""
    groups = {}
    for group, word in uses.items():
        of, _, account = word.partition("/")
        groups[group] = {"size": size, "resourcePlugin": {"name": of, **({"account": account} if account else {})}}
    return {"name": name, "version": "1", "groups": groups}


def secret(name, value):
    """A document of one."""
    return {"kind": "Secret", "name": name, "value": value}


def account(name, of, **more):
    """A document of one."""
    return {"kind": "Account", "name": name, "plugin": of, **more}


def seen(manager, seat):
    """What the plugin in this seat (NAME or NAME@ACCOUNT) got, as {method: {length and hash}}."""
    path = manager.folder / f"data/plugins/default/{seat}/seen"
    found = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        method, what = line.split(" ", 1)
        found.setdefault(method, set()).add(what)
    return found


def ready_count(manager, name):
    """Machines of a cluster that are there."""
    return manager.get(f"/v1/clusters/{name}").json.get("status", {}).get("machines", {}).get("ready")


def reeve(manager, *words, stdin=None, cwd=None):
    """The command line against this manager."""
    return subprocess.run([str(REEVE), *words], input=stdin, cwd=cwd, timeout=240, capture_output=True, text=True,
                          check=False, env={**os.environ, "REEVE_URL": f"unix:{manager.socket}",
                                            "HOME": str(manager.folder)})


def test_E24_each_account_has_its_credential_and_no_other(manager):
    manager.apply(secret("eu", TWO_LINES), secret("us", "another"), account("prod", "keyed", secret="eu"),
                  account("staging", "keyed", secret="us"))
    manager.apply(cluster("shop", a="keyed/prod", b="keyed/staging", c="keyed"))
    until(lambda: ready_count(manager, "shop") == 3)
    manager.patch("/v1/clusters/shop", {"groups": {"a": {"labels": {"x": "y"}}, "b": {"size": 0}}},
                  **{"If_Match": "*"})
    manager.ask("PATCH", "/v1/clusters/shop?allow=destroy:9", '{"groups":{"b":{"size":0}}}',
                Content_Type="application/merge-patch+json")
    until(lambda: ready_count(manager, "shop") == 2)
    until(lambda: "destroy" in seen(manager, "keyed@staging"))
    for seat, value in (("keyed@prod", TWO_LINES), ("keyed@staging", "another"), ("keyed", "")):
        got = seen(manager, seat)
        assert "create" in got and "describe" in got, seat
        assert set().union(*got.values()) == {fnv(value)}, seat
    rows = {row["status"]["group"]: row["status"]["plugin"] for row in manager.get("/v1/resources").json["items"]
            if "group" in row["status"]}
    assert rows.get("a", "keyed/prod") == "keyed/prod"


def test_K9_a_new_value_is_what_the_next_call_has(manager):
    manager.apply(secret("eu", "first"), account("prod", "keyed", secret="eu"), cluster("shop", a="keyed/prod"))
    until(lambda: ready_count(manager, "shop") == 1)
    answer = manager.patch("/v1/secrets/eu", {"value": "second"})
    assert answer.status == 200, answer.text
    until(lambda: fnv("second") in seen(manager, "keyed@prod").get("describe", ()))


def test_K9_an_account_of_another_plugin_is_a_fault(manager):
    manager.apply(account("prod", "keyed"))
    answer = manager.post("/v1/apply", {"documents": [cluster("shop", a="other/prod")]})
    assert answer.status in (400, 422), answer.text
    assert "R0665" in answer.text and "is for plugin keyed" in answer.text
    assert "/groups/a/resourcePlugin/account" in answer.text


def test_K9_an_account_that_is_not_there_yet_is_reported_and_waited_for(manager):
    def told():
        return "".join(manager.get(path).text for path in ("/v1/holds", "/v1/resources", "/v1/events?cluster=shop"))
    manager.apply(cluster("shop", a="keyed/late"))
    until(lambda: "there is no account 'late'" in told(), lambda: told() + manager.log.read_text()[-2000:])
    assert ready_count(manager, "shop") in (0, None)
    manager.apply(secret("eu", "value"), account("late", "keyed", secret="eu"))
    until(lambda: ready_count(manager, "shop") == 1, seconds=90)


def test_what_is_in_use_is_not_deleted(manager):
    manager.apply(secret("eu", "x1"), account("prod", "keyed", secret="eu"), cluster("shop", a="keyed/prod"))
    until(lambda: ready_count(manager, "shop") == 1)
    for path in ("/v1/secrets/eu", "/v1/accounts/prod"):
        answer = manager.ask("DELETE", path)
        assert answer.status == 409 and answer.code == "R0666", answer.text
    assert manager.ask("DELETE", "/v1/clusters/shop?allow=destroy:9").status == 200
    until(lambda: not manager.get("/v1/resources").json["items"])
    assert manager.ask("DELETE", "/v1/accounts/prod").status == 200
    assert manager.ask("DELETE", "/v1/secrets/eu").status == 200


@pytest.mark.parametrize("body", [
    {"name": "a"}, {"name": "a", "value": ""}, {"name": "a", "file": "/etc/passwd"}, {"name": "a", "value": "x", "digest": "y"},
    {"name": "a", "value": "x" * 16385}, {"name": "a", "value": {"b": "c"}}, {"name": "a", "value": None},
])
def test_a_secret_without_a_good_value_is_refused(manager, body):
    answer = manager.post("/v1/secrets", body)
    assert answer.status in (400, 413, 422) and "R0663" in answer.text, answer.text
    assert manager.get("/v1/secrets/a").status == 404


def test_what_a_secret_was_is_not_brought_back(manager):
    manager.apply(secret("eu", "first"))
    manager.patch("/v1/secrets/eu", {"value": "second"})
    answer = manager.post("/v1/secrets/eu/undo", {})
    assert answer.status == 409 and answer.code == "R0664"
    assert manager.ask("PATCH", "/v1/secrets/eu", '[{"op":"add","path":"/value","value":"x"}]',
                       Content_Type="application/json-patch+json").code == "R0663"


def test_I23_a_saved_plan_has_a_digest_and_no_value(manager):
    plan = manager.post("/v1/plans", {"documents": [secret("new", "planned-value"),
                                                    account("prod", "keyed", secret="new")]})
    assert plan.status in (200, 201) and "planned-value" not in plan.text, plan.text
    assert manager.get("/v1/secrets/new").status == 404
    done = manager.post(f"/v1/plans/{plan.json['id']}/apply", {})
    assert done.status == 200, done.text
    manager.apply(cluster("shop", a="keyed/prod"))
    until(lambda: fnv("planned-value") in seen(manager, "keyed@prod").get("create", ()))


def test_the_same_value_again_changes_nothing(manager):
    manager.apply(secret("eu", "same"))
    before = manager.get("/v1/secrets/eu").json
    again = manager.apply(secret("eu", "same")).json
    assert [item["change"] for item in again["objects"]] == ["none"]
    assert manager.get("/v1/secrets/eu").json == before
    assert [item["change"] for item in manager.apply(secret("eu", "other")).json["objects"]] == ["change"]


def test_E24_the_command_line_reads_files(manager, tmp_path):
    key = tmp_path / "key"
    key.write_text(TWO_LINES)
    key.chmod(0o600)
    assert reeve(manager, "create", "secret", "eu", f"@{key}", "--yes").returncode == 0
    one = reeve(manager, "create", "secret", "piped", "-", "--yes", stdin="from a pipe")
    assert one.returncode == 0, one.stderr
    one = reeve(manager, "create", "account", "prod", "--set", "plugin=keyed", "--set", "secret=eu", "--yes")
    assert one.returncode == 0, one.stderr
    manager.apply(cluster("shop", a="keyed/prod"))
    until(lambda: fnv(TWO_LINES) in seen(manager, "keyed@prod").get("create", ()))
    key.write_text("changed")
    key.chmod(0o644)
    one = reeve(manager, "set", "secret/eu", f"value=@{key}", "--yes")
    assert one.returncode == 0 and "R0668" in one.stderr, one.stderr
    until(lambda: fnv("changed") in seen(manager, "keyed@prod").get("describe", ()))
    document = tmp_path / "all.yaml"
    document.write_text(f"kind: Secret\nname: filed\nfile: {key}\n---\nkind: Account\nname: second\nplugin: keyed\n"
                        "secret: filed\n")
    one = reeve(manager, "apply", "-f", str(document), "--yes")
    assert one.returncode == 0, one.stderr
    assert "changed" not in one.stdout.replace("changed ", "")
    one = reeve(manager, "set", "secret/eu", "value=on-the-command-line")
    assert one.returncode != 0 and "R0663" in one.stderr and "on-the-command-line" not in one.stderr
    listed = reeve(manager, "get", "secrets")
    assert listed.returncode == 0 and "eu" in listed.stdout and "prod" in listed.stdout, listed.stdout
    assert "eu" in reeve(manager, "get", "accounts").stdout


def digest(path):
    """Of a plugin's file, as accounts pin it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_I23_a_pinned_account_is_for_one_build_alone(manager, ready, plugins):
    """Another file of the plugin's name gets no credential, and no call is made with it."""
    right = digest(plugins / "keyed.so")
    manager.apply(secret("eu", "first"), account("prod", "keyed", secret="eu", sha256=right.upper()),
                  account("other", "keyed", secret="eu", sha256="0" * 64), cluster("shop", a="keyed/prod", b="keyed/other"))
    until(lambda: seen(manager, "keyed@prod").get("create") == {fnv("first")})
    until(lambda: "account 'other' is pinned to keyed with the digest 0000" in manager.log.read_text())
    assert not seen(manager, "keyed@other").get("create")
    assert manager.apply(account("other", "keyed", secret="eu", sha256=right)).status == 200
    until(lambda: seen(manager, "keyed@other").get("create") == {fnv("first")})


def test_I23_what_is_fetched_under_the_name_does_not_get_it(manager, ready, plugins):
    """The plugin is replaced by other bytes that call themselves the same: the pin of the file says yes, the account says no."""
    right = digest(plugins / "keyed.so")
    (manager.folder / "data/installed/keyed.so").unlink()
    manager.stop()
    manager.start()
    false = (plugins / "keyed.so").read_bytes() + b"false"
    answer = manager.ask("POST", "/v1/plugins?name=keyed", false, Content_Type="application/octet-stream")
    assert answer.status == 200, answer.text
    manager.apply(secret("eu", "first"), account("prod", "keyed", secret="eu", sha256=right), account("free", "keyed", secret="eu"),
                  cluster("shop", a="keyed/prod", b="keyed/free"))
    until(lambda: seen(manager, "keyed@free").get("create") == {fnv("first")})
    until(lambda: "account 'prod' is pinned to keyed with the digest" in manager.log.read_text())
    assert not seen(manager, "keyed@prod").get("create")
    told = reeve(manager, "doctor")
    assert "account prod: the account pins its plugin to digest" in told.stdout, told.stdout


def test_a_quota_is_not_known_yet(manager):
    """What would bound nothing is refused instead of kept."""
    answer = manager.post("/v1/accounts", {"name": "prod", "plugin": "keyed", "quota": {"machines": 3}})
    assert answer.status == 422 or answer.status == 400, answer.text
    assert answer.code == "R0304", answer.text


def test_doctor_on_accounts(manager):
    """Which are broken, and which nobody uses; without accounts not a word."""
    assert "accounts:" not in reeve(manager, "doctor").stdout
    manager.apply(secret("eu", "first"), account("prod", "keyed", secret="eu"), account("idle", "keyed"), account("lost", "nobodys"),
                  cluster("shop", a="keyed/prod"))
    told = reeve(manager, "doctor")
    assert told.returncode == 1, told.stdout
    assert "FAIL  account lost: the plugin nobodys is not installed\n      fix: reeve plugin install FILE" in told.stdout, told.stdout
    assert "ok    accounts: 2 of 3 can be used; used by no cluster or group: idle, lost\n" in told.stdout, told.stdout
    manager.stop()
    (manager.folder / "data.key").rename(manager.folder / "away")
    manager.start()
    told = reeve(manager, "doctor")
    assert "FAIL  account prod: " in told.stdout and "accounts: 1 of 3 can be used" in told.stdout, told.stdout
    (manager.folder / "away").rename(manager.folder / "data.key")


# ---- canaries ----

def forms(value):
    """Raw, hexadecimal and base64 at each of the three offsets, without the ends that depend on the neighbours."""
    raw = value.encode()
    found = {raw, raw.hex().encode(), raw.hex().upper().encode()}
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw)
        found.add(coded[(4 if shift else 0):-4])
        found.add(coded[(4 if shift else 0):-4].replace(b"+", b"-").replace(b"/", b"_"))
    return found


def hits(needles, data):
    """Which of them are in it."""
    return [needle for needle in needles if needle in data]


def routes():
    """Paths of all GET routes that name no object, from routes.def."""
    text = (ROOT / "src/api/request/routes.def").read_text()
    return [line.split('"')[3] for line in text.splitlines() if line.startswith('ROUTE("GET"') and "{" not in line.split('"')[3]
            and "watch" not in line]


def family(pid):
    """A process and all below it."""
    return [pid, *children(pid)]


def test_I23_F22_64_canaries_are_nowhere(ready):
    values = [f"canary-{secrets.token_hex(16)}" for _ in range(64)]
    needles = set().union(*map(forms, values))
    config = ready / "c.yaml"
    config.write_text("log: debug\n")
    with Manager(ready, "--haste", "100", "--config", str(config), control=True).start() as manager:
        manager.apply(*(secret(f"s{i}", value) for i, value in enumerate(values)))
        manager.apply(*(account(f"a{i}", ("keyed", "snoop", "refusing")[i % 3], secret=f"s{i}") for i in range(64)))
        names = {f"g{i}": f"{('keyed', 'snoop', 'refusing')[i % 3]}/a{i}" for i in range(12)}
        manager.apply(cluster("shop", **names))
        until(lambda: ready_count(manager, "shop") == 8)
        until(lambda: all(seen(manager, f"refusing@a{i}").get("create") for i in (2, 5, 8, 11)))
        for i in range(12):
            seat = f"{('keyed', 'snoop', 'refusing')[i % 3]}@a{i}"
            assert set().union(*seen(manager, seat).values()) == {fnv(values[i])}, seat
        alive = family(manager.process.pid)
        assert len(alive) > 12
        for pid in alive:
            for name in ("cmdline", "environ"):
                try:
                    data = pathlib.Path(f"/proc/{pid}/{name}").read_bytes()
                except OSError:
                    continue
                assert not hits(needles, data), (pid, name)
        for victim in alive[-2:]:  # hosts crash in the midst of it
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGABRT)
        for i in range(8):
            manager.patch(f"/v1/secrets/s{i}", {"value": values[i + 8]})
        paths = routes() + [f"/v1/secrets/s0?view={view}" for view in ("object", "export", "effective", "history")]
        paths += ["/v1/secrets", "/v1/accounts", "/v1/events?limit=1000", "/v1/secrets?at=2", "/v1/clusters/shop",
                  "/v1/clusters/shop?view=effective", "/v1/why?cluster=shop", "/v1/passes?cluster=shop"]
        for path in paths:
            answer = manager.get(path)
            assert answer.status < 500, (path, answer.text)
            assert not hits(needles, answer.bytes), path
        backup = reeve(manager, "get", "secret", "s1", "-o", "yaml", "--bare")
        assert not hits(needles, (backup.stdout + backup.stderr).encode())
        alive = family(manager.process.pid)
        manager.kill()
        until(lambda: not any(map(is_running, alive)))  # hosts write, and name files anew, until they have gone too
        everything = [path for path in ready.rglob("*") if path.is_file() and path.suffix != ".so"]
        assert any("loot" in path.name for path in everything) and any(path.name == "log" for path in everything)
        for path in everything:  # store, its log of writes, plugins' folders, logs, what a snoop has found
            assert not hits(needles, path.read_bytes()), path
        loot = b"".join(path.read_bytes() for path in everything if path.name == "loot")
        assert b"end\n" in loot and b"reeved" not in loot.replace(b"fd ", b"")
        manager.start()
    key = ready / "data.key"
    assert key.stat().st_mode & 0o777 == 0o400


def memory(pid):
    """All that a process has written into its memory, as a core file would have it."""
    mappings = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) rw.*?^Rss: +(\d+) kB", said_of(pid, "smaps"), re.MULTILINE | re.DOTALL)
    with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
        for start, end, resident in mappings:
            size = int(end, 16) - int(start, 16)
            if int(resident) > 0 and size < 2**28:  # larger ones are what sanitizers set aside
                with contextlib.suppress(OSError, ValueError, OverflowError):
                    file.seek(int(start, 16))
                    yield file.read(size)


@pytest.mark.skipif(os.geteuid() != 0, reason="the memory of others is read by root")
def test_I23_F22_64_canaries_are_in_no_backup_and_no_core(ready, tmp_path):
    """A manager that holds the key leaves no core file, whatever its limit; and what one would have shown has none of them."""
    values = [f"canary-{secrets.token_hex(16)}" for _ in range(64)]
    needles = set().union(*map(forms, values))
    within = ("prlimit", "--core=unlimited:unlimited")
    manager = Manager(ready, "--haste", "100", control=True, within=within).start()
    pid = manager.process.pid
    try:
        manager.apply(*(secret(f"s{i}", value) for i, value in enumerate(values)))
        manager.apply(*(account(f"a{i}", "keyed", secret=f"s{i}") for i in range(64)))
        manager.apply(cluster("shop", **{f"g{i}": f"keyed/a{i}" for i in range(8)}))
        until(lambda: ready_count(manager, "shop") == 8)
        for i in range(8):
            assert set().union(*seen(manager, f"keyed@a{i}").values()) == {fnv(values[i])}
        heads = {needle[:5] for needle in needles}  # few: all begin alike

        def is_clean(one):
            return not any(hits(heads, piece) and hits(needles, piece) for piece in memory(one))
        for one in family(pid):  # a call that is just under way has the value of its account, and leaves nothing of it
            until(lambda one=one: is_clean(one), lambda one=one: said_of(one, "cmdline"))
        assert any(hits(needles, piece) for piece in memory(os.getpid()))  # where they are it sees them
        limits = pathlib.Path(f"/proc/{pid}/limits").read_text()  # whatever this machine does with cores
        assert re.search(r"^Max core file size +0 +0 ", limits, re.MULTILINE), limits
        os.kill(pid, signal.SIGABRT)
        status = os.waitpid(pid, 0)[1]
        assert os.WIFSIGNALED(status) and not os.WCOREDUMP(status)
    finally:
        if manager.process.poll() is None:
            manager.kill()
    backup = tmp_path / "backup.db"
    done = subprocess.run([str(REEVE.parent / "tests/fault/store_backup"), str(ready / "data"), str(backup)], check=False, timeout=240,
                          capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("backup "), done
    whole = backup.read_bytes()
    assert b"Sealed" in whole and not hits(needles, whole)


# ---- keys ----

def test_F22_secrets_are_sealed_anew_under_another_key(ready):
    new = ready / "new.key"
    with Manager(ready, "--haste", "100", control=True).start() as manager:
        manager.apply(*(secret(f"s{i}", f"value {i}") for i in range(40)), account("prod", "keyed", secret="s7"),
                      cluster("shop", a="keyed/prod"))
        until(lambda: ready_count(manager, "shop") == 1)
        manager.stop()
        for count in ("40", "0"):  # a second time there is nothing left to do
            done = subprocess.run([str(REEVED), "--data", str(ready / "data"), "--rewrap", str(new)], timeout=240,
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 0 and f"{count} values" in done.stdout, done.stdout + done.stderr
        (ready / "data.key").unlink()
        (manager.folder / "data/plugins/default/keyed@prod/seen").unlink()
        with Manager(ready, "--secret-key", str(new), "--haste", "100", control=True).start() as other:
            until(lambda: fnv("value 7") in seen(other, "keyed@prod").get("describe", ()))


def test_F22_a_wrong_or_lost_key_stops_secrets_and_nothing_else(ready):
    key, away = ready / "data.key", ready / "away.key"
    with Manager(ready, "--haste", "100", control=True).start() as manager:
        manager.apply(secret("eu", "first"), account("prod", "keyed", secret="eu"), cluster("shop", a="keyed/prod"))
        until(lambda: ready_count(manager, "shop") == 1)
        manager.stop()
        key.rename(away)
        (manager.folder / "data/plugins/default/keyed@prod/seen").unlink()
        manager.start()
        manager.apply(cluster("plain", a="keyed"))
        until(lambda: ready_count(manager, "plain") == 1)
        answer = manager.patch("/v1/secrets/eu", {"value": "second"})
        assert answer.status == 503 and answer.code == "R0660", answer.text
        assert not key.exists(), "a new key would hide that the old one is gone"
        assert seen(manager, "keyed@prod") == {}
        manager.stop()
        other = Manager(ready, "--secret-key", str(ready / "other.key"), "--haste", "100", control=True)
        subprocess.run(["cp", str(away), str(ready / "other.key")], check=True)
        data = (ready / "other.key").read_bytes().split()
        (ready / "other.key").chmod(0o600)
        (ready / "other.key").write_bytes(data[0] + b" " + base64.b64encode(bytes(32)) + b"\n")
        with other.start():
            until(lambda: "is sealed under key" in other.log.read_text())
        (ready / "other.key").chmod(0o644)
        with other.start():
            assert "key_unusable" in other.log.read_text()
        away.rename(key)
        manager.start()
        until(lambda: fnv("first") in seen(manager, "keyed@prod").get("describe", ()))


# ---- who may ----

def test_I23_who_may_write_and_nobody_reads(manager):
    manager.apply(secret("eu", "the-value"))
    for role in ("viewer", "operator", "admin"):
        manager.post("/v1/users", {"name": role})
        manager.post("/v1/grants", {"user": role, "role": role})
        token = manager.post("/v1/tokens", {"user": role}).json["token"]
        answer = manager.patch("/v1/secrets/eu", {"value": f"by-{role}"}, token=token)
        assert answer.status == (403 if role == "viewer" else 200), (role, answer.text)
        answer = manager.get("/v1/secrets/eu", token=token)
        assert answer.status == 200 and set(answer.json["spec"]) == {"digest", "key"}, answer.text
        assert len(answer.json["spec"]["digest"]) == 8


def test_why_of_a_refusal_has_the_words_of_the_provider(manager):
    manager.apply(secret("eu", "stale"), account("prod", "refusing", secret="eu"))
    manager.apply(cluster("shop", size=2, a="refusing/prod"))
    until(lambda: any(one["status"]["rule"] == "refused" for one in manager.get("/v1/holds").json["items"]))

    def told():
        """The hold is there from the first refusal on, and the second machine's may come later."""
        [said] = json.loads(reeve(manager, "why", "hold/shop/a:refused", "-o", "json").stdout)["refusals"]
        return said if said["count"] == 2 else None
    said = until(told)
    assert said["node"].startswith("a-") and "the key is not taken" in said["text"]
    shown = reeve(manager, "why", "hold/shop/a:refused")
    assert f"said     {said['node']} and 1 more: " in shown.stdout and "the key is not taken" in shown.stdout
