"""Fields that do nothing are refused, or do what they say (issue 24, B5): each field of the schema has a reader, and those that have none for a
plugin, or in this version, are refused at their place with a hint. A private key becomes a secret, and its path stands nowhere.

Requirements: M5.
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

from conftest import REEVE
from manager import Manager

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIELD = re.compile(r'FIELD\(((?:[^"])*?),\s*"(\w+)",\s*"[^"]*",.*?(SINCE_\w+)\)', re.S)
# Fields that no line of C reads by their name, and who has them then.
READ_ELSEWHERE = {
    "dns": "network is handed to the plugin as it is; one without the role 'network' is refused (R0347)",
    "gateway": "as dns",
    "fs": "the only value is what the netboot system does: packaging/netboot/init",
}
# Modules that know names of fields, and do nothing with their values.
NAMES_ONLY = ("schema.c", "json_schema.c", "resolve.c", "making.c", "file_groups.c", "fields.c")


def readers():
    """The text of every file that may read a field."""
    files = [*ROOT.glob("src/**/*.c"), *ROOT.glob("plugins/**/*.c")]
    return [path.read_text() for path in files if path.name not in NAMES_ONLY]


def test_every_field_has_a_reader():
    texts = readers()
    found = FIELD.findall((ROOT / "src/model/schema.def").read_text())
    assert len(found) > 100
    names = {name for _, name, since in found if "LATER" not in since}
    unread = {name for name in names if not any(f'"{name}"' in text for text in texts)}
    assert unread == set(READ_ELSEWHERE), "a field without a reader does nothing: refuse it (SINCE_LATER_...), or say here who reads it"


@pytest.fixture(scope="module", name="manager")
def one_manager(tmp_path_factory):
    """Shared: each test has clusters of its own."""
    with Manager(tmp_path_factory.mktemp("fields"), "--haste", "100", control=True).start() as one:
        yield one


def run(manager, *words, text=None):
    """The command line in the manager's folder, with `text` as my.yaml."""
    if text is not None:
        (manager.folder / "my.yaml").write_text(text)
    done = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=240, cwd=manager.folder,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    return done.returncode, done.stdout, done.stderr


SHOP = 'version: "1"\nname: {name}\n{more}groups:\n  web: {{size: 1, image: x, resourcePlugin: {{name: file}}{group}}}\n'


@pytest.mark.parametrize("text, place, code, words, hint", [
    ("kind: NodeGroupTemplate\nname: t\npublic: true\n", "my.yaml:3:1", "R0304", "'public' needs templates that tenants share", "leave it out"),
    ("kind: NodeGroupTemplate\nname: t\nhidden: true\n", "my.yaml:3:1", "R0304", "'hidden' needs templates that tenants share", "leave it out"),
    (SHOP.format(name="a", more="driver: k8s\n", group=""), "my.yaml:3:9", "R0347", "plugin file has no 'driver'", "reeve explain plugin/file"),
    (SHOP.format(name="a", more="", group=", network: {cidr: 10.0.0.0/24}"), "my.yaml:4:", "R0347", "plugin file has no 'network'",
     "reeve explain plugin/file"),
])
def test_what_nobody_takes_is_refused_at_its_place(manager, text, place, code, words, hint):
    for verb in (("plan",), ("apply", "--yes")):
        exit_code, _, err = run(manager, *verb, "-f", "my.yaml", text=text)
        assert exit_code == 3 and re.search(rf"{re.escape(place)}\S* error\[{code}\]: .*{re.escape(words)}", err), err
        assert hint in " ".join(err.split()), err


def key_make(path, *words):
    """A private key without a passphrase, unless the words say otherwise."""
    path.unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-C", "", "-f", path, *(words or ("-t", "ed25519", "-N", ""))], check=True)


def test_a_private_key_is_a_secret_and_its_path_stands_nowhere(manager):
    key_make(manager.folder / "ops.pem")
    key = (manager.folder / "ops.pem").read_text().splitlines()[2]
    text = SHOP.format(name="keyed", more="defaults: {private_key_file: ~/ops.pem}\n", group=", privateKeyFile: ~/ops.pem")
    code, out, err = run(manager, "plan", "-f", "my.yaml", text=text)
    assert code == 0 and "keyed-ssh-key" in out and "ops.pem" not in out + err, out + err
    code, out, err = run(manager, "apply", "--yes", "--detach", "-f", "my.yaml")
    assert code == 0 and "ops.pem" not in out + err, out + err
    assert [one["metadata"]["name"] for one in manager.get("/v1/secrets").json["items"]] == ["keyed-ssh-key"]
    said = "".join(manager.get(path).text for path in ("/v1/clusters/keyed", "/v1/nodegroups", "/v1/events?limit=500", "/v1/secrets", "/v1/plans"))
    said += run(manager, "get", "cluster/keyed", "-o", "yaml", "--bare")[1] + run(manager, "get", "cluster", "keyed", "-o", "yaml")[1]
    said += manager.log.read_text()
    assert "ops.pem" not in said and "rivateKeyFile" not in said and "b3BlbnNz" not in said and key not in said, said
    assert "sshKeySecret: keyed-ssh-key" in run(manager, "get", "cluster", "keyed", "-o", "yaml")[1]
    code, out, err = run(manager, "plan", "--exit-code", "-f", "my.yaml")
    assert code == 0, out + err  # applied again, it is the same
    code, out, err = run(manager, "diff", "--exit-code", "-f", "my.yaml")
    assert code == 0, out + err
    key_make(manager.folder / "ops.pem")
    code, out, err = run(manager, "plan", "--exit-code", "-f", "my.yaml")
    assert code == 10 and "keyed-ssh-key" in out, out + err  # another key
    code, out, err = run(manager, "delete", "secret", "keyed-ssh-key", "--yes")
    assert code != 0 and "R0666" in err and "cluster keyed" in err, out + err
    (manager.folder / "ops.pem").unlink()
    code, out, err = run(manager, "apply", "--yes", "--detach", "-f", "my.yaml")
    assert code != 0 and "ops.pem" in err and "No such file" in err, err


