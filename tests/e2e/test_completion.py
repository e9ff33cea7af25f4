"""Completion: candidates from the binary, and the scripts in real shells."""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios

import pytest

from conftest import ENVIRONMENT, REEVE


def candidates(reeve, *words):
    run = reeve("completion", "--words", str(len(words) - 1), "--", *words)
    assert run.returncode == 0 and run.stderr == ""
    return [line.split("\t")[0] for line in run.stdout.splitlines()]


def test_verbs(reeve):
    assert candidates(reeve, "v") == ["validate", "verify", "version"]
    assert len(candidates(reeve, "")) == 59


def test_every_verb_and_flag_of_the_table(reeve):
    table = json.loads(reeve("help", "-o", "json").stdout)
    assert candidates(reeve, "") == [verb["name"] for verb in table["verbs"] if not verb["hidden"]]
    for verb in table["verbs"]:
        flags = {"--" + flag["name"] for flag in verb["flags"] + table["flags"]}
        assert set(candidates(reeve, verb["name"], "-")) == flags


def test_words_of_flags(reeve):
    assert candidates(reeve, "validate", "-o", "") == ["text", "gcc", "json"]
    assert candidates(reeve, "validate", "--output=j") == ["--output=json"]
    assert candidates(reeve, "version", "--color", "a") == ["auto", "always"]
    assert "web-db" in candidates(reeve, "init", "--example", "")
    assert candidates(reeve, "validate", "-f", "") == [":files"]
    assert candidates(reeve, "init", "") == [":files"]


def test_arguments(reeve):
    assert candidates(reeve, "explain", "clus") == ["cluster", "clustertemplate"]
    assert "cluster.groups" in candidates(reeve, "explain", "cluster.")
    assert candidates(reeve, "explain", "nodegroup.rollout.s") == ["nodegroup.rollout.surge"]
    assert "R0301" in candidates(reeve, "explain", "R03")
    assert candidates(reeve, "completion", "b") == ["bash"]
    assert "exit-codes" in candidates(reeve, "help", "e")
    assert candidates(reeve, "explain", "cluster", "") == []
    assert candidates(reeve, "bootstrap", "") == ["check", "run", "try"]
    assert candidates(reeve, "bootstrap", "try", "") == [":files"] == candidates(reeve, "bootstrap", "check", "")
    assert ":files" not in candidates(reeve, "bootstrap", "run", "")
    assert "--node" in candidates(reeve, "bootstrap", "try", "--n")


def test_given_flags_are_not_offered_again(reeve):
    offered = candidates(reeve, "validate", "--strict", "-f", "x", "--")
    assert "--strict" not in offered and "--file" in offered


def test_odd_calls_are_harmless(reeve):
    assert candidates(reeve, "bogus", "x") == []
    for arguments in (["--words", "99", "--", "validate"], ["--words", "0", "--"],
                      ["--words", "2", "--", "a", "--", "-"], ["--words", "1", "--", "--bogus=", ""]):
        assert reeve("completion", *arguments).returncode == 0
    assert reeve("completion", "--words", "-1", "--").returncode == 2


def complete_in_bash(folder, line):
    """What bash would offer for a line with the cursor at its end."""
    script = f'''
        source <({REEVE} completion bash)
        COMP_LINE={line!r} COMP_POINT={len(line)}
        # cut as readline cuts: at blanks, and at = and :
        read -ra parts <<< "$(sed -E 's/([=:]+)/ \\1 /g' <<< "$COMP_LINE")"
        COMP_WORDS=("${{parts[@]}}"); [[ $COMP_LINE == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _reeve
        printf '%s\\n' "${{COMPREPLY[@]}}"'''
    run = subprocess.run(["bash", "--norc", "-c", script], cwd=folder, env=ENVIRONMENT, text=True,
                         capture_output=True, check=False)
    assert run.stderr == ""
    return run.stdout.split("\n")[:-1]


def test_bash(folder):
    (folder / "my file.yaml").write_text("")
    assert complete_in_bash(folder, "reeve val") == ["validate"]
    assert complete_in_bash(folder, "reeve validate -o ") == ["text", "gcc", "json"]
    assert complete_in_bash(folder, "reeve validate --output=j") == ["json"]
    assert complete_in_bash(folder, "reeve validate --output=") == ["text", "gcc", "json"]
    assert complete_in_bash(folder, "reeve explain cluster.gro") == ["cluster.groups"]
    assert complete_in_bash(folder, "reeve validate -f my") == ["my file.yaml"]
    assert "examples/seed.yaml" in complete_in_bash(folder, "reeve validate -f examples/s")


def type_in_shell(folder, command, start):
    """Type a line with tabs into a real shell on a terminal; gives what came back."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    shell = subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
                             env={**ENVIRONMENT, "PS1": "> ", "INPUTRC": "/dev/null", "TERM": "dumb"},
                             start_new_session=True)
    os.close(theirs)

    def read_until(wanted):
        seen = b""
        while not re.search(wanted, seen):
            assert select.select([ours], [], [], 30)[0], seen
            seen += os.read(ours, 4096)
        return seen

    os.write(ours, f"PATH={REEVE.parent}:$PATH; {start}; echo rea''dy\n".encode())
    read_until(b"ready")
    os.write(ours, b"reeve vali\t--ou\tgc\t -f examples/minimal.y\t; echo en''d $?\n")
    seen = read_until(rb"end \d+\r?\n")
    os.write(ours, b"exit\n")
    shell.wait(60)
    os.close(ours)
    return seen.decode(errors="replace")


def test_bash_on_a_real_terminal(folder):
    seen = type_in_shell(folder, ["bash", "--norc", "--noprofile", "-i"],
                         f"source <({REEVE} completion bash)")
    assert re.search(r"validate +--output +gcc +-f examples/minimal\.yaml", seen)
    assert "end 0" in seen


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_on_a_real_terminal(folder):
    seen = type_in_shell(folder, ["zsh", "-f", "-i"],
                         f"autoload -Uz compinit; compinit -u -d {folder}/dump; "
                         f"source <({REEVE} completion zsh)")
    assert "end 0" in seen
    assert "minimal.yaml" in seen


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish(folder):
    def offered(line):
        script = f"{REEVE} completion fish | source; complete -C '{line}'"
        run = subprocess.run(["fish", "--no-config", "-c", script], cwd=folder, text=True,
                             capture_output=True, check=False, env=ENVIRONMENT)
        assert run.stderr == ""
        return [word.split("\t")[0] for word in run.stdout.splitlines()]
    assert offered("reeve val") == ["validate"]
    assert "json" in offered("reeve validate -o ")
    assert "examples/seed.yaml" in offered("reeve validate -f examples/s")
