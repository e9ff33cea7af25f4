"""On a terminal: colour, width, nothing wrapped; off it plain and whole."""
import re
import unicodedata

import pytest

CONTROL = re.compile(r"\x1b\[[0-9;]*m")


def columns_of(line):
    """Columns of a line without its colours; independent of reeve's own tables."""
    plain = CONTROL.sub("", line)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in plain.expandtabs(8))


@pytest.mark.parametrize("columns", [30, 40, 80, 200])
@pytest.mark.parametrize("arguments", [
    ["plan", "--offline", "-f", "examples/web-db.yaml", "-o", "table"],
    ["plan", "--offline", "-f", "examples/web-db.yaml", "-o", "wide"],
    ["explain"], ["explain", "nodegroup", "-o", "table"],
], ids=" ".join)
def test_table_fits(terminal, columns, arguments):
    code, text = terminal(columns, *arguments)
    assert code == 0
    assert all(columns_of(line) <= columns for line in text.splitlines())
    assert text.count("\n") > 2


@pytest.mark.parametrize("columns", [40, 80])
def test_snippet_fits_and_keeps_its_caret(terminal, folder, columns):
    (folder / "a.yaml").write_text('version: "1"\nname: a\ngroups: {web: {size: 1, image: "'
                                   + "東" * 200 + '", resourcePlugin: {name: x}, heal: repalce, labels: {'
                                   + ", ".join(f"k{i}: v" for i in range(30)) + "}}}\n")
    code, text = terminal(columns, "validate", "-f", "a.yaml")
    assert code == 3
    snippets = [line for line in CONTROL.sub("", text).splitlines() if re.match(r" +\d* \| ", line)]
    assert len(snippets) == 2
    assert all(columns_of(line) <= columns for line in snippets)
    line, caret = snippets
    assert "repalce" in line
    start = columns_of(caret[:caret.index("^")])
    assert columns_of(line[:line.index("repalce")]) == start


def test_colour_only_where_it_is_wanted(terminal, reeve):
    arguments = ["validate", "-f", "examples/seed-broken.yaml"]
    assert "\x1b[" in terminal(80, *arguments)[1]
    assert "\x1b[" not in terminal(80, *arguments, env={"NO_COLOR": "1"})[1]
    assert "\x1b[" in terminal(80, *arguments, env={"NO_COLOR": ""})[1]
    assert "\x1b[" not in terminal(80, *arguments, env={"TERM": "dumb"})[1]
    assert "\x1b[" not in terminal(80, *arguments, "--color", "never")[1]
    assert "\x1b[" in terminal(80, *arguments, "--color=always", env={"NO_COLOR": "1"})[1]
    assert "\x1b[" not in reeve(*arguments).stderr
    assert "\x1b[" in reeve(*arguments, "--color", "always").stderr
    assert "\x1b[" in reeve(*arguments, env={"CLICOLOR_FORCE": "1"}).stderr
    assert "\x1b[" not in reeve(*arguments, env={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}).stderr


def test_colour_carries_no_meaning_of_its_own(terminal):
    arguments = ["plan", "--offline", "-f", "examples/web-db-grown.yaml", "--against",
                 "examples/web-db.yaml"]
    plain = terminal(80, *arguments, "--color", "never")[1]
    assert CONTROL.sub("", terminal(80, *arguments)[1]) == plain
    assert "+ cache" in plain and "! db" in plain


def test_cut_cells_are_marked_in_the_letters_of_the_locale(terminal):
    arguments = ["plan", "--offline", "-f", "examples/seed.yaml", "-o", "cols=GROUP,MEMBERS"]
    assert "…" in terminal(30, *arguments)[1]
    assert "…" not in terminal(30, *arguments, "--ascii")[1]
    text = terminal(30, *arguments, env={"LC_ALL": "C"})[1]
    assert text.isascii() and ".." in text


def test_nothing_is_cut_off_a_terminal(reeve):
    run = reeve("plan", "--offline", "-f", "examples/seed.yaml", "-o", "wide", env={"COLUMNS": "20"})
    assert "group2-sub-group1-[0-1]" in run.stdout and "MACHINESIZE" in run.stdout


def test_help_fits_80_columns(reeve):
    for arguments in (["--help"], ["--help-all"], ["help"]):
        assert all(len(line) <= 80 for line in reeve(*arguments).stdout.splitlines())


def test_help_of_a_verb_fits_the_terminal(reeve, terminal):
    """Its words are those of the wide one; examples stand as they are, for they are copied."""
    for verb in ("exec", "cp", "bootstrap", "apply", "wait"):
        wide = reeve("help", verb).stdout
        lines = terminal(80, "help", verb, "--no-pager", "--color", "never")[1].replace("\r", "").splitlines()
        cut = next(number for number, line in enumerate(lines) if line == "examples")
        rest = next(number for number, line in enumerate(lines) if line == "exit codes")
        assert [line for line in (*lines[:cut], *lines[rest:]) if len(line) > 80] == []
        assert " ".join(lines).split() == wide.split()
        assert wide[wide.index("\nexamples"):wide.index("\nexit codes")].splitlines()[1:] == lines[cut:rest - 1]
        # no line of the prose is left half empty
        text = lines[4:lines.index("flags") - 1]
        assert all(len(line) + 1 + len(after.split()[0]) > 80 for line, after in zip(text, text[1:]) if line and after), text


def test_waiting_for_standard_input_is_said(folder):
    """Somebody who typed -f - on a terminal is told what is waited for."""
    import os
    import pty
    import subprocess
    from conftest import ENVIRONMENT, REEVE
    ours, theirs = pty.openpty()
    process = subprocess.Popen([str(REEVE), "validate", "-f", "-"], cwd=folder, stdin=theirs,
                               stdout=theirs, stderr=theirs, env=ENVIRONMENT)
    os.close(theirs)
    shown = b""
    while b"end with ctrl-d" not in shown:  # a terminal gives what it has
        shown += os.read(ours, 1000)
    os.write(ours, b'version: "1"\nname: a\nempty: true\n\x04')
    assert process.wait(60) == 0
    os.close(ours)


def test_ctrl_c_while_waiting_for_standard_input(folder):
    """Ends at once by the signal, as a shell expects, and says nothing of a fault."""
    import fcntl
    import os
    import pty
    import signal
    import subprocess
    import termios
    from conftest import ENVIRONMENT, REEVE

    def take_terminal():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell lets its background jobs ignore it

    ours, theirs = pty.openpty()
    process = subprocess.Popen([str(REEVE), "validate", "-f", "-"], cwd=folder, stdin=theirs,
                               stdout=theirs, stderr=theirs, env=ENVIRONMENT, start_new_session=True,
                               preexec_fn=take_terminal)
    os.close(theirs)
    shown = b""
    while b"end with ctrl-d" not in shown:  # a terminal gives what it has
        shown += os.read(ours, 1000)
    os.write(ours, b"\x03")
    assert process.wait(60) == -signal.SIGINT
    os.close(ours)
