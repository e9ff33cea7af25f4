"""Help, completion and reference are one table (UX U28); what help prints is true."""
import json
import re

import pytest

from conftest import ROOT


def test_help_of_a_verb_has_everything_of_its_row(reeve):
    table = json.loads(reeve("help", "-o", "json").stdout)
    for verb in table["verbs"]:
        text = reeve(verb["name"], "--help").stdout
        assert text == reeve("help", verb["name"]).stdout
        assert verb["synopsis"] in text and verb["summary"] in text
        for flag in verb["flags"] + table["flags"]:
            assert "--" + flag["name"] in text
        for example in verb["examples"]:
            assert example["command"] in text
        for code in verb["exits"]:
            assert re.search(rf"^  {code} ", text, re.MULTILINE)


def test_synopsis_names_only_flags_that_exist(reeve):
    table = json.loads(reeve("help", "-o", "json").stdout)
    for verb in table["verbs"]:
        flags = {flag["name"] for flag in verb["flags"] + table["flags"]}
        letters = {flag["letter"] for flag in verb["flags"] + table["flags"]}
        for name in re.findall(r"--([a-z-]+)", verb["synopsis"]):
            assert name in flags
        for letter in re.findall(r"(?<![a-z-])-([a-zA-Z])\b", verb["synopsis"]):
            assert letter in letters


def test_topics_name_only_commands_that_work(reeve, managed, folder):
    table = json.loads(reeve("help", "-o", "json").stdout)
    reeve("init")
    (folder / "before.yaml").write_text((folder / "cluster.yaml").read_text())
    for topic in table["topics"]:
        text = reeve("help", topic).stdout
        assert text
        assert all(len(line) <= 100 for line in text.splitlines())
    for line in reeve("help", "quickstart").stdout.splitlines():
        command = re.match(r"  (reeve [^ ].*?)(?:   .*)?$", line)
        if command and command.group(1) != "reeve init":
            run = managed(*command.group(1).split()[1:])
            assert run.returncode == 0, line + run.stderr


def test_short_help_lists_what_the_quickstart_uses(reeve):
    table = json.loads(reeve("help", "-o", "json").stdout)
    texts = [reeve("help", "quickstart").stdout] + [(ROOT / name).read_text() for name in ("quickstart.sh", "tools/demo")]
    # the lines that a user is shown; the scripts' own calls (login, wait) are not among them
    used = set(re.findall(r"^(?:  (?:\w+ +build/)?|show \d build/| +echo \"why: build/)reeve ([a-z]+)", "\n".join(texts), re.MULTILINE))
    short = set(re.findall(r"^  ([a-z]+) ", reeve("--help").stdout.split("flags of every verb")[0], re.MULTILINE))
    assert short == set(table["short"]) == used - {"help"}


def test_verbs_that_are_not_built_are_nowhere(reeve):
    """What the specification plans is in docs/spec; help, completion and the reference name what works."""
    verbs = {verb["name"] for verb in json.loads(reeve("help", "-o", "json").stdout)["verbs"]}
    listed = re.findall(r"^  ([a-z]+) ", reeve("--help-all").stdout.split("flags of every verb")[0], re.MULTILINE)
    assert set(listed) == verbs - {"api"}
    for verb in ("render",):
        run = reeve(verb, "shop/web")
        assert run.returncode == 2 and f"error[R0001]: reeve has no verb '{verb}'" in run.stderr, run.stderr


@pytest.mark.parametrize("old, new", [
    ("approve hold/shop:quarantine -m x", "reeve hold approve hold/shop:quarantine -m x"),
    ("-q reject shop:quarantine", "reeve hold reject -q shop:quarantine"),
    ("login https://m:1 --context prod", "reeve context login https://m:1 --context prod"), ("logout", "reeve context logout"),
    ("history cluster shop -o name", "reeve describe cluster shop -o name --history"), ("facts shop/web-0", "reeve describe shop/web-0 --facts"),
    ("label cluster/shop tier=gold role- -m a=b --yes", "reeve set cluster/shop labels.tier=gold labels.role=null -m a=b --yes"),
    ("template create std --from cluster/shop --yes", "reeve create --template std --from cluster/shop --yes"),
    ("export cluster shop", "reeve get cluster shop -o yaml --bare"), ("inventory ssh -c shop", "reeve get nodes -c shop -o ssh"),
    ("export shop -o yaml", "reeve get shop -o yaml --bare"), ("export shop --output=yaml", "reeve get shop --output=yaml --bare"),
    ("inventory names -c shop", "reeve get nodes -c shop -o name"), ("inventory --host web-3", "reeve get nodes --host web-3 -o ansible"),
    ("rollout undo shop/web --allow replace=3", "reeve undo shop/web --allow replace=3"),
])
def test_a_former_spelling_names_todays(reeve, old, new):
    """Nothing is run under an old name; the hint is today's command with the same arguments."""
    run = reeve(*old.split())
    assert run.returncode == 2 and "error[R0009]" in run.stderr and f"hint: use: {new}\n" in run.stderr, run.stderr


def test_every_former_spelling_has_a_command_that_exists(reeve):
    table = json.loads(reeve("help", "-o", "json").stdout)
    names = {verb["name"] for verb in table["verbs"]}
    for row in table["moved"]:
        assert row["new"].split()[0] in names and row["old"].split()[0] not in names - {"rollout"}
        assert "use: reeve " + row["new"].split()[0] in reeve(*row["old"].split()).stderr


def test_explain_lists_fields_of_every_kind(reeve):
    for kind in json.loads(reeve("explain", "-o", "json").stdout):
        run = reeve("explain", kind["name"])
        assert run.returncode == 0
        assert kind["help"] in run.stdout
        if not kind["inFiles"]:
            continue
        for field in json.loads(reeve("explain", kind["name"], "-o", "json").stdout):
            assert re.search(rf"^  {field['field']} ", run.stdout, re.MULTILINE)
            assert reeve("explain", field["path"]).returncode == 0


def test_json_schema_is_json(reeve):
    assert "$defs" in json.loads(reeve("explain", "--json-schema").stdout)
    assert json.loads(reeve("explain", "cluster", "--json-schema").stdout)


def test_quickstart_word_by_word(folder, reeve, at):
    """Every command of the topic is typed in its order; the editor changes the file."""
    import os
    import subprocess
    from conftest import ENVIRONMENT, REEVE
    (folder / "bin").mkdir()
    (folder / "bin/reeve").symlink_to(REEVE)
    environment = {**ENVIRONMENT, **at, "PATH": f"{folder}/bin:{os.environ['PATH']}",
                   "EDITOR": "sed -i s/size:.2/size:\\x205/"}
    lines = [line.strip().split("   ")[0] for line in reeve("help", "quickstart").stdout.splitlines()
             if line.startswith("  ")]
    assert len(lines) >= 9
    for line in lines:
        run = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, text=True,
                             stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert run.returncode == 0, f"{line}\n{run.stderr}"
        if "--against" in line:
            assert "size 2 -> 5" in run.stdout


def test_environment_topic_names_variables_that_the_program_reads():
    sources = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.c"))
    topic = (ROOT / "src/cli/args/topics/env.txt").read_text()
    names = re.findall(r"\b[A-Z][A-Z_]+\b", "\n".join(re.findall(r"^  ([A-Z].*?)(?:  .*)?$", topic, re.MULTILINE)))
    assert len(names) > 15
    assert not [name for name in names if f'"{name}"' not in sources]
