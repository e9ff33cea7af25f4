#!/usr/bin/python3 -B
"""A playbook through reeve beside plain ansible-playbook, on containers of this computer: playbooks.py BUILD [NODES]

The same playbook on the same nodes, in turn (A B A B): a loop with much output, and tasks that write files. `run` is the
run alone, as the manager's log has it; `whole` is `reeve upgrade` from the command to its end: plan, rollout, keys, facts and the run.
As root.
"""

import contextlib
import datetime
import json
import re
import shutil
import sys
import tempfile
import time

from beside import middle, say
from bootstrap import World, run
from pylib.containers import ground

NODES = int(sys.argv[2]) if sys.argv[2:] else 5
PAIRS = 3
PLAY = """# {turn}
- hosts: all
  gather_facts: false
  become: true
  tasks:
    - name: much output
      ansible.builtin.command: seq 1 80
      loop: "{{{{ range(10) | list }}}}"
      changed_when: false
    - ansible.builtin.copy: {{dest: /srv/one, content: "{turn}"}}
    - ansible.builtin.copy: {{dest: /srv/two, content: "{turn}"}}
    - ansible.builtin.file: {{path: /srv/three, state: directory}}
"""


def last_run(world):
    """Seconds of the last run of a playbook, by the log."""
    found = re.findall(r"^(\S+)Z info +playbook: (begun|ended)", world.manager.log.read_text(), re.MULTILINE)[-2:]
    begun, ended = (datetime.datetime.fromisoformat(moment) for moment, _ in found)
    assert [word for _, word in found] == ["begun", "ended"]
    return (ended - begun).total_seconds()


def through(world, turn):
    """(run, whole) in seconds."""
    (world.folder / "repo/site.yml").write_text(PLAY.format(turn=turn))
    world.reeve("config", "push", "repo", "--name", "site", "-q")
    begin = time.perf_counter()
    world.reeve("upgrade", "c/n", "--yes", "-q")
    return last_run(world), time.perf_counter() - begin


def main():
    if shutil.which("ansible-playbook") is None:
        say("playbooks", skipped="there is no ansible-playbook")
        return
    with tempfile.TemporaryDirectory() as place, ground(place) as folder, contextlib.ExitStack() as stack:
        world = World(folder)
        stack.callback(world.close)
        (world.folder / "repo").mkdir()
        (world.folder / "repo/ansible.cfg").write_text("[ssh_connection]\npipelining = True\n")  # as the other has it
        (world.folder / "repo/site.yml").write_text(PLAY.format(turn="first"))
        world.reeve("config", "push", "repo", "--name", "site", "-q")
        key = (world.folder / "user.pub").read_text().strip()
        group = {"size": NODES, "image": "host", "resourcePlugin": {"name": "local"}, "resourceProperties": {"sshKey": key},
                 "configuration": "site", "rollout": {"batch": NODES, "canary": 0, "unavailable": NODES, "maxFail": NODES}}
        (world.folder / "c.yaml").write_text(json.dumps({"version": "1", "name": "c", "groups": {"n": group}}))
        world.reeve("apply", "--yes", "-q", "-f", "c.yaml")
        (world.folder / "inventory").write_text("".join(f"{one.address} ansible_user=admin\n" for one in world.containers.machines()))
        ours, theirs = [], []
        for turn in range(PAIRS):
            ours.append(through(world, f"ours {turn}"))
            (world.folder / "play.yaml").write_text(PLAY.format(turn=f"theirs {turn}"))
            theirs.append(run(world, "ansible-playbook", "-f", str(min(NODES, 25)), "-i", "inventory", "play.yaml")[0])
        say("playbooks/run", nodes=NODES, unit="s", ours=middle([one[0] for one in ours]), theirs=middle(theirs),
            ratio=middle([one[0] / other for one, other in zip(ours, theirs)]), goal=1.1)
        say("playbooks/whole", nodes=NODES, unit="s", ours=middle([one[1] for one in ours]))


if __name__ == "__main__":
    main()
