"""Sessions in documents.

A block marked `console` is a session, and a block marked `console KIND` is a session for a special environment. Lines
with `$ ` are typed; the lines after them are the output (both streams). A line `...` stands for any number of lines,
`...` in a line for any text.
"""

import re


def sessions(path, kind=""):
    """Returns the steps of a page in order: (command, expected lines)."""
    steps = []
    mark = f"console {kind}".rstrip()
    for block in re.findall(rf"^```{mark}\n(.*?)^```", path.read_text(), re.S | re.M):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


def matches(expected, got):
    """Returns whether the lines match."""
    pattern = "".join("(?:.*\n)*" if line == "..." else
                      ".*".join(re.escape(part) for part in line.split("...")) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None


def session_run(steps, run):
    """Runs the steps of a session; run(command) returns both streams. Fails if the output differs from the page."""
    for command, expected in steps:
        got = run(command).splitlines()
        assert matches(expected, got), f"$ {command}\n" + "\n".join(got) + "\nexpected:\n" + "\n".join(expected)


def quickstart_commands(path):
    """Returns the commands that quickstart.sh runs and prints: (command, expected exit code). Commands printed below
    "Your own file" exit with 0 after consent was added to them (see consented)."""
    text = path.read_text()
    shown = [(command, int(code)) for code, command in re.findall(r"^show (\d+) (.*)$", text, re.M)]
    own = text[text.index("Your own file:"):]
    return shown + [(command, 0) for command in re.findall(r"^  \w+ +(build/reeve [^ ]+ .*-f .*|build/reeve (?:init|tree|delete) .*)$", own, re.M)]


def consented(command):
    """Returns a printed command with the required consent, because no user is there to type it."""
    return command + (" --yes --allow destroy=9" if re.search(r" (scale|undo|edit|apply|delete) ", command) else "")


def page_steps(path):
    """Returns the steps of a page of the guide, in order: ("file", NAME, its lines) for each block marked `yaml NAME`
    or `sh NAME`, and ("run", command, expected lines) for each command of the blocks marked `console run`."""
    steps = []
    for info, block in re.findall(r"^```([^\n]*)\n(.*?)^```$", path.read_text(), re.S | re.M):
        words = info.split()
        if len(words) == 2 and words[0] in ("yaml", "sh"):
            steps.append(("file", words[1], block))
        elif words == ["console", "run"]:
            for line in block.splitlines():
                if line.startswith("$ "):
                    steps.append(("run", line[2:], []))
                else:
                    steps[-1][2].append(line)
    return steps


def page_fragments(path):
    """Returns the parts of a cluster file in blocks marked just `yaml`, each completed to a whole file."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", path.read_text(), re.S | re.M)
    return ['version: "1"\nname: example\n' + block for block in blocks if re.match(r"(groups|defaults):", block)]


def page_commands(path):
    """Returns the commands of reeve that a page contains, in its sessions and in its text."""
    text = path.read_text()
    found = re.findall(r"^\$ (reeve .*)$", text, re.M) + re.findall(r"`(reeve [a-z][^`]*)`", text)
    return sorted({command for command in found if "..." not in command})
