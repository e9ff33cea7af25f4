"""Mistakes of people and of attackers: each is told once, at its place, within bounds."""
import json
import os
import re
import subprocess

import pytest

from conftest import ENVIRONMENT, REEVE, ROOT

FIXTURES = ROOT / "tests/e2e/fixtures"
REFERENCE = FIXTURES / "reference"

# What a hostile file may make of us. Under AddressSanitizer memory is another matter; there only the
# answer is compared. The seconds are a guard against hanging, no figure.
MEMORY_KIB = 1536 * 1024
GUARD_SECONDS = 120


def problem(run):
    """The errors of a run as -o json gives them."""
    assert run.stderr.startswith("{"), run.stderr
    return json.loads(run.stderr)


# ---- twelve mistakes in one file ----

TWELVE = [
    (14, 5, "R0301", "unknown field"),
    (16, 11, "R0302", "wrong type"),
    (18, 11, "R0305", "bound"),
    (22, 5, "R0102", "duplicate key"),
    (25, 31, "R0333", "unknown template"),
    (27, 11, "R0330", "a required field that the template lacks"),
    (31, 5, "R0335", "a fixed field overridden"),
    (34, 5, "R0308", "machines and sub-groups in one group"),
    (37, 14, "R0313", "bad label"),
    (40, 22, "R0319", "bad unit"),
    (43, 23, "R0310", "bad reference"),
    (47, 5, "R0306", "the same thing set twice"),
]


def test_twelve_mistakes_in_one_run(reeve, folder):
    (folder / "twelve.yaml").write_bytes((FIXTURES / "twelve.yaml").read_bytes())
    run = reeve("validate", "-f", "twelve.yaml")
    assert run.returncode == 3
    blocks = re.findall(r"^twelve\.yaml:(\d+):(\d+): error\[(R\d+)\]: .*\n"
                        r"((?:.*\n)*? +\| *\^+\n)", run.stderr, re.MULTILINE)
    assert [(int(line), int(column), code) for line, column, code, _ in blocks] == \
        [mistake[:3] for mistake in TWELVE]
    for _, column, _, snippet in blocks:
        assert snippet.splitlines()[-1].index("^") == 8 + int(column) - 1
    assert run.stderr.count("error[") == len(TWELVE)


def test_twelve_mistakes_in_every_form(reeve, folder):
    (folder / "twelve.yaml").write_bytes((FIXTURES / "twelve.yaml").read_bytes())
    for verb in (["validate"], ["plan", "--offline"]):
        run = reeve(*verb, "-f", "twelve.yaml", "-o", "json")
        assert run.returncode == problem(run)["exit"] == 3
        assert [(error["line"], error["column"], error["code"]) for error in problem(run)["errors"]] \
            == [mistake[:3] for mistake in TWELVE]
        assert run.stdout == ""


def test_a_reference_alone_is_not_found_and_beside_other_faults_invalid(reeve, folder):
    """4 is what a manager could still resolve; a file that is wrong as well stays wrong: 3."""
    text = (FIXTURES / "twelve.yaml").read_text()
    (folder / "a.yaml").write_text('version: "1"\nname: a\ngroups: {w: {from: {nodegrouptemplate: t}}}\n')
    (folder / "b.yaml").write_text(text)
    assert reeve("validate", "-f", "a.yaml").returncode == 4
    assert reeve("validate", "-f", "a.yaml", "-f", "b.yaml").returncode == 3


# ---- broken syntax: one error, its line, what was expected ----

BROKEN = [
    ("bracket", "groups: [web, db\nname: a\n", 3, "',' or ']'"),
    ("brace", "groups: {web: {size: 1}\nname: a\n", 2, "',' or '}'"),
    ("bracket_at_the_end", "zones: [a, b\n", 2, "',' or ']'"),
    ("bracket_too_many", "zones: [a, b]]\n", 1, "a value"),
    ("brace_too_many", "labels: {a: b}}\n", 1, "the end of the value"),
    ("comma_too_many", "zones: [a,, b]\n", 1, "a value"),
    ("wrong_bracket", "zones: [a, b}\n", 1, "',' or ']'"),
    ("double_quote", 'name: "shop\nversion: 1\n', 1, "'\"' that closes the text"),
    ("single_quote", "name: 'shop\nversion: 1\n", 1, "a single quote that closes the text"),
    ("quote_within_quotes", "name: 'it's'\n", 1, "the end of the value"),
    ("indented_deeper", "groups:\n  web:\n    size: 1\n     image: x\n", 4, "nothing but text in the value of line 3"),
    ("indented_less", "groups:\n  web:\n    size: 1\n   image: x\n", 4, "the indentation"),
    ("tab", "groups:\n\tweb: {}\n", 2, "spaces in front of the line"),
    ("no_colon", 'version: "1"\nname shop\nempty: true\n', 2, "':' and a value"),
    ("no_blank", 'version: "1"\nname:shop\nempty: true\n', 2, "':' and a value"),
    ("colon_in_value", "name: a: b\n", 1, "the end of the value"),
    ("list_in_map", "zones:\n  - a\n  b: c\n", 3, "'-' before the next item"),
    ("at_sign", "name: @shop\n", 1, "a value"),
    ("escape", 'name: "\\q"\n', 1, "an escape"),
    ("unknown_alias", "name: *shop\n", 1, "'&shop' above the alias"),
    ("template_language", "name: {{ shop }}\n", 1, "a word as key"),
    ("directive", "%YAML 1.1\n---\nname: a\n", 1, "'%YAML 1.2'"),
    ("block_header", "name: |x\n  a\n", 1, "the end of the line"),
]


