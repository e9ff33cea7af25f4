"""One table of exit codes for all verbs (reeve help exit-codes)."""
import json

import pytest

GOOD = 'version: "1"\nname: a\ngroups: {web: {size: 2, resourcePlugin: {name: local}}}\n'
GROWN = GOOD.replace("size: 2", "size: 3")

CASES = [
    (0, ["validate", "-f", "good.yaml"]),
    (0, ["plan", "--offline", "-f", "good.yaml"]),
    (0, ["plan", "--offline", "-f", "grown.yaml", "--against", "good.yaml"]),
    (0, ["plan", "--offline", "-f", "good.yaml", "--against", "good.yaml", "--exit-code"]),
    (0, ["plan", "--offline", "-f", "good.yaml", "-o", "path=$.nothing"]),
    (0, ["version"]), (0, ["--version"]), (0, ["help"]), (0, ["--help"]), (0, ["--help-all"]), (0, []),
    (0, ["validate", "--help"]), (0, ["validate", "--help", "--bogus"]), (0, ["explain", "cl"]),
    (1, ["validate", "-f", "nope.yaml"]),
    (1, ["validate", "-f", "nope.yaml", "-f", "bad.yaml"]),
    (1, ["init", "good.yaml"]),
    (1, ["init", "no/such/folder.yaml"]),
    (2, ["validate"]), (2, ["validate", "good.yaml"]), (2, ["validate", "-f", "good.yaml", "--bogus"]),
    (2, ["validate", "-f", "good.yaml", "-f", "good.yaml"]),
    (2, ["bogus"]), (2, ["apply"]), (2, ["resize"]), (2, ["ssh"]),
    (2, ["plan"]), (2, ["plan", "--offline"]), (2, ["get", "webhooks"]), (2, ["get"]),
    (2, ["plan", "--offline", "--save", "-f", "good.yaml"]), (2, ["set", "cluster/a"]),
    (2, ["scale", "a", "3"]), (2, ["wait", "cluster/a", "--for", "verified"]), (2, ["create", "--template", "ct", "x"]),
    (2, ["apply", "-f", "good.yaml", "plan/x"]), (2, ["delete"]), (2, ["set", "cluster/a"]),
    (7, ["status"]), (7, ["plan", "-f", "good.yaml"]), (7, ["apply", "-f", "good.yaml", "--yes"]),
    (7, ["get", "clusters"]), (7, ["scale", "a/b", "3"]), (7, ["get", "cluster", "a", "-o", "yaml", "--bare"]),
    (4, ["--context", "nowhere", "status"]), (3, ["apply", "-f", "bad.yaml"]),
    (2, ["plan", "--offline", "-f", "good.yaml", "--full", "--summary"]),
    (2, ["plan", "--offline", "-f", "good.yaml", "--exit-code"]),
    (2, ["plan", "--offline", "-f", "good.yaml", "-o", "path=$..x"]),
    (2, ["plan", "--offline", "-f", "good.yaml", "--cols", "BOGUS"]),
    (2, ["plan", "--offline", "-f", "good.yaml", "-o", "path=$[?@.a == ]"]),
    (2, ["explain", "bogus"]), (2, ["explain", "cluster.bogus"]), (2, ["explain", "R9999"]),
    (2, ["explain", "node", "--json-schema"]), (2, ["help", "bogus"]),
    (2, ["completion", "bogus"]), (2, ["init", "--example", "bogus"]),
    (3, ["validate", "-f", "bad.yaml"]), (3, ["validate", "-f", "broken.yaml"]),
    (3, ["validate", "-f", "empty.yaml"]), (3, ["plan", "--offline", "-f", "bad.yaml"]),
    (3, ["plan", "--offline", "-f", "good.yaml", "--against", "bad.yaml"]),
    (3, ["validate", "-f", "bad.yaml", "-f", "lost.yaml"]),
    (4, ["validate", "-f", "lost.yaml"]),
    (10, ["plan", "--offline", "-f", "grown.yaml", "--against", "good.yaml", "--exit-code"]),
]


@pytest.fixture
def files(folder):
    (folder / "good.yaml").write_text(GOOD)
    (folder / "grown.yaml").write_text(GROWN)
    (folder / "bad.yaml").write_text(GOOD.replace("size: 2", "szie: 2").replace("name: a", "name: bad"))
    (folder / "broken.yaml").write_text("a: [1\n")
    (folder / "empty.yaml").write_text("# nothing\n")
    (folder / "lost.yaml").write_text('version: "1"\nname: lost\nfrom: {template: nowhere}\n')


@pytest.mark.parametrize("code,arguments", CASES, ids=[" ".join(a) or "alone" for _, a in CASES])
def test_exit_code(reeve, files, code, arguments):
    run = reeve(*arguments)
    assert run.returncode == code, run.stderr
    assert bool("error[R" in run.stderr) == (code not in (0, 10))
    if code not in (0, 10):
        assert run.stdout == ""
        assert "failed to" not in run.stderr


@pytest.mark.parametrize("code,arguments", [case for case in CASES if case[0] in (1, 2, 3, 4)
                                            and case[1][:1] in (["validate"], ["plan"])],
                         ids=lambda value: None)
def test_json_error_has_the_same_code_in_it(reeve, files, code, arguments):
    if "-o" in arguments:
        return
    run = reeve(*arguments, "-o", "json")
    assert run.returncode == code
    problem = json.loads(run.stderr)
    assert problem["exit"] == code
    assert problem["type"] == "/errors/" + problem["code"]
    assert all({"code", "detail", "severity", "pointer"} <= set(item) for item in problem["errors"])


def test_table_is_printed(reeve):
    text = reeve("help", "exit-codes").stdout
    codes = [int(line.split()[0]) for line in text.splitlines() if line[:5].strip().isdigit()]
    assert codes == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 70, 130]
