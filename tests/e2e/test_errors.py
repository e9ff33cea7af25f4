"""Errors as people read them: place, snippet, caret, hint; the whole text counts."""
import json
import re
import subprocess

BAD = """version: "1"
name: shop
groups:
  web:
    szie: 3
    resourcePlugin: {name: local}
    heal: repalce
"""


def test_whole_text(reeve, folder):
    (folder / "shop.yaml").write_text(BAD.replace("szie: 3", "size: 3\n    szie: 3"))
    run = reeve("validate", "-f", "shop.yaml")
    assert run.returncode == 3
    assert run.stderr == """\
shop.yaml:6:5: error[R0301]: unknown field 'szie' in a group
    6 |     szie: 3
      |     ^^^^
   hint: did you mean 'size'? all fields: reeve explain cluster.groups

shop.yaml:8:11: error[R0307]: 'heal' must be replace, reboot or off, got 'repalce'
    8 |     heal: repalce
      |           ^^^^^^^
   hint: did you mean 'replace'?
"""


def test_gcc_is_one_line_each(reeve, folder):
    (folder / "shop.yaml").write_text(BAD)
    run = reeve("validate", "-o", "gcc", "-f", "shop.yaml")
    assert run.returncode == 3
    lines = run.stderr.splitlines()
    assert len(lines) >= 2
    assert all(re.fullmatch(r"shop\.yaml:\d+:\d+: error: .* \[R\d{4}\]", line) for line in lines)


def test_places_in_json_are_those_of_the_text(reeve, folder):
    (folder / "shop.yaml").write_text(BAD)
    text = reeve("validate", "-f", "shop.yaml").stderr
    problem = json.loads(reeve("validate", "-o", "json", "-f", "shop.yaml").stderr)
    places = re.findall(r"^(\S+):(\d+):(\d+): (\w+)\[(R\d+)\]: (.*)$", text, re.MULTILINE)
    assert places == [(e["file"], str(e["line"]), str(e["column"]), e["severity"], e["code"], e["detail"])
                      for e in problem["errors"]]
    assert problem["total"] == len(places)
    lines = BAD.splitlines()
    for error in problem["errors"]:
        if error["code"] == "R0301":
            span = lines[error["line"] - 1][error["column"] - 1:][:error["length"]]
            assert span == "szie"
            assert error["pointer"] == "/groups/web/szie"


def test_every_caret_stands_under_its_column(reeve):
    text = reeve("validate", "-f", "examples/seed-broken.yaml").stderr
    blocks = re.findall(r":(\d+):(\d+): error.*\n(?:.*\n)*?( +(\d+) \| .*)\n( +\| *)(\^+)\n", text)
    assert len(blocks) >= 6
    for line, column, _, shown, padding, _ in blocks:
        assert line == shown
        assert len(padding) == 8 + int(column) - 1


def test_second_document_and_second_file(reeve, folder):
    (folder / "a.yaml").write_text('version: "1"\nname: a\nempty: true\n---\nversion: "1"\nnaem: b\nempty: true\n')
    (folder / "b.yaml").write_text('version: "1"\nname: a\nempty: true\n')
    run = reeve("validate", "-f", "a.yaml", "-f", "b.yaml")
    assert "a.yaml:6:1: error[R0301]" in run.stderr
    assert re.search(r"b\.yaml:\d+:\d+: error\[R0332\]", run.stderr)
    assert "a.yaml:2:7" in run.stderr  # where the first one is


def test_template_fault_points_at_from_and_at_the_origin(reeve, folder):
    (folder / "t.yaml").write_text("kind: NodeGroupTemplate\nname: t\nresourcePlugin: {name: local}\n"
                                   "image: x\nfixed: [image]\n")
    (folder / "c.yaml").write_text('version: "1"\nname: c\ngroups:\n  web:\n    size: 1\n'
                                   "    from: {nodegrouptemplate: t}\n    image: y\n")
    run = reeve("validate", "-f", "c.yaml", "-f", "t.yaml")
    assert run.returncode == 3
    assert "c.yaml:7:" in run.stderr and "R0335" in run.stderr
    assert "note: " in run.stderr


def test_twenty_are_shown(reeve, folder):
    groups = "".join(f"  g{i}: {{size: -1, resourcePlugin: {{name: local}}}}\n" for i in range(60))
    (folder / "a.yaml").write_text(f'version: "1"\nname: a\ngroups:\n{groups}')
    run = reeve("validate", "-f", "a.yaml")
    assert len(re.findall(r"^a\.yaml:.*error\[", run.stderr, re.MULTILINE)) == 20
    assert re.search(r"^\.\.\. and \d+ more errors; reeve validate -o json shows the first 50$",
                     run.stderr, re.MULTILINE)
    assert len(json.loads(reeve("validate", "-f", "a.yaml", "-o", "json").stderr)["errors"]) == 50


def test_unreadable_file_does_not_hide_other_mistakes(reeve, folder):
    (folder / "bad.yaml").write_text(BAD)
    (folder / "broken.yaml").write_text("a: [1\n")
    run = reeve("validate", "-f", "nope.yaml", "-f", "bad.yaml", "-f", "broken.yaml")
    assert run.returncode == 1
    for code in ("R0011", "R0301"):
        assert code in run.stderr
    assert "broken.yaml:" in run.stderr


def test_error_of_an_expression_has_its_caret(reeve, folder):
    run = reeve("plan", "--offline", "-f", "examples/minimal.yaml", "-o", "path=$.groups[?@.size => 3]")
    assert run.stderr == """\
<-o>:1:23: error[R0008]: unknown operator '='
    1 | path=$.groups[?@.size => 3]
      |                       ^
   hint: equality is ==
"""


def test_hostile_document_cannot_steer_the_terminal(reeve, folder):
    (folder / "a.yaml").write_text('version: "1"\nname: "\\e[31mred\\a"\n"\\e]0;x\\a": 1\nempty: true\n')
    run = reeve("validate", "-f", "a.yaml")
    assert run.returncode == 3
    assert "\x1b" not in run.stderr and "\x07" not in run.stderr


def test_file_name_cannot_steer_the_terminal(reeve, folder):
    (folder / "a\x1b[31m.yaml").write_text("a: [1\n")
    assert "\x1b" not in reeve("validate", "-f", "a\x1b[31m.yaml").stderr


def test_every_code_can_be_explained(reeve):
    source = subprocess.run(["grep", "-rhoE", r"^CODE\(R[0-9]{4}",
                             str(__import__("conftest").ROOT / "src/base/codes.def")],
                            text=True, capture_output=True, check=True).stdout
    codes = re.findall(r"R\d{4}", source)
    assert len(codes) > 40
    for code in codes:
        run = reeve("explain", code)
        assert run.returncode == 0
        assert run.stdout.startswith(code + ": ")
        assert "\ncause\n" in run.stdout and "\nfix\n" in run.stdout