@pytest.mark.parametrize("words, mode, told, hint", [
    (("-t", "ed25519", "-N", "long enough"), 0o600, "is encrypted with a passphrase", "ssh-keygen -p -N ''"),
    (("-t", "rsa", "-m", "PEM", "-N", "long enough"), 0o600, "is encrypted with a passphrase", "ssh-keygen -p -N ''"),
    ((), 0o644, "can be read by other users", "chmod 600"),
    (None, 0o600, "is not a private key, or is damaged", "ssh-keygen -y -f"),
    ("public", 0o600, "is a public key", "without .pub"),
])
def test_a_key_that_cannot_log_in_is_refused_at_its_place(manager, words, mode, told, hint):
    path = manager.folder / "bad.pem"
    if words is None:
        path.write_text("hello\n")
    elif words == "public":
        key_make(manager.folder / "other")
        path.write_text((manager.folder / "other.pub").read_text())
    else:
        key_make(path, *words)
    path.chmod(mode)
    for verb in (("plan",), ("apply", "--yes"), ("create", "cluster", "bad", "--yes")):
        code, out, err = run(manager, *verb, "-f", "my.yaml", text=SHOP.format(name="bad", more="", group=", privateKeyFile: ~/bad.pem"))
        place = re.search(r"my.yaml:4:\d+\S* error\[R0672\]: ", err)
        assert code != 0 and place and told in err and hint in " ".join(err.split()), out + err
    assert manager.get("/v1/secrets/bad-ssh-key").status == 404 and manager.get("/v1/clusters/bad").status == 404


def test_an_object_is_created_with_its_key(manager):
    """Several keys too, and under the name that it gets."""
    for name in ("one.pem", "two.pem"):
        key_make(manager.folder / name)
    text = SHOP.format(name="x", more="defaults: {privateKeyFile: ~/one.pem}\n", group="") + \
        "  db: {size: 0, resourcePlugin: {name: file}, privateKeyFile: ~/two.pem}\n" \
        "  lab: {size: 0, resourcePlugin: {name: file}, privateKeyFile: null}\n"
    code, out, err = run(manager, "create", "cluster", "made", "-f", "my.yaml", "--yes", "--detach", text=text)
    assert code == 0, out + err
    shown = run(manager, "get", "cluster", "made", "-o", "json")[1]
    spec = json.loads(shown)["spec"]
    assert spec["defaults"]["sshKeySecret"] == "made-ssh-key" and spec["groups"]["db"]["sshKeySecret"] == "made-ssh-key-2", shown
    assert spec["groups"]["lab"]["sshKeySecret"] is None, shown
    assert {"made-ssh-key", "made-ssh-key-2"} <= {one["metadata"]["name"] for one in manager.get("/v1/secrets").json["items"]}
    code, out, err = run(manager, "create", "cluster", "made", "-f", "my.yaml", "--yes")
    assert code != 0 and "R0402" in err, out + err  # it is there
    code, out, err = run(manager, "create", "--template", "made", "-f", "my.yaml", "--yes")
    assert code == 0, out + err
    code, out, err = run(manager, "create", "nodegroup", "made/more", "-f", "group.yaml", "--yes", "--detach")
    assert code != 0
    (manager.folder / "group.yaml").write_text("kind: NodeGroup\ncluster: made\nname: more\nsize: 0\nresourcePlugin: {name: file}\n"
                                               "privateKeyFile: ~/two.pem\n")
    code, out, err = run(manager, "create", "nodegroup", "made/more", "-f", "group.yaml", "--yes", "--detach")
    assert code == 0, out + err
    names = {one["metadata"]["name"] for one in manager.get("/v1/secrets").json["items"]}
    assert {"made-ssh-key.more", "made-ssh-key..ct"} <= names, names
    code, out, err = run(manager, "plan", "-f", "my.yaml", text=text.replace("~/one.pem}", "~/one.pem, sshKeySecret: made-ssh-key}"))
    assert code == 3 and "R0306" in err, out + err


def test_who_sends_the_path_is_refused(manager):
    document = {"version": "1", "name": "sent", "groups": {"web": {"size": 0, "resourcePlugin": {"name": "file"}, "privateKeyFile": "/root/key"}}}
    answer = manager.ask("POST", "/v1/apply", {"documents": [document]})
    assert answer.status == 422 and "is read by the command line" in answer.text and "/groups/web/privateKeyFile" in answer.text, answer.text
    document["groups"]["web"]["privateKeyFile"] = None
    document["groups"]["web"]["resourceProperties"] = {}
    assert manager.ask("POST", "/v1/apply", {"documents": [document]}).status == 200, json.dumps(document)