@pytest.mark.parametrize("text,line,expected", [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_broken_yaml_is_one_error(reeve, folder, text, line, expected):
    (folder / "a.yaml").write_text(text)
    run = reeve("validate", "-f", "a.yaml", "-o", "json")
    assert run.returncode == 3
    errors = problem(run)["errors"]
    assert [error["line"] for error in errors] == [line], run.stderr
    assert errors[0]["code"] < "R0200"
    assert errors[0]["detail"].startswith(f"expected {expected}"), errors[0]["detail"]
    assert ", found " in errors[0]["detail"] or " after " in errors[0]["detail"]


BROKEN_JSON = [
    ("comma_at_the_end", '{"name": "a",\n}', 2, "a key in double quotes"),
    ("no_comma", '{"name": "a"\n"version": "1"}', 2, "',' or '}'"),
    ("no_colon", '{"name" "a"}', 1, "':'"),
    ("single_quotes", "{'name': 'a'}", 1, "a key or '}'"),
    ("comment", '{"name": "a", // it\n}', 1, "a key in double quotes"),
    ("not_closed", '{"name": "a"', 1, "',' or '}'"),
    ("quote", '{"name": "a}', 1, "'\"' that closes the string"),
    ("word", '{"empty": True}', 1, "a value"),
    ("number", '{"size": 01}', 1, "a number without leading zeros"),
    ("behind", '{"name": "a"} x', 1, "the end"),
]


@pytest.mark.parametrize("text,line,expected", [row[1:] for row in BROKEN_JSON],
                         ids=[row[0] for row in BROKEN_JSON])
def test_broken_json_is_one_error(reeve, folder, text, line, expected):
    (folder / "a.json").write_text(text)
    run = reeve("validate", "-f", "a.json", "-o", "json")
    assert run.returncode == 3
    errors = problem(run)["errors"]
    assert [error["line"] for error in errors] == [line], run.stderr
    assert errors[0]["detail"].startswith(f"expected {expected}"), errors[0]["detail"]


# ---- hostile input ----

HEAD = 'version: "1"\nname: a\n'
PLUGIN = "resourcePlugin: {name: local}"
MIB = 1024 * 1024


def alias_bomb():
    layers = ["a: &a [x,x,x,x,x,x,x,x,x,x]"]
    for i in range(1, 10):
        name, inner = chr(97 + i), "*" + chr(96 + i)
        layers.append(f"{name}: &{name} [{','.join([inner] * 10)}]")
    return "\n".join(layers)


def group_nesting(depth):
    return HEAD + "groups: " + "".join(f"{{g{i}: " for i in range(depth)) + "{size: 1}" + "}" * depth


# name, text, exit code, code, (line, column) or None where the file as a whole is meant
HOSTILE = [
    ("alias_bomb.yaml", alias_bomb, 1, "R0108", (7, 8)),
    ("aliases_1001.yaml", lambda: "a: &a x\nb: [" + "*a," * 1001 + "]", 1, "R0109", (2, 5 + 3 * 1000)),
    ("brackets.yaml", lambda: "[" * 100000, 1, "R0107", (1, 10001)),
    ("brackets.json", lambda: "[" * 100000, 1, "R0107", (1, 65)),
    ("braces.yaml", lambda: "{a: " * 100000, 1, "R0107", (1, 1 + 4 * 10000)),
    ("levels.yaml", lambda: "{a: " * 1000, 1, "R0107", (1, 1 + 4 * 64)),
    ("braces.json", lambda: '{"a":' * 100000, 1, "R0107", (1, 1 + 5 * 64)),
    ("dashes.yaml", lambda: "- " * 100000, 1, "R0107", (1, 1 + 2 * 64)),
    ("indentation.yaml", lambda: "".join(" " * i + "a:\n" for i in range(300)), 1, "R0107", (65, 65)),
    ("blanks.yaml", lambda: "".join(" " * i + "a:\n" for i in range(3000)), 1, "R0118", None),
    ("large.yaml", lambda: "# " + "x" * (20 * MIB), 1, "R0013", None),
    ("large.json", lambda: " " * (20 * MIB), 1, "R0013", None),
    ("keys.yaml", lambda: "a:\n" * 3000000, 1, "R0108", (2000000, 1)),
    ("keys_of_a_flow.yaml", lambda: "{" + "a,\n" * 3000000 + "}", 1, "R0108", None),
    ("keys_of_a_line.yaml", lambda: "x: {" + "a," * 3000000 + "}\n", 1, "R0118", None),
    ("keys.json", lambda: "{" + '"":0,' * 2999999 + '"":0}', 1, "R0108", (1, 10000000)),
    ("items.yaml", lambda: "[" + "1," * 3000000 + "1]", 1, "R0108", (1, 4000000)),
    ("items.json", lambda: "[" + "1," * 3000000 + "1]", 1, "R0108", (1, 4000000)),
    ("latin1.yaml", lambda: b"name: caf\xe9\n", 3, "R0103", (1, 10)),
    ("latin1.json", lambda: b'{"name": "caf\xe9"}', 3, "R0103", (1, 14)),
    ("overlong.yaml", lambda: b"name: \xc0\x80\n", 3, "R0103", (1, 7)),
    ("surrogate.yaml", lambda: b"name: \xed\xa0\x80\n", 3, "R0103", (1, 7)),
    ("nul.yaml", lambda: b"name: a\0b\n", 3, "R0104", (1, 8)),
    ("nul.json", lambda: b'{"name": "a\0b"}', 3, "R0104", (1, 12)),
    ("nul_escape.yaml", lambda: 'name: "a\\0b"\n', 3, "R0104", (1, 7)),
    ("nul_escape.json", lambda: '{"name": "a\\u0000b"}', 3, "R0104", (1, 12)),
    ("integer.yaml", lambda: HEAD + f"groups: {{w: {{{PLUGIN}, size: 18446744073709551616}}}}", 3, "R0105",
     (3, 51)),
    ("integer.json", lambda: '{"version": "1", "name": "a", "empty": true, "driver": -9223372036854775809}', 3,
     "R0105", (1, 56)),
    ("integer_of_the_plugin.yaml",
     lambda: HEAD + f"groups: {{w: {{size: 1, {PLUGIN}, resourceProperties: {{a: 99999999999999999999}}}}}}", 3,
     "R0105", (3, 78)),
    ("nesting.yaml", lambda: group_nesting(9), 1, "R0320", (3, 50)),
    ("groups.yaml", lambda: HEAD + "groups:\n" + "".join(f"  g{i}: {{size: 1, {PLUGIN}}}\n"
                                                        for i in range(10001)), 1, "R0320", (10004 - 1, 3)),
    ("labels.yaml", lambda: HEAD + "empty: true\nlabels: {" + ",\n".join(f"k{i}: v" for i in range(500000))
     + "}\n", 1, "R0320", (4, 9)),
    ("label.yaml", lambda: HEAD + "empty: true\nlabels: {a: " + "x" * MIB + "}\n", 3, "R0313", (4, 13)),
    ("line.yaml", lambda: HEAD + f'groups: {{w: {{size: 1, {PLUGIN}, image: "' + "x" * (15 * MIB) + '"}}\n', 1,
     "R0320", (3, 10)),
    ("line.json", lambda: '{"version": "1", "name": "' + "x" * (15 * MIB) + '", "empty": true}', 3, "R0310",
     (1, 26)),
    ("name.yaml", lambda: 'version: "1"\nname: ' + "x" * MIB + "\nempty: true\n", 3, "R0310", (2, 7)),
    ("quote.yaml", lambda: '"' + "\n" * (10 * MIB), 3, "R0123", (1, 1)),
    ("documents.yaml", lambda: "---\n" * 4000000, 1, "R0013", (10001, 4)),
    ("nodes.yaml", lambda: HEAD + "groups:\n" + "".join(f"  g{i}: {{size: 100000, {PLUGIN}}}\n"
                                                       for i in range(101)), 1, "R0320", (2, 7)),
]

IS_SANITIZED = b"__asan_init" in REEVE.read_bytes()


@pytest.mark.parametrize("name,text,exit_code,code,place", HOSTILE, ids=[row[0] for row in HOSTILE])
def test_hostile_input_is_one_clear_error(folder, name, text, exit_code, code, place):
    content = text()
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    del content
    command = f"exec {REEVE} validate -o json -f {name}"
    if not IS_SANITIZED:  # past this malloc gives NULL, and that is no clear error
        command = f"ulimit -v {MEMORY_KIB}; {command}"
    run = subprocess.run(["bash", "-c", command], cwd=folder, env=ENVIRONMENT, text=True,
                         capture_output=True, check=False, timeout=GUARD_SECONDS)
    assert run.returncode == exit_code, run.stderr[-2000:]
    answer = problem(run)
    assert answer["exit"] == exit_code and answer["total"] == 1
    error = answer["errors"][0]
    assert error["code"] == code
    if name.startswith("large"):
        assert "file" not in error or error["file"] is None
    else:
        assert error["file"] == name
    if place is not None:
        assert (error["line"], error["column"]) == place
    os.unlink(folder / name)


def test_a_million_mistakes_are_counted_and_fifty_kept(folder):
    (folder / "a.yaml").write_text(HEAD + "groups: {w: {"
                                   + ",\n".join(f"x{i}: 1" for i in range(500000)) + "}}\n")
    run = subprocess.run([str(REEVE), "validate", "-o", "json", "-f", "a.yaml"], cwd=folder, env=ENVIRONMENT,
                         text=True, capture_output=True, check=False, timeout=GUARD_SECONDS)
    assert run.returncode == 3
    assert len(problem(run)["errors"]) == 50 and problem(run)["total"] >= 500000


# ---- the examples of the reference ----

READY = ["web-db", "several-clouds", "gpu-templates", "migrated", "seed"]


@pytest.mark.parametrize("name", READY)
def test_example_of_the_reference_is_right(reeve, name):
    path = str(REFERENCE / f"{name}.yaml")
    assert reeve("validate", "--strict", "-f", path).returncode == 0
    for arguments in ([], ["--full"], ["-o", "json"]):
        run = reeve("plan", "--offline", *arguments, "-f", path)
        assert run.returncode == 0 and run.stderr == ""


def test_every_example_of_the_reference_is_tested():
    assert sorted(path.stem for path in REFERENCE.glob("*.yaml")) == sorted(
        [*READY, "bare-metal", "seed-list", "seed-nested"])


def test_words_of_later_versions_are_named_not_ignored(reeve):
    run = reeve("validate", "-f", str(REFERENCE / "bare-metal.yaml"), "-o", "json")
    assert run.returncode == 3
    errors = problem(run)["errors"]
    assert {error["code"] for error in errors} == {"R0304"}
    assert [re.match(r"'(\w+)' needs ", error["detail"])[1] for error in errors] == [
        "raid", "addresses"]


def without_places(value):
    """A plan without where each value stands."""
    if isinstance(value, dict):
        return {key: without_places(item) for key, item in value.items()
                if key not in ("file", "line", "column")}
    return [without_places(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("other", ["seed-list", "seed-nested"])
@pytest.mark.parametrize("flags", [[], ["--full"]], ids=["short", "full"])
def test_seed_as_mapping_list_and_nested_is_one_plan(reeve, other, flags):
    plans = [json.loads(reeve("plan", "--offline", *flags, "-o", "json", "-f",
                              str(REFERENCE / f"{name}.yaml")).stdout) for name in ("seed", other)]
    assert without_places(plans[0]) == without_places(plans[1])
    assert [group["path"] for group in plans[0][0]["groups"]] == [
        "customDatacenter", "group1", "group2/sub-group1", "group2/sub-group2"]
    run = reeve("plan", "--offline", "--exit-code", "-f", str(REFERENCE / "seed.yaml"), "--against",
                str(REFERENCE / f"{other}.yaml"))
    assert run.returncode == 0


# ---- bundles beside a file ----

def test_a_bundle_is_read_with_the_file_that_names_it(reeve, folder):
    file = HEAD + "groups: {web: {size: 1, resourcePlugin: {name: sim}, bootstrap: [{tar: good}, {tar: bad}]}}\n"
    (folder / "a.yaml").write_text(file)
    for name in ("good", "bad"):
        (folder / name).mkdir()
        (folder / name / "bootstrap.sh").write_text("echo hello\n")
    run = reeve("validate", "--strict", "-f", str(folder / "a.yaml"))
    assert run.returncode == 0 and "missing" not in run.stdout, run

    (folder / "bad/bootstrap.sh").write_bytes(b"echo hello\r\n")
    run = reeve("validate", "-o", "json", "-f", str(folder / "a.yaml"))
    assert run.returncode == 3
    (error,) = problem(run)["errors"]
    assert error["code"] == "R0722" and "CR LF" in error["detail"], error
    line = file.splitlines()[error["line"] - 1]
    assert line[error["column"] - 1:].startswith("bad}"), error

    (folder / "bad/bootstrap.sh").unlink()
    (folder / "bad").rmdir()  # what is made by another step, later, is no mistake yet
    run = reeve("validate", "--strict", "-f", str(folder / "a.yaml"))
    assert run.returncode == 0 and run.stdout.strip().endswith("; 1 bundle is missing"), run
    assert json.loads(reeve("validate", "-o", "json", "-f", str(folder / "a.yaml")).stdout)["missingBundles"] == 1
