"""Every example of the verb table runs and ends as it says; every example file is right."""
import json
import os
import re
import subprocess

import pytest

from conftest import ENVIRONMENT, REEVE, ROOT

TABLE = json.loads(subprocess.run([str(REEVE), "help", "-o", "json"], check=True,
                                  stdout=subprocess.PIPE).stdout)
EXAMPLES = [(example["command"], example["exit"])
            for verb in TABLE["verbs"] for example in verb["examples"]]
FILES = sorted(path.name for path in (ROOT / "examples").glob("*.yaml"))
BROKEN = {"seed-broken.yaml"}


def needs_manager(command):
    verb = re.search(r"reeve (\w+)", command).group(1)
    return verb not in ("init", "validate", "explain", "completion", "help", "version", "bootstrap") \
        and "--offline" not in command and ("./plugin.so" not in command or " install " in command)


@pytest.mark.parametrize("command,code", EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_example_of_the_table(folder, managed, at, command, code):
    if needs_manager(command):
        run = managed("apply", "--yes", "-f", "examples/web-db.yaml", "-f", "examples/gpu-templates.yaml")
        assert run.returncode == 0, run.stderr
    # "reeve" is found on the path, as in the hands of a user
    path = f"{folder}/bin:{os.environ['PATH']}"
    (folder / "bin").mkdir()
    (folder / "bin/reeve").symlink_to(REEVE)
    (folder / "plugin.so").symlink_to(REEVE.parent / "plugins/file.so")
    run = subprocess.run(["bash", "-c", command], cwd=folder, env={**ENVIRONMENT, **at, "PATH": path},
                         text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert run.returncode == code, run.stderr
    if code == 0:
        assert "error" not in run.stderr
    assert "AddressSanitizer" not in run.stderr


def test_every_verb_has_an_example():
    assert all(verb["examples"] for verb in TABLE["verbs"])


@pytest.mark.parametrize("name", FILES)
def test_file_is_valid_and_can_be_planned(reeve, name):
    for arguments in (["validate", "--strict"], ["plan", "--offline"], ["plan", "--offline", "--full"],
                      ["plan", "--offline", "-o", "json"]):
        run = reeve(*arguments, "-f", f"examples/{name}")
        assert run.returncode == (3 if name in BROKEN else 0), run.stderr


def test_examples_of_init_are_the_files_of_the_tree(reeve, folder):
    names = [line.split()[0] for line in reeve("init", "--list").stdout.splitlines()]
    assert "minimal" in names and "seed" in names and "seed-broken" not in names
    for name in names:
        assert reeve("init", "--example", name, f"{name}.out").returncode == 0
        example = (ROOT / f"examples/{name}.yaml").read_text()
        assert (folder / f"{name}.out").read_text() == example.replace("-f cluster.yaml", f"-f {name}.out")
        assert reeve("init", "--example", name, "-").stdout == example


@pytest.mark.parametrize("name, word", [("shop.yaml", "shop.yaml"), ("my shop.yaml", "'my shop.yaml'"), ("cluster.yaml", "cluster.yaml")])
def test_the_comments_of_init_name_the_file_that_it_writes(reeve, folder, name, word):
    assert reeve("init", "--example", "minimal", name).returncode == 0
    text = (folder / name).read_text()
    assert f"reeve validate -f {word}\n" in text and f"reeve apply -f {word}\n" in text, text


def test_init_never_overwrites(reeve, folder):
    (folder / "cluster.yaml").write_text("mine")
    run = reeve("init")
    assert run.returncode == 1
    assert "error[R0012]: 'cluster.yaml' already exists" in run.stderr
    assert (folder / "cluster.yaml").read_text() == "mine"


def test_what_init_says_next_can_be_pasted(reeve, folder):
    run = reeve("init")
    assert run.returncode == 0 and run.stdout == ""
    check_next(folder, run.stderr)


@pytest.mark.parametrize("name", ["my cluster.yaml", "it's.yaml", "-x.yaml", "$HOME;.yaml"])
def test_what_init_says_next_is_quoted(reeve, folder, name):
    run = reeve("init", "--", name)
    assert run.returncode == 0 and (folder / name).exists()
    check_next(folder, run.stderr)


def check_next(folder, text):
    commands = [line.removeprefix("next:").strip() for line in text.splitlines()[1:]]
    assert len(commands) == 2
    for command in commands:
        assert command.startswith(str(REEVE))  # with its path, for that is how it was called
        subprocess.run(["bash", "-c", command], cwd=folder, env=ENVIRONMENT, check=True,
                       stdout=subprocess.PIPE)


def test_seed_in_two_spellings_is_one_object(reeve):
    one = reeve("plan", "--offline", "-f", "examples/seed.yaml", "-o", "cols=GROUP,SIZE,MEMBERS")
    two = reeve("plan", "--offline", "-f", "examples/seed-list.yaml", "-o", "cols=GROUP,SIZE,MEMBERS")
    assert one.stdout == two.stdout
    assert one.stdout.count("\n") == 5
    assert "group2/sub-group2     3  group2-sub-group2-[0-2]" in one.stdout
    run = reeve("plan", "--offline", "--exit-code", "-f", "examples/seed.yaml", "--against",
                "examples/seed-list.yaml")
    assert run.returncode == 0
    assert "no difference" in run.stdout
