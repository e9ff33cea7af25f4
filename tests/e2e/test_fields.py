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
    "iops": "volumes are handed to the plugin as they are; one without the role 'volumes' is refused (R0347)",
}
# Modules that know names of fields, and do nothing with their values.
NAMES_ONLY = ("schema.c", "json_schema.c", "resolve.c", "making.c", "file_groups.c", "fields.c")
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----\n"


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
    done = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=60, cwd=manager.folder,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    return done.returncode, done.stdout, done.stderr


SHOP = 'version: "1"\nname: {name}\n{more}groups:\n  web: {{size: 1, image: x, resourcePlugin: {{name: file}}{group}}}\n'


@pytest.mark.parametrize("text, place, code, words, hint", [
    ("kind: NodeGroupTemplate\nname: t\npublic: true\n", "my.yaml:3:1", "R0304", "'public' needs templates that tenants share", "leave the field out"),
    ("kind: NodeGroupTemplate\nname: t\nhidden: true\n", "my.yaml:3:1", "R0304", "'hidden' needs templates that tenants share", "leave the field out"),
    (SHOP.format(name="a", more="driver: k8s\n", group=""), "my.yaml:3:9", "R0347", "plugin file has no 'driver'", "reeve explain plugin/file"),
    (SHOP.format(name="a", more="", group=", network: {cidr: 10.0.0.0/24}"), "my.yaml:4:", "R0347", "plugin file has no 'network'",
     "reeve explain plugin/file"),
])
def test_what_nobody_takes_is_refused_at_its_place(manager, text, place, code, words, hint):
    for verb in (("plan",), ("apply", "--yes")):
        exit_code, _, err = run(manager, *verb, "-f", "my.yaml", text=text)
        assert exit_code == 3 and re.search(rf"{re.escape(place)}\S* error\[{code}\]: .*{re.escape(words)}", err), err
        assert hint in " ".join(err.split()), err


def test_a_private_key_is_a_secret_and_its_path_stands_nowhere(manager):
    (manager.folder / "ops.pem").write_text(KEY)
    (manager.folder / "ops.pem").chmod(0o600)
    text = SHOP.format(name="keyed", more="defaults: {private_key_file: ~/ops.pem}\n", group=", privateKeyFile: ~/ops.pem")
    code, out, err = run(manager, "plan", "-f", "my.yaml", text=text)
    assert code == 0 and "keyed-ssh-key" in out and "ops.pem" not in out + err, out + err
    code, out, err = run(manager, "apply", "--yes", "--detach", "-f", "my.yaml")
    assert code == 0 and "ops.pem" not in out + err, out + err
    assert [one["metadata"]["name"] for one in manager.get("/v1/secrets").json["items"]] == ["keyed-ssh-key"]
    said = "".join(manager.get(path).text for path in ("/v1/clusters/keyed", "/v1/nodegroups", "/v1/events?limit=500", "/v1/secrets", "/v1/plans"))
    said += run(manager, "export", "cluster/keyed")[1] + run(manager, "get", "cluster", "keyed", "-o", "yaml")[1]
    assert "ops.pem" not in said and "rivateKeyFile" not in said and "b3BlbnNz" not in said, said
    code, out, err = run(manager, "plan", "--exit-code", "-f", "my.yaml")
    assert code == 0, out + err  # applied again, it is the same
    (manager.folder / "ops.pem").unlink()
    code, out, err = run(manager, "apply", "--yes", "--detach", "-f", "my.yaml")
    assert code != 0 and "ops.pem" in err and "No such file" in err, err


def test_who_sends_the_path_is_refused(manager):
    document = {"version": "1", "name": "sent", "groups": {"web": {"size": 0, "resourcePlugin": {"name": "file"}, "privateKeyFile": "/root/key"}}}
    answer = manager.ask("POST", "/v1/apply", {"documents": [document]})
    assert answer.status == 422 and "is read by the command line" in answer.text and "/groups/web/privateKeyFile" in answer.text, answer.text
    document["groups"]["web"]["privateKeyFile"] = None
    document["groups"]["web"]["resourceProperties"] = {}
    assert manager.ask("POST", "/v1/apply", {"documents": [document]}).status == 200, json.dumps(document)
