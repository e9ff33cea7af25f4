#!/usr/bin/python3 -B
"""The command line on big files: house.py BUILD_DIRECTORY

Prints a JSON line for each: `plan --offline` of files with 1,000 and 10,000 groups of 100 members
(about 1 MB and 10 MB), and `version`, beside /bin/true as the cost of any process at all.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

REPEATS = 7
GROUP = """  group-{i:05}:
    size: 100
    machineSize: m6i.large
    zones: [eu-west-1a, eu-west-1b, eu-west-1c]
    labels: {{role: web, tier: "{tier}", owner: team-{team}}}
    mergeLabels: true
    heal: replace
    # the properties of the plugin, as it wants them
    resourceProperties:
      instanceProfile: profile-{tier}
      ebsOptimized: true
      tags:
        cost-center: cc-{team:04}
        description: "group number {i} of the big file, made for measuring"
        contact: ops-team-{team}@example.org
      userData: |
        #!/bin/sh
        echo booting group {i} > /dev/console
        exec /usr/local/sbin/first-boot --group {i} --really
    volumes:
      - {{name: data, size: 200GiB, type: gp3, mount: /var/lib/data, keep: slot}}
      - {{name: log, size: 20, type: gp3, mount: /var/log/app, keep: node}}
    health: {{probe: {{tcp: 5432, every: 10s, fail: 3}}, grace: 5m}}
    rollout: {{surge: 1, canary: 1, bake: 2m, batch: 10%, maxFail: 1}}
"""


def write_cluster(path, groups):
    head = ('version: "1"\nname: big\ndefaults: {resourcePlugin: {name: aws, account: prod}, '
            'image: debian-12, user: admin, sshKey: ops, labels: {env: prod}}\ngroups:\n')
    path.write_text(head + "".join(GROUP.format(i=i, tier=i % 7, team=i % 13)
                                   for i in range(groups)))


def cpu_ms(command):
    """Processor time of one run of a command, user and system, with the peak of its memory."""
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"bench: {' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1024


def measure(name, command, target_ms=None, **facts):
    runs = [cpu_ms(command) for _ in range(REPEATS)]
    times = sorted(run[0] for run in runs)
    line = {"bench": name, "cpu_ms_median": round(statistics.median(times), 2),
            "cpu_ms_min": round(times[0], 2), "cpu_ms_max": round(times[-1], 2),
            "repeats": REPEATS, **facts}
    # a child is charged with the memory of this interpreter until it has become the command
    memory_mib = max(run[1] for run in runs)
    if memory_mib > 2 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:
        line["memory_mib"] = round(memory_mib, 1)
    if target_ms is not None:
        line["target_ms"] = target_ms
    print(json.dumps(line), flush=True)
    return line["cpu_ms_median"]


def main():
    reeve = str(pathlib.Path(sys.argv[1]) / "reeve")
    with tempfile.TemporaryDirectory() as folder:
        medians = {}
        for groups, target in ((1000, 100), (10000, 1000)):
            path = pathlib.Path(folder) / f"{groups}.yaml"
            write_cluster(path, groups)
            medians[groups] = measure(
                f"plan --offline of {groups} groups", [reeve, "plan", "--offline", "-f", str(path)],
                target, groups=groups, nodes=groups * 100, file_bytes=path.stat().st_size)
        print(json.dumps({"bench": "growth from 1,000 to 10,000 groups (10 is linear)",
                          "ratio": round(medians[10000] / medians[1000], 2)}))
        measure("validate of 10000 groups",
                [reeve, "validate", "-f", str(pathlib.Path(folder) / "10000.yaml")])
    version = measure("version", [reeve, "version"], 5)
    floor = measure("/bin/true, the floor of any process", ["/bin/true"])
    print(json.dumps({"bench": "version beside /bin/true",
                      "ratio": round(version / floor, 2) if floor else None}))


main()
